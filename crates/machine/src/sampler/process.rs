//! What processes used the CPUs: `/proc/PID/stat` of all of them, now and then.
//! What counts is who used most, ours or another's; a process that came and
//! went between two looks is not seen.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::mem::MaybeUninit;
use std::time::Duration;

use model::layer::{WorkQueueSource, WorkQueueUse};
use model::trial::{ProcessUse, Window};
use rustix::fs::{Mode, OFlags, RawDir};
use rustix::time::{ClockId, clock_gettime};

use crate::Host;
use crate::sampler::ABSENT;
use crate::sampler::cpu::TICK_S;
use crate::sampler::file::{Numbers, number};

/// So many of those that used most are told.
const TOP: usize = 20;
/// What the kernel's own threads are called together, of which each used less than those that are told.
const OTHER_THREADS: &str = "other threads of the kernel";
/// What threads of the kernel are called that run the work of queues, and then by the queue behind `-` or `+`
/// (`wq_worker_comm` in `kernel/workqueue.c`).
const WORKER: &[u8] = b"kworker/";
/// Steps kept of one trial; when there are more, every second look is dropped.
const STEPS_MAX: usize = 1 << 20;
/// Processes kept of one trial; later ones are not watched.
const PROCESSES_MAX: usize = 1 << 18;
/// A thread of the kernel (`PF_KTHREAD`, `include/linux/sched.h`).
pub(crate) const KERNEL_THREAD: u64 = 0x0020_0000;
/// Longer than any `/proc/PID/stat`: 52 numbers and a name.
const STAT_BYTES: usize = 2048;

/// The processes of a machine.
#[derive(Debug)]
pub struct Processes {
    listing: Listing,
    /// Our own number and that of who started us, where we are among them.
    own: Vec<u32>,
    seen: ProcessHistory,
}

#[derive(Debug)]
enum Listing {
    /// The folder `/proc`, kept open, and a buffer for its entries.
    Folder(File, Box<[MaybeUninit<u8>; 32 << 10]>),
    /// Out of a recording.
    Recorded(Host),
}

/// What was seen since [`Processes::forget`].
#[derive(Debug, Default)]
struct ProcessHistory {
    processes: Vec<Process>,
    /// By number: the latest process that had it.
    by_pid: HashMap<u32, usize>,
    /// When each look was taken, ns of the monotonic clock.
    looks: Vec<u64>,
    steps: Vec<Step>,
    /// The queues of the kernel that threads were seen to work for.
    queues: Vec<Name>,
    queue_steps: Vec<QueueStep>,
}

/// A thread that works for a queue has used so much since the look before.
#[derive(Clone, Copy, Debug)]
struct QueueStep {
    look: u32,
    queue: u32,
    ticks: u64,
}

#[derive(Clone, Copy, Debug)]
struct Process {
    pid: u32,
    /// When it started, in ticks: a number may be given again.
    started: u64,
    name: Name,
    kernel: bool,
    /// The looks that it was first and last seen in.
    first: u32,
    last: u32,
    ticks: u64,
}

/// The CPU time of a process was this for the first time in this look.
#[derive(Clone, Copy, Debug)]
struct Step {
    look: u32,
    process: u32,
    ticks: u64,
}

/// A comm; the kernel's own threads may have longer ones.
type Name = [u8; 32];

/// One `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: u32,
    name: Name,
    kernel: bool,
    ticks: u64,
    started: u64,
}

impl Processes {
    /// `None` where there is no `/proc`.
    #[must_use]
    pub fn open(host: &Host) -> Option<Self> {
        let listing = match host.file("/proc") {
            Some(folder) => Listing::Folder(folder, Box::new([MaybeUninit::uninit(); 32 << 10])),
            None if host.is_this() => return None,
            None => Listing::Recorded(host.clone()),
        };
        let number = |pid: rustix::process::Pid| pid.as_raw_nonzero().get().cast_unsigned();
        let ours = [Some(rustix::process::getpid()), rustix::process::getppid()];
        let own = if host.is_this() { ours.into_iter().flatten().map(number).collect() } else { Vec::new() };
        Some(Self { listing, own, seen: ProcessHistory::default() })
    }

