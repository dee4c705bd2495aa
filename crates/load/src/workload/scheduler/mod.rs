//! What the scheduler and the kernel take: locks, hand-offs, timers and calls.

mod lock;
pub mod mutex;
pub mod threads;
