//! What devices hold.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use super::bench::{Disk, Undo, attach, run, skip};

const MIB: u64 = 1 << 20;

/// A device of `mib` MiB after `program` was run on it.
fn made(mib: u64, program: &str, arguments: &[&str], expected: &[&str]) {
    let Some(disk) = Disk::new(mib * MIB) else { return };
    if let Err(why) = run(program, arguments.iter().copied().chain([disk.path()])) {
        return skip(&why);
    }
    found(&disk, expected);
}

/// Whether just these signatures are found, and nobody uses the device.
fn found(disk: &Disk, expected: &[&str]) {
    let state = disk.state();
    assert_eq!(state.signatures, expected);
    assert_eq!((state.unknown, state.in_use), (None, vec![]));
}

/// A device with bytes written at some places.
fn written(mib: u64, places: &[(u64, &[u8])], expected: &[&str]) {
    let Some(disk) = Disk::new(mib * MIB) else { return };
    let file = OpenOptions::new().write(true).open(&disk.device).unwrap();
    for (offset, bytes) in places {
        file.write_all_at(bytes, *offset).unwrap();
    }
    drop(file);
    found(&disk, expected);
}

#[test]
fn an_empty_device_holds_nothing() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let state = disk.state();
    assert_eq!((state.bytes, state.logical_block, state.read_only), (64 * MIB, 512, false));
    assert_eq!(state.path, disk.path());
    assert!(state.rotational.is_some() && state.discard_max > 0, "{state:?}");
    found(&disk, &[]);
}

#[test]
fn file_systems_are_found() {
    made(64, "mkfs.ext4", &["-q"], &["ext4"]);
    made(64, "mkfs.ext4", &["-q", "-t", "ext2"], &["ext2"]);
    made(64, "mkfs.vfat", &[], &["vfat"]);
    made(400, "mkfs.xfs", &["-q"], &["xfs"]);
    made(128, "mkfs.btrfs", &["-q"], &["btrfs"]);
}

#[test]
fn swap_is_found() {
    made(64, "mkswap", &[], &["swap"]);
}

#[test]
fn encrypted_devices_are_found() {
    let fast =
        ["--batch-mode", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "/dev/zero"];
    let with = |more: &[&'static str]| [&["luksFormat"], &fast[..], &["--keyfile-size", "32"], more].concat();
    made(64, "cryptsetup", &with(&["--type", "luks2"]), &["crypto_LUKS"]);
    made(64, "cryptsetup", &with(&["--type", "luks1"]), &["crypto_LUKS"]);
}

#[test]
fn a_member_of_lvm_is_found() {
    made(64, "pvcreate", &["--quiet", "--yes"], &["LVM2_member"]);
}

#[test]
fn tables_of_partitions_are_found_with_what_the_partitions_hold() {
    for label in ["gpt", "dos"] {
        let Some(disk) = Disk::new(64 * MIB) else { return };
        disk.divide(label);
        found(&disk, &[label]);
        run("mkfs.ext4", ["-q", &disk.part(1)]).unwrap();
        run("mkswap", [disk.part(2)]).unwrap();
        let on = |kind: &str, number| format!("{kind} on {}", disk.part(number));
        found(&disk, &[label, &on("ext4", 1), &on("swap", 2)]);
        let part = super::bench::state(disk.part(2));
        assert_eq!((part.signatures, part.in_use, part.unknown), (vec!["swap".to_owned()], vec![], None));
        assert_eq!(part.discard_max, disk.state().discard_max);
    }
}

#[test]
fn all_signatures_are_told_not_only_the_last() {
    let Some(disk) = Disk::new(128 * MIB) else { return };
    run("mkswap", [disk.path()]).unwrap();
    let file = OpenOptions::new().read(true).write(true).open(&disk.device).unwrap();
    let mut header = [0; 4096];
    file.read_exact_at(&mut header, 0).unwrap();
    run("mkfs.btrfs", ["-q", "-f", disk.path()]).unwrap();
    file.write_all_at(&header, 0).unwrap();
    drop(file);
    let mut found = disk.state().signatures;
    found.sort();
    assert_eq!(found, ["btrfs", "swap"]);
}

/// A member of an array with metadata `1.x` (`struct mdp_superblock_1` of
/// `include/uapi/linux/raid/md_p.h`), at this sector.
fn array_member(sector: u64) -> Vec<u8> {
    let mut block = vec![0; 256];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &0xa92b_4efc_u32.to_le_bytes());
    put(4, &1u32.to_le_bytes());
    put(16, b"0123456789abcdef");
    put(72, &1u32.to_le_bytes());
    put(92, &2u32.to_le_bytes());
    put(144, &sector.to_le_bytes());
    let words = block.chunks_exact(4).map(|w| u64::from(u32::from_le_bytes(w.try_into().unwrap())));
    let sum: u64 = words.sum();
    let folded = (sum & 0xffff_ffff) + (sum >> 32);
    block[216..220].copy_from_slice(&(folded as u32).to_le_bytes());
    block
}

