//! More threads than there are CPUs for them: they take turns.

use model::finding::Evidence;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "more-threads-than-cores",
    doc: "The load has more threads that compute than CPUs they may run on, so that they take turns. Of threads that \
         mostly wait, for a disk or for one another, nothing is said.",
    english: r#"
finding-more-threads-than-cores =
    { FIXED($threads) } threads take turns on { $cpus ->
        [1] 1 CPU
       *[other] { $cpus } CPUs
    }: more threads cannot compute more, and each waits for the others
    .advice = use --threads all, one for each CPU

evidence-threads = threads = { FIXED($threads) }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let cpus = measure::cpus_allowed(case, context.machine);
    let threads = measure::workers(case);
    // Of a database in this process each client that was asked for is a thread.
    let is_asked = measure::does_transactions(case);
    if cpus < 1.0 || threads <= cpus || is_asked || !measure::computes(case, cpus) {
        return None;
    }
    let evidence =
        Evidence::maybe_at("threads", measure::said(case, Aspect::Workers)).arg("threads", threads);
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::CPUS)
            .arg("threads", threads)
            .arg("cpus", cpus as u64)
            .because(evidence),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::metric;
    use model::study::Controls;
    use model::{Better, Machine, MetricName, Unit, WorkloadName};

    #[test]
    fn threads_that_take_turns_are_told_where_they_compute() {
        let found = |workload: WorkloadName, threads: u64, cpu_share: f64| {
            let mut machine = Machine::default();
            machine.inventory.cpu.allowed = vec![2, 5];
            let controls = Controls::default();
            let mut case = fixture::case(2);
            case.loads.main.workload = workload.to_owned();
            fixture::set(&mut case, "threads", threads);
            let mut put = |name: MetricName, value, unit| {
                case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Lower));
            };
            put(metric::IOPS, 1000.0, Unit::PerSecond);
            put(metric::CPU_PER_OPERATION, cpu_share * 2.0 / 1000.0, Unit::Seconds);
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).into_iter().map(|f| f.text).next().unwrap_or_default()
        };
        assert!(found(WorkloadName::new("cpu.primes"), 8, 1.0).starts_with("8 threads take turns on 2 CPUs"));
        assert_eq!(found(WorkloadName::new("memory.bandwidth"), 2, 1.0), "");
        assert_eq!(found(WorkloadName::new("disk"), 8, 0.3), "", "threads that wait may be many");
        assert_ne!(found(WorkloadName::new("disk"), 8, 0.98), "");
        assert_eq!(
            found(WorkloadName::new("scheduler.threads"), 8, 1.0),
            "",
            "taking turns is what it measures"
        );
    }
}
