//! Each sign shown, and devices and connections that are like it and are not metered.

use model::limit::{Allowance, LimitKind};
use model::machine::{BlockDevice, BlockKind, Machine};
use model::resource::PathStep;
use model::run::{CaseResult, CaseRole};
use model::trial::{Series, Window};
use model::{Better, Finding, Quantity, Resource, SeriesName, Unit, Value, fact, metric, series};

use super::super::tests::{disk, machine, used, verdict, verdict_on};
use crate::validity::fixture;

/// A disk case of operations of this size, whose latency is by Little's law.
fn sized(depth: u64, size: u64, iops: f64) -> CaseResult {
    let mut case = disk(depth, iops, depth as f64 / iops * 1e6, 5.0);
    fixture::set(&mut case, "block-size", size);
    let bytes = iops * size as f64;
    let estimate = fixture::estimate(bytes, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    for (trial, noise) in case.trials.iter_mut().zip([0.99, 1.0, 1.01]) {
        let rate = Quantity { value: bytes * noise, unit: Unit::BytesPerSecond };
        trial.result.main_mut().metrics.insert(metric::THROUGHPUT, rate);
    }
    case
}

/// A full device at two depths, for each size its operations per second.
fn sweep(rates: &[(u64, f64)], change: impl Fn(&mut CaseResult)) -> Vec<CaseResult> {
    let depths = |(size, iops): &(u64, f64)| [sized(32, *size, *iops), sized(16, *size, 0.99 * iops)];
    let mut all: Vec<CaseResult> = rates.iter().flat_map(depths).collect();
    all.iter_mut().for_each(change);
    all
}

fn named(cases: &[CaseResult]) -> (String, String) {
    let found = verdict(cases);
    (found.code, found.args.get("by").map(ToString::to_string).unwrap_or_default())
}

fn constant(by: &str) -> (String, String) {
    ("constant-limit".to_owned(), by.to_owned())
}

const NOTHING: fn(&mut CaseResult) = |_| {};

#[test]
fn the_same_operations_of_sizes_that_differ_much_are_metered() {
    let found = verdict(&sweep(&[(4096, 3000.0), (65536, 3005.0)], NOTHING));
    assert_eq!((found.code.as_str(), &found.args["by"]), ("constant-limit", &"operations".into()));
    assert!(found.text.contains("3 k/s by a constant limit of unknown origin"), "{}", found.text);
    assert!(found.text.contains("as many operations of 4 KiB as of 64 KiB"), "{}", found.text);
    assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("block:sda"));
}

/// Bug: one trial that was a little faster took the sign from the deeper of two.
#[test]
fn what_holds_a_shallower_queue_holds_a_deeper_one_that_gives_as_much() {
    let mut cases = vec![
        sized(32, 4096, 3000.0),
        sized(16, 4096, 2998.0),
        sized(32, 65536, 3000.0),
        sized(16, 65536, 2999.0),
    ];
    let faster = Quantity { value: 3090.0, unit: Unit::PerSecond };
    cases[0].trials[0].result.main_mut().metrics.insert(metric::IOPS, faster);
    assert_eq!(named(&cases), constant("operations"));
    // Without another size nothing says so.
    assert_eq!(named(&cases[..2]).0, "device-full");
    // Nor where that of another size differs, though both are full.
    for (at, rate) in [(2, 2800.0), (3, 2790.0)] {
        cases[at] = sized(if at == 2 { 32 } else { 16 }, 65536, rate);
    }
    assert_eq!(named(&cases).0, "device-full");
}

/// A device moves bytes, too; sizes below a page are the same work; and twice the size is little more.
#[test]
fn a_device_that_is_full_is_not_accused_for_rates_that_are_near() {
    for rates in [
        [(4096, 68_000.0), (16384, 64_000.0)],
        [(512, 68_000.0), (4096, 68_000.0)],
        [(4096, 68_000.0), (8192, 68_000.0)],
        // Its bytes are all that it has: from some size on that is so of every device.
        [(65536, 32_000.0), (1 << 20, 2_000.0)],
        [(65536, 32_000.0), (8192, 256_000.0)],
    ] {
        assert_eq!(named(&sweep(&rates, NOTHING)).0, "device-full", "{rates:?}");
    }
}

#[test]
fn the_same_bytes_of_small_and_large_random_operations_are_metered() {
    let rates = [(4096, 25_600.0), (65536, 1600.0)];
    assert_eq!(named(&sweep(&rates, NOTHING)), constant("bytes"));
    // In order a device may read ahead and join them.
    let in_order = |case: &mut CaseResult| fixture::set(case, "pattern", "read");
    assert_eq!(named(&sweep(&rates, in_order)).0, "device-full");
}

