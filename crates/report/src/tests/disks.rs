//! Runs of disks made by formulas, one for each thing that disks alone show:
//! what depth costs, sizes of operations, the caches that a span fills, reads
//! beside writes, what is durable, several targets, rounds, zones. The shapes
//! are those of real drives; the numbers are nobody's.

use model::resource::PathStep;
use model::run::{CaseResult, Rounds, Run, TargetResult};
use model::trial::{Series, TargetTrial, Trial, TrialResult, Window};
use model::{
    MetricName, ParameterName, Parameters, Quantity, Resource, ResourceKind, Status, Unit, Value,
    WorkloadName, metric,
};

use super::long::{estimate, named, profiled, put_series, short};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Every run with its name.
pub(crate) fn disks() -> Vec<(&'static str, Run)> {
    vec![
        ("depths", run("What more depth costs", depths())),
        ("sizes", run("From which size on the link is full", sizes())),
        ("span", run("The storage mountain", spans(false))),
        ("span-buffered", run("The storage mountain through the page cache", spans(true))),
        ("mixed", run("Reads and writes at once", mixed())),
        ("shares", run("From reads only to writes only", shares())),
        ("durable", run("What is on the device", durable())),
        ("targets", run("Eight disks at once", targets())),
        ("rounds", run("Until it is steady", rounds())),
        ("zones", run("From the outer to the inner tracks", zones())),
    ]
}

/// A run of these cases on the server of the other tests.
fn run(title: &str, mut cases: Vec<CaseResult>) -> Run {
    let mut run = short();
    run.study.name = "disks".to_owned();
    run.study.title = Some(title.to_owned());
    run.study.workloads.retain(|w| w.kind == WorkloadName::new("disk"));
    run.study.workloads.iter_mut().for_each(|w| w.parameters.clear());
    let count = cases.len();
    for (place, case) in cases.iter_mut().enumerate() {
        for (block, trial) in case.trials.iter_mut().enumerate() {
            trial.order = u32::try_from(block * count + place).unwrap();
        }
    }
    run.machines.iter_mut().for_each(|m| m.inventory.memory.available_bytes = 12 * GIB);
    Run { cases, ..run }
}

/// Figures of one trial.
type Figures<'a> = &'a [(MetricName, Unit, f64)];

