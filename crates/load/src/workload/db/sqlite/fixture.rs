//! A file of SQLite as a fixture: in a hidden folder of ours in the target, or one there that is kept.

use std::path::PathBuf;

use engine::fault::Fault;

use crate::fixture::Fixture;
use crate::workload::db::kept::DataOrigin;
use crate::workload::file::tree::Tree;
use crate::workload::left_records::LeftRecord;

/// That a file is kept, and in use as long as this is there.
#[derive(Debug)]
pub(super) struct KeptFile {
    pub(super) origin: DataOrigin,
    pub(super) _record: LeftRecord,
}

/// A database that is removed when it is dropped, unless it is kept.
#[derive(Debug)]
pub(in crate::workload) struct SqliteDatabase {
    /// The folder that it is in; none where it is kept.
    tree: Option<Box<Tree>>,
    kept: Option<KeptFile>,
    /// Where it is.
    pub(in crate::workload) path: PathBuf,
}

impl SqliteDatabase {
    /// One at `path`, in a folder of ours.
    pub(super) fn hidden(tree: Tree, path: PathBuf) -> Self {
        Self { tree: Some(Box::new(tree)), kept: None, path }
    }

    /// One at `path` that stays there.
    pub(super) fn kept(path: PathBuf, kept: KeptFile) -> Self {
        Self { tree: None, kept: Some(kept), path }
    }

    /// Where it came from, if it is kept.
    pub(in crate::workload) fn origin(&self) -> Option<DataOrigin> {
        self.kept.as_ref().map(|kept| kept.origin)
    }
}

impl Fixture for SqliteDatabase {
    fn check(&self) -> Result<(), Fault> {
        // Without opening it: closing it would end the locks that SQLite has of it here.
        let there = self.path.metadata().map(drop);
        there.map_err(|e| Fault::system("looking for the database that was made", e))
    }

    fn remove(self: Box<Self>) -> Result<(), Fault> {
        self.tree.map_or(Ok(()), Fixture::remove)
    }
}
