//! A link between the device and the CPU that is full.

use language::format::Rates;
use model::limit::LimitKind;
use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{BEYOND, FULL, Verdict, finding, of_limit, shown};
use crate::{Context, measure};

/// Payload gets 76 to 94 % of a line rate, by packet size; above this share of
/// one nobody can say that there is room.
const LINE: f64 = 0.75;

pub(super) const ENGLISH: &str = r#"
finding-link-full =
    { RESOURCE($resource) } is full: { PERCENT($fraction) } of { $bound ->
        [line] its line rate of { SHORT($limit, $unit) }
       *[payload] the { SHORT($limit, $unit) } that payload can get
    } ({ $source })
    .advice =
        { $network ->
            [yes] only a faster link can raise it, or larger packets, whose heads take less of it
           *[no] only a faster or wider link can raise it; a faster device behind it cannot
        }

evidence-link = { PERCENT($fraction) } of { RESOURCE($resource) }
evidence-link-beyond =
    { SHORT($demand, $unit) } would pass { RESOURCE($resource) }, { PERCENT($fraction) } of what it can, so something
    else answered or the path is another
evidence-link-line-rate =
    { RESOURCE($resource) } is at { PERCENT($fraction) } of its line rate, and what payload can get of it is not known
evidence-demand = the rate measured
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    // What memory modules carry is a link too, and judged with the memory.
    let links =
        case.utilization.iter().filter(|u| u.kind == LimitKind::Link && u.resource != Resource::MEMORY);
    // Of two that are as full the nearer one, which stands first.
    let Some(fullest) = links.rev().max_by(|a, b| a.fraction.total_cmp(&b.fraction)) else {
        return Verdict::Elsewhere;
    };
    if fullest.fraction > BEYOND {
        let (demand, unit) = measure::written(fullest.demand, fullest.unit, &fullest.resource);
        let missing = of_limit(fullest, "link-beyond").arg("demand", demand);
        return Verdict::Unknown(missing.arg("unit", unit));
    }
    if fullest.line_only && fullest.fraction > LINE && fullest.fraction < FULL {
        return Verdict::Unknown(of_limit(fullest, "link-line-rate"));
    }
    let evidence = of_limit(fullest, "link");
    if fullest.fraction < FULL {
        return Verdict::Free(evidence);
    }
    let (limit, unit) = measure::written(fullest.limit, fullest.unit, &fullest.resource);
    let is_network = Rates::of_resource(&fullest.resource) == Rates::Bits;
    Verdict::Full(Box::new(
        finding("link-full", Severity::Note)
            .on(fullest.resource.clone())
            .arg("fraction", fullest.fraction)
            .arg("limit", limit)
            .arg("unit", unit)
            .arg("bound", if fullest.line_only { "line" } else { "payload" })
            .arg("source", fullest.source.as_str())
            .arg("network", is_network)
            .because(evidence)
            .because(shown("demand", metric::THROUGHPUT)),
    ))
}
