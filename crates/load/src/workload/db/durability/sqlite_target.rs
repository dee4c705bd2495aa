//! SQLite as a database that is killed: its clients are a process of their own.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use rustix::process::Signal;

use crate::workload::db::durability::client_process::{CommitRequest, REASON};
use crate::workload::db::durability::ledger::AcknowledgedRows;
use crate::workload::db::durability::rounds::{CrashTarget, Round, TrialLife};
use crate::workload::db::durability::table::{self, ROWS_MOST, TABLE};
use crate::workload::db::sqlite::{self, SqliteOptions};

/// The command of this program that is the clients.
const COMMAND: &str = "sqlite_commits";

/// How long the first row may take.
const FIRST_WITHIN: Duration = Duration::from_secs(30);

/// How often it is looked whether the moment has come.
const LOOK: Duration = Duration::from_millis(2);

/// Bytes of a number.
const NUMBER: usize = 8;

/// A file of SQLite whose clients are killed.
#[derive(Debug)]
pub(super) struct SqliteTarget {
    pub(super) path: PathBuf,
    pub(super) options: SqliteOptions,
}

/// A process that is killed when this is dropped.
struct ClientProcess(Child);

impl ClientProcess {
    /// Starts it; it has `stream` as its standard input.
    fn start(stream: UnixStream) -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command
            .arg(COMMAND)
            // Nothing of ours: there may be a password in it.
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(stream)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C at a terminal reaches only us.
            .process_group(0);
        let parent = rustix::process::getpid();
        let die_with_us = move || -> io::Result<()> {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // It may have died already.
            if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
        };
        // SAFETY: it makes two system calls between fork and exec, allocates nothing and takes no lock.
        unsafe { command.pre_exec(die_with_us) };
        // The command has the other end of the socket until it is dropped.
        command.spawn().map(Self)
    }

    fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait().map(drop)
    }
}

impl Drop for ClientProcess {
    fn drop(&mut self) {
        // One that was killed already is gone.
        let _ = self.kill();
    }
}

/// What has come over the socket.
#[derive(Debug, Default)]
struct Told {
    bytes: Vec<u8>,
    /// How many of the bytes are read.
    read: usize,
    numbers: Vec<u64>,
}

impl Told {
    /// Takes what is whole of what has come.
    ///
    /// # Errors
    /// If it is a reason why the clients do not go on; it may not have come whole.
    fn take(&mut self) -> Result<(), Fault> {
        while let Some(bytes) = self.bytes.get(self.read..).and_then(|rest| rest.first_chunk::<NUMBER>()) {
            let number = u64::from_le_bytes(*bytes);
            if number == REASON {
                let reason = String::from_utf8_lossy(&self.bytes[self.read + NUMBER..]).into_owned();
                return Err(Fault::Other(reason));
            }
            self.read += NUMBER;
            self.numbers.push(number);
        }
        self.bytes.drain(..self.read);
        self.read = 0;
        Ok(())
    }

    /// Takes all that is there until the other end is closed.
    fn take_rest(&mut self, stream: &mut UnixStream) -> Result<(), Fault> {
        stream
            .set_read_timeout(None)
            .and_then(|()| stream.read_to_end(&mut self.bytes))
            .map_err(listening)?;
        self.take()
    }
}

fn listening(error: io::Error) -> Fault {
    Fault::system("listening to the clients of SQLite", error)
}

impl CrashTarget for SqliteTarget {
    fn commit_until_killed(&mut self, round: Round, life: &TrialLife) -> Result<AcknowledgedRows, Fault> {
        let (mut ours, theirs) = UnixStream::pair().map_err(listening)?;
        let mut process = ClientProcess::start(theirs)
            .map_err(|e| Fault::system("starting clients of SQLite in a process of their own", e))?;
        let request = CommitRequest::new(self.path.clone(), &self.options, round.numbers);
        let mut line = serde_json::to_string(&request).map_err(|e| Fault::Other(e.to_string()))?;
        line.push('\n');
        ours.write_all(line.as_bytes()).map_err(listening)?;
        ours.set_read_timeout(Some(LOOK)).map_err(listening)?;
        let mut told = Told::default();
        let mut first: Option<Instant> = None;
        let begun = Instant::now();
        let mut room = vec![0; 16 << 10];
        loop {
            match ours.read(&mut room) {
                Ok(0) => {
                    told.take()?;
                    return Err(Fault::Other(
                        "the clients of SQLite ended before they were killed".to_owned(),
                    ));
                }
                Ok(got) => {
                    told.bytes.extend_from_slice(&room[..got]);
                    // A reason is read to its end.
                    if told.take().is_err() {
                        told.take_rest(&mut ours)?;
                    }
                }
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(e) => return Err(listening(e)),
            }
            if !life.goes_on() {
                return Err(Fault::Cancelled);
            }
            if first.is_none() && !told.numbers.is_empty() {
                first = Some(Instant::now());
            }
            let is_enough = told.numbers.len() as u64 >= ROWS_MOST;
            match first {
                Some(first) if is_enough || first.elapsed() >= round.kill_after => break,
                None if begun.elapsed() >= FIRST_WITHIN => {
                    return Err(Fault::Other(format!(
                        "no row was committed within {} s",
                        FIRST_WITHIN.as_secs()
                    )));
                }
                _ => {}
            }
        }
        let time = first.map_or(Duration::ZERO, |first| first.elapsed());
        process.kill().map_err(|e| Fault::system("killing the clients of SQLite", e))?;
        // What they told before is still on its way.
        told.take_rest(&mut ours)?;
        Ok(AcknowledgedRows { numbers: told.numbers, time })
    }

