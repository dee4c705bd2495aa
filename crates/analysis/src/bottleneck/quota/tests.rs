//! What is imposed, reached, passed or shared.

use model::machine::Machine;
use model::resource::PathStep;
use model::study::Controls;
use model::{Better, Limit, Unit, Value};

use super::super::tests::{disk, used, verdict};
use super::*;
use crate::utilization::of_case;
use crate::validity::fixture;

/// What a provider allows `block:sda`, or another, and how much of it is used.
fn allowed(resource: &str, allowance: Allowance, fraction: f64) -> Utilization {
    Utilization { allowance: Some(allowance), ..used(resource, LimitKind::Quota, fraction) }
}

fn with(utilization: Vec<Utilization>) -> CaseResult {
    CaseResult { utilization, ..disk(32, 1000.0, 32_000.0, 2.0) }
}

/// Why it cannot be told, or `full` or `free`.
fn said(case: &CaseResult) -> String {
    match examine(case, &fixture::context(&Controls::default())) {
        Verdict::Unknown(evidence) => evidence.args["why"].to_string(),
        Verdict::Full(found) => format!("full: {}", found.args["network"]),
        Verdict::Free(_) => "free".to_owned(),
        Verdict::Elsewhere => "elsewhere".to_owned(),
    }
}

#[test]
fn of_what_a_provider_allows_only_the_most_is_named() {
    for (allowance, fraction, expected) in [
        (Allowance::Most, 0.5, "free"),
        (Allowance::Most, 0.97, "full: rented"),
        (Allowance::Most, 1.1, "full: rented"),
        (Allowance::Most, 1.2, "beyond"),
        (Allowance::Baseline, 0.5, "free"),
        (Allowance::Baseline, 0.97, "baseline"),
        (Allowance::Baseline, 1.02, "baseline"),
    ] {
        assert_eq!(said(&with(vec![allowed("block:sda", allowance, fraction)])), expected, "{fraction}");
    }
    let found = verdict(&[with(vec![allowed("block:sda", Allowance::Most, 0.97)])]);
    assert_eq!((found.code.as_str(), &found.args["network"]), ("io-quota", &Value::from("rented")));
    assert_eq!(
        found.advice.as_deref(),
        Some("a larger instance type is allowed more"),
        "a disk has no flows"
    );
}

/// Bug: the published figure convicted, though a counter said that nothing was held back.
#[test]
fn where_somebody_counts_no_published_figure_decides() {
    let mut case = with(vec![allowed("block:sda", Allowance::Most, 0.97)]);
    let count = |case: &mut CaseResult, resource: &str| {
        let source = "NVMe log page D0h ec2_instance_ebs_performance_exceeded_tp";
        for trial in &mut case.trials {
            trial.result.local_mut().counters.push(fixture::counter(resource, source, 1e-6, 0));
        }
    };
    count(&mut case, "block:sdb");
    assert_eq!(said(&case), "full: rented", "another volume");
    count(&mut case, "block:sda");
    assert_eq!(said(&case), "elsewhere");
    let found = verdict(&[case]);
    assert!(found.ruled_out.iter().any(|e| e.code == "allowance-time"), "{found:?}");
}

#[test]
fn a_throttle_that_is_reached_comes_before_what_is_allowed() {
    let throttle = |fraction| used("block:sda", LimitKind::Quota, fraction);
    let most = |fraction| allowed("block:sda", Allowance::Most, fraction);
    assert_eq!(said(&with(vec![most(1.1), throttle(0.99)])), "full: no");
    assert_eq!(said(&with(vec![most(1.2), throttle(0.99)])), "full: no");
    assert_eq!(said(&with(vec![most(1.1), throttle(0.9)])), "full: rented");
    // What is imposed here is held against what was done.
    assert_eq!(said(&with(vec![throttle(1.2)])), "full: no");
    // What is passed by far holds nobody, and hides no other.
    assert_eq!(said(&with(vec![throttle(4.0)])), "passed");
    assert_eq!(said(&with(vec![throttle(4.0), used("block:sdb", LimitKind::Quota, 0.97)])), "full: no");
}

