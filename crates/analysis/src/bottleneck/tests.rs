//! Each candidate shown, and a case that is like it and is not.

use model::limit::LimitKind;
use model::machine::{CacheKind, Machine};
use model::run::{CaseResult, Utilization};
use model::study::Controls;
use model::{Better, Finding, MetricName, Quantity, Resource, Unit, WorkloadName, metric};

use crate::validity::fixture;
use crate::{Context, Siblings};

/// A disk case that did `iops` of 4 KiB with `latency_us` at `depth`.
pub(crate) fn disk(depth: u64, iops: f64, latency_us: f64, cpu_us: f64) -> CaseResult {
    let mut case = fixture::disk_case("randread", iops * 4096.0, iops * 4096.0);
    fixture::named(&mut case, &format!("disk queue-depth={depth}"));
    fixture::set(&mut case, "queue-depth", depth);
    fixture::set(&mut case, "direct", true);
    let mut histogram = stats::histogram::new_latency();
    histogram.record_n((latency_us * 1e3) as u64, 1000).unwrap();
    let text = stats::histogram::encode(&histogram).unwrap();
    for (trial, noise) in case.trials.iter_mut().zip([0.99, 1.0, 1.01]) {
        trial.result.main_mut().histograms.insert(metric::LATENCY, text.clone());
        let rate = Quantity { value: iops * noise, unit: Unit::PerSecond };
        trial.result.main_mut().metrics.insert(metric::IOPS, rate);
    }
    let mut put = |name: MetricName, value, unit, better| {
        case.loads.main.estimates.insert(name, fixture::estimate(value, unit, better));
    };
    put(metric::IOPS, iops, Unit::PerSecond, Better::Higher);
    put(metric::THROUGHPUT, iops * 4096.0, Unit::BytesPerSecond, Better::Higher);
    put(metric::CPU_PER_OPERATION, cpu_us / 1e6, Unit::Seconds, Better::Lower);
    case
}

pub(crate) fn used(resource: &str, kind: LimitKind, fraction: f64) -> Utilization {
    Utilization {
        machine: None,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        resource: Resource::from(resource),
        quantity: metric::THROUGHPUT,
        kind,
        demand: fraction * 100.0,
        limit: 100.0,
        unit: Unit::BytesPerSecond,
        fraction,
        source: "a test".to_owned(),
    }
}

pub(crate) fn machine() -> Machine {
    let mut machine = Machine::default();
    machine.inventory.cpu.allowed = vec![0, 1];
    machine
}

/// The one finding about `cases[0]`.
pub(super) fn verdict(cases: &[CaseResult]) -> Finding {
    verdict_on(&machine(), cases)
}

/// The same on a machine of one's own.
pub(crate) fn verdict_on(machine: &Machine, cases: &[CaseResult]) -> Finding {
    let controls = Controls::default();
    let context =
        Context { machine: Some(machine), siblings: &Siblings::of(cases), ..fixture::context(&controls) };
    let mut found = crate::said::written(super::check(&cases[0], &context));
    assert_eq!(found.len(), 1);
    let found = found.remove(0);
    assert!(super::CODES.iter().any(|(code, _)| *code == found.code), "{} is not explained", found.code);
    assert!(!found.evidence.is_empty(), "{found:?}");
    found
}

