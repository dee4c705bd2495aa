//! What went on during a moment: what `observe` saw, and checks judge.

use serde::{Deserialize, Serialize};

/// What went on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Activity {
    /// Seconds between the looks.
    pub(crate) seconds: f64,
    /// CPUs that were online.
    pub(crate) cpus: u32,
    /// CPU seconds that others used: all but idle, waiting, stolen and ours.
    pub(crate) others_s: Option<f64>,
    /// CPU seconds that the hypervisor gave to others while we wanted them.
    pub(crate) steal_s: Option<f64>,
    /// Processes of others that used CPU time, most first, then those that are
    /// known to disturb.
    pub(crate) processes: Vec<Process>,
    /// Headrooms that are not ours.
    pub(crate) other_headrooms: u32,
    /// Pages read from swap.
    pub(crate) swapped_in: Option<u64>,
    /// Pages written to swap.
    pub(crate) swapped_out: Option<u64>,
    /// How often CPUs were throttled: the most of any counter, for one event
    /// counts at every CPU of a package.
    pub(crate) throttled: Option<u64>,
    /// How often, since the machine was started: the most of any counter.
    pub(crate) throttled_ever: Option<u64>,
    /// What disks did.
    pub(crate) disks: Vec<Traffic>,
    /// What network interfaces did.
    pub(crate) networks: Vec<Traffic>,
}

/// Processes of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Process {
    /// The name that the kernel has, 15 bytes at most.
    pub(crate) name: String,
    /// Whether it is a thread of the kernel.
    pub(crate) kernel: bool,
    /// CPU seconds used.
    pub(crate) cpu_s: f64,
    /// Whether it was running or waiting for a device, or used CPU time.
    pub(crate) active: bool,
    /// How many there are.
    pub(crate) count: u32,
}

/// What passed through one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Traffic {
    /// The kernel's name.
    pub(crate) name: String,
    /// Requests or packets, both ways.
    pub(crate) operations: u64,
    /// Bytes, both ways.
    pub(crate) bytes: u64,
    /// Seconds during which a disk had requests.
    pub(crate) busy_s: Option<f64>,
}

impl Activity {
    /// CPU seconds as a number of CPUs; absent where the looks make no sense:
    /// nobody uses far more CPUs than there are.
    pub(crate) fn as_cpus(&self, cpu_s: f64) -> Option<f64> {
        let most = 2.0 * f64::from(self.cpus);
        let cpus = cpu_s / self.seconds;
        (self.seconds > 0.0 && (0.0..=most).contains(&cpus) && self.cpus > 0).then_some(cpus)
    }

    /// A count as a rate; absent where the looks make no sense.
    pub(crate) fn per_second(&self, count: u64) -> Option<f64> {
        (self.seconds > 0.0).then(|| count as f64 / self.seconds)
    }

    pub(crate) fn process(&self, name: &str) -> Option<&Process> {
        self.processes.iter().find(|p| p.name == name)
    }
}
