//! Clients of SQLite in a process of their own, which is killed: SQLite works in the threads that call it, so that a
//! kill of these is one of the database. What is acknowledged goes over a socket, whose other end outlives them.
//!
//! Over the socket comes what is asked, one line of JSON; back go the numbers of rows whose commit has returned, 8 bytes
//! each, the lowest first. A number that no row has is followed by why it does not go on.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use engine::lock;
use rusqlite::{Connection, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::workload::db::durability::ledger::RoundNumbers;
use crate::workload::db::durability::table::{self, FILLER, ROWS_MOST};
use crate::workload::db::sqlite::{self, SqliteOptions};

/// What stands in place of a number before a reason.
pub(super) const REASON: u64 = u64::MAX;

/// The longest line that is read.
const LINE_MOST: u64 = 64 << 10;

/// A process that nobody kills ends by itself.
const LONGEST: Duration = Duration::from_secs(180);

/// How long a client sleeps that met another one where SQLite's own handler does not wait.
const PAUSE: Duration = Duration::from_millis(1);

/// What is asked of the process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommitRequest {
    pub(super) path: PathBuf,
    pub(super) journal_mode: String,
    pub(super) synchronous: String,
    pub(super) cache_bytes: u64,
    pub(super) timeout_ms: u64,
    pub(super) first: u64,
    pub(super) clients: u64,
}

impl CommitRequest {
    pub(super) fn new(path: PathBuf, options: &SqliteOptions, numbers: RoundNumbers) -> Self {
        let SqliteOptions { journal_mode, synchronous, cache_bytes, timeout, .. } = options.clone();
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let RoundNumbers { first, clients } = numbers;
        Self { path, journal_mode, synchronous, cache_bytes, timeout_ms, first, clients }
    }

    fn options(&self) -> SqliteOptions {
        SqliteOptions {
            journal_mode: self.journal_mode.clone(),
            synchronous: self.synchronous.clone(),
            cache_bytes: self.cache_bytes,
            timeout: Duration::from_millis(self.timeout_ms),
            reads_only: false,
        }
    }
}

/// Where numbers are told.
#[derive(Debug)]
struct Acknowledgements {
    stream: Mutex<UnixStream>,
    /// Whether a client has failed, so that the others end, too.
    has_failed: AtomicBool,
}

impl Acknowledgements {
    fn tell(&self, number: u64) -> io::Result<()> {
        lock(&self.stream).write_all(&number.to_le_bytes())
    }

    fn tell_reason(&self, reason: &str) -> io::Result<()> {
        let mut stream = lock(&self.stream);
        stream.write_all(&REASON.to_le_bytes())?;
        stream.write_all(reason.as_bytes())
    }
}

/// What `headroom sqlite_commits` does: commits rows as it is asked over `stream`, until it is killed, nobody listens
/// any more, or there are as many rows as a round has.
///
/// # Errors
/// If nothing is asked of it.
pub fn commit_until_killed(stream: UnixStream) -> io::Result<()> {
    let mut line = String::new();
    BufReader::new(io::Read::take(stream.try_clone()?, LINE_MOST)).read_line(&mut line)?;
    let request: CommitRequest = serde_json::from_str(&line)?;
    let told = Acknowledgements { stream: Mutex::new(stream), has_failed: AtomicBool::new(false) };
    let end = Instant::now() + LONGEST;
    let done = std::thread::scope(|scope| {
        let client = |client: u64| {
            let (request, told) = (&request, &told);
            scope.spawn(move || {
                let done = commit(request, client, told, end);
                done.inspect_err(|_| told.has_failed.store(true, Ordering::Relaxed))
            })
        };
        let clients: Vec<_> = (0..request.clients).map(client).collect();
        let ended = clients.into_iter().map(|client| {
            client.join().unwrap_or_else(|_| Err(Fault::Panic("a client of SQLite panicked".to_owned())))
        });
        ended.fold(Ok(()), Result::and)
    });
    // Who does not listen any more needs no reason.
    done.or_else(|fault| told.tell_reason(&fault.to_string()).or(Ok(())))
}

/// Commits the rows of one client.
fn commit(request: &CommitRequest, client: u64, told: &Acknowledgements, end: Instant) -> Result<(), Fault> {
    let (connection, _) = sqlite::open(&request.path, &request.options())?;
    let failed = |error: rusqlite::Error| Fault::Other(format!("committing a row: SQLite says: {error}"));
    let mut insert = connection.prepare(&table::insert()).map_err(failed)?;
    let patience = Duration::from_millis(request.timeout_ms);
    let mut number = request.first + client;
    for _ in 0..ROWS_MOST {
        let begun = Instant::now();
        let value = i64::try_from(number).unwrap_or(i64::MAX);
        loop {
            match insert.execute((value, FILLER)) {
                Ok(_) => break,
                Err(error) if is_conflict(&error) && begun.elapsed() < patience => std::thread::sleep(PAUSE),
                Err(error) => return Err(failed(error)),
            }
        }
        let is_over = told.has_failed.load(Ordering::Relaxed) || Instant::now() >= end;
        if told.tell(number).is_err() || is_over {
            return Ok(());
        }
        number += request.clients;
    }
    Ok(())
}

/// Whether another connection is in the way.
fn is_conflict(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Makes the table in a new file.
///
/// # Errors
/// If it cannot be made.
pub(super) fn make_table(path: &Path, options: &SqliteOptions) -> Result<Connection, Fault> {
    std::fs::File::create_new(path).map_err(|e| Fault::system(format!("making {}", path.display()), e))?;
    let (connection, _) = sqlite::open(path, options)?;
    let failed = |error: rusqlite::Error| Fault::Other(format!("making a table: SQLite says: {error}"));
    connection.execute_batch(&table::create("")).map_err(failed)?;
    sqlite::reset(&connection)?;
    Ok(connection)
}
