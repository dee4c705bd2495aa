//! Whether a load had all of an imposed rate. Two things hide that in its mean:
//!
//! * A window has whole operations only: of large ones under a low rate it has so few that the one which was nearly done when
//!   it closed is a good part of them.
//! * What holds a load for moments, as a hypervisor that takes the CPUs does, leaves the rate of all other moments as it is.

use model::finding::{Evidence, Place};
use model::run::{CaseResult, Utilization};
use model::{Resource, ResourceKind, Trial, metric, series};

use super::FULL;
use crate::measure;

/// Windows of fewer operations than this tell no rate.
const COUNTED_LEAST: f64 = 4.0;

/// A rate of fewer intervals than this in a window tells no course.
const INTERVALS_LEAST: usize = 10;

/// An imposed rate that was had in this share of the intervals was what held the load.
const MOST: f64 = 0.5;

pub(super) const ENGLISH: &str = "
evidence-quota-intervals =
    in { PERCENT($share) } of the intervals of its windows the rate was that of the limit
";

/// Whether all of an imposed rate was had, but for what an operation or a moment hides.
pub(super) fn is_reached(case: &CaseResult, used: &Utilization) -> bool {
    reach(case, used) >= FULL || in_most_intervals(case, used).is_some()
}

/// In how many intervals all of an imposed rate was had, where these are most of them and the mean is less.
pub(super) fn in_most_intervals(case: &CaseResult, used: &Utilization) -> Option<Evidence> {
    if used.allowance.is_some() || used.fraction >= FULL {
        return None;
    }
    let name = match used.quantity {
        metric::THROUGHPUT => series::THROUGHPUT,
        metric::IOPS => series::OPERATIONS,
        _ => return None,
    };
    let rate = measure::estimated(case, used.quantity).filter(|rate| *rate > 0.0)?;
    let of_limit = used.fraction / rate;
    let share = |trial: &Trial| {
        let rates = measure::within_window(trial, measure::course(case, trial, name)?)?;
        let is_of_limit = |rate: &&f64| (FULL..=2.0 - FULL).contains(&(**rate * of_limit));
        let held = rates.iter().filter(is_of_limit).count();
        (rates.len() >= INTERVALS_LEAST).then(|| held as f64 / rates.len() as f64)
    };
    let share = measure::median(case, share).filter(|share| *share >= MOST)?;
    let place = Place::Series { resource: Resource::LOAD, name };
    Some(Evidence::at("quota-intervals", place).arg("share", share))
}

/// How much of an imposed rate was had, with one more operation in each window where it is of a device.
fn reach(case: &CaseResult, used: &Utilization) -> f64 {
    let is_throttle = used.allowance.is_none() && used.resource.is_named(ResourceKind::Block);
    let counted = |trial: &Trial| Some(measure::trial_operations(trial)? * trial.result.window?.seconds());
    let count = measure::median(case, counted).filter(|count| is_throttle && *count >= COUNTED_LEAST);
    used.fraction * (1.0 + count.map_or(0.0, |count| 1.0 / count))
}

#[cfg(test)]
mod tests {
    use model::limit::LimitKind;
    use model::{Unit, series};

    use super::super::constant::tests::{course, stream};
    use super::super::tests::{disk, used, verdict};

    /// Bug: of a throttle of 10 MB/s, nine reads of 1 MiB in a window of a second were said to leave room.
    #[test]
    fn a_window_of_few_operations_reaches_a_throttle_with_the_next_one() {
        let code = |operations: f64, fraction: f64| {
            let mut case = disk(1, operations, 1e6 / operations, 2.0);
            case.utilization = vec![used("block:sda", LimitKind::Quota, fraction)];
            verdict(&[case]).code
        };
        assert_eq!(code(9.0, 0.944), "io-quota");
        assert_eq!(code(9.0, 0.8), "latency-bound", "one more is less than what is left");
        assert_eq!(code(900.0, 0.944), "latency-bound", "of many one more is nothing");
        assert_eq!(code(2.0, 0.8), "latency-bound", "two tell no rate");
    }

    /// Bug: a shaper was said to leave room where the hypervisor took the CPUs in a third of the time.
    #[test]
    fn a_rate_that_is_reached_but_for_moments_is_what_holds() {
        let verdict = |rates: &[f64; 20]| {
            let mean = rates.iter().sum::<f64>() / 20.0;
            let mut case = stream(1, mean, 20);
            course(&mut case, series::THROUGHPUT, Unit::BytesPerSecond, rates);
            case.utilization = vec![used("nic:eth0", LimitKind::Quota, mean / 12.5e6)];
            verdict(&[case])
        };
        let but_for = |moments: usize, rate: f64| {
            let mut rates = [12.4e6; 20];
            rates[..moments].fill(rate);
            rates
        };
        let found = verdict(&but_for(7, 8e6));
        assert_eq!(found.code, "io-quota", "{}", found.text);
        let text = "in 65 % of the intervals of its windows the rate was that of the limit";
        assert!(
            found.evidence.iter().any(|one| one.text.as_deref().is_some_and(|said| said.contains(text))),
            "{found:?}"
        );
        assert_ne!(verdict(&but_for(12, 8e6)).code, "io-quota", "it was had in few");
        assert_ne!(verdict(&but_for(20, 10e6)).code, "io-quota", "it was never had");
    }
}
