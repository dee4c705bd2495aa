//! The way that data takes from one end to the other, as facts of a trial: what
//! the kernel routes by now, so that a reader sees which interface was measured.

use std::collections::BTreeMap;
use std::net::IpAddr;

use machine::route::{self, Route};
use model::{FactName, Value, fact};

/// The way from here to `address`; nothing where the kernel tells none.
pub(crate) fn facts(address: IpAddr) -> BTreeMap<FactName, Value> {
    route::towards(address).map(as_facts).unwrap_or_default()
}

pub(crate) fn as_facts(way: Route) -> BTreeMap<FactName, Value> {
    let Route { interface, source, gateway, mtu, path_mtu, qdisc, local: _, neighbour } = way;
    let text = |name: FactName, value: Option<String>| value.map(|v| (name, Value::Text(v)));
    let number = |name: FactName, value: Option<u32>| value.map(|v| (name, Value::from(u64::from(v))));
    [
        text(fact::INTERFACE, Some(interface)),
        text(fact::SOURCE_ADDRESS, source.map(|a| a.to_string())),
        text(fact::GATEWAY, gateway.map(|a| a.to_string())),
        number(fact::INTERFACE_MTU, Some(mtu)),
        number(fact::ROUTE_MTU, path_mtu),
        text(fact::QDISC, qdisc),
        text(fact::NEIGHBOUR, neighbour),
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
        assert_eq!(facts[&fact::INTERFACE], Value::from("lo"));
        assert!(matches!(facts[&fact::INTERFACE_MTU], Value::Integer(mtu) if mtu >= 1280));
        assert!(!facts.contains_key(&fact::GATEWAY));
    }
}
