//! Whether a machine is fit for a use: whether it keeps all goals of the study. The answer names the goal that decides (one
//! that is not kept, one of which it cannot be told, or the kept one with the least room), how much room is left at it,
//! and what limits its case.
//!
//! Room is a share of the bound: a latency of 3 ms where less than 10 ms are wanted is 70 % below the bound, and 600 MB/s where
//! 500 MB/s are wanted 20 % above it.

use std::cmp::Ordering;

use model::finding::{Evidence, Place};
use model::goal::{GoalDoubt, GoalOutcome};
use model::run::{CaseResult, CaseRole, Estimate};
use model::{Finding, FindingKind, Goal, Resource, Run, Severity, metric};

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "fits",
    "About the whole run: whether all goals are kept (`kind = \"fits\"` in a study's `[verdict]`), with the one that decides, \
     how far its figure is from the bound, as a share of that, and what limits its case.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
fits-limit =
    { $limited ->
        [yes] ; { RESOURCE($resource) } limit{ verb-s } it
       *[no] {""}
    }

fits-least =
    { $interval ->
        [yes] , at least { PERCENT($room_least) } by the interval over trials
       *[no] {""}
    }

finding-fits =
    { $answer ->
        [yes] every goal is kept; the least room is at { $goal }: { SHORT($value, $unit) } { $side ->
                [zero] was measured
                [upper] is { PERCENT($room) } below the bound{ fits-least }
               *[lower] is { PERCENT($room) } above the bound{ fits-least }
            }{ fits-limit }
        [no] { $goal } is not kept: { SHORT($value, $unit) } { $side ->
                [zero] was measured
                [upper] is { PERCENT($short) } above the bound
               *[lower] is { PERCENT($short) } below the bound
            }{ fits-limit }
       *[unknown] { $why ->
            [none] nothing was measured that says whether { $goal } is kept
            [doubt] the figures keep every goal, but an error among the findings says that they are not to be trusted
            [trials] { SHORT($value, $unit) } was measured for { $goal }, but there are too few trials, or too short ones, to tell
           *[spread] { SHORT($value, $unit) } was measured for { $goal }, but the trials differ too much to tell
        }
    }

evidence-fits-inputs = asked with { $inputs }
evidence-fits-held =
    { $counted ->
        [yes] { $name }: at most { FIXED($count) } at once come in time, by a search
       *[no] at most { FIXED($count) } operations per second come in time, by a search
    }
"#;

/// What became of a goal in a case, or without one.
struct HeldBound<'a> {
    goal: &'a Goal,
    case: Option<&'a CaseResult>,
    outcome: GoalOutcome,
    doubt: Option<GoalDoubt>,
}

impl<'a> HeldBound<'a> {
    fn estimate(&self) -> Option<&'a Estimate> {
        let estimate = self.case?.loads.main.estimates.get(&self.goal.metric)?;
        (estimate.unit == self.goal.unit).then_some(estimate)
    }

    /// How far a value is on the good side of the bound, as a share of that; on the wrong side less than nothing. Of a bound
    /// of nothing there is no share.
    fn room(&self, value: f64) -> Option<f64> {
        let above = value / self.goal.value - 1.0;
        let room = if self.goal.operator.is_upper() { -above } else { above };
        (self.goal.value > 0.0).then_some(room)
    }

    /// The same of the end of the interval that is nearest to the wrong side.
    fn room_least(&self) -> Option<f64> {
        let estimate = self.estimate()?;
        let end = if self.goal.operator.is_upper() { estimate.high } else { estimate.low };
        self.room(end.unwrap_or(estimate.median))
    }

    /// Which decides comes first: the gravest, and of such ones the one with the least room. What is only not to be trusted
    /// decides where there is nothing else.
    fn order(&self, other: &HeldBound<'_>) -> Ordering {
        let room = |held: &HeldBound<'_>| held.room_least().unwrap_or(f64::INFINITY);
        let is_untrusted = |held: &HeldBound<'_>| held.doubt == Some(GoalDoubt::Untrusted);
        let graver = other.outcome.cmp(&self.outcome).then(is_untrusted(self).cmp(&is_untrusted(other)));
        graver.then(room(self).total_cmp(&room(other)))
    }

    /// On which side of the bound the good values lie: a bound of 0 has no shares on either.
    fn side(&self) -> &'static str {
        match self.goal.value > 0.0 {
            false => "zero",
            true if self.goal.operator.is_upper() => "upper",
            true => "lower",
        }
    }

    /// What limits the case.
    fn limit(&self) -> Option<&'a Resource> {
        let verdict = self.case?.findings.iter().find(|found| found.kind == FindingKind::Bottleneck)?;
        verdict.resource.as_ref()
    }
}

