//! Vendors and devices in words: the machine's own table of PCI identifiers
//! (`pci.ids`), and a few vendors that are known without it.

use std::collections::{BTreeMap, BTreeSet};

use model::machine::PciDevice;

use crate::Host;

/// Where distributions keep the table (hwdata, pciutils).
const TABLES: &[&str] = &[
    "/usr/share/misc/pci.ids",
    "/usr/share/hwdata/pci.ids",
    "/usr/share/pci.ids",
    "/var/lib/pciutils/pci.ids",
];

/// Vendors that machines under measurement are made of, named as the table does.
const VENDORS: &[(u16, &str)] = &[
    (0x1000, "Broadcom / LSI"),
    (0x1002, "Advanced Micro Devices, Inc. [AMD/ATI]"),
    (0x1014, "IBM"),
    (0x1022, "Advanced Micro Devices, Inc. [AMD]"),
    (0x103c, "Hewlett-Packard Company"),
    (0x1077, "QLogic Corp."),
    (0x10b5, "PLX Technology, Inc."),
    (0x10de, "NVIDIA Corporation"),
    (0x10ec, "Realtek Semiconductor Co., Ltd."),
    (0x1179, "Toshiba Corporation"),
    (0x1344, "Micron Technology Inc"),
    (0x1414, "Microsoft Corporation"),
    (0x1425, "Chelsio Communications Inc"),
    (0x144d, "Samsung Electronics Co Ltd"),
    (0x14e4, "Broadcom Inc. and subsidiaries"),
    (0x1590, "Hewlett Packard Enterprise"),
    (0x15ad, "VMware"),
    (0x15b3, "Mellanox Technologies"),
    (0x15b7, "Sandisk Corp"),
    (0x177d, "Cavium, Inc."),
    (0x17cb, "Qualcomm Technologies, Inc"),
    (0x1924, "Solarflare Communications"),
    (0x1987, "Phison Electronics Corporation"),
    (0x19e5, "Huawei Technologies Co., Ltd."),
    (0x1a03, "ASPEED Technology, Inc."),
    (0x1ae0, "Google, Inc."),
    (0x1af4, "Red Hat, Inc."),
    (0x1b21, "ASMedia Technology Inc."),
    (0x1b36, "Red Hat, Inc."),
    (0x1b4b, "Marvell Technology Group Ltd."),
    (0x1c5c, "SK hynix"),
    (0x1d0f, "Amazon.com, Inc."),
    (0x1d6a, "Aquantia Corp."),
    (0x1dd8, "AMD Pensando Systems"),
    (0x1def, "Ampere Computing, LLC"),
    (0x1e0f, "KIOXIA Corporation"),
    (0x8086, "Intel Corporation"),
    (0x9005, "Adaptec"),
];

/// Names by `vendor:device` in hexadecimal: the vendor, and the device where
/// the table has it. The probe `pci-names`.
type Names = BTreeMap<String, Vec<String>>;

/// Puts names to the devices, as far as they are known.
pub(super) fn add(host: &Host, devices: &mut [PciDevice]) {
    if devices.is_empty() {
        return;
    }
    let wanted: BTreeSet<(u16, u16)> = devices.iter().map(|d| (d.vendor, d.device)).collect();
    let names: Names = host.probe("pci-names", || look_up(&wanted)).unwrap_or_default();
    for device in devices {
        let found = names.get(&key(device.vendor, device.device));
        let known =
            || VENDORS.iter().find(|(id, _)| *id == device.vendor).map(|(_, name)| (*name).to_owned());
        let name = |index: usize| found.and_then(|f| f.get(index)).filter(|n| !n.is_empty()).cloned();
        device.vendor_name = name(0).or_else(known);
        device.device_name = name(1);
    }
}

fn key(vendor: u16, device: u16) -> String {
    format!("{vendor:04x}:{device:04x}")
}

/// Reads this machine's table.
fn look_up(wanted: &BTreeSet<(u16, u16)>) -> Result<Names, String> {
    let table = TABLES.iter().find_map(|path| std::fs::read(path).ok()).ok_or("not there")?;
    Ok(pick(&String::from_utf8_lossy(&table), wanted))
}

/// The lines of `table` for what is wanted: vendors start a line with four
/// digits, their devices follow with one tab, subsystems with two; classes
/// start with `C`.
fn pick(table: &str, wanted: &BTreeSet<(u16, u16)>) -> Names {
    let mut names = Names::new();
    let mut vendor: Option<(u16, &str)> = None;
    for line in table.lines() {
        let Some(rest) = line.strip_prefix('\t') else {
            vendor = entry(line);
            for &(v, d) in wanted.iter().filter(|(v, _)| vendor.is_some_and(|(found, _)| found == *v)) {
                names.insert(key(v, d), vec![vendor.map(|(_, name)| name.to_owned()).unwrap_or_default()]);
            }
            continue;
        };
        let (Some((vendor, vendor_name)), Some((device, name))) = (vendor, entry(rest)) else { continue };
        if wanted.contains(&(vendor, device)) {
            names.insert(key(vendor, device), vec![vendor_name.to_owned(), name.to_owned()]);
        }
    }
    names
}

/// Four hexadecimal digits and, after two blanks, a name.
fn entry(line: &str) -> Option<(u16, &str)> {
    let (id, name) = line.split_at_checked(4)?;
    let id = id.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(id, 16).ok())??;
    Some((id, name.strip_prefix("  ")?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# comment\n1000  Broadcom / LSI\n\t0097  SAS3008\n\t\t1000 3090  SAS9311-8i\n\
        8086  Intel Corporation\n\t10fb  82599ES 10-Gigabit SFI/SFP+ Network Connection\n\
        \t\t8086 10fb  not a device of its own\n\t10fc  another\nC 02  Network controller\n\t00  Ethernet controller\n";

    #[test]
    fn names_are_picked_from_the_table() {
        let wanted = [(0x8086, 0x10fb), (0x8086, 0xffff), (0x1000, 0x0097), (0x1234, 1)].into();
        let names = pick(TABLE, &wanted);
        assert_eq!(names["8086:10fb"][1], "82599ES 10-Gigabit SFI/SFP+ Network Connection");
        assert_eq!(names["8086:ffff"], ["Intel Corporation"]);
        assert_eq!(names["1000:0097"], ["Broadcom / LSI", "SAS3008"]);
        assert_eq!(names.len(), 3);
    }

    #[test]
    fn the_table_of_vendors_is_in_order() {
        assert!(VENDORS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
