//! The capacity of what a load drives: the most that it gives at any concurrency, and the least
//! concurrency that gives nearly all of it.
//!
//! [`next`] says, from the trials so far, which levels to measure next. It is a function of these
//! trials alone, so that what a run did can be computed again from its document.
//!
//! 1. *Doubling.* One trial each at 1, 2, 4 and so on, until two doublings in a row each add less
//!    than [`GAIN`] to the most before them, or an operation takes more than [`RUNAWAY`] times as long as at the level that
//!    gives half of the most (Little's law: at a concurrency N and a rate X it takes N / X) and the
//!    last doubling added less than a fifth.
//! 2. *Being sure.* The levels that are compared are measured again, block after block, until the upper
//!    ends of both gains' intervals lie below [`GAIN`]; a gain that rises above it makes the doubling
//!    go on.
//! 3. *Refining.* Between the last level that gives less than [`ENOUGH`] of the most and the first
//!    that gives as much, the geometric mean of both is measured, beside the best level, until they
//!    are within a factor of [`FINE`], or neighbours.
//!
//! Levels are held against each other by least squares on the logarithms of rates, with an effect
//! of each level and of each block: trials of one block ran next to each other, so what made all of
//! them slow goes into the block. The spread of the rest, pooled over all levels, gives the
//! intervals of gains by Student's t; three trials of a level alone would give none worth having.
//!
//! The best of many levels is one that was lucky, so its rate is biased upward. It is not the
//! capacity: whoever asks measures the level found here anew.
//!
//! Simulated in `tests/capacity.rs`: how often a search that says "no more" is wrong, and how far
//! from the truth its levels are.

use std::collections::{BTreeMap, BTreeSet};

use crate::interval::student;

/// A doubling of the concurrency that adds less than this is no growth.
pub const GAIN: f64 = 0.05;

/// Latency runs away where an operation takes more than this many times as long as at the level
/// that gives half of the most.
pub const RUNAWAY: f64 = 4.0;

/// A doubling that adds as much is worth any latency.
const MUCH: f64 = 0.20;

/// The share of the most that is enough.
pub const ENOUGH: f64 = 0.95;

/// The factor to which the level that gives enough is found.
pub const FINE: f64 = 1.12;

/// A level that gives so nearly the most counts as the best if it is lower.
const NEARLY: f64 = 0.99;

/// Trials of a level at least, before anything is concluded from it.
const TRIALS_LEAST: usize = 2;

/// Trials of the last levels at least, before latency that ran away ends a search.
const TRIALS_OF_END: usize = 3;

/// Confidence of the one-sided limits of gains.
const CONFIDENCE: f64 = 0.95;

/// Rounds of the fit; effects settle within a few.
const ROUNDS: usize = 60;

/// One trial of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelTrial {
    /// The block: trials of one ran next to each other.
    pub block: u32,
    /// Operations, connections or workers at once.
    pub concurrency: u64,
    /// What it gave, in any unit; above 0.
    pub rate: f64,
}

/// How far a search may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchBounds {
    /// The highest level.
    pub most: u64,
    /// Blocks in which the last levels are measured again to be sure.
    pub blocks: u32,
}

/// Why a search went no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrowthEnd {
    /// Two doublings surely added less than [`GAIN`] each.
    Flat,
    /// Two doublings added less than [`GAIN`] each, and the trials differ too much to be sure.
    Unsure,
    /// Latency ran away while the rate still grew.
    Latency,
    /// No higher level can be measured.
    Bound,
}

/// What a doubling added to the most that was reached before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The level that had given the most.
    pub from: u64,
    /// The higher level.
    pub to: u64,
    /// What it added: 0.05 is 5 %.
    pub gain: f64,
    /// The upper end of its one-sided 95 % interval; infinite where nothing tells it.
    pub high: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The level that gave the most; the lowest of those that gave nearly the same.
    pub best: u64,
    /// The lowest level that gave [`ENOUGH`] of it.
    pub knee: u64,
    /// Why it went no further.
    pub ended: GrowthEnd,
    /// The last doublings, at most two.
    pub growth: Vec<Growth>,
}

/// What a search does next.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchStep {
    /// One trial of this level, in the block before: the first pass upwards is one.
    Higher(u64),
    /// One trial of each of these levels, as a block of their own.
    Block(Vec<u64>),
    /// It is over.
    Done(Found),
}