    /// Forgets all looks.
    pub fn forget(&mut self) {
        self.seen = ProcessHistory::default();
    }

    /// Looks at all processes now; returns what that cost in CPU time, for who
    /// decides when to look again.
    pub fn look(&mut self) -> Duration {
        let (begin, begin_cpu) = (ns(ClockId::Monotonic), ns(ClockId::ThreadCPUTime));
        let seen = &mut self.seen;
        seen.looks.push(begin);
        match &mut self.listing {
            Listing::Folder(folder, buffer) => {
                look_at(folder, buffer.as_mut_slice(), &mut |stat| seen.take(stat))
            }
            Listing::Recorded(host) => {
                for pid in host.names("/proc").iter().filter(|name| is_pid(name.as_bytes())) {
                    let text = host.text(format!("/proc/{pid}/stat")).unwrap_or_default();
                    parse(text.as_bytes()).into_iter().for_each(|stat| seen.take(stat));
                }
            }
        }
        if let Some(at) = seen.looks.last_mut() {
            *at = begin.midpoint(ns(ClockId::Monotonic));
        }
        if seen.steps.len().max(seen.queue_steps.len()) > STEPS_MAX {
            seen.thin();
        }
        Duration::from_nanos(ns(ClockId::ThreadCPUTime).saturating_sub(begin_cpu))
    }

    /// Those that used most CPU time between the looks nearest to the window's
    /// edges, most first; those that used none are left out. Where any of the kernel's own threads
    /// is to be seen, a last entry, [`OTHER_THREADS`], has what those that are not told used together,
    /// also if that is nothing: the balance of the CPUs needs all of it.
    #[must_use]
    pub fn top(&self, window: Window) -> Vec<ProcessUse> {
        let mut all = self.seen.used(window);
        all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.pid.cmp(&b.0.pid)));
        let rest = all.split_off(all.len().min(TOP));
        let told = all.into_iter().map(|(process, ticks, watched_ns)| ProcessUse {
            pid: process.pid,
            name: show(&process.name),
            own: self.own.contains(&process.pid),
            kernel: process.kernel,
            cpu_s: ticks as f64 * TICK_S,
            watched_s: watched_ns as f64 / 1e9,
        });
        let mut told: Vec<ProcessUse> = told.collect();
        if self.seen.processes.iter().any(|process| process.kernel) {
            // What `ksoftirqd` did is in the account of the CPUs already, as softirq.
            let is_counted = |process: &Process| process.kernel && !process.name.starts_with(b"ksoftirqd/");
            let threads = rest.iter().filter(|(process, ..)| is_counted(process));
            let (ticks, watched_ns) = threads
                .fold((0, 0), |(ticks, most), (_, used, watched)| (ticks + used, (*watched).max(most)));
            told.push(ProcessUse {
                pid: 0,
                name: OTHER_THREADS.to_owned(),
                own: false,
                kernel: true,
                cpu_s: ticks as f64 * TICK_S,
                watched_s: watched_ns as f64 / 1e9,
            });
        }
        told
    }

    /// What the work of the kernel's queues used between the looks nearest to the window's edges, most first.
    #[must_use]
    pub fn work_queues(&self, window: Window) -> Vec<WorkQueueUse> {
        self.seen.work_queues(window)
    }
}

