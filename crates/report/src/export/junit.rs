//! Goals and trials as JUnit XML, which CI systems show as tests: each case has one for its trials, and one for each
//! goal that it is held to; a condition that ended the run is one that failed. There is no standard; this keeps to what
//! Jenkins and GitLab read, and leaves out times, which would be those of measuring. A goal of which it cannot be told
//! is a skipped test with the reason.

use model::goal::{GoalOutcome, HeldGoal};
use model::run::CaseResult;
use model::trial::Status;

use crate::page::goals::{self, GoalResults};
use crate::page::{Subject, View};
use crate::text::clean;

/// What the test of a case's trials is called.
const TRIALS: &str = "trials";

/// One test.
struct TestCase {
    case: String,
    name: String,
    outcome: TestOutcome,
}

/// What came of it, with a message where it did not pass.
enum TestOutcome {
    Passed,
    Skipped(String),
    /// A goal is not kept, or a condition ended the run.
    Failed(String),
    /// Trials failed.
    Broken(String),
}

pub(super) fn write(subject: &Subject<'_>) -> String {
    let view = View::new(subject);
    let tests: Vec<TestCase> = trials(&view).chain(of_goals(&view)).chain(of_condition(&view)).collect();
    let count = |is: fn(&TestOutcome) -> bool| tests.iter().filter(|test| is(&test.outcome)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        tests.len(),
        count(|outcome| matches!(outcome, TestOutcome::Failed(_))),
        count(|outcome| matches!(outcome, TestOutcome::Broken(_))),
        count(|outcome| matches!(outcome, TestOutcome::Skipped(_))),
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"headroom\" {counts}>\n  \
         <testsuite name=\"{}\" timestamp=\"{}\" {counts}>\n",
        escaped(&view.title()),
        escaped(&view.run.started)
    );
    tests.iter().for_each(|test| out.push_str(&element(test)));
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Whether the trials of each case could be measured.
fn trials(view: &View<'_>) -> impl Iterator<Item = TestCase> {
    view.cases().map(move |case| TestCase {
        case: case.label.to_string(),
        name: TRIALS.to_owned(),
        outcome: of_trials(view, case),
    })
}

fn of_trials(view: &View<'_>, case: &CaseResult) -> TestOutcome {
    let of = |status: Status| case.trials.iter().filter(move |trial| trial.status == status);
    let reason = |status: Status| of(status).find_map(|trial| trial.reason.clone()).unwrap_or_default();
    match (of(Status::Failed).count(), of(Status::Ok).count()) {
        (0, 0) => {
            let reason = Some(reason(Status::Skipped)).filter(|reason| !reason.is_empty());
            TestOutcome::Skipped(reason.unwrap_or_else(|| view.say("ending-no-trial")))
        }
        (0, _) => TestOutcome::Passed,
        (failed, _) => {
            let failed = view.count("ending-failed", failed);
            TestOutcome::Broken(format!("{failed} {}", reason(Status::Failed)))
        }
    }
}

fn of_goals(view: &View<'_>) -> impl Iterator<Item = TestCase> {
    let test = |goal: &GoalResults<'_>, case: &CaseResult, held: HeldGoal| {
        let (_, key) = goals::verdict(held.outcome);
        let message = || format!("{}: {}", view.say(key), goals::told(view, goal, (case, held)));
        let outcome = match held.outcome {
            GoalOutcome::Kept => TestOutcome::Passed,
            GoalOutcome::CannotTell => TestOutcome::Skipped(message()),
            GoalOutcome::NotKept => TestOutcome::Failed(message()),
        };
        TestCase { case: case.label.to_string(), name: goal.goal.text.clone(), outcome }
    };
    let mut all = Vec::new();
    for goal in goals::all(view) {
        if goal.cases.is_empty() {
            let outcome = TestOutcome::Skipped(view.say(goals::NO_CASE));
            all.push(TestCase { case: view.title(), name: goal.goal.text.clone(), outcome });
        }
        all.extend(goal.cases.iter().map(|(case, held)| test(&goal, case, *held)));
    }
    all.into_iter()
}

