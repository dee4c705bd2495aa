//! A cloud machine, seen from a container in it.

use super::{disk, inventory, looks, nic};

#[test]
fn it_is_a_guest_and_we_are_in_a_container() {
    let all = inventory("cloud-vm");
    assert_eq!(all.system.vendor.as_deref(), Some("Amazon EC2"));
    assert_eq!(all.system.product.as_deref(), Some("t3a.xlarge"));
    let hypervisor = all.system.virtualization.as_deref().unwrap();
    assert!(["kvm", "amazon", "ec2", "nitro"].iter().any(|w| hypervisor.contains(w)), "{hypervisor}");
    assert_eq!(all.system.container.as_deref(), Some("docker"));
    assert_eq!(all.system.clock_source.as_deref(), Some("kvm-clock"));
    assert_eq!((all.cpu.cores(), all.cpu.threads_per_core()), (2, 2));
    assert_eq!(all.cpu.vendor.as_deref(), Some("AuthenticAMD"));
    assert!(all.cpu.frequency.is_none(), "{:?}", all.cpu.frequency);
    assert!(all.sensors.is_empty() && all.memory.modules.is_empty());
}

#[test]
fn the_container_has_two_cpus_and_a_throttled_disk() {
    let all = inventory("cloud-vm");
    assert_eq!((all.cgroup.version, all.cgroup.cpu_quota), (Some(2), Some(2.0)));
    assert_eq!(all.cgroup.memory_bytes, Some(8 << 30));
    assert_eq!(all.memory.limit_bytes, Some(8 << 30));
    assert_eq!(all.memory.available_bytes, (8 << 30) - 412_033_024);
    assert_eq!(all.cgroup.io.len(), 1);
    let throttle = &all.cgroup.io[0];
    assert_eq!((throttle.device.as_str(), throttle.write_bytes), ("nvme0n1", Some(50 << 20)));
    assert_eq!((throttle.read_bytes, throttle.write_operations), (None, None));
}

#[test]
fn the_volume_is_nvme_without_a_link_and_the_card_has_no_speed() {
    let all = inventory("cloud-vm");
    let volume = disk(&all, "nvme0n1");
    assert_eq!(volume.model.as_deref(), Some("Amazon Elastic Block Store"));
    assert_eq!((volume.bytes, volume.transport.as_deref()), (100 << 30, Some("nvme")));
    assert_eq!((volume.pci.as_deref(), volume.hardware_queues), (Some("0000:00:04.0"), Some(2)));
    let lanes = all.pci_device("0000:00:04.0").unwrap().link.and_then(|l| l.lanes.or(l.max_lanes));
    assert_eq!(lanes, None);
    let points: Vec<_> = disk(&all, "nvme0n1p1").mounts.iter().map(|m| m.point.as_str()).collect();
    assert!(points.contains(&"/data"), "{points:?}");
    let card = nic(&all, "ens5");
    assert_eq!((card.driver.as_deref(), card.driver_version.as_deref()), (Some("ena"), Some("2.10.0g")));
    assert_eq!((card.speed_bits, card.mtu, card.max_mtu), (None, 9001, Some(9216)));
    assert_eq!(nic(&all, "docker0").kind, "bridge");
}

#[test]
fn the_look_sees_guest_quota_and_stolen_time() {
    let looks = looks("cloud-vm");
    for code in ["virtual-machine", "cpu-quota", "steal"] {
        assert!(looks.iter().any(|(c, ..)| c == code), "{code}: {looks:?}");
    }
}
