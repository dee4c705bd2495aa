//! How much of each limit on its path a case used.

use model::Unit;
use model::limit::{Access, Direction, Limit, LimitKind};
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
            // What an array makes of one operation is not told by its bytes.
            if limit.quantity == "iops" && (step.amplification - 1.0).abs() > 1e-9 {
                continue;
            }
            let demand = demand * step.amplification;
            all.push(Utilization {
                resource: step.resource.clone(),
                quantity: limit.quantity.clone(),
                kind: limit.kind,
                demand,
                limit: bound,
                unit: limit.unit,
                fraction: demand / bound,
                line_only: limit.effective.is_none(),
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
        line_only: false,
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
        "throughput" if limit.resource == "memory" => {
            measure::beyond_caches(case, machine).then(|| of("throughput_bus_estimate"))?
        }
        // What the page cache answers or takes over passes no device now.
        _ if !measure::is_direct(case) => None,
        "iops" => of("iops"),
        "throughput" => Some(of("throughput")? + company(case)),
        _ => None,
    }
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
    unfit(case, limit.direction, limit.block_bytes, limit.access).is_none()
}

/// Why a figure for certain loads says nothing of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unfit {
    /// It moves data the other way, or both ways.
    Direction,
    /// It touches places in another order.
    Access,
    /// Its operations have another size, or are smaller than `least` bytes.
    Block { least: Option<u64> },
    /// Less is under way at once than the figure is for.
    Depth { least: f64, had: f64, unit: Unit },
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
    let random = case.parameters.text("pattern").is_ok_and(|p| p.starts_with("rand"));
    if random != (access == Access::Random) {
        return Some(Unfit::Access);
    }
    let other_block = unfit_block(case, block_bytes);
    if other_block.is_some() {
        return other_block;
    }
    let at_once = measure::concurrency(case);
    if access == Access::Random {
        return (at_once < DEEP).then_some(Unfit::Depth { least: DEEP, had: at_once, unit: Unit::One });
    }
    let Some(block) = case.parameters.integer("block-size").ok().filter(|b| *b >= LARGE) else {
        return Some(Unfit::Block { least: Some(LARGE) });
    };
    let had = block as f64 * at_once;
    (had < AT_ONCE).then_some(Unfit::Depth { least: AT_ONCE, had, unit: Unit::Bytes })
}

fn unfit_block(case: &CaseResult, block_bytes: Option<u64>) -> Option<Unfit> {
    let block = case.parameters.integer("block-size").ok();
    (block_bytes.is_some() && block_bytes != block).then_some(Unfit::Block { least: None })
}

/// Bytes per second of the loads beside it that drive the same target.
fn company(case: &CaseResult) -> f64 {
    let target = case.parameters.get("target");
    let same = case.with.iter().filter(|c| target.is_some() && c.parameters.get("target") == target);
    same.filter_map(|c| c.estimates.get("throughput")).map(|e| e.median).sum()
}

