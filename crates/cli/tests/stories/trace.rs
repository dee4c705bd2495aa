//! `headroom trace`: what dd does to a loop device is counted, read again from files, and told
//! to those who may not trace; and nothing is left in the kernel. These stories need root,
//! tracefs and loop devices; where they cannot run they say so, and in CI they must.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, copy_of_program, program, signal, stderr, stdout};
use crate::device::Disk;

const WRITES: u64 = 16;
const WRITE_BYTES: u64 = 64 << 10;

/// dd's arguments for direct writes of a size that no loop device splits.
pub(crate) fn dd(disk: &Disk) -> [String; 6] {
    let (size, count) = (format!("bs={WRITE_BYTES}"), format!("count={WRITES}"));
    ["dd", "if=/dev/zero", &format!("of={}", disk.path), &size, &count, "oflag=direct"].map(str::to_owned)
}

/// A loop device that can be traced; none, said on the way, where nothing can.
pub(crate) fn disk(place: &StoryFolder) -> Option<Disk> {
    let disk = Disk::of(place, "disk", 32)?;
    let tried = place.run(&["trace", &disk.path, "--duration", "10ms", "--json"]);
    if tried.status.code() == Some(3) {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {}", stderr(&tried));
        println!("skipped: nothing can be traced here: {}", stderr(&tried));
        return None;
    }
    assert_eq!(tried.status.code(), Some(0), "{}", stderr(&tried));
    Some(disk)
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

/// Traces dd with these options before the command.
fn trace_dd(place: &StoryFolder, disk: &Disk, options: &[&str]) -> Output {
    let command = dd(disk);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let output = place.run(&[&["trace", &disk.path][..], options, &["--"], &command].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

/// What a trace of dd must have.
fn assert_is_of_dd(document: &Value) {
    let device = &document["devices"][0];
    assert_eq!(device["queued"]["writes"]["count"], WRITES, "{document:#}");
    assert_eq!(device["queued"]["writes"]["bytes"], WRITES * WRITE_BYTES);
    assert_eq!(device["completed"]["writes"]["bytes"], WRITES * WRITE_BYTES);
    let threads = document["threads"].as_array().unwrap();
    let dd = threads.iter().find(|thread| thread["name"] == "dd").unwrap();
    assert_eq!(dd["writes"]["bytes"], WRITES * WRITE_BYTES);
    assert_eq!(document["lost"]["times"], 0);
}

/// Without white space, for messages wrap anywhere.
pub(crate) fn joined(text: &str) -> String {
    text.replace("\n  | ", "").split_whitespace().collect()
}

/// Held by a story while a trace that it killed is in the kernel, which whoever restores next removes and tells.
static KILLED: Mutex<()> = Mutex::new(());

/// Until it is dropped, no other story looks for what a trace left.
pub(crate) fn nobody_looks() -> MutexGuard<'static, ()> {
    KILLED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whatever was begun in the kernel is gone.
pub(crate) fn assert_nothing_left(place: &StoryFolder) {
    let _only = nobody_looks();
    let left = place.run(&["restore"]);
    assert!(!stdout(&left).contains("the trace that process"), "{}", stdout(&left));
}

#[test]
fn the_writes_of_dd_are_counted() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let output = trace_dd(&place, &disk, &["--json"]);
    let document = json(&output);
    assert_is_of_dd(&document);
    assert_eq!(document["command"]["exit_code"], 0);
    assert_eq!(document["capture"]["is_accounted_for"], true);
    assert!(stderr(&output).contains("records out"), "the command's own words: {}", stderr(&output));
    let words = trace_dd(&place, &disk, &[]);
    let said = stdout(&words);
    assert!(joined(&said).contains("16writes(1MiB)"), "{said}");
    assert!(said.contains("dd") && said.lines().all(|line| line.chars().count() <= 80), "{said}");
    assert_nothing_left(&place);
}

#[test]
fn a_trace_that_was_saved_gives_the_same_figures_again() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let first = json(&trace_dd(&place, &disk, &["--json", "--save", "dd.trace"]));
    let again = json(&place.run(&["trace", "dd.trace", "--json"]));
    for part in ["devices", "threads", "lost", "observations", "block_events"] {
        assert_eq!(first[part], again[part], "{part}");
    }
    // As blktrace's own files, and back.
    let copied = place.run(&["trace", "dd.trace", "--format", "blktrace", "-o", "copy"]);
    assert_eq!(copied.status.code(), Some(0), "{}", stderr(&copied));
    assert_is_of_dd(&json(&place.run(&["trace", "copy.blktrace.0", "--json"])));
    let refused = place.run(&["trace", "dd.trace", "--format", "blktrace", "-o", "copy"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    // As text.
    let text = stdout(&place.run(&["trace", "dd.trace", "--format", "blkparse"]));
    let queued = text.lines().filter(|line| line.contains(" Q ") && line.contains("[dd]")).count();
    assert_eq!(queued as u64, WRITES, "{text}");
    // As a page.
    let page = place.run(&["trace", "dd.trace", "-o", "dd.html"]);
    assert_eq!(page.status.code(), Some(0), "{}", stderr(&page));
    assert!(std::fs::read_to_string(place.path().join("dd.html")).unwrap().contains("<svg"));
    // Cut short, it is read as far as it is whole.
    let whole = std::fs::read(place.path().join("dd.trace")).unwrap();
    std::fs::write(place.path().join("cut.trace"), &whole[..whole.len() - 10]).unwrap();
    let cut = place.run(&["trace", "cut.trace"]);
    assert_eq!(cut.status.code(), Some(0), "{}", stderr(&cut));
    assert!(joined(&stdout(&cut)).contains("cut.traceendswithinarecord"), "{}", stdout(&cut));
}

/// What iowatcher draws of blktrace's files `NAME.blktrace.N` in the folder of the story.
fn drawn(place: &StoryFolder, name: &str) -> String {
    let picture = format!("{name}.svg");
    let mut command = Command::new("iowatcher");
    command.args(["-t", name, "-o", &picture]).current_dir(place.path()).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}{}", stdout(&output), stderr(&output));
    std::fs::read_to_string(place.path().join(picture)).unwrap()
}

#[test]
fn iowatcher_draws_what_was_written_as_what_was_read() {
    if Command::new("iowatcher").arg("--help").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no iowatcher");
        println!("skipped: there is no iowatcher");
        return;
    }
    let place = StoryFolder::new();
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/tests/data/blktrace");
    for cpu in 0..2 {
        let name = format!("made.blktrace.{cpu}");
        std::fs::copy(made.join(&name), place.path().join(&name)).unwrap();
    }
    let written = place.run(&["trace", "made.blktrace.0", "--format", "blktrace", "-o", "written"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let of_all = drawn(&place, "made");
    assert_eq!(drawn(&place, "written"), of_all);
    // The picture is of the events: without those of the other CPU it is another one.
    std::fs::copy(made.join("made.blktrace.0"), place.path().join("half.blktrace.0")).unwrap();
    assert_ne!(drawn(&place, "half"), of_all);
}

#[test]
fn ctrl_c_ends_a_trace_well() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let mut trace = place.start(&["trace", &disk.path]);
    let mut errors = BufReader::new(trace.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("Tracing /dev/loop") {
        assert!(errors.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    let [program, arguments @ ..] = dd(&disk);
    let dd = Command::new(program).args(arguments).stderr(Stdio::null()).status().unwrap();
    assert!(dd.success());
    signal(trace.id(), Signal::INT);
    let output = trace.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(joined(&stdout(&output)).contains("16writes(1MiB)"), "{}", stdout(&output));
    assert_nothing_left(&place);
}

#[test]
fn a_command_that_fails_is_told() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let failed = place.run(&["trace", &disk.path, "--", "sh", "-c", "echo its own words; exit 3"]);
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
    let said = stdout(&failed);
    assert!(said.starts_with("its own words\n"), "{said}");
    assert!(joined(&said).contains("failedwithexitcode3"), "{said}");
    let missing = place.run(&["trace", &disk.path, "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(3), "{}", stderr(&missing));
    assert!(joined(&stderr(&missing)).contains("cannotbestarted"), "{}", stderr(&missing));
    assert_nothing_left(&place);
}

/// A command gets its words as they were typed; what is shown and kept of it has no password.
#[test]
fn a_password_of_the_command_reaches_it_and_nobody_else() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let url = "postgresql://me:hunter2@here/x";
    let script = format!("test ${{#0}} -eq {} && exit 3; exit 4", url.len());
    let traced = place.run(&["trace", &disk.path, "--save", "kept.hrt", "--", "sh", "-c", &script, url]);
    let said = stdout(&traced) + &stderr(&traced);
    assert_eq!(traced.status.code(), Some(1), "{said}");
    assert!(joined(&said).contains("failedwithexitcode3"), "{said}");
    assert!(said.contains("me:***@here") && !said.contains("hunter2"), "{said}");
    let kept = std::fs::read(place.path().join("kept.hrt")).unwrap();
    let has = |text: &[u8]| kept.windows(text.len()).any(|part| part == text);
    assert!(has(b"me:***@here") && !has(b"hunter2"));
    // Nor is it in what is to be typed to see more.
    let again = place.run(&["trace", &disk.path, "--", "sh", "-c", "exit 3", "mysql", "-phunter2"]);
    let said = stdout(&again) + &stderr(&again);
    assert!(joined(&said).contains("headroomtrace-v") && !said.contains("hunter2"), "{said}");
}

/// Runs `headroom trace ARGUMENTS` where the disk is mounted at `data`, for this command alone.
fn trace_mounted(place: &StoryFolder, disk: &Disk, arguments: &[&str]) -> Value {
    let script =
        "mkdir -p data && mount \"$DISK\" data && \"$HEADROOM\" \"$@\"; code=$?; umount data; exit $code";
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", script, "sh", "trace"])
        .args(arguments)
        .current_dir(place.path())
        .env("HEADROOM", program())
        .env("DISK", &disk.path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    json(&output)
}

/// Bytes written to the only device once the command had ended.
fn written_after(document: &Value) -> u64 {
    document["after_command"]["devices"][0]["completed"]["writes"]["bytes"].as_u64().unwrap_or(0)
}

#[test]
fn what_a_command_left_in_memory_is_written_within_its_trace() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let made = Command::new("mkfs.ext4").args(["-q", "-F", &disk.path]).output().unwrap();
    assert!(made.status.success(), "{}", stderr(&made));
    let (size, count) = (format!("bs={WRITE_BYTES}"), format!("count={WRITES}"));
    let trace = |arguments: &[&str], file: &str, more: &[&str]| {
        // A new file each time: ext4 writes one that was emptied when it is closed.
        let command = ["--json", "--", "dd", "if=/dev/zero", &format!("of=data/{file}"), &size, &count];
        trace_mounted(&place, &disk, &[arguments, &command, more].concat())
    };
    let all = |document: &Value| document["devices"][0]["completed"]["writes"]["bytes"].as_u64().unwrap();
    // By the path, and by the device that is mounted there.
    for (target, file) in [("data", "a"), (disk.path.as_str(), "b")] {
        let document = trace(&[target], file, &[]);
        assert!(written_after(&document) >= WRITES * WRITE_BYTES, "{target}: {document:#}");
        assert!(all(&document) >= written_after(&document), "{target}: {document:#}");
    }
    let without = trace(&["data", "--no-sync"], "c", &[]);
    assert!(without["after_command"].is_null(), "{without:#}");
    // What the command brings to the device itself is written while it runs.
    let own = trace(&["data"], "d", &["conv=fsync"]);
    assert!(all(&own) - written_after(&own) >= WRITES * WRITE_BYTES, "{own:#}");
    assert_nothing_left(&place);
}

#[test]
fn what_cannot_be_traced_is_refused_with_a_reason() {
    let place = StoryFolder::new();
    std::fs::write(place.path().join("empty.trace"), b"").unwrap();
    std::fs::write(
        place.path().join("log.iolog"),
        b"fio version 2 iolog\na add\na open\na write 0 4096\na read 8192 4096\na close\n",
    )
    .unwrap();
    for (arguments, says) in [
        (&["/dev/no-such-device"][..], "/dev/no-such-device:"),
        (&["/proc/version"][..], "no block device of its own"),
        (&["empty.trace"][..], "is empty"),
        (&["/dev/loop0", "--duration", "soon"][..], "duration"),
        (&["/dev/loop0", "--json", "--format", "blkparse"][..], "two forms of one thing"),
        (&["/dev/loop0", "--format", "blktrace"][..], "needs a name"),
        (&["/dev/loop0", "--no-sync"][..], "COMMAND"),
        (&["log.iolog", "--duration", "1s"][..], "it is over"),
        (&["log.iolog", "--save", "log.iolog"][..], "while it is read"),
    ] {
        let output = place.run(&[&["trace"][..], arguments].concat());
        let said = joined(&stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(&joined(says)), "{arguments:?}: {said}");
    }
    let steps = place.run(&["trace", "log.iolog", "--json"]);
    let document = json(&steps);
    assert_eq!(document["devices"][0]["queued"]["writes"]["count"], 1, "{document:#}");
    assert_eq!(document["devices"][0]["queued"]["reads"]["bytes"], 4096);
    assert_eq!(document["devices"][0]["name"], "a");
}

#[test]
fn who_may_not_trace_is_told_what_is_possible() {
    let place = StoryFolder::new();
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can be another user");
        return;
    }
    let Some(disk) = Disk::of(&place, "disk", 32) else { return };
    // Where another user may run it.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("headroom");
    copy_of_program(&copy);
    let mark = folder.path().join("mark");
    let output = Command::new(&copy)
        .args(["trace", &disk.path, "--", "touch"])
        .arg(&mark)
        .current_dir("/")
        .env("NO_COLOR", "1")
        .uid(65534)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = joined(&stderr(&output));
    assert!(said.contains("permissiondenied") && said.contains("sudo"), "{said}");
    assert!(said.contains("/proc/diskstats") && said.contains("/proc/PID/io"), "{said}");
    assert!(!mark.exists(), "the command was not to be run");
}
