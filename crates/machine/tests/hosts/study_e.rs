//! Eight disks on a cheap SATA card as RAID 6, LUKS, LVM and XFS.

use machine::limit;
use model::machine::BlockKind;

use super::{disk, inventory, link, looks, nic};

const MEMBERS: [&str; 8] = ["sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh", "sdi"];

#[test]
fn the_processor_is_old_and_has_no_aes() {
    let cpu = inventory("study-e").cpu;
    assert_eq!((cpu.packages(), cpu.cores(), cpu.threads_per_core()), (1, 4, 2));
    assert!(
        cpu.flags.iter().any(|f| f == "sse4_2") && !cpu.flags.iter().any(|f| f == "aes"),
        "{:?}",
        cpu.flags
    );
    let frequency = cpu.frequency.unwrap();
    assert_eq!(frequency.driver.as_deref(), Some("acpi-cpufreq"));
    assert_eq!(
        (frequency.governors.as_slice(), frequency.boost),
        (["ondemand".to_owned()].as_slice(), Some(true))
    );
    // 2.668 GHz is how ACPI's tables ask for turbo, not how fast it is.
    assert_eq!((frequency.base_hz, frequency.min_hz), (Some(2_667_000_000), Some(1_200_000_000)));
    assert_eq!((frequency.max_hz, frequency.hardware_max_hz), (None, None));
    assert!(frequency.policies.is_empty(), "all are alike: {:?}", frequency.policies);
    assert!(cpu.mitigations["mds"].starts_with("Vulnerable"));
}

#[test]
fn four_modules_do_not_say_what_they_run_at() {
    let memory = inventory("study-e").memory;
    assert_eq!((memory.slots, memory.modules.len()), (Some(4), 4));
    for module in &memory.modules {
        assert_eq!((module.kind.as_deref(), module.bytes), (Some("DDR3"), 4 << 30));
        assert_eq!((module.speed_transfers, module.configured_transfers), (Some(1_333_000_000), None));
    }
}

#[test]
fn the_card_has_two_lanes_in_a_slot_of_eight() {
    let all = inventory("study-e");
    // The slot, the switch's way up, its ways down, the controllers.
    assert_eq!(link(&all, "0000:00:03.0"), (5.0, 2, 5.0, 8));
    assert_eq!(link(&all, "0000:01:00.0"), (5.0, 2, 5.0, 2));
    let switch = all.pci_device("0000:01:00.0").unwrap();
    assert_eq!((switch.vendor, switch.device, switch.is_bridge()), (0x1b21, 0x1806, true));
    assert_eq!(switch.link.unwrap().max_payload, Some(128));
    for (down, controller) in ["00", "02", "06", "0e"].iter().zip(["03", "04", "05", "06"]) {
        let down = format!("0000:02:{down}.0");
        assert_eq!(link(&all, &down), (5.0, 1, 5.0, 1));
        assert_eq!(all.pci_device(&down).unwrap().parent.as_deref(), Some("0000:01:00.0"));
        let controller = all.pci_device(&format!("0000:{controller}:00.0")).unwrap();
        assert_eq!((controller.vendor, controller.device), (0x1b21, 0x0612));
        assert_eq!(controller.parent.as_deref(), Some(down.as_str()));
    }
    // What one end cannot do is no fault of the link.
    let looks = looks("study-e");
    assert!(!looks.iter().any(|(code, ..)| code == "pcie-link"), "{looks:?}");
}

#[test]
fn eight_disks_hang_on_four_controllers() {
    let all = inventory("study-e");
    for (k, name) in MEMBERS.iter().enumerate() {
        let member = disk(&all, name);
        assert_eq!((member.bytes, member.rotational), (1_000_204_886_016, Some(true)), "{name}");
        assert!(member.model.as_deref().unwrap().starts_with("ST1000DM010-2EP1"), "{member:?}");
        assert_eq!((member.transport.as_deref(), member.link_bits), (Some("sata"), Some(6_000_000_000)));
        assert_eq!(member.link_max_bits, Some(6_000_000_000));
        assert_eq!(member.pci, Some(format!("0000:{:02x}:00.0", 3 + k / 2)), "{name}");
        assert_eq!((member.logical_sector, member.physical_sector), (Some(512), Some(4096)));
        assert_eq!(member.content.as_deref(), Some("linux_raid_member"));
    }
    let boot = disk(&all, "sda");
    assert_eq!((boot.link_bits, boot.pci.as_deref()), (Some(3_000_000_000), Some("0000:00:1f.2")));
}

