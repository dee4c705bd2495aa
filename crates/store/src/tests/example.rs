//! A run that uses every part of the document, with numbers that are easily
//! kept wrong.

use model::finding::{Evidence, Finding, FindingKind, Place, Severity};
use model::limit::LimitKind;
use model::machine::Machine;
use model::metric::{self, Better};
use model::resource::PathStep;
use model::run::{
    AnalysisInfo, Build, CaseLoad, CaseResult, Endpoint, EndpointRole, Estimate, LoadRole, Loads, Origin,
    Outcome, Run, SCHEMA, Utilization,
};
use model::study::Study;
use model::trial::{
    Counter, LOCAL, LoadTrial, MachineTrial, ProcessUse, Series, Status, Steady, TargetTrial, Trial,
    TrialResult, Window,
};
use model::unit::{Quantity, Unit};
use model::value::{Parameters, Value};
use model::{Definitions, MetricName, ParameterName, Resource, ResourceKind, WorkloadName};
use std::collections::BTreeMap;

/// A run of two cases with interleaved trials, one of them failed.
pub(super) fn run(id: &str, started: &str) -> Run {
    let mut first = case(WorkloadName::new("disk"), "a");
    let mut second = case(WorkloadName::new("cpu.primes"), "b");
    first.trials = vec![trial(0), trial(3)];
    second.trials = vec![trial(1), failed(2)];
    Run {
        schema: SCHEMA.to_owned(),
        id: id.to_owned(),
        started: started.to_owned(),
        finished: Some("2026-03-01T10:09:00Z".to_owned()),
        outcome: Some(Outcome::Complete),
        resumptions: Vec::new(),
        origin: Origin {
            tool: "headroom".to_owned(),
            version: "0.1.0".to_owned(),
            command: vec!["run".to_owned()],
        },
        headroom: Build { version: "0.1.0".to_owned(), build: "debug".to_owned() },
        study: Study { name: "disk".to_owned(), title: Some("Ein Gerät".to_owned()), ..Study::default() },
        seed: u64::MAX,
        machines: vec![Machine {
            id: "local".to_owned(),
            hostname: "host-7".to_owned(),
            ..Machine::default()
        }],
        definitions: Definitions::default(),
        cases: vec![first, second],
        findings: vec![finding()],
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: 3 },
    }
}

fn case(workload: WorkloadName, work_id: &str) -> CaseResult {
    let mut parameters = Parameters::default();
    parameters.set(ParameterName::new("block-size"), 4096_u64);
    parameters.set(ParameterName::new("rate"), 2.0);
    parameters.set(ParameterName::new("direct"), true);
    let estimate = Estimate {
        n: 2,
        median: 0.1 + 0.2,
        low: Some(5e-324),
        high: None,
        confidence: Some(0.95),
        method: Some("t-log".to_owned()),
        unit: Unit::BytesPerSecond,
        better: Better::Higher,
    };
    let estimates = BTreeMap::from([(metric::THROUGHPUT, estimate)]);
    let load = |role, workload: WorkloadName| CaseLoad {
        role,
        workload: workload.to_owned(),
        definition_version: Some(1),
        parameters: parameters.clone(),
        endpoints: vec![Endpoint { machine: LOCAL.to_owned(), role: EndpointRole::Drives }],
        estimates: estimates.clone(),
        ..CaseLoad::default()
    };
    CaseResult {
        work_id: work_id.to_owned(),
        loads: Loads {
            main: load(LoadRole::Main, workload),
            beside: vec![load(LoadRole::Beside, WorkloadName::new("memory"))],
        },
        block: 1,
        path: vec![PathStep { resource: Resource::of(ResourceKind::Block, "vda"), amplification: 4.0 / 3.0 }],
        utilization: vec![Utilization {
            machine: None,
            promise: None,
            allowance: None,
            flows: None,
            line_only: false,
            usual: None,
            resource: Resource::of(ResourceKind::Block, "vda"),
            quantity: metric::THROUGHPUT,
            kind: LimitKind::Datasheet,
            demand: 1.0,
            limit: 3.0,
            unit: Unit::BytesPerSecond,
            fraction: 1.0 / 3.0,
            source: "a datasheet".to_owned(),
        }],
        findings: vec![finding()],
        ..CaseResult::default()
    }
}

