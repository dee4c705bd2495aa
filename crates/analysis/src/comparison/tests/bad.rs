//! Runs from which little or nothing can be said.

use model::metric;

use super::*;

fn reason(a: CaseResult, b: CaseResult) -> (Option<Verdict>, String) {
    let found = compared(&[run("a", &[], vec![a]), run("b", &[], vec![b])]);
    let row = &found.rows[0];
    assert_eq!(found.tally.cannot_tell, 1);
    (row.verdict, row.reason.clone().map(|r| r.code).unwrap_or_default())
}

#[test]
fn without_two_values_above_zero_nothing_can_be_told() {
    let told = |a: &[f64], b: &[f64]| reason(depth(1, a), depth(1, b));
    for (a, b, why) in [
        (&SLOW[..], &[][..], "no-figure"),
        (&[], &SLOW, "no-figure"),
        (&[], &[], "no-figure"),
        (&SLOW, &[100.0], "too-few-trials"),
        (&[0.0, 0.0, 0.0], &SLOW, "not-above-zero"),
        (&SLOW, &[100.0, -5.0, 100.0], "not-above-zero"),
        (&[1e-300, 1e300], &[1e-300, 1e300], "no-interval"),
    ] {
        assert_eq!(told(a, b), (Some(Verdict::CannotTell), why.to_owned()), "{a:?} {b:?}");
    }
    // Far away from one is still a ratio.
    let found = compared(&[
        run("a", &[], vec![depth(1, &SLOW)]),
        run("b", &[], vec![depth(1, &SLOW.map(|v| v * 1e250))]),
    ]);
    assert_eq!(found.tally.better, 1);
    serde_json::to_string(&found).unwrap();
}

#[test]
fn a_unit_that_differs_is_no_ratio() {
    let mut other = depth(1, &SLOW);
    for trial in &mut other.trials {
        trial.result.main_mut().metrics.get_mut(&metric::IOPS).unwrap().unit = Unit::Seconds;
    }
    crate::estimate_case(&mut other, &definitions());
    assert_eq!(reason(depth(1, &SLOW), other).1, "other-unit");
}

#[test]
fn failed_trials_do_not_count_and_are_noted() {
    let mut other = depth(1, &SLOW);
    other.trials[0].status = Status::Failed;
    other.trials[1].status = Status::Failed;
    crate::estimate_case(&mut other, &definitions());
    let found = compared(&[run("a", &[], vec![depth(1, &SLOW)]), run("b", &[], vec![other])]);
    let ratio = found.rows[0].ratio.as_ref().unwrap();
    assert_eq!((ratio.baseline_trials, ratio.trials), (5, 3));
    let codes: Vec<&str> = found.notes.iter().map(|n| n.code.as_str()).collect();
    assert!(codes.contains(&"failed-trials") && codes.contains(&"few-trials"), "{codes:?}");
}

#[test]
fn a_pair_whose_partner_failed_is_left_out() {
    let mut second = depth(8, &FAST);
    second.trials[2].status = Status::Failed;
    crate::estimate_case(&mut second, &definitions());
    let one = run("a", &["queue-depth"], vec![depth(1, &SLOW), second]);
    let found = within(&one, "queue-depth", &ComparisonOptions::default()).unwrap();
    assert_eq!(found.rows[0].ratio.as_ref().unwrap().trials, 4);
}

#[test]
fn a_percentile_that_only_some_trials_have_is_not_compared() {
    let with = |p99: &[f64]| case(&[], &[("iops", &SLOW), ("latency_p99", p99)]);
    let found = compared(&[run("a", &[], vec![with(&SLOW)]), run("b", &[], vec![with(&SLOW[..3])])]);
    let p99 = row(&found, metric::LATENCY_P99);
    assert_eq!((p99.ratio.clone(), p99.reason.as_ref().unwrap().code.as_str()), (None, "in-some-trials"));
    assert_eq!(found.family, 1);
}

