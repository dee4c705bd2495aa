//! What the trials of a case say of a rate: each, their middle, and how sure it is.

use std::cmp::Ordering;

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{MetricName, Trial};
use stats::comparison::unpaired_ratio;

use crate::{CONFIDENCE, measure};

/// At least this share of what comes is all of it: less than that is a limit (design, section 7).
const ALL: f64 = crate::bottleneck::FULL;

/// So many trials have a spread.
pub(super) const ENOUGH: usize = 2;

/// What the trials of a case say.
pub(super) struct Rate<'a> {
    pub(super) case: &'a CaseResult,
    pub(super) values: Vec<f64>,
    pub(super) median: f64,
}

impl<'a> Rate<'a> {
    pub(super) fn of(case: &'a CaseResult, of: impl Fn(&Trial) -> Option<f64>) -> Option<Self> {
        // One that took nothing counts: it has no ratio, so that nobody can tell.
        let values: Vec<f64> = measure::good(case).filter_map(of).collect();
        let median = stats::interval::median(&values)?;
        Some(Self { case, values, median })
    }

    pub(super) fn of_metric(case: &'a CaseResult, name: MetricName) -> Option<Self> {
        Self::of(case, |trial| measure::measured(trial, name))
    }

    /// Which of two counts: one that can be compared, and of such ones the faster.
    pub(super) fn order(&self, other: &Rate<'_>) -> Ordering {
        let is_enough = |rate: &Rate<'_>| rate.values.len() >= ENOUGH;
        is_enough(self).cmp(&is_enough(other)).then(self.median.total_cmp(&other.median))
    }

    /// Whether it is surely all of `other`, or surely less; absent where the trials do not tell.
    pub(super) fn is_all_of(&self, other: &Rate<'_>) -> Option<bool> {
        let ratio = unpaired_ratio(&self.values, &other.values, CONFIDENCE)?.interval;
        match (ratio.low >= ALL, ratio.high < ALL) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    pub(super) fn evidence(&self, code: &str) -> Evidence {
        let interval = stats::interval::of_center(&self.values, CONFIDENCE);
        let (low, high) = interval.map_or((0.0, 0.0), |interval| (interval.low.max(0.0), interval.high));
        Evidence::at(code, Place::Case(self.case.label.to_string()))
            .arg("rate", self.median)
            .arg("rate_bits", self.median * 8.0)
            .arg("known", if interval.is_some() { "yes" } else { "no" })
            .arg("low", low)
            .arg("high", high)
    }
}
