//! What the engine asks of a workload while time counts: start an operation,
//! collect finished ones.

use std::ops::Range;

use model::trial::Timeline;

use crate::drive::WorkerContext;
use crate::fault::Fault;

/// Which operation: what it does is a pure function of these and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number among all operations of the load.
    pub index: u64,
    /// Its number among those of this worker.
    pub sequence: u64,
}

/// A kind of operation with figures of its own: reads beside writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// What its metrics begin with: `read`. Empty where a load has one kind.
    pub name: &'static str,
    /// Whether it counts among the load's operations: a flush has a latency, but
    /// it is no read and no write.
    pub counts: bool,
    /// Whether its operations are those that failed. They do not count, but were to do what those that
    /// count did.
    pub fails: bool,
}

/// The one class of loads whose operations are all alike.
pub const ALIKE: &[Class] = &[Class { name: "", counts: true, fails: false }];

/// The class of an operation that did nothing and is not recorded: the one that
/// met the end of its target.
pub const UNRECORDED: u8 = u8::MAX;

/// An operation that finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The slot it was started in.
    pub slot: usize,
    /// Bytes it moved.
    pub bytes: u64,
    /// Which of the load's classes it is of.
    pub class: u8,
    /// When it passed from the first of its load's stages to the second, such as
    /// when it was handed to the kernel, ns; 0 where nobody took the time.
    pub handed_ns: u64,
}

/// A part of an operation that has figures of its own, such as one statement of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationPart {
    /// The slot of the operation that it is a part of.
    pub slot: usize,
    /// Which of the load's classes it is of: one that does not count.
    pub class: u8,
    /// When it started, ns.
    pub started_ns: u64,
    /// When it finished, ns.
    pub finished_ns: u64,
}

/// How long [`Queue::reap`] may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Until at least one operation finished.
    One,
    /// Until one finished or so many nanoseconds passed.
    For(u64),
    /// Not at all.
    Poll,
}

/// Operations in flight: what a worker drives. The engine calls it from one
/// thread only, the one that made it.
///
/// One whose `start` does the whole operation has [`Queue::finished`] beside it, and no
/// more; one that has several in flight has [`Queue::depth`] and [`Queue::reap`].
pub trait Queue {
    /// How many operations may be in flight at once, at least 1.
    #[inline]
    fn depth(&self) -> usize {
        1
    }

    /// The times of the trial, told once before its first operation: for what a worker counts beside its
    /// operations, so that only what falls into the window is told.
    fn set_timeline(&mut self, _timeline: Timeline) {}

    /// Starts `operation` in the free slot `slot` (below [`Queue::depth`]). It
    /// may be handed to the kernel only at the next [`Queue::reap`].
    ///
    /// # Errors
    /// If it cannot be started; the load ends.
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault>;

    /// Hands over what was started and collects what is finished into `done`,
    /// which is empty and has room for [`Queue::depth`].
    ///
    /// # Errors
    /// If an operation failed; the load ends.
    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        done.extend(self.finished());
        Ok(())
    }

    /// The operation that the last `start` did, once.
    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        None
    }

    /// Moves the parts of operations that finished since it was asked last to `parts`, which is empty: asked after
    /// each [`Queue::reap`], so that a part is told before its slot is used again.
    #[inline]
    fn take_parts(&mut self, _parts: &mut Vec<OperationPart>) {}

    /// How many operations this worker has until the end of what it works on,
    /// for loads that end there.
    fn operations_to_end(&self) -> Option<u64> {
        None
    }

    /// Whether the next operation belongs to the last one that was started: it is
    /// due at the same moment, and takes no place of its own in an open loop's
    /// rate.
    fn follows(&self) -> bool {
        false
    }

    /// Whether this worker came upon the end of its target, so that nothing more
    /// is to be started.
    fn ended(&self) -> bool {
        false
    }

    /// After the last operation, while time still counts: brings what was done
    /// to where it lasts. Returns whether there was anything to bring.
    ///
    /// # Errors
    /// If that fails.
    fn settle(&mut self) -> Result<bool, Fault> {
        Ok(false)
    }

    /// After the window, when no worker's time counts any more: whether what was
    /// done is right. What takes longer than a second must `beat`.
    ///
    /// # Errors
    /// If it is not, with what was found; or if it is to stop.
    fn verify(&mut self, _life: &WorkerContext<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// What the machine granted that shapes the result: asked after the last operation, before
    /// [`Queue::settle`].
    fn facts(&self) -> Vec<(model::FactName, model::Value)> {
        Vec::new()
    }

    /// The memory that its operations move bytes in, to ask the kernel on which NUMA nodes that
    /// lies. Nobody looks into it.
    fn buffers(&self) -> Vec<Range<*const u8>> {
        Vec::new()
    }
}

/// A load whose operations are done one at a time, in the calling thread.
pub trait Operate {
    /// Does `operation`; returns the bytes it moved, 0 where none.
    ///
    /// # Errors
    /// If it failed; the load ends.
    fn operate(&mut self, operation: Operation) -> Result<u64, Fault>;

    /// As [`Queue::operations_to_end`].
    fn operations_to_end(&self) -> Option<u64> {
        None
    }

    /// As [`Queue::ended`].
    fn ended(&self) -> bool {
        false
    }

    /// As [`Queue::verify`], of what takes no time.
    ///
    /// # Errors
    /// If what was done is wrong.
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// As [`Queue::facts`].
    fn facts(&self) -> Vec<(model::FactName, model::Value)> {
        Vec::new()
    }

    /// As [`Queue::buffers`].
    fn buffers(&self) -> Vec<Range<*const u8>> {
        Vec::new()
    }
}

/// A queue of depth 1 over [`Operate`].
#[derive(Debug)]
pub struct Blocking<W> {
    work: W,
    finished: Option<Completion>,
}

impl<W: Operate> Blocking<W> {
    /// Wraps `work`.
    pub fn new(work: W) -> Self {
        Self { work, finished: None }
    }
}

impl<W: Operate> Queue for Blocking<W> {
    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let bytes = self.work.operate(operation)?;
        self.finished = Some(Completion { slot, bytes, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn operations_to_end(&self) -> Option<u64> {
        self.work.operations_to_end()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.work.ended()
    }

    fn verify(&mut self, _life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.work.verify()
    }

    fn facts(&self) -> Vec<(model::FactName, model::Value)> {
        self.work.facts()
    }

    fn buffers(&self) -> Vec<Range<*const u8>> {
        self.work.buffers()
    }
}
