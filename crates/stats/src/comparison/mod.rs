//! Is one side better than the other: a ratio of trials, and one of four answers.
//!
//! Everything is done on logarithms: there a/b and b/a are mirror images, and which side is called
//! `a` cannot change the answer. Which trials belong together decides the rest.
//!
//! | trials | method | function |
//! |---|---|---|
//! | in the same blocks | one ratio a block, and the blocks are the sample | [`paired_ratio`] |
//! | of two runs | two samples, Welch below six on a side, Hodges and Lehmann from six | [`unpaired_ratio`] |
//!
//! Pairs are the better way: a slow hour falls on both sides. They also cost degrees of freedom, so
//! that few pairs of a quiet machine see less than as many trials of two runs. Of a true 5 % at a
//! spread of 2 % (lognormal, 20,000 samples, margin 2 %) two runs of 5 trials find 91 % and 5 pairs
//! 82 %; at 6 it is 94 and 89 %, at 8 it is 99 and 95 %.
//!
//! *Interval of pairs.* As in [`crate::interval`]: below six pairs Student's t on the log ratios, from
//! six on the median ratio with interpolated order statistics.
//!
//! *p-value.* Made from the same interval, by inversion ([`order::p_value`]), so that p < 0.05
//! exactly when the 95 % interval leaves 1 out. Six pairs on one side give 0.031, the same as the
//! exact sign test and the exact Wilcoxon signed-rank test give at best. Neither of those is used
//! itself, because each would contradict the interval printed beside it: with six of seven pairs
//! on one side the sign test says 0.125 where the interpolated 95 % interval leaves 1 out; and
//! Wilcoxon's test is one of the pseudomedian, which needs symmetry to be the median.
//!
//! *Same* is a claim of its own, not the lack of a difference: the 90 % interval must lie within
//! the margin, which is two one-sided tests at 5 % each (Schuirmann, "A Comparison of the Two
//! One-Sided Tests Procedure and the Power Approach", J. Pharmacokinetics and Biopharmaceutics
//! 15(6), 1987).
//!
//! *A page of comparisons* finds something by chance; [`holm`] corrects its p-values. Ranks have a
//! smallest p that no difference beats: 0.031 with six pairs, which survives no second comparison.
//! So they are used only where they reach the smallest p that Holm asks of the family (the
//! `family` of [`ConfidenceLevel`]); otherwise Student's or Welch's t speaks, as it does for a confidence
//! that ranks cannot reach.
//!
//! Measured by `tests/coverage.rs` on A/A samples (20,000 each, margin 0): 4.7 to 5.5 % of pairs are
//! called better or worse, n = 3 to 15; of pairs of runs with
//! one spread 3.5 to 4.9 %. Where one side spreads four times as wide as the other it is up to 7.5 %
//! from six trials on (ranks assume one shape), below that 6.1 %.
//!
//! What this is not: a comparison of different days. No interval over the trials of one day knows
//! the next, and the page says so.

mod summary;
mod unpaired;

pub use self::summary::SampleSummary;
use self::unpaired::{HodgesLehmann, Shift, Welch};
use crate::interval::{Interval, Method, ORDER_STATISTIC_MIN_VALUES, is_confidence, median, order, student};

/// How sure, and among how many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceLevel {
    /// That of [`RatioEstimate::interval`], a fraction between 0.5 and 1; 0.95 is usual.
    pub confidence: f64,
    /// How many ratios are judged together by [`holm`], this one too. It decides which method is
    /// used, and does not widen the interval.
    pub family: usize,
}

impl From<f64> for ConfidenceLevel {
    /// A confidence for a ratio on its own.
    fn from(confidence: f64) -> ConfidenceLevel {
        ConfidenceLevel { confidence, family: 1 }
    }
}

impl ConfidenceLevel {
    /// The confidence of [`RatioEstimate::equivalence`]; `None` where one of the two is out of range.
    fn equivalence(self) -> Option<f64> {
        let two_sided = 1.0 - 2.0 * (1.0 - self.confidence);
        (is_confidence(self.confidence) && is_confidence(two_sided)).then_some(two_sided)
    }

