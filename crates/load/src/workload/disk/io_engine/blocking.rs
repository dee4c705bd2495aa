//! The `sync` engine: pread(2) and pwrite(2), one operation at a time in the
//! calling thread.

use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;

use engine::Worker;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue};
use model::parameter::Word;
use model::plan::Problem;
use model::{FactName, Value};
use rustix::io::ReadWriteFlags;

use super::{Engine, Options, only_io_uring};
use crate::workload::disk::access::Task;
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::job::{Flight, Job};
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::DiskPlan;

pub(super) const ENGINE: Engine = Engine {
    word: Word { word: "sync", doc: "pread and pwrite, one at a time" },
    drives: true,
    cached_only: false,
    available: || Ok(()),
    check: |plan| one_at_a_time("sync", plan),
    worker,
};

fn worker(job: Job, _options: &Options) -> Result<Box<dyn Worker>, Fault> {
    in_this_thread(job, |job, task, part| match task.kind {
        Kind::Read => job.files[task.file].read_at(part, task.offset).map(|n| n as u64),
        Kind::Write if task.is_forced => {
            let (file, parts) = (&job.files[task.file], [IoSlice::new(part)]);
            Ok(rustix::io::pwritev2(file, &parts, task.offset, ReadWriteFlags::DSYNC)? as u64)
        }
        Kind::Write => job.files[task.file].write_at(part, task.offset).map(|n| n as u64),
        Kind::Trim | Kind::Zero | Kind::Sync => job.by_call(task),
    })
}

/// Refuses a depth, and what else an engine without a queue cannot have.
pub(super) fn one_at_a_time(engine: &str, plan: &DiskPlan) -> Result<(), Problem> {
    only_io_uring(engine, plan)?;
    match plan.options().depth {
        depth @ 2.. => Err(Problem::invalid(
            format!("engine={engine} does one operation at a time, so queue-depth={depth} cannot be had"),
            "use threads for more at once, or engine=io_uring",
        )),
        _ => Ok(()),
    }
}

/// A worker that does each task of `job` by `operate`, which moves the bytes in the buffer
/// and returns how many.
pub(super) fn in_this_thread<F>(job: Job, operate: F) -> Result<Box<dyn Worker>, Fault>
where
    F: FnMut(&Job, Task, &mut [u8]) -> io::Result<u64> + 'static,
{
    let buffer = job.slots(1)?;
    Ok(Box::new(Caller { job, buffer, operate, finished: None }))
}

/// One operation at a time, in the calling thread. All of its time is the
/// call's, so nothing is told of when the kernel was given it.
struct Caller<F> {
    job: Job,
    buffer: Slots,
    operate: F,
    finished: Option<Completion>,
}

impl<F: FnMut(&Job, Task, &mut [u8]) -> io::Result<u64>> Queue for Caller<F> {
    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let buffer = self.buffer.bytes(0);
        let task = self.job.task(slot, operation, buffer);
        let result = (self.operate)(&self.job, task, &mut buffer[..task.buffered()]);
        self.finished = Some(self.job.ended(slot, Flight { task, handed_ns: 0 }, result)?);
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    as_its_job_does!();

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.buffer.range()]
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.job.facts()
    }
}
