//! What a processor computes.

pub mod float;
pub mod primes;
