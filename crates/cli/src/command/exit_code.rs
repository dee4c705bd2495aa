//! Which exit code says how a run ended, and the warning that goes with one that says less than the page.

use std::process::ExitCode;

use model::goal::GoalOutcome;
use model::run::{Outcome, Run};
use model::trial::Status;
use report::text::printable;

use crate::exit::{ABORTED, GOAL_NOT_KEPT, GOAL_UNKNOWN, INTERRUPTED, NOT_ACCEPTED, TRIAL_FAILED, UNKEPT};
use crate::output;

/// That of a run that is kept; `is_strict` if an unknown goal has a code of its own. A goal that is not kept comes
/// before one of which it cannot be told.
pub(super) fn of_run(run: &Run, is_strict: bool) -> ExitCode {
    let code = number(run, is_strict);
    if let Some(cause) = analysis::abort_cause(run) {
        let condition = printable(&cause.condition.text);
        output::note(&format!("ended early: a trial met the condition `{condition}`\n"));
    }
    if code == 0 && outcome(run) == Some(GoalOutcome::CannotTell) {
        output::note(&format!("warning: {} (--strict makes this exit code 4)\n", unknown(run)));
    }
    ExitCode::from(code)
}

/// What cannot be told, and why.
fn unknown(run: &Run) -> String {
    let what = match analysis::goals_outcome(run) {
        Some(GoalOutcome::CannotTell) => "whether every goal is kept",
        _ => "what the answer to the study's question is",
    };
    let why = match analysis::is_answer_doubted(run) {
        true => "an error among the findings says that figures cannot be trusted",
        false => "more or longer trials narrow the intervals",
    };
    format!("it cannot be told {what}; {why}")
}

/// What became of the goals, and of the study's question where the figures that answer it are not to be trusted.
fn outcome(run: &Run) -> Option<GoalOutcome> {
    let doubted = analysis::is_answer_doubted(run).then_some(GoalOutcome::CannotTell);
    analysis::goals_outcome(run).max(doubted)
}

fn number(run: &Run, is_strict: bool) -> u8 {
    let trials = || run.cases.iter().flat_map(|case| &case.trials);
    let failed = trials().any(|trial| trial.status == Status::Failed);
    let measured = trials().any(|trial| trial.status == Status::Ok);
    let aborted = analysis::abort_cause(run).is_some();
    match (run.outcome, outcome(run)) {
        (Some(Outcome::Interrupted), _) if !aborted => INTERRUPTED,
        _ if failed || !measured => TRIAL_FAILED,
        _ if aborted => ABORTED,
        _ if !analysis::keeps_expectations(run) => UNKEPT,
        _ if analysis::is_not_accepted(run) => NOT_ACCEPTED,
        (_, Some(GoalOutcome::NotKept)) => GOAL_NOT_KEPT,
        (_, Some(GoalOutcome::CannotTell)) if is_strict => GOAL_UNKNOWN,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use model::goal::{GoalDoubt, GoalOperator, HeldGoal};
    use model::run::CaseResult;
    use model::study::{StudyVerdict, StudyVerdictKind};
    use model::trial::{Trial, TrialResult};
    use model::{Finding, FindingKind, Goal, Severity, Study, Unit, metric};

    use super::*;

    fn run(status: Status, outcomes: &[GoalOutcome]) -> Run {
        let goal = Goal {
            text: String::new(),
            metric: metric::IOPS,
            operator: GoalOperator::AtLeast,
            value: 1.0,
            unit: Unit::PerSecond,
            filter: Vec::new(),
        };
        let study = Study { goals: vec![goal; outcomes.len()], ..Study::default() };
        let json = serde_json::json!({
            "schema": model::run::SCHEMA, "id": "a", "started": "", "seed": 1, "machines": [], "cases": [],
            "origin": { "tool": "headroom", "version": "", "command": [] },
            "headroom": { "version": "", "build": "" }, "analysis": { "version": 1 },
            "study": study,
        });
        let trial = Trial {
            order: 0,
            block: 0,
            started: String::new(),
            status,
            reason: None,
            result: TrialResult::default(),
        };
        let held = |(goal, outcome): (usize, &GoalOutcome)| HeldGoal { goal, outcome: *outcome, doubt: None };
        let goals = outcomes.iter().enumerate().map(held).collect();
        let case = CaseResult { trials: vec![trial], goals, ..CaseResult::default() };
        Run { cases: vec![case], outcome: Some(Outcome::Complete), ..serde_json::from_value(json).unwrap() }
    }

    #[test]
    fn a_goal_that_is_not_kept_comes_before_one_of_which_it_cannot_be_told() {
        use GoalOutcome::{CannotTell, Kept, NotKept};
        for (outcomes, usual, strict) in [
            (&[][..], 0, 0),
            (&[Kept], 0, 0),
            (&[Kept, CannotTell], 0, 4),
            (&[CannotTell, NotKept, Kept], 1, 1),
        ] {
            let run = run(Status::Ok, outcomes);
            assert_eq!((number(&run, false), number(&run, true)), (usual, strict), "{outcomes:?}");
        }
        assert_eq!(number(&run(Status::Failed, &[CannotTell]), true), 1);
        let interrupted = Run { outcome: Some(Outcome::Interrupted), ..run(Status::Ok, &[NotKept]) };
        assert_eq!(number(&interrupted, true), 130);
    }

    #[test]
    fn a_part_with_errors_fails_an_acceptance_and_nothing_else() {
        let mut run = run(Status::Ok, &[]);
        let errors = Finding::new(FindingKind::Validity, "hardware-errors", Severity::Warning);
        run.cases[0].findings = vec![errors.on("memory:mc0").arg("count", 1.0)];
        assert_eq!(number(&run, true), 0, "nobody asked");
        let name = run.cases[0].loads.main.workload;
        let kind = StudyVerdictKind::Accepts;
        let verdict = StudyVerdict { kind, source: name, sink: name, joint: name, rate: None, count: None };
        run.study.verdict = Some(verdict);
        assert_eq!(number(&run, true), 1);
        run.cases[0].findings.clear();
        assert_eq!(number(&run, true), 0);
    }

    #[test]
    fn regression_a_run_whose_figures_are_not_to_be_trusted_ended_as_one_whose_are() {
        let mut run = run(Status::Ok, &[GoalOutcome::CannotTell]);
        assert!(unknown(&run).ends_with("more or longer trials narrow the intervals"));
        run.cases[0].goals[0].doubt = Some(GoalDoubt::Untrusted);
        assert_eq!((number(&run, false), number(&run, true)), (0, 4));
        let told = unknown(&run);
        assert!(told.contains("whether every goal is kept; an error among the findings"), "{told}");
    }

    #[test]
    fn regression_an_answer_that_is_not_to_be_trusted_was_no_answer_of_which_it_cannot_be_told() {
        let mut run = run(Status::Ok, &[]);
        let answer = |why: &str| {
            let answer = Finding::new(FindingKind::Answer, "sustains", Severity::Note);
            vec![answer.arg("answer", "unknown").arg("why", why)]
        };
        run.findings = answer("spread");
        assert_eq!((number(&run, false), number(&run, true)), (0, 0));
        run.findings = answer("doubt");
        assert_eq!((number(&run, false), number(&run, true)), (0, 4));
        let told = unknown(&run);
        assert!(told.contains("what the answer to the study's question is; an error"), "{told}");
    }
}
