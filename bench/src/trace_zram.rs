//! `headroom trace` against trace-cmd where the CPU is the limit: two jobs of fio read 4 KiB at a
//! time from a zram device, one call after the other, and take all of both CPUs of a small machine. A read
//! has two events there, queued and completed. Whatever reads the events takes its time from the reads.
//!
//! `trace-lost-` is what share of the events was lost, by the kernel's counts: overwritten or dropped
//! for want of room, or left unread. `trace-cost-` is what an event costs:
//!
//! ```text
//! (jobs / reads/s traced - jobs / reads/s untraced) / (events / reads)
//! ```
//!
//! jobs / reads/s is the time that a job has for a read. Each side has an untraced run of its own,
//! just before the traced one. Events that are lost count, for the kernel has made them; their share stands
//! beside the cost, for what is lost need not be read. Both tracers have 16 MiB for each CPU, and read
//! after the end what is in there. What they do with it then is not in the figure: trace-cmd makes one file of
//! its parts, ours has analysed nearly all by then.

use crate::context::BenchContext;
use crate::fio::Reads;
use crate::judge::{Figure, Goal};
use crate::trace_counts::TraceCounts;
use crate::tracer::Tracer;
use crate::zram::Zram;
use crate::{Benchmark, Sides, fio, trace_cmd};
use xtask::Error;

const TRACED_READS: Figure = Figure { what: "4k random reads/s while traced", unit: "1/s", goal: Goal::None };

/// As many as there can be.
pub(crate) const LOST: Benchmark = Benchmark {
    name: "trace-lost-zram",
    peer: "trace-cmd",
    needs: &["fio", "unshare", "trace-cmd"],
    figures: &[
        Figure { what: "share of events lost, worst run", unit: "1", goal: Goal::OursNeverAbove(0.0) },
        TRACED_READS,
    ],
    prepare: |context| Ok(Box::new(Lost(ZramReads::new(context, None)?))),
};

/// 300,000 a second.
pub(crate) const LOST_300K: Benchmark = Benchmark {
    name: "trace-lost-zram-300k",
    prepare: |context| Ok(Box::new(Lost(ZramReads::new(context, Some(300_000 / JOBS))?))),
    ..LOST
};

/// What an event costs.
pub(crate) const COST: Benchmark = Benchmark {
    name: "trace-cost-zram",
    figures: &[
        Figure { what: "time that tracing adds per event", unit: "s", goal: Goal::HighAtMost(1.0) },
        TRACED_READS,
        Figure { what: "share of events lost", unit: "1", goal: Goal::None },
    ],
    prepare: |context| Ok(Box::new(Cost(ZramReads::new(context, None)?))),
    ..LOST
};

/// Of fio.
const JOBS: u32 = 2;

/// What is traced.
struct ZramReads {
    zram: Zram,
    /// Reads per second of each job; as many as there can be where absent.
    rate: Option<u32>,
}

/// A run under a tracer.
struct TracedReads {
    reads: Reads,
    counts: TraceCounts,
}

impl ZramReads {
    fn new(context: &BenchContext, rate: Option<u32>) -> Result<Self, Error> {
        Ok(Self { zram: Zram::filled(context)?, rate })
    }

    /// One run: without a ramp time, whose reads fio does not count, though they have events.
    fn run(&self, context: &BenchContext) -> Result<Reads, Error> {
        let file = format!("--filename={}", self.zram.path.display());
        let jobs = format!("--numjobs={JOBS}");
        let rate = self.rate.map(|rate| format!("--rate_iops={rate}"));
        let what = ["--ioengine=psync", "--direct=1", "--ramp_time=0", "--thread", "--group_reporting"];
        let mut words = [&what[..], &[file.as_str(), jobs.as_str()]].concat();
        words.extend(rate.as_deref());
        fio::run(context, None, &words)
    }

    fn traced(&self, context: &BenchContext, tracer: Tracer) -> Result<TracedReads, Error> {
        let (reads, counts) = tracer.around(context, &self.zram.path, || self.run(context))?;
        counts.require(reads.count)?;
        Ok(TracedReads { reads, counts })
    }
}

struct Lost(ZramReads);

impl Lost {
    fn figures(&self, context: &BenchContext, tracer: Tracer) -> Result<Vec<f64>, Error> {
        let traced = self.0.traced(context, tracer)?;
        Ok(vec![traced.counts.lost_share(), traced.reads.iops])
    }
}

impl Sides for Lost {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        self.figures(context, Tracer::Headroom)
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        self.figures(context, Tracer::TraceCmd)
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        version(context)
    }
}

struct Cost(ZramReads);

impl Cost {
    fn figures(&self, context: &BenchContext, tracer: Tracer) -> Result<Vec<f64>, Error> {
        let untraced = self.0.run(context)?;
        let traced = self.0.traced(context, tracer)?;
        let added_s = added_s(untraced.iops, &traced);
        Ok(vec![added_s, traced.reads.iops, traced.counts.lost_share()])
    }
}

impl Sides for Cost {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        self.figures(context, Tracer::Headroom)
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        self.figures(context, Tracer::TraceCmd)
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        version(context)
    }
}

/// Seconds by which tracing makes a read longer, for each of its events.
fn added_s(untraced_iops: f64, traced: &TracedReads) -> f64 {
    let read_s = |iops: f64| f64::from(JOBS) / iops;
    let events = traced.counts.all() / traced.reads.count;
    (read_s(traced.reads.iops) - read_s(untraced_iops)) / events
}

fn version(context: &BenchContext) -> Result<String, Error> {
    Ok(format!("{}, {}", trace_cmd::version(context)?, fio::version(context)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_event_adds_is_the_longer_read_over_its_events() {
        let reads = Reads {
            iops: 500_000.0,
            count: 1e6,
            user_s: 0.0,
            cpu_s: 0.0,
            handed_p99_s: None,
            total_p99_s: None,
        };
        let traced = TracedReads { reads, counts: TraceCounts { read: 1_500_000, lost: 500_000 } };
        // 4 us instead of 2, by two events.
        assert!((added_s(1e6, &traced) - 1e-6).abs() < 1e-12);
        // Where nothing is added, nothing is told.
        assert_eq!(added_s(500_000.0, &traced), 0.0);
    }
}