/// Medians that agree by chance are no proof.
#[test]
fn trials_that_differ_show_nothing() {
    let noisy = |case: &mut CaseResult| {
        let size = model::ParameterName::new("block-size");
        let is_large = case.loads.main.parameters.integer(size).unwrap() > 4096;
        let noise = if is_large { [1.02, 1.0, 0.98] } else { [0.98, 1.0, 1.02] };
        for (trial, noise) in case.trials.iter_mut().zip(noise) {
            let rate = Quantity { value: 3000.0 * noise, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
        }
    };
    assert_ne!(named(&sweep(&[(4096, 3000.0), (65536, 3000.0)], noisy)).0, "constant-limit");
}

#[test]
fn what_is_known_to_be_near_has_the_name() {
    let with = |kind: LimitKind, fraction: f64| {
        let change = |case: &mut CaseResult| case.utilization = vec![used("sata:sda", kind, fraction)];
        named(&sweep(&[(4096, 3000.0), (65536, 3000.0)], change)).0
    };
    assert_eq!(with(LimitKind::Link, 0.92), "device-full");
    assert_eq!(with(LimitKind::Link, 0.97), "link-full");
    assert_eq!(with(LimitKind::Quota, 0.93), "device-full");
    assert_eq!(with(LimitKind::Datasheet, 0.93), "device-full");
    assert_eq!(with(LimitKind::Link, 0.5), "constant-limit");
    let workers = |case: &mut CaseResult| {
        let busy = fixture::estimate(0.85 / 3000.0, Unit::Seconds, Better::Lower);
        case.loads.main.estimates.insert(metric::CPU_PER_OPERATION, busy);
    };
    assert_ne!(named(&sweep(&[(4096, 3000.0), (65536, 3000.0)], workers)).0, "constant-limit");
}

/// A baseline alone decides nothing; one that is reached and held constantly is the limit.
#[test]
fn what_is_published_is_called_so() {
    let change = |case: &mut CaseResult| {
        let mut baseline = used("block:sda", LimitKind::Quota, 0.98);
        (baseline.quantity, baseline.unit) = (metric::IOPS, Unit::PerSecond);
        baseline.allowance = Some(Allowance::Baseline);
        case.utilization = vec![baseline];
    };
    let found = verdict(&sweep(&[(4096, 3000.0), (65536, 3000.0)], change));
    assert_eq!((found.code.as_str(), &found.args["published"]), ("constant-limit", &"yes".into()));
    assert!(found.text.contains("is held at 3 k/s, as published (a test)"), "{}", found.text);
}

#[test]
fn memory_and_platters_are_left_out() {
    let on = |disk: BlockDevice| {
        let mut machine = machine();
        machine.inventory.block = vec![BlockDevice { name: "sda".to_owned(), ..disk }];
        verdict_on(&machine, &sweep(&[(4096, 3000.0), (65536, 3000.0)], NOTHING)).code
    };
    assert_eq!(on(BlockDevice::default()), "constant-limit");
    assert_eq!(on(BlockDevice { kind: BlockKind::Zram, ..BlockDevice::default() }), "device-full");
    let (rotational, transport) = (Some(true), Some("sata".to_owned()));
    let platter = BlockDevice { kind: BlockKind::Disk, rotational, transport, ..BlockDevice::default() };
    assert_eq!(on(platter), "device-full");
}

/// Reads at depth 1 whose program takes so long for each, beside some at depth 4.
fn one_and_four(one: f64, four: f64, cpu_us: f64) -> Vec<CaseResult> {
    let of = |depth: u64, rate: f64| {
        let mut case = disk(depth, rate, depth as f64 / rate * 1e6, cpu_us);
        for trial in &mut case.trials {
            let each = Quantity { value: cpu_us / 1e6, unit: Unit::Seconds };
            trial.result.main_mut().metrics.insert(metric::CPU_PER_OPERATION, each);
        }
        case
    };
    vec![of(4, four), of(1, one)]
}

#[test]
fn pauses_that_cost_nothing_are_a_clock_s() {
    assert_eq!(named(&one_and_four(3000.0, 3005.0, 20.0)), constant("idle"));
    // The program takes too little to be seen, or the device used the time.
    assert_eq!(named(&one_and_four(3000.0, 3002.0, 1.0)).0, "device-full");
    assert_eq!(named(&one_and_four(3000.0, 3100.0, 20.0)).0, "device-full");
    let mut writes = one_and_four(3000.0, 3005.0, 20.0);
    writes.iter_mut().for_each(|case| fixture::set(case, "pattern", "randwrite"));
    assert_eq!(named(&writes).0, "device-full", "a buffer that empties itself in pauses");
}

/// Levels of a search are no neighbours, and show what depth 1 gives.
#[test]
fn a_level_of_a_search_shows_it_too() {
    use model::run::{Doubling, LevelSearch, SearchEnd};
    let mut cases = one_and_four(3000.0, 3005.0, 20.0);
    cases[1].role = CaseRole::Level { of: 0 };
    let flat = |from| Doubling { from, to: 2 * from, gain: 0.0, high: Some(0.01) };
    let parameter = model::ParameterName::new("queue-depth");
    let growth = vec![flat(4), flat(8)];
    cases[0].search = Some(LevelSearch { parameter, best: 4, knee: 1, ended: SearchEnd::Flat, growth });
    assert_eq!(named(&cases), constant("idle"));
    cases[1].role = CaseRole::Level { of: 1 };
    assert_eq!(named(&cases).0, "device-full");
}

/// Gives each trial of a case a series of tenths of a second in its window.
pub(in crate::bottleneck) fn course(case: &mut CaseResult, name: SeriesName, unit: Unit, values: &[f64]) {
    for trial in &mut case.trials {
        let window = Window { start_ns: 0, end_ns: values.len() as u64 * 100_000_000 };
        trial.result.window = Some(window);
        let (resource, values) = (Resource::LOAD, values.to_vec());
        let one = Series { resource, name, unit, start_ns: 0, interval_ns: 100_000_000, values };
        trial.result.main_mut().series = vec![one];
    }
}

/// Reads of which nine of ten take 0.1 ms and the rest 19 ms, at two depths; so many in each tenth
/// of a second.
fn waiting(counts: &[f64], fast_us: u64) -> Vec<CaseResult> {
    let mut cases = vec![disk(8, 500.0, 16_000.0, 2.0), disk(4, 498.0, 8000.0, 2.0)];
    let mut histogram = stats::histogram::new_latency();
    histogram.record_n(fast_us * 1000, 900).unwrap();
    histogram.record_n(19_000_000, 100).unwrap();
    let text = stats::histogram::encode(&histogram).unwrap();
    for trial in &mut cases[0].trials {
        trial.result.main_mut().histograms.insert(metric::LATENCY, text.clone());
    }
    let rates: Vec<f64> = counts.iter().map(|count| count * 10.0).collect();
    for case in &mut cases {
        course(case, series::OPERATIONS, Unit::PerSecond, &rates);
    }
    // What is longer at depth 8 than at depth 4 is what makes the device full.
    for trial in &mut cases[1].trials {
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(900_000, 1000).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        trial.result.main_mut().histograms.insert(metric::LATENCY, text);
    }
    cases
}

#[test]
fn reads_that_wait_long_and_end_regularly_are_metered() {
    // Ten in each 20 ms, of which a tenth of a second holds five, now and then four or six.
    let regular: Vec<f64> =
        (0..30).map(|i| if i % 7 == 0 { 60.0 } else { 48.0 + f64::from(i % 3) }).collect();
    assert_eq!(named(&waiting(&regular, 100)), constant("paced"));
    // Who meters these meters larger ones, too, of which as many end and whose trials differ more.
    let mut two_sizes = vec![sized(8, 65536, 500.0), sized(4, 65536, 499.0)];
    for case in &mut two_sizes {
        let other = Quantity { value: 520.0, unit: Unit::PerSecond };
        case.trials[0].result.main_mut().metrics.insert(metric::IOPS, other);
    }
    assert_eq!(named(&two_sizes).0, "device-full");
    two_sizes.extend(waiting(&regular, 100));
    for case in &mut two_sizes[2..] {
        fixture::set(case, "block-size", 4096u64);
    }
    assert_eq!(named(&two_sizes), constant("paced"));
    // As irregular as such times are.
    let free: Vec<f64> =
        (0..30).map(|i| 50.0 + [45.0, -30.0, 10.0, -20.0, 35.0, -5.0, -25.0][i / 5 % 7]).collect();
    assert_eq!(named(&waiting(&free, 100)).0, "device-full");
    // All take as long: then a regular rate is no wonder.
    assert_eq!(named(&waiting(&regular, 18_000)).0, "device-full");
}

/// A second of a stream over a wire, whose sender waits for the path; busy CPUs of both ends.
pub(in crate::bottleneck) fn stream(streams: u64, rate: f64, busy: u64) -> CaseResult {
    let mut case = fixture::case(3);
    fixture::workload(&mut case, "net.stream");
    for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
        fixture::set(&mut case, name, value);
    }
    fixture::set(&mut case, "streams", streams);
    let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
    course(&mut case, series::THROUGHPUT, Unit::BytesPerSecond, &[rate; 20]);
    let ticks = [("user", busy), ("system", 0), ("softirq", 0), ("idle", 100 - busy)];
    let counters = ticks.map(|(name, n)| fixture::counter("cpu:0", &format!("/proc/stat {name}"), 0.01, n));
    let per_byte = Quantity { value: 0.1 / rate, unit: Unit::SecondsPerByte };
    for trial in &mut case.trials {
        let rate = Quantity { value: rate, unit: Unit::BytesPerSecond };
        let mut far = model::trial::LoadTrial::of(0, "10.0.0.2:7117");
        far.metrics = [(metric::THROUGHPUT, rate), (metric::CPU_PER_BYTE, per_byte)].into();
        let main = trial.result.main_mut();
        main.metrics = far.metrics.clone();
        main.metrics.insert(metric::RTT, Quantity { value: 0.012, unit: Unit::Seconds });
        let facts = [
            (fact::BUSY_TIME, 2.0),
            (fact::RECEIVE_WINDOW_LIMITED_TIME, 0.0),
            (fact::SEND_BUFFER_LIMITED_TIME, 0.0),
            (fact::MSS, 1448.0),
            (fact::LEAST_RTT, 0.005),
        ];
        main.facts = facts.map(|(name, value)| (name, Value::Number(value))).into();
        let mut machine = model::trial::MachineTrial::of("10.0.0.2:7117");
        machine.counters = counters.to_vec();
        trial.result.local_mut().counters = counters.to_vec();
        trial.result.loads.push(far);
        trial.result.machines.push(machine);
    }
    case
}

