//! Do the intervals hold: simulations with a known truth and a fixed seed.
//!
//! Coverages rest on 20,000 samples or more, so that their standard error is 0.15 points; the
//! bounds leave room for what a method is known to miss, not for chance. `-- --nocapture` prints the
//! numbers that the module docs cite.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::comparison::{Judgement, Preference, RatioEstimate, paired_ratio, unpaired_ratio, verdict};
use stats::interval::of_center;
use stats::steady::mser5;
use stats::stopping::{StopDecision, StoppingRule, decide};

const SAMPLES: usize = 20_000;

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform, above 0 and up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn lognormal(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal()).exp()
    }

    fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }
}

fn percent(hits: usize, of: usize) -> f64 {
    100.0 * hits as f64 / of as f64
}

/// How often the 95 % interval of n values holds the true median.
fn coverage(n: usize, true_median: f64, mut value: impl FnMut() -> f64) -> f64 {
    let hits = (0..SAMPLES)
        .filter(|_| {
            let values: Vec<f64> = (0..n).map(|_| value()).collect();
            of_center(&values, 0.95).expect("finite values have an interval").contains(true_median)
        })
        .count();
    percent(hits, SAMPLES)
}

#[test]
fn intervals_cover_the_true_median() {
    let mut random = Random::new(1);
    for n in [3, 4, 5, 6, 7, 8, 10, 15] {
        let narrow = coverage(n, 1.0, || random.lognormal(0.05));
        println!("n {n:2} lognormal 0.05: {narrow:.2} %");
        assert!((93.0..=97.0).contains(&narrow), "n = {n}: {narrow}");
        if n < 6 {
            continue;
        }
        let wide = coverage(n, 1.0, || random.lognormal(0.5));
        let skewed = coverage(n, std::f64::consts::LN_2, || random.exponential());
        println!("n {n:2} lognormal 0.5: {wide:.2} %, exponential: {skewed:.2} %");
        assert!((93.0..=97.0).contains(&wide), "n = {n}: {wide}");
        assert!((93.0..=97.0).contains(&skewed), "n = {n}: {skewed}");
    }
}

/// Both sides are the same: how often a comparison says otherwise.
#[test]
fn equal_sides_are_rarely_called_different() {
    let mut random = Random::new(3);
    for n in [3, 4, 5, 6, 7, 8, 10, 15] {
        let (mut different, mut within_margin) = (0, 0);
        for _ in 0..SAMPLES {
            let pairs: Vec<(f64, f64)> = (0..n)
                .map(|_| {
                    // A block's own speed is common to the pair.
                    let block = random.lognormal(0.2);
                    (block * random.lognormal(0.03), block * random.lognormal(0.03))
                })
                .collect();
            let ratio = paired_ratio(&pairs, 0.95).unwrap();
            let differs = |margin| {
                let found = verdict(&ratio, Preference::Higher, margin);
                usize::from(matches!(found, Judgement::Better | Judgement::Worse))
            };
            assert_eq!(differs(0.0) == 1, ratio.p_value < 0.05, "{pairs:?}");
            different += differs(0.0);
            within_margin += differs(0.05);
        }
        let (different, within_margin) = (percent(different, SAMPLES), percent(within_margin, SAMPLES));
        println!("A/A n {n:2}: {different:.2} % at margin 0, {within_margin:.2} % at 5 %");
        // 5 %, half a point that the interpolation is known to miss at n = 7 and 8, three
        // standard errors.
        assert!(different < 6.0, "n = {n}: {different}");
        assert!(within_margin <= different, "n = {n}");
    }
}

/// Whether a comparison calls its sides different.
fn differ(ratio: &RatioEstimate, margin: f64) -> bool {
    matches!(verdict(ratio, Preference::Higher, margin), Judgement::Better | Judgement::Worse)
}

