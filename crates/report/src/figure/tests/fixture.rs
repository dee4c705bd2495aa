//! Runs made in code: workloads of every shape, with figures that are known.

use model::machine::Machine;
use model::metric::{self, MetricSpec};
use model::parameter::{Kind, ParameterSpec, Word};
use model::resource::PathStep;
use model::run::{CaseResult, Estimate, Run, Utilization};
use model::trial::{Series, Status, Trial, TrialResult, Window};
use model::unit::Quantity;
use model::workload::Catalogue;
use model::{
    Better, Definitions, MetricName, ParameterName, Resource, ResourceKind, SeriesName, Unit, Value,
    WorkloadName, WorkloadSpec,
};
use stats::histogram::{encode, new_latency};

use crate::figure::Figure;
use crate::page::{Subject, View};

const PATTERNS: &[Word] = &[Word { word: "read", doc: "" }, Word { word: "write", doc: "" }];

pub(in crate::figure) const DISK: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("disk"),
    definition_version: 1,
    summary: "",
    doc: "",
    parameters: &[
        ParameterSpec::new("pattern", Kind::Choice, "").words(PATTERNS),
        ParameterSpec::new("engine", Kind::Choice, ""),
        ParameterSpec::new("block-size", Kind::Size, ""),
        ParameterSpec::new("queue-depth", Kind::Count, ""),
        ParameterSpec::new("direct", Kind::Flag, ""),
        ParameterSpec::new("read-share", Kind::Share, ""),
        ParameterSpec::new("span", Kind::Size, ""),
        ParameterSpec::new("offset", Kind::Size, "").or_zero(),
    ],
    headline: metric::IOPS,
    metrics: &[MetricSpec::higher(metric::IOPS, Unit::PerSecond, "")],
    path: &[],
    examples: &[],
};

pub(in crate::figure) const BANDWIDTH: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.bandwidth"),
    parameters: &[
        ParameterSpec::new("operation", Kind::Choice, ""),
        ParameterSpec::new("size", Kind::Size, ""),
        ParameterSpec::new("stores", Kind::Choice, ""),
    ],
    headline: metric::THROUGHPUT,
    metrics: &[MetricSpec::higher(metric::THROUGHPUT, Unit::BytesPerSecond, "")],
    ..DISK
};

pub(in crate::figure) const PRIMES: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.primes"),
    parameters: &[],
    headline: metric::EVENTS_PER_SECOND,
    metrics: &[MetricSpec::higher(metric::EVENTS_PER_SECOND, Unit::PerSecond, "")],
    ..DISK
};

const LOADED: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.loaded"),
    parameters: &[
        ParameterSpec::new("share", Kind::Share, "").or_zero(),
        ParameterSpec::new("operation", Kind::Choice, ""),
    ],
    headline: metric::LOAD_LATENCY,
    metrics: &[MetricSpec::lower(metric::LOAD_LATENCY, Unit::Seconds, "")],
    ..DISK
};

const HANDOFF: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.handoff"),
    parameters: &[
        ParameterSpec::new("by", Kind::Choice, ""),
        ParameterSpec::new("from", Kind::Count, "").or_zero(),
        ParameterSpec::new("to", Kind::Count, "").or_zero(),
    ],
    headline: metric::WAKEUP_P50,
    metrics: &[MetricSpec::lower(metric::WAKEUP_P50, Unit::Seconds, "")],
    ..DISK
};

const TIMER: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.timer"),
    parameters: &[ParameterSpec::new("by", Kind::Choice, "")],
    headline: metric::LATENESS_P50,
    metrics: &[MetricSpec::lower(metric::LATENESS_P50, Unit::Seconds, "")],
    ..DISK
};

const SYSCALL: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.syscall"),
    parameters: &[ParameterSpec::new("call", Kind::Choice, "")],
    headline: metric::CALL_TIME,
    metrics: &[MetricSpec::lower(metric::CALL_TIME, Unit::Seconds, "")],
    ..DISK
};

