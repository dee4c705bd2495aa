//! What a target turns out to be: files that are disks of others and names among
//! device nodes, neither of which is written to, whatever is given up; files that
//! went away; file systems of large sectors.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use load::workload::disk::Disk;
use load::workload::{DeviceProbe, HostInfo, Load};
use model::plan::{FixtureKey, Ownership, Problem, ProblemKind};

use crate::support;

/// What writing to `target` is answered with, after it was given up by name.
fn writing(target: &Path, pattern: &str) -> Result<(), Problem> {
    looked_at(target, pattern).map(drop)
}

/// The fixture that `target`, given up by name, gets.
fn looked_at(target: &Path, pattern: &str) -> Result<FixtureKey, Problem> {
    let changes = [("pattern", pattern), ("size", "1MiB"), ("engine", "sync")];
    let destroy = vec![target.to_string_lossy().into_owned()];
    let host = HostInfo { cpus: 2, memory_available: 1 << 30, destroy, ..HostInfo::default() };
    support::needs(support::parameters(target, &changes), &host).map(|mut needs| needs.fixtures.remove(0))
}

fn tool(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// What ends the use of a file.
struct Use(&'static str, Vec<String>);

impl Drop for Use {
    fn drop(&mut self) {
        let _ = Command::new(self.0).args(&self.1).status();
    }
}

fn file(folder: &Path) -> PathBuf {
    let file = folder.join("image");
    std::fs::write(&file, vec![0u8; 4 << 20]).unwrap();
    file
}

/// Whether the use could be made; in CI it must be.
fn made(output: &Output) -> bool {
    if !output.status.success() {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {output:?}");
        println!("skipped: {output:?}");
    }
    output.status.success()
}

/// Both checks refuse it for this reason: the survey's and that of the opening.
fn is_refused(file: &Path, reason: &str) {
    let problem = writing(file, "randwrite").unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.message.contains(reason), "{problem:?}");
    assert!(problem.help.contains("no option that overrides"), "{problem:?}");
    // As if that use had begun after the survey.
    let key = FixtureKey { ownership: Ownership::Surrendered, ..looked_at(file, "randread").unwrap() };
    let fault = support::make(&key, DeviceProbe::default()).unwrap_err().to_string();
    assert!(fault.contains(reason), "{fault}");
    writing(file, "randread").unwrap();
}

#[test]
fn a_file_on_which_a_loop_device_stands_is_not_written_to() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = file(folder.path());
    writing(&file, "randwrite").unwrap();
    let output = tool("losetup", &["--find", "--show", &file.to_string_lossy()]);
    if !made(&output) {
        return;
    }
    let device = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let used = Use("losetup", vec!["--detach".to_owned(), device.clone()]);
    let reason = format!("the loop device {device} stands on it");
    is_refused(&file, &reason);
    // By another name of it too, while the one that the loop device knows is gone.
    let other = folder.path().join("other");
    std::fs::hard_link(&file, &other).unwrap();
    std::fs::remove_file(&file).unwrap();
    is_refused(&other, &reason);
    drop(used);
    // Whoever has it open at that moment holds it a little longer.
    let mut waits = 0;
    while let Err(problem) = writing(&other, "randwrite") {
        assert!(waits < 100, "{problem:?}");
        waits += 1;
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_file_that_is_swapped_to_is_not_written_to() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = file(folder.path());
    let name = file.to_string_lossy().into_owned();
    Command::new("chmod").args(["600", &name]).status().unwrap();
    if !made(&tool("mkswap", &[&name])) || !made(&tool("swapon", &[&name])) {
        return;
    }
    let used = Use("swapoff", vec![name]);
    is_refused(&file, "the kernel swaps to it");
    drop(used);
    writing(&file, "randwrite").unwrap();
}

#[test]
fn a_file_that_went_away_between_trials_is_said_to_be_gone() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = file(folder.path());
    let changes = [("pattern", "randread"), ("engine", "sync")];
    let (parameters, kept) = support::survey(support::parameters(&file, &changes)).unwrap();
    let load = Load::new(&Disk, parameters, 2).unwrap();
    let told = || load.prepare(&support::context(&kept.0)).unwrap_err().to_string();
    std::fs::remove_file(&file).unwrap();
    assert!(told().contains("image is gone: it was removed"), "{}", told());
    std::fs::create_dir(&file).unwrap();
    assert!(told().contains("image is something else"), "{}", told());
}

#[test]
fn a_file_system_says_what_o_direct_can_move() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let image = folder.path().join("image");
    std::fs::File::create(&image).unwrap().set_len(256 << 20).unwrap();
    let output = tool("losetup", &["-b", "4096", "--find", "--show", &image.to_string_lossy()]);
    if !made(&output) {
        return;
    }
    let device = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let _detached = Use("losetup", vec!["--detach".to_owned(), device.clone()]);
    let point = folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let shown = point.to_string_lossy().into_owned();
    if !made(&tool("mkfs.ext4", &["-q", &device])) || !made(&tool("mount", &[&device, &shown])) {
        return;
    }
    // Lazily: whoever looks at mounts at this moment must not make it stay.
    let _unmounted = Use("umount", vec!["--lazy".to_owned(), shown]);
    let file = file(&point);
    for target in [&point, &file] {
        let survey = |block: &str, direct: &str| {
            let changes = [("block-size", block), ("direct", direct), ("size", "1MiB"), ("engine", "sync")];
            let host = HostInfo { cpus: 2, memory_available: 1 << 30, ..HostInfo::default() };
            support::needs(support::parameters(target, &changes), &host).map(drop)
        };
        let problem = survey("512", "yes").unwrap_err();
        assert!(problem.message.contains("moves blocks of 4096 bytes, and 512 bytes"), "{problem:?}");
        survey("4k", "yes").unwrap();
        survey("512", "no").unwrap();
    }
}

#[test]
fn a_device_that_is_not_there_is_no_new_file() {
    for pattern in ["randread", "write"] {
        let problem = writing(Path::new("/dev/nvme9n1"), pattern).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.message.contains("there is no device /dev/nvme9n1"), "{problem:?}");
        assert!(problem.help.contains("headroom machine"), "{problem:?}");
    }
    let problem = writing(Path::new("/dev"), "randread").unwrap_err();
    assert!(problem.message.contains("device nodes"), "{problem:?}");
    assert!(!Path::new("/dev/nvme9n1").exists());
    writing(Path::new("/dev/shm/headroom-new-name"), "randread").unwrap();
}
