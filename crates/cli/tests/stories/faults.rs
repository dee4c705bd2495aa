//! What goes wrong while a run is under way: the load dies or hangs, the disk
//! is full, the person stops it, everything is killed.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Stdio;
use std::time::Duration;

use crate::common::{
    StoryFolder, agent_of, eventually, interrupted, lives, signal, stderr, trials, wait_for_trials,
};
use rustix::process::Signal;

const LONG: &[&str] = &["run", "null", "--duration", "400ms", "--warm-up", "10ms", "--trials", "5"];

/// Kills the agent during a trial; the trial fails with the reason, the others
/// go on.
fn killed_by(with: Signal, says: &str) {
    let place = StoryFolder::new();
    let run = place.start(LONG);
    wait_for_trials(&place, 1);
    std::thread::sleep(Duration::from_millis(100));
    let agent = agent_of(run.id());
    signal(agent, with);
    if with == Signal::BUS {
        // Rust's runtime takes the first SIGBUS for a stack overflow that did
        // not happen, restores the default and lets the access fault again;
        // a signal that was sent does not come again by itself.
        std::thread::sleep(Duration::from_millis(20));
        signal(agent, with);
    }
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    let all = trials(&document);
    assert_eq!(all.len(), 5);
    let failed: Vec<_> = all.iter().filter(|t| t["status"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0]["reason"].as_str().unwrap().contains(says), "{failed:?}");
    assert!(stderr(&output).contains("a trial failed"), "{}", stderr(&output));
    assert_eq!(document["cases"][0]["loads"][0]["estimates"]["operations_per_second"]["n"], 4);
}

