//! A file of SQLite with the tables of any load in it, in a hidden folder of ours in the target.

use std::fs::File;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use rusqlite::{Connection, OpenFlags};

use crate::fixture::{FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::dataset::{DataSet, TableLayout};
use crate::workload::db::kept::{KeptOrder, TableChoices};
use crate::workload::db::sqlite::connection::failed;
use crate::workload::db::sqlite::fixture::SqliteDatabase;
use crate::workload::db::sqlite::{bind, kept_file};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::file::tree::{DATABASE, Tree};

/// The kind of files.
pub const TABLES: FixtureKind = FixtureKind { name: "database-tables", make };

/// So many rows are put in with each transaction.
const BATCH: u64 = 2_000;

/// What is made for `data` in `folder`.
pub(in crate::workload) fn key(folder: &str, data: DataSet, choices: TableChoices) -> FixtureKey {
    let bytes = data.bytes();
    let about = if choices.keeps {
        format!("makes {data} in a file of its own in {folder}, or finds it there, and keeps it")
    } else {
        format!("makes {data} in a database of its own in {folder}, and removes it")
    };
    FixtureKey {
        details: serde_json::json!(KeptOrder { data, choices }),
        written: bytes,
        about,
        ..FixtureKey::new(TABLES.name, folder, bytes, Ownership::Created)
    }
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let details = key.details.clone();
    let order: KeptOrder = serde_json::from_value(details)
        .map_err(|e| Fault::Other(format!("this agent does not know what a database is to have: {e}")))?;
    let folder = Path::new(&key.target);
    if order.choices.keeps {
        return Ok(Box::new(kept_file::make(folder, &order, host, progress)?));
    }
    let (tree, path) = make_hidden(folder, &order.data, host, progress)?;
    Ok(Box::new(SqliteDatabase::hidden(tree, path)))
}

/// Makes a database with `data` in a hidden folder of ours in `folder`; returns that folder, and where the database is.
///
/// # Errors
/// If it cannot be made, or it is told to stop; then nothing of it stays.
pub(super) fn make_hidden(
    folder: &Path,
    data: &DataSet,
    host: &HostInfo,
    progress: &mut Progress<'_>,
) -> Result<(Tree, PathBuf), Fault> {
    let tree = Tree::make(folder, host)?;
    let inner = tree.folders(1, 1, 0)?.pop();
    let path =
        inner.ok_or_else(|| Fault::Other("there is no folder for the database".to_owned()))?.join(DATABASE);
    fill(&path, data, progress)?;
    Ok((tree, path))
}

/// Makes the tables; all of it is on the device when this returns. There is no journal meanwhile: what is not
/// finished is removed whole.
fn fill(path: &Path, data: &DataSet, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let making = failed("making a database");
    let connection = Connection::open_with_flags(path, flags).map_err(&making)?;
    connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;").map_err(&making)?;
    execute_all(&connection, data.statements(), progress)?;
    let layouts = data.layouts(DatabaseSystem::Sqlite);
    let all: u64 = layouts.iter().map(|table| table.rows).fold(0, u64::saturating_add);
    let mut done = 0u64;
    for table in &layouts {
        connection.execute_batch(&table.create.join(";")).map_err(&making)?;
        let mut from = 0;
        while from < table.rows {
            // All rows as if they had the same size.
            let bytes = u128::from(data.bytes()) * u128::from(done) / u128::from(all.max(1));
            if !progress(u64::try_from(bytes).unwrap_or(u64::MAX)) {
                return Err(Fault::Cancelled);
            }
            let to = table.rows.min(from + BATCH);
            put(&connection, table, from..to).map_err(&making)?;
            done += to - from;
            from = to;
        }
        connection.execute_batch(&table.indexes.join(";")).map_err(&making)?;
    }
    connection.close().map_err(|(_, error)| making(error))?;
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Fault::system("syncing a database", e))?;
    progress(data.bytes());
    Ok(())
}

/// Executes the statements that a user's file makes its tables with.
fn execute_all(
    connection: &Connection,
    statements: &[String],
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    for (number, statement) in (1..).zip(statements) {
        if !progress(0) {
            return Err(Fault::Cancelled);
        }
        connection.execute_batch(statement).map_err(|error| {
            Fault::Other(format!(
                "statement {number} of those that make the tables failed: SQLite says: {error}"
            ))
        })?;
    }
    Ok(())
}

/// Puts rows in, in one transaction.
fn put(connection: &Connection, table: &TableLayout, rows: std::ops::Range<u64>) -> rusqlite::Result<()> {
    let mut values = table.values();
    let columns: Vec<usize> = (1..=table.columns.len()).collect();
    connection.execute_batch("BEGIN")?;
    let mut insert = connection.prepare_cached(&table.insert())?;
    for row in rows {
        table.make(row, &mut values);
        bind(&mut insert, &values, &columns)?;
        insert.raw_execute()?;
    }
    connection.execute_batch("COMMIT")
}
