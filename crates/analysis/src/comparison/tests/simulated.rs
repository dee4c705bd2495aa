//! Whole comparisons of simulated runs: how often they are wrong, and how often they see what is
//! there. Levels of single ratios over many more samples are in `stats/tests/coverage.rs`.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Five values around `center`, lognormal with a spread of 2 % (Box & Muller 1958).
    fn trials(&mut self, center: f64) -> [f64; 5] {
        std::array::from_fn(|_| {
            let radius = (-2.0 * self.uniform().ln()).sqrt();
            center * (0.02 * radius * (std::f64::consts::TAU * self.uniform()).cos()).exp()
        })
    }
}

/// A run of `cases` cases with a rate and a percentile each, all faster by `factor`.
fn simulated(id: &str, cases: u64, factor: f64, random: &mut Random) -> Run {
    let one = |depth: u64| {
        let (iops, p99) = (random.trials(1e5 * factor), random.trials(1e-3 / factor));
        case(&[("queue-depth", depth.into())], &[("iops", &iops), ("latency_p99", &p99)])
    };
    run(id, &[], (1..=cases).map(one).collect())
}

/// How many of 200 pairs of runs have a verdict that calls their sides different, and how many of
/// all verdicts do.
fn called_different(cases: u64, factor: f64, seed: u64) -> (usize, usize, usize) {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
    let (mut runs, mut rows, mut of) = (0, 0, 0);
    for _ in 0..200 {
        let pair = [simulated("a", cases, 1.0, &mut random), simulated("b", cases, factor, &mut random)];
        let tally = compared(&pair).tally;
        let different = tally.better + tally.worse;
        runs += usize::from(different > 0);
        rows += different;
        of += different + tally.same + tally.cannot_tell;
    }
    println!("{cases} cases, factor {factor}: {runs} of 200 pairs, {rows} of {of} verdicts");
    (runs, rows, of)
}

#[test]
fn of_equal_runs_at_most_one_verdict_in_twenty_says_otherwise() {
    // Holm holds the chance of any false verdict in a comparison below 5 %, so 10 of 200; chance
    // alone moves that count by 3.
    for cases in [1, 4] {
        let (runs, rows, of) = called_different(cases, 1.0, 1);
        assert!(rows * 20 <= of, "{rows} of {of}");
        assert!(runs <= 10, "{runs} of 200");
    }
}

#[test]
fn a_true_difference_of_five_percent_is_found() {
    let (runs, ..) = called_different(1, 1.05, 2);
    assert!(runs >= 180, "{runs} of 200");
}
