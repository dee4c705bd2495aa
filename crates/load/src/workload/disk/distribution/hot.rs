//! `hot`: a hot spot. A share of the operations goes to a contiguous part of
//! the blocks, the others go to the rest; inside both all blocks are alike (as
//! fio's `random_distribution=zoned`). Where the spot lies the seed decides, so
//! that no cache still holds the last trial's.

use super::{below, random, word};

/// Sets the choice of hot or cold apart from other random words.
const CHOICE: u64 = 0x686f_7400_0000_0000;

/// A hot spot among so many blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hot {
    blocks: u64,
    /// How many of them are hot, at least one.
    hot: u64,
    /// The first hot one. The spot may go on from the last block to the first.
    start: u64,
    /// Up to this random word an operation goes to the spot.
    up_to: u64,
}

impl Hot {
    pub(super) fn new(span: f64, share: f64, blocks: u64, seed: u64) -> Self {
        let hot = ((blocks as f64 * span).round() as u64).clamp(1, blocks.max(1));
        Self { blocks, hot, start: below(random(seed, CHOICE), blocks), up_to: word(share) }
    }

    #[inline]
    pub(super) fn block(&self, seed: u64, index: u64) -> u64 {
        let at = random(seed, index);
        let inside = random(seed ^ CHOICE, index) < self.up_to || self.hot == self.blocks;
        let from_start =
            if inside { below(at, self.hot) } else { self.hot + below(at, self.blocks - self.hot) };
        let block = self.start + from_start;
        if block < self.blocks { block } else { block - self.blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chi_square;
    use super::*;

    #[test]
    fn the_spot_gets_its_share_and_all_inside_are_alike() {
        for seed in [1, 2, 3] {
            let hot = Hot::new(0.2, 0.8, 1000, seed);
            let mut counts = vec![0u64; 1000];
            for index in 0..500_000 {
                counts[((hot.block(seed, index) + 1000 - hot.start) % 1000) as usize] += 1;
            }
            // 400,000 in the first 200 and 100,000 in the other 800; with 999
            // degrees of freedom below 1143 at 99.9 %.
            let chi = chi_square(&counts, |i| if i < 200 { 2000.0 } else { 125.0 });
            assert!(chi < 1143.0, "{chi}");
        }
    }

    #[test]
    fn a_spot_of_all_or_of_hardly_anything_is_one() {
        let all = Hot::new(1.0, 0.5, 10, 1);
        let seen: std::collections::BTreeSet<u64> = (0..1000).map(|i| all.block(1, i)).collect();
        assert_eq!(seen.len(), 10);
        let one = Hot::new(0.0, 1.0, 10, 1);
        assert!((0..1000).all(|i| one.block(1, i) == one.start));
    }
}
