//! The time stamp counter, read by a worker itself, in nanoseconds of `CLOCK_MONOTONIC`.
//!
//! The kernel's way through the vDSO reads the same counter with a fence before it, and a
//! sequence count around it: 36 ns on a machine where the counter alone takes 21 (Xeon, KVM). A
//! worker reads a clock twice for each operation, so where the kernel itself keeps time by the
//! counter (it then has found it constant and the same on all CPUs), so does the worker.
//!
//! Each thread has an anchor, a reading of both clocks at one moment, and goes on from it for at
//! most [`SPAN_NS`]. Then it reads both again: what its own time had come to is compared with the
//! kernel's, and the largest difference is kept ([`error_ns`]). A thread reads the kernel's clock
//! from then on if it is further off than [`ERROR_MAX_NS`] (NTP turned the kernel's clock, a virtual
//! machine was moved), if the counter went back or changed its rate (a machine slept), or if both
//! clocks cannot be read at one moment any more (the kernel took another).

use std::arch::x86_64::_rdtsc;
use std::cell::Cell;
use std::sync::OnceLock;

use super::monotonic_ns;

/// How long a thread goes on from one anchor.
const SPAN_NS: u64 = 20_000_000;

/// What the first rate is taken over. Two readings of both clocks, each good to some 30 ns, tell
/// it to 6 ppm, which is 120 ns at the end of the first span.
const FIRST_NS: u64 = 10_000_000;

/// What later ones are: 0.4 ppm, 8 ns at the end of a span, and short enough to follow a clock
/// that NTP slews.
const RATE_NS: u64 = 150_000_000;

/// Further off than this, a thread does not trust the counter any more.
const ERROR_MAX_NS: u64 = 1_000;

/// Rates of counters: 10 GHz to 0.2 GHz.
const RATES: std::ops::RangeInclusive<u64> = (1 << 32) / 10..=5 << 32;

/// A rate that differs from the last by more than one part in so many is another counter's.
const STEADY: u64 = 1000;

/// A thread that cannot read both clocks at one moment so many times in a row gives up.
const FAILURES_MAX: u32 = 20;

/// Both clocks are read at one moment if the counter moved by less than this meanwhile: some 1 us,
/// which an interruption takes.
const TOGETHER_TICKS: u64 = 3_000;

/// How often both are read for one pair.
const TRIES: usize = 4;

/// The counter and the kernel's clock at one moment.
#[derive(Clone, Copy)]
struct Pair {
    ticks: u64,
    ns: u64,
}

impl Pair {
    const NONE: Pair = Pair { ticks: 0, ns: 0 };

    /// Both: of several readings that which took least; absent where this thread was interrupted
    /// in each.
    fn read() -> Option<Pair> {
        let tries = (0..TRIES).map(|_| {
            let before = ticks();
            let ns = monotonic_ns();
            let between = ticks().wrapping_sub(before);
            (between, Pair { ticks: before.wrapping_add(between / 2), ns })
        });
        let (between, pair) = tries.min_by_key(|(between, _)| *between)?;
        (between <= TOGETHER_TICKS).then_some(pair)
    }

    /// Nanoseconds a tick since `earlier`, as a fraction of 2^32; absent where no processor has
    /// such a counter.
    fn rate_since(self, earlier: Pair) -> Option<u64> {
        let ticks = self.ticks.checked_sub(earlier.ticks).filter(|ticks| *ticks > 0)?;
        let rate = (u128::from(self.ns.checked_sub(earlier.ns)?) << 32) / u128::from(ticks);
        u64::try_from(rate).ok().filter(|rate| RATES.contains(rate))
    }
}

/// What a thread tells its time by.
#[derive(Clone, Copy)]
struct Anchor {
    at: Pair,
    /// Nanoseconds a tick, as a fraction of 2^32.
    rate: u64,
    /// For how many ticks it holds: 0 where the thread reads the kernel's clock.
    holds: u64,
}

impl Anchor {
    /// The time so many ticks later. A span has few enough for the product.
    #[inline]
    fn after(self, ticks: u64) -> u64 {
        self.at.ns + ((ticks.wrapping_mul(self.rate)) >> 32)
    }
}