#[test]
fn how_long_it_took_is_compared_for_the_same_amount_only() {
    let took = |requests: u64| {
        let mut case = case(&[], &[("iops", &SLOW), ("elapsed", &SLOW)]);
        crate::validity::fixture::set(&mut case, "requests", requests);
        case
    };
    let headline = |a: u64, b: u64| {
        let found = compared(&[run("a", &[], vec![took(a)]), run("b", &[], vec![took(b)])]);
        found.rows.iter().find(|r| r.headline).unwrap().metric
    };
    assert_eq!(headline(100, 100), metric::ELAPSED);
    assert_eq!(headline(100, 200), metric::IOPS);
}

#[test]
fn runs_that_ended_early_or_have_no_cases() {
    let mut unfinished = run("b", &[], vec![depth(1, &FAST)]);
    unfinished.outcome = None;
    let a = run("a", &[], vec![depth(1, &SLOW)]);
    let found = compared(&[a.clone(), unfinished]);
    assert!(found.notes.iter().any(|n| n.code == "unfinished" && n.text.starts_with("Run b is unfinished")));
    let refused = |runs: &[Run]| of_runs(runs, &ComparisonOptions::default()).unwrap_err();
    assert!(refused(&[a.clone(), run("b", &[], vec![])]).to_string().contains("it has no disk"));
    assert!(refused(&[run("b", &[], vec![]), a.clone()]).to_string().contains("has no cases"));
    assert_eq!(refused(&[a.clone(), a.clone()]), ComparisonError::Twice { run: "a".to_owned() });
    assert_eq!(refused(&[a]), ComparisonError::TooFew);
    assert_eq!(refused(&[]), ComparisonError::TooFew);
}

#[test]
fn a_workload_that_this_build_does_not_know_is_compared_by_what_it_has() {
    let foreign = |id: &str, values: &[f64]| {
        let mut run = run(id, &[], vec![case(&[], &[("throughput", values)])]);
        crate::validity::fixture::workload(&mut run.cases[0], "hologram");
        run
    };
    let found = compared(&[foreign("a", &SLOW), foreign("b", &FAST)]);
    assert_eq!((found.rows[0].metric, found.rows[0].verdict), (metric::THROUGHPUT, Some(Verdict::Better)));
}

#[test]
fn regression_a_judged_metric_that_one_side_lost_was_not_told() {
    let with = |metrics: &[(&str, &[f64])]| run("a", &[], vec![case(&[], metrics)]);
    let (both, one) = (with(&[("iops", &SLOW), ("latency_p99", &FAST)]), with(&[("iops", &SLOW)]));
    let named = |mut run: Run| {
        run.id = "b".to_owned();
        run
    };
    for (runs, side) in
        [([both.clone(), named(one.clone())], "new"), ([one.clone(), named(both.clone())], "baseline")]
    {
        let found = compared(&runs);
        let p99 = row(&found, metric::LATENCY_P99);
        assert_eq!((p99.verdict, found.family), (Some(Verdict::CannotTell), 1));
        let reason = p99.reason.as_ref().unwrap();
        assert_eq!((reason.code.as_str(), &reason.args["side"]), ("no-figure", &Value::from(side)));
    }
}

/// For each case without a partner all of the other run were looked at: of two
/// plans of 10,000 cases each, 200 million pairs.
#[test]
fn regression_the_nearest_of_very_many_cases_was_looked_for_without_end() {
    let cases = |depths: std::ops::Range<u64>| depths.map(|depth| self::depth(depth, &[])).collect();
    let found = compared(&[run("a", &[], cases(0..101)), run("b", &[], cases(100..200))]);
    assert_eq!(found.unmatched.len(), 100 + 99);
    let with_nearest = found.unmatched.iter().filter(|u| u.nearest.is_some()).count();
    assert_eq!(with_nearest, pair::LOOKS_MAX / 100);
    let differs = &found.unmatched[0].differs;
    assert_eq!(differs[0].name, "queue-depth");
    // Two runs without any work in common are refused as soon.
    let refused = [run("a", &[], cases(0..100)), run("b", &[], cases(100..200))];
    let error = of_runs(&refused, &ComparisonOptions::default()).unwrap_err().to_string();
    assert!(error.contains("and 7 more"), "{error}");
}
