//! The search on a server that is simulated: one at a time, each operation takes
//! 1 ms, arrivals at random.

use std::collections::BTreeMap;

use engine::outcome::ClassOutcome;
use engine::queue::Class;
use load::workload::Load;
use model::trial::Timeline;
use model::trial::Window;
use model::{ParameterName, Parameters, WorkloadName, metric};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

const SERVICE_NS: f64 = 1e6;

fn order(latency_target: &str, duration_s: f64) -> LoadSchedule {
    let mut parameters = Parameters::default();
    parameters.set(ParameterName::new("duration"), duration_s);
    parameters.set(ParameterName::new("latency-target"), latency_target);
    Load::named(WorkloadName::new("null"), parameters, 1).unwrap().schedule
}

fn outcome(latency: stats::histogram::Histogram<u64>, operations: f64, window_s: f64) -> SessionOutcome {
    let window = Window { start_ns: 0, end_ns: (window_s * 1e9) as u64 };
    let timeline = Timeline { start_ns: 0, window_ns: 0, interval_ns: 1, end_ns: window.end_ns };
    let load = LoadOutcome {
        operations,
        bytes: 0.0,
        done_bytes: 0.0,
        completions: operations as u64,
        late_starts: 0,
        unfinished: 0,
        by_count: false,
        user_s: 0.0,
        system_s: 0.0,
        waited_s: None,
        latency,
        service: None,
        stages: Vec::new(),
        classes: Vec::new(),
        parts: Vec::new(),
        common: None,
        settled_ns: None,
        span_ns: None,
        operations_per_s: Vec::new(),
        bytes_per_s: Vec::new(),
        latency_over_time: None,
        facts: BTreeMap::new(),
    };
    SessionOutcome { window, timeline, series_start_ns: 0, steady: None, loads: vec![load] }
}

/// What the server does when it is driven so (Lindley's recursion).
fn server(drive: Drive) -> SessionOutcome {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(drive.attempt + 7);
    let mut latency = stats::histogram::new_latency();
    let Some(rate) = drive.rate else {
        let operations = drive.window_s * 1e9 / SERVICE_NS;
        latency.saturating_record_n(SERVICE_NS as u64, operations as u64);
        return outcome(latency, operations, drive.window_s);
    };
    let (mut now_ns, mut wait_ns) = (0.0, 0.0f64);
    while now_ns < drive.window_s * 1e9 {
        latency.saturating_record((wait_ns + SERVICE_NS) as u64);
        let word = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let gap_ns = -word.ln() * 1e9 / rate;
        now_ns += gap_ns;
        wait_ns = (wait_ns + SERVICE_NS - gap_ns).max(0.0);
    }
    let operations = latency.len() as f64;
    outcome(latency, operations, drive.window_s)
}

