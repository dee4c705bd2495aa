//! When the next operation is due.
//!
//! In a closed loop it is due the moment a slot is free. In an open loop due
//! times come from a rate and do not wait for anything: an operation that must
//! wait for a slot is late, and the wait is part of its latency, because a user
//! would have waited too.

use std::sync::Arc;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// When the next operation of one worker is due.
pub trait Schedule {
    /// Whether due times are independent of completions; only then is service
    /// time another figure than latency.
    const OPEN: bool;

    /// When the next operation is due, in ns; in a closed loop that is `now_ns`.
    fn next_due_ns(&self, now_ns: u64) -> u64;

    /// The operation last asked for was started.
    fn advance(&mut self);

    /// Tells `each` when operations were due that are due before `end_ns` and
    /// were not started, and how many at that moment; ends at `end_ns`. However
    /// many there are, the time that this takes is bounded.
    fn owed(&mut self, end_ns: u64, each: impl FnMut(u64, u64));
}

/// As soon as a slot is free.
#[derive(Clone, Copy, Debug, Default)]
pub struct Closed;

impl Schedule for Closed {
    const OPEN: bool = false;

    #[inline]
    fn next_due_ns(&self, now_ns: u64) -> u64 {
        now_ns
    }

    #[inline]
    fn advance(&mut self) {}

    fn owed(&mut self, _end_ns: u64, _each: impl FnMut(u64, u64)) {}
}

/// How an open loop's operations arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At equal distances.
    Fixed,
    /// With exponential gaps: a Poisson process.
    Poisson,
}

/// When each operation of one worker is due, one by one.
pub trait DueTimes: Send + Sync + std::fmt::Debug {
    /// When operation number `sequence` of the worker is due, in nanoseconds from the start and never
    /// before the one before it; `None` behind the last one.
    fn due_ns(&self, sequence: u64) -> Option<u64>;
}

/// At a rate, or at times that are given, whatever the target does.
///
/// The load's rate is shared out: worker *w* of *n* has the arrivals *w*,
/// *w + n*, *w + 2n* ... of the fixed schedule, or a Poisson process of rate
/// *r / n* of its own; independent Poisson processes add up to one of rate *r*
/// (Kingman, Poisson Processes, 1993, section 2.2).
///
/// Due times are counted from the start. As nanoseconds of a clock that has run
/// for months, gaps of less than a few nanoseconds would be lost in rounding.
#[derive(Clone, Debug)]
pub struct Open {
    start_ns: u64,
    /// From the start to the next operation.
    due_ns: f64,
    gap_ns: f64,
    arrivals: Gaps,
}

/// What comes between two arrivals.
#[derive(Clone, Debug)]
enum Gaps {
    /// The same each time: so many, after so many nanoseconds. Multiplied, not
    /// added up, for sums drift.
    Fixed { first_ns: f64, gone: f64 },
    /// Exponential ones.
    Poisson(Xoshiro256PlusPlus),
    /// As somebody says, after so many operations. Behind the last one the next is due with it: that there
    /// is none is the stop rule's matter.
    Listed { times: Arc<dyn DueTimes>, gone: u64 },
}

impl Open {
    /// The most moments at which [`Schedule::owed`] tells of operations: beyond,
    /// those that were due within a 262,144th of the time are told of together.
    const MOMENTS_MAX: f64 = (1 << 18) as f64;

    /// The schedule of worker `worker` of `workers`, which together make
    /// `rate_per_s`, from `start_ns` on.
    #[must_use]
    pub fn new(start_ns: u64, rate_per_s: f64, arrivals: Arrivals, worker: WorkerIndex, seed: u64) -> Self {
        let gap_ns = 1e9 / rate_per_s * worker.of as f64;
        let own = seed ^ (worker.index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first_ns = gap_ns * worker.index as f64 / worker.of as f64;
        match arrivals {
            Arrivals::Fixed => {
                let arrivals = Gaps::Fixed { first_ns, gone: 0.0 };
                Self { start_ns, due_ns: first_ns, gap_ns, arrivals }
            }
            Arrivals::Poisson => {
                let arrivals = Gaps::Poisson(Xoshiro256PlusPlus::seed_from_u64(own));
                let mut open = Self { start_ns, due_ns: 0.0, gap_ns, arrivals };
                open.advance();
                open
            }
        }
    }
}

impl Open {
    /// The schedule of a worker whose operations are due when `times` says, from `start_ns` on.
    #[must_use]
    pub fn listed(start_ns: u64, times: Arc<dyn DueTimes>) -> Self {
        let due_ns = times.due_ns(0).unwrap_or(0) as f64;
        Self { start_ns, due_ns, gap_ns: 0.0, arrivals: Gaps::Listed { times, gone: 0 } }
    }

