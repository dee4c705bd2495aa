//! `memory.blocks` against sysbench's memory test: the same instructions on the
//! same block, operations per second.
//!
//! Of a block of 1 KiB most of the time is what each side does around it.
//! sysbench reads the clock twice for an event, takes a logarithm for its
//! histogram and locks its timer; Headroom reads the clock once. So the goal is
//! met only where the block is large beside that: the lines with 1 MiB show that
//! the loops are the same, those with 1 and 16 KiB what an event costs.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

/// A block whose passes hide what is done around them.
const LARGE: &[Figure] =
    &[Figure { what: "passes over the block/s", unit: "1/s", goal: Goal::Within(0.97, 1.03) }];

/// A block whose passes do not: ours costs no more around it.
const SMALL: &[Figure] =
    &[Figure { what: "passes over the block/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) }];

const fn benchmark<const WRITE: bool, const KIB: u32, const THREADS: usize>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "sysbench",
        needs: &["sysbench", "taskset"],
        figures: if KIB >= 1024 { LARGE } else { SMALL },
        prepare: |_| {
            let operation = if WRITE { "write" } else { "read" };
            let cpu = if THREADS == 1 { Some(place::last()?) } else { None };
            Ok(Box::new(Blocks { operation, kib: KIB, threads: THREADS, cpu }))
        },
    }
}

/// Reading 1 KiB, 1 thread.
pub(crate) const READ_1K_1: Benchmark = benchmark::<false, 1, 1>("memory-blocks-read-1k-1");
/// Reading 1 KiB, 2 threads.
pub(crate) const READ_1K_2: Benchmark = benchmark::<false, 1, 2>("memory-blocks-read-1k-2");
/// Reading 16 KiB, 1 thread.
pub(crate) const READ_16K_1: Benchmark = benchmark::<false, 16, 1>("memory-blocks-read-16k-1");
/// Reading 16 KiB, 2 threads.
pub(crate) const READ_16K_2: Benchmark = benchmark::<false, 16, 2>("memory-blocks-read-16k-2");
/// Reading 1 MiB, 1 thread.
pub(crate) const READ_1M_1: Benchmark = benchmark::<false, 1024, 1>("memory-blocks-read-1m-1");
/// Writing 1 KiB, 1 thread.
pub(crate) const WRITE_1K_1: Benchmark = benchmark::<true, 1, 1>("memory-blocks-write-1k-1");
/// Writing 1 KiB, 2 threads.
pub(crate) const WRITE_1K_2: Benchmark = benchmark::<true, 1, 2>("memory-blocks-write-1k-2");
/// Writing 16 KiB, 1 thread.
pub(crate) const WRITE_16K_1: Benchmark = benchmark::<true, 16, 1>("memory-blocks-write-16k-1");
/// Writing 16 KiB, 2 threads.
pub(crate) const WRITE_16K_2: Benchmark = benchmark::<true, 16, 2>("memory-blocks-write-16k-2");
/// Writing 1 MiB, 1 thread.
pub(crate) const WRITE_1M_1: Benchmark = benchmark::<true, 1024, 1>("memory-blocks-write-1m-1");

struct Blocks {
    operation: &'static str,
    kib: u32,
    threads: usize,
    cpu: Option<u32>,
}

impl Sides for Blocks {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let (threads, block) = (self.threads.to_string(), format!("{}KiB", self.kib));
        // For each thread a block of its own, on either side: two threads that
        // write one block measure how its lines go to and fro, which differs
        // from run to run.
        let words =
            ["memory.blocks", "--operation", self.operation, "--block-size", &block, "--scope", "local"];
        let metrics = context.headroom(self.cpu, &[&words[..], &["--threads", &threads]].concat(), seed)?;
        Ok(vec![metrics.get("operations_per_second")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let text = context.output(
            self.cpu,
            "sysbench",
            &[
                "memory",
                &format!("--threads={}", self.threads),
                &format!("--time={}", context.seconds),
                &format!("--memory-block-size={}K", self.kib),
                &format!("--memory-oper={}", self.operation),
                "--memory-scope=local",
                "--memory-total-size=1000T",
                "run",
            ],
        )?;
        let missing = || Error::Bench(format!("sysbench tells no operations per second:\n{text}"));
        Ok(vec![operations_per_second(&text).ok_or_else(missing)?])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "sysbench", &["--version"])?.trim().to_owned())
    }
}

/// `Total operations: 458418 (450726.18 per second)`.
fn operations_per_second(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Total operations:"))?;
    line.split_once('(')?.1.split_once(" per second")?.0.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read_from_a_real_answer() {
        // By sysbench 1.0.20, shortened.
        let text = "Running memory speed test with the following options:\n  block size: 16KiB\n\n\
                    Total operations: 458418 (450726.18 per second)\n\n\
                    7162.78 MiB transferred (7042.60 MiB/sec)\n";
        assert_eq!(operations_per_second(text), Some(450_726.18));
        assert_eq!(operations_per_second("FATAL: Invalid value"), None);
    }
}
