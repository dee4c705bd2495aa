//! Loads on a storage stack that is made for them (`docs/guide/stack.md`): on loop devices, with what the kernel of a
//! test machine has. Arrays, LUKS and LVM are in the guest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, agent_of, eventually, flat, kill_together, lives, signal, stderr, stdout};

pub(crate) const QUICK: &[&str] =
    &["--duration", "60ms", "--warm-up", "10ms", "--trials", "2", "--size", "16MiB"];
pub(crate) const SMALL: &[&str] = &["--target", "data", "--member-size", "512MiB"];

/// A folder with an empty one for targets in it.
pub(crate) fn place() -> StoryFolder {
    let place = StoryFolder::new();
    std::fs::create_dir(place.path().join("data")).unwrap();
    place
}

/// Whether stacks can be made here; where not, that is said.
pub(crate) fn can_make(place: &StoryFolder, stack: &str) -> bool {
    let arguments = [&["run", "disk", "--stack", stack, "--dry-run"][..], SMALL].concat();
    let plan = place.run(&arguments);
    if plan.status.code() != Some(3) {
        assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {}", stderr(&plan));
    println!("skipped: {}", flat(&stderr(&plan)));
    false
}

/// What is mounted in the folder of states of a story.
pub(crate) fn mounts(place: &StoryFolder) -> Vec<String> {
    let state = place.path().canonicalize().unwrap().join("store.db-state/stacks");
    let all = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let state = state.to_string_lossy().into_owned();
    all.lines().filter(|line| line.contains(&state)).map(str::to_owned).collect()
}

/// That nothing of a stack is there any more.
pub(crate) fn nothing_is_left(place: &StoryFolder) {
    assert_eq!(mounts(place), Vec::<String>::new());
    let stacks = place.path().join("store.db-state/stacks");
    let left: Vec<_> = stacks.read_dir().map_or_else(|_| Vec::new(), Iterator::collect);
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(place.path().join("data").read_dir().unwrap().count(), 0);
    no_loop_device_is_left(&place.path().canonicalize().unwrap());
}

/// That no loop device stands on a file of this folder.
fn no_loop_device_is_left(folder: &Path) {
    let folder = folder.to_string_lossy().into_owned();
    eventually("no loop device stands on a file of the story", || {
        let devices = Path::new("/sys/block").read_dir().unwrap().flatten();
        let files = devices.filter_map(|d| std::fs::read_to_string(d.path().join("loop/backing_file")).ok());
        !files.into_iter().any(|file| file.contains(&folder))
    });
}

fn resources(case: &Value) -> Vec<String> {
    let steps = case["path"].as_array().unwrap().iter();
    steps.map(|step| step["resource"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn run_on(place: &StoryFolder, stack: &str, more: &[&str]) -> Value {
    let (code, document) =
        place.document(&[&["run", "disk", "--stack", stack][..], SMALL, QUICK, more].concat());
    assert_eq!(code, 0, "{document}");
    document
}

#[test]
fn a_load_runs_on_a_stack_and_nothing_is_left() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let document = run_on(&place, "loop > ext4", &["--pattern", "randread,randwrite"]);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        let path = resources(case);
        let has = |end: &str| path.iter().any(|resource| resource.contains(end));
        assert!(has("(ext4)") && has("block:loop"), "the path is that of the stack: {path:?}");
        for trial in case["trials"].as_array().unwrap() {
            assert_eq!(trial["status"], "ok", "{trial}");
        }
        let text = case.to_string();
        assert!(text.contains("\"stack\":\"loop > ext4\"") && text.contains("mkfs.ext4"), "{text}");
    }
    nothing_is_left(&place);
}

#[test]
fn each_layer_is_measured_with_the_same_load() {
    let place = place();
    if !can_make(&place, "loop > btrfs") {
        return;
    }
    let document = run_on(&place, "loop > btrfs", &["--layers", "--pattern", "randwrite"]);
    let cases = document["cases"].as_array().unwrap();
    let main = |case: &Value| case["loads"][0]["parameters"].clone();
    let layers: Vec<Value> = cases.iter().map(|case| main(case)["layer"].clone()).collect();
    assert_eq!(layers, ["loop", "btrfs"]);
    assert_eq!(main(&cases[0])["size"], main(&cases[1])["size"]);
    assert_eq!(cases[0]["work_id"], cases[1]["work_id"]);
    // Each trial has the devices that it passed.
    let storage = |case: &Value| case["trials"][0]["machines"][0]["storage"]["devices"].clone();
    for case in cases {
        let highest = storage(case)[0].clone();
        assert!(highest["resource"].as_str().unwrap().starts_with("block:loop"), "{highest}");
        assert_eq!(highest["kind"], "loop", "{highest}");
    }
    let page = stdout(&place.run(&["show", "last", "-v"]));
    assert!(flat(&page).contains("The last column is the ratio to the layer below"), "{page}");
    assert!(flat(&page).contains("Times of making") && page.contains("mkfs.btrfs"), "{page}");
    // The facts of a trial have a step of each layer that was made for it.
    let facts = |case: &Value| case["trials"][0]["loads"][0]["facts"].clone();
    let steps = |case: &Value| facts(case)["stack_steps"].as_array().unwrap().clone();
    assert_eq!(steps(&cases[0]), ["loop-device"]);
    assert_eq!(steps(&cases[1]), ["loop-device", "mkfs.btrfs", "mount"]);
    assert_eq!(facts(&cases[1])["stack_step_layers"], serde_json::json!(["loop", "btrfs", "btrfs"]));
    let seconds = facts(&cases[1])["stack_step_seconds"].as_array().unwrap().clone();
    assert!(seconds.iter().all(|took| took.as_f64().unwrap() > 0.0), "{seconds:?}");
    nothing_is_left(&place);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_study_of_layers_has_each_layer_under_each_load() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let (code, document) = place.document(&[&["run", "storage-layers"][..], SMALL, QUICK].concat());
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let of =
        |layer: &str| cases.iter().filter(|case| case["loads"][0]["parameters"]["layer"] == layer).count();
    assert_eq!((cases.len(), of("loop"), of("ext4")), (14, 7, 7));
    for case in cases {
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
    }
    nothing_is_left(&place);
}

#[test]
fn several_stacks_and_other_loads_are_measured_in_turn() {
    let place = place();
    if !can_make(&place, "loop > ext4,loop > xfs") {
        return;
    }
    let short = ["--files", "200", "--threads", "1", "--trials", "1", "--warm-up", "10ms"];
    let stacks = ["run", "file.metadata", "--stack", "loop > ext4,loop > xfs"];
    let (code, document) = place.document(&[&stacks[..], SMALL, &short].concat());
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["cases"].as_array().unwrap().len(), 2);
    let rows =
        ["--tables", "1", "--rows", "500", "--trials", "1", "--duration", "100ms", "--warm-up", "10ms"];
    let (code, document) =
        place.document(&[&["run", "db.oltp", "--stack", "loop > ext4"][..], SMALL, &rows].concat());
    assert_eq!(code, 0, "{document}");
    nothing_is_left(&place);
}

#[test]
fn a_plan_touches_nothing_and_says_what_is_made() {
    let place = place();
    if !can_make(&place, "loop(a+b) > btrfs") {
        return;
    }
    let arguments = [&["run", "disk", "--stack", "loop(a+b) > btrfs", "--dry-run"][..], SMALL].concat();
    let plan = place.run(&arguments);
    let said = flat(&stdout(&plan));
    assert!(said.contains("the stack loop > btrfs is made on 2 files of 512 MiB"), "{said}");
    nothing_is_left(&place);
}

#[test]
fn a_stack_that_cannot_be_has_its_message() {
    let place = place();
    for (arguments, code, message) in [
        (&["--stack", "loop > ext5"][..], 2, "no layer `ext5`"),
        (&["--stack", "raid6(a+b)"], 2, "at least 4 devices"),
        (&["--layers"], 2, "goes with a stack"),
        (&["--stack", "loop > ext4", "--layer", "xfs"], 2, "no layer `xfs`"),
        (&["--stack", "loop > ext4", "--present", "iscsi"], 2, "nothing can stand on `ext4`"),
        (&["--stack", "loop", "--present", "nfs"], 2, "presents a mounted file system"),
        (&["--present", "nbd"], 2, "nbd"),
        (&["--stack", "loop > ext4", "--layers", "--layer", "ext4"], 2, "given twice"),
        (&["--stack", "loop > ext4(mount=bind)"], 2, "no option of mount(8)"),
    ] {
        let output = place.run(&[&["run", "disk"][..], SMALL, arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        let said = flat(&stderr(&output));
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    nothing_is_left(&place);
}

#[test]
fn what_would_outlive_a_stack_or_age_it_is_refused() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    for (load, arguments, message) in [
        ("db.oltp", &["--keep-data", "yes"][..], "nothing can be kept: a stack is taken down"),
        ("disk", &["--precondition", "full", "--size", "16MiB"], "a target on a stack is new"),
        ("db.oltp", &["--layer", "loop"], "db.oltp works in a folder"),
    ] {
        let output = place.run(&[&["run", load, "--stack", "loop > ext4"][..], SMALL, arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{load}: {}", stderr(&output));
        let said = flat(&stderr(&output));
        assert!(said.contains(message), "{load}: {said}");
    }
    nothing_is_left(&place);
}

#[test]
fn what_a_run_left_that_was_killed_with_its_agent_is_taken_down() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let long = ["run", "disk", "--stack", "loop > ext4", "--duration", "60s", "--trials", "1"];
    for by_restore in [true, false] {
        let mut run = place.start(&[&long[..], SMALL].concat());
        let agent = agent_of(run.id());
        eventually("the stack is there", || !mounts(&place).is_empty());
        kill_together([run.id(), agent]);
        run.wait().unwrap();
        eventually("both are gone", || !lives(agent));
        assert_eq!(mounts(&place).len(), 1, "it is left");
        if by_restore {
            let restored = place.run(&["restore"]);
            assert_eq!(restored.status.code(), Some(0), "{}", stderr(&restored));
            assert!(flat(&stdout(&restored)).contains("it is taken down (ext4"), "{}", stdout(&restored));
        } else {
            let next = place.run(&["run", "null", "--duration", "50ms", "--trials", "1"]);
            assert_eq!(next.status.code(), Some(0), "{}", stderr(&next));
            assert!(flat(&stderr(&next)).contains("it is taken down (ext4"), "{}", stderr(&next));
        }
        nothing_is_left(&place);
    }
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}

#[test]
fn what_a_failing_story_leaves_is_taken_down_with_its_folder() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let long = ["run", "disk", "--stack", "loop > ext4", "--duration", "60s", "--trials", "1"];
    let mut run = place.start(&[&long[..], SMALL].concat());
    let agent = agent_of(run.id());
    eventually("the stack is there", || !mounts(&place).is_empty());
    kill_together([run.id(), agent]);
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    let folder = place.path().canonicalize().unwrap();
    let story = AssertUnwindSafe(move || assert!(mounts(&place).is_empty(), "this story fails, as it is to"));
    assert!(catch_unwind(story).is_err());
    assert!(!folder.exists());
    let mounted = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounted.contains(&*folder.to_string_lossy()), "{mounted}");
    no_loop_device_is_left(&folder);
}

#[test]
fn an_agent_that_was_killed_leaves_no_stack_in_the_way_of_the_next_trial() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let several =
        ["run", "disk", "--stack", "loop > ext4", "--duration", "2s", "--trials", "3", "--json=full"];
    let run = place.start(&[&several[..], SMALL].concat());
    let agent = agent_of(run.id());
    eventually("the stack is there", || !mounts(&place).is_empty());
    signal(agent, Signal::KILL);
    let output = run.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials = document["cases"][0]["trials"].as_array().unwrap();
    let of = |status: &str| trials.iter().filter(|trial| trial["status"] == status).count();
    assert!(of("ok") >= 1 && of("failed") <= 1, "{document}");
    nothing_is_left(&place);
}

#[test]
fn an_interrupted_run_takes_its_stack_down() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let long = ["run", "disk", "--stack", "loop > ext4", "--duration", "60s", "--trials", "1"];
    let mut run = place.start(&[&long[..], SMALL].concat());
    eventually("the stack is there", || !mounts(&place).is_empty());
    signal(run.id(), Signal::INT);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    nothing_is_left(&place);
}

