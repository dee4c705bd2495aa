//! Whether a result follows what was changed, simulated: a known truth, noise of each trial, looks
//! after each pair, a fixed seed. `-- --nocapture` prints the numbers that the module cites.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::response::{PAIRS_LEAST, PAIRS_MOST, Response, of_pairs};

const RUNS: usize = 2_000;

/// What is left where a tenth was taken.
const LEFT: f64 = 0.9;

/// One trial in so many that is a fifth slower, where there are such trials.
const DISTURBED: f64 = 0.05;

struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Uniform, above 0 and up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn trial(&mut self, noise: f64, disturbed: bool) -> f64 {
        let slow = if disturbed && self.uniform() < DISTURBED { -0.2 } else { 0.0 };
        (noise * self.normal() + slow).exp()
    }
}

/// One run: what came of it, and after how many pairs.
fn run(random: &mut Random, follows: f64, noise: f64, disturbed: bool) -> (Response, usize) {
    let mut pairs = Vec::new();
    for _ in 0..PAIRS_MOST {
        // A block's own speed is common to the pair.
        let block = random.trial(0.1, false);
        let with = LEFT.powf(follows) * random.trial(noise, disturbed);
        pairs.push((block * with, block * random.trial(noise, disturbed)));
        let found = of_pairs(&pairs, LEFT);
        if found != Response::Open {
            return (found, pairs.len());
        }
    }
    (Response::Open, PAIRS_MOST)
}

#[test]
fn fewer_than_one_in_twenty_answers_is_wrong() {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(22));
    for disturbed in [false, true] {
        for noise in [0.005, 0.01, 0.02, 0.04, 0.06, 0.08] {
            for (follows, wrong_is) in [
                (0.0, Response::Follows),
                (0.2, Response::Follows),
                (0.8, Response::Stays),
                (1.0, Response::Stays),
            ] {
                let (mut wrong, mut open, mut pairs) = (0, 0, 0);
                for _ in 0..RUNS {
                    let (found, taken) = run(&mut random, follows, noise, disturbed);
                    wrong += usize::from(found == wrong_is);
                    open += usize::from(found == Response::Open);
                    pairs += taken;
                }
                let percent = |part: usize| 100.0 * part as f64 / RUNS as f64;
                let mean = pairs as f64 / RUNS as f64;
                println!(
                    "disturbed {disturbed}, noise {noise}, follows by {follows}: wrong {:.1} %, open {:.1} %, {mean:.1} pairs",
                    percent(wrong),
                    percent(open)
                );
                assert!(percent(wrong) < 5.0, "{noise} {follows}: {wrong}");
                assert!(mean >= PAIRS_LEAST as f64);
                // A quiet machine decides, and soon.
                assert!(
                    noise > 0.01 || disturbed || open == 0 && mean < 6.0,
                    "{noise} {follows}: {open}, {mean}"
                );
            }
        }
    }
}
