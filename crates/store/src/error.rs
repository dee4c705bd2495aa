//! What can go wrong with a store. Every message says what happened and to
//! which file; [`StoreError::help`] says what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

use crate::sqlite::BUSY_TIMEOUT;

/// A store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no default place.
    #[error("no place for the store is known: neither XDG_DATA_HOME nor HOME is set to an absolute path")]
    NoDefault,
    /// The file is something else.
    #[error("`{}` is not a Headroom store: {why}", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// A newer program wrote the store.
    #[error(
        "the store `{}` has version {found}, but this program knows only up to version {known}",
        path.display()
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// The folder that should hold the store is not there.
    #[error("the store `{}` cannot be made: the folder `{}` does not exist", path.display(), folder.display())]
    NoFolder {
        /// The store.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The operating system did not allow it.
    #[error("cannot {doing} the store `{}`: {source}", path.display())]
    Access {
        /// The store.
        path: PathBuf,
        /// `open`, `make`.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The store was opened where it can only be read.
    #[error("cannot {doing} the store `{}`: the file or its folder is read-only", path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
    },
    /// A killed program left a change half made, and the store was opened where
    /// it can only be read.
    #[error(
        "cannot {doing} the store `{}`: a program was killed while it wrote, and undoing that needs to write",
        path.display()
    )]
    HalfWritten {
        /// The store.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
    },
    /// The disk is full.
    #[error("cannot {doing} the store `{}`: no space is left for it", path.display())]
    Full {
        /// The store.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
    },
    /// Another program held the store for too long.
    #[error(
        "cannot {doing} the store `{}`: another program has kept it locked for {} s",
        path.display(),
        BUSY_TIMEOUT.as_secs()
    )]
    Busy {
        /// The store.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
    },
    /// The file is a store, but not whole.
    #[error("the store `{}` is damaged: {detail}", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// No run is meant.
    #[error("the store `{}` has no run `{text}`", path.display())]
    Unknown {
        /// The store.
        path: PathBuf,
        /// What was asked for.
        text: String,
        /// Ids that look like it, the nearest first; may be empty.
        nearest: Vec<String>,
    },
    /// Several runs are meant.
    #[error("`{text}` is the beginning of {} runs in the store `{}`", candidates.len(), path.display())]
    Ambiguous {
        /// The store.
        path: PathBuf,
        /// What was asked for.
        text: String,
        /// The ids that begin so, the newest first.
        candidates: Vec<String>,
    },
    /// There is no store, and so no run.
    #[error("no runs are kept yet: there is no store `{}`", path.display())]
    Absent {
        /// Where it would be.
        path: PathBuf,
    },
    /// There is no run at all.
    #[error("the store `{}` holds no runs", path.display())]
    Empty {
        /// The store.
        path: PathBuf,
    },
    /// It is there already.
    #[error("the store `{}` already has {what}", path.display())]
    Duplicate {
        /// The store.
        path: PathBuf,
        /// What is there.
        what: String,
    },
    /// A trial belongs to a case that the run's head does not have.
    #[error("run `{run}` in the store `{}` has {cases} cases, so a trial of case {case} has no place", path.display())]
    NoCase {
        /// The store.
        path: PathBuf,
        /// The run.
        run: String,
        /// The case's number, from 0.
        case: usize,
        /// How many cases there are.
        cases: usize,
    },
    /// A run is there, but cannot be gone on with.
    #[error("run `{run}` in the store `{}` cannot be resumed: {why}", path.display())]
    NotResumed {
        /// The store.
        path: PathBuf,
        /// The run.
        run: String,
        /// Why not, in a sentence without a full stop.
        why: &'static str,
    },
    /// A document cannot be kept, because it could not be read again.
    #[error("cannot keep {what} in the store `{}`: it could not be read again: {source}", path.display())]
    Document {
        /// The store.
        path: PathBuf,
        /// Which document.
        what: String,
        /// Where reading fails.
        source: serde_json::Error,
    },
    /// SQLite failed for another reason.
    #[error("cannot {doing} the store `{}`: {source}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// What to do about it, in sentences.
    #[must_use]
    pub fn help(&self) -> String {
        let fixed = match self {
            Self::NoDefault => "Set HOME, or name a file with `--store PATH`.",
            Self::NotAStore { .. } => {
                "Nothing in it was changed. Name a store, or a file that does not exist yet, with `--store PATH`."
            }
            Self::Newer { .. } => {
                "Nothing in it was changed. Use the newer Headroom that wrote it, or name another file with \
                 `--store PATH`."
            }
            Self::NoFolder { folder, .. } => {
                return format!("Make it with `mkdir -p {}`, or correct the path.", folder.display());
            }
            Self::Access { .. } => {
                "Name a file in a folder in which you may write, such as `--store headroom.db`, or ask who owns this \
                 one to let you."
            }
            Self::ReadOnly { .. } => {
                "Runs in it can be listed and shown. To write, make the file and its folder writable, or name \
                 another place with `--store PATH`."
            }
            Self::HalfWritten { .. } => {
                "Nothing is lost. Let somebody who may write the file and its folder type `headroom list` once."
            }
            Self::Full { doing: "make", .. } => {
                "Free some space, or name a place on another disk with `--store PATH`."
            }
            Self::Full { .. } => {
                "What was stored before is safe. Free some space (`headroom rm RUN` removes a run and needs \
                 none), or name a place on another disk with `--store PATH`."
            }
            Self::Busy { .. } => "Wait until the other program has finished, then try again.",
            Self::Damaged { .. } => {
                "Keep a copy of the file. Go back to a backup, or name another file with `--store PATH`."
            }
            Self::Unknown { nearest, .. } if nearest.is_empty() => "`headroom list` shows all runs.",
            Self::Unknown { nearest, .. } => {
                return format!("Did you mean {}? `headroom list` shows all runs.", either(nearest));
            }
            Self::Ambiguous { candidates, .. } => {
                return format!("Type more of it. It may be {}.", either(candidates));
            }
            Self::Absent { .. } | Self::Empty { .. } => {
                "`headroom run` makes one. Another store is named with `--store PATH`."
            }
            Self::Duplicate { .. } | Self::NoCase { .. } => {
                "This is a fault of Headroom, not of the store. Please report it with the command that you typed."
            }
            Self::NotResumed { .. } => {
                "Nothing of it was changed. `headroom list` shows how each run stands; `headroom run` measures anew."
            }
            Self::Document { .. } => {
                "A number that is infinite or not a number cannot be kept. This is a fault of Headroom; please \
                 report it with the command that you typed."
            }
            Self::Sqlite { .. } => {
                "If it happens again, keep a copy of the file and name another with `--store PATH`."
            }
        };
        fixed.to_owned()
    }

    /// What SQLite's refusal means, at `path`, while `doing` something.
    pub(crate) fn sqlite(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if source.sqlite_error().is_some_and(|e| e.extended_code == ffi::SQLITE_READONLY_ROLLBACK) {
            return Self::HalfWritten { path, doing };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { path, doing },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, doing },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path, doing },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, detail: source.to_string() }
            }
            _ => Self::Sqlite { path, doing, source },
        }
    }

    /// What the system's refusal means, at `path`, while `doing` something.
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path, doing },
            _ => Self::Access { path, doing, source },
        }
    }
}

/// At most five ids, as a person lists choices.
fn either(ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut shown: Vec<_> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    match ids.len() - shown.len() {
        0 => {}
        more => shown.push(format!("one of {more} more")),
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "none".to_owned(),
    }
}
