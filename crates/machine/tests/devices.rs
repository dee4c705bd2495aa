//! Tests of what is known of block devices against real loop devices: every
//! signature that a program of this machine can make, and every use that its
//! kernel has. They need root; where they cannot run they say so, and in CI
//! they must.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "devices/bench.rs"]
mod bench;
#[path = "devices/identities.rs"]
mod identities;
#[path = "devices/signatures.rs"]
mod signatures;
#[path = "devices/uses.rs"]
mod uses;
