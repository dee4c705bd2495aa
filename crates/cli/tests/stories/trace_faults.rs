//! What can go wrong while `headroom trace` runs: the disk is full, the device goes, the command does not end, the
//! program is killed. Whatever it is, it is said, the figures that there are are shown, and nothing stays in the
//! kernel. These stories need what those of `trace` need.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::common::{StoryFolder, eventually, program, signal, stderr, stdout};
use crate::device::Disk;
use crate::trace::{assert_nothing_left, dd, disk, joined, json, nobody_looks};

/// Runs a script in a mount namespace of its own; it finds the program and the disk in its environment.
fn in_namespace(place: &StoryFolder, disk: &Disk, script: &str) -> Output {
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script]).current_dir(place.path());
    command.env("HEADROOM", program()).env("DISK", &disk.path).env("NO_COLOR", "1").output().unwrap()
}

/// Reads what the child says on standard error until it has said `what`; the rest is read by [`ended`].
fn wait_for(child: &mut Child, what: &str) -> BufReader<ChildStderr> {
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(what) {
        assert!(errors.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    errors
}

/// Waits for the end of the child, but not for ever; gives its exit code, what it printed, and the rest of what it said.
fn ended(mut child: Child, mut errors: BufReader<ChildStderr>) -> (Option<i32>, String, String) {
    eventually("the trace ends", || child.try_wait().unwrap().is_some());
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), stdout(&output), said)
}

/// Whether a process has an instance in tracefs.
fn has_instance(process: u32) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("mount -t tracefs none {0} && ls {0}/instances", folder.path().display());
    let listed = Command::new("unshare").args(["-m", "sh", "-c", &script]).output().unwrap();
    assert!(listed.status.success(), "{}", stderr(&listed));
    stdout(&listed).lines().any(|name| name.starts_with(&format!("headroom-{process}-")))
}

#[test]
fn a_full_disk_ends_what_is_saved_and_not_the_trace() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let script = "mkdir small && mount -t tmpfs -o size=16k none small && exec \"$HEADROOM\" trace \"$DISK\" \
                  --save small/dd.trace -- dd if=/dev/zero of=\"$DISK\" bs=4k count=4000 oflag=direct";
    let output = in_namespace(&place, &disk, script);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = joined(&stderr(&output));
    assert!(said.contains("writingtosmall/dd.tracefailed:"), "{said}");
    assert!(said.to_lowercase().contains("nospaceleft") && said.contains("KiBarethere"), "{said}");
    assert!(joined(&stdout(&output)).contains("4000writes(15.6MiB)"), "{}", stdout(&output));
    assert_nothing_left(&place);
}

#[test]
fn a_loop_device_that_is_detached_ends_its_trace() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let mut trace = place.start(&["trace", &disk.path]);
    let errors = wait_for(&mut trace, "Tracing /dev/loop");
    let [program, arguments @ ..] = dd(&disk);
    let written = Command::new(program).args(arguments).stderr(Stdio::null()).status().unwrap();
    assert!(written.success());
    let path = disk.path.clone();
    // Its number may soon be another story's, which must not be detached when this one ends.
    std::mem::forget(disk);
    let detached = Command::new("losetup").args(["--detach", &path]).status().unwrap();
    assert!(detached.success());
    let (code, printed, said) = ended(trace, errors);
    assert_eq!(code, Some(0), "{said}");
    let printed = joined(&printed);
    // Whoever got its number since may have written, too.
    assert!(printed.contains("completed") && printed.contains("writes("), "{printed}");
    assert!(printed.contains("wasremovedwhileitwastraced"), "{printed}");
    assert_nothing_left(&place);
}

/// A zram that is removed, once, however a story ends: its number may soon be another's.
struct Zram {
    id: String,
    is_there: Cell<bool>,
}

