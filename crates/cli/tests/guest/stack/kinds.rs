//! Each kind of layer that our machines' kernels lack is made with its options, driven, and taken down, on disks that were
//! given up or on loop devices in memory; nothing of it stays.

use std::path::Path;

use rustix::process::Signal;

use super::{DISKS, QUICK, arguments, nothing_is_left};
use crate::common::{StoryFolder, agent_of, lives, signal, stderr, stdout};
use crate::test_bed::{TestBed, does, eventually, says};

/// A folder in memory for the files of loop devices.
const FOLDER: &str = "/dev/shm/stacks";

/// Runs a load on a stack on the disks, and looks that its trial went well and that nothing is left.
fn is_made_and_gone(place: &StoryFolder, stack: &str) {
    let target = DISKS.join("+");
    ran_well(place, stack, &arguments(&target, stack, &[]));
}

/// The same on files of 128 MiB in memory: a file on them leaves 64 MiB free.
fn is_made_on_files_and_gone(place: &StoryFolder, stack: &str) {
    let run = ["run", "disk", "--target", FOLDER, "--member-size", "128MiB", "--stack", stack];
    ran_well(place, stack, &[&run[..], QUICK, &["--duration", "200ms"]].concat());
    assert_eq!(Path::new(FOLDER).read_dir().unwrap().count(), 0, "{stack}");
}

fn ran_well(place: &StoryFolder, stack: &str, arguments: &[&str]) {
    let (code, document) = place.document(arguments);
    assert_eq!(code, 0, "{stack}: {document}");
    let trials = document["cases"][0]["trials"].as_array().unwrap();
    assert!(!trials.is_empty() && trials.iter().all(|trial| trial["status"] == "ok"), "{stack}: {document}");
    nothing_is_left(place);
    no_signature_is_left(stack);
}

/// That no disk has a table, a partition or a header, and that there is no device of memory.
fn no_signature_is_left(stack: &str) {
    let blocks = Path::new("/sys/class/block").read_dir().unwrap().flatten();
    let names: Vec<String> = blocks.map(|block| block.file_name().to_string_lossy().into_owned()).collect();
    let is_ours = |name: &String| name.starts_with("zram") || name.starts_with("ram") && name.contains('p');
    assert!(!names.iter().any(is_ours), "{stack}: {names:?}");
    for disk in DISKS.into_iter().filter(|disk| Path::new(disk).exists()) {
        let found = does(&["wipefs", "--no-act", "--output", "TYPE", disk]);
        for kind in ["gpt", "PMBR", "DM_integrity"] {
            assert!(!found.contains(kind), "{stack}: {disk} still has {kind}: {found}");
        }
    }
}

/// The folder, which goes with the story.
fn folder(bed: &mut TestBed) {
    bed.build(&["mkdir", FOLDER], &["rmdir", FOLDER]);
    bed.build(&["modprobe", "loop"], &["true"]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_partition_and_plain_encryption_are_made_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    is_made_and_gone(&StoryFolder::new(), "partition(a; offset=32256) > crypt(sector-size=512)");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn each_kind_of_volume_of_lvm_is_made_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    for stack in [
        "lvm(a+b; stripes=2; stripe-size=16k)",
        "lvm(a) > thin(chunk=128k; zero=no)",
        "snapshot(a; chunk=16k)",
        "cache(a; fast=b; mode=writeback; chunk=64k)",
        "writecache(a; fast=b) > xfs",
        "raid1(a+b; assume-clean=yes) > cache(c)",
    ] {
        is_made_and_gone(&place, stack);
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_keeps_tags_is_made_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    folder(&mut bed);
    let place = StoryFolder::new();
    is_made_and_gone(&place, "integrity(a; sector-size=4096)");
    for stack in [
        "loop > integrity(algorithm=sha256; mode=bitmap)",
        "loop > integrity(algorithm=xxhash64; mode=direct) > ext4",
        "loop > luks(integrity=hmac-sha256; sector-size=4096)",
        "loop > luks(cipher=adiantum; no-read-workqueue=yes; no-write-workqueue=yes)",
    ] {
        is_made_on_files_and_gone(&place, stack);
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_journal_of_an_array_and_devices_of_memory_are_made_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    folder(&mut bed);
    let place = StoryFolder::new();
    let options = "assume-clean=yes; layout=right-asymmetric; stripe-cache=1024; group-threads=2";
    is_made_and_gone(&place, &format!("raid5(a+b+c; journal=d; {options})"));
    is_made_on_files_and_gone(
        &place,
        "zram(a+b; algorithm=zstd) > raid1(assume-clean=yes) > partition > ext4",
    );
    is_made_on_files_and_gone(&place, "loop > partition > ext4(stripe-unit=16k; stripe-width=4)");
    // What the kernel reads no partitions of is refused before anything is made.
    let output = place.run(&arguments(&DISKS.join("+"), "crypt(a) > partition", &[]));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(says(&output, "reads no partitions"), "{}", stderr(&output));
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_an_array_keeps_against_the_write_hole_is_made_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    for stack in
        ["raid5(a+b+c; journal=d; journal-mode=write-back)", "raid5(a+b+c+d; ppl=yes; assume-clean=yes)"]
    {
        is_made_and_gone(&place, stack);
    }
    let both = "raid5(a+b+c; journal=d; ppl=yes)";
    let output = place.run(&arguments(&DISKS.join("+"), both, &[]));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(says(&output, "not two of them"), "{}", stderr(&output));
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn restore_takes_down_each_kind_of_mapping_of_a_killed_run() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    folder(&mut bed);
    let place = StoryFolder::new();
    let on_disks = "partition(a) > cache(b; mode=writeback) > crypt > thin > ext4";
    let target = DISKS.join("+");
    let on_memory =
        ["run", "disk", "--target", FOLDER, "--member-size", "64MiB", "--stack", "zram > integrity > ext4"];
    let cases = [
        (arguments(&target, on_disks, &["--duration", "600s"]), "ext4, thin, crypt, cache, partition"),
        ([&on_memory[..], QUICK, &["--duration", "600s"]].concat(), "ext4, integrity, zram"),
    ];
    let state = place.path().canonicalize().unwrap().join("store.db-state/stacks");
    let state = state.to_string_lossy().into_owned();
    for (arguments, layers) in cases {
        let mut run = place.start(&arguments);
        let agent = agent_of(run.id());
        eventually("it is mounted", || {
            std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&state)
        });
        for with in [Signal::STOP, Signal::KILL] {
            [run.id(), agent].into_iter().for_each(|process| signal(process, with));
        }
        run.wait().unwrap();
        eventually("both are gone", || !lives(agent));
        let restored = place.run(&["restore"]);
        assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
        assert!(stdout(&restored).contains(layers), "{}", stdout(&restored));
        nothing_is_left(&place);
        no_signature_is_left(layers);
    }
}
