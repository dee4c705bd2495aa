//! The list of what trials have put into stores and not taken away: one file for each trial, in a folder of who
//! measures, written before anything is put and removed after all of it. A run that was killed leaves its file,
//! and so the next one on the same bucket removes the rest, or `headroom restore` tells of it. The file is locked
//! while its trial is under way. It has no key: whoever removes something needs one of their own.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::workload::left_records::{self, LeftRecord};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "objects";

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
pub(super) struct Record(LeftRecord);

impl Record {
    /// Writes what may be put; that is on the disk when this returns.
    pub(super) fn write(state: &Path, left: &LeftObjects) -> io::Result<Self> {
        let name = left.below.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        LeftRecord::write(&state.join(FOLDER), name, left).map(Self)
    }

    /// Takes it out of the list: nothing is left.
    pub(super) fn remove(self) {
        self.0.remove();
    }
}

/// What runs that were killed left, each locked as long as its record is there. Those that are under way are not
/// among them.
pub(super) fn left(state: &Path) -> Vec<(LeftObjects, Record)> {
    let all = left_records::left::<LeftObjects>(&state.join(FOLDER)).into_iter();
    all.filter(|(left, _)| left.is_ours()).map(|(left, record)| (left, Record(record))).collect()
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
        assert_eq!(objects_left(state.path(), false), std::slice::from_ref(&ours));
        assert!(ours.to_string().contains("s3://data/a/headroom-0123"), "{ours}");
        assert_eq!(objects_left(state.path(), true), std::slice::from_ref(&ours));
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
        assert!(objects_left(state.path(), true).is_empty());
    }
}
