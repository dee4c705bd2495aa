//! The control groups of the whole machine that somebody has held to a limit, not only those that this process is in:
//! services and containers with a quota of CPU time, throttled I/O or a limit of memory.

use std::collections::BTreeSet;

use model::machine::IoThrottle;

use super::{Groups, Levels, cpu_quota, memory_limits, throttles, unified_root};
use crate::Host;

/// Folders that are looked at; a machine with more has services beyond these that are not told.
const FOLDERS_MAX: usize = 4096;
/// Groups in groups that are looked into.
const DEPTH_MAX: usize = 12;

/// A control group and what holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedGroup {
    /// Its path: `/system.slice/nginx.service`.
    pub path: String,
    /// CPU seconds for each second.
    pub cpu_quota: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Throttles of devices.
    pub io: Vec<IoThrottle>,
    /// The folders of its counters, by controller, with the version of the hierarchy.
    pub(crate) folders: Vec<(&'static str, u32, String)>,
}

impl LimitedGroup {
    /// One that was written down, whose counters cannot be read here.
    #[must_use]
    pub fn kept(
        path: String,
        cpu_quota: Option<f64>,
        memory_bytes: Option<u64>,
        io: Vec<IoThrottle>,
    ) -> Self {
        Self { path, cpu_quota, memory_bytes, io, folders: Vec::new() }
    }

    /// Whether this controller is in a hierarchy of version 1; not known, and so false, of one that was written down.
    #[must_use]
    pub fn is_first_version(&self, controller: &str) -> bool {
        self.folders.iter().any(|(name, version, _)| *name == controller && *version == 1)
    }
}

/// Controllers that hold groups, by their names in version 1; those whose counters tell what a group used stand beside.
const CONTROLLERS: &[&str] = &["cpu", "memory", "blkio", "cpuacct"];

/// Every group that has a limit of its own, in the order of their paths. The uppermost one of a machine has none; that of
/// a container may.
#[must_use]
pub fn limited_groups(host: &Host) -> Vec<LimitedGroup> {
    let Ok(groups) = Groups::read(host) else { return Vec::new() };
    let roots: Vec<(&'static str, u32, String)> = CONTROLLERS
        .iter()
        .filter_map(|controller| match groups.of(controller) {
            Some(_) => {
                let root = groups.levels(host, controller).folders.pop()?;
                Some((*controller, 1, root))
            }
            None if groups.second.is_some() && *controller != "cpuacct" => {
                Some((*controller, 2, unified_root(host)))
            }
            None => None,
        })
        .collect();
    let mut paths = BTreeSet::new();
    let mut looked = BTreeSet::new();
    for (_, _, root) in &roots {
        if looked.insert(root.clone()) {
            collect(host, root, "", 0, &mut paths);
        }
    }
    paths.iter().filter_map(|path| group(host, path, &roots)).collect()
}

fn collect(host: &Host, root: &str, path: &str, depth: usize, paths: &mut BTreeSet<String>) {
    if depth > DEPTH_MAX || paths.len() >= FOLDERS_MAX {
        return;
    }
    paths.insert(path.to_owned());
    for name in host.names(format!("{root}{path}")) {
        // Every file of a group has a controller before a point, or is one of the kernel's own words.
        let is_file = name.contains("cgroup.") || name == "tasks" || name == "notify_on_release";
        let below = format!("{path}/{name}");
        if !is_file && host.exists(format!("{root}{below}/cgroup.procs")) {
            collect(host, root, &below, depth + 1, paths);
        }
    }
}

fn group(host: &Host, path: &str, roots: &[(&'static str, u32, String)]) -> Option<LimitedGroup> {
    let folders: Vec<(&'static str, u32, String)> =
        roots.iter().map(|(name, version, root)| (*name, *version, format!("{root}{path}"))).collect();
    let alone = |controller: &str| {
        let (_, version, folder) = folders.iter().find(|(name, ..)| *name == controller)?;
        Some(Levels { version: *version, folders: vec![folder.clone()] })
    };
    let of_cpu = alone("cpu").and_then(|levels| cpu_quota(host, &levels));
    let of_memory = alone("memory").and_then(|l| memory_limits(host, &l).map(|(_, bytes)| bytes).min());
    let levels = alone("blkio").unwrap_or_default();
    let io = match levels.version {
        1 => throttles(host, &[], levels.folders.first(), &mut Vec::new()),
        _ => throttles(host, &levels.folders, None, &mut Vec::new()),
    };
    let found = LimitedGroup {
        path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
        cpu_quota: of_cpu,
        memory_bytes: of_memory,
        io,
        folders,
    };
    (found.cpu_quota.is_some() || found.memory_bytes.is_some() || !found.io.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_version_2_are_found_wherever_they_are() {
        let host = Host::parse(
            "==> /proc/self/cgroup\n0::/user.slice\n\
             ==> /sys/fs/cgroup/cgroup.procs\n1\n\
             ==> /sys/fs/cgroup/a.slice/cgroup.procs\n\n\
             ==> /sys/fs/cgroup/a.slice/cpu.max\nmax 100000\n\
             ==> /sys/fs/cgroup/a.slice/b.service/cgroup.procs\n7\n\
             ==> /sys/fs/cgroup/a.slice/b.service/cpu.max\n50000 100000\n\
             ==> /sys/fs/cgroup/a.slice/b.service/memory.max\n1048576\n\
             ==> /sys/fs/cgroup/user.slice/cgroup.procs\n8\n",
        );
        let found = limited_groups(&host);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.path.as_str(), one.cpu_quota), ("/a.slice/b.service", Some(0.5)));
        assert_eq!((one.memory_bytes, one.io.len()), (Some(1 << 20), 0));
    }

    #[test]
    fn groups_of_version_1_are_found_in_the_hierarchy_of_each_controller() {
        let host = Host::parse(
            "==> /proc/self/cgroup\n2:cpu:/\n3:blkio:/x\n\
             ==> /sys/fs/cgroup/cpu/cgroup.procs\n1\n\
             ==> /sys/fs/cgroup/cpu/job/cgroup.procs\n9\n\
             ==> /sys/fs/cgroup/cpu/job/cpu.cfs_quota_us\n150000\n\
             ==> /sys/fs/cgroup/cpu/job/cpu.cfs_period_us\n100000\n\
             ==> /sys/fs/cgroup/blkio/cgroup.procs\n1\n",
        );
        let found = limited_groups(&host);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].path.as_str(), found[0].cpu_quota), ("/job", Some(1.5)));
    }
}
