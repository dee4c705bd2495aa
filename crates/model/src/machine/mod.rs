//! A machine as the run document describes it.

mod block;
mod cpu;
mod memory;
mod network;
mod pci;
mod system;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ResourceKind;
use crate::finding::Finding;
use crate::limit::Limit;
use crate::resource::Resource;
use crate::unit::Quantity;

pub use block::{Array, BlockDevice, BlockKind, Mapping, Mount};
pub use cpu::{Cache, CacheKind, CoreKind, Cpu, CpuPlace, Frequency, FrequencyPolicy, Idle, IdleState};
pub use memory::{HugePages, Memory, MemoryModule, NumaNode, Swap};
pub use network::{Bond, NetworkInterface};
pub use pci::{PciDevice, PciLink};
pub use system::{Cgroup, IoControl, IoController, IoThrottle, Provider, Sensor, SensorKind, System};

/// One machine of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Its name in this document: `local`.
    pub id: String,
    /// What it does in the run.
    pub role: String,
    /// What it calls itself.
    pub hostname: String,
    /// The values of the parameter `peer` by which it was reached: several are
    /// several paths to one machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached_as: Vec<String>,
    /// How its clock relates to Unix time.
    pub clock: ClockInfo,
    /// What it is made of.
    pub inventory: Inventory,
    /// What its parts can do at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// What its own parts cost, measured by the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<Calibration>,
    /// What could disturb a measurement, before and after the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<ConditionCheck>,
    /// What watching cost: CPU seconds of the sampler for each second watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer_cost: Option<ObserverCost>,
}

/// How a machine's monotonic clock, on which all `*_ns` of this document are,
/// relates to Unix time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockInfo {
    /// Add this to a monotonic time to get Unix time, in nanoseconds.
    pub offset_ns: i64,
    /// How wrong the offset may be, in nanoseconds.
    pub uncertainty_ns: u64,
    /// The kernel's clock source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What a machine is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// The kernel's release.
    pub kernel: String,
    /// The distribution's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The instruction set: `x86_64`, `aarch64`.
    pub architecture: String,
    /// The processor.
    pub cpu: Cpu,
    /// The memory.
    pub memory: Memory,
    /// The machine as a whole.
    #[serde(default)]
    pub system: System,
    /// The PCI functions, in order of their addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pci: Vec<PciDevice>,
    /// The block devices, what stands on another after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block: Vec<BlockDevice>,
    /// The network interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkInterface>,
    /// The sensors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensors: Vec<Sensor>,
    /// What control groups allow.
    #[serde(default)]
    pub cgroup: Cgroup,
    /// What could not be read, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Absent>,
}

impl Inventory {
    /// The block device of this name.
    #[must_use]
    pub fn block_device(&self, name: &str) -> Option<&BlockDevice> {
        self.block.iter().find(|d| d.name == name)
    }

    /// Whether it has this part.
    #[must_use]
    pub fn has(&self, resource: &Resource) -> bool {
        let name = resource.name();
        match resource.kind() {
            ResourceKind::Block | ResourceKind::Sata | ResourceKind::Usb => self.block_device(name).is_some(),
            ResourceKind::Pci => self.pci_device(name).is_some(),
            ResourceKind::Nic => self.network.iter().any(|n| n.name == name),
            ResourceKind::FileSystem => self.block.iter().flat_map(|d| &d.mounts).any(|m| m.point == name),
            ResourceKind::Cpu => !self.cpu.online.is_empty(),
            ResourceKind::Memory => self.memory.total_bytes > 0,
            ResourceKind::Cgroup => self.cgroup.version.is_some() || self.memory.limit_bytes.is_some(),
            ResourceKind::Sensor => self.sensors.iter().any(|s| s.chip == name || s.label == name),
            ResourceKind::System => true,
            _ => false,
        }
    }

    /// The PCI function at this address.
    #[must_use]
    pub fn pci_device(&self, address: &str) -> Option<&PciDevice> {
        self.pci.iter().find(|d| d.address == address)
    }
}

/// Something that could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absent {
    /// What: `memory modules`, `eth0: firmware`.
    pub what: String,
    /// Why: `permission denied`, `not there`, `garbled: ...`.
    pub reason: String,
}

/// A look at what could disturb a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionCheck {
    /// Before the first trial or after the last.
    pub moment: CheckTime,
    /// What was seen, findings of kind `condition`.
    pub findings: Vec<Finding>,
    /// Bytes that were written to each disk since the machine was started, by its name: between two looks lies what was
    /// written meanwhile, by whomever.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written_bytes: BTreeMap<String, u64>,
}

/// What a look at a machine gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// As in [`ConditionCheck`].
    pub findings: Vec<Finding>,
    /// As in [`ConditionCheck`].
    #[serde(default)]
    pub written_bytes: BTreeMap<String, u64>,
}

/// When a look was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckTime {
    /// Before the first trial.
    Before,
    /// After the last.
    After,
}

/// One measurement of our own cost, or of what a part can do at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// What was measured: `clock.read`, `clock.step`, `null`, `disk.null`.
    pub name: String,
    /// The result.
    pub result: Quantity,
    /// How it was got, in a sentence.
    pub method: String,
    /// The resource whose upper limit the result is; absent if the result is our own cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_of: Option<Resource>,
}

/// What watching cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObserverCost {
    /// CPU seconds that the sampler used.
    pub cpu_s: f64,
    /// Seconds that it watched.
    pub watched_s: f64,
    /// The CPUs that it was allowed to run on.
    pub cpus: u32,
}
