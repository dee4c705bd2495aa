//! `mtu`: bytes of the largest packet that an interface sends (`SIOCSIFMTU`,
//! netdevice(7)).

use model::setting::{Binds, SettingSpec};
use model::{Kind, ParameterSpec, Unit, Value};

use super::interface::{self, Number};
use super::{Setting, SettingError};
use crate::route;

/// `SIOCGIFMTU` and `SIOCSIFMTU`.
const NUMBER: Number<0x8921, 0x8922> = Number { spec: &SPEC };

/// The least that IPv6 works with (RFC 8200, section 5): below it the kernel
/// takes the protocol and its addresses off the interface.
const IPV6_LEAST: u64 = 1280;

/// The setting.
pub(super) struct Mtu;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "mtu",
        Kind::Count,
        "The bytes of the largest packet that the interface sends, headers of IP included and those of Ethernet not. \
         Without `@INTERFACE` it is the interface towards the peer, at both ends: with one end alone the other would \
         drop what is too large. Every switch between them must carry it too. Most drivers take the link down for a \
         moment to change it; Headroom waits until it is back.",
    ),
    unit: Unit::Bytes,
    binds: Binds::Nic,
    summary: "bytes of the largest packet of a network interface",
};

impl Setting for Mtu {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn read(&self, resource: &str) -> Result<Value, SettingError> {
        NUMBER.read(resource)
    }

    fn is_ready(&self, resource: &str) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &str, value: &Value) -> Result<(), SettingError> {
        let name = interface::name(resource);
        let loses = matches!(value, Value::Integer(bytes) if *bytes < IPV6_LEAST);
        if loses && has_ipv6_address(&if_inet6(), name) {
            let reason = format!(
                "{name} has an IPv6 address, which the kernel takes away below {IPV6_LEAST} bytes and does not give back"
            );
            return Err(NUMBER.refused(resource, value, reason));
        }
        NUMBER.write(resource, value, || {
            let (least, most) = route::mtu_bounds(name)?;
            Some(match most {
                Some(most) => format!("{name} takes {least} to {most}"),
                None => format!("{name} takes {least} and more"),
            })
        })
    }
}

fn if_inet6() -> String {
    std::fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default()
}

/// Whether the interface has an address that nobody would give back: the one of
/// the link itself returns (scope 0x20), and so does the loopback's (0x10).
/// Columns: address, index, length, scope, flags, name (`if6_seq_show` of
/// `net/ipv6/addrconf.c`).
fn has_ipv6_address(table: &str, name: &str) -> bool {
    table.lines().any(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        matches!(columns[..], [_, _, _, scope, _, of] if of == name && !matches!(scope, "10" | "20"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_would_be_lost_count() {
        let table = "00000000000000000000000000000001 01 80 10 80       lo\n\
                     fe80000000000000a8aaaafffeaaaaaa 02 40 20 80     eth0\n\
                     20010db8000000000000000000000001 03 40 00 80     eth1\n";
        assert!(!has_ipv6_address(table, "lo"));
        assert!(!has_ipv6_address(table, "eth0"));
        assert!(has_ipv6_address(table, "eth1"));
        assert!(!has_ipv6_address("garbage", "eth1"));
    }

    #[test]
    fn the_loopback_has_an_mtu_and_what_is_not_there_has_none() {
        assert!(matches!(Mtu.read("nic:lo"), Ok(Value::Integer(1..))));
        assert!(matches!(Mtu.read("nic:hr-none"), Err(SettingError::Gone { .. })));
        let error = Mtu.write("nic:hr-none", &Value::from(1500_u64)).unwrap_err();
        assert!(matches!(error, SettingError::Gone { .. }), "{error}");
    }
}
