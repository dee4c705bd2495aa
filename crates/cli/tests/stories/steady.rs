//! Bringing a device into a known state, rounds until it is steady, and the
//! search for a rate: what is kept of them, however they end.

use std::os::unix::fs::MetadataExt;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, eventually, signal, stderr, stdout, trials};
use crate::device::Disk;

const MIB: u64 = 1 << 20;

/// The values of the first case's rounds in the store.
fn rounds(place: &StoryFolder) -> Vec<f64> {
    let output = place.run(&["export", "last"]);
    let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else { return Vec::new() };
    let values = document["cases"][0]["rounds"]["values"].as_array().cloned().unwrap_or_default();
    values.iter().filter_map(Value::as_f64).collect()
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_device_is_brought_into_its_state_and_measured_round_by_round() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::of(&place, "disk", 32) else { return };
    let arguments = [
        "run",
        "disk",
        "--target",
        &disk.path,
        "--destroy",
        &disk.path,
        "--pattern",
        "randwrite",
        "--queue-depth",
        "4",
        "--precondition",
        "full",
        "--purge",
        "yes",
        "--duration",
        "100ms",
        "--warm-up",
        "10ms",
        "--trials",
        "5",
    ];
    let plan = place.run(&[&arguments[..], &["--dry-run"]].concat());
    let plan = stdout(&plan).split_whitespace().collect::<Vec<_>>().join(" ");
    for says in ["discards all of it first (purge)", "writes it twice", "until five rounds are steady"] {
        assert!(plan.contains(says), "{plan}");
    }
    let (_, document) = place.document(&arguments);
    let case = &document["cases"][0];
    let of = &case["rounds"];
    let values: Vec<f64> = of["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!((5..=25).contains(&values.len()), "{of:#}");
    // What was written before the first round, and by all of them.
    assert_eq!(of["written"][0], 64 * MIB);
    assert!(of["written"][1].as_f64().unwrap() >= values.len() as f64 * 4096.0, "{of:#}");
    // SNIA's first criterion, by its words.
    let last = &values[values.len() - 5..];
    let (least, most) =
        (last.iter().copied().fold(f64::MAX, f64::min), last.iter().copied().fold(0.0, f64::max));
    let range = (most - least) / (last.iter().sum::<f64>() / 5.0);
    assert!((of["range"].as_f64().unwrap() - range).abs() < 1e-9, "{of:#}");
    let steady = of["steady"].as_bool().unwrap();
    assert_eq!(steady, range <= 0.2 && of["slope"].as_f64().unwrap() <= 0.1, "{of:#}");
    assert!(steady || values.len() == 25, "{of:#}");
    let counted: Vec<f64> = trials(&document)
        .iter()
        .map(|t| t["loads"][0]["metrics"]["iops"]["value"].as_f64().unwrap())
        .collect();
    assert_eq!(counted, last);
    for (name, value) in [("target_kind", "device"), ("preconditioned", "full"), ("purged", "discarded")] {
        assert_eq!(trials(&document)[0]["loads"][0]["facts"][name], value, "{name}");
    }
    let blocks = std::fs::metadata(&disk.file).unwrap().blocks() * 512;
    assert!(blocks >= 32 * MIB, "only {blocks} bytes of the device were ever written");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_run_that_is_killed_between_rounds_keeps_those_it_had() {
    let place = StoryFolder::new();
    let mut run = place.start(&[
        "run",
        "disk",
        "--size",
        "16MiB",
        "--pattern",
        "randwrite",
        "--precondition",
        "full",
        "--duration",
        "400ms",
        "--warm-up",
        "10ms",
    ]);
    eventually("two rounds are kept", || rounds(&place).len() >= 2);
    run.kill().unwrap();
    run.wait().unwrap();
    let document = place.stored();
    assert!(document.get("finished").is_none());
    assert_eq!(document["cases"][0]["rounds"]["steady"], false);
    assert!(rounds(&place).len() >= 2);
    assert_eq!(trials(&document).len(), 0, "no trial is claimed before the rounds are over");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_interrupt_ends_a_search_and_a_preconditioning() {
    for (arguments, until) in [
        (&["run", "null", "--latency-target", "1ms@99%", "--duration", "20s"][..], "no file"),
        (&["run", "disk", "--size", "384MiB", "--precondition", "full", "--pattern", "write"][..], "a file"),
    ] {
        let place = StoryFolder::new();
        let run = place.start(arguments);
        let agent = crate::common::agent_of(run.id());
        if until == "a file" {
            let file = || {
                let folder = std::fs::read_dir(format!("/proc/{agent}/fd")).unwrap();
                let links = folder.flatten().filter_map(|e| std::fs::read_link(e.path()).ok());
                links.filter(|link| link.starts_with(place.path().canonicalize().unwrap())).count() > 0
            };
            eventually("the file is being written", file);
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(run.id(), Signal::INT);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert_eq!(place.names(), Vec::<String>::new());
        assert!(trials(&place.stored()).is_empty(), "{arguments:?}: half a search is no result");
    }
}
