//! Parts of a long list: which runs are asked for, and so many of them at a time. What belongs to the answer is
//! chosen first, by the columns beside the documents; trials are counted of that part alone.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::annotation;
use crate::error::StoreError;
use crate::sqlite::{NEWEST_FIRST, SqliteStore, entry, writer};
use crate::writer::Writer;
use crate::{RunEntry, State};

/// Which runs are asked for, and which part of their list. What is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// This text is in the run's id, study, title or machine, or in what a person said of it; small and capital
    /// letters of ASCII are the same.
    pub text: Option<String>,
    /// The study's name.
    pub study: Option<String>,
    /// What the first machine calls itself.
    pub hostname: Option<String>,
    /// The name of a tag, and its value where only that one counts.
    pub tag: Option<(String, Option<String>)>,
    /// How it ended.
    pub state: Option<State>,
    /// The first day on which it may have begun, UTC: `2026-11-28`.
    pub since: Option<String>,
    /// The last such day.
    pub until: Option<String>,
    /// Only runs that are baselines.
    pub baselines: bool,
    /// So many of the newest are passed over.
    pub offset: usize,
    /// At most so many are given.
    pub limit: usize,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunsFound {
    /// The runs, the one that started last first.
    pub entries: Vec<RunEntry>,
    /// How many there are in all.
    pub total: usize,
}

/// A machine of which runs are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineEntry {
    /// What it calls itself.
    pub hostname: String,
    /// How many runs there are.
    pub runs: usize,
    /// The run that started last.
    pub latest: String,
    /// When that started, RFC 3339, UTC.
    pub started: String,
}

