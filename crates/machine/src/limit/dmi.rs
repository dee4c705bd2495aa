//! DMI, the link between an Intel chipset (PCH) and its processor. Nothing in
//! sysfs names it; it is known from the chipset, which is known from its bridge
//! to the LPC or eSPI bus (class 06 01 00).
//!
//! DMI is PCI Express on the wire: version 1 has four lanes of 2.5 GT/s and
//! version 2 of 5 GT/s, both 8b/10b; version 3 four lanes of 8 GT/s; version 4
//! four or eight of 16 GT/s, both 128b/130b (datasheets of the chipset families,
//! "Direct Media Interface"; Intel's product pages, "Bus Speed"). How large its
//! packets are cannot be read, so the line rate is the bound, and what is usual of
//! it is not given. AMD's chipsets hang on ordinary PCI Express and show in the
//! tree.
//!
//! Left out because the datasheets of the family do not settle it: the 500
//! series, whose width depends on the processor; H310C, H410 and B460 (an older
//! chipset under a newer name); mobile chipsets in the processor's own package.

use std::ops::RangeInclusive;

use model::limit::ChipsetLink;
use model::machine::{Inventory, PciDevice};
use model::{Limit, Resource};

use super::{Rates, is_guest, link};

const INTEL: u16 = 0x8086;

/// Bridge to ISA and what came after it (PCI Code and ID Assignment, 06 01 00).
const CLASS_ISA_BRIDGE: u32 = 0x06_0100;

/// Chipsets whose bridges have these device numbers.
struct Family {
    bridges: RangeInclusive<u16>,
    name: &'static str,
    /// Version, transfers per second and lane, lanes; absent where unsettled.
    dmi: Option<Dmi>,
}

#[derive(Clone, Copy)]
struct Dmi {
    version: &'static str,
    transfers: f64,
    lanes: u8,
    /// Bits of data for each bit on the lane.
    share: f64,
}

const DMI_1: Dmi = Dmi { version: "1.0", transfers: 2.5e9, lanes: 4, share: 0.8 };
const DMI_2: Dmi = Dmi { version: "2.0", transfers: 5e9, lanes: 4, share: 0.8 };
const DMI_3: Dmi = Dmi { version: "3.0", transfers: 8e9, lanes: 4, share: 128.0 / 130.0 };
const DMI_4_X4: Dmi = Dmi { version: "4.0", transfers: 16e9, lanes: 4, share: 128.0 / 130.0 };
const DMI_4_X8: Dmi = Dmi { lanes: 8, ..DMI_4_X4 };

/// Device numbers as in the kernel's `drivers/mfd/lpc_ich.c` and pci.ids; the
/// first line that fits counts.
const FAMILIES: &[Family] = &[
    family(0x3b00, 0x3b1f, "5 series or 3400", Some(DMI_1)),
    family(0x1c40, 0x1c5f, "6 series or C200", Some(DMI_2)),
    family(0x1d40, 0x1d41, "C600 or X79", Some(DMI_2)),
    family(0x1e40, 0x1e5f, "7 series or C216", Some(DMI_2)),
    family(0x8c40, 0x8c5f, "8 series or C220", Some(DMI_2)),
    family(0x8cc0, 0x8cdf, "9 series", Some(DMI_2)),
    family(0x8d40, 0x8d5f, "C610 or X99", Some(DMI_2)),
    family(0xa143, 0xa143, "H110", Some(DMI_2)),
    family(0xa149, 0xa149, "C236", Some(DMI_3)),
    family(0xa14a, 0xa14a, "C232", Some(DMI_3)),
    family(0xa140, 0xa15f, "100 series or C230", Some(DMI_3)),
    family(0xa1c0, 0xa1df, "C620", Some(DMI_3)),
    family(0xa240, 0xa25f, "C620", Some(DMI_3)),
    family(0xa2ca, 0xa2ca, "H310C", None),
    family(0xa2c0, 0xa2df, "200 series, Z370 or X299", Some(DMI_3)),
    family(0xa303, 0xa303, "H310", Some(DMI_2)),
    family(0xa300, 0xa31f, "300 series or C240", Some(DMI_3)),
    family(0x0680, 0x069f, "400 series or W480", Some(DMI_3)),
    family(0x7a83, 0x7a85, "Q670, Z690 or H670", Some(DMI_4_X8)),
    family(0x7a86, 0x7a87, "B660 or H610", Some(DMI_4_X4)),
    family(0x7a88, 0x7a88, "W680", Some(DMI_4_X8)),
    family(0x7a04, 0x7a05, "Z790 or H770", Some(DMI_4_X8)),
    family(0x7a06, 0x7a06, "B760", Some(DMI_4_X4)),
];