    /// What [`Schedule::owed`] tells of a list: of so many operations together that there are not too
    /// many moments.
    fn owed_of_list(&self, end_ns: u64, mut each: impl FnMut(u64, u64)) {
        let Gaps::Listed { times, gone } = &self.arrivals else { return };
        let due_ns = |number: u64| {
            let ns = times.due_ns(gone.saturating_add(number))?;
            Some(self.start_ns.saturating_add(ns))
        };
        let owed = count_while(|number| due_ns(number).is_some_and(|due_ns| due_ns < end_ns));
        let together = owed.div_ceil(Self::MOMENTS_MAX as u64).max(1);
        for first in (0..owed).step_by(together as usize) {
            let count = together.min(owed - first);
            each(due_ns(first + count / 2).unwrap_or(end_ns), count);
        }
    }
}

/// How many numbers from 0 on `is_in` holds for, which does not hold again once it does not. A list may
/// have no end, so they are not gone through one by one.
fn count_while(is_in: impl Fn(u64) -> bool) -> u64 {
    const MOST: u64 = 1 << 62;
    let (mut known, mut beyond) = (0, 1);
    while beyond < MOST && is_in(beyond - 1) {
        (known, beyond) = (beyond, beyond * 2);
    }
    while beyond - known > 1 {
        let middle = u64::midpoint(known, beyond);
        if is_in(middle - 1) {
            known = middle;
        } else {
            beyond = middle;
        }
    }
    known
}

/// Which worker of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerIndex {
    /// From 0.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

impl Schedule for Open {
    const OPEN: bool = true;

    #[inline]
    fn next_due_ns(&self, _now_ns: u64) -> u64 {
        self.start_ns.saturating_add(self.due_ns as u64)
    }

    #[inline]
    fn advance(&mut self) {
        match &mut self.arrivals {
            Gaps::Fixed { first_ns, gone } => {
                *gone += 1.0;
                self.due_ns = *first_ns + *gone * self.gap_ns;
            }
            // Inversion: -ln(u) of a uniform u in (0, 1] is exponential with
            // mean 1. 53 bits, so that u is exact and never 0.
            Gaps::Poisson(random) => {
                let share = -((((random.next_u64() >> 11) + 1) as f64) / (1u64 << 53) as f64).ln();
                self.due_ns += self.gap_ns * share;
            }
            Gaps::Listed { times, gone } => {
                *gone += 1;
                self.due_ns = times.due_ns(*gone).map_or(self.due_ns, |ns| ns as f64);
            }
        }
    }

