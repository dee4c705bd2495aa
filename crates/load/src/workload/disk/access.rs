//! What each operation does and where: a function of the seed and its number.

use engine::queue::Operation;
use engine::schedule::WorkerIndex;
use engine::stop::{REHEARSED, StopRule};
use model::plan::Problem;
use model::profile::PlaceStride;

use crate::workload::disk::distribution::{Distribution, Places, random, word};
use crate::workload::disk::pattern::{DataDirection, Kind, Pattern};
use crate::workload::disk::plan::{DiskPlan, SyncRule};

/// One operation, worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) kind: Kind,
    /// Which of the target's files.
    pub(super) file: usize,
    /// The byte of that file at which it begins.
    pub(super) offset: u64,
    /// How many bytes; 0 for a sync.
    pub(super) bytes: u64,
    /// Of a write: whether it is on the medium when it ends.
    pub(super) is_forced: bool,
}

impl Task {
    /// Brings what was written to where it lasts.
    pub(super) const SYNC: Self = Self { kind: Kind::Sync, file: 0, offset: 0, bytes: 0, is_forced: false };

    /// How many bytes of its buffer it uses: a discard of any length uses none.
    #[inline]
    pub(super) fn buffered(self) -> usize {
        if matches!(self.kind, Kind::Read | Kind::Write) { self.bytes as usize } else { 0 }
    }
}

/// A size of operations.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size {
    bytes: u64,
    /// A random word up to this one chooses it.
    up_to: u64,
    /// The blocks of it that fit into the region, a grid of its own.
    places: Places,
    /// How many of them this worker has visited.
    visited: u64,
}

/// Which blocks a worker touches, in which order, and what it does to them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub(super) pattern: Pattern,
    distribution: Distribution,
    sizes: Vec<Size>,
    /// Up to this random word a mixed pattern reads.
    reads_up_to: u64,
    /// Bytes of each file, 0 where there is one; the region runs through all of them.
    pub(super) file_bytes: u64,
    /// The first byte of the worker's region.
    start: u64,
    /// Bytes of the worker's region; of places, those that are touched.
    bytes: u64,
    /// The places of the region, where not all of it is visited.
    places: Option<PlaceStride>,
    /// How far a sequential worker has come in its region. It begins somewhere
    /// else in each trial, or a cache that holds what the last trial began with
    /// would answer.
    cursor: u64,
    /// Where it began, and how often it has begun anew at the first byte.
    begun: u64,
    rounds: u64,
    /// What decides its random choices.
    pub(super) seed: u64,
    /// Which worker of the target this is.
    worker: WorkerIndex,
    turns: Turns,
    /// Whether workers at random places have regions of their own too, so that
    /// each knows what must be there.
    apart: bool,
    one_pass: bool,
    /// Whether it goes on until no space is left.
    pub(super) full: bool,
    /// How far apart a worker's blocks are where all write one stream together;
    /// 0 where each has a region of its own.
    stride: u64,
    /// A sync follows each so many operations; 0 for none.
    sync_every: u64,
    since_sync: u64,
}

/// What says how far a random pattern has come: which of all visits the next
/// one is, which is a matter of `once` alone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turns {
    /// No matter: the operation's number chooses a place at random.
    Any,
    /// The operation's number. Where a count ends a load, workers take numbers
    /// as fast as they go, and only so each block comes once over all of them.
    Number,
    /// The workers of a target in turns, each by its own count: where syncs,
    /// other sizes or other targets use up numbers too, or where each worker has
    /// a region of its own. A fast worker is then
    /// in its second pass before a slow one has ended its first.
    Own,
}

/// Streams of random words that do not depend on each other.
const KIND: u64 = 0x6b69_6e64_0000_0000;
const SIZE: u64 = 0x7369_7a65_0000_0000;

