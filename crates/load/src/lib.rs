//! What is driven: the workloads.
//!
//! A workload says what a load needs before anything is touched, and makes it
//! ready: [`workload::Workload`]. The engine drives what was made ready, and
//! times it: [`engine::Prepared`]. Neither knows which machine this is: the agent
//! tells them what it found.

pub mod fixture;
pub mod host;
pub mod in_memory;
pub mod workload;
