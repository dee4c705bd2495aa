//! What a case asks of the limits on its path.

use super::*;
use crate::validity::fixture;
use model::machine::CacheKind;
use model::run::{CaseLoad, LoadRole};
use model::{Better, MetricName, ParameterName, Quantity, Resource, ResourceKind, WorkloadName};

#[test]
fn a_calibration_that_is_of_a_resource_is_its_limit() {
    let found = |name: &str, limit_of| {
        let result = Quantity { value: 9e9, unit: Unit::BytesPerSecond };
        Calibration { name: name.to_owned(), result, method: "the best of 3".to_owned(), limit_of }
    };
    let limits = measured_limits(&[found("memory.copy", Some(Resource::MEMORY)), found("clock.read", None)]);
    let [limit] = &limits[..] else { panic!("{limits:?}") };
    assert_eq!((&limit.resource, limit.kind), (&Resource::MEMORY, LimitKind::Measured));
    assert_eq!(
        (limit.effective, limit.unit, limit.quantity),
        (Some(9e9), Unit::BytesPerSecond, metric::THROUGHPUT)
    );
    assert!(limit.source.ends_with("the best of 3"), "{limit:?}");
}

fn link(resource: &str, effective: Option<f64>) -> Limit {
    let (resource, unit) = (Resource::from(resource), Unit::BytesPerSecond);
    let bound = Limit::new(resource, metric::THROUGHPUT, unit, LimitKind::Link, "a test".to_owned());
    Limit { line: Some(600e6), effective, ..bound }
}