impl Zram {
    /// None, said on the way, where there can be none.
    fn new() -> Option<Self> {
        let made = std::fs::read_to_string("/sys/class/zram-control/hot_add").map(|id| id.trim().to_owned());
        match made {
            Ok(id) => {
                let zram = Self { id, is_there: Cell::new(true) };
                std::fs::write(format!("/sys/block/zram{}/disksize", zram.id), "16M").unwrap();
                Some(zram)
            }
            Err(error) => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {error}");
                println!("skipped: no zram can be made: {error}");
                None
            }
        }
    }

    fn path(&self) -> String {
        format!("/dev/zram{}", self.id)
    }

    /// Removes it, if nobody has it open; whether it is gone.
    fn remove(&self) -> bool {
        if self.is_there.get() {
            self.is_there.set(std::fs::write("/sys/class/zram-control/hot_remove", &self.id).is_err());
        }
        !self.is_there.get()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        self.remove();
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_device_that_is_removed_ends_its_trace_and_not_its_command() {
    let place = StoryFolder::new();
    // Whether anything can be traced here at all.
    if disk(&place).is_none() {
        return;
    }
    let Some(zram) = Zram::new() else { return };
    let path = zram.path();
    let script = "dd if=/dev/zero of=\"$0\" bs=4k count=8 oflag=direct 2>&-; echo written >&2; read line; echo its own words";
    let mut command = place.command(&["trace", &path, "--", "sh", "-c", script, &path]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut trace = command.spawn().unwrap();
    let mut errors = wait_for(&mut trace, "written");
    eventually("the zram is removed", || zram.remove());
    let mut said = String::new();
    while !said.contains("The trace has ended") {
        assert!(errors.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    // The command ends by itself, and is not ended.
    drop(trace.stdin.take());
    let (code, printed, said) = ended(trace, errors);
    assert_eq!(code, Some(0), "{said}");
    assert!(printed.starts_with("its own words\n"), "{printed}");
    let printed = joined(&printed);
    assert!(printed.contains("wasremovedwhileitwastraced"), "{printed}");
    assert!(printed.contains("8writes("), "{printed}");
    assert_nothing_left(&place);
}

#[test]
fn what_a_killed_trace_left_is_removed_when_the_next_one_begins() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let mut killed = place.start(&["trace", &disk.path]);
    let _errors = wait_for(&mut killed, "Tracing /dev/loop");
    let process = killed.id();
    let _only = nobody_looks();
    assert!(has_instance(process));
    signal(process, Signal::KILL);
    killed.wait().unwrap();
    let next = place.run(&["trace", &disk.path, "--duration", "10ms", "--json"]);
    assert_eq!(next.status.code(), Some(0), "{}", stderr(&next));
    // Whichever of the stories that run side by side began next, it is gone.
    assert!(!has_instance(process), "{}", stderr(&next));
}

/// A trace of a command that does not end, once that has begun.
fn of_endless(place: &StoryFolder, disk: &Disk, options: &[&str]) -> (Child, BufReader<ChildStderr>) {
    let endless = ["--", "sh", "-c", "echo begun >&2; exec sleep 1000"];
    let mut command = place.command(&[&["trace", &disk.path][..], options, &endless].concat());
    // As a shell with a terminal does.
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut trace = command.spawn().unwrap();
    let errors = wait_for(&mut trace, "begun");
    (trace, errors)
}

#[test]
fn ctrl_c_ends_a_command_that_does_not_end_by_itself() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let (trace, errors) = of_endless(&place, &disk, &[]);
    let group = Pid::from_raw(i32::try_from(trace.id()).unwrap()).unwrap();
    kill_process_group(group, Signal::INT).unwrap();
    let (code, printed, said) = ended(trace, errors);
    assert_eq!(code, Some(130), "{said}");
    assert!(joined(&printed).contains("wasendedbysignal2"), "{printed}");
    assert_nothing_left(&place);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_command_that_outlives_its_trace_is_waited_for_until_somebody_asks_to_stop() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let (trace, mut errors) = of_endless(&place, &disk, &["--duration", "100ms"]);
    let mut said = String::new();
    while !said.contains("the command goes on, and is waited for") {
        assert!(errors.read_line(&mut said).unwrap() > 0, "it ended: {said}");
    }
    assert!(!has_instance(trace.id()), "the trace has ended");
    // To it alone: it sees to the end of the command.
    signal(trace.id(), Signal::INT);
    let (code, printed, said) = ended(trace, errors);
    assert_eq!(code, Some(130), "{said}");
    let printed = joined(&printed);
    assert!(printed.contains("wasendedbysignal15"), "{printed}");
    assert!(printed.contains("Thetraceendedbeforethecommanddid"), "{printed}");
    assert_nothing_left(&place);
}

#[test]
fn a_trace_needs_no_mounted_tracefs_and_mounts_none() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    let script = "umount -l -a -t tracefs 2>&-; \"$HEADROOM\" trace \"$DISK\" --json -- \
                  dd if=/dev/zero of=\"$DISK\" bs=64k count=16 oflag=direct || exit; \
                  ! grep ' tracefs ' /proc/self/mounts >&2";
    let output = in_namespace(&place, &disk, script);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(json(&output)["devices"][0]["completed"]["writes"]["count"], 16, "{}", stdout(&output));
    assert_nothing_left(&place);
}

#[test]
fn a_tracefs_that_may_not_be_written_is_told_with_what_is_possible_without() {
    let place = StoryFolder::new();
    let Some(disk) = disk(&place) else { return };
    // The mount is made read-only, and not the file system, which all mounts have in common.
    let script = "umount -l -a -t tracefs 2>&-; mkdir t && mount -t tracefs none t && mount -o remount,bind,ro t \
                  && exec \"$HEADROOM\" trace \"$DISK\" -- touch mark";
    let output = in_namespace(&place, &disk, script);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = joined(&stderr(&output));
    assert!(said.contains("mountedread-only"), "{said}");
    assert!(said.contains("/proc/diskstats") && said.contains("/proc/PID/io"), "{said}");
    assert!(!place.path().join("mark").exists(), "the command was not to be run");
}
