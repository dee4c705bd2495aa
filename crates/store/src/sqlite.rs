//! The store in an SQLite file: the tables, and all that is done with them.
//!
//! The file has a rollback journal with `synchronous = FULL`: a commit is on
//! the disk when it returns. Writers begin with `IMMEDIATE`, so that two of them
//! queue (see [`BUSY_TIMEOUT`]) instead of failing halfway. A reader waits for
//! the moment of a commit, and a commit for readers, so no read outlasts its
//! query. A write-ahead log would spare these waits, but its readers map a file
//! beside the store into memory: on a full file system that ends the program
//! with SIGBUS, or keeps it from reading. The journal stays beside the store
//! between commits (see [`crate::room`]).

use std::env;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::run::{CaseResult, Outcome, Rounds, Run};
use model::trial::{Status, Trial};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};

use crate::error::StoreError;
use crate::listing::ENTRY;
use crate::loading::RunDetail;
use crate::name::{self, Miss};
use crate::opening;
use crate::pack::{self, Blob};
use crate::room;
use crate::writer::Writer;
use crate::{RunEntry, State, Store};

/// How long a writer waits for another before it gives up.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The names of the tables that every store has.
pub(crate) const TABLES: &[&str] = &["run", "trial", "blob"];

/// Our tables. `document` is what the model gives as JSON; the other columns
/// repeat what lists and checks need of it.
pub(crate) const SCHEMA: &str = "
BEGIN;
CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    started TEXT NOT NULL,
    finished TEXT,
    outcome TEXT CHECK (outcome IN ('complete', 'budget', 'interrupted')),
    study TEXT NOT NULL,
    title TEXT,
    hostname TEXT NOT NULL,
    cases INTEGER NOT NULL,
    writer_pid INTEGER,
    writer_start_ticks INTEGER,
    writer_boot TEXT,
    document TEXT NOT NULL
) STRICT;
CREATE TABLE trial (
    number INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    case_index INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'skipped')),
    document TEXT NOT NULL,
    UNIQUE (run, place)
) STRICT;
CREATE TABLE blob (
    trial INTEGER NOT NULL REFERENCES trial (number) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('histogram', 'series')),
    place INTEGER NOT NULL,
    header TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (trial, part, kind, place)
) STRICT;
COMMIT;
";

/// Newest first. Times are compared as times, for `...00Z` and `...00.5Z` do
/// not sort as texts.
pub(crate) const NEWEST_FIRST: &str = "ORDER BY julianday(started) DESC, started DESC, number DESC";

/// A store in an SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// What a run that begins is tagged with.
    pub(crate) tags: Vec<(String, String)>,
}

impl SqliteStore {
    /// Opens the store at `path`, and makes it if there is nothing. Where the
    /// file or its folder cannot be written, the store can be read. Fails if the file is not a
    /// store, or one of a newer program (it is left as it was, byte for byte), if it cannot be
    /// read, or if it is not there and cannot be made.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: opening::open(path)?, path: path.to_owned(), tags: Vec::new() })
    }

    /// Opens the store at [`Self::default_path`]; makes it, and its folders
    /// (for the user alone), if they are not there. Fails as [`Self::open`], or if there is no
    /// default path.
    pub fn open_default() -> Result<Self, StoreError> {
        Self::open_with_folders(&Self::default_path().ok_or(StoreError::NoDefault)?)
    }

    /// `$XDG_DATA_HOME/headroom/headroom.db`, else
    /// `$HOME/.local/share/headroom/headroom.db`.
    #[must_use]
    pub fn default_path() -> Option<PathBuf> {
        default_path(env::var_os("XDG_DATA_HOME"), env::var_os("HOME"))
    }

    pub(crate) fn open_with_folders(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            // The mode is what the XDG base directory specification asks for.
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|e| StoreError::io(path, "make", e))?;
        }
        Self::open(path)
    }

    fn ids(&self) -> Result<Vec<String>, StoreError> {
        ids(&self.connection).map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    pub(crate) fn unknown(&self, text: &str) -> StoreError {
        // The list only helps; if it fails, the first error is the one to tell.
        let nearest = self.ids().map(|ids| name::nearest(&ids, text)).unwrap_or_default();
        StoreError::Unknown { path: self.path.clone(), text: text.to_owned(), nearest }
    }

    pub(crate) fn damaged(&self, detail: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), detail }
    }

    /// The head of `run` as JSON, known to be readable.
    pub(crate) fn head(&self, run: &Run) -> Result<String, StoreError> {
        let mut head = run.clone();
        for case in &mut head.cases {
            case.trials.clear();
        }
        serde_json::to_string(&head)
            .and_then(|json| serde_json::from_str::<Run>(&json).map(|_| json))
            .map_err(|source| self.unkept(format!("the head of run `{}`", run.id), source))
    }

    /// Writes JSON to `below` of a case in a run's head; of one behind the last only if it may be
    /// added.
    fn write_case(
        &self,
        run: &str,
        (case, may_be_added): (usize, bool),
        below: &str,
        document: &str,
    ) -> Result<(), StoreError> {
        let path = &self.path;
        let failed = |e| StoreError::sqlite(path, "write to", e);
        let cases: Option<usize> = self
            .connection
            .query_row("SELECT cases FROM run WHERE id = ?1", [run], |row| row.get(0))
            .optional()
            .map_err(failed)?;
        let Some(cases) = cases else { return Err(self.unknown(run)) };
        if case >= cases + usize::from(may_be_added) {
            return Err(StoreError::NoCase { path: path.clone(), run: run.to_owned(), case, cases });
        }
        self.connection
            .execute(
                "UPDATE run SET document = json_set(document, ?2, json(?3)), cases = ?4 WHERE id = ?1",
                params![run, format!("$.cases[{case}]{below}"), document, cases.max(case + 1)],
            )
            .map(drop)
            .map_err(failed)
    }

    fn unkept(&self, what: String, source: serde_json::Error) -> StoreError {
        StoreError::Document { path: self.path.clone(), what, source }
    }
}

