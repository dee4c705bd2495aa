//! What rules read of a case: its good trials, their counters as rates, how
//! much was under way at once.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::{Counter, Status, Trial};
use model::{Machine, Unit};

/// The trials that gave a result.
pub(crate) fn good(case: &CaseResult) -> impl Iterator<Item = &Trial> {
    case.trials.iter().filter(|t| t.status == Status::Ok)
}

/// The counter of `resource` called `name`.
pub(crate) fn counter<'a>(trial: &'a Trial, resource: &str, name: &str) -> Option<&'a Counter> {
    let named = |source: &str| source.rsplit(' ').next() == Some(name);
    trial.result.counters.iter().find(|c| c.resource == resource && named(&c.source))
}

/// How far a counter went over the window, in its unit.
pub(crate) fn change(trial: &Trial, resource: &str, name: &str) -> Option<f64> {
    counter(trial, resource, name)?.change()
}

/// How fast a counter went over the window, in its unit per second.
pub(crate) fn rate(trial: &Trial, resource: &str, name: &str) -> Option<f64> {
    let counter = counter(trial, resource, name)?;
    let seconds = counter.seconds();
    (seconds > 0.0).then_some(counter.change()? / seconds)
}

/// The median of what `f` says of each good trial; absent where it says
/// nothing of any.
pub(crate) fn median(case: &CaseResult, f: impl Fn(&Trial) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = good(case).filter_map(f).collect();
    stats::interval::median(&values)
}

/// Where a counter of the case stands.
pub(crate) fn place(case: &CaseResult, resource: &str, name: &str) -> Option<Place> {
    let counter = good(case).find_map(|t| counter(t, resource, name))?;
    Some(Place::Counter { resource: counter.resource.clone(), source: counter.source.clone() })
}

/// Operations under way at once in a closed loop: depth times threads.
pub(crate) fn concurrency(case: &CaseResult) -> f64 {
    let of = |name: &str| case.parameters.integer(name).unwrap_or(1).max(1) as f64;
    of("queue-depth") * of("threads")
}

/// Metrics that count operations.
const RATES: &[&str] = &["iops", "operations_per_second", "events_per_second"];

/// Operations per second, the median over trials, and the metric's name.
pub(crate) fn operations(case: &CaseResult) -> Option<(&'static str, f64)> {
    RATES.iter().find_map(|name| Some((*name, case.estimates.get(*name)?.median)))
}

/// CPU seconds of the workers for each second, and the metric that says so.
pub(crate) fn worker_cpu(case: &CaseResult) -> Option<(&'static str, f64)> {
    let of = |name: &str| case.estimates.get(name).map(|e| e.median);
    if let (Some(each), Some((_, rate))) = (of("cpu_per_operation"), operations(case)) {
        return Some(("cpu_per_operation", each * rate));
    }
    Some(("cpu_per_byte", of("cpu_per_byte")? * of("throughput")?))
}

/// The mean latency of the main load in one trial, seconds.
pub(crate) fn trial_latency(trial: &Trial) -> Option<f64> {
    let one = stats::histogram::decode(trial.result.histograms.get("latency")?).ok()?;
    stats::histogram::mean(&one).map(|ns| ns / 1e9)
}

/// The mean latency of the main load, seconds: the median over trials.
pub(crate) fn mean_latency(case: &CaseResult) -> Option<f64> {
    median(case, trial_latency)
}

/// Evidence of the mean latency.
pub(crate) fn latency_evidence(mean_s: f64) -> Evidence {
    let text = format!("{} in the mean", language::format::setting(mean_s, Unit::Seconds));
    Evidence::at("latency", Place::Metric("latency_max".to_owned()), text).arg("latency_s", mean_s)
}

/// Operations per second of one trial.
pub(crate) fn trial_operations(trial: &Trial) -> Option<f64> {
    RATES.iter().find_map(|name| Some(trial.result.metrics.get(*name)?.value))
}

/// The block device that the case's load drives: the first of its path.
pub(crate) fn device(case: &CaseResult) -> Option<&str> {
    case.path.iter().map(|s| s.resource.as_str()).find(|r| r.starts_with("block:"))
}

/// Whether the main load only reads, only writes; absent where it does neither
/// or both.
pub(crate) fn direction(case: &CaseResult) -> Option<model::limit::Direction> {
    let pattern = case.parameters.text("pattern").ok()?;
    if pattern.ends_with("read") {
        Some(model::limit::Direction::Read)
    } else if pattern.ends_with("write") && pattern != "readwrite" {
        Some(model::limit::Direction::Write)
    } else {
        None
    }
}

/// Whether the load goes around the page cache, if it drives files at all.
pub(crate) fn is_direct(case: &CaseResult) -> bool {
    case.parameters.get("direct") != Some(&model::Value::Bool(false))
}

/// Whether the working sets of all threads are larger than all last-level
/// caches together, so that memory answers. Where no cache is known, nobody
/// can say.
pub(crate) fn beyond_caches(case: &CaseResult, machine: &Machine) -> bool {
    let size = case.parameters.integer("size").unwrap_or(0);
    let threads = case.parameters.integer("threads").unwrap_or(1);
    let cpu = &machine.inventory.cpu;
    let last = cpu.cache_kinds.iter().map(|c| c.level).max();
    let all: u64 = cpu
        .cache_kinds
        .iter()
        .filter(|c| Some(c.level) == last && c.kind != "Instruction")
        .map(|c| c.bytes.saturating_mul(u64::from(c.instances)))
        .fold(0, u64::saturating_add);
    let seen = cpu.caches.iter().map(|c| c.bytes).max().unwrap_or(0);
    let caches = all.max(seen);
    caches > 0 && size.saturating_mul(threads) > caches.saturating_mul(2)
}

/// Whether the load starts a new operation only when one ends.
pub(crate) fn is_closed(case: &CaseResult) -> bool {
    case.parameters.get("rate").is_none()
}

/// Whether the load drives nothing: its own cost is what it measures.
pub(crate) fn is_null(case: &CaseResult) -> bool {
    case.workload == "null" || case.parameters.is_word("engine", "null")
}
