//! How a rate grows with the threads: Amdahl's law, and what share of the work is serial.
//!
//! Of work of which the share `s` must be done by one thread at a time, n threads do
//!
//! ```text
//! S(n) = 1 / (s + (1 - s) / n)
//! ```
//!
//! times what one does (Amdahl, "Validity of the single processor approach to achieving large scale
//! computing capabilities", AFIPS 30, 1967). [`fit`] finds the `s` and the rate of one thread with
//! the least sum of squared distances of logarithms, so that one per cent off counts alike at one
//! thread and at sixty-four, and no point, that of one thread neither, is taken as exact. Of two
//! points the curve goes through both, and `s` is the metric of Karp and Flatt,
//! (1 / S - 1 / n) / (1 - 1 / n) ("Measuring parallel processor performance", Communications of the
//! ACM 33(5), 1990).
//!
//! [`of_rounds`] gives the interval. Three to six points are too few for one from how far they lie
//! from the curve: with one degree of freedom it would be wide by chance or narrow by chance. But
//! each point was measured in several rounds, one trial a round, so each round has a whole curve of
//! its own: it is fitted alone, and the interval is that of the mean of these shares by Student's t.
//! A round in which the machine was slow as a whole is no wider for it, since `s` does not see the
//! rate of one thread. What such an interval does not say is whether the law holds: that is
//! [`Fit::worst`] and [`Fit::is_good`].
//!
//! What this is not: a cause. The "serial share" of a fit is whatever keeps threads from helping: a
//! lock, memory that all share, a clock rate that falls as cores wake, two threads on one core. A
//! rate that falls with more threads is no such law at all (Gunther's universal law has a term for
//! it, "A General Theory of Computational Scalability Based on Rational Functions", 2008);
//! [`falls`] tells it, and the fit is not given then.

use crate::interval::{Interval, Method, student};

/// The fit is said to hold while no point is further off, as a fraction.
pub const OFF_MOST: f64 = 0.05;

/// A rate that is lower by this fraction than at fewer threads has fallen.
pub const FALL_LEAST: f64 = 0.03;

/// How far beyond 0 and 1 the share is looked for. Below 0 more threads do more than their number
/// (each has a cache of its own); noise alone brings a perfect scaling there in every second round,
/// and to cut it off would make the mean of rounds too large.
const SHARE_LOW: f64 = -0.5;
const SHARE_HIGH: f64 = 1.0;

/// Places at which the sum of squares is looked at before the best is narrowed down.
const GRID: usize = 300;

/// A rate at a number of threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingPoint {
    /// How many threads, 1 or more.
    pub threads: f64,
    /// What they did per second together.
    pub rate: f64,
}

/// A law that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The share of the work that is serial, 0 to 1; a little below 0 where more threads do more
    /// than their number.
    pub serial: f64,
    /// The rate of one thread on the curve, in the unit of the rates.
    pub one: f64,
    /// How far the point that fits least is off, as a fraction of the curve there.
    pub worst: f64,
    /// How many different numbers of threads it was made of.
    pub levels: usize,
}

impl Fit {
    /// The rate on the curve.
    #[must_use]
    pub fn at(&self, threads: f64) -> f64 {
        self.one * speedup(self.serial, threads)
    }

    /// Whether the points follow the law. Two points always do, for there is nothing to check.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.worst <= OFF_MOST
    }
}

/// How many times the rate of one thread `threads` have, when `serial` of the work is serial.
#[must_use]
pub fn speedup(serial: f64, threads: f64) -> f64 {
    threads / (1.0 + serial * (threads - 1.0))
}

