//! The list of what trials have put into stores and not taken away: one file for each trial, in a folder of who
//! measures, written before anything is put and removed after all of it. A run that was killed leaves its file,
//! and so the next one on the same bucket removes the rest, or `headroom restore` tells of it. The file is locked
//! while its trial is under way. It has no key: whoever removes something needs one of their own.
//!
//! A file has a line of JSON, and one more for each removal that did not come to its end: the last whole one counts, so
//! that the next removal goes on where it ended.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::retry_on_intr;
use serde::{Deserialize, Serialize};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "objects";

/// Longer than any of them.
const BYTES_MAX: u64 = 64 << 10;

/// How often a record is made again that another run removed before it was locked.
const TRIES: u32 = 8;

/// What the name of each trial's objects has before 32 hexadecimal digits.
pub(super) const MARK: &str = "headroom-";

/// How far a removal came that did not come to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemovalProgress {
    /// Objects with numbers below this one are away.
    pub(super) objects: u64,
    /// Uploads of parts of objects with numbers below this one are, where they are listed object by object.
    pub(super) uploads: u64,
}

/// What a run that was killed may have left in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftObjects {
    /// Where the store is, as it was given.
    pub endpoint: String,
    /// The bucket.
    pub bucket: String,
    /// What the names of all of its objects begin with.
    pub below: String,
    /// They have the numbers from 0 to this one, less one.
    pub(super) objects: u64,
    /// Whether there may be uploads of parts.
    pub(super) has_parts: bool,
    /// What of it is away.
    #[serde(default)]
    pub(super) removed: RemovalProgress,
}

impl LeftObjects {
    /// Whether the name is one that a trial makes up: nothing else is ever removed.
    fn is_ours(&self) -> bool {
        let name = self.below.strip_suffix('/').map(|path| path.rsplit('/').next().unwrap_or(path));
        let digits = name.and_then(|name| name.strip_prefix(MARK));
        digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
    }
}

impl fmt::Display for LeftObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, bucket, below, .. } = self;
        write!(
            f,
            "s3://{bucket}/{below} at {endpoint}: a run that was killed may have left objects and unfinished uploads \
             there; the next object.* run with this endpoint and bucket removes them. After removing them by hand, \
             `headroom restore --drop` forgets them"
        )
    }
}

/// The file of one trial.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    /// Locked.
    file: File,
    left: LeftObjects,
}

