//! The control group of our own, in which this process is while a setting limits it,
//! of version 1 (`Documentation/admin-guide/cgroup-v1/`) or 2
//! (`Documentation/admin-guide/cgroup-v2.rst`).
//!
//! It has this process's number in its name, and that is in the resource of the
//! setting: so a journal says which group to remove, whoever does it. Of version 1 it
//! lies in the group that the process is in, below all limits of that. Of version 2 a
//! group with processes can have none that limit below it: there it lies in the nearest
//! group above that lets those in it limit, and no level may be left out that limits.
//!
//! Several settings share a group where they share a hierarchy: the last one that is
//! put back removes it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::Value;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Host;
use crate::inventory::cgroup::{self, Levels};

/// What a group's name begins with, before the number of its process.
const PREFIX: &str = "headroom-";
const PROCESSES: &str = "cgroup.procs";
/// How long the last process may take to leave.
const PATIENCE: Duration = Duration::from_secs(2);

/// What limits, by its names in versions 1 and 2, and its file that every group of
/// version 2 has in which it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Controller {
    first: &'static str,
    second: &'static str,
    file: &'static str,
}

impl Controller {
    /// What version 1 calls it.
    pub(super) fn first(self) -> &'static str {
        self.first
    }
}

pub(super) const CPU: Controller = Controller { first: "cpu", second: "cpu", file: "cpu.max" };
pub(super) const IO: Controller = Controller { first: "blkio", second: "io", file: "io.max" };
pub(super) const MEMORY: Controller = Controller { first: "memory", second: "memory", file: MEMORY_SECOND };

/// What limits memory in versions 1 and 2.
pub(super) const MEMORY_FIRST: &str = "memory.limit_in_bytes";
pub(super) const MEMORY_SECOND: &str = "memory.max";

/// The groups that this process came from, by the own that it is in.
static FORMER: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

fn former() -> MutexGuard<'static, BTreeMap<PathBuf, PathBuf>> {
    FORMER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The folder of the own group of process `pid`, which is this one; it need not be
/// there yet.
///
/// # Errors
/// Why there can be none.
pub(super) fn folder(host: &Host, controller: Controller, pid: u32) -> Result<String, String> {
    /// The number of the first namespace (`PROC_CGROUP_INIT_INO` in `include/linux/proc_ns.h`).
    const FIRST: u64 = 0xefff_fffb;
    let is_first = fs::metadata("/proc/self/ns/cgroup").is_ok_and(|namespace| namespace.ino() == FIRST);
    folder_of(host, controller, pid, is_first)
}

/// As [`folder`]; `is_first` is whether this process sees all control groups of the machine,
/// and not only those of a container.
fn folder_of(host: &Host, controller: Controller, pid: u32, is_first: bool) -> Result<String, String> {
    let levels = cgroup::levels(host, controller.first);
    let Levels { version, mut folders } =
        levels.map_err(|reason| format!("the control groups of this process: {reason}"))?;
    folders.retain(|folder| host.exists(folder));
    let Some(own) = folders.first() else {
        return Err(
            "there are no control groups at /sys/fs/cgroup, as in a namespace of mounts without".to_owned()
        );
    };
    let not_enabled = || not_enabled(controller, is_first, folders.last().map_or("", String::as_str));
    let name = format!("{PREFIX}{pid}");
    if own.rsplit('/').next() == Some(name.as_str()) {
        let works = version != 2 || host.exists(format!("{own}/{}", controller.file));
        return if works { Ok(own.clone()) } else { Err(not_enabled()) };
    }
    if version != 2 {
        return Ok(format!("{own}/{name}"));
    }
    // The root alone may have processes and groups that limit.
    let above = if folders.len() > 1 { &folders[1..] } else { &folders[..] };
    let lets = |folder: &&String, controllers: &[Controller]| {
        let enabled = host.text(format!("{folder}/cgroup.subtree_control")).unwrap_or_default();
        controllers.iter().all(|c| enabled.split_whitespace().any(|word| word == c.second))
    };
    let all = above.iter().find(|folder| lets(folder, &[CPU, IO, MEMORY]));
    let both = all.or_else(|| above.iter().find(|folder| lets(folder, &[CPU, IO])));
    let both = both.filter(|folder| lets(folder, &[controller]));
    let Some(place) = both.or_else(|| above.iter().find(|folder| lets(folder, &[controller]))) else {
        return Err(not_enabled());
    };
    let mut left_out = folders.iter().take_while(|folder| *folder != place);
    if let Some(limiting) = left_out.find(|folder| limits(host, folder)) {
        return Err(format!(
            "this process would leave the control group {limiting}, which limits it: run Headroom outside of it"
        ));
    }
    Ok(format!("{place}/{name}"))
}

