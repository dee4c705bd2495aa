//! Whether a ramp fits the cases of its study: the rate rises from one to the next, and nothing else changes.

use model::plan::Case;
use model::workload::Catalogue;
use model::{Study, metric};

use super::PlanError;

/// Holds the ramp of a study, if there is one, against its cases and the groups in which they are measured.
pub(super) fn check(
    study: &Study,
    catalogue: &Catalogue,
    (cases, groups): (&[Case], usize),
) -> Result<(), PlanError> {
    let Some(ramp) = &study.controls.ramp else { return Ok(()) };
    let mut rates: Vec<f64> = cases.iter().filter_map(rate).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let begins_anew = |case: &Case| case.has_rounds() || case.search.is_some() || !case.observe.is_empty();
    if rates.len() < 2 || rates.len() < cases.len() || groups > 1 || cases.iter().any(begins_anew) {
        return Err(PlanError::invalid(
            "ramp",
            "a ramp rises over the levels of `rate`, and over nothing else".to_owned(),
            "give `rate` several levels, such as 1k..100k, and everything else one value; or leave --ramp out",
        ));
    }
    let has_latency = |case: &&Case| {
        let workload = case.loads.first().and_then(|load| catalogue.workload(load.workload));
        let percentiles = [metric::LATENCY_P50, metric::LATENCY_P99];
        workload.is_none_or(|spec| spec.metrics.iter().any(|known| percentiles.contains(&known.name)))
    };
    match cases.iter().find(|case| ramp.latency.is_some() && !has_latency(case)) {
        Some(case) => Err(PlanError::invalid(
            &case.label,
            "it does not measure the latency of its operations, which is to end the ramp".to_owned(),
            "give --ramp without a latency",
        )),
        None => Ok(()),
    }
}

/// The rate of a case's main load.
fn rate(case: &Case) -> Option<f64> {
    case.loads.first()?.profile.as_ref()?.concurrency.rate_per_s
}
