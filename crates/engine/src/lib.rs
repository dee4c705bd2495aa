//! The engine: when operations start, when they stop, and how long they took.
//!
//! Schedule (when is the next operation due), stop rule (is there a next one),
//! queue (what an operation is) and recorder (how long it took) are separate
//! types; [`drive`] is the one loop that joins them, made anew by the compiler
//! for each pair of queue and schedule so that nothing is dispatched in it.
//! It allocates nothing, and its thread shares a stop flag and a counter that
//! is touched once an interval.

mod begin;
pub mod clock;
pub mod collect;
pub mod drive;
pub mod fault;
mod gate;
pub mod load;
pub mod outcome;
pub mod placement;
pub mod post;
pub mod queue;
pub mod record;
pub mod rest;
pub mod schedule;
pub mod search;
pub mod session;
pub mod stop;

pub use begin::Begin;
pub use drive::Life;
pub use fault::Fault;
pub use load::{Prepared, Seen, Worker};
pub use queue::{Blocking, Completion, Operate, Operation, Queue, Wait};
pub use rest::Rest;
pub use session::{LoadPlan, Observer, Session};
