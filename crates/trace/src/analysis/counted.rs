//! What is said of events that are taken each by itself: counts, sizes, places, who wrote.

use super::device_table::DeviceTable;
use super::device_traffic::DeviceTraffic;
use super::options::{AnalysisOptions, SwapCounters};
use super::processes::{DirtyPage, DirtyRecorder, InodeOfDevice};
use super::report::{PlugCounts, TraceSpan};
use super::stacking::StackRecorder;
use crate::event::{Action, BlockEvent, TraceRecord};

/// The half of an analysis for which no event is held against another. It needs nothing of the
/// other half, so that each can be done by a thread of its own.
#[derive(Clone, Debug)]
pub(super) struct CountedEvents {
    pub(super) span: TraceSpan,
    pub(super) devices: DeviceTable<DeviceTraffic>,
    pub(super) events_of_others: u64,
    pub(super) plugs: PlugCounts,
    pub(super) stack: StackRecorder,
    pub(super) dirtied: DirtyRecorder,
}

impl CountedEvents {
    /// Of a trace whose first record is of `start_ns`.
    pub(super) fn new(options: &AnalysisOptions, start_ns: u64) -> Self {
        Self {
            span: TraceSpan { start_ns, end_ns: start_ns, ..TraceSpan::default() },
            devices: DeviceTable::new(),
            events_of_others: 0,
            plugs: PlugCounts::default(),
            stack: StackRecorder::new(options),
            dirtied: DirtyRecorder::new(),
        }
    }

    /// How much was swapped while the trace ran.
    pub(super) const fn set_swap_counters(&mut self, counters: SwapCounters) {
        self.stack.set_counters(counters);
    }

    /// Takes the next records.
    pub(super) fn take_all(&mut self, records: &[TraceRecord]) {
        records.iter().for_each(|record| self.take(record));
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &TraceRecord) {
        let time_ns = record.time_ns();
        self.span.records += 1;
        if time_ns < self.span.end_ns {
            self.span.out_of_order += 1;
        } else {
            self.span.end_ns = time_ns;
        }
        match record {
            TraceRecord::Block(event) => self.block(event, self.span.end_ns),
            TraceRecord::Dirtied { thread, task, device, inode, bytes, .. } => {
                let file = InodeOfDevice { device: *device, inode: *inode };
                self.dirtied.take(DirtyPage { thread: *thread, task: *task, file, bytes: *bytes });
            }
            TraceRecord::Lost { .. } | TraceRecord::Synced { .. } => {}
        }
    }

    fn block(&mut self, event: &BlockEvent, now: u64) {
        self.span.block_events += 1;
        match event.action {
            Action::Plug => self.plugs.plugs += 1,
            Action::Unplug { requests } => {
                self.plugs.unplugs += 1;
                self.plugs.unplugged_requests += u64::from(requests);
            }
            _ => {}
        }
        let Some(device) = event.device else { return };
        let start_ns = self.span.start_ns;
        let Some(traffic) = self.devices.entry(device, || DeviceTraffic::new(start_ns)) else {
            self.events_of_others += 1;
            return;
        };
        traffic.take(event, now);
        match event.action {
            Action::Queue => self.stack.queued(event, device),
            Action::Remap { from, .. } => self.stack.remapped(event, from, device),
            _ => {}
        }
    }
}