/// The law through these points.
///
/// `None` for fewer than two different numbers of threads, a number below 1, or a rate that is not
/// above 0.
#[must_use]
pub fn fit(points: &[ScalingPoint]) -> Option<Fit> {
    let sane =
        |p: &ScalingPoint| p.threads.is_finite() && p.threads >= 1.0 && p.rate.is_finite() && p.rate > 0.0;
    let mut levels: Vec<f64> = points.iter().map(|p| p.threads).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    if levels.len() < 2 || !points.iter().all(sane) {
        return None;
    }
    let most = levels.last().copied()?;
    // Below this the law has no value at the most threads.
    let low = SHARE_LOW.max(-0.99 / (most - 1.0));
    let cost = |serial: f64| residuals(points, serial).1;
    let at = |i: usize| low + (SHARE_HIGH - low) * i as f64 / GRID as f64;
    let best = (0..=GRID).min_by(|a, b| cost(at(*a)).total_cmp(&cost(at(*b))))?;
    let serial = narrowed(cost, (at(best.saturating_sub(1)), at((best + 1).min(GRID))));
    let (one, _) = residuals(points, serial);
    let fit = Fit { serial, one, worst: 0.0, levels: levels.len() };
    let worst = points.iter().map(|p| (p.rate / fit.at(p.threads) - 1.0).abs()).fold(0.0, f64::max);
    (one.is_finite() && worst.is_finite()).then_some(Fit { worst, ..fit })
}

/// The rate of one thread that fits a share best, and the sum of squares that is left.
fn residuals(points: &[ScalingPoint], serial: f64) -> (f64, f64) {
    let off = |p: &ScalingPoint| p.rate.ln() - speedup(serial, p.threads).ln();
    let mean = points.iter().map(off).sum::<f64>() / points.len() as f64;
    (mean.exp(), points.iter().map(|p| (off(p) - mean).powi(2)).sum())
}