impl Access {
    pub(super) fn of(plan: &DiskPlan) -> Result<Self, Problem> {
        let DiskPlan { pattern, distribution, verifies: apart, .. } = *plan;
        let mut sum = 0.0;
        let mut sizes = Vec::new();
        let nothing = Distribution::Uniform.over(0, 0);
        for (bytes, share) in &plan.blocks {
            sum += share;
            sizes.push(Size { bytes: *bytes, up_to: word(sum), places: nothing, visited: 0 });
        }
        if let Some(last) = sizes.last_mut() {
            last.up_to = u64::MAX;
        }
        let reads = if let DataDirection::Both(share) = pattern.way { word(share) } else { 0 };
        let sync_every = if let SyncRule::Every(writes) = plan.sync { writes } else { 0 };
        let one_target = plan.targets.len() == 1;
        let turns = if distribution != Distribution::Once {
            Turns::Any
        } else if sizes.len() == 1 && sync_every == 0 && one_target && !apart {
            Turns::Number
        } else {
            Turns::Own
        };
        Ok(Self {
            pattern,
            distribution,
            sizes,
            reads_up_to: reads,
            file_bytes: 0,
            start: plan.offset,
            bytes: plan.stride().map_or(plan.reach()?.1, PlaceStride::touched),
            places: plan.stride(),
            cursor: 0,
            begun: 0,
            rounds: 0,
            seed: 0,
            worker: WorkerIndex { index: 0, of: 1 },
            turns,
            apart,
            one_pass: plan.until == Some(StopRule::End),
            full: plan.fills(),
            stride: 0,
            sync_every,
            since_sync: 0,
        })
    }

    /// The same over files of so many bytes each; 0 for one file.
    pub(super) fn of_files(mut self, file_bytes: u64) -> Self {
        self.file_bytes = file_bytes;
        self
    }

    /// The largest operation, in bytes.
    pub(super) fn block(&self) -> u64 {
        self.sizes.iter().map(|s| s.bytes).max().unwrap_or(0)
    }

    /// The bytes that are touched: from the first to behind the last.
    pub(super) fn range(&self) -> (u64, u64) {
        (self.start, self.start + self.places.map_or(self.bytes, |places| places.count * places.every))
    }

    /// Whether it may sync.
    pub(super) fn syncs(&self) -> bool {
        self.sync_every > 0
    }

    /// Whether the next task is a sync, which belongs to the write before it.
    pub(super) fn sync_is_next(&self) -> bool {
        self.sync_every > 0 && self.since_sync == self.sync_every
    }

    /// The share of one worker of one target: all of the span where places are
    /// random, a contiguous region of its own where they are not, since several
    /// streams through one region would be served by each other's cache hits.
    /// Those that fill a target write one stream together, block by block in
    /// turns: nobody knows where regions of their own would have to begin. What is
    /// verified has regions in any case.
    pub(super) fn for_seat(mut self, worker: WorkerIndex, seed: u64) -> Self {
        self.seed = seed;
        self.worker = worker;
        if self.full {
            self.cursor = worker.index as u64 * self.block();
            self.stride = worker.of as u64 * self.block();
        } else if !self.pattern.random || self.apart {
            // Of its own region a worker has all turns.
            self.worker = WorkerIndex { index: 0, of: 1 };
            let (index, of) = (worker.index as u64, worker.of as u64);
            let unit = self.block().max(1);
            let blocks = self.bytes / unit;
            let first = blocks * index / of;
            let next = blocks * (index + 1) / of;
            self.start += first * unit;
            self.bytes = (next - first) * unit;
            if !self.pattern.random && !self.one_pass {
                self.cursor = random(seed, u64::MAX - index) % (next - first).max(1) * unit;
            }
        }
        self.begun = self.cursor;
        for size in &mut self.sizes {
            size.places = self.distribution.over(self.bytes / size.bytes.max(1), seed);
        }
        self
    }

    /// What `operation` does; each operation is asked for once, in order.
    #[inline]
    pub(super) fn task(&mut self, operation: Operation) -> Task {
        if self.sync_every > 0 {
            if self.sync_is_next() {
                self.since_sync = 0;
                return Task::SYNC;
            }
            self.since_sync += 1;
        }
        let size = self.size(operation);
        let bytes = self.sizes[size].bytes;
        let at = if self.pattern.random {
            let turn = self.turn(operation, size);
            self.sizes[size].places.block(turn) * bytes
        } else {
            let at = self.next(bytes);
            self.places.map_or(at, |places| places.place(at))
        };
        let (file, offset) = self.place(self.start + at, bytes);
        Task { kind: self.kind(operation), file, offset, bytes, is_forced: false }
    }

