//! How much of each limit on its path a case used.

use model::Unit;
use model::limit::{Access, Limit, LimitKind};
use model::machine::{Calibration, Machine};
use model::run::{CaseResult, Utilization};

use crate::measure;

/// Limits that follow from what the agent measured of itself and its machine.
#[must_use]
pub fn measured_limits(calibration: &[Calibration]) -> Vec<Limit> {
    let of = |name: &str, resource: &str| {
        let found = calibration.iter().find(|c| c.name == name)?;
        Some(Limit {
            resource: resource.to_owned(),
            quantity: "throughput".to_owned(),
            direction: None,
            kind: LimitKind::Measured,
            line: None,
            effective: Some(found.result.value),
            unit: found.result.unit,
            block_bytes: None,
            access: None,
            source: format!("measured before the run: {}", found.method),
        })
    };
    [of("memory.copy", "memory"), of("loopback", "nic:lo")].into_iter().flatten().collect()
}

/// What the case asks of each limit of its path, the highest share first.
pub(crate) fn of_case(case: &CaseResult, machine: &Machine) -> Vec<Utilization> {
    let mut all: Vec<Utilization> = Vec::new();
    for step in &case.path {
        let kind = step.resource.split(':').next().unwrap_or_default();
        for limit in &machine.limits {
            if limit.resource != step.resource && limit.resource != kind {
                continue;
            }
            let Some(bound) = limit.bound() else { continue };
            let Some(demand) = demand(case, machine, limit) else { continue };
            let demand = demand * step.amplification;
            all.push(Utilization {
                resource: step.resource.clone(),
                quantity: limit.quantity.clone(),
                kind: limit.kind,
                demand,
                limit: bound,
                unit: limit.unit,
                fraction: demand / bound,
                source: limit.source.clone(),
            });
        }
        if kind == "cpu" {
            all.extend(cpus(case, machine, &step.resource));
        }
    }
    all.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    all
}

/// The CPU time of the workers, of what the CPUs that we may use have.
fn cpus(case: &CaseResult, machine: &Machine, resource: &str) -> Option<Utilization> {
    let (_, demand) = measure::worker_cpu(case)?;
    let count = machine.inventory.cpu.allowed.len();
    (count > 0).then(|| Utilization {
        resource: resource.to_owned(),
        quantity: "cpu".to_owned(),
        kind: LimitKind::Hardware,
        demand,
        limit: count as f64,
        unit: Unit::One,
        fraction: demand / count as f64,
        source: format!("{count} CPUs that we may run on"),
    })
}

/// What the case asks of `limit`, in its unit, for each byte or operation of
/// the load; absent where the limit is for another kind of work.
fn demand(case: &CaseResult, machine: &Machine, limit: &Limit) -> Option<f64> {
    if !is_for(case, limit) {
        return None;
    }
    let of = |name: &str| case.estimates.get(name).map(|e| e.median);
    match limit.quantity.as_str() {
        "cpu" => measure::worker_cpu(case).map(|(_, cpu)| cpu),
        "iops" => of("iops"),
        "throughput" if limit.resource == "memory" => {
            beyond_caches(case, machine).then(|| of("throughput_bus_estimate"))?
        }
        "throughput" => of("throughput"),
        _ => None,
    }
}

/// A datasheet's random figures are for queues at least so deep; at depth 1 a
/// drive's latency is measured, which is another figure.
const DEEP: f64 = 32.0;
/// A datasheet's sequential figures are for blocks at least so large.
const LARGE: u64 = 128 << 10;

/// Whether `limit` bounds what this case does.
fn is_for(case: &CaseResult, limit: &Limit) -> bool {
    let direction = measure::direction(case);
    if limit.direction.is_some() && limit.direction != direction {
        return false;
    }
    let block = case.parameters.integer("block-size").ok();
    if limit.block_bytes.is_some() && limit.block_bytes != block {
        return false;
    }
    let random = case.parameters.text("pattern").is_ok_and(|p| p.starts_with("rand"));
    match limit.access {
        None => true,
        Some(Access::Random) => random && measure::concurrency(case) >= DEEP,
        Some(Access::Sequential) => !random && block.is_some_and(|b| b >= LARGE),
    }
}

/// Whether the working sets of all threads are larger than the last cache, so
/// that memory answers.
fn beyond_caches(case: &CaseResult, machine: &Machine) -> bool {
    let size = case.parameters.integer("size").unwrap_or(0);
    let threads = case.parameters.integer("threads").unwrap_or(1);
    let last = machine.inventory.cpu.caches.iter().map(|c| c.bytes).max();
    last.is_some_and(|last| size.saturating_mul(threads) > 2 * last)
}

/// The highest share of a limit that is no promise: what may hold the case
/// back.
pub(crate) fn highest<'a>(case: &'a CaseResult, kinds: &[LimitKind]) -> Option<&'a Utilization> {
    case.utilization.iter().find(|u| kinds.contains(&u.kind))
}
