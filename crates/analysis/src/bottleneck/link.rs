//! A link between the device and the CPU that is full.

use language::format::{Rates, percent};
use model::Severity;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;

use super::{Candidate, FULL, Verdict, finding, shown};
use crate::{Context, called, measure};

/// More than a link can is no full link.
const BEYOND: f64 = 1.15;
/// Payload gets 76 to 94 % of a line rate, by packet size; above this share of
/// one nobody can say that there is room.
const LINE: f64 = 0.75;

/// The candidate.
pub(super) struct Link;

impl Candidate for Link {
    fn examine(&self, case: &CaseResult, _context: &Context<'_>) -> Verdict {
        // What memory modules carry is a link too, and judged with the memory.
        let links = case.utilization.iter().filter(|u| u.kind == LimitKind::Link && u.resource != "memory");
        // Of two that are as full the nearer one, which stands first.
        let Some(fullest) = links.rev().max_by(|a, b| a.fraction.total_cmp(&b.fraction)) else {
            return Verdict::Elsewhere;
        };
        let place = Place::Limit { resource: fullest.resource.clone(), quantity: fullest.quantity.clone() };
        let (link, share) = (called(&fullest.resource), percent(fullest.fraction));
        let evidence = |code: &str, text: String| {
            Evidence::at(code, place.clone(), text)
                .arg("resource", fullest.resource.as_str())
                .arg("fraction", fullest.fraction)
        };
        if fullest.fraction > BEYOND {
            let (demand, value, unit) = measure::written(fullest.demand, fullest.unit, &fullest.resource);
            let text = format!(
                "{demand} would pass {link}, {share} of what it can, so something else answered or the path is another"
            );
            let missing = evidence("link-beyond", text).arg("demand", value);
            return Verdict::Unknown(missing.arg("unit", unit));
        }
        if fullest.line_only && fullest.fraction > LINE && fullest.fraction < FULL {
            let text =
                format!("{link} is at {share} of its line rate, and what payload can get of it is not known");
            return Verdict::Unknown(evidence("link-line-rate", text));
        }
        let evidence = evidence("link", format!("{share} of {link}"));
        if fullest.fraction < FULL {
            return Verdict::Free(evidence);
        }
        let (limit, value, unit) = measure::written(fullest.limit, fullest.unit, &fullest.resource);
        let (bound, of) = match fullest.line_only {
            true => ("line", format!("its line rate of {limit}")),
            false => ("payload", format!("the {limit} that payload can get")),
        };
        let text = format!("{link} is full: {share} of {of} ({})", fullest.source);
        let advice = match Rates::of_resource(&fullest.resource) {
            Rates::Bits => "only a faster link can raise it, or larger packets, whose heads take less of it",
            Rates::Bytes => "only a faster or wider link can raise it; a faster device behind it cannot",
        };
        Verdict::Full(Box::new(
            finding("link-full", Severity::Note, text)
                .on(fullest.resource.clone())
                .arg("fraction", fullest.fraction)
                .arg("limit", value)
                .arg("unit", unit)
                .arg("bound", bound)
                .because(evidence)
                .because(shown("demand", "throughput", "the rate measured"))
                .advise(advice),
        ))
    }
}
