//! Whole nodes on loopback, with agents' processes of their own.

mod ground;
mod outward;
mod peer;
mod stranger;
mod turn;
