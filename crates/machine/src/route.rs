//! The way from this machine to an address: interface, source address, gateway,
//! and what the kernel knows of the neighbour that packets are handed to
//! (`RTM_GETROUTE`, `RTM_GETLINK`, `RTM_GETNEIGH` of rtnetlink(7)).
//!
//! It is what the kernel would choose now for a packet to that address. A socket
//! that is bound to an interface or marked may go another way.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::inventory::network::wire::{
    self, AF_INET6, GET_LINK, GET_ROUTE, IFLA_IFNAME, IFLA_MAX_MTU, IFLA_MTU, IFLA_QDISC, LINK_HEAD,
    ROUTE_HEAD, RTA_DST, RTA_METRICS, RTA_OIF, RTAX_MTU, attribute, number, text,
};

const GET_NEIGHBOUR: u16 = 30;
/// Bytes of `struct ndmsg`.
const NEIGHBOUR_HEAD: usize = 12;
const AF_INET: u8 = 2;
const RTA_GATEWAY: u16 = 5;
const RTA_PREFSRC: u16 = 7;
/// A gateway of the other family: the family as a number of 16 bits, then the
/// address.
const RTA_VIA: u16 = 18;
/// `RTN_LOCAL`: the address is one of this machine's own.
const LOCAL: u8 = 2;
const IFLA_MIN_MTU: u16 = 50;
/// `IFF_UP` and `IFF_LOWER_UP` of `include/uapi/linux/if.h`: somebody switched it
/// on, and it has a carrier.
const UP: u32 = 0x1;
const LOWER_UP: u32 = 0x1_0000;
const NDA_DST: u16 = 1;
/// `NUD_*` of `include/uapi/linux/neighbour.h`.
const STATES: &[(u16, &str)] = &[
    (0x01, "incomplete"),
    (0x02, "reachable"),
    (0x04, "stale"),
    (0x08, "delay"),
    (0x10, "probe"),
    (0x20, "failed"),
    (0x40, "noarp"),
    (0x80, "permanent"),
];

/// The way to an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The interface that packets leave by: `eth0`.
    pub interface: String,
    /// The address that they come from, where the kernel chooses one.
    pub source: Option<IpAddr>,
    /// Who they are handed to; absent where the address is on the link itself.
    pub gateway: Option<IpAddr>,
    /// Bytes of the interface's largest packet.
    pub mtu: u32,
    /// Bytes of the largest packet on this way, where the route or a discovered
    /// path (RFC 1191) says another than the interface.
    pub path_mtu: Option<u32>,
    /// The interface's queueing discipline at the root: `fq_codel`, `noqueue`.
    pub qdisc: Option<String>,
    /// Whether the address is one of this machine's own: no wire is used.
    pub local: bool,
    /// What the kernel knows of whom packets are handed to: `reachable`, `stale`,
    /// `failed` ...; absent where it has not asked yet, or no one is asked, as on
    /// the loopback.
    pub neighbour: Option<String>,
}

/// Why there is no way to an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The kernel says so.
    #[error("no route to {address}: {reason}")]
    None {
        /// The address.
        address: IpAddr,
        /// What the kernel said.
        reason: String,
    },
    /// The kernel answered something that cannot be understood.
    #[error("the kernel's answer about the way to {address} has no {missing}")]
    Garbled {
        /// The address.
        address: IpAddr,
        /// What it lacks.
        missing: &'static str,
    },
}

/// The way that packets to `address` take now.
///
/// # Errors
/// If there is none, or the kernel does not say.
pub fn towards(address: IpAddr) -> Result<Route, RouteError> {
    let address = address.to_canonical();
    let none = |reason: String| RouteError::None { address, reason };
    let answer = wire::ask(GET_ROUTE, &question(address)).map_err(none)?;
    let missing = |missing: &'static str| RouteError::Garbled { address, missing };
    let way = RouteMessage::read(&answer).ok_or_else(|| missing("interface"))?;
    let link = link(way.index).ok_or_else(|| missing("name of the interface"))?;
    let next = way.gateway.unwrap_or(address);
    Ok(Route {
        interface: link.name,
        source: way.source,
        gateway: way.gateway,
        mtu: link.mtu,
        path_mtu: way.mtu.filter(|mtu| *mtu != link.mtu),
        qdisc: link.qdisc,
        local: way.local,
        neighbour: if way.local { None } else { neighbour(way.index, next) },
    })
}

