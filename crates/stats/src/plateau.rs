//! Plateaus of a curve over levels, such as the rate of a disk over the bytes that are touched:
//! each cache on the way answers at its own rate as far as it reaches.
//!
//! The logarithms of the values are cut into stretches of constant mean so that the squared
//! distance plus a penalty for each stretch is least. All ways to cut are compared (Jackson et al.,
//! "An algorithm for optimal partitioning of data on an interval", IEEE Signal Processing Letters
//! 12, 2005), since a sweep has a dozen levels; the penalty is that of the Bayesian information
//! criterion for a mean and a place (Schwarz, Annals of Statistics 6, 1978). Several curves over the
//! same levels, such as those of other block sizes, are cut at the same places, each with its own
//! means: a cache has one size.
//!
//! What this does not do: it knows no caches. A stretch of one level is an edge on its way, not a
//! plateau; neighbours that differ by little are one; and a curve that falls steadily has none,
//! though it could be cut into stairs.

/// Levels in a plateau, at least.
const LEVELS_LEAST: usize = 2;

/// Neighbours that differ by less than this factor are one plateau.
pub const STEP_LEAST: f64 = 1.2;

/// Levels of one plateau differ at least so much, as a fraction, whatever the trials say: other
/// places of a disk are other operations.
const NOISE_LEAST: f64 = 0.03;

/// An edge falls at least so many times as much, from level to level, as the plateaus beside it
/// do: else they are stairs of a slope.
const STEEPER: f64 = 2.0;

/// One plateau.
#[derive(Debug, Clone, PartialEq)]
pub struct Plateau {
    /// Index of its first level.
    pub first: usize,
    /// Index of its last level.
    pub last: usize,
    /// The geometric mean of its values, for each curve.
    pub values: Vec<f64>,
}

/// The plateaus of `curves`, each with one value a level, in the order of levels. `noise` is how
/// far a value may be off by chance, as a fraction (a relative standard deviation).
///
/// Between the `last` of one and the `first` of the next lies the edge: what makes the first one
/// reaches from the size of its last level to below that of the level behind it. Empty for fewer
/// than four levels, curves of different lengths, or a value that is not above 0. A single plateau
/// means that no edge was seen.
#[must_use]
pub fn plateaus(curves: &[&[f64]], noise: f64) -> Vec<Plateau> {
    let levels = curves.first().map_or(0, |c| c.len());
    let sane = |c: &&[f64]| c.len() == levels && c.iter().all(|v| v.is_finite() && *v > 0.0);
    if levels < 2 * LEVELS_LEAST || !curves.iter().all(sane) || !noise.is_finite() {
        return Vec::new();
    }
    let logs: Vec<Vec<f64>> = curves.iter().map(|c| c.iter().map(|v| v.ln()).collect()).collect();
    let parameters = (logs.len() + 1) as f64;
    let penalty = parameters * noise.max(NOISE_LEAST).powi(2) * ((levels * logs.len()) as f64).ln();
    let stretches = merged(&logs, partition(&logs, penalty));
    let plateau = |stretch: Stretch| {
        let values = logs.iter().map(|log| mean(log, stretch).exp()).collect();
        Plateau { first: stretch.0, last: stretch.1, values }
    };
    stretches.into_iter().map(plateau).collect()
}

/// First and last level of a stretch.
type Stretch = (usize, usize);

/// The cut with the least cost.
fn partition(logs: &[Vec<f64>], penalty: f64) -> Vec<Stretch> {
    let levels = logs[0].len();
    // The least cost of the levels before each, and where its last stretch begins.
    let mut best: Vec<(f64, usize)> = vec![(0.0, 0)];
    for end in 1..=levels {
        let of = |start: usize| (best[start].0 + cost(logs, (start, end - 1)) + penalty, start);
        let least = (0..end).map(of).min_by(|a, b| a.0.total_cmp(&b.0));
        best.push(least.unwrap_or((f64::INFINITY, 0)));
    }
    let mut stretches = Vec::new();
    let mut end = levels;
    while end > 0 {
        let start = best[end].1;
        stretches.push((start, end - 1));
        end = start;
    }
    stretches.reverse();
    stretches
}