    /// Which visit to a block of this size it is.
    #[inline]
    fn turn(&mut self, operation: Operation, size: usize) -> u64 {
        if self.turns != Turns::Own || operation.index & REHEARSED != 0 {
            return operation.index;
        }
        let visited = &mut self.sizes[size].visited;
        let turn = self.worker.index as u64 + *visited * self.worker.of as u64;
        *visited += 1;
        turn
    }

    /// Which file a byte of all of them lies in. Without an end there is one.
    /// An operation that would not fit into its file is moved back until it
    /// does: blocks of several sizes do not all begin where files do.
    #[inline]
    fn place(&self, at: u64, bytes: u64) -> (usize, u64) {
        if self.file_bytes == 0 {
            return (0, at);
        }
        let offset = at % self.file_bytes;
        ((at / self.file_bytes) as usize, offset.min(self.file_bytes.saturating_sub(bytes)))
    }

    #[inline]
    fn next(&mut self, bytes: u64) -> u64 {
        if self.stride > 0 {
            let at = self.cursor;
            self.cursor += self.stride;
            return at;
        }
        if self.file_bytes > 0 {
            let left = self.file_bytes - (self.start + self.cursor) % self.file_bytes;
            // What does not fit into this file begins the next one.
            self.cursor += if bytes > left { left } else { 0 };
        }
        if self.cursor + bytes > self.bytes {
            self.cursor = 0;
            self.rounds += 1;
        }
        let at = self.cursor;
        self.cursor += bytes;
        at
    }

    #[inline]
    fn size(&self, operation: Operation) -> usize {
        if self.sizes.len() == 1 {
            return 0;
        }
        let word = random(self.seed ^ SIZE, operation.index);
        self.sizes.iter().position(|size| word <= size.up_to).unwrap_or(0)
    }

    #[inline]
    fn kind(&self, operation: Operation) -> Kind {
        match self.pattern.way {
            DataDirection::Read => Kind::Read,
            DataDirection::Write => Kind::Write,
            DataDirection::Trim => Kind::Trim,
            DataDirection::Both(_) if random(self.seed ^ KIND, operation.index) < self.reads_up_to => {
                Kind::Read
            }
            DataDirection::Both(_) => Kind::Write,
        }
    }

    /// Operations of one pass, where the load ends after one.
    pub(super) fn operations_to_end(&self) -> Option<u64> {
        let blocks = self.sizes.first()?.places.blocks;
        let own = if self.pattern.random || self.full {
            // Workers visit the blocks of one pass in turns.
            blocks.saturating_sub(self.worker.index as u64).div_ceil(self.worker.of as u64)
        } else {
            blocks
        };
        (self.one_pass || self.full).then(|| self.with_syncs(own))
    }

    /// Whether this worker, of those that visit each block of their own once
    /// before any twice, has been at some for the second time.
    pub(super) fn came_again(&self) -> bool {
        if self.pattern.random {
            let last =
                |s: &Size| self.worker.index as u64 + s.visited.saturating_sub(1) * self.worker.of as u64;
            return self.turns == Turns::Own && self.sizes.iter().any(|s| last(s) >= s.places.blocks);
        }
        self.rounds > 1 || self.rounds == 1 && self.cursor > self.begun
    }

    /// So many data operations and the syncs between them.
    pub(super) fn with_syncs(&self, operations: u64) -> u64 {
        operations + operations.checked_div(self.sync_every).unwrap_or(0)
    }

    /// Bytes of which every block that it touches is a multiple, and every place
    /// where one begins.
    pub(super) fn unit(&self) -> u64 {
        common_unit(self.sizes.iter().map(|size| size.bytes).chain([self.start, self.file_bytes]))
    }
}

/// The largest number of which all are multiples (Euclid's algorithm).
pub(super) fn common_unit(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, |mut a, mut b| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

#[cfg(test)]
mod tests;
