//! The engine: when operations start, when they stop, and how long they took.
//!
//! Schedule (when is the next operation due), stop rule (is there a next one),
//! queue (what an operation is) and recorder (how long it took) are separate
//! types; [`drive`] is the one loop that joins them, made anew by the compiler
//! for each pair of queue and schedule so that nothing is dispatched in it.
//! It allocates nothing, and its thread shares a stop flag and a counter that
//! is touched once an interval.

pub mod adaptive_spin;
mod begin;
pub mod clock;
mod collect;
pub mod drive;
mod exhausted;
pub mod fault;
pub mod idle;
mod lines;
pub mod load;
pub mod numa;
pub mod observer;
pub mod operation_log;
pub mod outcome;
pub mod placement;
pub mod queue;
pub mod ready;
pub mod record;
pub mod report_channel;
pub mod schedule;
pub mod search;
pub mod session;
pub mod stop;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use begin::Begin;
pub use drive::WorkerContext;
pub use fault::Fault;
pub use idle::IdlePhases;
pub use load::{Prepared, SideMetrics, Worker};
pub use operation_log::OperationLog;
pub use queue::{Blocking, Completion, Operate, Operation, Queue, Wait};
pub use session::{LoadPlan, Observer, Session, WorkerThread};

/// What `mutex` holds, also after a thread panicked that had it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
