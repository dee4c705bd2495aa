//! How long the work of each of the kernel's queues ran: by the events of work (`include/trace/events/workqueue.h`), in
//! an instance of our own, read as text while it runs. A `kworker` thread runs the work of many queues; these events
//! tell of each piece of work when it began and when it ended, and of which queue it was when that was filled.
//!
//! A piece of work that is put off the CPU counts on. Where the kernel had no room for an event, the work around it is
//! not counted; how many there were is told.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::fs::{Access, access};

use super::capture::online_cpus;
use super::error::TraceError;
use super::instance::{INSTANCES, Instance};
use super::left_instance::remove_left_in;
use super::options::CaptureOptions;
use super::tracefs::Tracefs;

/// The events of work, of the system `workqueue`.
const WORK_EVENTS: [&str; 3] = ["workqueue_queue_work", "workqueue_execute_start", "workqueue_execute_end"];
/// What the event of work that is queued looks like.
const QUEUED_FORMAT: &str = "events/workqueue/workqueue_queue_work/format";
/// An instance begins with the options that are set for the whole machine: those that make other lines.
const OPTIONS: [(&str, &str); 6] = [
    ("bin", "0"),
    ("raw", "0"),
    ("hex", "0"),
    ("context-info", "1"),
    ("record-tgid", "0"),
    ("stacktrace", "0"),
];
/// The most room for the events of each CPU: some fifty thousand.
const BUFFER_MAX: u64 = 4 << 20;
/// How long nobody looks where there was nothing.
const PAUSE: Duration = Duration::from_millis(5);
/// So much text is read at once.
const TEXT_ROOM: usize = 64 << 10;
/// Pieces of work that are remembered; each is told again when it is queued again.
const WORKS_MAX: usize = 1 << 18;

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkTimes {
    /// The queues with the seconds that their work ran, those that ran longest first.
    pub queues: Vec<(String, f64)>,
    /// Pieces of work that began.
    pub events: u64,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
}

/// A trace of the kernel's work. If it is dropped it ends, and nothing of it is left in the kernel.
#[derive(Debug)]
pub struct WorkCapture {
    instance: Instance,
    is_over: Arc<AtomicBool>,
    reader: Option<JoinHandle<WorkTally>>,
}

impl WorkCapture {
    /// Begins to trace. Work counts where `holds` says so of the times of its begin and its end, ns of the monotonic
    /// clock.
    ///
    /// # Errors
    /// If the kernel does not let us, or lacks something; nothing is left then.
    pub fn start(holds: impl Fn(u64) -> bool + Send + 'static) -> Result<Self, TraceError> {
        let tracefs = Tracefs::open()?;
        remove_left_in(&tracefs);
        let instance = Instance::create(tracefs)?;
        instance.write("trace_clock", "mono")?;
        let bytes = CaptureOptions::default().buffer(online_cpus().len()).min(BUFFER_MAX);
        instance.write("buffer_size_kb", &(bytes >> 10).to_string())?;
        for (option, value) in OPTIONS {
            // Not each kernel has each.
            let _ = instance.try_write(&format!("options/{option}"), value);
        }
        for event in WORK_EVENTS {
            let switch = format!("events/workqueue/{event}/enable");
            if !instance.has(&switch) {
                return Err(lacking(event));
            }
            instance.write(&switch, "1")?;
        }
        has_names(&instance.read(QUEUED_FORMAT)?)?;
        let path = instance.path("trace_pipe");
        let pipe = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let pipe = pipe.map_err(|e| TraceError::at(&path, &e))?;
        let is_over: Arc<AtomicBool> = Arc::default();
        let over = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("work-trace".to_owned());
        let reader = thread.spawn(move || read_all(pipe, &over, &holds)).map_err(|e| TraceError::File {
            path: "a thread for the kernel's buffers".to_owned(),
            reason: e.to_string(),
        })?;
        let capture = Self { instance, is_over, reader: Some(reader) };
        capture.instance.write("tracing_on", "1")?;
        Ok(capture)
    }

