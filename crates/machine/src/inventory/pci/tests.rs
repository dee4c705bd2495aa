//! The PCI tree of recorded machines, and of this one.

use super::*;

/// A root port with an NVMe drive on four lanes, a SATA controller of the root
/// complex, a drive behind Intel's VMD, a function that is gone and one whose
/// files are garbled.
const HOST: &str = r#"
==> /sys/bus/pci/devices/0000:00:1d.0 -> ../../../devices/pci0000:00/0000:00:1d.0
==> /sys/bus/pci/devices/0000:00:17.0 -> ../../../devices/pci0000:00/0000:00:17.0
==> /sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:00/0000:00:1d.0/0000:01:00.0
==> /sys/bus/pci/devices/10000:e1:00.0 -> ../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0
==> /sys/bus/pci/devices/10000:e0:06.0 -> ../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0
==> /sys/bus/pci/devices/0000:02:00.0 -> ../../../devices/pci0000:00/0000:02:00.0
==> /sys/bus/pci/devices/0000:03:00.0 -> ../../../devices/pci0000:00/0000:03:00.0
==> /sys/bus/pci/devices/nonsense -> ../../../devices/nonsense
==> /sys/devices/pci0000:00/0000:00:17.0/class
0x010601
==> /sys/devices/pci0000:00/0000:00:17.0/vendor
0x8086
==> /sys/devices/pci0000:00/0000:00:17.0/device
0xa102
==> /sys/devices/pci0000:00/0000:00:17.0/numa_node
-1
==> /sys/devices/pci0000:00/0000:00:17.0/driver -> ../../../bus/pci/drivers/ahci
==> /sys/bus/pci/drivers/ahci/
==> /sys/devices/pci0000:00/0000:00:1d.0/class
0x060400
==> /sys/devices/pci0000:00/0000:00:1d.0/vendor
0x8086
==> /sys/devices/pci0000:00/0000:00:1d.0/device
0xa118
==> /sys/devices/pci0000:00/0000:00:1d.0/current_link_speed
8.0 GT/s PCIe
==> /sys/devices/pci0000:00/0000:00:1d.0/current_link_width
4
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/class
0x010802
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/vendor
0x144d
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/device
0xa808
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/numa_node
1
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/current_link_speed
2.5 GT/s PCIe
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/current_link_width
4
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/max_link_speed
8 GT/s
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/max_link_width
4
==> /probe/pcie/0000:01:00.0
{"max_payload": 256, "max_read_request": 512}
==> /probe/pcie/0000:00:1d.0 !permission denied
==> /probe/pci-names
{"144d:a808": ["Samsung Electronics Co Ltd", "NVMe SSD Controller SM981/PM981/PM983"]}
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/class
0x010802
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/vendor
0x1234
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/device
0x0001
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/class
0x060400
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/vendor
0x8086
==> /sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/device
0x09ab
==> /sys/devices/pci0000:00/0000:02:00.0/class
0x020000
==> /sys/devices/pci0000:00/0000:02:00.0/vendor
0xffff
==> /sys/devices/pci0000:00/0000:02:00.0/device
0xffff
==> /sys/devices/pci0000:00/0000:02:00.0/current_link_speed
Unknown
==> /sys/devices/pci0000:00/0000:02:00.0/current_link_width
63
==> /sys/devices/pci0000:00/0000:02:00.0/max_link_speed
Unknown speed
==> /sys/devices/pci0000:00/0000:02:00.0/max_link_width
255
==> /sys/devices/pci0000:00/0000:03:00.0/class
0xfffffffffffff
==> /sys/devices/pci0000:00/0000:03:00.0/vendor
0x8086
"#;

