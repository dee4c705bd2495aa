//! `null`: nothing, through the whole engine. It shows what the engine itself
//! costs, and so how fast a target must be to be measured at all.

use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::Aspect;
use model::resource::Symbol;
use model::{LoadProfile, Parameters, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named};

/// The description.
pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("null"),
    definition_version: 1,
    summary: "nothing: what the engine itself costs",
    doc: "Operations that end the moment they start, with the same schedule, clock and histograms as every other \
          load. Its rate is the highest that this program can drive or record; a result near it measures Headroom, \
          not the machine.",
    parameters: &[ParameterSpec::new(
        "queue-depth",
        Kind::Count,
        "Operations in flight at once, for each worker.",
    )
    .always_told()
    .says(Aspect::Depth)
    .default("1")],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: &[
        common::OPERATIONS,
        common::ELAPSED,
        common::LATENCY_P50,
        common::LATENCY_P99,
        common::LATENCY_P99_9,
        common::LATENCY_MAX,
        common::SERVICE_P50,
        common::SERVICE_P99,
        common::CPU_PER_OPERATION,
        common::RATE_HELD,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus],
    examples: &["null", "null --queue-depth 1..64", "null --rate 10k/s,100k/s --threads 2"],
};

#[derive(Debug)]
pub(crate) struct Null;

impl Workload for Null {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, _: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedNull { depth: parameters.integer(named("queue-depth"))? }))
    }
}

#[derive(Clone, Debug)]
struct PlannedNull {
    depth: u64,
}

impl Planned for PlannedNull {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if (1..=4096).contains(&self.depth) {
            return Ok(Requirements::default());
        }
        Err(Problem::invalid("queue-depth is more than 4096", "use a smaller depth or more threads"))
    }

    fn profile(&self, mut base: LoadProfile) -> LoadProfile {
        base.concurrency.depth = Some(self.depth);
        base.concurrency.operations = base.concurrency.operations.saturating_mul(self.depth.max(1));
        LoadProfile { is_null: true, ..base }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.clone()))
    }
}

impl Prepared for PlannedNull {
    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let depth = self.depth as usize;
        Ok(Box::new(Nothing { depth, started: Vec::with_capacity(depth) }))
    }
}

/// A queue whose operations are finished as soon as they are asked after.
#[derive(Debug)]
struct Nothing {
    depth: usize,
    started: Vec<Completion>,
}

impl Queue for Nothing {
    #[inline]
    fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        std::hint::black_box(operation);
        self.started.push(Completion { slot, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        // `done` is empty and has as much room: nothing is copied.
        std::mem::swap(done, &mut self.started);
        Ok(())
    }
}
