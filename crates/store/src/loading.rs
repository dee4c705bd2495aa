//! Reads runs: whole, or without what is most of their bytes.

use import::v1::document;
use model::Run;
use model::parallel;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::column::Allowance;
use crate::error::StoreError;
use crate::pack::{self, Blob, Kind, Packed};
use crate::sqlite::SqliteStore;

/// How much of each trial is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunDetail {
    /// Its metrics, without histograms and series, and without what kernels counted, which is most of its document.
    Figures,
    /// The same with its histograms.
    Histograms,
    /// All.
    Whole,
}

impl SqliteStore {
    /// A run as a trend needs it: its figures, and its histograms where these are asked for. Fails as
    /// [`crate::Store::load`].
    pub fn load_for_trend(&self, id: &str, with_histograms: bool) -> Result<Run, StoreError> {
        self.load_with(id, if with_histograms { RunDetail::Histograms } else { RunDetail::Figures })
    }

    /// As [`crate::Store::load`], with no more of each trial than this.
    pub fn load_with(&self, id: &str, detail: RunDetail) -> Result<Run, StoreError> {
        let failed = |e| StoreError::sqlite(&self.path, "read", e);
        // One transaction, so that head and trials are of the same moment.
        let moment = self.connection.unchecked_transaction().map_err(failed)?;
        let head: Option<(i64, String)> = moment
            .query_row("SELECT number, document FROM run WHERE id = ?1", [id], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()
            .map_err(failed)?;
        let Some((number, head)) = head else {
            return Err(self.unknown(id));
        };
        let unpack = if document::is_v1(head.as_bytes()) { pack::unpack_v1 } else { pack::unpack };
        let allowance = Allowance::for_stored(bytes(&moment).map_err(failed)?);
        // This thread reads, while others unpack what it has read.
        let feed = |give: &mut dyn FnMut(StoredTrial)| {
            // A writer need not wait for what follows.
            let done = read_trials(&moment, (number, detail), give).and_then(|()| moment.finish());
            (document::read(head.as_bytes()), done)
        };
        let ((run, done), unpacked) = parallel::map_fed(feed, |(case, order, packed): StoredTrial| {
            (case, order, unpack(&packed, &allowance))
        });
        let mut run = run.map_err(|e| self.damaged(format!("the head of run `{id}` cannot be read: {e}")))?;
        done.map_err(failed)?;
        for (case, order, trial) in unpacked {
            let trial = trial
                .map_err(|e| self.damaged(format!("trial {order} of run `{id}` cannot be read: {e}")))?;
            let Some(case) = run.cases.get_mut(case) else {
                return Err(self.damaged(format!("trial {order} of run `{id}` belongs to no case")));
            };
            case.add_trial(trial);
        }
        Ok(run)
    }
}

/// The document of a trial without the counters of its two machines, which SQLite leaves out in a third of the time that
/// reading them takes. What is no JSON stays as it is: who reads it says so.
const WITHOUT_COUNTERS: &str = "CASE WHEN json_valid(document)
    THEN json_remove(document, '$.machines[0].counters', '$.machines[1].counters') ELSE document END";

/// A trial as it is stored: case, place, content.
type StoredTrial = (usize, u32, Packed);

/// Gives the trials of the run with this number, in their order.
fn read_trials(
    connection: &Connection,
    (run, detail): (i64, RunDetail),
    give: &mut dyn FnMut(StoredTrial),
) -> rusqlite::Result<()> {
    let kinds = match detail {
        RunDetail::Figures => "0",
        RunDetail::Histograms => "kind = 'histogram'",
        RunDetail::Whole => "1",
    };
    let mut blobs = connection.prepare_cached(&format!(
        "SELECT part, kind, place, header, data FROM blob WHERE trial = ?1 AND {kinds} ORDER BY part, kind, place"
    ))?;
    let document = match detail {
        RunDetail::Whole => "document",
        RunDetail::Figures | RunDetail::Histograms => WITHOUT_COUNTERS,
    };
    let mut trials = connection.prepare_cached(&format!(
        "SELECT number, case_index, place, {document} FROM trial WHERE run = ?1 ORDER BY place"
    ))?;
    let mut rows = trials.query([run])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let blobs = blobs.query_map([number], blob)?.collect::<rusqlite::Result<_>>()?;
        give((row.get(1)?, row.get(2)?, Packed { document: row.get(3)?, blobs }));
    }
    Ok(())
}

/// How many bytes all runs of the store take.
fn bytes(connection: &Connection) -> rusqlite::Result<usize> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, usize>(0));
    Ok(pragma("page_count")?.saturating_mul(pragma("page_size")?))
}

fn blob(row: &Row<'_>) -> rusqlite::Result<Blob> {
    let word: String = row.get(1)?;
    let kind = Kind::of(&word).ok_or(rusqlite::Error::InvalidColumnType(1, word, Type::Text))?;
    Ok(Blob { part: row.get(0)?, kind, place: row.get(2)?, header: row.get(3)?, data: row.get(4)? })
}
