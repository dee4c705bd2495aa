//! What the scheduler and the kernel take: locks, hand-offs, timers and calls.

pub mod handoff;
mod lock;
pub mod mutex;
pub(in crate::workload) mod pair;
mod staged;
pub mod syscall;
pub mod threads;
pub mod timer;
mod wire;
