//! `disk.replay` of an iolog of fio: random reads of 4 KiB from a zram device, which is as fast as
//! memory, so that the tool's own cost shows.
//!
//! As fast as possible (`replay-zram-`) the peer is fio's replay of the same log, told the same as in
//! [`crate::disk`]: 32 in flight, to hand over at most 8 at once and to wait for one completion, the same CPU. Files
//! and buffers are registered with the ring on neither side: fio refuses that for a log. The log names
//! the device itself, so nobody has to redirect it. Neither side warms up, for a log has a beginning and an
//! end; reading it is in neither figure.
//!
//! At the recorded times (`replay-timed`) the peer is the recording itself: 20,000 reads a second, all
//! of them when they were due.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::context::{BenchContext, Metrics};
use crate::judge::{Figure, Goal};
use crate::zram::Zram;
use crate::{Benchmark, Sides, disk, fio, place, random_file};
use xtask::Error;

/// By aio.
pub(crate) const AIO: Benchmark = Benchmark {
    name: "replay-zram-aio",
    peer: "fio",
    needs: &["fio", "taskset"],
    figures: &[
        Figure { what: "4k random reads/s replayed", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
        Figure { what: "user and kernel CPU per read", unit: "s", goal: Goal::None },
    ],
    prepare: |context| {
        let (ours, fio) = (&["--engine", "aio"], &["--ioengine=libaio"]);
        Ok(Box::new(Fastest { log: ReplayLog::new(context, Times::None)?, ours, fio }))
    },
};

/// By io_uring.
pub(crate) const URING: Benchmark = Benchmark {
    name: "replay-zram-uring",
    prepare: |context| {
        let ours = &["--engine", "io_uring", "--registered", "no"];
        let fio = &["--ioengine=io_uring", "--nonvectored=1"];
        Ok(Box::new(Fastest { log: ReplayLog::new(context, Times::None)?, ours, fio }))
    },
    ..AIO
};

/// When it was recorded.
pub(crate) const TIMED: Benchmark = Benchmark {
    name: "replay-timed",
    peer: "the recording",
    needs: &["taskset"],
    figures: &[
        Figure { what: "4k reads/s replayed as timed", unit: "1/s", goal: Goal::Within(0.99, 1.01) },
        Figure { what: "share of late starts", unit: "1", goal: Goal::None },
    ],
    prepare: |context| Ok(Box::new(Timed { log: ReplayLog::new(context, Times::Recorded)? })),
};

/// Reads for each second that a run is to take, as fast as possible: about so many as are done.
const READS_EACH_S: u64 = 400_000;

/// Reads per second that were recorded, with times.
const RECORDED_IOPS: u64 = 20_000;

/// Bytes of a read.
const BLOCK: u64 = 4096;

const DEPTH: u16 = 32;

/// Whether a log says when its operations began.
#[derive(Clone, Copy)]
enum Times {
    /// An iolog of version 2.
    None,
    /// One of version 3.
    Recorded,
}

/// A log and the device that it is of.
struct ReplayLog {
    path: String,
    zram: Zram,
    cpu: u32,
}

impl ReplayLog {
    fn new(context: &BenchContext, times: Times) -> Result<Self, Error> {
        let zram = random_file::filled_zram(context)?;
        let each_s = match times {
            Times::None => READS_EACH_S,
            Times::Recorded => RECORDED_IOPS,
        };
        let path = context.scratch("replay.iolog");
        let reads = each_s * u64::from(context.seconds);
        let file = File::create(&path).map_err(Error::file("make", &path))?;
        write_log(BufWriter::new(file), &zram.path, times, reads).map_err(Error::file("write", &path))?;
        Ok(Self { path: path.to_string_lossy().into_owned(), zram, cpu: place::last()? })
    }

    /// One run of ours, with these words beside the usual ones.
    fn ours(&self, context: &BenchContext, words: &[&str], seed: u64) -> Result<Metrics, Error> {
        let (target, depth) = (self.zram.path.to_string_lossy(), DEPTH.to_string());
        let what = ["disk.replay", "--replay", &self.path, "--target", &*target, "--queue-depth", &depth];
        let words = [&what[..], &["--warm-up", "0s"], words].concat();
        context.headroom_by_count(Some(self.cpu), &words, seed)
    }
}

/// So many reads of random blocks of the device, the same each time. Times are in microseconds
/// (`utime_since_now` in fio's `iolog.c`).
fn write_log(mut log: impl Write, device: &Path, times: Times, reads: u64) -> io::Result<()> {
    let name = device.display();
    let (version, period_us) = match times {
        Times::None => (2, None),
        Times::Recorded => (3, Some(1_000_000 / RECORDED_IOPS)),
    };
    let time = |number: u64| period_us.map(|us| format!("{} ", number * us)).unwrap_or_default();
    writeln!(log, "fio version {version} iolog")?;
    writeln!(log, "{}{name} add\n{}{name} open", time(0), time(0))?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for number in 0..reads {
        let offset = random.next_u64() % (random_file::ZRAM_BYTES / BLOCK) * BLOCK;
        writeln!(log, "{}{name} read {offset} {BLOCK}", time(number))?;
    }
    writeln!(log, "{}{name} close", time(reads))?;
    log.flush()
}

/// As fast as possible, by these engines.
struct Fastest {
    log: ReplayLog,
    ours: &'static [&'static str],
    fio: &'static [&'static str],
}