    /// Whether a method whose p-values are never below `least` can show a difference.
    fn is_reached(self, least: f64) -> bool {
        least <= (1.0 - self.confidence) / self.family.max(1) as f64 + ROUNDING
    }
}

/// How far a probability summed in `f64` may be off and still count as reached.
const ROUNDING: f64 = 1e-12;

/// How many trials of each side a ratio rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trials {
    /// Of `a`.
    pub a: usize,
    /// Of `b`; as many as of `a` where they are pairs.
    pub b: usize,
}

/// How much `a` is to `b`. All ratios are plain numbers: 1.05 is 5 % more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioEstimate {
    /// What it rests on.
    pub trials: Trials,
    /// Whether each trial of one side has a partner on the other.
    pub paired: bool,
    /// The point. Of pairs: the geometric mean of their ratios below six, their median from six on
    /// (of an even number, the geometric mean of the middle two). Otherwise the ratio of the
    /// geometric means, from six on both sides the median ratio of any trial to any other.
    pub ratio: f64,
    /// The interval of the ratio at the confidence asked for.
    pub interval: Interval,
    /// The interval that decides on "same": its confidence is 1 - 2 (1 - asked), so 90 % for 95 %.
    pub equivalence: Interval,
    /// Two-sided, of "the ratio is 1"; made from the same interval. Not corrected for others on
    /// the page: see [`holm`].
    pub p_value: f64,
}

/// Which way is up for a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preference {
    /// A throughput or a rate.
    Higher,
    /// A time, a cost, a count of errors.
    Lower,
}

/// What may be said about `a` against `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// `a` is better.
    Better,
    /// `a` is worse.
    Worse,
    /// The difference is smaller than the margin.
    Same,
    /// The trials do not decide.
    CannotTell,
}

/// The ratio a/b over pairs `(a, b)`, one pair per block.
///
/// `None` for fewer than two pairs, for a value that is not finite or not above 0 (it has no
/// ratio), and for a confidence out of range. Pairs that all have the same ratio give an interval
/// without width, and a p-value of 0 below six pairs unless that ratio is 1.
#[must_use]
pub fn paired_ratio(pairs: &[(f64, f64)], level: impl Into<ConfidenceLevel>) -> Option<RatioEstimate> {
    let level = level.into();
    let confidence = level.confidence;
    if !pairs.iter().all(|(a, b)| has_logarithm(*a) && has_logarithm(*b)) {
        return None;
    }
    // ln(a/b) as a difference is exactly the negative of ln(b/a), which a rounded quotient is not.
    let logs: Vec<f64> = pairs.iter().map(|(a, b)| a.ln() - b.ln()).collect();
    let two_sided = level.equivalence()?;
    let trials = Trials { a: logs.len(), b: logs.len() };
    if logs.len() >= ORDER_STATISTIC_MIN_VALUES
        && level.is_reached(0.5f64.powf(logs.len() as f64 - 1.0))
        && let Some(interval) = order::interval(&logs, confidence)
    {
        return Some(RatioEstimate {
            trials,
            paired: true,
            ratio: median(&logs)?.exp(),
            interval: to_ratio(interval, Method::OrderStatistic)?,
            equivalence: to_ratio(order::interval(&logs, two_sided)?, Method::OrderStatistic)?,
            p_value: order::p_value(&logs, 0.0)?,
        });
    }
    let interval_of_logs = |confidence| {
        let (low, high) = student::of_mean(&logs, confidence)?;
        Interval::new(low.exp(), high.exp(), confidence, Method::StudentLog)
    };
    Some(RatioEstimate {
        trials,
        paired: true,
        ratio: student::mean_and_error(&logs)?.0.exp(),
        interval: interval_of_logs(confidence)?,
        equivalence: interval_of_logs(two_sided)?,
        p_value: student::p_value_of_zero_mean(&logs)?,
    })
}

