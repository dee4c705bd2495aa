//! Loads on HTTP servers: many small requests, or bytes that come or go.
//!
//! The timed path is HTTP/1.1 (RFC 9112) on sockets of our own: what a library of a client
//! does between two requests would be measured with the server. Downloads go over HTTP/2 too, by a
//! library: between two requests of theirs is little that counts.

pub mod certificate_check;
pub(in crate::workload) mod certificates;
pub(in crate::workload) mod client;
pub(in crate::workload) mod dialog;
pub mod download;
pub(in crate::workload) mod errors;
pub(in crate::workload) mod facts;
pub(in crate::workload) mod handshakes;
mod headers;
pub(in crate::workload) mod line;
pub(in crate::workload) mod own_server;
pub(in crate::workload) mod parameters;
mod parsed_head;
pub(in crate::workload) mod peer;
pub mod requests;
pub(in crate::workload) mod response;
pub(in crate::workload) mod served;
pub(in crate::workload) mod served_file;
pub(in crate::workload) mod serving;
pub(in crate::workload) mod stream;
pub(in crate::workload) mod tally;
pub(in crate::workload) mod tls;
pub(in crate::workload) mod turns;
pub mod upload;
pub(in crate::workload) mod url;

/// What every request says of who sends it.
pub(in crate::workload) const USER_AGENT: &str = concat!("headroom/", env!("CARGO_PKG_VERSION"));
