//! The list of trees that are there now: one file for each, in a folder of who
//! measures, written before the tree is made and removed after it. A run that
//! was killed together with its agent leaves its tree and the file, and so the
//! next run, wherever it measures, or `headroom restore` finds the tree. The file
//! is locked while its tree is in use, so that nobody needs to go there (a server
//! of NFS may not answer) to know that it is.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat};

use crate::workload::file::owned_folder;
use crate::workload::file::tree::{self, CleanupOutcome};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "trees";
/// Longer than any path, with a number before it.
const BYTES_MAX: u64 = 8 << 10;

/// Which folder a path means: another file system may be mounted there next time.
/// A device may have another number after the machine was started anew, an inode
/// has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FolderIdentity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl FolderIdentity {
    /// That of an open folder.
    pub(super) fn of(folder: impl AsFd) -> io::Result<Self> {
        let stat = fstat(folder)?;
        Ok(Self { device: stat.st_dev, inode: stat.st_ino })
    }
}

/// The file of one tree.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    _lock: File,
}

impl Record {
    /// Writes that the tree `name` will be in `folder`, which is `identity`; that is
    /// on the disk when this returns.
    pub(super) fn write(
        state: &Path,
        name: &str,
        folder: &Path,
        identity: FolderIdentity,
    ) -> io::Result<Self> {
        let list = state.join(FOLDER);
        fs::create_dir_all(&list)?;
        let path = list.join(name);
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        let mut text = format!("{} {} ", identity.device, identity.inode).into_bytes();
        text.extend(folder.as_os_str().as_bytes());
        text.push(b'\n');
        let written = flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(io::Error::from)
            .and_then(|()| file.write_all(&text))
            .and_then(|()| file.sync_all())
            .and_then(|()| File::open(&list)?.sync_all());
        match written {
            Ok(()) => Ok(Self { path, _lock: file }),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Takes it out of the list: the tree is gone.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A tree that a run which was killed left, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleTree {
    /// Where it is.
    pub tree: PathBuf,
    /// What became of it.
    pub outcome: TreeOutcome,
}

/// What became of a tree that was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeOutcome {
    /// It is gone.
    Removed,
    /// Its folder is not there: removed since, or on a file system that is not
    /// mounted now.
    OutOfReach,
    /// It is there, for this reason.
    Stays(String),
}

impl StaleTree {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.outcome == TreeOutcome::Removed
    }
}

impl fmt::Display for StaleTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a run that was killed left this folder; ", self.tree.display())?;
        match &self.outcome {
            TreeOutcome::Removed => f.write_str("it is removed"),
            TreeOutcome::OutOfReach => f.write_str(
                "what it was in is not there now; if that is only not mounted, remove it by hand when it is",
            ),
            TreeOutcome::Stays(why) => {
                write!(f, "it could not be removed: {why}; see what is in it, and remove it by hand")
            }
        }
    }
}

/// Removes the trees in the list in the folder `state` that nobody uses; gives
/// up at the time `until`. What is out of reach stays in the list, unless
/// `forget` says otherwise. Trees in use are not told.
#[must_use]
pub fn remove_left(state: &Path, until: Option<Instant>, forget: bool) -> Vec<StaleTree> {
    let list = state.join(FOLDER);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(open) = rustix::fs::open(&list, flags, Mode::empty()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(&list) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| tree::is_name(name)).collect();
    names.sort_unstable();
    names.iter().filter_map(|name| one(open.as_fd(), name, until, forget)).collect()
}

/// The tree of one file of the list.
fn one(list: BorrowedFd<'_>, name: &str, until: Option<Instant>, forget: bool) -> Option<StaleTree> {
    let mut file = owned_folder::regular(list, name, owned_folder::user()).ok()?;
    // Its run is under way.
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let mut text = Vec::new();
    Read::by_ref(&mut file).take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let done = || {
        let _ = rustix::fs::unlinkat(list, name, rustix::fs::AtFlags::empty());
    };
    let Some((identity, folder)) = parse(text) else {
        // Killed while it wrote: there is no tree yet.
        done();
        return None;
    };
    let tree = folder.join(name);
    let outcome = match remove(&folder, identity, name, until) {
        Ok(None) => TreeOutcome::OutOfReach,
        Ok(Some(CleanupOutcome::InUse)) => return None,
        Ok(Some(CleanupOutcome::Nothing)) => {
            done();
            return None;
        }
        Ok(Some(CleanupOutcome::Removed)) => TreeOutcome::Removed,
        Err(error) => TreeOutcome::Stays(error.to_string()),
    };
    if outcome == TreeOutcome::Removed || forget && outcome == TreeOutcome::OutOfReach {
        done();
    }
    Some(StaleTree { tree, outcome })
}

/// Which folder a file names, and where that is.
fn parse(mut text: Vec<u8>) -> Option<(FolderIdentity, PathBuf)> {
    if text.pop() != Some(b'\n') {
        return None;
    }
    let mut parts = text.splitn(3, |b| *b == b' ');
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
    let identity = FolderIdentity { device: number()?, inode: number()? };
    let folder = PathBuf::from(OsStr::from_bytes(parts.next()?));
    folder.is_absolute().then_some((identity, folder))
}

