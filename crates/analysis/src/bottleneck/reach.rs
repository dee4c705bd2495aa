//! How near to a throttle a load came, as far as its operations tell. A window has whole operations only: of large ones under a
//! low rate it has so few that the one which was nearly done when it closed is a good part of them.

use model::run::{CaseResult, Utilization};
use model::{ResourceKind, Trial};

use crate::measure;

/// Windows of fewer operations than this tell no rate.
const COUNTED_LEAST: f64 = 4.0;

/// How much of an imposed rate was had, with one more operation in each window where it is of a device.
pub(super) fn reach(case: &CaseResult, used: &Utilization) -> f64 {
    let is_throttle = used.allowance.is_none() && used.resource.is_named(ResourceKind::Block);
    let counted = |trial: &Trial| Some(measure::trial_operations(trial)? * trial.result.window?.seconds());
    let count = measure::median(case, counted).filter(|count| is_throttle && *count >= COUNTED_LEAST);
    used.fraction * (1.0 + count.map_or(0.0, |count| 1.0 / count))
}

#[cfg(test)]
mod tests {
    use model::limit::LimitKind;

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
}
