//! What control groups allow this process: version 2
//! (`Documentation/admin-guide/cgroup-v2.rst`), version 1
//! (`Documentation/admin-guide/cgroup-v1/`), or both at once, where each
//! controller is in one of them.

mod io_control;

use std::collections::BTreeMap;

use model::machine::{Absent, Cgroup, IoThrottle};

use super::note;
use crate::Host;

mod limited;

pub use limited::{LimitedGroup, limited_groups};

const ROOT: &str = "/sys/fs/cgroup";
/// Version 1 writes "no limit" as the largest multiple of a page.
const BYTES_MAX: u64 = 1 << 60;
/// Far more than a kernel has controllers.
const LINES_MAX: usize = 64;
/// No path is longer (`PATH_MAX`).
const PATH_MAX: usize = 4096;

/// What control groups allow.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Cgroup {
    let groups = match Groups::read(host) {
        Ok(groups) => groups,
        Err(reason) => {
            note(absent, "control groups", reason);
            return Cgroup::default();
        }
    };
    Cgroup {
        version: groups.version(),
        cpu_quota: cpu_quota(host, &groups.levels(host, "cpu")),
        cpu_weight: cpu_weight(host, &groups.levels(host, "cpu")),
        memory_bytes: memory_limit(host),
        io: io(host, &groups, absent),
        io_control: io_control::read(host, &groups),
    }
}

/// What control groups allow this process of memory, the tightest of all
/// levels; absent where nothing limits it.
pub(super) fn memory_limit(host: &Host) -> Option<u64> {
    let levels = Groups::read(host).ok()?.levels(host, "memory");
    memory_limits(host, &levels).map(|(_, bytes)| bytes).min()
}

/// What control groups leave this process of memory, the tightest of all
/// levels; absent where nothing limits it. The page cache of a group that was
/// not used of late counts as free: the kernel drops it before the limit is hit
/// (so does the working set of cAdvisor).
pub(super) fn memory_room(host: &Host) -> Option<u64> {
    let levels = Groups::read(host).ok()?.levels(host, "memory");
    let room = |(folder, most): (&str, u64)| {
        let (usage, idle) = match levels.version {
            1 => ("memory.usage_in_bytes", "total_inactive_file"),
            _ => ("memory.current", "inactive_file"),
        };
        let used = host.number(format!("{folder}/{usage}")).unwrap_or(0);
        let droppable = stat(host, &format!("{folder}/memory.stat"), idle).unwrap_or(0);
        most.saturating_sub(used.saturating_sub(droppable))
    };
    memory_limits(host, &levels).map(room).min()
}

/// Where `controller` limits this process, by its name in version 1.
///
/// # Errors
/// Why the groups of this process cannot be read.
pub(crate) fn levels(host: &Host, controller: &str) -> Result<Levels, String> {
    Ok(Groups::read(host)?.levels(host, controller))
}

/// The folder of this process's group of version 2, whichever version limits it: of those
/// that are there, the nearest.
pub(crate) fn unified_folder(host: &Host) -> Option<String> {
    let groups = Groups::read(host).ok()?;
    let all = folders(&unified_root(host), groups.second.as_ref()?);
    all.into_iter().find(|folder| host.exists(folder))
}

/// Where version 2 is mounted.
fn unified_root(host: &Host) -> String {
    let beside = format!("{ROOT}/unified");
    if host.exists(&beside) { beside } else { ROOT.to_owned() }
}

/// The groups that this process is in (cgroups(7), `/proc/PID/cgroup`).
#[derive(Debug, Default)]
struct Groups {
    /// Controllers of a version 1 hierarchy, and the group.
    first: Vec<(String, String)>,
    /// The group of the version 2 hierarchy.
    second: Option<String>,
}

/// The folders of a group and of all above it, the own first.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// Of the hierarchy that has the controller; 0 where none has.
    pub(crate) version: u32,
    pub(crate) folders: Vec<String>,
}

