//! What a person says of runs that are kept: tags, a note, and that a run is a baseline.
//!
//! It stands beside the document, which says what was measured and does not change. A store that was made
//! before there were annotations has no table for them; it gets one with its next run, or with the first
//! annotation.

use std::collections::{BTreeMap, BTreeSet};

use import::v1::document;
use model::WorkloadName;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::opening;
use crate::sqlite::SqliteStore;

/// The name of the table.
pub(crate) const TABLE: &str = "annotation";

/// The table, where there is none yet. It names runs by their ids, which are never given twice: what is left
/// by a removal that was interrupted becomes no other run's.
pub(crate) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS annotation (
    run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('tag', 'note', 'baseline')),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, kind, name)
) STRICT, WITHOUT ROWID;
";

/// The kinds, as the table has them.
const TAG: &str = "tag";
const NOTE: &str = "note";
const BASELINE: &str = "baseline";

/// What a person said of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Tags with their values: `rack` and `3`.
    pub tags: BTreeMap<String, String>,
    /// A note in the person's words.
    pub note: Option<String>,
    /// When it was accepted as a baseline, RFC 3339, UTC; absent where it is none.
    pub accepted: Option<String>,
}

impl Annotations {
    /// Takes what a row of the table says.
    pub(crate) fn take(&mut self, kind: &str, name: String, value: String) {
        match kind {
            TAG => drop(self.tags.insert(name, value)),
            NOTE => self.note = Some(value),
            _ => self.accepted = Some(value),
        }
    }
}

impl SqliteStore {
    /// What was said of runs, by their ids; runs of which nothing was said are not in it. Fails if reading
    /// fails.
    pub fn annotations(&self) -> Result<BTreeMap<String, Annotations>, StoreError> {
        let failed = |e| StoreError::sqlite(&self.path, "read", e);
        let mut all: BTreeMap<String, Annotations> = BTreeMap::new();
        if !is_there(&self.connection).map_err(failed)? {
            return Ok(all);
        }
        for (run, kind, name, value) in rows(&self.connection).map_err(failed)? {
            all.entry(run).or_default().take(&kind, name, value);
        }
        Ok(all)
    }

    /// Gives the run with this id a tag in place of what it had under this name, or takes it away where there
    /// is no value. Fails if there is no such run, or writing fails.
    pub fn set_tag(&mut self, run: &str, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        self.annotate(run, (TAG, name), value)
    }

    /// Gives the run with this id a note in place of the one it had, or takes it away where there is no text.
    /// Fails as [`Self::set_tag`].
    pub fn set_note(&mut self, run: &str, text: Option<&str>) -> Result<(), StoreError> {
        self.annotate(run, (NOTE, ""), text)
    }

    /// Makes the run with this id a baseline that was accepted at a time (RFC 3339, UTC), or no baseline
    /// where there is none. Fails as [`Self::set_tag`].
    pub fn set_baseline(&mut self, run: &str, accepted: Option<&str>) -> Result<(), StoreError> {
        self.annotate(run, (BASELINE, ""), accepted)
    }

    /// The time by the clock of this machine, RFC 3339, UTC. Fails if the store cannot be asked.
    pub fn now(&self) -> Result<String, StoreError> {
        self.connection
            .query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", [], |row| row.get(0))
            .map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    /// Gives these tags to each run that begins from now on.
    pub fn tag_runs(&mut self, tags: Vec<(String, String)>) {
        self.tags = tags;
    }

    /// Gives a run that has just begun the tags that it is to have.
    pub(crate) fn tag_begun(&mut self, run: &str) -> Result<(), StoreError> {
        for (name, value) in self.tags.clone() {
            self.set_tag(run, &name, Some(&value))?;
        }
        Ok(())
    }

    /// The workloads of the run with this id; none where there is no such run. Fails if it is damaged, or
    /// reading fails.
    pub fn workloads(&self, run: &str) -> Result<BTreeSet<WorkloadName>, StoreError> {
        let head: Option<String> = self
            .connection
            .query_row("SELECT document FROM run WHERE id = ?1", [run], |row| row.get(0))
            .optional()
            .map_err(|e| StoreError::sqlite(&self.path, "read", e))?;
        let Some(head) = head else { return Ok(BTreeSet::new()) };
        match document::read(head.as_bytes()) {
            Ok(run) => Ok(run.workloads()),
            Err(error) => Err(StoreError::Damaged {
                path: self.path.clone(),
                detail: format!("the head of run `{run}` cannot be read: {error}"),
            }),
        }
    }

    fn annotate(
        &mut self,
        run: &str,
        (kind, name): (&str, &str),
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        let failed = |e| StoreError::sqlite(&self.path, "write to", e);
        // What was never there need not be taken away.
        if value.is_none() && !is_there(&self.connection).map_err(failed)? {
            return Ok(());
        }
        opening::raise_version(&self.connection).map_err(failed)?;
        let done = match value {
            Some(value) => self.connection.execute(
                "INSERT INTO annotation (run, kind, name, value) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET value = excluded.value",
                params![run, kind, name, value],
            ),
            None => self.connection.execute(
                "DELETE FROM annotation WHERE run = ?1 AND kind = ?2 AND name = ?3",
                params![run, kind, name],
            ),
        };
        done.map(drop).map_err(failed)
    }
}

/// Whether the store has the table.
pub(crate) fn is_there(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)",
        [TABLE],
        |row| row.get(0),
    )
}

/// Run, kind, name and value of each.
fn rows(connection: &Connection) -> rusqlite::Result<Vec<(String, String, String, String)>> {
    connection
        .prepare("SELECT run, kind, name, value FROM annotation")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect()
}
