//! Where the time of I/O goes while it goes on: the phases of what was done since somebody last asked, for who watches without
//! an end. What is on its way when they ask is told once it is done.

use super::matched::MatchedEvents;
use super::phases::PhaseTimes;
use crate::event::{Device, TraceRecord};

/// The phases of a device's I/O.
#[derive(Clone, Debug, PartialEq)]
pub struct DevicePhases {
    /// The device.
    pub device: Device,
    /// Those that occurred.
    pub phases: Vec<PhaseTimes>,
}

/// Takes a trace record by record.
#[derive(Clone, Debug, Default)]
pub struct PhaseWatch {
    matched: Option<MatchedEvents>,
}

impl PhaseWatch {
    /// Takes the next record, in order of time.
    pub fn take(&mut self, record: &TraceRecord) {
        self.matched.get_or_insert_with(|| MatchedEvents::new(record.time_ns())).take(record);
    }

    /// The phases that ended since this was last asked for.
    pub fn drain(&mut self) -> Vec<DevicePhases> {
        let devices = self.matched.iter_mut().flat_map(|matched| matched.devices.iter_mut());
        let told = devices.map(|(device, state)| DevicePhases {
            device: *device,
            phases: std::mem::take(&mut state.phases).report(),
        });
        told.filter(|device| !device.phases.is_empty()).collect()
    }
}
