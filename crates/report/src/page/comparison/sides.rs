//! The runs as the page needs them: with the cases that are compared only, and
//! all of them as one, so that one chart shows every side.

use model::run::CaseResult;
use model::{Comparison, Run, Value};

use super::Subject;
use crate::figure::SIDE;

/// Each run with the cases that have a partner.
pub(super) fn compared(subject: &Subject<'_>) -> Vec<Run> {
    let comparison = subject.comparison;
    let of = |(side, run): (usize, &Run)| {
        let is_compared = |case: &&CaseResult| !is_alone(comparison, side, &case.label);
        let cases = run.cases.iter().filter(is_compared).map(light).collect();
        Run { cases, ..without_cases(run) }
    };
    subject.runs.iter().enumerate().map(of).collect()
}

/// Whether a case of a side has no partner on any other.
fn is_alone(comparison: &Comparison, side: usize, label: &str) -> bool {
    let others = match (&comparison.by, side) {
        (None, 0) => comparison.sides.len().saturating_sub(1),
        _ => 1,
    };
    let here = |place: usize| comparison.by.is_some() || place == side;
    comparison.unmatched.iter().filter(|u| here(u.side) && u.case == label).count() >= others.max(1)
}

/// A run but for its cases, which may be large.
fn without_cases(run: &Run) -> Run {
    Run {
        schema: run.schema.clone(),
        id: run.id.clone(),
        started: run.started.clone(),
        finished: run.finished.clone(),
        outcome: run.outcome,
        origin: run.origin.clone(),
        headroom: run.headroom.clone(),
        study: run.study.clone(),
        seed: run.seed,
        machines: run.machines.clone(),
        cases: Vec::new(),
        findings: run.findings.clone(),
        analysis: run.analysis,
    }
}

/// A case without what no chart of a comparison shows, which may be large.
fn light(case: &CaseResult) -> CaseResult {
    let mut light = case.clone();
    for result in light.trials.iter_mut().map(|t| &mut t.result) {
        (result.series, result.counters, result.parts) = (Vec::new(), Vec::new(), Vec::new());
    }
    light
}

/// All cases as those of one run, each with its side as a parameter, partners
/// one after the other.
pub(super) fn together(subject: &Subject<'_>, baseline: &Run, sides: &[Run]) -> Run {
    if subject.comparison.by.is_some() {
        return baseline.clone();
    }
    let names = names(subject);
    let mut all: Vec<(usize, CaseResult)> = Vec::new();
    for (side, run) in sides.iter().enumerate() {
        for case in &run.cases {
            let mut case = case.clone();
            let name = names.get(side).cloned().unwrap_or_default();
            case.parameters.set(SIDE, Value::Text(name));
            all.push((place(baseline, &case), case));
        }
    }
    // Stable: of one place, in the order of the sides.
    all.sort_by_key(|(place, _)| *place);
    Run { cases: all.into_iter().map(|(_, case)| case).collect(), ..without_cases(baseline) }
}

/// Where a case's partner stands in the baseline.
fn place(baseline: &Run, case: &CaseResult) -> usize {
    let by = |same: &dyn Fn(&CaseResult) -> bool| baseline.cases.iter().position(same);
    by(&|c| c.label == case.label && c.work_id == case.work_id)
        .or_else(|| by(&|c| c.work_id == case.work_id && c.workload == case.workload))
        .unwrap_or(usize::MAX)
}

/// What the sides are called in charts.
fn names(subject: &Subject<'_>) -> Vec<String> {
    let words = subject.words;
    let sides = &subject.comparison.sides;
    let name = |(place, side): (usize, &model::comparison::Side)| match (place, sides.len()) {
        (0, _) => words.say("comparison-baseline"),
        (_, 2) => words.say("comparison-new"),
        _ => side.name.clone(),
    };
    sides.iter().enumerate().map(name).collect()
}
