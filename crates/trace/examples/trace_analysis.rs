//! How long the analysis of a trace takes, and in how much memory: a peer of blkparse and btt in
//! `docs/performance.md`.
//!
//! `trace_analysis [EVENTS] [FOLDER]` makes so many events (5,000,000 where no number is given) of
//! one disk, of requests of 4 KiB at random places in 512 GiB, one of four a write. Each is queued,
//! allocated, inserted, issued and completed, on one of 4 CPUs. 32 are on their way: every 10 us one
//! of them, at random, is completed, and the next one is queued in its place.
//!
//! With a folder, the events are also written to `FOLDER/trace.blktrace.0` to `.3`, which blkparse and
//! btt read, and analysed once more from there. What is printed are the events, the seconds of the
//! analysis of events in memory, those of reading and analysing the files, and the most memory that
//! this process had, with its share of the load that makes the events (under 1 MiB).
#![allow(clippy::print_stdout, reason = "it speaks to the benchmark")]

use std::fs::File;
use std::io::{BufWriter, Error};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trace::analysis::IoPhase;
use trace::event::{BlockOperation, Flags, IoDirection, TaskName};
use trace::format::RecordWriter;
use trace::format::blktrace::{BlktraceReader, BlktraceWriter};
use trace::{Action, Analysis, AnalysisOptions, BlockEvent, Device, Report, TraceRecord};

const EVENTS: u64 = 5_000_000;
/// Events of each request.
const EVENTS_EACH: u64 = 5;
const CPUS: u32 = 4;
const DEPTH: usize = 32;
const DISK: Device = Device { major: 8, minor: 0 };
/// 4 KiB blocks of the disk.
const BLOCKS: u64 = 1 << 27;
/// The time from one request to the next.
const STEP_NS: u64 = 10_000;
/// What happens to a request in the step in which it is queued, and how much later than the step began.
const BEGINNING: [(Action, u64); 4] =
    [(Action::Queue, 1000), (Action::GetRequest, 1300), (Action::Insert, 1700), (Action::Issue, 2500)];
/// Events that are made before they are analysed.
const AT_ONCE: usize = 4096;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (events, folder) = match words.as_slice() {
        [] => (EVENTS, None),
        [events] => (events.parse::<u64>()?, None),
        [events, folder] => (events.parse::<u64>()?, Some(PathBuf::from(folder))),
        _ => return Err("wanted: [EVENTS] [FOLDER]".into()),
    };
    let requests = (events / EVENTS_EACH).max(1);
    let (report, took) = in_memory(requests);
    check(&report, requests)?;
    println!("events {}", requests * EVENTS_EACH);
    println!("seconds {:.3}", took.as_secs_f64());
    if let Some(folder) = folder {
        let (report, took) = from_files(&written(&folder, requests)?)?;
        check(&report, requests)?;
        println!("seconds_from_files {:.3}", took.as_secs_f64());
    }
    println!("peak_resident_bytes {}", peak_resident_bytes()?);
    Ok(())
}

/// A request that is on its way.
#[derive(Clone, Copy)]
struct Request {
    sector: u64,
    direction: IoDirection,
}

/// Makes the events, in order of time.
struct Load {
    slots: [Option<Request>; DEPTH],
    /// Requests that are still to come.
    left: u64,
    now_ns: u64,
    random: u64,
}

impl Load {
    const fn new(requests: u64) -> Self {
        Self { slots: [None; DEPTH], left: requests, now_ns: 1_000_000_000, random: 1 }
    }

    /// Puts the events of the next steps into `out`, about [`AT_ONCE`]; false where there are none.
    fn fill(&mut self, out: &mut Vec<TraceRecord>) -> bool {
        out.clear();
        while out.len() < AT_ONCE && self.step(out) {}
        !out.is_empty()
    }

