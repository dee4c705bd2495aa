//! How often each thing happened, as blkparse counts it.

use crate::event::{Action, BlockEvent, IoDirection};

/// How many, and their bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountedBytes {
    /// How many.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

impl CountedBytes {
    pub(super) const fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(super) const fn join(&mut self, other: Self) {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    const fn without(self, part: Self) -> Self {
        Self { count: self.count.saturating_sub(part.count), bytes: self.bytes.saturating_sub(part.bytes) }
    }

    /// Whole KiB, as blkparse prints them.
    #[must_use]
    pub const fn kib(self) -> u64 {
        self.bytes / 1024
    }
}

/// One thing of each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadWrite<T> {
    /// Of reads.
    pub reads: T,
    /// Of writes.
    pub writes: T,
}

impl ReadWrite<CountedBytes> {
    pub(super) const fn add(&mut self, side: Side, bytes: u64) {
        match side {
            Side::Read => self.reads.add(bytes),
            Side::Write => self.writes.add(bytes),
        }
    }

    const fn join(&mut self, other: Self) {
        self.reads.join(other.reads);
        self.writes.join(other.writes);
    }
}

/// The two sides of blkparse's summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Read,
    Write,
}

impl Side {
    /// Where blkparse counts it. The kernel marks an operation as written by the lowest bit of
    /// its number (`op_is_write`): discards, zeroes and zones are, the flush that goes to
    /// the device is not and counts as a read of nothing. What is neither (`N`, commands past
    /// the file system) blkparse counts apart.
    pub(super) const fn of(direction: IoDirection) -> Option<Self> {
        match direction {
            IoDirection::None => None,
            IoDirection::Read | IoDirection::Flush => Some(Self::Read),
            IoDirection::Write
            | IoDirection::Discard
            | IoDirection::SecureErase
            | IoDirection::WriteZeroes
            | IoDirection::Zone => Some(Self::Write),
        }
    }
}

/// How often each thing happened: the rows of blkparse's summary, and what it leaves out.
///
/// Every count is that of the events as they came. blkparse calls issued ones "dispatched".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionCounts {
    /// Bios that came to the device (Q).
    pub queued: ReadWrite<CountedBytes>,
    /// Bios appended to a request (M). blktrace's own files have merged requests here too.
    pub merged_back: ReadWrite<CountedBytes>,
    /// Bios put before a request (F).
    pub merged_front: ReadWrite<CountedBytes>,
    /// Requests that became part of another (m).
    pub merged_requests: ReadWrite<CountedBytes>,
    /// Requests given to the driver (D), each time.
    pub issued: ReadWrite<CountedBytes>,
    /// Requests that the driver gave back undone, or refused before it had them (R).
    pub requeued: ReadWrite<CountedBytes>,
    /// Requests, or bios of a device without requests, that ended (C), and bios that came back at once.
    pub completed: ReadWrite<CountedBytes>,
    /// Of those: bios that came back at once, for they must not wait ([`BlockEvent::would_block`]).
    pub would_block: ReadWrite<CountedBytes>,
    /// Requests allocated (G).
    pub allocated: u64,
    /// Requests that went to the scheduler (I).
    pub inserted: u64,
    /// Bios that came from a partition or a stacked device (A).
    pub remapped: u64,
    /// Bios that became two (X).
    pub split: u64,
    /// Commands that are neither read nor written (`N`), whatever happened to them.
    pub passthrough: u64,
    /// All events, those counted nowhere else too.
    pub events: u64,
}

impl ActionCounts {
    pub(super) const fn take(&mut self, event: &BlockEvent) {
        self.events += 1;
        if matches!(event.action, Action::Plug | Action::Unplug { .. }) {
            return;
        }
        let Some(side) = Side::of(event.operation.direction) else {
            self.passthrough += 1;
            return;
        };
        match event.action {
            Action::Queue => self.queued.add(side, event.bytes),
            Action::BackMerge => self.merged_back.add(side, event.bytes),
            Action::FrontMerge => self.merged_front.add(side, event.bytes),
            Action::RequestMerge => self.merged_requests.add(side, event.bytes),
            Action::Issue => self.issued.add(side, event.bytes),
            Action::Requeue => self.requeued.add(side, event.bytes),
            Action::Complete => {
                self.completed.add(side, event.bytes);
                if event.would_block() {
                    self.would_block.add(side, event.bytes);
                }
            }
            Action::GetRequest => self.allocated += 1,
            Action::Insert => self.inserted += 1,
            Action::Remap { .. } => self.remapped += 1,
            Action::Split { .. } => self.split += 1,
            Action::Plug | Action::Unplug { .. } => {}
        }
    }

