//! The processors of a machine.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// The model as the kernel gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who made it: `GenuineIntel`, `AuthenticAMD`, `ARM`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Family, model and stepping as numbers (x86), or implementer, part and
    /// revision (ARM).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The version of the microcode that is loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// CPUs that are online.
    pub online: Vec<u32>,
    /// CPUs that we may run on.
    pub allowed: Vec<u32>,
    /// The kinds of cores with their CPUs, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub core_kinds: Vec<CoreKind>,
    /// Where each CPU sits; empty where the kernel does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology: Vec<CpuPlace>,
    /// Data and unified caches that CPU 0 sees, smallest level first.
    pub caches: Vec<Cache>,
    /// All caches of the machine, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cache_kinds: Vec<CacheKind>,
    /// Instruction sets and features that decide what a measurement means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// What the kernel does against each known flaw of the processor.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// How its clock rate is chosen; absent where the kernel does not choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<Frequency>,
    /// How it sleeps; absent where the kernel does not choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
}

impl Cpu {
    /// How many packages (sockets), as far as known.
    #[must_use]
    pub fn packages(&self) -> usize {
        distinct(self.topology.iter().map(|p| p.package))
    }

    /// How many physical cores, as far as known.
    #[must_use]
    pub fn cores(&self) -> usize {
        distinct(self.topology.iter().map(|p| (p.package, p.die, p.core)))
    }

    /// The most threads that share one core: 2 with SMT as most have it, 1
    /// without, 0 where it is not known.
    #[must_use]
    pub fn threads_per_core(&self) -> usize {
        let mut cores: BTreeMap<_, usize> = BTreeMap::new();
        for place in &self.topology {
            *cores.entry((place.package, place.die, place.core)).or_default() += 1;
        }
        cores.into_values().max().unwrap_or(0)
    }
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> usize {
    all.collect::<std::collections::BTreeSet<_>>().len()
}

/// One kind of core of a machine that has several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoreKind {
    /// Its name: `Cortex-A72`, or `P-core` and `E-core` where the kernel names all cores alike.
    pub model: String,
    /// The CPUs that are cores of it.
    pub cpus: Vec<u32>,
}

/// Where one CPU sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuPlace {
    /// The CPU's number.
    pub cpu: u32,
    /// Its core, a number within its package.
    pub core: u32,
    /// Its die within the package, 0 where there is one.
    #[serde(default)]
    pub die: u32,
    /// Its package (socket).
    pub package: u32,
    /// Its NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
}

/// One cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// 1, 2, 3.
    pub level: u32,
    /// Bytes, as the machine claims; a virtual machine's claim may be wrong.
    pub bytes: u64,
    /// CPUs that share it.
    pub shared_by: Vec<u32>,
}

/// All caches of one level, kind and size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CacheKind {
    /// 1, 2, 3.
    pub level: u32,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Bytes of each.
    pub bytes: u64,
    /// How many there are.
    pub instances: u32,
}

/// How the clock rate is chosen (`Documentation/admin-guide/pm/cpufreq.rst`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frequency {
    /// The scaling driver: `intel_pstate`, `acpi-cpufreq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The governors in use, one entry each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub governors: Vec<String>,
    /// The energy and performance preferences in use, one entry each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<String>,
    /// The lowest that policy allows, Hz, of all CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_hz: Option<u64>,
    /// The highest that policy allows, Hz, of all CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hz: Option<u64>,
    /// The highest that the hardware has, Hz; absent where the kernel has only a
    /// mark for turbo in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_max_hz: Option<u64>,
    /// The guaranteed (non-turbo) rate, Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hz: Option<u64>,
    /// Whether turbo (boost) is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost: Option<bool>,
    /// The rates of each group of CPUs, where they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<FrequencyPolicy>,
}

/// The clock rates of CPUs that have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencyPolicy {
    /// The CPUs.
    pub cpus: Vec<u32>,
    /// The lowest that policy allows, Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_hz: Option<u64>,
    /// The highest that policy allows, Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hz: Option<u64>,
    /// The highest that the hardware has, Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_max_hz: Option<u64>,
}

/// How a CPU sleeps (`Documentation/admin-guide/pm/cpuidle.rst`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Idle {
    /// The idle driver: `intel_idle`, `acpi_idle`, `haltpoll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The idle governor: `menu`, `teo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The states of CPU 0, shallowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<IdleState>,
}

/// One state of sleep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdleState {
    /// Its name: `C1E`, `C6`.
    pub name: String,
    /// How long waking up from it takes, seconds, as the driver says.
    pub exit_latency_s: f64,
    /// Whether a person switched it off.
    pub disabled: bool,
}