/// That a condition of the study ended the run, where one did.
fn of_condition(view: &View<'_>) -> Option<TestCase> {
    let cause = analysis::abort_cause(view.run)?;
    let outcome = TestOutcome::Failed(goals::aborted(view, &cause));
    Some(TestCase { case: cause.case.label.to_string(), name: cause.condition.text.clone(), outcome })
}

fn element(test: &TestCase) -> String {
    let head =
        format!("    <testcase classname=\"{}\" name=\"{}\"", escaped(&test.case), escaped(&test.name));
    let (tag, message) = match &test.outcome {
        TestOutcome::Passed => return format!("{head}/>\n"),
        TestOutcome::Skipped(message) => ("skipped", message),
        TestOutcome::Failed(message) => ("failure", message),
        TestOutcome::Broken(message) => ("error", message),
    };
    format!("{head}>\n      <{tag} message=\"{}\"/>\n    </testcase>\n", escaped(message.trim()))
}

/// What an attribute may hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};
    use model::goal::GoalOperator;
    use model::trial::{Trial, TrialResult};
    use model::{Goal, Run, Unit, metric};

    use super::*;
    use crate::export::annotations;

    fn trial(status: Status) -> Trial {
        let reason = (status != Status::Ok).then(|| "no <space>\n\u{1b} left".to_owned());
        let (order, block, started) = (0, 0, String::new());
        Trial { order, block, started, status, reason, result: TrialResult::default() }
    }

    fn subject(run: &Run) -> Subject<'_> {
        Subject { run, words: Language::English.words() }
    }

    #[test]
    fn each_goal_of_each_case_is_a_test() {
        let mut run = crate::page::goals::tests::run();
        run.cases[0].trials = vec![trial(Status::Ok), trial(Status::Failed)];
        run.cases[1].trials = vec![trial(Status::Ok)];
        for language in LANGUAGES {
            let text = write(&Subject { run: &run, words: language.words() });
            let document = roxmltree::Document::parse(&text).unwrap();
            let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
            let counts =
                ["tests", "failures", "errors", "skipped"].map(|name| suite.attribute(name).unwrap());
            assert_eq!(counts, ["8", "1", "1", "1"], "{text}");
            let message = |tag: &str| {
                let node = document.descendants().find(|node| node.has_tag_name(tag)).unwrap();
                let test = node.parent_element().unwrap();
                (test.attribute("name").unwrap(), node.attribute("message").unwrap())
            };
            assert_eq!(message("failure").0, "iops >= 800/s");
            assert_eq!(message("skipped").0, "iops >= 480/s");
            assert!(message("error").1.contains("no <space>"), "{text}");
            if *language == Language::English {
                assert_eq!(message("failure").1, "not kept: 500.0 /s (450.0 to 550.0)");
            }
        }
    }

    #[test]
    fn a_condition_that_ended_the_run_is_a_failure() {
        let mut run = crate::page::goals::tests::run();
        run.study.abort_when = vec![Goal {
            text: "errors > 0".to_owned(),
            metric: metric::ERRORS,
            operator: GoalOperator::Above,
            value: 0.0,
            unit: Unit::One,
            filter: Vec::new(),
        }];
        run.study.goals.clear();
        run.cases[0].trials = vec![trial(Status::Ok)];
        assert!(write(&subject(&run)).contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
        assert_eq!(annotations::write(&subject(&run)), "");
        run.cases[1].trials = vec![trial(Status::Failed)];
        let text = write(&subject(&run));
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""), "{text}");
        assert!(text.contains("name=\"errors &gt; 0\""), "{text}");
        let text = annotations::write(&subject(&run));
        assert!(text.starts_with("::error title=errors > 0::A trial met the condition"), "{text}");
    }

    #[test]
    fn a_case_that_was_left_out_is_skipped() {
        let mut run = crate::tests::run();
        run.cases[0].trials = vec![trial(Status::Skipped)];
        let text = write(&Subject { run: &run, words: Language::English.words() });
        assert!(text.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{text}");
        assert!(text.contains("<skipped message=\"no &lt;space&gt; \\u{1b} left\"/>"), "{text}");
    }
}
