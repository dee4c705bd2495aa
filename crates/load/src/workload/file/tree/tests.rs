//! What is removed of trees, and what is not.

use model::plan::Ownership;

use super::*;
use crate::fixture::FixtureStore;
use crate::workload::file::owned_folder::tests::in_time;
use std::os::unix::fs::symlink;
use std::process::Command;

/// As an agent makes one.
fn made(folder: &Path) -> Tree {
    remove_abandoned(folder, Instant::now() + PATIENCE);
    let tree = Tree::begin(folder, None).unwrap();
    tree.folders(1, 1, 0).unwrap();
    tree
}

/// A tree as a killed run leaves it, called `name` in `folder`.
fn stale(folder: &Path, name: &str) -> PathBuf {
    let tree = folder.join(name);
    fs::create_dir_all(tree.join("owner0/d0/d1")).unwrap();
    fs::write(tree.join("owner0/d0/d1/f3"), "x").unwrap();
    fs::write(tree.join("owner0/d0/d1/r4"), "x").unwrap();
    fs::write(tree.join("lock"), "").unwrap();
    tree
}

const NAME: &str = ".headroom-tree-1-1";

fn is_root(why: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        assert!(std::env::var_os("CI").is_none(), "nothing is skipped in CI");
        println!("skipped: {why} needs root");
    }
    root
}

/// Runs a script in a mount namespace of its own, in `folder`.
fn unshared(folder: &Path, script: &str) {
    let status =
        Command::new("unshare").args(["-m", "sh", "-ec", script]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{script}");
}

#[test]
fn a_tree_has_its_folders_and_leaves_nothing() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let state = tempfile::tempdir_in(".").unwrap();
    let tree = Tree::begin(folder.path(), Some(state.path())).unwrap();
    let leaves = tree.folders(2, 3, 2).unwrap();
    assert_eq!(leaves.len(), 18);
    let of_last = |leaf: &PathBuf| leaf.is_dir() && leaf.display().to_string().contains("owner1");
    assert!(leaves[9..].iter().all(of_last));
    // Another load in the same tree has folders of its own.
    assert!(tree.folders(1, 3, 2).unwrap().iter().all(|leaf| !leaves.contains(leaf)));
    assert_eq!(state.path().join("trees").read_dir().unwrap().count(), 1);
    drop(tree);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    assert_eq!(state.path().join("trees").read_dir().unwrap().count(), 0);
}

#[test]
fn a_tree_with_something_of_the_users_in_it_is_not_removed_in_silence() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let mut store = FixtureStore::new(&[TREES]);
    let key = FixtureKey::new(TREES.name, folder.path().to_string_lossy(), 0, Ownership::Created);
    store.make(&key, &HostInfo::default(), &mut |_| true).unwrap();
    let leaf = store.find::<Tree>(&key).unwrap().folders(1, 1, 1).unwrap().remove(0);
    fs::write(leaf.join("mine"), "precious").unwrap();
    let told = store.remove(std::slice::from_ref(&key)).unwrap_err().to_string();
    assert!(told.contains("could not be removed: owner0/d0/mine: Headroom makes nothing of"), "{told}");
    assert_eq!(fs::read_to_string(leaf.join("mine")).unwrap(), "precious");
    // It is somebody else's matter from now on.
    store.remove(&[key]).unwrap();
}

#[test]
fn a_list_that_cannot_be_written_does_not_keep_from_measuring() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let file = tempfile::NamedTempFile::new_in(".").unwrap();
    let tree = Tree::begin(folder.path(), Some(&file.path().join("below a file"))).unwrap();
    assert!(tree.record.is_none() && tree.folders(1, 1, 1).unwrap().len() == 1);
}

#[test]
fn a_tree_of_a_killed_run_is_removed_but_no_other() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let left = stale(folder.path(), NAME);
    let at_its_begin = folder.path().join(format!("{PREFIX}1-2"));
    fs::create_dir(&at_its_begin).unwrap();
    let used = made(folder.path());
    assert!(!left.exists() && !at_its_begin.exists(), "nobody used them");
    let second = made(folder.path());
    assert!(used.root.exists() && second.root.exists());
}

#[test]
fn regression_a_folder_of_the_user_was_removed_because_its_name_began_like_ours() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let others = ["of-the-user", "1", "1-", "-1", "1-2-3", "1-2x", "+1-2", "1-2.bak", ""];
    let others: Vec<PathBuf> =
        others.iter().map(|rest| stale(folder.path(), &format!("{PREFIX}{rest}"))).collect();
    drop(made(folder.path()));
    for tree in &others {
        assert!(tree.join("owner0/d0/d1/f3").exists(), "{}", tree.display());
    }
}

