//! From which size on a transfer's time grows as its size does: the saturation point of a message
//! size sweep, NetPIPE's way of looking at a path (Snell, Mikler and Gustafson, "NetPIPE: A Network
//! Protocol Independent Performance Evaluator", 1996).
//!
//! On logarithmic axes small messages lie on a line of small slope, for latency is all that they
//! take, and large ones on a line of slope 1. [`fit`] finds where the second begins: of all curves
//!
//! ```text
//! ln t(n) = a + b min(ln n, k) + max(ln n - k, 0)
//! ```
//!
//! the one with the least sum of squares. `a` and `b` follow from `k` by linear least squares, so
//! only `k` is looked for. Its interval holds every `k` whose sum of squares is not larger than the
//! best by more than F(1, N - 3) allows (the profile of the likelihood; Seber and Wild, "Nonlinear
//! Regression", 1989, section 5.4).
//!
//! What this is not: the size at which half of the greatest rate is reached. Of the plain model
//! t = t0 + n / B both are t0 B, and real paths differ: [`half`] is that one.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// The least number of sizes that a fit is made of: three unknowns, and something to judge them by.
const SIZES_LEAST: usize = 6;

/// Places at which the sum of squares is looked at.
const GRID: usize = 2000;

/// A size and how long it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferPoint {
    /// Bytes of a message, above 0.
    pub size: f64,
    /// Seconds one way, above 0.
    pub time: f64,
}

/// Where time begins to grow as the size does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// The size, in bytes.
    pub size: f64,
    /// The least size that cannot be told from it, in bytes.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// The slope before it, on logarithmic axes: 0 where time does not depend on the size.
    pub slope: f64,
    /// Bytes per second beyond it.
    pub rate: f64,
    /// `a`: the logarithm of the seconds of one byte on the first line.
    intercept: f64,
}

impl Saturation {
    /// Seconds on the curve.
    #[must_use]
    pub fn at(&self, size: f64) -> f64 {
        let (x, k) = (size.ln(), self.size.ln());
        (self.intercept + self.slope * x.min(k) + (x - k).max(0.0)).exp()
    }
}

/// The fit for one `k`.
struct Candidate {
    squares: f64,
    intercept: f64,
    slope: f64,
}

/// Linear least squares of what is left when the second line is taken away.
fn with(points: &[(f64, f64)], k: f64) -> Option<Candidate> {
    let n = points.len() as f64;
    let reduced = || points.iter().map(|(x, y)| (x.min(k), y - (x - k).max(0.0)));
    let (sum_x, sum_y) = reduced().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (xx, xy) = reduced()
        .fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + (x - mean_x).powi(2), xy + (x - mean_x) * (y - mean_y)));
    if xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let intercept = mean_y - slope * mean_x;
    let squares = reduced().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
    Some(Candidate { squares, intercept, slope })
}

/// The saturation point of a sweep, with the interval of `confidence` (0 to 1).
///
/// `None` where there are fewer than six sizes, a size or time is not above 0, or no such point lies
/// inside the sweep: time grows as the size does from the first on, or never comes to.
#[must_use]
pub fn fit(points: &[TransferPoint], confidence: f64) -> Option<Saturation> {
    let sane = |v: f64| v > 0.0 && v.is_finite();
    if points.iter().any(|p| !sane(p.size) || !sane(p.time)) {
        return None;
    }
    let mut logs: Vec<(f64, f64)> = points.iter().map(|p| (p.size.ln(), p.time.ln())).collect();
    logs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sizes: Vec<f64> = logs.iter().map(|(x, _)| *x).collect();
    sizes.dedup();
    if sizes.len() < SIZES_LEAST {
        return None;
    }
    // Two sizes at least lie on each line.
    let (from, to) = (sizes[1], sizes[sizes.len() - 2]);
    let place = |i: usize| from + (to - from) * i as f64 / GRID as f64;
    let all: Vec<(f64, Candidate)> =
        (0..=GRID).filter_map(|i| Some((place(i), with(&logs, place(i))?))).collect();
    let (k, best) = all.iter().min_by(|a, b| a.1.squares.total_cmp(&b.1.squares))?;
    // At an end of what was looked at, it lies outside of it; and before a bend
    // there is another slope.
    let is_inside = *k > from && *k < to && best.slope < BENDS;
    if !is_inside {
        return None;
    }
    let freedom = logs.len() as f64 - 3.0;
    let quantile = FisherSnedecor::new(1.0, freedom).ok()?.inverse_cdf(confidence);
    let most = best.squares.max(f64::MIN_POSITIVE) * (1.0 + quantile / freedom);
    let mut like = all.iter().filter(|(_, c)| c.squares <= most).map(|(k, _)| *k);
    let low = like.clone().next()?;
    let high = like.next_back()?;
    let rate = (k - (best.intercept + best.slope * k)).exp();
    let Candidate { intercept, slope, .. } = *best;
    Some(Saturation { size: k.exp(), low: low.exp(), high: high.exp(), slope, rate, intercept })
}

