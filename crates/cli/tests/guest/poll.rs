//! Completions that are polled for, which few machines' disks allow. What is
//! looked at is that it works and is said, not what it is worth.

use serde_json::Value;

use crate::common::{StoryFolder, stderr, trials};
use crate::test_bed::{TestBed, says};

const RUN: &[&str] = &["run", "disk", "--queue-depth", "4", "--size", "16MiB", "--duration", "300ms"];
const ONCE: &[&str] = &["--trials", "1", "--warm-up", "50ms"];

/// A file system on a null_blk device that remembers what is written.
fn null_block(bed: &mut TestBed, more: &[&str]) -> String {
    bed.module("null_blk", &[&["nr_devices=1", "gb=1", "memory_backed=1"], more].concat());
    let folder = bed.mounted(&["mkfs.ext4", "-q"], "/dev/nullb0", "defaults");
    folder.to_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn completions_are_polled_for_where_the_device_can() {
    let mut bed = TestBed::new();
    let folder = null_block(&mut bed, &["poll_queues=1"]);
    let place = StoryFolder::new();
    for iopoll in ["no", "yes"] {
        let words = [RUN, ONCE, &["--target", &folder, "--iopoll", iopoll]].concat();
        let (code, document) = place.document(&words);
        let trial = trials(&document)[0];
        assert_eq!((code, &trial["status"]), (0, &Value::from("ok")), "{trial}");
        let flags = trial["loads"][0]["facts"]["ring_flags"].as_str().unwrap();
        assert_eq!(flags.split(' ').any(|flag| flag == "iopoll"), iopoll == "yes", "{flags}");
        assert!(trial["loads"][0]["metrics"]["iops"]["value"].as_f64().unwrap() > 0.0, "{trial}");
        assert!(trial["loads"][0]["histograms"]["latency"].is_string(), "{trial}");
    }
}

/// The kernel takes such operations all the same and interrupts; the figures
/// would be called polled and were not.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_device_without_poll_queues_is_not_polled() {
    let mut bed = TestBed::new();
    let folder = null_block(&mut bed, &["poll_queues=0"]);
    let output = StoryFolder::new().run(&[RUN, ONCE, &["--target", &folder, "--iopoll", "yes"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(says(&output, "nullb0 under"), "{}", stderr(&output));
    assert!(says(&output, "no queues that can be polled"), "{}", stderr(&output));
}
