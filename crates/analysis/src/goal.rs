//! What became of the study's goals: each is held against the interval of the estimate in each case that it is for.
//! There is no tolerance: on which side of the bound the result has to lie, the goal says itself.
//!
//! Of a greatest value (`latency_max`) what was measured counts: it has no interval, and the goal is about it. Of
//! everything else an estimate without an interval tells nothing. Nor does a figure that is not what it seems: a goal is
//! not kept by it.

use std::cmp::Reverse;

use model::goal::{GoalDoubt, GoalOutcome, HeldGoal};
use model::metric::{self, Statistic};
use model::run::{CaseResult, CaseRole, Estimate};
use model::trial::{Status, Trial};
use model::{Finding, FindingKind, Goal, Run, Severity, Value, parameter};

use crate::validity::memory_backed;

/// Whether an estimate keeps a goal; where that cannot be told, why.
fn judged(goal: &Goal, estimate: Option<&Estimate>) -> (GoalOutcome, Option<GoalDoubt>) {
    let unknown = |doubt| (GoalOutcome::CannotTell, Some(doubt));
    let Some(estimate) = estimate.filter(|e| e.unit == goal.unit) else {
        return unknown(GoalDoubt::NoFigure);
    };
    let is_greatest = matches!(goal.metric.statistic(), Some((_, Statistic::Greatest)));
    let ends = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => [low, high],
        _ if is_greatest => [estimate.median; 2],
        _ => return unknown(GoalDoubt::NoInterval),
    };
    match ends.map(|end| goal.is_met(end)) {
        [true, true] => (GoalOutcome::Kept, None),
        [false, false] => (GoalOutcome::NotKept, None),
        _ => unknown(GoalDoubt::Interval),
    }
}

/// Whether a finding says of a case that its figures are not what they say, such as that trials failed. What is on another
/// machine may be what is asked about.
pub(crate) fn is_doubted(case: &CaseResult) -> bool {
    let is_elsewhere = |found: &Finding| {
        found.code == memory_backed::RULE.code && found.args.get("how") == Some(&Value::from("elsewhere"))
    };
    let is_doubt = |found: &Finding| {
        found.kind == FindingKind::Validity && found.severity == Severity::Error && !is_elsewhere(found)
    };
    case.findings.iter().any(is_doubt)
}

/// What became of a goal in a case that is held to it.
fn held(goal: &Goal, case: &CaseResult) -> (GoalOutcome, Option<GoalDoubt>) {
    match judged(goal, case.loads.main.estimates.get(&goal.metric)) {
        (GoalOutcome::Kept, _) if is_doubted(case) => (GoalOutcome::CannotTell, Some(GoalDoubt::Untrusted)),
        judged => judged,
    }
}

/// What became of the goals in each case, in the order of the cases, whose findings are there already. Only what the study
/// asks for is held to them: a level that was added for a verdict, or tried in a search, is nobody's result.
pub(crate) fn of_cases(run: &Run) -> Vec<Vec<HeldGoal>> {
    let of_case = |case: &CaseResult| {
        let held = |(place, goal): (usize, &Goal)| {
            is_for(goal, case, run).then(|| {
                let (outcome, doubt) = held(goal, case);
                HeldGoal { goal: place, outcome, doubt }
            })
        };
        match case.role {
            CaseRole::Asked => run.study.goals.iter().enumerate().filter_map(held).collect(),
            _ => Vec::new(),
        }
    };
    run.cases.iter().map(of_case).collect()
}

fn is_for(goal: &Goal, case: &CaseResult, run: &Run) -> bool {
    let load = &case.loads.main;
    let main = (load.workload, &load.parameters);
    if goal.is_for(main, &case.label, &run.definitions) {
        return true;
    }
    // Where a level was searched, the label has what was found in place of the word that asked for it.
    let Some(search) = &case.search else { return false };
    let mut label = case.label.clone();
    for part in label.loads.iter_mut().take(1).flat_map(|main| &mut main.parameters) {
        if part.name == search.parameter.as_str() {
            part.value = parameter::AUTO.word.into();
        }
    }
    goal.is_for(main, &label, &run.definitions)
}

