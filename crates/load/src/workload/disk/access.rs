//! Where each operation goes: a pure function of the seed and its number.

use model::Parameters;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::engine::fault::Fault;
use crate::engine::queue::Operation;
use crate::engine::schedule::Seat;

/// What is done, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Read,
    Write,
    RandomRead,
    RandomWrite,
}

impl Pattern {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Fault> {
        Ok(match parameters.text("pattern")? {
            "read" => Pattern::Read,
            "write" => Pattern::Write,
            "randread" => Pattern::RandomRead,
            "randwrite" => Pattern::RandomWrite,
            other => return Err(Fault::Other(format!("`{other}` is no pattern of disk"))),
        })
    }

    pub(super) fn writes(self) -> bool {
        matches!(self, Pattern::Write | Pattern::RandomWrite)
    }

    pub(super) fn random(self) -> bool {
        matches!(self, Pattern::RandomRead | Pattern::RandomWrite)
    }
}

/// Which blocks a worker touches, in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) pattern: Pattern,
    /// Bytes of one operation.
    pub(super) block: u64,
    /// The first byte of the worker's region.
    start: u64,
    /// Blocks of the worker's region.
    blocks: u64,
    /// The block at which a sequential worker begins: another in each trial,
    /// or a cache that holds what the last trial began with would answer.
    first: u64,
    seed: u64,
    once: bool,
}

impl Access {
    /// Bytes up to the end of what is touched.
    pub(super) fn end(&self) -> u64 {
        self.start + self.blocks * self.block
    }

    pub(super) fn of(parameters: &Parameters) -> Result<Self, Fault> {
        let block = parameters.integer("block-size")?;
        Ok(Self {
            pattern: Pattern::of(parameters)?,
            block,
            start: 0,
            blocks: parameters.integer("span")? / block,
            first: 0,
            seed: 0,
            once: parameters.is_word("until", "end"),
        })
    }

    /// The share of one worker: all of the span where places are random, a
    /// contiguous region of its own where they are not, since several streams
    /// through one region would be served by each other's cache hits.
    pub(super) fn for_seat(mut self, seat: Seat, seed: u64) -> Self {
        self.seed = seed;
        if !self.pattern.random() {
            let (index, of) = (seat.index as u64, seat.of as u64);
            let first = self.blocks * index / of;
            let next = self.blocks * (index + 1) / of;
            self.start = first * self.block;
            self.blocks = next - first;
            if !self.once {
                self.first = random(seed, u64::MAX - index) % self.blocks.max(1);
            }
        }
        self
    }

    /// The byte at which `operation` begins.
    #[inline]
    pub(super) fn offset(&self, operation: Operation) -> u64 {
        let block = if self.pattern.random() {
            // The high half of a 64 x 64 bit product: uniform over the blocks
            // to within blocks / 2^64 (Lemire 2019, without the rejection).
            let random = random(self.seed, operation.index);
            ((u128::from(random) * u128::from(self.blocks)) >> 64) as u64
        } else {
            (self.first + operation.sequence) % self.blocks
        };
        self.start + block * self.block
    }

    /// Operations of one pass, where the load ends after one.
    pub(super) fn operations_to_end(&self) -> Option<u64> {
        self.once.then_some(self.blocks)
    }

    /// Makes the content of one write unlike any other: all of the random buffer
    /// is combined (exclusive or) with a random word of this operation. What was
    /// random stays so, and no eight bytes of it stand where they stood before,
    /// so neither compression nor deduplication finds anything. It runs at the
    /// speed of the cache (measured: 68 ns for 4 KiB).
    #[inline]
    pub(super) fn stamp(&self, buffer: &mut [u8], operation: Operation) {
        let mark = random(!self.seed, operation.index);
        for word in buffer.chunks_exact_mut(8) {
            let changed =
                u64::from_ne_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]])
                    ^ mark;
            word.copy_from_slice(&changed.to_ne_bytes());
        }
    }

    /// What a message calls an operation.
    pub(super) fn verb(&self) -> &'static str {
        if self.pattern.writes() { "writing" } else { "reading" }
    }
}

/// The random number of operation `index`: the state of SplitMix64 (Steele, Lea
/// and Flood 2014) after `index` steps from `seed` is known without taking
/// them, so every operation can be made on its own.
#[inline]
fn random(seed: u64, index: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    SplitMix64::seed_from_u64(seed.wrapping_add(index.wrapping_mul(GOLDEN))).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(pattern: Pattern, blocks: u64) -> Access {
        Access { pattern, block: 4096, start: 0, blocks, first: 0, seed: 0, once: true }
    }

    fn offsets(access: Access, workers: usize, each: u64) -> Vec<u64> {
        let mut all = Vec::new();
        for index in 0..workers {
            let seat = Seat { index, of: workers };
            let own = access.for_seat(seat, 42);
            for sequence in 0..each {
                all.push(own.offset(Operation { index: index as u64 + sequence * workers as u64, sequence }));
            }
        }
        all
    }

    #[test]
    fn random_places_are_uniform_and_do_not_depend_on_the_number_of_workers() {
        let one = access(Pattern::RandomRead, 1000);
        let mut alone = offsets(one, 1, 100_000);
        let mut shared = offsets(one, 4, 25_000);
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
        let mut all = offsets(access(Pattern::Read, 10), 3, 3);
        assert_eq!(all[..3], [0, 4096, 8192]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 9);
    }

    #[test]
    fn no_two_writes_carry_the_same_content() {
        let access = access(Pattern::RandomWrite, 10).for_seat(Seat { index: 0, of: 1 }, 7);
        let mut seen = std::collections::HashSet::new();
        let mut buffer = vec![0u8; 4096];
        crate::workload::disk::aligned::fill_random(&mut buffer, 3);
        for index in 0..200 {
            access.stamp(&mut buffer, Operation { index, sequence: index });
            for word in buffer.chunks(8) {
                assert!(seen.insert(word.to_vec()), "operation {index} repeats eight bytes");
            }
        }
    }
}
