//! What IPv6 keeps of an interface's MTU: a number of its own
//! (`net.ipv6.conf.NAME.mtu`), which every change of the interface's overwrites,
//! and routes with an MTU (`rt6_mtu_change` in `net/ipv6/route.c`).
//!
//! The number can be put back. A route that the kernel overwrote cannot be told
//! from one that always was so, and to replace a route is not one step where it
//! has several ways: a change that would overwrite one is refused.

use std::io::ErrorKind;
use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, interface};
use crate::inventory::network::wire::{
    self, AF_INET6, GET_ROUTE, ROUTE_HEAD, RTA_DST, RTA_METRICS, RTA_OIF, RTAX_MTU, attribute, number,
};

const FOLDER: &str = "/proc/sys/net/ipv6/conf";
/// Bytes of `struct rtnexthop`.
const HOP_HEAD: usize = 8;
const RTA_MULTIPATH: u16 = 9;
const RTAX_LOCK: u16 = 1;

/// The largest packet that IPv6 sends by an interface: no setting that is offered,
/// but put back with `mtu`.
pub(super) struct Ipv6Mtu;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "ipv6-mtu",
        Kind::Count,
        "The bytes of the largest packet that IPv6 sends by the interface (net.ipv6.conf.NAME.mtu).",
    ),
    unit: Unit::Bytes,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "bytes of the largest IPv6 packet of a network interface",
};

impl Setting for Ipv6Mtu {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let text = std::fs::read_to_string(file(resource)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => SettingError::gone(&SPEC, resource),
            _ => SettingError::unreadable(&SPEC, resource, error.to_string()),
        })?;
        text.trim().parse().map(Value::Integer).map_err(|_| {
            SettingError::unreadable(&SPEC, resource, format!("the kernel says `{}`", text.trim()))
        })
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        std::fs::write(file(resource), format!("{value}\n")).map_err(|error| match error.kind() {
            ErrorKind::NotFound => SettingError::gone(&SPEC, resource),
            _ => SettingError::refused(&SPEC, resource, value, error.to_string()),
        })
    }

    // The number alone changes: routes keep theirs (`addrconf_sysctl_mtu`).
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// A sysctl of the calling thread's network namespace.
fn file(resource: &Resource) -> PathBuf {
    Path::new(FOLDER).join(interface::name(resource)).join("mtu")
}

/// Whether an interface speaks IPv6, and so has sysctls, addresses and routes of
/// it to lose.
pub(super) fn is_on(name: &str) -> bool {
    Path::new(FOLDER).join(name).exists()
}

/// An IPv6 route with an MTU that the kernel may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RouteMtu {
    /// Where to: `2001:db8::/32`, `default`.
    pub(super) destination: String,
    pub(super) mtu: u64,
    /// The interfaces that it leaves by.
    interfaces: Vec<u32>,
}

impl RouteMtu {
    /// None for a route without an MTU, or whose MTU is locked.
    fn read(message: &[u8]) -> Option<Self> {
        let all = message.get(ROUTE_HEAD..)?;
        let metrics = attribute(all, RTA_METRICS)?;
        let metric = |kind| attribute(metrics, kind).and_then(|bytes| number(bytes, 0));
        if metric(RTAX_LOCK).unwrap_or(0) & (1 << RTAX_MTU) != 0 {
            return None;
        }
        let address = attribute(all, RTA_DST).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
        let destination = match address {
            Some(address) => format!("{}/{}", Ipv6Addr::from(address), message.get(1)?),
            None => "default".to_owned(),
        };
        let one = attribute(all, RTA_OIF).and_then(|bytes| number(bytes, 0));
        let several = attribute(all, RTA_MULTIPATH).unwrap_or_default();
        let interfaces = one.into_iter().chain(hops(several)).collect();
        Some(Self { destination, mtu: metric(RTAX_MTU)?.into(), interfaces })
    }
}

/// The interfaces of a route with several ways (`struct rtnexthop`).
fn hops(mut rest: &[u8]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*rest.first_chunk()?));
        let interface = number(rest, 4)?;
        rest = rest.get(length.max(HOP_HEAD).next_multiple_of(4)..).unwrap_or_default();
        Some(interface)
    })
}

