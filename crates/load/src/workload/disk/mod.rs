//! `disk`: reads and writes of a file, sequential and random.

mod access;
mod aligned;
mod blocking;
pub mod fixture;
mod residency;
mod ring;
mod target;

use std::fs::File;

use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::{Effect, Problem};
use model::resource::Symbol;
use model::scalar::binary;
use model::{Parameters, Value, WorkloadSpec};

use crate::engine::fault::Fault;
use crate::engine::queue::Blocking;
use crate::engine::schedule::Seat;
use crate::workload::{Needs, Prepared, Shelf, Site, Worker, Workload, common};
use access::{Access, Pattern};

/// The description.
pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: "disk",
    definition_version: 1,
    summary: "reads and writes of a file, sequential or random",
    doc: "Drives a file with reads or writes of one size, by default around the page cache (O_DIRECT). In a folder \
          it makes a file of its own, really writes all of it with random content, and removes it; an existing file \
          is only read, unless it is named with --destroy. What is measured is the path down to the device: the \
          drive's own cache, a controller's and a hypervisor's still lie on it. A new file is not a preconditioned \
          device: write figures of a short run are those of a burst.",
    parameters: PARAMETERS,
    headline: "iops",
    metrics: &[
        common::IOPS,
        common::THROUGHPUT,
        common::ELAPSED,
        common::LATENCY_P50,
        common::LATENCY_P90,
        common::LATENCY_P99,
        common::LATENCY_P99_9,
        common::LATENCY_MAX,
        common::SERVICE_P50,
        common::SERVICE_P99,
        common::CPU_PER_OPERATION,
        common::USER_CPU_PER_OPERATION,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
};

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new(
        "target",
        Kind::Path,
        "A folder, in which a file is made and removed; a new name in a folder; or an existing file to read.",
    )
    .default(".")
    .costly()
    .not_work(),
    ParameterSpec::new("pattern", Kind::Choice, "What is done, and in which order.")
        .default("randread")
        .words(&[
            Word { word: "read", doc: "sequential reads" },
            Word { word: "write", doc: "sequential writes" },
            Word { word: "randread", doc: "reads at uniformly random places" },
            Word { word: "randwrite", doc: "writes at uniformly random places" },
        ]),
    ParameterSpec::new("block-size", Kind::Size, "Bytes of one operation.").default("4k"),
    ParameterSpec::new("queue-depth", Kind::Count, "Operations in flight at once, for each thread.")
        .default("1"),
    ParameterSpec::new("engine", Kind::Choice, "How operations are handed to the kernel.")
        .default("auto")
        .words(&[
            Word { word: "auto", doc: "io_uring, or sync where io_uring is forbidden and the depth is 1" },
            Word { word: "io_uring", doc: "asynchronous, a ring of its own for each thread" },
            Word { word: "sync", doc: "pread and pwrite, one at a time" },
            Word { word: "null", doc: "nothing is read or written: what this program itself costs" },
        ]),
    ParameterSpec::new(
        "submit-batch",
        Kind::Count,
        "Operations handed to io_uring at once, at most; fio's iodepth_batch_submit.",
    )
    .default("8"),
    ParameterSpec::new("direct", Kind::Flag, "Around the page cache (O_DIRECT).").default("yes"),
    ParameterSpec::new("size", Kind::Size, "Bytes of the file.")
        .default("auto")
        .costly()
        .words(&[Word { word: "auto", doc: "1 GiB, less where little is free; all of an existing file" }]),
    ParameterSpec::new("span", Kind::Size, "Bytes of the file that are touched, from its start.")
        .default("all")
        .words(&[Word { word: "all", doc: "all of it" }]),
    common::BYTES,
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("time").not_work().words(&[
        Word { word: "time", doc: "the duration, or requests or bytes where they are given" },
        Word { word: "end", doc: "one pass over the span: sequential patterns only" },
    ]),
];

/// The deepest queue: the largest ring that the kernel makes.
const DEPTH_MAX: u64 = 4096;

