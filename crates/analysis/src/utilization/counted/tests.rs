//! Limits that are held against what devices counted, and loads that are like these and say nothing of them.

use super::super::of_case;
use crate::bottleneck::tests::disk;
use crate::measure::layers::tests::{did, put, stack};
use crate::validity::fixture;
use model::limit::{Direction, LimitKind};
use model::machine::BlockDevice;
use model::profile::{Durability, Flow, FlowUnit, OperationClass};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Better, Limit, LoadProfile, Machine, MetricName, Resource, ResourceKind, Unit, metric};

/// Bug: a throttle below a loop device was known and not named.
#[test]
fn a_throttle_below_a_loop_device_is_held_against_what_its_device_did() {
    let mut case = fixture::disk_case("randread", 50e6, 51e6);
    let estimate = fixture::estimate(50e6, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let step =
        |name: &str| PathStep { resource: Resource::of(ResourceKind::Block, name), amplification: 1.0 };
    let files = PathStep { resource: Resource::from("filesystem:/ (ext4)"), amplification: 1.0 };
    case.path = vec![step("loop0"), files, step("sda")];
    let sda = || Resource::of(ResourceKind::Block, "sda");
    let link = Limit::new(sda(), metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Link, String::new());
    let throttle = |quantity, rate: f64, unit| Limit {
        direction: Some(Direction::Read),
        effective: Some(rate),
        ..Limit::new(sda(), quantity, unit, LimitKind::Quota, "a test".to_owned())
    };
    let machine = Machine {
        limits: vec![
            throttle(metric::THROUGHPUT, 52e6, Unit::BytesPerSecond),
            throttle(metric::IOPS, 1250.0, Unit::PerSecond),
            Limit { effective: Some(52e6), ..link },
        ],
        ..Machine::default()
    };
    let shares = |case: &CaseResult| of_case(case, &machine).iter().map(|u| u.fraction).collect::<Vec<_>>();
    let [bytes, requests] = shares(&case)[..] else { panic!("{:?}", of_case(&case, &machine)) };
    assert!((bytes - 51.0 / 52.0).abs() < 1e-3 && (requests - 0.8).abs() < 1e-3, "{bytes} {requests}");
    // Somebody else's bytes say nothing of it.
    case.loads.main.estimates.get_mut(&metric::THROUGHPUT).unwrap().median = 5e6;
    assert_eq!(shares(&case), Vec::<f64>::new());
}

/// Bug: of a writer that a throttle below the page cache slows down the device was said to be the limit.
#[test]
fn a_throttle_below_the_page_cache_is_held_against_what_its_device_did() {
    let mut case = fixture::disk_case("write", 54e6, 51e6);
    let estimate = fixture::estimate(54e6, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let sda = Resource::of(ResourceKind::Block, "sda");
    let throttle =
        Limit::new(sda, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Quota, "a test".to_owned());
    let throttle = Limit { direction: Some(Direction::Write), effective: Some(52e6), ..throttle };
    let machine = Machine { limits: vec![throttle], ..Machine::default() };
    let share = |case: &CaseResult| of_case(case, &machine).first().map(|used| used.fraction);
    fixture::set(&mut case, "direct", false);
    assert!(share(&case).is_some_and(|share| (share - 51.0 / 52.0).abs() < 1e-3), "{:?}", share(&case));
    // Some of it went into memory, or others write there.
    for own in [60e6, 20e6] {
        case.loads.main.estimates.get_mut(&metric::THROUGHPUT).unwrap().median = own;
        assert_eq!(share(&case), None);
    }
}

/// Bug: a throttle of version 1 of control groups, which does not hold what is written back from the page cache, was
/// said to hold a load that passed it by half.
#[test]
fn a_throttle_that_buffered_writes_pass_holds_nothing() {
    let share = |rate: f64| {
        let mut case = fixture::disk_case("write", rate, 0.98 * rate);
        fixture::set(&mut case, "direct", false);
        let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let (sda, unit) = (Resource::of(ResourceKind::Block, "sda"), Unit::BytesPerSecond);
        let throttle = Limit::new(sda, metric::THROUGHPUT, unit, LimitKind::Quota, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Write), effective: Some(52e6), ..throttle };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| used.fraction)
    };
    assert_eq!(share(80e6), None);
    let held = share(54e6);
    assert!(held.is_some_and(|held| (held - 0.98 * 54.0 / 52.0).abs() < 1e-3), "{held:?}");
}

