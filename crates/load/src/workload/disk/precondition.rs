//! Bringing a target into a known state before it is measured (`purge`,
//! `precondition`): a device is fast when new, and slower once its spare room is
//! used up.
//!
//! What is done is the part that does not depend on the workload of SNIA's
//! Solid State Storage Performance Test Specification 2.0.2: a purge where one
//! is asked for, then (`full`) sequential writes of 128 KiB over twice the
//! capacity. The part that does depend on it, rounds of the load itself until
//! they are steady, belongs to who orders trials. The writes go through the same
//! engines as any load, so they are as fast as those.
//!
//! A file is no device: what is written into it says nothing of the state of the
//! rest of the device under it. It is done all the same, and the fact
//! `target_kind` tells a reader which of the two it was.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use engine::fault::Fault;
use engine::numa::Confinement;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::session::{LoadPlan, Observer, Session};
use engine::stop::StopRule;
use engine::{Prepared, Worker, clock};
use model::Parameters;
use model::parameter::Word;
use model::plan::{FixtureKey, Ownership, Problem};
use model::profile::TargetState;

use crate::fixture::Progress;
use crate::workload::disk::access::Access;
use crate::workload::disk::content::Source;
use crate::workload::disk::files::{DEVICE, FILE, Files};
use crate::workload::disk::io_engine::{self, Engine};
use crate::workload::disk::job::{Job, discard_range};
use crate::workload::disk::plan::{DiskPlan, Options};
use crate::workload::disk::plan_with;
use crate::workload::disk::reopen::{self, OpenMode};
use crate::workload::memory::buffer::Buffer;
use crate::workload::named;

pub(super) const WORDS: &[Word] = &[
    Word { word: "none", doc: "as it is; a file of ours is written once, whole" },
    Word { word: "fill", doc: "all of it is written once, sequentially" },
    Word {
        word: "full",
        doc: "written sequentially in 128 KiB over twice its size, then the load runs round by round until five \
              rounds are steady, at most 25 (SNIA)",
    },
];

/// Bytes of one write: SNIA's for the part that does not depend on the workload.
const BLOCK: u64 = 128 << 10;
/// Writes in flight.
const DEPTH: u64 = 32;
/// Bytes of one discard, so that it can be stopped between two.
const DISCARD: u64 = 1 << 30;
/// How often the progress is looked at, and told.
const LOOK: Duration = Duration::from_millis(50);

/// What contradicts a state that is asked for.
pub(super) fn check(plan: &DiskPlan, fixtures: &[FixtureKey]) -> Result<(), Problem> {
    if plan.fills() && matches!(plan.state, TargetState::Filled | TargetState::Steady) {
        return Err(Problem::invalid(
            "a load that fills its target until no space is left needs it empty, not written before",
            "leave out precondition, or use until=time",
        ));
    }
    let of_users = |f: &&FixtureKey| plan.purge && f.kind == FILE && f.ownership == Ownership::Surrendered;
    if let Some(file) = fixtures.iter().find(of_users) {
        return Err(Problem::invalid(
            format!("purge discards the blocks of a device, and {} is a file", file.target),
            "leave out purge; or give the device itself, or a folder for a new file",
        ));
    }
    Ok(())
}

/// Brings files, which are open for writing, into the state that is asked for. A
/// new file of ours that is to be written once is, when it is made. It fails if the
/// target refuses, or `progress` says to stop.
pub(super) fn bring(made: &Files, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let (key, files) = (&made.key, &made.files);
    let mut done = 0;
    if key.discarded > 0 {
        for file in files {
            discard(key, file, &mut done, progress)?;
        }
    }
    let passes = match (&key.state, key.ownership) {
        (_, Ownership::Borrowed) => 0,
        (TargetState::Steady, _) => 2,
        (TargetState::Filled, Ownership::Surrendered) => 1,
        _ => 0,
    };
    for _ in 0..passes {
        for file in files {
            write_over(made, file, &mut done, progress)?;
        }
    }
    if passes > 0 {
        for file in files {
            file.sync_all().map_err(|e| Fault::system(format!("writing back {}", key.target), e))?;
            reopen::forget_cached(file)?;
        }
    }
    Ok(())
}

fn discard(
    key: &FixtureKey,
    mut file: &File,
    done: &mut u64,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    // Of several devices that are filled each has its own end.
    let end =
        file.seek(SeekFrom::End(0)).map_err(|e| Fault::system(format!("looking at {}", key.target), e))?;
    let end = key.bytes.min(end);
    let mut at = 0;
    while at < end {
        if !progress(*done) {
            return Err(Fault::Cancelled);
        }
        let bytes = (end - at).min(DISCARD);
        discard_range(file, at, bytes).map_err(|e| match e.raw_os_error() {
            Some(libc::EOPNOTSUPP) => Fault::Other(format!(
                "{} takes no discards, so it cannot be purged; use purge=no, or purge it with its maker's tool",
                key.target
            )),
            _ => Fault::system(format!("discarding {bytes} bytes of {} at {at}", key.target), e),
        })?;
        at += bytes;
        *done += bytes;
    }
    Ok(())
}

