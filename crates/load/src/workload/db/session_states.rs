//! What a server's sessions wait for, and the CPU time that it uses: looked at by the connection that reads its counters.
//!
//! Sessions are looked at ten times a second, as "active session history" does: the mean number of those that wait for a
//! thing is what it takes of the clients' time. Of `n` looks at a session a share of one half is known to within
//! `1 / sqrt(n)`. PostgreSQL says of each session what it waits for (`pg_stat_activity`, "Wait Events"). MariaDB and MySQL
//! only say that a session commits ("Thread States"), but account how long rows were waited for
//! (`Innodb_row_lock_time`), which is exact.

use model::database::metric as names;
use model::trial::Window;
use model::{FactName, MetricName, Quantity, Unit, Value};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::server_process::ServerPlace;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::TextRow;
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// So few looks in a window say nothing.
const LOOKS_LEAST: usize = 8;

/// What the sessions of our clients were at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SessionCounts {
    /// Those in a statement.
    active: f64,
    locks: f64,
    log: f64,
    reads: f64,
}

/// A look at the sessions.
#[derive(Clone, Copy, Debug)]
struct SessionLook {
    at_ns: u64,
    counts: SessionCounts,
}

impl Timed for SessionLook {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// What the server had used at a time.
#[derive(Clone, Copy, Debug)]
struct ServerTimes {
    at_ns: u64,
    /// CPU seconds of its processes.
    cpu_s: Option<f64>,
    /// Seconds that sessions waited for rows.
    lock_s: Option<f64>,
}

impl Timed for ServerTimes {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// What was seen of a server over a trial.
#[derive(Debug, Default)]
pub(in crate::workload) struct ServerActivity {
    looks: SampleCollector<SessionLook>,
    times: SampleCollector<ServerTimes>,
}

impl ServerActivity {
    /// The metrics of `window`, by what was handed in.
    pub(in crate::workload) fn metrics(
        &self,
        system: DatabaseSystem,
        window: Window,
    ) -> Vec<(MetricName, Quantity)> {
        let rate =
            |of: fn(&ServerTimes) -> Option<f64>| Some(self.times.change(window, of)? / window.seconds());
        let active = self.looks.values(window, |look| Some(look.counts.active));
        // Where no session is ever seen at work, they are hidden from this user.
        let is_seen = active.len() >= LOOKS_LEAST && active.iter().any(|active| *active > 0.0);
        let mean = |of: fn(&SessionCounts) -> f64| {
            let all = self.looks.values(window, |look| Some(of(&look.counts)));
            is_seen.then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        let of_postgres = system == DatabaseSystem::Postgres;
        let seen = |of: fn(&SessionCounts) -> f64| mean(of).filter(|_| of_postgres);
        let all = [
            (
                names::CLIENTS_WAITING_FOR_LOCKS,
                rate(|times| times.lock_s).or_else(|| seen(|counts| counts.locks)),
            ),
            (names::CLIENTS_WAITING_FOR_LOG, mean(|counts| counts.log)),
            (names::CLIENTS_WAITING_FOR_READS, seen(|counts| counts.reads)),
            (names::SERVER_CPU, rate(|times| times.cpu_s)),
        ];
        let quantity = |(name, value): (MetricName, Option<f64>)| {
            Some((name, Quantity { value: value?, unit: Unit::One }))
        };
        all.into_iter().filter_map(quantity).collect()
    }
}

/// Looks at one server.
#[derive(Debug)]
pub(in crate::workload) struct SessionSampler {
    system: DatabaseSystem,
    place: ServerPlace,
    /// Whether the server lets us look at its sessions, and at how long they waited.
    has_sessions: bool,
    has_lock_time: bool,
    looks: WorkerSamples<SessionLook>,
    times: WorkerSamples<ServerTimes>,
}

/// Asks the server something.
type Ask<'a> = dyn FnMut(&str) -> Result<Vec<TextRow>, StatementFailure> + 'a;

impl SessionSampler {
    /// One for the server of this system that is at `place`.
    pub(in crate::workload) fn new(system: DatabaseSystem, place: ServerPlace) -> Self {
        Self {
            system,
            place,
            has_sessions: sessions(system).is_some(),
            has_lock_time: lock_time(system).is_some(),
            looks: WorkerSamples::default(),
            times: WorkerSamples::default(),
        }
    }

    /// Where the server is.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        self.place.facts()
    }

