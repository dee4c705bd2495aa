//! Headroom with an area that it knows nothing of, in one file: a press that
//! stamps a piece every five milliseconds, for whoever comes first. Its flow, its
//! unit, its resource with the limit, its headline and its words are here and
//! nowhere else. The test `other_area` runs this program as users run `headroom`:
//! verdict, summary, page, comparison and table must follow by themselves.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cli::Tables;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock};
use language::Language;
use load::workload::common::{self, LoadSchedule};
use load::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, profile};
use model::limit::LimitKind;
use model::metric;
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::unit::UnitName;
use model::{
    Limit, LoadProfile, MetricName, MetricSpec, Parameters, Quantity, Resource, Unit, WorkloadName,
    WorkloadSpec,
};

/// How long a stamp takes.
const STAMP: Duration = Duration::from_millis(5);

/// What the press is called in a path.
const PRESS: &str = "press:0";

/// Stamps per second.
const STAMPS_PER_SECOND: Unit = Unit::Other(UnitName::new("stamps/s"));

/// The description.
const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("press.stamp"),
    definition_version: 1,
    summary: "pieces stamped by one press",
    doc: "Each thread brings a piece to the press, waits until it is stamped, and brings the next.",
    parameters: &[],
    headline: MetricName::new("stamps"),
    metrics: &[
        MetricSpec::higher(MetricName::new("stamps"), STAMPS_PER_SECOND, "Pieces stamped per second."),
        common::OPERATIONS,
        common::LATENCY_P50,
        common::LATENCY_P99,
    ],
    path: &[Symbol::WorkerCpus, Symbol::Own(PRESS)],
};

/// What Korean and Japanese call it.
const WORDS: &[(Language, &str)] = &[
    (
        Language::Korean,
        "workload-press-stamp = 프레스 하나가 찍는 조각\n\
         metric-stamps = 초당 찍은 조각의 수입니다.\n\
         metric-title-stamps = 초당 조각 수\n",
    ),
    (
        Language::Japanese,
        "workload-press-stamp = 一台のプレスが打つ部品\n\
         metric-stamps = 1 秒に打った部品の数です。\n\
         metric-title-stamps = 毎秒の部品数\n",
    ),
];

/// The workload.
#[derive(Debug)]
struct Stamp;

impl Workload for Stamp {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, _: &Parameters, _: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedStamp))
    }
}

/// One load. It has no parameters of its own.
struct PlannedStamp;

impl Planned for PlannedStamp {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        let limit = Limit {
            resource: Resource::from(PRESS),
            quantity: MetricName::new("stamps"),
            direction: None,
            kind: LimitKind::Hardware,
            line: None,
            effective: Some(1.0 / STAMP.as_secs_f64()),
            unit: STAMPS_PER_SECOND,
            block_bytes: None,
            access: None,
            chipset: None,
            promise: None,
            payload: None,
            source: "the press takes 5 ms for each piece".to_owned(),
        };
        Ok(Requirements { limits: vec![limit], ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let class = OperationClass::Other("stamp".to_owned());
        let flow = Flow::only(class, FlowUnit::Other("pieces".to_owned()));
        profile::of_one(base, WaitsFor::Other("press".to_owned()), flow)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(PreparedStamp::default()))
    }

    fn metrics(&self, mut metrics: Metrics, _outcome: &LoadOutcome, _window: Window) -> Metrics {
        if let Some(rate) = metrics.get(&metric::OPERATIONS_PER_SECOND).map(|rate| rate.value) {
            metrics.insert(MetricName::new("stamps"), Quantity { value: rate, unit: STAMPS_PER_SECOND });
        }
        metrics
    }
}

/// The press, for all threads of a trial.
#[derive(Debug, Default)]
struct PreparedStamp {
    /// When it is free again, ns.
    free_ns: Arc<Mutex<u64>>,
}

impl Prepared for PreparedStamp {
    fn operation_bytes(&self) -> u64 {
        0
    }

    fn worker(&self, _index: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(Stamping { free_ns: Arc::clone(&self.free_ns) })))
    }
}

/// One thread that brings pieces.
struct Stamping {
    free_ns: Arc<Mutex<u64>>,
}

impl Operate for Stamping {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let stamped_ns = {
            let mut free_ns = self.free_ns.lock().unwrap_or_else(PoisonError::into_inner);
            *free_ns = clock::now_ns().max(*free_ns) + STAMP.as_nanos() as u64;
            *free_ns
        };
        std::thread::sleep(Duration::from_nanos(stamped_ns.saturating_sub(clock::now_ns())));
        Ok(0)
    }
}

fn main() -> ExitCode {
    cli::main_with(std::env::args_os(), Tables { workloads: &[&Stamp], words: WORDS })
}
