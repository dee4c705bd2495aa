//! The block devices that a load passes, one on the other, as they were in a trial: what each is built of, and what of
//! it shapes the devices above. The inventory does not have those of a stack that was made for the load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::BlockKind;
use crate::resource::Resource;

/// The devices of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageLayers {
    /// The devices, in the order of the load's path: the highest first.
    pub devices: Vec<LayerDevice>,
    /// The CPUs that unbound work of the kernel may run on (`/sys/devices/virtual/workqueue/cpumask`); empty where the
    /// kernel does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_cpus: Vec<u32>,
}

/// One block device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerDevice {
    /// The device: `block:md127`.
    pub resource: Resource,
    /// What it is.
    pub kind: BlockKind,
    /// Its major and minor number, `253:0`: threads and queues of the kernel are called by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The devices that it stands on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<Resource>,
    /// The kind of a mapping: `CRYPT-LUKS2`, `LVM`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<String>,
    /// Whether it shares its blocks with a snapshot, so that one is copied before it is written for the first time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares: bool,
    /// How an array is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<LayerArray>,
    /// Bytes that are read or written at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_sector: Option<u32>,
    /// Bytes that the medium reads or writes at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_sector: Option<u32>,
    /// Bytes that it is best written in (`queue/optimal_io_size`): a whole stripe of an array; absent where it does not
    /// say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal_bytes: Option<u64>,
    /// Where a partition begins on its disk, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_bytes: Option<u64>,
    /// The most bytes of one discard (`queue/discard_max_bytes`): 0 where it takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard_bytes: Option<u64>,
    /// Whether it does writes that go through its cache (`queue/fua`); absent where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fua: Option<bool>,
}

impl LayerDevice {
    /// Whether it stands on others, or on a file: a plain disk and a partition do not.
    #[must_use]
    pub fn is_layer(&self) -> bool {
        matches!(self.kind, BlockKind::Md | BlockKind::Dm | BlockKind::Loop)
    }

    /// Whether it encrypts what passes: cryptsetup(8) begins the UUIDs of its mappings so, also of those that only
    /// check what they hold.
    #[must_use]
    pub fn encrypts(&self) -> bool {
        let checks = ["INTEGRITY", "VERITY"];
        let kind = self.mapping.as_deref().and_then(|kind| kind.strip_prefix("CRYPT-"));
        kind.is_some_and(|kind| !checks.iter().any(|word| kind.starts_with(word)))
    }
}

/// How an array of md is built (`Documentation/admin-guide/md.rst`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerArray {
    /// `raid0`, `raid1`, `raid5`, `raid6`, `raid10`, `linear`.
    pub level: String,
    /// Members that it is made for.
    pub members: u32,
    /// Threads that compute parity beside the array's own (`group_thread_cnt`); absent where it has no parity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_threads: Option<u32>,
    /// What went on beside the load: `resync`, `recover`, `check`, `repair`, `reshape`; absent when idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

impl LayerArray {
    /// Whether it keeps parity, which small writes must read first.
    #[must_use]
    pub fn has_parity(&self) -> bool {
        matches!(self.level.as_str(), "raid4" | "raid5" | "raid6")
    }

    /// Whether md counts bytes of the array, not of each member, when it first synchronises or compares its copies; a
    /// member that is rebuilt counts its own (`md_do_sync` in `drivers/md/md.c`).
    #[must_use]
    pub fn counts_whole(&self) -> bool {
        self.level == "raid10"
    }
}

/// What the work of one queue of the kernel used. A `kworker` thread runs the work of many queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkQueueUse {
    /// The queue: `kcryptd/253:0`.
    pub queue: String,
    /// CPU seconds over the window. By the kernel's events, it is how long its work ran, also while it was put off the
    /// CPU.
    pub cpu_s: f64,
    /// For how many seconds it was watched.
    pub watched_s: f64,
    /// How it is known.
    pub by: WorkQueueSource,
}

/// How it is known which queue a thread of the kernel worked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkQueueSource {
    /// By the thread's name at each look, which has the queue that it works for or worked for last
    /// (`wq_worker_comm` in `kernel/workqueue.c`): all that it used since the look before is taken to be of that one.
    #[default]
    Names,
    /// By the kernel's events.
    Events,
    /// In a way that this version does not know.
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_that_encrypt_are_told_from_others() {
        let encrypts = |kind: Option<&str>| {
            LayerDevice { mapping: kind.map(str::to_owned), ..LayerDevice::default() }.encrypts()
        };
        assert!(encrypts(Some("CRYPT-LUKS2")) && encrypts(Some("CRYPT-PLAIN")));
        assert!(!encrypts(Some("LVM")) && !encrypts(Some("CRYPT-INTEGRITY")) && !encrypts(None));
    }
}