/// Bug: of two disks that are driven at once, the one that a throttle holds was said to have passed it by far.
#[test]
fn a_throttle_of_one_of_several_targets_is_held_against_its_own_device() {
    let mut case = fixture::disk_case("randread", 20_000.0 * 4096.0, 0.0);
    fixture::set(&mut case, "direct", true);
    let step =
        |name: &str| PathStep { resource: Resource::of(ResourceKind::Block, name), amplification: 0.5 };
    case.path = vec![step("sda"), step("sdb")];
    let estimates = [
        (metric::IOPS, 20_000.0, Unit::PerSecond),
        (metric::THROUGHPUT, 20_000.0 * 4096.0, Unit::BytesPerSecond),
    ];
    for (name, value, unit) in estimates {
        case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
    }
    let sda = Resource::of(ResourceKind::Block, "sda");
    let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
    let throttle = Limit { direction: Some(Direction::Read), effective: Some(500.0), ..bound };
    let machine = Machine { limits: vec![throttle], ..Machine::default() };
    let share = |case: &CaseResult| of_case(case, &machine).first().map(|used| used.fraction);
    let is = |share: Option<f64>, expected: f64| share.is_some_and(|one| (one - expected).abs() < 1e-6);
    assert!(is(share(&case), 20.0), "where a device counts nothing, each has as much: {:?}", share(&case));
    did(&mut case, "sda", 490.0 * 4096.0, 0.0, 0.0);
    did(&mut case, "sdb", 19_510.0 * 4096.0, 0.0, 0.0);
    assert!(is(share(&case), 0.98), "{:?}", share(&case));
}

