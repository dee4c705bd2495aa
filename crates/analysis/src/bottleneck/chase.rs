//! Loads that wait for one another: what a dependent chase measures is how long
//! memory, or a cache, takes to answer.

use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{Verdict, finding, shown};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-memory-latency =
    { $memory ->
        [yes] memory latency
       *[no] latency of caches or memory
    }: each load waits { SHORT($each_s, unit: "s") } for the one before it

evidence-load-latency = { SHORT($each_s, unit: "s") } each
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let each = measure::estimated(case, metric::LOAD_LATENCY).filter(|_| measure::is_of_memory(case));
    let Some(each) = each else { return Verdict::Elsewhere };
    let is_memory = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
    let evidence = shown("load-latency", metric::LOAD_LATENCY).arg("each_s", each);
    let found = finding("memory-latency", Severity::Note);
    let found = found.on(Resource::MEMORY).arg("each_s", each).arg("memory", is_memory).because(evidence);
    Verdict::Full(Box::new(found))
}
