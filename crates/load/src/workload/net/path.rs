//! How large a packet the path to the far end really carries: an interface may
//! be told an MTU that a switch on the way, or the other end, does not take, and
//! what is larger then vanishes without a word.
//!
//! Datagrams that must not be cut up (`IP_PMTUDISC_PROBE`, ip(7)) are sent with
//! the cookie of the trial in front; the door says how long each was that came.
//! So it is packets of that size, from here to there, that were seen to arrive
//! (RFC 8899 finds a path's MTU in the same way, from inside a protocol).

use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use model::message::{Door, DoorKind};

use crate::engine::fault::Fault;
use crate::workload::net::hello::{self, COOKIE, WELCOME};
use crate::workload::net::socket::{self, Options};

/// What follows the cookie of a probe: a place that no worker has.
pub(super) const MARK: [u8; 4] = [0xff; 4];

/// Bytes of a probe's answer: [`WELCOME`] and the length as `u32` in network
/// order.
pub(super) const ANSWER: usize = 5;

/// How long an answer may take: many times the way to any machine that a wire
/// reaches in one network.
const WAITED: Duration = Duration::from_millis(150);

/// How often a size is tried before it counts as lost.
const TRIES: usize = 3;

/// What every IPv4 path must carry whole (RFC 791: 576), less the headers.
const SURE: usize = 548;

/// What is known of the packets that a path carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathMtu {
    /// Bytes of the largest packet that the route here allows.
    pub route: u32,
    /// Bytes of the largest packet that was seen to arrive.
    pub carried: u32,
}

/// Finds how large packets reach `door`; nothing where datagrams do not at all, so
/// that nothing can be said, or the far end is none of ours.
///
/// # Errors
/// If there is no socket for it.
pub fn probe(door: &Door) -> Result<Option<PathMtu>, Fault> {
    if door.kind != DoorKind::Ours {
        return Ok(None);
    }
    let cookie = hello::cookie_of(door)?;
    let failed = |e: std::io::Error| Fault::system("probing the path", e);
    let socket = hello::bound(door.address, &Options::default())?;
    socket.connect(SocketAddr::new(door.address, door.udp)).map_err(failed)?;
    socket.set_read_timeout(Some(WAITED)).map_err(failed)?;
    let most = socket::datagram_of_path(&socket)?;
    never_cut(&socket).map_err(failed)?;
    let headers = if door.address.is_ipv4() { 28 } else { 48 };
    let packet = |payload: usize| u32::try_from(payload + headers).unwrap_or(u32::MAX);
    let arrives = |payload: usize| arrives(&socket, &cookie, payload);
    if arrives(most) {
        return Ok(Some(PathMtu { route: packet(most), carried: packet(most) }));
    }
    let (mut low, mut high) = (SURE.min(most), most);
    if !arrives(low) {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if arrives(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(Some(PathMtu { route: packet(most), carried: packet(low) }))
}

/// Whether a datagram of so many bytes arrives.
fn arrives(socket: &UdpSocket, cookie: &[u8; COOKIE], payload: usize) -> bool {
    let mut datagram = vec![0; payload];
    datagram[..COOKIE].copy_from_slice(cookie);
    datagram[COOKIE..COOKIE + MARK.len()].copy_from_slice(&MARK);
    let expected = answer(payload);
    let mut got = [0; 64];
    for _ in 0..TRIES {
        // Larger than the interface: the kernel says so at once.
        if socket.send(&datagram).is_err() {
            continue;
        }
        // An answer to an earlier, smaller one may come late.
        while let Ok(length) = socket.recv(&mut got) {
            if got[..length] == expected {
                return true;
            }
        }
    }
    false
}

/// What the door says of a probe of so many bytes.
pub(super) fn answer(payload: usize) -> [u8; ANSWER] {
    let [a, b, c, d] = u32::try_from(payload).unwrap_or(u32::MAX).to_be_bytes();
    [WELCOME, a, b, c, d]
}

/// Has the kernel send datagrams whole or not at all, whatever it believes of the
/// path.
fn never_cut(socket: &UdpSocket) -> std::io::Result<()> {
    let (level, name, value) = if socket.local_addr()?.is_ipv4() {
        (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE)
    } else {
        (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE)
    };
    // SAFETY: the kernel reads `value`, whose size is given, from its address.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::net::Listening;

    #[test]
    fn the_loopback_carries_what_its_mtu_says() {
        let listening = Listening::open("127.0.0.1".parse().unwrap(), [7; COOKIE]).unwrap();
        let door = listening.door().unwrap();
        let found = probe(&door).unwrap().unwrap();
        assert_eq!(found.carried, found.route);
        assert!(found.route >= 1500, "{found:?}");
        // Who does not know the cookie hears nothing.
        let stranger = Door { cookie: "08".repeat(COOKIE), ..door };
        assert_eq!(probe(&stranger).unwrap(), None);
    }
}
