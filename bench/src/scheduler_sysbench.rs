//! `scheduler.threads` and `scheduler.mutex` against sysbench's tests of the
//! same names: the same work, so the same figures. One thread runs on the same
//! CPU on both sides; two are placed by nobody.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

const EVENTS: &[Figure] =
    &[Figure { what: "lock, yield, unlock, events/s", unit: "1/s", goal: Goal::Within(0.97, 1.03) }];

const TIME: &[Figure] =
    &[Figure { what: "50,000 mutexes a thread, total time", unit: "s", goal: Goal::Within(0.97, 1.03) }];

const NEEDS: &[&str] = &["sysbench", "taskset"];

/// Locks and yields, one thread.
pub(crate) const THREADS_1: Benchmark = Benchmark {
    name: "scheduler-threads-1",
    peer: "sysbench",
    needs: NEEDS,
    figures: EVENTS,
    prepare: |_| Ok(Box::new(Threads { threads: 1, cpu: Some(place::last()?) })),
};

/// Locks and yields, two threads.
pub(crate) const THREADS_2: Benchmark = Benchmark {
    name: "scheduler-threads-2",
    prepare: |_| Ok(Box::new(Threads { threads: 2, cpu: None })),
    ..THREADS_1
};

/// Counting and mutexes, one thread.
pub(crate) const MUTEX_1: Benchmark = Benchmark {
    name: "scheduler-mutex-1",
    peer: "sysbench",
    needs: NEEDS,
    figures: TIME,
    prepare: |_| Ok(Box::new(Mutex { threads: 1, cpu: Some(place::last()?) })),
};

/// Counting and mutexes, two threads.
pub(crate) const MUTEX_2: Benchmark = Benchmark {
    name: "scheduler-mutex-2",
    prepare: |_| Ok(Box::new(Mutex { threads: 2, cpu: None })),
    ..MUTEX_1
};

struct Threads {
    threads: u32,
    cpu: Option<u32>,
}

impl Sides for Threads {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let threads = self.threads.to_string();
        let metrics = context.headroom(self.cpu, &["scheduler.threads", "--threads", &threads], seed)?;
        Ok(vec![metrics.get("events_per_second")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (threads, time) = (format!("--threads={}", self.threads), format!("--time={}", context.seconds));
        let text = context.output(self.cpu, "sysbench", &["threads", &threads, &time, "run"])?;
        let missing = || Error::Bench(format!("sysbench tells no events or no time:\n{text}"));
        let told = SysbenchOutput::read(&text).ok_or_else(missing)?;
        Ok(vec![told.events / told.seconds])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        version(context)
    }
}

/// sysbench does one event a thread, which takes 0.15 s; so that a run is as
/// long as others, each side does that several times, and its shortest counts:
/// what else the machine does only ever makes one longer.
struct Mutex {
    threads: u32,
    cpu: Option<u32>,
}

const TIMES: u32 = 5;

impl Sides for Mutex {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let threads = self.threads.to_string();
        let words = ["scheduler.mutex", "--threads", &threads, "--requests", &threads];
        let runs = (0..u64::from(TIMES)).map(|run| {
            let metrics = context.headroom_by_count(self.cpu, &words, seed + run)?;
            metrics.get("elapsed")
        });
        shortest(runs)
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let threads = format!("--threads={}", self.threads);
        let runs = (0..TIMES).map(|_| {
            let text = context.output(self.cpu, "sysbench", &["mutex", &threads, "run"])?;
            let missing = || Error::Bench(format!("sysbench tells no time:\n{text}"));
            Ok(SysbenchOutput::read(&text).ok_or_else(missing)?.seconds)
        });
        shortest(runs)
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        version(context)
    }
}

fn shortest(runs: impl Iterator<Item = Result<f64, Error>>) -> Result<Vec<f64>, Error> {
    let all = runs.collect::<Result<Vec<f64>, Error>>()?;
    Ok(vec![all.into_iter().fold(f64::INFINITY, f64::min)])
}

fn version(context: &BenchContext) -> Result<String, Error> {
    Ok(context.output(None, "sysbench", &["--version"])?.trim().to_owned())
}

/// What sysbench tells of any test.
#[derive(Debug, PartialEq)]
struct SysbenchOutput {
    events: f64,
    seconds: f64,
}

impl SysbenchOutput {
    fn read(text: &str) -> Option<Self> {
        let after =
            |label: &str| text.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim);
        Some(Self {
            events: after("total number of events:")?.parse().ok()?,
            seconds: after("total time:")?.strip_suffix('s')?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_time_are_read_from_a_real_answer() {
        // By sysbench 1.0.20, shortened.
        let text = "General statistics:\n    total time:                          2.0003s\n    \
                    total number of events:              9854\n\nLatency (ms):\n";
        assert_eq!(SysbenchOutput::read(text), Some(SysbenchOutput { events: 9854.0, seconds: 2.0003 }));
        assert_eq!(SysbenchOutput::read("FATAL: no such option"), None);
    }

    #[test]
    fn the_shortest_run_counts() {
        let runs = || [0.2, 0.1, 0.3].into_iter().map(Ok);
        assert_eq!(shortest(runs()).unwrap(), [0.1]);
    }
}
