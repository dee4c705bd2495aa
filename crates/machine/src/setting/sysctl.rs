//! `sysctl.NAME`: a number or text of the kernel's that has no setting of its own
//! (`/proc/sys`, sysctl(8), `Documentation/admin-guide/sysctl/`).
//!
//! Not every one: some start programs, some are commands and no states, and some change others
//! with them. What a node lets in must not be more than what a measurement needs, so those that
//! are taken are named, not those that are not.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, kernel_file};
use crate::Host;

/// What the names of all of them begin with.
const PREFIX: &str = "sysctl.";

/// The name of the one that stands for all in lists.
pub(super) const ANY_NAME: &str = "sysctl.NAME";

/// The one that stands for all in lists.
pub(super) const ANY: Sysctl = Sysctl { spec: &ANY_SPEC };

static ANY_SPEC: SettingSpec = spec(ANY_NAME);

/// What begins so may be changed; of the rest of the kernel's numbers a measurement needs none.
const TAKEN: &[&str] = &[
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.dirty_",
    "vm.dirtytime_expire_seconds",
    "vm.page-cluster",
    "vm.zone_reclaim_mode",
    "vm.watermark_",
    "vm.compaction_proactiveness",
    "vm.nr_hugepages",
    "vm.nr_overcommit_hugepages",
    "vm.overcommit_memory",
    "vm.max_map_count",
    "vm.percpu_pagelist_",
    "vm.stat_interval",
    "vm.min_slab_ratio",
    "vm.min_unmapped_ratio",
    "net.core.busy_",
    "net.core.default_qdisc",
    "net.core.dev_weight",
    "net.core.netdev_budget",
    "net.core.netdev_max_backlog",
    "net.core.somaxconn",
    "net.core.rmem_default",
    "net.core.wmem_default",
    "net.core.optmem_max",
    "net.core.rps_sock_flow_entries",
    "net.core.gro_normal_batch",
    "net.core.high_order_alloc_disable",
    "net.ipv4.tcp_",
    "net.ipv4.udp_",
    "net.ipv4.ip_local_port_range",
    "net.mptcp.",
    "net.netfilter.nf_conntrack_",
    "net.unix.max_dgram_qlen",
    "fs.aio-max-nr",
    "fs.file-max",
    "fs.nr_open",
    "fs.inotify.",
    "fs.epoll.",
    "fs.pipe-",
    "fs.xfs.",
    "dev.raid.",
    "kernel.sched_",
    "kernel.numa_",
    "kernel.timer_migration",
    "kernel.nmi_watchdog",
    "kernel.soft_watchdog",
    "kernel.task_delayacct",
];

/// Of these what is a command, changes others with it, is a secret, or has a setting of its own.
const REFUSED: &[(&str, &str)] = &[
    ("vm.dirty_bytes", "it makes vm.dirty_ratio 0; the setting dirty-bytes puts both back"),
    ("vm.dirty_ratio", "it makes vm.dirty_bytes 0; the setting dirty-bytes puts both back"),
    (
        "vm.dirty_background_bytes",
        "it makes vm.dirty_background_ratio 0, which this setting does not put back",
    ),
    (
        "vm.dirty_background_ratio",
        "it makes vm.dirty_background_bytes 0, which this setting does not put back",
    ),
    ("net.ipv4.tcp_congestion_control", "the setting congestion-control is for that"),
    ("net.ipv4.tcp_allowed_congestion_control", "the setting congestion-control changes it"),
    ("net.ipv4.tcp_fastopen_key", "it is a secret"),
    ("kernel.task_delayacct", "the setting task-delay-accounting is for that"),
    ("kernel.numa_balancing", "the setting numa-balancing is for that"),
    ("fs.xfs.stats_clear", "it is a command, and no state"),
];

/// What the kernel makes where the discipline of a setting is taken away.
const DISCIPLINE: &str = "net.core.default_qdisc";

