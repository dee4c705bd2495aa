//! A limit that only the load's own area knows: of a resource of which there are no
//! rules here, in one of the load's own metrics.

use model::Severity;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};

use super::{Candidate, FULL, Verdict, finding, shown};
use crate::Context;

/// More than a resource can is no full resource.
const BEYOND: f64 = 1.15;

/// What it says, in English.
pub(super) const ENGLISH: &str = r#"
finding-limit-reached =
    { RESOURCE($resource) } gives all that it can: { PERCENT($fraction) } of { SHORT($limit, $unit) } ({ $source })
    .advice = only more of it, or less work for each operation, can raise the rate

evidence-own-limit = { PERCENT($fraction) } of what { RESOURCE($resource) } can do
evidence-own-limit-beyond =
    { RESOURCE($resource) } would do { PERCENT($fraction) } of what it can, so what is known of it is wrong
"#;

/// The candidate.
pub(super) struct OwnLimit;

impl Candidate for OwnLimit {
    fn examine(&self, case: &CaseResult, _context: &Context<'_>) -> Verdict {
        let own = case.utilization.iter().filter(|used| is_own(case, used));
        let Some(fullest) = own.max_by(|a, b| a.fraction.total_cmp(&b.fraction)) else {
            return Verdict::Elsewhere;
        };
        let place = Place::Limit { resource: fullest.resource.clone(), quantity: fullest.quantity.clone() };
        let evidence = |code: &str| {
            Evidence::at(code, place.clone())
                .arg("resource", fullest.resource.as_str())
                .arg("fraction", fullest.fraction)
        };
        if fullest.fraction > BEYOND {
            return Verdict::Unknown(evidence("own-limit-beyond"));
        }
        if fullest.fraction < FULL {
            return Verdict::Free(evidence("own-limit"));
        }
        Verdict::Full(Box::new(
            finding("limit-reached", Severity::Note)
                .on(fullest.resource.clone())
                .arg("fraction", fullest.fraction)
                .arg("limit", fullest.limit)
                .arg("unit", fullest.unit.symbol())
                .arg("source", fullest.source.as_str())
                .because(evidence("own-limit"))
                .because(shown("demand", &fullest.quantity)),
        ))
    }
}

/// Whether a limit is of the load's own area: what the others judge is bounded in
/// bytes, operations or CPU time.
fn is_own(case: &CaseResult, used: &Utilization) -> bool {
    used.kind != LimitKind::Quota
        && !matches!(used.quantity.as_str(), "throughput" | "iops" | "cpu")
        && case.loads.main.estimates.contains_key(&used.quantity)
}