/// What to measure next, after these trials. A rate that is not above 0 is left out, so that a
/// level without any other is measured again: whoever asks ends a search whose trials fail.
#[must_use]
pub fn next(trials: &[LevelTrial], bounds: SearchBounds) -> SearchStep {
    let fit = Fit::of(trials);
    let ladder = fit.ladder(bounds.most);
    let Some(top) = ladder.last().copied() else { return SearchStep::Higher(1) };
    match end_of_growth(&fit, &ladder, bounds) {
        Growing::Goes => SearchStep::Higher(top.saturating_mul(2).min(bounds.most)),
        Growing::Again(levels) => SearchStep::Block(levels),
        Growing::Ends(ended) => match refine(&fit) {
            Some(levels) => SearchStep::Block(levels),
            None => SearchStep::Done(fit.found(&ladder, ended)),
        },
    }
}

/// What is found so far, where a search is broken off; `None` before the first trial.
#[must_use]
pub fn so_far(trials: &[LevelTrial], bounds: SearchBounds) -> Option<Found> {
    let fit = Fit::of(trials);
    let ladder = fit.ladder(bounds.most);
    (!ladder.is_empty()).then(|| fit.found(&ladder, GrowthEnd::Unsure))
}

enum Growing {
    Goes,
    Again(Vec<u64>),
    Ends(GrowthEnd),
}

fn end_of_growth(fit: &Fit, ladder: &[u64], bounds: SearchBounds) -> Growing {
    let Some(top) = ladder.last().copied() else { return Growing::Goes };
    let growth = fit.growth(ladder);
    let is_flat = growth.len() == 2 && growth.iter().all(|g| g.gain < GAIN);
    if is_flat && growth.iter().all(|g| g.high < GAIN) {
        return Growing::Ends(GrowthEnd::Flat);
    }
    if is_flat && fit.blocks_of(top) < bounds.blocks as usize {
        return Growing::Again(compared(&growth));
    }
    if is_flat {
        return Growing::Ends(GrowthEnd::Unsure);
    }
    // One doubling that adds nothing may be the first of two: the next tells. One that adds much is
    // worth its waiting.
    let still_grows = growth.last().is_some_and(|g| (GAIN..MUCH).contains(&g.gain));
    if still_grows && fit.runs_away(ladder) {
        let last = compared(&growth);
        let is_sure = last.iter().all(|level| fit.trials_of(*level) >= TRIALS_OF_END);
        return if is_sure { Growing::Ends(GrowthEnd::Latency) } else { Growing::Again(last) };
    }
    if top >= bounds.most { Growing::Ends(GrowthEnd::Bound) } else { Growing::Goes }
}

/// The levels that a growth is about.
fn compared(growth: &[Growth]) -> Vec<u64> {
    let levels: BTreeSet<u64> = growth.iter().flat_map(|g| [g.from, g.to]).collect();
    levels.into_iter().collect()
}

/// The levels to measure before the least level that gives enough is known.
fn refine(fit: &Fit) -> Option<Vec<u64>> {
    let best = fit.best()?;
    let knee = fit.knee(best);
    let below = fit.levels.range(..knee).next_back().map(|(level, _)| *level);
    let lacking = |level: &u64| fit.trials_of(*level) < TRIALS_LEAST;
    let mut again: Vec<u64> = below.into_iter().chain([knee]).filter(lacking).collect();
    if !again.is_empty() {
        again.push(best);
        again.dedup();
        return Some(again);
    }
    let below = below?;
    if knee - below <= 1 || knee as f64 / below as f64 <= FINE {
        return None;
    }
    let middle = (below as f64 * knee as f64).sqrt().round() as u64;
    let mut levels = vec![middle.clamp(below + 1, knee - 1), best];
    levels.dedup();
    Some(levels)
}

/// A level as fitted.
#[derive(Debug, Clone, Copy, Default)]
struct LevelFit {
    /// The logarithm of its rate, without the effects of blocks.
    effect: f64,
    trials: usize,
    blocks: usize,
}

/// Levels by least squares.
#[derive(Debug)]
struct Fit {
    levels: BTreeMap<u64, LevelFit>,
    /// Standard deviation of what is left, and its degrees of freedom.
    spread: Option<(f64, usize)>,
}

