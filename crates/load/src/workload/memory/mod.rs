//! What memory and caches give.

pub mod arrays;
pub mod bandwidth;
pub mod blocks;
pub mod buffer;
pub mod chase;
mod kernel;
pub mod latency;
pub mod layout;
pub mod loaded;
pub mod pages;
pub mod sizes;
