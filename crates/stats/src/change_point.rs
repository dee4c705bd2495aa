//! Where a series of like results stepped from one level to another, and how well its place is known.
//!
//! *Which place.* Of a series cut in two, the difference of the means in units of its own spread,
//! sqrt(m n / (m + n)) |mean of m - mean of n|: the likelihood ratio of one step of a normal series (Sen and
//! Srivastava, "On Tests for Detecting Change in Mean", Annals of Statistics 3(1), 1975). Its greatest
//! value over all places with at least [`LEAST`] values on both sides is the statistic. Where no cut shows a
//! step, the same of a stretch within against all the rest (Levin and Kline, "The Cusum Test of Homogeneity
//! with an Application in Spontaneous Abortion Epidemiology", Statistics in Medicine 4(4), 1985): a level that
//! was left and taken again hides both steps from a single cut.
//!
//! *Whether there is one.* The same of the values in other orders, as E-Divisive does it (Matteson and
//! James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA
//! 109(505), 2014), so that nothing is assumed of how they spread. Permutations end once enough of them are
//! as large (Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 1991). Then each part
//! is looked at in the same way. What is assumed is that without a step each order is as likely as any other:
//! a slow drift, or values that follow the one before, show as steps.
//!
//! E-Divisive's own statistic, the energy distance of all pairs, finds any change of a distribution. It needs all
//! pairs of values for each permutation, and finds no more steps of a level than the means do.
//!
//! *Where it may be.* Values drawn anew from both sides of the step, and the place looked for again: the
//! middle 95 % of these places (Antoch, Huskova and Veraverbeke, "Change-Point Problem and Bootstrap",
//! Journal of Nonparametric Statistics 5(2), 1995).
//!
//! Simulated in `tests/change_point.rs`. What this is not: an alarm that may be asked after each run at the
//! same chance of being wrong. Whoever looks again after each run is wrong more often than once.

/// The chance that a series without a step shows one.
pub const SIGNIFICANCE: f64 = 0.025;

/// Values of a level at least: fewer are a disturbance.
pub const LEAST: usize = 3;

/// The share of the significance that is spent on cuts; stretches have the rest.
const OF_CUTS: f64 = 0.8;

/// So many permutations, the series itself among them, are as large at the significance asked for.
const AS_LARGE: f64 = 20.0;

/// Permutations at most, where so many can reach the significance asked for.
const PERMUTATIONS_USUAL: f64 = 20_000.0;

/// Permutations at most of a cut, and of a stretch, which costs as much as a cut for each value.
const OF_CUTS_MAX: f64 = 200_000.0;
const OF_STRETCHES_MAX: f64 = PERMUTATIONS_USUAL;

/// How often values are drawn anew for the interval of a place.
const DRAWS: usize = 400;

/// What lies outside of an interval on each side: 2.5 %.
const TAIL: usize = DRAWS / 40;

/// How far sums of the same values in another order may be off, as a fraction.
const ROUNDING: f64 = 1e-12;

/// A step of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The place of the first value of the new level.
    pub at: usize,
    /// The first place at which it may be instead: the lower end of the 95 % interval.
    pub earliest: usize,
    /// The last place at which it may be instead.
    pub latest: usize,
    /// How likely a series without a step has one as large, by permutations: at least 1 in as many.
    pub p_value: f64,
}

/// Values at least for a series to show a step at a significance. Of fewer, the two orders that part low from
/// high, one up and one down, are already too large a share of all.
#[must_use]
pub fn values_least(significance: f64) -> usize {
    let mut count = 2 * LEAST;
    // The ways to choose three of six; then half of each next count.
    let mut ways = 20.0;
    while 2.0 / ways > significance * OF_CUTS {
        ways *= (count + 1) as f64 / (count / 2 + 1) as f64;
        count += 1;
    }
    count
}

/// The steps of a series, in order; none where a value is not finite. A series without one shows one with the
/// chance of `significance`, a fraction above 0: [`SIGNIFICANCE`], divided by the number of series where
/// several are looked at. The same values give the same answer.
#[must_use]
pub fn change_points(values: &[f64], significance: f64) -> Vec<ChangePoint> {
    if !values.iter().all(|value| value.is_finite()) {
        return Vec::new();
    }
    let mut found: Vec<(usize, f64)> = Vec::new();
    let mut parts = vec![(0, values.len())];
    while let Some((from, to)) = parts.pop() {
        let Some(((first, second), p_value)) = steps(&values[from..to], significance) else { continue };
        let mut start = from;
        for at in [from + first, from + second].into_iter().filter(|at| from < *at && *at < to) {
            found.push((at, p_value));
            parts.push((start, at));
            start = at;
        }
        parts.push((start, to));
    }
    found.sort_by_key(|(at, _)| *at);
    let inner = found.iter().map(|(at, _)| *at);
    let bounds: Vec<usize> = std::iter::once(0).chain(inner).chain([values.len()]).collect();
    let one = |((at, p_value), sides): (&(usize, f64), &[usize])| {
        let (from, to) = (sides[0], sides[2]);
        let (earliest, latest) = interval(&values[from..to], at - from);
        ChangePoint { at: *at, earliest: from + earliest, latest: from + latest, p_value: *p_value }
    };
    found.iter().zip(bounds.windows(3)).map(one).collect()
}