/// The least of a function that has one between these ends: by thirds, to 1e-9.
fn narrowed(cost: impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    while high - low > 1e-9 {
        let third = (high - low) / 3.0;
        if cost(low + third) <= cost(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    f64::midpoint(low, high)
}

/// The interval of the serial share from rounds, each with a point for every number of threads.
///
/// `confidence` is a fraction. A round that lacks a number of threads that others have is left out,
/// for it would be another curve. `None` for fewer than two whole rounds.
#[must_use]
pub fn of_rounds(rounds: &[Vec<ScalingPoint>], confidence: f64) -> Option<Interval> {
    let most = rounds.iter().map(Vec::len).max()?;
    let whole = rounds.iter().filter(|r| r.len() == most);
    let shares: Vec<f64> = whole.filter_map(|r| fit(r)).map(|f| f.serial).collect();
    let (low, high) = student::of_mean(&shares, confidence)?;
    Interval::new(low, high, confidence, Method::Student)
}

/// Where the rate falls: the number of threads with the highest rate, if one with more has less by
/// [`FALL_LEAST`].
#[must_use]
pub fn falls(points: &[ScalingPoint]) -> Option<ScalingPoint> {
    let best = points.iter().copied().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let fallen = |p: &ScalingPoint| p.threads > best.threads && p.rate < best.rate * (1.0 - FALL_LEAST);
    points.iter().any(fallen).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(serial: f64, one: f64, threads: &[f64]) -> Vec<ScalingPoint> {
        threads.iter().map(|n| ScalingPoint { threads: *n, rate: one * speedup(serial, *n) }).collect()
    }

    #[test]
    fn the_law_is_amdahls() {
        // Half serial: never more than twice; 1 / (0.5 + 0.5 / 4) = 1.6.
        assert!((speedup(0.5, 4.0) - 1.6).abs() < 1e-12);
        assert!((speedup(0.5, 1e12) - 2.0).abs() < 1e-9);
        assert_eq!((speedup(0.0, 64.0), speedup(1.0, 64.0), speedup(0.3, 1.0)), (64.0, 1.0, 1.0));
    }

    #[test]
    fn what_was_put_in_comes_out() {
        for serial in [0.0, 0.01, 0.05, 0.2, 0.5, 0.95] {
            let fit = fit(&law(serial, 123.0, &[1.0, 2.0, 4.0, 8.0, 16.0])).unwrap();
            assert!((fit.serial - serial).abs() < 1e-6, "{serial}: {fit:?}");
            assert!((fit.one - 123.0).abs() < 1e-3 && fit.worst < 1e-6 && fit.is_good(), "{fit:?}");
            assert!((fit.at(8.0) - 123.0 * speedup(serial, 8.0)).abs() < 1e-3);
            assert_eq!(fit.levels, 5);
        }
    }

    #[test]
    fn two_points_are_karp_and_flatt() {
        let points = [ScalingPoint { threads: 1.0, rate: 100.0 }, ScalingPoint { threads: 4.0, rate: 320.0 }];
        // (1/3.2 - 1/4) / (1 - 1/4)
        let fit = fit(&points).unwrap();
        assert!((fit.serial - 0.062_5 / 0.75).abs() < 1e-8, "{fit:?}");
        assert!(fit.worst < 1e-8);
    }

    #[test]
    fn more_than_ideal_is_a_share_below_nothing() {
        let points = [1.0, 2.0, 4.0].map(|n: f64| ScalingPoint { threads: n, rate: n.powf(1.02) });
        let fit = fit(&points).unwrap();
        assert!(fit.serial < 0.0 && fit.serial > -0.05, "{fit:?}");
    }

    #[test]
    fn a_curve_that_is_another_one_does_not_fit() {
        // Ideal to four, and then a wall, as of a memory that is full.
        let rates = [(1.0, 10.0), (2.0, 20.0), (4.0, 40.0), (8.0, 41.0), (16.0, 41.0)];
        let points = rates.map(|(threads, rate)| ScalingPoint { threads, rate });
        assert!(!fit(&points).unwrap().is_good());
        assert_eq!(falls(&points), None);
        let mut falling = points;
        falling[4].rate = 30.0;
        assert_eq!(falls(&falling).map(|p| p.threads), Some(8.0));
        // Two per cent less is noise.
        falling[4].rate = 40.3;
        assert_eq!(falls(&falling), None);
    }

    #[test]
    fn what_cannot_be_fitted_is_absent() {
        let one = ScalingPoint { threads: 1.0, rate: 1.0 };
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[one, one]), None);
        for bad in [
            ScalingPoint { threads: 0.0, rate: 1.0 },
            ScalingPoint { threads: f64::NAN, rate: 1.0 },
            ScalingPoint { threads: 2.0, rate: 0.0 },
            ScalingPoint { threads: 2.0, rate: f64::INFINITY },
        ] {
            assert_eq!(fit(&[one, bad]), None, "{bad:?}");
        }
        assert_eq!(falls(&[]), None);
        assert_eq!(of_rounds(&[], 0.95), None);
        assert_eq!(of_rounds(&[law(0.1, 1.0, &[1.0, 2.0])], 0.95), None);
    }

    /// Sums of uniform numbers, about normal.
    fn noisy(seed: &mut u64, noise: f64) -> f64 {
        let mut uniform = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 11) as f64 / (1u64 << 53) as f64
        };
        1.0 + noise * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)
    }

    #[test]
    fn the_interval_holds_the_true_share_as_often_as_it_says() {
        let mut seed = 7;
        for (serial, rounds) in [(0.0, 5), (0.04, 3), (0.04, 5), (0.3, 5)] {
            let mut held = 0;
            for _ in 0..1000 {
                let round = |seed: &mut u64| {
                    // A round may be slow as a whole, and each of its trials by itself.
                    let all = noisy(seed, 0.05);
                    let mut points = law(serial, 100.0 * all, &[1.0, 2.0, 4.0, 8.0]);
                    points.iter_mut().for_each(|p| p.rate *= noisy(seed, 0.01));
                    points
                };
                let all: Vec<Vec<ScalingPoint>> = (0..rounds).map(|_| round(&mut seed)).collect();
                held += usize::from(of_rounds(&all, 0.95).unwrap().contains(serial));
            }
            assert!((925..=975).contains(&held), "{serial}, {rounds} rounds: {held} of 1000");
        }
    }

    #[test]
    fn a_round_with_a_hole_is_left_out() {
        let whole = law(0.1, 1.0, &[1.0, 2.0, 4.0]);
        let hole = law(0.9, 1.0, &[1.0, 2.0]);
        let interval = of_rounds(&[whole.clone(), hole, whole], 0.95).unwrap();
        assert!((interval.low - 0.1).abs() < 1e-6 && (interval.high - 0.1).abs() < 1e-6, "{interval:?}");
    }
}