#[test]
fn a_load_killed_by_sigkill_fails_its_trial_only() {
    killed_by(Signal::KILL, "SIGKILL");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_load_killed_by_sigbus_fails_its_trial_only() {
    killed_by(Signal::BUS, "SIGBUS");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_load_that_hangs_fails_its_trial_only() {
    let place = StoryFolder::new();
    let run = place.start(&[LONG, &["--patience", "1s"]].concat());
    wait_for_trials(&place, 1);
    std::thread::sleep(Duration::from_millis(100));
    let agent = agent_of(run.id());
    signal(agent, Signal::STOP);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    let failed: Vec<_> = trials(&document).into_iter().filter(|t| t["status"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0]["reason"].as_str().unwrap().contains("no progress"), "{failed:?}");
    assert!(!lives(agent), "the hung agent lives on");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_file_cut_short_during_a_trial_fails_it_with_the_place() {
    let place = StoryFolder::new();
    let file = place.path().join("data");
    std::fs::write(&file, vec![5u8; 8 << 20]).unwrap();
    let run = place.start(&[
        "run",
        "disk",
        "--target",
        "data",
        "--duration",
        "2s",
        "--trials",
        "1",
        "--patience",
        "5s",
    ]);
    eventually("the run reads the file", || {
        let agent = agent_of(run.id());
        let Ok(folder) = std::fs::read_dir(format!("/proc/{agent}/fd")) else { return false };
        folder.flatten().filter_map(|e| std::fs::read_link(e.path()).ok()).filter(|p| *p == file).count() >= 2
    });
    std::thread::sleep(Duration::from_millis(500));
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(4096).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    let reason = trials(&document)[0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("data at ") && reason.contains("moved"), "{reason}");
}

/// Interrupts at several moments: while the file is made, in the warm-up, in a
/// trial.
#[test]
fn an_interrupt_leaves_nothing_and_stores_what_was_finished() {
    for (pause_ms, with) in [(0, Signal::INT), (60, Signal::INT), (400, Signal::TERM), (900, Signal::HUP)] {
        let place = StoryFolder::new();
        let run = place.start(&["run", "disk", "--size", "256MiB", "--duration", "300ms", "--trials", "50"]);
        let agent = agent_of(run.id());
        std::thread::sleep(Duration::from_millis(pause_ms));
        signal(run.id(), with);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "after {pause_ms} ms: {}", stderr(&output));
        assert_eq!(place.names(), Vec::<String>::new(), "after {pause_ms} ms");
        eventually("the agent ends", || !lives(agent));
        if place.store().exists() && pause_ms > 0 {
            let list = crate::common::stdout(&place.run(&["list"]));
            assert!(list.contains("interrupted") || list.contains("No runs"), "{list}");
        }
    }
}

#[test]
fn an_interrupted_run_keeps_its_finished_trials() {
    let place = StoryFolder::new();
    let document = interrupted(&place, LONG, 2);
    assert_eq!(document["outcome"], "interrupted");
    let all = trials(&document);
    assert!((2..5).contains(&all.len()), "{}", all.len());
    assert!(all.iter().all(|t| t["status"] == "ok"));
    assert!(document["cases"][0]["loads"][0]["estimates"]["operations_per_second"]["n"].as_u64() >= Some(2));
}

/// As `timeout -s INT` does: to the program, then to its group, in which it is too.
#[test]
fn regression_an_interrupt_sent_to_the_group_too_left_the_run_unfinished() {
    let place = StoryFolder::new();
    let mut command = place.command(LONG);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    wait_for_trials(&place, 1);
    signal(run.id(), Signal::INT);
    // So that the first is not still on its way, and both are one to the kernel.
    std::thread::sleep(Duration::from_millis(20));
    let group = rustix::process::Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap();
    rustix::process::kill_process_group(group, Signal::INT).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "interrupted");
    assert!(document.get("finished").is_some());
}

#[test]
fn regression_a_run_that_broke_a_promise_of_its_study_ended_with_0() {
    let place = StoryFolder::new();
    for (promise, code, how) in [("1h", 0, "kept"), ("1us", 1, "short")] {
        let study = format!(
            "[[workload]]\nkind = \"scheduler.timer\"\nduration = \"50ms\"\n\n[expect]\nlateness_p50 = \"{promise}\"\n"
        );
        std::fs::write(place.path().join("a.toml"), study).unwrap();
        let (found, document) = place.document(&["run", "./a.toml", "--trials", "2"]);
        let findings = document["cases"][0]["findings"].as_array().unwrap();
        let promise = findings.iter().find(|f| f["code"] == "promise").unwrap();
        assert_eq!((found, &promise["args"]["how"]), (code, &how.into()), "{promise:#}");
    }
}

#[test]
fn a_killed_run_is_readable_and_marked_unfinished_and_its_agent_ends() {
    let place = StoryFolder::new();
    let mut run = place.start(&["run", "disk", "--size", "32MiB", "--duration", "400ms", "--trials", "5"]);
    let agent = agent_of(run.id());
    wait_for_trials(&place, 2);
    run.kill().unwrap();
    assert_eq!(run.wait().unwrap().signal(), Some(9));
    eventually("the agent ends without its controller", || !lives(agent));
    assert_eq!(place.names(), Vec::<String>::new());
    let list = crate::common::stdout(&place.run(&["list"]));
    assert!(list.contains("unfinished"), "{list}");
    let document = place.stored();
    assert!(document.get("finished").is_none());
    assert!(trials(&document).len() >= 2);
    let show = crate::common::stdout(&place.run(&["show", "last"]));
    assert!(show.contains("unfinished") && show.contains("IOPS"), "{show}");
}

/// A real full file system: a small tmpfs of our own, in a mount namespace of
/// our own, with the store elsewhere.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_full_file_system_fails_the_trials_with_the_reason() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: mounting a tmpfs needs root");
        return;
    }
    let place = StoryFolder::new();
    let small = place.path().join("small");
    std::fs::create_dir(&small).unwrap();
    // Each file alone has room; both together do not.
    let headroom = env!("CARGO_BIN_EXE_headroom");
    let command = format!(
        "mount -t tmpfs -o size=200m none '{small}' && cd '{small}' && \
         {headroom} run disk --size 100MiB --with 'disk --pattern write --size 120MiB' --duration 100ms --trials 2 \
         --store '{store}'; code=$?; umount -l '{small}'; exit $code",
        small = small.display(),
        store = place.store().display(),
    );
    let output = std::process::Command::new("unshare").args(["-m", "sh", "-c", &command]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("no room for a file of 120 MiB"), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    assert!(trials(&document).iter().all(|t| t["status"] == "failed"));
}
