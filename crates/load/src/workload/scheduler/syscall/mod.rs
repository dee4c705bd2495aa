//! `scheduler.syscall`: what calls of the kernel, faults and switches cost, in
//! the rows that lmbench has.

mod call;
mod fault;
mod process;
mod signal;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricSpec, Parameters, Quantity, Value, WorkloadName, WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};
use call::Row;

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.syscall"),
    definition_version: 2,
    summary: "what a system call, a fault or a switch costs (lmbench's rows)",
    doc: "Each thread makes the same call again and again, by the instruction itself where the C library has ways of \
          its own. `call_time` is the time of one call, lower is better; with several threads it is what each of them \
          sees. The mitigations that the kernel has switched on against flaws of the processor weigh on the short ones, \
          the size of this process (a few MB) on fork. One operation, as `requests` and `rate` count them, is a batch of \
          calls that lasts some 20 to 100 us; the fact `batch` says how many. Each thread has a table of open files of its \
          own (unshare(2)), as a program of one thread has: in a shared one the kernel counts references, which makes \
          calls with a descriptor longer. The fact `own_files` says where that was refused.",
    parameters: &[ParameterSpec::new("call", Kind::Choice, "What is done.")
        .says(Aspect::Operation)
        .default("getppid")
        .words(WORDS)],
    headline: metric::CALL_TIME,
    metrics: &[CALL_TIME, common::ELAPSED, common::RATE_HELD, common::LATE_STARTS, common::UNFINISHED],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "scheduler.syscall",
        "scheduler.syscall --call getppid,read,stat,open-close",
        "scheduler.syscall --call context-switch,thread,fork,exec",
    ],
};

const WORDS: &[Word] = &[
    Word { word: "getppid", doc: "the shortest way into the kernel and back" },
    Word { word: "read", doc: "one byte of /dev/zero" },
    Word { word: "write", doc: "one byte to /dev/null" },
    Word { word: "stat", doc: "what /dev/null is, by its path" },
    Word { word: "fstat", doc: "what an open /dev/null is" },
    Word { word: "open-close", doc: "/dev/null opened and closed" },
    Word { word: "poll", doc: "100 descriptors, of which none is ready" },
    Word { word: "signal-install", doc: "a signal's handler set to what it is" },
    Word { word: "signal-handle", doc: "a signal sent to oneself and handled" },
    Word { word: "protection-fault", doc: "a write to a page that may only be read, and its signal handled" },
    Word { word: "page-fault", doc: "the first write to a page of memory, and giving the page back" },
    Word { word: "mmap-munmap", doc: "64 KiB of memory mapped and unmapped, untouched" },
    Word { word: "pipe", doc: "a byte into a pipe and out again, by one thread" },
    Word {
        word: "context-switch",
        doc: "a switch between two threads on one CPU that pass a byte through pipes, less what the pipes cost",
    },
    Word { word: "thread", doc: "a thread made and awaited" },
    Word { word: "fork", doc: "a copy of this process made, which ends at once, and awaited" },
    Word { word: "exec", doc: "/bin/true started (posix_spawn) and awaited" },
];

const CALL_TIME: MetricSpec = common::time(
    metric::CALL_TIME,
    "How long one call takes: the time of all threads, shared out among all calls.",
);

#[derive(Debug)]
pub(crate) struct Syscall;

impl Workload for Syscall {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let row =
            Row::of(parameters.text(named("call"))?).map_err(|e| Problem::invalid(e.to_string(), ""))?;
        Ok(Box::new(PlannedSyscall { threads: schedule.threads, row }))
    }
}

#[derive(Debug)]
struct PlannedSyscall {
    threads: u64,
    row: &'static Row,
}