impl Fit {
    fn of(trials: &[LevelTrial]) -> Self {
        let sane = |t: &&LevelTrial| t.rate > 0.0 && t.rate.is_finite();
        let logs: Vec<(u32, u64, f64)> =
            trials.iter().filter(sane).map(|t| (t.block, t.concurrency, t.rate.ln())).collect();
        let mut levels: BTreeMap<u64, LevelFit> = BTreeMap::new();
        let mut blocks: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
        for (block, level, _) in &logs {
            levels.entry(*level).or_default().trials += 1;
            blocks.entry(*block).or_default().1 += 1;
        }
        for (level, fit) in &mut levels {
            let mut own: Vec<u32> = logs.iter().filter(|l| l.1 == *level).map(|l| l.0).collect();
            own.dedup();
            fit.blocks = own.len();
        }
        for _ in 0..ROUNDS {
            for (level, fit) in &mut levels {
                let own = logs.iter().filter(|l| l.1 == *level);
                let sum: f64 = own.map(|(block, _, log)| log - blocks[block].0).sum();
                fit.effect = sum / fit.trials as f64;
            }
            for (block, (effect, count)) in &mut blocks {
                let own = logs.iter().filter(|l| l.0 == *block);
                let sum: f64 = own.map(|(_, level, log)| log - levels[level].effect).sum();
                *effect = sum / *count as f64;
            }
        }
        let left = |(block, level, log): &(u32, u64, f64)| log - levels[level].effect - blocks[block].0;
        let squares: f64 = logs.iter().map(|l| left(l).powi(2)).sum();
        // All blocks share levels with the first, the way up, so one effect is free.
        let unknowns = (levels.len() + blocks.len()).saturating_sub(1);
        let freedom = logs.len().saturating_sub(unknowns);
        let spread = (freedom > 0).then(|| ((squares / freedom as f64).sqrt(), freedom));
        Self { levels, spread }
    }

    /// The levels that doubling went through: 1, 2, 4 and so on, and the highest that there may be.
    fn ladder(&self, most: u64) -> Vec<u64> {
        let mut all = Vec::new();
        let mut level = 1;
        while self.levels.contains_key(&level) {
            all.push(level);
            let above = level.saturating_mul(2).min(most);
            if above <= level {
                break;
            }
            level = above;
        }
        all
    }

    fn effect(&self, level: u64) -> f64 {
        self.levels.get(&level).map_or(f64::NEG_INFINITY, |fit| fit.effect)
    }

    fn trials_of(&self, level: u64) -> usize {
        self.levels.get(&level).map_or(0, |fit| fit.trials)
    }

    fn blocks_of(&self, level: u64) -> usize {
        self.levels.get(&level).map_or(0, |fit| fit.blocks)
    }

    /// What the last two levels added to the most before them: one that a disturbance made slow
    /// makes the next no growth.
    fn growth(&self, ladder: &[u64]) -> Vec<Growth> {
        let first = ladder.len().saturating_sub(2).max(1);
        let best =
            |lower: &[u64]| lower.iter().copied().max_by(|a, b| self.effect(*a).total_cmp(&self.effect(*b)));
        let grew = |at: usize| Some(self.grew(best(&ladder[..at])?, ladder[at]));
        (first..ladder.len()).filter_map(grew).collect()
    }

    fn grew(&self, from: u64, to: u64) -> Growth {
        let log = self.effect(to) - self.effect(from);
        let each = |log: f64| log.exp() - 1.0;
        let repeated = self.trials_of(from).min(self.trials_of(to)) >= TRIALS_LEAST;
        let high = self.spread.filter(|_| repeated).and_then(|(spread, freedom)| {
            let n = |level| 1.0 / self.trials_of(level) as f64;
            // One-sided: twice the tail of a two-sided interval.
            let t = student::t_quantile(freedom, 2.0 * CONFIDENCE - 1.0)?;
            Some(log + t * spread * (n(from) + n(to)).sqrt())
        });
        Growth { from, to, gain: each(log), high: high.map_or(f64::INFINITY, each) }
    }

    /// Whether an operation at the highest level takes too long.
    fn runs_away(&self, ladder: &[u64]) -> bool {
        let takes = |level: u64| (level as f64).ln() - self.effect(level);
        let most = ladder.iter().map(|level| self.effect(*level)).fold(f64::NEG_INFINITY, f64::max);
        let half = ladder.iter().find(|level| self.effect(**level) >= most - std::f64::consts::LN_2);
        let top = ladder.last();
        half.zip(top).is_some_and(|(half, top)| takes(*top) - takes(*half) > RUNAWAY.ln())
    }

    fn best(&self) -> Option<u64> {
        // A level that was measured once is the best by luck only.
        let trials = self.levels.values().map(|fit| fit.trials).max()?;
        let known = || self.levels.iter().filter(|(_, fit)| 2 * fit.trials >= trials);
        let most = known().map(|(_, fit)| fit.effect).fold(f64::NEG_INFINITY, f64::max);
        let nearly = |fit: &LevelFit| fit.effect >= most + NEARLY.ln();
        known().find(|(_, fit)| nearly(fit)).map(|(level, _)| *level)
    }

