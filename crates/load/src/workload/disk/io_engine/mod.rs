//! How operations are handed to the kernel: one file an engine, one line in
//! [`ENGINES`].

/// What a queue asks its job: when it is over, what comes next, whether all was right.
macro_rules! as_its_job_does {
    () => {
        fn operations_to_end(&self) -> Option<u64> {
            self.job.operations_to_end()
        }

        fn follows(&self) -> bool {
            self.job.access.sync_is_next()
        }

        fn ended(&self) -> bool {
            self.job.is_over
        }

        fn settle(&mut self) -> Result<bool, Fault> {
            self.job.settle()
        }

        fn verify(&mut self, life: &engine::drive::WorkerContext<'_>) -> Result<(), Fault> {
            self.job.verify(life)
        }
    };
}

mod aio;
mod blocking;
mod mapped;
mod null;
pub(super) mod polled;
mod ring;

use engine::Worker;
use engine::fault::Fault;
use model::parameter::Word;
use model::plan::Problem;

use crate::workload::disk::job::Job;
use crate::workload::disk::plan::{DiskPlan, Options};

/// A way to hand operations to the kernel.
#[derive(Debug)]
pub(super) struct Engine {
    /// Its name and what it is.
    pub(super) word: Word,
    /// Whether it drives a target at all.
    pub(super) drives: bool,
    /// Whether it always goes through the page cache.
    pub(super) cached_only: bool,
    /// Whether this machine lets us use it; if not, why, and what to use.
    available: fn() -> Result<(), Problem>,
    /// Whether it can do what is asked; if not, what contradicts it, and what to ask for
    /// instead.
    check: fn(&DiskPlan) -> Result<(), Problem>,
    /// A worker that does a job, if its buffers or rings can be had; called in the thread
    /// that will drive it.
    pub(super) worker: MakeWorker,
}

type MakeWorker = fn(Job, &Options) -> Result<Box<dyn Worker>, Fault>;

/// Every engine, in documentation order.
static ENGINES: [Engine; 5] = [ring::ENGINE, aio::ENGINE, blocking::ENGINE, mapped::ENGINE, null::ENGINE];

/// Of so many of them `auto` takes the first that can be had.
const AUTOMATIC: usize = 3;

pub(super) const WORDS: &[Word] = &[
    Word { word: "auto", doc: "the first of io_uring, aio and sync that this machine allows" },
    ring::ENGINE.word,
    aio::ENGINE.word,
    blocking::ENGINE.word,
    mapped::ENGINE.word,
    null::ENGINE.word,
];

pub(super) fn find(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|e| e.word.word == name)
}

/// An engine that this machine allows, where none was named; a named one that it
/// forbids is refused with the reason. `direct` becomes what the engine can have.
pub(super) fn choose(
    named: Option<&'static Engine>,
    plan: &mut DiskPlan,
) -> Result<&'static Engine, Problem> {
    let cached_only = named.filter(|e| e.cached_only);
    if let (Some(Engine { word: Word { word, .. }, .. }), Some(true)) = (cached_only, plan.direct) {
        return Err(Problem::invalid(
            format!("engine={word} goes through the page cache, and direct=yes asks for a way around it"),
            "use direct=no, or another engine",
        ));
    }
    plan.direct.get_or_insert(cached_only.is_none());
    let Some(engine) = named else { return automatic(plan) };
    (engine.available)()?;
    (engine.check)(plan)?;
    Ok(engine)
}

fn automatic(plan: &DiskPlan) -> Result<&'static Engine, Problem> {
    let mut reasons = Vec::new();
    for engine in &ENGINES[..AUTOMATIC] {
        match ((engine.available)(), (engine.check)(plan)) {
            (Ok(()), Ok(())) => return Ok(engine),
            // What contradicts the first engine that may be used is the answer.
            (Ok(()), Err(problem)) if reasons.is_empty() => return Err(problem),
            (Err(problem), _) | (Ok(()), Err(problem)) => reasons.push(problem.message),
        }
    }
    Err(Problem::refused(reasons.join("; "), "use queue-depth=1 with more threads"))
}

/// Why no engine was taken that `auto` prefers to `engine`, where the machine
/// forbids them.
pub(super) fn forbidden(engine: &Engine) -> Option<String> {
    let rank = ENGINES[..AUTOMATIC].iter().position(|e| e.word == engine.word)?;
    let reasons: Vec<_> =
        ENGINES[..rank].iter().filter_map(|e| (e.available)().err()).map(|problem| problem.message).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Refuses what only io_uring can do.
fn only_io_uring(engine: &str, plan: &DiskPlan) -> Result<(), Problem> {
    let Options { sqpoll, iopoll, .. } = plan.options();
    match [("sqpoll", sqpoll), ("iopoll", iopoll)].into_iter().find(|(_, is_asked)| *is_asked) {
        Some((name, _)) => Err(Problem::invalid(
            format!("{name}=yes is a matter of io_uring, and the engine is {engine}"),
            format!("use engine=io_uring, or leave out {name}"),
        )),
        None => Ok(()),
    }
}
