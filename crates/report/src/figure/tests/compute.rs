//! Charts of what processors, memory and the scheduler do.

use model::run::CaseResult;
use model::{ParameterName, Unit, Value, WorkloadName, metric};

use super::fixture::{case, charts, kinds, run};
use super::{english, with};
use crate::figure::Figure;

fn loaded(share: f64, latency: f64, drawn: Option<f64>) -> CaseResult {
    let case = case(
        WorkloadName::new("memory.loaded"),
        &[("share", share.into())],
        (metric::LOAD_LATENCY, Unit::Seconds, latency),
    );
    match drawn {
        Some(drawn) => with(case, metric::THROUGHPUT, Unit::BytesPerSecond, drawn),
        None => case,
    }
}

#[test]
fn a_loaded_latency_is_drawn_against_what_the_others_draw() {
    let cases = vec![
        loaded(1.0, 400e-9, Some(20e9)),
        loaded(0.0, 90e-9, None),
        loaded(0.5, 110e-9, Some(11e9)),
        loaded(0.75, 180e-9, Some(17e9)),
    ];
    let figures = charts(&run(cases));
    let figure = figures.iter().find(|f| f.kind == "loaded").unwrap();
    assert!(figure.title.to_lowercase().contains("latency against throughput"), "{}", figure.title);
    let rows = figure.plot.table(english()).rows;
    let points: Vec<&str> = rows.iter().map(|r| r[0].as_str()).collect();
    assert_eq!(points, ["0 %", "50 %", "75 %", "100 %"]);
    assert!(rows[0][1].starts_with('0') && rows[3][2].starts_with("400 ns"), "{rows:?}");
    // Nothing else has a share that others draw.
    assert!(
        !kinds(&charts(&run(vec![loaded(0.0, 90e-9, None), loaded(1.0, 4e-7, None)]))).contains(&"loaded")
    );
}

fn handoff(by: &str, from: u64, to: u64, seconds: f64) -> CaseResult {
    let parameters = [("by", Value::from(by)), ("from", from.into()), ("to", to.into())];
    case(WorkloadName::new("scheduler.handoff"), &parameters, (metric::WAKEUP_P50, Unit::Seconds, seconds))
}

fn pairs(by: &str, cpus: u64) -> Vec<CaseResult> {
    let all = (0..cpus).flat_map(|from| (0..cpus).map(move |to| (from, to)));
    all.map(|(a, b)| handoff(by, a, b, if a == b { 1e-6 } else { 4e-6 })).collect()
}

#[test]
fn hand_offs_are_a_matrix_for_each_way() {
    for cpus in [2u64, 4] {
        let both: Vec<CaseResult> = [pairs("futex", cpus), pairs("pipe", cpus)].concat();
        let figures = charts(&run(both));
        let of_kind = kinds(&figures).iter().filter(|k| **k == "matrix").count();
        assert_eq!(of_kind, 2, "{:?}", kinds(&figures));
        // CPUs are names: nothing grows from CPU 0 to CPU 3.
        assert!(
            !kinds(&figures).iter().any(|k| ["lines", "bars", "heat"].contains(k)),
            "{:?}",
            kinds(&figures)
        );
        let figure = figures.iter().find(|f| f.kind == "matrix").unwrap();
        assert!(figure.title.starts_with("From each CPU to each: "), "{}", figure.title);
        let table = figure.plot.table(english());
        assert_eq!(table.rows.len(), cpus as usize, "{table:?}");
        let said = figure.notes.join(" ");
        assert!(said.starts_with("On the same CPU 1.000 us, to another 4.000 us"), "{said}");
    }
}

#[test]
fn times_far_apart_are_bars_by_their_logarithm() {
    let call = |name: &str, seconds: f64| {
        case(
            WorkloadName::new("scheduler.syscall"),
            &[("call", name.into())],
            (metric::CALL_TIME, Unit::Seconds, seconds),
        )
    };
    let far = charts(&run(vec![call("getppid", 60e-9), call("fork", 90e-6), call("stat", 400e-9)]));
    assert_eq!(far[0].kind, "bars");
    let drawn = |figure: &crate::figure::Figure| figure.plot.draw(english(), 760.0).elements;
    assert!(drawn(&far[0]).contains("logarithmic"));
    let near = charts(&run(vec![call("getppid", 60e-9), call("stat", 400e-9)]));
    assert!(!drawn(&near[0]).contains("logarithmic"));
}

