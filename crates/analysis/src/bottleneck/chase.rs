//! Loads that wait for one another: what a dependent chase measures is how long
//! memory, or a cache, takes to answer.

use language::format::setting;
use model::run::CaseResult;
use model::{Severity, Unit};

use super::{Candidate, Verdict, finding, shown};
use crate::{Context, measure};

/// The metric of such loads.
const METRIC: &str = "load_latency";

/// The candidate.
pub(super) struct Chase;

impl Candidate for Chase {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let Some(each) = case.estimates.get(METRIC).filter(|_| measure::is_of_memory(case)) else {
            return Verdict::Elsewhere;
        };
        let each = each.median;
        let is_memory = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
        let shown_s = setting(each, Unit::Seconds);
        let text = if is_memory {
            format!("memory latency: each load waits {shown_s} for the one before it")
        } else {
            format!("latency of caches or memory: each load waits {shown_s} for the one before it")
        };
        let evidence = shown("load-latency", METRIC, format!("{shown_s} each")).arg("each_s", each);
        let found = finding("memory-latency", Severity::Note, text);
        let found = found.on("memory").arg("each_s", each).arg("memory", is_memory).because(evidence);
        Verdict::Full(Box::new(found))
    }
}