impl Record {
    /// Writes what may be put; that is on the disk when this returns.
    pub(super) fn write(state: &Path, left: &LeftObjects) -> io::Result<Self> {
        let list = state.join(FOLDER);
        fs::create_dir_all(&list)?;
        let name = left.below.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let path = list.join(name);
        let text = serde_json::to_vec(left)?;
        let mut file = new_locked(&path)?;
        let written =
            file.write_all(&text).and_then(|()| file.sync_all()).and_then(|()| File::open(&list)?.sync_all());
        match written {
            Ok(()) => Ok(Self { path, file, left: left.clone() }),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Writes how far a removal came. Where it cannot be written, the next one begins where this one did.
    pub(super) fn note(&mut self, removed: RemovalProgress) {
        if removed == self.left.removed {
            return;
        }
        self.left.removed = removed;
        let Ok(line) = serde_json::to_string(&self.left) else { return };
        let added = format!("\n{line}");
        // What is behind the end of what is read would not count.
        let has_room = |bytes: u64| bytes + added.len() as u64 <= BYTES_MAX;
        if self.file.metadata().is_ok_and(|metadata| has_room(metadata.len())) {
            let _ = self.file.write_all(added.as_bytes()).and_then(|()| self.file.sync_all());
        }
    }

    /// Takes it out of the list: nothing is left.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file at `path`, locked. Another run that reads the list before it is locked takes it for one that was
/// never written, and removes it.
fn new_locked(path: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)?;
        let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map_err(io::Error::from);
        match locked.and_then(|()| is_in_list(&file)) {
            Ok(true) => return Ok(file),
            Ok(false) => {}
            Err(error) => {
                let _ = fs::remove_file(path);
                return Err(error);
            }
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Whether an open file still has its name.
fn is_in_list(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() > 0)
}

/// What runs that were killed left, each locked as long as its record is there. Those that are under way are not
/// among them.
pub(super) fn left(state: &Path) -> Vec<(LeftObjects, Record)> {
    let Ok(entries) = fs::read_dir(state.join(FOLDER)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths.into_iter().filter_map(one).collect()
}

fn one(path: PathBuf) -> Option<(LeftObjects, Record)> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file = OpenOptions::new().read(true).append(true).custom_flags(flags).open(&path).ok()?;
    locked(path, file)
}

/// What an open file of the list says, once it is locked.
fn locked(path: PathBuf, mut file: File) -> Option<(LeftObjects, Record)> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    // Its trial is under way.
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Its trial ended well since the list was read.
    if !is_in_list(&file).ok()? {
        return None;
    }
    let mut text = Vec::new();
    Read::by_ref(&mut file).take(BYTES_MAX).read_to_end(&mut text).ok()?;
    if text.is_empty() {
        // Killed while it wrote: nothing was put yet.
        let _ = fs::remove_file(&path);
        return None;
    }
    let mut lines = text.split(|byte| *byte == b'\n').rev();
    let left = lines.find_map(|line| serde_json::from_slice::<LeftObjects>(line).ok())?;
    left.is_ours().then(|| (left.clone(), Record { path, file, left }))
}

/// What runs that were killed may have left in stores, by the list in the folder `state`; with `forgets` it is
/// taken out of the list.
#[must_use]
pub fn objects_left(state: &Path, forgets: bool) -> Vec<LeftObjects> {
    let all = left(state).into_iter();
    all.map(|(left, record)| {
        if forgets {
            record.remove();
        }
        left
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn of(below: &str) -> LeftObjects {
        let text = |text: &str| text.to_owned();
        let (endpoint, bucket) = (text("http://a:9000"), text("data"));
        let (below, removed) = (text(below), RemovalProgress::default());
        LeftObjects { endpoint, bucket, below, objects: 3, has_parts: true, removed }
    }

    #[test]
    fn what_a_trial_put_is_left_once_it_is_gone() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert!(objects_left(state.path(), false).is_empty());
        let ours = of("a/headroom-0123456789abcdef0123456789abcdef/");
        let record = Record::write(state.path(), &ours).unwrap();
        assert!(objects_left(state.path(), true).is_empty(), "it is under way");
        drop(record);
        assert_eq!(objects_left(state.path(), false), std::slice::from_ref(&ours));
        assert!(ours.to_string().contains("s3://data/a/headroom-0123"), "{ours}");
        assert_eq!(objects_left(state.path(), true), std::slice::from_ref(&ours));
        assert!(objects_left(state.path(), false).is_empty());
        Record::write(state.path(), &ours).unwrap().remove();
        assert!(objects_left(state.path(), false).is_empty());
    }

    #[test]
    fn how_far_a_removal_came_is_kept_and_a_line_that_is_not_whole_says_nothing() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let ours = of("headroom-0123456789abcdef0123456789abcdef/");
        let mut record = Record::write(state.path(), &ours).unwrap();
        let path = record.path.clone();
        record.note(RemovalProgress { objects: 1, uploads: 0 });
        drop(record);
        let known = || left(state.path()).remove(0);
        let (_, mut again) = known();
        let second = RemovalProgress { objects: 2, uploads: 1 };
        again.note(second);
        drop(again);
        assert_eq!(known().0, LeftObjects { removed: second, ..ours.clone() });
        // Killed while it wrote.
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(known().0.removed, RemovalProgress { objects: 1, uploads: 0 });
        // What there is room for ends at some time.
        let (_, mut full) = known();
        (2..1_000).for_each(|objects| full.note(RemovalProgress { objects, uploads: 0 }));
        drop(full);
        assert!(fs::metadata(&path).unwrap().len() <= BYTES_MAX);
        assert!((2..999).contains(&known().0.removed.objects));
        // As it was written before there was such a line.
        let text = serde_json::to_string(&ours).unwrap();
        let before = text.replace(",\"removed\":{\"objects\":0,\"uploads\":0}", "");
        assert_ne!(text, before);
        fs::write(&path, before).unwrap();
        assert_eq!(known().0, ours);
    }

    #[test]
    fn regression_a_trial_that_ended_just_now_was_taken_for_a_killed_one() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let record = Record::write(state.path(), &of("headroom-0123456789abcdef0123456789abcdef/")).unwrap();
        let path = record.path.clone();
        let file = File::open(&path).unwrap();
        record.remove();
        assert!(locked(path, file).is_none());
    }

    /// One run makes its records while another reads the list again and again.
    #[test]
    fn regression_a_record_was_removed_by_a_run_that_read_the_list_before_it_was_locked() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let list = state.path().join(FOLDER);
        fs::create_dir_all(&list).unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert!(left(state.path()).is_empty());
                }
            });
            let made = (0..2_000).try_for_each(|number: u32| {
                let path = list.join(number.to_string());
                let file = new_locked(&path)?;
                let is_listed = is_in_list(&file)? && path.exists();
                // The other one may have removed it once it is not locked any more.
                drop(file);
                let _ = fs::remove_file(&path);
                if is_listed { Ok(()) } else { Err(io::Error::other("it is not in the list")) }
            });
            is_over.store(true, Ordering::Relaxed);
            made.unwrap();
        });
    }

    #[test]
    fn a_list_that_somebody_changed_removes_nothing_else() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let list = state.path().join(FOLDER);
        fs::create_dir_all(&list).unwrap();
        let wrong = ["", "/", "backups/", "headroom-/", "headroom-0123456789abcdef0123456789abcdef"];
        for (number, below) in wrong.into_iter().enumerate() {
            assert!(!of(below).is_ours(), "{below}");
            fs::write(list.join(number.to_string()), serde_json::to_vec(&of(below)).unwrap()).unwrap();
        }
        fs::write(list.join("x"), "{").unwrap();
        std::os::unix::fs::symlink("x", list.join("y")).unwrap();
        fs::create_dir(list.join("z")).unwrap();
        fs::write(list.join("empty"), "").unwrap();
        assert!(objects_left(state.path(), true).is_empty());
        assert!(!list.join("empty").exists() && list.join("x").exists());
    }
}