/// Bug: a stream beside others under one rate was said to be held back by a path of unknown width.
#[test]
fn a_rate_that_others_use_as_well_is_named() {
    let found = |own: f64, carried: u64| {
        let mut case = with(vec![used("nic:eth0", LimitKind::Quota, own)]);
        for trial in &mut case.trials {
            let sent = fixture::counter("nic:eth0", "/proc/net/dev tx_bytes", 1.0, carried);
            trial.result.local_mut().counters.push(sent);
        }
        verdict(&[case])
    };
    let shared = found(0.5, 104);
    assert_eq!((shared.code.as_str(), &shared.args["network"]), ("io-quota", &Value::from("shared")));
    let text =
        "832 bit/s pass network interface eth0, of which the load has 400 bit/s; payload may have 800 bit/s";
    assert!(shared.text.contains(text), "{}", shared.text);
    assert!(shared.advice.is_some_and(|advice| advice.starts_with("stop what else sends over it")));
    assert_eq!(found(0.97, 104).args["network"], Value::from("yes"), "it is the load's alone");
    for (own, carried, why) in [(0.5, 90, "there is room"), (0.5, 130, "it held none of that")] {
        assert_ne!(found(own, carried).code, "io-quota", "{why}");
    }
}

/// Bug: a quota of CPU time that stopped threads now and then was named, though a rate of the disk was reached.
#[test]
fn a_rate_that_is_reached_comes_before_cpu_time_that_is_stopped() {
    let found = |fraction: f64, stopped_us: u64| {
        let mut case = with(vec![used("block:sda", LimitKind::Quota, fraction)]);
        for trial in &mut case.trials {
            let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, stopped_us);
            trial.result.local_mut().counters.push(stopped);
        }
        verdict(&[case])
    };
    let both = found(0.99, 100_000);
    assert_eq!(both.code, "io-quota", "{both:?}");
    assert!(both.evidence.iter().any(|e| e.beside && e.code == "throttled"), "{both:?}");
    assert_eq!(found(0.9, 100_000).code, "cpu-quota");
    // A rate that is passed by half did not hold it; the stops that were counted did.
    assert_eq!(found(1.5, 100_000).code, "cpu-quota");
    assert_eq!(found(1.5, 0).code, "io-quota");
    assert!(!found(0.99, 0).evidence.iter().any(|e| e.code == "throttled"));
}

/// Bug: a quota of CPU time that stopped threads now and then was named, though their link was full.
#[test]
fn a_link_that_is_full_comes_before_cpu_time_that_is_stopped() {
    let found = |fraction: f64| {
        let mut case = with(vec![used("nic:eth0", LimitKind::Link, fraction)]);
        for trial in &mut case.trials {
            let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 100_000);
            trial.result.local_mut().counters.push(stopped);
        }
        verdict(&[case])
    };
    let both = found(0.97);
    assert_eq!(both.code, "link-full", "{both:?}");
    assert!(both.evidence.iter().any(|e| e.beside && e.code == "throttled"), "{both:?}");
    assert_eq!(found(0.9).code, "cpu-quota");
}

/// Bug: a rate that was passed hid one that was reached, and stops of CPU time had the name.
#[test]
fn a_rate_that_is_passed_hides_none_that_is_reached() {
    let throttle = |name: &str, fraction| used(name, LimitKind::Quota, fraction);
    let mut case = with(vec![throttle("block:sda", 1.5), throttle("block:sdb", 0.98)]);
    for trial in &mut case.trials {
        let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 100_000);
        trial.result.local_mut().counters.push(stopped);
    }
    let found = verdict(&[case]);
    assert_eq!(
        (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
        ("io-quota", Some("block:sdb"))
    );
    let beside = found.evidence.iter().filter(|evidence| evidence.beside);
    assert_eq!(beside.map(|e| e.code.as_str()).collect::<Vec<_>>(), ["quota", "throttled"]);
}

