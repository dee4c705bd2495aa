//! `disk` against fio, and against a bare loop: random reads of 4 KiB around the
//! page cache, from one file on this disk and from a zram device, which is as
//! fast as memory, so that the tool's own cost shows.
//!
//! Both are told the same: how many are in flight, to hand over at most 8 at
//! once and to wait for one completion (fio by default hands over one at a time,
//! which alone changes its rate by a tenth), the same CPU, the same warm-up.
//! fio keeps its histograms, for ours cannot be turned off. Of
//! the CPU time the sum is exact, but its user part is sampled by a tick of
//! mostly 4 ms: where a run spends some milliseconds in user mode, a pair's
//! ratio is coarse, and its interval says so. Longer runs help.

use std::fs::File;
use std::path::PathBuf;

use crate::context::{BenchContext, WARM_UP_MS};
use crate::judge::{Figure, Goal};
use crate::zram::Zram;
use crate::{Benchmark, Sides, example, fio, place, random_file};
use xtask::Error;

const MIB: u64 = 1 << 20;

/// What both sides read of a disk.
const FILE_BYTES: u64 = 512 * MIB;

/// What must be free, so that nothing else here runs out of room.
const FREE_BYTES: u64 = 2 * FILE_BYTES;

const FIGURES: &[Figure] = &[
    Figure { what: "4k random reads/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "user CPU per read (sampled)", unit: "s", goal: Goal::HighAtMost(0.5) },
    Figure { what: "p99 from handed over to seen", unit: "s", goal: Goal::Within(0.9, 1.1) },
    Figure { what: "p99 from due to seen", unit: "s", goal: Goal::Within(0.9, 1.1) },
    Figure { what: "user and kernel CPU per read", unit: "s", goal: Goal::None },
];

const BARE_FIGURES: &[Figure] = &[
    Figure { what: "4k random reads/s", unit: "1/s", goal: Goal::LowAtLeast(0.98) },
    Figure { what: "user and kernel CPU per read", unit: "s", goal: Goal::None },
];

/// A benchmark against fio: its name, what is read, by which engine, how many
/// at once, in how many threads.
macro_rules! against_fio {
    ($constant:ident, $name:literal, $on:ident, $engine:ident, $depth:literal, $threads:literal) => {
        pub(crate) const $constant: Benchmark = Benchmark {
            name: $name,
            peer: "fio",
            needs: &["fio", "taskset"],
            figures: FIGURES,
            prepare: |context| {
                let work = Work { engine: Engine::$engine, depth: $depth, threads: $threads };
                Ok(Box::new(Reads { work, on: Target::new(context, On::$on, $threads)? }))
            },
        };
    };
}

/// One against the bare loop, by io_uring in one thread.
macro_rules! against_bare {
    ($constant:ident, $name:literal, $on:ident, $depth:literal) => {
        pub(crate) const $constant: Benchmark = Benchmark {
            name: $name,
            peer: "bare loop",
            needs: &["taskset"],
            figures: BARE_FIGURES,
            prepare: |context| {
                let work = Work { engine: Engine::Uring, depth: $depth, threads: 1 };
                let reads = Reads { work, on: Target::new(context, On::$on, 1)? };
                // This program itself is not optimised.
                let program = example::build(context, "load", "bare_ring")?;
                Ok(Box::new(Bare { reads, program }))
            },
        };
    };
}

against_fio!(DISK_URING_1, "disk-uring-1", Disk, Uring, 1, 1);
against_fio!(DISK_URING_32, "disk-uring-32", Disk, Uring, 32, 1);
against_fio!(DISK_URING_4X32, "disk-uring-4x32", Disk, Uring, 32, 4);
against_fio!(DISK_AIO_1, "disk-aio-1", Disk, Aio, 1, 1);
against_fio!(DISK_AIO_32, "disk-aio-32", Disk, Aio, 32, 1);
against_fio!(DISK_AIO_4X32, "disk-aio-4x32", Disk, Aio, 32, 4);
against_fio!(DISK_SYNC_1, "disk-sync-1", Disk, Sync, 1, 1);
against_fio!(DISK_SYNC_4, "disk-sync-4x1", Disk, Sync, 1, 4);
against_fio!(ZRAM_URING_1, "zram-uring-1", Zram, Uring, 1, 1);
against_fio!(ZRAM_URING_32, "zram-uring-32", Zram, Uring, 32, 1);
against_fio!(ZRAM_URING_4X32, "zram-uring-4x32", Zram, Uring, 32, 4);
against_fio!(ZRAM_AIO_1, "zram-aio-1", Zram, Aio, 1, 1);
against_fio!(ZRAM_AIO_32, "zram-aio-32", Zram, Aio, 32, 1);
against_fio!(ZRAM_AIO_4X32, "zram-aio-4x32", Zram, Aio, 32, 4);
against_fio!(ZRAM_SYNC_1, "zram-sync-1", Zram, Sync, 1, 1);
against_fio!(ZRAM_SYNC_4, "zram-sync-4x1", Zram, Sync, 1, 4);
against_bare!(DISK_BARE_1, "disk-bare-1", Disk, 1);
against_bare!(DISK_BARE_32, "disk-bare-32", Disk, 32);
against_bare!(ZRAM_BARE_1, "zram-bare-1", Zram, 1);
against_bare!(ZRAM_BARE_32, "zram-bare-32", Zram, 32);

#[derive(Clone, Copy)]
enum On {
    Disk,
    Zram,
}

#[derive(Clone, Copy)]
enum Engine {
    Uring,
    Aio,
    Sync,
}

/// How it is read.
#[derive(Clone, Copy)]
struct Work {
    engine: Engine,
    depth: u16,
    threads: u16,
}

impl Work {
    fn of_ours(self) -> Vec<String> {
        let engine = match self.engine {
            Engine::Uring => "io_uring",
            Engine::Aio => "aio",
            Engine::Sync => "sync",
        };
        let words = ["--queue-depth", &self.depth.to_string(), "--threads", &self.threads.to_string()];
        [&["--engine", engine][..], &words].concat().into_iter().map(str::to_owned).collect()
    }

    fn of_fio(self) -> Vec<String> {
        let engine: &[&str] = match self.engine {
            Engine::Uring => {
                &["--ioengine=io_uring", "--fixedbufs=1", "--registerfiles=1", "--nonvectored=1"]
            }
            Engine::Aio => &["--ioengine=libaio"],
            Engine::Sync => &["--ioengine=psync"],
        };
        let mut words: Vec<String> = engine.iter().map(|word| (*word).to_owned()).collect();
        if !matches!(self.engine, Engine::Sync) {
            words.extend(queue_of_fio(self.depth));
        }
        if self.threads > 1 {
            words.extend([format!("--numjobs={}", self.threads), "--thread".to_owned()]);
            words.push("--group_reporting".to_owned());
        }
        words
    }
}

/// How fio hands over and waits, as ours does by default.
pub(crate) fn queue_of_fio(depth: u16) -> [String; 4] {
    [
        format!("--iodepth={depth}"),
        format!("--iodepth_batch_submit={}", depth.min(8)),
        "--iodepth_batch_complete_min=1".to_owned(),
        format!("--iodepth_batch_complete_max={depth}"),
    ]
}

/// By io_uring, with files and buffers registered, one thread.
pub(crate) fn ring_of_fio(depth: u16) -> Vec<String> {
    Work { engine: Engine::Uring, depth, threads: 1 }.of_fio()
}

/// What is read, and where.
struct Target {
    path: String,
    /// The one that takes the disk's interrupts; absent for several threads,
    /// which both sides leave to the scheduler.
    cpu: Option<u32>,
    /// Goes with it.
    _zram: Option<Zram>,
}

impl Target {
    fn new(context: &BenchContext, on: On, threads: u16) -> Result<Self, Error> {
        let (path, cpu, zram) = match on {
            On::Disk => {
                let file = file(context)?;
                let cpu = place::of_disk_under(&file)?;
                (file, cpu, None)
            }
            On::Zram => {
                let zram = Zram::filled(context)?;
                (zram.path.clone(), place::last()?, Some(zram))
            }
        };
        let cpu = (threads == 1).then_some(cpu);
        Ok(Self { path: path.to_string_lossy().into_owned(), cpu, _zram: zram })
    }
}

struct Reads {
    work: Work,
    on: Target,
}

impl Reads {
    /// Reads per second, user CPU, both p99, all CPU.
    fn by_headroom(&self, context: &BenchContext, seed: u64) -> Result<[f64; 5], Error> {
        let work = self.work.of_ours();
        let common = ["disk", "--target", &self.on.path, "--pattern", "randread", "--block-size", "4k"];
        let words: Vec<&str> = common.into_iter().chain(work.iter().map(String::as_str)).collect();
        let metrics = context.headroom(self.on.cpu, &words, seed)?;
        let iops = metrics.get("iops")?;
        let least_user_s = fio::HALF_A_TICK_S / (iops * f64::from(context.seconds));
        let user_s = metrics.get("user_cpu_per_operation")?.max(least_user_s);
        let total_s = metrics.get("latency_p99")?;
        // Of a call that waits, the kernel's part is the call: all but our own.
        let device_s = match self.work.engine {
            Engine::Sync => total_s,
            Engine::Uring | Engine::Aio => metrics.get("device_latency_p99")?,
        };
        Ok([iops, user_s, device_s, total_s, metrics.get("cpu_per_operation")?])
    }
}

impl Sides for Reads {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        Ok(self.by_headroom(context, seed)?.to_vec())
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let file = format!("--filename={}", self.on.path);
        let work = self.work.of_fio();
        let words = work.iter().map(String::as_str).chain([file.as_str(), "--direct=1"]);
        let reads = fio::run(context, self.on.cpu, &words.collect::<Vec<_>>())?;
        let (Some(device_s), Some(total_s)) = (reads.handed_p99_s, reads.total_p99_s) else {
            return Err(Error::Bench("the answer of fio lacks a percentile".to_owned()));
        };
        Ok(vec![reads.iops, reads.user_s, device_s, total_s, reads.cpu_s])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        fio::version(context)
    }
}

