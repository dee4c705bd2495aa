//! Steps of a series, simulated: 30 runs, a known truth, a spread of 2 %, a fixed seed. `-- --nocapture` prints
//! the numbers that `docs/guide/trend.md` cites.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::change_point::{ChangePoint, SIGNIFICANCE, change_points};

const SERIES: usize = 200;
const RUNS: usize = 30;
const SPREAD: f64 = 0.02;

/// What is left of a rate behind the step.
const LEFT: f64 = 0.95;

/// A step counts as found if it is no further off, in runs.
const NEAR: usize = 5;

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn seeded() -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(28))
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    /// From 0 to below `count`.
    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// The steps that are found in the logarithms of runs that step at `step`.
    fn found(&mut self, step: usize) -> Vec<ChangePoint> {
        let log = |run: usize| if run < step { 0.0 } else { LEFT.ln() };
        let values: Vec<f64> = (0..RUNS).map(|run| log(run) + SPREAD * self.normal()).collect();
        change_points(&values, SIGNIFICANCE)
    }
}

fn is_near(found: &[ChangePoint], step: usize) -> bool {
    found.iter().any(|point| point.at.abs_diff(step) <= NEAR)
}

#[test]
fn runs_without_a_step_seldom_show_one() {
    let mut random = Random::seeded();
    let wrong = (0..SERIES).filter(|_| !random.found(RUNS).is_empty()).count();
    println!("{wrong} of {SERIES} series without a step show one");
    assert!(wrong * 20 <= SERIES, "{wrong}");
}

#[test]
fn a_step_of_five_percent_is_found_within_five_runs() {
    let mut random = Random::seeded();
    let (mut near, mut inside) = (0, 0);
    for _ in 0..SERIES {
        let step = NEAR + random.below(RUNS - 2 * NEAR + 1);
        let found = random.found(step);
        near += usize::from(is_near(&found, step));
        inside += usize::from(found.iter().any(|p| (p.earliest..=p.latest).contains(&step)));
    }
    // Five runs behind it: as soon as that it is seen.
    let soon = (0..SERIES).filter(|_| is_near(&random.found(RUNS - NEAR), RUNS - NEAR)).count();
    println!("of {SERIES} steps {near} are found, {inside} within their interval; {soon} after five runs");
    assert!(near * 10 >= SERIES * 9, "{near}");
    assert!(inside * 10 >= SERIES * 9, "{inside}");
    assert!(soon * 10 >= SERIES * 9, "{soon}");
}
