//! The disk workload against real files, from survey to metrics: what lands there and lasts, what
//! is found damaged, and what is not written to.
// A test may unwrap, in its helpers too, and says why it is skipped.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod content;
mod durable;
mod engines;
mod occupied;
mod replaced;
mod support;
mod verify;
