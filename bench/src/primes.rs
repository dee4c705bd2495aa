//! `cpu.primes` against sysbench's cpu test: the same divisions, so the same
//! events per second. One thread runs on the same CPU on both sides; with as
//! many threads as CPUs there is nothing to place.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

const FIGURES: &[Figure] =
    &[Figure { what: "primes to 10,000, events/s", unit: "1/s", goal: Goal::Within(0.97, 1.03) }];

const NEEDS: &[&str] = &["sysbench", "taskset"];

/// One thread.
pub(crate) const ONE: Benchmark = Benchmark {
    name: "primes-1",
    peer: "sysbench",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| Ok(Box::new(Primes { threads: 1, cpu: Some(place::last()?) })),
};

/// A thread for each CPU.
pub(crate) const ALL: Benchmark = Benchmark {
    name: "primes-all",
    peer: "sysbench",
    needs: NEEDS,
    figures: FIGURES,
    prepare: |_| Ok(Box::new(Primes { threads: place::allowed()?.len(), cpu: None })),
};

struct Primes {
    threads: usize,
    cpu: Option<u32>,
}

impl Sides for Primes {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let threads = self.threads.to_string();
        let metrics = context.headroom(self.cpu, &["cpu.primes", "--threads", &threads], seed)?;
        Ok(vec![metrics.get("events_per_second")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (threads, time) = (format!("--threads={}", self.threads), format!("--time={}", context.seconds));
        let text = context.output(self.cpu, "sysbench", &["cpu", &threads, &time, "run"])?;
        let missing = || Error::Bench(format!("sysbench tells no events per second:\n{text}"));
        Ok(vec![events_per_second(&text).ok_or_else(missing)?])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "sysbench", &["--version"])?.trim().to_owned())
    }
}

fn events_per_second(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.trim().strip_prefix("events per second:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read_from_a_real_answer() {
        // By sysbench 1.0.20, shortened.
        let text = "Number of threads: 1\n\nPrime numbers limit: 10000\n\nCPU speed:\n    \
                    events per second:  4411.58\n\nGeneral statistics:\n    \
                    total time:                          1.0002s\n    \
                    total number of events:              4415\n";
        assert_eq!(events_per_second(text), Some(4411.58));
        assert_eq!(events_per_second("FATAL: no such option"), None);
    }
}