/// The goal and the case that decide.
fn decisive(run: &Run) -> Option<HeldBound<'_>> {
    let mut all = Vec::new();
    for (place, goal) in run.study.goals.iter().enumerate() {
        let before = all.len();
        for case in &run.cases {
            let held = case.goals.iter().find(|held| held.goal == place);
            all.extend(held.map(|held| HeldBound {
                goal,
                case: Some(case),
                outcome: held.outcome,
                doubt: held.doubt,
            }));
        }
        if all.len() == before {
            all.push(HeldBound { goal, case: None, outcome: GoalOutcome::CannotTell, doubt: None });
        }
    }
    all.into_iter().min_by(|a, b| a.order(b))
}

/// What the run's question comes to.
pub(super) fn check(run: &Run) -> Option<Finding> {
    let held = decisive(run)?;
    let (answer, why) = match (held.outcome, held.doubt) {
        (GoalOutcome::Kept, _) => ("yes", "none"),
        (GoalOutcome::NotKept, _) => ("no", "none"),
        (GoalOutcome::CannotTell, Some(GoalDoubt::Untrusted)) => ("unknown", super::DOUBT),
        (GoalOutcome::CannotTell, Some(GoalDoubt::Interval)) => ("unknown", "spread"),
        (GoalOutcome::CannotTell, Some(GoalDoubt::NoInterval)) => ("unknown", "trials"),
        (GoalOutcome::CannotTell, _) => ("unknown", "none"),
    };
    let limit = held.limit();
    let mut found = Finding::new(FindingKind::Answer, CODE.0, Severity::Note)
        .arg("answer", answer)
        .arg("why", why)
        .arg("goal", held.goal.text.as_str())
        .arg("side", held.side())
        .arg("limited", if limit.is_some() { "yes" } else { "no" });
    if let Some(estimate) = held.estimate() {
        let room = held.room(estimate.median).unwrap_or(0.0);
        found = found
            .arg("value", estimate.median)
            .arg("unit", estimate.unit.symbol())
            .arg("room", room.max(0.0))
            // A greatest value has none.
            .arg("interval", if estimate.low.is_some() && estimate.high.is_some() { "yes" } else { "no" })
            .arg("room_least", held.room_least().unwrap_or(0.0).max(0.0))
            .arg("short", (-room).max(0.0));
    }
    if let Some(resource) = limit {
        found = found.arg("resource", resource.as_str());
    }
    Some(found.because_all(run.cases.iter().filter_map(|case| held_rate(run, case)).chain(inputs(run))))
}

/// The most that came in time, where a case searched for it.
fn held_rate(run: &Run, case: &CaseResult) -> Option<Evidence> {
    let estimate =
        case.loads.main.estimates.get(&metric::RATE_HELD).filter(|_| case.role == CaseRole::Asked)?;
    // A part of one is none.
    let count = estimate.low.unwrap_or(estimate.median).max(0.0).floor();
    let name = run.study.verdict.as_ref().and_then(|verdict| verdict.count.as_deref());
    let evidence = Evidence::at("fits-held", Place::Case(case.label.to_string()))
        .arg("count", count)
        .arg("counted", if name.is_some() { "yes" } else { "no" });
    Some(match name {
        Some(name) => evidence.arg("name", name),
        None => evidence,
    })
}