/// Removes the tree `name` in `folder`; nothing if that is another folder than it
/// was.
fn remove(
    folder: &Path,
    was: FolderIdentity,
    name: &str,
    until: Option<Instant>,
) -> io::Result<Option<CleanupOutcome>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = match rustix::fs::open(folder, flags, Mode::empty()).map_err(io::Error::from) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        other => other?,
    };
    let is = FolderIdentity::of(&parent)?;
    if is.inode != was.inode {
        return Ok(None);
    }
    Ok(match tree::remove_if_abandoned(parent.as_fd(), name, until)? {
        // The topmost folders of two file systems have one inode number.
        CleanupOutcome::Nothing if is.device != was.device => None,
        found => Some(found),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::file::owned_folder::tests::in_time;
    use std::os::unix::fs::symlink;

    const NAME: &str = ".headroom-tree-1-1";

    /// A folder with a tree that a killed run left, and a list that names it.
    fn fixture() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir_in(".").unwrap();
        let folder = place.path().canonicalize().unwrap().join("data");
        let tree = folder.join(NAME);
        fs::create_dir_all(tree.join("owner0/d0")).unwrap();
        fs::write(tree.join("lock"), "").unwrap();
        fs::write(tree.join("owner0/d0/f7"), "x").unwrap();
        let state = place.path().join("state");
        let identity = FolderIdentity::of(File::open(&folder).unwrap()).unwrap();
        drop(Record::write(&state, NAME, &folder, identity).unwrap());
        (place, state, tree)
    }

    fn listed(state: &Path) -> usize {
        fs::read_dir(state.join(FOLDER)).unwrap().count()
    }

    #[test]
    fn a_tree_of_a_run_that_was_killed_with_its_agent_is_found_by_the_list() {
        let (_place, state, tree) = fixture();
        let left = remove_left(&state, None, false);
        assert_eq!(left, [StaleTree { tree: tree.clone(), outcome: TreeOutcome::Removed }]);
        assert!(!tree.exists() && tree.parent().unwrap().exists());
        assert_eq!(listed(&state), 0);
        assert_eq!(remove_left(&state, None, false), []);
    }

    #[test]
    fn a_tree_whose_run_is_under_way_is_not_touched() {
        let (_place, state, tree) = fixture();
        let lock = File::open(tree.join("lock")).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(remove_left(&state, None, true), []);
        drop(lock);
        let lock = File::open(state.join(FOLDER).join(NAME)).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(remove_left(&state, None, true), []);
        assert!(tree.join("owner0/d0/f7").exists() && listed(&state) == 1);
    }

    #[test]
    fn a_folder_that_is_not_mounted_now_is_not_forgotten_before_somebody_heard_of_it() {
        let (_place, state, tree) = fixture();
        let folder = tree.parent().unwrap();
        let away = folder.with_file_name("away");
        fs::rename(folder, &away).unwrap();
        for there in [false, true] {
            if there {
                fs::create_dir(folder).unwrap();
            }
            let left = remove_left(&state, None, false);
            assert_eq!(left, [StaleTree { tree: tree.clone(), outcome: TreeOutcome::OutOfReach }], "{there}");
        }
        fs::remove_dir(folder).unwrap();
        // The same inode on another file system, by the list.
        fs::rename(&away, folder).unwrap();
        let hidden = folder.with_file_name("hidden");
        fs::rename(&tree, &hidden).unwrap();
        let file = state.join(FOLDER).join(NAME);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("1{text}")).unwrap();
        assert_eq!(remove_left(&state, None, false)[0].outcome, TreeOutcome::OutOfReach);
        fs::rename(&hidden, &tree).unwrap();
        assert_eq!(remove_left(&state, None, false)[0].outcome, TreeOutcome::Removed);
        let (_place, state, tree) = fixture();
        fs::remove_dir_all(tree.parent().unwrap()).unwrap();
        assert_eq!(remove_left(&state, None, true)[0].outcome, TreeOutcome::OutOfReach);
        assert_eq!(listed(&state), 0);
    }

    #[test]
    fn what_is_in_the_list_and_none_of_ours_is_passed_over() {
        let (_place, state, tree) = fixture();
        let list = state.join(FOLDER);
        let precious = tree.parent().unwrap().join("precious");
        fs::write(&precious, "x").unwrap();
        fs::write(list.join("notes"), "1 1 /\n").unwrap();
        symlink(&precious, list.join(".headroom-tree-2-2")).unwrap();
        fs::write(list.join(".headroom-tree-3-3"), "17 17 rela").unwrap();
        fs::write(list.join(".headroom-tree-4-4"), "17 17 relative/path\n").unwrap();
        let pipe = list.join(".headroom-tree-5-5");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let same = state.clone();
        let left = in_time(move || remove_left(&same, None, false));
        assert_eq!(left, [StaleTree { tree, outcome: TreeOutcome::Removed }]);
        assert_eq!(fs::read_to_string(&precious).unwrap(), "x");
        // Of files cut short, there is no tree yet.
        assert_eq!(listed(&state), 3);
    }
}