#[test]
fn a_tree_is_told_with_parents_links_and_names() {
    let mut absent = Vec::new();
    let devices = describe(&Host::parse(HOST), &mut absent);
    let order: Vec<&str> = devices.iter().map(|d| d.address.as_str()).collect();
    let expected =
        ["0000:00:17.0", "0000:00:1d.0", "0000:01:00.0", "0000:02:00.0", "10000:e0:06.0", "10000:e1:00.0"];
    assert_eq!(order, expected);
    let sata = &devices[0];
    assert_eq!((sata.class_name.as_str(), sata.driver.as_deref()), ("SATA controller (AHCI)", Some("ahci")));
    assert_eq!((&sata.parent, sata.node, sata.link), (&None, None, None));
    assert_eq!(sata.vendor_name.as_deref(), Some("Intel Corporation"), "known without a table");
    let port = &devices[1];
    assert!(port.is_bridge() && port.parent.is_none());
    assert_eq!((port.link.unwrap().lanes, port.link.unwrap().max_payload), (Some(4), None));
    let drive = &devices[2];
    assert_eq!(
        (drive.parent.as_deref(), drive.node, drive.class),
        (Some("0000:00:1d.0"), Some(1), 0x01_0802)
    );
    assert_eq!(drive.device_name.as_deref(), Some("NVMe SSD Controller SM981/PM981/PM983"));
    let link = drive.link.unwrap();
    assert_eq!((link.transfers, link.max_transfers), (Some(2.5e9), Some(8e9)));
    assert_eq!((link.lanes, link.max_lanes), (Some(4), Some(4)));
    assert_eq!((link.max_payload, link.max_read_request), (Some(256), Some(512)));
    assert_eq!(devices[5].parent.as_deref(), Some("10000:e0:06.0"));
    assert_eq!(devices[4].parent, None, "below a root of its own");
}

#[test]
fn what_is_unknown_or_garbled_is_absent() {
    let mut absent = Vec::new();
    let devices = describe(&Host::parse(HOST), &mut absent);
    let gone = devices.iter().find(|d| d.address == "0000:02:00.0").unwrap();
    assert_eq!((gone.link, &gone.vendor_name), (None, &None));
    let said: Vec<(&str, &str)> = absent.iter().map(|a| (a.what.as_str(), a.reason.as_str())).collect();
    let expected =
        [("PCI function 0000:03:00.0", "garbled: class"), ("PCI Express payload sizes", "permission denied")];
    assert_eq!(said, expected);
    for speed in ["", "GT/s", "0.0 GT/s", "-8.0 GT/s", "inf GT/s", "NaN GT/s", "8.0 Gbit", "1e300 GT/s PCIe"]
    {
        assert_eq!(transfers(speed), None, "{speed}");
    }
}

#[test]
fn a_function_that_sleeps_is_not_asked_for_its_link() {
    let drive = "==> /sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/power/runtime_status\nsuspended\n";
    let devices = describe(&Host::parse(&format!("{HOST}{drive}")), &mut Vec::new());
    let asleep = devices.iter().find(|d| d.address == "0000:01:00.0").unwrap();
    assert_eq!((asleep.link, asleep.vendor), (None, 0x144d));
    assert!(devices.iter().find(|d| d.address == "0000:00:1d.0").unwrap().link.is_some());
}

#[test]
fn addresses_are_found_in_paths() {
    let path = "/sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1";
    assert_eq!(function_above(path), Some("0000:01:00.0"));
    assert_eq!(function_above("/sys/devices/virtual/block/loop0"), None);
    for not in
        ["", "pci0000:00", "0:0:0:0", "0000:01:00", "0000:01:00.0.0", "0000.01:00:0", "+000:01:00.0", "nvme0"]
    {
        assert_eq!(address(not), None, "{not}");
    }
    assert!(address("0000:ff:1f.7") < address("10000:00:00.0"));
}

#[test]
fn this_machine_has_the_functions_that_the_old_list_has() {
    // /proc/bus/pci/devices: bus and function as four digits, vendor and device.
    let list = std::fs::read_to_string("/proc/bus/pci/devices").unwrap_or_default();
    let mut theirs: Vec<(u32, u32)> = list
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().map(|w| u32::from_str_radix(w, 16).ok());
            Some((words.next()??, words.next()??))
        })
        .collect();
    theirs.sort_unstable();
    let devices = describe(&Host::this(), &mut Vec::new());
    let mut ours: Vec<(u32, u32)> = devices
        .iter()
        .filter_map(|d| {
            let (_, bus, device, function) = address(&d.address)?;
            Some((bus << 8 | device << 3 | function, u32::from(d.vendor) << 16 | u32::from(d.device)))
        })
        .collect();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
}