#[test]
fn members_of_arrays_are_found() {
    written(64, &[(4096, &array_member(8))], &["linux_raid_member"]);
    written(64, &[(0, &array_member(0))], &["linux_raid_member"]);
    let at = 64 * MIB / 512 - 16;
    written(64, &[(at * 512, &array_member(at))], &["linux_raid_member"]);
}

/// SNIA's DDF, 4.1: an anchor header in the last sector that says where the
/// primary one is.
#[test]
fn members_of_hardware_arrays_are_found() {
    let mut header = vec![0; 512];
    header[..4].copy_from_slice(&[0xde, 0x11, 0xde, 0x11]);
    header[32..40].copy_from_slice(b"01.02.00");
    let primary = 64 * MIB / 512 - 64;
    header[96..104].copy_from_slice(&primary.to_be_bytes());
    let places: [(u64, &[u8]); 2] = [(64 * MIB - 512, &header), (primary * 512, &header)];
    written(64, &places, &["ddf_raid_member"]);
}

/// ZFS On-Disk Specification, 1.3: an uberblock each KiB from 128 KiB on.
#[test]
fn members_of_zfs_are_found() {
    let magic = 0x00ba_b10c_u64.to_le_bytes();
    let places: Vec<(u64, &[u8])> = (0..8).map(|n| (128 * 1024 + n * 1024, &magic[..])).collect();
    written(64, &places, &["zfs_member"]);
}

/// ECMA-119, 8.4: the primary volume descriptor in sector 16.
#[test]
fn optical_images_are_found() {
    written(64, &[(32768, b"\x01CD001\x01")], &["iso9660"]);
}

/// `struct cache_sb_disk` of `fs/bcache`'s `bcache_ondisk.h`, with the checksum
/// that libblkid verifies: CRC-64 of ECMA-182, all ones first and last.
#[test]
fn members_of_bcache_are_found() {
    let mut block = vec![0; 208];
    block[8..16].copy_from_slice(&8u64.to_le_bytes());
    block[16..24].copy_from_slice(&1u64.to_le_bytes());
    block[24..40].copy_from_slice(b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81");
    let mut sum = !0u64;
    for byte in &block[8..] {
        sum ^= u64::from(*byte) << 56;
        for _ in 0..8 {
            sum = if sum >> 63 == 1 { sum << 1 ^ 0x42f0_e1eb_a9ea_3693 } else { sum << 1 };
        }
    }
    block[..8].copy_from_slice(&(!sum).to_le_bytes());
    written(64, &[(4096, &block)], &["bcache"]);
}

/// Bug: `wipefs` takes a device that answers with errors for empty.
#[test]
fn a_device_that_cannot_be_read_is_not_empty() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    run("mkfs.ext4", ["-q", disk.path()]).unwrap();
    run("blockdev", ["--flushbufs", disk.path()]).unwrap();
    OpenOptions::new().write(true).open(&disk.file).unwrap().set_len(4096).unwrap();
    let state = disk.state();
    assert!(state.unknown.as_ref().is_some_and(|why| why.contains("cannot be read")), "{state:?}");
}

#[test]
fn what_is_no_device_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), "/dev/null".into(), folder.path().join("missing")] {
        assert!(machine::storage::device_state(&path).is_err(), "{path:?}");
    }
}

#[test]
fn a_read_only_device_is_told_as_such() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let other = attach(&disk.file, &["--read-only"]).unwrap();
    let _undo = Undo("losetup", vec!["--detach".to_owned(), other.display().to_string()]);
    assert!(super::bench::state(&other).read_only);
    assert!(!disk.state().read_only);
}
