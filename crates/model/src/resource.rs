//! What a workload's data passes. A workload names its path in symbols; the
//! agent that runs it resolves them to resources of its machine.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aspect::Aspect;

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
    /// The network interface towards the server of the parameter `url`.
    #[serde(rename = "nic(server)")]
    ServerInterface,
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
            Symbol::ServerInterface => "nic(server)",
            Symbol::Own(resource) => resource,
        }
    }

    /// How its resources are called.
    #[must_use]
    pub fn words(self) -> SymbolWords {
        let (kind, noun, lies, aspect, example) = match self {
            Symbol::WorkerCpus => ("cpu", "set of CPUs", "of the workers", None, Some("0-3")),
            Symbol::Memory => ("memory", "memory", "of the machine", None, None),
            Symbol::TargetFileSystem => {
                ("filesystem", "file system", "of", Some(Aspect::Targets), Some("/data"))
            }
            Symbol::TargetDevice => ("block", "block device", "under", Some(Aspect::Targets), Some("sda")),
            Symbol::PeerInterface => {
                ("nic", "network interface", "towards", Some(Aspect::Peer), Some("eth0"))
            }
            Symbol::ServerInterface => {
                ("nic", "network interface", "towards", Some(Aspect::Server), Some("eth0"))
            }
            Symbol::Own(resource) => {
                let kind = resource.split(':').next().unwrap_or(resource);
                (kind, kind, "of the load", None, None)
            }
        };
        SymbolWords { kind, noun, lies, aspect, example }
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
    /// What of a load says which one is meant; none where the machine does.
    pub aspect: Option<Aspect>,
    /// A name after `@`, for example; none where a machine has one only.
    pub example: Option<&'static str>,
}

impl SymbolWords {
    /// What says which one is meant, in a sentence: `the target`.
    #[must_use]
    pub fn meant(&self) -> Option<&'static str> {
        match self.aspect? {
            Aspect::Peer => Some("peer"),
            Aspect::Server => Some("server"),
            Aspect::Targets => Some("target"),
            _ => None,
        }
    }

    /// The one that is meant: `the block device under /data`, `... under the target`.
    #[must_use]
    pub fn phrase(&self, value: Option<&str>) -> String {
        let (noun, lies) = (self.noun, self.lies);
        match (value, self.meant()) {
            (Some(value), _) => format!("the {noun} {lies} {value}"),
            (None, Some(meant)) => format!("the {noun} {lies} the {meant}"),
            (None, None) => format!("the {noun} {lies}"),
        }
    }
}

/// What kind of thing a resource is: the word before its colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// CPUs: `cpu:0-3`, or `cpu` for all.
    Cpu,
    /// `memory`.
    Memory,
    /// `page-cache`: what of files is in memory.
    PageCache,
    /// A file system, by its mount point.
    FileSystem,
    /// A block device.
    Block,
    /// A network interface.
    Nic,
    /// A server that is no end of ours, by its name.
    Server,
    /// The PCIe link of a function, by its address.
    Pci,
    /// The SATA link of a disk.
    Sata,
    /// The SAS link of a disk.
    Sas,
    /// The USB link of a disk.
    Usb,
    /// The link to a chipset.
    Dmi,
    /// A domain whose power is counted.
    Power,
    /// A thermometer.
    Sensor,
    /// What the kernel counts stalls of.
    Pressure,
    /// The load itself.
    Load,
    /// What a control group gives: `cgroup:cpu`, `cgroup:memory`.
    Cgroup,
    /// The process that runs the load.
    OwnProcess,
    /// The operating system.
    System,
    /// One of an area of its own, or of another tool.
    Other,
}

