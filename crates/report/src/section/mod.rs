//! The parts of a summary: each takes a run, or a part of one, and gives text.

pub mod comparison;
pub mod condition;
pub mod findings;
pub mod machine;
pub(crate) mod part;
pub(crate) mod setting;
pub(crate) mod share;
pub mod workload;
