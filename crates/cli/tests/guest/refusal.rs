//! Devices that are in use in ways that our machines' kernels do not know:
//! nobody may write to them, whatever is given up, and nothing on them changes.

use std::path::Path;

use crate::common::{StoryFolder, stderr};
use crate::test_bed::{RAM_DISK_SECTORS, TestBed, does, says};

/// What is at the start of a device, past the page cache.
fn start_of(device: &str) -> Vec<u8> {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let copy = folder.path().join("start");
    let (from, to) = (format!("if={device}"), format!("of={}", copy.display()));
    does(&["dd", &from, &to, "iflag=direct", "bs=1M", "count=2", "status=none"]);
    std::fs::read(copy).unwrap()
}

/// A short run that would write at the start of the device: a sequential load
/// begins anywhere in its span.
fn write(device: &str, more: &[&str]) -> std::process::Output {
    let words = ["run", "disk", "--target", device, "--pattern", "write", "--duration", "200ms"];
    let short = ["--span", "1MiB", "--trials", "1", "--warm-up", "10ms"];
    StoryFolder::new().run(&[&words[..], &short, more].concat())
}

/// With all given up that could be, the device is refused, with these words.
fn is_refused(device: &str, wipe: &[&str], why: &[&str]) {
    let before = start_of(device);
    let wipe: Vec<&str> = wipe.iter().flat_map(|kind| ["--wipe", kind]).collect();
    let output = write(device, &[&["--destroy", device][..], &wipe].concat());
    assert_eq!(output.status.code(), Some(3), "{device}: {}", stderr(&output));
    for word in why {
        assert!(says(&output, word), "{device}: {word} is not in {}", stderr(&output));
    }
    assert!(start_of(device) == before, "{device} was written to");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_member_of_an_array_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    bed.mirror("/dev/ram0", "/dev/ram1");
    is_refused("/dev/ram0", &["linux_raid_member"], &["/dev/ram0", "/dev/md0", "array"]);
    // Nothing is left for the file system to write by itself.
    let now = "lazy_itable_init=0,lazy_journal_init=0";
    let point = bed.mounted(&["mkfs.ext4", "-q", "-E", now], "/dev/md0", "defaults");
    does(&["sync"]);
    is_refused("/dev/md0", &["ext4"], &["/dev/md0", point.to_str().unwrap()]);
    is_refused("/dev/ram1", &["linux_raid_member"], &["/dev/md0", point.to_str().unwrap()]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_array_that_is_stopped_is_given_up_by_its_type() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    bed.mirror("/dev/ram0", "/dev/ram1");
    does(&["mdadm", "--stop", "/dev/md0"]);
    is_refused("/dev/ram0", &[], &["linux_raid_member", "--wipe linux_raid_member"]);
    let before = start_of("/dev/ram0");
    let output = write("/dev/ram0", &["--destroy", "/dev/ram0", "--wipe", "linux_raid_member"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(start_of("/dev/ram0") != before, "nothing was written");
    // The story's end stops it once more.
    does(&["mdadm", "--assemble", "--run", "/dev/md0", "/dev/ram1"]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_opened_luks_device_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let key = Path::new("/dev/shm/key");
    std::fs::write(key, "of this story").unwrap();
    let key = ["--key-file", key.to_str().unwrap()];
    let quick = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    does(&[&["cryptsetup", "luksFormat", "-q"][..], &quick, &key, &["/dev/ram0"]].concat());
    is_refused("/dev/ram0", &[], &["crypto_LUKS", "--wipe crypto_LUKS"]);
    let open = [&["cryptsetup", "open"][..], &key, &["/dev/ram0", "secret"]].concat();
    bed.build(&open, &["cryptsetup", "close", "secret"]);
    is_refused("/dev/ram0", &["crypto_LUKS"], &["/dev/ram0", "LUKS", "/dev/mapper/secret"]);
    does(&["mkswap", "/dev/mapper/secret"]);
    bed.build(&["swapon", "/dev/mapper/secret"], &["swapoff", "/dev/mapper/secret"]);
    is_refused("/dev/mapper/secret", &["swap"], &["/dev/mapper/secret", "in use as swap"]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_physical_volume_of_lvm_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    does(&["pvcreate", "-q", "/dev/ram0", "/dev/ram1"]);
    bed.build(&["vgcreate", "-q", "pool", "/dev/ram0", "/dev/ram1"], &["vgremove", "-q", "-f", "pool"]);
    is_refused("/dev/ram0", &[], &["LVM2_member", "--wipe LVM2_member"]);
    does(&["lvcreate", "-q", "-y", "-n", "data", "-L", "64M", "pool", "/dev/ram0"]);
    is_refused("/dev/ram0", &["LVM2_member"], &["/dev/ram0", "LVM volume /dev/mapper/pool-data"]);
    let point = bed.mounted(&["mkfs.ext4", "-q"], "/dev/pool/data", "defaults");
    is_refused("/dev/pool/data", &["ext4"], &["/dev/pool/data", point.to_str().unwrap()]);
    is_refused("/dev/ram0", &["LVM2_member"], &["/dev/mapper/pool-data", point.to_str().unwrap()]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_with_a_mounted_partition_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    does(&["sh", "-c", "printf 'label: gpt\\nsize=200MiB\\n\\n' | sfdisk -q /dev/ram0"]);
    // Nothing is left for the file system to write by itself.
    let made = ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
    let point = bed.mounted(&made, "/dev/ram0p1", "noinit_itable,noatime");
    does(&["sync"]);
    let point = point.to_str().unwrap();
    is_refused("/dev/ram0", &["gpt", "PMBR", "ext4"], &["/dev/ram0p1 is mounted at", point]);
    is_refused("/dev/ram0p1", &["ext4"], &["/dev/ram0p1 is mounted at", point]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_the_device_mapper_stands_on_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let upper = bed.mapped("upper", &format!("0 {RAM_DISK_SECTORS} linear /dev/ram0 0"));
    is_refused("/dev/ram0", &[], &["/dev/ram0 is part of", &upper]);
    // A device that answers nobody is not asked; this would wait for ever.
    bed.build(&["dmsetup", "suspend", "upper"], &["dmsetup", "resume", "upper"]);
    let output = write(&upper, &["--destroy", &upper]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(says(&output, "is suspended"), "{}", stderr(&output));
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_device_given_out_over_a_network_is_not_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    bed.module("nvmet", &[]);
    let root = "/sys/kernel/config/nvmet/subsystems/nqn.story";
    let space = format!("{root}/namespaces/1");
    bed.build(&["mkdir", root], &["rmdir", root]);
    bed.build(&["mkdir", &space], &["rmdir", &space]);
    std::fs::write(format!("{space}/device_path"), "/dev/ram0").unwrap();
    let enable = |value: &str| format!("echo {value} > {space}/enable");
    bed.build(&["sh", "-c", &enable("1")], &["sh", "-c", &enable("0")]);
    is_refused("/dev/ram0", &[], &["/dev/ram0", "nqn.story", "NVMe"]);

    bed.module("target_core_iblock", &[]);
    let adapter = "/sys/kernel/config/target/core/iblock_0";
    let store = format!("{adapter}/story");
    bed.build(&["mkdir", adapter], &["rmdir", adapter]);
    bed.build(&["mkdir", &store], &["rmdir", &store]);
    std::fs::write(format!("{store}/control"), "udev_path=/dev/ram1").unwrap();
    std::fs::write(format!("{store}/enable"), "1").unwrap();
    is_refused("/dev/ram1", &[], &["/dev/ram1", "SCSI target", "iblock_0/story"]);
}