/// The gravest of what became of the goals of a run; absent where there are none. Of a goal that no case was held to,
/// it cannot be told.
#[must_use]
pub fn goals_outcome(run: &Run) -> Option<GoalOutcome> {
    let of_goal = |place: usize| {
        let held = run.cases.iter().flat_map(|case| &case.goals).filter(move |held| held.goal == place);
        held.map(|held| held.outcome).max().unwrap_or(GoalOutcome::CannotTell)
    };
    (0..run.study.goals.len()).map(of_goal).max()
}

/// Why a run ended early.
#[derive(Clone, Copy, Debug)]
pub struct AbortCause<'a> {
    /// The condition of the study that was met.
    pub condition: &'a Goal,
    /// The case whose trial met it.
    pub case: &'a CaseResult,
    /// The value that did, in the unit of the condition.
    pub value: f64,
}

/// The condition of the study that a trial of a run meets, if any does, by the last one that does: such a trial ends
/// the run.
#[must_use]
pub fn abort_cause(run: &Run) -> Option<AbortCause<'_>> {
    if run.study.abort_when.is_empty() {
        return None;
    }
    let mut all: Vec<(&CaseResult, &Trial)> = trials(run).collect();
    all.sort_by_key(|(_, trial)| Reverse(trial.order));
    all.into_iter().find_map(|(case, trial)| {
        run.study.abort_when.iter().find_map(|condition| {
            let value = value(condition, case, trial, run).filter(|value| condition.is_met(*value))?;
            Some(AbortCause { condition, case, value })
        })
    })
}

/// The trials that were begun, with their cases.
fn trials(run: &Run) -> impl Iterator<Item = (&CaseResult, &Trial)> {
    let all = run.cases.iter().flat_map(|case| case.trials.iter().map(move |trial| (case, trial)));
    all.filter(|(_, trial)| trial.status != Status::Skipped)
}

/// What a condition is about in a trial; absent where that trial is not meant, or does not have it.
fn value(condition: &Goal, case: &CaseResult, trial: &Trial, run: &Run) -> Option<f64> {
    if !is_for(condition, case, run) {
        return None;
    }
    if condition.metric == metric::ERRORS {
        if !has_errors(trial) {
            return None;
        }
        let all = trials(run).filter(|(case, trial)| has_errors(trial) && is_for(condition, case, run));
        return Some(all.count() as f64);
    }
    // What is measured to search, or to prove what limits, is slower on purpose.
    if case.role != CaseRole::Asked {
        return None;
    }
    let measured = trial.result.main().metrics.get(&condition.metric);
    measured.filter(|quantity| quantity.unit == condition.unit).map(|quantity| quantity.value)
}

/// Whether a trial failed, or operations in it.
pub(crate) fn has_errors(trial: &Trial) -> bool {
    let share = trial.result.main().metrics.get(&metric::ERROR_SHARE);
    trial.status == Status::Failed || share.is_some_and(|share| share.value > 0.0)
}

#[cfg(test)]
mod tests {
    use model::goal::{CaseFilter, GoalOperator};
    use model::label::{Label, LabelPart, LoadLabel};
    use model::run::{LevelSearch, SearchEnd};
    use model::{Better, Definitions, Kind, MetricName, ParameterName, Quantity, Study, Unit};

    use super::*;
    use crate::validity::fixture;

    fn goal(metric: MetricName, operator: GoalOperator, value: f64, unit: Unit) -> Goal {
        Goal { text: format!("{metric}"), metric, operator, value, unit, filter: Vec::new() }
    }

    fn estimate(low: Option<f64>, high: Option<f64>) -> Estimate {
        Estimate { low, high, ..fixture::estimate(100.0, Unit::PerSecond, Better::Higher) }
    }

    #[test]
    fn a_goal_is_kept_or_not_by_the_whole_interval() {
        use GoalOperator::{Above, AtLeast, AtMost, Below};
        let between = estimate(Some(90.0), Some(110.0));
        for (operator, bound, outcome) in [
            (AtLeast, 90.0, GoalOutcome::Kept),
            (Above, 90.0, GoalOutcome::CannotTell),
            (AtLeast, 90.1, GoalOutcome::CannotTell),
            (AtLeast, 110.0, GoalOutcome::CannotTell),
            (Above, 110.0, GoalOutcome::NotKept),
            (AtLeast, 110.1, GoalOutcome::NotKept),
            (AtMost, 110.0, GoalOutcome::Kept),
            (Below, 110.0, GoalOutcome::CannotTell),
            (AtMost, 90.0, GoalOutcome::CannotTell),
            (Below, 90.0, GoalOutcome::NotKept),
            (AtMost, 89.9, GoalOutcome::NotKept),
        ] {
            let goal = goal(metric::IOPS, operator, bound, Unit::PerSecond);
            let (found, doubt) = judged(&goal, Some(&between));
            assert_eq!(found, outcome, "{} {bound}", operator.symbol());
            let is_unknown = outcome == GoalOutcome::CannotTell;
            assert_eq!(doubt, is_unknown.then_some(GoalDoubt::Interval));
        }
    }

