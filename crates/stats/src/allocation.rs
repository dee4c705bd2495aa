//! Which cases take the next trials: time goes where precision lacks most.
//!
//! First every case has as many trials as were asked for at least, in complete blocks, so that each
//! comparison has its pairs. From then on a case takes part as long as [`stopping::decide`] wants
//! more of it. With time for all of that, a block holds all of these. With less, it holds those of
//! the one comparison whose intervals will narrow most for each second that the block takes, down to
//! the precision: an interval of n trials reaches t(n - 1) / sqrt(n) standard deviations to each side.
//! Wide intervals and short trials come first, and each trial makes the next one of the same
//! case worth less. (The sum of the half widths is then the least that the time can buy: n grows
//! with the two thirds power of spread over time, which is the optimum of Neyman, "On the Two
//! Different Aspects of the Representative Method", J. Royal Statistical Society 97(4), 1934, for
//! half widths instead of variances.)
//!
//! What to measure next is a function of the trials so far, so that it can be computed again from
//! the document, and simulated: `tests/allocation.rs`.

use std::collections::BTreeMap;

use crate::interval::student;
use crate::stopping::{self, StopDecision, StoppingRule, relative_half_width};

/// Confidence at which widths are foreseen; how they shrink hardly depends on it.
const CONFIDENCE: f64 = 0.95;

/// The quantile of the normal distribution at that confidence.
const NORMAL: f64 = 1.959_964;

/// How far a case is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseProgress<'a> {
    /// Cases that are held against each other have the same.
    pub comparison: usize,
    /// What its trials gave, in the order measured.
    pub values: &'a [f64],
    /// Its trials, those that failed too.
    pub trials: usize,
    /// How long one more takes, in seconds.
    pub trial_s: f64,
}

impl CaseProgress<'_> {
    /// Whether it needs another trial.
    #[must_use]
    pub fn wants_more(&self, rule: &StoppingRule) -> bool {
        if self.trials < rule.min {
            return true;
        }
        self.trials < rule.max && stopping::decide(rule, self.values) == StopDecision::More
    }

    /// How many trials it will still take, about.
    fn expected(&self, rule: &StoppingRule) -> usize {
        let most = rule.max.saturating_sub(self.trials).max(1);
        let Some((width, precision)) = relative_half_width(self.values, rule.confidence).zip(rule.precision)
        else {
            return most;
        };
        let trials = self.values.len();
        trials_needed(trials, width, precision).saturating_sub(trials).clamp(1, most)
    }

    /// By how much one trial more narrows its interval, as a share of the median, down to the
    /// precision that is asked for.
    fn narrowing(&self, rule: &StoppingRule) -> f64 {
        let (Some(width), Some(one_more)) =
            (relative_half_width(self.values, rule.confidence), reach(self.values.len() + 1))
        else {
            // Of what has no interval yet nothing is known.
            return 1.0;
        };
        let narrower = reach(self.values.len()).map_or(width, |reach| width * one_more / reach);
        (width - narrower.max(rule.precision.unwrap_or(0.0))).max(0.0)
    }
}

/// How many standard deviations an interval of so many trials reaches to each side: Student's t over
/// the root of their number. Intervals by order statistics are up to a fifth wider, and narrow
/// as fast.
fn reach(trials: usize) -> Option<f64> {
    Some(student::t_quantile(trials.checked_sub(1).filter(|n| *n > 0)?, CONFIDENCE)? / (trials as f64).sqrt())
}

/// How many trials in all an interval needs that is `width` to either side after `trials` of them, to
/// be no wider than `wanted`, if the next spread as those before.
#[must_use]
pub fn trials_needed(trials: usize, width: f64, wanted: f64) -> usize {
    let Some(goal) = reach(trials).map(|reach| reach * wanted / width).filter(|goal| *goal > 0.0) else {
        return usize::MAX;
    };
    // Never more than of so many that t is normal; a float becomes the nearest number that there is.
    let mut needed = trials.max((NORMAL / goal).powi(2) as usize);
    // Of so many t is the normal to a few trials, and its quantile not exact enough to count them by.
    while needed < NORMAL_FROM && reach(needed).is_some_and(|reach| reach > goal) {
        needed += 1;
    }
    needed
}

/// From so many trials on they are counted by the normal distribution: the difference is
/// (z^2 + 1) / 2 trials, about 2.4.
const NORMAL_FROM: usize = 10_000;