impl Planned for PlannedSyscall {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        match self.row.needs {
            Some(path) if !std::path::Path::new(path).exists() => {
                Err(Problem::refused(format!("there is no {path} here"), "measure another call"))
            }
            _ => Ok(Requirements::default()),
        }
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let calls = Flow::only(OperationClass::Call, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Kernel, calls)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let resident = if self.row.word == "fork" { resident_bytes() } else { None };
        Ok(Box::new(PreparedSyscall { row: self.row, resident }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        if let Some(batch_s) = batch_s(self.threads, outcome, window) {
            let own = match outcome.facts.get(&OWN_COST) {
                Some(Value::Number(own)) => *own,
                _ => 0.0,
            };
            let value = (batch_s / f64::from(self.row.batch) - own).max(0.0);
            metrics.insert(CALL_TIME.name, Quantity { value, unit: CALL_TIME.unit });
        }
        metrics
    }
}

/// The fact that tells what is no part of a call: seconds for each, measured
/// before.
const OWN_COST: FactName = FactName::new("pipe_cost");

/// How long one batch takes, in seconds: in a closed loop all of the threads'
/// time is calls, in an open one only the time of service is.
fn batch_s(threads: u64, outcome: &LoadOutcome, window: Window) -> Option<f64> {
    if let Some(service) = &outcome.service {
        return (!service.is_empty()).then(|| service.mean() / 1e9);
    }
    (outcome.operations > 0.0).then(|| window.seconds() * threads as f64 / outcome.operations)
}

/// How much memory this process has, which a fork must mark.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))?;
    Some(kib.trim().parse::<u64>().ok()? << 10)
}

#[derive(Debug)]
struct PreparedSyscall {
    row: &'static Row,
    resident: Option<u64>,
}

impl Prepared for PreparedSyscall {
    fn facts(&self) -> Vec<(FactName, Value)> {
        let batch = (FactName::new("batch"), Value::Integer(self.row.batch.into()));
        let resident = self.resident.map(|bytes| (FactName::new("resident_bytes"), Value::Integer(bytes)));
        std::iter::once(batch).chain(resident).collect()
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let own_files = own_files();
        let mut batch = (self.row.make)(self.row.batch)?;
        // What cannot be done here is told before time counts.
        batch.run()?;
        Ok(Box::new(Blocking::new(Calling { batch, own_files })))
    }
}

/// Calls of one kind, ready to be made.
trait Batch {
    fn run(&mut self) -> Result<(), Fault>;

    /// As [`Operate::facts`].
    fn facts(&self) -> Vec<(FactName, Value)> {
        Vec::new()
    }
}

struct Calling {
    batch: Box<dyn Batch>,
    own_files: bool,
}

impl Operate for Calling {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        self.batch.run()?;
        Ok(0)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.batch.facts();
        facts.push((FactName::new("own_files"), Value::Bool(self.own_files)));
        facts
    }
}

/// Gives the calling thread a table of open files of its own, a copy of the shared one (unshare(2),
/// CLONE_FILES, for which no right is needed); whether it has one. Of a table that nobody shares the
/// kernel takes a file without counting a reference (`__fget_light` in its `fs/file.c`).
fn own_files() -> bool {
    // SAFETY: what this thread opens and closes from now on is not seen by others; a worker of this
    // load shares no descriptor with them, and hands none over.
    unsafe { libc::unshare(libc::CLONE_FILES) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_row_and_every_row_its_word() {
        let words: Vec<_> = WORDS.iter().map(|w| w.word).collect();
        let rows: Vec<_> = call::TABLE.iter().map(|row| row.word).collect();
        assert_eq!(words, rows);
        assert!(Row::of("gettimeofday").is_err());
    }

    /// Each in a thread of its own, as the engine does it, twice at once.
    #[test]
    fn every_call_can_be_made_by_two_threads_at_once() {
        for row in call::TABLE {
            let ready = PreparedSyscall { row, resident: None };
            std::thread::scope(|scope| {
                let work = || -> Result<(), Fault> {
                    let _ = ready.worker(WorkerIndex { index: 0, of: 2 }, 1)?;
                    let mut batch = (row.make)(3)?;
                    batch.run()?;
                    batch.run()
                };
                for thread in [scope.spawn(work), scope.spawn(work)] {
                    thread.join().unwrap().unwrap_or_else(|fault| panic!("{}: {fault}", row.word));
                }
            });
        }
    }
}