/// One of them.
pub(super) struct Sysctl {
    spec: &'static SettingSpec,
}

const fn spec(name: &'static str) -> SettingSpec {
    SettingSpec {
        value: ParameterSpec::new(
            name,
            Kind::Text,
            "A state of the kernel under /proc/sys, by the name that sysctl(8) uses: `sysctl.vm.swappiness=10,60`, \
             `sysctl.net.core.busy_poll=50`; a dot in an interface's name is written as a slash. \
             Several numbers are separated by one space and put in quotation \
             marks. Those of vm, net and scheduling and limits of fs can be set: what starts programs, what is a command, not a \
             state, and what changes others with it is refused, with the reason. What else the kernel \
             derives from one is not known \
             here. It belongs to the whole machine, those of net to the network namespace, with a peer to both ends.",
        ),
        unit: Unit::One,
        binds: None,
        holds: None,
        summary: "a state under /proc/sys by its name",
    }
}

/// The setting `sysctl.NAME`, made at its first use; none of any other name.
pub(super) fn find(name: &str) -> Option<&'static dyn Setting> {
    static KNOWN: Mutex<BTreeMap<String, &'static Sysctl>> = Mutex::new(BTreeMap::new());
    // More than a study can ask for; names may come from anyone.
    const MOST: usize = 4096;
    let bare = name.strip_prefix(PREFIX)?;
    file(bare)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(name) {
        return Some(*found);
    }
    if known.len() >= MOST {
        return None;
    }
    let spec = Box::leak(Box::new(spec(String::leak(name.to_owned()))));
    let made: &'static Sysctl = Box::leak(Box::new(Sysctl { spec }));
    known.insert(name.to_owned(), made);
    Some(made)
}

/// The file of `NAME`; none where it cannot be a name.
fn file(bare: &str) -> Option<PathBuf> {
    const LONG: usize = 200;
    let is_part = |part: &str| {
        let taken = |c: char| c.is_ascii_alphanumeric() || "-_:@/".contains(c);
        !part.is_empty()
            && !part.starts_with('/')
            && !part.ends_with('/')
            && part.chars().all(taken)
            && !part.contains("//")
    };
    if bare.len() > LONG || !bare.contains('.') || !bare.split('.').all(is_part) {
        return None;
    }
    // As sysctl(8): a slash is a point within a part.
    let swapped: String = bare
        .chars()
        .map(|c| match c {
            '.' => '/',
            '/' => '.',
            other => other,
        })
        .collect();
    Some(PathBuf::from("/proc/sys").join(swapped))
}

impl Sysctl {
    fn bare(&self) -> &'static str {
        let name = self.spec.name();
        name.strip_prefix(PREFIX).unwrap_or(name)
    }

    fn path(&self, resource: &Resource) -> Result<PathBuf, SettingError> {
        file(self.bare()).ok_or_else(|| {
            SettingError::unreadable(self.spec, resource, "it is no name of /proc/sys".to_owned())
        })
    }

    /// Why it is not changed.
    fn refusal(&self) -> Option<String> {
        let bare = self.bare();
        let known = REFUSED.iter().find(|(name, _)| bare == *name);
        if let Some((_, why)) = known {
            return Some((*why).to_owned());
        }
        let is_taken = TAKEN.iter().any(|start| bare.starts_with(start));
        (!is_taken).then(|| {
            "of /proc/sys only what a measurement may need is changed: much of vm, net.core, net.ipv4.tcp_, net.netfilter and \
             kernel.sched_, and limits of fs"
                .to_owned()
        })
    }
}

