//! `memory.bandwidth`: bytes per second through caches and memory.

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Blocking;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, Order, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricName, MetricSpec, Parameters, Quantity, Value, WorkloadName, WorkloadSpec,
    metric,
};

use crate::workload::common::{LoadSchedule, NumberOrWord};
use crate::workload::memory::arrays::{self, Arrays, Kernel, Passes, STORE_KIND};
use crate::workload::memory::kernel::{self, Isa, Stores};
use crate::workload::memory::latency::least;
use crate::workload::memory::layout::Layout;
use crate::workload::memory::{pages, sizes};
use crate::workload::{
    HostInfo, Load, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.bandwidth"),
    definition_version: 1,
    summary: "bytes per second that threads read, write, copy or combine",
    doc: "Each thread passes again and again over a working set of its own with the widest vectors that the \
          processor has. A small working set stays in a cache and measures that cache; one several times the \
          last-level cache measures memory. Throughput counts what the program moves, as STREAM does: a copy reads \
          and writes each byte, so it counts twice. One operation, as `requests` and `rate` count them, moves about \
          4 MiB. What mbw would print, and an estimate of what passes on the bus, \
          stand beside it.",
    parameters: &[
        OPERATION,
        ParameterSpec::new("size", Kind::Size, "The working set of each thread, all of its arrays together.")
            .says(Aspect::Span)
            .default("dram")
            .words(&sizes::words(
                "8 times the last-level cache, at least 256 MiB, at most 1/8 of free memory",
            )),
        STORES,
        pages::PAGE_SIZE,
        common::BYTES,
    ],
    headline: metric::THROUGHPUT,
    metrics: &[common::THROUGHPUT, COPIED_ONCE, BUS_ESTIMATE, common::ELAPSED, common::CPU_PER_BYTE],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
    examples: &[
        "memory.bandwidth --operation read,copy,triad --threads 1,all",
        "memory.bandwidth --size 16k..1g",
        "memory.bandwidth --operation copy --stores ordinary,non-temporal",
    ],
};

pub(super) const OPERATION: ParameterSpec =
    ParameterSpec::new("operation", Kind::Choice, "What is done with the working set.")
        .says(Aspect::Operation)
        .default("read")
        .words(&[
            Word { word: "read", doc: "one array is read" },
            Word { word: "write", doc: "one array is written" },
            Word { word: "copy", doc: "one array is copied to another" },
            Word { word: "triad", doc: "a = b + 3 c over three arrays, as in STREAM" },
        ]);

pub(super) const STORES: ParameterSpec = ParameterSpec::new("stores", Kind::Choice, "How writes are made.")
    .says(Aspect::Stores)
    .default("auto")
    .words(&[
        Word {
            word: "auto",
            doc: "ordinary while the working set fits the last cache, otherwise non-temporal",
        },
        Word { word: "ordinary", doc: "through the caches: a line is fetched before it is overwritten" },
        Word { word: "non-temporal", doc: "around the caches" },
    ]);

const COPIED_ONCE: MetricSpec = common::throughput(
    MetricName::new("throughput_copied_once"),
    "A copied byte counted once, as mbw counts; only for copy.",
);
const BUS_ESTIMATE: MetricSpec = common::throughput(
    metric::THROUGHPUT_BUS_ESTIMATE,
    "What passes on the memory bus, estimated: ordinary stores first fetch the line they overwrite \
     (write-allocate), so a written byte counts twice. Meaningful only beyond the caches.",
);

/// One operation moves about so many bytes: long beside the clock, short
/// beside a window.
const OPERATION_BYTES: u64 = 4 << 20;

#[derive(Debug)]
pub(crate) struct Bandwidth;

/// `dram` stands for so many times the last-level cache.
const DRAM_TIMES: u64 = 8;

impl Workload for Bandwidth {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedBandwidth(WorkingSets::of(parameters, schedule)?)))
    }
}

/// The arrays of every thread, and what is done with them.
#[derive(Debug)]
pub(super) struct WorkingSets {
    pub(super) threads: u64,
    /// Of each thread.
    pub(super) size: NumberOrWord,
    kernel: Kernel,
    /// How writes are made; none where that follows from the size.
    stores: Option<Stores>,
    layout: Layout,
}

impl WorkingSets {
    pub(super) fn of(parameters: &Parameters, schedule: &LoadSchedule) -> Result<Self, Problem> {
        Ok(Self {
            threads: schedule.threads,
            size: NumberOrWord::of(parameters, named("size"))?,
            kernel: Kernel::of(parameters)?,
            stores: match parameters.text(named("stores"))? {
                "auto" => None,
                "non-temporal" => Some(Stores::NonTemporal),
                _ => Some(Stores::Ordinary),
            },
            layout: Layout::of(parameters, schedule.nodes)?,
        })
    }

