//! Reading a machine: what it is made of, and the kernel's counters while a
//! load runs; changing its settings and putting them back. Nothing here makes
//! load, and nothing but [`setting`] changes anything; [`trace`] makes what it needs
//! in the kernel, and removes it.
//!
//! Readers take a [`Host`], a file tree, so that any machine can be a fixture.
//! What is missing or garbled in the tree is absent in the answer.

pub mod doctor;
pub mod file;
mod host;
pub mod inventory;
pub mod limit;
mod nvme;
pub mod route;
pub mod sampler;
pub mod setting;
pub mod storage;
pub mod trace;

pub use host::Host;