    #[test]
    fn what_has_no_interval_tells_nothing_but_of_a_greatest_value() {
        let alone = estimate(None, None);
        let of = |metric, unit, estimate| {
            let goal = goal(metric, GoalOperator::AtMost, 200.0, unit);
            judged(&goal, estimate)
        };
        let unknown = |doubt| (GoalOutcome::CannotTell, Some(doubt));
        assert_eq!(of(metric::IOPS, Unit::PerSecond, Some(&alone)), unknown(GoalDoubt::NoInterval));
        assert_eq!(of(metric::IOPS, Unit::PerSecond, None), unknown(GoalDoubt::NoFigure));
        assert_eq!(of(metric::IOPS, Unit::Seconds, Some(&alone)), unknown(GoalDoubt::NoFigure));
        assert_eq!(of(metric::LATENCY_MAX, Unit::PerSecond, Some(&alone)), (GoalOutcome::Kept, None));
        // No error in any trial is an interval without width.
        let none = Estimate { median: 0.0, ..estimate(Some(0.0), Some(0.0)) };
        let no_errors = goal(metric::ERROR_SHARE, GoalOperator::AtMost, 0.0, Unit::PerSecond);
        assert_eq!(judged(&no_errors, Some(&none)), (GoalOutcome::Kept, None));
    }

    /// Bug: a run whose figures are none kept its goals by them.
    #[test]
    fn regression_a_goal_was_kept_by_a_figure_that_is_not_to_be_trusted() {
        let mut case = fixture::case(3);
        case.loads.main.estimates.insert(metric::IOPS, estimate(Some(90.0), Some(110.0)));
        let of = |case: &CaseResult, bound| {
            held(&goal(metric::IOPS, GoalOperator::AtLeast, bound, Unit::PerSecond), case)
        };
        let error = |code: &str, how: &str| {
            vec![Finding::new(FindingKind::Validity, code, Severity::Error).arg("how", how)]
        };
        assert_eq!(of(&case, 80.0), (GoalOutcome::Kept, None));
        case.findings = error(memory_backed::RULE.code, "elsewhere");
        assert_eq!(of(&case, 80.0), (GoalOutcome::Kept, None), "a share may be what is asked about");
        for code in [memory_backed::RULE.code, "trials-failed"] {
            case.findings = error(code, "memory");
            assert_eq!(of(&case, 80.0), (GoalOutcome::CannotTell, Some(GoalDoubt::Untrusted)), "{code}");
            assert_eq!(of(&case, 120.0), (GoalOutcome::NotKept, None), "{code}");
        }
        case.findings = vec![Finding::new(FindingKind::Validity, "few-trials", Severity::Warning)];
        assert_eq!(of(&case, 80.0), (GoalOutcome::Kept, None), "a warning alone is no doubt");
    }

    fn run(cases: Vec<CaseResult>, study: Study) -> Run {
        let json = serde_json::json!({
            "schema": model::run::SCHEMA, "id": "a", "started": "", "seed": 1, "machines": [], "cases": [],
            "origin": { "tool": "headroom", "version": "", "command": [] },
            "headroom": { "version": "", "build": "" }, "analysis": { "version": 1 },
            "study": study,
        });
        let run: Run = serde_json::from_value(json).unwrap();
        Run { cases, definitions: Definitions::default(), ..run }
    }