/// The default path, from the values of the two variables. The XDG base
/// directory specification says to pass over a relative one.
pub(crate) fn default_path(data_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |text: OsString| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
    data_home
        .and_then(absolute)
        .or_else(|| Some(home.and_then(absolute)?.join(".local/share")))
        .map(|data| data.join("headroom/headroom.db"))
}

impl Store for SqliteStore {
    fn begin(&mut self, run: &Run) -> Result<(), StoreError> {
        let document = self.head(&Run { finished: None, outcome: None, ..run.clone() })?;
        let writer = Writer::this_process();
        opening::raise_version(&self.connection)
            .map_err(|e| StoreError::sqlite(&self.path, "write to", e))?;
        let done = self.connection.execute(
            // A number whose run was removed may still have trials, if the removal
            // was interrupted; they must not become another run's.
            "INSERT INTO run (number, id, started, study, title, hostname, cases, document,
                              writer_pid, writer_start_ticks, writer_boot)
             VALUES (1 + max(coalesce((SELECT max(number) FROM run), 0),
                             coalesce((SELECT max(run) FROM trial), 0)),
                     ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                run.id,
                run.started,
                run.study.name,
                run.study.title,
                hostname(run),
                run.cases.len(),
                document,
                writer.as_ref().map(|w| w.pid),
                writer.as_ref().map(|w| w.start_ticks),
                writer.as_ref().map(|w| &w.boot),
            ],
        );
        match done {
            Ok(_) => {
                room::reserve(&self.connection);
                self.tag_begun(&run.id).inspect_err(|_| drop(room::remove(&self.connection, &run.id)))
            }
            Err(e) => Err(not_twice(&self.path, e, || format!("a run `{}`", run.id))),
        }
    }

    fn resume(&mut self, run: &Run) -> Result<(), StoreError> {
        self.reopen(run)
    }

    fn add_trial(&mut self, run: &str, case: usize, trial: &Trial) -> Result<(), StoreError> {
        let packed = pack::pack(trial)
            .map_err(|source| self.unkept(format!("trial {} of run `{run}`", trial.order), source))?;
        let path = &self.path;
        let failed = |e| StoreError::sqlite(path, "write to", e);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let found: Option<(i64, usize)> = transaction
            .query_row("SELECT number, cases FROM run WHERE id = ?1", [run], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(failed)?;
        let Some((number, cases)) = found else {
            drop(transaction);
            return Err(self.unknown(run));
        };
        if case >= cases {
            return Err(StoreError::NoCase { path: path.clone(), run: run.to_owned(), case, cases });
        }
        transaction
            .execute(
                "INSERT INTO trial (run, place, case_index, status, document) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![number, trial.order, case, status(trial.status), packed.document],
            )
            .map_err(|e| not_twice(path, e, || format!("a trial {} of run `{run}`", trial.order)))?;
        insert_blobs(&transaction, &packed.blobs).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    fn set_case(&mut self, run: &str, case: usize, result: &CaseResult) -> Result<(), StoreError> {
        let head = CaseResult { trials: Vec::new(), ..result.clone() };
        let document = serde_json::to_string(&head)
            .and_then(|json| serde_json::from_str::<CaseResult>(&json).map(|_| json))
            .map_err(|source| self.unkept(format!("case {case} of run `{run}`"), source))?;
        self.write_case(run, (case, true), "", &document)
    }

    fn set_rounds(&mut self, run: &str, case: usize, rounds: &Rounds) -> Result<(), StoreError> {
        let document = serde_json::to_string(rounds)
            .and_then(|json| serde_json::from_str::<Rounds>(&json).map(|_| json))
            .map_err(|source| self.unkept(format!("the rounds of case {case} of run `{run}`"), source))?;
        self.write_case(run, (case, false), ".rounds", &document)
    }

    fn finish(&mut self, run: &Run) -> Result<(), StoreError> {
        let document = self.head(run)?;
        let path = &self.path;
        let failed = |e| StoreError::sqlite(path, "write to", e);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let highest: Option<usize> = transaction
            .query_row(
                "SELECT MAX(case_index) FROM trial JOIN run ON run.number = trial.run WHERE run.id = ?1",
                [&run.id],
                |row| row.get(0),
            )
            .map_err(failed)?;
        let cases = run.cases.len();
        if let Some(case) = highest.filter(|case| *case >= cases) {
            return Err(StoreError::NoCase { path: path.clone(), run: run.id.clone(), case, cases });
        }
        let rows = transaction
            .execute(
                "UPDATE run SET started = ?2, finished = ?3, outcome = ?4, study = ?5, title = ?6,
                                hostname = ?7, cases = ?8, document = ?9
                 WHERE id = ?1",
                params![
                    run.id,
                    run.started,
                    run.finished,
                    run.outcome.map(outcome),
                    run.study.name,
                    run.study.title,
                    hostname(run),
                    cases,
                    document,
                ],
            )
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        if rows == 0 { Err(self.unknown(&run.id)) } else { Ok(()) }
    }

    fn list(&self) -> Result<Vec<RunEntry>, StoreError> {
        self.connection
            .prepare(&format!("{ENTRY} FROM run {NEWEST_FIRST}"))
            .and_then(|mut statement| statement.query_map([], entry)?.collect())
            .map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    fn load(&self, id: &str) -> Result<Run, StoreError> {
        self.load_with(id, RunDetail::Whole)
    }

    fn remove(&mut self, id: &str) -> Result<(), StoreError> {
        let removed = room::remove(&self.connection, id)
            .map_err(|e| StoreError::sqlite(&self.path, "remove a run from", e))?;
        if removed { Ok(()) } else { Err(self.unknown(id)) }
    }

    fn resolve(&self, text: &str) -> Result<String, StoreError> {
        name::resolve(&self.ids()?, text).map_err(|miss| {
            let (path, text) = (self.path.clone(), text.to_owned());
            match miss {
                Miss::Empty => StoreError::Empty { path },
                Miss::Unknown(nearest) => StoreError::Unknown { path, text, nearest },
                Miss::Ambiguous(candidates) => StoreError::Ambiguous { path, text, candidates },
            }
        })
    }
}

/// A row that breaks `UNIQUE` is there already; any other failure is its own.
fn not_twice(path: &Path, e: rusqlite::Error, what: impl FnOnce() -> String) -> StoreError {
    if e.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
        return StoreError::Duplicate { path: path.to_owned(), what: what() };
    }
    StoreError::sqlite(path, "write to", e)
}

pub(crate) fn insert_blobs(connection: &Connection, blobs: &[Blob]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO blob (trial, part, kind, place, header, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let trial = connection.last_insert_rowid();
    for blob in blobs {
        statement.execute(params![trial, blob.part, blob.kind.name(), blob.place, blob.header, blob.data])?;
    }
    Ok(())
}

pub(crate) fn entry(row: &Row<'_>) -> rusqlite::Result<RunEntry> {
    let finished: Option<String> = row.get(2)?;
    let outcome: Option<String> = row.get(3)?;
    let state = match (&finished, outcome.as_deref()) {
        (None, _) if writer(row)?.is_some_and(|w| w.lives()) => State::Running,
        (None, _) => State::Killed,
        (Some(_), Some("budget")) => State::Budget,
        (Some(_), Some("interrupted")) => State::Interrupted,
        (Some(_), _) => State::Complete,
    };
    Ok(RunEntry {
        id: row.get(0)?,
        started: row.get(1)?,
        finished,
        state,
        study: row.get(4)?,
        title: row.get(5)?,
        hostname: row.get(6)?,
        cases: row.get(7)?,
        trials: row.get(8)?,
    })
}

pub(crate) fn writer(row: &Row<'_>) -> rusqlite::Result<Option<Writer>> {
    let (pid, start_ticks, boot) = (row.get(9)?, row.get(10)?, row.get(11)?);
    Ok(match (pid, start_ticks, boot) {
        (Some(pid), Some(start_ticks), Some(boot)) => Some(Writer { pid, start_ticks, boot }),
        _ => None,
    })
}

fn ids(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare(&format!("SELECT id FROM run {NEWEST_FIRST}"))?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn hostname(run: &Run) -> &str {
    run.machines.first().map_or("", |machine| &machine.hostname)
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Budget => "budget",
        Outcome::Interrupted => "interrupted",
    }
}

pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Skipped => "skipped",
    }
}
