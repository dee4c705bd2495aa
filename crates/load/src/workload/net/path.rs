//! How large a packet the path to the far end really carries: an interface may
//! be told an MTU that a switch on the way, or the other end, does not take, and
//! what is larger then vanishes without a word.
//!
//! Datagrams that must not be cut up (`IP_PMTUDISC_PROBE`, ip(7)) are sent with
//! the cookie of the trial in front; the rendezvous address says how long each was that came.
//! So it is packets of that size, from here to there, that were seen to arrive
//! (RFC 8899 finds a path's MTU in the same way, from inside a protocol).

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::fault::Fault;
use model::message::{RendezvousAddress, RendezvousKind};
use model::plan::LoadSpec;
use model::{Value, fact};

use crate::workload::net::hello::{self, COOKIE, WELCOME};
use crate::workload::net::socket::{self, SocketOptions};
use crate::workload::net::tcp_info::TcpInfo;

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

/// Bytes of the heads of IP and UDP (RFC 791, 8200, 768), and of a packet that
/// every path must carry whole (RFC 791: 576; RFC 8200, section 5: 1280).
const OF_IPV4: (usize, usize) = (28, 576);
const OF_IPV6: (usize, usize) = (48, 1280);

/// What is known of the packets that a path carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathMtu {
    /// Bytes of the largest packet that the route here allows.
    pub route: u32,
    /// Bytes of the largest packet that was seen to arrive; absent where no answer
    /// came at all, as where a firewall shuts out datagrams, so that nothing can be
    /// said.
    pub carried: Option<u32>,
}

/// What is the matter where only small packets arrive.
const NARROW: &str = "a link on the way carries less, and the notice of it (ICMP: fragmentation needed, or packet too \
                      big) does not come back";

/// What may help where nobody knows how much is carried: so much IPv6 carries everywhere.
const AROUND: &str = "; try --set mtu=1280, or net.ipv4.tcp_mtu_probing=1 at both ends";

/// Why a trial failed over a path that carries less than the route here allows.
#[must_use]
pub fn with_narrow_path(why: &str, route: u32, carried: u32) -> String {
    let known =
        format!("packets of {route} bytes do not reach the other end, those of up to {carried} bytes do");
    let around = format!("try --set mtu={carried}, or net.ipv4.tcp_mtu_probing=1 at both ends");
    match why.strip_suffix(AROUND) {
        Some(why) => format!("{why}; probed: {known}; {around}"),
        None => format!("{why}; {known}: {NARROW}; {around}"),
    }
}

/// What the kernel tells of a connection of which no full packet ever arrived: that there is such a
/// path. Of others nothing.
pub(super) fn never_carried_full(info: &TcpInfo) -> Option<String> {
    let (segment, acknowledged) = (info.send_mss()?, info.bytes_acknowledged()?);
    let packet = info.path_mtu().filter(|bytes| *bytes > segment)?;
    (info.retransmits()? > 0 && acknowledged < u64::from(segment)).then(|| {
        format!(
            "no packet of {packet} bytes was ever acknowledged on this connection, though smaller ones were: \
             {NARROW}{AROUND}"
        )
    })
}

/// A payload of TCP that every path carries in one packet: 1,280 bytes (RFC 8200, section 5) less
/// the heads of IPv6 and TCP.
const SURE_SEGMENT: libc::c_int = 1280 - 40 - 20;

