//! What a processor computes.

pub mod cacheline;
pub mod compress;
pub mod crypto;
pub mod float;
pub mod parity;
pub mod primes;
mod vectors;