#[test]
fn regression_what_a_user_put_into_a_tree_was_removed_with_it() {
    for inside in ["mine", "owner0/mine", "owner0/d0/d1/f3.txt", "owner0/d0/f"] {
        let folder = tempfile::tempdir_in(".").unwrap();
        let left = stale(folder.path(), NAME);
        fs::write(left.join(inside), "precious").unwrap();
        drop(made(folder.path()));
        assert_eq!(fs::read_to_string(left.join(inside)).unwrap(), "precious");
        assert!(!left.join("owner0/d0/d1/r4").exists(), "what was ours is gone");
        assert!(left.join("lock").exists(), "it is still known as ours");
        fs::remove_file(left.join(inside)).unwrap();
        drop(made(folder.path()));
        assert!(!left.exists(), "{inside}");
    }
    // A link, and a folder without a lock.
    let folder = tempfile::tempdir_in(".").unwrap();
    let (left, precious) = (stale(folder.path(), NAME), folder.path().join("precious"));
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("f1"), "x").unwrap();
    symlink(&precious, left.join("owner0/d7")).unwrap();
    symlink(&precious, folder.path().join(format!("{PREFIX}2-2"))).unwrap();
    let without = stale(folder.path(), &format!("{PREFIX}3-3"));
    fs::remove_file(without.join("lock")).unwrap();
    drop(made(folder.path()));
    assert!(precious.join("f1").exists() && left.join("owner0/d7").exists());
    assert!(without.join("owner0/d0/d1/f3").exists());
}

#[test]
fn regression_a_lock_that_is_a_pipe_stalled_the_run_and_one_that_is_a_link_was_opened() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let left = stale(folder.path(), NAME);
    let lock = left.join("lock");
    fs::remove_file(&lock).unwrap();
    assert!(Command::new("mkfifo").arg(&lock).status().unwrap().success());
    let path = folder.path().to_owned();
    in_time(move || drop(made(&path)));
    assert!(left.join("owner0/d0/d1/f3").exists());
    fs::remove_file(&lock).unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    symlink(&other, &lock).unwrap();
    let parent = fs::File::open(folder.path()).unwrap();
    let refused = remove_if_abandoned(parent.as_fd(), NAME, None).unwrap_err();
    assert!(refused.to_string().contains("no regular file"), "{refused}");
    assert!(left.join("owner0/d0/d1/f3").exists());
}

#[test]
fn regression_a_file_behind_a_bind_mount_in_a_tree_was_removed() {
    if !is_root("a bind mount") {
        return;
    }
    // The same test again, in a mount namespace of its own.
    const INSIDE: &str = "HEADROOM_TEST_BIND_MOUNT";
    let Some(place) = std::env::var_os(INSIDE).map(PathBuf::from) else {
        let folder = tempfile::tempdir_in(".").unwrap();
        let place = folder.path().canonicalize().unwrap();
        let left = stale(&place, NAME);
        fs::create_dir_all(place.join("precious")).unwrap();
        fs::write(place.join("precious/f1"), "x").unwrap();
        fs::create_dir(left.join("owner0/d5")).unwrap();
        let program = std::env::current_exe().unwrap();
        let name = std::thread::current().name().unwrap().to_owned();
        unshared(
            &place,
            &format!(
                "mount --bind precious {NAME}/owner0/d5; {INSIDE}='{}' '{}' --exact '{name}' >log 2>&1 || {{ cat log; exit 1; }}",
                place.display(),
                program.display(),
            ),
        );
        let log = fs::read_to_string(place.join("log")).unwrap();
        assert!(log.contains("1 passed"), "{log}");
        assert!(place.join("precious/f1").exists() && left.join("lock").exists());
        drop(made(&place));
        assert!(!left.exists(), "the mount is gone, and so is what it was on");
        return;
    };
    drop(made(&place));
    assert!(place.join("precious/f1").exists(), "removed through the mount");
    assert!(place.join(NAME).join("owner0/d5/f1").exists(), "mounted still");
    assert!(!place.join(NAME).join("owner0/d0").exists(), "what was ours is gone");
}

#[test]
fn regression_a_tree_of_another_user_was_removed_by_root() {
    if !is_root("a folder of another user") {
        return;
    }
    let folder = tempfile::tempdir_in(".").unwrap();
    let left = stale(folder.path(), NAME);
    let theirs = |path: &Path| std::os::unix::fs::chown(path, Some(12_345), None).unwrap();
    theirs(&left.join("lock"));
    drop(made(folder.path()));
    assert!(left.join("owner0/d0/d1/f3").exists(), "a lock of somebody else");
    std::os::unix::fs::chown(left.join("lock"), Some(0), None).unwrap();
    theirs(&left);
    drop(made(folder.path()));
    assert!(left.join("owner0/d0/d1/f3").exists());
}

#[test]
fn a_removal_without_time_left_stops_and_goes_on_later() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let left = stale(folder.path(), NAME);
    remove_abandoned(folder.path(), Instant::now());
    assert!(left.join("lock").exists());
    remove_abandoned(folder.path(), Instant::now() + PATIENCE);
    assert!(!left.exists());
}
