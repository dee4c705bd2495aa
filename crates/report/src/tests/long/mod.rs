//! A long run made by a formula: 500 cases of two workloads with three factors,
//! five trials each with histograms, 128 CPUs, and for some cases an hour of
//! samples. The shapes are those of real machines (a queue that fills, caches
//! that end, a drive that slows down when its cache is full); the numbers are
//! nobody's.

mod samples;

use std::collections::BTreeMap;

use model::limit::LimitKind;
use model::machine::CpuPlace;
use model::metric::Better;
use model::resource::PathStep;
use model::run::{
    AnalysisInfo, Build, CaseLoad, CaseResult, Estimate, Loads, Origin, Outcome, Run, SCHEMA, Utilization,
};
use model::study::{Controls, Pin, StudyWorkload};
use model::trial::{Placement, ProcessUse, Series, Status, Steady, Trial, TrialResult, Window, WorkerPlace};
use model::{
    Definitions, Finding, FindingKind, Machine, MetricName, ParameterName, Parameters, Quantity, Resource,
    Severity, Study, Unit, Value, WorkloadName, metric,
};

use self::samples::{Noise, series_of_a_second, series_of_an_hour};
use super::server::server;

/// CPUs of the machine.
pub(crate) const CPUS: u32 = 128;
/// Points of a series of an hour, ten each second.
pub(crate) const HOUR: usize = 36_000;
/// Where the throughput of an hour falls to 0 for one point.
pub(crate) const DIP: usize = 12_345;
/// Where it is three times as high for one point.
pub(crate) const SPIKE: usize = 23_456;
/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;
/// Nanoseconds of monotonic time at the start of the run.
const BEGAN_NS: u64 = 5_000_000_000_000;

/// How much of it there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Cases of `disk`.
    pub(crate) disk: usize,
    /// Cases of `memory.bandwidth`.
    pub(crate) memory: usize,
    /// Trials of each.
    pub(crate) trials: u32,
    /// Whether some cases last an hour.
    pub(crate) hour: bool,
}

/// The long run.
pub(crate) fn long() -> Run {
    run(Extent { disk: 300, memory: 200, trials: 5, hour: true })
}

/// A run of a few cases of the same shape.
pub(crate) fn short() -> Run {
    run(Extent { disk: 4, memory: 2, trials: 3, hour: false })
}

const BLOCK_SIZES: [u64; 6] = [4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
const DEPTHS: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const THREADS: [u64; 5] = [1, 4, 16, 64, 128];
const OPERATIONS: [&str; 4] = ["read", "write", "copy", "triad"];
const SIZES: [u64; 10] =
    [32 << 10, 128 << 10, 512 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30, 4 << 30];

fn run(extent: Extent) -> Run {
    let mut noise = Noise(1);
    let mut cases = Vec::new();
    for at in 0..extent.disk {
        cases.push(disk(at, extent, &mut noise));
    }
    for at in 0..extent.memory {
        cases.push(memory(at, extent, &mut noise));
    }
    number(&mut cases);
    Run {
        schema: SCHEMA.to_owned(),
        id: "20261121-101500-l0ng".to_owned(),
        started: "2026-11-21T10:15:00Z".to_owned(),
        finished: Some("2026-11-22T04:40:12Z".to_owned()),
        outcome: Some(Outcome::Complete),
        resumptions: Vec::new(),
        origin: Origin {
            tool: "headroom".to_owned(),
            version: "0.1.0".to_owned(),
            command: ["headroom", "run", "everything.toml", "--seed", "7"].map(str::to_owned).to_vec(),
        },
        headroom: Build { version: "0.1.0".to_owned(), build: "release x86_64-linux".to_owned() },
        study: study(extent),
        seed: 7,
        machines: vec![machine()],
        definitions: Definitions::default(),
        cases,
        findings: Vec::new(),
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: 2 },
    }
}

/// Orders of the trials: blocks of all cases, one after the other.
fn number(cases: &mut [CaseResult]) {
    let count = cases.len();
    for (place, case) in cases.iter_mut().enumerate() {
        for (block, trial) in case.trials.iter_mut().enumerate() {
            trial.order = u32::try_from(block * count + place).unwrap();
        }
    }
}