impl Groups {
    fn read(host: &Host) -> Result<Self, String> {
        let text = host.read("/proc/self/cgroup").map_err(|a| a.reason)?;
        let mut groups = Self::default();
        for line in text.lines().take(LINES_MAX) {
            let mut parts = line.splitn(3, ':');
            let (Some(id), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            let path = path.trim_end_matches(" (deleted)").to_owned();
            if !path.starts_with('/') || path.len() > PATH_MAX {
                continue;
            }
            match (id, controllers) {
                ("0", "") => groups.second = Some(path),
                (_, "") => {}
                (_, named) if named.starts_with("name=") => {}
                (_, named) => groups.first.push((named.to_owned(), path)),
            }
        }
        if groups.first.is_empty() && groups.second.is_none() {
            return Err("garbled: no group".to_owned());
        }
        Ok(groups)
    }

    /// Which version limits: 1 where it has one of the controllers that do.
    fn version(&self) -> Option<u32> {
        let limiting = ["cpu", "memory", "blkio"].iter().any(|c| self.of(c).is_some());
        if limiting { Some(1) } else { self.second.is_some().then_some(2) }
    }

    /// The version 1 hierarchy that has `controller`.
    fn of(&self, controller: &str) -> Option<&(String, String)> {
        self.first.iter().find(|(all, _)| all.split(',').any(|c| c == controller))
    }

    /// Where `controller` limits this process. A controller is in one hierarchy
    /// only.
    fn levels(&self, host: &Host, controller: &str) -> Levels {
        if let Some((all, path)) = self.of(controller) {
            // A hierarchy of several controllers has a link for each, mostly.
            let alone = format!("{ROOT}/{controller}");
            let root = if host.exists(&alone) { alone } else { format!("{ROOT}/{all}") };
            return Levels { version: 1, folders: folders(&root, path) };
        }
        let Some(path) = &self.second else { return Levels::default() };
        Levels { version: 2, folders: folders(&unified_root(host), path) }
    }
}

/// The folder of `path` below `root`, and those above it. In a container the
/// path may be the host's, of which only `root` is there; `..` leads out of the
/// namespace.
fn folders(root: &str, path: &str) -> Vec<String> {
    let mut rest = if path.split('/').any(|part| part == "..") { "" } else { path.trim_end_matches('/') };
    let mut found = Vec::new();
    while !rest.is_empty() {
        found.push(format!("{root}{rest}"));
        rest = rest.rfind('/').map_or("", |at| &rest[..at]).trim_end_matches('/');
    }
    found.push(root.to_owned());
    found
}

/// CPU seconds for each second, the tightest of all levels
/// (`Documentation/scheduler/sched-bwc.rst`): a quota for each period.
fn cpu_quota(host: &Host, levels: &Levels) -> Option<f64> {
    /// The kernel takes periods of up to a second (`max_cfs_quota_period`).
    const PERIOD_US_MAX: u64 = 1_000_000;
    let quota = |folder: &String| {
        let (quota, period): (u64, u64) = match levels.version {
            1 => (
                host.number(format!("{folder}/cpu.cfs_quota_us"))?,
                host.number(format!("{folder}/cpu.cfs_period_us"))?,
            ),
            _ => {
                let text = host.text(format!("{folder}/cpu.max"))?;
                let (quota, period) = text.trim().split_once(' ')?;
                (quota.parse().ok()?, period.parse().ok()?)
            }
        };
        let sound = quota > 0 && (1..=PERIOD_US_MAX).contains(&period);
        sound.then(|| quota as f64 / period as f64)
    };
    levels.folders.iter().filter_map(quota).min_by(f64::total_cmp)
}

/// What a group gets of the CPUs beside others, of what one has by default (`cpu.shares` of 1024, `cpu.weight` of 100; a group that
/// is `cpu.idle` gets what is left): the least of all levels, where that is less.
fn cpu_weight(host: &Host, levels: &Levels) -> Option<f64> {
    let of = |folder: &String| match levels.version {
        1 => host.number(format!("{folder}/cpu.shares")).map(|shares| shares as f64 / 1024.0),
        _ if host.number(format!("{folder}/cpu.idle")) == Some(1) => Some(0.0),
        _ => host.number(format!("{folder}/cpu.weight")).map(|weight| weight as f64 / 100.0),
    };
    levels.folders.iter().filter_map(of).min_by(f64::total_cmp).filter(|weight| *weight < 1.0)
}

/// Each limit of memory with its folder. Above `memory.high` a group is slowed
/// until it is below again, so no load may count on more.
fn memory_limits<'a>(host: &'a Host, levels: &'a Levels) -> impl Iterator<Item = (&'a str, u64)> {
    let leaves: &[&str] =
        if levels.version == 1 { &["memory.limit_in_bytes"] } else { &["memory.max", "memory.high"] };
    levels.folders.iter().filter_map(move |folder| {
        let limits = leaves.iter().filter_map(|leaf| host.number(format!("{folder}/{leaf}")));
        Some((folder.as_str(), limits.filter(|bytes| *bytes < BYTES_MAX).min()?))
    })
}