/// A case with five trials around these figures.
fn case(parameters: &[(&str, Value, &str)], figures: Figures<'_>) -> CaseResult {
    let mut case = short().cases.remove(0);
    let words: Vec<String> = parameters.iter().map(|(name, _, shown)| format!("{name}={shown}")).collect();
    case.loads.main.parameters = Parameters::default();
    for (name, value, _) in parameters {
        case.loads.main.parameters.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    named(&mut case, &format!("disk {}", words.join(" ")));
    profiled(&mut case);
    case.path = ["cpu:0-127", "filesystem:/data (xfs)", "block:nvme0n1"]
        .map(|r| PathStep { resource: Resource::from(r), amplification: 1.0 })
        .to_vec();
    case.findings.clear();
    case.utilization.clear();
    case.trials = (0..5).map(|block| trial(block, figures)).collect();
    estimate(&mut case);
    case
}

fn trial(block: u32, figures: Figures<'_>) -> Trial {
    let wobble = [1.0, 0.985, 1.01, 0.99, 1.02][block as usize % 5];
    let start_ns = 1_000_000_000 + u64::from(block) * 20_000_000_000;
    let mut result = TrialResult {
        window: Some(Window { start_ns, end_ns: start_ns + 10_000_000_000 }),
        ..TrialResult::default()
    };
    for (name, unit, value) in figures {
        let wobble = if *unit == Unit::Seconds { 1.0 / wobble } else { wobble };
        result.main_mut().metrics.insert(*name, Quantity { value: value * wobble, unit: *unit });
    }
    Trial {
        order: 0,
        block,
        started: "2026-11-21T10:15:00Z".to_owned(),
        status: Status::Ok,
        reason: None,
        result,
    }
}

/// IOPS, bytes and latencies of so many operations at once on a device that
/// gives at most `most` of them, `alone_s` away.
fn closed(in_flight: f64, bytes: u64, (most, alone_s): (f64, f64)) -> Vec<(MetricName, Unit, f64)> {
    let rate = ((alone_s / in_flight).powi(4) + most.powi(-4)).powf(-0.25);
    let mean = in_flight / rate;
    vec![
        (metric::IOPS, Unit::PerSecond, rate),
        (metric::THROUGHPUT, Unit::BytesPerSecond, rate * bytes as f64),
        (metric::LATENCY_P50, Unit::Seconds, mean * 0.95),
        (metric::LATENCY_P99, Unit::Seconds, mean * 2.1 + 60e-6),
        (metric::LATENCY_P99_9, Unit::Seconds, mean * 3.4 + 400e-6),
    ]
}

fn size(bytes: u64) -> String {
    model::scalar::binary(bytes).replace(' ', "")
}

/// With distributions of which the parts add up.
fn split(mut case: CaseResult, mean_s: f64, submit_s: f64) -> CaseResult {
    let text = |mean_s: f64| {
        let mut all = stats::histogram::new_latency();
        (0..2000u32).for_each(|i| {
            let spread = 0.7 + f64::from(i % 100) * 0.006 + if i % 97 == 0 { 2.0 } else { 0.0 };
            all.saturating_record((mean_s * 1e9 * spread) as u64);
        });
        stats::histogram::encode(&all).unwrap()
    };
    for trial in &mut case.trials {
        let parts = [
            (metric::LATENCY, mean_s),
            (metric::SUBMIT_LATENCY, submit_s),
            (metric::DEVICE_LATENCY, mean_s - submit_s),
        ];
        trial.result.main_mut().histograms.extend(parts.map(|(name, mean)| (name, text(mean))));
    }
    case
}

fn depths() -> Vec<CaseResult> {
    let one = |(threads, depth): (u64, u64)| {
        let parameters = [
            ("pattern", "randread".into(), "randread"),
            ("block-size", 4096u64.into(), "4KiB"),
            ("queue-depth", depth.into(), &*depth.to_string()),
            ("threads", threads.into(), &*threads.to_string()),
        ];
        let in_flight = (threads * depth) as f64;
        let most = if threads == 1 { 240e3 } else { 480e3 };
        let figures = closed(in_flight, 4096, (most, 82e-6));
        split(case(&parameters, &figures), in_flight / figures[0].2, 1.5e-6 * depth as f64)
    };
    let levels = [1u64, 4].into_iter().flat_map(|t| [1u64, 2, 4, 8, 16, 32, 64, 128].map(|d| (t, d)));
    levels.map(one).collect()
}

fn sizes() -> Vec<CaseResult> {
    let one = |(pattern, bytes): (&str, u64)| {
        let parameters = [
            ("pattern", pattern.into(), pattern),
            ("block-size", bytes.into(), &*size(bytes)),
            ("queue-depth", 32u64.into(), "32"),
        ];
        let most = if pattern == "read" { 3.2e9 } else { 1.9e9 };
        case(&parameters, &closed(32.0, bytes, ((most / bytes as f64).min(480e3), 82e-6)))
    };
    let all = [4u64, 8, 16, 32, 64, 128, 256, 512, 1024];
    ["read", "write"].into_iter().flat_map(|p| all.map(|kib| (p, kib << 10))).map(one).collect()
}

fn spans(buffered: bool) -> Vec<CaseResult> {
    let one = |span: u64| {
        let parameters = [
            ("pattern", "randread".into(), "randread"),
            ("block-size", 4096u64.into(), "4KiB"),
            ("span", span.into(), &*size(span)),
            ("direct", (!buffered).into(), if buffered { "no" } else { "yes" }),
        ];
        let hit = |cache: u64| (cache as f64 / span as f64).min(1.0);
        let (drive, memory) = (hit(512 * MIB), if buffered { hit(12 * GIB) } else { 0.0 });
        let miss = 1.0 - drive.max(memory);
        let each = memory / 900e3 + (drive - memory).max(0.0) / 61e3 + miss / 11e3;
        case(&parameters, &closed(1.0, 4096, (1e9, each)))
    };
    (0..16).map(|i| one((4 * MIB) << i)).collect()
}

/// Reads and writes at once, `share` of them reads.
fn at_once(parameters: &[(&str, Value, &str)], rate: f64, share: f64, bytes: u64) -> CaseResult {
    let of = |share: f64| (rate * share, rate * share * bytes as f64);
    let ((reads, read_bytes), (writes, written)) = (of(share), of(1.0 - share));
    let mut figures = closed(32.0, bytes, (rate, 90e-6));
    if reads > 0.0 && writes > 0.0 {
        figures.extend([
            (metric::READ_IOPS, Unit::PerSecond, reads),
            (metric::WRITE_IOPS, Unit::PerSecond, writes),
            (metric::READ_THROUGHPUT, Unit::BytesPerSecond, read_bytes),
            (metric::WRITE_THROUGHPUT, Unit::BytesPerSecond, written),
            (MetricName::new("read_latency_p50"), Unit::Seconds, 32.0 / rate),
            (MetricName::new("read_latency_p99"), Unit::Seconds, 70.0 / rate),
            (MetricName::new("write_latency_p50"), Unit::Seconds, 12.0 / rate),
            (MetricName::new("write_latency_p99"), Unit::Seconds, 160.0 / rate),
        ]);
    }
    case(parameters, &figures)
}

fn mixed() -> Vec<CaseResult> {
    let one = |(bytes, rate): (u64, f64)| {
        let parameters = [
            ("pattern", "randrw".into(), "randrw"),
            ("block-size", bytes.into(), &*size(bytes)),
            ("read-share", 0.6.into(), "60%"),
        ];
        at_once(&parameters, rate, 0.6, bytes)
    };
    [(4096, 210e3), (8192, 170e3)].map(one).to_vec()
}

fn shares() -> Vec<CaseResult> {
    let one = |share: f64| {
        let parameters = [
            ("pattern", "randrw".into(), "randrw"),
            ("read-share", share.into(), &*format!("{}%", share * 100.0)),
        ];
        at_once(&parameters, 480e3 * share + 95e3 * (1.0 - share), share, 4096)
    };
    [0.05, 0.25, 0.5, 0.75, 0.95].map(one).to_vec()
}

fn durable() -> Vec<CaseResult> {
    let one = |(bytes, dirty): (u64, f64)| {
        let parameters = [
            ("pattern", "write".into(), "write"),
            ("block-size", MIB.into(), "1MiB"),
            ("bytes", bytes.into(), &*size(bytes)),
            ("direct", false.into(), "no"),
        ];
        let (seconds, durable) = (bytes as f64 * (1.0 - dirty) / 480e6 + 0.2, bytes as f64 / 470e6);
        let figures = [
            (metric::IOPS, Unit::PerSecond, bytes as f64 / MIB as f64 / seconds),
            (metric::THROUGHPUT, Unit::BytesPerSecond, bytes as f64 / seconds),
            (metric::THROUGHPUT_DURABLE, Unit::BytesPerSecond, bytes as f64 / durable),
            (metric::ELAPSED, Unit::Seconds, seconds),
        ];
        let mut case = case(&parameters, &figures);
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(model::fact::DIRTY_SHARE, dirty.into());
        }
        case
    };
    [(GIB, 0.93), (8 * GIB, 0.41), (64 * GIB, 0.06)].map(one).to_vec()
}

