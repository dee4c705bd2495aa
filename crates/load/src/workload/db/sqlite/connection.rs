//! Connections to a file of SQLite, and what it says of itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::{Fault, clock};
use model::parameter::Word;
use model::{FactName, Value};
use rusqlite::{Connection, OpenFlags};

use crate::workload::db::kept::MARK_WRITTEN;

/// What may be asked for as `journal-mode` (sqlite.org/pragma.html#pragma_journal_mode).
pub(in crate::workload) const JOURNAL_MODES: &[Word] = &[
    Word { word: "wal", doc: "a write-ahead log: readers and one writer do not wait for each other" },
    Word { word: "delete", doc: "a rollback journal that each transaction removes (SQLite's default)" },
    Word { word: "truncate", doc: "a rollback journal that each transaction empties" },
    Word { word: "persist", doc: "a rollback journal whose head each transaction overwrites" },
    Word { word: "memory", doc: "a rollback journal in memory: a crash may damage the database" },
    Word { word: "off", doc: "none: nothing can be rolled back, and a crash may damage the database" },
];

/// What may be asked for as `synchronous` (sqlite.org/pragma.html#pragma_synchronous).
pub(in crate::workload) const SYNCHRONOUS: &[Word] = &[
    Word { word: "full", doc: "each commit is on the disk when it returns (SQLite's default)" },
    Word { word: "normal", doc: "with a write-ahead log, only checkpoints wait for the disk" },
    Word { word: "off", doc: "nothing waits for the disk" },
    Word { word: "extra", doc: "as full, and the folder is synced after a rollback journal was removed" },
];

/// How a file is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct SqliteOptions {
    /// One of [`JOURNAL_MODES`], and one of [`SYNCHRONOUS`].
    pub(in crate::workload) journal_mode: String,
    pub(in crate::workload) synchronous: String,
    /// Bytes of pages that each connection keeps.
    pub(in crate::workload) cache_bytes: u64,
    /// How long a statement waits for a lock.
    pub(in crate::workload) timeout: Duration,
    /// Whether nothing of it may change: it is somebody else's, and the modes above are not set.
    pub(in crate::workload) reads_only: bool,
}

/// Why something could not be done to a file.
pub(super) fn failed(what: &'static str) -> impl Fn(rusqlite::Error) -> Fault {
    move |error| Fault::Other(format!("{what}: SQLite says: {error}"))
}

/// What a connection waited for locks.
#[derive(Debug, Default)]
pub(in crate::workload) struct LockWaits {
    /// How often.
    pub(in crate::workload) times: AtomicU64,
    /// How long, ns.
    pub(in crate::workload) slept_ns: AtomicU64,
}

/// Opens the file at `path`; returns what counts how often this connection waits for a lock, and how long, too.
///
/// # Errors
/// If it cannot be opened so.
pub(in crate::workload) fn open(
    path: &Path,
    options: &SqliteOptions,
) -> Result<(Connection, Arc<LockWaits>), Fault> {
    let failed = failed("opening a database");
    let access =
        if options.reads_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
    let waits = Arc::new(LockWaits::default());
    wait_for_locks(&mut connection, options.timeout, Arc::clone(&waits)).map_err(&failed)?;
    let SqliteOptions { journal_mode, synchronous, cache_bytes, .. } = options;
    let modes = if options.reads_only {
        "PRAGMA query_only=ON;".to_owned()
    } else {
        format!("PRAGMA journal_mode={journal_mode}; PRAGMA synchronous={synchronous};")
    };
    // A negative size is in KiB.
    let pragmas = format!("{modes} PRAGMA cache_size=-{};", (cache_bytes >> 10).max(1));
    connection.execute_batch(&pragmas).map_err(&failed)?;
    Ok((connection, waits))
}

/// How long SQLite's own handler sleeps each time, ms (`sqliteDefaultBusyCallback` in `src/main.c`): what programs
/// that set a timeout meet.
const DELAYS_MS: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

/// Has a connection wait for locks as SQLite itself does, and count that.
fn wait_for_locks(
    connection: &mut Connection,
    timeout: Duration,
    waits: Arc<LockWaits>,
) -> rusqlite::Result<()> {
    let mut slept = Duration::ZERO;
    connection.busy_handler(Some(move |call: i32| {
        if call == 0 {
            slept = Duration::ZERO;
        }
        let place = usize::try_from(call).unwrap_or(0).min(DELAYS_MS.len() - 1);
        let delay = Duration::from_millis(DELAYS_MS[place]).min(timeout.saturating_sub(slept));
        if delay.is_zero() {
            return false;
        }
        waits.times.fetch_add(1, Ordering::Relaxed);
        let begun_ns = clock::now_ns();
        std::thread::sleep(delay);
        waits.slept_ns.fetch_add(clock::now_ns().saturating_sub(begun_ns), Ordering::Relaxed);
        slept += delay;
        true
    }))
}

/// Brings all that was committed from a write-ahead log into the file, so that a trial does not begin with what one
/// before it left.
///
/// # Errors
/// If that fails.
pub(in crate::workload) fn reset(connection: &Connection) -> Result<(), Fault> {
    connection
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .map_err(failed("emptying the write-ahead log"))
}

/// Says of kept data that transactions change it from now on.
///
/// # Errors
/// If that fails.
pub(in crate::workload) fn mark_written(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch(MARK_WRITTEN).map_err(failed("marking kept data as changed"))
}

/// What shapes the result, as SQLite says it when it is asked.
///
/// # Errors
/// If it does not.
pub(in crate::workload) fn describe(connection: &Connection) -> Result<Vec<(FactName, Value)>, Fault> {
    let ask = |what: &str| connection.query_row(&format!("PRAGMA {what}"), [], |row| row.get::<_, i64>(0));
    let describe = || -> rusqlite::Result<Vec<(FactName, Value)>> {
        let journal: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        let page_bytes = ask("page_size")?;
        let synchronous = match ask("synchronous")? {
            0 => "off",
            1 => "normal",
            2 => "full",
            _ => "extra",
        };
        let number = |name, number: i64| (FactName::new(name), Value::Integer(number.unsigned_abs()));
        Ok(vec![
            (FactName::new("database_version"), Value::Text(format!("SQLite {}", rusqlite::version()))),
            (FactName::new("journal_mode"), Value::Text(journal)),
            (FactName::new("synchronous"), Value::Text(synchronous.to_owned())),
            number("page_size", page_bytes),
            number("database_bytes", page_bytes.saturating_mul(ask("page_count")?)),
            number("wal_autocheckpoint_pages", ask("wal_autocheckpoint")?),
        ])
    };
    describe().map_err(failed("asking for its settings"))
}

/// Fails if the file is damaged (`PRAGMA quick_check`): reads all of it.
///
/// # Errors
/// With what is wrong.
pub(in crate::workload) fn is_whole(connection: &Connection) -> Result<(), Fault> {
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(failed("checking the database"))?;
    if found == "ok" { Ok(()) } else { Err(Fault::Verification(format!("the database is damaged: {found}"))) }
}
