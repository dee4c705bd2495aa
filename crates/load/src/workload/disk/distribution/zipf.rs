//! `zipf`: the block of rank k is visited in proportion to 1 / k^theta.
//!
//! Ranks are drawn by rejection-inversion (Hoermann and Derflinger 1996,
//! "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6(3)): a continuous law over the ranks is
//! inverted, and a draw is repeated (rarely) where it lies above the discrete
//! one. It needs no table, holds for every exponent above 0, 1 among them, and
//! takes the same time for any number of blocks. Ranks are scattered over the
//! span by a permutation, as fio does, so that hot blocks are not neighbours.
//!
//! Logarithms are the C library's: another one may round the last bit otherwise
//! and then, once in some 10^15 draws, choose the neighbouring rank.

use super::once::Permutation;
use super::random;

/// Sets the place of ranks apart from other random words.
const SCATTER: u64 = 0x7363_6174_0000_0000;
/// Sets the draws of one operation apart.
const DRAW: u64 = 0x6472_6177_0000_0000;

/// Zipf's law over so many blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Zipf {
    law: Law,
    /// Where each rank lies.
    scatter: Permutation,
}

impl Zipf {
    pub(super) fn new(theta: f64, blocks: u64, seed: u64) -> Self {
        Self { law: Law::new(theta, blocks), scatter: Permutation::new(blocks, random(seed, SCATTER)) }
    }

    #[inline]
    pub(super) fn block(&self, seed: u64, index: u64) -> u64 {
        self.scatter.of(self.law.rank(seed, index) - 1)
    }
}

/// The ranks, from 1 on. The names are the paper's: h is the law, H its
/// integral.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Law {
    theta: f64,
    ranks: f64,
    /// H(3/2) - h(1).
    first: f64,
    /// H(ranks + 1/2).
    last: f64,
    /// Closer to its rank than this, a draw needs no comparison.
    near: f64,
}

impl Law {
    fn new(theta: f64, ranks: u64) -> Self {
        let mut law = Self { theta, ranks: ranks.max(1) as f64, first: 0.0, last: 0.0, near: 0.0 };
        law.first = law.integral(1.5) - 1.0;
        law.last = law.integral(law.ranks + 0.5);
        law.near = 2.0 - law.inverse(law.integral(2.5) - law.height(2.0));
        law
    }

    #[inline]
    fn rank(&self, seed: u64, index: u64) -> u64 {
        let mut word = random(seed, index);
        loop {
            // 53 bits, uniform in [0, 1).
            let uniform = (word >> 11) as f64 / (1u64 << 53) as f64;
            let area = self.last + uniform * (self.first - self.last);
            let at = self.inverse(area);
            let rank = at.round().clamp(1.0, self.ranks);
            if rank - at <= self.near || area >= self.integral(rank + 0.5) - self.height(rank) {
                return rank as u64;
            }
            word = random(word, DRAW);
        }
    }

    /// x^-theta.
    fn height(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// (x^(1-theta) - 1) / (1 - theta), and ln x where theta is 1.
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        let ln = x.ln();
        let power = (1.0 - self.theta) * ln;
        // The quotient is 1 at 0, where it cannot be computed; its next term is
        // power / 2, which below 1e-8 is far from half of the last bit of 1.
        let quotient = if power.abs() > 1e-8 { power.exp_m1() / power } else { 1.0 + power / 2.0 };
        quotient * ln
    }

    /// Which x has this integral.
    #[inline]
    fn inverse(&self, area: f64) -> f64 {
        // Rounding must not lead below the pole.
        let power = (area * (1.0 - self.theta)).max(-1.0);
        let quotient = if power.abs() > 1e-8 { power.ln_1p() / power } else { 1.0 - power / 2.0 };
        (quotient * area).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chi_square;
    use super::*;

    #[test]
    fn ranks_come_as_often_as_the_law_says() {
        for theta in [0.3, 0.99, 1.0, 1.1, 2.5] {
            for blocks in [2u64, 1000, 1 << 20] {
                let law = Law::new(theta, blocks);
                let draws = 200_000u64;
                // The first twenty ranks, and all others together.
                let top = blocks.min(20) as usize;
                let mut counts = vec![0u64; top + 1];
                for index in 0..draws {
                    counts[((law.rank(5, index) - 1) as usize).min(top)] += 1;
                }
                let weight = |rank: u64| (rank as f64).powf(-theta);
                let sum: f64 = (1..=blocks).map(weight).sum();
                let tops: f64 = (1..=top as u64).map(weight).sum();
                if blocks == top as u64 {
                    assert_eq!(counts.pop(), Some(0));
                }
                let chi = chi_square(&counts, |i| {
                    draws as f64 * if i < top { weight(i as u64 + 1) } else { sum - tops } / sum
                });
                // At most 20 degrees of freedom: below 45.3 at 99.9 %.
                assert!(chi < 45.3, "theta {theta} over {blocks} blocks: {chi}");
            }
        }
    }

    #[test]
    fn hot_blocks_are_no_neighbours() {
        let blocks = 1u64 << 20;
        let zipf = Zipf::new(1.1, blocks, 3);
        let places: Vec<u64> = (0..64).map(|rank| zipf.scatter.of(rank)).collect();
        let next = places.windows(2).filter(|w| w[0].abs_diff(w[1]) < 1000).count();
        // 63 pairs of which each is so close with a chance of 1 in 500.
        assert!(next <= 3, "{next} of 63 hottest blocks lie beside each other");
        // The hottest is where most go.
        let hottest = (0..10_000).filter(|i| zipf.block(3, *i) == places[0]).count();
        let sum: f64 = (1..=blocks).map(|rank| (rank as f64).powf(-1.1)).sum();
        assert!((hottest as f64 / 10_000.0 * sum - 1.0).abs() < 0.1, "{hottest} of 10,000");
    }
}
