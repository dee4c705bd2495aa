//! Loads that wait for one another: what a dependent chase measures is how long
//! memory, or a cache, takes to answer.

use model::metric;
use model::run::CaseResult;
use model::{MetricName, Resource, Severity};

use super::{Candidate, Verdict, finding, shown};
use crate::{Context, measure};

/// The metric of such loads.
const METRIC: MetricName = metric::LOAD_LATENCY;

/// English messages of this rule, in Fluent.
pub(super) const ENGLISH: &str = r#"
finding-memory-latency =
    { $memory ->
        [yes] memory latency
       *[no] latency of caches or memory
    }: each load waits { SHORT($each_s, unit: "s") } for the one before it

evidence-load-latency = { SHORT($each_s, unit: "s") } each
"#;

/// The candidate.
pub(super) struct Chase;

impl Candidate for Chase {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let Some(each) = case.loads.main.estimates.get(&METRIC).filter(|_| measure::is_of_memory(case))
        else {
            return Verdict::Elsewhere;
        };
        let each = each.median;
        let is_memory = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
        let evidence = shown("load-latency", METRIC).arg("each_s", each);
        let found = finding("memory-latency", Severity::Note);
        let found = found.on(Resource::MEMORY).arg("each_s", each).arg("memory", is_memory).because(evidence);
        Verdict::Full(Box::new(found))
    }
}
