//! Verdicts on what twice as much under way gives, looked at block after block: simulations with a
//! known truth and a fixed seed. `-- --nocapture` prints the numbers that the module docs cite.
#![allow(clippy::unwrap_used)]

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::comparison::paired_ratio;
use stats::doubling::{DoublingAnswer, DoublingEffect};
use stats::interval::median;
use stats::stopping::confirmed_at;

const RUNS: usize = 2_000;

/// Blocks at most beyond those that were planned, as `study` takes them.
const MORE: usize = 12;

struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }
}

fn answer(pairs: &[(f64, f64)]) -> DoublingAnswer {
    let of = |side: fn(&(f64, f64)) -> f64| median(&pairs.iter().map(side).collect::<Vec<_>>()).unwrap();
    let gain = of(|p| p.0) / of(|p| p.1) - 1.0;
    let ratio = paired_ratio(pairs, 0.95).unwrap();
    let (low, high) = (ratio.interval.low - 1.0, ratio.interval.high - 1.0);
    // By Little's law.
    DoublingEffect { gain, low, high, slower: 2.0 / (1.0 + gain), blocks: pairs.len() }.answer()
}

/// What is said in the end of a level that gives `truth` more, and after how many blocks.
fn told(truth: f64, noise: f64, planned: usize, random: &mut Random) -> (DoublingAnswer, usize) {
    let mut pairs = Vec::new();
    let mut first: Option<(DoublingAnswer, usize)> = None;
    loop {
        let mut trial = || (noise * random.normal()).exp();
        pairs.push(((1.0 + truth) * trial(), trial()));
        let n = pairs.len();
        if n < planned {
            continue;
        }
        let now = answer(&pairs);
        let is_open = matches!(now, DoublingAnswer::Open | DoublingAnswer::SeemsFull);
        if is_open {
            first = None;
        } else if first.is_none_or(|(of_first, _)| of_first != now) {
            first = Some((now, n));
        }
        let is_confirmed = first.is_some_and(|(_, at)| at == planned || n >= confirmed_at(at));
        if is_confirmed || n >= planned + MORE {
            return (now, n);
        }
    }
}

#[test]
fn a_verdict_on_a_doubling_is_wrong_in_at_most_five_percent() {
    for planned in [3, 5] {
        for noise in [0.005, 0.01, 0.02, 0.04, 0.08] {
            let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(40));
            let mut share = |truth: f64, wrong: DoublingAnswer| {
                let (mut hits, mut blocks) = (0, 0);
                for _ in 0..RUNS {
                    let (said, n) = told(truth, noise, planned, &mut random);
                    hits += usize::from(said == wrong);
                    blocks += n;
                }
                (100.0 * hits as f64 / RUNS as f64, blocks as f64 / RUNS as f64)
            };
            let (more, of_nothing) = share(0.0, DoublingAnswer::GivesMore);
            let (full, of_a_fifth) = share(0.2, DoublingAnswer::Full);
            let (near, _) = share(0.1, DoublingAnswer::Full);
            println!(
                "{planned} blocks, noise {noise}: gives more of 0 %: {more:.2} % ({of_nothing:.1} blocks), full of \
                 20 %: {full:.2} % ({of_a_fifth:.1} blocks), full of 10 %: {near:.1} %"
            );
            assert!(more <= 5.0 && full <= 5.0, "{planned} blocks, noise {noise}: {more} {full}");
        }
    }
}