impl ResourceKind {
    const ALL: [(Self, &'static str); 19] = [
        (Self::Cpu, "cpu"),
        (Self::Memory, "memory"),
        (Self::PageCache, "page-cache"),
        (Self::FileSystem, "filesystem"),
        (Self::Block, "block"),
        (Self::Nic, "nic"),
        (Self::Server, "server"),
        (Self::Pci, "pci"),
        (Self::Sata, "sata"),
        (Self::Sas, "sas"),
        (Self::Usb, "usb"),
        (Self::Dmi, "dmi"),
        (Self::Power, "power"),
        (Self::Sensor, "sensor"),
        (Self::Pressure, "pressure"),
        (Self::Load, "load"),
        (Self::Cgroup, "cgroup"),
        (Self::OwnProcess, "self"),
        (Self::System, "system"),
    ];

    /// Whether its links carry as much each way at once: PCI Express, and DMI, which is
    /// made of it. SATA is half duplex.
    #[must_use]
    pub fn is_full_duplex(self) -> bool {
        matches!(self, Self::Pci | Self::Dmi)
    }

    /// The word before the colon; of another kind only the resource knows it.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

/// A resource of a machine: `block:sda`, `cpu:0-3`, `memory`. Several that are driven
/// together are one: `block:sda+sdb`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Resource(Cow<'static, str>);

impl Resource {
    /// The CPU time that a control group gives.
    pub const CGROUP_CPU: Self = Self(Cow::Borrowed("cgroup:cpu"));
    /// The memory that a control group gives.
    pub const CGROUP_MEMORY: Self = Self(Cow::Borrowed("cgroup:memory"));
    /// All CPUs of a machine.
    pub const CPUS: Self = Self(Cow::Borrowed("cpu"));
    /// A control group.
    pub const CGROUP: Self = Self(Cow::Borrowed("cgroup"));
    /// The link to the chipset.
    pub const DMI: Self = Self(Cow::Borrowed("dmi"));
    /// The load itself.
    pub const LOAD: Self = Self(Cow::Borrowed("load"));
    /// What waits between a network interface and the protocols.
    pub const SOFTNET: Self = Self(Cow::Borrowed("softnet"));
    /// IP, of all packets.
    pub const IP: Self = Self(Cow::Borrowed("ip"));
    /// TCP, of all connections.
    pub const TCP: Self = Self(Cow::Borrowed("tcp"));
    /// UDP, of all sockets.
    pub const UDP: Self = Self(Cow::Borrowed("udp"));
    /// Time that tasks waited for processors.
    pub const CPU_PRESSURE: Self = Self(Cow::Borrowed("pressure:cpu"));
    /// Time that tasks waited for disks and networks.
    pub const IO_PRESSURE: Self = Self(Cow::Borrowed("pressure:io"));
    /// Time that tasks waited for memory.
    pub const MEMORY_PRESSURE: Self = Self(Cow::Borrowed("pressure:memory"));
    /// Time that interrupts took from tasks.
    pub const IRQ_PRESSURE: Self = Self(Cow::Borrowed("pressure:irq"));
    /// A whole machine.
    pub const MACHINE: Self = Self(Cow::Borrowed("machine"));
    /// The memory of a machine.
    pub const MEMORY: Self = Self(Cow::Borrowed("memory"));
    /// What of files is in memory.
    pub const PAGE_CACHE: Self = Self(Cow::Borrowed("page-cache"));
    /// The process that runs the load.
    pub const OWN_PROCESS: Self = Self(Cow::Borrowed("self"));
    /// The threads that drive the main load.
    pub const WORKERS: Self = Self(Cow::Borrowed("load:workers"));
    /// The operating system.
    pub const SYSTEM: Self = Self(Cow::Borrowed("system"));

    /// The one of this kind and name.
    #[must_use]
    pub fn of(kind: ResourceKind, name: impl fmt::Display) -> Self {
        Self(Cow::Owned(format!("{}:{name}", kind.word())))
    }

    /// These CPUs: `cpu:0-3,8`.
    #[must_use]
    pub fn of_cpus(cpus: &[u32]) -> Self {
        Self::of(ResourceKind::Cpu, cpu_list(cpus))
    }

    /// The only one of its kind, or all: `memory`.
    #[must_use]
    pub fn whole(kind: ResourceKind) -> Self {
        Self(Cow::Borrowed(kind.word()))
    }

    /// As documents write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What kind of thing it is.
    #[must_use]
    pub fn kind(&self) -> ResourceKind {
        let word = self.kind_word();
        ResourceKind::ALL.iter().find(|(_, own)| *own == word).map_or(ResourceKind::Other, |(kind, _)| *kind)
    }

    /// The word before its colon.
    #[must_use]
    pub fn kind_word(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(kind, _)| kind)
    }

    /// What stands behind its colon; empty where nothing does.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, name)| name)
    }

    /// Its name, if it is one of this kind that has a name.
    #[must_use]
    pub fn named(&self, kind: ResourceKind) -> Option<&str> {
        self.0.strip_prefix(kind.word())?.strip_prefix(':')
    }

    /// The type of a file system: `ext4` of `filesystem:/data (ext4)`.
    #[must_use]
    pub fn file_system_type(&self) -> Option<&str> {
        let name = self.named(ResourceKind::FileSystem)?;
        Some(name.rsplit_once('(')?.1.trim_end_matches(')'))
    }

    /// Whether it stands for all resources of the kind of `other`: `cpu` for `cpu:0-3`.
    #[must_use]
    pub fn is_whole_kind_of(&self, other: &Self) -> bool {
        *self.0 == *other.kind_word()
    }

    /// Whether it includes `other`: is the same, names it among others (`block:sda+sdb` includes
    /// `block:sda`), or stands for all of that kind.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        let is_one_of = || self.name().split('+').any(|name| name == other.name());
        self.is_whole_kind_of(other) || self.kind_word() == other.kind_word() && is_one_of()
    }

    /// Whether it stands for several things: `cpu`, `cpu:0-3`, `block:sda+sdb`.
    #[must_use]
    pub fn is_several(&self) -> bool {
        match (self.kind(), self.name()) {
            (ResourceKind::Cpu, name) => name.is_empty() || name.contains(['-', ',']),
            (ResourceKind::Block, name) => name.contains('+'),
            _ => false,
        }
    }

    /// Whether it is one of this kind that has a name.
    #[must_use]
    pub fn is_named(&self, kind: ResourceKind) -> bool {
        self.named(kind).is_some()
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<String> for Resource {
    fn from(written: String) -> Self {
        Self(Cow::Owned(written))
    }
}

impl From<&Resource> for Resource {
    fn from(resource: &Resource) -> Self {
        resource.clone()
    }
}

impl From<&str> for Resource {
    fn from(written: &str) -> Self {
        Self(Cow::Owned(written.to_owned()))
    }
}

/// One step of a case's path, resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathStep {
    /// The resource, `kind:name`: `cpu:0-1`, `filesystem:/data`, `block:vda`.
    pub resource: Resource,
    /// Bytes (or operations) that pass here for each one of the workload.
    pub amplification: f64,
}

/// CPUs in the kernel's list format: `0-3,8`.
#[must_use]
pub fn cpu_list(cpus: &[u32]) -> String {
    let run = |run: &[u32]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(u32::to_string).collect(),
    };
    cpus.chunk_by(|a, b| a + 1 == *b).map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_written_as_the_kernel_does() {
        assert_eq!(cpu_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(cpu_list(&[]), "");
        assert_eq!(Resource::of_cpus(&[1]).as_str(), "cpu:1");
    }
}
