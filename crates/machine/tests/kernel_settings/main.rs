//! Settings of disks and of the whole machine, changed and put back for real: on a loop device made
//! for the test, and, for a moment, on the machine. Needs root.

#![allow(clippy::unwrap_used)]

mod mount_options;

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

use machine::setting::{self, Journal, Process, SettingError, SettingGuard, Unrestorable, Wanted};
use model::{Resource, ResourceKind, Value};

/// Two guards on one machine would refuse each other.
static ONE: Mutex<()> = Mutex::new(());

/// A loop device, gone when it is dropped.
struct Loop {
    device: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    fn new(bytes: u64) -> Self {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let file = folder.path().join("disk");
        std::fs::write(&file, vec![1; bytes as usize]).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let device = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        Self { device, _folder: folder }
    }

    fn name(&self) -> &str {
        self.device.file_name().unwrap().to_str().unwrap()
    }

    fn resource(&self) -> Resource {
        Resource::of(ResourceKind::Block, self.name())
    }

    fn queue(&self, leaf: &str) -> String {
        let path = format!("/sys/class/block/{}/queue/{leaf}", self.name());
        std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}

/// An ext4 file system that its folder holds, gone when it is dropped.
struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    fn new(bytes: u64) -> Self {
        let mounted = Self { folder: tempfile::tempdir_in("/var/tmp").unwrap() };
        let (file, point) = (mounted.folder.path().join("disk"), mounted.point());
        std::fs::File::create(&file).unwrap().set_len(bytes).unwrap();
        std::fs::create_dir(&point).unwrap();
        does("mkfs.ext4", &[OsStr::new("-q"), file.as_os_str()]);
        does("mount", &[OsStr::new("-o"), OsStr::new("loop"), file.as_os_str(), point.as_os_str()]);
        mounted
    }

    fn point(&self) -> PathBuf {
        self.folder.path().join("point")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Where a test has failed.
        let _ = Command::new("swapoff").arg(self.point().join("swap-file")).output();
        let _ = Command::new("umount").arg(self.point()).status();
    }
}

fn does(program: &str, arguments: &[&OsStr]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

fn guard(folder: &Path) -> SettingGuard {
    SettingGuard::with_journal(Journal::at(folder), Process::parent())
}

fn wanted(setting: &str, resource: Resource, value: Value) -> Wanted {
    Wanted { setting: setting.to_owned(), resource, value }
}

#[test]
fn a_disk_has_its_queue_back_with_all_that_a_scheduler_changes() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (disk, folder) = (Loop::new(4 << 20), tempfile::tempdir().unwrap());
    let leaves = ["scheduler", "nr_requests", "read_ahead_kb", "wbt_lat_usec", "write_cache"];
    let state = || leaves.map(|leaf| format!("{leaf}: {}", disk.queue(leaf)));
    let (before, depth) = (state(), disk.queue("nr_requests"));
    let mut guard = guard(folder.path());
    let all = [
        wanted("scheduler", disk.resource(), "mq-deadline".into()),
        wanted("read-ahead", disk.resource(), Value::Integer(256 << 10)),
    ];
    let now = guard.set(&all).unwrap();
    assert_eq!(now.iter().map(|n| n.read_back.clone()).collect::<Vec<_>>(), all.clone().map(|w| w.value));
    assert!(disk.queue("scheduler").contains("[mq-deadline]"), "{}", disk.queue("scheduler"));
    assert_eq!(disk.queue("read_ahead_kb"), "256");
    // Another level of one of them.
    guard.set(&[wanted("scheduler", disk.resource(), "none".into()), all[1].clone()]).unwrap();
    guard.check().unwrap();
    guard.restore().unwrap();
    assert_eq!(state(), before);
    guard.set(&[wanted("queue-requests", disk.resource(), Value::Integer(64))]).unwrap();
    assert_eq!(disk.queue("nr_requests"), "64");
    guard.restore().unwrap();
    assert_eq!(state(), before);
    // What one sets anew is set after it, whatever is asked for first.
    let both = |scheduler: &str, requests: u64| {
        let requests = wanted("queue-requests", disk.resource(), Value::Integer(requests));
        [requests, wanted("scheduler", disk.resource(), scheduler.into())]
    };
    guard.set(&both("mq-deadline", 64)[1..]).unwrap();
    let own = disk.queue("nr_requests");
    for (scheduler, requests) in [("mq-deadline", 64), ("mq-deadline", 32), ("none", 32), ("mq-deadline", 32)]
    {
        let now = guard.set(&both(scheduler, requests)).unwrap();
        assert_eq!((&now[0].before.to_string(), &now[0].read_back), (&depth, &Value::Integer(requests)));
        assert_eq!(disk.queue("nr_requests"), requests.to_string());
        let shown = disk.queue("scheduler");
        assert!(shown.contains(&format!("[{scheduler}]")), "{shown}");
    }
    guard.set(&both("mq-deadline", 64)[1..]).unwrap();
    assert_eq!(disk.queue("nr_requests"), own, "as with the scheduler alone");
    guard.restore().unwrap();
    assert_eq!(state(), before);
    // What it does not have is named with what it has.
    let error =
        guard.set(&[wanted("scheduler", disk.resource(), "elevator".into())]).unwrap_err().to_string();
    assert!(error.contains("there are none, mq-deadline"), "{error}");
    let error =
        guard.set(&[wanted("read-ahead", disk.resource(), Value::Integer(1000))]).unwrap_err().to_string();
    assert!(error.contains("steps of 1024"), "{error}");
    assert_eq!(state(), before);
    assert!(Journal::at(folder.path()).entries().unwrap().is_empty());
}

