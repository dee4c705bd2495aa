//! A control group with one limit, version 1 or 2; removed when it is dropped.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::scenario::{Access, Lowering, Per};
use crate::tool::read;

/// What is limited.
#[derive(Clone, Debug)]
pub(crate) enum GroupLimit {
    /// Hundredths of a CPU.
    Cpu(u32),
    /// So many a second of the device `MAJOR:MINOR`.
    Io { device: String, access: Access, per: Per, rate: u64 },
    /// MiB of memory.
    Memory(u64),
}

impl GroupLimit {
    /// The controller by its names in versions 1 and 2.
    fn controllers(&self) -> (&'static str, &'static str) {
        match self {
            Self::Cpu(_) => ("cpu", "cpu"),
            Self::Io { .. } => ("blkio", "io"),
            Self::Memory(_) => ("memory", "memory"),
        }
    }

    /// What is written into which files, in version 1 or 2.
    fn files(&self, is_v1: bool) -> Vec<(String, String)> {
        let file = |name: &str, value: String| (name.to_owned(), value);
        match (self, is_v1) {
            (Self::Cpu(percent), true) => vec![
                file("cpu.cfs_period_us", "100000".to_owned()),
                file("cpu.cfs_quota_us", (percent * 1000).to_string()),
            ],
            (Self::Cpu(percent), false) => vec![file("cpu.max", format!("{} 100000", percent * 1000))],
            (Self::Io { device, access, per, rate }, true) => {
                let access = if *access == Access::Reads { "read" } else { "write" };
                let per = if *per == Per::Bytes { "bps" } else { "iops" };
                vec![(format!("blkio.throttle.{access}_{per}_device"), format!("{device} {rate}"))]
            }
            (Self::Memory(mib), true) => vec![file("memory.limit_in_bytes", (mib << 20).to_string())],
            (Self::Memory(mib), false) => vec![file("memory.max", (mib << 20).to_string())],
            (Self::Io { device, access, per, rate }, false) => {
                let access = if *access == Access::Reads { 'r' } else { 'w' };
                let per = if *per == Per::Bytes { "bps" } else { "iops" };
                vec![file("io.max", format!("{device} {access}{per}={rate}"))]
            }
        }
    }
}

/// What lowers a throttle; ended when it is dropped.
#[derive(Debug)]
struct Controller {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The group.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
    limit: GroupLimit,
    is_v1: bool,
    controller: Option<Controller>,
}

impl Group {
    pub(crate) fn new(limit: GroupLimit) -> Result<Self, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("headroom-lab-{}-{number}", std::process::id());
        let root = Path::new("/sys/fs/cgroup");
        let (old, new) = limit.controllers();
        let own = own_path(&read("/proc/self/cgroup")?, old).filter(|_| root.join(old).is_dir());
        if own.is_some() && matches!(limit, GroupLimit::Memory(_)) {
            return Err("control groups of version 1 account no writeback".to_owned());
        }
        let folder = match &own {
            Some(path) => root.join(old).join(path.trim_start_matches('/')).join(&name),
            None => {
                let enabled = fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
                if !enabled.split_whitespace().any(|controller| controller == new) {
                    return Err(format!("no control group controller `{new}` is to be had"));
                }
                root.join(&name)
            }
        };
        fs::create_dir(&folder).map_err(|e| format!("no control group {}: {e}", folder.display()))?;
        // From here on it is removed, whatever happens.
        let group = Self { folder, limit, is_v1: own.is_some(), controller: None };
        group.write()?;
        Ok(group)
    }

    /// A throttle that is lowered once so much has passed. What is told of it before a load
    /// begins is the first one.
    pub(crate) fn lowered(
        device: String,
        access: Access,
        per: Per,
        lowering: Lowering,
    ) -> Result<Self, String> {
        let limit = |rate| GroupLimit::Io { device: device.clone(), access, per, rate };
        let mut group = Self::new(limit(lowering.from))?;
        let over = Arc::new(AtomicBool::new(false));
        let (folder, is_v1, then) = (group.folder.clone(), group.is_v1, limit(lowering.to));
        let is_over = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            let watched = Self { folder, limit: then, is_v1, controller: None };
            while !is_over.load(Ordering::Relaxed) {
                let passed = watched.serviced(access, Per::Operations).unwrap_or(0.0);
                if passed >= lowering.after as f64 {
                    if let Err(e) = watched.write() {
                        eprintln!("lab: {e}");
                    }
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            // The folder is the other one's.
            std::mem::forget(watched);
        });
        group.controller = Some(Controller { over, thread: Some(thread) });
        Ok(group)
    }

    /// Writes the limit.
    fn write(&self) -> Result<(), String> {
        for (file, value) in self.limit.files(self.is_v1) {
            fs::write(self.folder.join(&file), &value).map_err(|e| format!("{file} = {value}: {e}"))?;
        }
        Ok(())
    }

    /// The file that takes the processes.
    pub(crate) fn processes(&self) -> String {
        self.folder.join("cgroup.procs").display().to_string()
    }

    /// Periods that the quota cut short; none of another limit.
    pub(crate) fn throttled(&self) -> Option<f64> {
        if !matches!(self.limit, GroupLimit::Cpu(_)) {
            return None;
        }
        let text = fs::read_to_string(self.folder.join("cpu.stat")).ok()?;
        text.lines().find_map(|line| line.strip_prefix("nr_throttled ")?.trim().parse().ok())
    }

    /// What it moved at its device; none of another limit. A device that was not used
    /// yet has no line.
    pub(crate) fn serviced(&self, access: Access, per: Per) -> Option<f64> {
        let GroupLimit::Io { device, .. } = &self.limit else { return None };
        let file = match (self.is_v1, per) {
            (true, Per::Bytes) => "blkio.throttle.io_service_bytes",
            (true, Per::Operations) => "blkio.throttle.io_serviced",
            (false, _) => "io.stat",
        };
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        Some(moved(&text, device, access, per, self.is_v1).unwrap_or(0.0))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.controller = None;
        // The last process may take a moment to leave.
        for _ in 0..250 {
            match fs::remove_dir(&self.folder) {
                Err(e) if e.kind() == ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return eprintln!("lab: cannot remove {}: {e}", self.folder.display());
                }
                _ => return,
            }
        }
        eprintln!("lab: {} still has processes and is left", self.folder.display());
    }
}