fn case(throughput: f64) -> CaseResult {
    let mut case = fixture::disk_case("read", throughput, throughput);
    fixture::set(&mut case, "direct", true);
    fixture::set(&mut case, "target", "/data");
    let estimate = fixture::estimate(throughput, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    case.path.push(PathStep { resource: Resource::of(ResourceKind::Sata, "sda"), amplification: 1.0 });
    case
}

fn machine(limits: Vec<Limit>) -> Machine {
    Machine { limits, ..Machine::default() }
}

/// Bug: the median cost of an operation times the median rate, of different
/// trials, was more than the CPUs have.
#[test]
fn what_the_workers_use_is_of_one_trial() {
    let mut case = fixture::case(2);
    for (trial, (each, rate)) in case.trials.iter_mut().zip([(1e-7, 1e7), (1e-6, 1e6)]) {
        let put = |trial: &mut model::Trial, name: MetricName, value, unit| {
            trial.result.main_mut().metrics.insert(name.to_owned(), model::Quantity { value, unit });
        };
        put(trial, metric::CPU_PER_OPERATION, each, Unit::Seconds);
        put(trial, metric::IOPS, rate, Unit::PerSecond);
    }
    let used = measure::worker_cpu(&case).unwrap().1;
    assert!((used - 1.0).abs() < 1e-9, "{used}");
}

#[test]
fn what_the_page_cache_answers_passes_no_link() {
    let machine = machine(vec![link("sata:sda", Some(560e6))]);
    let mut case = case(5e9);
    fixture::set(&mut case, "direct", false);
    assert!(of_case(&case, &machine).is_empty());
    fixture::set(&mut case, "direct", true);
    assert!(of_case(&case, &machine)[0].fraction > 8.0);
}

/// Study E: RAID 6 of eight disks writes 429 MB/s, and 572 pass the card.
#[test]
fn an_array_writes_more_than_it_is_given() {
    let mut case = case(429e6);
    fixture::set(&mut case, "pattern", "write");
    case.path = vec![
        PathStep { resource: Resource::of(ResourceKind::Block, "md0"), amplification: 1.0 },
        PathStep { resource: Resource::of(ResourceKind::Pci, "0000:01:00.0"), amplification: 8.0 / 6.0 },
    ];
    let mut limit = link("pci:0000:01:00.0", Some(840e6));
    limit.line = Some(1e9);
    let used = &of_case(&case, &machine(vec![limit]))[0];
    assert!((used.demand / 572e6 - 1.0).abs() < 1e-9 && (used.fraction - 0.681).abs() < 1e-3, "{used:?}");
    // Its operations are another matter.
    let mut operations = link("pci:0000:01:00.0", Some(1.0));
    operations.quantity = metric::IOPS;
    case.loads.main.estimates.insert(metric::IOPS, fixture::estimate(9.0, Unit::PerSecond, Better::Higher));
    assert!(of_case(&case, &machine(vec![operations])).is_empty());
}

#[test]
fn a_load_beside_it_on_the_same_target_fills_the_link_too() {
    let mut case = case(280e6);
    let mut companion = CaseLoad {
        role: LoadRole::Beside,
        workload: WorkloadName::new("disk"),
        parameters: case.loads.main.parameters.clone(),
        estimates: case.loads.main.estimates.clone(),
        ..CaseLoad::default()
    };
    let machine = machine(vec![link("sata:sda", Some(560e6))]);
    case.loads.beside = vec![companion.clone()];
    fixture::profile(&mut case);
    assert!((of_case(&case, &machine)[0].fraction - 1.0).abs() < 1e-9);
    companion.parameters.set(ParameterName::new("target"), "/elsewhere");
    case.loads.beside = vec![companion];
    fixture::profile(&mut case);
    assert!((of_case(&case, &machine)[0].fraction - 0.5).abs() < 1e-9);
}

/// 100 MB/s with six of ten operations reads.
fn mix() -> CaseResult {
    let mut case = case(100e6);
    fixture::set(&mut case, "pattern", "randrw");
    fixture::set(&mut case, "read-share", 0.6);
    case.loads.main.estimates.insert(metric::IOPS, fixture::estimate(10e3, Unit::PerSecond, Better::Higher));
    case
}

#[test]
fn a_mix_fills_sata_with_both_ways_and_pcie_with_the_busier() {
    let at = |resource: &str, amplification| {
        let mut case = mix();
        case.path = vec![PathStep { resource: Resource::from(resource), amplification }];
        of_case(&case, &machine(vec![link(resource, Some(1e9))]))[0].demand.round()
    };
    assert_eq!(at("sata:sda", 1.0), 100e6);
    assert_eq!(at("pci:0000:01:00.0", 1.0), 60e6);
    assert_eq!(at("pci:0000:01:00.0", 0.5), 30e6, "one of two disks");
    // A mirror writes 40 twice.
    assert_eq!(at("pci:0000:01:00.0", 1.4), 80e6);
}

#[test]
fn a_throttle_on_reads_holds_the_reads_of_a_mix_and_a_datasheet_has_no_mixes() {
    let bound = |kind, quantity: MetricName, direction| {
        let mut limit = link("block:sda", Some(1e6));
        (limit.kind, limit.direction) = (kind, Some(direction));
        quantity.clone_into(&mut limit.quantity);
        of_case(&mix(), &machine(vec![limit])).first().map(|u| u.demand.round())
    };
    assert_eq!(bound(LimitKind::Quota, metric::THROUGHPUT, Direction::Read), Some(60e6));
    assert_eq!(bound(LimitKind::Quota, metric::THROUGHPUT, Direction::Write), Some(40e6));
    assert_eq!(bound(LimitKind::Quota, metric::IOPS, Direction::Write), Some(4e3));
    assert_eq!(bound(LimitKind::Datasheet, metric::THROUGHPUT, Direction::Read), None);
}

#[test]
fn what_is_trimmed_passes_no_link() {
    let mut case = case(100e6);
    fixture::set(&mut case, "pattern", "trim");
    assert!(of_case(&case, &machine(vec![link("sata:sda", Some(560e6))])).is_empty());
}

/// Study E: eight disks at once give 800 MB/s on one card.
#[test]
fn targets_share_what_they_pass_together() {
    let mut case = case(800e6);
    case.loads.main.estimates.insert(metric::IOPS, fixture::estimate(800.0, Unit::PerSecond, Better::Higher));
    let disks = ["b", "c", "d", "e", "f", "g", "h", "i"].map(|letter| format!("block:sd{letter}"));
    let step = |resource: &str, amplification| PathStep { resource: Resource::from(resource), amplification };
    case.path = disks.iter().map(|disk| step(disk, 0.125)).collect();
    case.path.push(step("pci:0000:01:00.0", 1.0));
    let mut each = link("block:sdc", Some(200.0));
    (each.quantity, each.unit) = (metric::IOPS, Unit::PerSecond);
    let used = of_case(&case, &machine(vec![link("pci:0000:01:00.0", Some(840e6)), each]));
    let of = |resource: &str| used.iter().find(|u| u.resource.as_str() == resource).unwrap();
    assert!((of("pci:0000:01:00.0").fraction - 0.952).abs() < 1e-3, "{used:?}");
    assert_eq!(of("block:sdc").demand, 100.0);
    // What the study promises it promises of all together.
    let mut promise = link("block:sdb", Some(800e6));
    (promise.kind, promise.promise) = (LimitKind::Promise, Some("write".to_owned()));
    assert_eq!(of_case(&case, &machine(vec![promise]))[0].fraction, 1.0);
}

/// The file system below a loop device may keep what it is given.
#[test]
fn what_passes_below_a_loop_device_is_not_told_by_the_load() {
    let mut case = case(300e6);
    let step = |resource: &str| PathStep { resource: Resource::from(resource), amplification: 1.0 };
    case.path = ["block:loop0", "filesystem:/ (ext4)", "block:sda", "sata:sda"].map(step).to_vec();
    assert!(of_case(&case, &machine(vec![link("sata:sda", Some(560e6))])).is_empty());
}

/// What a link usually gives is that of the way that the case goes.
#[test]
fn what_is_usual_goes_by_the_direction() {
    let way = |direction, least| UsualRange { direction: Some(direction), least, most: 590e6 };
    let usual = vec![way(Direction::Read, 550e6), way(Direction::Write, 500e6)];
    let machine = machine(vec![Limit { usual, ..link("sata:sda", Some(594e6)) }]);
    let least = |case: &CaseResult| of_case(case, &machine)[0].usual.map(|range| range.least);
    let mut case = case(560e6);
    assert_eq!(least(&case), Some(550e6));
    fixture::set(&mut case, "pattern", "write");
    assert_eq!(least(&case), Some(500e6));
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
        fixture::set(&mut case, "size", size);
        fixture::set(&mut case, "threads", threads);
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
    fixture::set(&mut case, "block-size", 131_072u64);
    assert!(of_case(&case, &machine).is_empty(), "one block at a time");
    fixture::set(&mut case, "queue-depth", 32u64);
    assert_eq!(of_case(&case, &machine).len(), 1);
}
