//! What is driven: the workloads.
//!
//! A workload reads the parameters of a load, once ([`workload::Workload::plan`]). The
//! object that comes of it says what the load is and what it needs before anything is
//! touched, and makes it ready ([`workload::Planned`]). The engine drives what was made
//! ready, and times it: [`engine::Prepared`]. None knows which machine this is: the
//! agent tells them what it found.

pub mod fixture;
pub mod host;
pub mod in_memory;
pub mod workload;
