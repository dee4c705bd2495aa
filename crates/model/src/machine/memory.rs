//! The memory of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// All of it, in bytes.
    pub total_bytes: u64,
    /// What may be used without pushing others out, when the run started; at
    /// most what a cgroup leaves.
    pub available_bytes: u64,
    /// What this process and others of its cgroup may use together, where one
    /// limits them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<u64>,
    /// The modules, where the firmware's tables could be read. Empty slots are
    /// left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<MemoryModule>,
    /// How many slots the board has for modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// The NUMA nodes that have memory or CPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NumaNode>,
    /// Swap areas in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swap: Vec<Swap>,
    /// Huge pages, by size, smallest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub huge_pages: Vec<HugePages>,
    /// Whether the kernel uses huge pages by itself: `always`, `madvise`,
    /// `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_huge_pages: Option<String>,
}

/// One memory module (SMBIOS 3.7, structure 17), without its serial number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryModule {
    /// The slot as the board names it: `DIMM_A1`.
    pub slot: String,
    /// The bank as the board names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
    /// `DDR4`, `DDR5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Transfers per second that it is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_transfers: Option<u64>,
    /// Transfers per second that it runs at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured_transfers: Option<u64>,
    /// Bits of data moved at once, without those for error correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_bits: Option<u32>,
    /// Whether it has bits for error correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecc: Option<bool>,
    /// Ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// The maker's part number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// Its number.
    pub id: u32,
    /// Its memory in bytes.
    pub total_bytes: u64,
    /// What is free of it, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// Its CPUs.
    pub cpus: Vec<u32>,
    /// Its distance to each node in order of their numbers, 10 for itself (ACPI
    /// SLIT).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<u32>,
}

/// One swap area.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swap {
    /// The device or file.
    pub path: String,
    /// `partition` or `file`.
    pub kind: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What is in it now, in bytes.
    pub used_bytes: u64,
    /// Its priority; the highest is used first.
    pub priority: i32,
}

/// Huge pages of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HugePages {
    /// Bytes of one.
    pub bytes: u64,
    /// Reserved.
    pub reserved: u64,
    /// Reserved and free.
    pub free: u64,
}
