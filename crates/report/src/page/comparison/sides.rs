//! The runs as the page needs them: with the cases that are compared only, and
//! all of them as one, so that one chart shows every side.

use std::collections::{HashMap, HashSet};

use model::run::CaseResult;
use model::trial::LOCAL;
use model::{Comparison, ParameterName, Run, Value, WorkloadName};

use super::ComparisonSubject;

/// Each run with the cases that have a partner.
pub(super) fn compared(subject: &ComparisonSubject<'_>) -> Vec<Run> {
    let comparison = subject.comparison;
    let of = |(side, run): (usize, &Run)| {
        let alone = alone(comparison, side);
        let is_compared = |case: &&CaseResult| !alone.contains(&*case.label.to_string());
        let kept: Vec<usize> = (0..run.cases.len()).filter(|at| is_compared(&&run.cases[*at])).collect();
        let moved = |at: &usize| {
            let mut case = light(&run.cases[*at]);
            case.role = case.role.moved(|of| kept.iter().position(|place| *place == of));
            case
        };
        let cases = kept.iter().map(moved).collect();
        Run { cases, ..without_cases(run) }
    };
    subject.runs.iter().enumerate().map(of).collect()
}

/// The labels of the cases of a side that have no partner on any other.
fn alone(comparison: &Comparison, side: usize) -> HashSet<&str> {
    let others = match (&comparison.by, side) {
        (None, 0) => comparison.sides.len().saturating_sub(1),
        _ => 1,
    };
    let mut times: HashMap<&str, usize> = HashMap::new();
    for here in comparison.unmatched.iter().filter(|u| comparison.by.is_some() || u.side == side) {
        *times.entry(&here.case).or_default() += 1;
    }
    times.retain(|_, times| *times >= others.max(1));
    times.into_keys().collect()
}

/// A run but for its cases, which may be large.
fn without_cases(run: &Run) -> Run {
    Run {
        schema: run.schema.clone(),
        id: run.id.clone(),
        started: run.started.clone(),
        finished: run.finished.clone(),
        outcome: run.outcome,
        resumptions: run.resumptions.clone(),
        origin: run.origin.clone(),
        headroom: run.headroom.clone(),
        study: run.study.clone(),
        seed: run.seed,
        machines: run.machines.clone(),
        definitions: run.definitions.clone(),
        cases: Vec::new(),
        findings: run.findings.clone(),
        tool_outputs: Vec::new(),
        analysis: run.analysis,
    }
}

/// A case without what no chart of a comparison shows, which may be large.
fn light(case: &CaseResult) -> CaseResult {
    let mut light = case.clone();
    for result in light.trials.iter_mut().map(|t| &mut t.result) {
        result.machines.clear();
        result.loads.retain(|load| load.load == 0 && load.machine == LOCAL);
        for load in &mut result.loads {
            (load.series, load.targets) = (Vec::new(), Vec::new());
        }
    }
    light
}

/// All cases as those of one run, each with its side as a parameter, partners
/// one after the other.
pub(super) fn together(subject: &ComparisonSubject<'_>, baseline: &Run, sides: &[Run]) -> Run {
    if subject.comparison.by.is_some() {
        return baseline.clone();
    }
    let (names, places) = (names(subject), BaselineIndex::of_cases(baseline));
    let mut all: Vec<(usize, CaseResult)> = Vec::new();
    for (side, run) in sides.iter().enumerate() {
        for case in &run.cases {
            let mut case = case.clone();
            let name = names.get(side).cloned().unwrap_or_default();
            case.loads.main.parameters.set(ParameterName::SIDE, Value::Text(name));
            all.push((places.of(&case), case));
        }
    }
    // Stable: of one place, in the order of the sides.
    all.sort_by_key(|(place, _)| *place);
    let mut together =
        Run { cases: all.into_iter().map(|(_, case)| case).collect(), ..without_cases(baseline) };
    sides.iter().for_each(|run| together.definitions.complete(&run.definitions));
    together
}

/// Where a case's partner stands in the baseline.
struct BaselineIndex<'a> {
    /// By label and work.
    exactly: HashMap<(String, &'a str), usize>,
    /// By work and workload.
    of_work: HashMap<(&'a str, WorkloadName), usize>,
}

impl<'a> BaselineIndex<'a> {
    fn of_cases(baseline: &'a Run) -> Self {
        let mut places = Self { exactly: HashMap::new(), of_work: HashMap::new() };
        for (place, case) in baseline.cases.iter().enumerate() {
            places.exactly.entry((case.label.to_string(), &case.work_id)).or_insert(place);
            places.of_work.entry((&case.work_id, case.loads.main.workload)).or_insert(place);
        }
        places
    }

    /// Behind all others, where it has none.
    fn of(&self, case: &CaseResult) -> usize {
        let exactly = self.exactly.get(&(case.label.to_string(), &*case.work_id));
        let place = exactly.or_else(|| self.of_work.get(&(&*case.work_id, case.loads.main.workload)));
        place.copied().unwrap_or(usize::MAX)
    }
}

/// What the sides are called in charts.
fn names(subject: &ComparisonSubject<'_>) -> Vec<String> {
    let words = subject.words;
    let sides = &subject.comparison.sides;
    let name = |(place, side): (usize, &model::comparison::Side)| match (place, sides.len()) {
        (0, _) => words.say("comparison-baseline"),
        (_, 2) => words.say("comparison-new"),
        _ => side.name.clone(),
    };
    sides.iter().enumerate().map(name).collect()
}