/// A load over working sets that double from 16 KiB, of a processor that gives
/// `rungs`: up to so many bytes this long.
fn chased(rungs: &[(u64, f64)], parameters: &[(&str, Value)]) -> Vec<CaseResult> {
    let one = |at: u32| {
        let size = (16u64 << 10) << at;
        let last = rungs.last().map_or(0.0, |r| r.1);
        let time = rungs.iter().find(|(bytes, _)| size <= *bytes).map_or(last, |r| r.1);
        let own = [[("size", Value::from(size))].as_slice(), parameters].concat();
        case(WorkloadName::new("memory.latency"), &own, (metric::LOAD_LATENCY, Unit::Seconds, time))
    };
    (0..16).map(one).collect()
}

/// With the caches of a guest: what it claims.
fn with_caches(cases: Vec<CaseResult>) -> model::Run {
    let mut run = run(cases);
    let cache = |level, bytes, shared_by: &[u32]| model::machine::Cache {
        level,
        bytes,
        shared_by: shared_by.to_vec(),
    };
    run.machines[0].inventory.cpu.caches =
        vec![cache(1, 48 << 10, &[0]), cache(2, 2 << 20, &[0]), cache(3, 260 << 20, &[0, 1, 2, 3])];
    run
}

#[test]
fn a_memory_mountain_names_the_caches_that_are_where_they_claim_to_be() {
    let rungs = [(48 << 10, 1.5e-9), (2 << 20, 4e-9), (32 << 20, 30e-9), (u64::MAX, 120e-9)];
    let run = with_caches(chased(&rungs, &[]));
    let figures = charts(&run);
    assert_eq!(figures[0].kind, "lines");
    let told = figures[0].plot.describe(english());
    for part in [
        "Marked: 32 KiB to 64 KiB: L1 ends.",
        "Marked: 2 MiB to 4 MiB: L2 ends.",
        "Marked: 32 MiB to 64 MiB: L3 ends, though it claims 260 MiB.",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let remarks = |run: &model::Run| {
        super::fixture::seen(run, |view| {
            crate::page::notes::of(view, &run.cases.iter().collect::<Vec<_>>(), &|c| c.label.to_string())
        })
    };
    let said = remarks(&run);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[0].contains("1.500 ns before it, 4.000 ns from 64 KiB") && said[0].contains("it is L1"),
        "{said:?}"
    );
    assert!(said[2].contains("by its place it is L3, though the machine claims 260 MiB"), "{said:?}");
    // Two threads share the third level: half of it is each thread's.
    let shared = with_caches(chased(&rungs, &[("threads", 2u64.into())]));
    assert!(remarks(&shared)[2].contains("claims 130 MiB"), "{:?}", remarks(&shared));
}

/// What a whole compute study has.
fn study() -> model::Run {
    let rungs = [(48 << 10, 1.5e-9), (2 << 20, 4e-9), (32 << 20, 30e-9), (u64::MAX, 120e-9)];
    let mut cases = chased(&rungs, &[]);
    for (call, time) in [("getppid", 60e-9), ("fork", 90e-6)] {
        cases.push(case(
            WorkloadName::new("scheduler.syscall"),
            &[("call", call.into())],
            (metric::CALL_TIME, Unit::Seconds, time),
        ));
    }
    cases.extend(pairs("futex", 2));
    cases.push(with(super::disk("randread", 4096, 1, 1e4), metric::LATENCY_P50, Unit::Seconds, 100e-6));
    cases.push(with(super::disk("randread", 4096, 8, 4e4), metric::LATENCY_P50, Unit::Seconds, 200e-6));
    let float = |kind: &str, vectors: &str, threads: u64, flops: f64| {
        let parameters = [("type", kind.into()), ("vectors", vectors.into()), ("threads", threads.into())];
        case(WorkloadName::new("cpu.float"), &parameters, (metric::FLOPS, Unit::PerSecond, flops))
    };
    cases.push(float("double", "avx2", 1, 60e9));
    cases.push(float("double", "scalar", 1, 8e9));
    cases.push(float("single", "avx2", 1, 120e9));
    cases.push(float("double", "avx2", 4, 240e9));
    for (size, rate) in [(24u64 << 10, 200e9), (1 << 20, 80e9), (100 << 20, 40e9), (1 << 30, 12e9)] {
        let parameters = [("operation", "read".into()), ("size", size.into()), ("threads", 1u64.into())];
        cases.push(case(
            WorkloadName::new("memory.bandwidth"),
            &parameters,
            (metric::THROUGHPUT, Unit::BytesPerSecond, rate),
        ));
    }
    with_caches(cases)
}

fn of_run(run: &model::Run) -> Vec<crate::figure::Figure> {
    super::fixture::seen(run, crate::figure::overview::figures)
}

