//! Cores that compute all the time: those of the workers, or all.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{MetricName, Resource, Severity, Trial};

use super::{FULL, Verdict, finding, shown};
use crate::{Context, measure};

/// A load that computes for less than this share of the time mostly waits for
/// something else.
const WANTS: f64 = 0.5;

pub(super) const ENGLISH: &str = r#"
finding-one-core-full =
    { $threads ->
        [1] one core is full: { $waits ->
            [yes] it computes, or waits for memory, all the time
           *[no] { PERCENT($share) } of the time
        }
       *[other] the cores of its { FIXED($threads) } threads are full: { $waits ->
            [yes] they compute, or wait for memory, all the time
           *[no] { PERCENT($share) } of the time
        }
    }
    .advice =
        { $more ->
            [yes] more threads can use more cores
           *[no] {""}
        }

finding-all-cores-full =
    { $cpus ->
        [1] the only CPU is busy
       *[other] all { FIXED($cpus) } CPUs are busy
    }{ $shared ->
        [yes] , part of it with other programs
       *[no] {""}
    }

evidence-worker-cpu = each worker computes { PERCENT($share) } of the time
evidence-busy = all CPUs together are busy { PERCENT($share) } of the time
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some((metric, each)) = each(case, context) else { return Verdict::Elsewhere };
    let threads = measure::workers(case);
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    let all = measure::median(case, busy_share);
    let mut evidence = vec![shown("worker-cpu", metric).arg("share", each)];
    if let (Some(all), Some(place)) = (all, measure::place(case, &Resource::CPUS, "idle")) {
        evidence.push(Evidence::at("busy", place).arg("share", all));
    }
    // Others may fill all CPUs while the load hardly wants one: that disturbs
    // it, and is said elsewhere, but more cores would not help it much.
    let everywhere = all.is_some_and(|a| a >= FULL) && each >= WANTS;
    if each < FULL && !everywhere {
        // The busier of the two says it, unless others are what is busy.
        let last = evidence.len() - 1;
        let index = if all.is_some_and(|a| a > each && a < FULL) { last } else { 0 };
        return Verdict::Free(evidence.swap_remove(index));
    }
    let waits = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
    let shared = each < FULL;
    let waits = waits && measure::is_of_memory(case);
    let all = everywhere || (threads >= cpus && cpus > 0.0);
    let code = if all { "all-cores-full" } else { "one-core-full" };
    let mut found = finding(code, Severity::Note)
        .on(Resource::CPUS)
        .arg("share", each)
        .arg("threads", threads)
        .arg("cpus", cpus)
        .arg("more", threads < cpus)
        .arg("shared", shared)
        .arg("waits", waits);
    found.evidence = evidence;
    Verdict::Full(Box::new(found))
}

/// CPU seconds that each worker used for each second, of the CPUs that there
/// are, and the metric that says so.
pub(super) fn each(case: &CaseResult, context: &Context<'_>) -> Option<(MetricName, f64)> {
    let (metric, used) = measure::worker_cpu(case)?;
    let threads = measure::workers(case);
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    Some((metric, used / if cpus > 0.0 { threads.min(cpus) } else { threads }))
}

/// The share of their time that all CPUs together were busy.
fn busy_share(trial: &Trial) -> Option<f64> {
    let of = |name: &str| measure::change(trial, &Resource::CPUS, name).unwrap_or(0.0);
    let idle = measure::change(trial, &Resource::CPUS, "idle")? + of("iowait");
    let busy: f64 = ["user", "nice", "system", "irq", "softirq", "steal"].iter().map(|name| of(name)).sum();
    let all = idle + busy;
    (all > 0.0).then_some(busy / all)
}
