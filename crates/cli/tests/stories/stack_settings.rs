//! Settings of a storage stack that is made for a load (`docs/guide/stack.md`): at its top, at a layer that is named, at
//! each layer, and what is left of them after a kill.

use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, agent_of, eventually, flat, lives, signal, stderr, stdout};
use crate::stack::{QUICK, SMALL, can_make, mounts, nothing_is_left, place, run_on};

/// How many settings the journal of a story says are changed.
fn changed(place: &StoryFolder) -> usize {
    let journal = place.path().join("store.db-state/settings.journal");
    std::fs::read_to_string(journal).map_or(0, |text| text.lines().count())
}

/// The requests that the queue of a device holds. A loop device keeps that when no file is attached any more.
fn requests(device: &str) -> u64 {
    let name = device.rsplit(['/', ':']).next().unwrap();
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/queue/nr_requests")).unwrap();
    text.trim().parse().unwrap()
}

/// How a setting stood in a case.
fn state<'a>(case: &'a Value, key: &str) -> &'a Value {
    let states = case["settings"][key].as_array().unwrap();
    assert_eq!(states.len(), 1, "{key}: {states:?}");
    &states[0]
}

/// That the queue of the device of a setting is as it was.
fn is_as_before(state: &Value) {
    let (device, before) = (state["resource"].as_str().unwrap(), state["before"].as_u64().unwrap());
    eventually("the queue is as before", || requests(device) == before);
}

/// The device on which the file system of a story's stack stands.
fn device(place: &StoryFolder) -> String {
    let mounted = mounts(place);
    let (_, behind) = mounted[0].split_once(" - ").unwrap();
    behind.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn settings_hold_at_the_top_of_a_stack_and_at_a_layer_that_is_named() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let sets = ["--set", "queue-requests=64,100", "--set", "mount-options@ext4=noatime"];
    let dry = [&["run", "disk", "--stack", "loop > ext4", "--dry-run"][..], SMALL, &sets].concat();
    let plan = flat(&stdout(&place.run(&dry)));
    let queue = "changes queue-requests of the layer loop of loop > ext4: 64, 100; and puts it back";
    assert!(plan.contains(queue), "{plan}");
    assert!(plan.contains("changes mount-options of the layer ext4 of loop > ext4: noatime"), "{plan}");
    let document = run_on(&place, "loop > ext4", &sets);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for (case, level) in cases.iter().zip([64, 100]) {
        let queue = state(case, "queue-requests");
        assert!(queue["resource"].as_str().unwrap().starts_with("block:loop"), "{queue}");
        assert_eq!((&queue["asked"], &queue["read_back"]), (&level.into(), &level.into()));
        let options = state(case, "mount-options@ext4");
        assert!(options["resource"].as_str().unwrap().contains("/stacks/headroom_"), "{options}");
        assert_eq!(options["read_back"], "noatime");
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
        assert_eq!(case["work_id"], cases[0]["work_id"], "a setting is no other work");
    }
    assert_eq!(changed(&place), 0);
    is_as_before(state(&cases[0], "queue-requests"));
    nothing_is_left(&place);
}

#[test]
fn a_study_file_has_the_same_settings() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let text = "[[workload]]\nkind = 'disk'\ntarget = 'data'\nmember-size = '512MiB'\nsize = '16MiB'\nduration = '60ms'\n\
                stack = [{ kind = 'loop' }, { kind = 'ext4' }]\n\
                [trials]\ntrials = 1\nwarm-up = '10ms'\n[settings]\n'queue-requests@loop' = 64\n";
    std::fs::write(place.path().join("study.toml"), text).unwrap();
    let (code, document) = place.document(&["run", "study.toml"]);
    assert_eq!(code, 0, "{document}");
    let queue = state(&document["cases"][0], "queue-requests@loop");
    assert_eq!(queue["read_back"], 64);
    is_as_before(queue);
    nothing_is_left(&place);
}

#[test]
fn a_setting_that_each_layer_has_is_measured_at_each() {
    let place = place();
    if !can_make(&place, "loop > btrfs") {
        return;
    }
    let layers = ["--layers", "--pattern", "randwrite", "--set", "queue-requests=64"];
    let document = run_on(&place, "loop > btrfs", &layers);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        let queue = state(case, "queue-requests");
        assert!(queue["resource"].as_str().unwrap().starts_with("block:loop"), "{queue}");
        assert_eq!(queue["read_back"], 64);
    }
    let page = flat(&stdout(&place.run(&["show", "last", "-v"])));
    assert!(page.contains("The last column is the ratio to the layer below"), "{page}");
    assert_eq!(changed(&place), 0);
    cases.iter().for_each(|case| is_as_before(state(case, "queue-requests")));
    nothing_is_left(&place);
}

