//! What each operation does and where: a function of the seed and its number.

use model::Parameters;

use crate::engine::fault::Fault;
use crate::engine::queue::Operation;
use crate::engine::schedule::Seat;
use crate::workload::disk::distribution::{Distribution, random};
use crate::workload::disk::pattern::{Kind, Pattern, Way};

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
}

/// A size of operations.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size {
    bytes: u64,
    /// A random word up to this one chooses it.
    up_to: u64,
    /// How many blocks of it fit into the region.
    blocks: u64,
}

/// Which blocks a worker touches, in which order, and what it does to them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub(super) pattern: Pattern,
    distribution: Distribution,
    sizes: Vec<Size>,
    /// Up to this random word a mixed pattern reads.
    reads_up_to: u64,
    /// Bytes of each file; the region runs through all of them.
    file_bytes: u64,
    /// The first byte of the worker's region.
    start: u64,
    /// Bytes of the worker's region.
    bytes: u64,
    /// How far a sequential worker has come in its region. It begins somewhere
    /// else in each trial, or a cache that holds what the last trial began with
    /// would answer.
    cursor: u64,
    seed: u64,
    once: bool,
    full: bool,
    /// A sync follows each so many operations; 0 for none.
    sync_every: u64,
    since_sync: u64,
}

/// Streams of random words that do not depend on each other.
const KIND: u64 = 0x6b69_6e64_0000_0000;
const SIZE: u64 = 0x7369_7a65_0000_0000;

