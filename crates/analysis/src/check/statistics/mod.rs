//! Checks of how much a figure can say: repetitions, percentiles, means.

mod heading;
mod peak;
mod percentiles;
mod single_run;
mod units;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] =
    &[heading::CHECK, units::CHECK, peak::CHECK, percentiles::CHECK, single_run::CHECK];
