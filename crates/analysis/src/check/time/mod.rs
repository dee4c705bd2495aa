//! Checks of how long it was measured, and by which clock.

mod asked_rate;
mod clocks;
mod cpu_seconds;
mod ended_by_error;
mod ended_by_size;
mod kept_rate;
mod processor_share;
mod resolution;
mod short;
mod since_boot;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[
    clocks::CHECK,
    processor_share::CHECK,
    ended_by_error::CHECK,
    since_boot::CHECK,
    cpu_seconds::CHECK,
    ended_by_size::CHECK,
    short::CHECK,
    resolution::CHECK,
    asked_rate::CHECK,
    kept_rate::CHECK,
];
