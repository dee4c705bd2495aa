//! The highest rate of an open loop at which a share of the operations keeps to
//! a latency: a bisection over rates by their logarithm, between the lowest rate
//! that can be judged and what a closed loop reached.
//!
//! Only the choice of rates is here, and the judgement of what came of one; who
//! drives the loads asks for one rate after another. A probe is shorter than the
//! window that counts and may hold by luck: so the rate found must hold in that
//! window too, or the next lower one is tried ([`Search::lower`]).

use hdrhistogram::Histogram;

/// Two rates nearer than this are not told apart: 2 %, about what five trials
/// tell apart in a quiet machine.
pub const RESOLUTION: f64 = 1.02;

/// How much lower the next rate is when one did not hold in the window that
/// counts: 5 %.
pub const STEP_DOWN: f64 = 1.05;

/// How often that is done: to three quarters of the rate found.
pub const STEPS_DOWN_MOST: u32 = 6;

/// What operations are to keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The latency from due to finished, in seconds.
    pub latency_s: f64,
    /// The share of the operations that must not take longer, between 0 and 1.
    pub share: f64,
}

impl Target {
    /// How many operations it takes to judge it: as many as a percentile needs,
    /// so that at least ten may miss it.
    #[must_use]
    pub fn operations(&self) -> u64 {
        let beyond = stats::histogram::PERCENTILE_MIN_BEYOND as f64;
        // 10 / (1 - 0.99) is a little more than 1000 in `f64`.
        (beyond / (1.0 - self.share) * (1.0 - 1e-9)).ceil() as u64
    }

    /// The share of what `latency` holds that kept to it; none of nothing.
    #[must_use]
    pub fn kept(&self, latency: &Histogram<u64>) -> f64 {
        if latency.is_empty() {
            return 0.0;
        }
        let longest_ns = (self.latency_s * 1e9).round() as u64;
        latency.count_between(0, longest_ns) as f64 / latency.len() as f64
    }

    /// Whether it was kept to: by the share asked for, and by operations enough
    /// to say so.
    #[must_use]
    pub fn holds(&self, latency: &Histogram<u64>) -> bool {
        latency.len() >= self.operations() && self.kept(latency) >= self.share
    }
}

/// What came of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The rate, 1/s.
    pub rate: f64,
    /// The share of the operations that kept to the latency.
    pub kept: f64,
    /// Whether that is enough.
    pub holds: bool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Try this rate.
    Try(f64),
    /// This is the highest that held.
    Found(f64),
    /// None held, not even the lowest that can be judged.
    Nothing,
}

/// A search under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    lowest: f64,
    /// The highest rate that held.
    low: Option<f64>,
    /// The lowest that did not; nothing above what a closed loop reached can be
    /// held for ever.
    high: f64,
    tried: Vec<Probe>,
}

impl Search {
    /// Between the lowest rate that can be judged and the rate of a closed loop,
    /// both 1/s.
    #[must_use]
    pub fn new(lowest: f64, ceiling: f64) -> Self {
        Self { lowest, low: None, high: ceiling, tried: Vec::new() }
    }

    /// Which rate to try, or what was found.
    #[must_use]
    pub fn next(&self) -> Next {
        let low = self.low.unwrap_or(self.lowest);
        if self.high > low * RESOLUTION {
            return Next::Try((low * self.high).sqrt());
        }
        match self.low {
            Some(rate) => Next::Found(rate),
            None if self.high > self.lowest => Next::Try(self.lowest),
            None => Next::Nothing,
        }
    }

    /// What came of the rate that was to be tried.
    pub fn tell(&mut self, probe: Probe) {
        self.tried.push(probe);
        if probe.holds {
            self.low = Some(probe.rate);
        } else {
            self.high = probe.rate;
        }
    }

    /// All that was tried, in order.
    #[must_use]
    pub fn tried(&self) -> &[Probe] {
        &self.tried
    }

    /// The rate to count at after `probe`, which did not hold in the window that
    /// counts, where `done` operations a second ended: a step lower, and no more
    /// than was done, for a burst that the probes had may be over. Absent when that
    /// was done often enough, or none lower can be judged.
    pub fn lower(&mut self, probe: Probe, done: f64, steps: u32) -> Option<f64> {
        self.tried.push(probe);
        let rate = probe.rate / STEP_DOWN;
        // Where the window was stalled, what was done may be less than can be judged.
        (steps < STEPS_DOWN_MOST && rate >= self.lowest).then_some(rate.min(done).max(self.lowest))
    }
}

#[cfg(test)]
mod tests {
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Searches on a system that is a function of the rate.
    fn search(lowest: f64, ceiling: f64, mut holds: impl FnMut(f64) -> bool) -> (Next, usize) {
        let mut search = Search::new(lowest, ceiling);
        loop {
            match search.next() {
                Next::Try(rate) => {
                    assert!((lowest..=ceiling).contains(&rate), "{rate}");
                    let holds = holds(rate);
                    search.tell(Probe { rate, kept: f64::from(u8::from(holds)), holds });
                    assert!(search.tried().len() < 40, "it never ends");
                }
                other => return (other, search.tried().len()),
            }
        }
    }

    #[test]
    fn the_edge_is_found_from_below_wherever_it_is() {
        for edge in [101.0, 150.0, 1234.0, 56_789.0, 98_000.0] {
            let (next, tried) = search(100.0, 100_000.0, |rate| rate <= edge);
            let Next::Found(rate) = next else { panic!("{edge}: {next:?}") };
            assert!(rate <= edge && rate * RESOLUTION >= edge, "{rate} of {edge}");
            // ln(1000) / ln(1.02) is 349, less than 2^9.
            assert!(tried <= 10, "{tried} probes for {edge}");
        }
    }

