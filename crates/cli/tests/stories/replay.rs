//! Recorded I/O that is done again: as many operations and bytes as were recorded, and nothing of the
//! user's is written unasked.

use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, program, stderr, stdout, trials};
use crate::trace::{disk, joined, json};

/// Twenty operations a millisecond apart: every fourth writes.
fn recording(place: &StoryFolder) {
    let mut log = "fio version 3 iolog\n0 data add\n0 data open\n".to_owned();
    for n in 0..20u64 {
        let action = if n % 4 == 3 { "write" } else { "read" };
        log.push_str(&format!("{} data {action} {} 4096\n", n * 1000, n * 8192));
    }
    std::fs::write(place.path().join("log"), log).unwrap();
}

fn fact(run: &Value, name: &str) -> u64 {
    let facts = &trials(run)[0]["loads"][0]["facts"];
    facts[name].as_u64().unwrap_or_else(|| panic!("{name}: {facts}"))
}

/// Reads and writes, and the bytes of both.
fn played(run: &Value) -> [u64; 4] {
    ["played_reads", "played_writes", "played_bytes_read", "played_bytes_written"].map(|name| fact(run, name))
}

#[test]
fn a_recording_is_played_as_it_was_timed_and_as_fast_as_possible() {
    let place = StoryFolder::new();
    recording(&place);
    for speed in ["2x", "max"] {
        let (code, run) =
            place.document(&["run", "disk.replay", "--replay", "log", "--speed", speed, "--trials", "1"]);
        assert_eq!(code, 0, "{speed}");
        assert_eq!(played(&run), [15, 5, 15 * 4096, 5 * 4096], "{speed}");
        let load = &run["cases"][0]["loads"][0];
        let arrival = load["profile"]["concurrency"]["arrival"].as_str().unwrap_or("closed");
        assert_eq!(arrival, if speed == "max" { "closed" } else { "open" });
    }
    assert_eq!(place.names(), ["log"], "something stayed behind");
}

#[test]
fn a_file_of_the_users_is_only_written_by_its_name() {
    let place = StoryFolder::new();
    recording(&place);
    let mine = place.path().join("mine");
    std::fs::write(&mine, vec![7u8; 1 << 20]).unwrap();
    let line =
        ["run", "disk.replay", "--replay", "log", "--target", "mine", "--direct", "no", "--trials", "1"];
    let refused = place.run(&line);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let said = stderr(&refused).split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    assert!(said.contains("the recording's 5 writes") && said.contains("--destroy mine"), "{said}");
    let (code, run) = place.document(&[&line[..], &["--writes", "read"]].concat());
    assert_eq!((code, played(&run)), (0, [20, 0, 20 * 4096, 0]));
    assert_eq!(std::fs::read(&mine).unwrap(), vec![7u8; 1 << 20]);
    let dry = place.run(&[&line[..], &["--destroy", "mine", "--dry-run"]].concat());
    assert!(stdout(&dry).contains("reads the recording log"), "{}", stdout(&dry));
    assert!(stdout(&dry).contains("OVERWRITES"), "{}", stdout(&dry));
    let (code, run) = place.document(&[&line[..], &["--destroy", "mine"]].concat());
    assert_eq!((code, played(&run)), (0, [15, 5, 15 * 4096, 5 * 4096]));
    assert_ne!(std::fs::read(&mine).unwrap(), vec![7u8; 1 << 20]);
}

/// What fio records it plays itself, and so does a job file with `read_iolog` here.
#[test]
fn what_fio_recorded_is_played_whole() {
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: there is no fio to record with");
        assert!(std::env::var_os("CI").is_none(), "CI has no fio");
        return;
    }
    let place = StoryFolder::new();
    let options =
        ["--name=a", "--filename=data", "--rw=randrw", "--bs=4k-16k", "--size=16m", "--number_ios=500"];
    let recorded = Command::new("fio")
        .args(options)
        .args(["--write_iolog=log", "--output-format=json"])
        .current_dir(place.path())
        .output()
        .unwrap();
    let recorded: Value = serde_json::from_slice(&recorded.stdout).unwrap();
    let job = &recorded["jobs"][0];
    let counts = [("read", "total_ios"), ("write", "total_ios"), ("read", "io_bytes"), ("write", "io_bytes")];
    let counts = counts.map(|(kind, what)| job[kind][what].as_u64().unwrap());
    std::fs::remove_file(place.path().join("data")).unwrap();
    let (code, run) = place.document(&["run", "disk.replay", "--replay", "log", "--trials", "1"]);
    assert_eq!((code, played(&run)), (0, counts));
    let file = "[a]\nread_iolog=log\nreplay_redirect=.\nreplay_no_stall=1\n";
    std::fs::write(place.path().join("again.fio"), file).unwrap();
    let (code, run) = place.document(&["run", "again.fio", "--trials", "1"]);
    assert_eq!((code, played(&run)), (0, counts));
}

#[test]
fn one_recording_at_two_places_is_one_work_and_another_is_not() {
    let place = StoryFolder::new();
    recording(&place);
    let other = place.path().join("other");
    std::fs::copy(place.path().join("log"), &other).unwrap();
    let run = |log: &str| {
        let line = ["run", "disk.replay", "--replay", log, "--speed", "max", "--trials", "2"];
        let (code, run) = place.document(&line);
        assert_eq!(code, 0, "{run:#}");
        run["id"].as_str().unwrap().to_owned()
    };
    let (one, two) = (run("log"), run("other"));
    let compared = place.run(&["compare", &one, &two]);
    assert_eq!(compared.status.code(), Some(0), "{}", stderr(&compared));
    let log = std::fs::read_to_string(&other).unwrap();
    std::fs::write(&other, log.replace("data read 0 4096", "data read 4096 4096")).unwrap();
    let three = run("other");
    let refused = place.run(&["compare", &one, &three]);
    assert_eq!(refused.status.code(), Some(2), "{}", stdout(&refused));
    assert!(joined(&stderr(&refused)).contains("recordingsha256:"), "{}", stderr(&refused));
}

/// What a command asked of the disk, by kind.
fn asked(place: &StoryFolder, path: &str, options: &[&str], command: &[&str]) -> Value {
    let output = place.run(&[&["trace", path, "--json"][..], options, &["--"], command].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    json(&output)["devices"][0]["asked"]["operations"].clone()
}

#[test]
fn writes_that_were_forced_are_forced_again() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let to = format!("of={}", disk.path);
    let forced = ["dd", "if=/dev/zero", &to, "bs=4k", "count=8", "oflag=direct,dsync"];
    let recorded = asked(&place, &disk.path, &["--save", "forced.trace"], &forced);
    if recorded["fua"] != 8 {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {recorded}");
        println!("skipped: this kernel sends no FUA here: {recorded}");
        return;
    }
    let (program, store) = (program().display().to_string(), place.store().display().to_string());
    let line = ["run", "disk.replay", "--replay", "forced.trace", "--speed", "max", "--trials", "1"];
    let target = ["--target", &disk.path, "--destroy", &disk.path, "--store", &store];
    let played = asked(&place, &disk.path, &[], &[&[program.as_str()][..], &line, &target].concat());
    assert!(played["fua"].as_u64().unwrap() >= 8, "{played}");
}
