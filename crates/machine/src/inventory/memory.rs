//! The memory: `/proc/meminfo`, and the cgroup's limit where there is one.

use model::machine::Memory;

use crate::Host;

/// The memory of `host`.
#[must_use]
pub fn describe(host: &Host) -> Memory {
    let info = host.text("/proc/meminfo").unwrap_or_default();
    let limit_bytes = cgroup_room(host);
    let available = field(&info, "MemAvailable").unwrap_or_default();
    Memory {
        total_bytes: field(&info, "MemTotal").unwrap_or_default(),
        available_bytes: limit_bytes.map_or(available, |room| room.min(available)),
        limit_bytes,
        ..Memory::default()
    }
}

/// A field of `/proc/meminfo`, in bytes.
fn field(info: &str, name: &str) -> Option<u64> {
    let line = info.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the cgroups of this process leave it, the tightest of all levels;
/// `None` where nothing limits it.
fn cgroup_room(host: &Host) -> Option<u64> {
    let membership = host.text("/proc/self/cgroup")?;
    let mut tightest: Option<u64> = None;
    for line in membership.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, limit, usage) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|c| c == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            continue;
        };
        let mut folder = std::path::PathBuf::from(format!("{root}{path}"));
        while folder.starts_with(root) {
            // Version 1 writes "no limit" as the largest multiple of a page.
            if let Some(most) = host.number(folder.join(limit)).filter(|v| *v < 1 << 60) {
                let room = most.saturating_sub(host.number(folder.join(usage)).unwrap_or(0));
                tightest = Some(tightest.map_or(room, |t| t.min(room)));
            }
            if !folder.pop() {
                break;
            }
        }
    }
    tightest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_limit_anywhere_above_counts() {
        let tree = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = tree.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/meminfo", "MemTotal:  2048 kB\nMemAvailable:    1024 kB\nBad: kB\n");
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/memory.max", "600000\n");
        write("sys/fs/cgroup/a/memory.current", "100000\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        let memory = describe(&Host::recorded(tree.path()));
        assert_eq!(memory.total_bytes, 2 << 20);
        assert_eq!(memory.limit_bytes, Some(500_000));
        assert_eq!(memory.available_bytes, 500_000);
    }
}
