//! A tree of folders of ours in the user's folder, with names, because names are
//! what is measured. It is removed when the trial ends. After a SIGKILL it stays
//! behind; a lock in it tells that nobody uses it any more. It is removed by the
//! next run in the same folder, which meets its name, and by the next run or
//! `headroom restore` elsewhere, which find it in a list (see [`super::stale_trees`]).
//!
//! What is removed is looked at first: `own.rs` says how.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engine::clock;
use engine::fault::Fault;
use model::plan::FixtureKey;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::fs::{flock, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::file::owned_folder::{self, Names, Removal, is_numbered};
use crate::workload::file::server_folder;
use crate::workload::file::stale_trees::{FolderIdentity, Record};

/// What every tree of ours is called, before the process and the time.
const PREFIX: &str = ".headroom-tree-";
/// The file in it that is locked while it is in use.
const LOCK: &std::ffi::CStr = c"lock";
/// Somebody who clears up may take a tree for abandoned before it is locked.
const ATTEMPTS: u32 = 10;
/// How long a trial clears up after others.
const PATIENCE: Duration = Duration::from_secs(10);

/// What we make at the top of a tree, and below.
const TOP: Names = Names { folder: |name| is_numbered(name, &["owner"]), file: |_| false, last: LOCK };
const BELOW: Names = Names {
    folder: |name| is_numbered(name, &["d"]),
    file: |name| is_numbered(name, &["f", "r"]) || is_database(name),
    last: c".",
};

/// What a database of ours is called in its folder.
pub(in crate::workload) const DATABASE: &str = "data.db";

/// Whether `name` is that of a database of ours, or of what SQLite puts beside it (sqlite.org/tempfiles.html).
fn is_database(name: &[u8]) -> bool {
    let behind = name.strip_prefix(DATABASE.as_bytes());
    behind.is_some_and(|behind| matches!(behind, b"" | b"-journal" | b"-wal" | b"-shm"))
}

/// Whether `name` is exactly one that we give a tree.
pub(super) fn is_name(name: &str) -> bool {
    let numbers = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    numbers.is_some_and(|(process, time)| {
        [process, time].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The kind of trees.
pub const TREES: FixtureKind = FixtureKind { name: "tree", make };

fn make(key: &FixtureKey, host: &HostInfo, _progress: &mut Progress<'_>) -> FixtureResult {
    Ok(Box::new(Tree::make(Path::new(&key.target), host)?))
}

/// Why there are no folders in `folder`.
fn failed(folder: &Path) -> impl Fn(io::Error) -> Fault {
    move |e| Fault::system(format!("making folders in {}", folder.display()), e)
}

impl Fixture for Tree {
    fn remove(mut self: Box<Self>) -> Result<(), Fault> {
        self.take_away().map_err(|error| {
            Fault::Other(format!(
                "{} could not be removed: {error}; see what is in it, and remove it by hand",
                self.root.display()
            ))
        })
    }
}

/// A tree that is removed when it is dropped.
#[derive(Debug)]
pub(in crate::workload) struct Tree {
    /// The folder that it is in.
    parent: OwnedFd,
    name: String,
    top: OwnedFd,
    root: PathBuf,
    /// How many owners it has so far.
    owners: AtomicUsize,
    lock: Option<File>,
    /// Whose files of ours are on this file system, which may have its own idea
    /// of that (NFS, FAT).
    owner: u32,
    record: Option<Record>,
}

impl Tree {
    /// An empty one in `folder`, from which what killed runs left is removed first.
    ///
    /// # Errors
    /// If nothing can be made there.
    pub(in crate::workload) fn make(folder: &Path, host: &HostInfo) -> Result<Self, Fault> {
        remove_abandoned(folder, Instant::now() + PATIENCE);
        Self::begin(folder, host.state_folder.as_deref()).map_err(failed(folder))
    }

    /// Makes folders for `owners`, each with `width` folders in each of its folders,
    /// `depth` levels down, and says which have none in them: those of one owner
    /// after those of another. They are of who asks alone.
    pub(in crate::workload) fn folders(
        &self,
        owners: usize,
        width: u64,
        depth: u64,
    ) -> Result<Vec<PathBuf>, Fault> {
        let make = |folder: PathBuf| {
            fs::create_dir(&folder).map_err(failed(&self.root))?;
            Ok(folder)
        };
        let mut leaves = Vec::new();
        for _ in 0..owners {
            let owner = self.owners.fetch_add(1, Ordering::Relaxed);
            let mut level = vec![make(self.root.join(format!("owner{owner}")))?];
            for _ in 0..depth {
                let below = level
                    .iter()
                    .flat_map(|above| (0..width).map(|index| make(above.join(format!("d{index}")))));
                level = below.collect::<Result<_, Fault>>()?;
            }
            leaves.extend(level);
        }
        Ok(leaves)
    }

    /// Makes the folder of a server in it, which may put into it what it wants, as the user and group `owner` where
    /// that is not who asks. There is one at most.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(in crate::workload) fn server_folder(&self, owner: Option<(u32, u32)>) -> Result<PathBuf, Fault> {
        server_folder::make(&self.root, owner).map_err(failed(&self.root))
    }

    /// A tree in `folder` without folders, in the list in the folder `state`, if that
    /// can be written, and locked.
    fn begin(folder: &Path, state: Option<&Path>) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let parent =
                rustix::fs::open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
            let name = format!("{PREFIX}{}-{}", std::process::id(), clock::now_ns());
            let identity = FolderIdentity::of(&parent)?;
            // Without a list the next run in this folder finds it all the same.
            let record = state.and_then(|state| Record::write(state, &name, folder, identity).ok());
            let forget = |record: Option<Record>| record.into_iter().for_each(Record::remove);
            if let Err(error) = mkdirat(&parent, &name, Mode::RWXU) {
                forget(record);
                return Err(error.into());
            }
            match locked(parent.as_fd(), &name) {
                Ok((top, lock, owner)) => {
                    let (root, owners, lock) = (folder.join(&name), AtomicUsize::new(0), Some(lock));
                    return Ok(Self { parent, name, top, root, owners, lock, owner, record });
                }
                Err(error) => {
                    forget(record);
                    if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::WouldBlock) {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::Error::other("others remove them as soon as they are made"))
    }

    /// Removes what is ours in it, once.
    fn take_away(&mut self) -> io::Result<()> {
        let Some(lock) = self.lock.take() else { return Ok(()) };
        remove(self.parent.as_fd(), &self.name, self.top.as_fd(), Some(lock), self.owner, None)?;
        if let Some(record) = self.record.take() {
            record.remove();
        }
        Ok(())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // What stays is in the list, for the next run.
        let _ = self.take_away();
    }
}

/// Opens the new folder `name` and makes and locks its lock; says whose files we
/// make there are. Where that fails, neither stays.
///
/// # Errors
/// `NotFound` and `WouldBlock` if somebody took it for abandoned.
fn locked(parent: BorrowedFd<'_>, name: &str) -> io::Result<(OwnedFd, File, u32)> {
    let take_away = || {
        let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
    };
    let open = || {
        let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        owned_folder::folder(parent, name, stat.st_uid).map(|top| (top, stat.st_uid))
    };
    let (top, owner) = open().inspect_err(|_| take_away())?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = openat(&top, LOCK, flags, Mode::RUSR | Mode::WUSR).inspect_err(|_| take_away())?;
    let check = || {
        let ours = fstat(&lock)?;
        if ours.st_uid != owner {
            return Err(io::Error::other("somebody put a folder of theirs in its place"));
        }
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        // Still the one that the name means.
        let named = statat(&top, LOCK, AtFlags::SYMLINK_NOFOLLOW)?;
        if named.st_ino == ours.st_ino { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
    };
    match check() {
        Ok(()) => Ok((top, File::from(lock), owner)),
        Err(error) => {
            let _ = unlinkat(&top, LOCK, AtFlags::empty());
            take_away();
            Err(error)
        }
    }
}

/// Removes what is ours in `top`, which is called `name` in `parent`, and itself;
/// its lock last, so that what stays is still known.
fn remove(
    parent: BorrowedFd<'_>,
    name: &str,
    top: BorrowedFd<'_>,
    lock: Option<File>,
    owner: u32,
    until: Option<Instant>,
) -> io::Result<()> {
    server_folder::remove(top, until)?;
    Removal { owner, until, below: BELOW }.empty(top, &TOP)?;
    // NFS keeps a file that is open under another name, and the folder with it.
    drop(lock);
    for removed in [unlinkat(top, LOCK, AtFlags::empty()), unlinkat(parent, name, AtFlags::REMOVEDIR)] {
        match removed {
            // Somebody else clears up too.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

/// What became of a tree that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CleanupOutcome {
    /// There is none of that name.
    Nothing,
    /// Somebody uses it.
    InUse,
    /// Nobody used it, and it is gone.
    Removed,
}

/// Removes the tree `name` in `parent` if nobody uses it; fails with why it stays
/// although nobody does.
pub(super) fn remove_if_abandoned(
    parent: BorrowedFd<'_>,
    name: &str,
    until: Option<Instant>,
) -> io::Result<CleanupOutcome> {
    let us = owned_folder::user();
    let top = match owned_folder::folder(parent, name, us) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(CleanupOutcome::Nothing),
        other => other?,
    };
    let lock = match owned_folder::regular(top.as_fd(), LOCK, us) {
        Ok(lock) => lock,
        // Killed before it was locked, or at the end of its removal; what has
        // content and no lock is not ours.
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return match unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Ok(()) => Ok(CleanupOutcome::Removed),
                Err(_) => Err(io::Error::new(e.kind(), "it has no lock, so it is none of Headroom's")),
            };
        }
        Err(e) => return Err(io::Error::new(e.kind(), format!("lock: {e}"))),
    };
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(CleanupOutcome::InUse),
        other => other?,
    }
    remove(parent, name, top.as_fd(), Some(lock), us, until).map(|()| CleanupOutcome::Removed)
}

/// Removes trees of ours in `folder` that nobody uses: those of runs that were
/// killed. What cannot be removed is in nobody's way.
fn remove_abandoned(folder: &Path, until: Instant) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(parent) = rustix::fs::open(folder, flags, Mode::empty()) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if let Some(name) = entry.file_name().to_str().filter(|name| is_name(name)) {
            let _ = remove_if_abandoned(parent.as_fd(), name, Some(until));
        }
    }
}

#[cfg(test)]
mod tests;
