//! Checks of figures against one another: whoever printed them, they must agree.

mod concurrency;
mod disagreement;
mod impossible;
mod mean_of_rows;
mod operation_size;
mod queue;
mod rate_and_amount;
mod sum_and_mean;
mod sum_of_means;
mod totals;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[
    rate_and_amount::CHECK,
    totals::CHECK,
    disagreement::CHECK,
    sum_and_mean::CHECK,
    mean_of_rows::CHECK,
    operation_size::CHECK,
    impossible::CHECK,
    concurrency::CHECK,
    sum_of_means::CHECK,
    queue::CHECK,
];
