//! Charts of what only disks have: rounds, caches, targets, reads beside writes,
//! and what was durable.

use std::collections::BTreeMap;

use model::machine::{BlockDevice, BlockKind};
use model::resource::PathStep;
use model::run::{CaseResult, Rounds, TargetResult};
use model::trial::TargetTrial;
use model::{
    FactName, Machine, MetricName, ParameterName, Resource, ResourceKind, Unit, Value, WorkloadName, fact,
    metric,
};
use stats::histogram::{encode, new_latency};

use super::english;
use super::fixture::{case, charts, disk, kinds, more, run, sampled, seen, series, timed, with};
use crate::figure::{Figure, mountain};

const MIB: u64 = 1 << 20;

fn of_kind<'a>(figures: &'a [Figure], kind: &str) -> &'a Figure {
    figures.iter().find(|f| f.kind == kind).unwrap_or_else(|| panic!("{kind} in {:?}", kinds(figures)))
}

pub(in crate::figure) fn rounds(values: &[f64], steady: bool) -> Rounds {
    let judged = stats::steady::snia(values);
    Rounds {
        metric: metric::IOPS,
        unit: Unit::PerSecond,
        values: values.to_vec(),
        failed: None,
        round_s: 60.0,
        window: 5,
        steady,
        range: judged.map(|j| j.range_fraction),
        slope: judged.map(|j| j.slope_fraction),
        most: 25,
        written: (512_000_000_000, 1_200_000_000_000),
    }
}

/// What remarks say of these cases.
fn remarks(cases: Vec<CaseResult>, machine: Machine) -> Vec<String> {
    let mut run = run(cases);
    run.machines = vec![machine];
    let all: Vec<&CaseResult> = run.cases.iter().collect();
    seen(&run, |view| crate::page::notes::of(view, &all, &|c| c.label.to_string()))
}

#[test]
fn rounds_stand_first_with_what_came_of_them() {
    let mut steady = disk("randwrite", 4096, 32, 31e3);
    steady.rounds = Some(rounds(&[90e3, 60e3, 32e3, 31e3, 31.5e3, 31e3, 30.9e3], true));
    let mut never = disk("randwrite", 65536, 32, 4e3);
    never.rounds = Some(rounds(&[9e3, 4e3, 8e3, 3e3, 7e3], false));
    let run = run(vec![steady.clone(), never.clone()]);
    let figures = charts(&run);
    assert_eq!(figures[0].title, "IOPS round by round, until it is steady");
    let told = figures[0].plot.describe(english());
    assert!(told.contains("4 KiB: From 90 k in the first to 30.9 k in the last of 7 rounds"), "{told}");
    assert!(told.contains("never steady in 5 rounds: range 97 %"), "{told}");
    assert_eq!(figures[0].plot.table(english()).rows.len(), 7);
    let said = remarks(vec![steady.clone(), never], Machine::default());
    assert!(
        said[0].contains("steady after 7 rounds: range 4 %, slope 3 %; a round was 60 s; 512 GB"),
        "{said:?}"
    );
    assert!(said[1].contains("never steady in 5 rounds"), "{said:?}");
    // Of a round that failed the reason is told, of too few that they are.
    steady.rounds = Some(Rounds { failed: Some("no space left".to_owned()), ..rounds(&[9e3; 2], false) });
    assert!(
        remarks(vec![steady.clone()], Machine::default())[0].starts_with("round 3 failed: no space left")
    );
    steady.rounds = Some(rounds(&[9e3; 2], false));
    assert!(remarks(vec![steady], Machine::default())[0].starts_with("2 rounds are too few to judge"));
}

