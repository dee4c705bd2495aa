//! What a machine is made of: now what present workloads need to know.

pub mod block;
pub mod cpu;
pub mod interrupt;
pub mod memory;
pub mod network;
pub mod pci;
pub mod storage;

use model::machine::{ClockInfo, Inventory};
use rustix::time::{ClockId, clock_gettime};

use crate::Host;

pub use crate::host::show_cpu_list;

/// The inventory of `host`. Which CPUs are allowed is asked of the running
/// kernel, so it is right for this machine only.
#[must_use]
pub fn describe(host: &Host) -> Inventory {
    let release = host.text("/etc/os-release");
    let os = release.as_deref().and_then(|text| {
        let line = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
        Some(line.trim_matches('"').to_owned())
    });
    let mut absent = Vec::new();
    Inventory {
        kernel: host.text("/proc/sys/kernel/osrelease").unwrap_or_default(),
        os,
        architecture: std::env::consts::ARCH.to_owned(),
        cpu: cpu::describe(host),
        memory: memory::describe(host),
        pci: pci::describe(host, &mut absent),
        block: block::describe(host, &mut absent),
        network: network::describe(host, &mut absent),
        absent,
        ..Inventory::default()
    }
}

/// What the machine calls itself.
#[must_use]
pub fn hostname(host: &Host) -> String {
    host.text("/proc/sys/kernel/hostname").unwrap_or_default()
}

/// How the monotonic clock relates to Unix time: Unix time is read between two
/// readings of the monotonic clock, several times, and the closest pair is
/// kept; half its distance is the uncertainty.
#[must_use]
pub fn clock(host: &Host) -> ClockInfo {
    let ns = |id| {
        let t = clock_gettime(id);
        i128::from(t.tv_sec) * 1_000_000_000 + i128::from(t.tv_nsec)
    };
    let mut best = ClockInfo { uncertainty_ns: u64::MAX, ..ClockInfo::default() };
    for _ in 0..16 {
        let before = ns(ClockId::Monotonic);
        let unix = ns(ClockId::Realtime);
        let after = ns(ClockId::Monotonic);
        let uncertainty_ns = u64::try_from((after - before) / 2 + 1).unwrap_or(u64::MAX);
        if uncertainty_ns < best.uncertainty_ns {
            best.uncertainty_ns = uncertainty_ns;
            best.offset_ns = (unix - i128::midpoint(before, after)) as i64;
        }
    }
    best.source = host.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    best
}
