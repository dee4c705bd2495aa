//! A file of SQLite as a fixture: in a hidden folder of ours in the target, one there that is kept, or one whose path was given.

use std::path::PathBuf;

use engine::fault::Fault;

use crate::fixture::Fixture;
use crate::workload::db::kept::DataOrigin;
use crate::workload::db::sqlite::named_file::NamedFile;
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
    /// The folder that it is in; none where it is kept, or its path was given.
    tree: Option<Box<Tree>>,
    kept: Option<KeptFile>,
    /// It where its path was given.
    named: Option<NamedFile>,
    /// Where it is.
    pub(in crate::workload) path: PathBuf,
}

impl SqliteDatabase {
    /// One at `path`, in a folder of ours.
    pub(super) fn hidden(tree: Tree, path: PathBuf) -> Self {
        Self { tree: Some(Box::new(tree)), kept: None, named: None, path }
    }

    /// One at `path` that stays there.
    pub(super) fn kept(path: PathBuf, kept: KeptFile) -> Self {
        Self { tree: None, kept: Some(kept), named: None, path }
    }

    /// One whose path was given.
    pub(super) fn named(file: NamedFile) -> Self {
        let path = file.path.clone();
        Self { tree: None, kept: None, named: Some(file), path }
    }

    /// Where it came from, if it is kept.
    pub(in crate::workload) fn origin(&self) -> Option<DataOrigin> {
        self.kept.as_ref().map(|kept| kept.origin)
    }
}

impl Fixture for SqliteDatabase {
    fn check(&self) -> Result<(), Fault> {
        if let Some(named) = &self.named {
            return named.check();
        }
        // Without opening it: closing it would end the locks that SQLite has of it here.
        let there = self.path.metadata().map(drop);
        there.map_err(|e| Fault::system("looking for the database that was made", e))
    }

    fn remove(mut self: Box<Self>) -> Result<(), Fault> {
        if let Some(mut named) = self.named.take() {
            return named.remove();
        }
        self.tree.take().map_or(Ok(()), Fixture::remove)
    }
}
