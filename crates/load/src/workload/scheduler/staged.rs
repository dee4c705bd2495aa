//! A queue of depth 1 whose operations tell the moment that parts their time in
//! two: when a partner woke, when a timer was due. Otherwise as
//! [`Blocking`](engine::queue::Blocking).

use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue};

/// Operations done one at a time, in the calling thread.
pub(super) trait Stages {
    /// Does one; returns the moment between its stages, ns of the engine's clock.
    fn operate(&mut self) -> Result<u64, Fault>;

    /// As [`Queue::facts`].
    fn facts(&self) -> Vec<(model::FactName, model::Value)>;
}

/// The queue over them.
pub(super) struct Staged<W> {
    work: W,
    finished: Option<Completion>,
}

impl<W: Stages> Staged<W> {
    pub(super) fn new(work: W) -> Self {
        Self { work, finished: None }
    }
}

impl<W: Stages> Queue for Staged<W> {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let handed_ns = self.work.operate()?;
        self.finished = Some(Completion { slot, handed_ns, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn facts(&self) -> Vec<(model::FactName, model::Value)> {
        self.work.facts()
    }
}