fn mean(log: &[f64], (first, last): Stretch) -> f64 {
    log[first..=last].iter().sum::<f64>() / (last - first + 1) as f64
}

/// The squared distances from the mean of each curve.
fn cost(logs: &[Vec<f64>], (first, last): Stretch) -> f64 {
    let of = |log: &Vec<f64>| {
        let mean = mean(log, (first, last));
        log[first..=last].iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    logs.iter().map(of).sum()
}

/// The stretches that are plateaus: neighbours that hardly differ as one, without single levels
/// and without the stairs of a slope.
fn merged(logs: &[Vec<f64>], stretches: Vec<Stretch>) -> Vec<Stretch> {
    let is_long = |s: &Stretch| s.1 - s.0 + 1 >= LEVELS_LEAST;
    // What lies between two stretches that are one, such as a level that is off, belongs to it.
    let kept = joined(logs, stretches).into_iter().filter(is_long).collect();
    let mut all = joined(logs, kept);
    // Of two that are stairs the shorter one is dropped, for it is on the way to the other.
    let is_stair = |a: Stretch, b: Stretch| {
        steepest(logs, (a.1, b.0)) < STEEPER * steepest(logs, a).max(steepest(logs, b))
    };
    while let Some(at) = (1..all.len()).find(|at| is_stair(all[at - 1], all[*at])) {
        let (a, b) = (all[at - 1], all[at]);
        let (long_a, long_b) = (a.1 - a.0, b.1 - b.0);
        let is_first = long_a < long_b || long_a == long_b && cost(logs, a) > cost(logs, b);
        all.remove(if is_first { at - 1 } else { at });
    }
    // A part of a slope is left alone by that, and no edge is beside it.
    let end = logs[0].len() - 1;
    let has_edge = |s: &Stretch| {
        let beside = steepest(logs, (0, s.0)).max(steepest(logs, (s.1, end)));
        (s.0, s.1) == (0, end) || beside >= STEEPER * steepest(logs, *s)
    };
    all.into_iter().filter(has_edge).collect()
}

/// Neighbours that differ by less than [`STEP_LEAST`] as one, the nearest first.
fn joined(logs: &[Vec<f64>], mut all: Vec<Stretch>) -> Vec<Stretch> {
    loop {
        let steps = all.windows(2).map(|w| apart(logs, w[0], w[1]));
        let nearest = steps.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at, _)) = nearest.filter(|(_, step)| *step < STEP_LEAST.ln()) else { return all };
        all[at].1 = all[at + 1].1;
        all.remove(at + 1);
    }
}

/// How far the means of two stretches are apart, in the curve where that is most.
fn apart(logs: &[Vec<f64>], a: Stretch, b: Stretch) -> f64 {
    logs.iter().map(|log| (mean(log, a) - mean(log, b)).abs()).fold(0.0, f64::max)
}

