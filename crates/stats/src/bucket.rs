//! A rate that falls from one level to another and stays there: what a token bucket lets through
//! while it has tokens, and what it lets through when they are used up (Turner, "New Directions in
//! Communications", IEEE Communications Magazine 24(10), 1986; tc-tbf(8)).
//!
//! The series is cut once, where two constant levels leave the least squared distance (Page, "A
//! Test for a Change in a Parameter Occurring at an Unknown Point", Biometrika 42, 1955, for the
//! problem; least squares with prefix sums for the place). The interval of the cut itself holds
//! some of both levels, and its value tells how much of it was still fast. Then all that is no
//! bucket is refused:
//!
//! * a dip that recovers (garbage collection, a stall): behind the cut the rate comes back above the
//!   middle of the two levels;
//! * a rate that slopes (a head that moves to inner tracks, a device that gets warm): values lie
//!   between the two levels;
//! * levels that are not level ([`LevelSpread::of_five`]): the caller says how flat each must be, for what
//!   a device does by itself is less even than what a clock meters.
//!
//! What was in the bucket is what passed above the base rate until it fell. How large it is follows
//! only for one that was full before, which the caller must know.
//!
//! By simulation of 2,000 series each (`tests`): of buckets with 0.5 % noise at a fall to a half or
//! less, 99 % are found, and the interval of what was in them holds the truth in at least 93 %; of
//! steady series, of series with dips, slopes and walks, at most 0.5 % are called buckets.

use crate::interval::student;

/// Intervals of the higher level, at least: a queue or a socket buffer that fills is a burst too,
/// and takes one or two.
const BURST_LEAST: usize = 3;
/// Intervals of the lower level, at least, so that its five-interval means have a spread.
const BASE_LEAST: usize = 15;
/// The higher level is at least so many times the lower one.
pub const FALL_LEAST: f64 = 1.2;
/// Of the values on each side of the cut, so many may lie on the wrong side of the middle before
/// it (dips), and behind it.
const DIPS: f64 = 0.1;
const RETURNS: f64 = 0.02;
/// Values further than this share of the step from both levels are on their way from one to the
/// other. A cut is such an interval, and a step that is not quite sharp has one more.
const BETWEEN: f64 = 0.2;
/// A first interval of less than this share of the second was cut short by its beginning.
const CUT_SHORT: f64 = 0.9;
/// Intervals averaged to tell a level from its quanta.
const CHUNK: usize = 5;
/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// A value with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How even a level is, as relative standard deviations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelSpread {
    /// Of single intervals.
    pub of_one: f64,
    /// Of means of five intervals one after the other. Of what is metered by a clock it is a fifth of
    /// the first, for what came late is made good; of independent values 1 / sqrt(5) of it, of
    /// what drifts as much.
    pub of_five: f64,
}

/// A fall from one level to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// The higher level, in the unit of the rates.
    pub burst: Bounded,
    /// How even it is; absent for fewer than ten intervals.
    pub burst_spread: Option<LevelSpread>,
    /// The lower level.
    pub base: Bounded,
    /// How even that is.
    pub base_spread: LevelSpread,
    /// How long the higher one lasted, in seconds.
    pub burst_s: Bounded,
    /// The interval in which it fell.
    pub at: usize,
}

impl Fall {
    /// What was in the bucket when the series began, in the unit of the rates times seconds:
    /// what passed above the base rate. `idle_s` is for how long nothing was asked for meanwhile,
    /// so that it filled at the base rate.
    #[must_use]
    pub fn fill(&self, idle_s: f64) -> Bounded {
        let excess = self.burst.value - self.base.value;
        let value = excess * self.burst_s.value - self.base.value * idle_s;
        // Errors of rates and of time are independent; each end has its own half width.
        let rates = |a: f64, b: f64| (a.powi(2) + b.powi(2)).sqrt() * self.burst_s.value;
        let half = |a: f64, b: f64, time: f64| (rates(a, b).powi(2) + (excess * time).powi(2)).sqrt();
        let (burst, base, time) = (self.burst, self.base, self.burst_s);
        let low = half(burst.value - burst.low, base.high - base.value, time.value - time.low);
        let high = half(burst.high - burst.value, base.value - base.low, time.high - time.value);
        Bounded { value, low: value - low, high: value + high }
    }

    /// How long it takes, with nothing asked for, until so much is in it. Its end is unbounded where
    /// the lower level may be 0.
    #[must_use]
    pub fn refill_s(&self, fill: Bounded) -> Bounded {
        let base = self.base;
        Bounded { value: fill.value / base.value, low: fill.low / base.high, high: fill.high / base.low }
    }
}

