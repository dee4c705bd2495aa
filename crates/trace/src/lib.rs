//! What the kernel did with block devices, event by event: the events as types, the
//! formats that they are read from and written in, and what is said of a whole trace.
//!
//! Nothing here opens a file of the machine: the kernel's buffers are read by
//! `machine::trace`, and all else comes from a reader or goes to a writer. A trace may
//! have any length; what is kept of it is bounded.

pub mod analysis;
pub mod event;
pub mod format;
mod key_hash;
pub mod replay;
pub mod ring;

pub use analysis::{Analysis, AnalysisOptions, Report};
pub use event::{Action, BlockEvent, BlockOperation, Device, TraceRecord};