    fn owed(&mut self, end_ns: u64, mut each: impl FnMut(u64, u64)) {
        if matches!(self.arrivals, Gaps::Listed { .. }) {
            return self.owed_of_list(end_ns, each);
        }
        // Within a moment a Poisson process has its mean: it is of very many.
        let moment_ns = (end_ns.saturating_sub(self.next_due_ns(end_ns))) as f64 / Self::MOMENTS_MAX;
        if moment_ns <= self.gap_ns {
            while self.next_due_ns(end_ns) < end_ns {
                each(self.next_due_ns(end_ns), 1);
                self.advance();
            }
            return;
        }
        while self.next_due_ns(end_ns) < end_ns {
            let begin_ns = self.due_ns;
            self.due_ns = (begin_ns + moment_ns.max(1.0)).min((end_ns - self.start_ns) as f64);
            let gone = |until_ns: f64| (until_ns / self.gap_ns).ceil() as u64;
            let middle_ns = f64::midpoint(begin_ns, self.due_ns) as u64;
            each(self.start_ns.saturating_add(middle_ns), gone(self.due_ns).saturating_sub(gone(begin_ns)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_fast_rate_stood_still_on_a_machine_that_was_up_for_long() {
        let year_ns = 365 * 86_400 * 1_000_000_000;
        let worker_index = WorkerIndex { index: 0, of: 1 };
        for (rate, after_ns) in [(1e9, 1_000), (3e6, 333_333), (1e10, 100)] {
            let mut open = Open::new(year_ns, rate, Arrivals::Fixed, worker_index, 1);
            for _ in 0..1000 {
                open.advance();
            }
            assert!(open.next_due_ns(0).abs_diff(year_ns + after_ns) <= 1, "{rate}");
        }
        // The slowest and the fastest that may be typed.
        for rate in [1e-6, 1e15] {
            let mut open =
                Open::new(year_ns, rate, Arrivals::Poisson, WorkerIndex { index: 1023, of: 1024 }, 1);
            open.advance();
            assert!(open.next_due_ns(0) >= year_ns);
        }
    }

    fn arrivals(kind: Arrivals, workers: usize, seed: u64, count: usize) -> Vec<u64> {
        let mut all = Vec::new();
        for index in 0..workers {
            let mut open = Open::new(0, 1000.0, kind, WorkerIndex { index, of: workers }, seed);
            for _ in 0..count / workers {
                all.push(open.next_due_ns(0));
                open.advance();
            }
        }
        all.sort_unstable();
        all
    }

    #[test]
    fn fixed_arrivals_of_all_workers_are_evenly_spaced() {
        let all = arrivals(Arrivals::Fixed, 4, 1, 400);
        assert!(all.windows(2).all(|w| w[1] - w[0] == 1_000_000), "{all:?}");
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_spread_of_an_exponential() {
        let all = arrivals(Arrivals::Poisson, 2, 7, 40_000);
        // The tails of single workers end at different times.
        let gaps: Vec<f64> = all[..30_000].windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.03, "mean {mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "cv {}", variance.sqrt() / mean);
    }

    #[test]
    fn the_same_seed_gives_the_same_arrivals() {
        assert_eq!(arrivals(Arrivals::Poisson, 2, 3, 100), arrivals(Arrivals::Poisson, 2, 3, 100));
        assert_ne!(arrivals(Arrivals::Poisson, 2, 3, 100), arrivals(Arrivals::Poisson, 2, 4, 100));
    }

    /// How many operations are owed at the end, and at how many moments.
    fn owed(mut open: Open, end_ns: u64) -> (u64, usize) {
        let (mut count, mut moments) = (0_u64, 0);
        open.owed(end_ns, |due_ns, together| {
            assert!(due_ns < end_ns);
            count = count.saturating_add(together);
            moments += 1;
        });
        (count, moments)
    }

    #[test]
    fn regression_what_an_open_loop_owed_was_gone_through_one_by_one() {
        let alone = WorkerIndex { index: 0, of: 1 };
        let end_ns = 1_000_000_000 + 5_000_000_000;
        for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
            let of = |rate: f64| owed(Open::new(1_000_000_000, rate, arrivals, alone, 3), end_ns);
            // Few are told of singly, each at its own time.
            let (count, moments) = of(1000.0);
            assert_eq!(count as usize, moments);
            assert!((count as f64 / 5000.0 - 1.0).abs() < 0.1, "{count}");
            for rate in [1e6, 1e10, 1e15] {
                let (count, moments) = of(rate);
                assert!((count as f64 / (5.0 * rate) - 1.0).abs() < 1e-4, "{count} of {}", 5.0 * rate);
                assert!(moments <= 1 << 19, "{moments}");
            }
            // No rate makes it go on for ever.
            assert!(of(1e300).0 > u64::MAX / 2);
            of(f64::INFINITY);
        }
        let (count, _) = owed(Open::new(1_000_000_000, 1e10, Arrivals::Fixed, alone, 3), end_ns);
        assert_eq!(count, 50_000_000_000);
    }

    /// One operation every so many nanoseconds, so many times.
    #[derive(Debug)]
    struct Every(u64, u64);

    impl DueTimes for Every {
        fn due_ns(&self, sequence: u64) -> Option<u64> {
            (sequence < self.1).then_some(sequence * self.0)
        }
    }

    #[test]
    fn listed_operations_are_due_when_the_list_says() {
        let mut open = Open::listed(1000, Arc::new(Every(10, 4)));
        let mut due = Vec::new();
        for _ in 0..6 {
            due.push(open.next_due_ns(0));
            open.advance();
        }
        // Behind the last one nothing waits for a time that never comes.
        assert_eq!(due, [1000, 1010, 1020, 1030, 1030, 1030]);
        assert_eq!(owed(open, u64::MAX), (0, 0));
        let mut open = Open::listed(1000, Arc::new(Every(10, 4)));
        open.advance();
        let mut told = Vec::new();
        open.owed(1025, |due_ns, count| told.push((due_ns, count)));
        assert_eq!(told, [(1010, 1), (1020, 1)]);
        let many = Open::listed(0, Arc::new(Every(3, 1_000_001)));
        let (count, moments) = owed(many, 3_000_001);
        assert_eq!(count, 1_000_001);
        assert!(moments <= 1 << 18, "{moments}");
        // A list that has no end, for as long as a trial may last: nobody goes through that one by one.
        let endless = Open::listed(7, Arc::new(Every(1, u64::MAX)));
        let (count, moments) = owed(endless, 7 + 3650 * 86_400 * 1_000_000_000);
        assert_eq!(count, 3650 * 86_400 * 1_000_000_000);
        assert!(moments <= 1 << 18, "{moments}");
    }

    #[test]
    fn numbers_are_counted_by_halves() {
        for count in [0, 1, 2, 3, 7, 8, 9, 1000, 1 << 40] {
            assert_eq!(count_while(|number| number < count), count);
        }
    }

    #[test]
    fn a_clock_that_has_run_for_years_does_not_round_the_rate() {
        for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
            // Ten years; neighbouring f64 of that are 64 ns apart.
            let start_ns = 315_000_000_000_000_000;
            let mut open = Open::new(start_ns, 1e8, arrivals, WorkerIndex { index: 0, of: 1 }, 3);
            for _ in 0..100_000 {
                open.advance();
            }
            let gone_ns = open.next_due_ns(0) - start_ns;
            assert!((gone_ns as f64 / 1e6 - 1.0).abs() < 0.02, "{gone_ns}");
        }
    }
}