/// The largest block: what the kernel takes as one registered buffer.
const BLOCK_MAX: u64 = 1 << 30;

/// The workload.
#[derive(Debug)]
pub struct Disk;

fn broken(e: &Fault) -> Problem {
    Problem::invalid(e.to_string(), "see `headroom workloads disk`")
}

impl Workload for Disk {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn survey(&self, mut parameters: Parameters, site: &Site) -> Result<Needs, Problem> {
        choose_engine(&mut parameters)?;
        let pattern = Pattern::of(&parameters).map_err(|e| broken(&e))?;
        let fixture = target::survey(&mut parameters, pattern, site)?;
        check_shape(&parameters, pattern).map_err(|e| e.unwrap_or_else(|fault| broken(&fault)))?;
        let depth = parameters.integer("queue-depth").map_err(|e| broken(&e.into()))?;
        let threads = parameters.integer("threads").map_err(|e| broken(&e.into()))?;
        let block = parameters.integer("block-size").map_err(|e| broken(&e.into()))?;
        let memory_bytes = depth.saturating_mul(threads).saturating_mul(block);
        if memory_bytes > site.memory_available / 2 {
            return Err(Problem::refused(
                format!(
                    "the buffers of {threads} threads x {depth} deep x {} need {}",
                    binary(block),
                    binary(memory_bytes)
                ),
                format!("{} of memory are free; use a smaller depth or block", binary(site.memory_available)),
            ));
        }
        let effect = if pattern.writes() { Effect::Dirty } else { Effect::Clean };
        let fixtures = fixture.into_iter().collect();
        Ok(Needs { parameters, fixtures, effect, memory_bytes })
    }

    fn prepare(&self, parameters: &Parameters, shelf: &dyn Shelf) -> Result<Box<dyn Prepared>, Fault> {
        let engine = parameters.text("engine")?.to_owned();
        let access = Access::of(parameters)?;
        let direct = parameters.flag("direct")?;
        let mut facts = Vec::new();
        let file = if engine == "null" {
            None
        } else {
            let key = target::key(parameters)?;
            let fixture = shelf
                .fixture(&key)
                .ok_or_else(|| Fault::Other(format!("the file under {} is not ready", key.target)))?;
            facts = fixture.facts();
            Some(fixture.open(direct, access.pattern.writes())?)
        };
        if let Some(file) = file.as_ref().filter(|_| !direct) {
            fixture::forget_cached(file)?;
        }
        let (depth, lot) =
            (parameters.integer("queue-depth")? as usize, parameters.integer("submit-batch")? as usize);
        let name = parameters.text("target")?.to_owned();
        Ok(Box::new(Ready { engine, access, depth, lot, direct, file, facts, name }))
    }

    fn null_form(&self, parameters: &Parameters) -> Option<Parameters> {
        let mut null = parameters.clone();
        null.set("engine", "null");
        Some(null)
    }
}

/// `auto` becomes an engine that this machine allows; one that it forbids is
/// refused with the reason.
fn choose_engine(parameters: &mut Parameters) -> Result<(), Problem> {
    let engine = parameters.text("engine").unwrap_or("auto").to_owned();
    let depth = parameters.integer("queue-depth").unwrap_or(1);
    if depth > DEPTH_MAX {
        return Err(Problem::invalid(
            format!("queue-depth {depth} is more than {DEPTH_MAX}, the largest ring"),
            "use more threads",
        ));
    }
    let forbidden = || ring::availability().err();
    let chosen = match engine.as_str() {
        "io_uring" => {
            if let Some(reason) = forbidden() {
                return Err(Problem::refused(reason, "use engine=sync, which has a depth of 1"));
            }
            "io_uring"
        }
        "auto" => match forbidden() {
            None => "io_uring",
            Some(_) if depth == 1 => "sync",
            Some(reason) => {
                return Err(Problem::refused(
                    format!("queue-depth {depth} needs io_uring, and {reason}"),
                    "use queue-depth=1 with more threads",
                ));
            }
        },
        "sync" if depth > 1 => {
            return Err(Problem::invalid(
                format!("engine=sync does one operation at a time, so queue-depth={depth} cannot be had"),
                "use threads for more at once, or engine=io_uring",
            ));
        }
        other => other,
    };
    parameters.set("engine", chosen);
    Ok(())
}

