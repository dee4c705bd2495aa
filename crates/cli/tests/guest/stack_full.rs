//! What is full at the layers of stacks whose limits are made: encryption, one thread of an array, parity of small
//! writes, a slow member, the journal of a file system, and an array that is busy with itself. The guest is short of
//! CPU, so all but the first two stand on devices that hold each request up for a while.

use serde_json::Value;

use crate::common::{StoryFolder, trials};
use crate::test_bed::{RAM_DISK_SECTORS, TestBed, does};

/// Runs a load of writes on a stack on these devices; the document.
fn run(devices: &[&str], stack: &str, more: &[&str]) -> Value {
    let target = devices.join("+");
    let load = ["run", "disk", "--target", target.as_str(), "--stack", stack, "--size", "16MiB"];
    let destroy: Vec<&str> = devices.iter().flat_map(|device| ["--destroy", *device]).collect();
    let how = ["--duration", "3s", "--warm-up", "200ms", "--trials", "2", "--no-extra"];
    let (code, document) = StoryFolder::new().document(&[&load[..], &destroy, &how, more].concat());
    assert_eq!(code, 0, "{document}");
    assert!(trials(&document).iter().all(|trial| trial["status"] == "ok"), "{document}");
    document
}

/// The verdict on the only case.
fn verdict(document: &Value) -> &Value {
    let all = document["cases"][0]["findings"].as_array().unwrap();
    all.iter().find(|finding| finding["kind"] == "bottleneck").unwrap()
}

/// What is said of a thread of the kernel that was ruled out.
fn thread_of(verdict: &Value) -> &Value {
    let ruled_out = verdict["ruled_out"].as_array().unwrap();
    &ruled_out.iter().find(|evidence| evidence["code"] == "kernel-thread").unwrap()["args"]
}

/// Devices on RAM disks that hold each request up for so many milliseconds
/// (`Documentation/admin-guide/device-mapper/delay.rst`).
fn delayed(bed: &mut TestBed, millis: &[u32]) -> Vec<String> {
    bed.ram_disks(millis.len());
    let one = |(disk, millis): (usize, &u32)| {
        bed.mapped(&format!("late{disk}"), &format!("0 {RAM_DISK_SECTORS} delay /dev/ram{disk} 0 {millis}"))
    };
    millis.iter().enumerate().map(one).collect()
}