#[test]
fn a_wire_of_which_nobody_says_the_speed_is_a_constant_limit() {
    let found = verdict(&[stream(1, 12.5e6, 20)]);
    assert_eq!((found.code.as_str(), &found.args["by"]), ("constant-limit", &"course".into()));
    assert!(found.text.contains("network interface eth0 is held at 100 Mbit/s"), "{}", found.text);
    let streams = [stream(1, 12.5e6, 20), stream(4, 12.45e6, 20)];
    assert_eq!(named(&streams), constant("streams"));
}

#[test]
fn a_stream_that_something_else_holds_is_not_accused() {
    let said = |change: &dyn Fn(&mut CaseResult)| {
        let mut case = stream(1, 12.5e6, 20);
        change(&mut case);
        verdict(&[case]).code
    };
    assert_eq!(said(&|_| {}), "constant-limit");
    assert_eq!(verdict(&[stream(1, 12.5e6, 85)]).code, "cannot-tell", "a CPU is near full");
    // A window: no queue stands on the way.
    let no_queue = |case: &mut CaseResult| {
        for trial in &mut case.trials {
            let rtt = Quantity { value: 0.0055, unit: Unit::Seconds };
            trial.result.main_mut().metrics.insert(metric::RTT, rtt);
        }
    };
    assert_eq!(said(&no_queue), "cannot-tell");
    let uneven = |case: &mut CaseResult| {
        let rates: Vec<f64> = (0..20).map(|i| if i < 10 { 12e6 } else { 13e6 }).collect();
        course(case, series::THROUGHPUT, Unit::BytesPerSecond, &rates);
    };
    assert_eq!(said(&uneven), "path-full", "it is full, and nobody meters it");
    let link = |case: &mut CaseResult| case.utilization = vec![used("nic:eth0", LimitKind::Link, 0.91)];
    assert_eq!(said(&link), "path-full");
    let loopback = |case: &mut CaseResult| {
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(fact::INTERFACE, "lo".into());
        }
    };
    assert_eq!(said(&loopback), "cannot-tell");
}

