//! How long operations took: one recorder a worker, handed over whole once an
//! interval, so that workers share nothing while they work.

use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;

use stats::counts::Counts;

use model::trial::Timeline;

use crate::clock;
use crate::operation_log::OperationLog;
use crate::report_channel::ReportSender;

/// An operation is late when it starts more than this after it was due. Below
/// that it is the noise of waking up and of the loop itself.
pub const LATE_NS: u64 = 100_000;

/// An operation that was in flight across the start of the interval in which
/// it finished. Its work is shared out by time, so that a rate does not jump by
/// whole operations where these are long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// When it started, ns.
    pub started_ns: u64,
    /// When it finished, ns.
    pub finished_ns: u64,
    /// Bytes it moved.
    pub bytes: u64,
    /// Its class.
    pub class: u8,
}

/// The times of an operation of a closed loop that are not counted yet.
#[derive(Clone, Copy, Debug)]
struct Noted {
    /// From started to finished, ns.
    latency_ns: u32,
    /// From handed to the kernel to finished, ns; 0 where nobody took the time or
    /// the class does not count.
    device_ns: u32,
    class: u8,
}

/// So many times are noted, one after the other, before they are counted.
/// Counting them one by one would fetch lines of three histograms from a cache
/// that each operation empties anew.
const NOTES: usize = 256;

/// What a record has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many classes of operations the load has.
    pub classes: usize,
    /// Whether its loop is open, so that there is a service time.
    pub open: bool,
    /// Whether its operations tell when the kernel was given them.
    pub stages: bool,
    /// The classes that count, a bit each: only their operations have stages and
    /// a service time, as only they have a latency of the load.
    pub counting: u16,
}

impl Shape {
    /// A closed loop of operations that are all alike.
    pub const PLAIN: Shape = Shape { classes: 1, open: false, stages: false, counting: 1 };
}

/// Operations of one class. Its counters change at every operation, and records
/// of several workers are made one after the other: each has cache lines of its
/// own (two, for processors fetch them in pairs), or workers would wait for one
/// another.
#[derive(Debug)]
#[repr(align(128))]
pub struct ClassRecord {
    /// Operations that started and finished in the interval.
    pub operations: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// From due to finished, ns.
    pub latency: Counts,
}

/// What one worker did in one interval, on cache lines of its own as
/// [`ClassRecord`].
#[derive(Debug)]
#[repr(align(128))]
pub struct Record {
    /// Which interval; 0 is the first of the window, warm-up is negative.
    pub interval: i64,
    /// By class; the load's own order.
    pub classes: Vec<ClassRecord>,
    /// Operations that finished in it but started before.
    pub crossings: Vec<Crossing>,
    /// When the first of them started, ns; `u64::MAX` while there is none.
    pub first_ns: u64,
    /// When the last of them finished, ns; 0 while there is none.
    pub last_ns: u64,
    /// Operations of an open loop that were due but not finished at the end.
    pub unfinished: u64,
    /// Operations that started late (open loop).
    pub late_starts: u64,
    /// From started to finished, ns; only in an open loop.
    pub service: Option<Counts>,
    /// From started to handed to the kernel, and from then to finished, ns; where
    /// operations tell.
    pub stages: Option<(Counts, Counts)>,
    /// CPU time of the worker since its last record.
    pub cpu: CpuSpan,
}

/// CPU time that was used somewhere between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuSpan {
    /// From, ns.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
    /// In user mode, ns.
    pub user_ns: u64,
    /// In the kernel, ns.
    pub system_ns: u64,
    /// Time that the worker could have run and had no CPU, ns; absent where the kernel does not
    /// tell.
    pub waited_ns: Option<u64>,
}

impl Record {
    /// An empty record.
    #[must_use]
    pub fn new(shape: Shape, depth: usize) -> Self {
        let class = |_| ClassRecord { operations: 0, bytes: 0, latency: Counts::new() };
        Self {
            interval: i64::MIN,
            classes: (0..shape.classes).map(class).collect(),
            crossings: Vec::with_capacity(depth),
            first_ns: u64::MAX,
            last_ns: 0,
            unfinished: 0,
            late_starts: 0,
            service: shape.open.then(Counts::new),
            stages: shape.stages.then(|| (Counts::new(), Counts::new())),
            cpu: CpuSpan::default(),
        }
    }

