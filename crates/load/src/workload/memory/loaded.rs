//! `memory.loaded`: how long a load takes while other threads draw bandwidth.
//!
//! A memory that answers in 100 ns when it is idle answers in several times that
//! when it is busy, and a busy one is what programs meet. So one thread chases
//! (as `memory.latency`) and the others draw (as `memory.bandwidth`) for a
//! share of their time; along that share lies the curve that Intel's MLC and
//! multichase show.

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Class, Completion, Operate, Operation, Queue};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, Order, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricSpec, Parameters, Quantity, Value, WorkloadName, WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::memory::arrays::{Arrays, Passes};
use crate::workload::memory::bandwidth::{OPERATION, STORES, WorkingSets};
use crate::workload::memory::chase::{self, LOAD_LATENCY};
use crate::workload::memory::latency::{Chasing, DRAM_TIMES, SIZE, alone, no_rate};
use crate::workload::memory::layout::Layout;
use crate::workload::memory::pages;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.loaded"),
    definition_version: 1,
    summary: "how long a load takes while other threads draw bandwidth",
    doc: "The first thread walks over a working set as memory.latency does; all others pass over sets of their own as \
          memory.bandwidth does, about 64 KiB at a time, and wait by spinning in between, so that they draw for \
          `share` of their time. load_latency is the first thread's, throughput that of the others. With share=0% they \
          only spin: the latency beside busy processors and an idle memory.",
    parameters: &[
        ParameterSpec::new("threads", Kind::Count, "Workers: the first chases, the others draw.")
            .says(Aspect::Workers)
            .default("2")
            .words(common::ALL_CPUS),
        SIZE,
        ParameterSpec::new(
            "share",
            Kind::Share,
            "The share of their time for which all threads but the first draw.",
        )
        .says(Aspect::Share)
        .default("100%"),
        OPERATION,
        STORES,
        pages::PAGE_SIZE,
    ],
    headline: metric::LOAD_LATENCY,
    metrics: &[LOAD_LATENCY, DRAWN],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
    examples: &[
        "memory.loaded --threads all",
        "memory.loaded --threads all --share 0%,25%,50%,75%,100%",
        "memory.loaded --threads all --operation read,copy",
    ],
};

/// What the others moved; its name and unit are those of every throughput.
const DRAWN: MetricSpec =
    common::throughput(metric::THROUGHPUT, "Bytes moved per second by all threads but the first.");

/// The kinds of operations. Only those of the first thread are counted as the
/// load's: what is asked is how it fares.
const CLASSES: &[Class] = &[
    Class { name: "chase", counts: true, fails: false },
    Class { name: "draw", counts: false, fails: false },
];
const DRAW: u8 = 1;

/// One piece of drawing: a few microseconds, so that a share of one half is no
/// coarse alternation of full and none.
const DRAW_BYTES: u64 = 64 << 10;

/// How long a thread spins that draws nothing, before it looks around.
const IDLE_NS: u64 = 20_000;

/// What a thread that was held up may make up for by drawing more: nothing
/// beyond the clock's own cost.
const MADE_UP_NS: u64 = 500;

#[derive(Debug)]
pub(crate) struct LoadedLatency;

impl Workload for LoadedLatency {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedLoadedMemory {
            schedule: schedule.clone(),
            share: parameters.number(named("share"))?,
            sets: WorkingSets::of(parameters, schedule)?,
        }))
    }
}

#[derive(Debug)]
struct PlannedLoadedMemory {
    schedule: LoadSchedule,
    share: f64,
    sets: WorkingSets,
}

impl Planned for PlannedLoadedMemory {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        no_rate(&self.schedule, SPEC.name)?;
        if self.schedule.requests.is_some() {
            return Err(Problem::invalid(
                "requests cannot end memory.loaded: its threads do different things",
                "give a duration",
            ));
        }
        if self.schedule.threads < 2 {
            return Err(Problem::invalid(
                "memory.loaded needs at least 2 threads: one measures and the others draw",
                "use threads=2 or more; memory.latency measures alone",
            ));
        }
        alone(self.schedule.threads, host, SPEC.name)?;
        self.sets.survey(host, DRAM_TIMES)
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let flow = |unit, share, order| Flow { share, order, ..Flow::only(OperationClass::Access, unit) };
        // The loads that are timed, and beside them what the other threads draw.
        let chased = flow(FlowUnit::Operations, 1.0, Order::Random);
        let drawn = flow(FlowUnit::Bytes, 0.0, Order::Sequential);
        LoadProfile {
            flows: vec![chased, drawn],
            span_bytes: self.sets.size.number().ok(),
            waits_for: [WaitsFor::Memory].into(),
            ..base
        }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (passes, layout) = self.sets.prepare(DRAW_BYTES)?;
        let (size, share) = (self.sets.size.number()?, self.share);
        Ok(Box::new(PreparedLoadedMemory { size, share, passes, layout }))
    }

    fn metrics(&self, _common: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let mut metrics = Metrics::new();
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        };
        let class = |name: &str| outcome.classes.iter().find(|c| c.class.name == name);
        if let (Some(chase), Ok(size)) = (class("chase"), self.sets.size.number()) {
            let loads = chase.operations * chase::loads_per_operation(size) as f64;
            if loads > 0.0 {
                put(LOAD_LATENCY, window.seconds() / loads);
            }
        }
        if let Some(draw) = class("draw") {
            put(DRAWN, draw.bytes / window.seconds());
        }
        metrics
    }
}

