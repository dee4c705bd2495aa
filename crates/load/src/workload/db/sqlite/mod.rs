//! SQLite, in the threads of its clients: each has a connection of its own to one file.

pub(in crate::workload) mod checkpoint_watch;
pub(in crate::workload) mod cold_start;
pub(in crate::workload) mod existing_file;
pub(in crate::workload) mod fixture;
pub(in crate::workload) mod kept_file;
pub mod named_file;
pub(in crate::workload) mod prepared;
pub mod tables;

mod connection;

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::Fault;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement, ffi};

use crate::workload::db::client::{DatabaseClient, FailureKind, PageLookups, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::transaction::SqlStatement;

pub(in crate::workload) use crate::workload::db::sqlite::connection::{
    JOURNAL_MODES, LockWaits, SYNCHRONOUS, SqliteOptions, describe, is_whole, mark_written, open, reset,
};

/// A connection that stays where it is, so that statements can point to it.
struct PinnedConnection(NonNull<Connection>);

impl PinnedConnection {
    fn new(connection: Connection) -> Self {
        Self(NonNull::from(Box::leak(Box::new(connection))))
    }

    fn get(&self) -> &Connection {
        // SAFETY: it is there until this is dropped, and nobody has a mutable reference to it.
        unsafe { self.0.as_ref() }
    }

    /// The same for ever.
    ///
    /// # Safety
    /// It must not be used any more when this is dropped.
    unsafe fn get_for_ever(&self) -> &'static Connection {
        // SAFETY: as above, until this is dropped; from then on it is the caller's promise.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for PinnedConnection {
    fn drop(&mut self) {
        // SAFETY: it came out of a box, once, and those who point to it are gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// A client of SQLite.
pub(in crate::workload) struct SqliteClient {
    /// Each by its number; empty where nothing is prepared. They point to the connection, so that they stand before
    /// it: fields are dropped in their order.
    prepared: Vec<Statement<'static>>,
    connection: PinnedConnection,
    statements: Arc<[SqlStatement]>,
    /// A statement with its values, where nothing is prepared.
    text: String,
    lock_waits: Arc<LockWaits>,
    /// Whether a transaction is under way, and whether the last statement committed what was written.
    is_open: bool,
    committed: bool,
}

impl SqliteClient {
    /// A client of `connection`, which waits for locks and counts that in `lock_waits`. Where `prepares`, all
    /// statements are prepared now; otherwise each is parsed anew whenever it is executed, with its values in it.
    pub(in crate::workload) fn new(
        connection: Connection,
        lock_waits: Arc<LockWaits>,
        statements: Arc<[SqlStatement]>,
        prepares: bool,
    ) -> Result<Self, Fault> {
        let connection = PinnedConnection::new(connection);
        let mut prepared = Vec::new();
        for statement in statements.iter().filter(|_| prepares) {
            // SAFETY: what is prepared is dropped before the connection, here and in the client.
            let owner = unsafe { connection.get_for_ever() };
            let made = owner.prepare(&statement.text());
            prepared.push(made.map_err(|e| Fault::Other(format!("SQLite takes a statement for none: {e}")))?);
        }
        Ok(Self {
            prepared,
            connection,
            statements,
            text: String::new(),
            lock_waits,
            is_open: false,
            committed: false,
        })
    }

    /// What became of a statement that gave so many rows: how many count, and whether it committed.
    #[inline]
    fn ended(&mut self, given: rusqlite::Result<u64>, writes: bool) -> Result<u64, StatementFailure> {
        let was_open = std::mem::replace(&mut self.is_open, !self.connection.get().is_autocommit());
        self.committed = !self.is_open && (was_open || writes);
        let given = given.map_err(|error| failure(&error))?;
        Ok(if writes { self.connection.get().changes() } else { given })
    }
}

impl DatabaseClient for SqliteClient {
    #[inline]
    fn execute(
        &mut self,
        statement: usize,
        values: &[SqlValue],
        parameters: &[usize],
    ) -> Result<u64, StatementFailure> {
        let asked = &self.statements[statement];
        let given = match self.prepared.get_mut(statement) {
            Some(prepared) => bind(prepared, values, parameters).and_then(|()| run(prepared)),
            None => {
                asked.with_values(values, parameters, &mut self.text);
                let made = self.connection.get().prepare(&self.text);
                made.and_then(|mut made| run(&mut made))
            }
        };
        let writes = asked.writes;
        self.ended(given, writes)
    }

    fn keep(
        &mut self,
        statement: usize,
        values: &mut [SqlValue],
        parameters: &[usize],
        into: &[usize],
    ) -> Result<u64, StatementFailure> {
        let asked = &self.statements[statement];
        let given = match self.prepared.get_mut(statement) {
            Some(prepared) => {
                bind(prepared, values, parameters).and_then(|()| run_and_keep(prepared, values, into))
            }
            None => {
                asked.with_values(values, parameters, &mut self.text);
                let made = self.connection.get().prepare(&self.text);
                made.and_then(|mut made| run_and_keep(&mut made, values, into))
            }
        };
        let writes = asked.writes;
        self.ended(given, writes)
    }

    fn roll_back(&mut self) -> Result<(), StatementFailure> {
        // SQLite rolls back by itself after some failures.
        self.is_open = false;
        if self.connection.get().is_autocommit() {
            return Ok(());
        }
        self.connection.get().execute_batch("ROLLBACK").map_err(|error| failure(&error))
    }

    fn lock_waits(&self) -> Option<u64> {
        Some(self.lock_waits.times.load(Ordering::Relaxed))
    }

    fn lock_wait_ns(&self) -> Option<u64> {
        Some(self.lock_waits.slept_ns.load(Ordering::Relaxed))
    }

    /// By the counters of its connection (sqlite.org/c3ref/c_dbstatus_options.html).
    fn page_lookups(&self) -> Option<PageLookups> {
        let count = |kind: i32| {
            let (mut current, mut highest) = (0, 0);
            // SAFETY: the connection is there until this client is dropped, and is used by one thread at a time; both
            // numbers live through the call.
            let result = unsafe {
                let handle = self.connection.get().handle();
                ffi::sqlite3_db_status64(handle, kind, &raw mut current, &raw mut highest, 0)
            };
            if result == ffi::SQLITE_OK { u64::try_from(current).ok() } else { None }
        };
        let (hits, misses) = (ffi::SQLITE_DBSTATUS_CACHE_HIT, ffi::SQLITE_DBSTATUS_CACHE_MISS);
        Some(PageLookups { hits: count(hits)?, misses: count(misses)? })
    }

    fn has_committed(&self) -> Option<bool> {
        Some(self.committed)
    }
}

/// Puts those of `values` whose numbers are `parameters` into their places of `statement`.
pub(super) fn bind(
    statement: &mut Statement<'_>,
    values: &[SqlValue],
    parameters: &[usize],
) -> rusqlite::Result<()> {
    for (place, variable) in (1usize..).zip(parameters) {
        match &values[*variable] {
            SqlValue::Integer(number) => statement.raw_bind_parameter(place, *number)?,
            SqlValue::Text(text) => statement.raw_bind_parameter(place, text.as_str())?,
        }
    }
    Ok(())
}

/// Executes a statement whose values are in their places; returns how many rows it gave.
fn run(statement: &mut Statement<'_>) -> rusqlite::Result<u64> {
    let mut rows = statement.raw_query();
    let mut count = 0;
    while rows.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// As [`run`], and puts the first columns of the first row into those of `values` whose numbers are `into`.
fn run_and_keep(
    statement: &mut Statement<'_>,
    values: &mut [SqlValue],
    into: &[usize],
) -> rusqlite::Result<u64> {
    let mut rows = statement.raw_query();
    let mut count = 0;
    while let Some(row) = rows.next()? {
        for (column, variable) in into.iter().enumerate().filter(|_| count == 0) {
            let value = match row.get_ref(column)? {
                ValueRef::Null => continue,
                ValueRef::Integer(number) => SqlValue::Integer(number),
                ValueRef::Real(number) => SqlValue::Text(number.to_string()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    SqlValue::Text(String::from_utf8_lossy(bytes).into_owned())
                }
            };
            values[*variable] = value;
        }
        count += 1;
    }
    Ok(count)
}

/// What an error means to the transaction (sqlite.org/rescode.html).
fn failure(error: &rusqlite::Error) -> StatementFailure {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FailureKind::Conflict,
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::DiskFull
            | ErrorCode::CannotOpen
            | ErrorCode::NotADatabase
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed,
        )
        | None => FailureKind::Lost,
        Some(_) => FailureKind::Refused,
    };
    StatementFailure { kind, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn options(timeout: Duration) -> SqliteOptions {
        SqliteOptions {
            journal_mode: "wal".to_owned(),
            synchronous: "normal".to_owned(),
            cache_bytes: 1 << 20,
            timeout,
            reads_only: false,
        }
    }

    fn client(path: &std::path::Path, timeout: Duration, prepares: bool) -> SqliteClient {
        let texts =
            ["BEGIN IMMEDIATE", "INSERT INTO t VALUES (?, ?)", "SELECT b FROM t WHERE a >= ?", "COMMIT"];
        let statements = texts.iter().map(|text| SqlStatement::new(text, text.starts_with("INSERT")));
        let (connection, waits) = open(path, &options(timeout)).unwrap();
        SqliteClient::new(connection, waits, statements.collect(), prepares).unwrap()
    }

    fn made() -> (tempfile::TempDir, std::path::PathBuf) {
        let place = tempfile::tempdir_in(".").unwrap();
        let path = place.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        (place, path)
    }

    #[test]
    fn rows_are_counted_with_and_without_prepared_statements() {
        for prepares in [true, false] {
            let (_place, path) = made();
            let mut client = client(&path, Duration::from_secs(1), prepares);
            for number in 0..5 {
                let values = [SqlValue::Integer(number), SqlValue::Text("it's".to_owned())];
                assert_eq!(client.execute(1, &values, &[0, 1]), Ok(1));
            }
            assert_eq!(client.execute(2, &[SqlValue::Integer(2)], &[0]), Ok(3));
            let twice = client.execute(1, &[SqlValue::Integer(4), SqlValue::Text(String::new())], &[0, 1]);
            let refused = twice.unwrap_err();
            assert_eq!(refused.kind, FailureKind::Refused);
            assert!(refused.message.contains("UNIQUE constraint failed"), "{refused:?}");
            let mut kept = [SqlValue::Integer(3), SqlValue::Integer(0), SqlValue::Integer(7)];
            assert_eq!(client.keep(2, &mut kept, &[0], &[1]), Ok(2));
            assert_eq!(kept[1..], [SqlValue::Text("it's".to_owned()), SqlValue::Integer(7)]);
            kept[0] = SqlValue::Integer(99);
            assert_eq!(client.keep(2, &mut kept, &[0], &[2]), Ok(0));
            assert_eq!(kept[2], SqlValue::Integer(7), "there is no row, and so no value");
            // The statement can be used again.
            assert_eq!(client.execute(2, &[SqlValue::Integer(0)], &[0]), Ok(5));
            let text: String =
                client.connection.get().query_row("SELECT b FROM t", [], |row| row.get(0)).unwrap();
            assert_eq!(text, "it's");
        }
    }

    #[test]
    fn what_commits_is_known() {
        for prepares in [true, false] {
            let (_place, path) = made();
            let mut client = client(&path, Duration::from_secs(1), prepares);
            let values = [SqlValue::Integer(1), SqlValue::Integer(2)];
            let mut commits = |statement: usize, parameters: &[usize]| {
                client.execute(statement, &values, parameters).unwrap();
                client.has_committed().unwrap()
            };
            assert!(commits(1, &[0, 1]), "an insertion by itself");
            assert!(!commits(2, &[0]), "a selection by itself");
            assert!(!commits(0, &[]));
            assert!(!commits(2, &[0]));
            assert!(commits(3, &[]), "COMMIT");
        }
    }

    #[test]
    fn a_database_that_another_locks_is_a_conflict_and_the_waits_are_counted() {
        let (_place, path) = made();
        let (mut one, mut other) =
            (client(&path, Duration::from_secs(9), true), client(&path, Duration::from_millis(30), true));
        assert_eq!(one.execute(0, &[], &[]), Ok(0));
        let refused = other.execute(0, &[], &[]).unwrap_err();
        assert_eq!(refused.kind, FailureKind::Conflict, "{refused:?}");
        // After 1, 2, 5 and 10 ms, and the rest.
        assert!(other.lock_waits().unwrap() >= 5, "{:?}", other.lock_waits());
        // It slept at least as long as it was told to.
        assert!(other.lock_wait_ns().unwrap() >= 30_000_000, "{:?}", other.lock_wait_ns());
        assert!(other.roll_back().is_ok());
        one.execute(1, &[SqlValue::Integer(1), SqlValue::Integer(2)], &[0, 1]).unwrap();
        one.roll_back().unwrap();
        assert_eq!(other.execute(0, &[], &[]), Ok(0));
        assert_eq!(other.execute(2, &[SqlValue::Integer(0)], &[0]), Ok(0), "it was rolled back");
        assert_eq!((other.execute(3, &[], &[]), one.lock_waits()), (Ok(0), Some(0)));
    }
}
