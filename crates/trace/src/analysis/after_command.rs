//! What devices completed once the traced command had ended. What it wrote into memory is mostly written then, so this
//! is told apart from what was done while it ran.

use super::DEVICES_MAX;
use super::counts::{CountedBytes, ReadWrite, Side};
use super::traffic::IoClass;
use crate::event::{Action, BlockEvent, Device, TraceRecord};

/// What was completed after the traced command had ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AfterCommand {
    /// When its end was seen, on the trace's clock.
    pub began_ns: u64,
    /// What each device completed since, counted as in [`super::ActionCounts::done`], but for what moves no data
    /// ([`IoClass::Other`]). Devices that completed nothing are absent.
    pub devices: Vec<(Device, ReadWrite<CountedBytes>)>,
}

impl AfterCommand {
    pub(super) const fn since(began_ns: u64) -> Self {
        Self { began_ns, devices: Vec::new() }
    }

    /// Takes the next records.
    pub(super) fn take_all(&mut self, records: &[TraceRecord]) {
        records.iter().for_each(|record| self.take(record));
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &TraceRecord) {
        if let TraceRecord::Block(event) = record {
            self.block(event);
        }
    }

    fn block(&mut self, event: &BlockEvent) {
        if event.action != Action::Complete || event.would_block() || event.time_ns < self.began_ns {
            return;
        }
        let moves_data = IoClass::of(event.operation.direction) != Some(IoClass::Other);
        let side = Side::of(event.operation.direction).filter(|_| moves_data);
        let Some((device, side)) = event.device.zip(side) else { return };
        let place = match self.devices.iter().position(|(own, _)| *own == device) {
            Some(place) => place,
            None if self.devices.len() < DEVICES_MAX => {
                self.devices.push((device, ReadWrite::default()));
                self.devices.len() - 1
            }
            None => return,
        };
        self.devices[place].1.add(side, event.bytes);
    }

    /// What this device completed since.
    #[must_use]
    pub fn completed(&self, device: Device) -> ReadWrite<CountedBytes> {
        self.devices
            .iter()
            .find(|(own, _)| *own == device)
            .map(|(_, completed)| *completed)
            .unwrap_or_default()
    }
}