/// The same reads by a loop that measures nothing.
struct Bare {
    reads: Reads,
    program: PathBuf,
}

impl Sides for Bare {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let [iops, .., cpu_s] = self.reads.by_headroom(context, seed)?;
        Ok(vec![iops, cpu_s])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (depth, window) =
            (self.reads.work.depth.to_string(), (u32::from(context.seconds) * 1000).to_string());
        let words = [self.reads.on.path.as_str(), &depth, &WARM_UP_MS.to_string(), &window];
        let text = context.output(self.reads.on.cpu, &self.program.to_string_lossy(), &words)?;
        let figures: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        figures.filter(|f| f.len() == 2).ok_or_else(|| Error::Bench(format!("no figures: `{text}`")))
    }

    fn version(&self, _: &BenchContext) -> Result<String, Error> {
        Ok("crates/load/examples/bare_ring.rs".to_owned())
    }
}

/// The file that is read: made by the first benchmark that reads it, kept for the
/// others, gone with the scratch folder.
pub(crate) fn file(context: &BenchContext) -> Result<PathBuf, Error> {
    let path = context.scratch("random");
    if !path.exists() {
        let file = File::create(&path).map_err(Error::file("make", &path))?;
        random_file::require_room(&file, &path, FREE_BYTES)?;
        random_file::fill_uncached(context, &path, FILE_BYTES)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submission_and_completion_are_asked_of_fio_as_ours_are() {
        let words = |engine, depth, threads| Work { engine, depth, threads }.of_fio().join(" ");
        assert_eq!(
            words(Engine::Uring, 32, 1),
            "--ioengine=io_uring --fixedbufs=1 --registerfiles=1 --nonvectored=1 --iodepth=32 \
             --iodepth_batch_submit=8 --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32"
        );
        assert_eq!(
            words(Engine::Aio, 1, 1),
            "--ioengine=libaio --iodepth=1 --iodepth_batch_submit=1 --iodepth_batch_complete_min=1 \
             --iodepth_batch_complete_max=1"
        );
        assert_eq!(words(Engine::Sync, 1, 4), "--ioengine=psync --numjobs=4 --thread --group_reporting");
        let ours = Work { engine: Engine::Aio, depth: 32, threads: 4 }.of_ours().join(" ");
        assert_eq!(ours, "--engine aio --queue-depth 32 --threads 4");
    }
}