#[derive(Debug)]
struct PreparedLoadedMemory {
    size: u64,
    share: f64,
    passes: Passes,
    layout: Layout,
}

impl Prepared for PreparedLoadedMemory {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.layout.facts()
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        if worker.index == 0 {
            return Ok(Box::new(Chasing::new(&self.layout, self.size, seed)?));
        }
        let arrays = Arrays::new(self.passes, &self.layout)?;
        Ok(Box::new(Drawing { arrays, share: self.share, due_ns: 0, finished: None }))
    }
}

/// Draws a piece, then spins until its share of the time is no more than asked.
struct Drawing {
    arrays: Arrays,
    share: f64,
    /// When the next piece is due.
    due_ns: u64,
    finished: Option<Completion>,
}

impl Drawing {
    fn draw(&mut self) -> u64 {
        if self.share >= 1.0 {
            return self.arrays.advance();
        }
        let started_ns = clock::now_ns();
        if self.share <= 0.0 {
            spin_until(started_ns + IDLE_NS);
            return 0;
        }
        let bytes = self.arrays.advance();
        let took_ns = clock::now_ns().saturating_sub(started_ns) as f64;
        // Counted from when this piece was due, so that what the engine does
        // between two pieces is part of the rest; a piece that was held up does
        // not make the next ones follow without a rest.
        let from_ns = self.due_ns.max(started_ns.saturating_sub(MADE_UP_NS));
        self.due_ns = from_ns + (took_ns / self.share) as u64;
        spin_until(self.due_ns);
        bytes
    }
}

fn spin_until(until_ns: u64) {
    while clock::now_ns() < until_ns {
        std::hint::spin_loop();
    }
}

impl Queue for Drawing {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let bytes = self.draw();
        self.finished = Some(Completion { slot, bytes, class: DRAW, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        life.beat()?;
        self.arrays.verify()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.arrays.facts()
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn parameters(threads: u64, share: f64) -> Parameters {
        let mut parameters = Parameters::default();
        for (name, word) in [("operation", "read"), ("stores", "auto"), ("page-size", "base")] {
            parameters.set(ParameterName::intern(name).unwrap(), word);
        }
        parameters.set(named("threads"), threads);
        parameters.set(named("size"), 256u64 << 10);
        parameters.set(named("share"), share);
        parameters
    }

    fn survey(parameters: Parameters) -> Result<Requirements, Problem> {
        let host = HostInfo { cpus: 3, memory_available: 1 << 30, ..HostInfo::default() };
        crate::workload::survey(&LoadedLatency, parameters, &host)
    }

    #[test]
    fn one_thread_or_a_count_or_a_rate_are_refused() {
        assert_eq!(survey(parameters(3, 1.0)).unwrap().memory_bytes, 3 * (256 << 10));
        assert!(survey(parameters(1, 1.0)).unwrap_err().message.contains("at least 2 threads"));
        for name in ["requests", "rate"] {
            let mut parameters = parameters(2, 1.0);
            parameters.set(ParameterName::intern(name).unwrap(), 10u64);
            assert!(survey(parameters).unwrap_err().message.contains(name));
        }
    }

    fn drawing(share: f64) -> Drawing {
        let load = crate::workload::Load::new(&LoadedLatency, parameters(2, share), 3).unwrap();
        let sets = WorkingSets::of(&load.parameters, &load.schedule).unwrap();
        let (passes, layout) = sets.prepare(DRAW_BYTES).unwrap();
        let arrays = Arrays::new(passes, &layout).unwrap();
        Drawing { arrays, share, due_ns: 0, finished: None }
    }

    #[test]
    fn a_piece_is_followed_by_a_rest_as_long_as_the_share_asks() {
        let mut half = drawing(0.5);
        let begin_ns = clock::now_ns();
        assert_eq!(half.draw(), DRAW_BYTES);
        assert!(clock::now_ns() >= half.due_ns && half.due_ns > begin_ns);
        let mut none = drawing(0.0);
        let begin_ns = clock::now_ns();
        assert_eq!(none.draw(), 0);
        assert!(clock::now_ns() >= begin_ns + IDLE_NS);
        assert_eq!(drawing(1.0).draw(), DRAW_BYTES);
    }
}
