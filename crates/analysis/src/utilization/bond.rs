//! What a connection gets of a bond: where a hash of its addresses says which member it takes, that is one member,
//! however many there are (`Documentation/networking/bonding.rst`, "xmit_hash_policy"). A hash that knows no ports sends
//! all that goes to one peer through the same one. Which member that is nobody tells beforehand, so the fastest counts.

use model::limit::{Limit, LimitKind};
use model::machine::{Bond, Machine, NetworkInterface};
use model::run::CaseResult;
use model::{Resource, ResourceKind, metric};

use crate::measure::{self, End};

/// Modes that choose the member by a hash. In all others one member is used, or each takes packets in turn or by load.
const BY_HASH: [&str; 2] = ["balance-xor", "802.3ad"];

/// Hashes of hardware addresses, of addresses of IP, or of VLAN tags: the same for all connections between two machines.
const OF_HOSTS: [&str; 3] = ["layer2", "layer2+3", "vlan+srcmac"];

/// The link of the fastest member, if the streams of a case take only one member of the bond that `interface` is, or that
/// it is a VLAN on, at this end of it.
pub(crate) fn one_member<'a>(
    case: &CaseResult,
    machine: &'a Machine,
    interface: &Resource,
    end: End,
) -> Option<&'a Limit> {
    let bond = bond_of(machine, interface.named(ResourceKind::Nic)?)?;
    let is_hashed = BY_HASH.contains(&bond.mode.as_str()) && measure::profile(case).is_stream();
    // Which member a switch takes towards a receiver goes by its own hash: of one stream it is one, too.
    let sends = measure::sender(case) == end && !measure::goes_both_ways(case);
    let is_of_hosts = bond.hash.as_deref().is_some_and(|hash| OF_HOSTS.contains(&hash));
    let takes_one = measure::concurrency(case) <= 1.0 || sends && is_of_hosts;
    if !is_hashed || !takes_one {
        return None;
    }
    let is_member = |limit: &&Limit| {
        let name = limit.resource.named(ResourceKind::Nic);
        limit.kind == LimitKind::Link
            && limit.quantity == metric::THROUGHPUT
            && name.is_some_and(|name| bond.members.iter().any(|member| member == name))
    };
    let rate = |limit: &Limit| limit.bound().unwrap_or_default();
    machine.limits.iter().filter(is_member).max_by(|a, b| rate(a).total_cmp(&rate(b)))
}

/// The bond that an interface is, or that it is a VLAN on.
fn bond_of<'a>(machine: &'a Machine, name: &str) -> Option<&'a Bond> {
    let of = |name: &str| machine.inventory.network.iter().find(|interface| interface.name == name);
    let interface: &NetworkInterface = of(name)?;
    interface.bond.as_ref().or_else(|| of(interface.below.first()?)?.bond.as_ref())
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::{Better, Unit};

    use super::*;
    use crate::bottleneck::tests::verdict_on;
    use crate::utilization::of_case;
    use crate::validity::fixture;

    /// A bond of two adapters of 10 Gbit/s.
    fn machine(mode: &str, hash: &str) -> Machine {
        let mut machine = Machine::default();
        let interface = |name: &str, bond: Option<Bond>| NetworkInterface {
            name: name.to_owned(),
            mtu: 1500,
            bond,
            ..NetworkInterface::default()
        };
        let bond = Bond {
            mode: mode.to_owned(),
            members: vec!["eth0".to_owned(), "eth1".to_owned()],
            active: None,
            hash: Some(hash.to_owned()),
        };
        machine.inventory.network =
            vec![interface("bond0", Some(bond)), interface("eth0", None), interface("eth1", None)];
        for (name, line) in [("bond0", 2.5e9), ("eth0", 1.25e9), ("eth1", 1.25e9)] {
            let resource = Resource::of(ResourceKind::Nic, name);
            let limit = Limit::new(
                resource,
                metric::THROUGHPUT,
                Unit::BytesPerSecond,
                LimitKind::Link,
                "link".to_owned(),
            );
            let effective = Some(line * 1448.0 / 1538.0);
            machine.limits.push(Limit { line: Some(line), effective, ..limit });
        }
        machine
    }

    /// So many streams that send 9.4 Gbit/s together.
    fn case(streams: u64) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", streams);
        case.path = vec![PathStep { resource: Resource::of(ResourceKind::Nic, "bond0"), amplification: 1.0 }];
        let estimate = fixture::estimate(9.4e9 / 8.0, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        case
    }

    /// How much of what the streams can have of the bond they have.
    fn fraction(mode: &str, hash: &str, streams: u64) -> f64 {
        let all = of_case(&case(streams), &machine(mode, hash));
        all.into_iter().find(|used| used.resource.as_str() == "nic:bond0").unwrap().fraction
    }

    #[test]
    fn streams_that_a_hash_puts_on_one_member_have_that_one() {
        let is = |found: f64, expected: f64| (found - expected).abs() < 0.01;
        assert!(is(fraction("802.3ad", "layer3+4", 1), 1.0));
        assert!(is(fraction("802.3ad", "layer3+4", 4), 0.5), "ports tell them apart");
        assert!(is(fraction("802.3ad", "layer2+3", 4), 1.0), "all go to one peer");
        assert!(is(fraction("balance-rr", "layer2", 1), 0.5), "packets take turns");
    }

    /// Bug: a stream that fills one member was told to use half of the bond, and that the bottleneck is unknown.
    #[test]
    fn a_member_that_is_full_is_named_with_what_would_use_the_others() {
        let machine = machine("802.3ad", "layer3+4");
        let mut case = case(1);
        case.utilization = of_case(&case, &machine);
        let found = verdict_on(&machine, &[case]);
        assert_eq!(found.code, "link-full", "{found:?}");
        assert_eq!(found.resource, Some(Resource::from("nic:bond0")));
        assert!(found.text.contains("one member"), "{}", found.text);
        assert!(found.advice.is_some_and(|advice| advice.contains("layer3+4")));
    }
}
