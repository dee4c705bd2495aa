//! `file.*`: what a file system costs beside the bytes.

pub mod metadata;
mod owned_folder;
mod server_folder;
mod stale_trees;
pub mod tree;

pub use stale_trees::{StaleTree, TreeOutcome, remove_left};