fn study(extent: Extent) -> Study {
    let levels = |values: &[u64]| values.iter().map(|&v| vec![Value::from(v)]).collect::<Vec<_>>();
    let mut disk = StudyWorkload { kind: WorkloadName::new("disk"), ..StudyWorkload::default() };
    disk.parameters.insert(ParameterName::new("block-size"), levels(&BLOCK_SIZES));
    disk.parameters.insert(ParameterName::new("queue-depth"), levels(&DEPTHS));
    disk.parameters.insert(ParameterName::new("threads"), levels(&THREADS));
    disk.parameters.insert(ParameterName::new("pattern"), vec![vec!["randread".into()]]);
    let mut memory =
        StudyWorkload { kind: WorkloadName::new("memory.bandwidth"), ..StudyWorkload::default() };
    memory.parameters.insert(ParameterName::new("size"), levels(&SIZES));
    memory.parameters.insert(ParameterName::new("threads"), levels(&THREADS));
    memory
        .parameters
        .insert(ParameterName::new("operation"), OPERATIONS.iter().map(|&o| vec![o.into()]).collect());
    Study {
        name: "everything".to_owned(),
        title: Some("Every corner of one database server".to_owned()),
        question: Some(
            "What do one drive and the memory of this server give at every size and depth?".to_owned(),
        ),
        author: Some("The lab".to_owned()),
        purpose: Some("To choose the depth and the block size of the storage layer.".to_owned()),
        references: vec!["The maker's datasheet, 2021".to_owned(), "https://example.org/study".to_owned()],
        price: Some("USD 2,100 a node".to_owned()),
        workloads: vec![disk, memory],
        controls: Controls {
            trials_min: extent.trials,
            trials_max: extent.trials,
            seed: 7,
            ..Controls::default()
        },
        ..Study::default()
    }
}

/// The server of the other tests, with more CPUs.
fn machine() -> Machine {
    let mut machine = server();
    machine.id = "local".to_owned();
    machine.role = "measured".to_owned();
    let cpu = &mut machine.inventory.cpu;
    cpu.online = (0..CPUS).collect();
    cpu.allowed = (0..CPUS).collect();
    let place = |cpu| {
        let package = cpu / 32 % 2;
        CpuPlace { cpu, core: cpu % 32, die: 0, package, node: Some(package) }
    };
    cpu.topology = (0..CPUS).map(place).collect();
    machine
}

/// Gives a case the label that reads so.
pub(crate) fn named(case: &mut CaseResult, label: &str) {
    let loads = case.loads.iter().map(|load| (load.workload, &load.parameters));
    case.label = import::v1::label::read(label, &loads.collect::<Vec<_>>());
}

/// Gives the loads of a case profiles that fit their parameters.
pub(crate) fn profiled(case: &mut CaseResult) {
    for load in case.loads.iter_mut() {
        load.profile = import::v1::profile(load.workload, &load.parameters);
    }
}

/// Series of the main load and of the machine that drives it.
pub(crate) fn put_series(result: &mut TrialResult, all: Vec<Series>) {
    let (load, machine) = all.into_iter().partition(|series| series.resource == model::Resource::LOAD);
    (result.main_mut().series, result.local_mut().series) = (load, machine);
}

/// A case without trials.
fn case(workload: WorkloadName, factors: &[(&str, Value, String)], path: &[&str]) -> CaseResult {
    let words: Vec<String> = factors.iter().map(|(name, _, shown)| format!("{name}={shown}")).collect();
    let label = format!("{workload} {}", words.join(" "));
    let mut parameters = Parameters::default();
    for (name, value, _) in factors {
        parameters.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    let main = CaseLoad {
        workload: workload.to_owned(),
        definition_version: Some(1),
        profile: import::v1::profile(workload, &parameters),
        parameters,
        ..CaseLoad::default()
    };
    CaseResult {
        // Of the same length as a real one.
        work_id: format!(
            "{:016x}",
            label.bytes().fold(7_u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()))
        ),
        label: import::v1::label::read(&label, &[(workload, &main.parameters)]),
        loads: Loads { main, beside: Vec::new() },
        path: path.iter().map(|r| PathStep { resource: Resource::from(*r), amplification: 1.0 }).collect(),
        ..CaseResult::default()
    }
}

/// One trial's figures: metrics by name, and the median latency where there is
/// one.
struct Figures {
    rate: f64,
    bytes_per_s: f64,
    latency_s: Option<f64>,
    busy_cpus: u32,
}

