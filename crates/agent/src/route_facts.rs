//! The way that data takes from one end to the other, as facts of a trial: what
//! the kernel routes by now, so that a reader sees which interface was measured.

use std::collections::BTreeMap;
use std::net::IpAddr;

use machine::route::{self, Route};
use model::Value;

/// The way from here to `address`; nothing where the kernel tells none.
pub(crate) fn facts(address: IpAddr) -> BTreeMap<String, Value> {
    route::towards(address).map(as_facts).unwrap_or_default()
}

/// A way as facts.
pub(crate) fn as_facts(way: Route) -> BTreeMap<String, Value> {
    let Route { interface, source, gateway, mtu, path_mtu, qdisc, local: _, neighbour } = way;
    let text = |name: &str, value: Option<String>| value.map(|v| (name.to_owned(), Value::Text(v)));
    let number = |name: &str, value: Option<u32>| value.map(|v| (name.to_owned(), Value::from(u64::from(v))));
    [
        text("interface", Some(interface)),
        text("source_address", source.map(|a| a.to_string())),
        text("gateway", gateway.map(|a| a.to_string())),
        number("interface_mtu", Some(mtu)),
        number("route_mtu", path_mtu),
        text("qdisc", qdisc),
        text("neighbour", neighbour),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_this_machine_is_its_loopback() {
        let facts = facts("127.0.0.1".parse().unwrap());
        assert_eq!(facts["interface"], Value::from("lo"));
        assert!(matches!(facts["interface_mtu"], Value::Integer(mtu) if mtu >= 1280));
        assert!(!facts.contains_key("gateway"));
    }
}