fn finding() -> Finding {
    Finding {
        kind: FindingKind::Validity,
        code: "page-cache".to_owned(),
        args: BTreeMap::from([("share".to_owned(), Value::Number(1.0 / 3.0))]),
        severity: Severity::Warning,
        scope: model::finding::FindingScope::Kind,
        resource: Some(Resource::whole(ResourceKind::Memory)),
        evidence: vec![Evidence {
            code: "resident".to_owned(),
            args: BTreeMap::new(),
            metric: Some(metric::THROUGHPUT),
            at: Some(Place::Counter {
                resource: Resource::whole(ResourceKind::Memory),
                source: "/proc/vmstat x".to_owned(),
            }),
            text: Some("a third".to_owned()),
            beside: true,
        }],
        ruled_out: vec![Evidence::default()],
        text: "A third was in the cache.".to_owned(),
        advice: Some("Drop it.".to_owned()),
    }
}

/// A trial with bulk of its own and of two loads beside it.
pub(super) fn trial(order: u32) -> Trial {
    let result = TrialResult {
        window: Some(Window { start_ns: 1_000_000_007, end_ns: u64::MAX }),
        steady: Some(Steady { method: "mser-5".to_owned(), settled: true, truncated_s: 0.1 }),
        placement: None,
        loads: vec![
            LoadTrial {
                facts: BTreeMap::from([(
                    model::FactName::new("ring"),
                    Value::Text("defer-taskrun".to_owned()),
                )]),
                series: vec![series("throughput", order, 50), series("empty", order, 0)],
                // The first target has no bulk, so that the second one's must find its owner.
                targets: vec![target(false, order), target(true, order)],
                ..load(0, order)
            },
            load(1, order),
        ],
        machines: vec![MachineTrial {
            machine: LOCAL.to_owned(),
            counters: vec![Counter {
                resource: Resource::of(ResourceKind::Block, "vda"),
                source: "/proc/diskstats reads".to_owned(),
                before: 1,
                after: u64::MAX,
                before_ns: 1,
                after_ns: 2,
                unit: Some(Unit::One),
                scale: Some(0.5),
            }],
            processes: vec![ProcessUse {
                pid: 1,
                name: "init".to_owned(),
                own: false,
                kernel: false,
                cpu_s: 0.1,
                watched_s: 1.0 / 3.0,
            }],
            series: vec![series("busy", order, 9)],
            ..MachineTrial::default()
        }],
        observer: Some(model::machine::ObserverCost { cpu_s: 0.1, watched_s: 1.0 / 3.0, cpus: 2 }),
    };
    Trial {
        order,
        block: order / 2,
        started: format!("2026-03-01T10:00:{order:02}Z"),
        status: Status::Ok,
        reason: None,
        result,
    }
}

fn failed(order: u32) -> Trial {
    Trial {
        status: Status::Failed,
        reason: Some("no space left on device".to_owned()),
        result: TrialResult::default(),
        ..trial(order)
    }
}

fn load(place: usize, order: u32) -> LoadTrial {
    LoadTrial {
        metrics: metrics(order),
        histograms: histograms(&format!("load{place} {order}")),
        series: vec![series("iops", order, 7)],
        ..LoadTrial::of(place, LOCAL)
    }
}

fn target(has_bulk: bool, order: u32) -> TargetTrial {
    TargetTrial {
        target: format!("/{has_bulk}"),
        metrics: metrics(order),
        histograms: if has_bulk { histograms("target") } else { BTreeMap::new() },
        series: if has_bulk { vec![series("iops", order, 7)] } else { Vec::new() },
    }
}

fn metrics(order: u32) -> BTreeMap<MetricName, Quantity> {
    let value = 1e9 / (7.0 + f64::from(order));
    BTreeMap::from([
        (metric::THROUGHPUT, Quantity { value, unit: Unit::BytesPerSecond }),
        (MetricName::new("errors"), Quantity { value: 0.0, unit: Unit::One }),
    ])
}

fn histograms(seed: &str) -> BTreeMap<MetricName, String> {
    BTreeMap::from([
        (metric::LATENCY, format!("HISTFAAA{}", seed.repeat(40))),
        (metric::SERVICE_TIME, String::new()),
    ])
}

fn series(name: &str, order: u32, points: u32) -> Series {
    Series {
        resource: Resource::whole(ResourceKind::Load),
        name: model::SeriesName::intern(name).unwrap(),
        unit: Unit::PerSecond,
        start_ns: 1_000_000_007,
        interval_ns: 100_000_000,
        values: (0..points).map(|i| 1e6 / f64::from(i + order + 3)).collect(),
    }
}