/// What was asked with: a verdict holds of that.
fn inputs(run: &Run) -> Option<Evidence> {
    let all: Vec<String> = run.study.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    (!all.is_empty()).then(|| Evidence::maybe_at("fits-inputs", None).arg("inputs", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use model::goal::GoalOperator;
    use model::study::{StudyVerdict, StudyVerdictKind};
    use model::{Better, MetricName, Unit, Value};

    use super::*;
    use crate::answer::is_answer_doubted;
    use crate::validity::{fixture, memory_backed};

    fn case(metric: MetricName, (low, median, high): (f64, f64, f64), unit: Unit) -> CaseResult {
        let mut case = fixture::case(3);
        let better = if unit == Unit::Seconds { Better::Lower } else { Better::Higher };
        let estimate =
            Estimate { low: Some(low), high: Some(high), ..fixture::estimate(median, unit, better) };
        case.loads.main.estimates.insert(metric, estimate);
        case
    }

    fn latency(low: f64, median: f64, high: f64) -> CaseResult {
        case(metric::LATENCY_P99, (low, median, high), Unit::Seconds)
    }

    fn goal(metric: MetricName, operator: GoalOperator, value: f64, unit: Unit) -> Goal {
        let text = format!("{metric} {} {value}", operator.symbol());
        Goal { text, metric, operator, value, unit, filter: Vec::new() }
    }

    /// Below 10 ms.
    fn quick() -> Goal {
        goal(metric::LATENCY_P99, GoalOperator::Below, 0.01, Unit::Seconds)
    }

    fn run(goals: Vec<Goal>, cases: Vec<CaseResult>) -> Run {
        let mut run = crate::comparison::tests::run("r", &[], cases);
        let name = run.cases[0].loads.main.workload;
        let kind = StudyVerdictKind::Fits;
        let verdict = StudyVerdict { kind, source: name, sink: name, joint: name, rate: None, count: None };
        run.study.verdict = Some(verdict);
        run.study.goals = goals;
        let held = crate::goal::of_cases(&run);
        for (case, held) in run.cases.iter_mut().zip(held) {
            case.goals = held;
        }
        run
    }

    fn found(run: &Run) -> Finding {
        crate::said::written(vec![crate::answer::check(run).unwrap()]).pop().unwrap()
    }

    fn said(goals: Vec<Goal>, cases: Vec<CaseResult>) -> (String, String) {
        let found = found(&run(goals, cases));
        (found.args["answer"].to_string(), found.text)
    }

    #[test]
    fn the_kept_goal_with_the_least_room_is_told() {
        let (answer, text) = said(vec![quick()], vec![latency(2e-3, 3e-3, 4e-3)]);
        assert_eq!(answer, "yes");
        let room = "3 ms is 70 % below the bound, at least 60 % by the interval over trials";
        assert!(text.starts_with("every goal is kept; the least room is at latency_p99 < 0.01: "), "{text}");
        assert!(text.contains(room), "{text}");
        let fast = goal(metric::IOPS, GoalOperator::AtLeast, 500.0, Unit::PerSecond);
        let mut both = latency(2e-3, 3e-3, 4e-3);
        let iops = case(metric::IOPS, (550.0, 600.0, 650.0), Unit::PerSecond);
        both.loads.main.estimates.extend(iops.loads.main.estimates);
        let (answer, text) = said(vec![quick(), fast], vec![both]);
        assert!(answer == "yes" && text.contains("iops >= 500: "), "{text}");
        assert!(text.contains("20 % above the bound, at least 10 % by"), "{text}");
    }

    #[test]
    fn a_goal_that_is_not_kept_decides() {
        let cases =
            || vec![latency(2e-3, 3e-3, 4e-3), latency(14e-3, 15e-3, 16e-3), latency(9e-3, 10e-3, 11e-3)];
        let (answer, text) = said(vec![quick()], cases());
        assert!(answer == "no" && text.contains("is not kept: 15 ms is 50 % above the bound"), "{text}");
        let mut limited = cases();
        let verdict = Finding::new(FindingKind::Bottleneck, "device", Severity::Note).on("block:vda");
        limited[1].findings = vec![verdict];
        let (_, text) = said(vec![quick()], limited);
        assert!(text.contains("above the bound; ") && text.ends_with(" limits it"), "{text}");
    }

    /// Bug: of a bound of 0, such as no errors, any value was said to be 0 % above it.
    #[test]
    fn of_a_bound_of_nothing_there_is_no_share() {
        let none = || goal(metric::ERROR_SHARE, GoalOperator::AtMost, 0.0, Unit::One);
        let errors = |share: f64| case(metric::ERROR_SHARE, (share, share, share), Unit::One);
        let (answer, text) = said(vec![none()], vec![errors(0.25)]);
        assert!(answer == "no" && text.contains("error_share <= 0 is not kept: "), "{text}");
        assert!(text.ends_with(" was measured"), "{text}");
        let (answer, text) = said(vec![none()], vec![errors(0.0)]);
        assert!(answer == "yes" && text.ends_with(" was measured"), "{text}");
    }

    #[test]
    fn what_the_trials_do_not_tell_is_unknown() {
        let (answer, text) =
            said(vec![quick()], vec![latency(2e-3, 3e-3, 4e-3), latency(9e-3, 10e-3, 11e-3)]);
        assert!(answer == "unknown" && text.contains("differ too much"), "{text}");
        let mut alone = latency(2e-3, 3e-3, 4e-3);
        for estimate in alone.loads.main.estimates.values_mut() {
            (estimate.low, estimate.high) = (None, None);
        }
        let (answer, text) = said(vec![quick()], vec![alone]);
        assert!(answer == "unknown" && text.contains("too few trials"), "{text}");
        let other = goal(metric::RATE_HELD, GoalOperator::Above, 1.0, Unit::PerSecond);
        let (answer, text) = said(vec![quick(), other], vec![latency(2e-3, 3e-3, 4e-3)]);
        assert!(answer == "unknown" && text.contains("nothing was measured"), "{text}");
        assert!(crate::answer::check(&run(Vec::new(), vec![latency(1e-3, 1e-3, 1e-3)])).is_none());
    }

    #[test]
    fn what_keeps_its_goals_by_figures_that_are_none_is_not_fit() {
        let with = |code: &str, how: &str| {
            let mut case = latency(2e-3, 3e-3, 4e-3);
            let error = Finding::new(FindingKind::Validity, code, Severity::Error);
            case.findings = vec![error.arg("how", how)];
            said(vec![quick()], vec![case])
        };
        for (code, how) in [("trials-failed", "failed"), (memory_backed::RULE.code, "memory")] {
            let (answer, text) = with(code, how);
            assert!(answer == "unknown" && text.contains("not to be trusted"), "{text}");
        }
        assert_eq!(
            with(memory_backed::RULE.code, "elsewhere").0,
            "yes",
            "a share may be what is asked about"
        );
        let mut slow = latency(14e-3, 15e-3, 16e-3);
        slow.findings = vec![Finding::new(FindingKind::Validity, "trials-failed", Severity::Error)];
        let slow = run(vec![quick()], vec![slow]);
        assert!(found(&slow).args["answer"] == Value::from("no") && !is_answer_doubted(&slow));
    }

    #[test]
    fn what_was_searched_and_asked_with_is_told() {
        let held = case(metric::RATE_HELD, (41.7, 43.0, 44.0), Unit::PerSecond);
        let goal = goal(metric::RATE_HELD, GoalOperator::AtLeast, 24.0, Unit::PerSecond);
        let mut run = run(vec![goal], vec![held]);
        run.study.inputs.insert("streams".to_owned(), "24".to_owned());
        let texts = |run: &Run| -> Vec<String> {
            found(run).evidence.into_iter().filter_map(|one| one.text).collect()
        };
        let asked = "asked with streams=24";
        assert_eq!(texts(&run), ["at most 41 operations per second come in time, by a search", asked]);
        let verdict = run.study.verdict.take();
        run.study.verdict =
            verdict.map(|verdict| StudyVerdict { count: Some("streams".to_owned()), ..verdict });
        assert_eq!(texts(&run), ["streams: at most 41 at once come in time, by a search", asked]);
    }
}
