//! What the report reads of a load: its profile, and which of its metrics comes first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use language::format::{self, Rates};
use model::limit::LimitKind;
use model::profile::{Aspect, LoadEnd};
use model::run::{CaseLoad, CaseResult, Utilization};
use model::stack::presented;
use model::{FactName, LoadProfile, MetricName, ParameterName, Resource, Unit, Value, metric};

/// From this many bytes an operation on, people ask for bytes per second, not
/// for operations: SNIA's tests and datasheets give 128 KiB and more in MB/s,
/// 4 and 8 KiB in IOPS.
pub(crate) const LARGE_BYTES: f64 = 65536.0;

/// What the main load of a case is.
pub(crate) fn profile(case: &CaseResult) -> &LoadProfile {
    &case.loads.main.profile
}

/// What the rates of a case are written in.
pub(crate) fn rates(case: &CaseResult) -> Rates {
    Rates::of(profile(case).rate_unit)
}

/// The metric to show first: the time that a number of requests took, the rate
/// that kept to a latency, or else the workload's own; of large operations the
/// bytes rather than their count.
pub(crate) fn headline(cases: &[&CaseResult]) -> MetricName {
    let any = |name: MetricName| cases.iter().any(|c| c.loads.main.estimates.contains_key(&name));
    if any(metric::ELAPSED) && !cases.iter().any(|c| goes_to_its_end(c)) {
        return metric::ELAPSED;
    }
    if any(metric::RATE_HELD) {
        return metric::RATE_HELD;
    }
    let own = most_shown(cases).unwrap_or(metric::THROUGHPUT);
    let large = |case: &&CaseResult| bytes_an_operation(case, own).is_some_and(|bytes| bytes >= LARGE_BYTES);
    let is_bytes = !cases.is_empty() && cases.iter().all(large);
    if is_bytes { metric::THROUGHPUT } else { own }
}

/// What most of the cases show first; of metrics that as many show, the first by name.
fn most_shown(cases: &[&CaseResult]) -> Option<MetricName> {
    let mut counts: BTreeMap<MetricName, usize> = BTreeMap::new();
    for case in cases {
        *counts.entry(shown_first(&case.loads.main)).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(name, count)| (*count, Reverse(*name))).map(|(name, _)| name)
}

/// What a load shows first: by its profile, or else its throughput.
pub(crate) fn shown_first(load: &CaseLoad) -> MetricName {
    Some(load.profile.headline).filter(|name| !name.is_empty()).unwrap_or(metric::THROUGHPUT)
}

/// Bytes that one operation of `headline` moves.
pub(crate) fn bytes_an_operation(case: &CaseResult, headline: MetricName) -> Option<f64> {
    let rate =
        case.loads.main.estimates.get(&headline).filter(|e| e.unit == Unit::PerSecond && e.median > 0.0)?;
    let bytes =
        case.loads.main.estimates.get(&metric::THROUGHPUT).filter(|e| e.unit == Unit::BytesPerSecond)?;
    Some(bytes.median / rate.median)
}

/// The median of a number that the good trials of a case have as a fact.
pub(crate) fn fact(case: &CaseResult, name: FactName) -> Option<f64> {
    let good = case.trials.iter().filter(|t| t.status == model::Status::Ok);
    let values: Vec<f64> = good.filter_map(|t| t.result.main().facts.get(&name)?.number()).collect();
    stats::interval::median(&values)
}

/// Sizes with their shares: `70 % 4 KiB + 30 % 64 KiB`.
pub(crate) fn sizes(value: &Value) -> String {
    let one = |(bytes, share): &(u64, f64)| format!("{} {}", format::percent(*share), format::part(*bytes));
    match value.mix() {
        Some(parts) => parts.iter().map(one).collect::<Vec<_>>().join(" + "),
        // No mix of sizes: as it stands.
        None => value.to_string(),
    }
}

/// What a parameter says of a load.
pub(crate) fn says(load: &CaseLoad, name: &str) -> Option<Aspect> {
    load.profile.aspects.iter().find(|(own, _)| own.as_str() == name).map(|(_, aspect)| *aspect)
}

/// What a case has of the parameter that says this of its load, with its name.
pub(crate) fn said(case: &CaseResult, aspect: Aspect) -> Option<(ParameterName, &Value)> {
    let name = profile(case).parameter(aspect)?;
    Some((name, case.loads.main.parameters.get(name)?))
}

/// The storage stack of a case with what presents it, as it would be written; none where it has none.
pub(crate) fn stack(case: &CaseResult) -> Option<String> {
    let text = |aspect| said(case, aspect).map(|(_, value)| value.to_string());
    let (stack, by) = (text(Aspect::Stack), text(Aspect::Presented));
    presented(stack.as_deref(), by.as_deref()).map(Cow::into_owned)
}

/// Bytes of its operations, where all have as many and none waits for another end.
pub(crate) fn one_block(profile: &LoadProfile) -> Option<u64> {
    match profile.flows.first().filter(|_| profile.peer.is_none())?.sizes[..] {
        [one] => Some(one.bytes),
        _ => None,
    }
}

/// Whether a load ends where its target does: how long that takes depends on
/// the target's size, so that its rate is the figure.
pub(crate) fn goes_to_its_end(case: &CaseResult) -> bool {
    matches!(profile(case).end, LoadEnd::Pass | LoadEnd::Full)
}

/// Whether a share of a limit tells something. A load on all CPUs keeps them busy
/// whatever it waits for: that is no limit that it is near to until hardly anything
/// is left.
pub(crate) fn tells(used: &Utilization) -> bool {
    const CPUS_NEARLY_FULL: f64 = 0.9;
    let is_hardware = used.quantity == metric::CPU && used.kind == LimitKind::Hardware;
    // What waits in the page cache slows a writer down and is no rate of its own.
    let is_cache = used.resource == Resource::PAGE_CACHE;
    used.fraction.is_finite() && !is_cache && (!is_hardware || used.fraction >= CPUS_NEARLY_FULL)
}
