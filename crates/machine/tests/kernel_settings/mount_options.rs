//! Options of a mounted file system.

use super::*;

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
