//! Memory bandwidth that is full.

use model::Severity;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;

use super::{Candidate, FULL, Verdict, finding, percent, shown};
use crate::Context;

/// The candidate.
pub(super) struct Bandwidth;

impl Candidate for Bandwidth {
    fn examine(&self, case: &CaseResult, _context: &Context<'_>) -> Verdict {
        let used = case
            .utilization
            .iter()
            .find(|u| u.resource == "memory" && matches!(u.kind, LimitKind::Measured | LimitKind::Link));
        let Some(used) = used else { return Verdict::Elsewhere };
        let place = Place::Limit { resource: "memory".to_owned(), quantity: "throughput".to_owned() };
        let says = format!("{} of the memory bandwidth measured", percent(used.fraction));
        let evidence = Evidence::at("memory", place, says).arg("fraction", used.fraction);
        if used.fraction < FULL {
            return Verdict::Free(evidence);
        }
        let text = format!("memory bandwidth is full: {} of {}", percent(used.fraction), used.source);
        Verdict::Full(Box::new(
            finding("memory-bandwidth-full", Severity::Note, text)
                .on("memory")
                .arg("fraction", used.fraction)
                .because(evidence)
                .because(shown("demand", "throughput_bus_estimate", "what passes on the bus, estimated")),
        ))
    }
}
