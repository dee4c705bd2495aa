//! `memory.bandwidth`: bytes per second through caches and memory.

use std::collections::BTreeMap;

use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::resource::Symbol;
use model::scalar::binary;
use model::trial::Window;
use model::{MetricSpec, Parameters, Quantity, Unit, Value, WorkloadSpec};

use crate::engine::fault::Fault;
use crate::engine::outcome::LoadOutcome;
use crate::engine::queue::{Blocking, Operate, Operation};
use crate::engine::schedule::Seat;
use crate::workload::memory::buffer::Buffer;
use crate::workload::memory::kernel::{self, Isa, LINE, Span, Stores};
use crate::workload::{Needs, Prepared, Shelf, Site, Worker, Workload, common};

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
        ParameterSpec::new("operation", Kind::Choice, "What is done with the working set.")
            .default("read")
            .words(&[
                Word { word: "read", doc: "one array is read" },
                Word { word: "write", doc: "one array is written" },
                Word { word: "copy", doc: "one array is copied to another" },
                Word { word: "triad", doc: "a = b + 3 c over three arrays, as in STREAM" },
            ]),
        ParameterSpec::new("size", Kind::Size, "The working set of each thread, all of its arrays together.")
            .default("dram")
            .words(&[
                Word { word: "l1", doc: "half of this thread's share of the first-level data cache" },
                Word { word: "l2", doc: "half of this thread's share of the second-level cache" },
                Word { word: "l3", doc: "half of this thread's share of the third-level cache" },
                Word {
                    word: "dram",
                    doc: "8 times the last-level cache, at least 256 MiB, at most 1/8 of free memory",
                },
            ]),
        ParameterSpec::new("stores", Kind::Choice, "How writes are made.").default("auto").words(&[
            Word {
                word: "auto",
                doc: "ordinary while the working set fits the last cache, otherwise non-temporal",
            },
            Word { word: "ordinary", doc: "through the caches: a line is fetched before it is overwritten" },
            Word { word: "non-temporal", doc: "around the caches" },
        ]),
        common::BYTES,
    ],
    headline: "throughput",
    metrics: &[common::THROUGHPUT, COPIED_ONCE, BUS_ESTIMATE, common::ELAPSED, CPU_PER_BYTE],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
};

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
const CPU_PER_BYTE: MetricSpec =
    MetricSpec::lower("cpu_per_byte", Unit::SecondsPerByte, "CPU time of the workers for each byte moved.");

/// One operation moves about so many bytes: long beside the clock, short
/// beside a window.
const OPERATION_BYTES: u64 = 4 << 20;

/// The workload.
#[derive(Debug)]
pub struct Bandwidth;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    Read,
    Write,
    Copy,
    Triad,
}

impl Kernel {
    fn of(parameters: &Parameters) -> Result<Self, Fault> {
        Ok(match parameters.text("operation")? {
            "read" => Kernel::Read,
            "write" => Kernel::Write,
            "copy" => Kernel::Copy,
            "triad" => Kernel::Triad,
            other => return Err(Fault::Other(format!("`{other}` is no operation of memory.bandwidth"))),
        })
    }

    fn arrays(self) -> u64 {
        match self {
            Kernel::Read | Kernel::Write => 1,
            Kernel::Copy => 2,
            Kernel::Triad => 3,
        }
    }

    fn writes(self) -> bool {
        self != Kernel::Read
    }
}

