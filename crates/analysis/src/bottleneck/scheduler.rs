//! What the workloads of the scheduler wait for: it is what they measure.

use model::finding::Evidence;
use model::profile::{Aspect, WaitsFor};
use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{Verdict, cores, finding, shown};
use crate::{Context, measure};

/// What each may wait for, as findings say it: `threads` for one another, `timer`
/// for the clock, `kernel` for the kernel's answer.
const WAITS: &[(WaitsFor, &str)] = &[
    (WaitsFor::Lock, "threads"),
    (WaitsFor::Thread, "threads"),
    (WaitsFor::Timer, "timer"),
    (WaitsFor::Kernel, "kernel"),
];

pub(super) const ENGLISH: &str = r#"
finding-scheduler-bound =
    { $what ->
        [threads] its threads wait on one another: taking turns is what takes the time
        [timer] it sleeps until its timer fires{ $busy ->
            [yes] , while all CPUs that it may use are busy: when it wakes up, it may wait for one
           *[no] : nothing is full
        }
       *[kernel] each call waits for the kernel's answer: the time is the kernel's
    }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let profile = measure::profile(case);
    let waits = WAITS.iter().find(|(what, _)| profile.may_wait_for(what));
    let Some((_, what)) = waits.filter(|_| measure::waits_on_scheduler(profile)) else {
        return Verdict::Elsewhere;
    };
    let metric = context.headline.unwrap_or(metric::LATENCY_P50);
    let evidence = match case.loads.main.estimates.contains_key(&metric) {
        true => shown("result", metric),
        false => Evidence::maybe_at("result", measure::said(case, Aspect::Workers)),
    };
    let found = finding("scheduler-bound", Severity::Note).on(Resource::CPUS).arg("what", *what);
    let found = found.arg("busy", cores::are_all_busy(case, context));
    Verdict::Full(Box::new(found.because(evidence)))
}

#[cfg(test)]
mod tests {
    use model::{Better, MetricName, Unit, WorkloadName};

    use super::super::tests::verdict;
    use crate::validity::fixture;

    /// Bug: of a timer beside programs that fill all CPUs it was said that nothing is full.
    #[test]
    fn a_timer_beside_full_cpus_is_told_to_wait_for_one() {
        let text = |idle: u64| {
            let mut case = fixture::case(3);
            fixture::workload(&mut case, "scheduler.timer");
            fixture::set(&mut case, "threads", 1u64);
            let estimate = fixture::estimate(1e-3, Unit::Seconds, Better::Lower);
            case.loads.main.estimates.insert(MetricName::new("x"), estimate);
            for trial in &mut case.trials {
                let counters = [("user", 200 - idle), ("idle", idle)]
                    .map(|(name, ticks)| fixture::counter("cpu", &format!("/proc/stat {name}"), 0.01, ticks));
                trial.result.local_mut().counters.extend(counters);
            }
            verdict(&[case]).text
        };
        assert!(
            text(2)
                .ends_with("while all CPUs that it may use are busy: when it wakes up, it may wait for one"),
            "{}",
            text(2)
        );
        assert!(text(150).ends_with("its timer fires: nothing is full"), "{}", text(150));
    }

    #[test]
    fn what_a_scheduler_workload_waits_for_is_what_it_measures() {
        for (workload, begin) in [
            ("scheduler.handoff", "its threads wait on one another"),
            ("scheduler.timer", "it sleeps until its timer"),
            ("scheduler.syscall", "each call waits for the kernel"),
        ] {
            let mut case = fixture::case(3);
            case.loads.main.workload = WorkloadName::intern(workload).unwrap();
            fixture::set(&mut case, "threads", 1u64);
            case.loads
                .main
                .estimates
                .insert(MetricName::new("x"), fixture::estimate(1.0, Unit::Seconds, Better::Lower));
            let found = verdict(&[case]);
            assert_eq!(
                (found.code.as_str(), found.text.starts_with(begin)),
                ("scheduler-bound", true),
                "{found:?}"
            );
        }
    }
}
