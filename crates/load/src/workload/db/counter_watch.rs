//! Reads what a server counts, over the window: by a connection beside those of the clients, twice a second. Between that it
//! looks at what the clients' sessions wait for ([`crate::workload::db::session_states`]).
//!
//! PostgreSQL's processes hand their counts in once a second at most (`PGSTAT_MIN_INTERVAL` in
//! `src/backend/utils/activity/pgstat.c`), so that over a window of t seconds its rates may be off by a share of 1/t.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::{clock, lock};
use model::trial::{Series, Window};
use model::{FactName, MetricName, Quantity, SeriesName, Value};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::counters::{ASKED, BUFFER_HIT_SHARE, COUNTERS, OVER_TIME, READ, questions, sources};
use crate::workload::db::rate_series;
use crate::workload::db::server_process::ServerPlace;
use crate::workload::db::server_sizes::{self, LoadMoment};
use crate::workload::db::session_states::{ServerActivity, SessionSampler};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect, TextRow};
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// How often counters are read, how long an answer may take, and how often sessions are looked at: so many times for each
/// time that counters are read.
const EVERY: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_EACH: u64 = 5;

/// What a server had counted at a time.
#[derive(Clone, Copy, Debug)]
struct CounterSample {
    at_ns: u64,
    values: [Option<f64>; READ + 1],
}

impl Timed for CounterSample {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// The numbers of an answer by their names: of two columns, a name and a value, or of one with an object.
fn numbers(rows: Vec<TextRow>, found: &mut BTreeMap<String, f64>) {
    for row in rows {
        match &row[..] {
            [Some(name), Some(value)] => {
                let number = value.parse::<f64>().ok();
                found.extend(number.map(|number| (name.to_ascii_lowercase(), number)));
            }
            [Some(object)] => {
                let object: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(object).unwrap_or_default();
                let numbers = object.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?)));
                found.extend(numbers);
            }
            _ => {}
        }
    }
}

/// Whether the watch is to end.
#[derive(Debug, Default)]
struct StopRequest {
    asked: Mutex<bool>,
    changed: Condvar,
}

impl StopRequest {
    fn ask(&self) {
        *lock(&self.asked) = true;
        self.changed.notify_all();
    }

    /// Waits until that, or for so long; whether it is to end.
    fn wait(&self, time: Duration) -> bool {
        let asked = lock(&self.asked);
        let waited = self.changed.wait_timeout_while(asked, time, |asked| !*asked);
        waited.map_or(true, |(asked, _)| *asked)
    }
}

/// What was seen of a server.
#[derive(Debug, Default)]
struct SeenServer {
    samples: SampleCollector<CounterSample>,
    activity: ServerActivity,
    /// Where it is.
    facts: Mutex<Vec<(FactName, Value)>>,
}

/// Reads the counters of a server until it is told to end.
pub(in crate::workload) struct CounterWatch {
    system: DatabaseSystem,
    seen: Arc<SeenServer>,
    /// Why they cannot be read, if they cannot.
    failure: Arc<Mutex<Option<String>>>,
    stop: Arc<StopRequest>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for CounterWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CounterWatch").finish_non_exhaustive()
    }
}

impl CounterWatch {
    /// One that reads those of `server`, by a connection of its own. That none can be had is no failure of the load.
    pub(in crate::workload) fn start<C: Dialect + 'static>(server: DatabaseServer) -> Self {
        let watch = Self {
            system: C::SYSTEM,
            seen: Arc::default(),
            failure: Arc::default(),
            stop: Arc::default(),
            thread: Mutex::default(),
        };
        let (seen, failure, stop) =
            (Arc::clone(&watch.seen), Arc::clone(&watch.failure), Arc::clone(&watch.stop));
        let work = move || {
            if let Err(why) = read_until_stopped::<C>(&server, &seen, &stop) {
                *lock(&failure) = Some(why.message);
            }
        };
        match std::thread::Builder::new().name("db-counters".to_owned()).spawn(work) {
            Ok(thread) => *lock(&watch.thread) = Some(thread),
            Err(e) => *lock(&watch.failure) = Some(e.to_string()),
        }
        watch
    }

    /// Has it read for the last time, and end.
    pub(in crate::workload) fn finish(&self) {
        self.stop.ask();
        if let Some(thread) = lock(&self.thread).take() {
            // It says by itself why it failed.
            let _ = thread.join();
        }
    }

    /// The metrics of `window`, once it has ended.
    pub(in crate::workload) fn metrics(&self, window: Window) -> Vec<(MetricName, Quantity)> {
        let mut all = metrics(&self.seen.samples, window);
        all.extend(self.seen.activity.metrics(self.system, window));
        all
    }

    /// What went on over time in `window`, once it has ended.
    pub(in crate::workload) fn series(&self, window: Window) -> Vec<Series> {
        series(&self.seen.samples, window)
    }

    /// Where the server is, and how large tables and buffers are; that there are no counters, and why.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = lock(&self.seen.facts).clone();
        let why = lock(&self.failure).clone();
        facts.extend(why.map(|why| (FactName::new("server_counters_missing"), Value::Text(why))));
        facts
    }
}

