//! Going on with runs that ended early.

use std::collections::BTreeSet;

use agent::CallContext;
use model::machine::ClockInfo;
use model::run::{CaseRole, Outcome, Resumption, Run};
use model::trial::{Status, Trial};
use study::run::{Invocation, RunError, check_kept, remainder};

use crate::pretending::{Notebook, Pretender, execute, planned, resume, study};

/// A run of two cases, five trials each, that was interrupted after so many.
fn interrupted(after: usize) -> Run {
    let study = study("null", &[("queue-depth", "1,8"), ("trials", "5"), ("seed", "7")]);
    execute(&study, &mut Pretender::default(), Some(after)).0
}

fn trials(run: &Run) -> Vec<&Trial> {
    run.cases.iter().flat_map(|case| &case.trials).collect()
}

/// Why it cannot be resumed; nothing was touched then.
fn refused(kept: Run) -> String {
    let (mut agent, mut store) = (Pretender::default(), Notebook::default());
    let error = resume(kept, &mut agent, &mut store).unwrap_err();
    assert!(matches!(error, RunError::NotResumed { .. }), "{error:?}");
    assert_eq!((store.resumed, store.trials.len(), agent.trials), (0, 0, 0));
    error.to_string()
}

#[test]
fn what_is_missing_is_measured_in_blocks_of_its_own() {
    let kept = interrupted(3);
    assert_eq!((kept.outcome, trials(&kept).len()), (Some(Outcome::Interrupted), 3));
    let finished = kept.finished.clone().unwrap();
    let mut store = Notebook::default();
    let run = resume(kept.clone(), &mut Pretender::default(), &mut store).unwrap();
    assert_eq!((run.outcome, store.begun, store.resumed), (Some(Outcome::Complete), 0, 1));
    assert_eq!((&run.id, run.seed, store.trials.len()), (&kept.id, 7, 7));
    assert!(run.cases.iter().all(|case| case.trials.len() == 5));
    let orders: BTreeSet<u32> = trials(&run).iter().map(|trial| trial.order).collect();
    assert_eq!(orders, (0..10).collect::<BTreeSet<u32>>());
    let gap = &run.resumptions[0];
    assert_eq!((&gap.stopped, gap.outcome, gap.order), (&finished, Some(Outcome::Interrupted), 3));
    let blocks = |is_after: bool| -> BTreeSet<u32> {
        let all = trials(&run).into_iter().filter(|trial| (trial.order >= gap.order) == is_after);
        all.map(|trial| trial.block).collect()
    };
    assert_eq!(blocks(false), (0..2).collect::<BTreeSet<u32>>());
    assert_eq!(blocks(true), (2..6).collect::<BTreeSet<u32>>());
    // The same seed: what was measured before is there as it was.
    for (before, after) in kept.cases.iter().zip(&run.cases) {
        assert_eq!(before.trials[..], after.trials[..before.trials.len()]);
    }
}

#[test]
fn what_would_be_measured_is_told_without_measuring() {
    let told = |kept: &Run, agent: &mut Pretender| {
        let planned = planned(&kept.study, agent).unwrap();
        let catalogue = agent::catalogue();
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        let identity = Invocation { command: vec![], version: "0".to_owned(), build: "test".to_owned() };
        remainder(kept, &planned, agent, &mut watch, (&identity, &catalogue))
    };
    let (kept, mut agent) = (interrupted(3), Pretender::default());
    let rest = told(&kept, &mut agent).unwrap();
    assert_eq!((&rest.run, rest.kept, agent.trials), (&kept.id, 3, 0));
    let lacks = |case: usize| 5 - kept.cases[case].trials.len() as u32;
    assert_eq!(rest.missing, [0, 1].map(|case| (case, (lacks(case), lacks(case)))).into());
    assert!(rest.plan.seconds.0 > 0.0);
    // A case that has its trials is left out.
    let mut most = kept.clone();
    let trial = trials(&kept)[0].clone();
    most.cases[0].trials = vec![trial; 5];
    let rest = told(&most, &mut agent).unwrap();
    assert_eq!(rest.plan.cases.iter().map(|case| case.index).collect::<Vec<_>>(), [1]);
    let (whole, _) = execute(&kept.study, &mut Pretender::default(), None);
    assert!(told(&whole, &mut agent).unwrap_err().to_string().ends_with("no trial of it is missing"));
    let mut other = kept.clone();
    other.cases[1].work_id = "other".to_owned();
    assert!(told(&other, &mut agent).unwrap_err().to_string().contains("no longer the same"));
}