impl SqliteStore {
    /// The runs that are asked for. Fails if reading fails.
    pub fn find(&self, query: &RunQuery) -> Result<RunsFound, StoreError> {
        self.found(query).map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    /// What a list shows of the run with this id; nothing where there is none. Fails if reading fails.
    pub fn entry(&self, id: &str) -> Result<Option<RunEntry>, StoreError> {
        self.connection
            .query_row(&format!("{ENTRY} FROM run WHERE id = ?1"), [id], entry)
            .optional()
            .map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    /// The machines of which runs are kept, by name. Fails if reading fails.
    pub fn machines(&self) -> Result<Vec<MachineEntry>, StoreError> {
        machines(&self.connection).map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    /// The studies of which runs are kept, by name. Fails if reading fails.
    pub fn studies(&self) -> Result<Vec<String>, StoreError> {
        studies(&self.connection).map_err(|e| StoreError::sqlite(&self.path, "read", e))
    }

    /// Asks the process that measures the run with this id to stop, as Ctrl-C would; false if none does any more. Fails
    /// if reading fails, or that process may not be signalled.
    pub fn interrupt(&self, id: &str) -> Result<bool, StoreError> {
        match self.living_writer(id)? {
            Some(writer) => writer.interrupt().map_err(|e| StoreError::io(&self.path, "stop a run of", e)),
            None => Ok(false),
        }
    }

    /// The process that measures the run with this id, where one does.
    pub(crate) fn living_writer(&self, id: &str) -> Result<Option<Writer>, StoreError> {
        let query = format!("{ENTRY} FROM run WHERE id = ?1 AND finished IS NULL");
        let found = self
            .connection
            .query_row(&query, [id], writer)
            .optional()
            .map_err(|e| StoreError::sqlite(&self.path, "read", e))?;
        Ok(found.flatten().filter(Writer::lives))
    }

    fn found(&self, query: &RunQuery) -> rusqlite::Result<RunsFound> {
        // Counted and read at one moment.
        let moment = self.connection.unchecked_transaction()?;
        let found = found(&moment, NEWEST_FIRST, query)?;
        moment.finish()?;
        Ok(found)
    }
}

/// The runs that are asked for. Chosen by the table `run` of this connection, in this order of its columns.
pub(crate) fn found(connection: &Connection, order: &str, query: &RunQuery) -> rusqlite::Result<RunsFound> {
    let conditions = Conditions::of(query, annotation::is_there(connection)?);
    if let Some(state @ (State::Running | State::Killed)) = query.state {
        return unfinished(connection, order, conditions, (state, query));
    }
    let Conditions { text, values } = conditions;
    let part = [query.limit, query.offset].map(|n| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX)));
    // Chosen and counted in one pass over all.
    let chosen = format!("SELECT number, COUNT(*) OVER () FROM run WHERE {text} {order} LIMIT ? OFFSET ?");
    let all: Vec<Value> = values.iter().cloned().chain(part).collect();
    let chosen: Vec<(i64, usize)> = connection
        .prepare_cached(&chosen)?
        .query_map(params_from_iter(all), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let total = match chosen.first() {
        Some((_, total)) => *total,
        // Behind the end of the list, or none are wanted.
        None => {
            let count = format!("SELECT COUNT(*) FROM run WHERE {text}");
            connection.prepare_cached(&count)?.query_row(params_from_iter(&values), |row| row.get(0))?
        }
    };
    let numbers: Vec<i64> = chosen.into_iter().map(|(number, _)| number).collect();
    Ok(RunsFound { entries: entries(connection, &numbers)?, total })
}

/// What a list shows of the runs with these numbers, in their order; without those that are not there.
fn entries(connection: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<RunEntry>> {
    let mut statement =
        connection.prepare_cached(&format!("{ENTRY} FROM main.run AS run WHERE number = ?1"))?;
    numbers.iter().filter_map(|number| statement.query_row([number], entry).optional().transpose()).collect()
}

/// The machines of the table `run`, by name.
pub(crate) fn machines(connection: &Connection) -> rusqlite::Result<Vec<MachineEntry>> {
    let machine = |row: &rusqlite::Row<'_>| {
        let (hostname, runs) = (row.get(0)?, row.get(1)?);
        Ok(MachineEntry { hostname, runs, latest: row.get(2)?, started: row.get(3)? })
    };
    // Of `max`, SQLite promises that the columns beside it are of the same row.
    let query = "SELECT hostname, COUNT(*), id, started, max(julianday(started)) FROM run
                 GROUP BY hostname ORDER BY hostname";
    connection.prepare(query)?.query_map([], machine)?.collect()
}

/// The studies of the table `run`, by name.
pub(crate) fn studies(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare("SELECT DISTINCT study FROM run ORDER BY study")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The columns that [`entry`] and [`writer`] read, in their order.
pub(crate) const ENTRY: &str = "SELECT id, started, finished, outcome, study, title, hostname, cases,
    (SELECT COUNT(*) FROM trial WHERE trial.run = run.number), writer_pid, writer_start_ticks, writer_boot";

/// Runs without an end: whether one still runs, the system knows and not the store.
fn unfinished(
    connection: &Connection,
    order: &str,
    conditions: Conditions,
    (state, query): (State, &RunQuery),
) -> rusqlite::Result<RunsFound> {
    let numbers: Vec<i64> = connection
        .prepare_cached(&format!("SELECT number FROM run WHERE {} {order}", conditions.text))?
        .query_map(params_from_iter(conditions.values), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut all = entries(connection, &numbers)?;
    all.retain(|entry| entry.state == state);
    let total = all.len();
    Ok(RunsFound { entries: all.into_iter().skip(query.offset).take(query.limit).collect(), total })
}

/// Conditions in SQL, with what stands for each `?`.
struct Conditions {
    text: String,
    values: Vec<Value>,
}

impl Conditions {
    fn of(query: &RunQuery, has_annotations: bool) -> Self {
        let mut all = Self { text: "1".to_owned(), values: Vec::new() };
        if let Some(text) = query.text.as_deref().filter(|text| !text.is_empty()) {
            all.text_in(text, has_annotations);
        }
        all.equal("study", query.study.as_ref());
        all.equal("hostname", query.hostname.as_ref());
        if let Some((name, value)) = &query.tag {
            all.tag(name, value.as_deref(), has_annotations);
        }
        match query.state {
            Some(State::Running | State::Killed) => all.and("finished IS NULL", []),
            // One that ended by itself has no outcome where an older program wrote it.
            Some(State::Complete) => {
                all.and("finished IS NOT NULL AND coalesce(outcome, 'complete') = 'complete'", [])
            }
            Some(State::Budget) => all.and("finished IS NOT NULL AND outcome = 'budget'", []),
            Some(State::Interrupted) => all.and("finished IS NOT NULL AND outcome = 'interrupted'", []),
            None => {}
        }
        all.day(">=", query.since.as_ref());
        all.day("<=", query.until.as_ref());
        if query.baselines {
            all.annotated("kind = 'baseline'", [], has_annotations);
        }
        all
    }

    fn and(&mut self, condition: &str, values: impl IntoIterator<Item = String>) {
        self.text.push_str(" AND ");
        self.text.push_str(condition);
        self.values.extend(values.into_iter().map(Value::Text));
    }

    fn equal(&mut self, column: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.and(&format!("{column} = ?"), [value.clone()]);
        }
    }

    fn day(&mut self, relation: &str, day: Option<&String>) {
        if let Some(day) = day {
            self.and(&format!("substr(started, 1, 10) {relation} ?"), [day.clone()]);
        }
    }

    /// Only runs of which something was said that is so.
    fn annotated<const N: usize>(&mut self, what: &str, values: [String; N], has_annotations: bool) {
        if has_annotations {
            self.and(&format!("id IN (SELECT run FROM annotation WHERE {what})"), values);
        } else {
            self.and("0", []);
        }
    }

    fn tag(&mut self, name: &str, value: Option<&str>, has_annotations: bool) {
        match value {
            Some(value) => {
                let values = [name.to_owned(), value.to_owned()];
                self.annotated("kind = 'tag' AND name = ? AND value = ?", values, has_annotations);
            }
            None => self.annotated("kind = 'tag' AND name = ?", [name.to_owned()], has_annotations),
        }
    }

    fn text_in(&mut self, text: &str, has_annotations: bool) {
        let pattern = format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
        let like = |column: &str| format!("{column} LIKE ? ESCAPE '\\'");
        let mut any: Vec<String> = ["id", "study", "coalesce(title, '')", "hostname"].map(like).to_vec();
        if has_annotations {
            let said = [like("name"), like("value")].join(" OR ");
            any.push(format!("id IN (SELECT run FROM annotation WHERE kind <> 'baseline' AND ({said}))"));
        }
        let count = any.join(" OR ").matches('?').count();
        self.and(&format!("({})", any.join(" OR ")), std::iter::repeat_n(pattern, count));
    }
}

/// What was said of these runs alone.
impl SqliteStore {
    /// What was said of runs with these ids, by their ids; runs of which nothing was said are not in it. Fails if
    /// reading fails.
    pub fn annotations_of<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<std::collections::BTreeMap<String, crate::Annotations>, StoreError> {
        let failed = |e| StoreError::sqlite(&self.path, "read", e);
        let mut all = std::collections::BTreeMap::new();
        if !annotation::is_there(&self.connection).map_err(failed)? {
            return Ok(all);
        }
        let mut statement = self
            .connection
            .prepare_cached("SELECT kind, name, value FROM annotation WHERE run = ?1")
            .map_err(failed)?;
        for id in ids {
            let mut of_run = crate::Annotations::default();
            let rows = statement
                .query_map(params![id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<(String, String, String)>>>)
                .map_err(failed)?;
            let is_said = !rows.is_empty();
            rows.into_iter().for_each(|(kind, name, value)| of_run.take(&kind, name, value));
            if is_said {
                all.insert(id.to_owned(), of_run);
            }
        }
        Ok(all)
    }
}