/// Has all connections of a listener send small segments both ways, so that what is said over
/// them arrives where the path carries less than its ends believe (TCP_MAXSEG, tcp(7)).
///
/// # Errors
/// If the kernel does not do that: larger ones then go out.
pub fn keep_segments_small(listener: &impl AsFd) -> std::io::Result<()> {
    let value = SURE_SEGMENT;
    // SAFETY: the kernel reads `value`, whose size is given, from its address.
    let result = unsafe {
        libc::setsockopt(
            listener.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_MAXSEG,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// What was found of each way, so that each is asked about once: where packets
/// vanish, an answer takes seconds.
#[derive(Debug, Default)]
pub struct RouteCache(Mutex<BTreeMap<RouteKey, PathMtu>>);

/// A way, as far as its ends decide what it carries.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RouteKey {
    to: IpAddr,
    from: Option<IpAddr>,
    /// Bytes of a datagram that the route here allows.
    most: usize,
    /// Bytes of a packet that the far end's interface sends.
    far: Option<u64>,
}

/// Finds how large packets of `load` reach `rendezvous`; nothing where the far end is
/// none of ours.
///
/// # Errors
/// If there is no socket for it, or the load's own address cannot be used.
pub fn probe(
    rendezvous: &RendezvousAddress,
    load: &LoadSpec,
    known: &RouteCache,
) -> Result<Option<PathMtu>, Fault> {
    if rendezvous.kind != RendezvousKind::Ours {
        return Ok(None);
    }
    let cookie = hello::cookie_of(rendezvous)?;
    let failed = |e: std::io::Error| Fault::system("probing the path", e);
    // As its data goes out.
    let SocketOptions { local, .. } = SocketOptions::of(&load.parameters)?;
    let options = SocketOptions { local, ..SocketOptions::default() };
    let socket = hello::bound(rendezvous.address, &options)?;
    socket.connect(SocketAddr::new(rendezvous.address, rendezvous.udp)).map_err(failed)?;
    socket.set_read_timeout(Some(WAITED)).map_err(failed)?;
    let most = socket::datagram_of_path(&socket)?;
    let far = match rendezvous.way.get(&fact::INTERFACE_MTU) {
        Some(Value::Integer(bytes)) => Some(*bytes),
        _ => None,
    };
    let way = RouteKey { to: rendezvous.address, from: options.local()?, most, far };
    let lock = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = lock().get(&way) {
        return Ok(Some(*found));
    }
    never_cut(&socket).map_err(failed)?;
    let (heads, sure) = if rendezvous.address.is_ipv4() { OF_IPV4 } else { OF_IPV6 };
    let packet = |payload: usize| u32::try_from(payload + heads).unwrap_or(u32::MAX);
    let carried = longest(most, sure - heads, |payload| arrives(&socket, &cookie, payload));
    let found = PathMtu { route: packet(most), carried: carried.map(packet) };
    lock().insert(way, found);
    Ok(Some(found))
}

/// The longest payload up to `most` that `arrives`; none where not even one that
/// is sure to be carried does.
fn longest(most: usize, sure: usize, arrives: impl Fn(usize) -> bool) -> Option<usize> {
    if arrives(most) {
        return Some(most);
    }
    let (mut low, mut high) = (sure.min(most), most);
    if !arrives(low) {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if arrives(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
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

/// What the rendezvous address says of a probe of so many bytes.
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
    use model::WorkloadName;

    use super::*;
    use crate::workload::named;
    use crate::workload::net::RendezvousListener;

    fn load(from: &str) -> LoadSpec {
        let mut load = LoadSpec::new(WorkloadName::new("net.stream"), model::Parameters::default());
        if !from.is_empty() {
            load.parameters.set(named("local-address"), from);
        }
        load
    }

    #[test]
    fn the_loopback_carries_what_its_mtu_says_and_is_asked_once() {
        for address in ["127.0.0.1", "::1"] {
            let Ok(listening) = RendezvousListener::open(address.parse().unwrap(), [7; COOKIE]) else {
                assert_eq!(address, "::1", "there is no IPv6 here");
                continue;
            };
            let rendezvous = listening.rendezvous();
            let ways = RouteCache::default();
            let found = probe(&rendezvous, &load(""), &ways).unwrap().unwrap();
            assert_eq!(found.carried, Some(found.route));
            assert!(found.route >= 1500, "{found:?}");
            // Who does not know the cookie hears nothing, and is told what is known.
            let stranger = RendezvousAddress { cookie: "08".repeat(COOKIE), ..rendezvous.clone() };
            assert_eq!(probe(&stranger, &load(""), &ways).unwrap(), Some(found));
            let silent = probe(&stranger, &load(""), &RouteCache::default()).unwrap().unwrap();
            assert_eq!((silent.route, silent.carried), (found.route, None));
            // Another MTU at the other end is another way.
            let mut changed = stranger;
            changed.way.insert(fact::INTERFACE_MTU, 1280_u64.into());
            assert_eq!(probe(&changed, &load(""), &ways).unwrap().unwrap().carried, None);
        }
    }

    #[test]
    fn a_probe_goes_out_as_the_data_does() {
        let listening = RendezvousListener::open("127.0.0.1".parse().unwrap(), [7; COOKIE]).unwrap();
        let rendezvous = listening.rendezvous();
        let ways = RouteCache::default();
        assert!(probe(&rendezvous, &load("127.0.0.9"), &ways).unwrap().unwrap().carried.is_some());
        let elsewhere = probe(&rendezvous, &load("192.0.2.1"), &ways).unwrap_err().to_string();
        assert!(elsewhere.contains("192.0.2.1"), "{elsewhere}");
    }

    /// Bug: a black hole for large packets was told as a program that is stopped.
    #[test]
    fn a_trial_that_failed_over_a_narrow_path_says_so_once() {
        let why = with_narrow_path("nothing arrived", 1500, 1400);
        assert!(why.starts_with("nothing arrived; packets of 1500 bytes do not reach"), "{why}");
        assert!(why.contains("mtu=1400") && why.contains("tcp_mtu_probing"), "{why}");
        let known = format!("silence: no packet of 1500 bytes: {NARROW}{AROUND}");
        let once = with_narrow_path(&known, 1500, 1400);
        assert_eq!((once.matches("ICMP").count(), once.matches("try --set").count()), (1, 1), "{once}");
        assert!(once.ends_with("try --set mtu=1400, or net.ipv4.tcp_mtu_probing=1 at both ends"), "{once}");
    }

    /// Bug: over a path that carries less than its ends believe, a node was told to be stopped.
    #[test]
    fn a_connection_with_small_segments_has_them_both_ways() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        keep_segments_small(&listener).unwrap();
        let near = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        for end in [near, far] {
            let mss = TcpInfo::of(&end).unwrap().send_mss().unwrap();
            assert!((500..=1220).contains(&mss), "{mss}");
        }
    }

    #[test]
    fn a_connection_that_carried_small_packets_only_is_told_by_its_kernel() {
        let told = |acknowledged: u64, again: u32| {
            let mut bytes = [0; 240];
            bytes[16..20].copy_from_slice(&1448_u32.to_ne_bytes());
            bytes[60..64].copy_from_slice(&1500_u32.to_ne_bytes());
            bytes[100..104].copy_from_slice(&again.to_ne_bytes());
            bytes[120..128].copy_from_slice(&acknowledged.to_ne_bytes());
            never_carried_full(&TcpInfo::read(&bytes))
        };
        assert!(told(17, 3).unwrap().contains("no packet of 1500 bytes was ever acknowledged"));
        assert_eq!(told(17, 0), None, "nothing was sent again");
        assert_eq!(told(1448, 3), None, "a full one arrived");
    }

    #[test]
    fn the_longest_that_arrives_is_found() {
        for (carried, found) in [(9000, Some(8972)), (1472, Some(1472)), (548, Some(548)), (500, None)] {
            assert_eq!(longest(8972, 548, |payload| payload <= carried), found);
        }
        assert_eq!(longest(100, 548, |_| true), Some(100));
    }
}
