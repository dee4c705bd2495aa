//! `once`: every block once before any twice, without a map of those that were
//! visited: a pass goes through a permutation that is computed, another one
//! each pass.
//!
//! The permutation is a Feistel network (Luby and Rackoff 1988) on as many bits
//! as the number of the last block has, cut into two halves that may differ by
//! a bit; what falls behind the last block is permuted again until it does not
//! ("cycle walking", Black and Rogaway 2002), on average less than once. It
//! only has to look random to a disk; it keeps no secret.

use super::random;

/// Sets the keys of passes apart from other random words.
const PASS: u64 = 0x7061_7373_0000_0000;

/// The block of `blocks` that is visited as number `turn`.
#[inline]
pub(super) fn block(seed: u64, turn: u64, blocks: u64) -> u64 {
    let (pass, step) = (turn / blocks.max(1), turn % blocks.max(1));
    Permutation::new(blocks, random(seed ^ PASS, pass)).of(step)
}

/// A permutation of the numbers below `count`, which `key` chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload::disk) struct Permutation {
    count: u64,
    /// Bits of the lower half.
    low_bits: u32,
    low: u64,
    high: u64,
    key: u64,
}

/// Rounds of the network: four of random functions cannot be told from a random
/// permutation by anyone who may ask it both ways.
const ROUNDS: u64 = 4;

impl Permutation {
    pub(in crate::workload::disk) fn new(count: u64, key: u64) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let low_bits = bits / 2;
        let mask = |bits: u32| (1u64 << bits) - 1;
        Self { count, low_bits, low: mask(low_bits), high: mask(bits - low_bits), key }
    }

    /// Where `number`, which is below the count, goes.
    #[inline]
    pub(in crate::workload::disk) fn of(&self, number: u64) -> u64 {
        let mut at = number;
        loop {
            at = self.mix(at);
            if at < self.count.max(1) {
                return at;
            }
        }
    }

    /// Each step changes one half by a function of the other, so it can be taken
    /// back: the whole is a permutation of all numbers of so many bits.
    #[inline]
    fn mix(&self, number: u64) -> u64 {
        let (mut high, mut low) = (number >> self.low_bits, number & self.low);
        for round in 0..ROUNDS / 2 {
            high ^= scramble(low, self.key, 2 * round) & self.high;
            low ^= scramble(high, self.key, 2 * round + 1) & self.low;
        }
        high << self.low_bits | low
    }
}

/// A random function of `half`, another in each round: the finishing steps of
/// SplitMix64.
#[inline]
fn scramble(half: u64, key: u64, round: u64) -> u64 {
    let mut z = (half ^ key).wrapping_add((round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::tests::chi_square;
    use super::*;

    #[test]
    fn a_pass_visits_every_block_once_and_the_next_one_in_another_order() {
        for blocks in [1u64, 2, 3, 5, 64, 1000, 4096, 100_003] {
            let pass = |n: u64| {
                (n * blocks..(n + 1) * blocks).map(|turn| block(3, turn, blocks)).collect::<Vec<_>>()
            };
            let (first, second) = (pass(0), pass(1));
            for order in [&first, &second] {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..blocks), "{blocks} blocks");
            }
            assert!(blocks < 64 || first != second, "{blocks} blocks");
        }
    }

    #[test]
    fn the_order_looks_random() {
        // Where the first step goes, over many keys: uniform over 100 blocks.
        // Chi-square with 99 degrees of freedom: below 149 at 99.9 %.
        let mut counts = vec![0u64; 100];
        (0..20_000).for_each(|seed| counts[block(random(1, seed), 0, 100) as usize] += 1);
        let chi = chi_square(&counts, |_| 200.0);
        assert!(chi < 149.0, "{chi}");
        // How far it is from one step to the next, in one long pass: the
        // distance (modulo the count) is uniform too, so neither neighbours nor
        // strides stand out.
        let blocks = 1u64 << 20;
        let mut counts = vec![0u64; 256];
        for turn in 0..100_000 {
            let distance = block(7, turn + 1, blocks).wrapping_sub(block(7, turn, blocks)) % blocks;
            counts[(distance >> 12) as usize] += 1;
        }
        // 255 degrees of freedom: below 331 at 99.9 %.
        let chi = chi_square(&counts, |_| 100_000.0 / 256.0);
        assert!(chi < 331.0, "{chi}");
    }
}
