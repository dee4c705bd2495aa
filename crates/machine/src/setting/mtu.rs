//! `mtu`: bytes of the largest packet that an interface sends (`SIOCSIFMTU`,
//! netdevice(7)).

use std::path::Path;

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::interface::{self, Number};
use super::ipv6::{self, Ipv6Mtu};
use super::journal::SideEffect;
use super::link::{self, Link};
use super::{Setting, SettingError};
use crate::route;

/// `SIOCGIFMTU` and `SIOCSIFMTU`.
const NUMBER: Number<0x8921, 0x8922> = Number { spec: &SPEC };

/// The least that IPv6 works with (RFC 8200, section 5): below it the kernel
/// takes the protocol off the interface, with its addresses, routes and sysctls.
const IPV6_LEAST: u64 = 1280;

/// The same of IPv4 (RFC 791, page 25; `inetdev_valid_mtu`).
const IPV4_LEAST: u64 = 68;

const IPV4_FOLDER: &str = "/proc/sys/net/ipv4/conf";

pub(super) struct Mtu;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "mtu",
        Kind::Count,
        "The bytes of the largest packet that the interface sends, headers of IP included and those of Ethernet not. \
         Without `@INTERFACE` it is the interface towards the peer, at both ends: with one end alone the other would \
         drop what is too large. Every switch between them must carry it too. Most drivers take the link down for a \
         moment to change it; Headroom waits until it is back. The kernel changes other things with it, which are put \
         back too: the MTU of interfaces above it (VLAN, macvlan, a bridge that it is in) or in it (a bond's), and \
         net.ipv6.conf.NAME.mtu of each. Where that cannot be done the change is refused: below 1280 bytes with IPv6 \
         on the interface, an IPv6 route with an MTU of its own that would be overwritten, an interface above in \
         another network namespace, a bridge's own MTU. What the kernel has learned of paths (RFC 1191) it learns \
         anew.",
    ),
    unit: Unit::Bytes,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "bytes of the largest packet of a network interface",
};

impl Setting for Mtu {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // Most drivers take the link down for it; and what comes larger than a smaller one is dropped.
    fn may_drop(&self) -> bool {
        true
    }

