//! Filling file systems until no space is left, and what else can happen to a
//! target while it is driven: small file systems of our own, on memory and on a
//! loop device, in a mount namespace of our own, which is gone when the story
//! ends.

use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::common::{StoryFolder, stderr, trials, wait_for_trials};
use crate::device::Disk;

/// In this place, `small` is 32 MiB of memory and `disk` an ext4 of so many MiB
/// on the loop device over `image`; then `script` runs.
fn command(place: &StoryFolder, mib: u32, script: &str) -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: mounting needs root");
        return None;
    }
    let script = format!(
        "set -e; mkdir -p small disk; mount -t tmpfs -o size=32m none small; truncate -s {mib}M image
         mkfs.ext4 -q -F image; mount -o loop image disk; set +e
         {script}
         code=$?; ls -A small > names; ls -A disk >> names
         umount -l small; umount -l disk; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(place.path());
    command.env("HEADROOM", env!("CARGO_BIN_EXE_headroom")).env("STORE", place.store()).env("NO_COLOR", "1");
    Some(command)
}

/// Runs `headroom run disk ARGUMENTS` there.
fn run(place: &StoryFolder, arguments: &str) -> Option<Output> {
    let script = format!("\"$HEADROOM\" run disk {arguments} --store \"$STORE\"");
    Some(command(place, 64, &script)?.output().unwrap())
}

fn number(value: &Value) -> f64 {
    value["value"].as_f64().unwrap()
}

/// Bytes that a load, or one of its targets, moved while its window was open.
fn moved(of: &Value) -> f64 {
    number(&of["metrics"]["throughput"]) * number(&of["metrics"]["elapsed"])
}