impl ProcessHistory {
    fn take(&mut self, stat: Stat) {
        let look = u32::try_from(self.looks.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let known = self.by_pid.get(&stat.pid).copied().and_then(|i| Some((i, self.processes.get_mut(i)?)));
        if let Some((index, process)) = known
            && process.started == stat.started
        {
            process.last = look;
            // It may have started another program since.
            process.name = stat.name;
            if process.ticks != stat.ticks {
                let used = stat.ticks.saturating_sub(process.ticks);
                process.ticks = stat.ticks;
                self.steps.push(Step { look, process: index as u32, ticks: stat.ticks });
                self.work(look, &stat, used);
            }
            return;
        }
        if self.processes.len() >= PROCESSES_MAX {
            return;
        }
        let Stat { pid, name, kernel, ticks, started } = stat;
        let index = self.processes.len();
        self.processes.push(Process { pid, started, name, kernel, first: look, last: look, ticks });
        self.steps.push(Step { look, process: index as u32, ticks });
        self.by_pid.insert(pid, index);
        // What a thread used before the first look may have been for any queue.
        if look > 0 {
            self.work(look, &stat, ticks);
        }
    }

    /// Notes what a thread used for the queue in its name.
    fn work(&mut self, look: u32, stat: &Stat, ticks: u64) {
        let Some(name) = stat.queue().filter(|_| ticks > 0) else { return };
        let known = self.queues.iter().position(|known| *known == name);
        let queue = known.unwrap_or_else(|| {
            self.queues.push(name);
            self.queues.len() - 1
        });
        self.queue_steps.push(QueueStep { look, queue: queue as u32, ticks });
    }

    /// Drops every second look; what was first seen in a dropped one was first
    /// seen in the one after.
    fn thin(&mut self) {
        let mut index = 0;
        self.looks.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        // Of the steps of a process in one look, the latest stays.
        let mut latest = vec![u32::MAX; self.processes.len()];
        let mut kept = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let look = step.look.div_ceil(2);
            let latest = &mut latest[step.process as usize];
            if *latest != look {
                *latest = look;
                kept.push(Step { look, ..*step });
            }
        }
        kept.reverse();
        self.steps = kept;
        // What a queue used before a look that stays is one step.
        let mut merged: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for step in &self.queue_steps {
            *merged.entry((step.look.div_ceil(2), step.queue)).or_default() += step.ticks;
        }
        let steps = merged.into_iter().map(|((look, queue), ticks)| QueueStep { look, queue, ticks });
        self.queue_steps = steps.collect();
        for process in &mut self.processes {
            process.first = process.first.div_ceil(2);
            process.last = process.last.div_ceil(2);
        }
    }

    /// The looks nearest to the window's edges.
    fn edges(&self, window: Window) -> Option<(usize, usize)> {
        let nearest = |at_ns: u64| (0..self.looks.len()).min_by_key(|look| self.looks[*look].abs_diff(at_ns));
        Some((nearest(window.start_ns)?, nearest(window.end_ns)?))
    }

    fn work_queues(&self, window: Window) -> Vec<WorkQueueUse> {
        let Some((begin, end)) = self.edges(window) else { return Vec::new() };
        let mut ticks = vec![0; self.queues.len()];
        let is_inside = |step: &&QueueStep| (begin + 1..=end).contains(&(step.look as usize));
        for step in self.queue_steps.iter().filter(is_inside) {
            ticks[step.queue as usize] += step.ticks;
        }
        let watched_s = self.looks[end].saturating_sub(self.looks[begin]) as f64 / 1e9;
        let used = self.queues.iter().zip(ticks).filter(|(_, ticks)| *ticks > 0);
        let mut used: Vec<(&Name, u64)> = used.collect();
        used.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let told = used.into_iter().take(TOP).map(|(queue, ticks)| WorkQueueUse {
            queue: show(queue),
            cpu_s: ticks as f64 * TICK_S,
            watched_s,
            by: WorkQueueSource::Names,
        });
        told.collect()
    }