fn names(devices: &[String]) -> Vec<&str> {
    devices.iter().map(String::as_str).collect()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn encryption_that_fills_the_cpus_is_named_at_its_layer() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    // A cipher that no processor has instructions for; and work of each node's CPU, for Linux 6.1 does what was handed to
    // a queue on one node on that node's CPUs.
    let load = ["--pattern", "randwrite", "--block-size", "256k", "--queue-depth", "16", "--threads", "4"];
    let document = run(&["/dev/ram0"], "luks(a; cipher=adiantum)", &load);
    let found = verdict(&document);
    assert_eq!(found["code"], "kernel-work-full", "{found}");
    assert_eq!(found["args"]["crypto"], true, "{found}");
    let queues = trials(&document)[0]["machines"][0]["work_queues"].to_string();
    assert!(queues.contains("kcryptd"), "{queues}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn events_of_the_kernels_queues_tell_how_long_encryption_ran() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let load = ["--pattern", "write", "--block-size", "256k", "--queue-depth", "8"];
    let document = run(&["/dev/ram0"], "luks(a)", &[&load[..], &["--observe", "work-queues"]].concat());
    let of = |trial: &Value| trial["machines"][0]["work_queues"].as_array().cloned().unwrap_or_default();
    let all: Vec<Value> = trials(&document).into_iter().flat_map(of).collect();
    let by_events = all.iter().filter(|queue| queue["by"] == "events");
    let names: Vec<&str> = by_events.map(|queue| queue["queue"].as_str().unwrap()).collect();
    assert!(names.iter().any(|name| name.contains("kcryptd")), "{names:?}");
    assert!(all.iter().any(|queue| queue["by"] == "names"), "trials beside them are not traced");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn the_thread_of_an_array_is_told_with_how_much_it_computes() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let devices = ["/dev/ram0", "/dev/ram1", "/dev/ram2", "/dev/ram3"];
    let load = ["--pattern", "write", "--block-size", "1m", "--queue-depth", "16"];
    let document = run(&devices, "raid6(a+b+c+d; assume-clean=yes; chunk=64k; stripe-cache=4096)", &load);
    let found = verdict(&document);
    // Interrupts of the emulated machine take a tenth of each CPU, so that no thread is seen to have all of one.
    let named = if found["code"] == "kernel-thread-full" { &found["args"] } else { thread_of(found) };
    assert!(named["share"].as_f64().unwrap() > 0.8, "{found}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn parity_that_small_writes_read_first_is_named_with_how_much() {
    let mut bed = TestBed::new();
    let devices = delayed(&mut bed, &[8, 8, 8, 8]);
    let load = ["--pattern", "randwrite", "--block-size", "4k", "--queue-depth", "4"];
    let document = run(&names(&devices), "raid5(a+b+c+d; assume-clean=yes; chunk=64k)", &load);
    let found = verdict(&document);
    assert_eq!(found["code"], "parity-rewrite", "{found}");
    assert!(found["args"]["read"].as_f64().unwrap() > 0.5, "{found}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_member_that_all_others_wait_for_is_named() {
    let mut bed = TestBed::new();
    let devices = delayed(&mut bed, &[4, 4, 4, 80]);
    let load = ["--pattern", "randwrite", "--block-size", "4k", "--queue-depth", "8"];
    let document = run(&names(&devices), "raid0(a+b+c+d; chunk=64k)", &load);
    let found = verdict(&document);
    assert_eq!(found["code"], "slow-member", "{found}");
    let slow = does(&["dmsetup", "info", "--columns", "--noheadings", "-o", "blkdevname", "late3"]);
    assert_eq!(found["resource"], format!("block:{}", slow.trim()), "{found}");
}

/// A flush of this disk takes a twentieth of a second (`F_SYNC_DELAY` in `drivers/scsi/scsi_debug.c`).
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_journal_that_is_flushed_most_of_the_time_is_named() {
    let mut bed = TestBed::new();
    let disk = format!("/dev/{}", bed.scsi_disk(&["dev_size_mb=128", "delay=1"]));
    let load = ["--pattern", "randwrite", "--block-size", "4k", "--direct", "no", "--sync", "fsync"];
    let document = run(&[&disk], "lvm(a) > ext4(mount=\"data=journal\")", &load);
    let found = verdict(&document);
    assert_eq!(found["code"], "journal-flush", "{found}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trial_waits_until_an_array_is_done_with_itself() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    bed.mirror("/dev/ram0", "/dev/ram1");
    let folder = "/sys/block/md0/md";
    // 320 MiB at 32 MiB/s.
    std::fs::write(format!("{folder}/sync_speed_max"), "32768").unwrap();
    std::fs::write(format!("{folder}/sync_action"), "check").unwrap();
    let load = ["run", "disk", "--target", "/dev/md0", "--pattern", "randread", "--size", "16MiB"];
    let how = ["--duration", "500ms", "--warm-up", "10ms", "--trials", "1", "--no-extra"];
    let (code, document) = StoryFolder::new().document(&[&load[..], &how].concat());
    assert_eq!(code, 0, "{document}");
    let action = std::fs::read_to_string(format!("{folder}/sync_action")).unwrap();
    assert_eq!(action.trim(), "idle", "the trial began before");
    let findings = document["cases"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["code"] != "array-busy"), "{findings:?}");
    let storage = &trials(&document)[0]["machines"][0]["storage"]["devices"][0];
    assert_eq!(storage["array"]["level"], "raid1", "{storage}");
}