/// The path of our own group of a controller of version 1 (cgroups(7)).
fn own_path(membership: &str, controller: &str) -> Option<String> {
    membership.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers.split(',').any(|one| one == controller).then(|| path.to_owned())
    })
}

/// What stands in a group's account of a device.
fn moved(text: &str, device: &str, access: Access, per: Per, is_v1: bool) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(device)?.strip_prefix(' '));
    if is_v1 {
        let word = if access == Access::Reads { "Read " } else { "Write " };
        return lines.find_map(|line| line.strip_prefix(word)?.trim().parse().ok());
    }
    let word = match (access, per) {
        (Access::Reads, Per::Bytes) => "rbytes=",
        (Access::Writes, Per::Bytes) => "wbytes=",
        (Access::Reads, Per::Operations) => "rios=",
        (Access::Writes, Per::Operations) => "wios=",
    };
    lines.flat_map(str::split_whitespace).find_map(|pair| pair.strip_prefix(word)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let v1 = "254:0 Read 1058\n254:0 Write 99\n254:0 Total 1160\n7:0 Read 586\nTotal 1160\n";
        assert_eq!(moved(v1, "7:0", Access::Reads, Per::Operations, true), Some(586.0));
        assert_eq!(moved(v1, "254:0", Access::Writes, Per::Operations, true), Some(99.0));
        assert_eq!(moved(v1, "8:0", Access::Writes, Per::Operations, true), None);
        let v2 = "254:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n";
        assert_eq!(moved(v2, "254:0", Access::Writes, Per::Bytes, false), Some(8192.0));
        assert_eq!(moved(v2, "254:0", Access::Reads, Per::Operations, false), Some(1.0));
    }

    #[test]
    fn our_own_group_is_found() {
        let text = "8:pids:/\n4:memory,cpu:/a/b\n0::/\n";
        assert_eq!(own_path(text, "cpu").as_deref(), Some("/a/b"));
        assert_eq!(own_path(text, "blkio"), None);
    }

    #[test]
    fn limits_are_written_as_the_kernel_takes_them() {
        let device = "7:0".to_owned();
        let io = GroupLimit::Io { device, access: Access::Writes, per: Per::Bytes, rate: 5 };
        assert_eq!(io.files(true), [("blkio.throttle.write_bps_device".to_owned(), "7:0 5".to_owned())]);
        assert_eq!(io.files(false), [("io.max".to_owned(), "7:0 wbps=5".to_owned())]);
        assert_eq!(GroupLimit::Memory(2).files(false), [("memory.max".to_owned(), "2097152".to_owned())]);
        assert_eq!(GroupLimit::Cpu(20).files(false), [("cpu.max".to_owned(), "20000 100000".to_owned())]);
    }
}