    /// Resolves the size and the stores.
    pub(super) fn survey(&mut self, host: &HostInfo, dram_times: u64) -> Result<Requirements, Problem> {
        let Self { threads, kernel, .. } = *self;
        let size = sizes::resolve(&mut self.size, threads, dram_times, self.layout.room(host), host)?;
        least(size, arrays::least_bytes(kernel), "two cache lines of each array")?;
        let beyond = size.saturating_mul(threads) > sizes::last_cache(host) && kernel::widest() != Isa::Base;
        let usual = if beyond { Stores::NonTemporal } else { Stores::Ordinary };
        let stores = *self.stores.get_or_insert(usual);
        let mut resolved = Parameters::default();
        resolved.set(named("size"), size);
        resolved.set(named("stores"), if stores == Stores::Ordinary { "ordinary" } else { "non-temporal" });
        let memory_bytes = self.layout.survey(host, threads, arrays::bytes_taken(kernel, size), size)?;
        Ok(Requirements { resolved, memory_bytes, ..Requirements::default() })
    }

    /// How they are passed over, and where they lie.
    pub(super) fn prepare(&self, operation_bytes: u64) -> Result<(Passes, Layout), Fault> {
        let how = (self.kernel, self.stores.unwrap_or(Stores::Ordinary));
        Ok((Passes::of(how, self.size.number()?, operation_bytes), self.layout.anew()))
    }
}

#[derive(Debug)]
struct PlannedBandwidth(WorkingSets);

impl Planned for PlannedBandwidth {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.0.survey(host, DRAM_TIMES)
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let arrays = Flow { order: Order::Sequential, ..Flow::only(OperationClass::Access, FlowUnit::Bytes) };
        LoadProfile {
            span_bytes: self.0.size.number().ok(),
            ..profile::of_one(base, WaitsFor::Memory, arrays)
        }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (passes, layout) = self.0.prepare(OPERATION_BYTES)?;
        Ok(Box::new(PreparedBandwidth { passes, layout }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        };
        let (kernel, throughput) = (self.0.kernel, outcome.bytes / window.seconds());
        if kernel == Kernel::Copy {
            put(COPIED_ONCE, throughput / 2.0);
        }
        let fetched = outcome.facts.get(&STORE_KIND) == Some(&Value::from("ordinary")) && kernel.writes();
        let arrays = kernel.arrays() as f64;
        put(BUS_ESTIMATE, throughput * if fetched { (arrays + 1.0) / arrays } else { 1.0 });
        metrics
    }
}

/// A copy from memory to memory by so many threads, each within `bytes`, with stores that
/// go around the caches: what the bus carries.
///
/// # Errors
/// If the machine does not have what it needs.
pub fn plain_copy(threads: u64, bytes: u64, host: &HostInfo) -> Result<Load, Problem> {
    let mut parameters = Parameters::default();
    parameters.set(named("threads"), threads);
    parameters.set(named("operation"), "copy");
    parameters.set(named("size"), bytes);
    parameters.set(named("stores"), "non-temporal");
    let mut load = Load::new(&Bandwidth, parameters, host.cpus)?;
    load.survey(host)?;
    Ok(load)
}

#[derive(Debug)]
struct PreparedBandwidth {
    passes: Passes,
    layout: Layout,
}

impl Prepared for PreparedBandwidth {
    fn operation_bytes(&self) -> u64 {
        self.passes.operation_bytes()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.layout.facts()
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(Arrays::new(self.passes, &self.layout)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> HostInfo {
        HostInfo {
            cpus: 4,
            caches: vec![(1, 32 << 10, 1), (2, 1 << 20, 1), (3, 32 << 20, 4)],
            memory_available: 8 << 30,
            ..HostInfo::default()
        }
    }

    fn survey(size: Value, threads: u64) -> Result<Requirements, Problem> {
        let mut parameters = Parameters::default();
        parameters.set(named("operation"), "copy");
        parameters.set(named("size"), size);
        parameters.set(named("page-size"), "auto");
        parameters.set(named("threads"), threads);
        crate::workload::survey(&Bandwidth, parameters, &host())
    }

    #[test]
    fn words_become_sizes_of_this_machine() {
        let size = |word: &str, threads| {
            survey(word.into(), threads).unwrap().resolved.integer(named("size")).unwrap()
        };
        assert!(size("l1", 1) <= 16 << 10 && size("l1", 1) > 15 << 10);
        assert!(size("l3", 4) <= 4 << 20);
        assert_eq!(size("dram", 1), 256 << 20);
        assert_eq!(size("l2", 4), 512 << 10);
    }

    #[test]
    fn more_memory_than_is_free_is_refused_before_it_is_taken() {
        let problem = survey(Value::Integer(4 << 30), 2).unwrap_err();
        assert!(problem.message.contains("are free"), "{problem:?}");
        assert!(survey(Value::Integer(64), 1).is_err());
    }
}
