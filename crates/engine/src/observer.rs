//! Who is told of a session.

use model::Phase;
use model::event::IntervalFigures;
use model::trial::Timeline;

use crate::operation_log::OperationLog;
use crate::queue::Class;

/// The thread of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerThread {
    /// Its load, 0 is the main one.
    pub load: usize,
    /// Its number (gettid(2)).
    pub id: u32,
}

/// What a session tells while it runs.
pub trait Observer: Sync {
    /// All workers are ready, and wait for the start.
    fn ready(&self, _threads: &[WorkerThread]) {}
    /// All workers are ready; these are the times.
    fn starts(&self, _timeline: Timeline) {}
    /// A phase began.
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
    /// The load is alive; the number changes while it is.
    fn alive(&self, _pulse: u64) {}
    /// The main load has moved so many bytes more.
    fn moved(&self, _bytes: u64) {}
    /// How long the intervals are whose figures it wants while the session runs, ns; none to be told of no interval.
    fn line_ns(&self) -> Option<u64> {
        None
    }
    /// What the main load did in one of them.
    fn interval(&self, _figures: &IntervalFigures) {}
    /// How many operations of all workers together it wants one by one; 0 for none, which costs nothing.
    fn log_room(&self) -> usize {
        0
    }
    /// Those of one worker, which has ended them; `classes` are the kinds of its load's operations.
    fn logged(&self, _log: &OperationLog, _classes: &[Class]) {}
}