    /// One request ends and, while there are any, the next one begins in its place.
    fn step(&mut self, out: &mut Vec<TraceRecord>) -> bool {
        // Knuth's generator (MMIX), whose upper bits are good enough.
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = self.random;
        let place = match self.left {
            0 => self.slots.iter().position(Option::is_some),
            _ => Some((random >> 59) as usize % DEPTH),
        };
        let Some(place) = place else { return false };
        if let Some(done) = self.slots[place].take() {
            out.push(self.record(place, done, Action::Complete, 0));
        }
        if self.left > 0 {
            let direction = if random >> 57 & 3 == 0 { IoDirection::Write } else { IoDirection::Read };
            let next = Request { sector: (random >> 30) % BLOCKS * 8, direction };
            for (action, later_ns) in BEGINNING {
                out.push(self.record(place, next, action, later_ns));
            }
            self.slots[place] = Some(next);
            self.left -= 1;
        }
        self.now_ns += STEP_NS;
        true
    }

    fn record(&self, place: usize, request: Request, action: Action, later_ns: u64) -> TraceRecord {
        let cpu = place as u32 % CPUS;
        TraceRecord::Block(BlockEvent {
            time_ns: self.now_ns + later_ns,
            cpu,
            action,
            device: Some(DISK),
            sector: request.sector,
            bytes: 4096,
            operation: BlockOperation {
                direction: request.direction,
                flags: Flags { sync: true, ..Flags::default() },
            },
            thread: 1000 + cpu,
            task: TaskName(*b"fio\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            error: 0,
        })
    }
}

/// Analyses the events; the time is without that in which they are made.
fn in_memory(requests: u64) -> (Report, Duration) {
    let mut load = Load::new(requests);
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let (mut records, mut took) = (Vec::new(), Duration::ZERO);
    while load.fill(&mut records) {
        let begun = Instant::now();
        records.iter().for_each(|record| analysis.take(record));
        took += begun.elapsed();
    }
    let begun = Instant::now();
    let report = analysis.finish();
    (report, took + begun.elapsed())
}

/// Writes the events to a file for each CPU: which ones.
fn written(folder: &Path, requests: u64) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(folder)?;
    let paths: Vec<PathBuf> = (0..CPUS).map(|cpu| folder.join(format!("trace.blktrace.{cpu}"))).collect();
    let files = paths.iter().map(|path| File::create(path).map(BufWriter::new));
    let mut writer = BlktraceWriter::new(files.collect::<Result<Vec<_>, Error>>()?, DISK, None)?;
    let (mut load, mut records) = (Load::new(requests), Vec::new());
    while load.fill(&mut records) {
        records.iter().try_for_each(|record| writer.record(record))?;
    }
    writer.finish()?;
    Ok(paths)
}

/// Reads and analyses such files.
fn from_files(paths: &[PathBuf]) -> Result<(Report, Duration), Failure> {
    let begun = Instant::now();
    let files = paths.iter().map(File::open).collect::<Result<Vec<_>, Error>>()?;
    let mut analysis = Analysis::new(AnalysisOptions::default());
    analysis.take_all(&mut BlktraceReader::new(files)?, &mut |_| ())?;
    let report = analysis.finish();
    Ok((report, begun.elapsed()))
}

/// That nothing was missed: what is fast because it does less is no result.
fn check(report: &Report, requests: u64) -> Result<(), Failure> {
    let disk = report.device(DISK).ok_or("the analysis saw no event of the disk")?;
    let done = |phase| disk.phase_mean(phase).map_or(0, |(_, count)| count);
    let phases = [
        IoPhase::QueueToGet,
        IoPhase::GetToInsert,
        IoPhase::InsertToIssue,
        IoPhase::IssueToComplete,
        IoPhase::QueueToComplete,
    ];
    let is_whole = report.span.block_events == requests * EVENTS_EACH
        && disk.depth.max <= DEPTH as u64
        && phases.into_iter().all(|phase| done(phase) == requests);
    if is_whole { Ok(()) } else { Err("the analysis missed a part of the events".into()) }
}

/// The most memory that this process had (`VmHWM`).
fn peak_resident_bytes() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words = line.ok_or("/proc/self/status has no VmHWM")?;
    let kib: u64 = words.trim().trim_end_matches("kB").trim_end().parse()?;
    Ok(kib * 1024)
}