fn question(address: IpAddr) -> Vec<u8> {
    let (family, bytes) = match address {
        IpAddr::V4(a) => (AF_INET, a.octets().to_vec()),
        IpAddr::V6(a) => (AF_INET6, a.octets().to_vec()),
    };
    let mut payload = vec![0; ROUTE_HEAD];
    payload[0] = family;
    // All bits of the destination count.
    payload[1] = if family == AF_INET { 32 } else { 128 };
    wire::push_attribute(&mut payload, RTA_DST, &bytes);
    payload
}

/// What a route message says.
#[derive(Debug, PartialEq, Eq)]
struct RouteMessage {
    index: u32,
    source: Option<IpAddr>,
    gateway: Option<IpAddr>,
    mtu: Option<u32>,
    local: bool,
}

impl RouteMessage {
    fn read(message: &[u8]) -> Option<Self> {
        let all = message.get(ROUTE_HEAD..)?;
        let via = || attribute(all, RTA_VIA)?.get(2..).and_then(ip);
        Some(Self {
            index: number(attribute(all, RTA_OIF)?, 0)?,
            source: attribute(all, RTA_PREFSRC).and_then(ip),
            gateway: attribute(all, RTA_GATEWAY).and_then(ip).or_else(via),
            mtu: attribute(all, RTA_METRICS).and_then(|m| number(attribute(m, RTAX_MTU)?, 0)),
            // `rtm_type` is the eighth byte of `struct rtmsg`.
            local: message.get(7) == Some(&LOCAL),
        })
    }
}

fn ip(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Some(Ipv4Addr::from(four).into());
    }
    <[u8; 16]>::try_from(bytes).ok().map(|sixteen| Ipv6Addr::from(sixteen).into())
}

struct Link {
    name: String,
    mtu: u32,
    qdisc: Option<String>,
}

fn link(index: u32) -> Option<Link> {
    let mut payload = vec![0; LINK_HEAD];
    payload[4..8].copy_from_slice(&index.to_ne_bytes());
    let answer = wire::ask(GET_LINK, &payload).ok()?;
    let all = answer.get(LINK_HEAD..)?;
    Some(Link {
        name: text(attribute(all, IFLA_IFNAME)?)?,
        mtu: number(attribute(all, IFLA_MTU)?, 0)?,
        qdisc: attribute(all, IFLA_QDISC).and_then(text),
    })
}

/// The least and the most MTU that an interface's driver takes; no most where it
/// says none.
pub(crate) fn mtu_bounds(name: &str) -> Option<(u32, Option<u32>)> {
    let mut payload = vec![0; LINK_HEAD];
    wire::push_attribute(&mut payload, IFLA_IFNAME, &[name.as_bytes(), &[0]].concat());
    let answer = wire::ask(GET_LINK, &payload).ok()?;
    let all = answer.get(LINK_HEAD..)?;
    let least = number(attribute(all, IFLA_MIN_MTU)?, 0)?;
    // 0 is "no bound".
    Some((least, attribute(all, IFLA_MAX_MTU).and_then(|most| number(most, 0)).filter(|most| *most > 0)))
}

/// Why nothing passes an interface now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceProblem {
    /// There is no such interface any more.
    Gone,
    /// Somebody switched it off.
    Down,
    /// It is on, and the other side of the cable is not.
    NoCarrier,
}

/// Why nothing passes the interface of this name; none where it is up, or the
/// kernel does not say.
#[must_use]
pub fn trouble(interface: &str) -> Option<InterfaceProblem> {
    let mut payload = vec![0; LINK_HEAD];
    wire::push_attribute(&mut payload, IFLA_IFNAME, &[interface.as_bytes(), &[0]].concat());
    let no_device = rustix::io::Errno::NODEV;
    match wire::ask(GET_LINK, &payload) {
        // `ifi_flags` are the second four bytes of `struct ifinfomsg`.
        Ok(answer) => of_flags(number(&answer, 8)?),
        Err(reason) => {
            (reason == std::io::Error::from(no_device).to_string()).then_some(InterfaceProblem::Gone)
        }
    }
}

