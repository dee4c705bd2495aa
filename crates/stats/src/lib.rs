//! Pure estimators: numbers in, numbers with their uncertainty out.
//!
//! * [`interval`]: the centre of a few trials and how far it may be off.
//! * [`comparison`]: is one side of a pair better, and by how much.
//! * [`steady`]: where a series stops settling and starts to count.
//! * [`stopping`]: are these trials enough.
//! * [`allocation`]: which cases take the next trials.
//! * [`bucket`]: a rate that falls from one level to another, as that of a token bucket.
//! * [`amdahl`]: how a rate grows with the threads, and what share of the work is serial.
//! * [`doubling`]: does twice as much under way give more.
//! * [`capacity`]: which concurrency gives the most, and how to find it.
//! * [`change_point`]: where a series of like results stepped to another level.
//! * [`knee`]: from where on more load buys no more rate.
//! * [`plateau`]: which stretches of a curve are level, and where they end.
//! * [`interaction`]: what two changes do, alone and together.
//! * [`outlier`]: which of many like things are unlike the others, and which fall into levels apart.
//! * [`association`]: whether a fact goes with being in one group or in another.
//! * [`response`]: does a result follow what was taken away or given.
//! * [`histogram`]: latencies kept whole, and how they are stored.
//! * [`distribution`]: what may be read from stored ones.
//!
//! Nothing here reads a clock, a file or a random device, so every result can be computed again
//! from the stored trials. What cannot be estimated is `None`, never 0. Each formula names its
//! paper, and its tests hold it against numbers from elsewhere; `tests/coverage.rs` simulates
//! whether the intervals hold.
//!
//! This crate does not know metrics, units or runs; it takes plain slices.

pub mod allocation;
pub mod amdahl;
pub mod association;
pub mod bucket;
pub mod capacity;
pub mod change_point;
pub mod comparison;
pub mod counts;
pub mod distribution;
pub mod doubling;
pub mod histogram;
pub mod interaction;
pub mod interval;
pub mod knee;
pub mod outlier;
pub mod plateau;
pub mod response;
pub mod saturation;
pub mod steady;
pub mod stopping;
