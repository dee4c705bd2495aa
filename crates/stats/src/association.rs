//! Whether a fact goes with being in one group or in another: Fisher's exact test of a two-by-two table, and the
//! rank-sum test of numbers.
//!
//! Fisher, "Statistical Methods for Research Workers", 5th edition, 1934, section 21.02; two-sided as the sum of
//! all tables that are no likelier. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin
//! 1(6), 1945: exact over all ways to choose the smaller group, ties having the mean of their ranks, where these
//! are few enough to be counted; otherwise by the normal law with the correction for ties (Lehmann,
//! "Nonparametrics", 1975, section 1.4).
//!
//! Both say that two things are found together, and never that one is the cause of the other.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::factorial::ln_factorial;

/// How far the probabilities of equally likely tables may be off, as a fraction.
const ROUNDING: f64 = 1e-7;

/// Sums that are counted for an exact rank-sum test, at most.
const COUNTED_MOST: usize = 20_000_000;

/// The group with and without a fact, and the others with and without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoByTwo {
    /// Of the group: with the fact.
    pub group_with: usize,
    /// Of the group: without it.
    pub group_without: usize,
    /// Of the others: with it.
    pub others_with: usize,
    /// Of the others: without it.
    pub others_without: usize,
}

impl TwoByTwo {
    /// The two-sided p-value of Fisher's exact test: the chance of this table or one no likelier, were the fact
    /// dealt out at random.
    #[must_use]
    pub fn fisher(&self) -> f64 {
        let (group, others) = (self.group_with + self.group_without, self.others_with + self.others_without);
        let with = self.group_with + self.others_with;
        let ln = |n: usize| ln_factorial(n as u64);
        let choose = |n: usize, k: usize| ln(n) - ln(k) - ln(n - k);
        let all = choose(group + others, with);
        let chance = |k: usize| (choose(group, k) + choose(others, with - k) - all).exp();
        let here = chance(self.group_with) * (1.0 + ROUNDING);
        let tables = with.saturating_sub(others)..=with.min(group);
        tables.map(chance).filter(|p| *p <= here).sum::<f64>().min(1.0)
    }

    /// How well the fact, or its absence, tells the group from the others: the mean of the shares of both that it
    /// tells rightly. 1 is always, 0.5 is as a coin does.
    #[must_use]
    pub fn told_apart(&self) -> f64 {
        let share = |with: usize, without: usize| with as f64 / ((with + without) as f64).max(1.0);
        let group = share(self.group_with, self.group_without);
        let others = share(self.others_with, self.others_without);
        0.5 + (group - others).abs() / 2.0
    }
}

/// The two-sided p-value of the rank-sum test that two groups of numbers are of one law; `None` where a group is
/// empty or a value is not finite.
#[must_use]
pub fn rank_sum(a: &[f64], b: &[f64]) -> Option<f64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    if a.is_empty() || b.is_empty() || !all.iter().all(|value| value.is_finite()) {
        return None;
    }
    let (ranks, ties) = doubled_ranks(&all);
    let of_a: usize = ranks[..a.len()].iter().sum();
    let (chosen, sum, few) = if a.len() <= b.len() {
        (&ranks, of_a, a.len())
    } else {
        (&ranks, ranks.iter().sum::<usize>() - of_a, b.len())
    };
    let most: usize = few * 2 * all.len();
    if all.len().saturating_mul(few).saturating_mul(most) <= COUNTED_MOST {
        return Some(exact(chosen, few, sum, most));
    }
    let (n, m, total) = (a.len() as f64, b.len() as f64, all.len() as f64);
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return Some(1.0);
    }
    let distance = ((of_a as f64 / 2.0 - n * (total + 1.0) / 2.0).abs() - 0.5).max(0.0);
    Some((2.0 * Normal::new(0.0, 1.0).ok()?.sf(distance / variance.sqrt())).min(1.0))
}

/// Twice the rank of each value, ties having the mean of theirs; and the sum of t^3 - t over the ties of t.
fn doubled_ranks(all: &[f64]) -> (Vec<usize>, f64) {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].total_cmp(&all[*b]));
    let mut ranks = vec![0; all.len()];
    let mut ties = 0.0;
    let mut from = 0;
    while from < order.len() {
        let same = order[from..].iter().take_while(|place| all[**place] == all[order[from]]).count();
        for place in &order[from..from + same] {
            ranks[*place] = 2 * from + same + 1;
        }
        let t = same as f64;
        ties += t * t * t - t;
        from += same;
    }
    (ranks, ties)
}