#[test]
fn a_disk_that_goes_away_keeps_nothing_from_being_put_back() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let none = Resource::of(ResourceKind::Block, "hr-none");
    let mut guard = guard(folder.path());
    let error = guard.set(&[wanted("scheduler", none, "none".into())]).unwrap_err();
    assert!(matches!(error, SettingError::Gone { .. }), "{error}");
}

#[test]
fn states_of_the_machine_are_changed_and_put_back() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let vm = [
        "dirty_bytes",
        "dirty_ratio",
        "dirty_background_bytes",
        "dirty_background_ratio",
        "swappiness",
        "min_free_kbytes",
    ];
    let state = || {
        let files = vm.map(|leaf| format!("/proc/sys/vm/{leaf}"));
        let more =
            ["/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/net/ipv4/tcp_congestion_control"];
        let text =
            |path: &str| format!("{path}: {}", std::fs::read_to_string(path).unwrap_or_default().trim());
        files.iter().map(String::as_str).chain(more).map(text).collect::<Vec<_>>()
    };
    let before = state();
    let mut guard = guard(folder.path());
    let machine = || Resource::MACHINE;
    let changes = [
        ("dirty-bytes", Value::Integer(256 << 20)),
        ("sysctl.vm.swappiness", "37".into()),
        ("transparent-huge-pages", "never".into()),
        ("c-states", Value::Integer(50)),
        ("congestion-control", "reno".into()),
    ];
    // What this kernel does not have is tried elsewhere.
    let there: Vec<Wanted> = changes
        .into_iter()
        .filter(|(name, _)| setting::find(name).unwrap().read(&Resource::MACHINE).is_ok())
        .map(|(name, value)| wanted(name, machine(), value))
        .collect();
    assert!(there.len() >= 3, "{there:?}");
    for states in [guard.set(&there).unwrap(), guard.set(&there).unwrap()] {
        assert!(
            states.iter().zip(&there).all(|(state, wanted)| state.read_back == wanted.value),
            "{states:?}"
        );
    }
    assert!(state().iter().zip(&before).filter(|(now, before)| now != before).count() >= 3, "{:?}", state());
    guard.restore().unwrap();
    assert_eq!(state(), before);
    assert!(Journal::at(folder.path()).entries().unwrap().is_empty());
}

