//! Reading a machine: what it is made of, and the kernel's counters while a
//! load runs. Nothing here makes load or changes anything.
//!
//! Readers take a [`Host`], a file tree, so that any machine can be a fixture.
//! What is missing or garbled in the tree is absent in the answer.

pub mod doctor;
mod host;
pub mod inventory;
pub mod limit;
pub mod sampler;
pub mod storage;

pub use host::Host;