/// A line `NAME VALUE` of a file.
fn stat(host: &Host, path: &str, name: &str) -> Option<u64> {
    host.text(path)?.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The throttles of each device, the tightest of all levels.
fn io(host: &Host, groups: &Groups, absent: &mut Vec<Absent>) -> Vec<IoThrottle> {
    let second = groups.levels(host, "io");
    let all = if second.version == 2 { second.folders } else { Vec::new() };
    // Version 1 throttles a group by its own numbers only (`block/blk-throttle.c`,
    // throtl_pd_init).
    let levels = groups.levels(host, "blkio");
    let own = levels.folders.iter().find(|folder| levels.version == 1 && host.exists(folder));
    throttles(host, &all, own, absent)
}

/// The throttles of each device: the tightest of these folders of version 2, and of a folder of version 1.
fn throttles(
    host: &Host,
    second: &[String],
    first: Option<&String>,
    absent: &mut Vec<Absent>,
) -> Vec<IoThrottle> {
    let mut found: BTreeMap<String, IoThrottle> = BTreeMap::new();
    let mut add = |number: &str, slot: Slot, value: u64| {
        let slot = slot(found.entry(number.to_owned()).or_default());
        *slot = Some(slot.map_or(value, |before| before.min(value)));
    };
    for folder in second {
        let text = host.text(format!("{folder}/io.max")).unwrap_or_default();
        for (number, words) in text.lines().filter_map(|line| line.split_once(' ')) {
            for (slot, value) in words.split_whitespace().filter_map(second_version) {
                add(number, slot, value);
            }
        }
    }
    for (leaf, _, slot) in THROTTLES.iter().filter(|_| first.is_some()) {
        let folder = first.map_or("", String::as_str);
        let text = host.text(format!("{folder}/blkio.throttle.{leaf}_device")).unwrap_or_default();
        for (number, value) in text.lines().filter_map(|line| line.split_once(' ')) {
            if let Some(value) = value.trim().parse().ok().filter(is_throttle) {
                add(number, *slot, value);
            }
        }
    }
    let named = |(number, throttle): (String, IoThrottle)| match device(host, &number) {
        Some(device) => Some(IoThrottle { device, ..throttle }),
        None => {
            note(absent, format!("I/O throttle of device {number}"), "no such device");
            None
        }
    };
    let mut throttles: Vec<IoThrottle> = found.into_iter().filter_map(named).collect();
    throttles.sort_by(|a, b| a.device.cmp(&b.device));
    throttles
}

/// Where a throttle keeps one of its numbers.
type Slot = fn(&mut IoThrottle) -> &mut Option<u64>;

/// Each with its file of version 1, `blkio.throttle.NAME_device`, and its word in `io.max`.
const THROTTLES: &[(&str, &str, Slot)] = &[
    ("read_bps", "rbps", |throttle| &mut throttle.read_bytes),
    ("write_bps", "wbps", |throttle| &mut throttle.write_bytes),
    ("read_iops", "riops", |throttle| &mut throttle.read_operations),
    ("write_iops", "wiops", |throttle| &mut throttle.write_operations),
];

/// A word of `io.max`, such as `rbps=1048576`; `max` is no limit.
fn second_version(word: &str) -> Option<(Slot, u64)> {
    let (name, value) = word.split_once('=')?;
    let (_, _, slot) = THROTTLES.iter().find(|(_, known, _)| *known == name)?;
    Some((*slot, value.parse().ok().filter(is_throttle)?))
}

/// 0 takes a throttle away, and the largest number is none.
fn is_throttle(value: &u64) -> bool {
    *value > 0 && *value < u64::MAX
}

/// The kernel's name of the device with this number, `8:16`.
pub(crate) fn device(host: &Host, number: &str) -> Option<String> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let place = host.resolve(format!("/sys/dev/block/{major}:{minor}"))?;
    place.rsplit('/').next().map(str::to_owned)
}

#[cfg(test)]
mod tests;
