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
use model::Parameters;
use model::parameter::Word;
use model::plan::Problem;

use crate::workload::disk::access::Task;
use crate::workload::disk::job::Job;
use crate::workload::disk::pattern::Kind;

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
    fn check(&self, _parameters: &Parameters) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether it can do so to these targets, which are known to be usable.
    ///
    /// # Errors
    /// As [`Engine::check`].
    fn check_targets(&self, _parameters: &Parameters) -> Result<(), Problem> {
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

/// What engines are told beside the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Operations in flight at once.
    pub(super) depth: usize,
    /// Operations handed over at once, at most.
    pub(super) submit_batch: usize,
    /// Completions to wait for, at least.
    pub(super) complete_batch: usize,
    /// Whether files and buffers are registered with the kernel.
    pub(super) registered: bool,
    /// Whether a thread of the kernel takes operations over.
    pub(super) sqpoll: bool,
    /// Whether completions are polled for instead of interrupting.
    pub(super) iopoll: bool,
    /// Whether the files are opened around the page cache.
    pub(super) direct: bool,
}

impl Options {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Fault> {
        let count = |name: &str| parameters.integer(name).map(|n| n as usize);
        Ok(Self {
            depth: count("queue-depth")?,
            submit_batch: count("submit-batch")?,
            complete_batch: count("complete-batch")?,
            registered: parameters.flag("registered")?,
            sqpoll: parameters.flag("sqpoll")?,
            iopoll: parameters.flag("iopoll")?,
            direct: parameters.flag("direct")?,
        })
    }
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

/// `auto` becomes an engine that this machine allows; one that it forbids is
/// refused with the reason. `direct` becomes what the engine can have.
pub(super) fn choose(parameters: &mut Parameters) -> Result<&'static dyn Engine, Problem> {
    let asked = parameters.text("engine").unwrap_or("auto").to_owned();
    let named = find(&asked);
    settle_direct(named, parameters)?;
    let engine = match named {
        Some(engine) => {
            engine.available().map_err(|u| Problem::refused(u.why, u.instead))?;
            engine.check(parameters)?;
            engine
        }
        None => automatic(parameters)?,
    };
    parameters.set("engine", engine.word().word);
    Ok(engine)
}

fn settle_direct(engine: Option<&dyn Engine>, parameters: &mut Parameters) -> Result<(), Problem> {
    let cached_only = engine.filter(|e| e.cached_only());
    match cached_only {
        Some(engine) if parameters.flag("direct") == Ok(true) => Err(Problem::invalid(
            format!(
                "engine={} goes through the page cache, and direct=yes asks for a way around it",
                engine.word().word
            ),
            "use direct=no, or another engine",
        )),
        _ => {
            if parameters.is_word("direct", "auto") {
                parameters.set("direct", cached_only.is_none());
            }
            Ok(())
        }
    }
}

fn automatic(parameters: &Parameters) -> Result<&'static dyn Engine, Problem> {
    let mut reasons = Vec::new();
    for engine in AUTOMATIC.iter().copied() {
        match (engine.available(), engine.check(parameters)) {
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
fn only_io_uring(engine: &str, parameters: &Parameters) -> Result<(), Problem> {
    match ["sqpoll", "iopoll"].into_iter().find(|name| parameters.flag(name) == Ok(true)) {
        Some(name) => Err(Problem::invalid(
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