    /// Looks at its sessions.
    ///
    /// # Errors
    /// If the connection is lost.
    pub(in crate::workload) fn look(
        &mut self,
        at_ns: u64,
        ask: &mut Ask<'_>,
    ) -> Result<(), StatementFailure> {
        let Some(question) = sessions(self.system).filter(|_| self.has_sessions) else { return Ok(()) };
        let Some(rows) = answered(ask(question))? else {
            self.has_sessions = false;
            return Ok(());
        };
        self.looks.put(SessionLook { at_ns, counts: counted(self.system, &rows) });
        Ok(())
    }

    /// Reads how much time it used.
    ///
    /// # Errors
    /// If the connection is lost.
    pub(in crate::workload) fn read_times(
        &mut self,
        at_ns: u64,
        ask: &mut Ask<'_>,
    ) -> Result<(), StatementFailure> {
        let mut lock_s = None;
        if let Some(question) = lock_time(self.system).filter(|_| self.has_lock_time) {
            let rows = answered(ask(question))?;
            self.has_lock_time = rows.is_some();
            let value = rows.into_iter().flatten().find_map(|row| row.into_iter().nth(1).flatten());
            // In thousandths of a second.
            lock_s = value.and_then(|value| value.parse::<f64>().ok()).map(|ms| ms / 1e3);
        }
        self.times.put(ServerTimes { at_ns, cpu_s: self.place.cpu_s(), lock_s });
        Ok(())
    }

    /// Hands in what was seen.
    pub(in crate::workload) fn hand_in(&mut self, activity: &ServerActivity) {
        activity.looks.hand_in(&mut self.looks);
        activity.times.hand_in(&mut self.times);
    }
}

/// The rows of an answer; none where the server refuses the question.
fn answered(
    answer: Result<Vec<TextRow>, StatementFailure>,
) -> Result<Option<Vec<TextRow>>, StatementFailure> {
    match answer {
        Ok(rows) => Ok(Some(rows)),
        Err(failure) if failure.kind == FailureKind::Lost => Err(failure),
        Err(_) => Ok(None),
    }
}

/// The question what our sessions in this database are at: rows of a kind, what it is, and how many are.
fn sessions(system: DatabaseSystem) -> Option<&'static str> {
    match system {
        DatabaseSystem::MySql => Some(
            "SELECT LOWER(COALESCE(state, '')), LOWER(LEFT(COALESCE(info, ''), 6)), COUNT(*) \
             FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() \
             AND command <> 'Sleep' GROUP BY 1, 2",
        ),
        DatabaseSystem::Postgres => Some(
            "SELECT lower(coalesce(wait_event_type, '')), lower(coalesce(wait_event, '')), count(*) \
             FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user \
             AND pid <> pg_backend_pid() AND state = 'active' AND backend_type = 'client backend' GROUP BY 1, 2",
        ),
        DatabaseSystem::Sqlite => None,
    }
}

/// The question how long rows were waited for: a row of a name and thousandths of a second.
fn lock_time(system: DatabaseSystem) -> Option<&'static str> {
    (system == DatabaseSystem::MySql)
        .then_some("SHOW GLOBAL STATUS WHERE Variable_name = 'Innodb_row_lock_time'")
}

/// States of a thread of MariaDB and MySQL that ends a transaction (`stage_commit` and its like in `sql/mysqld.cc`). Since
/// MariaDB 10.6 the flush is waited for after the statement has ended (MDEV-24341), in `Updating status`, which takes no
/// time otherwise: of 108 looks at clients that inserted row by row, 80 saw it and 26 `Commit` (MariaDB 10.11.19,
/// 2026-11-27).
const COMMITTING: &[&str] =
    &["commit", "commit implicit", "updating status", "waiting for handler commit", "query end"];

/// What a session of PostgreSQL waits in for its log, by type: before version 13, and from 17 on, they are written
/// otherwise.
const OF_WAL: &[(&str, &str)] =
    &[("io", "walsync"), ("io", "walwrite"), ("lwlock", "walwrite"), ("lwlock", "walwritelock")];

