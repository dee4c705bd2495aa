//! A PCI Express link is narrower or slower than both its ends can.

use model::machine::{PciDevice, PciLink};
use model::{Finding, Resource, ResourceKind, Severity, Value};

use super::{Check, CheckContext, clip, condition, listed};

const CODE: &str = "pcie-link";
/// Transfers per second that no link has for long to come (PCIe 7.0: 128e9).
const ABSURD: f64 = 1e13;

/// The check. Fewer lanes than both ends have mean a bad contact, a riser or a
/// slot that shares them: a warning. A lower speed is only a note, for links
/// slow down when idle. What one end cannot do is no fault of the link.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a PCI Express link has fewer lanes than both ends (warning), or a lower speed (note)",
    english: r#"
pcie-device =
    { $address }{ $named ->
        [yes] {" "}({ $what })
       *[no] {""}
    }
condition-pcie-link =
    the link of { pcie-device } { $how ->
        [lanes] has { $lanes } of { $best_lanes } lanes
       *[speed] runs at { SHORT($transfers) }T/s instead of { SHORT($best_transfers) }T/s; it may be asleep
    }
    .advice =
        { $how ->
            [lanes] seat the card again or use another slot; see the board's manual on lanes that slots share
           *[speed] look again under load: `cat /sys/bus/pci/devices/{ $address }/current_link_speed`
        }

evidence-link-width = { condition-pcie-link }
evidence-link-speed = { condition-pcie-link }
"#,
    look: |context| {
        let devices = context.inventory.pci.iter().filter(|d| is_judged(context, d));
        devices.flat_map(|d| judge(context, d)).collect()
    },
};

/// A link has two ends: it is judged once, at the lower one, by the function
/// that names it.
fn is_judged(context: &CheckContext<'_>, device: &PciDevice) -> bool {
    let inventory = context.inventory;
    !inventory.link_faces_down(device) && inventory.link_function(device).address == device.address
}

