//! Answers that are none of success: no operations, and counted beside them.

use engine::outcome::LoadOutcome;
use model::{MetricName, MetricSpec, Quantity, Unit, metric};

/// What they are called among the classes of a load.
pub(in crate::workload) const CLASS: &str = "error";

/// The share of errors.
pub(in crate::workload) const ERROR_SHARE: MetricSpec = MetricSpec::lower(
    metric::ERROR_SHARE,
    Unit::One,
    "The share of the answers that were errors: a status of 400 or above, an end before the announced length, or a \
     connection that broke.",
);

/// The share of them in what a load did, where it did anything.
pub(in crate::workload) fn share(outcome: &LoadOutcome) -> Option<(MetricName, Quantity)> {
    let errors = outcome.classes.iter().find(|c| c.class.name == CLASS).map_or(0.0, |c| c.operations);
    let all = outcome.operations + errors;
    (all > 0.0).then(|| (ERROR_SHARE.name, Quantity { value: errors / all, unit: ERROR_SHARE.unit }))
}
