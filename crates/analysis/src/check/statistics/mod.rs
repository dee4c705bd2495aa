//! Checks of how much a figure can say: failures, repetitions, percentiles, means.

mod command;
mod failed_operations;
mod heading;
mod own_warning;
mod peak;
mod percentiles;
mod ratio;
mod single_run;
mod units;
mod units_of_prose;
mod within_spread;

pub(in crate::check) use self::ratio::{claiming_sentences, has_claim_of_figures, sentences_of};
use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[
    failed_operations::CHECK,
    heading::CHECK,
    ratio::CHECK,
    own_warning::CHECK,
    units::CHECK,
    within_spread::CHECK,
    peak::CHECK,
    percentiles::CHECK,
    single_run::CHECK,
];
