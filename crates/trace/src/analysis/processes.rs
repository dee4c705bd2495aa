//! Who did it: threads that queued, threads that made pages dirty, files.
//!
//! A buffered write is queued by a worker of the kernel long after some program wrote it, so
//! who queued and who dirtied are told apart and never mixed.

use super::buckets::TimeBuckets;
use super::counts::CountedBytes;
use super::tables::{BoundedTable, Sorted, Weigh};
use super::traffic::IoClass;
use crate::event::{BlockEvent, Device, TaskName};

/// Threads that are counted at once.
pub(super) const THREADS_MAX: usize = 4096;
/// Files that are counted at once.
pub(super) const FILES_MAX: usize = 8192;
/// Threads and files that a report names.
pub const NAMED_MAX: usize = 64;
/// Points of a thread's series.
pub const THREAD_POINTS_MAX: usize = 128;

/// Who queues a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriterKind {
    /// A worker of the kernel (`kworker/`, `flush-`, `kswapd`): writeback of pages that programs
    /// made dirty. On a device below another (dm-crypt, md) workers also pass on what others
    /// queued, directly written or not.
    Writeback,
    /// The journal or log of a file system (`jbd2/`, `xfsaild/`, `btrfs-`, `txg_`, `f2fs_`).
    Journal,
    /// The program itself, waiting for it (REQ_SYNC): direct I/O, fsync, O_SYNC.
    Waiting,
    /// The program itself, without waiting: it was made to write back, or swaps.
    Other,
}

impl WriterKind {
    /// All of them, in the order of arrays.
    pub const ALL: [Self; 4] = [Self::Writeback, Self::Journal, Self::Waiting, Self::Other];

    fn of(event: &BlockEvent) -> Self {
        const WRITEBACK: [&[u8]; 3] = [b"kworker/", b"flush-", b"kswapd"];
        const JOURNAL: [&[u8]; 5] = [b"jbd2/", b"xfsaild/", b"btrfs-", b"txg_", b"f2fs_"];
        let is_named = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| event.task.0.starts_with(prefix));
        if is_named(&WRITEBACK) {
            Self::Writeback
        } else if is_named(&JOURNAL) {
            Self::Journal
        } else if event.operation.flags.sync {
            Self::Waiting
        } else {
            Self::Other
        }
    }
}

/// Writes by who queued them, in the order of [`WriterKind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterShares(pub [CountedBytes; 4]);

impl WriterShares {
    /// Counts a queued write.
    pub(super) fn take(&mut self, event: &BlockEvent) {
        self.0[WriterKind::of(event) as usize].add(event.bytes);
    }

    /// What this kind queued.
    #[must_use]
    pub const fn of(&self, kind: WriterKind) -> CountedBytes {
        self.0[kind as usize]
    }

    /// Its share of all bytes written; nothing where none were.
    #[must_use]
    pub fn share(&self, kind: WriterKind) -> Option<f64> {
        let all: u64 = self.0.iter().map(|counted| counted.bytes).fold(0, u64::saturating_add);
        (all > 0).then(|| self.of(kind).bytes as f64 / all as f64)
    }
}

/// What one thread queued. With stacked devices it counts on each that it is queued to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadIo {
    /// Its name when it was last seen.
    pub task: TaskName,
    /// Reads.
    pub reads: CountedBytes,
    /// Writes.
    pub writes: CountedBytes,
    /// Discards and the like.
    pub others: CountedBytes,
    /// Bios that asked for a flush.
    pub flushes: u64,
    /// Bios that somebody waits for.
    pub sync: u64,
    /// Bios of it that were completed.
    pub completed: u64,
    /// How long these took together (Q2C), in nanoseconds.
    pub queue_to_complete_ns: u128,
    /// How long the longest of these took, in nanoseconds.
    pub longest_ns: u64,
    /// Bytes of data queued in each interval of [`ThreadReport::interval_ns`] from the trace's start.
    pub series_bytes: Vec<u64>,
}

impl ThreadIo {
    /// All bytes that it queued.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.reads.bytes.saturating_add(self.writes.bytes).saturating_add(self.others.bytes)
    }
}

/// Those that queued.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadReport {
    /// Threads by number, those with the most bytes first.
    pub threads: Vec<(u32, ThreadIo)>,
    /// All others together.
    pub rest: Option<ThreadIo>,
    /// By how many bytes at most any of them is too low, because there were too many to count.
    pub understated_by: u64,
    /// The time of each point of the series, in nanoseconds.
    pub interval_ns: u64,
}

/// What a thread or a file had dirtied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtiedPages {
    /// The name of the thread that dirtied last.
    pub task: TaskName,
    /// Pages or folios, and their bytes. A page that is written twice before it goes to the
    /// device counts once.
    pub pages: CountedBytes,
}

/// A file, as the events name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InodeOfDevice {
    /// The device of the file system, where it is known.
    pub device: Option<Device>,
    /// The file's inode.
    pub inode: u64,
}

/// Who made pages dirty, and of which files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirtyReport {
    /// All.
    pub pages: CountedBytes,
    /// Threads by number, those with the most bytes first.
    pub threads: Vec<(u32, DirtiedPages)>,
    /// All other threads together.
    pub other_threads: Option<DirtiedPages>,
    /// The files with the most bytes first.
    pub files: Vec<(InodeOfDevice, DirtiedPages)>,
    /// All other files together.
    pub other_files: Option<DirtiedPages>,
    /// By how many bytes at most any file is too low, because there were too many to count.
    pub files_understated_by: u64,
}

