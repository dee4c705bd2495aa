//! Existing files that were given up and are not what they seem: another file
//! has their name by the time they are opened, they have other names beside it,
//! or they are no files at all but switches of the kernel. None is written to.

use std::path::{Path, PathBuf};

use engine::Fault;
use load::fixture::FixtureStore;
use load::workload::{DeviceProbe, HostInfo};
use model::plan::{FixtureKey, Problem, ProblemKind};

use crate::support;

/// What a load on `target` needs, where all of `destroy` may be lost.
fn looked_at(target: &Path, destroy: &[&Path], words: &[(&str, &str)]) -> Result<FixtureKey, Problem> {
    let destroy = destroy.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let host = HostInfo { cpus: 2, memory_available: 1 << 30, destroy, ..HostInfo::default() };
    let words = [&[("engine", "sync")], words].concat();
    support::needs(support::parameters(target, &words), &host).map(|mut needs| needs.fixtures.remove(0))
}

/// Making it ready writes all of it.
const WRITTEN: &[(&str, &str)] = &[("pattern", "write"), ("precondition", "fill")];

fn make(key: &FixtureKey) -> Result<FixtureStore, Fault> {
    support::make(key, DeviceProbe::default())
}

/// A file of 1 MiB of `byte`.
fn file(folder: &Path, name: &str, byte: u8) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, vec![byte; 1 << 20]).unwrap();
    path
}

fn is_all(path: &Path, byte: u8) -> bool {
    std::fs::read(path).unwrap() == vec![byte; 1 << 20]
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// That the fixture is refused, with the reason.
fn is_refused(key: &FixtureKey, reason: &str) {
    let fault = make(key).unwrap_err().to_string();
    assert!(fault.contains("since it was looked at") && fault.contains(reason), "{fault}");
}

#[test]
fn a_file_that_another_was_renamed_onto_is_not_overwritten() {
    let folder = folder();
    let given_up = file(folder.path(), "scratch", 1);
    let key = looked_at(&given_up, &[&given_up], WRITTEN).unwrap();
    let precious = file(folder.path(), "precious", 2);
    std::fs::rename(&precious, &given_up).unwrap();
    is_refused(&key, "nothing is written to");
    is_refused(&key, "another file was put in its place");
    assert!(is_all(&given_up, 2), "it was overwritten");
    // What was given up itself is written to, and as often as it is asked for.
    let key = looked_at(&given_up, &[&given_up], WRITTEN).unwrap();
    for _ in 0..2 {
        make(&key).unwrap();
    }
    assert!(!is_all(&given_up, 2), "nothing was written");
}

#[test]
fn a_file_made_anew_with_the_same_inode_is_not_overwritten() {
    let folder = folder();
    let given_up = file(folder.path(), "scratch", 1);
    let key = looked_at(&given_up, &[&given_up], WRITTEN).unwrap();
    // The clock by which files are dated goes in steps.
    std::thread::sleep(std::time::Duration::from_millis(30));
    std::fs::remove_file(&given_up).unwrap();
    file(folder.path(), "scratch", 2);
    is_refused(&key, "another file was put in its place");
    assert!(is_all(&given_up, 2), "it was overwritten");
}

#[test]
fn a_file_that_was_replaced_is_not_measured_as_the_one_before() {
    let folder = folder();
    let read = file(folder.path(), "data", 1);
    let key = looked_at(&read, &[], &[("pattern", "read")]).unwrap();
    // To read it changes nothing, so another name of it does not matter.
    std::fs::hard_link(&read, folder.path().join("link")).unwrap();
    make(&key).unwrap();
    std::fs::rename(file(folder.path(), "new", 2), &read).unwrap();
    is_refused(&key, "nothing is read from");
}

#[test]
fn a_file_with_other_names_is_overwritten_only_if_all_are_given_up() {
    let folder = folder();
    let one = file(folder.path(), "one", 1);
    let (two, three) = (folder.path().join("two"), folder.path().join("three"));
    std::fs::hard_link(&one, &two).unwrap();
    std::fs::hard_link(&one, &three).unwrap();
    let same = folder.path().join("same");
    std::os::unix::fs::symlink(&two, &same).unwrap();
    let mine = file(folder.path(), "mine", 1);
    for (destroy, given) in [
        (&[&*one][..], "1 was"),
        (&[&one, &two], "2 were"),
        // A name that is none of its own, and one that is given twice.
        (&[&one, &two, &mine], "2 were"),
        (&[&one, &two, &same, &one], "2 were"),
    ] {
        let problem = looked_at(&one, destroy, WRITTEN).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.message.contains("3 names (hard links)"), "{problem:?}");
        assert!(problem.message.contains(&format!("{given} of them given up")), "{problem:?}");
        assert!(problem.help.contains("-samefile"), "{problem:?}");
    }
    looked_at(&one, &[&one], &[("pattern", "read")]).unwrap();
    let key = looked_at(&one, &[&one, &two, &three], WRITTEN).unwrap();
    // One more is somebody's.
    let four = folder.path().join("four");
    std::fs::hard_link(&one, &four).unwrap();
    is_refused(&key, "one more name (a hard link)");
    assert!(is_all(&four, 1), "it was overwritten");
    std::fs::remove_file(&four).unwrap();
    std::fs::remove_file(&three).unwrap();
    make(&key).unwrap();
    assert!(!is_all(&one, 1), "nothing was written");
}

#[test]
fn switches_of_the_kernel_are_no_targets_though_they_are_given_up() {
    // Regular files with sizes, and folders.
    let all = [
        ("/sys/kernel/mm/transparent_hugepage/enabled", "sysfs"),
        ("/sys/kernel/profiling", "sysfs"),
        ("/sys/module/loop/parameters/max_loop", "sysfs"),
        ("/proc/sys/vm/swappiness", "procfs"),
        ("/proc/kcore", "procfs"),
        ("/sys/kernel", "sysfs"),
        ("/proc/self", "procfs"),
        ("/proc/headroom-new-name", "procfs"),
        ("/sys/fs/cgroup/cgroup.procs", "cgroup"),
        ("/sys/fs/cgroup/headroom-new-name", "cgroup"),
        ("/sys/kernel/debug", "debugfs"),
    ];
    let mut refused = 0;
    for (path, kind) in all.map(|(path, kind)| (Path::new(path), kind)) {
        let near = if path.exists() { path } else { path.parent().unwrap() };
        // Another machine has others of these.
        let is_there = rustix::fs::statfs(near).is_ok_and(|stat| stat.f_blocks == 0);
        if !is_there {
            println!("skipped: {} is not there", path.display());
            continue;
        }
        for pattern in ["write", "randread"] {
            let problem = looked_at(path, &[path], &[("pattern", pattern)]).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::Refused);
            let tells = problem.message.contains(&format!("lies in {kind}"));
            assert!(tells || ["cgroup", "debugfs"].contains(&kind), "{path:?}: {problem:?}");
            refused += usize::from(tells);
        }
    }
    assert!(refused >= 6, "too few to be a test: {refused}");
}
