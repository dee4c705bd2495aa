//! Ctrl-C and its like: the first asks to stop, and all is put back and kept; a
//! second one, of somebody who does not want to wait, ends the program at once
//! (what it made has no name, and the agent ends when its socket closes).
//!
//! One cause may send a signal twice: `timeout -s INT` sends it to the program and
//! then to its group, a closed terminal hangs up on both, and some shells and
//! `sudo` pass on what was sent to everybody already. So what follows the first
//! within a moment is the first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level;

use crate::exit::INTERRUPTED;

/// The signals that ask to stop.
pub(crate) const ASK: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// What comes so soon after the first signal has the same cause. Such signals are
/// some microseconds apart, on a busy machine some milliseconds; who presses
/// Ctrl-C again because nothing happens has waited longer.
const SAME_CAUSE_NS: u64 = 500_000_000;

/// When the first signal came.
#[derive(Debug, Default)]
struct First(AtomicU64);

impl First {
    /// Whether a signal at `now_ns` is a second one with a cause of its own.
    fn is_second(&self, now_ns: u64) -> bool {
        // 0 says that there was none yet.
        let now_ns = now_ns.max(1);
        match self.0.compare_exchange(0, now_ns, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => false,
            Err(first_ns) => now_ns.saturating_sub(first_ns) > SAME_CAUSE_NS,
        }
    }
}

/// Sets `seen` when somebody asks to stop, from now on; ends the program when
/// they ask again. Fails if the kernel does not let signals be caught.
pub(crate) fn watch(seen: &Arc<AtomicBool>) -> io::Result<()> {
    let first = Arc::new(First::default());
    for signal in ASK {
        let (seen, first) = (Arc::clone(seen), Arc::clone(&first));
        let act = move || {
            let now = clock_gettime(ClockId::Monotonic);
            let now_ns = now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs();
            let is_second = first.is_second(now_ns);
            seen.store(true, Ordering::Relaxed);
            // Nobody is there any more to be impatient after a hang-up.
            if is_second && signal != SIGHUP {
                low_level::exit(i32::from(INTERRUPTED));
            }
        };
        // SAFETY: `act` does what a signal handler may do: it takes no lock and
        // allocates nothing. It reads and writes atomics, reads a clock
        // (clock_gettime(2) and _exit(2) are on the list of signal-safety(7)), and
        // cannot panic: seconds since boot in nanoseconds fit for 500 years.
        unsafe { low_level::register(signal, act) }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_one_cause_are_one_and_a_later_one_is_the_second() {
        let first = First::default();
        assert!(!first.is_second(0));
        assert!(!first.is_second(5_000));
        assert!(!first.is_second(SAME_CAUSE_NS));
        assert!(first.is_second(SAME_CAUSE_NS + 2));
        assert!(first.is_second(u64::MAX));
        // One that a clock of another CPU puts before the first.
        assert!(!First(AtomicU64::new(9)).is_second(8));
    }
}