pub(in crate::figure) const LATENCY: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.latency"),
    parameters: &[
        ParameterSpec::new("size", Kind::Size, ""),
        ParameterSpec::new("page-size", Kind::Choice, ""),
    ],
    headline: metric::LOAD_LATENCY,
    metrics: &[MetricSpec::lower(metric::LOAD_LATENCY, Unit::Seconds, "")],
    ..DISK
};

pub(in crate::figure) const FLOAT: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.float"),
    parameters: &[
        ParameterSpec::new("type", Kind::Choice, ""),
        ParameterSpec::new("vectors", Kind::Choice, ""),
    ],
    headline: metric::FLOPS,
    metrics: &[MetricSpec::higher(metric::FLOPS, Unit::PerSecond, "")],
    ..DISK
};

const COMMON: &[ParameterSpec] = &[
    ParameterSpec::new("threads", Kind::Count, ""),
    ParameterSpec::new("rate", Kind::Rate, ""),
    ParameterSpec::new("duration", Kind::Duration, ""),
    ParameterSpec::new("idle", Kind::Duration, ""),
    ParameterSpec::new("cool-down", Kind::Duration, ""),
];

pub(crate) fn definitions() -> Definitions {
    let workloads = vec![&DISK, &PRIMES, &BANDWIDTH, &LOADED, &HANDOFF, &SYSCALL, &TIMER, &LATENCY, &FLOAT];
    let names: Vec<WorkloadName> = workloads.iter().map(|w| w.name).collect();
    Catalogue { workloads, common: COMMON }.definitions(names)
}

/// The spread of five trials around their median.
const SPREAD: [f64; 5] = [0.98, 1.01, 1.0, 0.99, 1.02];