/// The study's first tables: eight disks written at once, as eight targets.
#[test]
fn eight_targets_pass_the_card_together() {
    let inventory = inventory("study-e");
    let targets = MEMBERS.map(Some);
    let steps = limit::to_block_devices(&inventory, &targets, limit::WriteShare { written: 1.0 }, &|_| None);
    let share =
        |resource: &str| steps.iter().find(|s| s.resource.as_str() == resource).unwrap().amplification;
    for name in MEMBERS {
        assert_eq!((share(&format!("block:{name}")), share(&format!("sata:{name}"))), (0.125, 0.125));
    }
    assert_eq!(share("pci:0000:03:00.0"), 0.25, "two of them");
    assert_eq!(share("pci:0000:01:00.0"), 1.0, "all of them");
    let card = limit::of(&inventory).into_iter().find(|l| l.resource.as_str() == "pci:0000:01:00.0").unwrap();
    // 800 to 865 MB/s together is what the study measured, in whole megabytes.
    let bound = card.effective.unwrap();
    assert!((bound / 1e6).round() >= 865.0 && 865e6 > 0.95 * bound, "{bound}");
}

#[test]
fn the_stack_is_raid_6_then_luks_then_lvm_then_xfs() {
    let all = inventory("study-e");
    let array = disk(&all, "md0");
    assert_eq!((array.kind, array.below.as_slice()), (BlockKind::Md, MEMBERS.map(str::to_owned).as_slice()));
    let built = array.array.as_ref().unwrap();
    assert_eq!((built.level.as_str(), built.members, built.degraded), ("raid6", 8, 0));
    assert_eq!((built.chunk_bytes, built.state.as_deref()), (Some(524_288), Some("clean")));
    assert_eq!((&built.action, built.progress), (&None, None));
    assert_eq!(array.content.as_deref(), Some("crypto_LUKS"));
    let crypt = disk(&all, "dm-0");
    assert_eq!((crypt.kind, crypt.below.as_slice()), (BlockKind::Dm, ["md0".to_owned()].as_slice()));
    assert_eq!(crypt.mapping.as_ref().unwrap().kind.as_deref(), Some("CRYPT-LUKS2"));
    let volume = disk(&all, "dm-1");
    assert_eq!(volume.below, ["dm-0"]);
    let mapping = volume.mapping.as_ref().unwrap();
    assert_eq!((mapping.name.as_str(), mapping.kind.as_deref()), ("vgbackup-backup", Some("LVM")));
    assert_eq!(volume.content.as_deref(), Some("xfs"));
    assert_eq!((volume.mounts[0].point.as_str(), volume.mounts[0].kind.as_str()), ("/srv/backup", "xfs"));
    // A LUKS2 header is 16 MiB; LVM takes one and keeps whole extents of 4 MiB.
    assert_eq!(array.bytes - crypt.bytes, 16 << 20);
    assert!(crypt.bytes - volume.bytes >= 1 << 20 && volume.bytes.is_multiple_of(4 << 20));
}

#[test]
fn the_ten_gigabit_card_would_be_faster_in_another_slot() {
    let all = inventory("study-e");
    assert_eq!(link(&all, "0000:07:00.0"), (5.0, 4, 8.0, 4));
    let card = nic(&all, "enp7s0");
    assert_eq!((card.driver.as_deref(), card.speed_bits), (Some("atlantic"), Some(10_000_000_000)));
    assert_eq!((card.mtu, card.max_mtu), (9000, Some(16_334)));
    assert_eq!(nic(&all, "enp8s0").driver.as_deref(), Some("e1000e"));
}