/// Two runs with so many trials each, spread 2 %, the first faster by `factor`.
fn two_runs(random: &mut Random, n: usize, factor: f64) -> RatioEstimate {
    let mut run = |factor: f64| (0..n).map(|_| factor * random.lognormal(0.02)).collect::<Vec<f64>>();
    let (a, b) = (run(factor), run(1.0));
    unpaired_ratio(&a, &b, 0.95).expect("values above 0 have a ratio")
}

/// Equal runs: how often they are called different. (Of a mere 200 pairs chance alone makes it 2 to
/// 8 %, so the level is taken from 20,000.)
#[test]
fn equal_runs_are_rarely_called_different() {
    let mut random = Random::new(6);
    for n in [3, 4, 5, 6, 7, 8, 10, 15] {
        let mut different = 0;
        let mut uneven = 0;
        for _ in 0..SAMPLES {
            let ratio = two_runs(&mut random, n, 1.0);
            assert_eq!(differ(&ratio, 0.0), ratio.p_value <= 0.05, "{ratio:?}");
            different += usize::from(differ(&ratio, 0.0));
            // The other side four times as steady, and with one trial more.
            let a: Vec<f64> = (0..n).map(|_| random.lognormal(0.08)).collect();
            let b: Vec<f64> = (0..=n).map(|_| random.lognormal(0.02)).collect();
            uneven += usize::from(differ(&unpaired_ratio(&a, &b, 0.95).unwrap(), 0.0));
        }
        let (different, uneven) = (percent(different, SAMPLES), percent(uneven, SAMPLES));
        println!("A/A runs n {n:2}: {different:.2} % at margin 0, {uneven:.2} % with uneven spreads");
        assert!(different < 5.3, "n = {n}: {different}");
        // Ranks assume one shape, and four times the spread is another: up to 2.5 points.
        assert!(uneven < 8.2, "n = {n}: {uneven}");
    }
}

/// Fewer trials that spread more, as those that are left where some failed: by ranks 11.7 %.
#[test]
fn regression_few_wide_trials_against_many_narrow_ones_were_called_different_too_often() {
    let mut random = Random::new(16);
    for (few, many) in [(7, 15), (6, 10), (10, 30)] {
        let mut different = 0;
        for _ in 0..SAMPLES {
            let a: Vec<f64> = (0..few).map(|_| random.lognormal(0.08)).collect();
            let b: Vec<f64> = (0..many).map(|_| random.lognormal(0.02)).collect();
            different += usize::from(differ(&unpaired_ratio(&a, &b, 0.95).unwrap(), 0.0));
        }
        let different = percent(different, SAMPLES);
        assert!((4.0..=6.0).contains(&different), "{few} against {many}: {different}");
    }
}

/// A true difference of 5 % at a spread of 2 %: how often it is found, by pairs of blocks and by
/// two runs.
#[test]
fn a_true_difference_of_five_percent_is_found() {
    let mut random = Random::new(7);
    for (n, runs_at_least, pairs_at_least) in
        [(5, 90.0, 80.0), (6, 93.0, 88.0), (8, 98.0, 94.0), (10, 99.0, 98.0)]
    {
        let (mut by_runs, mut by_pairs) = (0, 0);
        for _ in 0..SAMPLES {
            by_runs += usize::from(differ(&two_runs(&mut random, n, 1.05), 0.02));
            let pairs: Vec<(f64, f64)> =
                (0..n).map(|_| (1.05 * random.lognormal(0.02), random.lognormal(0.02))).collect();
            by_pairs += usize::from(differ(&paired_ratio(&pairs, 0.95).unwrap(), 0.02));
        }
        let (by_runs, by_pairs) = (percent(by_runs, SAMPLES), percent(by_pairs, SAMPLES));
        println!("5 % at n {n:2}: {by_runs:.1} % by two runs, {by_pairs:.1} % by pairs");
        assert!(by_runs >= runs_at_least, "n = {n}: {by_runs}");
        assert!(by_pairs >= pairs_at_least, "n = {n}: {by_pairs}");
    }
}

