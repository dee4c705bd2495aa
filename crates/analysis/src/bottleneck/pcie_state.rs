//! A PCI Express link that runs below what both its ends can. Links sleep at a low speed, so that the speed before a run
//! bounds nothing, and limits are of the highest that both ends can. But where a load gets just what a link has at the
//! speed that it was seen at, it did not wake up: a contact, a cable or a setting of the firmware holds it there. Lanes do
//! not sleep, and a limit has those that there are; how many both ends have tells what room there is.

use model::finding::{Evidence, Place};
use model::limit::UsualRange;
use model::machine::{Inventory, PciDevice, PciLink};
use model::run::Utilization;
use model::{Machine, ResourceKind};

pub(super) const ENGLISH: &str = r#"
evidence-link-lanes =
    { RESOURCE($resource) } has { FIXED($lanes) } of the { FIXED($best_lanes) } lanes that both its ends have
"#;

/// The speed that a link was seen at, and the one that both its ends can, in transfers per second and lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkSpeed {
    pub(super) now: f64,
    pub(super) best: f64,
}

/// A use of a PCI Express link, were its limit that of the speed that it was seen at, where that is less than what both
/// its ends can.
pub(super) fn at_present_speed(used: &Utilization, machine: &Machine) -> Option<(Utilization, LinkSpeed)> {
    let (link, other) = ends(used, &machine.inventory)?;
    let best = lesser(link.max_transfers, other.max_transfers)?;
    let speed = LinkSpeed { now: link.transfers?, best };
    let times = per_lane(speed.now) / per_lane(speed.best);
    // Speeds are twice one another, or nearly.
    let is_slow = times > 0.0 && times < 0.75;
    let scaled =
        |range: UsualRange| UsualRange { least: range.least * times, most: range.most * times, ..range };
    is_slow.then(|| {
        let (limit, usual) = (used.limit * times, used.usual.map(scaled));
        (Utilization { limit, usual, fraction: used.demand / limit, ..used.clone() }, speed)
    })
}

/// That a PCI Express link has fewer lanes than both its ends.
pub(super) fn fewer_lanes(used: &Utilization, machine: &Machine) -> Option<Evidence> {
    let (link, other) = ends(used, &machine.inventory)?;
    let best = lesser(link.max_lanes, other.max_lanes)?;
    let lanes = link.lanes.filter(|lanes| *lanes > 0 && *lanes < best)?;
    let evidence = Evidence::at("link-lanes", Place::Inventory(used.resource.clone()));
    let evidence = evidence.arg("resource", used.resource.as_str());
    Some(evidence.arg("lanes", u64::from(lanes)).arg("best_lanes", u64::from(best)))
}

/// What both ends of a link of this machine say of it, first the one that names it.
fn ends(used: &Utilization, inventory: &Inventory) -> Option<(PciLink, PciLink)> {
    let name = used.resource.named(ResourceKind::Pci).filter(|_| used.machine.is_none())?;
    let device = inventory.pci_device(name)?;
    let port = |device: &PciDevice| inventory.pci_device(device.parent.as_deref()?)?.link;
    let is_below = !inventory.link_faces_down(device);
    Some((device.link?, Some(device).filter(|_| is_below).and_then(port).unwrap_or_default()))
}

/// The lesser of what both ends can; what one can where the other is silent.
fn lesser<T: PartialOrd + Copy>(own: Option<T>, other: Option<T>) -> Option<T> {
    match (own, other) {
        (Some(own), Some(other)) => Some(if other < own { other } else { own }),
        (own, other) => own.or(other),
    }
}

/// Bits of data per second and lane, by the line coding (PCI Express Base Specification 6.0, section 4.2).
fn per_lane(transfers: f64) -> f64 {
    match transfers {
        slow if slow < 6e9 => slow * 0.8,
        fast if fast < 60e9 => fast * 128.0 / 130.0,
        flits => flits * 236.0 / 256.0,
    }
}

#[cfg(test)]
mod tests {
    use model::Finding;
    use model::limit::LimitKind;

    use super::super::tests::{disk, machine, used, verdict_on};
    use super::*;

    /// A drive with 4 lanes of 8 GT/s below a port that has as much, and what it got of the 3.5 GB/s that payload can get.
    fn drive(transfers: f64, lanes: u32, demand: f64) -> Finding {
        let own = PciLink {
            transfers: Some(transfers),
            lanes: Some(lanes),
            max_transfers: Some(8e9),
            max_lanes: Some(4),
            ..PciLink::default()
        };
        let device = |address: &str, parent: Option<&str>, class| PciDevice {
            address: address.to_owned(),
            parent: parent.map(str::to_owned),
            class,
            link: Some(own),
            ..PciDevice::default()
        };
        let mut machine = machine();
        let port = device("0000:00:01.0", None, 0x06_0400);
        machine.inventory.pci = vec![port, device("0000:01:00.0", Some("0000:00:01.0"), 0x01_0802)];
        let (mut one, mut two) = (disk(32, 100_000.0, 320.0, 2.0), disk(16, 99_000.0, 161.0, 2.0));
        let limit = 3.5e9 * f64::from(lanes) / 4.0;
        let link = used("pci:0000:01:00.0", LimitKind::Link, demand / limit);
        for case in [&mut one, &mut two] {
            case.utilization = vec![Utilization { demand, limit, ..link.clone() }];
        }
        verdict_on(&machine, &[one, two])
    }

    /// Bug: a drive on a link that stayed at 2.5 GT/s was called full itself.
    #[test]
    fn a_link_that_gives_what_it_can_at_a_low_speed_is_what_is_full() {
        let found = drive(2.5e9, 4, 0.87e9);
        assert_eq!((found.code.as_str(), &found.args["bound"]), ("link-full", &"speed".into()));
        assert!(
            found.text.contains("at 2.5 GT/s") && found.text.contains("both its ends can do 8 GT/s"),
            "{}",
            found.text
        );
        assert!(found.advice.is_some_and(|advice| advice.contains("0000:01:00.0/current_link_speed")));
    }

    #[test]
    fn a_link_that_gives_more_had_been_asleep_and_one_that_gives_less_has_room() {
        for demand in [2.0e9, 0.5e9] {
            assert_eq!(drive(2.5e9, 4, demand).code, "device-full");
        }
        assert_eq!(drive(8e9, 4, 0.87e9).code, "device-full");
    }

    #[test]
    fn a_full_link_says_how_many_lanes_both_ends_have() {
        let lanes = |lanes: u32| {
            let found = drive(8e9, lanes, 3.45e9 * f64::from(lanes) / 4.0);
            assert_eq!(found.code, "link-full");
            let said = found.evidence.into_iter().find(|evidence| evidence.code == "link-lanes")?;
            said.text
        };
        assert!(lanes(2).is_some_and(|text| text.ends_with("has 2 of the 4 lanes that both its ends have")));
        assert_eq!(lanes(4), None);
    }
}