/// The `at`-th case of random reads: block size, depth and threads, the last
/// fastest. A drive of 850,000 reads a second, 80 us away.
fn disk(at: usize, extent: Extent, noise: &mut Noise) -> CaseResult {
    let threads = THREADS[at % THREADS.len()];
    let depth = DEPTHS[at / THREADS.len() % DEPTHS.len()];
    let size = BLOCK_SIZES[at / (THREADS.len() * DEPTHS.len()) % BLOCK_SIZES.len()];
    let factors = [
        ("block-size", size.into(), model::scalar::binary(size)),
        ("queue-depth", depth.into(), depth.to_string()),
        ("threads", threads.into(), threads.to_string()),
        ("pattern", "randread".into(), "randread".to_owned()),
    ];
    let mut case =
        case(WorkloadName::new("disk"), &factors, &["cpu:0-127", "filesystem:/data (xfs)", "block:nvme0n1"]);
    case.loads.main.parameters.set(ParameterName::new("duration"), 1.0);
    case.loads.main.parameters.set(ParameterName::new("direct"), true);
    case.loads.main.parameters.set(ParameterName::new("engine"), "io_uring");
    let in_flight = (depth * threads) as f64;
    let most = (3.2e9 / size as f64).min(850_000.0);
    let alone_s = 80e-6 + size as f64 / 3e9;
    let rate = most * in_flight / (in_flight + most * alone_s);
    let hour = extent.hour && matches!(at, 42 | 187);
    for block in 0..extent.trials {
        let rate = rate * noise.factor(0.02);
        let figures = Figures {
            rate,
            bytes_per_s: rate * size as f64,
            latency_s: Some(in_flight / rate),
            busy_cpus: u32::try_from(threads).unwrap(),
        };
        case.trials.push(trial(block, &figures, hour.then_some(at == 42 && block == 0), noise));
    }
    estimate(&mut case);
    use_of_limit(&mut case, "block:nvme0n1", (metric::IOPS, Unit::PerSecond), 850_000.0);
    case
}

/// The `at`-th case of memory: what caches and channels give.
fn memory(at: usize, extent: Extent, noise: &mut Noise) -> CaseResult {
    let threads = THREADS[at % THREADS.len()];
    let size = SIZES[at / THREADS.len() % SIZES.len()];
    let operation = OPERATIONS[at / (THREADS.len() * SIZES.len()) % OPERATIONS.len()];
    let factors = [
        ("operation", operation.into(), operation.to_owned()),
        ("size", size.into(), model::scalar::binary(size)),
        ("threads", threads.into(), threads.to_string()),
    ];
    let mut case = case(WorkloadName::new("memory.bandwidth"), &factors, &["cpu:0-127", "memory"]);
    case.loads.main.parameters.set(ParameterName::new("duration"), 1.0);
    let (one, most) = match size {
        ..=1_048_576 => (60e9, 3.8e12),
        1_048_577..=67_108_864 => (35e9, 1.2e12),
        _ => (14e9, 230e9),
    };
    let bytes_per_s = one * threads as f64 / (1.0 + one * threads as f64 / most);
    for block in 0..extent.trials {
        let bytes_per_s = bytes_per_s * noise.factor(0.015);
        let busy_cpus = u32::try_from(threads).unwrap();
        let figures = Figures { rate: bytes_per_s / 1e6, bytes_per_s, latency_s: None, busy_cpus };
        let hour = extent.hour && at == 99;
        case.trials.push(trial(block, &figures, hour.then_some(false), noise));
    }
    estimate(&mut case);
    use_of_limit(&mut case, "memory", (metric::THROUGHPUT, Unit::BytesPerSecond), 256e9);
    case
}

/// One trial; `hour` where it lasts one, with every CPU if it is true.
fn trial(block: u32, figures: &Figures, hour: Option<bool>, noise: &mut Noise) -> Trial {
    let seconds = if hour.is_some() { 3600 } else { 1 };
    let start_ns = BEGAN_NS + u64::from(block) * 4_000_000_000_000;
    let mut result = TrialResult {
        window: Some(Window { start_ns, end_ns: start_ns + seconds * 1_000_000_000 }),
        steady: Some(Steady { method: "mser-5".to_owned(), settled: hour.is_none(), truncated_s: 0.0 }),
        placement: Some(placement(figures.busy_cpus)),
        ..TrialResult::default()
    };
    result.main_mut().facts.insert(model::FactName::new("ring_flags"), "single-issuer defer-taskrun".into());
    metrics(&mut result, figures, noise);
    let series = match hour {
        Some(every_cpu) => series_of_an_hour(start_ns, figures, every_cpu, noise),
        None => series_of_a_second(start_ns, figures, block == 0, noise),
    };
    put_series(&mut result, series);
    let used = |pid, name: &str, own, kernel, cpu_s| ProcessUse {
        pid,
        name: name.to_owned(),
        own,
        kernel,
        cpu_s,
        watched_s: seconds as f64,
    };
    result.local_mut().processes = vec![
        used(4711, "headroom", true, false, f64::from(figures.busy_cpus) * 0.97 * seconds as f64),
        used(77, "kswapd0", false, true, 0.02 * seconds as f64),
        used(1502, "postgres", false, false, 0.01 * seconds as f64),
    ];
    Trial {
        order: 0,
        block,
        started: format!("2026-11-21T{:02}:15:00Z", 10 + block),
        status: Status::Ok,
        reason: None,
        result,
    }
}

