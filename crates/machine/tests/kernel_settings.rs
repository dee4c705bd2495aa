//! Settings of disks and of the whole machine, changed and put back for real: on a loop device made
//! for the test, and, for a moment, on the machine. Needs root.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use machine::setting::{self, Journal, Process, SettingError, SettingGuard, Wanted};
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
    let before = state();
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
    // What one sets anew is not changed beside it: it would be of neither level.
    let both = [wanted("queue-requests", disk.resource(), Value::Integer(64)), all[0].clone()];
    let error = guard.set(&both).unwrap_err().to_string();
    assert!(error.contains("depends on `queue-requests`"), "{error}");
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

/// A file system, unmounted when it is dropped.
struct Mounted {
    point: tempfile::TempDir,
    disk: Loop,
}

impl Mounted {
    fn new(kind: &str, bytes: u64) -> Self {
        let (disk, point) = (Loop::new(bytes), tempfile::tempdir_in("/var/tmp").unwrap());
        run(Command::new(format!("mkfs.{kind}")).args(["-q", "-F"]).arg(&disk.device));
        run(Command::new("mount").args(["-t", kind]).arg(&disk.device).arg(point.path()));
        Self { point, disk }
    }

    fn resource(&self) -> Resource {
        Resource::of(ResourceKind::FileSystem, self.point.path().display())
    }

    /// All that the kernel says of it.
    fn state(&self) -> Vec<String> {
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let point = self.point.path().to_str().unwrap();
        let is_it = |line: &&str| line.split(' ').nth(4) == Some(point);
        let ext4 = format!("/proc/fs/ext4/{}/options", self.disk.name());
        let ext4 = std::fs::read_to_string(ext4).unwrap_or_default();
        table.lines().filter(is_it).chain(ext4.lines()).map(str::to_owned).collect()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.point.path()).status();
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_mounted_file_system_has_its_options_back() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mounted, folder) = (Mounted::new("ext4", 32 << 20), tempfile::tempdir().unwrap());
    let before = mounted.state();
    let of = |options: &str| [wanted("mount-options", mounted.resource(), options.into())];
    let mut guard = guard(folder.path());
    let shown = |text: &str| mounted.state().iter().any(|line| line.contains(text));
    for (options, expected) in [
        ("noatime+nodiratime", "noatime,nodiratime"),
        ("strictatime", " rw "),
        ("lazytime", "lazytime"),
        ("nobarrier+commit=30", "nobarrier,commit=30"),
        ("barrier=0+sync", ",sync"),
        ("noauto_da_alloc+max_batch_time=0+discard", "max_batch_time=0"),
    ] {
        let now = guard.set(&of(options)).unwrap();
        assert_eq!(now[0].read_back, options.into());
        assert!(shown(expected), "{options}: {:?}", mounted.state());
        guard.check().unwrap();
    }
    assert!(!shown("lazytime") && !shown("noatime"), "each level is reached from what was before");
    guard.restore().unwrap();
    assert_eq!(mounted.state(), before);
    for (options, says) in [("ro", "none of the options of ext4"), ("noatime+relatime", "exclude each other")]
    {
        let error = guard.set(&of(options)).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    // What the kernel takes as another number is none of the levels.
    let error = guard.set(&of("commit=0")).unwrap_err().to_string();
    assert!(error.contains("took commit=5 instead"), "{error}");
    assert_eq!(mounted.state(), before);
    // Of what is mounted in part, options of all of it are not changed.
    let part = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::create_dir(mounted.point.path().join("part")).unwrap();
    run(Command::new("mount").arg("--bind").arg(mounted.point.path().join("part")).arg(part.path()));
    let bound = Resource::of(ResourceKind::FileSystem, part.path().display());
    let all = guard.set(&[wanted("mount-options", bound.clone(), "nobarrier".into())]);
    let own = guard.set(&[wanted("mount-options", bound, "noatime".into())]);
    let is_alone = mounted.state() == before;
    let back = guard.restore();
    run(Command::new("umount").arg(part.path()));
    let error = all.unwrap_err().to_string();
    assert!(error.contains("mounted at"), "{error}");
    own.unwrap();
    back.unwrap();
    assert!(is_alone, "the other mount keeps its own");
    assert_eq!(mounted.state(), before);
    assert!(Journal::at(folder.path()).entries().unwrap().is_empty());
}