impl Drop for CounterWatch {
    fn drop(&mut self) {
        self.finish();
    }
}

fn read_until_stopped<C: Dialect>(
    server: &DatabaseServer,
    seen: &SeenServer,
    stop: &StopRequest,
) -> Result<(), StatementFailure> {
    let mut connection = DatabaseConnection::<C>::open(server)?;
    connection.set_patience(PATIENCE);
    let before = server_sizes::read(C::SYSTEM, LoadMoment::Before, &mut |text| connection.query(text))?;
    lock(&seen.facts).extend(before);
    let mut sessions = SessionSampler::new(C::SYSTEM, ServerPlace::of(C::SYSTEM, connection.socket()));
    lock(&seen.facts).extend(sessions.facts());
    let mut questions = questions(C::SYSTEM);
    let sources = sources(C::SYSTEM);
    let mut track = WorkerSamples::default();
    let mut ask = |text: &str| connection.query(text);
    let mut read = |is_counted: bool| {
        if is_counted {
            let found = look(&mut questions, &mut ask)?;
            let values = sources.map(|source| source.value(&found));
            track.put(CounterSample { at_ns: clock::now_ns(), values });
            sessions.read_times(clock::now_ns(), &mut ask)?;
        }
        sessions.look(clock::now_ns(), &mut ask)
    };
    let mut looks = 0u64;
    let result = loop {
        // Those that end meanwhile are read once more.
        let is_last = stop.wait(Duration::ZERO);
        let result = read(is_last || looks.is_multiple_of(LOOKS_EACH));
        if is_last || result.is_err() {
            break result;
        }
        looks += 1;
        stop.wait(LOOK);
    };
    seen.samples.hand_in(&mut track);
    sessions.hand_in(&seen.activity);
    result?;
    let after = server_sizes::read(C::SYSTEM, LoadMoment::After, &mut |text| connection.query(text))?;
    lock(&seen.facts).extend(after);
    Ok(())
}

/// Asks all `questions`; those that the server refuses, because it has no such view, are left out from then on.
fn look(
    questions: &mut Vec<String>,
    query: &mut dyn FnMut(&str) -> Result<Vec<TextRow>, StatementFailure>,
) -> Result<BTreeMap<String, f64>, StatementFailure> {
    let mut found = BTreeMap::new();
    let mut lost = None;
    questions.retain(|question| match query(question) {
        Ok(rows) => {
            numbers(rows, &mut found);
            true
        }
        Err(failure) if failure.kind == FailureKind::Lost => {
            lost = Some(failure);
            true
        }
        Err(_) => false,
    });
    lost.map_or(Ok(found), Err)
}

/// The rates of counters in steps of the time between two looks; nothing of what the server does not count.
fn series(samples: &SampleCollector<CounterSample>, window: Window) -> Vec<Series> {
    let of = |(name, counted): &(SeriesName, MetricName)| {
        let place = COUNTERS.iter().position(|counter| counter.rate.name == *counted)?;
        let change = |part| samples.change(part, |sample| sample.values[place]);
        rate_series::of((*name, COUNTERS[place].rate.unit), window, EVERY, change)
    };
    OVER_TIME.iter().filter_map(of).collect()
}

