//! A board with two kinds of cores and no firmware tables.

use model::machine::BlockKind;

use super::{disk, inventory, link, nic};

#[test]
fn six_cores_are_of_two_kinds() {
    let all = inventory("arm-board");
    assert_eq!(all.architecture, "aarch64");
    let cpu = &all.cpu;
    assert_eq!((cpu.packages(), cpu.cores(), cpu.threads_per_core()), (1, 6, 1), "{:?}", cpu.topology);
    let model = cpu.model.as_deref().unwrap();
    assert!(model.contains("A53") && model.contains("A72"), "{model}");
    let kinds: Vec<_> =
        cpu.cache_kinds.iter().map(|k| (k.level, k.kind.as_str(), k.bytes >> 10, k.instances)).collect();
    for kind in [
        (1, "Data", 32, 6),
        (1, "Instruction", 32, 4),
        (1, "Instruction", 48, 2),
        (2, "Unified", 512, 1),
        (2, "Unified", 1024, 1),
    ] {
        assert!(kinds.contains(&kind), "{kind:?} of {kinds:?}");
    }
    let frequency = cpu.frequency.as_ref().unwrap();
    assert_eq!((frequency.driver.as_deref(), frequency.boost), (Some("cpufreq-dt"), None));
    assert_eq!(frequency.governors, ["schedutil"]);
    assert_eq!((frequency.min_hz, frequency.hardware_max_hz), (Some(408_000_000), Some(1_800_000_000)));
    let policies: Vec<_> = frequency.policies.iter().map(|p| (p.cpus.as_slice(), p.max_hz)).collect();
    let expected: [(&[u32], _); 2] = [(&[0, 1, 2, 3], Some(1_416_000_000)), (&[4, 5], Some(1_800_000_000))];
    assert_eq!(policies, expected);
    let kinds: Vec<_> = cpu.core_kinds.iter().map(|k| (k.model.as_str(), k.cpus.as_slice())).collect();
    let expected: [(&str, &[u32]); 2] = [("Cortex-A53", &[0, 1, 2, 3]), ("Cortex-A72", &[4, 5])];
    assert_eq!(kinds, expected);
    assert_eq!(cpu.idle.as_ref().unwrap().driver.as_deref(), Some("psci_idle"));
}

#[test]
fn the_device_tree_names_it() {
    let all = inventory("arm-board");
    assert_eq!(all.system.product.as_deref(), Some("Pine64 RockPro64 v2.1"));
    assert_eq!((&all.system.virtualization, &all.system.container), (&None, &None));
    assert_eq!(all.system.clock_source.as_deref(), Some("arch_sys_counter"));
    assert!(all.memory.modules.is_empty() && all.memory.nodes.is_empty());
    let sizes: Vec<_> = all.memory.huge_pages.iter().map(|h| h.bytes >> 10).collect();
    assert_eq!(sizes, [64, 2048, 32_768, 1_048_576]);
    assert_eq!((all.memory.swap[0].path.as_str(), all.memory.swap[0].priority), ("/dev/zram0", 5));
}

#[test]
fn disks_hang_on_four_kinds_of_bus() {
    let all = inventory("arm-board");
    let emmc = disk(&all, "mmcblk2");
    assert_eq!((emmc.transport.as_deref(), emmc.bytes), (Some("mmc"), 62_537_072_640));
    assert_eq!((emmc.pci.as_deref(), emmc.removable), (None, false));
    assert_eq!(disk(&all, "mmcblk2p1").mounts[0].point, "/");
    assert!(disk(&all, "mmcblk2boot0").read_only);
    let usb = disk(&all, "sda");
    assert_eq!((usb.transport.as_deref(), usb.pci.as_deref()), (Some("usb"), None));
    assert_eq!((usb.link_bits, usb.rotational), (Some(5_000_000_000), Some(true)));
    assert_eq!(disk(&all, "sda1").mounts[0].point, "/media/backup disk");
    let nvme = disk(&all, "nvme0n1");
    assert_eq!((nvme.transport.as_deref(), nvme.pci.as_deref()), (Some("nvme"), Some("0000:01:00.0")));
    // The chip runs its lanes at the first generation's rate.
    assert_eq!(link(&all, "0000:01:00.0"), (2.5, 4, 8.0, 4));
    assert_eq!(link(&all, "0000:00:00.0"), (2.5, 4, 2.5, 4));
    assert_eq!(disk(&all, "zram0").kind, BlockKind::Zram);
    assert_eq!(disk(&all, "zram1").mounts[0].point, "/var/log");
}

#[test]
fn its_ethernet_is_on_the_chip() {
    let all = inventory("arm-board");
    let port = nic(&all, "end0");
    assert_eq!((port.bus.as_deref(), port.pci.as_deref()), (Some("platform"), None));
    assert_eq!(port.driver.as_deref(), Some("rk_gmac-dwmac"));
    assert_eq!((port.speed_bits, port.rx_queues), (Some(1_000_000_000), Some(1)));
}

#[test]
fn a_zone_and_its_chip_are_one_sensor() {
    let all = inventory("arm-board");
    let warm: Vec<_> = all.sensors.iter().filter(|s| s.value == Some(46.111)).collect();
    assert_eq!(warm.len(), 1, "{warm:?}");
    assert_eq!(warm[0].critical, Some(95.0));
}
