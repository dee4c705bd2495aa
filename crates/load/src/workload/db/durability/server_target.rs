//! A server of ours as a database that is killed: clients have threads and connections of this process, which notes
//! what they are told.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::clock;
use engine::fault::Fault;

use crate::workload::db::client::DatabaseClient;
use crate::workload::db::durability::ledger::{AcknowledgedRows, RoundNumbers};
use crate::workload::db::durability::rounds::{CrashTarget, Round, TrialLife};
use crate::workload::db::durability::table::{self, DATABASE, ROWS_MOST};
use crate::workload::db::remote::{fault, is_done};
use crate::workload::db::server::crash::CrashableServer;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect};

/// How long the first row may take.
const FIRST_WITHIN: Duration = Duration::from_secs(30);

/// How often it is looked whether the moment has come.
const LOOK: Duration = Duration::from_millis(1);

/// A server that is killed, spoken to by the protocol of `C`.
#[derive(Debug)]
pub(super) struct ServerTarget<C> {
    crashable: CrashableServer,
    /// The server with the database that the table is in.
    server: DatabaseServer,
    /// Whether it was started by the thread that has this, with which it would die at some moment.
    is_restarted: bool,
    protocol: PhantomData<fn() -> C>,
}

impl<C> Drop for ServerTarget<C> {
    fn drop(&mut self) {
        if self.is_restarted {
            // Whoever uses it next finds that it has ended, and starts it.
            let _ = self.crashable.kill();
        }
    }
}

impl<C: Dialect> ServerTarget<C> {
    /// The server, with a new table in it that no kill takes away.
    ///
    /// # Errors
    /// If the server refuses that.
    pub(super) fn new(crashable: CrashableServer, timeout: Duration) -> Result<Self, Fault> {
        let password = Some(crashable.password());
        let server = DatabaseServer::find::<C>(&crashable.url(), password, timeout).map_err(fault)?;
        let entry = server.with_database(C::MAINTENANCE);
        let mut connection = DatabaseConnection::<C>::open(&entry).map_err(fault)?;
        // One of an earlier trial may be there.
        is_done(connection.query(&C::drop_database(DATABASE))).map_err(fault)?;
        connection.query(&C::create_database(DATABASE)).map_err(fault)?;
        let server = server.with_database(DATABASE);
        let mut connection = DatabaseConnection::<C>::open(&server).map_err(fault)?;
        let (behind, settles) = match C::SYSTEM {
            DatabaseSystem::MySql => (" ENGINE=InnoDB", "FLUSH LOGS"),
            DatabaseSystem::Postgres | DatabaseSystem::Sqlite => ("", "CHECKPOINT"),
        };
        connection.query(&table::create(behind)).map_err(fault)?;
        connection.query(settles).map_err(fault)?;
        Ok(Self { crashable, server, is_restarted: false, protocol: PhantomData })
    }

    /// The server with the database that the table is in.
    pub(super) fn server(&self) -> &DatabaseServer {
        &self.server
    }
}

/// What the clients of a round have come to.
#[derive(Debug, Default)]
struct RoundProgress {
    acknowledged: AtomicU64,
    /// When the first row was acknowledged, ns; 0 before.
    first_ns: AtomicU64,
    /// The server is killed now, so that a lost connection is no failure.
    is_killed: AtomicBool,
    /// Nothing more is to be done.
    is_over: AtomicBool,
}

impl RoundProgress {
    fn acknowledge(&self) {
        if self.acknowledged.fetch_add(1, Ordering::Relaxed) == 0 {
            self.first_ns.store(clock::now_ns(), Ordering::Release);
        }
    }

    fn is_enough(&self) -> bool {
        self.acknowledged.load(Ordering::Relaxed) >= ROWS_MOST
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed) && !self.is_enough()
    }

    /// When the first row was acknowledged.
    fn first(&self) -> Option<u64> {
        Some(self.first_ns.load(Ordering::Acquire)).filter(|first_ns| *first_ns > 0)
    }
}

/// Commits the rows of one client until the server is gone; the numbers of those that were acknowledged.
fn commit<C: Dialect>(
    server: &DatabaseServer,
    numbers: RoundNumbers,
    client: u64,
    progress: &RoundProgress,
) -> Result<Vec<u64>, Fault> {
    let mut acknowledged = Vec::new();
    let end = |failure| {
        if progress.is_killed.load(Ordering::Acquire) { Ok(()) } else { Err(fault(failure)) }
    };
    let opened = DatabaseConnection::<C>::open(server).and_then(|mut connection| {
        connection.set_statements(table::statements(), true)?;
        Ok(connection)
    });
    let mut connection = match opened {
        Ok(connection) => connection,
        Err(failure) => return end(failure).map(|()| acknowledged),
    };
    let mut values = table::values(0);
    let mut number = numbers.first + client;
    while progress.goes_on() {
        values[0] = table::integer(number);
        match connection.execute(0, &values, &[0, 1]) {
            Ok(_) => {
                acknowledged.push(number);
                progress.acknowledge();
                number += numbers.clients;
            }
            Err(failure) => return end(failure).map(|()| acknowledged),
        }
    }
    Ok(acknowledged)
}

