//! A study from its text to its run: read, checked, expanded into cases,
//! ordered, and carried out by agents, each trial stored as it ends.
//!
//! Arguments -> [`model::Study`] -> [`model::Plan`] -> trials ->
//! [`model::Run`]. Nothing here touches the machine: only agents do.

pub mod built_in;
pub mod grammar;
pub mod imported;
pub mod plan;
pub mod read;
pub mod run;
pub mod schema;

pub use import::diagnostic::{Diagnostic, Source};
pub use plan::PlanError;
