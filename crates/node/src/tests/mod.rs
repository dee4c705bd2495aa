//! Whole nodes on loopback, with agents' processes of their own.

mod fixture;
mod peer;
mod reverse_connect;
mod turn;
mod unauthenticated;
