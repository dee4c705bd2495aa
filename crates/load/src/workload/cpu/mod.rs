//! What a processor computes.

pub mod compress;
pub mod crypto;
pub mod float;
pub mod parity;
pub mod primes;
mod vectors;