/// What differs most from the rest of a series: its size, its first place, and the place behind its last.
type Stretch = (f64, (usize, usize));

/// A stretch that differs from the rest, with its p-value; where one cut shows a step, all behind the cut.
fn steps(values: &[f64], significance: f64) -> Option<((usize, usize), f64)> {
    tested(values, significance * OF_CUTS, (greatest_cut, OF_CUTS_MAX))
        .or_else(|| tested(values, significance * (1.0 - OF_CUTS), (greatest_stretch, OF_STRETCHES_MAX)))
}

/// What finds the stretch that differs most, with the permutations at most that are made for it.
type Statistic = (fn(&[f64]) -> Option<Stretch>, f64);

/// What a statistic finds, where few of all orders have as much; with its p-value.
fn tested(
    values: &[f64],
    significance: f64,
    (statistic, permutations_max): Statistic,
) -> Option<((usize, usize), f64)> {
    let (size, stretch) = statistic(values)?;
    let usual = (AS_LARGE / significance).round().min(PERMUTATIONS_USUAL);
    let permutations = usual.max((1.0 / significance).ceil()).min(permutations_max);
    // The series itself is one of them.
    let most = (significance * permutations + ROUNDING) as usize;
    let mut random = Random(values.len() as u64);
    let mut shuffled = values.to_vec();
    let mut as_large = 1;
    for _ in 1..permutations as usize {
        random.shuffle(&mut shuffled);
        if statistic(&shuffled).is_some_and(|(other, _)| other >= size * (1.0 - ROUNDING)) {
            as_large += 1;
        }
        if as_large > most {
            return None;
        }
    }
    (as_large <= most).then(|| (stretch, as_large as f64 / permutations))
}

/// The greatest difference of means that a cut makes; `None` where there are too few values for one.
fn greatest_cut(values: &[f64]) -> Option<Stretch> {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    let mut sum = 0.0;
    let mut best: Option<Stretch> = None;
    for (place, value) in values.iter().enumerate().take(count.saturating_sub(LEAST)) {
        sum += value - mean;
        let before = place + 1;
        if before >= LEAST {
            keep_greater(&mut best, size(sum, before, count), (before, count));
        }
    }
    best
}

/// The greatest difference of means between a stretch and all the rest; `None` where there are too few values
/// for one.
fn greatest_stretch(values: &[f64]) -> Option<Stretch> {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for value in values {
        sum += value - mean;
        sums.push(sum);
    }
    let mut best: Option<Stretch> = None;
    // What lies before it and behind it is nothing, or a level of its own.
    let is_level = |length: usize| length == 0 || length >= LEAST;
    for from in (0..count).filter(|from| is_level(*from)) {
        for to in (from + LEAST..=count).filter(|to| is_level(count - to)) {
            let length = to - from;
            if count - length >= LEAST {
                keep_greater(&mut best, size(sums[to] - sums[from], length, count), (from, to));
            }
        }
    }
    best
}

/// The statistic of a part, of `sum` = its length (its mean - the mean of all).
fn size(sum: f64, length: usize, count: usize) -> f64 {
    sum.abs() / (length as f64 * (count - length) as f64 / count as f64).sqrt()
}

fn keep_greater(best: &mut Option<Stretch>, size: f64, stretch: (usize, usize)) {
    if best.is_none_or(|(most, _)| size > most) {
        *best = Some((size, stretch));
    }
}

/// The first and the last place at which the step at `at` may be.
fn interval(values: &[f64], at: usize) -> (usize, usize) {
    let (before, after) = values.split_at(at);
    let mut random = Random(values.len() as u64);
    let mut drawn = values.to_vec();
    let mut places: Vec<usize> = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        for (place, value) in drawn.iter_mut().enumerate() {
            let side = if place < at { before } else { after };
            *value = side[random.below(side.len())];
        }
        places.extend(greatest_cut(&drawn).map(|(_, (place, _))| place));
    }
    places.sort_unstable();
    let end = |place: Option<&usize>| place.copied().unwrap_or(at);
    let (low, high) = (end(places.get(TAIL)), end(places.iter().rev().nth(TAIL)));
    (low.min(at), high.max(at))
}