fn not_enabled(controller: Controller, is_first: bool, root: &str) -> String {
    let name = controller.second;
    let way = if is_first {
        format!("`echo +{name} > {root}/cgroup.subtree_control` lets them")
    } else {
        "in a container that is for the machine outside to do".to_owned()
    };
    format!("no control group above this process's lets those in it have the controller `{name}`: {way}")
}

/// That a group has not got what is to limit in it.
pub(super) fn no_controller(controller: Controller, folder: &Path) -> io::Error {
    let name = controller.second;
    io::Error::other(format!("there is no controller `{name}` in this group, {}", folder.display()))
}

/// What limits in a group of version 2, where it is neither empty nor begins with `max`.
const LIMITS: &[&str] =
    &["cpu.max", "io.max", "memory.max", "memory.high", "memory.swap.max", "cpuset.cpus", "cpuset.mems"];
/// What a group gets beside others; 100 where nobody changed it.
const WEIGHTS: &[&str] = &["cpu.weight", "io.weight"];

/// Whether a group of version 2 limits those in it, or gives them another share.
fn limits(host: &Host, folder: &str) -> bool {
    let text = |leaf: &str| host.text(format!("{folder}/{leaf}")).unwrap_or_default().trim().to_owned();
    let is_held = |leaf: &&str| {
        let text = text(leaf);
        !text.is_empty() && !text.starts_with("max")
    };
    let is_weighted = |leaf: &&str| !matches!(text(leaf).as_str(), "" | "100" | "default 100");
    LIMITS.iter().any(is_held) || WEIGHTS.iter().any(is_weighted)
}

/// How an own group stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupState {
    /// It is not there.
    Absent,
    /// It is there and limits nothing: what limits was not written yet, or is gone.
    Idle,
    /// It limits, and its process was taken out of it.
    Left,
    /// It limits its process, or another did of which nothing is known.
    InUse,
}

/// Why nothing can be said of a group then.
pub(super) const HIDDEN: &str = "control groups are not mounted here";

/// Whether control groups are not mounted here, so that nothing can be said of one.
pub(super) fn is_hidden(folder: &Path) -> bool {
    folder.starts_with("/sys/fs/cgroup") && !folder.ancestors().any(|at| at.join(PROCESSES).exists())
}

/// How the group in `folder` stands.
pub(super) fn state(folder: &Path) -> GroupState {
    if !folder.is_dir() {
        return GroupState::Absent;
    }
    if !is_limiting(folder) {
        return GroupState::Idle;
    }
    let own = std::process::id();
    let is_mine = folder.ends_with(format!("{PREFIX}{own}"));
    match members(folder) {
        Ok(members) if is_mine && !members.contains(&own) => GroupState::Left,
        _ => GroupState::InUse,
    }
}

/// What a setting that is limited in an own group says when nothing is.
pub(super) const NONE: &str = "none";

/// The value of a setting whose limit in the group in `folder` is `limit`.
pub(super) fn value(folder: &Path, limit: Option<Value>) -> Value {
    let text = match state(folder) {
        GroupState::InUse => return limit.unwrap_or_else(|| NONE.into()),
        GroupState::Absent => NONE,
        GroupState::Idle => "a group without limits",
        GroupState::Left => "a group without its process",
    };
    text.into()
}

/// Why a group that is to be made cannot be used; none where it can.
pub(super) fn in_the_way(folder: &Path) -> Option<String> {
    let is_in_the_way = matches!(state(folder), GroupState::Idle | GroupState::Left);
    is_in_the_way.then(|| {
        format!(
            "there is a control group {0} already, which is no longer in use; `rmdir {0}` removes it",
            folder.display()
        )
    })
}

