//! A bus of which no rate is known, between a device and the machine. What looks like a device that gives no more may be the
//! bus, or a bridge on it: that is said beside such a verdict, for only a device on another bus could tell.

use model::Finding;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;
use model::{Resource, ResourceKind};

use crate::{Context, measure};

/// Verdicts that say of a device that it gives no more.
const OF_DEVICES: [&str; 3] = ["device-full", "constant-limit", "device-bound"];

/// How devices are attached of whose link perhaps no rate is known (`BlockDevice::transport`).
const UNKNOWN: [&str; 2] = ["usb", "mmc"];

pub(super) const ENGLISH: &str = r#"
evidence-bus-unknown =
    { RESOURCE($resource) } { verb-is } reached over { $transport ->
        [usb] USB, at a rate that is not known: the bus or its bridge may be what is full
       *[mmc] the bus of a memory card, at a rate that is not known: it may be what is full
    }
"#;

/// That a device which is named is behind such a bus.
pub(super) fn unknown(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let is_named = OF_DEVICES.contains(&named.code.as_str()) && !measure::is_net(case);
    let disks = measure::wholes(case, context.machine);
    // A link whose rate is known is judged as any other.
    let is_known = |name: &str| {
        let link = Resource::of(ResourceKind::Usb, name);
        case.utilization.iter().any(|used| used.kind == LimitKind::Link && used.resource == link)
    };
    let behind = disks.into_iter().filter(|_| is_named).find_map(|disk| {
        let transport = disk.transport.as_deref()?;
        (UNKNOWN.contains(&transport) && !is_known(&disk.name)).then_some((disk, transport))
    });
    let (disk, transport) = behind?;
    let resource = Resource::of(ResourceKind::Block, &disk.name);
    let evidence = Evidence::at("bus-unknown", Place::Inventory(resource.clone()));
    Some(evidence.arg("resource", resource.as_str()).arg("transport", transport))
}

#[cfg(test)]
mod tests {
    use model::machine::BlockDevice;

    use super::super::tests::{disk, machine, used, verdict_on};
    use super::*;

    #[test]
    fn a_full_device_behind_a_bus_of_unknown_rate_says_so() {
        let full = |transport: &str, link: Option<f64>| {
            let mut machine = machine();
            let (name, transport) = ("sda".to_owned(), Some(transport.to_owned()));
            machine.inventory.block = vec![BlockDevice { name, transport, ..BlockDevice::default() }];
            let mut cases = [disk(32, 100_000.0, 320.0, 2.0), disk(16, 98_000.0, 160.0, 2.0)];
            let link = link.map(|fraction| used("usb:sda", LimitKind::Link, fraction));
            cases[0].utilization.extend(link);
            let found = verdict_on(&machine, &cases);
            assert_eq!(found.code, "device-full");
            found.evidence.into_iter().find(|evidence| evidence.code == "bus-unknown")?.text
        };
        assert!(full("usb", None).is_some_and(|text| text.starts_with("disk sda is reached over USB")));
        assert_eq!(full("usb", Some(0.5)), None, "its link has room");
        assert_eq!(full("sata", None), None);
    }
}