/// An IPv6 route by interface `index` whose own MTU would not be as before after
/// the interface was changed to another MTU and back. `own` is the interface's,
/// `ipv6` what IPv6 keeps of it, `becomes` the other.
///
/// # Errors
/// Why the routes cannot be read.
pub(super) fn route_lost(index: u32, own: u64, ipv6: u64, becomes: u64) -> Result<Option<RouteMtu>, String> {
    let mut payload = vec![0; ROUTE_HEAD];
    payload[0] = AF_INET6;
    let answers = wire::dump(GET_ROUTE, &payload)?;
    let mut routes = answers.iter().filter_map(|message| RouteMtu::read(message));
    Ok(routes.find(|r| r.interfaces.contains(&index) && !survives(r.mtu, own, ipv6, becomes)))
}

/// Whether a route has its MTU again when the interface goes from `own` to
/// `becomes` and back.
fn survives(route: u64, own: u64, ipv6: u64, becomes: u64) -> bool {
    let there = changed(route, ipv6, becomes);
    changed(there, becomes, own) == route
}

/// What the kernel makes of a route's MTU when its interface gets `becomes`, with
/// what IPv6 kept of the interface's before (`fib6_nh_mtu_change`).
fn changed(route: u64, ipv6: u64, becomes: u64) -> u64 {
    if route >= becomes || route == ipv6 { becomes } else { route }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_that_is_always_less_or_always_the_same_is_not_lost() {
        assert!(survives(1400, 1500, 1500, 9000), "left alone");
        assert!(survives(1400, 9000, 9000, 1500), "left alone");
        assert!(survives(1500, 1500, 1500, 9000) && survives(1500, 1500, 1500, 1300), "goes with it");
        assert!(!survives(1400, 1500, 1500, 1300), "cut, and grown beyond what it was");
        assert!(!survives(1400, 1500, 1400, 9000), "grown as what IPv6 kept");
        assert!(
            !survives(9000, 1500, 1500, 1400) && !survives(9000, 1500, 1500, 4000),
            "cut by the way back"
        );
    }

    fn message(metrics: &[(u16, u32)]) -> Vec<u8> {
        let mut message = vec![0; ROUTE_HEAD];
        message[1] = 32;
        let address: Ipv6Addr = "2001:db8::".parse().unwrap();
        wire::push_attribute(&mut message, RTA_DST, &address.octets());
        let mut nested = Vec::new();
        for (kind, value) in metrics {
            wire::push_attribute(&mut nested, *kind, &value.to_ne_bytes());
        }
        wire::push_attribute(&mut message, RTA_METRICS, &nested);
        message
    }

    #[test]
    fn routes_with_an_mtu_are_read_with_all_their_ways() {
        let mut one = message(&[(RTAX_MTU, 1400)]);
        wire::push_attribute(&mut one, RTA_OIF, &7_u32.to_ne_bytes());
        let read = RouteMtu::read(&one).unwrap();
        assert_eq!((read.destination.as_str(), read.mtu), ("2001:db8::/32", 1400));
        assert_eq!(read.interfaces, [7]);
        let mut several = message(&[(RTAX_MTU, 1400)]);
        let hop = |index: u32| [&8_u16.to_ne_bytes()[..], &[0, 0], &index.to_ne_bytes()].concat();
        wire::push_attribute(&mut several, RTA_MULTIPATH, &[hop(3), hop(4)].concat());
        assert_eq!(RouteMtu::read(&several).unwrap().interfaces, [3, 4]);
        assert_eq!(RouteMtu::read(&message(&[(RTAX_MTU, 1400), (RTAX_LOCK, 1 << RTAX_MTU)])), None);
        assert_eq!(RouteMtu::read(&message(&[])), None);
        for length in 0..several.len() {
            let _ = RouteMtu::read(&several[..length]);
        }
        assert_eq!(hops(&[0; 12]).count(), 1, "a length of 0 leads on all the same");
    }
}