/// Whether anything is limited in an own group, by whatever setting.
fn is_limiting(folder: &Path) -> bool {
    let text = |leaf: &str| fs::read_to_string(folder.join(leaf)).unwrap_or_default();
    let quota = text("cpu.cfs_quota_us").trim().parse::<i64>().is_ok_and(|quota| quota > 0);
    let shown = text("cpu.max");
    let is_held = !shown.trim().is_empty() && !shown.starts_with("max");
    let throttles = ["read_bps", "write_bps", "read_iops", "write_iops"];
    let mut throttles = throttles.iter().map(|name| text(&format!("blkio.throttle.{name}_device")));
    quota
        || is_held
        || memory(folder).is_some()
        || !text("io.max").trim().is_empty()
        || throttles.any(|text| !text.trim().is_empty())
}

/// The bytes of memory that a group has at most; none where it has no limit, which version 1 says
/// by more than any machine has (`PAGE_COUNTER_MAX` in `include/linux/page_counter.h`).
pub(super) fn memory(folder: &Path) -> Option<u64> {
    const UNLIMITED: u64 = 1 << 62;
    let text = |leaf: &str| fs::read_to_string(folder.join(leaf)).ok();
    let bytes = text(MEMORY_SECOND).or_else(|| text(MEMORY_FIRST))?.trim().parse().ok()?;
    Some(bytes).filter(|bytes| *bytes < UNLIMITED)
}

/// Makes the group, lets `limit` write what limits in it, and moves this process in.
///
/// # Errors
/// Why that cannot be done. What was made is for the caller to take away by
/// [`leave`], as after a change.
pub(super) fn enter(
    folder: &Path,
    controller: Controller,
    limit: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let at = |path: &Path| {
        let shown = path.display().to_string();
        move |e: io::Error| io::Error::new(e.kind(), format!("{shown}: {e}"))
    };
    match fs::create_dir(folder) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        other => other.map_err(at(folder))?,
    }
    limit()?;
    let levels = cgroup::levels(&Host::this(), controller.first).map_err(io::Error::other)?;
    let mut present = levels.folders.iter().map(PathBuf::from).filter(|folder| folder.is_dir());
    let Some(current) = present.next() else {
        return Err(io::Error::other("the control group of this process is not at /sys/fs/cgroup"));
    };
    if current == folder {
        return Ok(());
    }
    if former().contains_key(&current) {
        return Err(io::Error::other(format!(
            "this process is in another group of its own, {}",
            current.display()
        )));
    }
    former().insert(folder.to_owned(), current.clone());
    let (members, own) = (folder.join(PROCESSES), std::process::id().to_string());
    let cpus = affinities();
    fs::write(&members, &own).map_err(at(&members))?;
    let is_other =
        |(thread, before): &(Pid, CpuSet)| sched_getaffinity(Some(*thread)).is_ok_and(|now| now != *before);
    if !cpus.iter().any(is_other) {
        return Ok(());
    }
    // Whoever takes the group away moves it again, if this fails.
    let _ = fs::write(current.join(PROCESSES), &own);
    for (thread, before) in &cpus {
        let _ = sched_setaffinity(Some(*thread), before);
    }
    Err(io::Error::other("in that group its threads could run on other CPUs than before"))
}

/// The CPUs that each thread of this process may run on.
fn affinities() -> Vec<(Pid, CpuSet)> {
    let names = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let thread = |entry: fs::DirEntry| -> Option<(Pid, CpuSet)> {
        let thread = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        Some((thread, sched_getaffinity(Some(thread)).ok()?))
    };
    names.filter_map(thread).collect()
}

/// Where those in a group can be moved, the best first: to where this process came from
/// (of another's group that is not known), which may be gone, and to the groups above
/// that, then above the group itself, up to the root, which takes everybody.
fn ways_back(former: Option<&Path>, folder: &Path) -> Vec<PathBuf> {
    let above_former = former.into_iter().flat_map(Path::ancestors);
    let mut ways: Vec<PathBuf> = Vec::new();
    for way in above_former.chain(folder.ancestors().skip(1)) {
        if way.join(PROCESSES).exists() && !ways.iter().any(|known| known == way) {
            ways.push(way.to_owned());
        }
    }
    ways
}

