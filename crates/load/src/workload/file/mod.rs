//! `file.*`: what a file system costs beside the bytes.

pub mod metadata;
mod tree;