#[test]
fn caches_are_dropped_before_each_trial() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = folder.path().join("cached");
    let is_cached = || {
        std::fs::write(&file, vec![7; 1 << 20]).unwrap();
        let cached = || cached_pages(&file);
        assert!(cached() > 0);
        cached
    };
    let mut guard = guard(folder.path());
    let yes = [wanted("drop-caches", Resource::MACHINE, Value::Bool(true))];
    for _ in 0..2 {
        let cached = is_cached();
        guard.set(&yes).unwrap();
        assert_eq!(cached(), 0);
    }
    let cached = is_cached();
    guard.set(&[wanted("drop-caches", Resource::MACHINE, Value::Bool(false))]).unwrap();
    assert!(cached() > 0, "nobody asked");
    guard.restore().unwrap();
}

/// Pages of a file that are in the page cache (mincore(2)).
fn cached_pages(file: &Path) -> usize {
    let output = Command::new("fincore")
        .args(["--bytes", "--noheadings", "--output", "PAGES"])
        .arg(file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

#[test]
fn swap_is_left_and_used_again_as_it_was() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (disk, folder) = (Loop::new(8 << 20), tempfile::tempdir().unwrap());
    let does = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).arg(&disk.device).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    };
    does("mkswap", &[]);
    does("swapon", &["--priority", "5"]);
    let line = || {
        let text = std::fs::read_to_string("/proc/swaps").unwrap();
        let mut lines = text.lines().filter(|line| line.starts_with(disk.device.to_str().unwrap()));
        lines.next().map(|line| line.split_whitespace().last().unwrap().to_owned())
    };
    assert_eq!(line().as_deref(), Some("5"));
    let mut guard = guard(folder.path());
    let result = guard.set(&[wanted("swap", Resource::MACHINE, "off".into())]);
    let (off, back) = (line(), guard.restore());
    let again = line();
    does("swapoff", &[]);
    result.unwrap();
    back.unwrap();
    assert_eq!((off, again.as_deref()), (None, Some("5")));
}

/// Loop devices that are in use as swap, without a priority of their own.
struct Areas([Loop; 2]);

impl Areas {
    fn new() -> Self {
        let areas = Self([Loop::new(8 << 20), Loop::new(8 << 20)]);
        for disk in &areas.0 {
            does("mkswap", &[disk.device.as_os_str()]);
            does("swapon", &[disk.device.as_os_str()]);
        }
        areas
    }
}

impl Drop for Areas {
    fn drop(&mut self) {
        for disk in &self.0 {
            let _ = Command::new("swapoff").arg(&disk.device).status();
        }
    }
}

/// The names of all areas in use, the most preferred first.
fn areas_in_use() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/swaps").unwrap();
    let mut areas: Vec<(i32, String)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words[4].parse().unwrap(), words[0].to_owned())
        })
        .collect();
    areas.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    areas.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn areas_without_a_priority_come_back_in_their_order() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (areas, folder) = (Areas::new(), tempfile::tempdir().unwrap());
    let before = areas_in_use();
    assert!(before.len() >= 2, "{before:?}");
    let mut guard = guard(folder.path());
    guard.set(&[wanted("swap", Resource::MACHINE, "off".into())]).unwrap();
    assert!(areas_in_use().is_empty());
    guard.restore().unwrap();
    assert_eq!(areas_in_use(), before);
    // One that left and came back stands behind the others, as after a kill in between.
    guard.set(&[wanted("swap", Resource::MACHINE, "on".into())]).unwrap();
    does("swapoff", &[areas.0[0].device.as_os_str()]);
    does("swapon", &[areas.0[0].device.as_os_str()]);
    // Kernels that use such areas in turn have no order to put back.
    let other = areas_in_use();
    guard.restore().unwrap();
    assert_eq!(areas_in_use(), before, "they stood as {other:?}");
}

/// Says to this test, run in a process of its own, what to do there.
const STEP: &str = "HEADROOM_TEST_STEP";
const SWAP_FILE: &str = "a_swap_file_takes_the_place_of_all_areas_and_is_removed_also_after_a_kill";

