//! Goals and conditions of a study: what is refused before anything runs, and what ends a run early.

use model::run::Outcome;
use model::{Study, metric};
use study::built_in::{FIT, READY};
use study::read::arguments::{Arguments, Typed, apply};
use study::read::{from_toml, from_toml_with};

use super::pretending::{Pretender, execute, planned, study};

/// A study of a workload with goals, and with conditions that end it.
fn bounded(kind: &str, options: &[(&str, &str)], expect: &[&str], abort_when: &[&str]) -> Study {
    let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let arguments = Arguments { expect: all(expect), abort_when: all(abort_when), ..Arguments::default() };
    let mut study = study(kind, options);
    apply(&agent::catalogue(), &mut study, &arguments).unwrap();
    study
}

fn refused(study: &Study) -> String {
    let mut agent = Pretender::default();
    let error = planned(study, &mut agent).unwrap_err();
    assert!(error.is_invalid() && agent.trials == 0, "{error}");
    format!("{error}; {}", error.help().unwrap_or_default())
}

#[test]
fn goals_that_no_result_could_keep_are_refused() {
    let rate = |goals: &[&str]| bounded("null", &[("queue-depth", "1,8")], goals, &[]);
    let both = rate(&["operations_per_second > 5k/s", "operations_per_second < 4k/s where queue-depth=8"]);
    let message = refused(&both);
    assert!(message.contains("queue-depth=8: no result keeps both"), "{message}");
    let apart = [
        "operations_per_second > 5k/s where queue-depth=1",
        "operations_per_second < 4k/s where queue-depth=8",
    ];
    assert!(planned(&rate(&apart), &mut Pretender::default()).is_ok());
    let message = refused(&rate(&["operations_per_second > 1/s where queue-depth=2"]));
    assert!(
        message.contains("no case of this study is meant") && message.contains("queue-depth=1"),
        "{message}"
    );
}

#[test]
fn a_metric_that_a_case_does_not_have_is_refused_with_those_it_has() {
    let text = |goal: &str| {
        format!(
            "[expect]\ngoals = \"{goal}\"\n[[workload]]\nkind = \"null\"\n[[workload]]\nkind = \"cpu.primes\"\n"
        )
    };
    let read = |goal: &str| from_toml(&agent::catalogue(), "x", "x.toml", &text(goal)).unwrap();
    let message = refused(&read("events_per_second > 1/s"));
    assert!(message.starts_with("null: it has no metric `events_per_second`"), "{message}");
    assert!(message.contains("operations_per_second"), "{message}");
    let one = read("events_per_second > 1/s where workload=cpu.primes");
    assert!(planned(&one, &mut Pretender::default()).is_ok());
}

#[test]
fn a_trial_that_meets_a_condition_ends_the_run_and_what_was_measured_is_kept() {
    let slow = bounded("null", &[("trials", "5")], &[], &["operations_per_second < 50/s"]);
    let mut agent =
        Pretender { gives: Some(|_, trial| if trial == 2 { 10.0 } else { 100.0 }), ..Pretender::default() };
    let (run, store) = execute(&slow, &mut agent, None);
    assert_eq!((run.outcome, store.trials.len()), (Some(Outcome::Interrupted), 3));
    assert_eq!(run.cases[0].loads.main.estimates[&metric::OPERATIONS_PER_SECOND].n, 3);
    let cause = analysis::abort_cause(&run).unwrap();
    assert_eq!((cause.value, cause.condition), (10.0, &slow.abort_when[0]));
    let (whole, _) = execute(&slow, &mut Pretender::default(), None);
    assert_eq!((whole.outcome, whole.cases[0].trials.len()), (Some(Outcome::Complete), 5));
    assert!(analysis::abort_cause(&whole).is_none());
}

#[test]
fn a_trial_that_fails_is_an_error() {
    let failing = bounded("null", &[("trials", "5")], &[], &["errors > 0"]);
    let mut agent = Pretender { dies_at: Some(1), ..Pretender::default() };
    let (run, store) = execute(&failing, &mut agent, None);
    assert_eq!((run.outcome, store.trials.len()), (Some(Outcome::Interrupted), 2));
    assert_eq!(analysis::abort_cause(&run).map(|cause| cause.value), Some(1.0));
}

#[test]
fn a_goal_is_held_against_the_trials_of_a_run() {
    use model::goal::GoalOutcome;
    let goals =
        ["operations_per_second > 50/s", "operations_per_second >= 101/s", "operations_per_second < 50/s"];
    for (goal, outcome) in
        goals.iter().zip([GoalOutcome::Kept, GoalOutcome::CannotTell, GoalOutcome::NotKept])
    {
        let (run, _) =
            execute(&bounded("null", &[("trials", "5")], &[goal], &[]), &mut Pretender::default(), None);
        assert_eq!(analysis::goals_outcome(&run), Some(outcome), "{goal}");
    }
}

#[test]
fn the_goals_of_every_fit_are_for_cases_that_it_has() {
    for ready in READY.iter().filter(|ready| ready.name.starts_with(FIT)) {
        let study = from_toml(&agent::catalogue(), ready.name, ready.name, ready.text).unwrap();
        if let Err(error) = planned(&study, &mut Pretender::default()) {
            panic!("{}: {error}", ready.name);
        }
    }
}

#[test]
fn a_fit_is_answered_by_its_goals() {
    for (least, answer) in [("50/s", "yes"), ("101/s", "unknown"), ("900/s", "no")] {
        let text = "[inputs.least]\ndefault = \"1/s\"\ndoc = \"What is needed.\"\nsource = \"a test\"\n\
                    [expect]\ngoals = \"operations_per_second >= {least}\"\n[verdict]\nkind = \"fits\"\n\
                    [[workload]]\nkind = \"null\"\n";
        let typed = [Typed { name: "least".to_owned(), value: least.to_owned() }];
        let mut study = from_toml_with(&agent::catalogue(), "x", "x.toml", text, &typed).unwrap();
        study.controls.extra = false;
        let (run, _) = execute(&study, &mut Pretender::default(), None);
        let found = run.findings.iter().find(|found| found.code == "fits").unwrap();
        assert_eq!(found.args["answer"].to_string(), answer, "{}", found.text);
    }
}
