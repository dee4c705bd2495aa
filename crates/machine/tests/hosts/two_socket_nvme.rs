//! Two sockets, eight NVMe drives, a bond.

use model::Severity;
use model::machine::BlockKind;

use super::{disk, has, inventory, link, looks, nic};

#[test]
fn two_packages_have_sixteen_cores_with_two_threads_each() {
    let all = inventory("two-socket-nvme");
    let cpu = &all.cpu;
    assert_eq!((cpu.packages(), cpu.cores(), cpu.threads_per_core(), cpu.online.len()), (2, 32, 2, 64));
    assert_eq!(cpu.microcode.as_deref(), Some("0xd0003a5"));
    let kinds: Vec<_> =
        cpu.cache_kinds.iter().map(|k| (k.level, k.kind.as_str(), k.bytes >> 10, k.instances)).collect();
    assert_eq!(
        kinds,
        [
            (1, "Data", 48, 32),
            (1, "Instruction", 32, 32),
            (2, "Unified", 1280, 32),
            (3, "Unified", 24_576, 2)
        ]
    );
    // This maker's firmware numbers the CPUs of both packages in turn.
    for place in &cpu.topology {
        assert_eq!((place.package, place.node), (place.cpu % 2, Some(place.cpu % 2)));
    }
    let frequency = cpu.frequency.as_ref().unwrap();
    assert_eq!(frequency.governors, ["performance"]);
    assert_eq!((frequency.base_hz, frequency.hardware_max_hz), (Some(2_900_000_000), Some(3_500_000_000)));
    assert!(cpu.mitigations["spectre_v2"].contains("Enhanced IBRS"));
}

#[test]
fn each_node_has_half_of_sixteen_modules() {
    let memory = inventory("two-socket-nvme").memory;
    assert_eq!((memory.slots, memory.modules.len()), (Some(32), 16));
    assert_eq!(memory.modules.iter().map(|m| m.bytes).sum::<u64>(), 512 << 30);
    assert!(memory.modules.iter().all(|m| m.configured_transfers == Some(3_200_000_000)));
    let distances: Vec<_> = memory.nodes.iter().map(|n| n.distances.as_slice()).collect();
    assert_eq!(distances, [[10, 20], [20, 10]]);
    assert_eq!(memory.swap[0].path, "/dev/dm-1");
}

#[test]
fn one_of_eight_drives_has_lost_two_lanes() {
    let all = inventory("two-socket-nvme");
    for i in 0..8 {
        let drive = disk(&all, &format!("nvme{i}n1"));
        assert_eq!(drive.model.as_deref(), Some("INTEL SSDPF2KX038TZ"));
        assert_eq!((drive.transport.as_deref(), drive.bytes), (Some("nvme"), 3_840_755_982_336));
        assert_eq!((drive.firmware.as_deref(), drive.hardware_queues), (Some("JCV10200"), Some(64)));
        assert_eq!(drive.write_cache.as_deref(), Some("write through"));
        let address = drive.pci.clone().unwrap();
        let lanes = if i == 5 { 2 } else { 4 };
        assert_eq!(link(&all, &address), (16.0, lanes, 16.0, 4), "nvme{i}");
        assert_eq!(all.pci_device(&address).unwrap().node, Some(i / 4));
    }
    let looks = looks("two-socket-nvme");
    let narrow: Vec<_> = looks.iter().filter(|(code, ..)| code == "pcie-link").collect();
    assert_eq!(narrow.len(), 1, "{narrow:?}");
    assert!(has(&looks, "pcie-link", Severity::Warning, "pci:0000:b2:00.0"), "{narrow:?}");
}

#[test]
fn the_root_stands_on_lvm_on_the_first_drive() {
    let all = inventory("two-socket-nvme");
    let root = disk(&all, "dm-0");
    assert_eq!((root.kind, root.below.as_slice()), (BlockKind::Dm, ["nvme0n1p3".to_owned()].as_slice()));
    let mapping = root.mapping.as_ref().unwrap();
    assert_eq!((mapping.name.as_str(), mapping.kind.as_deref()), ("vg0-root", Some("LVM")));
    assert_eq!(root.mounts[0].point, "/");
    assert_eq!(disk(&all, "nvme0n1p3").content.as_deref(), Some("LVM2_member"));
    assert_eq!(disk(&all, "nvme0n1p3").below, ["nvme0n1"]);
    assert_eq!(disk(&all, "nvme0n1p1").mounts[0].point, "/boot/efi");
}

#[test]
fn two_ports_make_one_bond() {
    let all = inventory("two-socket-nvme");
    let bond = nic(&all, "bond0");
    assert_eq!((bond.kind.as_str(), bond.speed_bits, bond.mtu), ("bond", Some(50_000_000_000), 9000));
    let built = bond.bond.as_ref().unwrap();
    assert_eq!((built.mode.as_str(), built.hash.as_deref()), ("802.3ad", Some("layer3+4")));
    assert_eq!(built.members, ["enp75s0f0np0", "enp75s0f1np1"]);
    assert_eq!(built.active, None);
    for member in &built.members {
        let port = nic(&all, member);
        assert_eq!((port.master.as_deref(), port.driver.as_deref()), (Some("bond0"), Some("ice")));
        assert_eq!((port.speed_bits, port.mtu, port.node), (Some(25_000_000_000), 9000, Some(0)));
        assert_eq!((port.rx_queues, port.bond.is_none()), (Some(64), true));
    }
    assert_eq!(link(&all, "0000:4b:00.0"), (16.0, 8, 16.0, 8));
}

#[test]
fn parts_of_the_root_complex_have_no_link_and_an_unknown_chip_no_name() {
    let all = inventory("two-socket-nvme");
    for address in ["0000:00:00.0", "0000:00:01.0", "0000:b0:00.4"] {
        let function = all.pci_device(address).unwrap();
        let width = function.link.and_then(|l| l.lanes.or(l.max_lanes));
        assert_eq!(width, None, "{function:?}");
    }
    let chipset = all.pci_device("0000:00:1f.0").unwrap();
    assert_eq!(
        (chipset.vendor_name.as_deref(), chipset.device_name.as_deref()),
        (Some("Intel Corporation"), None)
    );
}

#[test]
fn every_drive_tells_its_temperature() {
    let all = inventory("two-socket-nvme");
    let drives: Vec<_> = all.sensors.iter().filter(|s| s.chip == "nvme").collect();
    assert_eq!(drives.len(), 8);
    for (i, drive) in drives.iter().enumerate() {
        assert_eq!(
            (drive.label.as_str(), drive.device.as_deref()),
            ("Composite", Some(format!("nvme{i}n1").as_str()))
        );
        assert_eq!((drive.max, drive.critical), (Some(69.85), Some(79.85)));
    }
    assert!(all.sensors.iter().any(|s| s.chip == "power_meter" && s.value == Some(412.0)));
}