/// Writes all of `file` once, sequentially.
fn write_over(made: &Files, file: &File, done: &mut u64, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let (target, bytes) = (&made.key.target, made.file_bytes());
    let whole = bytes / BLOCK * BLOCK;
    if whole > 0 {
        let pass = Pass::new(made, file, whole)?;
        pass.run(&mut |moved| progress(*done + moved.min(whole)))?;
    }
    if bytes > whole {
        // What is less than a block is no matter of speed.
        let mut rest = Buffer::new(BLOCK as usize)?;
        let rest = &mut rest.as_mut_slice()[..(bytes - whole) as usize];
        Source::new(made.details.content, clock::now_ns()).fill(rest, 0);
        file.write_all_at(rest, whole)
            .map_err(|e| Fault::system(format!("writing the end of {target}"), e))?;
    }
    *done += bytes;
    if progress(*done) { Ok(()) } else { Err(Fault::Cancelled) }
}

/// One pass over one file, as a load.
#[derive(Debug)]
struct Pass<'a> {
    engine: &'static Engine,
    options: Options,
    access: Access,
    how: OpenMode,
    made: &'a Files,
    file: &'a File,
}

impl<'a> Pass<'a> {
    fn new(made: &'a Files, file: &'a File, bytes: u64) -> Result<Self, Fault> {
        let mut parameters = Parameters::default();
        parameters.set(named("pattern"), "write");
        parameters.set(named("block-size"), BLOCK);
        parameters.set(named("until"), "end");
        parameters.set(named("size"), bytes);
        parameters.set(named("span"), bytes);
        let mut how = OpenMode { direct: true, write: true, dsync: false };
        if reopen::reopen(file, how, &made.key.target).is_err() {
            how.direct = false;
        }
        parameters.set(named("direct"), how.direct);
        // Without any queue it takes longer, and the state is the same.
        let plan = |depth: u64| {
            let mut parameters = parameters.clone();
            parameters.set(named("queue-depth"), depth);
            let mut plan = plan_with(parameters)?;
            Ok::<_, Problem>((io_engine::choose(None, &mut plan)?, plan))
        };
        let (engine, plan) = plan(DEPTH).or_else(|_| plan(1))?;
        Ok(Self { engine, options: plan.options(), access: Access::of(&plan)?, how, made, file })
    }

    /// Runs to the end of the file. `progress` is told the bytes of this pass;
    /// it is asked on this thread, for who makes fixtures need not be shared.
    fn run(&self, progress: &mut dyn FnMut(u64) -> bool) -> Result<(), Fault> {
        let load = LoadPlan {
            prepared: self,
            cpus: vec![None],
            confinement: Confinement::default(),
            rate: None,
            stop: StopRule::End,
            // Other content in every pass and file.
            seed: clock::now_ns() ^ self.file.metadata().map_or(0, |m| m.ino()),
        };
        let interval_ns = Some(LOOK.as_nanos() as u64);
        let session = Session { loads: vec![load], warm_up_ns: 0, interval_ns, cut_least_ns: 0 };
        let (cancel, moved) = (AtomicBool::new(false), Moved::default());
        let here = thread::current();
        let outcome = thread::scope(|scope| {
            let run = thread::Builder::new()
                .spawn_scoped(scope, || {
                    let outcome = session.run(&moved, &cancel);
                    here.unpark();
                    outcome
                })
                .map_err(|e| Fault::system("starting a thread that preconditions", e))?;
            while !run.is_finished() {
                thread::park_timeout(LOOK);
                if !progress(moved.0.load(Ordering::Relaxed)) {
                    cancel.store(true, Ordering::Relaxed);
                }
            }
            run.join().unwrap_or_else(|_| Err(Fault::Panic("while preconditioning".to_owned())))
        });
        outcome.map(drop)
    }
}

impl Prepared for Pass<'_> {
    fn operation_bytes(&self) -> u64 {
        BLOCK
    }

    fn classes(&self) -> &'static [Class] {
        self.access.pattern.classes(false).0
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Files { key, details, .. } = self.made;
        let file = reopen::reopen(self.file, self.how, &key.target)?;
        let access = self.access.clone().for_seat(worker, seed);
        let job = Job::new(access, vec![file], &key.target, details.content, false);
        (self.engine.worker)(Job { device: key.kind == DEVICE, ..job }, &self.options)
    }
}

/// Counts what was moved; nobody else listens.
#[derive(Default)]
struct Moved(AtomicU64);

impl Observer for Moved {
    fn moved(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
