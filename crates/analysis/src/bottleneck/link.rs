//! A link between the device and the CPU that is full.

use model::Severity;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;

use super::{Candidate, FULL, Verdict, finding, percent, shown};
use crate::{Context, utilization};

/// More than a link can is no full link.
const BEYOND: f64 = 1.15;
/// Payload gets 76 to 94 % of a line rate, by packet size; above this share of
/// one nobody can say that there is room.
const LINE: f64 = 0.75;

/// The candidate.
pub(super) struct Link;

impl Candidate for Link {
    fn examine(&self, case: &CaseResult, _context: &Context<'_>) -> Verdict {
        let Some(fullest) = utilization::highest(case, &[LimitKind::Link]) else { return Verdict::Elsewhere };
        let place = Place::Limit { resource: fullest.resource.clone(), quantity: fullest.quantity.clone() };
        let says = format!("{} of the link {}", percent(fullest.fraction), fullest.resource);
        let evidence = Evidence::at("link", place, says).arg("fraction", fullest.fraction);
        if fullest.fraction > BEYOND {
            let text = format!(
                "{} would pass {} at {} of what it can, so something else answered or the path is another",
                fullest.resource,
                crate::words::bytes_per_second(fullest.demand),
                percent(fullest.fraction)
            );
            return Verdict::Unknown(Evidence { text: Some(text), ..evidence });
        }
        if fullest.line_only && fullest.fraction > LINE && fullest.fraction < FULL {
            let text = format!(
                "{} is at {} of its line rate, and what payload can get of it is not known",
                fullest.resource,
                percent(fullest.fraction)
            );
            return Verdict::Unknown(Evidence { text: Some(text), ..evidence });
        }
        if fullest.fraction < FULL {
            return Verdict::Free(evidence);
        }
        let text = format!(
            "the link {} is full: {} of what payload can get ({})",
            fullest.resource,
            percent(fullest.fraction),
            fullest.source
        );
        Verdict::Full(Box::new(
            finding("link-full", Severity::Note, text)
                .on(fullest.resource.clone())
                .arg("fraction", fullest.fraction)
                .because(evidence)
                .because(shown("demand", "throughput", "the rate measured"))
                .advise("only a faster or wider link can raise it; a faster device behind it cannot"),
        ))
    }
}
