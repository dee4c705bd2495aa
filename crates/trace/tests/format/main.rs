//! Formats of traces from outside: what is written is read back, what other tools wrote is
//! read, what they read is written, and no bytes do harm.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod any_bytes;
mod blktrace;
mod iolog;
mod records;
mod saved;
