//! A file of SQLite with tables in it, in a hidden folder of ours in the target.

use std::fs::File;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use rusqlite::{Connection, OpenFlags, params};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::sbtest::{RowMaker, Sbtest};
use crate::workload::db::sqlite::connection::failed;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::file::tree::{DATABASE, Tree};

/// The kind of files.
pub const DATABASES: FixtureKind = FixtureKind { name: "database", make };

/// So many rows are put in with each transaction.
const BATCH: u64 = 2_000;

/// What is made for `data` in `folder`.
pub(in crate::workload) fn key(folder: &str, data: Sbtest) -> FixtureKey {
    let bytes = data.bytes();
    FixtureKey {
        details: serde_json::json!({ "tables": data.tables, "rows": data.rows }),
        written: bytes,
        about: format!("makes {} in a database of its own in {folder}, and removes it", data.about()),
        ..FixtureKey::new(DATABASES.name, folder, bytes, Ownership::Created)
    }
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let details = key.details.clone();
    let data: Sbtest = serde_json::from_value(details)
        .map_err(|e| Fault::Other(format!("this agent does not know what a database is to have: {e}")))?;
    let tree = Tree::make(Path::new(&key.target), host)?;
    let folder = tree.folders(1, 1, 0)?.pop();
    let path =
        folder.ok_or_else(|| Fault::Other("there is no folder for the database".to_owned()))?.join(DATABASE);
    fill(&path, &data, progress)?;
    Ok(Box::new(SqliteDatabase { tree: Box::new(tree), path }))
}

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

/// Makes the tables; all of it is on the device when this returns. There is no journal meanwhile: what is not
/// finished is removed whole.
fn fill(path: &Path, data: &Sbtest, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let making = failed("making a database");
    let connection = Connection::open_with_flags(path, flags).map_err(&making)?;
    connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;").map_err(&making)?;
    for table in 1..=data.tables {
        connection.execute_batch(&Sbtest::create(DatabaseSystem::Sqlite, table)).map_err(&making)?;
        let mut from = 0;
        while from < data.rows {
            let done = (table - 1).saturating_mul(data.rows).saturating_add(from);
            if !progress(Sbtest::bytes_of(done)) {
                return Err(Fault::Cancelled);
            }
            let to = data.rows.min(from + BATCH);
            put(&connection, data, table, from..to).map_err(&making)?;
            from = to;
        }
        connection.execute_batch(&Sbtest::index(table)).map_err(&making)?;
    }
    connection.close().map_err(|(_, error)| making(error))?;
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Fault::system("syncing a database", e))?;
    progress(data.bytes());
    Ok(())
}

/// Puts rows in, in one transaction.
fn put(
    connection: &Connection,
    data: &Sbtest,
    table: u64,
    rows: std::ops::Range<u64>,
) -> rusqlite::Result<()> {
    let mut maker = RowMaker::new(data);
    connection.execute_batch("BEGIN")?;
    let mut insert = connection.prepare_cached(&Sbtest::insert(table))?;
    for row in rows {
        let k = maker.make(table, row);
        insert.execute(params![k, maker.c, maker.pad])?;
    }
    connection.execute_batch("COMMIT")
}