#[test]
fn several_file_systems_are_filled_each_to_its_own_end_and_again() {
    let place = StoryFolder::new();
    let fill =
        "--pattern write --until full --target small+disk --block-size 256k --queue-depth 4 --trials 2";
    let Some(output) = run(&place, fill) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = place.stored();
    let all = trials(&document);
    assert_eq!(all.len(), 2);
    let mib = f64::from(1 << 20);
    for trial in &all {
        assert_eq!(trial["loads"][0]["facts"]["ended"], "full", "{trial:#}");
        let targets = trial["loads"][0]["targets"].as_array().unwrap();
        let of = |name: &str| {
            targets.iter().find(|p| p["target"].as_str().unwrap().ends_with(name)).map(moved).unwrap()
        };
        // A block in flight for each place in the queue may not have fitted.
        let (small, disk) = (of("/small"), of("/disk"));
        // Bytes come from a rate and a window, which rounds.
        assert!((30.0 * mib..=32.0 * mib + 1.0).contains(&small), "{small}");
        assert!((40.0 * mib..=64.0 * mib + 1.0).contains(&disk), "{disk}");
        let seconds = |name: &str| number(&trial["loads"][0]["metrics"][name]);
        assert!(seconds("first_done") <= seconds("last_done"), "{:#}", trial["loads"][0]["metrics"]);
        assert!(
            (seconds("last_done") - seconds("elapsed")).abs() < 1e-6,
            "{:#}",
            trial["loads"][0]["metrics"]
        );
    }
    let names = std::fs::read_to_string(place.path().join("names")).unwrap();
    assert_eq!(names.trim(), "lost+found", "something stayed behind");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn devices_are_filled_each_to_its_own_end() {
    let place = StoryFolder::new();
    let (Some(small), Some(large)) = (Disk::of(&place, "a", 16), Disk::of(&place, "b", 24)) else { return };
    let target = format!("{}+{}", small.path, large.path);
    let (code, document) = place.document(&[
        "run",
        "disk",
        "--target",
        &target,
        "--destroy",
        &small.path,
        "--destroy",
        &large.path,
        "--pattern",
        "write",
        "--until",
        "full",
        "--block-size",
        "256k",
        "--queue-depth",
        "4",
        "--threads",
        "2",
        "--trials",
        "2",
    ]);
    assert_eq!(code, 0);
    for trial in trials(&document) {
        let targets = trial["loads"][0]["targets"].as_array().unwrap();
        let sizes: Vec<f64> =
            targets.iter().map(|p| (moved(p) / f64::from(1 << 20) * 1e3).round() / 1e3).collect();
        assert_eq!(sizes, [16.0, 24.0], "{trial:#}");
    }
}

#[test]
fn several_threads_fill_one_file_together() {
    let place = StoryFolder::new();
    let fill =
        "--pattern write --until full --target small --block-size 64k --threads 3 --engine sync --trials 1";
    let Some(output) = run(&place, fill) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let bytes = moved(&trials(&place.stored())[0]["loads"][0]).round();
    let mib = f64::from(1 << 20);
    assert!((31.0 * mib..=32.0 * mib).contains(&bytes), "{bytes}");
}

#[test]
fn what_the_machine_needs_is_not_filled() {
    let place = StoryFolder::new();
    for (target, holds) in [("/tmp", "it holds /"), ("/var", "it holds /")] {
        let output = place.run(&["run", "disk", "--pattern", "write", "--until", "full", "--target", target]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains(holds) && stderr(&output).contains("size"), "{}", stderr(&output));
    }
    assert!(!place.store().exists(), "a refusal touched something");
    // Its own store is what this program needs.
    let script = "\"$HEADROOM\" run disk --pattern write --until full --target small --store small/store.db";
    let Some(mut command) = command(&place, 64, script) else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("it holds the store"), "{}", stderr(&output));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_size_ends_a_file_that_grows_wherever_it_is() {
    let place = StoryFolder::new();
    let arguments =
        ["run", "disk", "--pattern", "write", "--until", "full", "--size", "16MiB", "--trials", "2"];
    let plan = place.run(&[&arguments[..], &["--dry-run"]].concat());
    let text = crate::common::stdout(&plan);
    assert!(text.contains("left or it has 16 MiB"), "{text}");
    let (code, document) = place.document(&arguments);
    assert_eq!(code, 0);
    for trial in trials(&document) {
        assert_eq!(trial["loads"][0]["facts"]["ended"], "size");
        assert!((moved(&trial["loads"][0]) - f64::from(16 << 20)).abs() < 1.0, "{trial:#}");
    }
    assert_eq!(place.names(), Vec::<String>::new());
}

/// A sparse file of the user's is larger than what is free: no space is no end
/// that anybody asked for.
#[test]
fn no_space_in_another_pattern_fails_the_trial_and_others_go_on() {
    let place = StoryFolder::new();
    let arguments = "--target small/data --destroy small/data --pattern randread,randwrite --trials 2 \
                     --distribution once --block-size 64k --direct no --bytes 64MiB";
    let script = format!("truncate -s 64M small/data; \"$HEADROOM\" run disk {arguments} --store \"$STORE\"");
    let Some(mut command) = command(&place, 64, &script) else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    for case in document["cases"].as_array().unwrap() {
        let writes = case["loads"][0]["parameters"]["pattern"] == "randwrite";
        for trial in case["trials"].as_array().unwrap() {
            let reason = trial["reason"].as_str().unwrap_or_default();
            assert_eq!(trial["status"], if writes { "failed" } else { "ok" }, "{reason}");
            assert_eq!(reason.contains("no space left on device"), writes, "{reason}");
        }
    }
}

/// Ends the child, and with it its mounts, however the story ends.
struct StoryProcess(Option<Child>);

impl StoryProcess {
    fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for StoryProcess {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The file under a loop device is cut short: what lies behind its end can no
/// longer be read.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_device_that_fails_mid_run_fails_its_trials_and_others_go_on() {
    let place = StoryFolder::new();
    let script = "\"$HEADROOM\" run disk --target disk,small/data --size 16MiB --duration 1s --trials 4 \
                  --pin none --store \"$STORE\"";
    let script = format!("head -c 16M /dev/urandom > small/data; {script}");
    let Some(mut command) = command(&place, 200, &script) else { return };
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let story = StoryProcess(Some(child));
    wait_for_trials(&place, 2);
    let image = std::fs::OpenOptions::new().write(true).open(place.path().join("image")).unwrap();
    image.set_len(1 << 20).unwrap();
    let output = story.output();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    for case in document["cases"].as_array().unwrap() {
        let on_device = case["loads"][0]["parameters"]["target"].as_str().unwrap().ends_with("disk");
        let trials = case["trials"].as_array().unwrap();
        assert_eq!(trials.len(), 4);
        let reasons: Vec<&str> = trials.iter().filter_map(|t| t["reason"].as_str()).collect();
        if on_device {
            assert!(!reasons.is_empty(), "nothing failed");
            let io = |r: &&str| r.contains("reading 4096 bytes") && r.contains("input/output error");
            assert!(reasons.iter().all(io), "{reasons:?}");
        } else {
            assert!(reasons.is_empty(), "{reasons:?}");
        }
    }
}