/// A thread while the trace goes on.
#[derive(Clone, Debug)]
struct ThreadCounts {
    io: ThreadIo,
    series: TimeBuckets<u64>,
}

impl Weigh for ThreadCounts {
    fn weight(&self) -> u64 {
        self.io.bytes()
    }

    fn absorb(&mut self, other: Self) {
        let (own, other) = (&mut self.io, other.io);
        own.task = TaskName::default();
        own.reads.join(other.reads);
        own.writes.join(other.writes);
        own.others.join(other.others);
        own.flushes += other.flushes;
        own.sync += other.sync;
        own.completed += other.completed;
        own.queue_to_complete_ns += other.queue_to_complete_ns;
        own.longest_ns = own.longest_ns.max(other.longest_ns);
    }
}

impl Weigh for DirtiedPages {
    fn weight(&self) -> u64 {
        self.pages.bytes
    }

    fn absorb(&mut self, other: Self) {
        self.task = TaskName::default();
        self.pages.join(other.pages);
    }
}

/// Counts who queued.
#[derive(Clone, Debug)]
pub(super) struct ThreadRecorder {
    threads: BoundedTable<u32, ThreadCounts>,
    start_ns: u64,
}

impl ThreadRecorder {
    pub(super) fn new(start_ns: u64) -> Self {
        Self { threads: BoundedTable::new(THREADS_MAX), start_ns }
    }

    pub(super) fn queued(&mut self, event: &BlockEvent, now: u64) {
        let start = self.start_ns;
        let counts = self.threads.entry(event.thread, || ThreadCounts {
            io: ThreadIo::default(),
            series: TimeBuckets::new(start, THREAD_POINTS_MAX),
        });
        let io = &mut counts.io;
        if event.task.0[0] != 0 {
            io.task = event.task;
        }
        let class = IoClass::of(event.operation.direction);
        match class {
            Some(IoClass::Read) => io.reads.add(event.bytes),
            Some(IoClass::Write) => io.writes.add(event.bytes),
            Some(IoClass::Other) => io.others.add(event.bytes),
            None => {}
        }
        io.flushes += u64::from(event.operation.flags.preflush);
        io.sync += u64::from(event.operation.flags.sync);
        if event.bytes > 0 && class != Some(IoClass::Other) {
            let point = counts.series.at(now);
            *point = point.saturating_add(event.bytes);
        }
    }

    pub(super) fn completed(&mut self, thread: u32, took_ns: u64) {
        if let Some(counts) = self.threads.get_mut(thread) {
            counts.io.completed += 1;
            counts.io.queue_to_complete_ns += u128::from(took_ns);
            counts.io.longest_ns = counts.io.longest_ns.max(took_ns);
        }
    }

    /// The name of a thread that queued something.
    pub(super) fn task(&self, thread: u32) -> TaskName {
        self.threads.get(thread).map(|counts| counts.io.task).unwrap_or_default()
    }

    pub(super) fn report(self) -> ThreadReport {
        let Sorted { mut top, rest, understated_by } = self.threads.sorted(NAMED_MAX);
        let interval_ns = top.iter().map(|(_, counts)| counts.series.width_ns()).max().unwrap_or_default();
        let threads = top.drain(..).map(|(thread, mut counts)| {
            counts.series.widen(interval_ns);
            (thread, ThreadIo { series_bytes: counts.series.into_values(), ..counts.io })
        });
        ThreadReport {
            threads: threads.collect(),
            rest: rest.map(|counts| counts.io),
            understated_by,
            interval_ns,
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.threads.len()
    }
}

/// A page that became dirty.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirtyPage {
    pub(super) thread: u32,
    pub(super) task: TaskName,
    pub(super) file: InodeOfDevice,
    pub(super) bytes: u64,
}

/// Counts who made pages dirty.
#[derive(Clone, Debug)]
pub(super) struct DirtyRecorder {
    pages: CountedBytes,
    threads: BoundedTable<u32, DirtiedPages>,
    files: BoundedTable<InodeOfDevice, DirtiedPages>,
}

impl DirtyRecorder {
    pub(super) fn new() -> Self {
        Self {
            pages: CountedBytes::default(),
            threads: BoundedTable::new(THREADS_MAX),
            files: BoundedTable::new(FILES_MAX),
        }
    }

    pub(super) fn take(&mut self, page: DirtyPage) {
        self.pages.add(page.bytes);
        let thread = self.threads.entry(page.thread, DirtiedPages::default);
        thread.task = page.task;
        thread.pages.add(page.bytes);
        let file = self.files.entry(page.file, DirtiedPages::default);
        file.task = page.task;
        file.pages.add(page.bytes);
    }

    pub(super) fn report(self) -> DirtyReport {
        let threads = self.threads.sorted(NAMED_MAX);
        let files = self.files.sorted(NAMED_MAX);
        DirtyReport {
            pages: self.pages,
            threads: threads.top,
            other_threads: threads.rest,
            files: files.top,
            other_files: files.rest,
            files_understated_by: files.understated_by,
        }
    }

    #[cfg(test)]
    pub(super) fn files(&self) -> usize {
        self.files.len()
    }
}
