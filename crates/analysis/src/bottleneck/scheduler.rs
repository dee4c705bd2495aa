//! What the workloads of the scheduler wait for: it is what they measure.

use model::finding::Evidence;
use model::profile::{Aspect, WaitsFor};
use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{Verdict, finding, shown};
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
        [timer] it sleeps until its timer fires: nothing is full
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
    Verdict::Full(Box::new(found.because(evidence)))
}
