//! Where a change took effect: which machine, since which start of it, in which
//! network namespace; and how to enter a namespace again (ip-netns(8)).

use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};

const OWN: &str = "/proc/thread-self/ns/net";
/// Where `ip netns add` keeps names.
const NAMED: &str = "/run/netns";

/// Where a change took effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceScope {
    /// `/etc/machine-id` (machine-id(5)); empty where there is none.
    pub machine: String,
    /// The kernel's id of this start of the machine.
    pub boot: String,
    /// The inode of the network namespace (namespaces(7)); 0 where the kernel
    /// does not say.
    pub namespace: u64,
}

impl NamespaceScope {
    /// Where this process is.
    pub(super) fn here() -> Self {
        let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        Self {
            machine: text("/etc/machine-id"),
            boot: text("/proc/sys/kernel/random/boot_id"),
            namespace: inode(OWN).unwrap_or(0),
        }
    }
}

fn inode(path: &str) -> Option<u64> {
    std::fs::metadata(path).ok().map(|m| m.ino())
}

/// A way into a network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NamespaceEntry {
    /// It has a name.
    Name(String),
    /// A process is in it.
    Process(u32),
}

impl NamespaceEntry {
    /// The command that runs another one there.
    pub(super) fn command(&self, inner: &str) -> String {
        match self {
            NamespaceEntry::Name(name) => format!("ip netns exec {name} {inner}"),
            NamespaceEntry::Process(pid) => format!("nsenter --net=/proc/{pid}/ns/net {inner}"),
        }
    }
}

/// The way into the namespace with this inode; none where no name and no process
/// that we may see leads there.
pub(super) fn namespace_entry(namespace: u64) -> Option<NamespaceEntry> {
    let names = std::fs::read_dir(NAMED).into_iter().flatten().flatten();
    let mut names = names.filter_map(|entry| entry.file_name().into_string().ok());
    if let Some(name) = names.find(|name| inode(&format!("{NAMED}/{name}")) == Some(namespace)) {
        return Some(NamespaceEntry::Name(name));
    }
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|pid| inode(&format!("/proc/{pid}/ns/net")) == Some(namespace)).map(NamespaceEntry::Process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_namespace_has_a_door_and_none_leads_to_nowhere() {
        let here = NamespaceScope::here();
        assert!(here.namespace > 0 && !here.boot.is_empty());
        assert!(namespace_entry(here.namespace).is_some());
        assert_eq!(namespace_entry(1), None);
        assert_eq!(NamespaceEntry::Name("a".to_owned()).command("true"), "ip netns exec a true");
        assert_eq!(NamespaceEntry::Process(7).command("true"), "nsenter --net=/proc/7/ns/net true");
    }
}