/// The lesser of what both ends can; what one can where the other is silent.
fn both<T: PartialOrd + Copy>(own: Option<T>, other: Option<T>) -> Option<T> {
    match (own, other) {
        (Some(a), Some(b)) => Some(if b < a { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn judge(context: &CheckContext<'_>, device: &PciDevice) -> Vec<Finding> {
    let Some(link) = device.link else { return Vec::new() };
    let port = device.parent.as_deref().and_then(|p| context.inventory.pci_device(p)?.link);
    let port = port.unwrap_or_default();
    [lanes(device, link, port), speed(device, link, port)].into_iter().flatten().collect()
}

fn lanes(device: &PciDevice, link: PciLink, port: PciLink) -> Option<Finding> {
    let best = both(link.max_lanes, port.max_lanes)?;
    let now = link.lanes.filter(|now| *now > 0 && *now < best)?;
    let counts = [("lanes", u64::from(now).into()), ("best_lanes", u64::from(best).into())];
    Some(named(device, Severity::Warning, "lanes", "link-width", counts))
}

/// Storage and network, whose results a slow link shows in: base classes 01 and
/// 02. Graphics and others sleep at the lowest speed.
fn speed(device: &PciDevice, link: PciLink, port: PciLink) -> Option<Finding> {
    let best = both(link.max_transfers, port.max_transfers)?;
    let now = link.transfers.filter(|now| *now > 0.0 && *now < best * 0.99 && best < ABSURD)?;
    if !matches!(device.class >> 16, 0x01 | 0x02) {
        return None;
    }
    let rates = [("transfers", now.into()), ("best_transfers", best.into())];
    Some(named(device, Severity::Note, "speed", "link-speed", rates))
}

/// A finding with its evidence, both of which name the device and the numbers.
fn named(
    device: &PciDevice,
    severity: Severity,
    how: &str,
    evidence: &str,
    numbers: [(&str, Value); 2],
) -> Finding {
    let class = match (&device.device_name, device.class >> 16) {
        (Some(_), _) => "named",
        (None, 0x01) => "storage",
        (None, 0x02) => "network",
        (None, 0x03) => "display",
        (None, 0x06) => "bridge",
        (None, _) => "other",
    };
    let resource = Resource::of(ResourceKind::Pci, &device.address);
    let what = device.device_name.as_deref().unwrap_or(&device.class_name);
    let finding = condition(CODE, severity)
        .on(resource.as_str())
        .arg("how", how)
        .arg("address", clip(&device.address))
        .arg("class", class)
        .arg("device", clip(device.device_name.as_deref().unwrap_or_default()))
        .arg("named", !what.is_empty())
        .arg("what", clip(what));
    let finding = numbers.into_iter().fold(finding, |finding, (key, number)| finding.arg(key, number));
    finding.because_same(listed(evidence, &resource))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::Inventory;

    fn device(address: &str, parent: Option<&str>, class: u32, link: (f64, u32, f64, u32)) -> PciDevice {
        PciDevice {
            address: address.to_owned(),
            parent: parent.map(str::to_owned),
            class,
            class_name: "Non-Volatile memory controller".to_owned(),
            link: Some(PciLink {
                transfers: Some(link.0 * 1e9),
                lanes: Some(link.1),
                max_transfers: Some(link.2 * 1e9),
                max_lanes: Some(link.3),
                ..PciLink::default()
            }),
            ..PciDevice::default()
        }
    }

    fn look(pci: Vec<PciDevice>) -> CheckResult {
        diagnose_inventory(&CHECK, Inventory { pci, ..Inventory::default() })
    }

    const ROOT: &str = "0000:00:1c.0";
    const DRIVE: &str = "0000:01:00.0";

    #[test]
    fn fewer_lanes_than_both_ends_have_are_a_warning() {
        let root = device(ROOT, None, 0x06_04_00, (8.0, 2, 8.0, 4));
        let drive = device(DRIVE, Some(ROOT), 0x01_08_02, (8.0, 2, 8.0, 4));
        look(vec![root, drive]).one(
            Severity::Warning,
            "the link of 0000:01:00.0 (Non-Volatile memory controller) has 2 of 4 lanes",
        );
    }

    #[test]
    fn what_the_port_cannot_do_is_no_fault_of_the_link() {
        let root = device(ROOT, None, 0x06_04_00, (5.0, 2, 5.0, 2));
        let drive = device(DRIVE, Some(ROOT), 0x01_08_02, (5.0, 2, 8.0, 4));
        assert_eq!(look(vec![root, drive]), CheckResult::nothing());
    }

    #[test]
    fn a_lower_speed_is_a_note_for_storage_and_nothing_for_graphics() {
        let root = device(ROOT, None, 0x06_04_00, (2.5, 4, 8.0, 4));
        let drive = device(DRIVE, Some(ROOT), 0x01_08_02, (2.5, 4, 16.0, 4));
        look(vec![root.clone(), drive]).one(Severity::Note, "runs at 2.5 GT/s instead of 8 GT/s");
        let card = device(DRIVE, Some(ROOT), 0x03_00_00, (2.5, 4, 16.0, 4));
        assert_eq!(look(vec![root, card]), CheckResult::nothing());
    }

    #[test]
    fn a_link_with_a_switch_and_two_functions_is_judged_once() {
        let (up, down) = ("0000:02:00.0", "0000:03:00.0");
        let pci = vec![
            device(ROOT, None, 0x06_04_00, (8.0, 4, 8.0, 8)),
            device(up, Some(ROOT), 0x06_04_00, (8.0, 4, 8.0, 8)),
            device(down, Some(up), 0x06_04_00, (8.0, 1, 8.0, 4)),
            device("0000:04:00.0", Some(down), 0x02_00_00, (8.0, 1, 8.0, 4)),
            device("0000:04:00.1", Some(down), 0x02_00_00, (8.0, 1, 8.0, 4)),
        ];
        let shown = look(pci);
        let resources: Vec<_> =
            shown.findings.iter().filter_map(|f| f.resource.as_ref().map(Resource::as_str)).collect();
        assert_eq!(resources, ["pci:0000:02:00.0", "pci:0000:04:00.0"]);
    }

    #[test]
    fn parents_in_a_ring_and_links_that_are_down_are_survived() {
        let a = device("0000:00:01.0", Some("0000:00:02.0"), 0x06_04_00, (8.0, 0, 8.0, 4));
        let b = device("0000:00:02.0", Some("0000:00:01.0"), 0x06_04_00, (f64::NAN, 0, 8.0, 4));
        assert_eq!(look(vec![a, b]), CheckResult::nothing());
    }
}
