//! Others use a network interface now.

use model::machine::NetworkInterface;
use model::{Finding, Resource, ResourceKind, Severity};

use super::activity::Activity;
use super::{Check, clip, condition, listed, maybe_arg};

const CODE: &str = "network-traffic";
/// From this share of the link on, others are seen in a result.
const SHARE: f64 = 0.01;
/// Bytes per second where the link's rate is not known: a hundredth of 1 Gbit/s.
const UNKNOWN: f64 = 1.25e6;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "other programs send or receive 1 % of a network interface's rate",
    english: r#"
condition-network-traffic =
    while nothing was measured, other programs used { $interface }: { SHORT($bytes_per_s, unit: "B/s") }{ $how ->
        [share] , { PERCENT($share) } of its rate
       *[rate] {""}
    }
    .advice = find what sends and receives (`ss -tpi`, `nethogs`); stop it, or wait until it has finished

evidence-net-dev = { condition-network-traffic }
"#,
    look: |context| {
        let Some(activity) = context.activity else { return Vec::new() };
        // Bonds, bridges and VLANs stand on these: each packet is counted once.
        let is_real = |n: &&NetworkInterface| n.pci.is_some() || n.bus.is_some();
        let interfaces = context.inventory.network.iter().filter(is_real);
        interfaces.filter_map(|interface| judge(activity, interface)).collect()
    },
};

fn judge(activity: &Activity, interface: &NetworkInterface) -> Option<Finding> {
    let traffic = activity.networks.iter().find(|t| t.name == interface.name)?;
    let bytes = activity.per_second(traffic.bytes)?;
    let share = interface.speed_bits.filter(|b| *b > 0).map(|b| bytes * 8.0 / b as f64);
    if share.map_or(bytes < UNKNOWN, |s| s < SHARE) {
        return None;
    }
    let name = clip(&interface.name);
    let resource = Resource::of(ResourceKind::Nic, &name);
    let finding = condition(CODE, Severity::Warning)
        .on(resource.as_str())
        .arg("interface", name)
        .arg("bytes_per_s", bytes)
        .arg("how", if share.is_some() { "share" } else { "rate" });
    Some(maybe_arg(finding, "share", share).because_same(listed("net-dev", &resource)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};
    use model::machine::Inventory;

    fn look(bytes: u64, speed_bits: Option<u64>) -> CheckResult {
        let json = format!(
            "{{\"seconds\": 0.5, \"networks\": [{{\"name\": \"eth0\", \"operations\": 9, \"bytes\": {bytes}}}]}}"
        );
        let interface = NetworkInterface {
            name: "eth0".to_owned(),
            bus: Some("virtio".to_owned()),
            speed_bits,
            ..NetworkInterface::default()
        };
        let inventory = Inventory { network: vec![interface], ..Inventory::default() };
        diagnose_with(&CHECK, &format!("==> /probe/activity\n{json}\n"), inventory)
    }

    #[test]
    fn traffic_is_held_against_the_link() {
        look(6_250_000, Some(1_000_000_000))
            .one(Severity::Warning, "other programs used eth0: 12.5 MB/s, 10 % of its rate");
        assert_eq!(look(6_250_000, Some(100_000_000_000)), CheckResult::nothing());
        look(1_000_000, None).one(Severity::Warning, "other programs used eth0: 2 MB/s");
        assert_eq!(look(1000, None), CheckResult::nothing());
    }
}
