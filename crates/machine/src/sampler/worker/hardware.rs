//! What the processor counts while workers run: cycles, instructions, misses of
//! the last cache and of the TLB, by perf_event_open(2) for each thread. Events
//! that are always wanted together are one group, so that their ratio is of the
//! same time; others stand alone, so that a processor with few counters, or
//! without one of them, still has the rest.
//!
//! Where there are more events than counters the kernel takes turns, and says
//! for how much of the time each was counted: what it says is scaled by that.
//!
//! The structure is written out here in its first version of 64 bytes, which
//! every kernel takes (`PERF_ATTR_SIZE_VER0`, `include/uapi/linux/perf_event.h`).

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};

use model::{Resource, Unit};

use crate::sampler::{ABSENT, Pace, Sampler, SamplerColumn, reader};

/// One event of the processor: `type` and `config` of `struct perf_event_attr`.
#[derive(Clone, Copy, Debug)]
struct Event {
    name: &'static str,
    kind: u32,
    config: u64,
}

/// `PERF_TYPE_HARDWARE` and `PERF_TYPE_HW_CACHE`.
const HARDWARE: u32 = 0;
const CACHE: u32 = 3;
/// `PERF_COUNT_HW_CACHE_DTLB`, reads (0), misses (1).
const DATA_TLB_READ_MISSES: u64 = 3 | 1 << 16;

/// Cycles and instructions; misses of the last cache; misses of the TLB by loads.
const GROUPS: &[&[Event]] = &[
    &[
        Event { name: "cycles", kind: HARDWARE, config: 0 },
        Event { name: "instructions", kind: HARDWARE, config: 1 },
    ],
    &[Event { name: "cache_misses", kind: HARDWARE, config: 3 }],
    &[Event { name: "tlb_misses", kind: CACHE, config: DATA_TLB_READ_MISSES }],
];

/// Events of a group at most.
const EVENTS_MAX: usize = 2;
/// More threads than this would need more descriptors than a process may have.
const THREADS_MAX: usize = 64;

/// `struct perf_event_attr`, as of `PERF_ATTR_SIZE_VER0`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP`.
const READ_FORMAT: u64 = 1 | 1 << 1 | 1 << 3;
/// The bits `exclude_kernel` and `exclude_hv`, as little-endian processors have them.
const USER_ONLY: u64 = 1 << 5 | 1 << 6;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: u64 = 1 << 3;

/// What is counted of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedMode {
    /// What it does itself, and what the kernel does for it.
    UserAndKernel,
    /// What it does itself: `kernel.perf_event_paranoid` keeps the rest from us.
    User,
}

/// Where a group of counters is read: a descriptor, or in a test what it would give.
trait ReadGroup: Send {
    /// Fills `bytes` from its begin; how many.
    fn read_group(&mut self, bytes: &mut [u8]) -> Option<usize>;
}

impl ReadGroup for Vec<File> {
    fn read_group(&mut self, bytes: &mut [u8]) -> Option<usize> {
        self.first_mut()?.read(bytes).ok()
    }
}

/// What one reading of a group says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct GroupReading {
    /// How long the group was to count, and how long it did, ns.
    enabled: u64,
    running: u64,
    values: [u64; EVENTS_MAX],
}

/// Three words, then one for each event (perf_event_open(2), "Reading results").
fn parse(bytes: &[u8], events: usize) -> Option<GroupReading> {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word));
    let count = words.next()?;
    if count != events as u64 || events > EVENTS_MAX {
        return None;
    }
    let (enabled, running) = (words.next()?, words.next()?);
    let mut values = [0; EVENTS_MAX];
    for value in values.iter_mut().take(events) {
        *value = words.next()?;
    }
    Some(GroupReading { enabled, running, values })
}

/// A group of one thread, and what it counted so far.
struct Group {
    source: Box<dyn ReadGroup>,
    events: usize,
    last: GroupReading,
    /// None until it was counted at all.
    counted: Option<[f64; EVENTS_MAX]>,
}

impl Group {
    fn new(source: Box<dyn ReadGroup>, events: usize) -> Self {
        Self { source, events, last: GroupReading::default(), counted: None }
    }

    /// Reads it, and adds what was counted since the last time, scaled to all of the time
    /// in which it was to be counted. While the kernel gave it no counter nothing is added:
    /// the next reading then stands for that time too.
    fn read(&mut self) {
        let mut bytes = [0; 8 * (3 + EVENTS_MAX)];
        let length = self.source.read_group(&mut bytes);
        let now = length.and_then(|length| parse(bytes.get(..length)?, self.events));
        let Some(now) = now.filter(|now| now.running > self.last.running) else { return };
        let enabled = now.enabled.saturating_sub(self.last.enabled) as f64;
        let running = (now.running - self.last.running) as f64;
        let counted = self.counted.get_or_insert_default();
        for ((all, value), before) in counted.iter_mut().zip(now.values).zip(self.last.values) {
            *all += value.saturating_sub(before) as f64 * (enabled / running).max(1.0);
        }
        self.last = now;
    }
}