impl Workload for Bandwidth {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn survey(&self, mut parameters: Parameters, site: &Site) -> Result<Needs, Problem> {
        let wrong = |e: &dyn std::fmt::Display| {
            Problem::invalid(e.to_string(), "see `headroom workloads memory.bandwidth`")
        };
        let threads = parameters.integer("threads").map_err(|e| wrong(&e))?;
        if let Some(Value::Text(word)) = parameters.get("size") {
            let size = size_of_word(word, threads, site)?;
            parameters.set("size", size);
        }
        let size = parameters.integer("size").map_err(|e| wrong(&e))?;
        let arrays = Kernel::of(&parameters).map_err(|e| wrong(&e))?.arrays();
        let least = arrays * 2 * LINE as u64;
        if size < least {
            return Err(Problem::invalid(
                format!("a working set of {size} bytes is too small"),
                format!("at least {least} bytes, two cache lines of each array"),
            ));
        }
        let memory_bytes = size.saturating_mul(threads);
        if parameters.is_word("stores", "auto") {
            let beyond = memory_bytes > last_cache(site) && kernel::widest() != Isa::Base;
            parameters.set("stores", if beyond { "non-temporal" } else { "ordinary" });
        }
        // A tenth stays free, so that measuring does not make the machine swap.
        if memory_bytes > site.memory_available / 10 * 9 {
            return Err(Problem::refused(
                format!(
                    "{threads} threads x {} need {} of memory, and {} are free",
                    binary(size),
                    binary(memory_bytes),
                    binary(site.memory_available)
                ),
                "use a smaller size or fewer threads; size is what each thread works on",
            ));
        }
        Ok(Needs { parameters, memory_bytes, ..Needs::default() })
    }

    fn prepare(&self, parameters: &Parameters, _shelf: &dyn Shelf) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(Ready::of(parameters)?))
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
        if outcome.bytes > 0.0 {
            put(CPU_PER_BYTE, (outcome.user_s + outcome.system_s) / outcome.bytes);
        }
        metrics
    }
}

/// What a word for a size stands for on this machine.
fn size_of_word(word: &str, threads: u64, site: &Site) -> Result<u64, Problem> {
    let unknown = |level: u32| {
        Problem::refused(
            format!("this machine does not say how large its level {level} cache is"),
            "give the size in bytes",
        )
    };
    // Half of a cache, shared with the threads that may run on it too.
    let share = |(_, bytes, shared_by): &(u32, u64, usize)| bytes / 2 / threads.clamp(1, *shared_by as u64);
    let level =
        |wanted: u32| site.caches.iter().find(|(level, ..)| *level == wanted).ok_or_else(|| unknown(wanted));
    let size = match word {
        "l1" => share(level(1)?),
        "l2" => share(level(2)?),
        "l3" => share(level(3)?),
        _ => {
            // Powers of two, so that it is the same size, and so the same work,
            // as long as about as much memory is free.
            let wanted = (8 * last_cache(site)).max(256 << 20).next_power_of_two();
            let room = (site.memory_available / 8 / threads.max(1)).max(1);
            let size = wanted.min(1 << room.ilog2());
            if size.saturating_mul(threads) < 2 * last_cache(site) {
                return Err(Problem::refused(
                    format!(
                        "{} of free memory are too little to go beyond the caches",
                        binary(site.memory_available)
                    ),
                    "free some memory, or give the size in bytes",
                ));
            }
            size
        }
    };
    Ok(size)
}

/// The last and largest cache, in bytes; 0 where none is known.
fn last_cache(site: &Site) -> u64 {
    site.caches.last().map_or(0, |(_, bytes, _)| *bytes)
}

#[derive(Clone, Copy, Debug)]
struct Ready {
    kernel: Kernel,
    isa: Isa,
    stores: Stores,
    lines: usize,
    lines_at_once: usize,
    passes: usize,
}

impl Ready {
    fn of(parameters: &Parameters) -> Result<Self, Fault> {
        let kernel = Kernel::of(parameters)?;
        let size = parameters.integer("size")?;
        let lines = (size / kernel.arrays() / LINE as u64) as usize / 2 * 2;
        let wanted = (OPERATION_BYTES / kernel.arrays() / LINE as u64) as usize;
        let isa = kernel::widest();
        let stores = match parameters.text("stores")? {
            "non-temporal" if isa != Isa::Base => Stores::NonTemporal,
            _ => Stores::Ordinary,
        };
        Ok(Self {
            kernel,
            isa,
            stores,
            lines,
            // Equal pieces, so that all of the working set is passed over.
            lines_at_once: lines / lines.div_ceil(wanted) / 2 * 2,
            passes: (wanted / lines).max(1),
        })
    }
}

impl Prepared for Ready {
    fn operation_bytes(&self) -> u64 {
        self.lines_at_once as u64 * LINE as u64 * self.kernel.arrays() * self.passes as u64
    }

