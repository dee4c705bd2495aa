//! `memory.bandwidth`: bytes per second through caches and memory.

use std::collections::BTreeMap;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, Order, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{LoadProfile, MetricSpec, Parameters, Quantity, Unit, Value, WorkloadSpec};

use crate::workload::memory::arrays::{self, Arrays, Kernel, Passes};
use crate::workload::memory::kernel::{self, Isa};
use crate::workload::memory::latency::least;
use crate::workload::memory::layout::Layout;
use crate::workload::memory::{nodes, pages, sizes};
use crate::workload::{HostInfo, LoadContext, Requirements, Workload, common, profile};

/// The description.
pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: "memory.bandwidth",
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
            .default("dram")
            .words(&sizes::words(
                "8 times the last-level cache, at least 256 MiB, at most 1/8 of free memory",
            )),
        STORES,
        pages::PAGE_SIZE,
        nodes::CPU_NODE,
        nodes::MEMORY_NODE,
        common::BYTES,
    ],
    headline: "throughput",
    metrics: &[common::THROUGHPUT, COPIED_ONCE, BUS_ESTIMATE, common::ELAPSED, common::CPU_PER_BYTE],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
};

/// What is done with the arrays.
pub(super) const OPERATION: ParameterSpec =
    ParameterSpec::new("operation", Kind::Choice, "What is done with the working set.")
        .default("read")
        .words(&[
            Word { word: "read", doc: "one array is read" },
            Word { word: "write", doc: "one array is written" },
            Word { word: "copy", doc: "one array is copied to another" },
            Word { word: "triad", doc: "a = b + 3 c over three arrays, as in STREAM" },
        ]);

/// How writes are made.
pub(super) const STORES: ParameterSpec =
    ParameterSpec::new("stores", Kind::Choice, "How writes are made.").default("auto").words(&[
        Word {
            word: "auto",
            doc: "ordinary while the working set fits the last cache, otherwise non-temporal",
        },
        Word { word: "ordinary", doc: "through the caches: a line is fetched before it is overwritten" },
        Word { word: "non-temporal", doc: "around the caches" },
    ]);

const COPIED_ONCE: MetricSpec = MetricSpec::higher(
    "throughput_copied_once",
    Unit::BytesPerSecond,
    "A copied byte counted once, as mbw counts; only for copy.",
);
const BUS_ESTIMATE: MetricSpec = MetricSpec::higher(
    "throughput_bus_estimate",
    Unit::BytesPerSecond,
    "What passes on the memory bus, estimated: ordinary stores first fetch the line they overwrite \
     (write-allocate), so a written byte counts twice. Meaningful only beyond the caches.",
);

/// One operation moves about so many bytes: long beside the clock, short
/// beside a window.
const OPERATION_BYTES: u64 = 4 << 20;

/// The workload.
#[derive(Debug)]
pub struct Bandwidth;

/// `dram` stands for so many times the last-level cache.
const DRAM_TIMES: u64 = 8;

impl Workload for Bandwidth {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn survey(&self, mut parameters: Parameters, host: &HostInfo) -> Result<Requirements, Problem> {
        let memory_bytes = survey(&mut parameters, host, SPEC.name, DRAM_TIMES)?;
        Ok(Requirements { parameters, memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, parameters: &Parameters) -> LoadProfile {
        let arrays = Flow { order: Order::Sequential, ..Flow::only(OperationClass::Access, FlowUnit::Bytes) };
        LoadProfile {
            span_bytes: parameters.integer("size").ok(),
            ..profile::of_one(&SPEC, parameters, &[WaitsFor::Memory], arrays)
        }
    }

    fn prepare(&self, parameters: &Parameters, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let layout = Layout::of(parameters)?;
        let cpus = layout.cpus(parameters.integer("threads")? as usize)?;
        let passes = Passes::of(parameters, parameters.integer("size")?, OPERATION_BYTES)?;
        Ok(Box::new(PreparedBandwidth { passes, layout, cpus }))
    }

    fn metrics(
        &self,
        parameters: &Parameters,
        outcome: &LoadOutcome,
        window: Window,
    ) -> BTreeMap<String, Quantity> {
        let mut metrics = common::metrics(&SPEC, outcome, window);
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name.to_owned(), Quantity { value, unit: spec.unit });
        };
        let throughput = outcome.bytes / window.seconds();
        if let Ok(kernel) = Kernel::of(parameters) {
            if kernel == Kernel::Copy {
                put(COPIED_ONCE, throughput / 2.0);
            }
            let fetched = outcome.facts.get("stores") == Some(&Value::from("ordinary")) && kernel.writes();
            let arrays = kernel.arrays() as f64;
            put(BUS_ESTIMATE, throughput * if fetched { (arrays + 1.0) / arrays } else { 1.0 });
        }
        metrics
    }
}

/// Resolves the size and the stores of a load that works on arrays; returns the
/// bytes that all of its threads take.
///
/// # Errors
/// If the machine does not have what it needs.
pub(super) fn survey(
    parameters: &mut Parameters,
    host: &HostInfo,
    workload: &str,
    dram_times: u64,
) -> Result<u64, Problem> {
    let wrong = |e: &dyn std::fmt::Display| {
        Problem::invalid(e.to_string(), format!("see `headroom workloads {workload}`"))
    };
    let threads = parameters.integer("threads").map_err(|e| wrong(&e))?;
    let layout = Layout::of(parameters).map_err(|e| wrong(&e))?;
    if let Some(Value::Text(word)) = parameters.get("size") {
        let size = sizes::of_word(word, threads, dram_times, layout.room(host), host)?;
        parameters.set("size", size);
    }
    let size = parameters.integer("size").map_err(|e| wrong(&e))?;
    let kernel = Kernel::of(parameters).map_err(|e| wrong(&e))?;
    least(size, arrays::least_bytes(kernel), "two cache lines of each array")?;
    if parameters.is_word("stores", "auto") {
        let beyond = size.saturating_mul(threads) > sizes::last_cache(host) && kernel::widest() != Isa::Base;
        parameters.set("stores", if beyond { "non-temporal" } else { "ordinary" });
    }
    layout.survey(host, threads, arrays::bytes_taken(kernel, size), size)
}

#[derive(Debug)]
struct PreparedBandwidth {
    passes: Passes,
    layout: Layout,
    cpus: Option<Vec<u32>>,
}

impl Prepared for PreparedBandwidth {
    fn operation_bytes(&self) -> u64 {
        self.passes.operation_bytes()
    }

    fn cpus(&self) -> Option<Vec<u32>> {
        self.cpus.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(&'static str, Value)> {
        self.layout.facts()
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let arrays = Arrays::new(self.passes, &self.layout)?;
        Ok(Box::new(Blocking::new(Passing { arrays, layout: self.layout.clone() })))
    }
}

/// Passes over a working set, a piece an operation.
struct Passing {
    arrays: Arrays,
    layout: Layout,
}

impl Operate for Passing {
    #[inline]
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        Ok(self.arrays.advance())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.layout.note(self.arrays.buffer());
        self.arrays.verify()
    }

    fn facts(&self) -> Vec<(&'static str, Value)> {
        self.arrays.facts()
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
        parameters.set("operation", "copy");
        parameters.set("size", size);
        parameters.set("page-size", "auto");
        parameters.set("threads", threads);
        Bandwidth.survey(parameters, &host())
    }

    #[test]
    fn words_become_sizes_of_this_machine() {
        let size =
            |word: &str, threads| survey(word.into(), threads).unwrap().parameters.integer("size").unwrap();
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