    /// Looks whether one could be begun, as far as that shows without beginning it. Nothing is made or changed.
    ///
    /// # Errors
    /// What is missing.
    pub fn look() -> Result<(), TraceError> {
        let tracefs = Tracefs::open()?;
        let instances = tracefs.path(INSTANCES);
        if !instances.is_dir() {
            return Err(TraceError::NoTracefs {
                reason: "this kernel's tracefs has no instances".to_owned(),
            });
        }
        access(&instances, Access::WRITE_OK | Access::EXEC_OK)
            .map_err(|errno| TraceError::at(&instances, &errno.into()))?;
        let is_there = |event: &str| tracefs.path(&format!("events/workqueue/{event}/format")).exists();
        if let Some(event) = WORK_EVENTS.into_iter().find(|event| !is_there(event)) {
            return Err(lacking(event));
        }
        let format = tracefs.path(QUEUED_FORMAT);
        has_names(&std::fs::read_to_string(&format).map_err(|e| TraceError::at(&format, &e))?)
    }

    /// Ends it, removes all from the kernel, and says what was seen.
    ///
    /// # Errors
    /// If something could not be ended or removed.
    pub fn finish(mut self) -> Result<WorkTimes, TraceError> {
        let stopped = self.instance.write("tracing_on", "0");
        let tally = self.join();
        self.instance.remove()?;
        stopped.map(|()| tally.map(WorkTally::times).unwrap_or_default())
    }

    /// Waits for the reader, which takes what is there, and closes what keeps the instance from being removed.
    fn join(&mut self) -> Option<WorkTally> {
        self.is_over.store(true, Ordering::Release);
        self.reader.take().and_then(|reader| reader.join().ok())
    }
}

impl Drop for WorkCapture {
    fn drop(&mut self) {
        let _ = self.instance.write("tracing_on", "0");
        self.join();
    }
}

/// Older kernels tell a queue's place in memory, and not its name (`workqueue=%p`), by the format of the event.
fn has_names(format: &str) -> Result<(), TraceError> {
    if format.contains("workqueue=%s") {
        return Ok(());
    }
    Err(TraceError::NoTracefs { reason: "this kernel's events do not name the queues of work".to_owned() })
}

fn lacking(event: &str) -> TraceError {
    TraceError::NoTracefs { reason: format!("this kernel has no event {event}") }
}

