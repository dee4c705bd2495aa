//! A network link is half duplex, or slower than both its ends can. Where the
//! other end does not say what it can, it may be the slower one: a note.

use model::machine::NetworkInterface;
use model::{Finding, Resource, ResourceKind, Severity};

use super::{Check, clip, condition, listed, maybe_arg};

const CODE: &str = "nic-link";

/// The check. Only links that are up: without a carrier there is no speed.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a network link is half duplex or below the best speed of both ends (a note if one is silent)",
    english: r#"
condition-nic-link =
    { $how ->
        [half] { $interface } is half duplex at { BITS($bits) }: it cannot send while it receives
        [half-unknown] { $interface } is half duplex at an unknown rate: it cannot send while it receives
        [both] { $interface } runs at { BITS($bits) }; both ends support { BITS($best_bits) }
       *[own] { $interface } runs at { BITS($bits) } and supports { BITS($best_bits) }; what the other end supports is not known
    }
    .advice = check cable, port and autonegotiation at both ends (`ethtool { $interface }`)

evidence-nic-link = { condition-nic-link }
"#,
    look: |context| {
        let is_up = |n: &&NetworkInterface| n.carrier == Some(true) && n.kind == "ethernet";
        context.inventory.network.iter().filter(is_up).filter_map(judge).collect()
    },
};

fn judge(interface: &NetworkInterface) -> Option<Finding> {
    let name = clip(&interface.name);
    let now = interface.speed_bits.filter(|b| *b > 0);
    let best = interface.max_speed_bits.filter(|best| now.is_some_and(|now| now < *best));
    let is_half = interface.duplex.as_deref() == Some("half");
    let (severity, how) = match (is_half, best) {
        (true, _) => (Severity::Warning, if now.is_some() { "half" } else { "half-unknown" }),
        (false, Some(_)) if interface.partner_max_bits.is_some() => (Severity::Warning, "both"),
        (false, Some(_)) => (Severity::Note, "own"),
        (false, None) => return None,
    };
    let resource = Resource::of(ResourceKind::Nic, &name);
    let finding = condition(CODE, severity)
        .on(resource.as_str())
        .arg("duplex", if is_half { "half" } else { "full" })
        .arg("interface", name)
        .arg("how", how);
    let finding = maybe_arg(maybe_arg(finding, "bits", now), "best_bits", best);
    Some(finding.because_same(listed("nic-link", &resource)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::Inventory;

    fn look(speed: u64, most: u64, duplex: &str, carrier: bool) -> CheckResult {
        look_at(speed, most, Some(most), duplex, carrier)
    }

    fn look_at(speed: u64, most: u64, partner: Option<u64>, duplex: &str, carrier: bool) -> CheckResult {
        let interface = NetworkInterface {
            name: "eth0".to_owned(),
            kind: "ethernet".to_owned(),
            carrier: Some(carrier),
            speed_bits: Some(speed * 1_000_000),
            max_speed_bits: Some(most * 1_000_000),
            partner_max_bits: partner.map(|most| most * 1_000_000),
            duplex: Some(duplex.to_owned()),
            ..NetworkInterface::default()
        };
        diagnose_inventory(&CHECK, Inventory { network: vec![interface], ..Inventory::default() })
    }

    #[test]
    fn half_duplex_and_low_speed_are_warnings() {
        look(100, 1000, "half", true).one(Severity::Warning, "eth0 is half duplex at 100 Mbit/s");
        look(0, 1000, "half", true).one(Severity::Warning, "eth0 is half duplex at an unknown rate");
        look(1000, 10_000, "full", true)
            .one(Severity::Warning, "eth0 runs at 1 Gbit/s; both ends support 10 Gbit/s");
    }

    #[test]
    fn a_good_link_and_none_at_all_are_nothing() {
        assert_eq!(look(10_000, 10_000, "full", true), CheckResult::nothing());
        assert_eq!(look(100, 1000, "half", false), CheckResult::nothing());
    }

    #[test]
    fn a_link_whose_other_end_is_silent_is_not_accused() {
        look_at(10_000, 25_000, None, "full", true)
            .one(Severity::Note, "eth0 runs at 10 Gbit/s and supports 25 Gbit/s; what the other end");
        look_at(100, 1000, None, "half", true).one(Severity::Warning, "half duplex");
    }
}
