//! One SATA SSD behind a 10 GbE card.

use model::Severity;
use model::machine::{BlockKind, SensorKind};

use super::{disk, has, inventory, link, looks, nic};

#[test]
fn the_processor_has_four_cores_without_smt() {
    let cpu = inventory("study-a").cpu;
    assert_eq!((cpu.packages(), cpu.cores(), cpu.threads_per_core()), (1, 4, 1));
    assert_eq!(cpu.model.as_deref(), Some("Intel(R) Xeon(R) CPU E3-1220 v6 @ 3.00GHz"));
    assert_eq!(cpu.microcode.as_deref(), Some("0xb4"));
    assert_eq!(cpu.caches.last().map(|c| (c.level, c.bytes, c.shared_by.len())), Some((3, 8 << 20, 4)));
    let frequency = cpu.frequency.unwrap();
    assert_eq!(frequency.driver.as_deref(), Some("intel_pstate"));
    assert_eq!(frequency.governors, ["powersave"]);
    assert_eq!(frequency.preferences, ["balance_performance"]);
    assert_eq!((frequency.min_hz, frequency.max_hz), (Some(800_000_000), Some(3_500_000_000)));
    assert_eq!((frequency.boost, frequency.base_hz), (Some(true), None));
    let idle = cpu.idle.unwrap();
    assert_eq!((idle.driver.as_deref(), idle.governor.as_deref()), (Some("intel_idle"), Some("menu")));
    let names: Vec<_> = idle.states.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["POLL", "C1", "C1E", "C3", "C6", "C7s", "C8"]);
    assert!((idle.states[6].exit_latency_s - 200e-6).abs() < 1e-12);
    assert_eq!(cpu.mitigations["meltdown"], "Mitigation: PTI");
    assert!(cpu.flags.iter().any(|f| f == "aes"));
}

#[test]
fn two_of_four_slots_hold_sixteen_gigabytes_each() {
    let memory = inventory("study-a").memory;
    assert_eq!((memory.slots, memory.modules.len()), (Some(4), 2));
    for module in &memory.modules {
        assert_eq!((module.bytes, module.kind.as_deref()), (16 << 30, Some("DDR4")));
        assert_eq!((module.configured_transfers, module.ecc), (Some(2_400_000_000), Some(true)));
    }
    assert_eq!(memory.swap.len(), 1);
    assert_eq!((memory.swap[0].path.as_str(), memory.swap[0].priority), ("/dev/sda3", -2));
    assert_eq!(memory.transparent_huge_pages.as_deref(), Some("madvise"));
    assert_eq!(memory.limit_bytes, None);
}

#[test]
fn the_system_is_told_without_what_identifies_it() {
    let all = inventory("study-a");
    assert_eq!(all.architecture, "x86_64");
    assert_eq!(all.os.as_deref(), Some("Ubuntu 18.04.2 LTS"));
    assert_eq!(all.system.vendor.as_deref(), Some("Supermicro"));
    assert!(all.system.board.as_deref().unwrap().contains("X11SSL-F"));
    assert_eq!((&all.system.virtualization, &all.system.container), (&None, &None));
    assert_eq!(all.system.clock_source.as_deref(), Some("tsc"));
    assert_eq!((all.cgroup.version, all.cgroup.cpu_quota), (Some(1), None));
}

