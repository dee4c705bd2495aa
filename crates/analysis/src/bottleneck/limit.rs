//! A limit that only the load's own area knows: of a resource of which there are no
//! rules here, in one of the load's own metrics.

use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{MetricName, ResourceKind, Severity, metric};

use super::{BEYOND, FULL, Verdict, finding, of_limit, shown};
use crate::Context;

/// Resources that other candidates judge. An own metric of one of them is bounded as an
/// own resource is.
const JUDGED: &[ResourceKind] = &[
    ResourceKind::Block,
    ResourceKind::Cgroup,
    ResourceKind::Cpu,
    ResourceKind::Dmi,
    ResourceKind::FileSystem,
    ResourceKind::Load,
    ResourceKind::Memory,
    ResourceKind::Nic,
    ResourceKind::OwnProcess,
    ResourceKind::Pci,
    ResourceKind::Sata,
    ResourceKind::System,
    ResourceKind::Usb,
];
/// What the other candidates look at.
const JUDGED_IN: &[MetricName] = &[metric::CPU, metric::IOPS, metric::THROUGHPUT];

pub(super) const ENGLISH: &str = r#"
finding-limit-reached =
    { RESOURCE($resource) } give{ verb-s } all that { pronoun-it } can: { PERCENT($fraction) } of { SHORT($limit, $unit) } ({ $source })
    .advice = only more of it, or less work for each operation, can raise the rate

evidence-own-limit = { PERCENT($fraction) } of what { RESOURCE($resource) } can do
evidence-own-limit-beyond =
    { RESOURCE($resource) } would do { PERCENT($fraction) } of what { pronoun-it } can, so what is known of { pronoun-them } is wrong
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let own = case.utilization.iter().filter(|used| is_own(case, used));
    // What is known wrongly of one limit says nothing of the others.
    let key = |used: &&Utilization| (used.fraction <= BEYOND, used.fraction);
    let order = |a: (bool, f64), b: (bool, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let Some(fullest) = own.max_by(|a, b| order(key(a), key(b))) else {
        return Verdict::Elsewhere;
    };
    if fullest.fraction > BEYOND {
        return Verdict::Unknown(of_limit(fullest, "own-limit-beyond"));
    }
    let evidence = of_limit(fullest, "own-limit");
    if fullest.fraction < FULL {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("limit-reached", Severity::Note)
            .on(fullest.resource.clone())
            .arg("fraction", fullest.fraction)
            .arg("limit", fullest.limit)
            .arg("unit", fullest.unit.symbol())
            .arg("source", fullest.source.as_str())
            .because(evidence)
            .because(shown("demand", fullest.quantity)),
    ))
}

/// Whether a limit is of the load's own area: of a resource that no other candidate
/// knows, or in a metric that none looks at. Links and quotas are judged whatever they
/// are of.
fn is_own(case: &CaseResult, used: &Utilization) -> bool {
    let is_judged = matches!(used.kind, LimitKind::Quota | LimitKind::Link)
        || JUDGED.contains(&used.resource.kind()) && JUDGED_IN.contains(&used.quantity);
    !is_judged && case.loads.main.estimates.contains_key(&used.quantity)
}
