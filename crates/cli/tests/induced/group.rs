//! A control group of a story's own, version 1 or 2, removed when it ends.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A group with one limit.
pub(crate) struct Group {
    folder: PathBuf,
}

/// What is limited.
#[derive(Clone, Copy)]
pub(crate) enum Limit<'a> {
    /// CPU seconds for each 100 seconds.
    Cpu(u32),
    /// Bytes of memory.
    Memory(u64),
    /// Reads per second of the device `MAJOR:MINOR`.
    Reads(&'a str, u64),
}

impl Limit<'_> {
    /// The controller by its names in versions 1 and 2.
    fn controllers(self) -> (&'static str, &'static str) {
        match self {
            Limit::Cpu(_) => ("cpu", "cpu"),
            Limit::Memory(_) => ("memory", "memory"),
            Limit::Reads(..) => ("blkio", "io"),
        }
    }

    fn files_v1(self) -> Vec<(&'static str, String)> {
        match self {
            Limit::Cpu(percent) => vec![
                ("cpu.cfs_period_us", "100000".to_owned()),
                ("cpu.cfs_quota_us", (percent * 1000).to_string()),
            ],
            Limit::Memory(bytes) => vec![("memory.limit_in_bytes", bytes.to_string())],
            Limit::Reads(device, rate) => {
                vec![("blkio.throttle.read_iops_device", format!("{device} {rate}"))]
            }
        }
    }

    fn files_v2(self) -> Vec<(&'static str, String)> {
        match self {
            Limit::Cpu(percent) => vec![("cpu.max", format!("{} 100000", percent * 1000))],
            Limit::Memory(bytes) => vec![("memory.max", bytes.to_string())],
            Limit::Reads(device, rate) => vec![("io.max", format!("{device} riops={rate}"))],
        }
    }
}

impl Group {
    pub(crate) fn new(limit: Limit<'_>) -> Self {
        let (old, new) = limit.controllers();
        let root = Path::new("/sys/fs/cgroup");
        let name = format!("headroom-story-{}-{old}", std::process::id());
        let membership = std::fs::read_to_string("/proc/self/cgroup").unwrap();
        let own = |controller: &str| {
            let path = membership.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':').skip(1);
                let (controllers, path) = (parts.next()?, parts.next()?);
                controllers.split(',').any(|c| c == controller).then(|| path.to_owned())
            });
            path.map(|p| p.trim_start_matches('/').to_owned())
        };
        let (folder, files) = match own(old) {
            Some(path) if root.join(old).is_dir() => {
                (root.join(old).join(path).join(&name), limit.files_v1())
            }
            _ => {
                let enabled =
                    std::fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
                assert!(
                    enabled.split_whitespace().any(|c| c == new),
                    "this story needs root and the control group controller `{new}`"
                );
                (root.join(&name), limit.files_v2())
            }
        };
        std::fs::create_dir(&folder)
            .unwrap_or_else(|e| panic!("this story needs root to make {}: {e}", folder.display()));
        let group = Self { folder };
        group.write(files);
        group
    }

    fn write(&self, files: Vec<(&'static str, String)>) {
        for (file, value) in files {
            std::fs::write(self.folder.join(file), &value)
                .unwrap_or_else(|e| panic!("{file} = {value}: {e}"));
        }
    }

    /// Changes the limit from now on.
    pub(crate) fn set(&self, limit: Limit<'_>) {
        let (old, _) = limit.controllers();
        let is_old = self.folder.starts_with(Path::new("/sys/fs/cgroup").join(old));
        self.write(if is_old { limit.files_v1() } else { limit.files_v2() });
    }

    /// The same command, run in this group.
    pub(crate) fn around(&self, command: &Command) -> Command {
        let mut inside = Command::new("sh");
        inside.arg("-c").arg(r#"echo $$ > "$0" && exec "$@""#).arg(self.folder.join("cgroup.procs"));
        inside.arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            inside.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                inside.env(name, value);
            }
        }
        inside
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The last process may take a moment to leave.
        for _ in 0..100 {
            match std::fs::remove_dir(&self.folder) {
                Err(e) if e.kind() == std::io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                _ => return,
            }
        }
    }
}
