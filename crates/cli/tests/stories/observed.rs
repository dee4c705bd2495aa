//! Loads that are observed: what the kernel's events say agrees with what the load counted, and
//! what cannot be observed is refused before anything runs.

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout};
use crate::device::Disk;

const TRACE: [&str; 2] = ["--observe", "block-trace"];
const DEPTH: f64 = 4.0;

/// Whether block devices can be traced here; said on the way where they cannot.
fn can_trace(place: &StoryFolder, disk: &Disk) -> bool {
    let read = ["run", "disk", "--target", &disk.path, "--pattern", "randread", "--dry-run"];
    let output = place.run(&[&read[..], &TRACE].concat());
    if output.status.success() {
        return true;
    }
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {}", stderr(&output));
    println!("skipped: {}", stderr(&output));
    false
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn the_kernel_s_events_agree_with_what_the_load_counted() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::of(&place, "disk", 64) else { return };
    if !can_trace(&place, &disk) {
        return;
    }
    let load = ["--pattern", "randwrite", "--block-size", "4k", "--queue-depth", "4", "--direct", "yes"];
    let how = ["--duration", "300ms", "--warm-up", "0", "--trials", "2", "--no-extra"];
    let target = ["run", "disk", "--target", &disk.path, "--destroy", &disk.path];
    let (code, run) = place.document(&[&target[..], &load, &how, &TRACE].concat());
    assert_eq!(code, 0, "{run}");

    let cases = run["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2, "one with and one without");
    assert_eq!(cases[1]["role"]["kind"], "observed");
    let name = format!("block:{}", disk.path.trim_start_matches("/dev/"));
    for trial in cases[1]["trials"].as_array().unwrap() {
        let trace = &trial["machines"][0]["block_trace"];
        assert_eq!(trace["lost_events"], 0, "{trace}");
        let device = trace["devices"].as_array().unwrap().iter().find(|d| d["resource"] == *name).unwrap();
        // All of the window, before what the start took is cut off.
        let operations = number(&trial["loads"][0]["facts"]["bytes_written"]) / 4096.0;
        let counts = &device["counts"];
        // What was in flight at either edge counts for one side alone.
        let written = number(&device["written_bytes"]) / 4096.0;
        assert!((written - operations).abs() <= 2.0 * DEPTH + 8.0, "{written} of {operations}: {counts}");
        // Others may read the device meanwhile: the kernel does when it looks for partitions.
        let issued = number(&counts["issued"]) + number(&counts["merged"]) - number(&counts["requeued"]);
        let read = number(&device["read_bytes"]) / 512.0;
        let fits = written - 2.0 * DEPTH - 8.0..=written + read + 2.0 * DEPTH + 8.0;
        assert!(fits.contains(&issued), "{issued} of {written} written: {counts}");
        assert!(operations > 50.0, "{operations}");
        // Of others' reads, blocks of 4 KiB at least, all may be in flight at once.
        assert!(number(&device["depth_max"]) <= DEPTH + 2.0 + read / 8.0, "{device}");
        let phases = device["phases"].as_object().unwrap();
        assert!(phases.contains_key("d2c") && phases.contains_key("q2c"), "{phases:?}");
        assert_eq!(device["sizes"]["commonest"], 4096, "{device}");
    }
    for trial in cases[0]["trials"].as_array().unwrap() {
        assert!(trial["machines"][0].get("block_trace").is_none(), "nobody watched it");
    }
    let effect = &cases[0]["observer_effect"];
    assert_eq!(effect["observers"][0], "block-trace", "{effect}");
    assert_eq!(effect["ratio"]["n"], 2, "{effect}");

    let shown = stdout(&place.run(&["show", "last"]));
    assert!(shown.contains("D2C"), "{shown}");
}

#[test]
fn what_has_no_block_device_is_refused_before_anything_runs() {
    let place = StoryFolder::new();
    let output = place.run(&[&["run", "cpu.primes"][..], &TRACE].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    if !std::path::Path::new("/dev/shm").is_dir() {
        println!("skipped: there is no /dev/shm");
        return;
    }
    let in_memory = ["run", "disk", "--target", "/dev/shm", "--size", "4MiB", "--direct", "no"];
    let output = place.run(&[&in_memory[..], &TRACE].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("no block device"), "{}", stderr(&output));
    assert!(!place.store().exists(), "nothing ran");
}
