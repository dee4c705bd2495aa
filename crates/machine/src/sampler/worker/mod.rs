//! What the threads that drive a load do: samplers of threads of this process,
//! which are known by their numbers only when the load is about to start. They
//! are read from outside of these threads, so that nothing is added to what they
//! measure.

mod delay;
mod hardware;
mod wait;

pub use delay::delays;
pub use hardware::{CountedMode, hardware};
pub use wait::WorkerWaits;