/// The highest share of a limit that is no promise: what may hold the case
/// back.
pub(crate) fn highest<'a>(case: &'a CaseResult, kinds: &[LimitKind]) -> Option<&'a Utilization> {
    case.utilization.iter().find(|u| kinds.contains(&u.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Better;
    use model::machine::CacheKind;
    use model::resource::PathStep;
    use model::run::Companion;

    fn link(resource: &str, effective: Option<f64>) -> Limit {
        Limit {
            resource: resource.to_owned(),
            quantity: "throughput".to_owned(),
            direction: None,
            kind: LimitKind::Link,
            line: Some(600e6),
            effective,
            unit: Unit::BytesPerSecond,
            block_bytes: None,
            access: None,
            source: "a test".to_owned(),
        }
    }

    fn case(throughput: f64) -> CaseResult {
        let mut case = fixture::disk_case("read", throughput, throughput);
        case.parameters.set("direct", true);
        case.parameters.set("target", "/data");
        let estimate = fixture::estimate(throughput, Unit::BytesPerSecond, Better::Higher);
        case.estimates.insert("throughput".to_owned(), estimate);
        case.path.push(PathStep { resource: "sata:sda".to_owned(), amplification: 1.0 });
        case
    }

    fn machine(limits: Vec<Limit>) -> Machine {
        Machine { limits, ..Machine::default() }
    }

    #[test]
    fn what_the_page_cache_answers_passes_no_link() {
        let machine = machine(vec![link("sata:sda", Some(560e6))]);
        let mut case = case(5e9);
        case.parameters.set("direct", false);
        assert!(of_case(&case, &machine).is_empty());
        case.parameters.set("direct", true);
        assert!(of_case(&case, &machine)[0].fraction > 8.0);
    }

    /// Study E: RAID 6 of eight disks writes 429 MB/s, and 572 pass the card.
    #[test]
    fn an_array_writes_more_than_it_is_given() {
        let mut case = case(429e6);
        case.parameters.set("pattern", "write");
        case.path = vec![
            PathStep { resource: "block:md0".to_owned(), amplification: 1.0 },
            PathStep { resource: "pci:0000:01:00.0".to_owned(), amplification: 8.0 / 6.0 },
        ];
        let mut limit = link("pci:0000:01:00.0", Some(840e6));
        limit.line = Some(1e9);
        let used = &of_case(&case, &machine(vec![limit]))[0];
        assert!((used.demand / 572e6 - 1.0).abs() < 1e-9 && (used.fraction - 0.681).abs() < 1e-3, "{used:?}");
        // Its operations are another matter.
        let mut operations = link("pci:0000:01:00.0", Some(1.0));
        operations.quantity = "iops".to_owned();
        case.estimates.insert("iops".to_owned(), fixture::estimate(9.0, Unit::PerSecond, Better::Higher));
        assert!(of_case(&case, &machine(vec![operations])).is_empty());
    }

    #[test]
    fn a_load_beside_it_on_the_same_target_fills_the_link_too() {
        let mut case = case(280e6);
        let mut companion = Companion {
            workload: "disk".to_owned(),
            parameters: case.parameters.clone(),
            machine: "local".to_owned(),
            estimates: case.estimates.clone(),
        };
        let machine = machine(vec![link("sata:sda", Some(560e6))]);
        case.with = vec![companion.clone()];
        assert!((of_case(&case, &machine)[0].fraction - 1.0).abs() < 1e-9);
        companion.parameters.set("target", "/elsewhere");
        case.with = vec![companion];
        assert!((of_case(&case, &machine)[0].fraction - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_line_rate_is_told_from_what_payload_gets() {
        let used = |effective| of_case(&case(500e6), &machine(vec![link("sata:sda", effective)])).remove(0);
        assert!(used(None).line_only && !used(Some(560e6)).line_only);
    }

    /// Eight complexes of 32 MiB each: half a share of each is in no memory.
    #[test]
    fn working_sets_are_held_against_all_caches_together() {
        let mut machine = machine(vec![]);
        let kind = CacheKind { level: 3, kind: "Unified".to_owned(), bytes: 32 << 20, instances: 8 };
        machine.inventory.cpu.cache_kinds = vec![kind];
        let mut case = fixture::case(1);
        let mut beyond = |size: u64, threads: u64| {
            case.parameters.set("size", size);
            case.parameters.set("threads", threads);
            measure::beyond_caches(&case, &machine)
        };
        assert!(!beyond(1 << 20, 128));
        assert!(!beyond(2 << 20, 256));
        assert!(beyond(1 << 30, 1));
    }

    #[test]
    fn deep_figures_of_a_datasheet_are_for_deep_queues() {
        let mut limit = link("block:sda", Some(100e6));
        (limit.kind, limit.access) = (LimitKind::Datasheet, Some(Access::Sequential));
        let machine = machine(vec![limit]);
        let mut case = case(90e6);
        case.parameters.set("block-size", 131_072u64);
        assert!(of_case(&case, &machine).is_empty(), "one block at a time");
        case.parameters.set("queue-depth", 32u64);
        assert_eq!(of_case(&case, &machine).len(), 1);
    }
}
