//! `file.*`: what a file system costs beside the bytes.

mod left;
pub mod metadata;
mod own;
mod tree;

pub use left::{Fate, Left, remove_left};
