//! Counts SQLite's checkpoints while a load runs, without a connection that could hold them up. When all of the
//! write-ahead log was brought into the database and nobody reads it, the next to write begins the log anew, and
//! its header's first salt is one higher (<https://www.sqlite.org/fileformat2.html#walformat>). SQLite locks the
//! database and its index of the log, and not the log, so that to open and close that takes no lock away.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::{clock, lock};
use model::trial::{Series, Window};
use model::{MetricName, Quantity, SeriesName, Unit};

use crate::workload::db::rate_series;
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// How often it is looked.
const EVERY: Duration = Duration::from_millis(500);

/// Where the first salt stands in the header.
const SALT_AT: u64 = 16;

/// Between two looks there are no more checkpoints than this: the salt was drawn anew by the first who wrote into an
/// empty log.
const BETWEEN_MOST: u32 = 1 << 16;

/// Its rate, as that of servers, and the same over time.
const RATE: MetricName = MetricName::new("server_checkpoints_per_second");
const COURSE: SeriesName = SeriesName::new("server_checkpoints");

/// How many there were until a time.
#[derive(Clone, Copy, Debug)]
struct CheckpointSample {
    at_ns: u64,
    count: u64,
}

impl Timed for CheckpointSample {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// What the salts that were seen come to.
#[derive(Debug, Default)]
struct CheckpointCount {
    salt: Option<u32>,
    count: u64,
}

impl CheckpointCount {
    /// How many there were, now that the log has this salt; without a log there is none.
    fn look(&mut self, salt: Option<u32>) -> u64 {
        let more = salt.zip(self.salt).map_or(0, |(now, before)| now.wrapping_sub(before));
        if more <= BETWEEN_MOST {
            self.count += u64::from(more);
        }
        self.salt = salt.or(self.salt);
        self.count
    }
}

/// The log of a database.
fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// The first salt of a log; none while it has no header.
fn salt(log: &Path) -> Option<u32> {
    let mut bytes = [0; 4];
    File::open(log).ok()?.read_exact_at(&mut bytes, SALT_AT).ok()?;
    Some(u32::from_be_bytes(bytes))
}

/// Counts the checkpoints of a database until it is told to end.
#[derive(Debug)]
pub(in crate::workload) struct CheckpointWatch {
    samples: Arc<SampleCollector<CheckpointSample>>,
    /// The thread that looks, and what ends it when it is dropped.
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl CheckpointWatch {
    /// One of the database in a file. Where no thread can be had, nothing is counted.
    pub(in crate::workload) fn start(database: &Path) -> Self {
        let log = log_of(database);
        let samples: Arc<SampleCollector<CheckpointSample>> = Arc::default();
        let (stop, stopped) = channel();
        let into = Arc::clone(&samples);
        let work = move || {
            let (mut track, mut count) = (WorkerSamples::default(), CheckpointCount::default());
            let mut look = || {
                let count = count.look(salt(&log));
                track.put(CheckpointSample { at_ns: clock::now_ns(), count });
            };
            look();
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                look();
            }
            look();
            into.hand_in(&mut track);
        };
        let thread = std::thread::Builder::new().name("db-checkpoints".to_owned()).spawn(work).ok();
        Self { samples, thread: Mutex::new(thread.map(|thread| (stop, thread))) }
    }

    /// Has it look for the last time, and end.
    pub(in crate::workload) fn finish(&self) {
        let thread = lock(&self.thread).take();
        if let Some((stop, thread)) = thread {
            drop(stop);
            // It has nothing to say.
            let _ = thread.join();
        }
    }

    /// The rate over `window`, once that has ended.
    pub(in crate::workload) fn rate(&self, window: Window) -> Option<(MetricName, Quantity)> {
        let value = self.change(window)? / window.seconds();
        Some((RATE, Quantity { value, unit: Unit::PerSecond }))
    }

    /// The same over time.
    pub(in crate::workload) fn course(&self, window: Window) -> Option<Series> {
        rate_series::of((COURSE, Unit::PerSecond), window, EVERY, |part| self.change(part))
    }

    fn change(&self, window: Window) -> Option<f64> {
        self.samples.change(window, |sample| Some(sample.count as f64))
    }
}

impl Drop for CheckpointWatch {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn each_time_that_the_log_begins_anew_is_one() {
        let place = tempfile::tempdir_in(".").unwrap();
        let path = place.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        let more = "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);";
        connection.execute_batch("PRAGMA journal_mode=wal; CREATE TABLE t (a INTEGER);").unwrap();
        let mut count = CheckpointCount::default();
        assert_eq!(count.look(salt(&log_of(&path))), 0);
        connection.execute_batch(more).unwrap();
        assert_eq!(count.look(salt(&log_of(&path))), 0, "the log goes on");
        for _ in 0..3 {
            connection.execute_batch("PRAGMA wal_checkpoint(RESTART);").unwrap();
            connection.execute_batch(more).unwrap();
        }
        assert_eq!(count.look(salt(&log_of(&path))), 3);
        // One that was emptied has no header until somebody writes.
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
        assert_eq!((salt(&log_of(&path)), count.look(None)), (None, 3));
    }

    #[test]
    fn a_salt_that_was_drawn_anew_is_no_count() {
        let mut count = CheckpointCount::default();
        let looks = [None, Some(u32::MAX), Some(1), Some(0x8000_0000), None, Some(0x8000_0001)];
        assert_eq!(looks.map(|salt| count.look(salt)), [0, 0, 2, 2, 2, 3]);
    }

    #[test]
    fn a_watch_of_what_is_not_there_ends_and_has_counted_nothing() {
        let watch = CheckpointWatch::start(Path::new("no-such-folder/x.db"));
        watch.finish();
        let window = Window { start_ns: 0, end_ns: clock::now_ns() };
        assert_eq!(watch.rate(window).map(|(_, rate)| rate.value), Some(0.0));
    }
}
