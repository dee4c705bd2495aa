//! No space: by a quota, on the file system, at the end of a device.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, stderr, trials};
use crate::test_bed::{RAM_DISK_BYTES, TestBed, does};

/// Bytes in use on the file system of a folder.
fn used(folder: &Path) -> u64 {
    let output = does(&["df", "--output=used", "-B1", folder.to_str().unwrap()]);
    output.lines().last().unwrap().trim().parse().unwrap()
}

/// Quotas do not bind root, so the run is somebody else's.
fn as_nobody(command: &Command) -> Command {
    let mut other = Command::new("setpriv");
    other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]);
    other.arg(command.get_program()).args(command.get_args());
    other.current_dir(command.get_current_dir().unwrap());
    other.env("NO_COLOR", "1").env("HOME", command.get_current_dir().unwrap());
    other
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_quota_fails_the_case_that_exceeds_it() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let folder = bed.mounted(&["mkfs.xfs", "-q"], "/dev/ram0", "uquota");
    let limit = ["xfs_quota", "-x", "-c", "limit -u bhard=24m 65534"];
    does(&[&limit[..], &[folder.to_str().unwrap()]].concat());
    let before = used(&folder);
    let place = StoryFolder::new();
    does(&["chown", "65534:65534", place.path().to_str().unwrap()]);
    let target = ["run", "disk", "--target", folder.to_str().unwrap(), "--size", "8MiB,64MiB"];
    let short = ["--duration", "200ms", "--trials", "1", "--warm-up", "10ms", "--json"];
    let output = as_nobody(&place.command(&[&target[..], &short].concat())).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let statuses: Vec<_> = trials(&document).iter().map(|trial| trial["status"].clone()).collect();
    assert!(statuses.contains(&"ok".into()) && statuses.contains(&"failed".into()), "{statuses:?}");
    let failed = trials(&document).into_iter().find(|trial| trial["status"] == "failed").unwrap();
    assert!(failed["reason"].as_str().unwrap().contains("quota"), "{failed}");
    assert_eq!(used(&folder), before, "something was left");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_file_larger_than_the_free_space_is_refused_before_anything_is_written() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let folder = bed.mounted(&["mkfs.ext4", "-q"], "/dev/ram0", "defaults");
    let before = used(&folder);
    let output =
        StoryFolder::new().run(&["run", "disk", "--target", folder.to_str().unwrap(), "--size", "1GiB"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("free"), "{}", stderr(&output));
    assert_eq!(used(&folder), before);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn writing_until_a_file_system_is_full_ends_well_and_gives_the_space_back() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let folder = bed.mounted(&["mkfs.ext4", "-q"], "/dev/ram0", "defaults");
    let before = used(&folder);
    let words = ["run", "disk", "--target", folder.to_str().unwrap(), "--pattern", "write"];
    let full = ["--until", "full", "--block-size", "1MiB", "--trials", "1"];
    let (code, document) = StoryFolder::new().document(&[&words[..], &full].concat());
    let trial = trials(&document)[0];
    assert_eq!((code, &trial["status"]), (0, &Value::from("ok")), "{trial}");
    assert_eq!(used(&folder), before, "something was left");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn writing_until_a_device_is_full_writes_all_of_it() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let words = ["run", "disk", "--target", "/dev/ram0", "--destroy", "/dev/ram0", "--pattern", "write"];
    let full = ["--until", "full", "--block-size", "1MiB", "--trials", "1"];
    let (code, document) = StoryFolder::new().document(&[&words[..], &full].concat());
    let trial = trials(&document)[0];
    assert_eq!((code, &trial["status"]), (0, &Value::from("ok")), "{trial}");
    // Random content to the last block: none is still zero.
    let device = std::fs::read("/dev/ram0").unwrap();
    assert_eq!(device.len() as u64, RAM_DISK_BYTES);
    assert!(device.chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)));
}