/// What processors count of these threads, as counters, and what of it is counted.
///
/// # Errors
/// Why nothing is.
pub fn hardware(threads: &[u32]) -> Result<(Vec<Box<dyn Sampler>>, CountedMode), String> {
    if threads.is_empty() || threads.len() > THREADS_MAX {
        return Err(format!("{} threads are none, or too many", threads.len()));
    }
    let whole = open_all(threads, 0).map(|found| (found, CountedMode::UserAndKernel));
    let denied = |error: &std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
    let found = whole.or_else(|error| match denied(&error) {
        true => open_all(threads, USER_ONLY).map(|found| (found, CountedMode::User)),
        false => Err(error),
    });
    let (groups, mode) = found.map_err(|error| reason(&error))?;
    Ok((sampler(groups), mode))
}

/// Why an event is not counted, as far as perf_event_open(2) tells causes apart.
fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind::{NotFound, PermissionDenied, Unsupported};
    match (error.kind(), error.raw_os_error()) {
        (NotFound | Unsupported, _) | (_, Some(libc::ENODEV)) => {
            "the processor, or its hypervisor, has no counters".to_owned()
        }
        (PermissionDenied, _) => {
            "the kernel does not allow it (kernel.perf_event_paranoid, or a container's filter)".to_owned()
        }
        _ => format!("perf_event_open: {error}"),
    }
}

