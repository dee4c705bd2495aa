//! What a workload's data passes. A workload names its path in symbols; the
//! agent that runs it resolves them to resources of its machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A resource as a workload names it, before anybody knows the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Symbol {
    /// The CPUs that the workers run on.
    #[serde(rename = "cpu(workers)")]
    WorkerCpus,
    /// The memory of this machine.
    #[serde(rename = "memory")]
    Memory,
    /// The file system that holds the parameter `target`.
    #[serde(rename = "filesystem(target)")]
    TargetFileSystem,
    /// The block device under the parameter `target`.
    #[serde(rename = "device(target)")]
    TargetDevice,
    /// The network interface towards the parameter `peer`.
    #[serde(rename = "nic(peer)")]
    PeerInterface,
}

impl Symbol {
    /// The symbol as the run document writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Symbol::WorkerCpus => "cpu(workers)",
            Symbol::Memory => "memory",
            Symbol::TargetFileSystem => "filesystem(target)",
            Symbol::TargetDevice => "device(target)",
            Symbol::PeerInterface => "nic(peer)",
        }
    }
}

/// One step of a case's path, resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathStep {
    /// The resource, `kind:name`: `cpu:0-1`, `filesystem:/data`, `block:vda`.
    pub resource: String,
    /// Bytes (or operations) that pass here for each one of the workload.
    pub amplification: f64,
}
