//! Which of so many blocks an operation goes to, at random: a pure function of
//! the seed and the operation's number, so that any operation can be made
//! again.

use model::Parameters;
use model::parameter::Word;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::engine::fault::Fault;

/// The words of `distribution`.
pub(super) const WORDS: &[Word] =
    &[Word { word: "uniform", doc: "every block alike, some more than once before others" }];

/// How random places are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Distribution {
    Uniform,
}

impl Distribution {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Fault> {
        match parameters.text("distribution")? {
            "uniform" => Ok(Distribution::Uniform),
            other => Err(Fault::Other(format!("`{other}` is no distribution of disk"))),
        }
    }

    /// The block of `blocks` that operation `index` goes to.
    #[inline]
    pub(super) fn block(&self, seed: u64, index: u64, blocks: u64) -> u64 {
        match self {
            Distribution::Uniform => below(random(seed, index), blocks),
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
pub(super) fn random(seed: u64, index: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    SplitMix64::seed_from_u64(seed.wrapping_add(index.wrapping_mul(GOLDEN))).next_u64()
}
