//! Rounds until a load is steady, against an agent that only pretends.
#![allow(clippy::unwrap_used)]

mod pretending;

use model::plan::LoadSpec;
use model::run::{CaseResult, Outcome};
use model::trial::Status;
use model::{ParameterName, metric};
use pretending::{Pretender, execute, planned, study};

const FULL: (&str, &str) = ("precondition", "full");

/// A device that slows down over ten rounds of one case, then is steady.
fn slows(_: &LoadSpec, trial: usize) -> f64 {
    if trial < 10 { 1000.0 - 80.0 * trial as f64 } else { 200.0 + (trial % 2) as f64 }
}

/// One that never settles.
fn swings(_: &LoadSpec, trial: usize) -> f64 {
    if trial.is_multiple_of(2) { 100.0 } else { 200.0 }
}

/// Of two cases: deep ones are steady at once, the others at the seventh round.
fn later(load: &LoadSpec, trial: usize) -> f64 {
    let deep = load.parameters.integer(ParameterName::new("queue-depth")) == Ok(8);
    let round = trial / 2;
    if deep || round >= 2 { 100.0 } else { 1000.0 }
}

fn values(case: &CaseResult) -> Vec<f64> {
    case.trials.iter().map(|t| t.result.main().metrics[&metric::IOPS].value).collect()
}

#[test]
fn rounds_go_on_until_five_are_steady_and_those_are_the_trials() {
    let mut agent = Pretender { gives: Some(slows), ..Pretender::default() };
    let (run, store) = execute(&study("disk", &[("pattern", "randwrite"), FULL]), &mut agent, None);
    let case = &run.cases[0];
    let rounds = case.rounds.as_ref().unwrap();
    // By hand: 10 to 14 are the first five without a slope; with 9 (280) the
    // range is (280 - 200) / 216, 37 %.
    assert_eq!(rounds.values.len(), 15);
    assert_eq!(&rounds.values[..3], [1000.0, 920.0, 840.0]);
    assert!(rounds.steady && rounds.failed.is_none());
    assert!((rounds.range.unwrap() - 1.0 / 200.4).abs() < 1e-9, "{:?}", rounds.range);
    assert_eq!((rounds.metric, rounds.window, rounds.most), (metric::IOPS, 5, 25));
    assert_eq!(rounds.written, (2 << 20, 15_000), "twice the file, then what each round wrote");
    assert_eq!(values(case), rounds.values[10..]);
    assert_eq!(case.loads.main.estimates[&metric::IOPS].n, 5);
    let blocks: Vec<u32> = case.trials.iter().map(|t| t.block).collect();
    assert_eq!(blocks, [10, 11, 12, 13, 14]);
    // Each round was kept when it was over; trials when all were.
    let kept: Vec<usize> = store.rounds.iter().map(|(_, r)| r.values.len()).collect();
    assert_eq!(kept, (1..=15).collect::<Vec<_>>());
    assert_eq!(store.trials.len(), 5);
    assert_eq!(agent.log.iter().filter(|l| *l == "randwrite:1").count(), 15);
}

#[test]
fn what_never_settles_ends_after_25_rounds_and_says_so() {
    let mut agent = Pretender { gives: Some(swings), ..Pretender::default() };
    let (run, _) = execute(&study("disk", &[("pattern", "randwrite"), FULL]), &mut agent, None);
    let rounds = run.cases[0].rounds.as_ref().unwrap();
    assert_eq!((rounds.values.len(), rounds.steady), (25, false));
    assert!(rounds.range.unwrap() > 0.6, "{:?}", rounds.range);
    assert_eq!(values(&run.cases[0]), rounds.values[20..]);
    assert_eq!(run.outcome, Some(Outcome::Complete));
}

#[test]
fn all_cases_of_a_test_go_on_until_each_is_steady() {
    let mut agent = Pretender { gives: Some(later), ..Pretender::default() };
    let (run, _) = execute(&study("disk", &[("queue-depth", "1,8"), FULL]), &mut agent, None);
    for case in &run.cases {
        let rounds = case.rounds.as_ref().unwrap();
        assert_eq!((rounds.values.len(), rounds.steady), (7, true), "{}", case.label);
        assert_eq!(case.trials.len(), 5);
    }
    // Complete rounds in random order: each has both cases.
    let trials: Vec<&String> = agent.log.iter().filter(|l| l.starts_with("randread")).collect();
    assert!(trials.chunks(2).all(|round| round[0] != round[1]), "{trials:?}");
    assert!(trials.chunks(2).any(|round| round != &trials[..2]), "always in the same order");
}

#[test]
fn more_trials_follow_the_rounds_and_fewer_are_not_made_of_them() {
    for (asked, wanted) in [("3", 5), ("5", 5), ("7", 7)] {
        let (run, _) = execute(&study("disk", &[FULL, ("trials", asked)]), &mut Pretender::default(), None);
        let case = &run.cases[0];
        assert_eq!(case.rounds.as_ref().unwrap().values.len(), 5, "steady from the start");
        assert_eq!(case.trials.len(), wanted);
        let blocks: Vec<u32> = case.trials.iter().map(|t| t.block).collect();
        assert_eq!(blocks, (0..wanted as u32).collect::<Vec<_>>());
    }
}