/// Runs the test of the swap file anew with the journal in `state`, and the file in `folder`; without
/// one it is where the journal says.
fn in_a_process(step: &str, state: &Path, folder: Option<&Path>) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", SWAP_FILE, "--nocapture"]).env("HEADROOM_STATE", state).env(STEP, step);
    command.envs(folder.map(|folder| ("HEADROOM_SWAP_FOLDER", folder)));
    command.status().unwrap()
}

#[test]
fn a_swap_file_takes_the_place_of_all_areas_and_is_removed_also_after_a_kill() {
    if let Ok(step) = std::env::var(STEP) {
        return swap_file_step(&step);
    }
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // A tenth, at least 1 GiB, is left free.
    let (mounted, _areas) = (Mounted::new(1536 << 20), Areas::new());
    // The file's disk is chosen without the journal, which other runs look at.
    let (folder, state) = (mounted.point().canonicalize().unwrap(), tempfile::tempdir().unwrap());
    let (before, file) = (areas_in_use(), folder.join("swap-file"));
    let journal = state.path().join("settings.journal");
    assert!(in_a_process("change", state.path(), Some(&folder)).success());
    assert_eq!(areas_in_use(), before);
    assert!(!file.exists());
    let killed = in_a_process("kill", state.path(), Some(&folder));
    assert_eq!(killed.signal(), Some(9), "{killed}");
    let left = (areas_in_use(), file.exists(), journal.exists());
    assert!(in_a_process("restore", state.path(), None).success());
    assert_eq!(left, (vec![file.display().to_string()], true, true));
    assert_eq!(areas_in_use(), before);
    assert!(!file.exists() && !journal.exists());
}

/// What a process of its own does, with the journal in `$HEADROOM_STATE`.
fn swap_file_step(step: &str) {
    let swap = |level: &str| [wanted("swap", Resource::MACHINE, level.into())];
    let folder = std::env::var_os("HEADROOM_SWAP_FOLDER").map(PathBuf::from).unwrap_or_default();
    let file = folder.join("swap-file");
    let mut guard = SettingGuard::new(None);
    match step {
        "change" => {
            let before = areas_in_use();
            for (level, bytes) in [("file:64MiB", 64 << 20), ("file:32MiB", 32 << 20)] {
                let now = guard.set(&swap(level)).unwrap();
                assert_eq!(now[0].read_back, Value::from(level));
                assert_eq!(areas_in_use(), [file.display().to_string()]);
                let metadata = std::fs::metadata(&file).unwrap();
                let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
                assert_eq!((metadata.len(), mode), (bytes, 0o600));
            }
            guard.set(&swap("off")).unwrap();
            assert!(areas_in_use().is_empty() && !file.exists());
            guard.set(&swap("on")).unwrap();
            assert_eq!(areas_in_use(), before);
            let error = guard.set(&swap("file:1GiB")).unwrap_err().to_string();
            assert!(error.contains("must be left"), "{error}");
            assert_eq!(areas_in_use(), before);
            // One that is not known to be ours.
            std::fs::write(&file, "precious").unwrap();
            let error = guard.set(&swap("file:64MiB")).unwrap_err().to_string();
            assert!(error.contains("there is a file"), "{error}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
            std::fs::remove_file(&file).unwrap();
            guard.set(&swap("file:64MiB")).unwrap();
            guard.restore().unwrap();
        }
        "kill" => {
            guard.set(&swap("file:64MiB")).unwrap();
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
        "restore" => {
            let done = setting::restore(Unrestorable::Keep).unwrap();
            let said: Vec<String> = done.iter().map(ToString::to_string).collect();
            assert!(said.len() == 1 && done[0].is_settled(), "{said:?}");
            assert!(
                said[0].contains("swap-file of file:") && said[0].contains("from 64MiB to none"),
                "{said:?}"
            );
        }
        other => panic!("{other}"),
    }
}
