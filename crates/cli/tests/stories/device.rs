//! Block devices as targets: what it takes to write to one, and what is never
//! written to (docs/concepts/safety.md). What is a use and what a signature is
//! tested with the reader, in `crates/machine/tests/devices.rs`.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rustix::process::Signal;

use crate::common::{
    StoryFolder, agent_of, eventually, lives, signal, stderr, stdout, trials, wait_for_trials,
};

const MIB: u64 = 1 << 20;
const QUICK: &[&str] = &["--duration", "60ms", "--warm-up", "10ms", "--trials", "2"];
/// Where the content is looked at that must stay or go.
const MARK: (u64, &[u8]) = (31 * MIB, b"precious");

/// A loop device with a mark in it, detached however a story ends.
pub(crate) struct Disk {
    pub(crate) path: String,
    pub(crate) file: PathBuf,
}

impl Disk {
    /// None, said on the way, where there are no loop devices for us.
    fn new(place: &StoryFolder) -> Option<Self> {
        Self::of(place, "disk", 32)
    }

    /// One of so many MiB.
    pub(crate) fn of(place: &StoryFolder, name: &str, mib: u64) -> Option<Self> {
        let file = place.path().join(name);
        let content = std::fs::File::create(&file).unwrap();
        content.set_len(mib * MIB).unwrap();
        if mib * MIB > MARK.0 {
            content.write_all_at(MARK.1, MARK.0).unwrap();
        }
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        match output {
            Ok(output) if output.status.success() => {
                Some(Self { path: stdout(&output).trim().to_owned(), file })
            }
            other => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {other:?}");
                println!("skipped: no loop device can be made: {other:?}");
                None
            }
        }
    }

    fn is_untouched(&self) -> bool {
        let mut found = [0; MARK.1.len()];
        tool("blockdev", &["--flushbufs", &self.path]);
        std::fs::File::open(&self.file).unwrap().read_exact_at(&mut found, MARK.0).unwrap();
        found == MARK.1
    }

    /// Attaches the same device to another file.
    fn attach_again(&self, file: &Path) {
        tool("losetup", &["--detach", &self.path]);
        // Whoever looks at it at that moment holds it a little longer.
        eventually("it is attached to the other file", || {
            Command::new("losetup").arg(&self.path).arg(file).output().unwrap().status.success()
        });
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.path]).status();
    }
}

fn tool(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", stderr(&output));
}

/// A text without white space, for messages wrap anywhere.
fn joined(text: &str) -> String {
    text.replace("\n  | ", "").split_whitespace().collect()
}

/// Runs a load on the device; gives the exit code and what was said, joined.
fn drive(place: &StoryFolder, disk: &Disk, pattern: &str, more: &[&str]) -> (i32, String) {
    let arguments = [&["run", "disk", "--target", &disk.path, "--pattern", pattern], more, QUICK].concat();
    let output = place.run(&arguments);
    (output.status.code().unwrap(), joined(&(stdout(&output) + &stderr(&output))))
}