    #[test]
    fn what_nothing_holds_and_what_everything_holds_is_told_apart() {
        assert_eq!(search(100.0, 1e5, |_| false).0, Next::Nothing);
        assert_eq!(search(100.0, 1e5, |rate| rate <= 100.0).0, Next::Found(100.0));
        let Next::Found(rate) = search(100.0, 1e5, |_| true).0 else { panic!("nothing was found") };
        assert!(rate * RESOLUTION >= 1e5 && rate < 1e5, "{rate}");
        // A target that is too slow to be judged at all.
        assert_eq!(search(100.0, 90.0, |_| true), (Next::Nothing, 0));
        assert_eq!(search(100.0, 101.0, |_| true), (Next::Found(100.0), 1));
    }

    /// One server whose service takes 1 s, arrivals at random: the share of
    /// operations that wait at most `t` seconds, by Crommelin's formula (1932; as
    /// in Gross and others, Fundamentals of Queueing Theory, section 5.1.5).
    fn waits_at_most(rate: f64, t: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..=t.floor() as i32 {
            let x = rate * (f64::from(k) - t);
            let mut term = (-x).exp();
            for factor in 1..=k {
                term *= x / f64::from(factor);
            }
            sum += term;
        }
        (1.0 - rate) * sum
    }

    /// The same by trying it: Lindley's recursion over so many operations.
    fn simulated(target: Target, rate: f64, operations: u32, seed: u64) -> Probe {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut latency = stats::histogram::new_latency();
        let mut wait = 0.0f64;
        for _ in 0..operations {
            latency.saturating_record(((wait + 1.0) * 1e9) as u64);
            let word = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
            wait = (wait + 1.0 + word.ln() / rate).max(0.0);
        }
        Probe { rate, kept: target.kept(&latency), holds: target.holds(&latency) }
    }

    #[test]
    fn on_a_queue_that_is_known_the_known_rate_is_found() {
        // Between 2 and 10 times the service time, and different shares.
        for (latency_s, share) in [(3.0, 0.9), (5.0, 0.99), (10.0, 0.99), (2.0, 0.5), (8.0, 0.999)] {
            let target = Target { latency_s, share };
            let (mut low, mut high) = (0.001, 0.999);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                if waits_at_most(middle, latency_s - 1.0) >= share { low = middle } else { high = middle }
            }
            let mut seed = 0;
            let (next, _) = search(0.01, 1.0, |rate| {
                seed += 1;
                simulated(target, rate, 400_000, seed).holds
            });
            let Next::Found(rate) = next else { panic!("{target:?}: {next:?}") };
            // The resolution, and the noise of a simulation of that length.
            assert!((rate / low - 1.0).abs() < 0.04, "{target:?}: {rate}, and by the formula {low}");
        }
    }

    #[test]
    fn a_formula_of_the_literature_gives_its_known_values() {
        // Nobody waits with probability 1 - rho; and by hand at t = 1, rho = 0.5:
        // 0.5 (e^0.5 + 0) = 0.8244.
        assert!((waits_at_most(0.3, 0.0) - 0.7).abs() < 1e-12);
        assert!((waits_at_most(0.5, 1.0) - 0.5 * 0.5f64.exp()).abs() < 1e-12);
        assert!(waits_at_most(0.5, 20.0) > 0.999_999);
    }

    #[test]
    fn too_few_operations_hold_nothing() {
        let target = Target { latency_s: 1.0, share: 0.99 };
        assert_eq!(target.operations(), 1000);
        assert_eq!(Target { share: 0.999, ..target }.operations(), 10_000);
        let mut latency = stats::histogram::new_latency();
        assert_eq!((target.kept(&latency), target.holds(&latency)), (0.0, false));
        latency.saturating_record_n(1_000_000, 999);
        assert_eq!((target.kept(&latency), target.holds(&latency)), (1.0, false));
        latency.saturating_record_n(1_500_000_000, 10);
        assert!(target.holds(&latency), "{}", target.kept(&latency));
        latency.saturating_record(1_500_000_000);
        assert!(!target.holds(&latency), "{}", target.kept(&latency));
    }

    #[test]
    fn a_rate_that_does_not_hold_when_it_counts_is_lowered_a_few_times() {
        let mut search = Search::new(70.0, 200.0);
        let mut rates = vec![100.0];
        for steps in 0.. {
            let probe = Probe { rate: rates[rates.len() - 1], kept: 0.5, holds: false };
            let Some(rate) = search.lower(probe, 100.0, steps) else { break };
            rates.push(rate);
        }
        assert_eq!(rates.len(), 7);
        assert!((rates[6] - 100.0 / 1.05f64.powi(6)).abs() < 1e-9);
        assert_eq!(search.tried().len(), 7);
        assert_eq!(
            Search::new(99.0, 200.0).lower(Probe { rate: 100.0, kept: 0.0, holds: false }, 100.0, 0),
            None
        );
    }

    #[test]
    fn after_a_burst_the_next_rate_is_what_the_window_gave() {
        // Probes had tokens that were saved up; the window that counts has 500 a second.
        let mut search = Search::new(40.0, 2000.0);
        let missed = Probe { rate: 1200.0, kept: 0.4, holds: false };
        assert_eq!(search.lower(missed, 500.0, 0), Some(500.0));
        let near = Probe { rate: 500.0, kept: 0.8, holds: false };
        assert_eq!(search.lower(near, 499.0, 1), Some(500.0 / STEP_DOWN));
        // A stall is no reason to give up.
        assert_eq!(search.lower(near, 0.0, 2), Some(40.0));
    }
}