/// A case with one figure, five trials, and an interval of two per cent.
pub(in crate::figure) fn case(
    workload: WorkloadName,
    parameters: &[(&str, Value)],
    metric: (MetricName, Unit, f64),
) -> CaseResult {
    let mut case = crate::tests::run().cases.remove(0);
    case.loads.main.workload = workload.to_owned();
    let words: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    for (name, value) in parameters {
        case.loads.main.parameters.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    crate::tests::named(&mut case, &format!("{workload} {}", words.join(" ")));
    case.trials = (0..5)
        .map(|n| Trial {
            order: n,
            block: n,
            started: String::new(),
            status: Status::Ok,
            reason: None,
            result: TrialResult::default(),
        })
        .collect();
    crate::tests::profiled(&mut case);
    with(case, metric.0, metric.1, metric.2)
}

/// Adds to the label of a case.
pub(in crate::figure) fn more(case: &mut CaseResult, words: &str) {
    crate::tests::named(case, &format!("{}{words}", case.label));
}

/// With one more metric.
pub(in crate::figure) fn with(mut case: CaseResult, name: MetricName, unit: Unit, median: f64) -> CaseResult {
    let better = if unit == Unit::Seconds { Better::Lower } else { Better::Higher };
    let estimate = Estimate {
        n: 5,
        median,
        low: Some(median * 0.98),
        high: Some(median * 1.02),
        confidence: Some(0.95),
        method: None,
        unit,
        better,
    };
    case.loads.main.estimates.insert(name, estimate);
    for (trial, spread) in case.trials.iter_mut().zip(SPREAD) {
        trial.result.main_mut().metrics.insert(name, Quantity { value: median * spread, unit });
    }
    case
}

/// A case of the disk: reads or writes of a size at a depth, all figures.
pub(in crate::figure) fn disk(pattern: &str, block: u64, depth: u64, iops: f64) -> CaseResult {
    let parameters =
        [("pattern", pattern.into()), ("block-size", block.into()), ("queue-depth", depth.into())];
    let case = case(WorkloadName::new("disk"), &parameters, (metric::IOPS, Unit::PerSecond, iops));
    let case = with(case, metric::THROUGHPUT, Unit::BytesPerSecond, iops * block as f64);
    with(case, metric::LATENCY_P99, Unit::Seconds, depth as f64 / iops * 2.0)
}

/// With a histogram of 4,000 operations in each trial, the fastest at `least_ns`.
pub(in crate::figure) fn timed(mut case: CaseResult, least_ns: u64) -> CaseResult {
    let mut all = new_latency();
    (0..4000u64).for_each(|n| all.saturating_record(least_ns + n * least_ns / 1000));
    let text = encode(&all).unwrap();
    for trial in &mut case.trials {
        trial.result.main_mut().histograms.insert(metric::LATENCY, text.clone());
    }
    case
}

/// With a bound on its disk of which it uses a share.
pub(in crate::figure) fn limited(
    mut case: CaseResult,
    kind: model::limit::LimitKind,
    limit: f64,
    amplification: f64,
) -> CaseResult {
    let demand = case.loads.main.estimates[&metric::THROUGHPUT].median * amplification;
    case.path = vec![
        PathStep { resource: Resource::of(ResourceKind::Cpu, "0-1"), amplification: 1.0 },
        PathStep { resource: Resource::of(ResourceKind::Sata, "sda"), amplification },
    ];
    case.utilization.push(Utilization {
        machine: None,
        resource: Resource::of(ResourceKind::Sata, "sda"),
        quantity: metric::THROUGHPUT,
        kind,
        demand,
        limit,
        unit: Unit::BytesPerSecond,
        fraction: demand / limit,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        source: String::new(),
    });
    case
}

pub(in crate::figure) fn series(
    resource: &str,
    name: &str,
    unit: Unit,
    start_ns: u64,
    values: &[f64],
) -> Series {
    Series {
        resource: Resource::from(resource),
        name: SeriesName::intern(name).unwrap(),
        unit,
        start_ns,
        interval_ns: 100_000_000,
        values: values.to_vec(),
    }
}

/// With samples in every trial: the window is the second second of the clock.
pub(in crate::figure) fn sampled(mut case: CaseResult, all: &[Series]) -> CaseResult {
    for trial in &mut case.trials {
        trial.result.window = Some(Window { start_ns: 1_000_000_000, end_ns: 2_000_000_000 });
        crate::tests::put_series(&mut trial.result, all.to_vec());
    }
    case
}

pub(in crate::figure) fn run(mut cases: Vec<CaseResult>) -> Run {
    cases.iter_mut().for_each(crate::tests::profiled);
    let mut machine = Machine::default();
    machine.inventory.cpu.allowed = vec![0, 1, 2, 3];
    machine.inventory.cpu.online = vec![0, 1, 2, 3];
    let mut run = Run { machines: vec![machine], definitions: definitions(), cases, ..crate::tests::run() };
    let mut order = 0;
    for trial in 0..5 {
        for case in &mut run.cases {
            if let Some(trial) = case.trials.get_mut(trial) {
                trial.order = order;
                order += 1;
            }
        }
    }
    run
}

/// What `look` sees of this run.
pub(in crate::figure) fn seen<T>(run: &Run, look: impl FnOnce(&View<'_>) -> T) -> T {
    look(&View::new(&Subject { run, words: language::Language::English.words() }))
}

/// The charts of the run's cases, which are of one workload.
pub(in crate::figure) fn charts(run: &Run) -> Vec<Figure> {
    seen(run, |view| crate::figure::figures(view, &run.cases.iter().collect::<Vec<_>>(), crate::figure::MOST))
}

pub(in crate::figure) fn kinds(figures: &[Figure]) -> Vec<&'static str> {
    figures.iter().map(|f| f.kind).collect()
}

/// As a case whose trials all failed.
pub(in crate::figure) fn failed(mut case: CaseResult) -> CaseResult {
    case.loads.main.estimates.clear();
    for trial in &mut case.trials {
        trial.status = Status::Failed;
        trial.result = TrialResult::default();
    }
    case
}
