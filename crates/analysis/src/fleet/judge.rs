//! Which machines are unlike the others, and which are at a level of their own.

use std::collections::BTreeMap;

use model::Better;
use stats::comparison::{ConfidenceLevel, holm, unpaired_ratio};
use stats::interval;
use stats::outlier::{self, deviations, levels};

use super::explain::FactTable;
use super::facts::MachineFact;
use super::{FALSE_ALARM, Fleet, FleetFigure, FleetMachine, FleetRatio, FleetSplit, SplitFigure, SplitKind};
use crate::CONFIDENCE;

/// Of so many sets of machines at most it is asked what goes with them: more are not read.
const EXPLAINED: usize = 40;

/// What adjusted p-values are held against. What is left of [`FALSE_ALARM`] is for groups
/// ([`outlier::CUT_BY_CHANCE`]), and for what choosing the bulk adds (simulated in `stats`, `tests/outlier.rs`).
const UNLIKE_BY_CHANCE: f64 = 0.03;

/// One machine in one figure, beside those of its level.
struct Held {
    figure: usize,
    machine: usize,
    /// How much its value is of the median of its level; absent where there is no ratio.
    ratio: Option<f64>,
    score: f64,
    p_value: f64,
}

/// Machines of one figure that differ from others in one direction.
struct Apart {
    kind: SplitKind,
    is_worse: bool,
    machines: Vec<usize>,
    figure: SplitFigure,
}

impl Fleet {
    /// What figures of machines say, each machine with its facts.
    #[must_use]
    pub fn judged(
        machines: Vec<FleetMachine>,
        facts: &[Vec<MachineFact>],
        mut figures: Vec<FleetFigure>,
        margin: f64,
    ) -> Self {
        let looks = figures.iter().filter(|f| f.values.iter().flatten().count() >= outlier::LEAST).count();
        let mut held = Vec::new();
        let mut apart = Vec::new();
        for (place, figure) in figures.iter_mut().enumerate() {
            let level = levelled(figure, looks);
            apart.extend(groups((place, &*figure), &level, margin));
            held.extend(hold(place, figure, &level));
        }
        let adjusted = holm(&held.iter().map(|one| one.p_value).collect::<Vec<_>>());
        apart.extend(unlike(&figures, &held, &adjusted, margin));
        let mut splits = merged(apart);
        let table = FactTable::of(facts);
        for split in splits.iter_mut().take(EXPLAINED) {
            let others = others(&figures, split, &held, &adjusted);
            split.ties = table.explain(&split.machines, &others);
        }
        let reach = reach(machines.len(), held.len());
        Self { machines, figures, splits, margin, alone: 0, reach }
    }
}

/// How far out a machine must be to be found beside the others.
fn reach(machines: usize, held: usize) -> Option<f64> {
    if machines < outlier::LEAST || held == 0 {
        return None;
    }
    outlier::deviate_at(machines - 1, FALSE_ALARM / held as f64)
}

/// The level of each machine that has a value.
fn levelled(figure: &mut FleetFigure, looks: usize) -> Vec<(usize, usize)> {
    let known: Vec<(usize, f64)> = known(figure);
    let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    figure.median = interval::median(&values);
    figure.scores = vec![None; figure.values.len()];
    if values.len() < outlier::LEAST {
        return Vec::new();
    }
    let found = levels(&scaled(&values), looks);
    known.iter().map(|(machine, _)| *machine).zip(found).collect()
}

fn known(figure: &FleetFigure) -> Vec<(usize, f64)> {
    figure.values.iter().enumerate().filter_map(|(machine, value)| Some((machine, (*value)?))).collect()
}

/// Logarithms where all are above 0.
fn scaled(values: &[f64]) -> Vec<f64> {
    let is_ratio = values.iter().all(|value| *value > 0.0);
    values.iter().map(|value| if is_ratio { value.ln() } else { *value }).collect()
}

/// The level of most machines.
fn usual(level: &[(usize, usize)]) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, level) in level {
        *counts.entry(*level).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(level, _)| level)
}

fn of_level(figure: &FleetFigure, level: &[(usize, usize)], wanted: usize) -> Vec<(usize, f64)> {
    let own = level.iter().filter(|(_, level)| *level == wanted);
    own.filter_map(|(machine, _)| Some((*machine, figure.values[*machine]?))).collect()
}

/// Each machine beside those of its level, of which the usual one says what the spread is.
fn hold(place: usize, figure: &mut FleetFigure, level: &[(usize, usize)]) -> Vec<Held> {
    let mut held = Vec::new();
    let usual = usual(level);
    let count = level.iter().map(|(_, level)| level + 1).max().unwrap_or(0);
    for one in 0..count {
        let own = of_level(figure, level, one);
        let values: Vec<f64> = own.iter().map(|(_, value)| *value).collect();
        let Some(found) = deviations(&scaled(&values)) else { continue };
        let is_ratio = values.iter().all(|value| *value > 0.0);
        if one == usual {
            figure.spread = Some(if is_ratio { found.spread.exp_m1() } else { found.spread });
        }
        let median = interval::median(&values).filter(|_| is_ratio);
        for ((machine, value), deviate) in own.into_iter().zip(found.each) {
            figure.scores[machine] = Some(deviate.score);
            let (score, p_value) = (deviate.score, deviate.p_value);
            let ratio = median.map(|median| value / median);
            held.push(Held { figure: place, machine, ratio, score, p_value });
        }
    }
    held
}