/// The ratio a/b of two sets of trials that share nothing, as those of two runs.
///
/// As [`paired_ratio`] but that the sides may have different numbers of trials, two at least. Below
/// six on a side, or where one has more than half as many again, by Welch's t, otherwise by Hodges
/// and Lehmann (see `unpaired`). Sides without
/// any spread give an interval without width, and a p-value of 0 unless they are the same.
#[must_use]
pub fn unpaired_ratio(a: &[f64], b: &[f64], level: impl Into<ConfidenceLevel>) -> Option<RatioEstimate> {
    let level = level.into();
    if !a.iter().chain(b).all(|value| has_logarithm(*value)) || a.len() < 2 || b.len() < 2 {
        return None;
    }
    let two_sided = level.equivalence()?;
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let (logs_a, logs_b) = (logs(a), logs(b));
    let make = |shift: &dyn Shift| {
        let of = |confidence| shift.interval(confidence).and_then(|i| to_ratio(i, i.method));
        Some(RatioEstimate {
            trials: Trials { a: a.len(), b: b.len() },
            paired: false,
            ratio: shift.point().exp(),
            interval: of(level.confidence)?,
            equivalence: of(two_sided)?,
            p_value: shift.p_value(),
        })
    };
    let (fewer, more) = (a.len().min(b.len()), a.len().max(b.len()));
    let robust = fewer >= ORDER_STATISTIC_MIN_VALUES && more * 2 <= fewer * 3;
    let by_ranks = HodgesLehmann::new(&logs_a, &logs_b)
        .filter(|shift| robust && level.is_reached(shift.least_p()))
        .and_then(|shift| make(&shift));
    by_ranks.or_else(|| make(&Welch::new(&logs_a, &logs_b)?))
}

/// Whether a value can be part of a ratio.
fn has_logarithm(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn to_ratio(logs: Interval, method: Method) -> Option<Interval> {
    Interval::new(logs.low.exp(), logs.high.exp(), logs.confidence, method)
}

/// What a ratio says, for a metric whose better direction is known.
///
/// `margin` is the difference that does not matter, as a fraction: 0.05 for 5 %.
/// - *Same* when [`RatioEstimate::equivalence`] lies within 1 / (1 + margin) to 1 + margin;
/// - otherwise *better* or *worse* when [`RatioEstimate::interval`] leaves 1 out;
/// - otherwise *cannot tell*.
///
/// A difference can be certain and still smaller than the margin; then *same* wins, because the
/// margin says what matters and the interval shows the rest. With a margin of 0 (also what a
/// negative or not-a-number margin counts as) only ratios that are all exactly 1 are *same*.
#[must_use]
pub fn verdict(ratio: &RatioEstimate, better: Preference, margin: f64) -> Judgement {
    let limit = 1.0 + margin.max(0.0);
    if ratio.equivalence.low >= 1.0 / limit && ratio.equivalence.high <= limit {
        return Judgement::Same;
    }
    let higher = if ratio.interval.low > 1.0 {
        true
    } else if ratio.interval.high < 1.0 {
        false
    } else {
        return Judgement::CannotTell;
    };
    if higher == (better == Preference::Higher) { Judgement::Better } else { Judgement::Worse }
}

/// p-values adjusted for being a family, in the order given: compare each with 0.05 as it is, and
/// the chance of any false finding in the family stays below that.
///
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
/// Statistics 6(2), 1979: the i-th smallest of m is multiplied by m - i + 1, never below the
/// adjusted one before it, at most 1. Nothing is assumed about how the tests depend on one
/// another. A p-value that is NaN stays NaN and does not count.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|index| !p_values[*index].is_nan()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = p_values.to_vec();
    let mut floor = 0.0f64;
    for (rank, index) in order.iter().enumerate() {
        let factor = (order.len() - rank) as f64;
        floor = floor.max((p_values[*index] * factor).min(1.0));
        adjusted[*index] = floor;
    }
    adjusted
}

#[cfg(test)]
mod tests;
