//! Checks of how much a figure can say: repetitions, percentiles, means.

mod single_run;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[single_run::CHECK];