/// `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below `count`, which is above 0.
    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// Fisher and Yates.
    fn shuffle(&mut self, values: &mut [f64]) {
        for last in (1..values.len()).rev() {
            let other = self.below(last + 1);
            values.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_the_difference_of_means() {
        // 3 and 4 values with means 2 and 9: sqrt(12 / 7) x 7.
        let values = [1.0, 2.0, 3.0, 8.0, 9.0, 9.0, 10.0];
        for statistic in [greatest_cut, greatest_stretch] {
            let (size, (first, last)) = statistic(&values).unwrap();
            assert!((size - 84.0_f64.sqrt()).abs() < 1e-12, "{size}");
            assert!((first, last) == (3, 7) || (first, last) == (0, 3), "{first} to {last}");
            assert_eq!(statistic(&[1.0; 5]), None);
        }
        // Three of 20 in the middle of ten of 10: sqrt(21 / 10) x 10.
        let mut values = [10.0; 10];
        values[4..7].fill(20.0);
        let (size, stretch) = greatest_stretch(&values).unwrap();
        assert!((size - 210.0_f64.sqrt()).abs() < 1e-12 && stretch == (4, 7), "{size} {stretch:?}");
    }

    #[test]
    fn the_p_value_is_the_share_of_orders_that_are_as_large() {
        // Of the 252 ways to choose five of ten, the two that part low from high.
        let values = [1.0, 1.1, 0.9, 1.05, 0.95, 2.0, 2.1, 1.9, 2.05, 1.95];
        let (stretch, p_value) = steps(&values, SIGNIFICANCE).unwrap();
        assert_eq!(stretch, (5, 10));
        assert!((p_value - 2.0 / 252.0).abs() < 0.01, "{p_value}");
        // Of six values, two of twenty: more than can count.
        assert_eq!(steps(&[1.0, 1.1, 0.9, 2.0, 2.1, 1.9], SIGNIFICANCE), None);
    }

    #[test]
    fn the_least_number_of_values_is_that_whose_orders_can_be_rare_enough() {
        // 2 of the 70 ways to choose four of eight are 2.9 %, 2 of 126 are 1.6 %; and 2 of 1716 for 13.
        assert_eq!([SIGNIFICANCE, SIGNIFICANCE / 10.0].map(values_least), [9, 13]);
        let mut values = vec![1.0; 4];
        values.extend([2.0; 5]);
        assert_eq!(change_points(&values, SIGNIFICANCE).len(), 1);
        assert!(change_points(&values[..8], SIGNIFICANCE / 10.0).is_empty());
    }

    #[test]
    fn a_step_is_found_in_one_of_very_many_series() {
        let values: Vec<f64> =
            (0..40).map(|i| f64::from(i % 4) + if i < 20 { 100.0 } else { 200.0 }).collect();
        assert_eq!(change_points(&values, SIGNIFICANCE / 2000.0).len(), 1);
    }

    #[test]
    fn steps_up_and_down_are_found_where_they_are() {
        let level = |height: f64| (0..12).map(move |i| height + [0.0, 0.3, -0.2, 0.1][i % 4]);
        let values: Vec<f64> = level(10.0).chain(level(12.0)).chain(level(10.0)).collect();
        let found = change_points(&values, SIGNIFICANCE);
        assert_eq!(found.iter().map(|step| step.at).collect::<Vec<_>>(), [12, 24]);
        for step in &found {
            assert!(step.earliest <= step.at && step.at <= step.latest, "{step:?}");
            assert!(step.latest - step.earliest <= 2, "{step:?}");
        }
        assert_eq!(found, change_points(&values, SIGNIFICANCE), "the same values, the same answer");
    }

    #[test]
    fn what_is_level_or_short_or_no_number_has_no_step() {
        assert!(change_points(&[7.0; 40], SIGNIFICANCE).is_empty());
        assert!(change_points(&[0.1; 40], SIGNIFICANCE).is_empty());
        assert!(change_points(&[], SIGNIFICANCE).is_empty());
        let mut values = [1.0; 20];
        values[10..].fill(2.0);
        assert_eq!(change_points(&values, SIGNIFICANCE).len(), 1);
        values[3] = f64::NAN;
        assert!(change_points(&values, SIGNIFICANCE).is_empty());
    }

    #[test]
    fn one_run_that_was_disturbed_is_no_step() {
        let mut values: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 5)).collect();
        values[14] = 40.0;
        assert!(change_points(&values, SIGNIFICANCE).is_empty());
    }

    #[test]
    fn numbers_at_random_are_those_of_the_paper() {
        // The first of the reference implementation for the seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
