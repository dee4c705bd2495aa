//! How operations are handed to the kernel: one file an engine, one line in
//! [`ENGINES`].

mod aio;
mod blocking;
mod mapped;
mod null;
mod polled;
mod ring;

use engine::Worker;
use engine::fault::Fault;
use model::parameter::Word;
use model::plan::Problem;

use crate::workload::disk::access::Task;
use crate::workload::disk::job::Job;
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::{DiskPlan, Options};

/// A way to hand operations to the kernel.
pub(super) trait Engine: Sync {
    /// Its name and what it is.
    fn word(&self) -> Word;

    /// Whether it drives a target at all.
    fn drives(&self) -> bool {
        true
    }

    /// Whether it always goes through the page cache.
    fn cached_only(&self) -> bool {
        false
    }

    /// Whether this machine lets us use it; if not, why, and what to use.
    ///
    /// # Errors
    /// The reason.
    fn available(&self) -> Result<(), Unavailable> {
        Ok(())
    }

    /// Whether it can do what is asked.
    ///
    /// # Errors
    /// What contradicts it, and what to ask for instead.
    fn check(&self, _plan: &DiskPlan) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether it can do so to these targets, which are known to be usable.
    ///
    /// # Errors
    /// As [`Engine::check`].
    fn check_targets(&self, _plan: &DiskPlan) -> Result<(), Problem> {
        Ok(())
    }

    /// A worker that does `job`; called in the thread that will drive it.
    ///
    /// # Errors
    /// If its buffers or rings cannot be had.
    fn worker(&self, job: Job, options: &Options) -> Result<Box<dyn Worker>, Fault>;
}

/// Why an engine cannot be used here.
pub(super) struct Unavailable {
    pub(super) why: String,
    pub(super) instead: &'static str,
}

/// Every engine, in documentation order.
pub(super) const ENGINES: &[&dyn Engine] =
    &[&ring::IoUringEngine, &aio::AioEngine, &blocking::SyncEngine, &mapped::MappedEngine, &null::NullEngine];

/// Those of which `auto` takes the first that can be had.
const AUTOMATIC: &[&dyn Engine] = &[&ring::IoUringEngine, &aio::AioEngine, &blocking::SyncEngine];

/// The words of `engine`.
pub(super) const WORDS: &[Word] = &[
    Word { word: "auto", doc: "the first of io_uring, aio and sync that this machine allows" },
    ring::WORD,
    aio::WORD,
    blocking::WORD,
    mapped::WORD,
    null::WORD,
];

/// The engine called `name`.
pub(super) fn find(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|e| e.word().word == name)
}

/// An engine that this machine allows, where none was named; a named one that it
/// forbids is refused with the reason. `direct` becomes what the engine can have.
pub(super) fn choose(
    named: Option<&'static dyn Engine>,
    plan: &mut DiskPlan,
) -> Result<&'static dyn Engine, Problem> {
    let cached_only = named.filter(|e| e.cached_only());
    if let (Some(engine), Some(true)) = (cached_only, plan.direct) {
        return Err(Problem::invalid(
            format!(
                "engine={} goes through the page cache, and direct=yes asks for a way around it",
                engine.word().word
            ),
            "use direct=no, or another engine",
        ));
    }
    plan.direct.get_or_insert(cached_only.is_none());
    let Some(engine) = named else { return automatic(plan) };
    engine.available().map_err(|u| Problem::refused(u.why, u.instead))?;
    engine.check(plan)?;
    Ok(engine)
}

fn automatic(plan: &DiskPlan) -> Result<&'static dyn Engine, Problem> {
    let mut reasons = Vec::new();
    for engine in AUTOMATIC.iter().copied() {
        match (engine.available(), engine.check(plan)) {
            (Ok(()), Ok(())) => return Ok(engine),
            (Err(unavailable), _) => reasons.push(unavailable.why),
            // What contradicts the first engine that may be used is the answer.
            (Ok(()), Err(problem)) if reasons.is_empty() => return Err(problem),
            (Ok(()), Err(problem)) => reasons.push(problem.message),
        }
    }
    Err(Problem::refused(reasons.join("; "), "use queue-depth=1 with more threads"))
}

/// Why no engine was taken that `auto` prefers to `engine`, where the machine
/// forbids them.
pub(super) fn forbidden(engine: &dyn Engine) -> Option<String> {
    let rank = AUTOMATIC.iter().position(|e| e.word().word == engine.word().word)?;
    let reasons: Vec<_> =
        AUTOMATIC[..rank].iter().filter_map(|e| e.available().err()).map(|u| u.why).collect();
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

/// Whether `task` is one that no queue of the kernel takes.
#[inline]
fn by_call(job: &Job, task: Task) -> bool {
    task.kind == Kind::Trim || task.kind == Kind::Sync && job.files.len() > 1
}
