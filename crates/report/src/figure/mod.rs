//! Which charts a workload's cases get: decided by their factors and metrics,
//! never by the workload's name.

use model::run::CaseResult;

use crate::document::Block;
use crate::page::View;

/// The charts of one workload's cases, each a [`Block::Chart`].
#[must_use]
pub(crate) fn of_workload(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    let _ = (view, cases);
    Vec::new()
}

/// Samples of the trials that tell most, in panels on one clock.
#[must_use]
pub(crate) fn of_samples(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    let _ = (view, cases);
    Vec::new()
}
