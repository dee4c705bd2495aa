//! Whole nodes on loopback, with agents' processes of their own.

mod ground;
mod peer;
mod stranger;
mod turn;
