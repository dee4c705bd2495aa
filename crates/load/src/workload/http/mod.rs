//! Loads on HTTP servers: many small requests, or bytes that come or go.
//!
//! The timed path is HTTP/1.1 (RFC 9112) on sockets of our own: what a library of a client
//! does between two requests would be measured with the server.

mod client;
mod dialog;
pub mod download;
mod errors;
mod facts;
mod headers;
mod own_server;
mod parameters;
pub mod requests;
mod response;
mod stream;
mod tally;
mod tls;
pub mod upload;
mod url;

/// What every request says of who sends it.
const USER_AGENT: &str = concat!("headroom/", env!("CARGO_PKG_VERSION"));