/// A case of writes with these facts in each trial.
fn written(facts: &[(&str, Value)], parameters: &[(&str, Value)]) -> CaseResult {
    let mut case = disk("write", 4096, 1, 2000.0);
    for (name, value) in parameters {
        case.loads.main.parameters.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    for trial in &mut case.trials {
        trial
            .result
            .main_mut()
            .facts
            .extend(facts.iter().map(|(name, value)| (FactName::intern(name).unwrap(), value.clone())));
    }
    case
}

#[test]
fn what_was_read_back_is_told_and_not_where_a_trial_failed() {
    let read_back = |how: &str| {
        written(&[("verified_blocks", Value::Integer(32)), ("verified_by_reading", how.into())], &[])
    };
    // Older documents have a sentence in place of the word.
    for how in [fact::DEVICE, "around the page cache"] {
        let said = remarks(vec![read_back(how)], Machine::default());
        let expected =
            "160 blocks were read back around the page cache, in 5 trials together; none was wrong.";
        assert_eq!(said, [expected]);
    }
    for how in [fact::PAGE_CACHE, "through the page cache, dropped before"] {
        let mut cached = read_back(how);
        cached.trials.truncate(1);
        let expected =
            "32 blocks were read back through the page cache, which was dropped before; none was wrong.";
        assert_eq!(remarks(vec![cached], Machine::default()), [expected]);
    }
    let mut case = read_back(fact::DEVICE);
    case.trials[0].status = model::Status::Failed;
    assert!(remarks(vec![case], Machine::default()).is_empty());
}

#[test]
fn what_fitted_is_told() {
    let ended = |how: &str| {
        let mut case = written(&[("ended", how.into())], &[("until", "full".into())]);
        case = with(case, metric::ELAPSED, Unit::Seconds, 10.0);
        for trial in &mut case.trials {
            for (name, value) in [(metric::THROUGHPUT, 1e6), (metric::ELAPSED, 10.0)] {
                trial.result.main_mut().metrics.get_mut(&name).unwrap().value = value;
            }
        }
        remarks(vec![case], Machine::default())
    };
    assert_eq!(ended("no space left"), ["10 MB fitted until no space was left."]);
    assert_eq!(ended("full"), ["10 MB fitted until no space was left."]);
    for size in ["size", "its size"] {
        assert!(ended(size)[0].contains("10 MB were written until the size was reached"));
    }
}

#[test]
fn a_commit_is_the_writes_and_the_sync() {
    let synced = |threads: u64, depth: u64, rate: f64| {
        let parameters = [("threads", threads.into()), ("queue-depth", depth.into())];
        let case = with(written(&[], &parameters), MetricName::new("write_latency_p99"), Unit::Seconds, 1e-3);
        remarks(vec![with(case, metric::SYNCS_PER_SECOND, Unit::PerSecond, rate)], Machine::default())
    };
    let told =
        "a commit, one write and the sync, takes 2.000 ms on average; the latency is that of a write alone.";
    assert_eq!(synced(4, 1, 2000.0), [told]);
    assert!(synced(1, 1, 500.0)[0].starts_with("a commit, 4 writes and the sync, takes 2.000 ms"));
    assert!(synced(1, 8, 500.0).is_empty());
    let mut open =
        with(written(&[], &[("rate", 100u64.into())]), metric::SYNCS_PER_SECOND, Unit::PerSecond, 100.0);
    assert!(remarks(vec![open.clone()], Machine::default()).is_empty());
    open = written(&[], &[("pattern", "randrw".into())]);
    assert!(
        remarks(vec![with(open, metric::SYNCS_PER_SECOND, Unit::PerSecond, 9.0)], Machine::default())
            .is_empty()
    );
}

/// A sweep of the span on a disk with a cache of `cache` that is ten times as fast.
fn spans(cache: u64, direct: bool) -> Vec<CaseResult> {
    let at = |shift: u32| {
        let span = MIB << shift;
        let hit = (cache as f64 / span as f64).min(1.0);
        let rate = 10e3 / (hit / 10.0 + 1.0 - hit);
        let parameters = [
            ("pattern", "randread".into()),
            ("span", Value::from(span)),
            ("direct", direct.into()),
            ("block-size", 4096u64.into()),
        ];
        let mut case = case(WorkloadName::new("disk"), &parameters, (metric::IOPS, Unit::PerSecond, rate));
        case.path = vec![PathStep { resource: Resource::of(ResourceKind::Block, "sda"), amplification: 1.0 }];
        case
    };
    (0..13).map(at).collect()
}

fn machine(drive: Option<u64>, guest: bool) -> Machine {
    let mut machine = Machine::default();
    machine.inventory.memory.available_bytes = 100 * MIB;
    machine.inventory.system.virtualization = guest.then(|| "kvm".to_owned());
    machine.inventory.block.push(BlockDevice {
        name: "sda".to_owned(),
        kind: BlockKind::Disk,
        cache_bytes: drive,
        ..BlockDevice::default()
    });
    machine
}

#[test]
fn a_cache_is_named_where_it_is_known_whose_it_is() {
    let said = |direct, machine| {
        let said = remarks(spans(64 * MIB, direct), machine);
        assert_eq!(said.len(), 1, "{said:?}");
        said[0].clone()
    };
    let page = said(false, machine(None, true));
    let ends =
        "A cache ends between 64 MiB and 128 MiB touched: IOPS 100.0 k before it, 10.57 k from 512 MiB on";
    assert!(
        page.starts_with(ends) && page.contains("page cache, for which 100 MiB of memory were free"),
        "{page}"
    );
    let drive = said(true, machine(Some(128 * MIB), false));
    assert!(drive.contains("disk sda has 128 MiB of memory, by its datasheet"), "{drive}");
    // The drive's memory is far larger, or nobody knows it.
    for drive in [Some(4 * 1024 * MIB), None] {
        let unknown = said(true, machine(drive, false));
        assert!(unknown.ends_with("is not known: the drive's or a controller's."), "{unknown}");
    }
    assert!(said(true, machine(None, true)).ends_with("the drive's, a controller's or the hypervisor's."));
    // Around the page cache it is not the page cache, however well it would fit.
    assert!(!said(true, machine(None, true)).contains("page cache"));
}

#[test]
fn a_mountain_has_its_plateaus_and_edges_drawn() {
    let mut run = run(spans(64 * MIB, true));
    run.machines = vec![machine(None, true)];
    let figures = charts(&run);
    assert_eq!(figures[0].title, "IOPS over span");
    let told = figures[0].plot.describe(english());
    assert!(told.ends_with("Marked: 64 MiB to 128 MiB: a cache ends."), "{told}");
    let drawing = figures[0].plot.draw(english(), 760.0).elements;
    // Two plateaus, one edge.
    assert_eq!((drawing.matches("class=\"h2\"").count(), drawing.matches("class=\"v\"").count()), (2, 1));
    // Two sizes of operations have the same cache.
    let mut both = spans(64 * MIB, true);
    for mut case in both.clone() {
        case.loads.main.parameters.set(ParameterName::new("block-size"), 65536u64);
        more(&mut case, " block-size=64KiB");
        both.push(case);
    }
    let said = remarks(both, machine(None, true));
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn without_an_edge_that_is_said_and_of_other_factors_nothing() {
    let said = remarks(spans(1 << 40, true), machine(None, true));
    assert_eq!(said, ["No cache ends between 1 MiB and 4 GiB touched: IOPS stays the same."]);
    let depths = [1u64, 2, 4, 8, 16, 32].map(|d| disk("randread", 4096, d, 1e4));
    assert!(remarks(depths.to_vec(), machine(None, true)).is_empty());
    // What gets faster the more is touched is no cache.
    let mut odd = spans(64 * MIB, true);
    for case in &mut odd {
        let estimate = case.loads.main.estimates.get_mut(&metric::IOPS).unwrap();
        estimate.median = 1e9 / estimate.median;
        (estimate.low, estimate.high) = (None, None);
    }
    assert!(remarks(odd, machine(None, true)).is_empty());
    assert_eq!(mountain::part(64 * MIB), Value::Text("64 MiB".to_owned()));
}

#[test]
fn regression_a_rate_that_fell_to_a_half_was_said_to_stay_the_same() {
    let values = [1.101e6, 1.150e6, 1.162e6, 1.0e6, 0.87e6, 0.75e6, 0.65e6, 0.56e6, 0.4578e6];
    let curve = |spread: f64, falls: f64| {
        let mut cases = spans(64 * MIB, true);
        cases.truncate(values.len());
        for (case, value) in cases.iter_mut().zip(values) {
            let estimate = case.loads.main.estimates.get_mut(&metric::IOPS).unwrap();
            estimate.median = 1e6 * (value / 1e6f64).powf(falls);
            estimate.low = Some(estimate.median / spread);
            estimate.high = Some(estimate.median * spread);
        }
        remarks(cases, machine(None, true))
    };
    let told = "No clear step where a cache would end: IOPS changes from 1.162 M at 4 MiB touched to 457.8 k at 256 MiB, \
                bit by bit.";
    assert_eq!(curve(1.15, 1.0), [told]);
    // Where the trials do not agree on anything, neither is said.
    assert!(curve(2.0, 1.0).is_empty());
    // Within the noise it stays the same.
    assert!(curve(1.05, 0.05)[0].contains("stays the same"));
    assert!(curve(1.2, 0.18)[0].contains("stays the same"));
}

/// A mix of reads and writes.
fn mixed(share: f64) -> CaseResult {
    let parameters =
        [("pattern", "randrw".into()), ("read-share", share.into()), ("block-size", 4096u64.into())];
    let case = case(WorkloadName::new("disk"), &parameters, (metric::IOPS, Unit::PerSecond, 50e3));
    let case = with(case, metric::THROUGHPUT, Unit::BytesPerSecond, 50e3 * 4096.0);
    let case = with(case, metric::READ_IOPS, Unit::PerSecond, 50e3 * share);
    let case = with(case, metric::WRITE_IOPS, Unit::PerSecond, 50e3 * (1.0 - share));
    let case = with(case, MetricName::new("read_latency_p99"), Unit::Seconds, 1e-3);
    with(case, MetricName::new("write_latency_p99"), Unit::Seconds, 2e-3)
}

#[test]
fn reads_and_writes_stand_side_by_side() {
    let figures = charts(&run(vec![mixed(0.7)]));
    let titles: Vec<&str> = figures.iter().filter(|f| f.kind == "mixed").map(|f| f.title.as_str()).collect();
    assert_eq!(titles, ["Reads and writes: IOPS", "Reads and writes: p99 latency"]);
    let rows = of_kind(&figures, "mixed").plot.table(english()).rows;
    assert_eq!((rows[0][1].as_str(), rows[0][2].as_str()), ("reads", "35 k/s"));
    assert_eq!((rows[1][1].as_str(), rows[1][2].as_str()), ("writes", "15 k/s"));
    // Over an ordered factor they are lines, with what they take below.
    let figures = charts(&run([0.25, 0.5, 0.75].map(mixed).to_vec()));
    let lines = of_kind(&figures, "mixed");
    assert_eq!(lines.title, "Reads and writes: IOPS over share of reads");
    let table = lines.plot.table(english());
    assert_eq!(table.head[1..], ["IOPS, reads", "IOPS, writes", "p99 latency, reads", "p99 latency, writes"]);
    assert!(table.rows[0][1].starts_with("12.5 k/s"), "{table:?}");
    // A load that only reads has no such chart.
    assert!(!kinds(&charts(&run(vec![disk("randread", 4096, 1, 1e4)]))).contains(&"mixed"));
}

#[test]
fn a_sync_is_an_operation_of_its_own() {
    let mut case = disk("write", 4096, 1, 1e3);
    case.loads.main.parameters.set(ParameterName::new("sync"), "fsync");
    for (name, unit, value) in [
        (MetricName::new("write_latency_p99"), Unit::Seconds, 1e-4),
        (MetricName::new("sync_latency_p99"), Unit::Seconds, 9e-3),
        (metric::SYNCS_PER_SECOND, Unit::PerSecond, 500.0),
    ] {
        case = with(case, name, unit, value);
    }
    let figures = charts(&run(vec![case]));
    let rows = of_kind(&figures, "mixed").plot.table(english()).rows;
    assert_eq!((rows[1][1].as_str(), rows[1][2].as_str()), ("syncs", "9 ms"));
}

#[test]
fn what_was_durable_stands_beside_what_returned() {
    let mut case =
        with(disk("write", 1 << 20, 1, 2e3), metric::THROUGHPUT_DURABLE, Unit::BytesPerSecond, 4e8);
    for trial in &mut case.trials {
        trial.result.main_mut().facts.insert(fact::DIRTY_SHARE, Value::Number(0.8));
    }
    let figures = charts(&run(vec![case.clone()]));
    let figure = of_kind(&figures, "durable");
    let rows = figure.plot.table(english()).rows;
    assert_eq!(rows[0][1..3], ["until the last write returned", "2.097 GB/s"]);
    assert_eq!(rows[0].last().unwrap(), "80 % only in memory then");
    assert_eq!(rows[1][1..3], ["until all was on the device", "400 MB/s"]);
    let said = remarks(vec![case.clone()], Machine::default());
    let expected = "2.097 GB/s until the last write returned, when 80 % of the bytes were only in memory; \
                    400.0 MB/s until all was on the device.";
    assert_eq!(said, [expected]);
    for trial in &mut case.trials {
        trial.result.main_mut().facts.clear();
    }
    assert!(!remarks(vec![case], Machine::default())[0].contains('%'));
}

/// With targets that give these bytes a second.
fn on_targets(mut case: CaseResult, rates: &[f64]) -> CaseResult {
    for (i, rate) in rates.iter().enumerate() {
        let one = with(case.clone(), metric::THROUGHPUT, Unit::BytesPerSecond, *rate);
        let target = format!("/dev/sd{}", char::from(b'b' + i as u8));
        case.loads.main.targets.push(TargetResult {
            target,
            estimates: BTreeMap::from([(
                metric::THROUGHPUT,
                one.loads.main.estimates[&metric::THROUGHPUT].clone(),
            )]),
        });
    }
    case
}

#[test]
fn each_of_several_targets_has_a_bar() {
    let rates = [400e6, 380e6, 420e6];
    let case = on_targets(disk("read", 1 << 20, 4, 1150.0), &rates);
    let case = with(case, metric::FIRST_DONE, Unit::Seconds, 12.5);
    let case = with(case, metric::LAST_DONE, Unit::Seconds, 13.5);
    let figures = charts(&run(vec![case.clone()]));
    let figure = of_kind(&figures, "targets");
    assert_eq!(figure.title, "Each target: throughput");
    let rows = figure.plot.table(english()).rows;
    assert_eq!(rows.iter().map(|r| r[0].as_str()).collect::<Vec<_>>(), ["/dev/sdb", "/dev/sdc", "/dev/sdd"]);
    assert_eq!(rows[1][1], "380 MB/s");
    let said = remarks(vec![case], Machine::default());
    let expected = "3 targets together 1.206 GB/s; least /dev/sdc with 380.0 MB/s, most /dev/sdd with 420.0 MB/s. \
                    The first was done after 12.50 s, the last after 13.50 s.";
    assert_eq!(said, [expected]);
    // Two loads on the same targets stand side by side; a single target is no chart.
    let two = ["read", "write"].map(|p| on_targets(disk(p, 1 << 20, 4, 1150.0), &rates));
    let figures = charts(&run(two.to_vec()));
    let rows = of_kind(&figures, "targets").plot.table(english()).rows;
    assert_eq!((rows.len(), rows[1][1].as_str()), (6, "sequential write"));
    let one = on_targets(disk("read", 1 << 20, 4, 400.0), &rates[..1]);
    assert!(!kinds(&charts(&run(vec![one]))).contains(&"targets"));
}

#[test]
fn of_many_cases_the_targets_of_the_telling_one_are_drawn() {
    let cases: Vec<CaseResult> = (0..9)
        .map(|i| {
            on_targets(disk("read", 1 << 20, 1 << i, 100.0 * f64::from(i + 1)), &[1e6 * f64::from(i + 1); 8])
        })
        .collect();
    let figures = charts(&run(cases));
    let figure = of_kind(&figures, "targets");
    assert_eq!(figure.title, "Each target: throughput, queue depth 256");
    assert_eq!(figure.plot.table(english()).rows.len(), 8);
    assert!(figure.notes.iter().any(|n| n.starts_with("Of several cases")), "{:?}", figure.notes);
}

#[test]
fn the_means_of_the_parts_of_an_operation_add_up() {
    let text = |ns: u64| {
        let mut all = new_latency();
        all.saturating_record_n(ns, 1000);
        encode(&all).unwrap()
    };
    let split = |whole: u64| {
        let mut case = timed(disk("randread", 4096, 8, 80e3), 90_000);
        for trial in &mut case.trials {
            for (name, ns) in
                [(metric::LATENCY, whole), (metric::SUBMIT_LATENCY, 10_000), (metric::DEVICE_LATENCY, 90_000)]
            {
                trial.result.main_mut().histograms.insert(name, text(ns));
            }
        }
        case
    };
    let figures = charts(&run(vec![split(100_000)]));
    let table = of_kind(&figures, "split").plot.table(english());
    assert_eq!(table.head[1..], ["until the kernel has it", "kernel and device", "Together"]);
    // An open loop counts from when an operation was due.
    let figures = charts(&run(vec![split(400_000)]));
    let table = of_kind(&figures, "split").plot.table(english());
    assert_eq!(table.head[1], "waiting for its turn");
    assert!(table.rows[0][1].starts_with("300") && table.rows[0][1].ends_with(" us"), "{table:?}");
    assert!(table.rows[0][4].starts_with("400"), "{table:?}");
}

#[test]
fn factors_that_go_together_are_named_once() {
    let mut cases = Vec::new();
    for (threads, engine) in [(4u64, "io_uring"), (64, "aio")] {
        for depth in [1, 8, 32] {
            for pattern in ["randread", "randwrite", "randrw"] {
                let mut case = disk(pattern, 4096, depth, 1e4 * depth as f64);
                case.loads.main.parameters.set(ParameterName::new("threads"), threads);
                case.loads.main.parameters.set(ParameterName::new("engine"), engine);
                more(&mut case, &format!(" threads={threads} engine={engine}"));
                cases.push(case);
            }
        }
    }
    let figures = charts(&run(cases));
    let titles: Vec<&str> = figures.iter().map(|f| f.title.as_str()).collect();
    assert!(titles.iter().any(|t| t.ends_with("threads 4, io_uring")), "{titles:#?}");
}

#[test]
fn a_long_path_is_its_last_part() {
    use crate::figure::factors::short_path;
    assert_eq!(short_path("/mnt/a/very/long/place/disk1"), "…/disk1");
    assert_eq!((short_path("/dev/nvme0n1"), short_path("disk1")), ("/dev/nvme0n1".into(), "disk1".into()));
}

#[test]
fn a_rate_that_keeps_a_latency_is_the_figure() {
    let cases = [1u64, 2, 4, 8].map(|threads| {
        let mut case =
            with(disk("randread", 4096, 1, 1e4), metric::RATE_HELD, Unit::PerSecond, 2e4 * threads as f64);
        case.loads.main.parameters.set(ParameterName::new("threads"), threads);
        more(&mut case, &format!(" threads={threads}"));
        case
    });
    let figures = charts(&run(cases.to_vec()));
    assert!(figures[0].title.starts_with("Rate held"), "{}", figures[0].title);
}

#[test]
fn each_target_over_time_is_a_track() {
    let at = |values: &[f64]| series("load", "throughput", Unit::BytesPerSecond, 1_000_000_000, values);
    let mut case = sampled(disk("read", 1 << 20, 4, 1000.0), &[at(&[3.0, 3.0])]);
    for trial in &mut case.trials {
        for target in ["/dev/sdb", "/dev/sdc"] {
            trial.result.main_mut().targets.push(TargetTrial {
                target: target.to_owned(),
                series: vec![at(&[1.0, 2.0])],
                ..TargetTrial::default()
            });
        }
    }
    let run = run(vec![case]);
    let all: Vec<&CaseResult> = run.cases.iter().collect();
    let blocks = seen(&run, |view| crate::figure::samples::figures(view, &all));
    let told = blocks[0].plot.describe(english());
    assert!(told.contains("each target: throughput, /dev/sdb: mean 1.5 B/s"), "{told}");
    // One target alone is the load itself.
    let mut one = run.clone();
    one.cases[0].trials.iter_mut().for_each(|t| t.result.main_mut().targets.truncate(1));
    let all: Vec<&CaseResult> = one.cases.iter().collect();
    let blocks = seen(&one, |view| crate::figure::samples::figures(view, &all));
    assert!(!blocks[0].plot.describe(english()).contains("each target"));
}
