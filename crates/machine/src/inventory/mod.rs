//! What a machine is made of. A section of the inventory is one module and one
//! line in [`describe`]; a section that misses something says so in `absent`.

pub mod block;
pub mod cgroup;
pub mod cpu;
pub mod interrupt;
pub mod memory;
pub mod network;
pub mod pci;
pub(crate) mod runtime_pm;
pub mod sensor;
pub mod server;
pub mod storage;
pub mod system;

use std::collections::BTreeSet;

use model::machine::{Absent, ClockInfo, Inventory};
use rustix::time::{ClockId, clock_gettime};

use crate::Host;

/// The inventory of `host`.
#[must_use]
pub fn describe(host: &Host) -> Inventory {
    let mut missing = Vec::new();
    let absent = &mut missing;
    Inventory {
        kernel: system::kernel(host, absent),
        os: system::os(host),
        architecture: system::architecture(host, absent),
        cpu: cpu::describe(host, absent),
        memory: memory::describe(host, absent),
        system: system::describe(host, absent),
        sensors: sensor::describe(host, absent),
        cgroup: cgroup::describe(host, absent),
        pci: pci::describe(host, absent),
        block: block::describe(host, absent),
        network: network::describe(host, absent),
        absent: missing,
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

/// Notes that `what` could not be read.
fn note(absent: &mut Vec<Absent>, what: impl Into<String>, reason: impl Into<String>) {
    absent.push(Absent { what: what.into(), reason: reason.into() });
}

/// A reason that is told by nothing being in `folder`; a recording without that
/// folder tells nothing.
fn unless_left_out(host: &Host, folder: &str, reason: &'static str) -> &'static str {
    if host.is_this() || host.exists(folder) { reason } else { "not there" }
}

/// The first line of `text` without what cannot be shown; absent where nothing
/// is left. The files of a device tree end with a NUL.
fn line(text: &str) -> Option<String> {
    /// No name is longer.
    const CHARS_MAX: usize = 256;
    let first = text.lines().next().unwrap_or_default();
    let shown: String = first.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect();
    let shown = shown.trim();
    (!shown.is_empty()).then(|| shown.to_owned())
}

/// Each number once, in order.
fn distinct(numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
    numbers.into_iter().collect::<BTreeSet<u32>>().into_iter().collect()
}

/// The names of a folder that are `prefix` and a number, in order of the
/// numbers: `state0`, `state1` ... `state10`.
fn numbered(host: &Host, folder: &str, prefix: &str) -> Vec<(u32, String)> {
    let number = |name: String| Some((name.strip_prefix(prefix)?.parse().ok()?, name));
    let mut found: Vec<(u32, String)> = host.names(folder).into_iter().filter_map(number).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_can_be_shown_of_the_first() {
        assert_eq!(line("Raspberry Pi 5\0"), Some("Raspberry Pi 5".to_owned()));
        assert_eq!(line(" a\tb \nsecond"), Some("ab".to_owned()));
        assert_eq!(line("\0\n"), None);
        assert_eq!(line(&"x".repeat(1000)).map(|l| l.len()), Some(256));
    }

    #[test]
    fn numbered_names_come_in_the_order_of_their_numbers() {
        let host = Host::parse("==> /a/s10/\n==> /a/s9/\n==> /a/s/\n==> /a/sx/\n==> /a/s-1/\n==> /a/t1/\n");
        let found: Vec<u32> = numbered(&host, "/a", "s").into_iter().map(|(number, _)| number).collect();
        assert_eq!(found, [9, 10]);
    }

    #[test]
    fn a_machine_without_files_says_what_is_missing() {
        let inventory = describe(&Host::parse(""));
        let missing: Vec<&str> = inventory.absent.iter().map(|a| a.what.as_str()).collect();
        for what in ["kernel", "architecture", "processor model", "memory", "memory modules", "sensors"] {
            assert!(missing.contains(&what), "{what}: {missing:?}");
        }
        assert!(inventory.absent.iter().all(|a| !a.reason.is_empty()), "{:?}", inventory.absent);
        assert_eq!(inventory.architecture, "", "not that of our own build");
    }

    #[test]
    fn this_machine_says_its_own_architecture() {
        assert_eq!(describe(&Host::this()).architecture, std::env::consts::ARCH);
    }
}
