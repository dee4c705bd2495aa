//! The list of what trials have put into stores and not taken away: one file for each trial, in a folder of who
//! measures, written before anything is put and removed after all of it. A run that was killed leaves its file,
//! and so the next one on the same bucket removes the rest, or `headroom restore` tells of it. The file is locked
//! while its trial is under way. It has no key: whoever removes something needs one of their own.
//!
//! A file has a line of JSON, and one more for each removal that did not come to its end, so that the next removal goes
//! on where it ended.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::workload::left_records::{self, LeftRecord};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "objects";

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
    record: LeftRecord,
    left: LeftObjects,
}

impl Record {
    /// Writes what may be put; that is on the disk when this returns.
    pub(super) fn write(state: &Path, left: &LeftObjects) -> io::Result<Self> {
        let name = left.below.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let record = LeftRecord::write(&state.join(FOLDER), name, left)?;
        Ok(Self { record, left: left.clone() })
    }

    /// Writes how far a removal came. Where it cannot be written, the next one begins where this one did.
    pub(super) fn note(&mut self, removed: RemovalProgress) {
        if removed != self.left.removed {
            self.left.removed = removed;
            self.record.note(&self.left);
        }
    }

    /// Takes it out of the list: nothing is left.
    pub(super) fn remove(self) {
        self.record.remove();
    }
}

/// What runs that were killed left, each locked as long as its record is there. Those that are under way are not
/// among them.
pub(super) fn left(state: &Path) -> Vec<(LeftObjects, Record)> {
    let all = left_records::left::<LeftObjects>(&state.join(FOLDER)).into_iter();
    let ours = all.filter(|(left, _)| left.is_ours());
    ours.map(|(left, record)| (left.clone(), Record { record, left })).collect()
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
    use std::fs;

    use super::*;
    use crate::workload::left_records::BYTES_MAX;

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
        let path = state.path().join(FOLDER).join("headroom-0123456789abcdef0123456789abcdef");
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
    fn a_list_that_somebody_changed_removes_nothing_else() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let list = state.path().join(FOLDER);
        fs::create_dir_all(&list).unwrap();
        let wrong = ["", "/", "backups/", "headroom-/", "headroom-0123456789abcdef0123456789abcdef"];
        for (number, below) in wrong.into_iter().enumerate() {
            assert!(!of(below).is_ours(), "{below}");
            fs::write(list.join(number.to_string()), serde_json::to_vec(&of(below)).unwrap()).unwrap();
        }
        assert!(objects_left(state.path(), true).is_empty());
    }
}
