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
    /// A resource of the workload's own area, as the run document names it:
    /// `kind:name`.
    #[serde(untagged)]
    Own(&'static str),
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
            Symbol::Own(resource) => resource,
        }
    }

    /// How its resources are called.
    #[must_use]
    pub fn words(self) -> SymbolWords {
        let (kind, noun, lies, parameter, example) = match self {
            Symbol::WorkerCpus => ("cpu", "set of CPUs", "of the workers", None, Some("0-3")),
            Symbol::Memory => ("memory", "memory", "of the machine", None, None),
            Symbol::TargetFileSystem => ("filesystem", "file system", "of", Some("target"), Some("/data")),
            Symbol::TargetDevice => ("block", "block device", "under", Some("target"), Some("sda")),
            Symbol::PeerInterface => ("nic", "network interface", "towards", Some("peer"), Some("eth0")),
            Symbol::Own(resource) => {
                let kind = resource.split(':').next().unwrap_or(resource);
                (kind, kind, "of the load", None, None)
            }
        };
        SymbolWords { kind, noun, lies, parameter, example }
    }
}

/// How the resources of a symbol are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolWords {
    /// Before the colon of a resource: `nic` of `nic:eth0`.
    pub kind: &'static str,
    /// One of them, in a sentence.
    pub noun: &'static str,
    /// Where the one that is meant lies, before the value of its parameter.
    pub lies: &'static str,
    /// The parameter that says which one is meant; none where the machine does.
    pub parameter: Option<&'static str>,
    /// A name after `@`, for example; none where a machine has one only.
    pub example: Option<&'static str>,
}

impl SymbolWords {
    /// The one that is meant: `the block device under /data`, `... under the target`.
    #[must_use]
    pub fn phrase(&self, value: Option<&str>) -> String {
        let (noun, lies) = (self.noun, self.lies);
        match (value, self.parameter) {
            (Some(value), _) => format!("the {noun} {lies} {value}"),
            (None, Some(parameter)) => format!("the {noun} {lies} the {parameter}"),
            (None, None) => format!("the {noun} {lies}"),
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