#[test]
fn the_ladder_has_a_rung_for_all_that_is_known() {
    let figures = of_run(&study());
    assert_eq!(kinds(&figures), ["ladder", "roofline"]);
    let rows = figures[0].plot.table(english()).rows;
    let rungs: Vec<(&str, &str)> = rows.iter().map(|r| (r[0].as_str(), r[1].as_str())).collect();
    let expected = [
        ("a load from L1 (32 KiB)", "1.5 ns"),
        ("a load from L2 (2 MiB)", "4 ns"),
        ("a load from L3 (32 MiB)", "30 ns"),
        ("getppid()", "60 ns"),
        ("a load from memory (512 MiB)", "120 ns"),
        ("waking a thread by futex", "4 us"),
        ("fork()", "90 us"),
        ("disk, random read", "100 us"),
    ];
    assert_eq!(rungs, expected);
    let said = figures[0].notes.join(" ");
    assert!(
        said.contains("From a load from L1 (32 KiB) to disk, random read it is 67\u{202f}000 times"),
        "{said}"
    );
    // One workload alone has its own chart.
    let mut one = study();
    one.cases.retain(|c| c.loads.main.workload == WorkloadName::new("memory.latency"));
    assert!(of_run(&one).is_empty());
}

#[test]
fn the_roofline_is_of_the_same_threads_on_both_sides() {
    let figures = of_run(&study());
    let rows = figures[1].plot.table(english()).rows;
    let names: Vec<&str> = rows.iter().map(|r| r[0].as_str()).collect();
    // Four threads have no bandwidth beside them; single precision is another peak.
    assert_eq!(names, ["AVX2", "scalar", "L1", "L2", "memory or a shared cache", "memory"]);
    assert!(rows[0][1].starts_with("60 G") && rows[5][2] == "5", "{rows:?}");
    let said = figures[1].notes.join(" ");
    assert!(said.contains("less than 5 operations with each byte from memory"), "{said}");
    assert!(said.contains("double precision with as many threads (1)") && said.contains("of read"), "{said}");
    let mut other = study();
    other.cases.retain(|c| {
        c.loads.main.workload != WorkloadName::new("memory.bandwidth")
            || c.loads.main.parameters.get(ParameterName::new("size")).is_none()
    });
    assert!(!kinds(&of_run(&other)).contains(&"roofline"));
}

/// A sweep of message sizes over a path of 50 us and 1 GB/s.
fn messages(peer: &str, latency: f64) -> Vec<CaseResult> {
    let one = |at: u32| {
        let size = 1u64 << at;
        let time = latency + size as f64 / 1e9;
        let parameters = [("peer", Value::from(peer)), ("message-size", size.into())];
        let case = case(
            WorkloadName::new("net.pingpong"),
            &parameters,
            (metric::HALF_ROUND_TRIP, Unit::Seconds, time),
        );
        with(case, metric::THROUGHPUT, Unit::BytesPerSecond, size as f64 / time)
    };
    (0..=23).map(one).collect()
}

#[test]
fn message_sizes_give_the_three_plots_of_netpipe_for_every_path() {
    let cases = [messages("10.0.0.2:7117", 50e-6), messages("10.0.1.2:7117", 200e-6)].concat();
    let figures = charts(&run(cases));
    let all = kinds(&figures);
    for kind in ["lines", "saturation", "signature"] {
        assert!(all.contains(&kind), "{all:?}");
    }
    let of = |kind: &str| figures.iter().find(|f| f.kind == kind).unwrap();
    let said = of("saturation").notes.join(" ");
    // Half of the rate lies at latency times rate.
    assert!(said.contains("reached at 49.") && said.contains("reached at 191."), "{said}");
    assert_eq!(said.matches("Saturation point").count(), 2, "{said}");
    let told = of("saturation").plot.describe(english());
    assert_eq!(told.matches("Marked: ").count(), 2, "{told}");
    assert_eq!(of("signature").plot.table(english()).rows.len(), 48);
}

#[test]
fn the_greatest_throughput_is_what_was_measured_and_not_that_of_the_median() {
    let mut cases = messages("10.0.0.2:7117", 50e-6);
    let first = charts(&run(cases.clone()));
    // A few messages waited so long that the mean is twice the median.
    for case in &mut cases {
        let rate = case.loads.main.estimates.get_mut(&metric::THROUGHPUT).unwrap();
        rate.median /= 2.0;
    }
    let of = |figures: &[Figure]| -> String {
        figures.iter().find(|f| f.kind == "saturation").unwrap().notes.join(" ")
    };
    let (first, second) = (of(&first), of(&charts(&run(cases))));
    assert!(first.contains("The greatest is 7.953 Gbit/s"), "{first}");
    assert!(second.contains("The greatest is 3.976 Gbit/s"), "{second}");
}
