//! Devices that lie: they say that a write is done and drop it, or they give
//! back other bytes than were written. Checksums find out.

use crate::common::{StoryFolder, trials};
use crate::test_bed::{RAM_DISK_SECTORS, TestBed};

/// dm-flakey that is never up: it does what the features say, always
/// (`Documentation/admin-guide/device-mapper/dm-flakey.rst`).
fn flakey(bed: &mut TestBed, features: &str) -> String {
    bed.mapped("liar", &format!("0 {RAM_DISK_SECTORS} flakey /dev/ram0 0 0 1 {features}"))
}

/// The reason with which a run fails that writes this device and reads it back.
fn found(device: &str) -> String {
    let words = ["run", "disk", "--target", device, "--destroy", device, "--pattern", "write"];
    let more = ["--verify", "crc32c", "--span", "4MiB", "--bytes", "4MiB", "--trials", "1"];
    let (code, document) = StoryFolder::new().document(&[&words[..], &more].concat());
    let trial = trials(&document)[0];
    assert_eq!((code, trial["status"].as_str()), (1, Some("failed")), "{trial}");
    trial["reason"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn dropped_writes_are_found_as_lost() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let device = flakey(&mut bed, "1 drop_writes");
    let reason = found(&device);
    assert!(reason.contains("verification failed: 1,024 of 1,024 blocks"), "{reason}");
    assert!(reason.contains("(1,024 lost): lost at 0,"), "{reason}");
}

/// Writes arrive in the first 514 KiB only: 128 blocks, and half of another.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_block_of_which_half_arrived_is_found_as_torn() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let (sound, rest) = (128 * 8 + 4, RAM_DISK_SECTORS - 128 * 8 - 4);
    let table = format!("0 {rest} flakey /dev/ram0 {sound} 0 1 1 drop_writes");
    let liar = bed.mapped("liar", &table);
    let device =
        bed.joined("half", &format!("0 {sound} linear /dev/ram0 0\n{sound} {rest} linear {liar} 0\n"));
    let reason = found(&device);
    assert!(reason.contains("verification failed: 896 of 1,024 blocks"), "{reason}");
    assert!(reason.contains("(895 lost, 1 torn): torn at 524288, lost at 528384,"), "{reason}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_byte_that_was_changed_is_found_as_corrupted() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    // The 2000th byte of whatever is read is another, but where it was 85.
    let device = flakey(&mut bed, "5 corrupt_bio_byte 2000 r 85 0");
    let reason = found(&device);
    assert!(
        reason.contains("verification failed") && reason.contains(" corrupted): corrupted at "),
        "{reason}"
    );
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_honest_device_is_not_accused() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let device = bed.mapped("honest", &format!("0 {RAM_DISK_SECTORS} linear /dev/ram0 0"));
    let words = ["run", "disk", "--target", &device, "--destroy", &device, "--pattern", "write"];
    let more = ["--verify", "crc32c", "--span", "4MiB", "--bytes", "4MiB", "--trials", "1"];
    let (code, document) = StoryFolder::new().document(&[&words[..], &more].concat());
    let trial = trials(&document)[0];
    assert_eq!((code, trial["status"].as_str()), (0, Some("ok")), "{trial}");
    assert!(trial["loads"][0]["facts"]["verified_blocks"].as_u64().unwrap() > 0, "{trial}");
}
