//! Arrays to which something happens while a load drives them: a member fails, a spare becomes one more, copies are
//! compared. Disks are small and synchronise slowly, so that each phase is seen.

use serde_json::Value;

use crate::common::{StoryFolder, agent_of, flat, lives, signal, stderr, stdout};
use crate::stack::{DISKS, nothing_is_left};
use crate::test_bed::{TestBed, eventually};

/// Four disks of 96 MiB.
fn small_disks() -> TestBed {
    let mut bed = TestBed::new();
    bed.module("brd", &["rd_nr=4", "rd_size=98304", "max_part=8"]);
    bed
}

fn arguments<'a>(target: &'a str, stack: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let destroy: Vec<&str> = DISKS.iter().flat_map(|disk| ["--destroy", *disk]).collect();
    let run = ["run", "disk.rebuild", "--target", target, "--stack", stack, "--phase-duration", "1s"];
    let load = ["--pattern", "randrw", "--size", "16MiB"];
    [&run[..], &destroy, &load, more].concat()
}

fn metric(trial: &Value, name: &str) -> Option<f64> {
    trial["loads"][0]["metrics"][name]["value"].as_f64()
}

/// The trials of a run with one case, all of them good.
fn trials(document: &Value) -> Vec<Value> {
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1, "{document}");
    let trials = cases[0]["trials"].as_array().unwrap().clone();
    assert!(trials.iter().all(|trial| trial["status"] == "ok"), "{document}");
    trials
}

/// That a trial tells of these phases, each with its rate, and of no other.
fn has_phases(trial: &Value, phases: &[&str]) {
    let facts = &trial["loads"][0]["facts"];
    assert_eq!(facts["window_phases"], serde_json::json!(phases), "{facts}");
    assert_eq!(facts["window_phase_seconds"].as_array().unwrap().len(), phases.len());
    for phase in ["before", "degraded", "during", "after"] {
        let rate = metric(trial, &format!("{phase}_per_second"));
        assert_eq!(rate.is_some_and(|rate| rate > 0.0), phases.contains(&phase), "{phase}: {trial}");
    }
    assert!(metric(trial, "resync_rate").unwrap() > 0.0, "{trial}");
    assert!(metric(trial, "time_to_whole").unwrap() > 0.0, "{trial}");
    let series = trial["loads"][0]["series"].as_array().unwrap();
    for name in ["latency_max", "resync_rate"] {
        assert!(series.iter().any(|series| series["name"] == name), "no {name}: {series:?}");
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_member_that_fails_under_load_is_rebuilt_and_each_phase_is_told() {
    let _bed = small_disks();
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid5(a+b+c; assume-clean=yes; chunk=64k; sync-speed-max=16m) > ext4";
    let (code, document) = place.document(&arguments(&target, stack, &["--trials", "2"]));
    assert_eq!(code, 0, "{document}");
    let all = trials(&document);
    assert_eq!(all.len(), 2);
    for trial in &all {
        has_phases(trial, &["before", "degraded", "during", "after"]);
    }
    let page = flat(&stdout(&place.run(&["show", "last", "-v"])));
    assert!(page.contains("degraded") && page.contains("resync"), "{page}");
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_spare_takes_the_place_of_a_member_that_fails_and_the_next_trial_has_one_again() {
    let _bed = small_disks();
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid1(a+b+c; spares=1; assume-clean=yes; sync-speed-max=16m)";
    let (code, document) = place.document(&arguments(&target, stack, &["--trials", "2"]));
    assert_eq!(code, 0, "{document}");
    let all = trials(&document);
    assert_eq!(all.len(), 2);
    for trial in &all {
        has_phases(trial, &["before", "during", "after"]);
    }
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_array_grows_under_load_and_so_does_the_file_system_on_it() {
    let _bed = small_disks();
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid5(a+b+c+d; spares=1; assume-clean=yes; chunk=64k; sync-speed-max=16m) > ext4";
    let (code, document) = place.document(&arguments(&target, stack, &["--event", "grow", "--trials", "2"]));
    assert_eq!(code, 0, "{document}");
    let all = trials(&document);
    assert_eq!(all.len(), 2, "each has a stack of its own");
    for trial in &all {
        has_phases(trial, &["before", "during", "after"]);
        assert!(metric(trial, "growth_time").unwrap() > 0.0, "{trial}");
    }
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_scrub_under_load_finds_copies_that_agree() {
    let _bed = small_disks();
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid6(a+b+c+d; sync-speed-max=16m) > luks > ext4";
    let (code, document) = place.document(&arguments(&target, stack, &["--event", "scrub", "--trials", "1"]));
    assert_eq!(code, 0, "{document}");
    let trial = &trials(&document)[0];
    has_phases(trial, &["before", "during", "after"]);
    assert_eq!(metric(trial, "mismatches"), Some(0.0), "{trial}");
    // It was synchronised when it was made, at a speed that is told with what md allows.
    let facts = &trial["loads"][0]["facts"];
    assert_eq!(facts["sync_speed_most"].as_f64(), Some(f64::from(16 << 20)), "{facts}");
    assert!(facts["initial_sync_rate"].as_f64().unwrap() > 0.0, "{facts}");
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn restore_takes_down_an_array_that_lacks_a_member() {
    use rustix::process::Signal;
    let _bed = small_disks();
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid5(a+b+c; assume-clean=yes; sync-speed-max=1m) > ext4";
    let mut run = place.start(&arguments(&target, stack, &["--trials", "1"]));
    let agent = agent_of(run.id());
    eventually("a member is missing", || {
        std::fs::read_to_string("/proc/mdstat").unwrap_or_default().contains("[3/2]")
    });
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&restored).contains("ext4, raid5"), "{}", stdout(&restored));
    nothing_is_left(&place);
}
