//! The caches, each read once however many CPUs share it
//! (`Documentation/ABI/testing/sysfs-devices-system-cpu`, "cache").

use std::collections::{BTreeMap, BTreeSet};

use model::machine::{Absent, Cache, CacheKind};

use super::FOLDER;
use crate::Host;
use crate::inventory::{note, numbered, unless_left_out};

/// The kernel's words for what a cache holds.
const KINDS: &[&str] = &["Data", "Instruction", "Unified"];
/// No architecture has more levels (ARM's CLIDR_EL1 has room for seven).
const LEVEL_MAX: u32 = 7;
/// No machine has a larger one; a greater claim is garbled.
const BYTES_MAX: u64 = 1 << 40;

/// One cache of the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instance {
    level: u32,
    kind: &'static str,
    bytes: u64,
    shared_by: Vec<u32>,
}

/// All caches of the CPUs that are online.
pub(super) fn read(
    host: &Host,
    online: &[u32],
    present: &[u32],
    absent: &mut Vec<Absent>,
) -> BTreeSet<Instance> {
    let mut found = BTreeSet::new();
    // Which CPUs' caches of which index are known from one that shares them.
    let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
    for cpu in online.iter().copied().filter(|cpu| present.binary_search(cpu).is_ok()) {
        let folder = format!("{FOLDER}/cpu{cpu}/cache");
        for (index, name) in numbered(host, &folder, "index") {
            if known.contains(&(index, cpu)) {
                continue;
            }
            let Some(cache) = instance(host, &format!("{folder}/{name}"), cpu, online) else { continue };
            known.extend(cache.shared_by.iter().map(|other| (index, *other)));
            found.insert(cache);
        }
    }
    if found.is_empty() {
        note(absent, "processor caches", unless_left_out(host, FOLDER, "the kernel does not say"));
    }
    found
}

fn instance(host: &Host, folder: &str, cpu: u32, online: &[u32]) -> Option<Instance> {
    let file = |leaf: &str| host.text(format!("{folder}/{leaf}"));
    let kind = file("type")?;
    let kind = KINDS.iter().find(|known| **known == kind.trim())?;
    let bytes = kernel_size(&file("size")?).filter(|bytes| (1..=BYTES_MAX).contains(bytes))?;
    let level = file("level")?.trim().parse().ok().filter(|level| (1..=LEVEL_MAX).contains(level))?;
    let mut shared_by = host.cpu_list(format!("{folder}/shared_cpu_list")).unwrap_or_default();
    shared_by.retain(|other| online.binary_search(other).is_ok());
    if !shared_by.contains(&cpu) {
        shared_by = vec![cpu];
    }
    Some(Instance { level, kind, bytes, shared_by })
}

/// The data and unified caches that `cpu` sees, smallest level first.
pub(super) fn seen_by(caches: &BTreeSet<Instance>, cpu: u32) -> Vec<Cache> {
    let seen = caches.iter().filter(|c| c.kind != "Instruction" && c.shared_by.contains(&cpu));
    seen.map(|c| Cache { level: c.level, bytes: c.bytes, shared_by: c.shared_by.clone() }).collect()
}

/// All caches by level, kind and size.
pub(super) fn kinds(caches: &BTreeSet<Instance>) -> Vec<CacheKind> {
    let mut kinds: BTreeMap<(u32, &str, u64), u32> = BTreeMap::new();
    for cache in caches {
        *kinds.entry((cache.level, cache.kind, cache.bytes)).or_default() += 1;
    }
    let kind = |((level, kind, bytes), instances): ((u32, &str, u64), u32)| CacheKind {
        level,
        kind: kind.to_owned(),
        bytes,
        instances,
    };
    kinds.into_iter().map(kind).collect()
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
    use super::kernel_size;

    #[test]
    fn sizes_are_read_as_the_kernel_writes_them() {
        assert_eq!(kernel_size("48K\n"), Some(48 << 10));
        assert_eq!(kernel_size("36M"), Some(36 << 20));
        for garbled in ["", "K", "-1K", "99999999999999999999K", "18446744073709551615G", "1\u{3a9}"] {
            assert_eq!(kernel_size(garbled), None, "{garbled}");
        }
    }
}
