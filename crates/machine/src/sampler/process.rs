//! What processes used the CPUs: `/proc/PID/stat` of all of them, now and then.
//! What counts is who used most, ours or another's; a process that came and
//! went between two looks is not seen.

use std::collections::HashMap;
use std::fs::File;
use std::mem::MaybeUninit;
use std::time::Duration;

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
        if seen.steps.len() > STEPS_MAX {
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
                process.ticks = stat.ticks;
                self.steps.push(Step { look, process: index as u32, ticks: stat.ticks });
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
        for process in &mut self.processes {
            process.first = process.first.div_ceil(2);
            process.last = process.last.div_ceil(2);
        }
    }

    /// Every process that used any: its ticks, and over how many ns they were
    /// seen.
    fn used(&self, window: Window) -> Vec<(Process, u64, u64)> {
        let nearest = |at_ns: u64| (0..self.looks.len()).min_by_key(|look| self.looks[*look].abs_diff(at_ns));
        let (Some(begin), Some(end)) = (nearest(window.start_ns), nearest(window.end_ns)) else {
            return Vec::new();
        };
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
mod tests {
    use super::*;

    fn stat(pid: u32, name: &str, ticks: u64, started: u64) -> String {
        format!("{pid} ({name}) S 1 1 1 0 -1 4194560 1 2 3 4 {ticks} 0 5 6 20 0 1 0 {started} 100 5\n")
    }

    fn watched(tree: &std::path::Path) -> Processes {
        Processes::open(&Host::recorded(tree)).unwrap()
    }

    fn write(tree: &std::path::Path, text: &str) {
        let pid = text.split(' ').next().unwrap();
        std::fs::create_dir_all(tree.join("proc").join(pid)).unwrap();
        std::fs::write(tree.join("proc").join(pid).join("stat"), text).unwrap();
    }

    /// The window between two looks.
    fn window(processes: &Processes, first: usize, last: usize) -> Window {
        Window { start_ns: processes.seen.looks[first], end_ns: processes.seen.looks[last] }
    }

    fn told(processes: &Processes, first: usize, last: usize) -> Vec<(u32, String, f64)> {
        let top = processes.top(window(processes, first, last));
        top.into_iter().map(|p| (p.pid, p.name, p.cpu_s)).collect()
    }

    #[test]
    fn names_with_blanks_and_parentheses_are_read() {
        for name in ["a b", ") R 1 2", "((x", "tmux: server", "", "a\nb", "kworker/u256:12-events_unbound"] {
            let found = parse(stat(12, name, 7, 99).as_bytes()).unwrap();
            assert_eq!((found.pid, found.ticks, found.started), (12, 7, 99), "{name}");
            assert_eq!(show(&found.name), name);
        }
    }

    #[test]
    fn threads_of_the_kernel_are_told_from_programs() {
        let program = stat(12, "kworker", 7, 99);
        let thread = program.replace("4194560", "69238880");
        let is_kernel = |text: &str| parse(text.as_bytes()).unwrap().kernel;
        assert!(!is_kernel(&program) && is_kernel(&thread));
    }

    #[test]
    fn garbled_and_truncated_lines_are_no_processes() {
        let whole = stat(12, "x", 7, 99);
        let end = whole.find(" 100 5").unwrap();
        for length in 0..end - 2 {
            assert_eq!(parse(&whole.as_bytes()[..length]), None, "{}", &whole[..length]);
        }
        let number = u64::MAX.to_string();
        for text in [
            "",
            "()",
            ") (",
            "x (y) S 1",
            &whole.replace("12 (", "99999999999 ("),
            &whole.replace(" 7 ", &number),
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn who_used_most_stands_first_and_who_came_or_went_counts() {
        let tree = tempfile::tempdir().unwrap();
        let tree = tree.path();
        std::fs::create_dir_all(tree.join("proc/self")).unwrap();
        let mut processes = watched(tree);
        for (pid, ticks) in [(1, 500), (2, 100), (3, 0), (4, 50)] {
            write(tree, &stat(pid, "p", ticks, 10));
        }
        processes.look();
        write(tree, &stat(2, "p", 130, 10));
        write(tree, &stat(4, "p", 60, 10));
        write(tree, &stat(5, "new", 25, 900));
        processes.look();
        // 4 ended; the number of 2 was given to another; 3 stayed idle.
        std::fs::remove_dir_all(tree.join("proc/4")).unwrap();
        write(tree, &stat(2, "q", 3, 950));
        write(tree, &stat(5, "new name", 45, 900));
        processes.look();
        let s = |name: &str| name.to_owned();
        let all = [(5, s("new name"), 0.45), (2, s("p"), 0.3), (4, s("p"), 0.1), (2, s("q"), 0.03)];
        assert_eq!(told(&processes, 0, 2), all);
        assert_eq!(told(&processes, 1, 2), [(5, s("new name"), 0.2), (2, s("q"), 0.03)]);
        let ended = &processes.top(window(&processes, 0, 2))[2];
        let looks = &processes.seen.looks;
        assert_eq!(ended.watched_s, (looks[1] - looks[0]) as f64 / 1e9, "it was not seen after that");
        processes.forget();
        assert!(processes.top(Window { start_ns: 0, end_ns: 1 }).is_empty());
    }

    #[test]
    fn only_the_top_is_told() {
        let tree = tempfile::tempdir().unwrap();
        let mut processes = watched(tree.path());
        for factor in [0, 1] {
            for pid in 1..=50 {
                write(tree.path(), &stat(pid, "p", u64::from(pid) * factor, 1));
            }
            processes.look();
        }
        let pids: Vec<u32> = told(&processes, 0, 1).into_iter().map(|(pid, ..)| pid).collect();
        assert_eq!(pids, (31..=50).rev().collect::<Vec<_>>());
    }

    /// Bug: threads of the kernel that each used little were none in the balance of the CPUs.
    #[test]
    fn threads_of_the_kernel_that_are_not_told_are_told_together() {
        let tree = tempfile::tempdir().unwrap();
        let mut processes = watched(tree.path());
        for ticks in [0, 5] {
            for pid in 1..=30 {
                write(tree.path(), &stat(pid, "kworker", ticks, 1).replace("4194560", "69238880"));
            }
            write(tree.path(), &stat(31, "ksoftirqd/0", ticks / 2, 1).replace("4194560", "69238880"));
            write(tree.path(), &stat(32, "program", ticks / 2, 1));
            processes.look();
        }
        let top = processes.top(window(&processes, 0, 1));
        let rest = top.last().unwrap();
        assert_eq!((top.len(), rest.name.as_str(), rest.kernel), (TOP + 1, OTHER_THREADS, true));
        assert!((rest.cpu_s - 0.5).abs() < 1e-9, "{rest:?}");
        // Where none is to be seen, nothing is known of them.
        assert!(processes.top(window(&processes, 0, 0)).last().unwrap().kernel, "though none computed");
        let tree = tempfile::tempdir().unwrap();
        let mut processes = watched(tree.path());
        for ticks in [0, 5] {
            write(tree.path(), &stat(7, "program", ticks, 1));
            processes.look();
        }
        assert!(processes.top(window(&processes, 0, 1)).iter().all(|process| !process.kernel));
    }

    #[test]
    fn a_long_watch_is_thinned_and_keeps_its_edges() {
        let mut seen = ProcessHistory::default();
        let mut look = |at: u64, ticks: &[u64]| {
            seen.looks.push(at);
            for (pid, ticks) in (1..).zip(ticks) {
                seen.take(Stat { pid, name: [0; 32], kernel: false, ticks: *ticks, started: 1 });
            }
        };
        look(100, &[5, 1]);
        look(200, &[6, 1]);
        look(300, &[8, 1]);
        look(400, &[11, 1, 4]);
        seen.thin();
        assert_eq!(seen.looks, [100, 300]);
        seen.looks.push(500);
        for (pid, ticks) in [(1, 20), (2, 1), (3, 9)] {
            seen.take(Stat { pid, name: [0; 32], kernel: false, ticks, started: 1 });
        }
        let used = |start_ns, end_ns| -> Vec<(u32, u64)> {
            let used = seen.used(Window { start_ns, end_ns });
            used.into_iter().map(|(process, ticks, _)| (process.pid, ticks)).collect()
        };
        assert_eq!(used(100, 500), [(1, 15), (3, 9)]);
        assert_eq!(used(300, 500), [(1, 12), (3, 9)]);
    }

    #[test]
    fn a_recording_in_one_file_is_read_as_well() {
        let text = format!("==> /proc/7/stat\n{}==> /proc/stat\ncpu 1\n", stat(7, "x y", 3, 1));
        let mut processes = Processes::open(&Host::parse(&text)).unwrap();
        processes.look();
        assert_eq!(processes.seen.processes[0].ticks, 3);
        assert_eq!(processes.seen.processes.len(), 1);
    }

    /// A thread of ours and a child each keep a CPU busy.
    #[test]
    fn our_own_time_is_told_apart_from_a_child_s() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "ulimit -t 30; while :; do :; done"])
            .spawn()
            .unwrap();
        let mut processes = Processes::open(&Host::this()).unwrap();
        processes.look();
        let begin = std::time::Instant::now();
        let own_s = || ns(ClockId::ProcessCPUTime) as f64 / 1e9;
        let begin_s = own_s();
        // Until both have used enough to be told from nothing, however busy the machine is.
        let found = loop {
            while begin.elapsed() < Duration::from_millis(300) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_millis(50));
            processes.look();
            let top = processes.top(Window { start_ns: 0, end_ns: u64::MAX });
            let of = |pid: u32| top.iter().find(|p| p.pid == pid).cloned();
            let found = (of(std::process::id()), of(child.id()));
            if matches!(&found, (Some(a), Some(b)) if a.cpu_s > 0.05 && b.cpu_s > 0.05)
                || begin.elapsed() > Duration::from_secs(20)
            {
                break found;
            }
        };
        let used_s = own_s() - begin_s;
        child.kill().unwrap();
        child.wait().unwrap();
        let (Some(ours), Some(theirs)) = found else { panic!("{found:?}") };
        assert!(ours.own && !theirs.own, "{ours:?} {theirs:?}");
        assert_eq!(theirs.name, "sh");
        assert!((ours.cpu_s - used_s).abs() < 0.05 + 0.2 * used_s, "{ours:?}: {used_s}");
        assert!(theirs.cpu_s > 0.0 && theirs.cpu_s <= theirs.watched_s + 0.05, "{theirs:?}");
    }
}