/// One trial in ten is 5 to 26 % slower: ranks keep their power, which is why they are used as soon
/// as there are trials enough.
#[test]
fn bad_trials_hide_a_difference_less_from_ranks() {
    let mut random = Random::new(8);
    let mut found = |n: usize| {
        let hits = (0..SAMPLES).filter(|_| {
            let mut run = |factor: f64| {
                let mut trial = || {
                    let bad = random.uniform() < 0.1;
                    let loss = if bad { 0.05 + 0.25 * random.uniform() } else { 0.0 };
                    factor * random.lognormal(0.02) * (-loss).exp()
                };
                (0..n).map(|_| trial()).collect::<Vec<f64>>()
            };
            let (a, b) = (run(1.05), run(1.0));
            differ(&unpaired_ratio(&a, &b, 0.95).unwrap(), 0.02)
        });
        percent(hits.count(), SAMPLES)
    };
    let (five, six, ten) = (found(5), found(6), found(10));
    println!("5 % with bad trials: {five:.1} % at 5, {six:.1} % at 6, {ten:.1} % at 10");
    // SciPy's Welch finds 43 % at six and 51 % at ten (20,000 samples each).
    assert!(six > 55.0 && ten > 85.0, "{six} {ten}");
}

/// The bias of stopping when the precision is met: the last interval's coverage, over the spreads that
/// a page has. 20,000 runs each have a standard error of 0.15 points.
#[test]
fn stopping_at_a_precision_keeps_coverage() {
    let sigmas = [0.001, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.08];
    for (min, max, least) in [(3, 15, 92.2), (5, 15, 92.2), (3, 5, 93.0)] {
        let rule = StoppingRule { min, max, precision: Some(0.02), confidence: 0.95 };
        let mut over_all = 0.0;
        for (index, sigma) in sigmas.into_iter().enumerate() {
            let mut random = Random::new(100 + index as u64);
            let (mut hits, mut trials) = (0, 0);
            for _ in 0..SAMPLES {
                let mut values = Vec::new();
                while decide(&rule, &values) == StopDecision::More {
                    values.push(random.lognormal(sigma));
                }
                trials += values.len();
                hits += usize::from(of_center(&values, 0.95).unwrap().contains(1.0));
            }
            let covered = percent(hits, SAMPLES);
            println!(
                "{min} to {max}, sigma {sigma}: {covered:.2} % with {:.1} trials",
                trials as f64 / SAMPLES as f64
            );
            assert!((least..=97.0).contains(&covered), "{min} to {max}, sigma = {sigma}: {covered}");
            over_all += covered / sigmas.len() as f64;
        }
        println!("{min} to {max}: {over_all:.2} % over all spreads");
        assert!((93.0..=97.0).contains(&over_all), "{min} to {max}: {over_all}");
    }
}

#[test]
fn mser_tells_drift_from_noise() {
    let mut random = Random::new(4);
    let runs = 2_000;
    for (batches, steady_at_most, drift_at_least) in [(20, 15.0, 80.0), (100, 3.0, 92.0)] {
        let mut refused = |drift: f64| {
            let count = (0..runs)
                .filter(|_| {
                    let series: Vec<f64> = (0..batches * 5)
                        .map(|i| {
                            // Noise of one standard deviation per batch mean.
                            let at = (i / 5) as f64 / (batches - 1) as f64;
                            random.normal() * 5.0f64.sqrt() + drift * at
                        })
                        .collect();
                    !mser5(&series).unwrap().settled
                })
                .count();
            percent(count, runs)
        };
        let (steady, drifting) = (refused(0.0), refused(10.0));
        println!("{batches} batches: {steady:.1} % of steady, {drifting:.1} % of drifting refused");
        assert!(steady < steady_at_most, "{batches}: {steady}");
        assert!(drifting > drift_at_least, "{batches}: {drifting}");
    }
}
