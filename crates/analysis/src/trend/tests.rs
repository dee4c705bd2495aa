//! Trends over runs made by hand.

use model::{Machine, metric};

use super::*;
use crate::comparison::MARGIN;
use crate::comparison::tests::{depth, run};

/// What runs without a step give: spread by 2 %, without order.
const SPREAD: [f64; 10] = [1.01, 0.98, 1.0, 1.02, 0.99, 1.015, 0.985, 1.005, 0.995, 1.0];

/// The figure of a run at `place`, of a level.
fn figure(place: usize, level: f64) -> f64 {
    level * SPREAD[place % SPREAD.len()]
}

/// A run on a machine with this kernel, with one case of each depth.
fn on(place: usize, kernel: &str, cases: &[(u64, f64)]) -> Run {
    let case = |(deep, value): &(u64, f64)| depth(*deep, &[value * 0.999, *value, value * 1.001]);
    let mut run = run(&format!("r{place:02}"), &[], cases.iter().map(case).collect());
    run.started = format!("2026-11-{:02}T12:00:00Z", place + 1);
    let mut machine = Machine { hostname: "host-7".to_owned(), ..Machine::default() };
    machine.inventory.kernel = kernel.to_owned();
    run.machines = vec![machine];
    run
}

/// Runs whose figure is 100 up to `step`, and then `level`, with a new kernel.
fn stepped(runs: usize, step: usize, level: f64) -> Vec<Run> {
    let one = |place: usize| match place < step {
        true => on(place, "6.1", &[(1, figure(place, 100.0))]),
        false => on(place, "6.18", &[(1, figure(place, level))]),
    };
    (0..runs).map(one).collect()
}

/// The trend of runs, of which those named were accepted.
fn trend(runs: &[Run], accepted: &[&str]) -> Trend {
    let mut history = TrendHistory::new(None);
    for run in runs {
        let since = accepted.contains(&run.id.as_str()).then_some("2026-12-01T00:00:00Z");
        history.add(run, since);
    }
    history.finish(MARGIN)
}

#[test]
fn a_step_is_found_with_what_changed_there() {
    let found = trend(&stepped(20, 10, 90.0), &[]);
    let [series] = &found.series[..] else { panic!("{}", found.series.len()) };
    assert_eq!((series.metric, series.points.len(), series.hostname.as_str()), (metric::IOPS, 20, "host-7"));
    let [step] = &series.steps[..] else { panic!("{:?}", series.steps) };
    assert_eq!(step.place.at, 10);
    let ratio = step.ratio.unwrap();
    assert!((ratio.ratio - 0.9).abs() < 0.01 && ratio.interval.high < 0.95, "{ratio:?}");
    let kernel = step.changes.iter().find(|change| change.difference.code == "kernel").unwrap();
    let sides = (kernel.difference.before.as_str(), kernel.difference.after.as_str());
    assert_eq!((kernel.at, sides), (10, ("6.1", "6.18")));
    let levels = series.levels();
    assert_eq!(levels.iter().map(|l| (l.from, l.to)).collect::<Vec<_>>(), [(0, 10), (10, 20)]);
    assert!((levels[0].median - 100.0).abs() < 1.0 && (levels[1].median - 90.0).abs() < 1.0, "{levels:?}");
    assert_eq!(series.verdict(), Some(Verdict::Worse));
    assert!(!series.standing.unwrap().is_baseline && found.is_worse());
}

#[test]
fn without_a_step_nothing_is_worse() {
    for runs in [stepped(20, 20, 0.0), stepped(5, 3, 50.0), stepped(1, 1, 0.0), Vec::new()] {
        let found = trend(&runs, &[]);
        assert!(!found.is_worse());
        assert!(found.series.iter().all(|s| s.steps.is_empty() && s.standing.is_none()), "{}", runs.len());
        assert_eq!(found.runs, runs.len());
    }
    let better = trend(&stepped(20, 10, 110.0), &[]);
    assert_eq!(better.series[0].verdict(), Some(Verdict::Better));
    assert!(!better.is_worse());
}

