//! The one clock of all timing: `CLOCK_MONOTONIC` in nanoseconds, the same for all CPUs, the
//! sampler and the kernel's own traces. It is read through the vDSO, and by workers, which read it
//! for each operation, from the counter that the vDSO reads too, where the kernel keeps time by it
//! ([`tsc`]).

#[cfg(target_arch = "x86_64")]
mod tsc;

use std::panic::resume_unwind;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC`.
#[inline]
#[must_use]
pub fn now_ns() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return tsc::now_ns();
    #[cfg(not(target_arch = "x86_64"))]
    monotonic_ns()
}

/// Makes [`now_ns`] cheaper for this thread from some 10 ms later on, where that can be. What it
/// tells is then a little apart from the kernel's clock, see [`error_ns`].
pub fn read_often() {
    #[cfg(target_arch = "x86_64")]
    tsc::begin();
}

/// The largest difference that was seen between the time of this thread and the kernel's, ns;
/// absent where this thread never went by the counter, or nothing was compared yet.
#[must_use]
pub fn error_ns() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    return tsc::error_ns();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The same as the kernel tells it, at the same price in every thread.
#[inline]
#[must_use]
pub fn monotonic_ns() -> u64 {
    let t = clock_gettime(ClockId::Monotonic);
    (t.tv_sec as u64) * 1_000_000_000 + t.tv_nsec as u64
}

/// How long before a due time a thread stops sleeping and spins instead. A
/// timer wakes a sleeper some tens of microseconds late (more in a virtual
/// machine), which would be counted as the target's latency.
pub const SPIN_NS: u64 = 60_000;

/// A time span as the kernel takes it.
#[must_use]
pub fn timespec(ns: u64) -> Timespec {
    Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 }
}

/// Sleeps until `due_ns` less [`SPIN_NS`]; returns at once if that has passed.
/// The caller spins through the rest, looking for completions meanwhile.
pub fn sleep_towards(due_ns: u64) {
    let target = due_ns.saturating_sub(SPIN_NS);
    if now_ns() < target {
        // An early return only means spinning longer.
        let _ = rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &timespec(target));
    }
}

/// What reading the clock costs and how fine it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Seconds that one reading takes.
    pub read_s: f64,
    /// The smallest step seen between two different readings, in seconds.
    pub step_s: f64,
}

/// Measures the clock as workers read it: 200,000 readings in a row, about 5 ms. The cost is the
/// median over 20 batches so that a preemption does not count.
#[must_use]
pub fn precision() -> Precision {
    // On a thread of its own: who called goes on as before.
    std::thread::scope(|scope| scope.spawn(measured).join()).unwrap_or_else(|panic| resume_unwind(panic))
}

fn measured() -> Precision {
    const BATCH: u64 = 10_000;
    read_often();
    // Until it knows what it needs, some 10 ms.
    std::thread::sleep(std::time::Duration::from_millis(11));
    let mut costs = Vec::with_capacity(20);
    let mut step = u64::MAX;
    for _ in 0..20 {
        let begin = now_ns();
        let mut last = begin;
        for _ in 0..BATCH {
            let next = now_ns();
            if next > last {
                step = step.min(next - last);
            }
            last = next;
        }
        costs.push(last.saturating_sub(begin) as f64 / BATCH as f64 / 1e9);
    }
    let read_s = stats::interval::median(&costs).unwrap_or_default();
    Precision { read_s, step_s: step as f64 / 1e9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_moves_forward_and_its_cost_is_known() {
        let precision = precision();
        assert!(precision.read_s > 0.0 && precision.read_s < 1e-4, "{precision:?}");
        assert!(precision.step_s > 0.0 && precision.step_s < 1e-3, "{precision:?}");
    }

    #[test]
    fn sleeping_towards_a_time_never_passes_it_by_design() {
        let due = now_ns() + 5_000_000;
        sleep_towards(due);
        assert!(now_ns() >= due - SPIN_NS);
    }
}