/// Where a series of rates, one for each interval of `interval_s`, falls from one level to another
/// for good; `None` where it does not, and for values that are not finite or below 0.
///
/// The first interval may be cut short by its beginning, or hold what was under way before: then
/// its rate is not looked at, and the time at the higher level includes half of it, and may include
/// none or all. A meter that lets through quanta, one in several intervals, is seen in means of five.
#[must_use]
pub fn fall(rates: &[f64], interval_s: f64) -> Option<Fall> {
    let is_sane = rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0) && interval_s > 0.0;
    let one_by_one = || fall_between(rates, rates, interval_s, &FINE);
    let in_means = || {
        let means: Vec<f64> = rates.chunks_exact(CHUNK).map(mean).collect();
        fall_between(&means, rates, interval_s * CHUNK as f64, &COARSE)
    };
    if is_sane { one_by_one().or_else(in_means) } else { None }
}

/// How a series is cut.
struct Cut {
    /// Values of it for each of `rates`: 1, or as many as were averaged.
    each: usize,
    /// Values of the lower level, at least.
    base_least: usize,
    /// Values behind the cut that are not looked at: a meter may charge the lower rate for what
    /// passed at the higher one, and let nothing through for a moment.
    settles: usize,
    /// Values beside the cut that may lie between the levels.
    between_most: usize,
}

const FINE: Cut = Cut { each: 1, base_least: BASE_LEAST, settles: 0, between_most: 1 };
const COARSE: Cut = Cut { each: CHUNK, base_least: BASE_LEAST / 3, settles: 2, between_most: 0 };

/// The fall of `values`, each the mean of so many of `rates`.
fn fall_between(values: &[f64], rates: &[f64], interval_s: f64, how: &Cut) -> Option<Fall> {
    if values.len() < BURST_LEAST + 1 + how.settles + how.base_least {
        return None;
    }
    let is_odd = values[0] < CUT_SHORT * values[1] || values[0] * CUT_SHORT > values[1];
    let skipped = usize::from(is_odd);
    let at = cut(&values[skipped..], how)? + skipped;
    let settled = at + 1 + how.settles;
    let (before, behind) = (&values[skipped..at], &values[settled..]);
    let (burst, base) = (mean(before), mean(behind));
    if base <= 0.0 || burst < FALL_LEAST * base || !is_sharp(before, behind, how.between_most) {
        return None;
    }
    let step = burst - base;
    // How much of the interval of the cut was still fast.
    let part = ((values[at] - base) / step).clamp(0.0, 1.0);
    let noise = deviation(before).max(deviation(behind)) / step;
    let time = |intervals: f64| (intervals * interval_s).max(0.0);
    // The first one may have begun anywhere in its interval.
    let (least, most) = (before.len() as f64, (before.len() + skipped) as f64);
    let middle = least / 2.0 + most / 2.0 + part;
    let around = 2.0 * noise.min(0.5);
    let burst_s = Bounded {
        value: time(middle),
        low: time(least + (part - around).max(0.0)),
        high: time(most + (part + around).min(1.0)),
    };
    let (before, behind) = (&rates[skipped * how.each..at * how.each], &rates[settled * how.each..]);
    Some(Fall {
        burst: level(before)?,
        burst_spread: spread(before),
        base: level(behind)?,
        base_spread: spread(behind)?,
        burst_s,
        at: at * how.each,
    })
}

/// How even a series is; `None` for fewer than ten values, or a mean of 0.
#[must_use]
pub fn spread(rates: &[f64]) -> Option<LevelSpread> {
    let chunks: Vec<f64> = rates.chunks_exact(CHUNK).map(mean).collect();
    let mean = mean(rates);
    if chunks.len() < 2 || mean <= 0.0 {
        return None;
    }
    Some(LevelSpread { of_one: deviation(rates) / mean, of_five: deviation(&chunks) / mean })
}

/// The interval in which the level changes: that with the least squares beside it.
fn cut(rates: &[f64], how: &Cut) -> Option<usize> {
    // Squared distances from the mean, by sums up to each place.
    let sums = |of: fn(f64) -> f64| -> Vec<f64> {
        let add = |sum: &mut f64, rate: &f64| {
            *sum += of(*rate);
            Some(*sum)
        };
        std::iter::once(0.0).chain(rates.iter().scan(0.0, add)).collect()
    };
    let (plain, squares) = (sums(|rate| rate), sums(|rate| rate * rate));
    let cost = |from: usize, to: usize| {
        let (sum, count) = (plain[to] - plain[from], (to - from) as f64);
        squares[to] - squares[from] - sum * sum / count
    };
    let last = rates.len().checked_sub(how.base_least + how.settles + 1)?;
    let of = |at: usize| (cost(0, at) + cost(at + 1, rates.len()), at);
    (BURST_LEAST..=last).map(of).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
}