#[test]
fn a_level_that_was_accepted_is_no_longer_worse() {
    let runs = stepped(20, 10, 90.0);
    assert!(trend(&runs, &["r03"]).is_worse());
    assert!(trend(&runs, &["r03"]).series[0].standing.unwrap().is_baseline);
    for accepted in ["r10", "r15", "r19"] {
        let found = trend(&runs, &[accepted]);
        assert!(!found.is_worse(), "{accepted}");
        assert_eq!(found.series[0].steps.len(), 1, "the step is still told");
    }
    // What was lost and came back is as it was accepted.
    let mut back = stepped(20, 10, 90.0);
    back.extend((20..30).map(|place| on(place, "6.19", &[(1, figure(place, 100.0))])));
    let found = trend(&back, &["r03"]);
    assert_eq!(found.series[0].steps.len(), 2);
    assert_eq!(found.series[0].verdict(), Some(Verdict::Same), "{:?}", found.series[0].standing);
}

#[test]
fn unlike_work_is_told_apart() {
    let mut runs = stepped(8, 8, 0.0);
    // Another depth is other work, another machine another series.
    for (place, run) in runs.iter_mut().enumerate() {
        run.cases.push(depth(2, &[200.0 * SPREAD[place]; 3]));
    }
    let mut other = on(8, "6.1", &[(1, 50.0)]);
    other.machines[0].hostname = "host-8".to_owned();
    runs.push(other);
    let found = trend(&runs, &[]);
    let counts: Vec<usize> = found.series.iter().map(|series| series.points.len()).collect();
    assert_eq!(counts, [8, 8, 1]);
    assert_eq!(found.series[2].hostname, "host-8");
    // Other settings, too.
    runs[0].cases[0].loads.main.parameters.set(model::ParameterName::new("target"), "/data");
    assert_eq!(trend(&runs, &[]).series.len(), 4);
    // And what runs beside it.
    let beside = runs[1].cases[0].loads.main.clone();
    runs[1].cases[0].loads.beside.push(beside);
    assert_eq!(trend(&runs, &[]).series.len(), 5);
}

#[test]
fn a_figure_that_fell_to_nothing_is_worse_without_a_ratio() {
    let found = trend(&stepped(20, 10, 0.0), &[]);
    assert!(found.series[0].standing.unwrap().ratio.is_none() && found.is_worse());
}

#[test]
fn more_series_need_more_runs_each() {
    let least = |depths: u64| {
        let cases: Vec<(u64, f64)> = (1..=depths).map(|deep| (deep, 100.0)).collect();
        let runs: Vec<Run> = (0..8).map(|place| on(place, "6.1", &cases)).collect();
        trend(&runs, &[]).runs_least
    };
    assert_eq!([least(1), least(10)], [9, 13]);
}

#[test]
fn a_metric_is_chosen() {
    let mut history = TrendHistory::new(Some(metric::LATENCY_P99));
    history.add(&on(0, "6.1", &[(1, 100.0)]), None);
    assert!(history.finish(MARGIN).series.is_empty(), "no run has it");
}

#[test]
fn histograms_are_read_for_percentiles_alone() {
    let asked = |metric: Option<MetricName>, run: &Run| {
        let (mut history, asked) = (TrendHistory::new(metric), std::cell::RefCell::new(Vec::new()));
        let read = |with: bool| {
            asked.borrow_mut().push(with);
            Ok::<_, ()>(run.clone())
        };
        history.follow(None, read).unwrap();
        assert_eq!(history.finish(MARGIN).runs, 1);
        asked.into_inner()
    };
    let usual = on(0, "6.1", &[(1, 100.0)]);
    assert_eq!(asked(None, &usual), [false]);
    assert_eq!(asked(Some(metric::THROUGHPUT), &usual), [false]);
    assert_eq!(asked(Some(metric::LATENCY_P99), &usual), [true]);
    // One that shows a percentile first, or nothing that is known without.
    let mut other = usual;
    for trial in &mut other.cases[0].trials {
        trial.result.main_mut().metrics.clear();
    }
    assert_eq!(asked(None, &other), [false, true]);
}
