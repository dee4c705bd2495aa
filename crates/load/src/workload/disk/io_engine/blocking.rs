//! The `sync` engine: pread(2) and pwrite(2), one operation at a time in the
//! calling thread.

use std::os::unix::fs::FileExt;

use engine::Worker;
use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::parameter::Word;
use model::plan::Problem;

use super::{Engine, Options, only_io_uring};
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::job::Job;
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::DiskPlan;

pub(super) const WORD: Word = Word { word: "sync", doc: "pread and pwrite, one at a time" };

/// The engine.
pub(super) struct SyncEngine;

impl Engine for SyncEngine {
    fn word(&self) -> Word {
        WORD
    }

    fn check(&self, plan: &DiskPlan) -> Result<(), Problem> {
        only_io_uring("sync", plan)?;
        one_at_a_time("sync", plan)
    }

    fn worker(&self, job: Job, _options: &Options) -> Result<Box<dyn Worker>, Fault> {
        let buffer = job.slots(1)?;
        Ok(Box::new(Positioned { job, buffer, finished: None }))
    }
}

/// Refuses a depth that an engine without a queue cannot have.
pub(super) fn one_at_a_time(engine: &str, plan: &DiskPlan) -> Result<(), Problem> {
    match plan.options().depth {
        depth @ 2.. => Err(Problem::invalid(
            format!("engine={engine} does one operation at a time, so queue-depth={depth} cannot be had"),
            "use threads for more at once, or engine=io_uring",
        )),
        _ => Ok(()),
    }
}

/// One operation at a time, in the calling thread. All of its time is the
/// call's, so nothing is told of when the kernel was given it.
#[derive(Debug)]
struct Positioned {
    job: Job,
    buffer: Slots,
    finished: Option<Completion>,
}

impl Queue for Positioned {
    #[inline]
    fn depth(&self) -> usize {
        1
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let buffer = self.buffer.bytes(0);
        let task = self.job.task(operation, buffer);
        let part = &mut buffer[..task.bytes as usize];
        let result = match task.kind {
            Kind::Read => self.job.files[task.file].read_at(part, task.offset).map(|n| n as u64),
            Kind::Write => self.job.files[task.file].write_at(part, task.offset).map(|n| n as u64),
            Kind::Trim | Kind::Sync => self.job.by_call(task),
        };
        let ended = self.job.ended(task, result)?;
        self.finished = Some(Completion { slot, bytes: ended.bytes, class: ended.class, handed_ns: 0 });
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        done.extend(self.finished.take());
        Ok(())
    }

    fn operations_to_end(&self) -> Option<u64> {
        self.job.operations_to_end()
    }

    fn follows(&self) -> bool {
        self.job.access.sync_is_next()
    }

    fn ended(&self) -> bool {
        self.job.is_over()
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.job.settle()
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.job.verify(life)
    }

    fn facts(&self) -> Vec<(model::FactName, model::Value)> {
        self.job.facts()
    }
}
