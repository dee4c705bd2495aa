//! Predictions by hand, and what was measured beside them.

use model::limit::LimitKind;
use model::run::{
    CaseRole, Doubling, GainCeiling, LevelSearch, Proof, ProofEffect, ProofOutcome, ProofStep, SearchEnd,
};
use model::study::Controls;
use model::{ParameterName, Quantity, Run, Unit, metric};

use super::*;
use crate::bottleneck::tests::{disk, used};
use crate::validity::fixture;

/// The run of these cases on a machine of two CPUs, with everything derived.
fn derived(cases: Vec<CaseResult>) -> Run {
    let mut run = crate::comparison::tests::run("gains", &[], cases);
    let mut machine = model::Machine::default();
    machine.inventory.cpu.allowed = vec![0, 1];
    machine.inventory.cpu.online = vec![0, 1];
    run.machines = vec![machine];
    run.study.controls = Controls::default();
    crate::derive(&mut run);
    run
}

/// The verdict on a case.
fn code(run: &Run, case: usize) -> &str {
    let verdict = run.cases[case].findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    verdict.map_or("none", |found| found.code.as_str())
}

/// A case whose trials say what an operation takes of a CPU.
fn computing(depth: u64, iops: f64, latency_us: f64, cpu_us: f64) -> CaseResult {
    let mut case = disk(depth, iops, latency_us, cpu_us);
    fixture::set(&mut case, "threads", 1u64);
    let cost = Quantity { value: cpu_us / 1e6, unit: Unit::Seconds };
    for trial in &mut case.trials {
        trial.result.main_mut().metrics.insert(metric::CPU_PER_OPERATION, cost);
    }
    case
}

fn gain(run: &Run, case: usize, fix: GainFix) -> &Gain {
    let all = &run.cases[case].gains;
    all.iter().find(|gain| gain.fix == fix).unwrap_or_else(|| panic!("{fix:?}: {all:?}"))
}

/// Depth 1 gives 10 k/s; the device is full at 30 k/s from depth 8 on.
fn sweep() -> Vec<CaseResult> {
    vec![
        disk(1, 10_000.0, 100.0, 2.0),
        disk(2, 18_000.0, 111.0, 2.0),
        disk(8, 30_000.0, 266.0, 2.0),
        disk(16, 30_100.0, 532.0, 2.0),
    ]
}

#[test]
fn a_load_that_waits_gains_what_little_and_the_device_allow_and_what_was_measured_stands_beside() {
    let run = derived(sweep());
    assert_eq!(code(&run, 0), "latency-bound");
    let deeper = gain(&run, 0, GainFix::More);
    assert_eq!((deeper.law, deeper.from, deeper.to), (GainLaw::Little, Some(1.0), Some(2.0)));
    assert_eq!((deeper.predicted, &deeper.bound), (2.0, &None));
    // Of a network in balance at least 2 / (1 + 10 / 30.1).
    assert!((deeper.least.unwrap() - 1.5012).abs() < 1e-3, "{deeper:?}");
    let tried = deeper.tried.as_ref().unwrap();
    assert!((tried.times - 1.8).abs() < 1e-9 && tried.low.unwrap() <= tried.times + 1e-9, "{tried:?}");
    assert_eq!(tried.trials, 3);
    // From 2 operations on, 8 were measured: the device bounds it.
    let deeper = gain(&run, 1, GainFix::More);
    assert_eq!((deeper.to, deeper.least), (Some(8.0), None));
    assert!((deeper.predicted - 30_100.0 / 18_000.0).abs() < 1e-9, "{deeper:?}");
    assert_eq!(deeper.bound.as_ref().unwrap().resource.as_ref().unwrap().as_str(), "block:sda");
}

#[test]
fn a_device_behind_the_page_cache_that_is_twice_as_fast_halves_the_wait_for_it() {
    let mut case = computing(1, 9_000.0, 110.0, 10.0);
    fixture::set(&mut case, "direct", false);
    let run = derived(vec![case]);
    assert_eq!(code(&run, 0), "device-bound");
    let faster = gain(&run, 0, GainFix::Resource);
    assert_eq!((faster.law, &faster.bound), (GainLaw::Amdahl, &None));
    // It computes for 9 % of the time and waits for the rest.
    assert!((faster.predicted - 1.0 / (0.09 + 0.455)).abs() < 1e-3, "{faster:?}");
}