/// The greatest change from one level to the next within a stretch, in any curve.
fn steepest(logs: &[Vec<f64>], (first, last): Stretch) -> f64 {
    let of = |log: &Vec<f64>| log[first..=last].windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    logs.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(curves: &[&[f64]], noise: f64) -> Vec<(usize, usize)> {
        plateaus(curves, noise).iter().map(|p| (p.first, p.last)).collect()
    }

    /// A rate over spans that double from 1, with a cache of `size` that answers ten times as fast;
    /// reads are uniform, so `size / span` of them hit.
    fn cached(size: f64, levels: i32) -> Vec<f64> {
        let of = |span: f64| {
            let hit = (size / span).min(1.0);
            1000.0 / (hit * 0.1 + (1.0 - hit))
        };
        (0..levels).map(|i| of(2f64.powi(i))).collect()
    }

    #[test]
    fn stairs_drawn_by_hand_are_found_with_their_means() {
        let curve = [90.0, 110.0, 100.0, 40.0, 10.0, 10.0, 10.0, 10.0];
        let found = plateaus(&[&curve], 0.1);
        assert_eq!(found.len(), 2, "{found:?}");
        // The fourth is on its way from one to the other.
        assert_eq!((found[0].first, found[0].last, found[1].first, found[1].last), (0, 2, 4, 7));
        assert!((found[0].values[0] - (90.0f64 * 110.0 * 100.0).cbrt()).abs() < 1e-9);
        assert!((found[1].values[0] - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_cache_ends_at_the_last_level_of_its_plateau_or_before_the_next() {
        for (size, last) in [(8.0, 3), (16.0, 4), (64.0, 6)] {
            let curve = cached(size, 13);
            let found = plateaus(&[&curve], 0.02);
            assert_eq!(found.len(), 2, "{size}: {found:?}");
            assert_eq!((found[0].first, found[0].last), (0, last), "{size}");
            // Then comes what is left of its hits, which is no plateau, and then the device.
            assert!(found[1].first >= last + 2 && found[1].last == 12, "{size}: {found:?}");
            assert!((found[1].values[0] / 1000.0 - 1.0).abs() < 0.15, "{size}: {found:?}");
        }
    }

    #[test]
    fn two_caches_are_three_plateaus() {
        let mut curve = cached(8.0, 18);
        // A second one of 1024, twice as fast as what lies behind it.
        for (i, value) in curve.iter_mut().enumerate() {
            let hit = (1024.0 / 2f64.powi(i as i32)).min(1.0);
            *value /= 1.0 + (1.0 - hit);
        }
        let found = ranges(&[&curve], 0.02);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!((found[0], found[1].1), ((0, 3), 10), "{found:?}");
    }

    #[test]
    fn without_an_edge_there_is_one_plateau_and_of_too_little_none() {
        assert_eq!(ranges(&[&[5.0; 8]], 0.0), [(0, 7)]);
        assert_eq!(ranges(&[&[5.0; 3]], 0.0), []);
        assert_eq!(ranges(&[], 0.0), []);
        assert_eq!(ranges(&[&[5.0, 5.0, 0.0, 5.0]], 0.0), []);
        assert_eq!(ranges(&[&[5.0, 5.0, f64::NAN, 5.0]], 0.0), []);
        assert_eq!(ranges(&[&[5.0; 8], &[5.0; 7]], 0.0), []);
        assert_eq!(ranges(&[&[5.0; 8]], f64::NAN), []);
        // A single level that is off is no plateau, and does not part those beside it.
        assert_eq!(ranges(&[&[5.0, 5.0, 5.0, 2.0, 5.0, 5.0, 5.0]], 0.03), [(0, 6)]);
    }

    #[test]
    fn a_slope_is_no_stairs() {
        // A disk whose head goes further with every doubling.
        let slope: Vec<f64> = (0..14).map(|i| 100.0 * 0.88f64.powi(i)).collect();
        assert_eq!(ranges(&[&slope], 0.03), []);
    }

    #[test]
    fn curves_share_their_edges() {
        let small = cached(32.0, 12);
        // Of large operations the cache is only a little faster.
        let large: Vec<f64> = small.iter().map(|v| 100.0 + v * 0.02).collect();
        assert_eq!(plateaus(&[&small, &large], 0.02)[0].last, 5);
        let found = plateaus(&[&large, &small], 0.02);
        assert_eq!((found[0].last, found[0].values.len()), (5, 2));
    }

    /// Sums of uniform numbers, about normal.
    fn noisy(seed: &mut u64, level: f64, noise: f64) -> f64 {
        let mut uniform = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        level * (1.0 + noise * normal)
    }

    #[test]
    fn noise_makes_no_caches_and_hides_none() {
        let mut seed = 11;
        let (mut alone, mut found) = (0, 0);
        for _ in 0..500 {
            let flat: Vec<f64> = (0..12).map(|_| noisy(&mut seed, 1e5, 0.05)).collect();
            alone += usize::from(ranges(&[&flat], 0.05) == [(0, 11)]);
            let curve: Vec<f64> = cached(16.0, 12).iter().map(|v| noisy(&mut seed, *v, 0.05)).collect();
            let all = ranges(&[&curve], 0.05);
            found += usize::from(all.len() == 2 && all[0] == (0, 4));
        }
        assert!(alone >= 490, "{alone} of 500 flat curves are one plateau");
        assert!(found >= 475, "{found} of 500 caches are found where they end");
    }
}