    fn recover(&mut self, _life: &TrialLife) -> Result<Duration, Fault> {
        let begun = Instant::now();
        let (connection, _) = sqlite::open(&self.path, &self.options)?;
        let question = format!("SELECT EXISTS (SELECT 1 FROM {TABLE})");
        connection.query_row(&question, [], |row| row.get::<_, i64>(0)).map_err(reading)?;
        let recovery = begun.elapsed();
        sqlite::is_whole(&connection)?;
        Ok(recovery)
    }

    fn rows(&mut self) -> Result<Vec<u64>, Fault> {
        let (connection, _) = sqlite::open(&self.path, &self.options)?;
        let mut select = connection.prepare(&table::select()).map_err(reading)?;
        let rows = select.query_map([], |row| row.get::<_, i64>(0)).map_err(reading)?;
        let number = |row: rusqlite::Result<i64>| row.map(i64::unsigned_abs).map_err(reading);
        rows.map(number).collect()
    }
}

fn reading(error: rusqlite::Error) -> Fault {
    Fault::Other(format!("reading what is there after the kill: SQLite says: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::durability::client_process::{commit_until_killed, make_table};
    use crate::workload::db::durability::ledger::RoundNumbers;

    #[test]
    fn numbers_are_taken_whole_and_a_reason_ends_them() {
        let mut told = Told::default();
        told.bytes.extend(7u64.to_le_bytes());
        told.bytes.extend(&9u64.to_le_bytes()[..3]);
        told.take().unwrap();
        assert_eq!((told.numbers.as_slice(), told.bytes.len()), (&[7][..], 3));
        told.bytes.extend(&9u64.to_le_bytes()[3..]);
        told.bytes.extend(REASON.to_le_bytes());
        told.bytes.extend(b"no room");
        assert_eq!(told.take().unwrap_err().to_string(), "no room");
        assert_eq!(told.numbers, [7, 9]);
    }

    /// Without a kill: in threads of this process, until nobody listens.
    #[test]
    fn what_is_acknowledged_is_in_the_file() {
        let place = tempfile::tempdir_in(".").unwrap();
        let path = place.path().join("data.db");
        let options = SqliteOptions {
            journal_mode: "wal".to_owned(),
            synchronous: "off".to_owned(),
            cache_bytes: 1 << 20,
            timeout: Duration::from_secs(9),
            reads_only: false,
        };
        drop(make_table(&path, &options).unwrap());
        let numbers = RoundNumbers { first: 10, clients: 3 };
        let request = CommitRequest::new(path.clone(), &options, numbers);
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let clients = std::thread::spawn(move || commit_until_killed(theirs).unwrap());
        ours.write_all(format!("{}\n", serde_json::to_string(&request).unwrap()).as_bytes()).unwrap();
        let mut told = Told::default();
        let mut room = [0; 64];
        while told.numbers.len() < 40 {
            let got = ours.read(&mut room).unwrap();
            assert!(got > 0);
            told.bytes.extend_from_slice(&room[..got]);
            told.take().unwrap();
        }
        drop(ours);
        clients.join().unwrap();
        let mut target = SqliteTarget { path, options };
        assert!(target.recover(&TrialLife::default()).unwrap() > Duration::ZERO);
        let there = target.rows().unwrap();
        assert!(told.numbers.iter().all(|number| there.contains(number)), "{told:?} {there:?}");
        assert!(there.iter().all(|number| *number >= 10));
    }
}
