//! The processors: `/proc/cpuinfo` and `/sys/devices/system/cpu`.

use model::machine::{Cache, Cpu};

use crate::Host;

/// Keys of `/proc/cpuinfo` that name the model, by architecture.
const MODEL_KEYS: &[&str] = &["model name", "Model", "cpu model", "Hardware"];

/// The processors of `host`.
#[must_use]
pub fn describe(host: &Host) -> Cpu {
    let online = host.cpu_list("/sys/devices/system/cpu/online").unwrap_or_default();
    let mut allowed = allowed();
    if allowed.is_empty() {
        allowed.clone_from(&online);
    }
    Cpu { model: model_name(host), caches: caches(host), online, allowed, ..Cpu::default() }
}

/// How many CPUs this thread may run on.
#[must_use]
pub fn allowed_count() -> u32 {
    u32::try_from(allowed().len()).unwrap_or(u32::MAX)
}

fn model_name(host: &Host) -> Option<String> {
    let info = host.text("/proc/cpuinfo")?;
    let value = |key: &str| {
        info.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        })
    };
    MODEL_KEYS.iter().find_map(|key| value(key)).filter(|name| !name.is_empty())
}

/// CPUs that this process may run on, by sched_getaffinity(2).
fn allowed() -> Vec<u32> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|c| u32::try_from(c).ok())
        .collect()
}

/// Data and unified caches of CPU 0, smallest level first.
fn caches(host: &Host) -> Vec<Cache> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let mut caches: Vec<Cache> = host
        .names(folder)
        .iter()
        .filter(|name| name.starts_with("index"))
        .filter_map(|name| {
            let file = |leaf: &str| format!("{folder}/{name}/{leaf}");
            let data = host.text(file("type"))? != "Instruction";
            let bytes = kernel_size(&host.text(file("size"))?)?;
            let level = u32::try_from(host.number(file("level"))?).ok()?;
            let shared_by = host.cpu_list(file("shared_cpu_list")).unwrap_or_else(|| vec![0]);
            data.then_some(Cache { level, bytes, shared_by })
        })
        .collect();
    caches.sort_by_key(|c| c.level);
    caches
}

/// A size as sysfs writes it: `32K`, `1024K`, `36M`.
fn kernel_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().last()? {
        (end, 'K') => (&text[..end], 1 << 10),
        (end, 'M') => (&text[..end], 1 << 20),
        (end, 'G') => (&text[..end], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &std::path::Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn caches_are_read_from_a_tree_and_garbled_ones_left_out() {
        let tree = tempfile::tempdir().unwrap();
        let index = |n: u32, level: &str, kind: &str, size: &str| {
            let base = format!("sys/devices/system/cpu/cpu0/cache/index{n}");
            write(tree.path(), &format!("{base}/level"), level);
            write(tree.path(), &format!("{base}/type"), kind);
            write(tree.path(), &format!("{base}/size"), size);
            write(tree.path(), &format!("{base}/shared_cpu_list"), "0-1");
        };
        index(0, "3", "Unified\n", "36M\n");
        index(1, "1", "Data\n", "48K\n");
        index(2, "1", "Instruction\n", "32K\n");
        index(3, "two", "Unified\n", "1M\n");
        index(4, "2", "Unified\n", "99999999999999999999K\n");
        let caches = describe(&Host::recorded(tree.path())).caches;
        let found: Vec<_> = caches.iter().map(|c| (c.level, c.bytes)).collect();
        assert_eq!(found, [(1, 48 << 10), (3, 36 << 20)]);
    }

    #[test]
    fn this_machine_has_a_cpu_that_we_may_use() {
        let cpu = describe(&Host::this());
        assert!(!cpu.allowed.is_empty());
        assert!(cpu.allowed.iter().all(|c| cpu.online.contains(c)), "{cpu:?}");
    }
}
