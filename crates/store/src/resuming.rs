//! Going on with a run that has ended: it has no end again, and this process is its writer.

use import::v1::document;
use model::Run;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};

use crate::error::StoreError;
use crate::sqlite::SqliteStore;
use crate::writer::Writer;

/// What is kept of a run that is to go on.
struct Kept {
    document: String,
    finished: Option<String>,
    writer: Option<Writer>,
    /// How many gaps its document has.
    resumptions: usize,
    trials: usize,
}

impl SqliteStore {
    /// What [`crate::Store::resume`] does, in one transaction: of two that would go on with a run, one does.
    pub(crate) fn reopen(&mut self, run: &Run) -> Result<(), StoreError> {
        let document = self.head(&Run { finished: None, outcome: None, ..run.clone() })?;
        let path = &self.path;
        let failed = |e| StoreError::sqlite(path, "write to", e);
        let refused = |why| StoreError::NotResumed { path: path.clone(), run: run.id.clone(), why };
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let found = transaction
            .query_row(
                "SELECT document, finished, writer_pid, writer_start_ticks, writer_boot,
                        coalesce(json_array_length(document, '$.resumptions'), 0),
                        (SELECT COUNT(*) FROM trial WHERE trial.run = run.number)
                 FROM run WHERE id = ?1",
                [&run.id],
                kept,
            )
            .optional()
            .map_err(failed)?;
        let Some(kept) = found else {
            drop(transaction);
            return Err(self.unknown(&run.id));
        };
        // Its trials are packed in another way.
        if document::is_v1(kept.document.as_bytes()) {
            return Err(refused("version 0.1 wrote it"));
        }
        if kept.finished.is_none() && kept.writer.is_some_and(|writer| writer.lives()) {
            return Err(refused("it is still being measured"));
        }
        // What another process has measured since `run` was read would be lost.
        let trials: usize = run.cases.iter().map(|case| case.trials.len()).sum();
        if kept.trials != trials || kept.resumptions + 1 != run.resumptions.len() {
            return Err(refused("another process has gone on with it since it was read"));
        }
        let writer = Writer::this_process();
        transaction
            .execute(
                "UPDATE run SET finished = NULL, outcome = NULL, cases = ?2, document = ?3,
                                writer_pid = ?4, writer_start_ticks = ?5, writer_boot = ?6
                 WHERE id = ?1",
                params![
                    run.id,
                    run.cases.len(),
                    document,
                    writer.as_ref().map(|w| w.pid),
                    writer.as_ref().map(|w| w.start_ticks),
                    writer.as_ref().map(|w| &w.boot),
                ],
            )
            .map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let writer = match (row.get(2)?, row.get(3)?, row.get(4)?) {
        (Some(pid), Some(start_ticks), Some(boot)) => Some(Writer { pid, start_ticks, boot }),
        _ => None,
    };
    Ok(Kept {
        document: row.get(0)?,
        finished: row.get(1)?,
        writer,
        resumptions: row.get(5)?,
        trials: row.get(6)?,
    })
}