/// The cases of the next block, by their places; none where all have trials enough. `left_s` is
/// the time that is left for all of them, if that is bounded.
#[must_use]
pub fn next_block(rule: &StoppingRule, cases: &[CaseProgress<'_>], left_s: Option<f64>) -> Vec<usize> {
    let few: Vec<usize> = (0..cases.len()).filter(|case| cases[*case].trials < rule.min).collect();
    if !few.is_empty() {
        return few;
    }
    let open: Vec<usize> = (0..cases.len()).filter(|case| cases[*case].wants_more(rule)).collect();
    let expected_s: f64 =
        open.iter().map(|case| cases[*case].expected(rule) as f64 * cases[*case].trial_s).sum();
    if left_s.is_none_or(|left_s| expected_s <= left_s) {
        return open;
    }
    let mut comparisons: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for case in open {
        comparisons.entry(cases[case].comparison).or_default().push(case);
    }
    let worth = |block: &Vec<usize>| {
        let narrowing: f64 = block.iter().map(|case| cases[*case].narrowing(rule)).sum();
        let takes_s: f64 = block.iter().map(|case| cases[*case].trial_s).sum();
        narrowing / takes_s.max(f64::MIN_POSITIVE)
    };
    comparisons.into_values().max_by(|a, b| worth(a).total_cmp(&worth(b))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: StoppingRule = StoppingRule { min: 3, max: 15, precision: Some(0.02), confidence: 0.95 };
    const STEADY: [f64; 3] = [100.0, 100.3, 99.8];
    const WIDE: [f64; 3] = [100.0, 108.0, 93.0];
    const WIDER: [f64; 3] = [100.0, 116.0, 87.0];

    fn case(comparison: usize, values: &[f64]) -> CaseProgress<'_> {
        CaseProgress { comparison, values, trials: values.len(), trial_s: 1.0 }
    }

    #[test]
    fn the_fewest_trials_come_in_complete_blocks_whatever_time_there_is() {
        let cases = [case(0, &STEADY[..2]), case(1, &WIDE[..2]), case(2, &WIDE)];
        assert_eq!(next_block(&RULE, &cases, Some(0.0)), [0, 1]);
        assert_eq!(next_block(&RULE, &cases[..2], None), [0, 1]);
    }

    #[test]
    fn with_time_for_all_a_block_holds_all_that_lack() {
        let done = [100.0, 100.1, 99.95, 100.02];
        let cases = [case(0, &done), case(1, &WIDE), case(2, &WIDER)];
        assert_eq!(next_block(&RULE, &cases, None), [1, 2]);
        assert_eq!(next_block(&RULE, &cases, Some(24.0)), [1, 2]);
        assert_eq!(next_block(&RULE, &cases[..1], None), [0; 0]);
    }

    #[test]
    fn time_that_is_short_goes_where_it_narrows_most() {
        let mut cases = [case(0, &STEADY), case(1, &WIDE), case(2, &WIDER)];
        assert_eq!(next_block(&RULE, &cases, Some(5.0)), [2]);
        // For the time that one of its trials takes, the other has three.
        cases[2].trial_s = 3.0;
        assert_eq!(next_block(&RULE, &cases, Some(5.0)), [1]);
        // What is held against each other is measured together.
        cases[0].comparison = 1;
        assert_eq!(next_block(&RULE, &cases, Some(5.0)), [2]);
        cases[2].trial_s = 9.0;
        assert_eq!(next_block(&RULE, &cases, Some(5.0)), [0, 1]);
    }

    #[test]
    fn failed_trials_count_against_the_maximum_and_say_nothing() {
        let failing = CaseProgress { trials: 15, ..case(0, &[]) };
        assert!(!failing.wants_more(&RULE));
        let one = CaseProgress { trials: 4, ..case(0, &[1.0]) };
        assert_eq!(next_block(&RULE, &[one, case(1, &WIDE)], Some(2.0)), [0]);
    }

    #[test]
    fn the_trials_needed_follow_from_the_width() {
        // By the tables: 2.776 / sqrt(5) is 1.242, 2.179 / sqrt(13) is 0.604, and 2.201 / sqrt(12) is 0.635.
        assert_eq!(trials_needed(5, 0.04, 0.02), 13);
        // Far off it is the square: (1.96 / 0.1242)^2.
        assert!((249..=252).contains(&trials_needed(5, 0.2, 0.02)), "{}", trials_needed(5, 0.2, 0.02));
        assert_eq!(trials_needed(5, 0.02, 0.02), 5);
        // Bug: a precision of a millionth was counted towards one by one, for ever. (1.96 / 1.672e-6)^2.
        let many = trials_needed(8, 0.5, 1e-6) as f64;
        assert!((many / 1.374e12 - 1.0).abs() < 0.01, "{many}");
        assert_eq!(trials_needed(5, f64::INFINITY, 0.02), usize::MAX);
        assert_eq!(trials_needed(0, f64::INFINITY, 0.02), usize::MAX);
    }
}
