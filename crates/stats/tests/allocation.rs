//! Whole runs, simulated: which cases take trials, how long that lasts, and whether the intervals and
//! the comparisons of the page hold. Known truth, fixed seed; `-- --nocapture` prints the numbers
//! that `docs/decisions/0003-intervals-and-stopping.md` cites.
#![allow(clippy::unwrap_used)]

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::allocation::{CaseProgress, next_block};
use stats::comparison::{Judgement, Preference, paired_ratio, verdict};
use stats::interval::of_center;
use stats::stopping::{StoppingRule, confirmed_at, relative_half_width};

const RUNS: usize = 400;
const PRECISION: f64 = 0.02;

/// The difference that does not matter, of a comparison.
const MARGIN: f64 = 0.0;

/// Today's way: looks begin at three.
const NOW: StoppingRule = StoppingRule { min: 3, max: 15, precision: Some(PRECISION), confidence: 0.95 };

/// Whether trials were enough by the way of version 0.1: looks began at five, and what was met was
/// confirmed by two fifths more.
fn were_enough(values: &[f64]) -> bool {
    let is_met = |n: usize| relative_half_width(&values[..n], 0.95).is_some_and(|half| half <= PRECISION);
    let n = values.len();
    if !(5..NOW.max).contains(&n) || !is_met(n) {
        return n >= NOW.max;
    }
    let first = (5..n).find(|count| is_met(*count)).unwrap_or(n);
    n >= confirmed_at(first)
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Spread and seconds of a trial of each case. Two in a row are a comparison.
type Page = [(f64, f64); 14];

/// Spreads evenly over all that is seen, on a logarithmic scale.
const ALL_SPREADS: Page = [
    (0.001, 0.7),
    (0.0014, 0.7),
    (0.002, 0.7),
    (0.0027, 0.7),
    (0.0038, 0.7),
    (0.0053, 0.7),
    (0.0075, 0.7),
    (0.0105, 0.7),
    (0.015, 0.7),
    (0.021, 0.7),
    (0.029, 1.2),
    (0.041, 0.7),
    (0.057, 1.2),
    (0.08, 0.7),
];

/// As on a machine that nobody else uses: processor, memory, and a disk.
const QUIET: Page = [
    (0.001, 0.7),
    (0.001, 0.7),
    (0.002, 0.7),
    (0.002, 0.7),
    (0.003, 0.7),
    (0.003, 0.7),
    (0.004, 0.7),
    (0.005, 0.7),
    (0.006, 0.7),
    (0.008, 0.7),
    (0.01, 1.2),
    (0.01, 0.7),
    (0.015, 1.2),
    (0.03, 0.7),
];

/// What each case gave, with its block.
struct SimulatedRun {
    trials: Vec<Vec<(usize, f64)>>,
    took_s: f64,
}

impl SimulatedRun {
    fn values(&self, case: usize) -> Vec<f64> {
        self.trials[case].iter().map(|(_, value)| *value).collect()
    }

    fn half_width(&self, case: usize) -> f64 {
        relative_half_width(&self.values(case), 0.95).unwrap()
    }
}

/// A run until all have enough, or the budget is used up; the next block is what `choose` says of
/// the run and of the seconds left.
fn simulate(
    page: &Page,
    budget_s: Option<f64>,
    random: &mut Random,
    choose: impl Fn(&SimulatedRun, Option<f64>) -> Vec<usize>,
) -> SimulatedRun {
    let mut run = SimulatedRun { trials: vec![Vec::new(); page.len()], took_s: 0.0 };
    for block in 0.. {
        let cases = choose(&run, budget_s.map(|budget| budget - run.took_s));
        let is_affordable = |case: &usize| budget_s.is_none_or(|budget| run.took_s + page[*case].1 <= budget);
        if cases.is_empty() || !cases.iter().any(is_affordable) {
            break;
        }
        // What all trials of a block share, and now and then a trial that something disturbed.
        let of_block = 0.002 * random.normal();
        for case in cases {
            let (spread, trial_s) = page[case];
            if budget_s.is_some_and(|budget| run.took_s + trial_s > budget) {
                continue;
            }
            let is_disturbed = random.uniform() < 0.01;
            let loss = if is_disturbed { 3.0 * spread * random.uniform() } else { 0.0 };
            run.trials[case].push((block, (spread * random.normal() + of_block - loss).exp()));
            run.took_s += trial_s;
        }
    }
    run
}

/// Complete blocks over all cases that lack trials.
fn evenly(run: &SimulatedRun, _left_s: Option<f64>) -> Vec<usize> {
    (0..run.trials.len()).filter(|case| !were_enough(&run.values(*case))).collect()
}

fn by_lack(page: &Page) -> impl Fn(&SimulatedRun, Option<f64>) -> Vec<usize> {
    move |run, left_s| {
        let values: Vec<Vec<f64>> = (0..page.len()).map(|case| run.values(case)).collect();
        let cases: Vec<CaseProgress<'_>> = values
            .iter()
            .enumerate()
            .map(|(case, values)| CaseProgress {
                comparison: case / 2,
                values,
                trials: values.len(),
                trial_s: page[case].1,
            })
            .collect();
        next_block(&NOW, &cases, left_s)
    }
}

/// Sums over many runs.
#[derive(Default)]
struct Tally {
    took_s: f64,
    covered: usize,
    met: usize,
    wrong: usize,
    compared: usize,
    /// Half widths, counted down to the precision asked for.
    lack: f64,
    widest: f64,
}

impl Tally {
    fn add(&mut self, run: &SimulatedRun) {
        self.took_s += run.took_s;
        let mut widest: f64 = 0.0;
        for case in 0..run.trials.len() {
            let (values, half) = (run.values(case), run.half_width(case));
            self.covered += usize::from(of_center(&values, 0.95).unwrap().contains(1.0));
            self.met += usize::from(half <= PRECISION);
            self.lack += half.max(PRECISION);
            widest = widest.max(half);
        }
        self.widest += widest;
        for pair in run.trials.chunks(2) {
            let partner = |block: usize| pair[1].iter().find(|(other, _)| *other == block).map(|(_, v)| *v);
            let pairs: Vec<(f64, f64)> =
                pair[0].iter().filter_map(|(block, value)| Some((*value, partner(*block)?))).collect();
            self.compared += 1;
            // Both give the same.
            let found = verdict(&paired_ratio(&pairs, 0.95).unwrap(), Preference::Higher, MARGIN);
            self.wrong += usize::from(matches!(found, Judgement::Better | Judgement::Worse));
        }
    }
}

/// `RUNS` of both ways: that of before and today's, the second with so much of the first's budget.
fn both(page: &Page, budget_s: Option<f64>, share: f64) -> (Tally, Tally) {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(70));
    let (mut before, mut now) = (Tally::default(), Tally::default());
    for _ in 0..RUNS {
        before.add(&simulate(page, budget_s, &mut random, evenly));
        now.add(&simulate(page, budget_s.map(|budget| budget * share), &mut random, by_lack(page)));
    }
    (before, now)
}