/// Takes what comes until it is over and nothing is left.
fn read_all(mut pipe: File, is_over: &AtomicBool, holds: &dyn Fn(u64) -> bool) -> WorkTally {
    let mut tally = WorkTally::default();
    let (mut buffer, mut text) = (vec![0; TEXT_ROOM], Vec::new());
    loop {
        // What came before it was over is still taken.
        let is_last = is_over.load(Ordering::Acquire);
        match pipe.read(&mut buffer) {
            Ok(count @ 1..) => {
                text.extend_from_slice(&buffer[..count]);
                let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                for line in text[..whole].split(|byte| *byte == b'\n') {
                    tally.take(&String::from_utf8_lossy(line), holds);
                }
                text.drain(..whole);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) if is_last => return tally,
            Ok(0) | Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// One line of a trace. Work is known by its place in memory, as the kernel prints it.
#[derive(Debug, PartialEq)]
enum WorkEvent<'a> {
    Queued { work: u64, queue: &'a str },
    Started { work: u64, thread: u32, at_ns: u64 },
    Ended { work: u64, thread: u32, at_ns: u64 },
}

impl<'a> WorkEvent<'a> {
    /// `NAME-THREAD  [CPU] FLAGS SECONDS: EVENT: work struct ...`; none where it is something else.
    fn parse(line: &'a str) -> Option<Self> {
        let (before, event) = line.split_once(": workqueue_")?;
        if let Some(rest) = event.strip_prefix("queue_work: work struct=") {
            let (work, rest) = rest.split_once(' ')?;
            let (_, queue) = rest.split_once(" workqueue=")?;
            let queue = queue.split(" req_cpu=").next()?;
            return Some(Self::Queued { work: u64::from_str_radix(work, 16).ok()?, queue });
        }
        let started = event.strip_prefix("execute_start: work struct ");
        let rest = started.or_else(|| event.strip_prefix("execute_end: work struct "))?;
        let work = rest.split(':').next()?.trim();
        let work = u64::from_str_radix(work, 16).ok()?;
        // A thread's name may hold blanks and brackets.
        let (who, when) = before.rsplit_once(" [")?;
        let thread = who.trim_end().rsplit('-').next()?.parse().ok()?;
        let at_ns = nanoseconds(when.rsplit(' ').next()?)?;
        Some(match started {
            Some(_) => Self::Started { work, thread, at_ns },
            None => Self::Ended { work, thread, at_ns },
        })
    }
}

/// Seconds with six places, `26408.592108`.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, micros) = text.split_once('.').filter(|(_, micros)| micros.len() == 6)?;
    let (seconds, micros): (u64, u64) = (seconds.parse().ok()?, micros.parse().ok()?);
    seconds.checked_mul(1_000_000_000)?.checked_add(micros * 1000)
}

/// `CPU:1 [LOST 42 EVENTS]` (`print_trace_line` in `kernel/trace/trace.c`).
fn lost(line: &str) -> Option<u64> {
    let (_, rest) = line.strip_prefix("CPU:")?.split_once(" [LOST ")?;
    rest.strip_suffix(" EVENTS]")?.parse().ok()
}

/// What was counted so far.
#[derive(Debug, Default)]
struct WorkTally {
    queues: Vec<String>,
    /// By the place of a queue among them.
    ran_ns: Vec<u64>,
    /// Which queue a piece of work was put in last.
    works: HashMap<u64, usize>,
    /// By thread: what it runs, and since when.
    running: HashMap<u32, (u64, u64)>,
    events: u64,
    lost: u64,
}

impl WorkTally {
    fn take(&mut self, line: &str, holds: &dyn Fn(u64) -> bool) {
        if let Some(lost) = lost(line) {
            self.lost += lost;
            return;
        }
        match WorkEvent::parse(line) {
            Some(WorkEvent::Queued { work, queue }) => {
                let place = self.place(queue);
                if self.works.len() >= WORKS_MAX {
                    self.works.clear();
                }
                self.works.insert(work, place);
            }
            Some(WorkEvent::Started { work, thread, at_ns }) => {
                self.events += 1;
                self.running.insert(thread, (work, at_ns));
            }
            Some(WorkEvent::Ended { work, thread, at_ns }) => {
                let began = self.running.remove(&thread).filter(|(began, _)| *began == work);
                // Events of two CPUs may come out of order, so that it is looked up only now.
                if let (Some((_, since_ns)), Some(place)) = (began, self.works.get(&work))
                    && holds(since_ns)
                    && holds(at_ns)
                {
                    self.ran_ns[*place] += at_ns.saturating_sub(since_ns);
                }
            }
            None => {}
        }
    }

    fn place(&mut self, queue: &str) -> usize {
        if let Some(place) = self.queues.iter().position(|known| known == queue) {
            return place;
        }
        self.queues.push(queue.to_owned());
        self.ran_ns.push(0);
        self.queues.len() - 1
    }

    fn times(self) -> WorkTimes {
        let each = self.queues.into_iter().zip(self.ran_ns).filter(|(_, ran_ns)| *ran_ns > 0);
        let mut queues: Vec<(String, f64)> =
            each.map(|(queue, ran_ns)| (queue, ran_ns as f64 / 1e9)).collect();
        queues.sort_by(|a, b| b.1.total_cmp(&a.1));
        WorkTimes { queues, events: self.events, lost_events: self.lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded under Linux 6.18, but for the last queue and what was lost.
    const TEXT: &str = "\
            rm-4957    [001] d..1. 26408.626529: workqueue_queue_work: work struct=000000007ad294fc function=blk_mq_run_work_fn workqueue=kblockd req_cpu=256 cpu=1
    kworker/1:1H-44      [001] ..... 26408.626543: workqueue_execute_start: work struct 000000007ad294fc: function blk_mq_run_work_fn
    kworker/1:1H-44      [001] ..... 26408.626584: workqueue_execute_end: work struct 000000007ad294fc: function blk_mq_run_work_fn
 memfd:sealed-91-9472    [001] d..1. 26408.630790: workqueue_queue_work: work struct=000000007ad294fc function=blk_mq_run_work_fn workqueue=kblockd req_cpu=256 cpu=1
    kworker/1:1H-44      [001] ..... 26408.630803: workqueue_execute_start: work struct 000000007ad294fc: function blk_mq_run_work_fn
   kworker/u8:13-990     [001] ..... 26408.630822: workqueue_execute_start: work struct 00000000fae37664: function kcryptd_crypt [dm_crypt]
   kworker/u8:13-990     [001] ..... 26408.630939: workqueue_execute_end: work struct 00000000fae37664: function kcryptd_crypt [dm_crypt]
    kworker/1:1H-44      [001] ..... 26408.630842: workqueue_execute_end: work struct 000000007ad294fc: function blk_mq_run_work_fn
 tokio-rt-worker-68      [001] d.h1. 26408.633330: workqueue_queue_work: work struct=00000000fae37664 function=kcryptd_crypt [dm_crypt] workqueue=kcryptd-253:0-1 req_cpu=256 cpu=1
   kworker/u8:13-990     [001] ..... 26408.640000: workqueue_execute_start: work struct 00000000fae37664: function kcryptd_crypt [dm_crypt]
   kworker/u8:13-990     [001] ..... 26408.642000: workqueue_execute_end: work struct 00000000fae37664: function kcryptd_crypt [dm_crypt]
CPU:1 [LOST 42 EVENTS]
";

    fn times(holds: &dyn Fn(u64) -> bool) -> WorkTimes {
        let mut tally = WorkTally::default();
        TEXT.lines().for_each(|line| tally.take(line, holds));
        tally.times()
    }

    #[test]
    fn work_is_of_the_queue_that_it_was_put_in() {
        let all = times(&|_| true);
        assert_eq!((all.events, all.lost_events), (4, 42));
        let micros: Vec<(&str, f64)> =
            all.queues.iter().map(|(queue, seconds)| (queue.as_str(), (seconds * 1e6).round())).collect();
        // Nobody knows of which queue the first piece of encryption was.
        assert_eq!(micros, [("kcryptd-253:0-1", 2000.0), ("kblockd", 80.0)]);
    }

    #[test]
    fn work_outside_of_the_window_does_not_count() {
        let some = times(&|at_ns| (26_408_630_000_000..26_408_640_500_000).contains(&at_ns));
        let names: Vec<&str> = some.queues.iter().map(|(queue, _)| queue.as_str()).collect();
        assert_eq!(names, ["kblockd"]);
        assert!((some.queues[0].1 - 39e-6).abs() < 1e-9, "{some:?}");
    }

    #[test]
    fn a_kernel_that_tells_no_names_is_not_asked() {
        let format =
            |queue: &str| format!("print fmt: \"work struct=%p function=%ps workqueue={queue} req_cpu=%d\"");
        assert!(has_names(&format("%s")).is_ok() && has_names(&format("%p")).is_err());
    }

    #[test]
    fn other_lines_are_passed_over() {
        for line in
            ["", "# tracer: nop", "x-1 [000] 1.000001: sched_switch: work struct 1: y", "CPU:x [LOST EVENTS]"]
        {
            assert_eq!((WorkEvent::parse(line), lost(line)), (None, None), "{line}");
        }
        assert_eq!(nanoseconds("1.5"), None);
    }
}