/// Bug: of a stripe, one disk of which a throttle of operations holds, nothing was told.
#[test]
fn a_throttle_of_operations_of_a_member_is_held_against_what_it_counted() {
    let used = |bytes: f64| {
        let mut case = disk(8, 1_000.0, 8_000.0, 2.0);
        let step = |name: &str, amplification| PathStep {
            resource: Resource::of(ResourceKind::Block, name),
            amplification,
        };
        case.path = vec![step("md0", 1.0), step("sda", 0.5), step("sdb", 0.5)];
        did(&mut case, "sda", bytes, 0.0, 0.0);
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(500.0), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(used(490.0 * 4096.0), Some(98.0));
    assert_eq!(used(900.0 * 4096.0), None, "others read there, or it has a larger part");
}

/// Bug: of pages that are mapped, and read ahead of, the device was named, and not the throttle that holds it.
#[test]
fn what_is_read_ahead_uses_up_a_throttle_as_well() {
    let share = |ahead: u64, device: f64| {
        let mut case = fixture::disk_case("randread", 2e6, device);
        fixture::set(&mut case, "direct", false);
        let estimate = fixture::estimate(2e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let (sda, unit) = (Resource::of(ResourceKind::Block, "sda"), Unit::BytesPerSecond);
        let throttle = Limit::new(sda, metric::THROUGHPUT, unit, LimitKind::Quota, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Read), effective: Some(52e6), ..throttle };
        let mut machine = Machine { limits: vec![limit], ..Machine::default() };
        machine.inventory.block = vec![BlockDevice {
            name: "sda".to_owned(),
            read_ahead_bytes: Some(ahead),
            ..BlockDevice::default()
        }];
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(share(128 << 10, 51e6), Some(98.0));
    assert_eq!(share(16 << 10, 51e6), None, "so much is not read ahead");
    assert_eq!(share(128 << 10, 40e6), None, "the throttle lets more through");
}

/// Bug: of mapped pages that a throttle of operations holds the device was named, for more was read than was asked for.
#[test]
fn what_is_read_ahead_uses_up_a_throttle_of_operations_as_well() {
    let share = |requests: u64| {
        let mut case = fixture::disk_case("randread", 2e6, 60e6);
        fixture::set(&mut case, "direct", false);
        let estimate = fixture::estimate(2e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        for trial in &mut case.trials {
            trial.result.local_mut().counters[1].after = requests;
        }
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(500.0), ..bound };
        let mut machine = Machine { limits: vec![throttle], ..Machine::default() };
        let (name, read_ahead_bytes) = ("sda".to_owned(), Some(128 << 10));
        machine.inventory.block = vec![BlockDevice { name, read_ahead_bytes, ..BlockDevice::default() }];
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(share(490), Some(98.0));
    assert_eq!(share(400), None, "the throttle lets more through");
}

/// Bug: of a loop device whose file the page cache holds in part, the rest of which waits for a throttle, that was not named.
#[test]
fn what_a_loop_device_does_not_find_in_the_page_cache_uses_up_a_throttle_below_it() {
    let share = |cpu_us: f64| {
        // 10,000 reads a second, of which a tenth come from the disk.
        let mut case = disk(1, 10_000.0, 100.0, cpu_us);
        let step = |resource: &str| PathStep { resource: Resource::from(resource), amplification: 1.0 };
        case.path = ["block:loop0", "filesystem:/ (ext4)", "block:sda"].map(step).to_vec();
        did(&mut case, "sda", 1_000.0 * 4096.0, 0.0, 0.0);
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(1_000.0), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(share(10.0), Some(100.0));
    assert_eq!(share(70.0), None, "it computes for most of its time");
}

/// Bug: of a throttle of reads that holds small writes, each of which has its page read before, nothing was told.
#[test]
fn a_throttle_of_reads_holds_writes_of_parts_of_pages() {
    let share = |block: u64, device: f64| {
        let mut case = fixture::disk_case("randread", 0.0, device);
        fixture::set(&mut case, "pattern", "randwrite");
        fixture::set(&mut case, "block-size", block);
        fixture::set(&mut case, "direct", false);
        let estimate = fixture::estimate(0.5e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let (sda, unit) = (Resource::of(ResourceKind::Block, "sda"), Unit::BytesPerSecond);
        let throttle = Limit::new(sda, metric::THROUGHPUT, unit, LimitKind::Quota, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Read), effective: Some(4e6), ..throttle };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(share(512, 3.96e6), Some(99.0));
    assert_eq!(share(512, 2e6), None, "the throttle lets more through");
    assert_eq!(share(4096, 3.96e6), None, "of whole pages nothing is read");
}

/// Bug: of reads of which the page cache answers a part the device was named, and not the throttle that holds it.
#[test]
fn reads_that_the_page_cache_answers_in_part_wait_for_a_throttle_all_the_same() {
    let share = |own: f64| {
        let mut case = fixture::disk_case("randread", own, 51e6);
        fixture::set(&mut case, "direct", false);
        let estimate = fixture::estimate(own, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let (sda, unit) = (Resource::of(ResourceKind::Block, "sda"), Unit::BytesPerSecond);
        let throttle = Limit::new(sda, metric::THROUGHPUT, unit, LimitKind::Quota, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Read), effective: Some(52e6), ..throttle };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| used.fraction)
    };
    let held = share(80e6);
    assert!(held.is_some_and(|held| (held - 51.0 / 52.0).abs() < 1e-3), "{held:?}");
    assert_eq!(share(200e6), None, "memory answers most");
    assert_eq!(share(20e6), None, "others read there");
}

/// Bug: of reads of which the page cache answers most, the rest of which wait for a throttle, the device was named.
#[test]
fn the_few_reads_that_the_page_cache_does_not_answer_use_up_a_throttle_as_well() {
    let share = |device: f64, cpu_s_per_byte: f64| {
        let mut case = fixture::disk_case("randread", 200e6, device);
        fixture::set(&mut case, "direct", false);
        let estimates = [
            (metric::THROUGHPUT, 200e6, Unit::BytesPerSecond),
            (metric::CPU_PER_BYTE, cpu_s_per_byte, Unit::SecondsPerByte),
        ];
        for (name, value, unit) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
        }
        let (sda, unit) = (Resource::of(ResourceKind::Block, "sda"), Unit::BytesPerSecond);
        let throttle = Limit::new(sda, metric::THROUGHPUT, unit, LimitKind::Quota, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Read), effective: Some(52e6), ..throttle };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(share(51e6, 1e-9), Some(98.0));
    assert_eq!(share(51e6, 4e-9), None, "it computes for most of its time");
    assert_eq!(share(40e6, 1e-9), None, "the throttle lets more through");
}

/// Bug: of a throttle that another program of the same group uses as well the load was said to use half.
#[test]
fn a_throttle_that_others_of_the_group_use_up_too_holds_what_waits_before_the_device() {
    let used = |quantity: MetricName, passed: f64, queue: f64| {
        // Eight reads are under way all the time.
        let mut case = disk(8, 250.0, 32_000.0, 2.0);
        did(&mut case, "sda", passed * 4096.0, 0.0, queue);
        let (limit, unit) = match quantity {
            metric::IOPS => (500.0, Unit::PerSecond),
            _ => (500.0 * 4096.0, Unit::BytesPerSecond),
        };
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, quantity, unit, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(limit), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    for quantity in [metric::IOPS, metric::THROUGHPUT] {
        assert_eq!(used(quantity, 490.0, 0.1), Some(98.0), "{quantity}");
        assert_eq!(used(quantity, 490.0, 7.5), Some(50.0), "they are at the device");
        assert_eq!(used(quantity, 700.0, 0.1), Some(50.0), "others are not under it");
        assert_eq!(used(quantity, 400.0, 0.1), Some(50.0), "it lets more through");
    }
}

/// Bug: of a throttle of 500 reads a second, large reads of which each is three requests were said to use a third.
#[test]
fn operations_that_are_split_count_in_pieces_against_a_throttle() {
    let used = |requests: u64, device: f64| {
        let mut case = fixture::disk_case("randread", 160e6, device);
        fixture::set(&mut case, "direct", true);
        let estimates =
            [(metric::IOPS, 160.0, Unit::PerSecond), (metric::THROUGHPUT, 160e6, Unit::BytesPerSecond)];
        for (name, value, unit) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
        }
        for trial in &mut case.trials {
            trial.result.local_mut().counters[1].after = requests;
        }
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(500.0), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(used(490, 160e6), Some(98.0));
    assert_eq!(used(490, 200e6), Some(32.0), "others read there");
    assert_eq!(used(1490, 160e6), Some(32.0), "pieces that do not count");
}

/// Bug: of a throttle that two loads of a case use up together each was said to use half.
#[test]
fn loads_beside_one_another_use_up_a_throttle_together() {
    let used = |quantity: MetricName, device: f64| {
        let mut case = fixture::disk_case("randread", 250.0 * 4096.0, device);
        fixture::set(&mut case, "direct", true);
        let estimates = [
            (metric::IOPS, 250.0, Unit::PerSecond),
            (metric::THROUGHPUT, 250.0 * 4096.0, Unit::BytesPerSecond),
        ];
        for (name, value, unit) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
        }
        let mut beside = case.loads.main.clone();
        beside.profile.paths = vec!["/other".to_owned()];
        case.loads.beside = vec![beside];
        for trial in &mut case.trials {
            trial.result.local_mut().counters[1].after = (device / 4096.0) as u64;
        }
        let (limit, unit) = match quantity {
            metric::IOPS => (500.0, Unit::PerSecond),
            _ => (500.0 * 4096.0, Unit::BytesPerSecond),
        };
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, quantity, unit, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Read), effective: Some(limit), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    for quantity in [metric::IOPS, metric::THROUGHPUT] {
        assert_eq!(used(quantity, 500.0 * 4096.0), Some(100.0), "{quantity}");
        assert_eq!(used(quantity, 250.0 * 4096.0), Some(50.0), "the other drives another device");
    }
}

/// Bug: a throttle of write operations, which holds discards as well, was held against none.
#[test]
fn discards_count_as_writes_for_a_throttle() {
    let mut case = fixture::disk_case("randwrite", 0.0, 0.0);
    fixture::set(&mut case, "direct", true);
    case.loads.main.profile.flows = vec![Flow::only(OperationClass::Trim, FlowUnit::Operations)];
    let estimate = fixture::estimate(490.0, Unit::PerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::IOPS, estimate);
    let used = |kind: LimitKind| {
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, kind, "a test".to_owned());
        let limit = Limit { direction: Some(Direction::Write), effective: Some(500.0), ..bound };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(used(LimitKind::Quota), Some(98.0));
    assert_eq!(used(LimitKind::Datasheet), None, "a datasheet says nothing of discards");
}

/// Bug: of a throttle of 400 writes a second a load that syncs each of its 200 was said to use half.
#[test]
fn flushes_of_syncs_count_against_a_throttle_of_writes() {
    let used = |durability: Durability, syncs: f64, flushes: u64, writes: f64| {
        let mut case = fixture::disk_case("randwrite", writes * 4096.0, writes * 4096.0);
        fixture::set(&mut case, "direct", true);
        case.loads.main.profile.durability = durability;
        for (name, rate) in [(metric::IOPS, writes), (metric::SYNCS_PER_SECOND, syncs)] {
            let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
            case.loads.main.estimates.insert(name, estimate);
        }
        for trial in &mut case.trials {
            let counter = fixture::counter("block:sda", "/proc/diskstats flushes", 1.0, flushes);
            trial.result.local_mut().counters.push(counter);
        }
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Write), effective: Some(400.0), ..bound };
        of_case(&case, &Machine { limits: vec![throttle], ..Machine::default() })[0].fraction
    };
    let half = |share: f64| (share - 0.5).abs() < 1e-9;
    let whole = |share: f64| (share - 1.0).abs() < 1e-9;
    assert!(whole(used(Durability::Syncs, 200.0, 200, 200.0)));
    assert!(whole(used(Durability::EachWrite, 0.0, 200, 200.0)));
    assert!(whole(used(Durability::Syncs, 400.0, 400, 400.0)), "a journal's are not throttled with the load");
    assert!(half(used(Durability::Syncs, 200.0, 0, 200.0)), "its device has no flushes");
    assert!(half(used(Durability::None, 0.0, 200, 200.0)), "they are not the load's");
    let some = used(Durability::Syncs, 50.0, 200, 350.0);
    assert!(whole(some), "no more than it has syncs: {some}");
}

/// Bug: of a throttle of writes the device was named where each write through the page cache was synced, for a journal wrote
/// beside them.
#[test]
fn writes_through_the_page_cache_that_are_synced_each_use_up_a_throttle_by_themselves() {
    let used = |quantity: MetricName, limit: f64, syncs: f64, flushes: u64| {
        let mut case = fixture::disk_case("randwrite", 200.0 * 4096.0, 800.0 * 4096.0);
        fixture::set(&mut case, "direct", false);
        case.loads.main.profile.durability = Durability::Syncs;
        let estimates = [
            (metric::IOPS, 200.0, Unit::PerSecond),
            (metric::THROUGHPUT, 200.0 * 4096.0, Unit::BytesPerSecond),
            (metric::SYNCS_PER_SECOND, syncs, Unit::PerSecond),
        ];
        for (name, value, unit) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
        }
        for trial in &mut case.trials {
            let counted = [("writes", 600), ("flushes", flushes)].map(|(name, count)| {
                fixture::counter("block:sda", &format!("/proc/diskstats {name}"), 1.0, count)
            });
            trial.result.local_mut().counters.extend(counted);
        }
        let unit = if quantity == metric::IOPS { Unit::PerSecond } else { Unit::BytesPerSecond };
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, quantity, unit, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Write), effective: Some(limit), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(used(metric::IOPS, 204.0, 200.0, 0), Some(98.0));
    assert_eq!(used(metric::IOPS, 408.0, 200.0, 200), Some(98.0), "flushes are writes to it");
    assert_eq!(used(metric::IOPS, 408.0, 200.0, 0), None, "it lets more through");
    assert_eq!(used(metric::IOPS, 204.0, 25.0, 0), None, "several writes may be one request");
    assert_eq!(used(metric::THROUGHPUT, 204.0 * 4096.0, 200.0, 0), Some(98.0));
}

