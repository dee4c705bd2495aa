//! Cases that are observed have a twin that is not: measured in turn, and left alone where nothing
//! can be seen.

use crate::pretending::{Pretender, execute, planned, study};
use model::ObserverKind;
use model::run::CaseRole;

fn traced(trials: &str) -> model::Study {
    let mut study = study("disk", &[("queue-depth", "1,8"), ("trials", trials)]);
    study.workloads[0].observe = vec![ObserverKind::BlockTrace];
    study
}

#[test]
fn each_block_has_a_trial_with_and_one_without() {
    let mut agent = Pretender::default();
    let (run, store) = execute(&traced("3"), &mut agent, None);
    let roles: Vec<CaseRole> = run.cases.iter().map(|case| case.role).collect();
    let twin = |of| CaseRole::Observed { of };
    assert_eq!(roles, [CaseRole::Asked, CaseRole::Asked, twin(0), twin(1)]);
    assert!(run.cases[2].label.to_string().contains("block-trace"), "{}", run.cases[2].label);
    for (case, result) in run.cases.iter().enumerate() {
        let blocks: Vec<u32> = result.trials.iter().map(|trial| trial.block).collect();
        assert_eq!(blocks, [0, 1, 2], "case {case}");
    }
    // Each trial was told what its case is for.
    assert_eq!(agent.observed.len(), 12);
    for ((case, _), observed) in store.trials.iter().zip(&agent.observed) {
        assert_eq!(*observed, *case >= 2, "case {case}");
    }
    // The plan knows how long that takes.
    let seconds = |study: &model::Study| planned(study, &mut Pretender::default()).unwrap().plan.seconds.0;
    let mut plain = traced("3");
    plain.workloads[0].observe.clear();
    assert!((seconds(&traced("3")) / seconds(&plain) - 2.0).abs() < 0.2);
}

#[test]
fn a_level_that_is_added_for_a_verdict_is_observed_too() {
    let mut study = study("disk", &[("queue-depth", "4"), ("trials", "3"), ("extra", "yes")]);
    study.workloads[0].observe = vec![ObserverKind::BlockTrace];
    let mut agent = Pretender::default();
    let (run, store) = execute(&study, &mut agent, None);
    let roles: Vec<CaseRole> = run.cases.iter().map(|case| case.role).collect();
    let (extra, twin) = (CaseRole::Extra { of: 0 }, |of| CaseRole::Observed { of });
    assert_eq!(roles, [CaseRole::Asked, twin(0), extra, twin(2)]);
    let blocks = |case: usize| run.cases[case].trials.iter().map(|trial| trial.block).collect::<Vec<u32>>();
    assert_eq!((blocks(3).len(), blocks(3)), (3, blocks(2)), "beside the level");
    for ((case, _), observed) in store.trials.iter().zip(&agent.observed) {
        assert_eq!(*observed, [1, 3].contains(case), "case {case}");
    }
}

#[test]
fn what_cannot_be_observed_is_refused_or_left_out() {
    let lacking = || Pretender { unobserved: Some("there is no tracefs"), ..Pretender::default() };
    let error = planned(&traced("1"), &mut lacking()).unwrap_err();
    assert!(!error.is_invalid() && error.to_string().contains("there is no tracefs"), "{error}");

    let mut study = traced("1");
    study.skip_impossible = true;
    let mut agent = lacking();
    let (run, _) = execute(&study, &mut agent, None);
    assert_eq!(agent.observed, [false, false], "both cases are measured without");
    let skipped: Vec<&str> =
        run.cases.iter().flat_map(|c| &c.trials).filter_map(|t| t.reason.as_deref()).collect();
    assert_eq!(skipped.len(), 1, "it is said once: {skipped:?}");
    assert!(skipped[0].contains("block-trace"), "{skipped:?}");
}