#[test]
fn a_round_that_fails_ends_its_case_and_not_the_others() {
    let mut agent = Pretender { dies_at: Some(3), ..Pretender::default() };
    let (run, _) = execute(&study("disk", &[("queue-depth", "1,8"), FULL]), &mut agent, None);
    let of = |failed: bool| {
        let mut cases = run.cases.iter();
        cases.find(|c| c.rounds.as_ref().unwrap().failed.is_some() == failed).unwrap()
    };
    let (failed, good) = (of(true), of(false));
    assert_eq!(failed.rounds.as_ref().unwrap().failed.as_deref(), Some("killed by signal 9"));
    assert!(!failed.rounds.as_ref().unwrap().steady);
    let last = failed.trials.last().unwrap();
    assert_eq!((failed.trials.len(), last.status), (2, Status::Failed), "the good round and the bad one");
    assert!(good.rounds.as_ref().unwrap().steady);
    assert_eq!(good.trials.len(), 5);
    assert_eq!(agent.trials, 4 + 3, "nobody went on with the failed case");
}

#[test]
fn an_interrupt_keeps_the_rounds_so_far_and_calls_nothing_steady() {
    let mut agent = Pretender::default();
    let (run, store) = execute(&study("disk", &[FULL]), &mut agent, Some(3));
    assert_eq!(run.outcome, Some(Outcome::Interrupted));
    let rounds = run.cases[0].rounds.as_ref().unwrap();
    assert_eq!((rounds.values.len(), rounds.steady, rounds.range), (3, false, None));
    assert_eq!(store.trials.len(), 3, "what was measured is kept");
    assert_eq!(run.cases[0].loads.main.estimates[&metric::IOPS].n, 3);
}

#[test]
fn a_budget_without_room_for_rounds_calls_nothing_steady() {
    let options = [FULL, ("budget", "100ms")];
    let (run, _) = execute(&study("disk", &options), &mut Pretender::default(), None);
    assert_eq!(run.outcome, Some(Outcome::Budget));
    let rounds = run.cases[0].rounds.as_ref().unwrap();
    assert_eq!((rounds.values.len(), rounds.steady), (0, false));
    assert!(run.cases[0].trials.is_empty() && run.cases[0].loads.main.estimates.is_empty());
}

#[test]
fn each_test_has_rounds_and_a_state_of_its_own() {
    let text = "[trials]\ntrials = 5\n\
                [[workload]]\nkind = \"disk\"\npattern = \"randwrite\"\nprecondition = \"full\"\n\
                [[workload]]\nkind = \"disk\"\npattern = \"write\"\nprecondition = \"full\"\n\
                [[workload]]\nkind = \"disk\"\npattern = [\"randwrite\", \"randread\"]\n";
    let study = study::read::from_toml(&agent::catalogue(), "x", "x.toml", text).unwrap();
    let mut agent = Pretender::default();
    let (run, _) = execute(&study, &mut agent, None);
    let mut words = agent.log.clone();
    words.dedup();
    // What has no state comes first, reads before writes; then test after test,
    // each on a file brought into the state anew.
    let kinds: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !w.starts_with("prepare")).collect::<Vec<_>>();
    let mut order = kinds.clone();
    order.dedup();
    assert_eq!(
        order,
        ["randread:1", "randwrite:1", "release 1", "randwrite:1", "release 1", "write:1", "release 1"]
    );
    assert!(
        run.cases.iter().all(|c| c.rounds.is_some()
            == c.loads.main.parameters.is_word(ParameterName::new("precondition"), "full"))
    );
}

#[test]
fn the_time_of_a_plan_counts_every_pass_and_every_round() {
    let seconds = |options: &[(&str, &str)]| {
        let mut all = vec![("duration", "10s"), ("warm-up", "1s")];
        all.extend(options);
        planned(&study("disk", &all), &mut Pretender::default()).unwrap().plan.seconds
    };
    // 1 MiB at 200 MB/s once; trials of 11.05 s.
    let once = (1u64 << 20) as f64 / 200e6;
    let near = |got: (f64, f64), least: f64, most: f64| {
        assert!((got.0 - least).abs() < 1e-6 && (got.1 - most).abs() < 1e-6, "{got:?}, not {least} {most}");
    };
    near(seconds(&[]), once + 5.0 * 11.05, once + 5.0 * 11.05);
    near(seconds(&[FULL]), 2.0 * once + 5.0 * 11.05, 2.0 * once + 25.0 * 11.05);
    near(seconds(&[FULL, ("trials", "8")]), 2.0 * once + 8.0 * 11.05, 2.0 * once + 28.0 * 11.05);
}

#[test]
fn a_file_that_was_used_up_is_made_anew_for_each_trial() {
    let mut agent = Pretender::default();
    let options = [("pattern", "write"), ("until", "full"), ("trials", "3")];
    execute(&study("disk", &options), &mut agent, None);
    let each = ["prepare .", "write:1", "release 1"];
    assert_eq!(agent.log[..9], [each, each, each].concat());
}
