//! Comparing: runs with one another, or the cases of one run that differ in a single thing.
//!
//! Both come down to pairs of cases that did the same work but for what is compared. Cases of one
//! run and one group were measured in the same blocks, so their trials are pairs; all others are
//! independent. Which metrics are judged, and how, is in `docs/decisions/0010-comparison.md`.

pub(crate) mod environment;
mod error;
mod factor;
mod note;
mod pair;
mod row;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod words;

use model::comparison::{Comparison, Difference, Filter, Remark, SCHEMA, Side, Tally, Unmatched, Verdict};
use model::run::Build;
use model::{MetricName, Run};

use crate::CONFIDENCE;
pub use error::ComparisonError;
pub use factor::{Factor, factors};
use pair::CasePair;

/// The difference that does not matter unless another is asked for: about what five trials of a
/// quiet machine can tell from nothing (half a 90 % interval of 1.2 % at a spread of 1 %).
pub const MARGIN: f64 = 0.02;

/// Which metrics are judged.
#[derive(Clone, Copy, Debug)]
pub enum Judged<'a> {
    /// The one that a workload shows first, and the 99th percentile of its latency.
    Usual,
    /// All that both sides have, and these if one of them has them.
    All(&'a [MetricName]),
    /// These.
    These(&'a [MetricName]),
}

impl Judged<'_> {
    /// Those that were asked for by name.
    fn named(&self) -> &[MetricName] {
        match self {
            Self::These(metrics) | Self::All(metrics) => metrics,
            Self::Usual => &[],
        }
    }
}

/// How to compare.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonOptions<'a> {
    /// The difference that does not matter, as a fraction.
    pub margin: f64,
    /// The metrics to judge.
    pub judged: Judged<'a>,
    /// The level that the others are held against; absent for the first.
    pub baseline: Option<&'a str>,
}

impl Default for ComparisonOptions<'_> {
    fn default() -> Self {
        Self { margin: MARGIN, judged: Judged::Usual, baseline: None }
    }
}

/// Compares runs with the first of them.
///
/// # Errors
/// If there are fewer than two, one is given twice, or they have no work in common.
pub fn of_runs(runs: &[Run], options: &ComparisonOptions<'_>) -> Result<Comparison, ComparisonError> {
    let (baseline, others) = runs.split_first().ok_or(ComparisonError::TooFew)?;
    if others.is_empty() {
        return Err(ComparisonError::TooFew);
    }
    for (place, run) in runs.iter().enumerate() {
        if runs[..place].iter().any(|earlier| earlier.id == run.id) {
            return Err(ComparisonError::Twice { run: run.id.clone() });
        }
    }
    let (mut pairs, mut unmatched) = (Vec::new(), Vec::new());
    for (index, run) in others.iter().enumerate() {
        let matched = pair::of_runs(baseline, run, index + 1);
        if matched.pairs.is_empty() {
            return Err(pair::unlike(baseline, run));
        }
        pairs.extend(matched.pairs);
        unmatched.extend(matched.unmatched);
    }
    let sides = runs.iter().map(|run| side(run, run.id.clone(), None)).collect();
    let mut found = assemble(sides, &pairs, unmatched, options)?;
    for (index, run) in others.iter().enumerate() {
        let of_side = pairs.iter().filter(|p| p.side == index + 1);
        let (before, after) = of_side.map(|p| (p.baseline, p.new)).unzip();
        let before = environment::View::new(baseline, before);
        let after = environment::View::new(run, after);
        found.differences.extend(environment::differences(&before, &after, index + 1));
    }
    found.notes.extend(note::of_runs(runs, &pairs));
    Ok(written(found))
}

/// In what the circumstances of two executions of one study differ: the machine, its software, and how it was
/// measured. `side` of each is 1. What one of them does not know, such as where workers ran before there is a trial, is
/// no difference.
#[must_use]
pub fn circumstances(before: &Run, after: &Run) -> Vec<Difference> {
    environment::differences(&whole(before), &whole(after), 1)
}

/// A run with all its cases.
fn whole(run: &Run) -> environment::View<'_> {
    environment::View::new(run, run.cases.iter().collect())
}

/// Compares the cases of one run that differ in `by` and in nothing else that was asked for.
///
/// # Errors
/// If the run's cases do not differ in it, or never in it alone.
pub fn within(run: &Run, by: &str, options: &ComparisonOptions<'_>) -> Result<Comparison, ComparisonError> {
    let divided = factor::divide(run, by, options.baseline)?;
    let name = |level: &String| side(run, level.clone(), Some(by));
    let sides = divided.levels.iter().map(name).collect();
    let mut found = assemble(sides, &divided.pairs, divided.unmatched, options)?;
    found.by = Some(by.to_owned());
    found.notes.extend(note::within(run, by, &divided.pairs));
    Ok(written(found))
}

/// What remarks say in English.
pub(crate) const ENGLISH: &[&str] = &[row::ENGLISH, note::ENGLISH];

/// A comparison with its remarks in English.
fn written(mut found: Comparison) -> Comparison {
    let reasons = found.rows.iter_mut().filter_map(|row| row.reason.as_mut());
    reasons.chain(&mut found.notes).for_each(|r| crate::words(language::Language::English).write_remark(r));
    found
}

fn assemble(
    sides: Vec<Side>,
    pairs: &[CasePair<'_>],
    unmatched: Vec<Unmatched>,
    options: &ComparisonOptions<'_>,
) -> Result<Comparison, ComparisonError> {
    row::check_metrics(pairs, options.judged.named())?;
    let (rows, family) = row::rows(pairs, options);
    let mut tally = Tally::default();
    for row in &rows {
        match row.verdict {
            Some(Verdict::Better) => tally.better += 1,
            Some(Verdict::Worse) => tally.worse += 1,
            Some(Verdict::Same) => tally.same += 1,
            Some(Verdict::CannotTell) => tally.cannot_tell += 1,
            None => {}
        }
    }
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    Ok(Comparison {
        schema: SCHEMA.to_owned(),
        headroom: Build { version: env!("CARGO_PKG_VERSION").to_owned(), build: build.to_owned() },
        by: None,
        sides,
        margin: options.margin,
        confidence: CONFIDENCE,
        family,
        tally,
        rows,
        unmatched,
        differences: Vec::new(),
        notes: Vec::<Remark>::new(),
    })
}

fn side(run: &Run, name: String, by: Option<&str>) -> Side {
    Side {
        run: run.id.clone(),
        started: run.started.clone(),
        hostname: run.machines.first().map(|m| m.hostname.clone()).unwrap_or_default(),
        title: run.study.title.clone().unwrap_or_else(|| run.study.name.clone()),
        filter: by.map(|by| Filter { name: by.to_owned(), value: name.clone() }),
        name,
    }
}