#[test]
fn a_device_is_written_only_with_all_that_it_holds_given_up() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::new(&place) else { return };
    tool("mkfs.ext4", &["-q", "-E", "nodiscard", &disk.path]);
    assert!(disk.is_untouched(), "the mark lies where the file system is");
    let destroy = format!("--destroy {}", disk.path);
    let give_up = ["--destroy", &disk.path];
    let refused: [(&[&str], &str); 4] = [
        (&[], &format!("add {destroy} --wipe ext4")),
        (&give_up, "add --wipe ext4"),
        (&["--destroy", &disk.path, "--wipe", "xfs"], "add --wipe ext4"),
        (&["--destroy", "/dev/null", "--wipe", "ext4"], &format!("add {destroy}")),
    ];
    for pattern in ["write", "randwrite", "randrw", "trim"] {
        for (more, says) in refused {
            let (code, said) = drive(&place, &disk, pattern, more);
            assert_eq!(code, 3, "{pattern} {more:?}: {said}");
            assert!(
                said.contains(&joined(says)) && said.contains("itholdsext4"),
                "{pattern} {more:?}: {said}"
            );
        }
    }
    let all = ["--destroy", &disk.path, "--wipe", "ext4"];
    let (code, said) = drive(&place, &disk, "write", &[&all[..], &["--dry-run"]].concat());
    assert_eq!(code, 0, "{said}");
    let line =
        format!("OVERWRITES 32 MiB of the block device {}, as --destroy allows, which holds ext4", disk.path);
    assert!(said.contains(&joined(&line)), "{said}");
    let (code, said) = drive(&place, &disk, "randread", &[]);
    assert_eq!(code, 0, "{said}");
    assert!(disk.is_untouched(), "something was written without leave");

    let (code, said) = drive(&place, &disk, "write", &[&all[..], &["--until", "end"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(!disk.is_untouched(), "nothing was written");
}

#[test]
fn a_mounted_device_is_read_and_never_written() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::new(&place) else { return };
    tool("mkfs.ext4", &["-q", "-E", "nodiscard", &disk.path]);
    let point = place.path().join("point");
    std::fs::create_dir(&point).unwrap();
    let point = point.canonicalize().unwrap();
    tool("mount", &[&disk.path, point.to_str().unwrap()]);
    let ends = ["write", "trim", "randread"]
        .map(|pattern| drive(&place, &disk, pattern, &["--destroy", &disk.path, "--wipe", "ext4"]));
    tool("umount", &[point.to_str().unwrap()]);
    for (code, said) in &ends[..2] {
        assert_eq!(*code, 3, "{said}");
        assert!(
            said.contains(&joined(&format!("{} is mounted at {}", disk.path, point.display()))),
            "{said}"
        );
    }
    assert_eq!(ends[2].0, 0, "{}", ends[2].1);
    assert!(disk.is_untouched());
}

/// A file of a disk that nobody gave up, and what is in it.
fn precious(place: &StoryFolder) -> (PathBuf, Vec<u8>) {
    let file = place.path().join("precious");
    let content = vec![7; 32 << 20];
    std::fs::write(&file, &content).unwrap();
    (file, content)
}

/// Attaches the device to a file that nobody gave up as soon as a trial is over,
/// with the run halted meanwhile; after `also`.
fn swapped(place: &StoryFolder, disk: &Disk, run: Child, also: impl FnOnce()) {
    let (file, content) = precious(place);
    wait_for_trials(place, 1);
    signal(run.id(), Signal::STOP);
    also();
    disk.attach_again(&file);
    signal(run.id(), Signal::CONT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    tool("blockdev", &["--flushbufs", &disk.path]);
    assert!(std::fs::read(&file).unwrap() == content, "it was overwritten");
    let document = place.stored();
    let says = |trial: &&serde_json::Value| {
        trial["reason"].as_str().is_some_and(|why| why.contains("attached to another file"))
    };
    assert!(trials(&document).iter().any(says), "{:?}", trials(&document));
}

/// Trials enough for one to come after the one that is halted, however late that is noticed.
const SHORT: &[&str] = &["--duration", "200ms", "--warm-up", "10ms", "--trials", "10"];

#[test]
fn a_device_that_changed_behind_its_name_before_its_turn_is_not_overwritten() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::new(&place) else { return };
    // The device's turn comes after that of the folder.
    let targets = format!("{},{}", place.path().display(), disk.path);
    let load = ["run", "disk", "--target", &targets, "--pattern", "write", "--size", "16MiB"];
    let run = place.start(&[&load[..], &["--destroy", &disk.path], SHORT].concat());
    swapped(&place, &disk, run, || {});
}

#[test]
fn a_device_that_changed_when_its_agent_died_is_not_overwritten() {
    let place = StoryFolder::new();
    let Some(disk) = Disk::new(&place) else { return };
    let load = ["run", "disk", "--target", &disk.path, "--pattern", "write", "--destroy", &disk.path];
    let run = place.start(&[&load[..], SHORT].concat());
    let agent = agent_of(run.id());
    swapped(&place, &disk, run, || {
        signal(agent, Signal::KILL);
        eventually("the agent is dead", || !lives(agent));
    });
}
