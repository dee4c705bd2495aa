//! Loads that are observed on disks whose limits are known: one that gives requests back, one of which the
//! kernel passes on few, one that takes few at once, and a mapping and a throttle that hold everything up.

use serde_json::Value;

use crate::common::{StoryFolder, trials};
use crate::test_bed::TestBed;

/// The requests of this disk take as many jiffies as its parameter `delay` says, however many it has: what it
/// gives follows from how many it has at once, and no processor is full.
const SLOW: &str = "delay=5";

/// The verdicts on the cases of a traced load of random reads, in the order of how many it has in flight.
fn verdicts(device: &str, more: &[&str]) -> Vec<Value> {
    let load = ["run", "disk", "--target", device, "--pattern", "randread"];
    let how = ["--observe", "block-trace", "--duration", "1s", "--warm-up", "100ms", "--trials", "3"];
    let words = [&load[..], &how, &["--no-extra"], more].concat();
    let (code, document) = StoryFolder::new().document(&words);
    assert_eq!(code, 0, "{document}");
    assert!(trials(&document).iter().all(|trial| trial["status"] == "ok"), "{document}");
    let cases = document["cases"].as_array().unwrap().iter();
    let asked = cases.filter(|case| case["role"]["kind"].as_str().is_none_or(|kind| kind == "asked"));
    let verdict = |case: &Value| {
        let all = case["findings"].as_array().unwrap();
        all.iter().find(|finding| finding["kind"] == "bottleneck").unwrap().clone()
    };
    asked.map(verdict).collect()
}

fn resource(disk: &str) -> Value {
    format!("block:{disk}").into()
}

/// The evidence of where the requests spent their time.
fn phases(verdict: &Value) -> &Value {
    let all = verdict["evidence"].as_array().unwrap();
    all.iter().find(|evidence| evidence["code"] == "block-phases").unwrap_or_else(|| panic!("{verdict}"))
}

/// Every fifth command meets a busy host adapter (SDEBUG_OPT_HOST_BUSY in `drivers/scsi/scsi_debug.c`). Until it has
/// done what it has, SCSI refuses others before they are issued: those were not given back.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_that_gives_requests_back_is_said_to_take_no_more() {
    let mut bed = TestBed::new();
    let parameters = ["dev_size_mb=64", "delay=3", "every_nth=5", "opts=0x8000", "statistics=1"];
    let disk = bed.scsi_disk(&parameters);
    let found = verdicts(&format!("/dev/{disk}"), &["--queue-depth", "8"]).remove(0);
    assert_eq!((&found["code"], &found["resource"]), (&"device-pushes-back".into(), &resource(&disk)));
    let share = found["args"]["share"].as_f64().unwrap();
    assert!((0.1..0.3).contains(&share), "{found}");
}

/// Of a ring the kernel's workers wait for a request, and only so many (8 on two CPUs); `io_submit` does not return;
/// of threads each waits by itself.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_of_which_the_kernel_passes_on_four_requests_is_waited_for_in_the_host() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=64", SLOW, "max_queue=64"]);
    for way in [
        ["--engine", "io_uring", "--queue-depth", "8,32"],
        ["--engine", "aio", "--queue-depth", "8,32"],
        ["--engine", "sync", "--threads", "8,32"],
    ] {
        for found in verdicts(&format!("/dev/{disk}"), &[&way[..], &["--set", "queue-requests=4"]].concat()) {
            let named = (&found["code"], &found["resource"]);
            assert_eq!(named, (&"host-queue".into(), &resource(&disk)), "{way:?}: {found}");
            assert!(found["args"]["most"].as_f64().unwrap() <= 4.0, "{way:?}: {found}");
            assert_eq!(found["args"]["takes"].as_f64(), Some(64.0), "{way:?}: {found}");
            let phases = &phases(&found)["args"];
            assert_eq!(phases["resource"], resource(&disk), "{found}");
            // Of eight threads four wait at the device: half of the time is neither's most.
            assert!(["host", "both"].contains(&phases["most"].as_str().unwrap()), "{found}");
        }
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_that_has_all_that_it_takes_at_once_is_full() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=64", SLOW, "max_queue=4"]);
    for found in verdicts(&format!("/dev/{disk}"), &["--queue-depth", "8,32"]) {
        assert_eq!(
            (&found["code"], &found["args"]["how"]),
            (&"device-full".into(), &"queue".into()),
            "{found}"
        );
        assert_eq!(found["args"]["takes"].as_f64(), Some(4.0), "{found}");
    }
}

/// dm-delay holds each bio for 20 ms before the disk has it (`Documentation/admin-guide/device-mapper/delay.rst`).
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_a_mapping_holds_up_is_no_time_of_the_disk_below() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=64", "delay=0"]);
    let sectors = 64 * 2048;
    let device = bed.mapped("late", &format!("0 {sectors} delay /dev/{disk} 0 20"));
    let found = verdicts(&device, &["--queue-depth", "1"]).remove(0);
    assert_eq!(found["code"], "latency-bound", "{found}");
    let phases = &phases(&found)["args"];
    assert_eq!((&phases["resource"], &phases["most"]), (&resource(&disk), &"upper".into()), "{found}");
    assert!(phases["other"].as_str().unwrap().starts_with("block:dm-"), "{found}");
}

/// A throttle has bios before the block layer does (`blk_throtl_bio`), and many requests are free.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_a_throttle_holds_up_is_above_the_block_layer() {
    let mut bed = TestBed::new();
    let control = |sign: &str| format!("echo {sign}io >/sys/fs/cgroup/cgroup.subtree_control");
    bed.build(&["sh", "-c", &control("+")], &["sh", "-c", &control("-")]);
    let disk = bed.scsi_disk(&["dev_size_mb=64", SLOW, "max_queue=64"]);
    let more = ["--queue-depth", "8,32", "--set", "cgroup-io-read-operations=50"];
    for found in verdicts(&format!("/dev/{disk}"), &more) {
        assert!(found["code"] != "host-queue" && found["code"] != "device-full", "{found}");
        let phases = &phases(&found)["args"];
        assert_eq!((&phases["resource"], &phases["most"]), (&resource(&disk), &"above".into()), "{found}");
    }
}