    /// Bytes that all of its operations moved.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let whole: u64 = self.classes.iter().map(|class| class.bytes).sum();
        whole + self.crossings.iter().map(|crossing| crossing.bytes).sum::<u64>()
    }

    /// Empties it for another interval.
    pub fn reset(&mut self) {
        for class in &mut self.classes {
            class.operations = 0;
            class.bytes = 0;
            class.latency.reset();
        }
        self.crossings.clear();
        self.first_ns = u64::MAX;
        self.last_ns = 0;
        self.unfinished = 0;
        self.late_starts = 0;
        if let Some(service) = &mut self.service {
            service.reset();
        }
        if let Some(stages) = &mut self.stages {
            stages.0.reset();
            stages.1.reset();
        }
        self.cpu = CpuSpan::default();
    }
}

/// What a worker tells the session.
#[derive(Debug)]
pub(crate) enum Report {
    /// The worker has its buffers, rings and place, and waits for the start.
    Ready,
    /// One interval is over.
    Interval { load: usize, worker: usize, record: Box<Record> },
    /// The operations of a worker, where somebody wants them one by one.
    Logged(OperationLog),
    /// All operations of the worker are finished; it may still settle and
    /// verify.
    Drained { load: usize, worker: usize },
    /// The worker's time counts no more.
    Settled {
        load: usize,
        /// Since when what it did is where it lasts, ns; absent where it brought
        /// nothing there.
        at_ns: Option<u64>,
    },
    /// The worker is done, for good or ill.
    Finished {
        load: usize,
        worker: usize,
        /// What it granted and whether it went well.
        result: Result<Vec<(model::FactName, model::Value)>, crate::Fault>,
    },
}

/// One operation that finished, as the loop saw it.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// When it was due, ns.
    pub due_ns: u64,
    /// When it started, ns.
    pub started_ns: u64,
    /// When it was seen finished, ns.
    pub finished_ns: u64,
    /// Bytes it moved.
    pub bytes: u64,
    /// Its class.
    pub class: u8,
    /// When the kernel was given it, ns; 0 where nobody took the time.
    pub handed_ns: u64,
}

/// One worker's recorder.
#[derive(Debug)]
pub struct Recorder {
    wiring: Wiring,
    shape: Shape,
    timeline: Timeline,
    interval_begin_ns: u64,
    interval_end_ns: u64,
    current: Box<Record>,
    notes: Vec<Noted>,
    cpu: CpuTime,
    run_delay: RunDelay,
    rolled_ns: u64,
    depth: usize,
    tail: Option<Box<Record>>,
    log: Option<OperationLog>,
}

/// How a recorder reaches the session.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub(crate) load: usize,
    pub(crate) worker: usize,
    /// To the session.
    pub(crate) sender: ReportSender,
    /// Emptied records from the session.
    pub(crate) recycled: Receiver<Box<Record>>,
}

impl Wiring {
    fn send(&mut self, record: Box<Record>) {
        self.sender.send(Report::Interval { load: self.load, worker: self.worker, record });
    }
}

impl Recorder {
    /// A recorder whose first interval is the one that holds `start_ns` of the
    /// timeline.
    #[must_use]
    pub(crate) fn new(wiring: Wiring, timeline: Timeline, shape: Shape, depth: usize) -> Self {
        let mut recorder = Self {
            wiring,
            shape,
            timeline,
            interval_begin_ns: 0,
            interval_end_ns: 0,
            current: Box::new(Record::new(shape, depth)),
            notes: Vec::with_capacity(NOTES + depth),
            cpu: CpuTime::of_this_thread(),
            run_delay: RunDelay::of_this_thread(),
            rolled_ns: timeline.start_ns,
            depth,
            tail: None,
            log: None,
        };
        recorder.enter(timeline.interval_of(timeline.start_ns));
        recorder
    }