fn counted(system: DatabaseSystem, rows: &[TextRow]) -> SessionCounts {
    let mut all = SessionCounts::default();
    for row in rows {
        let [Some(kind), Some(what), Some(count)] = row.as_slice() else { continue };
        let Ok(count) = count.parse::<f64>() else { continue };
        let (kind, what) = (kind.as_str(), what.as_str());
        all.active += count;
        match system {
            DatabaseSystem::MySql => {
                // A COMMIT of its own has no state of its own in some versions.
                let commits = COMMITTING.contains(&kind) || what == "commit";
                all.log += if commits { count } else { 0.0 };
            }
            DatabaseSystem::Postgres => match (kind, what) {
                ("lock", _) => all.locks += count,
                ("io", "datafileread") => all.reads += count,
                wait if OF_WAL.contains(&wait) => all.log += count,
                _ => {}
            },
            DatabaseSystem::Sqlite => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn row(values: [&str; 3]) -> TextRow {
        values.iter().map(|value| Some((*value).to_owned())).collect()
    }

    #[test]
    fn sessions_are_counted_by_what_they_wait_for() {
        let rows = [
            row(["lock", "transactionid", "3"]),
            row(["io", "walsync", "1"]),
            row(["lwlock", "walwrite", "4"]),
            row(["lwlock", "walinsert", "1"]),
            row(["io", "datafileread", "2"]),
            row(["", "", "5"]),
            vec![None],
        ];
        let seen = counted(DatabaseSystem::Postgres, &rows);
        assert_eq!(seen, SessionCounts { active: 16.0, locks: 3.0, log: 5.0, reads: 2.0 });
        let rows = [
            row(["commit", "update", "2"]),
            row(["", "commit", "3"]),
            row(["updating status", "insert", "1"]),
            row(["updating", "update", "4"]),
            row(["init", "select", "x"]),
        ];
        let seen = counted(DatabaseSystem::MySql, &rows);
        assert_eq!(seen, SessionCounts { active: 10.0, log: 6.0, ..SessionCounts::default() });
    }

    /// Looks and times of ten seconds, each second alike.
    fn activity(system: DatabaseSystem, rows: &[TextRow], lock_ms: u64) -> ServerActivity {
        let activity = ServerActivity::default();
        let mut sampler = SessionSampler::new(system, ServerPlace::Elsewhere);
        for second in 0..=10u64 {
            let mut ask = |question: &str| {
                let status =
                    vec![Some("Innodb_row_lock_time".to_owned()), Some((second * lock_ms).to_string())];
                Ok(if question.contains("STATUS") { vec![status] } else { rows.to_vec() })
            };
            sampler.look(second * 1_000_000_000, &mut ask).unwrap();
            sampler.read_times(second * 1_000_000_000, &mut ask).unwrap();
        }
        sampler.hand_in(&activity);
        activity
    }

    fn found(system: DatabaseSystem, activity: &ServerActivity, seconds: u64) -> BTreeMap<MetricName, f64> {
        let window = Window { start_ns: 0, end_ns: seconds * 1_000_000_000 };
        activity.metrics(system, window).into_iter().map(|(name, quantity)| (name, quantity.value)).collect()
    }

    #[test]
    fn waits_are_means_over_the_window() {
        let rows = [row(["lock", "tuple", "2"]), row(["io", "walsync", "1"])];
        let system = DatabaseSystem::Postgres;
        let seen = found(system, &activity(system, &rows, 0), 9);
        assert_eq!(seen[&names::CLIENTS_WAITING_FOR_LOCKS], 2.0);
        assert_eq!(seen[&names::CLIENTS_WAITING_FOR_LOG], 1.0);
        assert_eq!(seen[&names::CLIENTS_WAITING_FOR_READS], 0.0);
        assert!(!seen.contains_key(&names::SERVER_CPU), "it is elsewhere");
        assert!(found(system, &activity(system, &rows, 0), 5).is_empty(), "six looks say nothing");
        assert!(found(system, &activity(system, &[], 0), 9).is_empty(), "nobody was seen at work");
    }

    #[test]
    fn waits_for_rows_of_innodb_are_its_own_account() {
        let rows = [row(["commit", "commit", "1"])];
        let system = DatabaseSystem::MySql;
        let seen = found(system, &activity(system, &rows, 1500), 10);
        assert_eq!(seen[&names::CLIENTS_WAITING_FOR_LOCKS], 1.5);
        assert_eq!(seen[&names::CLIENTS_WAITING_FOR_LOG], 1.0);
        assert!(!seen.contains_key(&names::CLIENTS_WAITING_FOR_READS), "it does not say");
    }

    #[test]
    fn what_is_refused_is_not_asked_for_again_and_a_lost_connection_ends_it() {
        let mut sampler = SessionSampler::new(DatabaseSystem::MySql, ServerPlace::Elsewhere);
        let mut asked = 0;
        let failure = |kind| StatementFailure { kind, message: "x".to_owned() };
        for _ in 0..2 {
            let mut ask = |_: &str| {
                asked += 1;
                Err(failure(FailureKind::Refused))
            };
            sampler.look(1, &mut ask).unwrap();
            sampler.read_times(1, &mut ask).unwrap();
        }
        assert_eq!(asked, 2);
        let mut sampler = SessionSampler::new(DatabaseSystem::MySql, ServerPlace::Elsewhere);
        assert!(sampler.look(1, &mut |_| Err(failure(FailureKind::Lost))).is_err());
    }
}