fn placement(workers: u32) -> Placement {
    Placement {
        asked: Pin::Auto,
        policy: Pin::Spread,
        reason: None,
        workers: (0..workers).map(|cpu| WorkerPlace { load: 0, cpu: Some(cpu) }).collect(),
        interrupts: Vec::new(),
    }
}

/// The metrics, and the distribution that the percentiles are read from: 2,000
/// latencies around the median, some of them far.
fn metrics(result: &mut TrialResult, figures: &Figures, noise: &mut Noise) {
    let mut set = |name: MetricName, value: f64, unit| {
        result.main_mut().metrics.insert(name, Quantity { value, unit });
    };
    set(metric::THROUGHPUT, figures.bytes_per_s, Unit::BytesPerSecond);
    let Some(median_s) = figures.latency_s else {
        set(metric::CPU_PER_BYTE, f64::from(figures.busy_cpus) / figures.bytes_per_s, Unit::SecondsPerByte);
        return;
    };
    set(metric::IOPS, figures.rate, Unit::PerSecond);
    set(metric::CPU_PER_OPERATION, 2.4e-6 * noise.factor(0.05), Unit::Seconds);
    let mut histogram = stats::histogram::new_latency();
    for _ in 0..2000 {
        let far = if noise.uniform() < 0.01 { 8.0 } else { 1.0 };
        histogram.saturating_record((median_s * 1e9 * far * noise.factor(0.25)) as u64);
    }
    for (name, percentile) in
        [(metric::LATENCY_P50, 50.0), (metric::LATENCY_P90, 90.0), (metric::LATENCY_P99, 99.0)]
    {
        if let Some(ns) = stats::histogram::percentile(&histogram, percentile) {
            set(name, ns / 1e9, Unit::Seconds);
        }
    }
    set(metric::LATENCY_MAX, stats::histogram::max(&histogram).unwrap() / 1e9, Unit::Seconds);
    result.main_mut().histograms.insert(metric::LATENCY, stats::histogram::encode(&histogram).unwrap());
}

/// What the trials that gave figures say, made as the analysis makes it.
pub(crate) fn estimate(case: &mut CaseResult) {
    let mut values: BTreeMap<MetricName, (Vec<f64>, Unit)> = BTreeMap::new();
    for (name, quantity) in case.trials.iter().flat_map(|t| &t.result.main().metrics) {
        values.entry(*name).or_insert((Vec::new(), quantity.unit)).0.push(quantity.value);
    }
    let estimate = |(name, (values, unit)): (MetricName, (Vec<f64>, Unit))| {
        let interval = stats::interval::of_center(&values, CONFIDENCE);
        let higher = ["throughput", "iops", "durable"].iter().any(|end| name.as_str().ends_with(end));
        let estimate = Estimate {
            n: values.len(),
            median: stats::interval::median(&values)?,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            confidence: interval.map(|i| i.confidence),
            method: interval.map(|i| i.method.code().to_owned()),
            unit,
            better: if higher { Better::Higher } else { Better::Lower },
        };
        Some((name, estimate))
    };
    case.loads.main.estimates = values.into_iter().filter_map(estimate).collect();
}

/// The share of one limit, and the verdict that follows.
fn use_of_limit(case: &mut CaseResult, resource: &str, (quantity, unit): (MetricName, Unit), limit: f64) {
    let demand = case.loads.main.estimates[&quantity].median;
    let fraction = demand / limit;
    case.utilization.push(Utilization {
        machine: None,
        resource: Resource::from(resource),
        quantity,
        kind: LimitKind::Measured,
        demand,
        limit,
        unit,
        fraction,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        source: "measured before the run".to_owned(),
    });
    let finding = if fraction > 0.95 {
        let text =
            format!("{resource} is full: {:.0} % of what was measured before the run", fraction * 100.0);
        Finding::new(FindingKind::Bottleneck, "device-full", Severity::Note).worded(text).on(resource)
    } else {
        let text = "the bottleneck is unknown";
        Finding::new(FindingKind::Bottleneck, "cannot-tell", Severity::Note).worded(text)
    };
    case.findings.push(finding.arg("fraction", fraction));
}