    /// The same, with room for so many operations one by one.
    pub(crate) fn logging(mut self, room: usize) -> Self {
        self.log = (room > 0).then(|| OperationLog::new(&self.wiring, room, &self.timeline));
        self
    }

    fn enter(&mut self, interval: i64) {
        self.current.interval = interval;
        self.interval_begin_ns = self.timeline.begin_ns(interval);
        self.interval_end_ns = self.timeline.begin_ns(interval + 1);
    }

    /// Ends the present interval if it is over. Returns whether it was, for that
    /// took time.
    #[inline]
    pub fn roll_at(&mut self, now_ns: u64) -> bool {
        let is_over = now_ns >= self.interval_end_ns;
        if is_over {
            self.roll(now_ns);
        }
        is_over
    }

    /// Records one operation. In a closed loop its times are only noted, until
    /// [`Recorder::count`].
    #[inline]
    pub fn record<const OPEN: bool>(&mut self, done: Finished) {
        if let Some(log) = &mut self.log {
            log.note(&done);
        }
        let record = &mut *self.current;
        record.first_ns = record.first_ns.min(done.started_ns);
        record.last_ns = done.finished_ns;
        let class = &mut record.classes[usize::from(done.class)];
        if done.started_ns >= self.interval_begin_ns {
            class.operations += 1;
            class.bytes += done.bytes;
        } else {
            record.crossings.push(Crossing {
                started_ns: done.started_ns,
                finished_ns: done.finished_ns,
                bytes: done.bytes,
                class: done.class,
            });
        }
        let latency_ns = done.finished_ns.saturating_sub(done.due_ns);
        let is_staged = done.handed_ns > 0 && self.shape.counting >> done.class & 1 == 1;
        if !OPEN && let Ok(latency_ns) = u32::try_from(latency_ns) {
            let device_ns = done.finished_ns.saturating_sub(done.handed_ns).max(1) as u32;
            let device_ns = if is_staged { device_ns.min(latency_ns.max(1)) } else { 0 };
            self.notes.push(Noted { latency_ns, device_ns, class: done.class });
            return;
        }
        class.latency.record(latency_ns.max(1));
        if let Some(stages) = &mut record.stages
            && is_staged
        {
            stages.0.record(done.handed_ns.saturating_sub(done.started_ns).max(1));
            stages.1.record(done.finished_ns.saturating_sub(done.handed_ns).max(1));
        }
        if OPEN {
            let service_ns = done.finished_ns.saturating_sub(done.started_ns).max(1);
            let counts = self.shape.counting >> done.class & 1 == 1;
            if let Some(service) = record.service.as_mut().filter(|_| counts) {
                service.record(service_ns);
            }
            // A sync, which waits for the write that it comes with, does not count.
            record.late_starts += u64::from(counts && done.started_ns > done.due_ns + LATE_NS);
        }
    }

    /// Counts what was noted, if it is enough to be worth it. Returns whether it
    /// did, for that took time.
    #[inline]
    pub fn count_when_full(&mut self) -> bool {
        let is_full = self.notes.len() >= NOTES;
        if is_full {
            self.count();
        }
        is_full
    }

    fn count(&mut self) {
        let Self { current, notes, .. } = self;
        let latency = |note: &Noted| u64::from(note.latency_ns.max(1));
        if let [only] = &mut *current.classes {
            only.latency.record_all(notes.iter().map(latency));
        } else {
            for note in notes.iter() {
                current.classes[usize::from(note.class)].latency.record(latency(note));
            }
        }
        if let Some(stages) = &mut current.stages {
            let staged = || notes.iter().filter(|note| note.device_ns > 0);
            stages
                .0
                .record_all(staged().map(|n| u64::from((n.latency_ns.saturating_sub(n.device_ns)).max(1))));
            stages.1.record_all(staged().map(|n| u64::from(n.device_ns)));
        }
        notes.clear();
    }

