//! The list of what trials have put into stores and not taken away: one file for each trial, in a folder of who
//! measures, written before anything is put and removed after all of it. A run that was killed leaves its file,
//! and so the next one on the same bucket removes the rest, or `headroom restore` tells of it. The file is locked
//! while its trial is under way. It has no key: whoever removes something needs one of their own.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "objects";

/// Longer than any of them.
const BYTES_MAX: u64 = 64 << 10;

/// What the name of each trial's objects has before 32 hexadecimal digits.
pub(super) const MARK: &str = "headroom-";

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
    _lock: File,
}

impl Record {
    /// Writes what may be put; that is on the disk when this returns.
    pub(super) fn write(state: &Path, left: &LeftObjects) -> io::Result<Self> {
        let list = state.join(FOLDER);
        fs::create_dir_all(&list)?;
        let name = left.below.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let path = list.join(name);
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        let text = serde_json::to_vec(left)?;
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

    /// Takes it out of the list: nothing is left.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
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
    let mut file =
        OpenOptions::new().read(true).custom_flags(i32::try_from(flags.bits()).ok()?).open(&path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    // Its trial is under way.
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let mut text = Vec::new();
    Read::by_ref(&mut file).take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let record = Record { path, _lock: file };
    let left = serde_json::from_slice::<LeftObjects>(&text).ok();
    if left.is_none() && text.is_empty() {
        // Killed while it wrote: nothing was put yet.
        record.remove();
        return None;
    }
    left.filter(LeftObjects::is_ours).map(|left| (left, record))
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
    use super::*;

    fn of(below: &str) -> LeftObjects {
        let text = |text: &str| text.to_owned();
        let (endpoint, bucket) = (text("http://a:9000"), text("data"));
        LeftObjects { endpoint, bucket, below: text(below), objects: 3, has_parts: true }
    }

    #[test]
    fn what_a_trial_put_is_left_once_it_is_gone() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert!(objects_left(state.path(), false).is_empty());
        let ours = of("a/headroom-0123456789abcdef0123456789abcdef/");
        let record = Record::write(state.path(), &ours).unwrap();
        assert!(objects_left(state.path(), true).is_empty(), "it is under way");
        drop(record);
        assert_eq!(objects_left(state.path(), false), [ours.clone()]);
        assert!(ours.to_string().contains("s3://data/a/headroom-0123"), "{ours}");
        assert_eq!(objects_left(state.path(), true), [ours.clone()]);
        assert!(objects_left(state.path(), false).is_empty());
        Record::write(state.path(), &ours).unwrap().remove();
        assert!(objects_left(state.path(), false).is_empty());
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