#[test]
fn the_rate_of_a_server_that_is_known_is_found_and_said() {
    // 400 s, so that chance is small. By Crommelin's formula (see
    // `engine::search`) 99 % wait at most 4 ms up to 561 a second.
    let mut windows = Vec::new();
    let held = search(&order("5ms@99%", 400.0), &mut |drive| {
        windows.push(drive.window_s);
        Ok(server(drive))
    });
    let mut held = held.unwrap().unwrap();
    assert!(held.holds(&server(held.drive())).unwrap());
    assert!((held.rate / 561.0 - 1.0).abs() < 0.04, "{}", held.rate);
    assert!(windows.iter().all(|window| (100.0..=400.0).contains(window)), "{windows:?}");

    let mut result = TrialResult::default();
    held.tell(&mut result);
    assert_eq!(
        result.main().metrics[&metric::RATE_HELD],
        Quantity { value: held.rate, unit: Unit::PerSecond }
    );
    assert_eq!(result.main().facts[&fact::CLOSED_LOOP_RATE], Value::Number(1000.0));
    let count = |name| match &result.main().facts[&name] {
        Value::List(all) => all.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((count(fact::RATES_TRIED), count(fact::SHARES_KEPT)), (windows.len(), windows.len()));
}

#[test]
fn a_load_without_a_target_is_not_searched() {
    let mut order = order("5ms@99%", 1.0);
    order.latency_target = None;
    let held = search(&order, &mut |_| panic!("it was probed"));
    assert!(held.unwrap().is_none());
}

#[test]
fn what_never_holds_has_no_rate_and_a_reason() {
    let reason = |target: &str, duration_s: f64| {
        search(&order(target, duration_s), &mut |drive| Ok(server(drive))).unwrap_err().to_string()
    };
    // Shorter than the service itself.
    let never = reason("500us@99%", 10.0);
    assert!(never.contains("no rate kept 99 % of the operations within 0.5 ms: at 125 /s"), "{never}");
    assert!(never.contains("0 % did"), "{never}");
    // 99.9 % needs 12,500 operations, and the server does 1,000 in that time.
    let short = reason("5ms@99.9%", 1.0);
    assert!(short.contains("takes 12.5 k/s in a window of 1 s"), "{short}");
    assert!(short.contains("a closed loop reached 1 k/s"), "{short}");
}

#[test]
fn a_rate_that_held_by_luck_is_lowered_in_the_window_that_counts() {
    // Probes see a server that is twice as fast.
    let lucky = |drive: Drive| server(Drive { rate: drive.rate.map(|rate| rate / 1.2), ..drive });
    let mut held = search(&order("5ms@99%", 100.0), &mut |drive| Ok(lucky(drive))).unwrap().unwrap();
    let first = held.rate;
    let mut windows = 1;
    while !held.holds(&server(held.drive())).unwrap() {
        windows += 1;
    }
    assert!(windows > 1 && held.rate < first, "{} after {windows}, {first} at first", held.rate);
    assert!((held.rate * 1.05f64.powi(windows - 1) / first - 1.0).abs() < 1e-9);
    // A server that stopped altogether.
    let stopped = |drive: Drive| server(Drive { rate: Some(5000.0), ..drive });
    let given_up = loop {
        match held.holds(&stopped(held.drive())) {
            Ok(holds) => assert!(!holds),
            Err(reason) => break reason.to_string(),
        }
    };
    let why = "no rate kept 99 % of the operations within 5 ms in a whole window of 100 s, though higher ones did in shorter probes";
    assert!(given_up.contains(why), "{given_up}");
}

/// A server that refuses at once what it cannot do is fast with what is left.
#[test]
fn regression_operations_that_fail_keep_to_no_latency() {
    let target = order("5ms@99%", 1.0).latency_target.unwrap();
    let class = |name, fails: bool, latency: &stats::histogram::Histogram<u64>| ClassOutcome {
        class: Class { name, counts: !fails, fails },
        operations: latency.len() as f64,
        bytes: 0.0,
        latency: latency.clone(),
    };
    let probe = |well: u64, failed: u64| {
        let [mut latency, mut of_failed] = [(); 2].map(|()| stats::histogram::new_latency());
        latency.saturating_record_n(SERVICE_NS as u64, well);
        of_failed.saturating_record_n(1000, failed);
        let mut outcome = outcome(latency.clone(), well as f64, 1.0);
        outcome.loads[0].classes = vec![class("answer", false, &latency), class("error", true, &of_failed)];
        judge(target, 100.0, of_main(&outcome).unwrap())
    };
    assert_eq!((probe(10_000, 0).kept, probe(10_000, 0).holds), (1.0, true));
    assert_eq!((probe(5000, 5000).kept, probe(5000, 5000).holds), (0.5, false));
    assert!(probe(9990, 10).holds && !probe(9800, 200).holds);
    assert_eq!((probe(0, 10_000).kept, probe(0, 10_000).holds), (0.0, false));
    // An open loop that answers nothing but errors has no rate.
    let refuses = search(&order("5ms@99%", 100.0), &mut |drive| {
        let mut outcome = server(drive);
        let latency = outcome.loads[0].latency.clone();
        outcome.loads[0].classes = vec![class("error", true, &latency)];
        Ok(outcome)
    });
    assert!(refuses.unwrap_err().to_string().contains("50 % did"));
}

#[test]
fn a_probe_that_fails_ends_the_search() {
    let failed = search(&order("5ms@99%", 1.0), &mut |_| Err(Fault::Cancelled));
    assert!(matches!(failed, Err(Fault::Cancelled)));
}
