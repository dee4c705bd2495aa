//! The `null` engine: everything but the I/O. What it costs is what this
//! program costs.

use engine::Worker;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::parameter::Word;

use super::{Engine, Options};
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::job::Job;

pub(super) const ENGINE: Engine = Engine {
    word: Word { word: "null", doc: "nothing is read or written: what this program itself costs" },
    drives: false,
    cached_only: false,
    available: || Ok(()),
    check: |_| Ok(()),
    worker,
};

fn worker(job: Job, options: &Options) -> Result<Box<dyn Worker>, Fault> {
    let buffers = job.slots(options.depth)?;
    let started = Vec::with_capacity(options.depth);
    Ok(Box::new(Nowhere { job, buffers, depth: options.depth, started }))
}

/// Places are computed and content is made; nothing is moved.
#[derive(Debug)]
struct Nowhere {
    job: Job,
    buffers: Slots,
    depth: usize,
    started: Vec<Completion>,
}

impl Queue for Nowhere {
    fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let task = std::hint::black_box(self.job.task(slot, operation, self.buffers.bytes(slot)));
        let class = self.job.classes[task.kind as usize];
        self.started.push(Completion { slot, bytes: task.bytes, class, handed_ns: 0 });
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        // `done` is empty and has as much room: nothing is copied.
        std::mem::swap(done, &mut self.started);
        Ok(())
    }

    fn operations_to_end(&self) -> Option<u64> {
        self.job.operations_to_end()
    }

    fn follows(&self) -> bool {
        self.job.access.sync_is_next()
    }
}
