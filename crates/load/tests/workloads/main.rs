//! Every workload by its table, and those with two ends over the loopback interface.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod contract;
mod db;
mod http;
mod net;
mod object;
mod two_ends;
