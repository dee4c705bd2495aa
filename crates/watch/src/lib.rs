//! A machine that is watched while others use it: how much of each resource is used, of what it was measured to give, what is
//! full first, and why.
//!
//! The samplers, the limits and the rules are those of runs; what is new is the sliding window, and the range between mixes
//! that were measured ([`mix`]).

pub mod document;
pub mod far;
pub mod keeper;
pub mod limit_book;
pub mod mix;
pub mod phases;
pub mod prometheus;
pub mod readings;
pub mod recording;
pub mod screen;
pub mod session;
pub mod situation;
pub mod text;
pub mod verdict;