/// A line of this slope or more before the point is no other line than the one behind it.
const BENDS: f64 = 0.9;

/// The size at which half of the greatest rate of a sweep is reached, in bytes: between two sizes of
/// the sweep on a straight line of logarithms. `None` where the first size has it already, or there
/// is none.
#[must_use]
pub fn half(points: &[TransferPoint]) -> Option<f64> {
    let mut all = points.to_vec();
    all.sort_by(|a, b| a.size.total_cmp(&b.size));
    let rate = |p: &TransferPoint| p.size / p.time;
    let most = all.iter().map(rate).filter(|r| r.is_finite()).fold(0.0, f64::max);
    let target = most / 2.0;
    all.windows(2).find(|w| rate(&w[0]) < target && rate(&w[1]) >= target).map(|w| {
        let (low, high) = (rate(&w[0]).ln(), rate(&w[1]).ln());
        let share = (target.ln() - low) / (high - low);
        (w[0].size.ln() + share * (w[1].size.ln() - w[0].size.ln())).exp()
    })
}

#[cfg(test)]
mod tests {
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn doublings() -> Vec<f64> {
        (0..=23).map(|i| f64::from(1u32 << i)).collect()
    }

    fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
        (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Two lines that meet at `k` bytes, each time off by up to `noise`.
    fn bent(k: f64, noise: f64, seed: u64) -> Vec<TransferPoint> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let time = |size: f64| {
            let (x, k) = (size.ln(), k.ln());
            (0.1 * x.min(k) + (x - k).max(0.0)).exp() * 1e-5
        };
        let mut off = || 1.0 + noise * (2.0 * uniform(&mut random) - 1.0);
        doublings().into_iter().map(|size| TransferPoint { size, time: time(size) * off() }).collect()
    }

    #[test]
    fn the_point_where_two_lines_meet_is_found() {
        let found = fit(&bent(10_000.0, 0.0, 1), 0.95).unwrap();
        assert!((found.size / 10_000.0 - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.slope - 0.1).abs() < 0.01 && found.low <= found.size && found.size <= found.high);
        let points = bent(10_000.0, 0.0, 1);
        assert!(points.iter().all(|p| (found.at(p.size) / p.time - 1.0).abs() < 0.02), "{found:?}");
    }

    #[test]
    fn the_interval_holds_the_true_point_about_as_often_as_it_says() {
        let holds = (0..400).filter(|seed| {
            let found = fit(&bent(10_000.0, 0.2, *seed), 0.95).unwrap();
            found.low <= 10_000.0 && 10_000.0 <= found.high
        });
        let share = holds.count() as f64 / 400.0;
        assert!((0.91..=0.985).contains(&share), "{share}");
    }

    #[test]
    fn of_the_plain_model_half_the_rate_is_at_latency_times_rate() {
        let points: Vec<TransferPoint> =
            doublings().into_iter().map(|size| TransferPoint { size, time: 50e-6 + size / 1e9 }).collect();
        let half = half(&points).unwrap();
        assert!((half / 50_000.0 - 1.0).abs() < 0.1, "{half}");
        let found = fit(&points, 0.95).unwrap();
        assert!(found.low < 200_000.0 && found.high > 20_000.0, "{found:?}");
        assert!((found.rate / 1e9 - 1.0).abs() < 0.2, "{found:?}");
    }

    #[test]
    fn where_nothing_bends_nothing_is_found() {
        let line = |slope: f64| -> Vec<TransferPoint> {
            doublings()
                .into_iter()
                .map(|size| TransferPoint { size, time: 1e-6 * size.powf(slope) })
                .collect()
        };
        assert_eq!(fit(&line(1.0), 0.95), None, "as the size from the first on");
        assert_eq!(fit(&line(0.0), 0.95), None, "never");
        assert_eq!(fit(&line(1.0)[..5], 0.95), None, "too few");
        assert_eq!(fit(&[TransferPoint { size: 1.0, time: 0.0 }; 8], 0.95), None);
        assert_eq!(half(&[]), None);
    }
}