fn told(name: &str, tally: &Tally) -> String {
    let cases = (RUNS * 14) as f64;
    format!(
        "  {name}: {:.1} s, {:.1} % within the precision, half widths down to it {:.2} % on average, widest {:.2} %; \
         {:.2} % covered, {:.2} % of comparisons wrong",
        tally.took_s / RUNS as f64,
        100.0 * tally.met as f64 / cases,
        100.0 * tally.lack / cases,
        100.0 * tally.widest / RUNS as f64,
        100.0 * tally.covered as f64 / cases,
        100.0 * tally.wrong as f64 / tally.compared as f64,
    )
}

/// The intervals of a page hold, and comparisons of what is the same are wrong in no more than they
/// are of a fixed number of trials, 5 to 5.5 %, with three standard errors.
fn assert_holds(tally: &Tally) {
    let covered = 100.0 * tally.covered as f64 / (RUNS * 14) as f64;
    let wrong = 100.0 * tally.wrong as f64 / tally.compared as f64;
    assert!((93.0..=97.0).contains(&covered), "{covered}");
    assert!(wrong <= 6.7, "{wrong}");
}

#[test]
fn a_precision_is_reached_in_less_time() {
    for (name, page, most) in [("all spreads", &ALL_SPREADS, 0.88), ("a quiet machine", &QUIET, 0.78)] {
        let (before, now) = both(page, None, 1.0);
        let share = now.took_s / before.took_s;
        println!("{name}, no budget: {:.1} % of the time", 100.0 * share);
        println!("{}", told("before", &before));
        println!("{}", told("now   ", &now));
        assert_holds(&now);
        assert!(share <= most, "{name}: {share}");
        assert!(now.met as f64 >= 0.99 * before.met as f64, "{name}: {} of {}", now.met, before.met);
    }
}

#[test]
fn seven_tenths_of_a_budget_give_the_same_intervals() {
    let mut wider = Vec::new();
    for (name, page, budget_s, share) in [
        ("all spreads", &ALL_SPREADS, 60.0, 0.8),
        ("all spreads", &ALL_SPREADS, 70.0, 0.7),
        ("all spreads", &ALL_SPREADS, 80.0, 0.7),
        ("a quiet machine", &QUIET, 60.0, 0.8),
        ("a quiet machine", &QUIET, 70.0, 0.7),
    ] {
        let (before, now) = both(page, Some(budget_s), share);
        println!("{name}, budget of {budget_s} s, and {share} of it:");
        println!("{}", told("before", &before));
        println!("{}", told("now   ", &now));
        assert_holds(&now);
        if now.lack > before.lack || now.widest > before.widest {
            wider.push((name, budget_s, share));
        }
    }
    assert!(wider.is_empty(), "{wider:?}");
}
