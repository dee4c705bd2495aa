//! Transactions that are ready: the tables are there, and each client opens a connection.

use std::path::PathBuf;
use std::sync::Arc;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::scalar::nanoseconds;
use model::trial::Window;
use model::{FactName, Value};

use crate::workload::db::counts::AllCounts;
use crate::workload::db::sqlite::{self, SqliteClient, SqliteOptions};
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::worker::ClientWorker;

/// A database of so many bytes at most is read whole after each trial, to see that it is not damaged.
const CHECKED_MOST: u64 = 256 << 20;

/// Transactions on a file of SQLite.
#[derive(Debug)]
pub(super) struct PreparedOltp {
    pub(super) path: PathBuf,
    pub(super) options: SqliteOptions,
    pub(super) mix: Arc<TransactionMix>,
    pub(super) classes: &'static [Class],
    pub(super) clients: usize,
    pub(super) prepares: bool,
    pub(super) counts: Arc<AllCounts>,
    pub(super) known: Vec<(FactName, Value)>,
}

impl PreparedOltp {
    /// Whether the database is read whole after the trial.
    fn is_checked(&self) -> bool {
        self.path.metadata().is_ok_and(|file| file.len() <= CHECKED_MOST)
    }
}

impl Prepared for PreparedOltp {
    fn classes(&self) -> &'static [Class] {
        self.classes
    }

    /// SQLite works in the threads of its clients.
    fn workers(&self, _threads: usize) -> usize {
        self.clients
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let mut facts = self.counts.facts();
        facts.push((FactName::new("database_checked"), Value::Bool(self.is_checked())));
        facts
    }

    fn seen(&self, window: Window) -> SideMetrics {
        SideMetrics { metrics: self.counts.metrics(window), ..SideMetrics::default() }
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.counts.verdict()?;
        if !self.is_checked() {
            return Ok(());
        }
        let (connection, _) = sqlite::open(&self.path, &self.options)?;
        sqlite::is_whole(&connection)
    }

    fn worker(&self, _worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (connection, waits) = sqlite::open(&self.path, &self.options)?;
        let statements = self.mix.statements.clone().into();
        let client = SqliteClient::new(connection, waits, statements, self.prepares)?;
        let (mix, counts) = (Arc::clone(&self.mix), Arc::clone(&self.counts));
        let patience_ns = nanoseconds(self.options.timeout.as_secs_f64());
        Ok(Box::new(ClientWorker::new(client, mix, counts, seed, patience_ns)))
    }
}