/// Bug: what a database does at a device was held against no throttle.
#[test]
fn a_throttle_is_held_against_what_a_database_does_at_its_device() {
    let used = |writes: u64, flushes: u64| {
        let mut case = fixture::disk_case("randwrite", 0.0, 0.0);
        case.loads.main.profile = LoadProfile::default();
        let estimate = fixture::estimate(90.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::TRANSACTIONS_PER_SECOND, estimate);
        for trial in &mut case.trials {
            let counted = [("writes", writes), ("flushes", flushes)];
            trial.result.local_mut().counters = counted
                .map(|(name, count)| {
                    fixture::counter("block:sda", &format!("/proc/diskstats {name}"), 1.0, count)
                })
                .to_vec();
        }
        let sda = Resource::of(ResourceKind::Block, "sda");
        let bound = Limit::new(sda, metric::IOPS, Unit::PerSecond, LimitKind::Quota, "a test".to_owned());
        let throttle = Limit { direction: Some(Direction::Write), effective: Some(400.0), ..bound };
        let machine = Machine { limits: vec![throttle], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    };
    assert_eq!(used(300, 92), Some(98.0), "flushes are writes to it");
    assert_eq!(used(392, 392), Some(98.0), "those of a journal are not throttled");
    assert_eq!(used(90, 30), Some(30.0));
    assert_eq!(used(900, 0), None, "most of it is others'");
}

/// Writes of less than a stripe pass more than the path says: two writes of one, not four thirds.
#[test]
fn a_link_to_members_of_an_array_with_parity_carries_what_these_counted() {
    let mut case = fixture::disk_case("randwrite", 60e6, 60e6);
    fixture::set(&mut case, "direct", true);
    let estimate = fixture::estimate(60e6, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let (disks, third) = (["sda", "sdb", "sdc", "sdd"], 1.0 / 3.0);
    let step =
        |resource: &str, amplification: f64| PathStep { resource: Resource::from(resource), amplification };
    case.path = vec![step("block:md0", 1.0)];
    case.path.extend(disks.map(|disk| step(format!("block:{disk}").as_str(), third)));
    case.path.push(step("pci:0000:01:00.0", 4.0 * third));
    let link = Resource::from("pci:0000:01:00.0");
    let bound = Limit::new(link, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Link, String::new());
    let machine = Machine {
        limits: vec![Limit { effective: Some(240e6), direction: Some(Direction::Write), ..bound }],
        ..Machine::default()
    };
    let share = |case: &CaseResult| of_case(case, &machine)[0].fraction;
    assert!((share(&case) - 80.0 / 240.0).abs() < 1e-3, "{:?}", of_case(&case, &machine));
    put(&mut case, &stack("raid5"));
    for disk in disks {
        did(&mut case, disk, 30e6, 30e6, 1.0);
    }
    assert!((share(&case) - 0.5).abs() < 1e-3, "{:?}", of_case(&case, &machine));
    put(&mut case, &stack("raid10"));
    assert!((share(&case) - 80.0 / 240.0).abs() < 1e-3, "nothing is known of other arrays");
}
