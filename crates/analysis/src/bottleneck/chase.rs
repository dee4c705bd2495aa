//! Loads that wait for one another: what a dependent chase measures is how long
//! memory, or a cache, takes to answer. One whose threads stand ready without a CPU, for others have these, waits for a CPU
//! first.

use model::run::CaseResult;
use model::{MetricName, Resource, Severity, fact, metric};

use super::{Verdict, cores, finding, shown};
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
    if lacks_cpus(case, context) {
        return Verdict::Elsewhere;
    }
    let is_memory = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
    let evidence = shown("load-latency", metric::LOAD_LATENCY).arg("each_s", each);
    let found = finding("memory-latency", Severity::Note);
    let found = found.on(Resource::MEMORY).arg("each_s", each).arg("memory", is_memory).because(evidence);
    Verdict::Full(Box::new(found))
}

/// Whether its threads, which are no more than there are CPUs, stand ready without one for long, and CPUs are full.
fn lacks_cpus(case: &CaseResult, context: &Context<'_>) -> bool {
    // More threads than CPUs share them by intention.
    let have_room = measure::workers(case) <= measure::cpus_allowed(case, context.machine);
    have_room && cores::queues(case) && matches!(cores::examine(case, context), Verdict::Full(_))
}

/// CPU seconds for each second of the workers of a chase that stand ready for long: it computes whenever it has a CPU.
pub(super) fn cpu(case: &CaseResult) -> Option<(MetricName, f64)> {
    let is_chase = measure::is_of_memory(case) && measure::estimated(case, metric::LOAD_LATENCY).is_some();
    let ready = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY));
    let ready = ready.filter(|_| is_chase && cores::queues(case))?;
    Some((metric::LOAD_LATENCY, (measure::workers(case) - ready).max(0.0)))
}

#[cfg(test)]
mod tests {
    use model::{Better, Unit};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// Bug: of a chase beside programs that fill all CPUs memory was said to be what it waits for.
    #[test]
    fn a_chase_that_others_leave_half_of_a_cpu_waits_for_that() {
        let found = |ready: f64, idle: u64| {
            let mut case = disk(1, 9_000.0, 110.0, 55.0);
            fixture::workload(&mut case, "memory.latency");
            // Nobody counts what it computes.
            case.loads.main.estimates.clear();
            for trial in &mut case.trials {
                trial.result.main_mut().metrics.clear();
            }
            let each = fixture::estimate(240e-9, Unit::Seconds, Better::Lower);
            case.loads.main.estimates.insert(metric::LOAD_LATENCY, each);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::RUN_DELAY, ready.into());
                let counters = [("user", 200 - idle), ("idle", idle)]
                    .map(|(name, ticks)| fixture::counter("cpu", &format!("/proc/stat {name}"), 0.01, ticks));
                trial.result.local_mut().counters.extend(counters);
            }
            verdict(&[case])
        };
        let shared = found(0.48, 0);
        assert_eq!(shared.code, "all-cores-full", "{shared:?}");
        assert_eq!(found(0.0, 100).code, "memory-latency");
        let some = found(0.1, 2);
        assert_eq!(some.code, "memory-latency", "it has most of its CPU");
        assert!(some.evidence.iter().any(|evidence| evidence.code == "ready"), "{some:?}");
    }
}