/// Whether the rate goes from one level, `before`, to the other at once and does not come back.
fn is_sharp(before: &[f64], behind: &[f64], between_most: usize) -> bool {
    let (burst, base) = (mean(before), mean(behind));
    let middle = f64::midpoint(burst, base);
    let share = |part: &[f64], is: &dyn Fn(f64) -> bool| {
        part.iter().filter(|rate| is(**rate)).count() as f64 / part.len() as f64
    };
    let dips = share(before, &|rate| rate < middle);
    let returns = share(behind, &|rate| rate > middle);
    let end = &behind[behind.len() - behind.len() / 3..];
    let is_at_end = end.iter().all(|rate| *rate < middle);
    let step = burst - base;
    let is_between = |rate: &&f64| **rate > base + BETWEEN * step && **rate < burst - BETWEEN * step;
    let between = before.iter().chain(behind).filter(is_between).count();
    let most = between_most + (before.len() + behind.len()) / 50;
    dips <= DIPS && returns <= RETURNS && is_at_end && between <= most
}

/// The mean with its interval. Values that follow one another may depend on each other, so the
/// means of five are what is taken for independent, where there are enough.
fn level(rates: &[f64]) -> Option<Bounded> {
    let chunks: Vec<f64> = rates.chunks_exact(CHUNK).map(mean).collect();
    let values = if chunks.len() >= 3 { &chunks[..] } else { rates };
    let (low, high) = student::of_mean(values, CONFIDENCE)?;
    let value = mean(rates);
    let half = (high - low) / 2.0;
    Some(Bounded { value, low: (value - half).max(0.0), high: value + half })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation; 0 for a single value.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len().saturating_sub(1).max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from 0 to 1, and sums of twelve of them, which are about normal.
    struct Random(u64);

    impl Random {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
        }
    }

    /// A bucket with so much in it, at these rates, seen every 0.1 s for `intervals`.
    fn bucket(random: &mut Random, fill: f64, (burst, base): (f64, f64), noise: f64, n: usize) -> Vec<f64> {
        let lasts = fill / (burst - base) / 0.1;
        let of = |i: usize| {
            let fast = (lasts - i as f64).clamp(0.0, 1.0);
            base + (burst - base) * fast
        };
        (0..n).map(|i| of(i) * (1.0 + noise * random.normal())).collect()
    }

    #[test]
    fn a_bucket_drawn_by_hand_is_read_off() {
        // 2.1 GB above 100 MB/s at 275 MB/s last 12 s.
        let rates = bucket(&mut Random(1), 2.1e9, (275e6, 100e6), 0.0, 200);
        let found = fall(&rates, 0.1).unwrap();
        assert!(
            (found.burst.value / 275e6 - 1.0).abs() < 1e-9 && (found.base.value / 100e6 - 1.0).abs() < 1e-9
        );
        assert!((found.burst_s.value - 12.0).abs() < 1e-6, "{found:?}");
        let fill = found.fill(0.0);
        assert!((fill.value / 2.1e9 - 1.0).abs() < 1e-6, "{fill:?}");
        assert!((found.refill_s(fill).value - 21.0).abs() < 1e-6);
        // Two seconds without work filled it by 200 MB meanwhile.
        assert!((found.fill(2.0).value / 1.9e9 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_interval_of_the_fall_holds_some_of_both() {
        let mut rates = vec![300.0; 10];
        rates.push(150.0);
        rates.extend([100.0; 30]);
        let found = fall(&rates, 1.0).unwrap();
        assert_eq!((found.at, found.burst_s.value), (10, 10.25));
        // One that was cut short by its beginning counts by half, and may be all or nothing.
        rates[0] = 40.0;
        let found = fall(&rates, 1.0).unwrap();
        assert_eq!((found.burst.value, found.burst_s.value), (300.0, 9.75));
        assert!(found.burst_s.low <= 9.25 && found.burst_s.high >= 10.25, "{found:?}");
    }

    #[test]
    fn what_recovers_slopes_rises_or_is_short_is_none() {
        let none = |rates: &[f64]| assert_eq!(fall(rates, 0.1), None, "{rates:?}");
        none(&[100.0; 50]);
        none(&[&[100.0; 20][..], &[30.0; 20], &[100.0; 20]].concat());
        none(&[&[50.0; 20][..], &[100.0; 40]].concat());
        none(&(0..60).map(|i| 200.0 - 2.0 * f64::from(i)).collect::<Vec<_>>());
        none(&(0..60).map(|i| 100.0 + 100.0 * (-f64::from(i) / 10.0).exp()).collect::<Vec<_>>());
        none(&[&[200.0; 2][..], &[100.0; 40]].concat());
        none(&[&[200.0; 20][..], &[100.0; 10]].concat());
        none(&[&[110.0; 20][..], &[100.0; 40]].concat());
        none(&[&[200.0; 20][..], &[0.0; 40]].concat());
        none(&[&[200.0; 20][..], &[f64::NAN; 40]].concat());
        none(&[]);
    }

    #[test]
    fn dips_in_the_burst_and_in_the_base_hide_no_bucket() {
        let mut rates = [&[300.0; 40][..], &[100.0; 80]].concat();
        rates[7] = 20.0;
        rates[90] = 10.0;
        let found = fall(&rates, 0.1).unwrap();
        // What is fast or slow throughout is either side's.
        assert!((39..=40).contains(&found.at) && (found.burst_s.value - 4.0).abs() < 0.01, "{found:?}");
    }

    /// Bug: a throttle that lets through so much every 100 ms, seen every 40 ms, and that stands still
    /// for a moment when it is lowered.
    #[test]
    fn a_meter_of_quanta_is_seen_in_means() {
        let quanta = |each: f64, n: usize| {
            (0..n).map(move |i| if i % 5 % 2 == 0 && i % 5 < 3 { each } else { each / 300.0 })
        };
        let rates: Vec<f64> = quanta(12_400.0, 60).chain([10.0; 10]).chain(quanta(2_440.0, 60)).collect();
        let found = fall(&rates, 0.04).unwrap();
        let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 0.03;
        assert!(near(found.burst.value, 4985.0) && near(found.base.value, 981.0), "{found:?}");
        assert!((found.burst_s.value - 2.4).abs() <= 0.2, "{found:?}");
        assert!(found.base_spread.of_five < 0.001 && found.base_spread.of_one > 0.5, "{found:?}");
        // What was under way before does not make the higher level uneven.
        let rates = [&[41.4][..], &[23.5; 38], &[10.1], &[5.9; 68]].concat();
        let found = fall(&rates, 0.04).unwrap();
        assert!(found.burst_spread.unwrap().of_five < 0.001, "{found:?}");
    }

    #[test]
    fn what_a_clock_meters_is_flatter_over_five_than_what_is_independent() {
        // Quanta that come a little early or late, and make up for it.
        let metered: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 110.0 } else { 90.0 }).collect();
        let metered = spread(&metered).unwrap();
        assert!(metered.of_five < metered.of_one / 4.0, "{metered:?}");
        let mut random = Random(3);
        let free: Vec<f64> = (0..500).map(|_| 100.0 + random.normal()).collect();
        let free = spread(&free).unwrap();
        assert!(free.of_five > free.of_one / 3.0, "{free:?}");
        assert_eq!(spread(&[1.0; 9]), None);
    }

    #[test]
    fn simulated_buckets_are_found_and_their_intervals_hold() {
        let mut random = Random(7);
        let (mut found, mut held) = (0, 0);
        for _ in 0..2000 {
            let base = 100.0 + 100.0 * random.uniform();
            let burst = base * (2.0 + 3.0 * random.uniform());
            let fill = (burst - base) * (0.5 + 6.0 * random.uniform());
            let rates = bucket(&mut random, fill, (burst, base), 0.005, 120);
            let Some(fall) = fall(&rates, 0.1) else { continue };
            found += 1;
            let seen = fall.fill(0.0);
            held += usize::from(seen.low <= fill && fill <= seen.high);
        }
        assert!(found >= 1980, "{found} of 2000 are found");
        assert!(held as f64 >= 0.93 * f64::from(found), "{held} of {found} intervals hold");
    }

    #[test]
    fn what_is_no_bucket_is_hardly_ever_called_one() {
        let mut random = Random(9);
        let mut called = [0; 4];
        for _ in 0..2000 {
            let noise = 0.2 * random.uniform();
            let steady: Vec<f64> = (0..100).map(|_| (1.0 + noise * random.normal()).max(0.0)).collect();
            let mut dips = steady.clone();
            for _ in 0..3 {
                let (from, long) = ((random.uniform() * 95.0) as usize, (random.uniform() * 12.0) as usize);
                dips.iter_mut().skip(from).take(long).for_each(|rate| *rate *= 0.3);
            }
            let slope = random.uniform();
            let sloped: Vec<f64> =
                steady.iter().enumerate().map(|(i, rate)| rate * (1.0 - slope * i as f64 / 100.0)).collect();
            let mut at = 1.0;
            let walk: Vec<f64> = (0..100)
                .map(|_| {
                    at *= 1.0 + 0.05 * random.normal();
                    at
                })
                .collect();
            for (count, series) in called.iter_mut().zip([steady, dips, sloped, walk]) {
                // As flat as the rules ask of the lower level.
                let is_flat = |fall: &Fall| fall.base_spread.of_five <= 0.02;
                *count += usize::from(fall(&series, 0.1).is_some_and(|fall| is_flat(&fall)));
            }
        }
        assert!(called.iter().all(|count| *count <= 10), "{called:?} of 2000 each");
    }
}
