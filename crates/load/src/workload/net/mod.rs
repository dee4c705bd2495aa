//! Loads between two machines. Both ends are the same engine: the near one
//! drives and says when the window opens, the far one answers behind a rendezvous address that
//! it opened for this trial only.
//!
//! What lets a connection in is a cookie, which the far end made and the near end
//! got over the agents' own, guarded connection. A datagram's sender may be a lie, so
//! over UDP the cookie alone lets nobody in: an address gets data only after it said
//! a word that was sent there.

mod admitted_streams;
pub(in crate::workload) mod answer_slots;
pub mod connect;
pub mod crowd;
mod direction;
mod dscp;
pub(in crate::workload) mod ends;
mod hello;
pub mod iperf3;
pub mod loaded;
mod path;
pub mod pingpong;
pub(in crate::workload) mod ports;
mod rendezvous;
pub(in crate::workload) mod socket;
pub mod stream;
mod tcp_info;
pub(in crate::workload) mod worker_samples;

use model::plan::LoadSpec;

/// The other end that a load names, and the address from which it is to be reached.
#[must_use]
pub fn far_end(load: &LoadSpec) -> Option<(&str, Option<&str>)> {
    let text = |name| load.parameters.text(name).ok();
    Some((text(socket::PEER.name)?, text(socket::LOCAL_ADDRESS.name)))
}

/// Whether a load between two ends sends what nobody acknowledges.
#[must_use]
pub fn sends_datagrams(load: &LoadSpec) -> bool {
    SocketOptions::of(&load.parameters).is_ok_and(|options| !options.is_tcp)
}

pub use direction::StreamDirection;
pub use path::{PathMtu, RouteCache, keep_segments_small, probe, with_narrow_path};
pub use rendezvous::RendezvousListener;
pub(in crate::workload) use socket::facts as socket_facts;
pub use socket::{CUT, SocketOptions};
pub use tcp_info::since_acknowledged;
