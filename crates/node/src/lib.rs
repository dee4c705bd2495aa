//! A node: another machine that lets itself be measured with. It is the same
//! agent as the one in a child process here, reached over TLS.
//!
//! - [`JoinString`]: where it is and what lets one in.
//! - [`Node`]: takes controllers in ([`NodeIdentity`], [`Allow`], [`Limits`]), looks
//!   at each of their requests, and has one of them measure at a time.
//! - [`NodeAgent`]: the controller's side, an [`Agent`](agent::Agent).
//!
//! Who dials is another matter: by default the controller does. Where nobody comes
//! in to the node's machine, an [`ReverseConnect`] node dials and the controller waits for
//! it at a [`ReverseAccept`]; who dials is the client of TLS and shows the key.
//!
//! On the wire: TLS 1.3, in it the frames of [`Frames`]; first the two of the
//! greeting (key and version), then the messages of [`model::message`].

mod acceptor;
mod addresses;
mod admit;
mod allow;
mod bounds;
mod byte_pump;
mod controller;
mod dial;
mod ending;
mod frame;
mod handshake;
mod identity;
mod join;
mod limits;
mod measurement_lock;
mod pending;
mod presentable;
mod presented;
mod relay;
mod reply;
mod reverse_accept;
mod reverse_connect;
mod secure;
mod serve;
mod session;
mod tls;

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use model::message::Request;

pub use allow::{Allow, NoNetwork};
pub use bounds::known_names_only;
pub use controller::{GoesOn, NodeAgent};
pub use dial::DialError;
pub use frame::{Frames, TooLong};
pub use handshake::PROTOCOL;
pub use identity::{IdentityError, NODE_FILE, NodeIdentity, RUN_FILE};
pub use join::{DEFAULT_PORT, Fingerprint, JoinError, JoinString, Key, SCHEME};
pub use limits::Limits;
pub use reverse_accept::{Listener, ReverseAccept};
pub use reverse_connect::{ReverseConnect, ReverseConnectEvent};
pub use serve::{Node, NodeError, NodeEvent, ServeOptions};

/// How often either end says an empty frame when it has nothing to say.
pub const WORD_EVERY: Duration = Duration::from_secs(1);

/// How long a node may say nothing while `request` is under way.
fn silence(request: &Request) -> Duration {
    let order = match request {
        Request::Trial(order) => order,
        Request::Watch(_) => return limits::SILENCE_LOADED,
        _ => return limits::SILENCE,
    };
    let floods = order.loads.iter().any(load::workload::net::sends_datagrams);
    if floods { limits::SILENCE_FLOODED } else { limits::SILENCE_LOADED }
}

/// What a node makes of `bytes` when they come in pieces of `cut`: how many
/// requests are let through, until something ends the session. For tests and the
/// fuzzer; it does nothing else.
#[must_use]
pub fn heard(bytes: &[u8], cut: usize) -> usize {
    let mut frames = Frames::new(Limits::default().frame);
    let (mut through, here, limits) = (0, IpAddr::V4(Ipv4Addr::LOCALHOST), Limits::default());
    for piece in bytes.chunks(cut.max(1)) {
        frames.push(piece);
        loop {
            match frames.take() {
                Ok(Some(body)) => through += usize::from(admit::admit(body, here, here, &limits).is_ok()),
                Ok(None) => break,
                Err(_) => return through,
            }
        }
    }
    through
}