/// Waits until the moment of the kill; how long clients have committed then, from the first row on.
fn wait(progress: &RoundProgress, kill_after: Duration, life: &TrialLife) -> Result<Duration, Fault> {
    let begun = Instant::now();
    loop {
        if !life.goes_on() {
            return Err(Fault::Cancelled);
        }
        // One that has failed tells why.
        if progress.is_over.load(Ordering::Relaxed) {
            return Ok(Duration::ZERO);
        }
        match progress.first() {
            Some(first_ns) => {
                let time = Duration::from_nanos(clock::now_ns().saturating_sub(first_ns));
                if time >= kill_after || progress.is_enough() {
                    return Ok(time);
                }
            }
            None if begun.elapsed() >= FIRST_WITHIN => {
                let seconds = FIRST_WITHIN.as_secs();
                return Err(Fault::Other(format!("no row was committed within {seconds} s")));
            }
            None => {}
        }
        std::thread::sleep(LOOK);
    }
}

impl<C: Dialect> CrashTarget for ServerTarget<C> {
    fn commit_until_killed(&mut self, round: Round, life: &TrialLife) -> Result<AcknowledgedRows, Fault> {
        let progress = RoundProgress::default();
        let (server, numbers) = (&self.server, round.numbers);
        std::thread::scope(|scope| {
            let progress = &progress;
            let client = |client: u64| {
                scope.spawn(move || {
                    let done = commit::<C>(server, numbers, client, progress);
                    done.inspect_err(|_| progress.is_over.store(true, Ordering::Relaxed))
                })
            };
            let clients: Vec<_> = (0..numbers.clients).map(client).collect();
            let killed = wait(progress, round.kill_after, life).and_then(|time| {
                if progress.is_over.load(Ordering::Relaxed) {
                    return Ok(time);
                }
                progress.is_killed.store(true, Ordering::Release);
                self.crashable.kill().map(|()| time)
            });
            progress.is_over.store(true, Ordering::Relaxed);
            let mut told = AcknowledgedRows::default();
            let mut failed = None;
            for client in clients {
                let panicked = || Err(Fault::Panic("a client panicked".to_owned()));
                match client.join().unwrap_or_else(|_| panicked()) {
                    Ok(mut own) => told.numbers.append(&mut own),
                    Err(fault) => failed = Some(fault),
                }
            }
            told.time = killed?;
            failed.map_or(Ok(told), Err)
        })
    }

    fn recover(&mut self, life: &TrialLife) -> Result<Duration, Fault> {
        let begun = Instant::now();
        self.crashable.restart(&mut || life.goes_on())?;
        self.is_restarted = true;
        let mut connection = DatabaseConnection::<C>::open(&self.server).map_err(fault)?;
        connection.query("SELECT 1").map_err(fault)?;
        Ok(begun.elapsed())
    }

    fn rows(&mut self) -> Result<Vec<u64>, Fault> {
        let mut connection = DatabaseConnection::<C>::open(&self.server).map_err(fault)?;
        let rows = connection.query(&table::select()).map_err(fault)?;
        let number = |row: Vec<Option<String>>| {
            let text = row.into_iter().next().flatten().unwrap_or_default();
            text.parse::<u64>().map_err(|_| Fault::Other(format!("a row has `{text}` as its number")))
        };
        rows.into_iter().map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_comes_after_its_time_from_the_first_row_on() {
        let (progress, life) = (RoundProgress::default(), TrialLife::default());
        let waits = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(&progress, Duration::from_millis(20), &life));
            std::thread::sleep(Duration::from_millis(30));
            assert!(!waiting.is_finished(), "there was no row yet");
            progress.acknowledge();
            waiting.join().unwrap()
        });
        assert!(waits.unwrap() >= Duration::from_millis(20));
        // As many as a round has end it, and so does a client that failed.
        progress.acknowledged.store(ROWS_MOST, Ordering::Relaxed);
        assert!(!progress.goes_on() && wait(&progress, Duration::MAX, &life).is_ok());
        let failed = RoundProgress { is_over: AtomicBool::new(true), ..RoundProgress::default() };
        assert_eq!(wait(&failed, Duration::MAX, &life).unwrap(), Duration::ZERO);
    }
}