#[test]
fn a_full_link_is_named_and_a_half_full_one_is_ruled_out() {
    let mut case = disk(32, 100_000.0, 300.0, 2.0);
    case.utilization = vec![used("sata:sda", LimitKind::Link, 0.97)];
    let found = verdict(&[case.clone()]);
    assert_eq!(
        (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
        ("link-full", Some("sata:sda"))
    );
    case.utilization = vec![used("sata:sda", LimitKind::Link, 0.5)];
    let found = verdict(&[case]);
    assert_eq!(found.code, "cannot-tell");
    assert!(found.ruled_out.iter().any(|e| e.code == "link"), "{found:?}");
}

#[test]
fn what_a_link_cannot_have_passed_says_nothing_of_it() {
    let mut case = disk(32, 100_000.0, 300.0, 2.0);
    case.utilization = vec![used("pci:0000:01:00.0", LimitKind::Link, 1.4)];
    let found = verdict(&[case.clone()]);
    assert!(found.evidence.iter().any(|e| e.code == "link-beyond"), "{found:?}");
    // Of a line rate payload gets a share that nobody knows.
    case.utilization[0].line_only = true;
    case.utilization[0].fraction = 0.8;
    let found = verdict(&[case.clone()]);
    assert!(found.evidence.iter().any(|e| e.code == "link-line-rate"), "{found:?}");
    case.utilization[0].fraction = 0.97;
    assert!(verdict(&[case]).text.contains("its line rate of 100 B/s"));
}

#[test]
fn an_own_resource_is_judged_in_whatever_it_is_bounded() {
    let mut case = disk(32, 100_000.0, 300.0, 2.0);
    let press = |quantity: MetricName, fraction: f64| Utilization {
        quantity: quantity.to_owned(),
        ..used("press:0", LimitKind::Hardware, fraction)
    };
    let named = |utilization: Vec<Utilization>| {
        let found = verdict(&[CaseResult { utilization, ..case.clone() }]);
        (found.code, found.resource)
    };
    let full = ("limit-reached".to_owned(), Some(Resource::from("press:0")));
    assert_eq!(named(vec![press(metric::IOPS, 0.97)]), full);
    // One that is known wrongly hides no other.
    assert_eq!(named(vec![press(metric::IOPS, 1.4), press(metric::THROUGHPUT, 0.97)]), full);
    assert_eq!(named(vec![press(metric::IOPS, 0.5)]).0, "cannot-tell");
    case.utilization = vec![press(metric::IOPS, 1.4)];
    let beyond = verdict(&[case]);
    assert!(beyond.evidence.iter().any(|e| e.code == "own-limit-beyond"), "{beyond:?}");
}

#[test]
fn of_two_that_are_as_full_the_nearer_is_named() {
    for (kind, code) in [(LimitKind::Link, "link-full"), (LimitKind::Quota, "io-quota")] {
        let mut case = disk(32, 1000.0, 32_000.0, 2.0);
        case.utilization = vec![used("nic:eth0", kind, 0.97), used("far/nic:eth1", kind, 0.97)];
        let found = verdict(&[case]);
        assert_eq!(
            (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
            (code, Some("nic:eth0")),
            "{found:?}"
        );
    }
}

#[test]
fn an_imposed_throttle_comes_before_all_else() {
    let mut case = disk(32, 1000.0, 32_000.0, 2.0);
    case.utilization =
        vec![used("block:sda", LimitKind::Quota, 0.99), used("sata:sda", LimitKind::Link, 0.96)];
    assert_eq!(verdict(&[case]).code, "io-quota");
}

#[test]
fn threads_that_a_quota_stopped_are_held_back_by_it() {
    let mut case = disk(1, 1000.0, 1000.0, 400.0);
    for trial in &mut case.trials {
        trial.result.local_mut().counters.push(fixture::counter(
            "cgroup:cpu",
            "cpu.stat throttled_time",
            1e-6,
            1_400_000,
        ));
    }
    let found = verdict(&[case]);
    assert_eq!(found.code, "cpu-quota");
    // It computes 400 ms of each second; others of the group were stopped on another CPU.
    assert!(found.text.contains("stopped for 600 ms of each second"), "{}", found.text);
}

#[test]
fn a_quota_at_the_other_end_holds_back_too_and_is_named_as_its_own() {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let stopped = |us: u64| vec![fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, us)];
    fixture::far(&mut case);
    case.trials[0].result.local_mut().counters = stopped(0);
    fixture::far_machine(&mut case).counters = stopped(800_000);
    let found = verdict(&[case.clone()]);
    assert_eq!(found.code, "cpu-quota");
    assert!(found.text.contains("CPU quota of 10.0.0.2:7117 holds this back"), "{}", found.text);
    case.trials[0].result.local_mut().counters = stopped(900_000);
    assert!(verdict(&[case]).text.contains("CPU quota holds this back"));
}

#[test]
fn a_worker_that_computes_all_the_time_fills_its_core() {
    assert_eq!(verdict(&[disk(32, 500_000.0, 60.0, 1.97)]).code, "one-core-full");
    assert_ne!(verdict(&[disk(32, 500_000.0, 60.0, 1.0)]).code, "one-core-full");
}

/// A core that waits for memory looks busy too, and nobody can tell the two.
#[test]
fn full_cores_say_whether_they_may_wait_for_memory() {
    let mut machine = machine();
    machine.inventory.cpu.allowed = vec![0, 1, 2, 3];
    let kind = CacheKind { level: 3, kind: "Unified".to_owned(), bytes: 32 << 20, instances: 1 };
    machine.inventory.cpu.cache_kinds = vec![kind];
    let text = |threads: u64, size: u64| {
        let mut case = disk(1, 100.0, 100.0, threads as f64 * 10_000.0);
        fixture::workload(&mut case, "memory.bandwidth");
        fixture::set(&mut case, "threads", threads);
        fixture::set(&mut case, "size", size);
        verdict_on(&machine, &[case]).text
    };
    assert_eq!(text(1, 4096), "one core is full: 100 % of the time");
    assert_eq!(text(1, 1 << 30), "one core is full: it computes, or waits for memory, all the time");
    assert_eq!(text(2, 4096), "the cores of its 2 threads are full: 100 % of the time");
    assert!(text(2, 1 << 30).ends_with("they compute, or wait for memory, all the time"));
}

#[test]
fn all_cores_full_is_counted_at_the_machine() {
    let mut case = disk(32, 500_000.0, 60.0, 4.0);
    fixture::set(&mut case, "threads", 2u64);
    for trial in &mut case.trials {
        for (name, ticks) in [("user", 150), ("system", 48), ("idle", 2)] {
            trial.result.local_mut().counters.push(fixture::counter(
                "cpu",
                &format!("/proc/stat {name}"),
                0.01,
                ticks,
            ));
        }
    }
    assert_eq!(verdict(&[case]).code, "all-cores-full");
}

/// A core that waits for memory looks busy.
#[test]
fn all_cpus_that_stream_from_memory_say_what_memory_gives() {
    let mut case = disk(1, 100.0, 100.0, 20_000.0);
    fixture::workload(&mut case, "memory.bandwidth");
    fixture::set(&mut case, "threads", 2u64);
    case.utilization = vec![used("memory", LimitKind::Measured, 0.84)];
    assert_eq!(verdict(&[case.clone()]).code, "memory-bandwidth-full");
    fixture::set(&mut case, "threads", 1u64);
    assert_eq!(verdict(&[case]).code, "one-core-full");
}

/// Bug: what copying got before the run was called the memory's, though two cores drew twice as much
/// as one.
#[test]
fn cores_that_draw_as_much_together_as_each_alone_have_not_filled_the_memory() {
    let copies = |threads: u64, bytes: f64| {
        let mut case = disk(1, bytes, 100.0, 20_000.0);
        fixture::workload(&mut case, "memory.bandwidth");
        fixture::named(&mut case, &format!("memory.bandwidth threads={threads}"));
        fixture::set(&mut case, "threads", threads);
        for (trial, noise) in case.trials.iter_mut().zip([0.99, 1.0, 1.01]) {
            let rate = Quantity { value: bytes * noise, unit: Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(metric::THROUGHPUT, rate);
        }
        case.utilization = vec![used("memory", LimitKind::Measured, 0.5 * threads as f64)];
        case
    };
    let found = verdict(&[copies(2, 20e9), copies(1, 10.2e9)]);
    assert_eq!(found.code, "all-cores-full");
    let said = found.ruled_out.iter().find(|e| e.code == "memory-each").unwrap();
    assert_eq!(said.args.get("threads"), Some(&2.0.into()));
    // Half as much again is memory that is full.
    assert_eq!(verdict(&[copies(2, 15e9), copies(1, 10e9)]).code, "memory-bandwidth-full");
}

#[test]
fn a_device_is_full_when_twice_the_depth_adds_nothing_but_waiting() {
    let shallow = disk(16, 98_000.0, 160.0, 2.0);
    let deep = disk(32, 100_000.0, 320.0, 2.0);
    let found = verdict(&[deep.clone(), shallow.clone()]);
    assert_eq!(
        (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
        ("device-full", Some("block:sda"))
    );
    // Seen from the shallower one it is full as well.
    assert_eq!(verdict(&[shallow, deep.clone()]).code, "device-full");
    // Twice the depth that gives half as much again is room.
    let third = disk(16, 66_000.0, 240.0, 2.0);
    assert_eq!(verdict(&[third.clone(), deep.clone()]).code, "latency-bound");
    // And says nothing of the deeper one.
    let found = verdict(&[deep, third]);
    assert_eq!((found.code.as_str(), found.evidence[0].code.as_str()), ("cannot-tell", "device-deepest"));
}

#[test]
fn a_device_is_not_called_full_where_the_trials_differ_too_much() {
    let shallow = disk(16, 98_000.0, 160.0, 2.0);
    let mut deep = disk(32, 100_000.0, 320.0, 2.0);
    for (trial, rate) in deep.trials.iter_mut().zip([70_000.0, 100_000.0, 140_000.0]) {
        trial.result.main_mut().metrics.insert(metric::IOPS, Quantity { value: rate, unit: Unit::PerSecond });
    }
    assert_eq!(verdict(&[deep, shallow]).code, "cannot-tell");
}

#[test]
fn a_gain_that_is_lost_in_noise_says_nothing_of_the_shallower_case() {
    let mut shallow = disk(16, 90_000.0, 160.0, 2.0);
    for (trial, rate) in shallow.trials.iter_mut().zip([60_000.0, 90_000.0, 130_000.0]) {
        trial.result.main_mut().metrics.insert(metric::IOPS, Quantity { value: rate, unit: Unit::PerSecond });
    }
    assert_eq!(verdict(&[shallow, disk(32, 100_000.0, 320.0, 2.0)]).code, "cannot-tell");
}

#[test]
fn a_device_that_gives_what_its_sheet_promises_is_full() {
    let mut case = disk(32, 100_000.0, 300.0, 2.0);
    case.utilization = vec![used("block:sda", LimitKind::Datasheet, 0.98)];
    let found = verdict(&[case]);
    assert_eq!(
        found.text,
        "disk sda is full: it gives 98 % of the 100 B/s that its datasheet promises (a test)"
    );
}

/// Bug: a cache before a device was said to be the device at its limit.
#[test]
fn a_device_that_gives_much_more_than_its_sheet_is_not_full_by_it() {
    let mut case = disk(32, 100_000.0, 300.0, 2.0);
    case.utilization = vec![used("block:sda", LimitKind::Datasheet, 2.4)];
    assert_eq!(verdict(&[case.clone()]).code, "cannot-tell");
    case.utilization.push(used("block:sda", LimitKind::Datasheet, 0.99));
    assert_eq!(verdict(&[case]).code, "device-full", "by another figure of the sheet");
}

/// One trial has no interval, and an unbounded one is no figure to show.
#[test]
fn a_device_is_not_called_full_by_one_trial() {
    let (mut shallow, mut deep) = (disk(16, 98_000.0, 160.0, 2.0), disk(32, 100_000.0, 320.0, 2.0));
    shallow.trials.truncate(1);
    deep.trials.truncate(1);
    let found = verdict(&[deep, shallow]);
    assert!(found.evidence.iter().any(|e| e.code == "device-few-trials"), "{found:?}");
}

#[test]
fn busy_workers_hide_whether_the_device_is_full() {
    let found = verdict(&[disk(32, 100_000.0, 300.0, 9.0)]);
    assert!(found.evidence.iter().any(|e| e.code == "device-workers-busy"), "{found:?}");
}

#[test]
fn where_nothing_was_seen_nothing_can_be_told() {
    let mut case = disk(1, 100_000.0, 9.0, 1.0);
    case.path.clear();
    let found = verdict(&[case]);
    assert_eq!(found.text, "the bottleneck is unknown: nothing that was measured shows it");
}

/// More threads at less depth may be slower for the sake of the cores.
#[test]
fn depth_and_threads_are_not_mixed() {
    let shallow = disk(16, 98_000.0, 160.0, 2.0);
    let mut deep = disk(8, 100_000.0, 320.0, 2.0);
    fixture::set(&mut deep, "threads", 4u64);
    assert_eq!(verdict(&[deep, shallow]).code, "cannot-tell");
}

#[test]
fn busy_cpus_hold_back_only_what_wants_them() {
    let with_others = |cpu_us: f64| {
        let mut case = disk(1, 9_000.0, 110.0, cpu_us);
        for trial in &mut case.trials {
            for (name, ticks) in [("user", 150), ("system", 48), ("idle", 2)] {
                trial.result.local_mut().counters.push(fixture::counter(
                    "cpu",
                    &format!("/proc/stat {name}"),
                    0.01,
                    ticks,
                ));
            }
        }
        verdict(&[case])
    };
    let waits = with_others(20.0);
    assert_eq!(waits.code, "latency-bound");
    assert!(
        waits.text.contains("all CPUs that it may use are busy, so that it may wait for one"),
        "{}",
        waits.text
    );
    assert_eq!(with_others(80.0).code, "all-cores-full");
}

/// Latency that does not grow with depth is not a queue at the device.
#[test]
fn a_rate_that_stays_though_latency_does_is_not_a_full_device() {
    let shallow = disk(16, 98_000.0, 160.0, 2.0);
    let deep = disk(32, 100_000.0, 165.0, 2.0);
    assert_eq!(verdict(&[deep, shallow]).code, "cannot-tell");
}

#[test]
fn one_operation_at_a_time_is_bound_by_latency() {
    let found = verdict(&[disk(1, 9_000.0, 110.0, 20.0)]);
    assert_eq!(found.code, "latency-bound");
    assert!(found.text.contains("110 us"), "{}", found.text);
    assert!(found.ruled_out.iter().any(|e| e.code == "worker-cpu"), "{found:?}");
}

#[test]
fn a_load_that_waits_for_its_syncs_says_so() {
    let mut case = disk(1, 2_000.0, 110.0, 20.0);
    let mut histogram = stats::histogram::new_latency();
    histogram.record_n(3_000_000, 100).unwrap();
    let text = stats::histogram::encode(&histogram).unwrap();
    for trial in &mut case.trials {
        trial.result.main_mut().histograms.insert(metric::SYNC_LATENCY, text.clone());
    }
    let mut with = |rate: f64| {
        let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::SYNCS_PER_SECOND, estimate);
        verdict(&[case.clone()]).text
    };
    let text = with(250.0);
    assert!(text.contains("and 75 % of the time is spent in syncs of 2.999 ms"), "{text}");
    assert!(!with(10.0).contains("sync"), "hardly ever");
}

#[test]
fn several_devices_are_full_together() {
    let on_two = |depth, rate, latency| {
        let mut case = disk(depth, rate, latency, 2.0);
        let step = |resource: &str| model::resource::PathStep {
            resource: Resource::from(resource),
            amplification: 0.5,
        };
        case.path = ["block:sda", "block:sdb"].map(step).to_vec();
        case
    };
    let found = verdict(&[on_two(32, 100_000.0, 320.0), on_two(16, 98_000.0, 160.0)]);
    assert_eq!(
        (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
        ("device-full", Some("block:sda+sdb"))
    );
    assert!(found.text.starts_with("disks sda, sdb are full"), "{}", found.text);
}

#[test]
fn an_open_loop_that_keeps_its_rate_is_not_held_back() {
    let mut case = disk(1, 1000.0, 110.0, 20.0);
    fixture::set(&mut case, "rate", 1000.0);
    let controls = Controls::default();
    assert!(super::check(&case, &fixture::context(&controls)).is_empty());
}

#[test]
fn a_chase_waits_for_memory_and_the_scheduler_for_itself() {
    let of = |workload: WorkloadName, metric: MetricName, size: u64| {
        let mut case = fixture::case(3);
        case.loads.main.workload = WorkloadName::intern(workload.as_str()).unwrap();
        fixture::set(&mut case, "threads", 1u64);
        fixture::set(&mut case, "size", size);
        let mut put = |name: MetricName, value, unit| {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Lower));
        };
        put(metric, 118e-9, Unit::Seconds);
        // Whoever waits for memory looks as if it computed.
        put(metric::CPU_PER_OPERATION, 1.0, Unit::Seconds);
        put(metric::OPERATIONS_PER_SECOND, 1.0, Unit::PerSecond);
        let mut machine = machine();
        let cache = CacheKind { level: 3, kind: "Unified".to_owned(), bytes: 32 << 20, instances: 1 };
        machine.inventory.cpu.cache_kinds = vec![cache];
        let found = verdict_on(&machine, &[case]);
        (found.code, found.text)
    };
    let (code, text) = of(WorkloadName::new("memory.latency"), metric::LOAD_LATENCY, 1 << 30);
    assert_eq!(
        (code.as_str(), text.starts_with("memory latency: each load waits 118 ns")),
        ("memory-latency", true)
    );
    assert!(
        of(WorkloadName::new("memory.latency"), metric::LOAD_LATENCY, 1 << 20)
            .1
            .starts_with("latency of caches")
    );
    // Whatever is full is named first.
    assert_eq!(of(WorkloadName::new("scheduler.threads"), metric::LATENCY_P50, 0).0, "one-core-full");
    assert_eq!(of(WorkloadName::new("cpu.primes"), metric::LATENCY_P50, 0).0, "one-core-full");
}