    fn knee(&self, best: u64) -> u64 {
        let enough = self.effect(best) + ENOUGH.ln();
        self.levels.iter().find(|(_, fit)| fit.effect >= enough).map_or(best, |(level, _)| *level)
    }

    fn found(&self, ladder: &[u64], ended: GrowthEnd) -> Found {
        let best = self.best().unwrap_or(1);
        Found { best, knee: self.knee(best), ended, growth: self.growth(ladder) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: SearchBounds = SearchBounds { most: 1024, blocks: 6 };

    /// Searches what gives `rate` at a concurrency; returns what it found and the trials it took.
    fn search(bounds: SearchBounds, rate: impl Fn(u64) -> f64) -> (Found, Vec<LevelTrial>) {
        let mut trials = Vec::new();
        let mut block = 0;
        for _ in 0..100 {
            let levels = match next(&trials, bounds) {
                SearchStep::Higher(level) => vec![level],
                SearchStep::Block(levels) => {
                    block += 1;
                    levels
                }
                SearchStep::Done(found) => return (found, trials),
            };
            let trial = |concurrency| LevelTrial { block, concurrency, rate: rate(concurrency) };
            trials.extend(levels.into_iter().map(trial));
        }
        panic!("it goes on for ever: {trials:?}");
    }

    #[test]
    fn a_device_that_is_full_at_twenty_is_found_so() {
        let (found, trials) = search(BOUNDS, |n| 1000.0 * (n as f64).min(20.0));
        assert_eq!(found.ended, GrowthEnd::Flat, "{trials:?}");
        assert!((20..=32).contains(&found.best) && (19..=20).contains(&found.knee), "{found:?}");
        assert!(trials.len() <= 26, "{}", trials.len());
    }

    #[test]
    fn one_that_gives_no_more_at_all_is_full_at_one() {
        let (found, _) = search(BOUNDS, |_| 500.0);
        assert_eq!((found.best, found.knee, found.ended), (1, 1, GrowthEnd::Flat));
    }

    #[test]
    fn what_grows_for_ever_ends_at_the_bound() {
        let (found, _) = search(SearchBounds { most: 100, blocks: 6 }, |n| n as f64);
        assert_eq!((found.best, found.ended), (100, GrowthEnd::Bound));
        assert!((95..=100).contains(&found.knee), "{found:?}");
        let (found, _) = search(SearchBounds { most: 1, blocks: 6 }, |n| n as f64);
        assert_eq!((found.best, found.knee, found.ended), (1, 1, GrowthEnd::Bound));
    }

    #[test]
    fn latency_that_runs_away_ends_it_while_the_rate_grows() {
        // Six per cent with each doubling beyond eight.
        let rate = |n: u64| {
            let n = n as f64;
            if n <= 8.0 { n } else { 8.0 * 1.06_f64.powf((n / 8.0).log2()) }
        };
        let (found, trials) = search(BOUNDS, rate);
        assert_eq!(found.ended, GrowthEnd::Latency, "{trials:?}");
        assert!(trials.iter().all(|t| t.concurrency <= 64), "{trials:?}");
    }

    #[test]
    fn a_rate_that_falls_beyond_its_best_is_flat_there() {
        let rate = |n: u64| if n <= 4 { n as f64 } else { 4.0 * (4.0 / n as f64).powf(0.3) };
        let (found, _) = search(BOUNDS, rate);
        assert_eq!((found.best, found.knee, found.ended), (4, 4, GrowthEnd::Flat));
    }

    /// What made a whole block slow is not taken for a level's.
    #[test]
    fn a_slow_block_is_no_slow_level() {
        let mut trials = Vec::new();
        for (block, factor) in [(0, 1.0), (1, 0.5), (2, 1.3)] {
            for (concurrency, rate) in [(1, 100.0), (2, 150.0)] {
                trials.push(LevelTrial { block, concurrency, rate: rate * factor });
            }
        }
        let fit = Fit::of(&trials);
        let grew = fit.grew(1, 2);
        assert!((grew.gain - 0.5).abs() < 1e-9 && (grew.high - 0.5).abs() < 1e-6, "{grew:?}");
        assert_eq!(fit.spread.unwrap().1, 2);
    }

    #[test]
    fn rates_that_are_none_are_left_out() {
        let trial = |rate| LevelTrial { block: 0, concurrency: 1, rate };
        for rate in [0.0, f64::NAN, -1.0, f64::INFINITY] {
            assert_eq!(next(&[trial(rate)], BOUNDS), SearchStep::Higher(1));
            assert_eq!(so_far(&[trial(rate)], BOUNDS), None);
        }
        assert_eq!(so_far(&[trial(5.0)], BOUNDS).unwrap().best, 1);
    }
}