    pub(super) const fn join(&mut self, other: &Self) {
        self.queued.join(other.queued);
        self.merged_back.join(other.merged_back);
        self.merged_front.join(other.merged_front);
        self.merged_requests.join(other.merged_requests);
        self.issued.join(other.issued);
        self.requeued.join(other.requeued);
        self.completed.join(other.completed);
        self.would_block.join(other.would_block);
        self.allocated += other.allocated;
        self.inserted += other.inserted;
        self.remapped += other.remapped;
        self.split += other.split;
        self.passthrough += other.passthrough;
        self.events += other.events;
    }

    /// All merges together, which is blkparse's "Merges".
    #[must_use]
    pub const fn merged(&self) -> ReadWrite<CountedBytes> {
        let mut all = self.merged_back;
        all.join(self.merged_front);
        all.join(self.merged_requests);
        all
    }

    /// What was done: what was completed, without what came back at once.
    #[must_use]
    pub const fn done(&self) -> ReadWrite<CountedBytes> {
        ReadWrite {
            reads: self.completed.reads.without(self.would_block.reads),
            writes: self.completed.writes.without(self.would_block.writes),
        }
    }

    /// Issued KiB as blkparse prints them: less those that were requeued, while its count of
    /// dispatches has every one.
    #[must_use]
    pub const fn dispatched_kib(&self) -> ReadWrite<u64> {
        const fn less(issued: CountedBytes, requeued: CountedBytes) -> u64 {
            issued.bytes.saturating_sub(requeued.bytes) / 1024
        }
        ReadWrite {
            reads: less(self.issued.reads, self.requeued.reads),
            writes: less(self.issued.writes, self.requeued.writes),
        }
    }
}

/// The counts of one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuCounts {
    /// The CPU; nothing for all CPUs beyond those that are counted one by one.
    pub cpu: Option<u32>,
    /// What happened on it.
    pub counts: ActionCounts,
}

/// CPUs that are counted one by one. Linux has at most 8192.
const CPUS_MAX: usize = 8192;

/// Counts by CPU, and the depth as blkparse follows it.
#[derive(Clone, Debug, Default)]
pub(super) struct ActionRecorder {
    cpus: Vec<ActionCounts>,
    beyond: ActionCounts,
    depth: ReadWrite<u32>,
    depth_max: ReadWrite<u32>,
}

impl ActionRecorder {
    pub(super) fn take(&mut self, event: &BlockEvent) {
        let cpu = event.cpu as usize;
        if cpu >= CPUS_MAX {
            self.beyond.take(event);
        } else {
            if cpu >= self.cpus.len() {
                self.cpus.resize(cpu + 1, ActionCounts::default());
            }
            self.cpus[cpu].take(event);
        }
        if let Some(side) = Side::of(event.operation.direction) {
            self.follow_depth(side, event.action);
        }
    }

    const fn follow_depth(&mut self, side: Side, action: Action) {
        let (depth, max) = match side {
            Side::Read => (&mut self.depth.reads, &mut self.depth_max.reads),
            Side::Write => (&mut self.depth.writes, &mut self.depth_max.writes),
        };
        match action {
            Action::Issue => {
                *depth = depth.saturating_add(1);
                if *depth > *max {
                    *max = *depth;
                }
            }
            Action::Complete | Action::Requeue => *depth = depth.saturating_sub(1),
            _ => {}
        }
    }

    /// The sum over the CPUs.
    pub(super) fn total(&self) -> ActionCounts {
        let mut total = self.beyond;
        self.cpus.iter().for_each(|counts| total.join(counts));
        total
    }

    /// The CPUs on which anything happened.
    pub(super) fn by_cpu(&self) -> Vec<CpuCounts> {
        let known = (0..).zip(&self.cpus).map(|(cpu, counts)| CpuCounts { cpu: Some(cpu), counts: *counts });
        known
            .chain([CpuCounts { cpu: None, counts: self.beyond }])
            .filter(|one| one.counts.events > 0)
            .collect()
    }

    /// The most requests of each direction at the device: blkparse's "depth".
    pub(super) const fn depth_max(&self) -> ReadWrite<u32> {
        self.depth_max
    }
}