const fn family(first: u16, last: u16, name: &'static str, dmi: Option<Dmi>) -> Family {
    Family { bridges: first..=last, name, dmi }
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    let Some((name, dmi)) = of(inventory) else { return Vec::new() };
    let Dmi { version, transfers, lanes, share } = dmi;
    let line = transfers * f64::from(lanes) * share / 8.0;
    let source =
        format!("DMI {version} x{lanes} ({} GT/s) of the {name} chipset, line rate", transfers / 1e9);
    let chipset = ChipsetLink { chipset: name.to_owned(), version: version.to_owned(), lanes };
    let bound = link(Resource::DMI, None, Rates { line, effective: None }, source);
    vec![Limit { chipset: Some(chipset), ..bound }]
}

/// The chipset and its link, where both are known.
fn of(inventory: &Inventory) -> Option<(&'static str, Dmi)> {
    if is_guest(inventory) {
        return None;
    }
    let bridge = inventory
        .pci
        .iter()
        .find(|d| d.vendor == INTEL && d.class == CLASS_ISA_BRIDGE && in_chipset(d).unwrap_or(false))?;
    let family = FAMILIES.iter().find(|f| f.bridges.contains(&bridge.device))?;
    Some((family.name, family.dmi?))
}

/// Whether what this function moves passes DMI, on a machine where its rate is
/// known.
pub(super) fn is_passed_by(inventory: &Inventory, address: &str) -> bool {
    let top = inventory.pci_to_root(address).last().copied();
    of(inventory).is_some() && top.and_then(in_chipset).unwrap_or(false)
}

/// Whether a function sits in the chipset itself. All of its functions are on
/// bus 0 from device 16 up (its SATA controller is 00:17.0 or 00:1f.2, its root
/// ports are 00:1b, 00:1c and 00:1d); the processor's own are below (00:01 and
/// 00:06 its root ports), as the datasheets' tables of PCI devices have it.
fn in_chipset(device: &PciDevice) -> Option<bool> {
    let (bus, function) = device.address.rsplit_once(':')?;
    let number = u8::from_str_radix(function.split_once('.')?.0, 16).ok()?;
    Some(bus == "0000:00" && device.parent.is_none() && (0x10..=0x1f).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(address: &str, class: u32, device: u16) -> PciDevice {
        PciDevice { address: address.to_owned(), class, vendor: INTEL, device, ..PciDevice::default() }
    }

    fn chipset(device: u16) -> Inventory {
        Inventory { pci: vec![function("0000:00:1f.0", CLASS_ISA_BRIDGE, device)], ..Inventory::default() }
    }

    fn line(device: u16) -> Option<f64> {
        limits(&chipset(device)).first().and_then(|l| l.line)
    }

    #[test]
    fn each_generation_has_its_rate() {
        for (device, gigabytes) in [
            (0x3b14, 1.0),  // 3420
            (0x1c54, 2.0),  // C204
            (0x8c44, 2.0),  // Z87
            (0xa143, 2.0),  // H110
            (0xa145, 3.93), // Z170
            (0xa1c1, 3.93), // C621
            (0xa305, 3.93), // Z390
            (0x7a84, 15.75),
            (0x7a86, 7.87),
        ] {
            let line = line(device).unwrap();
            assert!((line / 1e9 - gigabytes).abs() < 0.01, "{device:x}: {line}");
        }
    }

    #[test]
    fn study_as_chipset_has_31_and_a_half_gigabits() {
        // The study's own 31.44 Gbit/s is 3.93 GB/s, cut to two places.
        let gigabits = line(0xa14a).unwrap() * 8.0 / 1e9;
        assert!((31.44..31.52).contains(&gigabits), "{gigabits}");
        let c232 = &limits(&chipset(0xa14a))[0];
        assert_eq!(c232.chipset.as_ref().unwrap().chipset, "C232");
        // Documents of version 0.1 say it in the source alone.
    }

    #[test]
    fn what_is_not_settled_is_absent() {
        for device in [0x4385, 0xa2ca, 0xa3c8, 0x9d43, 0x2918, 0x7000, 0] {
            assert_eq!(line(device), None, "{device:x}");
        }
        let mut other = chipset(0xa14a);
        other.pci[0].vendor = 0x1022;
        assert!(limits(&other).is_empty());
    }

    #[test]
    fn the_chipsets_functions_pass_it_and_the_processors_do_not() {
        let mut machine = chipset(0xa14a);
        for (address, parent) in [
            ("0000:00:17.0", None),
            ("0000:00:1d.0", None),
            ("0000:03:00.0", Some("0000:00:1d.0")),
            ("0000:00:01.0", None),
            ("0000:01:00.0", Some("0000:00:01.0")),
            ("0000:00:06.0", None),
            ("0001:00:17.0", None),
            ("garbled", None),
        ] {
            let mut device = function(address, 0, 0);
            device.parent = parent.map(str::to_owned);
            machine.pci.push(device);
        }
        for (address, passes) in [
            ("0000:00:17.0", true),
            ("0000:03:00.0", true),
            ("0000:01:00.0", false),
            ("0000:00:06.0", false),
            ("0001:00:17.0", false),
            ("garbled", false),
            ("0000:09:00.0", false),
        ] {
            assert_eq!(is_passed_by(&machine, address), passes, "{address}");
        }
    }
}
