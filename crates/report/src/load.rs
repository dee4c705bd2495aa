//! What the report reads of a load: its profile, and which of its metrics comes first.

use language::format::Rates;
use model::limit::LimitKind;
use model::profile::LoadEnd;
use model::run::{CaseLoad, CaseResult, Utilization};
use model::{LoadProfile, Unit, Value, WorkloadSpec};

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

/// The same of a load that ran beside one.
pub(crate) fn rates_beside(companion: &CaseLoad) -> Rates {
    Rates::of(companion.profile.rate_unit)
}

/// The metric to show first: the time that a number of requests took, the rate
/// that kept to a latency, or else the workload's own; of large operations the
/// bytes rather than their count.
pub(crate) fn headline_name(cases: &[&CaseResult], spec: Option<&WorkloadSpec>) -> String {
    let any = |name: &str| cases.iter().any(|c| c.loads.main.estimates.contains_key(name));
    if any("elapsed") && !cases.iter().any(|c| goes_to_its_end(c)) {
        return "elapsed".to_owned();
    }
    if any("rate_held") {
        return "rate_held".to_owned();
    }
    let own = spec.map_or("throughput", |s| s.headline);
    let large = |case: &&CaseResult| bytes_an_operation(case, own).is_some_and(|bytes| bytes >= LARGE_BYTES);
    let is_bytes = !cases.is_empty() && cases.iter().all(large);
    if is_bytes { "throughput".to_owned() } else { own.to_owned() }
}

/// Bytes that one operation of `headline` moves.
pub(crate) fn bytes_an_operation(case: &CaseResult, headline: &str) -> Option<f64> {
    let rate =
        case.loads.main.estimates.get(headline).filter(|e| e.unit == Unit::PerSecond && e.median > 0.0)?;
    let bytes = case.loads.main.estimates.get("throughput").filter(|e| e.unit == Unit::BytesPerSecond)?;
    Some(bytes.median / rate.median)
}

/// The median of a number that the good trials of a case have as a fact.
pub(crate) fn fact(case: &CaseResult, name: &str) -> Option<f64> {
    let good = case.trials.iter().filter(|t| t.status == model::Status::Ok);
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    let values: Vec<f64> = good.filter_map(|t| t.result.main().facts.get(name)).filter_map(number).collect();
    stats::interval::median(&values)
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
    let is_hardware = used.quantity == "cpu" && used.kind == LimitKind::Hardware;
    used.fraction.is_finite() && (!is_hardware || used.fraction >= CPUS_NEARLY_FULL)
}