#[test]
fn a_full_device_gains_nothing_from_depth_and_from_a_faster_one_until_the_next_is_full() {
    let mut cases = sweep();
    let nearly = |fraction| used("sata:sda", LimitKind::Link, fraction);
    cases[2].utilization = vec![nearly(0.8)];
    let run = derived_as_is(cases);
    assert_eq!(code(&run, 2), "device-full");
    let deeper = gain(&run, 2, GainFix::More);
    assert!(deeper.predicted < 1.01 && deeper.tried.as_ref().unwrap().times < 1.01, "{deeper:?}");
    let faster = gain(&run, 2, GainFix::Resource);
    assert_eq!((faster.law, faster.predicted, &faster.tried), (GainLaw::Utilization, 1.25, &None));
    assert_eq!(faster.bound.as_ref().unwrap().resource.as_ref().unwrap().as_str(), "sata:sda");
}

/// As [`derived`], with the utilization that the cases have.
fn derived_as_is(cases: Vec<CaseResult>) -> Run {
    let used: Vec<_> = cases.iter().map(|case| case.utilization.clone()).collect();
    let mut run = derived(cases);
    for (case, used) in run.cases.iter_mut().zip(used) {
        case.utilization = used;
    }
    let gains = crate::gains(&run);
    for (case, gains) in run.cases.iter_mut().zip(gains) {
        case.gains = gains;
    }
    run
}

#[test]
fn a_second_thread_gains_what_the_processors_still_have() {
    // Each operation takes 99 us of a CPU.
    let mut case = computing(1, 10_000.0, 100.0, 99.0);
    for trial in &mut case.trials {
        for (resource, name, ticks) in
            [("cpu", "user", 110), ("cpu", "idle", 90), ("self", "user", 100), ("self", "system", 0)]
        {
            let counter = fixture::counter(resource, &format!("/proc/stat {name}"), 0.01, ticks);
            trial.result.local_mut().counters.push(counter);
        }
    }
    let run = derived(vec![case.clone()]);
    assert_eq!(code(&run, 0), "one-core-full");
    let second = gain(&run, 0, GainFix::More);
    assert_eq!((second.from, second.to), (Some(1.0), Some(2.0)));
    assert!((second.predicted - 1.9).abs() < 1e-9, "{second:?}");
    assert_eq!(second.bound.as_ref().unwrap().kind, GainCeiling::Processors);
    assert_eq!(second.tried, None);
    assert_eq!(gain(&run, 0, GainFix::Processor).predicted, 2.0);
    // The relief of a proof is what was tried.
    let parameter = second.parameter;
    let effect = ProofEffect {
        step: ProofStep::Relief,
        resource: None,
        machine: None,
        setting: None,
        parameter,
        from: Some(1.0),
        to: Some(2.0),
        taken: None,
        idle: None,
        in_proportion: None,
        effect: 0.7,
        low: 0.6,
        high: 0.8,
        trials: 5,
    };
    let mut again = run;
    again.cases[0].proof = Some(Proof { outcome: ProofOutcome::Proved, why: None, effects: vec![effect] });
    let gains = crate::gains(&again);
    let tried = gains[0].iter().find_map(|gain| gain.tried.clone()).unwrap();
    assert!((tried.times - 1.7).abs() < 1e-9 && (tried.low.unwrap() - 1.6).abs() < 1e-9, "{tried:?}");
}

#[test]
fn a_window_gains_twice_until_the_link_is_full() {
    let verdict = Finding::new(FindingKind::Bottleneck, "window-bound", model::Severity::Note);
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    case.findings = vec![verdict.arg("window", 65536.0)];
    case.utilization = vec![used("nic:eth0", LimitKind::Link, 0.6)];
    let mut run = derived(vec![case.clone()]);
    run.cases = vec![case];
    let gains = crate::gains(&run);
    let window = &gains[0][0];
    assert_eq!((window.fix, window.law), (GainFix::Window, GainLaw::Utilization));
    assert_eq!((window.from, window.to), (Some(65536.0), Some(131_072.0)));
    assert!((window.predicted - 1.0 / 0.6).abs() < 1e-9, "{window:?}");
    // What is known wrongly bounds nothing.
    run.cases[0].utilization = vec![used("nic:eth0", LimitKind::Link, 1.3)];
    let window = &crate::gains(&run)[0][0];
    assert_eq!((window.law, window.predicted), (GainLaw::Window, 2.0));
}