#[test]
fn a_stack_is_written_to_its_very_end() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let stack = ["run", "disk", "--stack", "loop > ext4", "--target", "data", "--member-size", "48MiB"];
    let full = ["--layers", "--pattern", "write", "--block-size", "1MiB", "--until", "full", "--trials", "1"];
    let (code, document) = place.document(&[&stack[..], &full].concat());
    assert_eq!(code, 0, "{document}");
    let written = |case: &Value| case["trials"][0]["loads"][0]["facts"]["bytes_written"].as_f64().unwrap();
    let cases = document["cases"].as_array().unwrap();
    // No space left is the end of both: of the device all of it, of the file system less.
    let [device, file] = [&cases[0], &cases[1]].map(written);
    assert!((device - 48.0 * 1048576.0).abs() < 2.0 * 1048576.0, "{device}");
    assert!(file < device && file > 16.0 * 1048576.0, "{file}");
    nothing_is_left(&place);
}

#[test]
fn a_recording_is_played_at_each_layer() {
    let place = place();
    if !can_make(&place, "loop > ext4") {
        return;
    }
    let mut log = "fio version 3 iolog\n0 disk add\n0 disk open\n".to_owned();
    for n in 0..8u64 {
        let action = if n % 2 == 0 { "write" } else { "read" };
        log.push_str(&format!("{} disk {action} {} 4096\n", n * 100, n * 65536));
    }
    std::fs::write(place.path().join("log"), log).unwrap();
    let replay = ["run", "disk.replay", "--replay", "log", "--speed", "max", "--trials", "1"];
    // Of a file system 64 MiB always stay free.
    let stack = ["--stack", "loop > ext4", "--target", "data", "--member-size", "160MiB", "--layers"];
    let (code, document) = place.document(&[&replay[..], &stack].concat());
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2, "{document}");
    for case in cases {
        let facts = &case["trials"][0]["loads"][0]["facts"];
        assert_eq!([&facts["played_writes"], &facts["played_reads"]], [4, 4], "{case}");
    }
    nothing_is_left(&place);
}