/// The share of all ways to choose `few` ranks whose sum is as far from the middle.
fn exact(ranks: &[usize], few: usize, sum: usize, most: usize) -> f64 {
    // ways[k][s]: in how many ways k of the ranks so far make the sum s.
    let mut ways = vec![vec![0.0f64; most + 1]; few + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (1..=few).rev() {
            let (fewer, own) = ways.split_at_mut(k);
            for (s, count) in own[0].iter_mut().enumerate().skip(*rank) {
                *count += fewer[k - 1][s - rank];
            }
        }
    }
    let middle = few * (ranks.len() + 1);
    let far = sum.abs_diff(middle);
    let all: f64 = ways[few].iter().sum();
    let as_far = ways[few].iter().enumerate().filter(|(s, _)| s.abs_diff(middle) >= far);
    as_far.map(|(_, count)| count).sum::<f64>() / all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(group_with: usize, group_without: usize, others_with: usize, others_without: usize) -> TwoByTwo {
        TwoByTwo { group_with, group_without, others_with, others_without }
    }

    #[test]
    fn fisher_is_that_of_the_books() {
        // The lady tasting tea: 1/70 for all right, doubled by all wrong; and R's fisher.test of 3, 1, 1, 3.
        assert!((table(4, 0, 0, 4).fisher() - 2.0 / 70.0).abs() < 1e-12);
        assert!((table(3, 1, 1, 3).fisher() - 34.0 / 70.0).abs() < 1e-12);
        // Fisher's twins: 10 of 13 monozygotic and 2 of 17 dizygotic were convicted; R 4.3 gives 0.0005367.
        assert!((table(10, 3, 2, 15).fisher() - 0.000_536_724).abs() < 1e-8);
        // All three of three, none of 61 others: one of the C(64, 3) ways.
        assert!((table(3, 0, 0, 61).fisher() - 1.0 / 41_664.0).abs() < 1e-12);
        assert!((table(0, 0, 3, 4).fisher() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_tells_all_apart_is_one_and_what_tells_nothing_a_half() {
        assert_eq!([table(3, 0, 0, 61), table(0, 3, 61, 0)].map(|t| t.told_apart()), [1.0, 1.0]);
        assert_eq!([table(3, 3, 5, 5), table(0, 3, 0, 9)].map(|t| t.told_apart()), [0.5, 0.5]);
    }

    #[test]
    fn the_rank_sum_is_that_of_the_books() {
        // All of three below all of four: 1 of the C(7, 3) = 35 ways, on both sides.
        let p = rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]).unwrap();
        assert!((p - 2.0 / 35.0).abs() < 1e-12, "{p}");
        // With a tie across: of the doubled ranks 2, 5, 5, 8 two sum to 7 or less in 2 of 6 ways.
        let p = rank_sum(&[1.0, 2.0], &[2.0, 3.0]).unwrap();
        assert!((p - 4.0 / 6.0).abs() < 1e-12, "{p}");
        assert_eq!(rank_sum(&[2.0; 4], &[2.0; 4]), Some(1.0));
        assert_eq!(rank_sum(&[], &[1.0]), None);
        assert_eq!(rank_sum(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn many_take_the_normal_law_which_is_near_the_exact_one() {
        let (a, b): (Vec<f64>, Vec<f64>) =
            ((0..40).map(|i| f64::from(i) * 1.3).collect(), (0..60).map(f64::from).collect());
        let (ranks, _) = doubled_ranks(&a.iter().chain(&b).copied().collect::<Vec<_>>());
        let exact = exact(&ranks, 40, ranks[..40].iter().sum(), 40 * 200);
        let normal = rank_sum(&a, &b).unwrap();
        assert!((exact - normal).abs() < 0.005, "{exact} and {normal}");
        let far: Vec<f64> = (0..2000).map(f64::from).collect();
        assert!(rank_sum(&far[..500], &far[500..]).unwrap() < 1e-100);
    }
}