    #[test]
    fn only_cases_that_were_asked_for_and_are_meant_are_held_to_a_goal() {
        let mut case = fixture::case(0);
        case.loads.main.estimates.insert(metric::IOPS, estimate(Some(90.0), Some(110.0)));
        let mut other = case.clone();
        fixture::workload(&mut other, "null");
        let extra = CaseResult { role: CaseRole::Extra { of: 0 }, ..case.clone() };
        let of_disk = CaseFilter { name: CaseFilter::WORKLOAD.to_owned(), value: "disk".to_owned() };
        let goals = vec![
            goal(metric::IOPS, GoalOperator::AtLeast, 80.0, Unit::PerSecond),
            Goal { filter: vec![of_disk], ..goal(metric::IOPS, GoalOperator::Above, 200.0, Unit::PerSecond) },
        ];
        let mut run = run(vec![case, other, extra], Study { goals, ..Study::default() });
        assert_eq!(goals_outcome(&run), Some(GoalOutcome::CannotTell), "no case is held to them");
        let held = of_cases(&run);
        let shown: Vec<Vec<(usize, GoalOutcome)>> =
            held.iter().map(|all| all.iter().map(|one| (one.goal, one.outcome)).collect()).collect();
        let kept = (0, GoalOutcome::Kept);
        assert_eq!(shown, [vec![kept, (1, GoalOutcome::NotKept)], vec![kept], vec![]]);
        for (case, held) in run.cases.iter_mut().zip(held) {
            case.goals = held;
        }
        assert_eq!(goals_outcome(&run), Some(GoalOutcome::NotKept));
        run.study.goals.clear();
        assert_eq!(goals_outcome(&run), None);
    }

    #[test]
    fn a_searched_level_is_known_by_its_word_and_by_what_was_found() {
        let depth = ParameterName::new("queue-depth");
        let found = LabelPart { name: depth.to_string(), kind: Kind::Count, value: 32_u64.into() };
        let mut case = fixture::case(1);
        let workload = case.loads.main.workload;
        case.label =
            Label { loads: vec![LoadLabel { workload, parameters: vec![found] }], ..Label::default() };
        let ended = SearchEnd::Flat;
        case.search = Some(LevelSearch { parameter: depth, best: 32, knee: 32, ended, growth: Vec::new() });
        let run = run(Vec::new(), Study::default());
        let is_for = |value: &str, case: &CaseResult| {
            let filter = vec![CaseFilter { name: depth.to_string(), value: value.to_owned() }];
            let goal = goal(metric::IOPS, GoalOperator::Above, 1.0, Unit::PerSecond);
            super::is_for(&Goal { filter, ..goal }, case, &run)
        };
        assert!(is_for("auto", &case) && is_for("32", &case) && !is_for("1", &case));
        case.search = None;
        assert!(!is_for("auto", &case));
    }

    #[test]
    fn a_run_ends_with_the_last_trial_that_meets_a_condition() {
        let with = |condition: Goal, cases: Vec<CaseResult>| {
            let study = Study { abort_when: vec![condition], ..Study::default() };
            let run = run(cases, study);
            abort_cause(&run).map(|cause| cause.value)
        };
        let slow = || goal(metric::IOPS, GoalOperator::Below, 50.0, Unit::PerSecond);
        let errors = |bound| goal(metric::ERRORS, GoalOperator::Above, bound, Unit::One);
        let mut case = fixture::case(2);
        for (trial, value) in case.trials.iter_mut().zip([10.0, 20.0]) {
            let iops = Quantity { value, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, iops);
        }
        assert_eq!(with(slow(), vec![case.clone()]), Some(20.0));
        let level = CaseResult { role: CaseRole::Level { of: 0 }, ..case.clone() };
        assert_eq!(with(slow(), vec![level]), None, "a level of a search is slower on purpose");
        case.trials.pop();
        assert_eq!(with(slow(), vec![case.clone()]), Some(10.0));
        let slower = goal(metric::IOPS, GoalOperator::Below, 5.0, Unit::PerSecond);
        assert_eq!(with(slower, vec![case.clone()]), None);
        assert_eq!(with(errors(0.0), vec![case.clone()]), None);
        case.trials[0].status = Status::Failed;
        let mut bad = fixture::case(1);
        bad.trials[0].order = 1;
        let share = Quantity { value: 0.01, unit: Unit::One };
        bad.trials[0].result.main_mut().metrics.insert(metric::ERROR_SHARE, share);
        assert_eq!(with(errors(0.0), vec![case.clone()]), Some(1.0));
        assert_eq!(with(errors(1.0), vec![case.clone()]), None);
        assert_eq!(with(errors(1.0), vec![case, bad]), Some(2.0));
    }
}