/// What is looked at when an anchor holds no more.
#[derive(Clone, Copy)]
enum State {
    /// The thread reads the kernel's clock.
    Off,
    /// It will go by the counter when it knows the rate, taken from this pair on.
    Learning(Pair),
    /// It goes by the counter; the rate is taken from this pair on, next.
    On(Pair),
}

thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor { at: Pair::NONE, rate: 0, holds: 0 }) };
    static STATE: Cell<State> = const { Cell::new(State::Off) };
    /// The largest difference that was seen; absent while there was none to see.
    static ERROR_NS: Cell<Option<u64>> = const { Cell::new(None) };
    /// How often in a row both clocks could not be read at one moment.
    static FAILURES: Cell<u32> = const { Cell::new(0) };
}

/// Nanoseconds of `CLOCK_MONOTONIC`, by the counter where this thread goes by it.
#[inline]
pub(super) fn now_ns() -> u64 {
    let anchor = ANCHOR.get();
    if anchor.holds == 0 {
        return monotonic_ns();
    }
    let ticks = ticks().wrapping_sub(anchor.at.ticks);
    if ticks < anchor.holds { anchor.after(ticks) } else { renewed(anchor) }
}

/// Lets this thread go by the counter, where that is allowed; from 10 ms later on.
pub(super) fn begin() {
    if is_usable() && matches!(STATE.get(), State::Off) {
        let Some(pair) = Pair::read() else { return };
        STATE.set(State::Learning(pair));
        // One tick: whoever asks for the time next learns.
        ANCHOR.set(Anchor { at: pair, rate: 0, holds: 1 });
    }
}

/// The largest difference seen so far between the time of this thread and the kernel's, ns.
pub(super) fn error_ns() -> Option<u64> {
    ERROR_NS.get()
}

#[cold]
fn renewed(last: Anchor) -> u64 {
    let state = STATE.get();
    if let State::Learning(since) = state {
        let ns = monotonic_ns();
        if ns.saturating_sub(since.ns) < FIRST_NS {
            return ns;
        }
    }
    let Some(now) = Pair::read() else {
        FAILURES.set(FAILURES.get() + 1);
        if FAILURES.get() > FAILURES_MAX {
            give_up();
        }
        return monotonic_ns();
    };
    FAILURES.set(0);
    match state {
        State::Off => {}
        State::Learning(since) => match now.rate_since(since) {
            Some(rate) => hold(now, rate, since),
            None => give_up(),
        },
        State::On(since) => {
            let ticks = now.ticks.wrapping_sub(last.at.ticks);
            // A thread that slept over many spans made no use of the time in them.
            let compared = ticks < last.holds.saturating_mul(2);
            let error_ns = last.after(ticks).abs_diff(now.ns);
            if compared {
                ERROR_NS.set(ERROR_NS.get().max(Some(error_ns)));
            }
            let is_due = now.ns.saturating_sub(since.ns) >= RATE_NS;
            let rate = if is_due { now.rate_since(since) } else { Some(last.rate) };
            let steady = rate.filter(|rate| rate.abs_diff(last.rate) <= last.rate / STEADY);
            match steady.filter(|_| now.ticks > last.at.ticks && !(compared && error_ns > ERROR_MAX_NS)) {
                Some(rate) => hold(now, rate, if is_due { now } else { since }),
                None => give_up(),
            }
        }
    }
    now.ns
}

/// From now on this thread reads the kernel's clock.
fn give_up() {
    STATE.set(State::Off);
    ANCHOR.set(Anchor { holds: 0, ..ANCHOR.get() });
}

/// Goes on from `at`.
fn hold(at: Pair, rate: u64, since: Pair) {
    // `rate` is one of RATES, so that this is less than 2^28, and its product with `rate` fits.
    let holds = ((u128::from(SPAN_NS) << 32) / u128::from(rate)) as u64;
    ANCHOR.set(Anchor { at, rate, holds });
    STATE.set(State::On(since));
}

#[inline]
fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the counter, and `is_usable` has found that the kernel
    // lets this process read it.
    unsafe { _rdtsc() }
}

