//! How much of each limit on its path a case used.

pub(crate) mod bond;
mod counted;
mod elsewhere;
mod interface;
mod pacing;
mod page_cache;
mod used_up;

use model::limit::{Access, Allowance, Direction, Limit, LimitKind, UsualRange};
use model::machine::{Calibration, Machine};
use model::profile::OperationClass;
use model::resource::PathStep;
use model::run::{CaseResult, Utilization};
use model::{Resource, ResourceKind, Unit, metric};

use crate::measure::{self, End};

pub(crate) use interface::of_far;

/// Limits that follow from what the agent measured of itself and its machine.
#[must_use]
pub fn measured_limits(calibration: &[Calibration]) -> Vec<Limit> {
    let limit = |found: &Calibration| {
        let source = format!("measured before the run: {}", found.method);
        let (resource, unit) = (found.limit_of.clone()?, found.result.unit);
        let bound = Limit::new(resource, metric::THROUGHPUT, unit, LimitKind::Measured, source);
        Some(Limit { effective: Some(found.result.value), ..bound })
    };
    calibration.iter().filter_map(limit).collect()
}

/// What the case asks of each limit of its path, the highest share first.
pub(crate) fn of_case(case: &CaseResult, machine: &Machine) -> Vec<Utilization> {
    let mut all: Vec<Utilization> = Vec::new();
    for step in &case.path {
        for limit in machine.limits.iter().chain(&case.limits) {
            if limit.resource != step.resource && !limit.resource.is_whole_kind_of(&step.resource) {
                continue;
            }
            let Some((bound, source)) = interface::bound(case, machine, limit, End::Drives) else { continue };
            // The study promises what all its targets give together.
            let whole = limit.kind == LimitKind::Promise && limit.promise.is_some();
            let step = if whole {
                &PathStep { amplification: step.amplification.max(1.0), ..step.clone() }
            } else {
                step
            };
            let Some(demand) = used_up::demand(case, machine, limit, step) else { continue };
            let may_hold = interface::may_hold(case, limit, (demand, bound), End::Drives);
            if is_passed(limit, demand, bound) || !may_hold {
                continue;
            }
            let promise = limit.promise.clone();
            let usual = usual(case, limit, bound);
            let flows = interface::connections(case, limit);
            let used = used(limit, &step.resource, demand, bound, source);
            all.push(Utilization { promise, usual, flows, ..used });
        }
        match step.resource.kind() {
            ResourceKind::Cpu => all.extend(cpus(case, machine, &step.resource)),
            ResourceKind::PageCache => all.extend(page_cache::of(case)),
            ResourceKind::Nic if measure::is_net(case) => {
                all.extend(pacing::of(case, End::Drives, &step.resource));
            }
            _ => {}
        }
    }
    all.extend(elsewhere::of_case(case, machine));
    all.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    all
}

/// A baseline of which so much more is had holds nobody now: credits are spent.
const PASSED: f64 = 1.03;

/// Whether the limit is a baseline that is passed.
fn is_passed(limit: &Limit, demand: f64, bound: f64) -> bool {
    limit.allowance == Some(Allowance::Baseline) && demand > bound * PASSED
}

/// What is usual of a limit the way that the case goes; of a bound that the trial's own
/// packets give nothing is to be guessed.
fn usual(case: &CaseResult, limit: &Limit, bound: f64) -> Option<UsualRange> {
    limit.usual_of(measure::direction(case)).filter(|_| limit.bound() == Some(bound))
}

/// How much of a limit that bounds a resource so is used.
fn used(limit: &Limit, resource: &Resource, demand: f64, bound: f64, source: String) -> Utilization {
    Utilization {
        machine: None,
        resource: resource.clone(),
        quantity: limit.quantity,
        kind: limit.kind,
        demand,
        limit: bound,
        usual: None,
        unit: limit.unit,
        fraction: demand / bound,
        promise: None,
        allowance: limit.allowance,
        flows: None,
        line_only: limit.effective.is_none(),
        source,
    }
}

/// How much of a limit is used by what passes its resource.
pub(crate) fn of_limit(limit: &Limit, demand: f64) -> Option<Utilization> {
    Some(used(limit, &limit.resource, demand, limit.bound()?, limit.known_from()))
}

/// The CPU time of the workers, of what the CPUs that we may use have.
fn cpus(case: &CaseResult, machine: &Machine, resource: &Resource) -> Option<Utilization> {
    let (_, demand) = measure::worker_cpu(case)?;
    let count = measure::CaseCpus::of(case, Some(machine)).allowed.len();
    (count > 0).then(|| Utilization {
        machine: None,
        resource: Resource::from(resource),
        quantity: metric::CPU,
        kind: LimitKind::Hardware,
        demand,
        limit: count as f64,
        usual: None,
        unit: Unit::One,
        fraction: demand / count as f64,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        source: format!("{count} CPUs that we may run on"),
    })
}

