//! A load on a file of SQLite that is ready: the tables are there, and each client opens a connection.

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
use rusqlite::Connection;

use crate::workload::db::counts::AllCounts;
use crate::workload::db::load::ConsistencyCheck;
use crate::workload::db::sqlite::checkpoint_watch::CheckpointWatch;
use crate::workload::db::sqlite::connection::failed;
use crate::workload::db::sqlite::{self, SqliteClient, SqliteOptions};
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::worker::ClientWorker;

/// A database of so many bytes at most is read whole after each trial, to see that it is not damaged and that its
/// tables agree.
const CHECKED_MOST: u64 = 256 << 20;

/// Transactions on a file of SQLite.
#[derive(Debug)]
pub(in crate::workload) struct PreparedSqlite {
    pub(in crate::workload) path: PathBuf,
    pub(in crate::workload) options: SqliteOptions,
    pub(in crate::workload) mix: Arc<TransactionMix>,
    pub(in crate::workload) classes: &'static [Class],
    pub(in crate::workload) checks: Vec<ConsistencyCheck>,
    pub(in crate::workload) clients: usize,
    pub(in crate::workload) prepares: bool,
    pub(in crate::workload) counts: Arc<AllCounts>,
    pub(in crate::workload) known: Vec<(FactName, Value)>,
    /// What counts checkpoints; none without a write-ahead log.
    pub(in crate::workload) checkpoints: Option<CheckpointWatch>,
    /// Whether it begins with nothing of the file in the page cache, which a warm-up would bring there.
    pub(in crate::workload) is_cold: bool,
    /// What may be full where a transaction fails.
    pub(in crate::workload) space: TargetSpace,
}

impl PreparedSqlite {
    /// Whether the database is read whole after the trial.
    fn is_checked(&self) -> bool {
        self.path.metadata().is_ok_and(|file| file.len() <= CHECKED_MOST)
    }
}

/// Fails if what must hold does not.
///
/// # Errors
/// With the first that does not hold, and by how much.
fn agree(connection: &Connection, checks: &[ConsistencyCheck]) -> Result<(), Fault> {
    for check in checks {
        let off: i64 = connection
            .query_row(&check.sql, [], |row| row.get(0))
            .map_err(failed("asking whether the tables agree"))?;
        if off != 0 {
            return Err(Fault::Verification(format!(
                "the tables do not agree: it does not hold that {} (off by {off})",
                check.about
            )));
        }
    }
    Ok(())
}

impl Prepared for PreparedSqlite {
    fn classes(&self) -> &'static [Class] {
        self.classes
    }

    /// SQLite works in the threads of its clients.
    fn workers(&self, _threads: usize) -> usize {
        self.clients
    }

    fn counts_from_start(&self) -> bool {
        self.is_cold
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let mut facts = self.counts.facts();
        let is_checked = self.is_checked();
        facts.push((FactName::new("database_checked"), Value::Bool(is_checked)));
        let checks = if is_checked { self.checks.len() as u64 } else { 0 };
        facts.push((FactName::new("consistency_checks"), Value::Integer(checks)));
        facts
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut metrics = self.counts.metrics(window);
        let Some(checkpoints) = &self.checkpoints else {
            return SideMetrics { metrics, ..SideMetrics::default() };
        };
        checkpoints.finish();
        metrics.extend(checkpoints.rate(window));
        let series = checkpoints.course(window).into_iter().collect();
        SideMetrics { metrics, series, ..SideMetrics::default() }
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.counts.verdict()?;
        if !self.is_checked() {
            return Ok(());
        }
        let (connection, _) = sqlite::open(&self.path, &self.options)?;
        sqlite::is_whole(&connection)?;
        agree(&connection, &self.checks)
    }

    fn worker(&self, _worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (connection, waits) = sqlite::open(&self.path, &self.options)?;
        let statements = self.mix.statements.clone().into();
        let client = SqliteClient::new(connection, waits, statements, self.prepares)?;
        let (mix, counts) = (Arc::clone(&self.mix), Arc::clone(&self.counts));
        let patience_ns = nanoseconds(self.options.timeout.as_secs_f64());
        let worker = ClientWorker::new(client, mix, counts, seed, patience_ns);
        Ok(Box::new(worker.in_space(self.space.clone())))
    }
}
