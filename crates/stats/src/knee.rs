//! The knee of a curve: the load from which more load buys hardly any more rate.
//!
//! A point of a sweep, not of a model: nothing is fitted, and what lies between two levels stays
//! unknown. Behind the knee operations wait for one another, so their latency must grow as the
//! load does (Little's law, N = X R: at a constant rate X twice the load N is twice the time R).
//! Where latencies are known, that is asked for, and a smaller gain counts as none.

/// Growth of the rate with each doubling of the load below which, with latency as a witness, a
/// resource is full.
pub const GAIN: f64 = 0.05;

/// How many times longer an operation takes with each doubling behind a knee, at least. Twice is
/// what Little's law says of an unchanged rate; at 5 % more it is 1.9, and some of the load may
/// wait elsewhere.
pub const SLOWER: f64 = 1.7;

/// The gain where no latency is known. It is coarser, for it is only drawn, never concluded from.
pub const GAIN_ALONE: f64 = 0.10;

/// One level of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadLevel {
    /// The load, such as operations in flight; above 0.
    pub load: f64,
    /// The rate it gives, in any unit.
    pub rate: f64,
    /// How long an operation takes, in any unit.
    pub latency: Option<f64>,
}

/// The index of the knee: the first level from which no later one gains [`GAIN`] with each
/// doubling while the latency of the next grows as the load does, and the step to which still
/// gained. Neither end is a knee: before the first and behind the last nothing was seen.
///
/// `levels` are in order of their load. `None` where there is no knee, or a load or rate is not
/// above 0. Latency is a witness only where all levels have one; else the gain must be below
/// [`GAIN_ALONE`].
#[must_use]
pub fn knee(levels: &[LoadLevel]) -> Option<usize> {
    let sane = |v: f64| v > 0.0 && v.is_finite();
    if levels.iter().any(|l| !(sane(l.load) && sane(l.rate))) {
        return None;
    }
    let latencies: Option<Vec<f64>> = levels.iter().map(|l| l.latency.filter(|v| sane(*v))).collect();
    let least = if latencies.is_some() { GAIN } else { GAIN_ALONE };
    let each = |from: usize, to: usize, ratio: f64| {
        let doublings = (levels[to].load / levels[from].load).log2();
        ratio.powf(1.0 / doublings)
    };
    let gain = |from: usize, to: usize| each(from, to, levels[to].rate / levels[from].rate) - 1.0;
    let is_flat = |at: usize| (at + 1..levels.len()).all(|later| gain(at, later) < least);
    let is_slower = |at: usize| {
        let slower = latencies.as_ref().map(|all| each(at, at + 1, all[at + 1] / all[at]));
        slower.is_none_or(|times| times >= SLOWER)
    };
    let mut inner = 1..levels.len().saturating_sub(1);
    inner.find(|at| is_flat(*at) && gain(at - 1, *at) >= least && is_slower(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(points: &[(f64, f64)]) -> Option<usize> {
        knee(
            &points
                .iter()
                .map(|(load, rate)| LoadLevel { load: *load, rate: *rate, latency: None })
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn a_knee_is_where_doubling_stops_to_pay() {
        let curve = [(1.0, 10.0), (2.0, 19.0), (4.0, 34.0), (8.0, 36.0), (16.0, 37.0)];
        assert_eq!(alone(&curve), Some(2));
        // 44 % over two doublings are 20 % each: no knee yet.
        assert_eq!(alone(&[(1.0, 10.0), (4.0, 30.0), (16.0, 43.2)]), None);
        assert_eq!(alone(&[(1.0, 10.0), (4.0, 30.0), (16.0, 33.0)]), Some(1));
        // Flat from the start, still growing, falling, too few, not positive.
        assert_eq!(alone(&[(1.0, 10.0), (2.0, 10.1), (4.0, 10.0)]), None);
        assert_eq!(alone(&[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]), None);
        assert_eq!(alone(&[(1.0, 10.0), (2.0, 5.0), (4.0, 2.0)]), None);
        assert_eq!(alone(&[(1.0, 10.0), (2.0, 11.0)]), None);
        assert_eq!(alone(&[]), None);
        assert_eq!(alone(&[(0.0, 1.0), (1.0, 5.0), (2.0, 5.0)]), None);
        // What dips and grows again has no knee at the dip.
        assert_eq!(alone(&[(1.0, 10.0), (2.0, 20.0), (4.0, 19.0), (8.0, 60.0)]), None);
    }

    #[test]
    fn latency_is_a_witness_and_lets_a_gain_of_six_per_cent_count() {
        // A closed loop on what gives at most 100: R = N / X.
        let closed = |rates: &[f64]| -> Vec<LoadLevel> {
            let level = |(i, rate): (usize, &f64)| {
                let load = 2f64.powi(i as i32);
                LoadLevel { load, rate: *rate, latency: Some(load / rate) }
            };
            rates.iter().enumerate().map(level).collect()
        };
        assert_eq!(knee(&closed(&[25.0, 50.0, 98.0, 100.0, 100.0])), Some(2));
        // 6 % more is no knee yet where latency is known, and one where it is not.
        let slow = closed(&[25.0, 50.0, 90.0, 95.4, 100.0]);
        assert_eq!(knee(&slow), Some(3), "100 / 95.4 is 4.8 %");
        let alone: Vec<LoadLevel> = slow.iter().map(|l| LoadLevel { latency: None, ..*l }).collect();
        assert_eq!(knee(&alone), Some(2));
        // A rate that stays while latency stays too was held back by something else.
        let mut held = closed(&[25.0, 50.0, 98.0, 100.0, 100.0]);
        held.iter_mut().for_each(|l| l.latency = Some(0.01));
        assert_eq!(knee(&held), None);
        // One latency missing: no witness, the coarser gain.
        let mut some = closed(&[25.0, 50.0, 98.0, 100.0, 100.0]);
        some[4].latency = None;
        assert_eq!(knee(&some), Some(2));
    }
}
