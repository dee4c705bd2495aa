//! iperf3 on the other side: a server for stock clients, and the far end of a
//! trial that a stock server is.
//!
//! The server needs nothing of the engine: a client decides what runs, and both
//! ends count in iperf3's own way. Each test has threads of its own, so several
//! clients are served at once, which stock servers do not do.

mod end;
mod outcome;
mod server;
mod session;
mod socket;
mod stream;
mod test_registry;
mod wire;

#[cfg(test)]
mod end_tests;
#[cfg(test)]
mod tests;

pub use end::{Iperf3End, SCHEME};
pub use server::{Admit, Iperf3Error, Iperf3Options, Iperf3Server, PORT, ServerLimits};