    fn worker(&self, _seat: Seat, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        // Made and first touched by the thread that uses it, so that it lies in
        // that thread's node.
        let arrays = self.kernel.arrays() as usize;
        let mut buffers = Vec::with_capacity(arrays);
        for number in 0..arrays {
            let mut buffer = Buffer::new(self.lines * LINE)?;
            fill(&mut buffer, number);
            buffers.push(buffer);
        }
        Ok(Box::new(Blocking::new(Passing { ready: *self, buffers, at: 0, sum: 0.0 })))
    }
}

/// Fills an array with numbers that triad keeps exact.
fn fill(buffer: &mut Buffer, number: usize) {
    for (index, value) in buffer.as_mut_slice().chunks_exact_mut(8).enumerate() {
        let number = (index % 1000 + 1000 * number) as f64;
        value.copy_from_slice(&number.to_ne_bytes());
    }
}

/// Passes over a working set, a piece an operation.
struct Passing {
    ready: Ready,
    buffers: Vec<Buffer>,
    at: usize,
    sum: f64,
}

impl Passing {
    fn span(&self, at: usize, lines: usize) -> Span {
        let pointer = |i: usize| {
            let buffer = self.buffers.get(i).unwrap_or(&self.buffers[0]);
            buffer.as_mut_ptr().cast::<f64>().wrapping_add(at * LINE / 8)
        };
        Span { a: pointer(0), b: pointer(1), c: pointer(2), lines }
    }

    fn pass(&mut self, span: Span) {
        let Ready { kernel, isa, stores, .. } = self.ready;
        // SAFETY: the span lies within buffers that this worker owns, on lines;
        // its length is even; the buffers of different arrays do not overlap.
        unsafe {
            match kernel {
                Kernel::Read => self.sum += kernel::read(isa, span),
                Kernel::Write => kernel::write(isa, stores, span),
                Kernel::Copy => kernel::copy(isa, stores, span),
                Kernel::Triad => kernel::triad(isa, stores, span),
            }
        }
    }
}

impl Operate for Passing {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let Ready { lines, lines_at_once, passes, .. } = self.ready;
        if self.at + lines_at_once > lines {
            self.at = 0;
        }
        let span = self.span(self.at, lines_at_once);
        for _ in 0..passes {
            self.pass(span);
        }
        self.at += lines_at_once;
        Ok(self.ready.operation_bytes())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        std::hint::black_box(self.sum);
        // One whole pass more, so that every line must hold its result however
        // short the trial was; then every value is looked at.
        let whole = self.span(0, self.ready.lines);
        self.pass(whole);
        let count = self.ready.lines * LINE / 8;
        let value = |array: usize, index: usize| -> f64 {
            // SAFETY: index is below the number of values of each array.
            unsafe { self.buffers[array].as_mut_ptr().cast::<f64>().add(index).read() }
        };
        for index in 0..count {
            let (found, wanted) = match self.ready.kernel {
                Kernel::Read => return Ok(()),
                Kernel::Write => (value(0, index), kernel::WRITTEN),
                Kernel::Copy => (value(0, index), value(1, index)),
                Kernel::Triad => (value(0, index), value(1, index) + kernel::SCALAR * value(2, index)),
            };
            if found.to_bits() != wanted.to_bits() {
                return Err(Fault::Verification(format!(
                    "value {index} is {found} where it must be {wanted}"
                )));
            }
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut facts = vec![("vectors", Value::Text(self.ready.isa.to_string()))];
        if self.ready.kernel.writes() {
            let stores = match self.ready.stores {
                Stores::Ordinary => "ordinary",
                Stores::NonTemporal => "non-temporal",
            };
            facts.push(("stores", Value::from(stores)));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site {
            cpus: 4,
            caches: vec![(1, 32 << 10, 1), (2, 1 << 20, 1), (3, 32 << 20, 4)],
            memory_available: 8 << 30,
            ..Site::default()
        }
    }

    fn survey(size: Value, threads: u64) -> Result<Needs, Problem> {
        let mut parameters = Parameters::default();
        parameters.set("operation", "copy");
        parameters.set("size", 1u64);
        parameters.0.insert("size".to_owned(), size);
        parameters.set("threads", threads);
        Bandwidth.survey(parameters, &site())
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
