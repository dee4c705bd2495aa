//! `memory.latency`: how long a load takes that waits for the one before it.

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Completion, Operation, Queue};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, Order, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{FactName, LoadProfile, Parameters, Quantity, Unit, Value, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::{LoadSchedule, NumberOrWord};
use crate::workload::memory::chase::{self, Cycle, LOAD_LATENCY};
use crate::workload::memory::kernel::LINE;
use crate::workload::memory::layout::Layout;
use crate::workload::memory::{pages, sizes};
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};

/// `dram` stands for so many times the last-level cache: of a random walk over
/// four times as much, a cache of any policy serves a quarter at most.
pub(super) const DRAM_TIMES: u64 = 4;

/// The size of which latency is measured.
pub(super) const SIZE: ParameterSpec =
    ParameterSpec::new("size", Kind::Size, "The working set of each thread.")
        .says(Aspect::Span)
        .default("dram")
        .words(&sizes::words("4 times the last-level cache, at least 256 MiB, at most 1/8 of free memory"));

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.latency"),
    definition_version: 1,
    summary: "how long a load takes that waits for the one before",
    doc: "Each thread walks over a working set of its own: every 64-byte line holds the address of the next, in one \
          cycle over all lines whose order is random over the whole set. No load can start before the last has \
          ended, and no prefetcher can guess where the next goes. A small set measures a cache, one several times \
          the last-level cache measures memory. Over large sets the processor must also look up where a page lies \
          (TLB); that is in the figure, and page-size shows how much it is. Loads follow one another, so there is \
          no rate. One operation is 512 to 16384 loads.",
    parameters: &[SIZE, pages::PAGE_SIZE],
    headline: metric::LOAD_LATENCY,
    metrics: &[LOAD_LATENCY, common::ELAPSED],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
    examples: &[
        "memory.latency",
        "memory.latency --size 16k..1g --duration 200ms --trials 3",
        "memory.latency --page-size base,transparent",
    ],
};

#[derive(Debug)]
pub(crate) struct Latency;

impl Workload for Latency {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedLatency {
            schedule: schedule.clone(),
            size: NumberOrWord::of(parameters, named("size"))?,
            layout: Layout::of(parameters, schedule.nodes)?,
        }))
    }
}

#[derive(Debug)]
struct PlannedLatency {
    schedule: LoadSchedule,
    size: NumberOrWord,
    layout: Layout,
}

impl Planned for PlannedLatency {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let threads = self.schedule.threads;
        no_rate(&self.schedule, SPEC.name)?;
        alone(threads, host, SPEC.name)?;
        let size = sizes::resolve(&mut self.size, threads, DRAM_TIMES, self.layout.room(host), host)?;
        least(size, 2 * LINE as u64, "two cache lines")?;
        let memory_bytes = self.layout.survey(host, threads, size, size)?;
        let mut resolved = Parameters::default();
        resolved.set(named("size"), size);
        Ok(Requirements { resolved, memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let chase = Flow { order: Order::Random, ..Flow::only(OperationClass::Access, FlowUnit::Operations) };
        LoadProfile { span_bytes: self.size.number().ok(), ..profile::of_one(base, WaitsFor::Memory, chase) }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(PreparedLatency { size: self.size.number()?, layout: self.layout.anew() }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let Ok(size) = self.size.number() else { return metrics };
        let loads = outcome.operations * chase::loads_per_operation(size) as f64;
        if loads > 0.0 {
            let value = window.seconds() * self.schedule.threads as f64 / loads;
            metrics.insert(LOAD_LATENCY.name, Quantity { value, unit: Unit::Seconds });
        }
        metrics
    }
}

/// Loads that wait for one another have no rate.
pub(super) fn no_rate(schedule: &LoadSchedule, workload: WorkloadName) -> Result<(), Problem> {
    let searched = schedule.latency_target.map(|_| "latency-target");
    match schedule.rate.map(|_| "rate").or(searched) {
        Some(name) => Err(Problem::invalid(
            format!("{name} has no meaning for {workload}: each load starts when the one before it ends"),
            format!("leave {name} out"),
        )),
        None => Ok(()),
    }
}

/// Refuses more threads than CPUs: those that wait for a CPU would be taken for
/// loads that wait for memory.
pub(super) fn alone(threads: u64, host: &HostInfo, workload: WorkloadName) -> Result<(), Problem> {
    if threads <= host.cpus as u64 {
        return Ok(());
    }
    Err(Problem::refused(
        format!("{workload} with {threads} threads needs as many CPUs, and we may use {}", host.cpus),
        "a thread that waits for a CPU would be taken for a load that waits for memory; use threads=all",
    ))
}

/// Refuses a working set that is too small for what is done with it.
pub(super) fn least(size: u64, least: u64, what: &str) -> Result<(), Problem> {
    if size >= least {
        return Ok(());
    }
    Err(Problem::invalid(
        format!("a working set of {size} bytes is too small"),
        format!("at least {least} bytes, {what}"),
    ))
}

#[derive(Debug)]
struct PreparedLatency {
    size: u64,
    layout: Layout,
}

impl Prepared for PreparedLatency {
    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.layout.facts()
    }

    fn worker(&self, _seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Chasing::new(&self.layout, self.size, seed)?))
    }
}

