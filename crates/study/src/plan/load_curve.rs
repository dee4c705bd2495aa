//! The latency of a load at shares of the most that it gives: operations arrive at random at a rate,
//! as those of independent users do, and wait where others are before them. It is the curve by
//! which capacity is planned.

use model::plan::{Case, LoadSpec};
use model::profile::Aspect;
use model::workload::Catalogue;
use model::{ParameterName, parameter};

use super::search;

/// The shares of the most at which a load is measured.
pub(crate) const SHARES: [f64; 4] = [0.25, 0.5, 0.8, 0.95];

/// Trials of each share, at most.
pub(crate) const BLOCKS: u32 = 3;

/// What makes a load an open one.
pub(crate) struct OpenLoop {
    /// The parameter of its rate.
    pub(crate) rate: ParameterName,
    /// The one that says how operations arrive.
    pub(crate) arrivals: ParameterName,
}

impl OpenLoop {
    /// That of a load; none if it cannot start operations at a rate, or counts none.
    pub(crate) fn of(load: &LoadSpec, catalogue: &Catalogue) -> Option<Self> {
        let spec = catalogue.workload(load.workload)?;
        if !spec.metrics.iter().any(|metric| analysis::is_operation_rate(metric.name)) {
            return None;
        }
        let rate = catalogue.parameter_for(spec, Aspect::Rate)?;
        let arrivals = catalogue.parameters(spec).find(|p| p.words.contains(&parameter::POISSON))?.name;
        Some(Self { rate, arrivals })
    }
}

/// How long the trials of the curve take, about, in seconds; none of a load that has no curve.
pub(super) fn usual_s(case: &Case, catalogue: &Catalogue) -> f64 {
    let has_curve = case.loads.first().is_some_and(|main| OpenLoop::of(main, catalogue).is_some());
    if has_curve { f64::from(BLOCKS) * SHARES.len() as f64 * search::level_s(case) } else { 0.0 }
}
