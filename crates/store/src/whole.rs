//! Keeps a run that is over: of one that other tools made, or that came in a document. Its trials
//! need not be safe one by one, so that they share a commit: thousands would take minutes.

use model::Run;
use rusqlite::{TransactionBehavior, params};

use crate::error::StoreError;
use crate::sqlite::{SqliteStore, insert_blobs, status};
use crate::{Store, pack};

impl SqliteStore {
    /// Keeps all of a run that is over; nothing of it where that fails. Fails if a run of this id is
    /// there already, it holds a number that JSON cannot hold, or writing fails.
    pub fn keep(&mut self, run: &Run) -> Result<(), StoreError> {
        self.begin(run)?;
        let kept = self.add_trials(run).and_then(|()| self.finish(run));
        if kept.is_err() {
            // What failed is what is told.
            let _ = self.remove(&run.id);
        }
        kept
    }

    /// Stores the trials of all cases.
    fn add_trials(&mut self, run: &Run) -> Result<(), StoreError> {
        let path = self.path.clone();
        let failed = |e| StoreError::sqlite(&path, "write to", e);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let number: i64 = transaction
            .query_row("SELECT number FROM run WHERE id = ?1", [&run.id], |row| row.get(0))
            .map_err(failed)?;
        for (case, measured) in run.cases.iter().enumerate() {
            for trial in &measured.trials {
                let packed = pack::pack(trial).map_err(|source| StoreError::Document {
                    path: path.clone(),
                    what: format!("trial {} of run `{}`", trial.order, run.id),
                    source,
                })?;
                transaction
                    .prepare_cached(
                        "INSERT INTO trial (run, place, case_index, status, document) VALUES (?1, ?2, ?3, ?4, ?5)",
                    )
                    .and_then(|mut insert| {
                        insert.execute(params![
                            number,
                            trial.order,
                            case,
                            status(trial.status),
                            packed.document
                        ])
                    })
                    .map_err(failed)?;
                insert_blobs(&transaction, &packed.blobs).map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }
}
