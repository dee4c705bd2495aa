//! `memory.bandwidth` against mbw: copying 256 MiB, each copied byte counted
//! once. mbw copies by memcpy (`-t0`) and by a loop over longs (`-t1`); in each
//! pair the better one counts, which favours it a little.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

/// The benchmark.
pub(crate) const MBW: Benchmark = Benchmark {
    name: "memory-copy-mbw",
    peer: "mbw",
    needs: &["mbw", "taskset"],
    figures: &[Figure { what: "bytes copied/s, mbw's better way", unit: "B/s", goal: Goal::LowAtLeast(1.0) }],
    prepare: |context| {
        let cpu = place::last()?;
        let rate = |method| mbw(context, cpu, method, 3);
        let runs = |rate: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let runs = (f64::from(context.seconds) * rate / ARRAY_BYTES).clamp(3.0, 10_000.0) as u32;
            runs
        };
        let methods = [("-t0", runs(rate("-t0")?)), ("-t1", runs(rate("-t1")?))];
        Ok(Box::new(Copy { cpu, methods }))
    },
};

const MIB: f64 = 1024.0 * 1024.0;
const ARRAY_BYTES: f64 = 256.0 * MIB;

struct Copy {
    cpu: u32,
    /// mbw's methods, and how many runs of each take the time asked for.
    methods: [(&'static str, u32); 2],
}

impl Sides for Copy {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        Ok(vec![ours(context, self.cpu, seed)?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let mut best: f64 = 0.0;
        for (method, runs) in self.methods {
            best = best.max(mbw(context, self.cpu, method, runs)?);
        }
        Ok(vec![best])
    }

    /// mbw does not know its own.
    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let package = context.output(None, "dpkg-query", &["--show", "--showformat=${Version}", "mbw"]);
        match package {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            package => Ok(format!("mbw {}", package.unwrap_or_default().trim()).trim().to_owned()),
        }
    }
}

/// Bytes that Headroom copies per second between two arrays of 256 MiB.
pub(crate) fn ours(context: &BenchContext, cpu: u32, seed: u64) -> Result<f64, Error> {
    let words = ["memory.bandwidth", "--operation", "copy", "--size", "512MiB", "--threads", "1"];
    context.headroom(Some(cpu), &words, seed)?.get("throughput_copied_once")
}

/// Bytes that mbw copies per second.
fn mbw(context: &BenchContext, cpu: u32, method: &str, runs: u32) -> Result<f64, Error> {
    let text = context.output(Some(cpu), "mbw", &["-q", "-n", &runs.to_string(), method, "256"])?;
    average(&text).ok_or_else(|| Error::Bench(format!("mbw {method} tells no average:\n{text}")))
}

/// The average of an answer with one method, in bytes per second.
fn average(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("AVG"))?;
    let rate = line.split("Copy:").nth(1)?.trim().strip_suffix("MiB/s")?;
    rate.trim().parse::<f64>().ok().map(|rate| rate * MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_is_read_from_a_real_answer() {
        // By mbw 1.2.2.
        let text = "0\tMethod: DUMB\tElapsed: 0.02237\tMiB: 256.00000\tCopy: 11442.364 MiB/s\n\
                    1\tMethod: DUMB\tElapsed: 0.02196\tMiB: 256.00000\tCopy: 11657.559 MiB/s\n\
                    AVG\tMethod: DUMB\tElapsed: 0.02236\tMiB: 256.00000\tCopy: 11446.457 MiB/s\n";
        assert_eq!(average(text), Some(11_446.457 * 1_048_576.0));
        let without_average = text.lines().next().unwrap();
        assert_eq!(average(without_average), None);
    }
}
