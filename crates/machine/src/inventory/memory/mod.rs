//! The memory: `/proc/meminfo` (`Documentation/filesystems/proc.rst`), what
//! control groups leave of it, its modules, nodes, swap and huge pages.

mod dmi;
mod huge;
pub(super) mod numa;
mod swap;

use model::machine::{Absent, Memory};

use super::{cgroup, note};
use crate::Host;

/// No architecture addresses more physical memory (ARM's FEAT_D128: 56 bits); a
/// greater number is garbled.
const BYTES_MAX: u64 = 1 << 56;

/// The memory of `host`.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Memory {
    let dmi::Slots { modules, slots } = dmi::read(host, absent);
    let mut memory = Memory {
        modules,
        slots,
        nodes: numa::read(host, absent),
        huge_pages: huge::sizes(host),
        transparent_huge_pages: huge::transparent(host),
        ..Memory::default()
    };
    refresh(host, &mut memory);
    if memory.total_bytes == 0 {
        let reason = host.read("/proc/meminfo").err().map(|a| a.reason);
        note(absent, "memory", reason.unwrap_or_else(|| "garbled: no MemTotal".to_owned()));
    }
    memory
}

/// Reads again what changes: how much is free, and swap.
pub fn refresh(host: &Host, memory: &mut Memory) {
    let info = host.text("/proc/meminfo").unwrap_or_default();
    let total = field(&info, "MemTotal");
    // Before Linux 3.14 what is free is the most that is sure.
    let available = field(&info, "MemAvailable").or_else(|| field(&info, "MemFree"));
    let available = available.unwrap_or_default().min(total.unwrap_or(u64::MAX));
    let room = cgroup::memory_room(host);
    memory.total_bytes = total.unwrap_or_default();
    memory.limit_bytes = cgroup::memory_limit(host);
    memory.available_bytes = room.map_or(available, |room| room.min(available));
    memory.swap = swap::read(host);
}

/// A field such as `MemTotal:  2048 kB`, in bytes; `Node 0 MemTotal: 2048 kB`
/// where it is of a node.
pub(crate) fn field(info: &str, name: &str) -> Option<u64> {
    let value = info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.split_whitespace().last() == Some(name)).then_some(value)
    })?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024).filter(|bytes| *bytes <= BYTES_MAX)
}

#[cfg(test)]
mod tests;
