//! Cores that compute all the time: those of the workers, or all.

use language::format::percent;
use model::Severity;
use model::finding::Evidence;
use model::run::CaseResult;
use model::trial::Trial;

use super::{Candidate, FULL, Verdict, finding, shown};
use crate::{Context, measure};

/// A load that computes for less than this share of the time mostly waits for
/// something else.
const WANTS: f64 = 0.5;

/// The candidate.
pub(super) struct Cores;

impl Candidate for Cores {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let Some((metric, each)) = each(case, context) else { return Verdict::Elsewhere };
        let threads = measure::workers(case);
        let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
        let all = measure::median(case, busy_share);
        let text = format!("each worker computes {} of the time", percent(each));
        let mut evidence = vec![shown("worker-cpu", metric, text).arg("share", each)];
        if let (Some(all), Some(place)) = (all, measure::place(case, "cpu", "idle")) {
            let text = format!("all CPUs together are busy {} of the time", percent(all));
            evidence.push(Evidence::at("busy", place, text).arg("share", all));
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
        let (code, text) = if everywhere || (threads >= cpus && cpus > 0.0) {
            let others = if shared { ", and others use part of them" } else { "" };
            let all = if cpus == 1.0 { "the only CPU is" } else { &format!("all CPUs ({cpus:.0}) are") };
            ("all-cores-full", format!("{all} full{others}"))
        } else {
            ("one-core-full", one_full(threads, each, waits))
        };
        let mut found = finding(code, Severity::Note, text)
            .on("cpu")
            .arg("share", each)
            .arg("threads", threads)
            .arg("cpus", cpus)
            .arg("shared", shared)
            .arg("waits", waits);
        found.evidence = evidence;
        if code == "one-core-full" && threads < cpus {
            found = found.advise("more threads can use more cores");
        }
        Verdict::Full(Box::new(found))
    }
}

fn one_full(threads: f64, each: f64, waits: bool) -> String {
    let shown = percent(each);
    match (threads > 1.0, waits) {
        (true, true) => format!(
            "the cores of its {threads:.0} threads are full: they compute, or wait for memory, all the time"
        ),
        (true, false) => format!("the cores of its {threads:.0} threads are full: {shown} of the time"),
        (false, true) => "one core is full: it computes, or waits for memory, all the time".to_owned(),
        (false, false) => format!("one core is full: {shown} of the time"),
    }
}

/// CPU seconds that each worker used for each second, of the CPUs that there
/// are, and the metric that says so.
pub(super) fn each(case: &CaseResult, context: &Context<'_>) -> Option<(&'static str, f64)> {
    let (metric, used) = measure::worker_cpu(case)?;
    let threads = measure::workers(case);
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    Some((metric, used / if cpus > 0.0 { threads.min(cpus) } else { threads }))
}

/// The share of their time that all CPUs together were busy.
fn busy_share(trial: &Trial) -> Option<f64> {
    let of = |name: &str| measure::change(trial, "cpu", name).unwrap_or(0.0);
    let idle = measure::change(trial, "cpu", "idle")? + of("iowait");
    let busy: f64 = ["user", "nice", "system", "irq", "softirq", "steal"].iter().map(|name| of(name)).sum();
    let all = idle + busy;
    (all > 0.0).then_some(busy / all)
}