/// Whether a difference matters, where it is a ratio.
fn matters(ratio: Option<f64>, margin: f64) -> bool {
    ratio.is_none_or(|ratio| ratio > 1.0 + margin || ratio < 1.0 / (1.0 + margin))
}

/// The levels of a figure besides the usual one.
fn groups((place, figure): (usize, &FleetFigure), level: &[(usize, usize)], margin: f64) -> Vec<Apart> {
    let usual = usual(level);
    let values = |wanted: usize| of_level(figure, level, wanted);
    let others: Vec<f64> = values(usual).into_iter().map(|(_, value)| value).collect();
    let count = level.iter().map(|(_, level)| level + 1).max().unwrap_or(0);
    let group = |one: usize| {
        let (machines, own): (Vec<usize>, Vec<f64>) = values(one).into_iter().unzip();
        let ratio = ratio(&own, &others);
        let is_worse = (one < usual) == (figure.better == Better::Higher);
        let figure = SplitFigure { figure: place, ratio, p_value: None };
        matters(ratio.map(|r| r.ratio), margin).then_some(Apart {
            kind: SplitKind::Group,
            is_worse,
            machines,
            figure,
        })
    };
    (0..count).filter(|one| *one != usual).filter_map(group).collect()
}

/// The machines of each figure that are unlike those of their level, by direction.
fn unlike(figures: &[FleetFigure], held: &[Held], adjusted: &[f64], margin: f64) -> Vec<Apart> {
    let mut by_side: BTreeMap<(usize, bool), Vec<(usize, f64)>> = BTreeMap::new();
    for (one, p_value) in held.iter().zip(adjusted) {
        if *p_value <= UNLIKE_BY_CHANCE && matters(one.ratio, margin) {
            let is_worse = (one.score < 0.0) == (figures[one.figure].better == Better::Higher);
            by_side.entry((one.figure, is_worse)).or_default().push((one.machine, *p_value));
        }
    }
    let of_side = |((place, is_worse), all): ((usize, bool), Vec<(usize, f64)>)| {
        let mut machines: Vec<usize> = all.iter().map(|(machine, _)| *machine).collect();
        machines.sort_unstable();
        let value = |machine: &usize| figures[place].values[*machine];
        let own: Vec<f64> = machines.iter().filter_map(value).collect();
        let rest = held.iter().zip(adjusted).filter(|(one, p)| one.figure == place && **p > UNLIKE_BY_CHANCE);
        let others: Vec<f64> = rest.filter_map(|(one, _)| value(&one.machine)).collect();
        let p_value = all.iter().map(|(_, p)| *p).reduce(f64::max);
        let figure = SplitFigure { figure: place, ratio: ratio(&own, &others), p_value };
        Apart { kind: SplitKind::Unlike, is_worse, machines, figure }
    };
    by_side.into_iter().map(of_side).collect()
}

/// How much the one side is of the other. Of a few machines the interval is that of the others' median alone: they are these
/// machines, and no sample from which the spread of more of them could be known.
fn ratio(own: &[f64], others: &[f64]) -> Option<FleetRatio> {
    if own.len() < outlier::LEAST {
        let value = interval::median(own)?;
        let (median, usual) = (interval::median(others)?, interval::of_center(others, CONFIDENCE)?);
        let is_ratio = value > 0.0 && usual.low > 0.0;
        return is_ratio.then(|| FleetRatio {
            ratio: value / median,
            low: value / usual.high,
            high: value / usual.low,
        });
    }
    let found = unpaired_ratio(own, others, ConfidenceLevel::from(CONFIDENCE))?;
    Some(FleetRatio { ratio: found.ratio, low: found.interval.low, high: found.interval.high })
}

/// The same machines in several figures are one; what is worse, and what differs most, comes first.
fn merged(apart: Vec<Apart>) -> Vec<FleetSplit> {
    let mut splits: Vec<FleetSplit> = Vec::new();
    let mut places: BTreeMap<(SplitKind, bool, Vec<usize>), usize> = BTreeMap::new();
    for one in apart {
        let Apart { kind, is_worse, machines, figure } = one;
        let place = *places.entry((kind, is_worse, machines.clone())).or_insert_with(|| {
            splits.push(FleetSplit { kind, is_worse, machines, figures: Vec::new(), ties: Vec::new() });
            splits.len() - 1
        });
        splits[place].figures.push(figure);
    }
    let size = |figure: &SplitFigure| figure.ratio.map_or(f64::INFINITY, |r| r.ratio.ln().abs());
    for split in &mut splits {
        split.figures.sort_by(|a, b| size(b).total_cmp(&size(a)));
    }
    let most = |split: &FleetSplit| split.figures.first().map_or(0.0, size);
    splits.sort_by(|a, b| {
        let order = (b.is_worse, b.figures.len()).cmp(&(a.is_worse, a.figures.len()));
        order.then(most(b).total_cmp(&most(a)))
    });
    splits
}

/// The machines that a set is held against: those of its first figure that are not unlike the others themselves.
fn others(figures: &[FleetFigure], split: &FleetSplit, held: &[Held], adjusted: &[f64]) -> Vec<usize> {
    let Some(first) = split.figures.first() else { return Vec::new() };
    let odd: Vec<usize> = held
        .iter()
        .zip(adjusted)
        .filter(|(one, p)| one.figure == first.figure && **p <= UNLIKE_BY_CHANCE)
        .map(|(one, _)| one.machine)
        .collect();
    let all = known(&figures[first.figure]).into_iter().map(|(machine, _)| machine);
    all.filter(|machine| !split.machines.contains(machine) && !odd.contains(machine)).collect()
}
