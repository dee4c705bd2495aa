//! What runs that are made here tell of limits.

use model::machine::BlockDevice;
use model::resource::PathStep;
use model::run::{Estimate, Loads};
use model::trial::{MachineTrial, TrialResult};
use model::{Better, LoadProfile, Unit};
use study::imported::{WatchedRun, of_watched};
use study::run::Invocation;

use super::*;

fn machine() -> Machine {
    let disk = BlockDevice { name: "sda".to_owned(), bytes: 1 << 40, ..BlockDevice::default() };
    let inventory = Inventory { block: vec![disk], ..Inventory::default() };
    Machine { hostname: "here".to_owned(), inventory, ..Machine::default() }
}

fn run(id: &str, cases: Vec<CaseResult>) -> Run {
    let watched = WatchedRun {
        machine: machine(),
        cases: Vec::new(),
        started: String::new(),
        finished: String::new(),
        name: String::new(),
    };
    let by = Invocation { command: Vec::new(), version: "1".to_owned(), build: "test".to_owned() };
    let started = "2026-11-01T08:00:00Z".to_owned();
    Run { id: id.to_owned(), started, cases, ..of_watched(watched, &by) }
}

/// A case on the disk that was flushed so often in 10 s.
fn synced(durability: Durability, flushes: u64) -> CaseResult {
    let block = Resource::of(ResourceKind::Block, "sda");
    let counter = Counter {
        resource: block.clone(),
        source: "/proc/diskstats flushes".to_owned(),
        before: 100,
        after: 100 + flushes,
        before_ns: 0,
        after_ns: 10_000_000_000,
        unit: None,
        scale: None,
    };
    let machine = MachineTrial { counters: vec![counter], ..MachineTrial::of(LOCAL) };
    let trial = Trial {
        order: 0,
        block: 0,
        started: String::new(),
        status: model::Status::Ok,
        reason: None,
        result: TrialResult { machines: vec![machine], ..TrialResult::default() },
    };
    let profile = LoadProfile { durability, targets: 1, ..LoadProfile::default() };
    let main = CaseLoad { profile, ..CaseLoad::default() };
    CaseResult {
        loads: Loads { main, beside: Vec::new() },
        path: vec![PathStep { resource: block, amplification: 1.0 }],
        trials: vec![trial],
        ..CaseResult::default()
    }
}

#[test]
fn the_flushes_of_a_run_that_synced_are_what_the_disk_was_seen_to_do() {
    let mut book = LimitBook::default();
    let newest = [synced(Durability::EachWrite, 4_000), synced(Durability::Syncs, 9_000)];
    book.add_run(&run("b", newest.into()), &machine());
    book.add_run(&run("a", vec![synced(Durability::EachWrite, 50_000)]), &machine());
    let known = &book.flushes["sda"];
    assert_eq!((known.per_s, known.run.as_str()), (900.0, "b"), "the most of the newest run");
    let mut none = LimitBook::default();
    none.add_run(&run("b", vec![synced(Durability::None, 4_000)]), &machine());
    assert!(none.flushes.is_empty());
}

#[test]
fn memory_gives_what_a_run_moved_whose_working_set_no_cache_holds() {
    let case = |span: u64, moved: f64| {
        let profile = LoadProfile {
            waits_for: [WaitsFor::Memory].into(),
            span_bytes: Some(span),
            ..LoadProfile::default()
        };
        let estimate = Estimate {
            n: 1,
            median: moved,
            low: None,
            high: None,
            confidence: None,
            method: None,
            unit: Unit::BytesPerSecond,
            better: Better::Higher,
        };
        let estimates = [(metric::THROUGHPUT_BUS_ESTIMATE, estimate)].into();
        CaseResult {
            loads: Loads { main: CaseLoad { profile, estimates, ..CaseLoad::default() }, beside: Vec::new() },
            ..CaseResult::default()
        }
    };
    let mut book = LimitBook::default();
    let cases = vec![case(1 << 30, 10e9), case(1 << 30, 14e9), case(1 << 20, 90e9)];
    book.add_run(&run("b", cases), &machine());
    assert_eq!(book.memory.as_ref().map(|known| known.per_s), Some(14e9));
}