    /// Ends the present interval at `now_ns`: hands its record over and begins
    /// the interval that holds `now_ns`.
    pub fn roll(&mut self, now_ns: u64) {
        self.count();
        let cpu = CpuTime::of_this_thread();
        let all_ns = cpu.all_ns - self.cpu.all_ns;
        let user_ns = (cpu.user_ns - self.cpu.user_ns).min(all_ns);
        let waited_ns = self.run_delay.since_last();
        let (from_ns, system_ns) = (self.rolled_ns, all_ns - user_ns);
        self.current.cpu = CpuSpan { from_ns, to_ns: now_ns, user_ns, system_ns, waited_ns };
        self.cpu = cpu;
        self.rolled_ns = now_ns;
        // The session gives back what it has merged. Only when it is starved of
        // CPU for many intervals is there none, and a new one must be made.
        let made = |_| Box::new(Record::new(self.shape, self.depth));
        let fresh = self.wiring.recycled.try_recv().unwrap_or_else(made);
        let full = std::mem::replace(&mut self.current, fresh);
        self.wiring.send(full);
        self.enter(self.timeline.interval_of(now_ns));
    }

    /// Whether `at_ns` lies behind the end of a window that time ends.
    #[inline]
    #[must_use]
    pub fn is_past(&self, at_ns: u64) -> bool {
        at_ns >= self.timeline.end_ns
    }

    /// Records what an open loop's window left unfinished: operations that were
    /// due in it and finished after it, with the latency they came to, and such
    /// that were never started, with what they had waited by then. Without these,
    /// a stall at the end would hide in a percentile.
    pub fn unfinished(&mut self, due_ns: u64, until_ns: u64, count: u64) {
        let Self { tail, timeline, depth, shape, .. } = self;
        let record = tail.get_or_insert_with(|| {
            let mut record = Box::new(Record::new(*shape, *depth));
            record.interval = timeline.interval_of(timeline.end_ns - 1);
            record
        });
        record.unfinished = record.unfinished.saturating_add(count);
        // Which class they would have been of is not known before they start.
        record.classes[0].latency.record_many(until_ns.saturating_sub(due_ns).max(1), count);
    }

    /// Hands over what is left.
    pub fn finish(mut self) {
        self.roll(clock::now_ns());
        if let Some(record) = self.tail.take() {
            self.wiring.send(record);
        }
        if let Some(log) = self.log.take() {
            self.wiring.sender.send(Report::Logged(log));
        }
    }
}

/// CPU time of the calling thread.
#[derive(Clone, Copy, Debug)]
struct CpuTime {
    user_ns: u64,
    all_ns: u64,
}

impl CpuTime {
    /// The sum by the thread's CPU clock, which is exact; what of it was in user
    /// mode by getrusage(2) with `RUSAGE_THREAD`, which most kernels sample by the
    /// tick.
    fn of_this_thread() -> Self {
        // SAFETY: an all-zero rusage is a valid value of this plain C struct.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live rusage of the right type.
        unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
        let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
        // Of a thread that runs, rusage knows only what it used until the last
        // tick; the clock knows all.
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let all_ns = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
        Self { user_ns: ns(usage.ru_utime), all_ns }
    }
}

/// How long the calling thread stood ready to run and had no CPU: the second number of
/// `/proc/PID/task/TID/schedstat` (kernel/sched/stats.h, `sched_info_arrive`).
#[derive(Debug)]
struct RunDelay {
    file: Option<OwnedFd>,
    last_ns: u64,
}

impl RunDelay {
    fn of_this_thread() -> Self {
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
        let file = rustix::fs::open("/proc/thread-self/schedstat", flags, rustix::fs::Mode::empty()).ok();
        let mut delay = Self { file, last_ns: 0 };
        delay.last_ns = delay.read().unwrap_or_default();
        delay
    }

    /// Since this was asked last, ns.
    fn since_last(&mut self) -> Option<u64> {
        let now = self.read()?;
        let since = now.saturating_sub(self.last_ns);
        self.last_ns = now;
        Some(since)
    }

    fn read(&self) -> Option<u64> {
        let mut buffer = [0; 96];
        let length = rustix::io::pread(self.file.as_ref()?, &mut buffer, 0).ok()?;
        let text = std::str::from_utf8(&buffer[..length]).ok()?;
        text.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

#[cfg(test)]
mod tests;
