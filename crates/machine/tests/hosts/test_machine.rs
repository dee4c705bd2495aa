//! The machine that tests run on, as it was recorded.

use model::machine::BlockKind;

use super::{disk, inventory, looks, nic};

#[test]
fn it_is_a_small_guest() {
    let all = inventory("test-machine");
    assert_eq!(all.os.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
    assert_eq!(all.system.virtualization.as_deref(), Some("firecracker"));
    assert_eq!((all.cpu.online.as_slice(), all.cpu.cores()), ([0, 1].as_slice(), 2));
    assert_eq!(all.memory.total_bytes, 24_684_084 << 10);
    assert_eq!((all.cgroup.version, all.cgroup.cpu_quota), (Some(1), None));
    assert!(all.sensors.is_empty() && all.memory.modules.is_empty() && all.cpu.frequency.is_none());
    assert!(all.cpu.idle.is_some());
    // What is not there is said to be absent, with a reason.
    assert!(all.absent.iter().any(|a| a.what.contains("memory modules")), "{:?}", all.absent);
}

#[test]
fn its_disk_and_its_card_are_virtio_on_pci() {
    let all = inventory("test-machine");
    let vda = disk(&all, "vda");
    assert_eq!((vda.transport.as_deref(), vda.pci.as_deref()), (Some("virtio"), Some("0000:00:02.0")));
    assert_eq!((vda.bytes, vda.mounts[0].point.as_str()), (256 << 30, "/"));
    let card = nic(&all, "eth0");
    assert_eq!((card.driver.as_deref(), card.bus.as_deref()), (Some("virtio_net"), Some("virtio")));
    assert_eq!((card.pci.as_deref(), card.speed_bits), (Some("0000:00:03.0"), None));
    assert!(all.pci.iter().all(|d| d.link.is_none()));
    // Loop and zram devices that hold nothing are left out.
    assert!(all.block.iter().all(|d| d.kind == BlockKind::Disk), "{:?}", all.block);
}

#[test]
fn the_look_sees_that_it_is_a_guest() {
    let looks = looks("test-machine");
    assert!(looks.iter().any(|(code, ..)| code == "virtual-machine"), "{looks:?}");
}