/// Eight disks on one controller: the last two are on a slower port.
fn targets() -> Vec<CaseResult> {
    let one = |(pattern, most): (&str, f64)| {
        let names: Vec<String> = ('b'..='i').map(|c| format!("/dev/sd{c}")).collect();
        let joined = names.join("+");
        let list = Value::List(names.iter().map(|n| n.as_str().into()).collect());
        let parameters = [("target", list, joined.as_str()), ("pattern", pattern.into(), pattern)];
        let rate = |i: usize| most / 8.0 * if i > 5 { 0.7 } else { 1.1 - i as f64 * 0.01 };
        let total: f64 = (0..8).map(rate).sum();
        let figures = [
            (metric::IOPS, Unit::PerSecond, total / 1e6),
            (metric::THROUGHPUT, Unit::BytesPerSecond, total),
            (metric::ELAPSED, Unit::Seconds, 5e10 / most),
            (metric::FIRST_DONE, Unit::Seconds, 4.4e10 / most),
            (metric::LAST_DONE, Unit::Seconds, 5e10 / most),
        ];
        let mut case = case(&parameters, &figures);
        case.loads.main.parameters.set(ParameterName::new("block-size"), MIB);
        for (i, name) in names.iter().enumerate() {
            with_target(&mut case, name, rate(i));
        }
        case
    };
    [("read", 1.1e9), ("write", 0.8e9)].map(one).to_vec()
}