/// Walks a cycle, a batch of loads an operation.
pub(super) struct Chasing {
    cycle: Cycle,
    loads: usize,
    layout: Layout,
    finished: Option<Completion>,
}

impl Chasing {
    /// Makes a set of `size` bytes. Its operations are of class 0.
    pub(super) fn new(layout: &Layout, size: u64, seed: u64) -> Result<Self, Fault> {
        let lines = (size / LINE as u64) as usize;
        let cycle = Cycle::new(layout.buffer(lines * LINE)?, lines, seed)?;
        Ok(Self { cycle, loads: chase::loads_per_operation(size), layout: layout.clone(), finished: None })
    }
}

impl Queue for Chasing {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.cycle.walk(self.loads);
        self.finished = Some(Completion { slot, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.layout.note(self.cycle.buffer());
        self.cycle.verify(&mut || life.beat())
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn survey(size: Value, more: &[(&str, Value)]) -> Result<Requirements, Problem> {
        let host = HostInfo {
            cpus: 2,
            caches: vec![(1, 32 << 10, 1), (2, 1 << 20, 1), (3, 32 << 20, 4)],
            memory_available: 8 << 30,
            ..HostInfo::default()
        };
        let mut parameters = Parameters::default();
        parameters.set(named("size"), size);
        parameters.set(named("threads"), 1u64);
        parameters.set(named("page-size"), "auto");
        more.iter()
            .for_each(|(name, value)| parameters.set(ParameterName::intern(name).unwrap(), value.clone()));
        crate::workload::survey(&Latency, parameters, &host)
    }

    #[test]
    fn sizes_are_resolved_and_counted() {
        let size = |word: &str| survey(word.into(), &[]).unwrap().resolved.integer(named("size")).unwrap();
        assert_eq!((size("l1"), size("dram")), (16 << 10, 256 << 20));
        assert_eq!(survey(100_000u64.into(), &[]).unwrap().memory_bytes, 102_400);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        assert!(survey(64u64.into(), &[]).unwrap_err().message.contains("too small"));
        let problem = survey((16u64 << 30).into(), &[]).unwrap_err();
        assert!(problem.message.contains("8 GiB are free"), "{problem:?}");
        let problem = survey(4096u64.into(), &[("threads", 3u64.into())]).unwrap_err();
        assert!(problem.message.contains("needs as many CPUs, and we may use 2"), "{problem:?}");
        let problem = survey(4096u64.into(), &[("rate", 10.0.into())]).unwrap_err();
        assert!(problem.message.contains("rate has no meaning"), "{problem:?}");
    }
}