/// Whether sizes fit one another.
fn check_shape(parameters: &Parameters, pattern: Pattern) -> Result<(), Result<Problem, Fault>> {
    let get = |name: &str| parameters.integer(name).map_err(|e| Err(Fault::from(e)));
    let (block, span, size, threads) = (get("block-size")?, get("span")?, get("size")?, get("threads")?);
    let invalid = |message: String, help: &str| Err(Ok(Problem::invalid(message, help)));
    if span > size {
        return invalid(
            format!("a span of {span} bytes is larger than the file's {size}"),
            "span is part of size",
        );
    }
    if block > BLOCK_MAX {
        return invalid(format!("a block of {} is too large", binary(block)), "at most 1 GiB");
    }
    let shares = if pattern.random() { 1 } else { threads };
    if span / shares < block {
        let what = if shares > 1 {
            format!("one of {threads} shares of the span of {}", binary(span))
        } else {
            format!("a span of {}", binary(span))
        };
        return invalid(
            format!("{what} has no room for a block of {}", binary(block)),
            "use a larger size or a smaller block-size",
        );
    }
    let direct = parameters.flag("direct").map_err(|e| Err(Fault::from(e)))?;
    if direct && !block.is_multiple_of(512) {
        return invalid(
            format!("with direct=yes a block must be a multiple of 512 bytes, and {block} is not"),
            "O_DIRECT moves whole sectors; use another block-size or direct=no",
        );
    }
    if parameters.is_word("until", "end") && pattern.random() {
        return invalid("random patterns have no end".to_owned(), "use until=end with pattern=read or write");
    }
    Ok(())
}

/// A disk load that is ready to run.
#[derive(Debug)]
struct Ready {
    engine: String,
    access: Access,
    depth: usize,
    lot: usize,
    direct: bool,
    file: Option<File>,
    facts: Vec<(&'static str, Value)>,
    name: String,
}

impl Ready {
    /// How much of what is touched the page cache holds, for loads that go
    /// through it.
    fn cached(&self, name: &'static str) -> Option<(&'static str, Value)> {
        let file = self.file.as_ref().filter(|_| !self.direct)?;
        let share = residency::cached_share(file, self.access.end())?;
        Some((name, Value::Number((share * 1000.0).round() / 1000.0)))
    }
}

impl Prepared for Ready {
    fn operation_bytes(&self) -> u64 {
        self.access.block
    }

    fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut facts = self.facts.clone();
        facts.extend(self.cached("cached_share_before"));
        facts
    }

    fn facts_after(&self) -> Vec<(&'static str, Value)> {
        self.cached("cached_share_after").into_iter().collect()
    }

    fn worker(&self, seat: Seat, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let access = self.access.for_seat(seat, seed);
        let file = || {
            let file = self.file.as_ref().ok_or_else(|| Fault::Other("no file was opened".to_owned()))?;
            // Opened anew rather than duplicated: streams that share one open
            // file share its read-ahead.
            fixture::reopen(file, self.direct, self.access.pattern.writes(), &self.name)
        };
        Ok(match self.engine.as_str() {
            "io_uring" => Box::new(ring::Ring::new(file()?, access, self.depth, self.lot, &self.name)?),
            "sync" => Box::new(Blocking::new(blocking::Positioned::new(file()?, access, &self.name)?)),
            "null" => Box::new(blocking::Nowhere::new(access, self.depth)?),
            other => return Err(Fault::Other(format!("`{other}` is no engine of disk"))),
        })
    }
}

#[cfg(test)]
mod tests;
