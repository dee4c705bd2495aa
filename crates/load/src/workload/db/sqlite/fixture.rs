//! A file of SQLite as a fixture, in a hidden folder of ours in the target.

use std::fs::File;
use std::path::PathBuf;

use engine::fault::Fault;

use crate::fixture::Fixture;
use crate::workload::file::tree::Tree;

/// A database that is removed when it is dropped.
#[derive(Debug)]
pub(in crate::workload) struct SqliteDatabase {
    pub(super) tree: Box<Tree>,
    /// Where it is.
    pub(in crate::workload) path: PathBuf,
}

impl Fixture for SqliteDatabase {
    fn check(&self) -> Result<(), Fault> {
        File::open(&self.path).map(drop).map_err(|e| Fault::system("opening the database that was made", e))
    }

    fn remove(self: Box<Self>) -> Result<(), Fault> {
        self.tree.remove()
    }
}