/// What the case asks of `limit` at a step of its path, in the limit's unit;
/// absent where the limit is for another kind of work.
fn demand(case: &CaseResult, machine: &Machine, limit: &Limit, step: &PathStep) -> Option<f64> {
    if limit.resource.is_named(ResourceKind::Nic) {
        let of_load = measure::is_net(case) && limit.quantity == metric::THROUGHPUT;
        return if of_load {
            measure::carried(case, limit.direction).or_else(|| interface::counted(case, limit))
        } else {
            interface::to_storage(case, limit, step)
        };
    }
    if !is_for(case, limit) {
        return None;
    }
    let of = |name| measure::estimated(case, name);
    let each = match limit.quantity {
        metric::CPU => measure::worker_cpu(case).map(|(_, cpu)| cpu),
        metric::THROUGHPUT if limit.resource == Resource::MEMORY => {
            measure::beyond_caches(case, machine).then(|| of(metric::THROUGHPUT_BUS_ESTIMATE))?
        }
        _ if limit.kind == LimitKind::Quota && counted::is_counted(case, step) => {
            return counted::at_device(case, machine, limit);
        }
        // What the page cache answers or takes over passes no device now; of a
        // loop device's file, nobody knows which cache it is, and a server of files has its own.
        _ if !counted::is_told(case, step) || measure::behind_files(case, step) => None,
        metric::IOPS => operations(case, limit, step),
        metric::THROUGHPUT => return bytes(case, limit, step),
        // What an area of its own bounds is one of its metrics.
        metric => case.loads.main.estimates.get(&metric).filter(|e| e.unit == limit.unit).map(|e| e.median),
    };
    Some(each? * step.amplification)
}

/// Operations per second that a limit bounds. What an array makes of one is not
/// told by its bytes; the devices of several targets have theirs each.
fn operations(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let is_own = measure::devices(case).iter().any(|own| own.resource == step.resource);
    if !is_own && (step.amplification - 1.0).abs() > 1e-9 {
        return counted::at_member(case, limit, step);
    }
    let share = match limit.direction {
        Some(Direction::Read) => measure::share(case, OperationClass::Read),
        Some(Direction::Write) => measure::share(case, OperationClass::Write) + counted::trims(case, limit),
        None => 1.0,
    };
    measure::estimated(case, metric::IOPS).map(|all| counted::with_flushes(case, limit, step, all * share))
}

/// Bytes per second that pass a limit at a step of the path.
fn bytes(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    if let Some(counted) = counted::passed(case, limit, step) {
        return Some(counted);
    }
    let Some(own) = measure::of_load(measure::profile(case), &case.loads.main.estimates) else {
        return Some(measure::estimated(case, metric::THROUGHPUT)? * step.amplification);
    };
    let is_duplex = step.resource.kind().is_full_duplex();
    let all = own.and(measure::company(case));
    if limit.direction.is_some() || !is_duplex || all.read == 0.0 || all.written == 0.0 {
        let sum = all.of(limit.direction);
        return (sum > 0.0).then_some(sum * step.amplification);
    }
    // What arrays add is written, where the link carries all of the load.
    let (sum, extra) = (all.of(None), (step.amplification - 1.0).max(0.0));
    let scale = step.amplification.min(1.0);
    Some((all.read * scale).max(all.written * scale + sum * extra))
}

/// A datasheet's random figures are for queues at least so deep; at depth 1 a
/// drive's latency is measured, which is another figure.
const DEEP: f64 = 32.0;
/// A datasheet's sequential figures are for blocks at least so large.
const LARGE: u64 = 128 << 10;
/// And for so many bytes under way: 32 blocks of 128 KiB.
const AT_ONCE: f64 = 4194304.0;

/// Whether `limit` bounds what this case does.
fn is_for(case: &CaseResult, limit: &Limit) -> bool {
    // A throttle on reads holds the reads of a mix; a datasheet has no mixes.
    let part = limit.kind == LimitKind::Quota && counted::is_both_ways(case);
    let direction = limit.direction.filter(|_| !part);
    unfit(case, direction, limit.block_bytes, limit.access).is_none()
}

/// Why a figure for certain loads says nothing of a case, from what is furthest from it to
/// what is nearest.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Unfit {
    /// It moves data the other way, or both ways.
    Direction,
    /// It touches places in another order.
    Access,
    /// Its operations have another size.
    Block,
    /// Its operations are smaller than so many bytes.
    Small(u64),
    /// At least so many operations at once, and the most there were.
    Depth(f64, f64),
    /// At least so many bytes at once, and the most there were.
    Bytes(f64, f64),
}

/// Why a figure for this direction, block size and order says nothing of
/// `case`; `None` where it does.
pub(crate) fn unfit(
    case: &CaseResult,
    direction: Option<Direction>,
    block_bytes: Option<u64>,
    access: Option<Access>,
) -> Option<Unfit> {
    if direction.is_some() && direction != measure::direction(case) {
        return Some(Unfit::Direction);
    }
    let Some(access) = access else { return unfit_block(case, block_bytes) };
    if measure::is_random(case) != (access == Access::Random) {
        return Some(Unfit::Access);
    }
    let other_block = unfit_block(case, block_bytes);
    if other_block.is_some() {
        return other_block;
    }
    let at_once = measure::each_device(case);
    if access == Access::Random {
        return (at_once < DEEP).then_some(Unfit::Depth(DEEP, at_once));
    }
    let Some(block) = measure::block(case).filter(|b| *b >= LARGE as f64) else {
        return Some(Unfit::Small(LARGE));
    };
    let had = block * at_once;
    (had < AT_ONCE).then_some(Unfit::Bytes(AT_ONCE, had))
}

fn unfit_block(case: &CaseResult, block_bytes: Option<u64>) -> Option<Unfit> {
    let block = measure::one_block(case);
    (block_bytes.is_some() && block_bytes != block).then_some(Unfit::Block)
}

#[cfg(test)]
mod tests;
