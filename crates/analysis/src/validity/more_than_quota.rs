//! More threads than a control group lets run: they are stopped in each period.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, metric};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "more-threads-than-quota",
    doc: "The control group allows less CPU time than the threads that compute need: all of them are stopped for part of \
         each period (cpu.max; cpu.cfs_quota_us). A quota below one CPU stops even one thread.",
    english: r#"
finding-more-threads-than-quota =
    { $below ->
        [yes] the control group's quota is { FIXED($quota, decimals: 2) } CPUs, less than one: even one thread is
            stopped for part of each period
       *[no] { FIXED($threads) } threads share the { FIXED($quota, decimals: 2) } CPUs of the control group's quota: all
            are stopped for part of each period
    }
    .advice = measure outside of the group, or with its quota lifted, for what the processor can do

evidence-cpu-quota = { FIXED($quota, decimals: 2) } CPU seconds for each second
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let machine = context.machine?;
    let cpus = measure::cpus_allowed(case, Some(machine)).max(1.0);
    let threads = measure::workers(case);
    let quota = machine.inventory.cgroup.cpu_quota.filter(|q| *q > 0.0 && *q < threads.min(cpus));
    let quota = quota.filter(|quota| measure::wants_cpus(case, *quota))?;
    let place = Place::Limit { resource: Resource::CPUS, quantity: metric::CPU };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::CGROUP_CPU)
            .arg("threads", threads)
            .arg("quota", quota)
            .arg("below", quota < 1.0)
            .because(Evidence::at("cpu-quota", place).arg("quota", quota)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::study::Controls;

    #[test]
    fn a_quota_below_the_threads_is_told_and_one_below_a_cpu_by_itself() {
        let found = |threads: u64, quota: Option<f64>| {
            let mut machine = Machine::default();
            machine.inventory.cpu.allowed = vec![0, 1, 2, 3];
            machine.inventory.cgroup.cpu_quota = quota;
            let controls = Controls::default();
            let mut case = fixture::case(2);
            fixture::workload(&mut case, "cpu.primes");
            fixture::set(&mut case, "threads", threads);
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            let all = fixture::found(&RULE, &case, &context);
            all.into_iter().map(|f| f.text).next().unwrap_or_default()
        };
        assert!(found(4, Some(2.5)).starts_with("4 threads share the 2.50 CPUs"));
        assert!(found(1, Some(0.5)).contains("0.50 CPUs, less than one"));
        assert_eq!(found(2, Some(2.5)), "");
        assert_eq!(found(9, Some(4.0)), "", "that is all CPUs");
        assert_eq!(found(4, None), "");
    }
}