    /// Every process that used any: its ticks, and over how many ns they were
    /// seen.
    fn used(&self, window: Window) -> Vec<(Process, u64, u64)> {
        let Some((begin, end)) = self.edges(window) else { return Vec::new() };
        // What is not there at the begin came later, and began with nothing.
        let mut ticks = vec![(0, 0); self.processes.len()];
        for step in self.steps.iter().filter(|step| step.look as usize <= end) {
            let (before, after) = &mut ticks[step.process as usize];
            *after = step.ticks;
            if step.look as usize <= begin {
                *before = step.ticks;
            }
        }
        let at = |look: usize| self.looks.get(look).copied().unwrap_or_default();
        let of = |(process, (before, after)): (&Process, (u64, u64))| {
            let used = after.checked_sub(before).filter(|ticks| *ticks > 0)?;
            let from = begin.max((process.first as usize).saturating_sub(1));
            Some((*process, used, at(end.min(process.last as usize)).saturating_sub(at(from))))
        };
        self.processes.iter().zip(ticks).filter_map(of).collect()
    }
}

impl Stat {
    /// The queue that it works for, or worked for last: `kcryptd/253:0` of `kworker/u8:3+kcryptd/253:0`. None of what
    /// is no such thread, or never worked.
    fn queue(&self) -> Option<Name> {
        let rest = self.name.strip_prefix(WORKER).filter(|_| self.kernel)?;
        let mark = rest.iter().position(|byte| matches!(byte, b'-' | b'+'))?;
        let mut name = [0; size_of::<Name>()];
        name.iter_mut().zip(&rest[mark + 1..]).for_each(|(to, from)| *to = *from);
        (name[0] != 0).then_some(name)
    }
}

/// Reads the stat of every process in an open `/proc`.
fn look_at(folder: &File, buffer: &mut [MaybeUninit<u8>], take: &mut dyn FnMut(Stat)) {
    if rustix::fs::seek(folder, rustix::fs::SeekFrom::Start(0)).is_err() {
        return;
    }
    let mut entries = RawDir::new(folder, buffer);
    let mut path = Vec::with_capacity(32);
    let mut stat = [0; STAT_BYTES];
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name().to_bytes();
        if !is_pid(name) {
            continue;
        }
        path.clear();
        path.extend_from_slice(name);
        path.extend_from_slice(b"/stat");
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // One that has ended meanwhile is passed over.
        let Ok(file) = rustix::fs::openat(folder, path.as_slice(), flags, Mode::empty()) else { continue };
        let Ok(length) = rustix::io::read(&file, &mut stat) else { continue };
        if let Some(stat) = parse(&stat[..length]) {
            take(stat);
        }
    }
}

fn is_pid(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= 10 && name.iter().all(u8::is_ascii_digit)
}

/// proc_pid_stat(5): number, name in parentheses, state and what follows. The
/// name may hold blanks and parentheses, so it ends at the last one.
fn parse(bytes: &[u8]) -> Option<Stat> {
    /// The places of fields 9, 14, 15 and 22, counted from the one after the
    /// state.
    const FLAGS: usize = 5;
    const USER: usize = 10;
    const STARTED: usize = 18;
    let open = bytes.iter().position(|b| *b == b'(')?;
    let close = bytes.iter().rposition(|b| *b == b')')?;
    let pid = number(bytes.get(..open)?.trim_ascii());
    let comm = bytes.get(open + 1..close)?;
    let mut name = [0; size_of::<Name>()];
    name.iter_mut().zip(comm).for_each(|(to, from)| *to = *from);
    // A state is one letter between blanks.
    let mut fields = Numbers(bytes.get(close + 3..)?).skip(FLAGS);
    let flags = fields.next()?;
    let (user, system) = (fields.nth(USER - FLAGS - 1)?, fields.next()?);
    let started = fields.nth(STARTED - USER - 2)?;
    if [flags, user, system, started].contains(&ABSENT) {
        return None;
    }
    let kernel = flags & KERNEL_THREAD != 0;
    Some(Stat { pid: u32::try_from(pid).ok()?, name, kernel, ticks: user.checked_add(system)?, started })
}

fn show(name: &Name) -> String {
    let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..end]).into_owned()
}

fn ns(clock: ClockId) -> u64 {
    let t = clock_gettime(clock);
    t.tv_sec.cast_unsigned() * 1_000_000_000 + t.tv_nsec.cast_unsigned()
}

#[cfg(test)]
mod tests;
