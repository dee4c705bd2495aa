//! Machines that providers rent out, made from their documentation: who they are from
//! and what they may have.

use machine::{Host, inventory, limit, sampler};
use model::limit::{Allowance, Direction, LimitKind};
use model::machine::{Inventory, Provider};
use model::{Limit, Unit, metric};

use super::{all, disk, inventory as described, nic};

const EC2: &str = "ec2-from-documentation";
const GCE: &str = "gce-from-documentation";

fn provider(inventory: &Inventory) -> (&str, Option<&str>, &str) {
    let Provider { name, instance_type, known_from } = inventory.system.provider.as_ref().unwrap();
    (name.as_str(), instance_type.as_deref(), known_from.as_str())
}

/// The allowances of a resource: which way, for how long, and Gbit/s or 1/s.
fn allowances(inventory: &Inventory, resource: &str) -> Vec<(Option<Direction>, Allowance, f64)> {
    let of = |l: &Limit| l.resource.as_str() == resource && l.allowance.is_some();
    let figure = |l: Limit| {
        assert_eq!(l.kind, LimitKind::Quota);
        let rate = l.line.or(l.effective).unwrap();
        let value = if l.unit == Unit::PerSecond { rate } else { rate * 8.0 / 1e9 };
        (l.direction, l.allowance.unwrap(), (value * 1e6).round() / 1e6)
    };
    limit::of(inventory).into_iter().filter(of).map(figure).collect()
}

#[test]
fn amazons_says_its_type_and_has_what_the_user_guide_lets_it_have() {
    let machine = described(EC2);
    assert_eq!(provider(&machine), (Provider::EC2, Some("t3a.xlarge"), "firmware"));
    let held_by = [&machine.system.virtualization, &machine.system.container].map(Option::as_deref);
    assert_eq!(held_by, [Some("kvm"), None]);
    assert_eq!(disk(&machine, "nvme0n1").model.as_deref(), Some("Amazon Elastic Block Store"));
    assert_eq!(
        allowances(&machine, "nic:ens5"),
        [(None, Allowance::Baseline, 1.024), (None, Allowance::Most, 5.0)]
    );
    assert_eq!(
        allowances(&machine, "block:nvme0n1"),
        [
            (None, Allowance::Baseline, 0.695),
            (None, Allowance::Most, 2.78),
            (None, Allowance::Baseline, 4000.0),
            (None, Allowance::Most, 15_700.0),
        ]
    );
    assert!(allowances(&machine, "block:nvme0n1p1").is_empty(), "it has what its disk has");
    let operations = |l: &Limit| l.quantity == metric::IOPS;
    let source = limit::of(&machine).into_iter().find(operations).unwrap().source;
    assert!(source.contains("t3a.xlarge") && source.contains("https://docs.aws.amazon.com/"), "{source}");
    assert_eq!(limit::absent(&machine).len(), 1, "{:?}", limit::absent(&machine));
}

#[test]
fn amazons_adapter_and_volume_have_counted_what_was_held_back() {
    let (_, text) = all().into_iter().find(|(name, _)| name == EC2).unwrap();
    let host = Host::parse(&text);
    let scope = sampler::Scope::of(&inventory::describe(&host), &host);
    let mut found = Vec::new();
    for mut sampler in sampler::open_all(&host, &scope) {
        let mut values = vec![0; sampler.columns().len()];
        sampler.read(&mut values);
        let columns = sampler.columns().iter().zip(values);
        let exceeded = columns.filter(|(column, _)| column.name.contains("_exceeded"));
        found.extend(exceeded.map(|(column, value)| (column.resource.to_string(), column.name, value)));
    }
    let of = |name, value| ("nic:ens5".to_owned(), name, value);
    let volume = |name, value| ("block:nvme0n1".to_owned(), name, value);
    assert_eq!(
        found,
        [
            volume("ebs_volume_performance_exceeded_iops", 912_033),
            volume("ebs_volume_performance_exceeded_tp", 0),
            volume("ec2_instance_ebs_performance_exceeded_iops", 0),
            volume("ec2_instance_ebs_performance_exceeded_tp", 41_203),
            of("bw_in_allowance_exceeded", 0),
            of("bw_out_allowance_exceeded", 4120),
            of("pps_allowance_exceeded", 0),
            of("conntrack_allowance_exceeded", 0),
        ]
    );
}

#[test]
fn the_same_machine_seen_from_a_container_has_the_same_allowances() {
    let (inside, outside) = (described("cloud-vm"), described(EC2));
    assert_eq!(provider(&inside), provider(&outside));
    assert_eq!(allowances(&inside, "nic:ens5"), allowances(&outside, "nic:ens5"));
}

#[test]
fn googles_does_not_say_its_type_and_one_that_is_told_has_its_egress() {
    let machine = described(GCE);
    assert_eq!(provider(&machine), (Provider::GCE, None, "firmware"));
    assert_eq!(machine.system.virtualization.as_deref(), Some("kvm"));
    let card = nic(&machine, "ens5");
    assert_eq!((card.driver.as_deref(), card.mtu), (Some("gvnic"), 1460));
    assert!(allowances(&machine, "nic:ens5").is_empty());
    assert!(limit::absent(&machine).iter().any(|a| a.reason.contains("no file tells")));
    assert!(!machine.absent.iter().any(|a| a.reason.contains("no file tells")), "{:?}", machine.absent);
    let (_, text) = all().into_iter().find(|(name, _)| name == GCE).unwrap();
    let told = text.replace("\"own_type\": null", "\"own_type\": \"n2d-standard-4\"");
    let machine = inventory::describe(&Host::parse(&told));
    assert_eq!(provider(&machine), (Provider::GCE, Some("n2d-standard-4"), "firmware"));
    assert_eq!(allowances(&machine, "nic:ens5"), [(Some(Direction::Write), Allowance::Most, 10.0)]);
    assert!(allowances(&machine, "block:nvme0n1").is_empty());
}

#[test]
fn machines_of_ones_own_are_rented_from_nobody() {
    for name in ["arm-board", "study-a", "study-e", "test-machine", "two-socket-nvme"] {
        assert_eq!(described(name).system.provider, None, "{name}");
    }
}