/// Each group of events with that of each thread.
type Groups = Vec<(&'static [Event], Vec<Group>)>;

/// Those groups that every thread has; an error if that is none.
fn open_all(threads: &[u32], flags: u64) -> std::io::Result<Groups> {
    let mut found = Groups::new();
    let mut first_error = None;
    for events in GROUPS {
        let of_thread = |id: &u32| {
            let files = open_group(events, *id, flags)?;
            Ok(Group::new(Box::new(files), events.len()))
        };
        match threads.iter().map(of_thread).collect::<std::io::Result<Vec<Group>>>() {
            Ok(groups) => found.push((events, groups)),
            Err(error) => _ = first_error.get_or_insert(error),
        }
    }
    match first_error {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Opens a group of a thread; its first file is the one that is read.
fn open_group(events: &[Event], thread: u32, flags: u64) -> std::io::Result<Vec<File>> {
    let mut files: Vec<File> = Vec::with_capacity(events.len());
    for event in events {
        let attributes = Attributes {
            kind: event.kind,
            size: size_of::<Attributes>() as u32,
            config: event.config,
            read_format: READ_FORMAT,
            flags,
            ..Attributes::default()
        };
        let leader = files.first().map_or(-1, AsRawFd::as_raw_fd);
        // SAFETY: the kernel reads `size` bytes from the pointer, which is to a live structure
        // of that size, and keeps nothing of it.
        let descriptor = unsafe {
            let (on_any_cpu, at) = (-1_i32, &raw const attributes);
            libc::syscall(libc::SYS_perf_event_open, at, thread, on_any_cpu, leader, CLOSE_ON_EXEC)
        };
        let descriptor = i32::try_from(descriptor).ok().filter(|fd| *fd >= 0);
        let descriptor = descriptor.ok_or_else(std::io::Error::last_os_error)?;
        // SAFETY: the kernel has just made this descriptor, and nobody else has it.
        files.push(unsafe { File::from_raw_fd(descriptor) });
    }
    Ok(files)
}

/// Sums over threads. One reading interrupts the processor that the thread runs on: once a
/// second is enough.
fn sampler(mut groups: Groups) -> Vec<Box<dyn Sampler>> {
    let events = groups.iter().flat_map(|(events, _)| *events);
    let columns = events.map(|e| SamplerColumn::counter(Resource::WORKERS, e.name, Unit::One, 1.0)).collect();
    reader("perf_event_open(2)", Pace::Slow, columns, move |values| {
        let mut rest = values;
        for (events, threads) in &mut groups {
            threads.iter_mut().for_each(Group::read);
            let (own, others) = rest.split_at_mut(events.len());
            rest = others;
            for (place, value) in own.iter_mut().enumerate() {
                let all: Option<f64> = threads.iter().map(|group| Some(group.counted?[place])).sum();
                *value = all.map_or(ABSENT, |all| all as u64);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Readings that were made: enabled, running and values.
    struct Made(VecDeque<(u64, u64, Vec<u64>)>);

    impl ReadGroup for Made {
        fn read_group(&mut self, bytes: &mut [u8]) -> Option<usize> {
            let (enabled, running, values) = self.0.pop_front()?;
            let head = [values.len() as u64, enabled, running];
            let all: Vec<u8> = head.iter().chain(&values).flat_map(|word| word.to_ne_bytes()).collect();
            bytes[..all.len()].copy_from_slice(&all);
            Some(all.len())
        }
    }

    fn group(events: usize, readings: &[(u64, u64, &[u64])]) -> Group {
        let made = readings.iter().map(|(enabled, running, values)| (*enabled, *running, values.to_vec()));
        Group::new(Box::new(Made(made.collect())), events)
    }

    #[test]
    fn a_reading_is_three_words_and_the_values() {
        let words = [2_u64, 1000, 500, 7, 9].map(u64::to_ne_bytes).concat();
        let expected = GroupReading { enabled: 1000, running: 500, values: [7, 9] };
        assert_eq!(parse(&words, 2), Some(expected));
        assert_eq!(parse(&words, 1), None, "another group");
        for length in 0..words.len() {
            assert_eq!(parse(&words[..length], 2), None, "{length}");
        }
        assert_eq!(size_of::<Attributes>(), 64);
    }

    #[test]
    fn what_was_counted_half_of_the_time_counts_twice() {
        // Always; then for a quarter of the time; then always.
        let readings: [(u64, u64, &[u64]); 3] =
            [(1000, 1000, &[500, 800]), (2000, 1250, &[600, 1000]), (3000, 2250, &[700, 1100])];
        let mut group = group(2, &readings);
        let mut seen = Vec::new();
        for _ in 0..4 {
            group.read();
            seen.push(group.counted.unwrap());
        }
        assert_eq!(seen, [[500.0, 800.0], [900.0, 1600.0], [1000.0, 1700.0], [1000.0, 1700.0]]);
    }

    #[test]
    fn while_there_is_no_counter_nothing_is_known() {
        let mut never = group(1, &[(1000, 0, &[0]), (2000, 0, &[0])]);
        never.read();
        never.read();
        assert_eq!(never.counted, None, "not zero");
        let mut later = group(1, &[(1000, 1000, &[100]), (2000, 1000, &[100]), (3000, 1500, &[150])]);
        (0..3).for_each(|_| later.read());
        assert_eq!(later.counted.unwrap()[0], 300.0, "50 in a quarter of the two seconds");
    }

    #[test]
    fn threads_are_added_and_a_group_that_one_lacks_is_absent() {
        let groups: Groups = vec![
            (GROUPS[0], vec![group(2, &[(9, 9, &[100, 50])]), group(2, &[(9, 9, &[10, 5])])]),
            (GROUPS[1], vec![group(1, &[(9, 9, &[3])]), group(1, &[(9, 0, &[0])])]),
        ];
        let mut sampler = sampler(groups).remove(0);
        let names: Vec<_> = sampler.columns().iter().map(|c| c.name).collect();
        assert_eq!(names, ["cycles", "instructions", "cache_misses"]);
        let mut values = [7; 3];
        sampler.read(&mut values);
        assert_eq!(values, [110, 55, ABSENT]);
        assert!(sampler.is_slow());
    }

    #[test]
    fn each_refusal_has_its_reason() {
        let of = |number| reason(&std::io::Error::from_raw_os_error(number));
        assert_eq!(of(libc::ENOENT), of(libc::EOPNOTSUPP));
        assert_eq!(of(libc::ENOENT), of(libc::ENODEV));
        assert_eq!(of(libc::EACCES), of(libc::EPERM));
        assert!(of(libc::EACCES).contains("perf_event_paranoid") && of(libc::ENOENT).contains("no counters"));
        assert!(of(libc::EMFILE).starts_with("perf_event_open: "));
    }

    /// Here: counters, or the reason.
    #[test]
    fn this_machine_has_counters_or_a_reason() {
        let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        match hardware(&[own]) {
            Ok((mut samplers, _)) => {
                let mut values = vec![0; samplers[0].columns().len()];
                samplers[0].read(&mut values);
                assert!(values.iter().all(|value| *value > 0), "{values:?}");
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
        assert!(hardware(&[]).is_err());
    }

    /// The call itself, with what every kernel counts: `PERF_COUNT_SW_TASK_CLOCK` and
    /// `PERF_COUNT_SW_PAGE_FAULTS`, of a thread that has ended when they are read.
    #[test]
    fn what_the_kernel_itself_counts_is_read_in_the_same_way() {
        const SOFTWARE: u32 = 1;
        let events = [
            Event { name: "task_clock", kind: SOFTWARE, config: 1 },
            Event { name: "page_faults", kind: SOFTWARE, config: 2 },
        ];
        let (tell, told) = std::sync::mpsc::channel();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()).unwrap();
            let _ = wait.recv();
            std::hint::black_box(vec![1_u8; 4 << 20]);
        });
        let opened = open_group(&events, told.recv().unwrap(), USER_ONLY);
        go.send(()).unwrap();
        thread.join().unwrap();
        let files = match opened {
            Ok(files) => files,
            Err(error) => return eprintln!("skipped: perf_event_open: {error}"),
        };
        let mut group = Group::new(Box::new(files), 2);
        group.read();
        let [clock_ns, faults] = group.counted.unwrap();
        assert!(clock_ns > 0.0 && faults > 0.0, "{clock_ns} {faults}");
        assert!(group.last.enabled >= group.last.running, "{:?}", group.last);
    }
}