/// Whether the kernel itself keeps time by the counter, and lets processes read it (prctl(2),
/// `PR_GET_TSC`).
fn is_usable() -> bool {
    static USABLE: OnceLock<bool> = OnceLock::new();
    *USABLE.get_or_init(|| {
        let source = std::fs::read_to_string(SOURCE).unwrap_or_default();
        let mut allowed: libc::c_int = 0;
        // SAFETY: the pointer is to a live int, which is what PR_GET_TSC writes.
        let told = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut allowed) };
        source.trim() == "tsc" && told == 0 && allowed == libc::PR_TSC_ENABLE
    })
}

/// What the kernel keeps time by.
const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

#[cfg(test)]
mod tests {
    use super::*;

    /// On a thread of its own, which is not left to go by the counter.
    fn apart(work: impl FnOnce() + Send) {
        std::thread::scope(|scope| scope.spawn(work).join()).unwrap();
    }

    #[test]
    fn the_counter_lies_between_two_readings_of_the_kernels_clock() {
        if !is_usable() {
            return println!("skipped: the kernel does not keep time by the counter here");
        }
        apart(|| {
            begin();
            let until = monotonic_ns() + 400_000_000;
            let (mut by_counter, mut worst) = (0, 0);
            while monotonic_ns() < until {
                let before = monotonic_ns();
                let own = now_ns();
                let after = monotonic_ns();
                by_counter += u64::from(ANCHOR.get().holds > 1);
                worst = worst.max(before.saturating_sub(own)).max(own.saturating_sub(after));
            }
            assert!(by_counter > 1000, "{by_counter}");
            assert!(worst <= 2 * ERROR_MAX_NS, "{worst} ns");
            assert!(error_ns().is_some_and(|error| error <= ERROR_MAX_NS), "{:?}", error_ns());
        });
    }

    #[test]
    fn a_thread_that_is_off_reads_the_kernels_clock() {
        if !is_usable() {
            return println!("skipped: the kernel does not keep time by the counter here");
        }
        apart(|| {
            begin();
            std::thread::sleep(std::time::Duration::from_millis(12));
            now_ns();
            let right = ANCHOR.get();
            assert!(right.holds > 1);
            // A rate that is 1 % wrong is 200 us at the end of a span.
            ANCHOR.set(Anchor { rate: right.rate + right.rate / 100, ..right });
            std::thread::sleep(std::time::Duration::from_millis(21));
            now_ns();
            if error_ns().is_none() {
                return println!("skipped: this thread slept too long to be judged");
            }
            assert!(matches!(STATE.get(), State::Off) && ANCHOR.get().holds == 0);
            assert!(error_ns() > Some(ERROR_MAX_NS));
            let (before, own, after) = (monotonic_ns(), now_ns(), monotonic_ns());
            assert!(before <= own && own <= after);
        });
    }

    #[test]
    fn a_counter_that_sleeps_or_goes_back_is_left() {
        if !is_usable() {
            return println!("skipped: the kernel does not keep time by the counter here");
        }
        for moved in [-1i64 << 40, 1 << 40] {
            apart(|| {
                begin();
                std::thread::sleep(std::time::Duration::from_millis(12));
                now_ns();
                let State::On(since) = STATE.get() else { panic!("not on") };
                // As if the counter had gone on, or back, by minutes while the clock stood still.
                let shift = |pair: Pair| Pair { ticks: pair.ticks.wrapping_sub_signed(moved), ns: pair.ns };
                let right = ANCHOR.get();
                ANCHOR.set(Anchor { at: shift(right.at), ..right });
                STATE.set(State::On(Pair { ns: since.ns.saturating_sub(RATE_NS), ..shift(since) }));
                let (before, own, after) = (monotonic_ns(), now_ns(), monotonic_ns());
                assert!(before <= own && own <= after, "{moved}");
                assert!(matches!(STATE.get(), State::Off) && ANCHOR.get().holds == 0, "{moved}");
            });
        }
    }

    #[test]
    fn who_did_not_ask_reads_the_kernels_clock() {
        apart(|| {
            now_ns();
            assert_eq!(ANCHOR.get().holds, 0);
            assert_eq!(error_ns(), None);
        });
    }
}