/// A whole run's worth of an ordinary disk: it saturates at depth 32 and stays there, its bytes are
/// full from 64 KiB on, writes are slower than reads.
#[test]
fn an_ordinary_disk_is_never_accused() {
    let wobble = |depth: u64, size: u64| 1.0 + ((depth * 7 + size / 4096 * 3) % 11) as f64 / 1000.0;
    let mut cases = Vec::new();
    for pattern in ["randread", "randwrite", "read"] {
        for size in [4096, 16384, 65536, 262_144, 1 << 20] {
            for depth in [1, 2, 4, 8, 16, 32, 64, 128] {
                // Each operation costs 15 us and 0.5 ns a byte of one of eight channels.
                let most = 1.0 / (15e-6 + size as f64 * 0.5e-9);
                let rate = (depth as f64 * most / 24.0).min(most) * wobble(depth, size);
                let rate = if pattern == "randwrite" { 0.8 * rate } else { rate };
                let mut case = sized(depth, size, rate);
                fixture::set(&mut case, "pattern", pattern);
                fixture::named(&mut case, &format!("disk {pattern} {size} {depth}"));
                cases.push(case);
            }
        }
    }
    let machine = Machine::default();
    let controls = model::study::Controls::default();
    let siblings = crate::Siblings::of(&cases);
    let context =
        crate::Context { machine: Some(&machine), siblings: &siblings, ..fixture::context(&controls) };
    let all: Vec<Finding> = cases.iter().flat_map(|case| super::super::check(case, &context)).collect();
    assert!(all.iter().all(|found| found.code != "constant-limit"), "{all:?}");
    assert!(all.iter().filter(|found| found.code == "device-full").count() > 20);
}
