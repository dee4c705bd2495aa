//! The order of trials: a function of the seed.

use std::borrow::Borrow;

use model::plan::Case;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// Mixes two numbers into a seed of its own.
pub(super) fn mix(seed: u64, part: u64) -> u64 {
    SplitMix64::seed_from_u64(seed ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64()
}

/// Puts one block of a group into random order (Fisher and Yates, in Durstenfeld's
/// form). The order before does not matter as long as it is the same set.
pub(super) fn shuffle(cases: &mut [impl Borrow<Case>], seed: u64, group: usize, block: u32) {
    cases.sort_by_key(|c| c.borrow().index);
    let own = mix(mix(seed, group as u64), u64::from(block).wrapping_add(1));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(own);
    for last in (1..cases.len()).rev() {
        let bound = last as u64 + 1;
        let other = ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as usize;
        cases.swap(last, other);
    }
}
