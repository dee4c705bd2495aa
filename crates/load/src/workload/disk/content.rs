//! What the blocks that are written hold. A store that compresses or finds
//! duplicates is fast with content that is neither; so content is random unless
//! something else is asked for, and other in every block.
//!
//! Content is a function of the seed and the block's number: a piece of random
//! words, made once, is combined (exclusive or) with a random word of this
//! block. What was random stays so, and no eight bytes of it stand where they
//! stood before, so neither compression nor deduplication finds anything. It
//! runs at the speed of the cache: 4 KiB take 60 to 80 ns on the machine this
//! was written on, by how far away the buffer is.

use engine::stop::REHEARSED;
use model::parameter::Word;
use model::plan::Problem;
use model::value::ParameterError;
use model::{Parameters, profile};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::workload::disk::distribution::{Permutation, below, random};
use crate::workload::named;

/// What the blocks that are written hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::workload) enum Content {
    /// Random bytes, others in every block: nothing compresses them.
    Random,
    Zeros,
    /// Blocks of which this share, in thousandths, is compressed away.
    Compressible(u16),
    /// Blocks of which this share, in thousandths, has a twin.
    Duplicate(u16),
}

impl Content {
    /// What a profile says of it.
    pub(super) fn profile(self) -> profile::Content {
        let name = match self {
            Content::Random => "random",
            Content::Zeros => "zeros",
            Content::Compressible(_) => "compressible",
            Content::Duplicate(_) => "duplicate",
        };
        profile::Content { name: name.to_owned(), is_random: self == Content::Random, share: self.share() }
    }

    /// What is compressed away or has a twin, where that has a meaning.
    pub(super) fn share(self) -> Option<f64> {
        match self {
            Content::Compressible(share) | Content::Duplicate(share) => Some(f64::from(share) / 1000.0),
            Content::Random | Content::Zeros => None,
        }
    }
}

pub(super) const WORDS: &[Word] = &[
    Word { word: "random", doc: "random bytes, others in every block: nothing compresses them" },
    Word { word: "zeros", doc: "zeros" },
    Word { word: "compressible", doc: "of every 4 KiB, `content-share` is zeros and the rest random" },
    Word { word: "duplicate", doc: "random; `content-share` of the blocks are copies of earlier ones" },
];

pub(super) const SHARE_WORDS: &[Word] =
    &[Word { word: "auto", doc: "50 % of what is compressible, 30 % of duplicates" }];

pub(super) fn of(parameters: &Parameters) -> Result<Content, Problem> {
    let share = |auto: u16| -> Result<u16, ParameterError> {
        if parameters.is_word(named("content-share"), "auto") {
            return Ok(auto);
        }
        parameters.number(named("content-share")).map(|share| (share.clamp(0.0, 1.0) * 1000.0).round() as u16)
    };
    Ok(match parameters.text(named("content"))? {
        "random" => Content::Random,
        "zeros" => Content::Zeros,
        "compressible" => Content::Compressible(share(500)?),
        "duplicate" => Content::Duplicate(share(300)?),
        other => return Err(Problem::invalid(format!("`{other}` is no content of disk"), "")),
    })
}

/// What a fact says of it.
pub(super) fn told(content: Content) -> String {
    let percent = |share: u16| f64::from(share) / 10.0;
    match content {
        Content::Random => "random, another in every block".to_owned(),
        Content::Zeros => "zeros".to_owned(),
        Content::Compressible(share) => format!("random, with {} % zeros in every block", percent(share)),
        Content::Duplicate(share) => {
            format!("random, {} % of the blocks are copies of others", percent(share))
        }
    }
}

/// Bytes of the random piece. A compressor looks at so much together at least;
/// it stays in the first cache.
const PIECE: usize = 4096;

/// How many blocks hold one content that is not alone, on average. Real stores
/// limit how often they refer to a block (VDO: 254 times), so it is no large
/// number; and it is the share of the copies that is an original, so it is no
/// small one.
const COPIES: u64 = 64;
/// Among how many contents that were written of late a copy chooses, in the long
/// run: so many that copies seldom lie so close that a compressor finds them.
const OF_LATE: u64 = 32;
/// In each group of so many blocks the share of copies is as asked for, to
/// within one block: a short run has few blocks to be lucky with.
const GROUP: u64 = 32;
/// Set in the number of a content that is written more than once.
const SHARED: u64 = 1 << 62;

/// Makes what is written.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Source {
    pub(super) content: Content,
    seed: u64,
    piece: Box<[u64; PIECE / 8]>,
    /// Whether buffers keep what was written last, so that changing it is
    /// enough: a quarter faster where the buffers fit into no cache.
    in_place: bool,
}