#[test]
fn threads_that_follow_amdahl_are_predicted_by_it() {
    let threads = |threads: u64, rate: f64| {
        let mut case = computing(1, rate, 100.0, 1e6 * threads as f64 / rate);
        fixture::set(&mut case, "threads", threads);
        case
    };
    // A fifth is serial: 2 threads give 1 / (0.2 + 0.4), 4 give 1 / (0.2 + 0.2).
    let cases = vec![threads(1, 10_000.0), threads(2, 16_666.7)];
    let mut run = derived(cases);
    run.machines[0].inventory.cpu.allowed = (0..8).collect();
    run.machines[0].inventory.cpu.online = (0..8).collect();
    crate::derive(&mut run);
    let more = gain(&run, 1, GainFix::More);
    assert_eq!((more.law, more.from, more.to), (GainLaw::Amdahl, Some(2.0), Some(4.0)));
    assert!((more.predicted - 1.5).abs() < 1e-3, "{more:?}");
    // Of one thread alone nothing of the kind is known.
    let more = gain(&run, 0, GainFix::More);
    assert_eq!((more.law, more.predicted), (GainLaw::Utilization, 2.0));
}

#[test]
fn what_a_search_tried_stands_beside_the_prediction() {
    let parameter = ParameterName::new("queue-depth");
    let growth = vec![
        Doubling { from: 32, to: 64, gain: 0.01, high: Some(0.02) },
        Doubling { from: 32, to: 128, gain: 0.0, high: Some(0.02) },
    ];
    let search = LevelSearch { parameter, best: 32, knee: 32, ended: SearchEnd::Flat, growth };
    let searched = CaseResult { search: Some(search), ..disk(32, 100_000.0, 320.0, 2.0) };
    let level = CaseResult { role: CaseRole::Level { of: 0 }, ..disk(64, 101_000.0, 640.0, 2.0) };
    let run = derived(vec![searched, level]);
    assert_eq!(code(&run, 0), "device-full");
    let deeper = gain(&run, 0, GainFix::More);
    let tried = deeper.tried.as_ref().unwrap();
    assert_eq!((deeper.to, deeper.predicted), (Some(64.0), 1.0));
    assert!((tried.times - 1.01).abs() < 1e-6, "{tried:?}");
}

#[test]
fn of_what_is_not_known_nothing_is_predicted() {
    // The verdict is unknown.
    let run = derived(vec![disk(4, 10_000.0, 400.0, 2.0)]);
    assert_eq!(code(&run, 0), "cannot-tell");
    assert_eq!(run.cases[0].gains, []);
    // A core that waits for memory may gain nothing from a faster one.
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "memory.bandwidth");
    let verdict = Finding::new(FindingKind::Bottleneck, "all-cores-full", model::Severity::Note);
    case.findings = vec![verdict];
    let mut run = derived(vec![case.clone()]);
    run.cases = vec![case];
    assert_eq!(crate::gains(&run), [vec![]]);
}

/// Bug: of streams whose packets one CPU takes, more streams were told to bring more.
#[test]
fn streams_that_share_a_full_core_gain_nothing_from_more() {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    fixture::set(&mut case, "direction", "send");
    fixture::set(&mut case, "streams", 4u64);
    let held =
        |by: &str| Finding::new(FindingKind::Bottleneck, "receiver-cpu", model::Severity::Note).arg("by", by);
    assert!(share_a_core(&case, &held("core")));
    assert!(!share_a_core(&case, &held("threads")));
    fixture::set(&mut case, "streams", 1u64);
    assert!(!share_a_core(&case, &held("core")), "another may come to another CPU");
}