#[test]
fn a_run_that_was_killed_before_a_trial_since_its_gap_stopped_after_that_gap() {
    let mut kept = interrupted(3);
    let gap = Resumption {
        stopped: kept.finished.take().unwrap(),
        outcome: kept.outcome.take(),
        resumed: "2026-11-28T09:40:00Z".to_owned(),
        order: 3,
        clock: ClockInfo::default(),
    };
    kept.resumptions.push(gap.clone());
    let run = resume(kept.clone(), &mut Pretender::default(), &mut Notebook::default()).unwrap();
    assert_eq!((&run.resumptions[1].stopped, run.resumptions[1].outcome), (&gap.resumed, None));
    // With a trial since then, that one began last.
    kept.resumptions[0].order = 2;
    let last = trials(&kept).into_iter().find(|trial| trial.order == 2).unwrap().started.clone();
    let run = resume(kept, &mut Pretender::default(), &mut Notebook::default()).unwrap();
    assert_eq!(run.resumptions[1].stopped, last);
}

#[test]
fn what_failed_is_tried_again_once_and_stays_in_the_document() {
    let study = study("null", &[("queue-depth", "1,8"), ("trials", "5")]);
    let mut dying = Pretender { dies_at: Some(1), ..Pretender::default() };
    let (kept, _) = execute(&study, &mut dying, None);
    assert_eq!(kept.outcome, Some(Outcome::Complete));
    let run = resume(kept, &mut Pretender::default(), &mut Notebook::default()).unwrap();
    let status: Vec<Status> = trials(&run).iter().map(|trial| trial.status).collect();
    assert_eq!((status.len(), status.iter().filter(|s| **s == Status::Failed).count()), (11, 1));
    assert!(refused(run).ends_with("no trial of it is missing"));
}

#[test]
fn a_group_that_was_measured_is_not_made_ready_again() {
    let study = study("disk", &[("pattern", "randread,randwrite"), ("trials", "3")]);
    let (kept, _) = execute(&study, &mut Pretender::default(), Some(4));
    assert!(kept.cases.iter().any(|case| case.block == 1), "one group reads and the other writes");
    let mut agent = Pretender::default();
    let run = resume(kept, &mut agent, &mut Notebook::default()).unwrap();
    assert_eq!((run.outcome, trials(&run).len()), (Some(Outcome::Complete), 6));
    let first = run.cases.iter().find(|case| case.block == 0).unwrap().label.to_string();
    assert_eq!(agent.trials, 2, "{first}: {:?}", agent.log);
    assert_eq!(agent.log.iter().filter(|line| line.starts_with("prepare")).count(), 2, "{:?}", agent.log);
}

#[test]
fn rounds_that_had_not_begun_are_gone_on_with_and_others_are_not() {
    let options = [("pattern", "randwrite"), ("precondition", "none,full"), ("trials", "3")];
    let study = study("disk", &options);
    let (kept, _) = execute(&study, &mut Pretender::default(), Some(2));
    assert!(kept.cases.iter().all(|case| case.rounds.is_none()), "they come last");
    let run = resume(kept, &mut Pretender::default(), &mut Notebook::default()).unwrap();
    assert_eq!(run.outcome, Some(Outcome::Complete));
    assert_eq!(run.cases[0].trials.len(), 3);
    assert!(run.cases[1].rounds.as_ref().is_some_and(|rounds| rounds.steady), "{:?}", run.cases[1].rounds);
    let (kept, _) = execute(&study, &mut Pretender::default(), Some(5));
    assert!(refused(kept).contains("what had begun of it has rounds"));
}

#[test]
fn another_program_work_or_tool_is_refused_with_what_differs() {
    let kept = interrupted(3);
    let mut other = kept.clone();
    other.headroom.version = "0.9".to_owned();
    assert!(refused(other).ends_with("it is no longer the same: Headroom: 0.9, now 0"));

    let mut other = kept.clone();
    other.cases[1].work_id = "other".to_owned();
    let reason = refused(other);
    assert!(reason.contains(&format!("the work of `{}`", kept.cases[1].label)), "{reason}");

    let mut other = kept.clone();
    other.cases.pop();
    assert!(refused(other).ends_with("cases: 1, now 2"));

    let mut other = kept.clone();
    other.origin.tool = "fio".to_owned();
    assert!(refused(other).ends_with("its figures are those of fio"));

    let mut other = kept.clone();
    other.cases[0].role = CaseRole::Observed { of: 1 };
    assert!(check_kept(&other).is_err() && check_kept(&kept).is_ok());
}

#[test]
fn a_budget_is_that_of_the_whole_run() {
    let mut kept = interrupted(3);
    kept.study.controls.budget_s = Some(60.0);
    kept.started = "2026-11-28T10:00:00Z".to_owned();
    kept.finished = Some("2026-11-28T10:01:00Z".to_owned());
    assert!(refused(kept.clone()).ends_with("its budget is used up"));
    kept.finished = Some("2026-11-28T10:00:10Z".to_owned());
    // No other trial had room in what was left.
    let ended = Run { outcome: Some(Outcome::Budget), ..kept.clone() };
    assert!(refused(ended).ends_with("its budget is used up"));
    let run = resume(kept, &mut Pretender::default(), &mut Notebook::default()).unwrap();
    assert_eq!(run.outcome, Some(Outcome::Complete));
}
