//! The figures of a disk load beside those that every load has.

use engine::outcome::{Common, LoadOutcome};
use model::trial::Window;
use model::{MetricName, Quantity, WorkloadSpec, metric};

use crate::workload::Metrics;
use crate::workload::disk::durable;
use crate::workload::disk::pattern::Pattern;
use crate::workload::disk::plan::DiskPlan;

/// All metrics of a load of the workload `spec` that did `outcome` in `window`.
pub(super) fn of(
    spec: &WorkloadSpec,
    plan: &DiskPlan,
    mut all: Metrics,
    outcome: &LoadOutcome,
    window: Window,
) -> Metrics {
    let mut put = |name: MetricName, value: Option<f64>| {
        if let (Some(value), Some(metric)) = (value, spec.metric(name)) {
            all.insert(name, Quantity { value, unit: metric.unit });
        }
    };
    let several = outcome.classes.iter().filter(|c| c.class.counts).count() > 1;
    for of in &outcome.classes {
        if !of.class.counts {
            put(metric::SYNCS_PER_SECOND, Some(of.operations / window.seconds()));
        } else if several {
            for (rate, amount) in [(metric::IOPS, of.operations), (metric::THROUGHPUT, of.bytes)] {
                if let Some(own) = rate.of(of.class.name) {
                    put(own, Some(amount / window.seconds()));
                }
            }
        }
    }
    if let Some(Common { operations, bytes, seconds }) = outcome.common {
        put(metric::IOPS, Some(operations / seconds));
        put(metric::THROUGHPUT, Some(bytes / seconds));
    }
    let from_start = |at_ns: u64| at_ns.saturating_sub(window.start_ns) as f64 / 1e9;
    if outcome.by_count {
        let ends = || outcome.parts.iter().filter_map(|p| p.outcome.span_ns).map(|(_, end)| end);
        put(metric::FIRST_DONE, ends().min().map(from_start));
        put(metric::LAST_DONE, ends().max().map(from_start));
    }
    put(metric::THROUGHPUT_DURABLE, durable_rate(plan, outcome));
    all
}

/// Bytes per second from the first operation, which may lie before the window,
/// until all was on the device.
fn durable_rate(plan: &DiskPlan, outcome: &LoadOutcome) -> Option<f64> {
    let (settled_ns, (start_ns, _)) = outcome.settled_ns.zip(outcome.span_ns)?;
    let seconds = settled_ns.checked_sub(start_ns).filter(|ns| *ns > 0)? as f64 / 1e9;
    Some(durable::bytes(plan, outcome)? / seconds)
}

/// The share of the bytes moved that were written.
pub(super) fn written_share(pattern: Pattern, outcome: &LoadOutcome) -> f64 {
    match (pattern.writes(), pattern.reads()) {
        (true, false) => 1.0,
        (true, true) if outcome.bytes > 0.0 => durable::written(pattern, outcome) / outcome.bytes,
        _ => 0.0,
    }
}
