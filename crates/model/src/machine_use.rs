//! What a machine does, as an agent tells who watches it from elsewhere.

use serde::{Deserialize, Serialize};

use crate::machine::IoThrottle;
use crate::resource::Resource;
use crate::trial::ProcessUse;

/// What a machine did in the time before it was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineUse {
    /// Seconds that rates are of; 0 at the first look, which has none.
    pub window_s: f64,
    /// Counters, for each second of the window.
    pub rates: Vec<ReadingOfUse>,
    /// Gauges, as they were at last.
    pub gauges: Vec<ReadingOfUse>,
    /// Control groups that somebody has held to a limit.
    pub groups: Vec<HeldGroup>,
    /// Who used most processor time of late, most first.
    pub processes: Vec<ProcessUse>,
    /// Disks and interfaces that are sampled.
    pub block: Vec<String>,
    /// See `block`.
    pub network: Vec<String>,
}

/// One figure of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadingOfUse {
    /// The resource.
    pub resource: Resource,
    /// What it is, in the kernel's word.
    pub name: String,
    /// How much.
    pub value: f64,
}

/// A control group, and what holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldGroup {
    /// Its path.
    pub path: String,
    /// CPU seconds for each second.
    pub cpu_quota: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Throttles of devices.
    pub io: Vec<IoThrottle>,
}