/// Bug: of requests over an interface the rate in bytes was named as evidence, though nobody measured it.
#[test]
fn a_rate_that_was_not_measured_is_no_evidence() {
    let is_shown = |is_measured: bool| {
        let mut case = with(vec![used("nic:eth0", LimitKind::Quota, 0.98)]);
        if !is_measured {
            case.loads.main.estimates.remove(&metric::THROUGHPUT);
        }
        let found = verdict(&[case]);
        assert_eq!(found.code, "io-quota", "{found:?}");
        found.evidence.iter().any(|e| e.code == "demand")
    };
    assert!(is_shown(true));
    assert!(!is_shown(false));
}

/// Bug: where `cpu.stat` was not read, nothing was said of a quota of CPU time that is used up.
#[test]
fn a_quota_of_cpu_time_that_is_used_up_is_named_without_a_count_of_stops() {
    let quota = |fraction: f64, cpus: f64| Utilization {
        quantity: metric::CPU,
        unit: Unit::One,
        demand: fraction * cpus,
        limit: cpus,
        ..used("cpu", LimitKind::Quota, fraction)
    };
    let found = verdict(&[with(vec![quota(0.98, 0.5)])]);
    assert_eq!(found.code, "cpu-quota", "{found:?}");
    assert!(found.text.contains("its threads use 98 % of it"), "{}", found.text);
    assert_ne!(verdict(&[with(vec![quota(0.7, 0.5)])]).code, "cpu-quota");
    assert_ne!(verdict(&[with(vec![quota(0.98, 1.0)])]).code, "cpu-quota", "its one thread has no more");
    let mut counted = with(vec![quota(0.98, 0.5)]);
    for trial in &mut counted.trials {
        let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 0);
        trial.result.local_mut().counters.push(stopped);
    }
    assert_ne!(verdict(&[counted]).code, "cpu-quota", "it stopped nobody");
}

#[test]
fn volumes_that_share_an_allowance_are_not_ruled_out_each_by_itself() {
    let volume = |name: &str, source: &str| Utilization {
        source: source.to_owned(),
        ..allowed(name, Allowance::Most, 0.5)
    };
    let of = |others: &str| said(&with(vec![volume("block:sda", "x"), volume("block:sdb", others)]));
    assert_eq!((of("x"), of("y")), ("shared".to_owned(), "free".to_owned()));
    // Those of operations and of bytes are published at one place.
    let operations = Utilization { quantity: metric::IOPS, ..volume("block:sdb", "x") };
    assert_eq!(said(&with(vec![volume("block:sda", "x"), operations])), "free");
}

/// Who has credits passes the baseline; who has none is held at it.
#[test]
fn a_baseline_counts_where_it_is_not_passed() {
    let limit = |allowance: Option<Allowance>, rate: f64| {
        let (resource, kind) = (Resource::from("nic:ens5"), LimitKind::Quota);
        let bound = Limit::new(resource, metric::THROUGHPUT, Unit::BytesPerSecond, kind, "x".to_owned());
        Limit { effective: Some(rate), allowance, ..bound }
    };
    let baseline = || limit(Some(Allowance::Baseline), 100e6);
    let at = |rate: f64, limits: Vec<Limit>| {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        fixture::set(&mut case, "direction", "send");
        let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        case.path = vec![PathStep { resource: Resource::from("nic:ens5"), amplification: 1.0 }];
        case.utilization = of_case(&case, &Machine { limits, ..Machine::default() });
        case
    };
    assert_eq!(said(&at(102e6, vec![baseline()])), "baseline");
    assert_eq!(said(&at(110e6, vec![baseline()])), "elsewhere", "credits are spent");
    let throttled = at(110e6, vec![baseline(), limit(None, 110e6 / 0.99)]);
    assert_eq!(said(&throttled), "full: yes");
}
