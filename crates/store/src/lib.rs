//! Keeps runs. A run is committed trial by trial, so that what was measured
//! before a crash, a full disk or a kill is still there afterwards.
//!
//! Everything stands behind the trait [`Store`]; SQL is in this crate and
//! nowhere else. A run's head (everything but its trials) is one JSON document
//! in a row, each trial is a row, and histograms and series, which are most of
//! the bytes, are compressed blobs beside it. Loading gives back exactly the
//! [`Run`] that was stored.
//!
//! What a person says of a run (tags, a note, that it is a baseline) stands beside its document.
//!
//! This crate does not look into what a run says: estimates and findings are
//! kept as they come. It takes no lock that outlives a call, so several
//! programs may use one store at once.

mod annotation;
mod column;
mod decimal;
mod error;
mod listing;
mod loading;
mod name;
mod opening;
mod pack;
mod resuming;
mod room;
mod run_list;
mod run_progress;
mod sqlite;
#[cfg(test)]
mod tests;
mod whole;
mod writer;

use model::run::{CaseResult, Rounds, Run};
use model::trial::Trial;

pub use annotation::Annotations;
pub use error::StoreError;
pub use listing::{MachineEntry, RunQuery, RunsFound};
pub use loading::RunDetail;
pub use run_list::RunList;
pub use run_progress::RunProgress;
pub use sqlite::SqliteStore;

/// A place where runs are kept.
pub trait Store {
    /// Stores the head of a run that begins: no trials, no end. The calling
    /// process counts as the run's writer, by which [`State::Running`] is told
    /// from [`State::Killed`]. Fails if a run of this id is there already, or writing fails.
    fn begin(&mut self, run: &Run) -> Result<(), StoreError>;

    /// Stores the head of a run that is there and is gone on with: it has no end again, and the calling process is
    /// its writer. Its trials stay: `run` has all of them, and one gap more than what is stored. Fails if it has not, for
    /// another process has gone on with the run since it was read, or if the run is not there, is still being measured,
    /// or was written by version 0.1, or if writing fails; then it is as it was.
    fn resume(&mut self, run: &Run) -> Result<(), StoreError>;

    /// Stores one trial of the case with this number. The trial is on the disk
    /// when this returns, or nothing of it is. Fails if the run or the case is not there, a trial
    /// of the same order is, the trial holds a number that JSON cannot hold, or writing fails.
    fn add_trial(&mut self, run: &str, case: usize, trial: &Trial) -> Result<(), StoreError>;

    /// Replaces the case with this number by `result`, its trials aside, or adds it where it is the
    /// first that is not there; on the disk when this returns, or unchanged. Fails if the run is not
    /// there, a case before it is not, `result` holds a number that JSON cannot hold, or writing
    /// fails.
    fn set_case(&mut self, run: &str, case: usize, result: &CaseResult) -> Result<(), StoreError>;

    /// Stores the rounds of the case with this number as they now are; on the
    /// disk when this returns, or unchanged. Fails if the run or the case is not there, a value is
    /// none that JSON can hold, or writing fails.
    fn set_rounds(&mut self, run: &str, case: usize, rounds: &Rounds) -> Result<(), StoreError>;

    /// Replaces the head: end, outcome, machines, estimates, findings. Trials
    /// are neither read from `run` nor changed in the store. Fails if the run is not there, `run`
    /// lacks a case that has trials, or writing fails.
    fn finish(&mut self, run: &Run) -> Result<(), StoreError>;

    /// All runs, the one that started last first. Fails if reading fails.
    fn list(&self) -> Result<Vec<RunEntry>, StoreError>;

    /// A whole run, each case with its trials in the order they ran. Fails if the run is not there,
    /// is damaged, or reading fails.
    fn load(&self, id: &str) -> Result<Run, StoreError>;

    /// Removes a run with all that belongs to it. Fails if the run is not there, or writing fails.
    fn remove(&mut self, id: &str) -> Result<(), StoreError>;

    /// The id of the run that a person means: a whole id, the beginning of
    /// just one, or `last` for the run that started last. Fails if no run is meant (the error knows
    /// the nearest ids) or several are (it knows which).
    fn resolve(&self, text: &str) -> Result<String, StoreError>;
}

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEntry {
    /// The run's id.
    pub id: String,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// When it ended; absent while it runs, and for good if it was killed.
    pub finished: Option<String>,
    /// How it ended, or that it has not.
    pub state: State,
    /// The study's name.
    pub study: String,
    /// The study's title, where it has one.
    pub title: Option<String>,
    /// What the first machine calls itself; empty where no machine is known.
    pub hostname: String,
    /// Cases planned.
    pub cases: usize,
    /// Trials stored, whatever their status.
    pub trials: usize,
}

/// How a run ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every planned trial was tried.
    Complete,
    /// The budget ended it.
    Budget,
    /// A person or a signal ended it.
    Interrupted,
    /// It has no end yet, and the process that writes it lives.
    Running,
    /// It has no end, and the process that wrote it is gone.
    Killed,
}