impl Setting for Sysctl {
    fn spec(&self) -> &'static SettingSpec {
        self.spec
    }

    // Some of net are the machine's, and can be changed from the first namespace alone.
    fn is_of_namespace(&self) -> bool {
        self.bare().starts_with("net.")
    }

    fn not_beside(&self) -> &'static [&'static str] {
        if self.bare() == DISCIPLINE { &["interface-rate", "queueing-discipline"] } else { &[] }
    }

    // Asked of every change, also to what is so already; what the kernel changes with another setting
    // is put back without.
    fn place(&self, _host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        match self.refusal() {
            None => Ok(bound),
            Some(reason) => Err(SettingError::unreadable(self.spec, &bound, reason)),
        }
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let path = self.path(resource)?;
        let text = fs::read_to_string(&path).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => "; this kernel has none, or its module is not loaded",
                _ => "",
            };
            SettingError::unreadable(self.spec, resource, format!("{}: {error}{why}", path.display()))
        })?;
        Ok(Value::Text(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(self.spec, resource, value, reason);
        let path = self.path(resource)?;
        kernel_file::write(&path, &format!("{value}\n")).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    "; it needs root, and some can be changed in the first network namespace alone"
                }
                _ => "",
            };
            refused(format!("{}: {error}{why}", path.display()))
        })
    }

    // Those of which it is known that they change others are refused.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_a_file_of_proc_sys_and_nowhere_else() {
        let of = |name: &str| file(name).map(|path| path.display().to_string());
        assert_eq!(of("vm.swappiness"), Some("/proc/sys/vm/swappiness".to_owned()));
        assert_eq!(
            of("net.ipv4.conf.eth0/100.rp_filter"),
            Some("/proc/sys/net/ipv4/conf/eth0.100/rp_filter".to_owned())
        );
        for wrong in [
            "",
            "vm",
            ".vm",
            "vm.",
            "vm..x",
            "a./.b",
            "a.//b",
            "vm/../x",
            "a. b",
            "a.\u{e9}",
            &format!("a.{}", "b".repeat(300)),
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        for name in ["vm.a/", "vm./a", "a.b//c"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn one_name_is_one_setting() {
        let one = find("sysctl.vm.swappiness").unwrap();
        assert!(std::ptr::eq(one.spec(), find("sysctl.vm.swappiness").unwrap().spec()));
        assert_eq!(one.spec().name(), "sysctl.vm.swappiness");
        assert!(!one.is_of_namespace() && find("sysctl.net.core.busy_poll").unwrap().is_of_namespace());
        assert!(find("sysctl.").is_none() && find("mtu").is_none() && find("sysctl.NAME").is_none());
        let text = one.read(&Resource::MACHINE).unwrap().to_string();
        assert!(text.parse::<u64>().is_ok(), "{text}");
    }

    #[test]
    fn what_starts_programs_or_is_no_state_is_refused() {
        let of = |name: &str| {
            let setting = find(&format!("{PREFIX}{name}")).unwrap();
            setting.place(&Host::this(), Resource::MACHINE).err().map(|e| e.to_string())
        };
        for name in
            ["vm.swappiness", "net.ipv4.tcp_rmem", "kernel.sched_autogroup_enabled", "fs.pipe-max-size"]
        {
            assert_eq!(of(name), None);
        }
        for (name, why) in [
            ("kernel.core_pattern", "only what a measurement may need"),
            ("kernel.modprobe", "only what a measurement may need"),
            ("fs.suid_dumpable", "only what a measurement may need"),
            ("vm.drop_caches", "only what a measurement may need"),
            ("vm.panic_on_oom", "only what a measurement may need"),
            ("net.ipv4.conf.eth1.rp_filter", "only what a measurement may need"),
            ("net.ipv4.ip_forward", "only what a measurement may need"),
            ("net.ipv4.tcp_fastopen_key", "a secret"),
            ("vm.dirty_bytes", "dirty-bytes"),
        ] {
            assert!(of(name).unwrap().contains(why), "{name}: {:?}", of(name));
        }
        let none = find("sysctl.vm.hr_none").unwrap().read(&Resource::MACHINE).unwrap_err().to_string();
        assert!(none.contains("/proc/sys/vm/hr_none"), "{none}");
    }
}
