//! Cores that compute all the time: those of the workers, or all.

use model::Severity;
use model::finding::Evidence;
use model::run::CaseResult;
use model::trial::Trial;

use super::{Candidate, FULL, Verdict, finding, percent, shown};
use crate::{Context, measure};

/// The candidate.
pub(super) struct Cores;

impl Candidate for Cores {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let Some((metric, used)) = measure::worker_cpu(case) else { return Verdict::Elsewhere };
        let threads = case.parameters.integer("threads").unwrap_or(1).max(1) as f64;
        let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
        let all = measure::median(case, busy_share);
        let each = used / threads.min(if cpus > 0.0 { cpus } else { threads });
        let text = format!("each worker computes {} of the time", percent(each));
        let mut evidence = vec![shown("worker-cpu", metric, text).arg("share", each)];
        if let (Some(all), Some(place)) = (all, measure::place(case, "cpu", "idle")) {
            let text = format!("all CPUs together are busy {} of the time", percent(all));
            evidence.push(Evidence::at("busy", place, text).arg("share", all));
        }
        let everywhere = all.is_some_and(|a| a >= FULL);
        if each < FULL && !everywhere {
            // The busier of the two says it.
            let last = evidence.len() - 1;
            let index = if all.is_some_and(|a| a > each) { last } else { 0 };
            return Verdict::Free(evidence.swap_remove(index));
        }
        let (code, text) = if everywhere && threads > 1.0 {
            ("all-cores-full", format!("all {cpus:.0} CPUs are full"))
        } else if everywhere && cpus > 1.0 {
            (
                "all-cores-full",
                format!("all {cpus:.0} CPUs are full, though the load has one thread: others use them"),
            )
        } else if threads > 1.0 {
            ("one-core-full", format!("the cores of its {threads:.0} threads are full ({})", percent(each)))
        } else {
            (
                "one-core-full",
                format!("one core is full: its one thread computes {} of the time", percent(each)),
            )
        };
        let mut found =
            finding(code, Severity::Note, text).on("cpu").arg("share", each).arg("threads", threads);
        found.evidence = evidence;
        if code == "one-core-full" && threads < cpus {
            found = found.advise("more threads can use more cores");
        }
        Verdict::Full(Box::new(found))
    }
}

/// The share of their time that all CPUs together were busy.
fn busy_share(trial: &Trial) -> Option<f64> {
    let of = |name: &str| measure::change(trial, "cpu", name).unwrap_or(0.0);
    let idle = measure::change(trial, "cpu", "idle")? + of("iowait");
    let busy: f64 = ["user", "nice", "system", "irq", "softirq", "steal"].iter().map(|name| of(name)).sum();
    let all = idle + busy;
    (all > 0.0).then_some(busy / all)
}
