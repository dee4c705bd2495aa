//! The list of a store for one who asks for parts of it again and again, as the pages of a server do.
//!
//! In the store the columns of a list stand before the document of each run, so that to look at all of 10,000 runs is to
//! read 40 MB. Here they are in memory, in a table of the connection's own that stands in front of the store's; the same
//! queries choose from it. What is shown of the chosen runs, the store itself says.

use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::listing::{self, MachineEntry, RunQuery, RunsFound};
use crate::sqlite::{NEWEST_FIRST, SqliteStore};

/// See the module. Runs that came or went are known at once. What else changed of the runs (how they ended) is chosen by
/// as it was a second ago at most.
#[derive(Debug)]
pub struct RunList {
    store: SqliteStore,
    copied: Option<Copied>,
}

/// The copy in memory.
#[derive(Debug)]
struct Copied {
    /// What the store says of changes by others.
    version: i64,
    /// How many runs there were, and the highest number.
    runs: (i64, i64),
    at: Instant,
    took: Duration,
    machines: Vec<MachineEntry>,
    studies: Vec<String>,
}

/// For so long a copy is chosen from although something in the store changed: trials come several a second where a run is
/// measured. Longer where it takes long to copy.
const LASTS: Duration = Duration::from_secs(1);
const LASTS_TIMES: u32 = 20;

/// The first columns of a run, in the order of the list.
const COPY: &str = "
DROP TABLE IF EXISTS temp.run;
CREATE TEMP TABLE run (
    place INTEGER PRIMARY KEY, number INTEGER, id TEXT, started TEXT, finished TEXT, outcome TEXT, study TEXT, title TEXT,
    hostname TEXT
);
INSERT INTO temp.run (number, id, started, finished, outcome, study, title, hostname)
SELECT number, id, started, finished, outcome, study, title, hostname FROM main.run ";

impl RunList {
    /// The list of a store that nobody else uses. Fails if the store refuses tables in memory.
    pub fn new(store: SqliteStore) -> Result<Self, StoreError> {
        let list = Self { store, copied: None };
        list.store
            .connection
            .execute_batch("PRAGMA temp_store = MEMORY;")
            .map_err(|e| StoreError::sqlite(&list.store.path, "read", e))?;
        Ok(list)
    }

    /// As [`SqliteStore::find`]. Fails if reading fails.
    pub fn find(&mut self, query: &RunQuery) -> Result<RunsFound, StoreError> {
        self.read(|list| {
            list.refresh()?;
            listing::found(&list.store.connection, "ORDER BY place", query)
        })
    }

    /// As [`SqliteStore::machines`]. Fails if reading fails.
    pub fn machines(&mut self) -> Result<Vec<MachineEntry>, StoreError> {
        self.read(|list| Ok(list.refresh()?.machines.clone()))
    }

    /// As [`SqliteStore::studies`]. Fails if reading fails.
    pub fn studies(&mut self) -> Result<Vec<String>, StoreError> {
        self.read(|list| Ok(list.refresh()?.studies.clone()))
    }

    fn read<T>(&mut self, work: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(self).map_err(|e| StoreError::sqlite(&self.store.path, "read", e))
    }

    /// Copies the list where there is no copy yet, or the store has changed since.
    fn refresh(&mut self) -> rusqlite::Result<&Copied> {
        let copied = match self.copied.take() {
            Some(copied) if copied.holds(&self.store.connection)? => copied,
            _ => Copied::of(&self.store.connection)?,
        };
        Ok(self.copied.insert(copied))
    }
}

impl Copied {
    fn of(connection: &rusqlite::Connection) -> rusqlite::Result<Self> {
        let at = Instant::now();
        let moment = connection.unchecked_transaction()?;
        // Both of the moment that is copied.
        let (version, runs) = (version(&moment)?, runs(&moment)?);
        moment.execute_batch(&format!("{COPY} {NEWEST_FIRST};"))?;
        let (machines, studies) = (listing::machines(&moment)?, listing::studies(&moment)?);
        moment.commit()?;
        Ok(Self { version, runs, at, took: at.elapsed(), machines, studies })
    }

    /// Whether it may be chosen from.
    fn holds(&self, connection: &rusqlite::Connection) -> rusqlite::Result<bool> {
        if version(connection)? == self.version {
            return Ok(true);
        }
        let is_young = self.at.elapsed() < LASTS.max(self.took * LASTS_TIMES);
        Ok(is_young && runs(connection)? == self.runs)
    }
}

/// Another number whenever another connection has changed the store.
fn version(connection: &rusqlite::Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// How many runs the store has, which an index tells, and the highest number.
fn runs(connection: &rusqlite::Connection) -> rusqlite::Result<(i64, i64)> {
    let query = "SELECT (SELECT COUNT(*) FROM main.run), (SELECT coalesce(max(number), 0) FROM main.run)";
    connection.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))
}