fn of_flags(flags: u32) -> Option<InterfaceProblem> {
    match (flags & UP != 0, flags & LOWER_UP != 0) {
        (false, _) => Some(InterfaceProblem::Down),
        (true, false) => Some(InterfaceProblem::NoCarrier),
        (true, true) => None,
    }
}

/// What the kernel knows of a neighbour.
fn neighbour(index: u32, address: IpAddr) -> Option<String> {
    let mut payload = vec![0; NEIGHBOUR_HEAD];
    payload[0] = if address.is_ipv4() { AF_INET } else { AF_INET6 };
    let all = wire::dump(GET_NEIGHBOUR, &payload).ok()?;
    all.iter().find_map(|message| state_of(message, index, address)).map(str::to_owned)
}

/// The state in a neighbour message, if it is about this one.
fn state_of(message: &[u8], index: u32, address: IpAddr) -> Option<&'static str> {
    let own = number(message, 4)? == index;
    let found = attribute(message.get(NEIGHBOUR_HEAD..)?, NDA_DST).and_then(ip)?;
    let state = u16::from_ne_bytes(*message.get(8..)?.first_chunk()?);
    if !own || found != address {
        return None;
    }
    STATES.iter().find(|(bit, _)| state & bit != 0).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_ourselves_is_the_loopback() {
        for address in ["127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1"] {
            let route = towards(address.parse().unwrap()).unwrap();
            assert_eq!((route.interface.as_str(), route.local), ("lo", true));
            assert_eq!((route.gateway, route.neighbour), (None, None));
            assert!(route.mtu > 0 && route.source.is_some());
        }
        let (least, _) = mtu_bounds("lo").unwrap();
        assert!(least < 1500);
        assert_eq!(mtu_bounds("hr-none"), None);
        assert_eq!(trouble("hr-none"), Some(InterfaceProblem::Gone));
    }

    #[test]
    fn an_interface_is_up_where_it_is_on_and_has_a_carrier() {
        for (flags, found) in [
            (0x1_1043, None),
            (0x1003, Some(InterfaceProblem::NoCarrier)),
            (0x1002, Some(InterfaceProblem::Down)),
            (0x1_1002, Some(InterfaceProblem::Down)),
        ] {
            assert_eq!(of_flags(flags), found, "{flags:x}");
        }
    }

    #[test]
    fn garbled_messages_are_no_route_and_no_neighbour() {
        let question = question("10.0.0.1".parse().unwrap());
        assert_eq!(RouteMessage::read(&question), None, "a question has no interface");
        for length in 0..question.len() {
            assert_eq!(RouteMessage::read(&question[..length]), None);
            assert_eq!(state_of(&question[..length], 0, "10.0.0.1".parse().unwrap()), None);
        }
        assert_eq!(ip(&[1, 2, 3]), None);
        assert_eq!(ip(&[10, 0, 0, 1]), Some("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_way_by_a_gateway_of_the_other_family_is_read() {
        let mut message = vec![0; ROUTE_HEAD];
        message[7] = 1;
        wire::push_attribute(&mut message, RTA_OIF, &3_u32.to_ne_bytes());
        let via: Vec<u8> = [&10_u16.to_ne_bytes()[..], &Ipv6Addr::LOCALHOST.octets()].concat();
        wire::push_attribute(&mut message, RTA_VIA, &via);
        let mut metrics = Vec::new();
        wire::push_attribute(&mut metrics, RTAX_MTU, &1400_u32.to_ne_bytes());
        wire::push_attribute(&mut message, RTA_METRICS, &metrics);
        let way = RouteMessage::read(&message).unwrap();
        assert_eq!((way.index, way.mtu, way.local), (3, Some(1400), false));
        assert_eq!(way.gateway, Some(Ipv6Addr::LOCALHOST.into()));
        let mut message = vec![0; NEIGHBOUR_HEAD];
        message[4..8].copy_from_slice(&3_u32.to_ne_bytes());
        message[8..10].copy_from_slice(&0x20_u16.to_ne_bytes());
        wire::push_attribute(&mut message, NDA_DST, &[10, 0, 0, 1]);
        let address = "10.0.0.1".parse().unwrap();
        assert_eq!(state_of(&message, 3, address), Some("failed"));
        assert_eq!(state_of(&message, 4, address), None);
    }
}