impl Source {
    pub(in crate::workload) fn new(content: Content, seed: u64) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut piece = Box::new([0; PIECE / 8]);
        piece.iter_mut().for_each(|word| *word = generator.next_u64());
        Self { content, seed, piece, in_place: false }
    }

    /// The same into buffers that nothing else writes to.
    pub(super) fn into_own_buffers(mut self) -> Self {
        self.in_place = self.content == Content::Random;
        self
    }

    /// Makes buffer number `slot` ready, before time counts.
    pub(super) fn begin(&self, buffer: &mut [u8], slot: usize) {
        Xoshiro256PlusPlus::seed_from_u64(self.seed ^ slot as u64).fill_bytes(buffer);
    }

    /// Makes the content of block number `index`.
    #[inline]
    pub(in crate::workload) fn fill(&self, buffer: &mut [u8], index: u64) {
        match self.content {
            Content::Random if self.in_place => change(buffer, random(!self.seed, index)),
            Content::Random => self.lay(buffer, index, 1000),
            Content::Zeros => buffer.fill(0),
            Content::Compressible(share) => self.lay(buffer, index, 1000 - usize::from(share)),
            Content::Duplicate(share) => self.lay(buffer, self.original(index, share), 1000),
        }
    }

    /// Random content of which so many thousandths of every piece are kept and
    /// the rest are zeros.
    #[inline]
    fn lay(&self, buffer: &mut [u8], index: u64, kept: usize) {
        let own = random(!self.seed, index);
        for (number, piece) in buffer.chunks_mut(PIECE).enumerate() {
            let mark = random(own, number as u64);
            // Whole words, so that the zeros are of a length that is asked for
            // to within four bytes.
            let words = (piece.len() * kept / 1000 + 4) & !7;
            let kept = if kept < 1000 { words.min(piece.len()) } else { piece.len() };
            let (kept, zeros) = piece.split_at_mut(kept);
            let mut words = kept.chunks_exact_mut(8);
            for (to, word) in words.by_ref().zip(self.piece.iter()) {
                to.copy_from_slice(&(word ^ mark).to_ne_bytes());
            }
            let rest = words.into_remainder();
            rest.copy_from_slice(&mark.to_ne_bytes()[..rest.len()]);
            zeros.fill(0);
        }
    }

    /// Which content block `index` has: one of its own, or for `share`
    /// thousandths of all blocks one of those that several have. There is
    /// another one of those after every so many copies, so that the share holds
    /// for a short run too, and goes on to hold when blocks are overwritten.
    fn original(&self, index: u64, share: u16) -> u64 {
        let number = index & !REHEARSED;
        let group = number / GROUP;
        let copies_until = |group: u64| (u128::from(group * GROUP) * u128::from(share) / 1000) as u64;
        let (before, after) = (copies_until(group), copies_until(group + 1));
        let word = random(self.seed ^ SHARED, group);
        if Permutation::new(GROUP, word).of(number % GROUP) >= after - before {
            return index;
        }
        let of_late = (1 + before / 16).min(OF_LATE);
        SHARED | (before / COPIES + below(random(word, index), of_late))
    }
}

/// Combines all of a buffer with `mark`.
#[inline]
fn change(buffer: &mut [u8], mark: u64) {
    for word in buffer.chunks_exact_mut(8) {
        let changed =
            u64::from_ne_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]])
                ^ mark;
        word.copy_from_slice(&changed.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn blocks(source: &Source, bytes: usize, count: u64) -> Vec<Vec<u8>> {
        let mut buffer = vec![0u8; bytes];
        source.begin(&mut buffer, 0);
        let made = (0..count).map(|index| {
            source.fill(&mut buffer, index);
            buffer.clone()
        });
        made.collect()
    }

    #[test]
    fn no_two_writes_carry_the_same_random_content() {
        let source = Source::new(Content::Random, 7);
        for source in [source.clone(), source.into_own_buffers()] {
            let mut seen = HashSet::new();
            for (index, block) in blocks(&source, 8192, 200).iter().enumerate() {
                for word in block.chunks(8) {
                    assert!(seen.insert(word.to_vec()), "operation {index} repeats eight bytes");
                }
            }
        }
    }

    #[test]
    fn content_depends_on_the_number_alone_and_not_on_what_the_buffer_held() {
        for content in [Content::Random, Content::Zeros, Content::Compressible(300), Content::Duplicate(300)]
        {
            let source = Source::new(content, 7);
            for bytes in [512, 1000, 4096, 70_001] {
                let (mut a, mut b) = (vec![0u8; bytes], vec![0xff; bytes]);
                source.fill(&mut a, 5);
                source.fill(&mut b, 5);
                assert_eq!(a, b, "{content:?}, {bytes} bytes");
            }
        }
    }

    #[test]
    fn zeros_take_the_share_that_was_asked_for() {
        for (share, bytes) in [(500, 512), (500, 4096), (300, 65536), (0, 4096), (1000, 4096)] {
            let source = Source::new(Content::Compressible(share), 3);
            let block = &blocks(&source, bytes, 1)[0];
            let zeros = block.iter().filter(|b| **b == 0).count() as f64 / bytes as f64;
            // One random byte of 256 is zero too.
            assert!((zeros - f64::from(share) / 1000.0).abs() < 0.02, "{share} of {bytes}: {zeros}");
        }
    }

    #[test]
    fn copies_have_their_share_in_short_runs_and_in_long_ones() {
        let source = Source::new(Content::Duplicate(300), 3);
        for count in [250u64, 5000, 20_000] {
            let mut seen: HashMap<u64, u64> = HashMap::new();
            (0..count).for_each(|index| *seen.entry(source.original(index, 300)).or_default() += 1);
            let copies = (count - seen.len() as u64) as f64 / count as f64;
            assert!((0.25..0.31).contains(&copies), "{copies} of {count}");
            assert!(seen.values().all(|blocks| *blocks < 254), "{:?}", seen.values().max());
        }
        // The same number means the same block.
        let [a, b] = [0, 1].map(|_| blocks(&source, 4096, 100));
        assert_eq!(a, b);
    }
}