    // What lies above can be no larger, and is cut; what is in a bond follows it.
    fn precedes(&self, resource: &Resource, setting: &str, other: &Resource) -> bool {
        setting == SPEC.name() && may_change_with(other, resource)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        NUMBER.read(resource)
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let name = interface::name(resource);
        NUMBER.write(resource, value, || {
            let (least, most) = route::mtu_bounds(name)?;
            Some(match most {
                Some(most) => format!("{name} takes {least} to {most}"),
                None => format!("{name} takes {least} and more"),
            })
        })
    }

    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        // What is no number is refused when it is written.
        let Value::Integer(mtu) = *value else { return Ok(Vec::new()) };
        let unreadable =
            |reason: String| SettingError::unreadable(&SPEC, resource, format!("what lies on it: {reason}"));
        let links = link::all().map_err(unreadable)?;
        let name = interface::name(resource);
        let Some(own) = links.iter().find(|link| link.name == name) else {
            return Err(SettingError::gone(&SPEC, resource));
        };
        if own.mtu == mtu {
            return Ok(Vec::new());
        }
        let affected = link::affected(&links, own, mtu);
        if let Some(reason) = lost(&affected).map_err(unreadable)? {
            return Err(SettingError::refused(&SPEC, resource, value, reason));
        }
        let above = affected.iter().skip(1);
        let mut found: Vec<SideEffect> = above.map(|(l, _)| effect(&SPEC, &l.name, l.mtu.into())).collect();
        for (link, _) in &affected {
            match Ipv6Mtu.read(&interface::resource(&link.name)) {
                Ok(before) => found.push(effect(Ipv6Mtu.spec(), &link.name, before)),
                // It does not speak IPv6.
                Err(SettingError::Gone { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

/// Whether the MTU of the interface `other` may change when that of another one, `first`, does.
pub(super) fn may_change_with(other: &Resource, first: &Resource) -> bool {
    let (other, first) = (interface::name(other), interface::name(first));
    first != other && link::all().is_ok_and(|links| link::may_follow(&links, first, other))
}

fn effect(of: &SettingSpec, name: &str, before: Value) -> SideEffect {
    SideEffect { setting: of.name().to_owned(), resource: interface::resource(name), before }
}

/// What would be lost for good if these interfaces came to have these MTUs, the
/// one that is changed first; none where all can be put back.
fn lost(affected: &[(&Link, u64)]) -> Result<Option<String>, String> {
    if affected.first().is_some_and(|(own, _)| own.is(&["bridge"])) {
        let reason = "a bridge whose own MTU was set once no longer follows the interfaces in it, and nothing undoes \
                      that; change theirs, and it follows";
        return Ok(Some(reason.to_owned()));
    }
    for (link, mtu) in affected {
        let name = &link.name;
        let goes_below = |least: u64| *mtu < least && link.mtu >= least;
        if goes_below(IPV6_LEAST) && ipv6::is_on(name) {
            return Ok(Some(format!(
                "{name} speaks IPv6, and below {IPV6_LEAST} bytes the kernel takes away its IPv6 addresses, routes and \
                 sysctls and does not give them back"
            )));
        }
        if goes_below(IPV4_LEAST) && Path::new(IPV4_FOLDER).join(name).exists() {
            return Ok(Some(format!(
                "below {IPV4_LEAST} bytes the kernel takes away the IPv4 addresses and routes of {name} and does not \
                 give them back"
            )));
        }
        if let Ok(Value::Integer(ipv6)) = Ipv6Mtu.read(&interface::resource(name))
            && let Some(route) = ipv6::route_lost(link.index, link.mtu, ipv6, *mtu)?
        {
            return Ok(Some(format!(
                "the kernel would overwrite the MTU of its own ({} bytes) that the IPv6 route to {} by {name} has, and \
                 not give it back; lock it (`ip -6 route change ... mtu lock {}`) or choose another value",
                route.mtu, route.destination, route.mtu
            )));
        }
        if let Some((above, place)) = link::abroad(link, *mtu) {
            return Ok(Some(format!(
                "{} in another network namespace ({}) lies on {name}: the kernel would change its MTU of {} too, which \
                 cannot be put back from here",
                above.name,
                place.display(),
                above.mtu
            )));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str, kind: Option<&str>, mtu: u64) -> Link {
        let kind = kind.map(str::to_owned);
        Link { index: u32::MAX, name: name.to_owned(), mtu, kind, ..Link::default() }
    }

    #[test]
    fn a_bridge_that_would_follow_no_more_is_refused() {
        let bridge = link("hr-none", Some("bridge"), 1500);
        assert!(lost(&[(&bridge, 9000)]).unwrap().unwrap().contains("no longer follows"));
        let card = link("hr-none", None, 1500);
        assert_eq!(lost(&[(&card, 9000), (&bridge, 9000)]), Ok(None), "one above is not set by itself");
    }

    #[test]
    fn an_mtu_that_takes_a_protocol_off_an_interface_is_refused() {
        let lo = link("lo", None, 65536);
        assert!(lost(&[(&lo, 60)]).unwrap().is_some_and(|reason| reason.contains("does not")));
        assert_eq!(lost(&[(&link("hr-none", None, 1500), 60)]), Ok(None), "there is nothing to lose");
        assert_eq!(lost(&[(&link("lo", None, 60), 50)]), Ok(None), "it is lost already");
    }

    #[test]
    fn the_loopback_has_an_mtu_and_what_is_not_there_has_none() {
        assert!(matches!(Mtu.read(&Resource::from("nic:lo")), Ok(Value::Integer(1..))));
        assert!(matches!(Mtu.read(&Resource::from("nic:hr-none")), Err(SettingError::Gone { .. })));
        let value = Value::from(1500_u64);
        for error in [
            Mtu.write(&Resource::from("nic:hr-none"), &value).unwrap_err(),
            Mtu.side_effects(&Resource::from("nic:hr-none"), &value).unwrap_err(),
        ] {
            assert!(matches!(error, SettingError::Gone { .. }), "{error}");
        }
    }
}