impl Access {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Fault> {
        let pattern = Pattern::of(parameters)?;
        let mut sum = 0.0;
        let mut sizes = Vec::new();
        for (bytes, share) in parameters.mix("block-size")? {
            sum += share;
            sizes.push(Size { bytes, up_to: word(sum), blocks: 0 });
        }
        if let Some(last) = sizes.last_mut() {
            last.up_to = u64::MAX;
        }
        let reads = if let Way::Both(share) = pattern.way { word(share) } else { 0 };
        let sync_every =
            if parameters.is_word("sync", "fsync") { parameters.integer("sync-every")? } else { 0 };
        Ok(Self {
            pattern,
            distribution: Distribution::of(parameters)?,
            sizes,
            reads_up_to: reads,
            file_bytes: 0,
            start: parameters.integer("offset")?,
            bytes: parameters.integer("span")?,
            cursor: 0,
            seed: 0,
            once: parameters.is_word("until", "end"),
            full: parameters.is_word("until", "full"),
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

    /// The mean of its operations, in bytes.
    pub(super) fn mean_block(parameters: &Parameters) -> Result<u64, Fault> {
        let mix = parameters.mix("block-size")?;
        Ok(mix.iter().map(|(bytes, share)| *bytes as f64 * share).sum::<f64>().round() as u64)
    }

    /// The bytes that are touched: from the first to behind the last.
    pub(super) fn range(&self) -> (u64, u64) {
        (self.start, self.start + self.bytes)
    }

    /// Whether it may sync.
    pub(super) fn syncs(&self) -> bool {
        self.sync_every > 0
    }

    /// Whether it goes on until no space is left.
    pub(super) fn full(&self) -> bool {
        self.full
    }

    /// The share of one worker of one target: all of the span where places are
    /// random, a contiguous region of its own where they are not, since several
    /// streams through one region would be served by each other's cache hits.
    pub(super) fn for_seat(mut self, seat: Seat, seed: u64) -> Self {
        self.seed = seed;
        if !self.pattern.random {
            let (index, of) = (seat.index as u64, seat.of as u64);
            let unit = self.block().max(1);
            let blocks = self.bytes / unit;
            let first = blocks * index / of;
            let next = blocks * (index + 1) / of;
            self.start += first * unit;
            self.bytes = (next - first) * unit;
            if !self.once && !self.full {
                self.cursor = random(seed, u64::MAX - index) % (next - first).max(1) * unit;
            }
        }
        for size in &mut self.sizes {
            size.blocks = self.bytes / size.bytes.max(1);
        }
        self
    }

    /// What `operation` does; each operation is asked for once, in order.
    #[inline]
    pub(super) fn task(&mut self, operation: Operation) -> Task {
        if self.sync_every > 0 {
            if self.since_sync == self.sync_every {
                self.since_sync = 0;
                return Task { kind: Kind::Sync, file: 0, offset: 0, bytes: 0 };
            }
            self.since_sync += 1;
        }
        let size = self.size(operation);
        let at = if self.pattern.random {
            self.distribution.block(self.seed, operation.index, size.blocks) * size.bytes
        } else {
            self.next(size.bytes)
        };
        let (file, offset) = self.place(self.start + at);
        Task { kind: self.kind(operation), file, offset, bytes: size.bytes }
    }

    /// Which file a byte of all of them lies in. Without an end there is one.
    #[inline]
    fn place(&self, at: u64) -> (usize, u64) {
        if self.file_bytes == 0 || at < self.file_bytes {
            return (0, at);
        }
        ((at / self.file_bytes) as usize, at % self.file_bytes)
    }

    #[inline]
    fn next(&mut self, bytes: u64) -> u64 {
        if !self.full && self.cursor + bytes > self.bytes {
            self.cursor = 0;
        }
        let at = self.cursor;
        self.cursor += bytes;
        at
    }

    #[inline]
    fn size(&self, operation: Operation) -> Size {
        if let [one] = self.sizes[..] {
            return one;
        }
        let word = random(self.seed ^ SIZE, operation.index);
        let found = self.sizes.iter().find(|size| word <= size.up_to);
        found.copied().unwrap_or(self.sizes[0])
    }

    #[inline]
    fn kind(&self, operation: Operation) -> Kind {
        match self.pattern.way {
            Way::Read => Kind::Read,
            Way::Write => Kind::Write,
            Way::Trim => Kind::Trim,
            Way::Both(_) if random(self.seed ^ KIND, operation.index) < self.reads_up_to => Kind::Read,
            Way::Both(_) => Kind::Write,
        }
    }

    /// Operations of one pass, where the load ends after one.
    pub(super) fn operations_to_end(&self) -> Option<u64> {
        let blocks = self.sizes.first()?.blocks;
        self.once.then(|| self.with_syncs(blocks))
    }

    /// So many data operations and the syncs between them.
    pub(super) fn with_syncs(&self, operations: u64) -> u64 {
        operations + operations.checked_div(self.sync_every).unwrap_or(0)
    }

    /// What decides its random choices.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }
}

/// The random word that this share of all words does not exceed.
fn word(share: f64) -> u64 {
    if share >= 1.0 { u64::MAX } else { ((share.max(0.0) * (1u64 << 53) as f64) as u64) << 11 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(pattern: &str, span: u64, changes: &[(&str, model::Value)]) -> Access {
        let mut p = Parameters::default();
        p.set("pattern", pattern);
        p.set("read-share", 0.5);
        p.set("distribution", "uniform");
        p.set("block-size", 4096u64);
        p.set("offset", 0u64);
        p.set("span", span);
        p.set("until", "end");
        for (name, value) in changes {
            p.0.insert((*name).to_owned(), value.clone());
        }
        Access::of(&p).unwrap()
    }

    fn tasks(access: &Access, workers: usize, each: u64) -> Vec<Task> {
        let mut all = Vec::new();
        for index in 0..workers {
            let mut own = access.clone().for_seat(Seat { index, of: workers }, 42);
            for sequence in 0..each {
                all.push(own.task(Operation { index: index as u64 + sequence * workers as u64, sequence }));
            }
        }
        all
    }

    fn offsets(access: &Access, workers: usize, each: u64) -> Vec<u64> {
        tasks(access, workers, each).iter().map(|t| t.offset).collect()
    }

    #[test]
    fn random_places_are_uniform_and_do_not_depend_on_the_number_of_workers() {
        let one = access("randread", 1000 * 4096, &[("until", "time".into())]);
        let mut alone = offsets(&one, 1, 100_000);
        let mut shared = offsets(&one, 4, 25_000);
        alone.sort_unstable();
        shared.sort_unstable();
        assert_eq!(alone, shared);
        let mut counts = vec![0u32; 1000];
        alone.iter().for_each(|o| counts[(o / 4096) as usize] += 1);
        // Chi-square with 999 degrees of freedom: below 1143 at 99.9 %.
        let chi: f64 = counts.iter().map(|c| (f64::from(*c) - 100.0).powi(2) / 100.0).sum();
        assert!(chi < 1143.0, "{chi}");
    }

    #[test]
    fn sequential_workers_have_regions_of_their_own_that_cover_the_span() {
        let mut all = offsets(&access("read", 10 * 4096, &[]), 3, 3);
        assert_eq!(all[..3], [0, 4096, 8192]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 9);
    }

    #[test]
    fn an_offset_and_a_span_bound_what_is_touched() {
        for pattern in ["read", "randread"] {
            let some =
                access(pattern, 8 * 4096, &[("offset", (1u64 << 20).into()), ("until", "time".into())]);
            for task in tasks(&some, 2, 100) {
                assert!((1 << 20..(1 << 20) + 8 * 4096).contains(&task.offset), "{pattern}: {task:?}");
            }
        }
    }

    #[test]
    fn a_mix_reads_its_share_and_has_its_sizes() {
        let sizes = model::Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
        let mixed = access(
            "randrw",
            1 << 30,
            &[("read-share", 0.6.into()), ("block-size", sizes), ("until", "time".into())],
        );
        let all = tasks(&mixed, 1, 100_000);
        let share = |f: &dyn Fn(&Task) -> bool| all.iter().filter(|t| f(t)).count() as f64 / 1e5;
        // Four standard deviations of a share of 100,000.
        assert!((share(&|t| t.kind == Kind::Read) - 0.6).abs() < 0.0062);
        assert!((share(&|t| t.bytes == 4096) - 0.7).abs() < 0.0058);
        let small_reads = share(&|t| t.bytes == 4096 && t.kind == Kind::Read);
        assert!((small_reads - 0.42).abs() < 0.0063, "{small_reads}");
        assert!(all.iter().all(|t| t.offset.is_multiple_of(t.bytes) && t.offset + t.bytes <= 1 << 30));
    }

    #[test]
    fn a_sync_follows_every_so_many_operations_and_takes_no_place() {
        let synced = access("write", 6 * 4096, &[("sync", "fsync".into()), ("sync-every", 2u64.into())]);
        assert_eq!(synced.clone().for_seat(Seat { index: 0, of: 1 }, 1).operations_to_end(), Some(9));
        let all = tasks(&synced, 1, 9);
        let syncs: Vec<bool> = all.iter().map(|t| t.kind == Kind::Sync).collect();
        assert_eq!(syncs, [false, false, true, false, false, true, false, false, true]);
        let places: Vec<u64> = all.iter().filter(|t| t.bytes > 0).map(|t| t.offset / 4096).collect();
        assert_eq!(places, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn places_run_through_all_files() {
        let mut p = access("read", 8 * 4096, &[]);
        p.file_bytes = 2 * 4096;
        let all = tasks(&p, 1, 8);
        let files: Vec<usize> = all.iter().map(|t| t.file).collect();
        assert_eq!(files, [0, 0, 1, 1, 2, 2, 3, 3]);
        assert!(all.iter().all(|t| t.offset <= 4096));
    }

    #[test]
    fn shares_become_words() {
        assert_eq!((word(0.0), word(1.0)), (0, u64::MAX));
        assert!((word(0.6) as f64 / u64::MAX as f64 - 0.6).abs() < 1e-9);
    }
}