/// Moves whoever is in the group to where this process came from, or as near as can be,
/// and removes it, unless something else is limited in it.
///
/// # Errors
/// Why it is still there.
pub(super) fn leave(folder: &Path) -> io::Result<()> {
    if is_limiting(folder) {
        return Ok(());
    }
    let came_from = former().get(folder).cloned();
    let end = Instant::now() + PATIENCE;
    loop {
        let ways = ways_back(came_from.as_deref(), folder);
        let mut refused = None;
        // One that ends meanwhile cannot be moved.
        for member in members(folder).unwrap_or_default() {
            refused = refused.or(move_to(&ways, member).err());
        }
        match fs::remove_dir(folder) {
            Ok(()) => break,
            Err(e) if e.kind() == ErrorKind::NotFound => break,
            Err(e) if Instant::now() >= end => {
                let why = refused.map_or_else(
                    || e.to_string(),
                    |refused| format!("{e}: its processes cannot be moved: {refused}"),
                );
                return Err(io::Error::new(e.kind(), format!("{}: {why}", folder.display())));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    former().remove(folder);
    Ok(())
}

/// Moves a process to the first group that takes it.
///
/// # Errors
/// Why the first did not, if none does.
fn move_to(ways: &[PathBuf], member: u32) -> Result<(), String> {
    let mut first = None;
    for way in ways {
        match fs::write(way.join(PROCESSES), member.to_string()) {
            Ok(()) => return Ok(()),
            Err(error) => {
                first.get_or_insert(format!("{}: {error}", way.display()));
            }
        }
    }
    Err(first.unwrap_or_else(|| "there is no group above".to_owned()))
}

fn members(folder: &Path) -> io::Result<Vec<u32>> {
    let text = fs::read_to_string(folder.join(PROCESSES))?;
    Ok(text.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(|pid| *pid != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, controller: Controller) -> Result<String, String> {
        folder_of(&Host::parse(text), controller, 7, true)
    }

    #[test]
    fn a_group_of_version_1_lies_in_the_present_one() {
        let text = "==> /proc/self/cgroup\n4:cpu,cpuacct:/box\n3:blkio:/\n0::/\n\
                    ==> /sys/fs/cgroup/cpu,cpuacct/box/cpu.shares\n1024\n\
                    ==> /sys/fs/cgroup/blkio/cgroup.procs\n1\n";
        assert_eq!(of(text, CPU), Ok("/sys/fs/cgroup/cpu,cpuacct/box/headroom-7".to_owned()));
        assert_eq!(of(text, IO), Ok("/sys/fs/cgroup/blkio/headroom-7".to_owned()));
        // Where it is in it already, it is that one.
        let inside = text.replace("/box", "/box/headroom-7");
        assert_eq!(of(&inside, CPU), Ok("/sys/fs/cgroup/cpu,cpuacct/box/headroom-7".to_owned()));
        let other = text.replace("/box", "/headroom-8");
        assert_eq!(of(&other, CPU), Ok("/sys/fs/cgroup/cpu,cpuacct/headroom-8/headroom-7".to_owned()));
        let absent = of("==> /proc/self/cgroup\n4:cpu:/\n", CPU);
        assert!(absent.is_err_and(|reason| reason.contains("no control groups")));
    }

    const SECOND: &str = "==> /proc/self/cgroup\n0::/user.slice/session\n\
                          ==> /sys/fs/cgroup/user.slice/session/cgroup.procs\n7\n";

    fn second(root: &str, slice: &str, limit: &str) -> String {
        format!(
            "{SECOND}==> /sys/fs/cgroup/cgroup.subtree_control\n{root}\n\
             ==> /sys/fs/cgroup/user.slice/cgroup.subtree_control\n{slice}\n\
             ==> /sys/fs/cgroup/user.slice/session/memory.max\n{limit}\n"
        )
    }

    #[test]
    fn a_group_of_version_2_lies_beside_the_present_one_and_leaves_no_limit_out() {
        let place = |root, slice, controller| of(&second(root, slice, "max"), controller);
        let (top, within) = ("/sys/fs/cgroup/headroom-7", "/sys/fs/cgroup/user.slice/headroom-7");
        assert_eq!(place("cpu io memory", "cpu memory io", CPU).as_deref(), Ok(within));
        assert_eq!(place("cpu io memory", "memory", IO).as_deref(), Ok(top));
        // One place for both, where there is one.
        assert_eq!(place("cpu io memory", "cpu", CPU).as_deref(), Ok(top));
        assert_eq!(place("cpu memory", "cpu", CPU).as_deref(), Ok(within));
        let none = place("cpu memory", "memory", IO).unwrap_err();
        assert!(none.contains("`io`") && none.contains("+io > /sys/fs/cgroup/cgroup.sub"), "{none}");
        let host = Host::parse(&second("cpu memory", "memory", "max"));
        let inside = folder_of(&host, IO, 7, false).unwrap_err();
        assert!(inside.contains("container") && !inside.contains("echo"), "{inside}");
        let limited = of(&second("cpu io", "cpu io", "1000000"), CPU).unwrap_err();
        assert!(limited.contains("user.slice/session, which limits it"), "{limited}");
        for (leaf, idle, held) in [
            ("cpuset.cpus", "", "0-3"),
            ("cpuset.mems", "", "0"),
            ("memory.swap.max", "max", "0"),
            ("cpu.weight", "100", "50"),
            ("io.weight", "default 100", "default 200"),
        ] {
            let with = |value: &str| {
                let session = "/sys/fs/cgroup/user.slice/session";
                let text = second("cpu io", "cpu io", "max");
                of(&format!("{text}==> {session}/{leaf}\n{value}\n"), CPU)
            };
            assert_eq!(with(idle).as_deref(), Ok(within), "{leaf}");
            assert!(with(held).is_err(), "{leaf}");
        }
        let inside = SECOND.replace("session", "headroom-7");
        assert!(of(&inside, CPU).is_err(), "it has no such controller");
        let inside = format!("{inside}==> /sys/fs/cgroup/user.slice/headroom-7/cpu.max\n1 2\n");
        assert_eq!(of(&inside, CPU).as_deref(), Ok(within));
    }

    #[test]
    fn a_group_that_limits_nothing_is_idle_and_one_that_is_not_there_absent() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(state(&place.path().join("none")), GroupState::Absent);
        assert_eq!(state(place.path()), GroupState::Idle);
        for (leaf, idle, used) in [
            ("cpu.cfs_quota_us", "-1\n", "150000\n"),
            ("cpu.max", "max 100000\n", "150000 100000\n"),
            ("io.max", "", "8:16 rbps=1000 wbps=max riops=max wiops=max\n"),
            ("blkio.throttle.write_iops_device", "", "8:16 500\n"),
        ] {
            let at = place.path().join(leaf);
            fs::write(&at, idle).unwrap();
            assert_eq!(state(place.path()), GroupState::Idle, "{leaf}");
            fs::write(&at, used).unwrap();
            assert_eq!(state(place.path()), GroupState::InUse, "{leaf}");
            fs::remove_file(&at).unwrap();
        }
        let own = place.path().join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&own).unwrap();
        fs::write(own.join("cpu.max"), "150000 100000\n").unwrap();
        fs::write(own.join(PROCESSES), "1\n").unwrap();
        assert_eq!(state(&own), GroupState::Left, "this process is not in it");
        assert!(leave(&own).is_ok() && own.is_dir(), "something is limited in it");
    }

    #[test]
    fn a_process_gets_back_to_the_nearest_group_that_is_still_there() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("slice/session")).unwrap();
        for group in ["", "slice", "slice/session"] {
            fs::write(at(group).join(PROCESSES), "").unwrap();
        }
        let (former, folder) = (at("slice/session"), at("headroom-7"));
        let root = root.path().to_owned();
        assert_eq!(ways_back(Some(&former), &folder), [former.clone(), at("slice"), root.clone()]);
        assert_eq!(ways_back(None, &folder), std::slice::from_ref(&root));
        fs::remove_dir_all(&former).unwrap();
        let ways = ways_back(Some(&former), &folder);
        assert_eq!(ways, [at("slice"), root.clone()]);
        // One that takes nobody is passed over.
        fs::remove_file(at("slice").join(PROCESSES)).unwrap();
        fs::create_dir(at("slice").join(PROCESSES)).unwrap();
        assert_eq!(move_to(&ways, 7), Ok(()));
        assert_eq!(fs::read_to_string(root.join(PROCESSES)).unwrap(), "7");
        let refused = move_to(&ways[..1], 7).unwrap_err();
        assert!(refused.contains("slice"), "{refused}");
        assert!(move_to(&[], 7).is_err());
    }

    #[test]
    fn every_thread_has_cpus_that_it_may_run_on() {
        let own = rustix::thread::gettid();
        assert!(affinities().iter().any(|(thread, cpus)| *thread == own && cpus.count() > 0));
    }
}