#[test]
fn a_setting_that_has_no_place_on_a_stack_has_its_message() {
    let place = place();
    for (stack, arguments, message) in [
        ("loop > ext4", &["--set", "read-ahead@luks=0"][..], "no block device or layer of a stack `luks`"),
        (
            "loop > ext4",
            &["--set", "mount-options@luks=noatime"],
            "the stack loop > ext4 has no layer `luks`",
        ),
        ("loop > ext4", &["--set", "read-ahead@ext4=0"], "here it may be read-ahead@loop"),
        (
            "loop > ext4",
            &["--set", "mount-options=noatime", "--layers"],
            "the layer `loop` is a block device",
        ),
        ("loop > ext4", &["--set", "mount-options@ext4=noatime", "--layers"], "which is not made where"),
        ("loop > luks > luks", &["--set", "read-ahead@luks-3=0"], "loop, luks, luks-2"),
        ("loop > ext4", &["--set", "device-write-cache=no"], "name the disk: device-write-cache@sda"),
    ] {
        let output = place.run(&[&["run", "disk", "--stack", stack][..], SMALL, QUICK, arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        let said = flat(&stderr(&output));
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    nothing_is_left(&place);
}

/// Starts a long run with these settings, and kills it together with its agent once all are made.
fn kill_under(place: &StoryFolder, sets: &[&str]) {
    let long = ["run", "disk", "--stack", "loop > ext4", "--duration", "60s", "--trials", "1"];
    let mut run = place.start(&[&long[..], SMALL, sets].concat());
    let agent = agent_of(run.id());
    let all = sets.iter().filter(|word| **word == "--set").count();
    // A setting is written down before it is changed.
    let is_queue_set = || !sets.contains(&"queue-requests=64") || requests(&device(place)) == 64;
    eventually("all are changed", || {
        let is_mounted = mounts(place).iter().any(|line| line.contains("noatime"));
        changed(place) == all && is_mounted && is_queue_set()
    });
    // Neither may clean up: both are stopped before they are killed.
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
}

/// What `restore` says, after which nothing is to be done.
fn restored(place: &StoryFolder) -> String {
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
    nothing_is_left(place);
    flat(&stdout(&restored))
}

#[test]
fn restore_puts_settings_back_before_it_takes_their_stack_down() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    kill_under(&place, &["--set", "queue-requests=64", "--set", "mount-options=noatime"]);
    let device = device(&place);
    assert_eq!(requests(&device), 64);
    let refused = place.run(&["run", "null", "--duration", "50ms", "--trials", "1"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let said = restored(&place);
    assert!(said.contains("it is taken down (ext4"), "{said}");
    let name = device.trim_start_matches("/dev/");
    assert!(said.contains(&format!("queue-requests of block:{name}: put back from 64 to ")), "{said}");
    assert!(said.contains("mount-options of filesystem:") && !said.contains("no longer exists"), "{said}");
    // A loop device keeps its queue when its file is gone.
    eventually("the queue is as before", || requests(&device) > 64);
}

#[test]
fn a_mount_that_is_gone_has_nothing_to_put_back() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    kill_under(&place, &["--set", "mount-options=noatime"]);
    let mounted = mounts(&place);
    let point = mounted[0].split(' ').nth(4).unwrap();
    assert!(Command::new("umount").arg(point).status().unwrap().success());
    let said = restored(&place);
    let gone = format!("mount-options of filesystem:{point}: it no longer exists");
    assert!(said.contains(&gone), "{said}");
}

#[test]
fn an_agent_that_follows_a_killed_one_has_the_settings_on_a_new_stack() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let several =
        ["run", "disk", "--stack", "loop > ext4", "--duration", "2s", "--trials", "3", "--json=full"];
    let sets = ["--set", "queue-requests=64", "--set", "mount-options=noatime"];
    let run = place.start(&[&several[..], SMALL, &sets].concat());
    let agent = agent_of(run.id());
    eventually("both are changed", || changed(&place) == 2);
    let first = device(&place);
    signal(agent, Signal::KILL);
    let output = run.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let case = &document["cases"][0];
    let trials = case["trials"].as_array().unwrap();
    let of = |status: &str| trials.iter().filter(|trial| trial["status"] == status).count();
    assert!(of("ok") >= 1 && of("failed") <= 1, "{document}");
    assert_eq!(state(case, "queue-requests")["read_back"], 64);
    assert_eq!(changed(&place), 0);
    is_as_before(state(case, "queue-requests"));
    eventually("the first one is as before, too", || requests(&first) > 64);
    nothing_is_left(&place);
}