#[test]
fn the_ssd_is_at_6_gbps_on_the_chipset() {
    let all = inventory("study-a");
    let ssd = disk(&all, "sda");
    assert_eq!((ssd.kind, ssd.bytes), (BlockKind::Disk, 256_060_514_304));
    assert!(ssd.model.as_deref().unwrap().starts_with("Samsung SSD 860"), "{ssd:?}");
    assert_eq!(ssd.transport.as_deref(), Some("sata"));
    assert_eq!((ssd.link_bits, ssd.link_max_bits), (Some(6_000_000_000), None));
    assert_eq!(ssd.pci.as_deref(), Some("0000:00:17.0"));
    assert_eq!((ssd.rotational, ssd.discards), (Some(false), Some(true)));
    assert_eq!(ssd.write_cache.as_deref(), Some("write back"));
    assert_eq!(ssd.scheduler.as_deref(), Some("cfq"));
    assert_eq!(ssd.device_queue_depth, Some(31));
    let root = disk(&all, "sda2");
    assert_eq!(
        (root.content.as_deref(), root.below.as_slice()),
        (Some("ext4"), ["sda".to_owned()].as_slice())
    );
    assert_eq!((root.mounts[0].point.as_str(), root.mounts[0].kind.as_str()), ("/", "ext4"));
    assert_eq!(disk(&all, "sda3").content.as_deref(), Some("swap"));
    // Seven of eight loop devices hold nothing.
    let loops: Vec<_> = all.block.iter().filter(|d| d.kind == BlockKind::Loop).collect();
    assert_eq!(loops.len(), 1);
    assert_eq!(loops[0].backing_file.as_deref(), Some("/var/lib/snapd/snaps/core_7270.snap"));
    let ahci = all.pci_device("0000:00:17.0").unwrap();
    assert_eq!((ahci.vendor, ahci.device, ahci.link), (0x8086, 0xa102, None));
    assert!(all.pci.iter().any(|d| (d.vendor, d.device) == (0x8086, 0xa14a)), "no C232");
}

#[test]
fn the_card_has_eight_lanes_of_its_second_generation() {
    let all = inventory("study-a");
    assert_eq!(link(&all, "0000:01:00.0"), (5.0, 8, 5.0, 8));
    assert_eq!(link(&all, "0000:00:01.0"), (5.0, 8, 8.0, 8));
    let card = all.pci_device("0000:01:00.0").unwrap();
    assert_eq!(card.parent.as_deref(), Some("0000:00:01.0"));
    assert_eq!(card.link.unwrap().max_payload, Some(256));
    assert_eq!(card.device_name.as_deref(), Some("82599ES 10-Gigabit SFI/SFP+ Network Connection"));
    let port = nic(&all, "enp1s0f0");
    assert_eq!(port.pci.as_deref(), Some("0000:01:00.0"));
    assert_eq!((port.driver.as_deref(), port.kind.as_str()), (Some("ixgbe"), "ethernet"));
    assert_eq!((port.speed_bits, port.max_speed_bits), (Some(10_000_000_000), Some(10_000_000_000)));
    assert_eq!((port.duplex.as_deref(), port.mtu, port.max_mtu), (Some("full"), 1500, Some(9710)));
    assert_eq!((port.rx_queues, port.tx_queues), (Some(4), Some(4)));
    assert_eq!((port.rx_ring, port.qdisc.as_deref()), (Some((512, 4096)), Some("mq")));
    let other = nic(&all, "enp1s0f1");
    assert_eq!((other.state.as_str(), other.carrier, other.speed_bits), ("down", None, None));
}

#[test]
fn the_sensors_tell_each_core() {
    let all = inventory("study-a");
    let find = |label: &str| all.sensors.iter().find(|s| s.chip == "coretemp" && s.label == label).unwrap();
    let package = find("Package id 0");
    assert_eq!((package.kind, package.value), (SensorKind::Temperature, Some(36.0)));
    assert_eq!((package.max, package.critical), (Some(80.0), Some(100.0)));
    assert_eq!(find("Core 2").value, Some(36.0));
    // A zone also shows itself as a chip, in this kernel below no zone.
    assert_eq!(all.sensors.iter().filter(|s| s.chip == "acpitz").count(), 2);
    assert_eq!(all.sensors.iter().filter(|s| s.chip == "pch_skylake").count(), 1);
}

#[test]
fn the_look_sees_the_governor_and_no_bad_link() {
    let looks = looks("study-a");
    assert!(looks.iter().any(|(code, ..)| code == "governor"), "{looks:?}");
    for code in ["pcie-link", "sata-link", "nic-link", "full-file-system", "virtual-machine"] {
        assert!(!looks.iter().any(|(c, ..)| c == code), "{code}: {looks:?}");
    }
    assert!(!has(&looks, "steal", Severity::Warning, "cpu"));
}
