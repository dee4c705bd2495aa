//! Which device it is, asked of open devices.

use std::fs::File;
use std::path::Path;

use machine::storage::device_identity;
use model::identity::DeviceIdentity;

use super::bench::{Disk, run};

const MIB: u64 = 1 << 20;

fn identity(device: impl AsRef<Path>) -> DeviceIdentity {
    device_identity(&File::open(device).unwrap()).unwrap()
}

#[test]
fn a_device_is_the_same_however_often_it_is_asked_and_another_is_not() {
    let (Some(one), Some(other)) = (Disk::new(16 * MIB), Disk::new(16 * MIB)) else { return };
    let own = identity(&one.device);
    assert_eq!(own.bytes, 16 * MIB);
    assert!(own.backing.is_some() && own.start.is_none(), "{own:?}");
    run("mkfs.ext4", ["-q", one.path()]).unwrap();
    assert_eq!(identity(&one.device), own);
    assert_eq!(one.state().identity, own);
    let others = identity(&other.device);
    assert!(others.number != own.number && others.backing != own.backing, "{others:?}");
    // Linux 5.15 and later count.
    assert!(own.sequence.is_none() || others.sequence != own.sequence, "{others:?}");
}

#[test]
fn a_partition_that_was_cut_anew_is_another_device() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    // In sectors; the kernel is told, and needs no partition support for it.
    let cut = |start: &str| {
        let _ = run("delpart", [disk.path(), "1"]);
        run("addpart", [disk.path(), "1", start, "4096"]).unwrap();
        identity(disk.part(1))
    };
    let before = cut("2048");
    assert_eq!((before.start, before.bytes), (Some(2048), 4096 * 512));
    assert_eq!(before.backing, identity(&disk.device).backing);
    // Of the same size at another place. Its number may be another one, too.
    let after = cut("8192");
    assert_eq!((after.start, after.bytes), (Some(8192), before.bytes));
    assert_ne!(DeviceIdentity { number: before.number, ..after }, before);
    let again = cut("2048");
    assert_eq!(DeviceIdentity { number: before.number, ..again }, before);
}

#[test]
fn what_is_no_block_device_has_no_such_identity() {
    let file = tempfile::tempfile().unwrap();
    assert!(device_identity(&file).is_err());
}
