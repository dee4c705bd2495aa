//! Which of so many blocks an operation goes to, at random: a pure function of
//! the seed and the operation's number, so that any operation can be made
//! again. One file a distribution; a block is a number here, what lies there is
//! [`super::access`]'s matter.

mod hot;
mod once;
mod zipf;

use model::Parameters;
use model::parameter::Word;
use model::plan::Problem;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::workload::named;

pub(super) use once::Permutation;

pub(super) const WORDS: &[Word] = &[
    Word { word: "uniform", doc: "every block alike, some more than once before others" },
    Word { word: "once", doc: "every block once before any twice, each pass in another order" },
    Word {
        word: "zipf",
        doc: "by Zipf's law: few blocks are visited often, most hardly ever (`zipf-theta`)",
    },
    Word {
        word: "hot",
        doc: "`hot-share` of the operations go to `hot-span` of the blocks, which lie together",
    },
];

/// How random places are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) enum Distribution {
    /// Every block alike.
    Uniform,
    /// Every block once before any twice.
    Once,
    /// By Zipf's law with this exponent.
    Zipf(f64),
    /// This share of the blocks gets that share of the operations.
    Hot { span: f64, share: f64 },
}

impl Distribution {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        Ok(match parameters.text(named("distribution"))? {
            "uniform" => Distribution::Uniform,
            "once" => Distribution::Once,
            "zipf" => Distribution::Zipf(parameters.number(named("zipf-theta"))?),
            "hot" => Distribution::Hot {
                span: parameters.number(named("hot-span"))?,
                share: parameters.number(named("hot-share"))?,
            },
            other => return Err(Problem::invalid(format!("`{other}` is no distribution of disk"), "")),
        })
    }

    /// Spread over `blocks` blocks, by the choices of `seed`.
    pub(in crate::workload) fn over(self, blocks: u64, seed: u64) -> Places {
        let law = match self {
            Distribution::Uniform => Law::Uniform,
            Distribution::Once => Law::Once,
            Distribution::Zipf(theta) => Law::Zipf(zipf::Zipf::new(theta, blocks, seed)),
            Distribution::Hot { span, share } => Law::Hot(hot::Hot::new(span, share, blocks, seed)),
        };
        Places { seed, blocks, law }
    }
}

/// A distribution over so many blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) struct Places {
    seed: u64,
    pub(super) blocks: u64,
    law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    Uniform,
    Once,
    Zipf(zipf::Zipf),
    Hot(hot::Hot),
}

impl Places {
    /// The block that operation `index` goes to.
    #[inline]
    pub(in crate::workload) fn block(&self, index: u64) -> u64 {
        let Places { seed, blocks, .. } = *self;
        match &self.law {
            Law::Uniform => below(random(seed, index), blocks),
            Law::Once => once::block(seed, index, blocks),
            Law::Zipf(zipf) => zipf.block(seed, index),
            Law::Hot(hot) => hot.block(seed, index),
        }
    }
}

/// A number below `count` from a random word: the high half of a 64 x 64 bit
/// product, uniform to within count / 2^64 (Lemire 2019, without the rejection).
#[inline]
pub(super) fn below(random: u64, count: u64) -> u64 {
    ((u128::from(random) * u128::from(count)) >> 64) as u64
}

/// The random number of operation `index`: the state of SplitMix64 (Steele, Lea
/// and Flood 2014) after `index` steps from `seed` is known without taking
/// them, so every operation can be made on its own.
#[inline]
pub(in crate::workload) fn random(seed: u64, index: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    SplitMix64::seed_from_u64(seed.wrapping_add(index.wrapping_mul(GOLDEN))).next_u64()
}

/// The random word that this share of all words does not exceed.
pub(super) fn word(share: f64) -> u64 {
    if share >= 1.0 { u64::MAX } else { ((share.max(0.0) * (1u64 << 53) as f64) as u64) << 11 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chi-square statistic of `counts` against `expected`.
    pub(super) fn chi_square(counts: &[u64], expected: impl Fn(usize) -> f64) -> f64 {
        counts.iter().enumerate().map(|(i, c)| (*c as f64 - expected(i)).powi(2) / expected(i)).sum()
    }

    #[test]
    fn every_distribution_stays_inside_and_makes_an_operation_again() {
        let hot = Distribution::Hot { span: 0.2, share: 0.8 };
        for law in [Distribution::Uniform, Distribution::Once, Distribution::Zipf(1.1), hot] {
            for blocks in [1, 2, 3, 7, 1000, (1 << 40) + 1] {
                let (places, again) = (law.over(blocks, 9), law.over(blocks, 9));
                for index in (0..2000).chain(engine::stop::REHEARSED..engine::stop::REHEARSED + 20) {
                    let block = places.block(index);
                    assert!(block < blocks, "{law:?} of {blocks}: {block}");
                    assert_eq!(block, again.block(index));
                }
                let other = law.over(blocks, 10);
                let moved = (0..2000).filter(|i| places.block(*i) != other.block(*i)).count();
                assert!(blocks < 1000 || moved > 1000, "{law:?} of {blocks}: the seed decides nothing");
            }
        }
    }

    #[test]
    fn shares_become_words() {
        assert_eq!((word(0.0), word(1.0)), (0, u64::MAX));
        assert!((word(0.6) as f64 / u64::MAX as f64 - 0.6).abs() < 1e-9);
    }
}