impl Sides for Fastest {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let words = [&["--speed", "max"], self.ours].concat();
        let metrics = self.log.ours(context, &words, seed)?;
        Ok(vec![metrics.get("iops")?, metrics.get("cpu_per_operation")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (log, queue) = (format!("--read_iolog={}", self.log.path), disk::queue_of_fio(DEPTH));
        let mut words = [self.fio, &["--direct=1", "--replay_no_stall=1", &log]].concat();
        words.extend(queue.iter().map(String::as_str));
        let reads = fio::run_to_end(context, Some(self.log.cpu), &words)?;
        Ok(vec![reads.iops, reads.cpu_s])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        fio::version(context)
    }
}

/// When each was recorded.
struct Timed {
    log: ReplayLog,
}

impl Sides for Timed {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let metrics = self.log.ours(context, &["--engine", "aio"], seed)?;
        Ok(vec![metrics.get("iops")?, metrics.get("late_share")?])
    }

    fn peer(&self, _: &BenchContext) -> Result<Vec<f64>, Error> {
        Ok(vec![RECORDED_IOPS as f64, 0.0])
    }

    fn version(&self, _: &BenchContext) -> Result<String, Error> {
        Ok(format!("iolog of {RECORDED_IOPS} reads/s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(times: Times, reads: u64) -> Vec<String> {
        let mut text = Vec::new();
        write_log(&mut text, Path::new("/dev/zram9"), times, reads).unwrap();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_log_has_reads_within_the_device_and_is_the_same_each_time() {
        let lines = log(Times::None, 1000);
        assert_eq!(lines[..3], ["fio version 2 iolog", "/dev/zram9 add", "/dev/zram9 open"]);
        assert_eq!((lines.len(), lines[1003].as_str()), (1004, "/dev/zram9 close"));
        for line in &lines[3..1003] {
            let rest = line.strip_prefix("/dev/zram9 read ").unwrap();
            let offset: u64 = rest.strip_suffix(" 4096").unwrap().parse().unwrap();
            assert!(offset.is_multiple_of(BLOCK) && offset + BLOCK <= random_file::ZRAM_BYTES, "{line}");
        }
        assert_eq!(log(Times::None, 1000), lines);
    }

    #[test]
    fn times_are_those_of_the_recorded_rate() {
        let lines = log(Times::Recorded, 20_000);
        assert_eq!(lines[..3], ["fio version 3 iolog", "0 /dev/zram9 add", "0 /dev/zram9 open"]);
        assert!(lines[3].starts_with("0 /dev/zram9 read "), "{}", lines[3]);
        assert!(lines[4].starts_with("50 /dev/zram9 read "), "{}", lines[4]);
        assert_eq!(lines[20_003], "1000000 /dev/zram9 close", "20,000 take a second");
    }
}