fn metrics(samples: &SampleCollector<CounterSample>, window: Window) -> Vec<(MetricName, Quantity)> {
    let change = |place: usize| samples.change(window, |sample| sample.values[place]);
    let rates = COUNTERS.iter().enumerate().filter_map(|(place, counter)| {
        let value = change(place)? / window.seconds();
        Some((counter.rate.name, Quantity { value, unit: counter.rate.unit }))
    });
    let hits = || {
        let (asked, read) = (change(ASKED)?, change(READ)?);
        let value = (asked > 0.0).then(|| (1.0 - read / asked).max(0.0))?;
        Some((BUFFER_HIT_SHARE.name, Quantity { value, unit: BUFFER_HIT_SHARE.unit }))
    };
    rates.chain(hits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::url::DatabaseSystem;
    use model::database::{metric, series as names};

    fn row(values: &[&str]) -> TextRow {
        values.iter().map(|value| Some((*value).to_owned())).collect()
    }

    #[test]
    fn answers_of_both_systems_are_numbers_by_their_names() {
        let mut found = BTreeMap::new();
        // As MariaDB 10.11 and PostgreSQL 15 say it.
        numbers(vec![row(&["Innodb_data_fsyncs", "204"]), row(&["Innodb_log_writes", "203"])], &mut found);
        let mysql = sources(DatabaseSystem::MySql).map(|source| source.value(&found));
        assert_eq!(mysql[2..4], [Some(203.0), Some(204.0)]);
        assert_eq!(mysql[0], None);
        let mut found = BTreeMap::new();
        let database =
            r#"{"datname": "x", "xact_commit": 7, "blks_hit": 90, "blks_read": 10, "temp_files": 4}"#;
        let writer = r#"{"checkpoints_req": 1, "checkpoints_timed": 2, "stats_reset": "2026-11-27"}"#;
        numbers(vec![row(&[database]), row(&[writer]), vec![None], row(&["no object"])], &mut found);
        let postgres = sources(DatabaseSystem::Postgres).map(|source| source.value(&found));
        assert_eq!((postgres[1], postgres[6], postgres[7]), (Some(7.0), Some(4.0), Some(3.0)));
        assert_eq!((postgres[ASKED], postgres[READ]), (Some(100.0), Some(10.0)));
    }

    #[test]
    fn what_a_version_does_not_have_is_not_asked_for_again() {
        let refused = |kind| StatementFailure { kind, message: "x".to_owned() };
        let mut questions = questions(DatabaseSystem::Postgres);
        let found = look(&mut questions, &mut |text| {
            if text.contains("checkpointer") {
                return Err(refused(FailureKind::Refused));
            }
            Ok(vec![row(&[r#"{"wal_sync": 5}"#])])
        });
        assert_eq!(found.unwrap()["wal_sync"], 5.0);
        assert_eq!(questions.len(), 4);
        assert!(look(&mut questions, &mut |_| Err(refused(FailureKind::Lost))).is_err());
        assert_eq!(questions.len(), 4);
        assert!(crate::workload::db::counters::questions(DatabaseSystem::MySql)[0].contains("'questions', "));
    }

    #[test]
    fn rates_and_shares_are_those_of_the_window() {
        let samples = SampleCollector::default();
        let mut track = WorkerSamples::default();
        for second in 0..5u32 {
            let count = f64::from(second);
            let mut values = [None; READ + 1];
            (values[0], values[ASKED], values[READ]) = (Some(50.0 * count), Some(100.0 * count), Some(count));
            track.put(CounterSample { at_ns: u64::from(second) * 1_000_000_000, values });
        }
        samples.hand_in(&mut track);
        let found = metrics(&samples, Window { start_ns: 1_000_000_000, end_ns: 3_000_000_000 });
        let found: BTreeMap<_, _> =
            found.into_iter().map(|(name, quantity)| (name, quantity.value)).collect();
        assert_eq!(found.len(), 2, "nobody knows of others: {found:?}");
        assert_eq!(found[&COUNTERS[0].rate.name], 50.0);
        assert!((found[&BUFFER_HIT_SHARE.name] - 0.99).abs() < 1e-9);
    }

    const EVERY_NS: u64 = 500_000_000;

    #[test]
    fn what_is_kept_over_time_goes_in_steps_from_the_start_of_the_window() {
        let place = COUNTERS
            .iter()
            .position(|counter| counter.rate.name == metric::SERVER_PAGE_READS_PER_SECOND)
            .unwrap();
        let samples = SampleCollector::default();
        let mut track = WorkerSamples::default();
        // A hundred pages in the second half second, and none before or behind.
        for half in 0..6u64 {
            let mut values = [None; READ + 1];
            values[place] = Some(if half < 2 { 0.0 } else { 100.0 });
            track.put(CounterSample { at_ns: half * EVERY_NS, values });
        }
        samples.hand_in(&mut track);
        let found = series(&samples, Window { start_ns: 0, end_ns: 2_200_000_000 });
        assert_eq!(found.len(), 1, "nobody counts the others: {found:?}");
        assert_eq!((found[0].name, found[0].interval_ns), (names::PAGE_READS, EVERY_NS));
        assert_eq!(found[0].values, [0.0, 200.0, 0.0, 0.0]);
        assert!(series(&samples, Window { start_ns: 0, end_ns: 100 }).is_empty());
    }

    #[test]
    fn a_watch_that_is_told_to_end_does_not_wait() {
        let stop = StopRequest::default();
        assert!(!stop.wait(Duration::ZERO));
        stop.ask();
        // Otherwise this would take a day.
        assert!(stop.wait(Duration::from_secs(86_400)));
    }
}