fn with_target(case: &mut CaseResult, name: &str, rate: f64) {
    let figures =
        [(metric::IOPS, Unit::PerSecond, rate / 1e6), (metric::THROUGHPUT, Unit::BytesPerSecond, rate)];
    for (block, of) in case.trials.iter_mut().enumerate() {
        let own = trial(block as u32, &figures).result;
        let wave = |i: u32| rate * (1.0 + 0.05 * f64::from(i % 7 * 3 % 5) - if i > 80 { 0.3 } else { 0.0 });
        let series = || Series {
            resource: Resource::whole(ResourceKind::Load),
            name: model::series::THROUGHPUT,
            unit: Unit::BytesPerSecond,
            start_ns: own.window.unwrap().start_ns,
            interval_ns: 100_000_000,
            values: (0..100).map(wave).collect(),
        };
        of.result.main_mut().targets.push(TargetTrial {
            target: name.to_owned(),
            metrics: own.main().metrics.clone(),
            series: vec![series()],
            ..TargetTrial::default()
        });
        put_series(&mut of.result, vec![series()]);
    }
    let mut whole = case.clone();
    whole.trials = (0..5).map(|block| trial(block, &figures)).collect();
    estimate(&mut whole);
    case.loads
        .main
        .targets
        .push(TargetResult { target: name.to_owned(), estimates: whole.loads.main.estimates });
}

fn rounds() -> Vec<CaseResult> {
    let one = |(bytes, share, count, wobble): (u64, f64, usize, f64)| {
        let parameters = [
            ("pattern", "randrw".into(), "randrw"),
            ("block-size", bytes.into(), &*size(bytes)),
            ("read-share", share.into(), &*format!("{}%", share * 100.0)),
            ("precondition", "full".into(), "full"),
        ];
        let most = 3.2e9 / bytes as f64 * (0.2 + share * 0.4);
        let value =
            |i: usize| most * (1.0 + 1.6 * (-(i as f64) / 2.2).exp()) * (1.0 + wobble * ((i * 7) % 5) as f64);
        let values: Vec<f64> = (0..count).map(value).collect();
        let judged = stats::steady::snia(&values);
        let mut case = at_once(&parameters, most, share, bytes);
        case.rounds = Some(Rounds {
            metric: metric::IOPS,
            unit: Unit::PerSecond,
            failed: None,
            round_s: 60.0,
            window: 5,
            steady: judged.is_some_and(|j| j.steady),
            range: judged.map(|j| j.range_fraction),
            slope: judged.map(|j| j.slope_fraction),
            most: 25,
            written: (2 * 1_600_000_000_000, 210_000_000_000),
            values,
        });
        case
    };
    vec![one((4096, 0.0, 13, 0.01)), one((4096, 0.65, 11, 0.012)), one((65536, 0.0, 25, 0.09))]
}

fn zones() -> Vec<CaseResult> {
    let one = |tenth: u64| {
        let offset = tenth * 100 * GIB;
        let parameters = [
            ("pattern", "read".into(), "read"),
            ("block-size", MIB.into(), "1MiB"),
            ("offset", offset.into(), &*size(offset)),
        ];
        let rate = 212e6 - 11e6 * tenth as f64;
        case(&parameters, &closed(1.0, MIB, (1e9, MIB as f64 / rate)))
    };
    (0..10).map(one).collect()
}
