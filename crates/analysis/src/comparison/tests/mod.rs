//! Comparisons of runs made by hand: who belongs to whom, what is refused, what is said.

mod bad;
mod simulated;

use model::comparison::{Comparison, Pairing, Row, Verdict};
use model::metric::MetricSpec;
use model::parameter::{Kind, ParameterSpec};
use model::run::{AnalysisInfo, CaseResult, Outcome, Run, SCHEMA};
use model::trial::{Status, Trial, TrialResult};
use model::unit::{Quantity, Unit};
use model::workload::{Catalogue, WorkloadSpec};
use model::{
    Definitions, Machine, MetricName, ParameterName, Resource, ResourceKind, Value, WorkloadName, metric,
};
use serde_json::json;

use super::*;

const DISK: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("disk"),
    definition_version: 1,
    summary: "",
    doc: "",
    parameters: &[
        ParameterSpec::new("block-size", Kind::Size, "").default("4k"),
        ParameterSpec::new("queue-depth", Kind::Count, "").default("1"),
        ParameterSpec::new("target", Kind::Path, "").not_work(),
        ParameterSpec::new("batch", Kind::Count, ""),
    ],
    headline: metric::IOPS,
    metrics: &[
        MetricSpec::higher(metric::IOPS, Unit::PerSecond, ""),
        MetricSpec::lower(metric::LATENCY_P50, Unit::Seconds, ""),
        MetricSpec::lower(metric::LATENCY_P99, Unit::Seconds, ""),
    ],
    path: &[],
    examples: &[],
};

fn definitions() -> Definitions {
    Catalogue { workloads: vec![&DISK], common: &[] }.definitions([DISK.name])
}

/// A run without cases, of a study that asked for `asked` of `disk`.
pub(crate) fn run(id: &str, asked: &[&str], cases: Vec<CaseResult>) -> Run {
    let parameters: serde_json::Map<String, serde_json::Value> =
        asked.iter().map(|name| ((*name).to_owned(), json!([]))).collect();
    let mut run: Run = serde_json::from_value(json!({
        "schema": SCHEMA, "id": id, "started": "2026-11-21T12:00:00Z", "finished": "2026-11-21T12:01:00Z",
        "origin": {"tool": "headroom", "version": "1", "command": []},
        "headroom": {"version": "1", "build": "release"},
        "study": {"name": "disk", "workloads": [{"kind": "disk", "parameters": parameters}],
                  "controls": model::study::Controls::default()},
        "seed": 1, "machines": [], "cases": [], "analysis": {"version": 1},
    }))
    .unwrap();
    run.analysis = AnalysisInfo { version: crate::VERSION };
    run.outcome = Some(Outcome::Complete);
    run.definitions = definitions();
    run.cases = cases;
    run
}

/// A case with one trial for each value, by metric.
fn case(parameters: &[(&str, Value)], metrics: &[(&str, &[f64])]) -> CaseResult {
    let mut case = crate::validity::fixture::case(0);
    let mut label = "disk".to_owned();
    let mut id = String::from("w");
    for (name, value) in parameters {
        crate::validity::fixture::set(&mut case, name, value.clone());
        let spec = DISK.parameters.iter().find(|p| p.name == ParameterName::intern(name).unwrap()).unwrap();
        let shown = model::scalar::show(spec.kind, value);
        if spec.work {
            id.push_str(&format!(" {name}={shown}"));
        }
        if *name != "batch" {
            label.push_str(&format!(" {name}={shown}"));
        }
    }
    crate::validity::fixture::named(&mut case, &label);
    case.work_id = id;
    let count = metrics.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    for place in 0..count {
        let unit = |metric: MetricName| {
            if metric.as_str().starts_with("latency") { Unit::Seconds } else { Unit::PerSecond }
        };
        let measured = metrics.iter().filter_map(|(metric, values)| {
            let value = *values.get(place)?;
            let metric = MetricName::intern(metric)?;
            Some((metric, Quantity { value, unit: unit(metric) }))
        });
        case.trials.push(Trial {
            order: place as u32,
            block: place as u32,
            started: String::new(),
            status: Status::Ok,
            reason: None,
            result: TrialResult::default(),
        });
        case.trials[place].result.main_mut().metrics = measured.collect();
    }
    crate::estimate_case(&mut case, &definitions());
    case
}

pub(crate) fn depth(depth: u64, iops: &[f64]) -> CaseResult {
    case(&[("queue-depth", depth.into())], &[("iops", iops)])
}

const SLOW: [f64; 5] = [100.0, 101.0, 99.0, 100.5, 99.5];
const FAST: [f64; 5] = [120.0, 121.0, 119.0, 120.5, 119.5];

/// As [`super::of_runs`]; whatever it remarks can be said in every language.
fn of_runs(runs: &[Run], options: &ComparisonOptions<'_>) -> Result<Comparison, ComparisonError> {
    super::of_runs(runs, options).inspect(assert_said)
}

/// As [`super::within`], likewise.
fn within(run: &Run, by: &str, options: &ComparisonOptions<'_>) -> Result<Comparison, ComparisonError> {
    super::within(run, by, options).inspect(assert_said)
}

fn assert_said(found: &Comparison) {
    let reasons = found.rows.iter().filter_map(|r| r.reason.as_ref());
    crate::said::assert_remarked(found.notes.iter().chain(reasons));
}

fn compared(runs: &[Run]) -> Comparison {
    of_runs(runs, &ComparisonOptions::default()).unwrap()
}

fn row(found: &Comparison, metric: MetricName) -> &Row {
    found.rows.iter().find(|r| r.metric == metric).unwrap()
}

#[test]
fn a_faster_run_is_better_and_the_other_way_round_worse() {
    let (a, b) = (run("a", &[], vec![depth(1, &SLOW)]), run("b", &[], vec![depth(1, &FAST)]));
    let found = compared(&[a.clone(), b.clone()]);
    let iops = row(&found, metric::IOPS);
    assert_eq!(iops.verdict, Some(Verdict::Better));
    let ratio = iops.ratio.as_ref().unwrap();
    assert!((ratio.point - 1.2).abs() < 1e-3 && ratio.low > 1.18 && ratio.high < 1.22, "{ratio:?}");
    assert_eq!((ratio.pairing, ratio.method.as_str()), (Pairing::Independent, "welch-t-log"));
    assert_eq!((ratio.baseline_trials, ratio.trials), (5, 5));
    assert_eq!((found.tally.better, found.tally.worse, found.family), (1, 0, 1));
    let back = compared(&[b, a]);
    assert_eq!(row(&back, metric::IOPS).verdict, Some(Verdict::Worse));
    assert!((row(&back, metric::IOPS).ratio.as_ref().unwrap().point * ratio.point - 1.0).abs() < 1e-12);
}

#[test]
fn within_the_margin_is_the_same_and_a_latency_is_better_when_less() {
    let with = |iops: &[f64], p99: &[f64]| {
        case(&[], &[("iops", iops), ("latency_p99", p99), ("latency_p50", &[1e-3; 5])])
    };
    let nearly = SLOW.map(|v| v * 1.001);
    let a = run("a", &[], vec![with(&SLOW, &FAST)]);
    let b = run("b", &[], vec![with(&nearly, &SLOW)]);
    let found = compared(&[a, b]);
    assert_eq!(row(&found, metric::IOPS).verdict, Some(Verdict::Same));
    assert_eq!(row(&found, metric::LATENCY_P99).verdict, Some(Verdict::Better));
    // Shown, and not part of the family.
    let p50 = row(&found, metric::LATENCY_P50);
    assert_eq!((p50.verdict, p50.judged, found.family), (None, false, 2));
    assert!(p50.ratio.as_ref().unwrap().p_adjusted.is_none());
    assert_eq!(found.rows[0].metric, metric::IOPS);
    assert!(found.rows[0].headline);
}

#[test]
fn metrics_are_chosen() {
    let with = |k: f64| case(&[], &[("iops", &SLOW), ("latency_p50", &SLOW.map(|v| v * k))]);
    let runs = [run("a", &[], vec![with(1.0)]), run("b", &[], vec![with(2.0)])];
    let judged = |judged| {
        let options = ComparisonOptions { judged, ..ComparisonOptions::default() };
        of_runs(&runs, &options)
            .map(|c| c.rows.into_iter().filter(|r| r.judged).map(|r| r.metric).collect::<Vec<_>>())
    };
    assert_eq!(judged(Judged::These(&[metric::LATENCY_P50])).unwrap(), [metric::LATENCY_P50]);
    assert_eq!(judged(Judged::All(&[])).unwrap(), [metric::IOPS, metric::LATENCY_P50]);
    let error = judged(Judged::These(&[MetricName::new("speed")])).unwrap_err();
    assert!(
        error.to_string().contains("`speed`") && error.help().contains("iops and latency_p50"),
        "{error}"
    );
}

#[test]
fn a_difference_among_many_needs_more() {
    // p = 0.02 or so on its own.
    let near = SLOW.map(|v| v * 1.012);
    let cases = |changed: &[f64]| {
        let mut all = vec![depth(1, changed)];
        all.extend((2..20).map(|d| depth(d, &SLOW)));
        all
    };
    let options = ComparisonOptions { margin: 0.0, ..ComparisonOptions::default() };
    let verdict = |count: usize| {
        let take = |changed: &[f64]| cases(changed).into_iter().take(count).collect();
        let runs = [run("a", &[], take(&SLOW)), run("b", &[], take(&near))];
        of_runs(&runs, &options).unwrap().rows[0].clone()
    };
    assert_eq!(verdict(1).verdict, Some(Verdict::Better));
    let lost = verdict(19);
    assert_eq!(lost.verdict, Some(Verdict::CannotTell));
    assert_eq!(lost.reason.unwrap().code, "lost-among-many");
    assert!(lost.ratio.unwrap().low > 1.0);
}

#[test]
fn unlike_work_is_refused_with_what_differs() {
    let sized =
        |id, bytes: u64| run(id, &[], vec![case(&[("block-size", bytes.into())], &[("iops", &SLOW)])]);
    let refused = |a: Run, b: Run| of_runs(&[a, b], &ComparisonOptions::default()).unwrap_err().to_string();
    let error = refused(sized("a", 4096), sized("b", 8192));
    assert_eq!(error, "run b did not do the same work as run a: disk: block-size 4KiB against 8KiB");
    let mut newer = sized("b", 4096);
    newer.cases[0].loads.main.definition_version = Some(2);
    assert!(refused(sized("a", 4096), newer).ends_with("disk: definition version 1 against 2"));
    let mut other = sized("b", 4096);
    crate::validity::fixture::workload(&mut other.cases[0], "null");
    assert!(refused(sized("a", 4096), other).ends_with("it has no disk"));
    // A default that is written out is no difference, but what a hash says otherwise is one.
    let mut odd = sized("b", 4096);
    odd.cases[0].work_id = "else".to_owned();
    assert!(refused(sized("a", 4096), odd).contains("work w block-size=4KiB against else"));
}

#[test]
fn what_matches_is_compared_and_the_rest_listed() {
    let a = run("a", &[], vec![depth(1, &SLOW), depth(8, &SLOW)]);
    let b = run("b", &[], vec![depth(64, &FAST), depth(1, &FAST)]);
    let found = compared(&[a, b]);
    assert_eq!(found.rows.len(), 1);
    assert_eq!(found.rows[0].case, "disk queue-depth=1");
    let [first, second] = found.unmatched.as_slice() else { panic!("{:?}", found.unmatched) };
    assert_eq!((first.case.as_str(), first.side, first.missing_in), ("disk queue-depth=8", 0, 1));
    assert_eq!((second.case.as_str(), second.side, second.missing_in), ("disk queue-depth=64", 1, 0));
    // The baseline's value stands first, whichever side the case is of.
    let d = &second.differs[0];
    assert_eq!(
        (d.name.as_str(), d.baseline.as_deref(), d.other.as_deref()),
        ("queue-depth", Some("1"), Some("64"))
    );
}

#[test]
fn the_same_work_elsewhere_is_compared_with_a_note() {
    let at = |target: &str, iops: &[f64]| case(&[("target", target.into())], &[("iops", iops)]);
    let a = run("a", &[], vec![at("/data", &SLOW), at("/mnt", &FAST)]);
    let b = run("b", &[], vec![at("/mnt", &FAST), at("/srv", &SLOW)]);
    let found = compared(&[a, b]);
    let names: Vec<&str> = found.rows.iter().map(|r| r.case.as_str()).collect();
    assert_eq!(names, ["disk target=/data", "disk target=/mnt"]);
    assert!(found.rows.iter().all(|r| r.verdict == Some(Verdict::Same)), "{:?}", found.rows);
    let note = found.notes.iter().find(|n| n.code == "other-circumstances").unwrap();
    assert!(note.text.contains("/data, then /srv"), "{}", note.text);
}

/// What a run does not say of its workloads, the other does.
#[test]
fn a_run_that_does_not_describe_its_workloads_is_read_by_the_other() {
    let sized = || case(&[("block-size", 4096u64.into()), ("target", "/data".into())], &[("iops", &SLOW)]);
    let described = run("a", &[], vec![sized()]);
    let bare = Run { definitions: Definitions::default(), ..run("b", &[], vec![sized()]) };
    for runs in [[described.clone(), bare.clone()], [bare, described.clone()]] {
        let found = compared(&runs);
        assert_eq!((found.rows.len(), &found.unmatched[..]), (1, &[][..]));
        assert!(!found.notes.iter().any(|n| n.code == "other-circumstances"), "{:?}", found.notes);
    }
    // A default that one run has and the other, which knows the parameter, has not.
    let at = |depth: Option<u64>| {
        let depth = depth.map(|depth| ("queue-depth", Value::Integer(depth)));
        CaseResult { work_id: String::new(), ..case(&Vec::from_iter(depth), &[("iops", &SLOW)]) }
    };
    let (mut old, new) = (run("a", &[], vec![at(None)]), run("b", &[], vec![at(Some(1))]));
    assert_eq!(compared(&[old.clone(), new.clone()]).unmatched, []);
    let text = serde_json::to_string(&old.definitions).unwrap();
    old.definitions = serde_json::from_str(&text.replace(",\"default\":1", "")).unwrap();
    let refused = of_runs(&[old, new], &ComparisonOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("queue-depth none against 1"), "{refused}");
}

#[test]
fn cases_of_one_run_are_compared_by_what_differs() {
    let sized = |bytes: u64, depth: u64, batch: u64, iops: &[f64]| {
        let parameters =
            [("block-size", bytes.into()), ("queue-depth", depth.into()), ("batch", batch.into())];
        case(&parameters, &[("iops", iops)])
    };
    let cases = vec![
        sized(4096, 8, 4, &FAST),
        sized(4096, 1, 1, &SLOW),
        sized(8192, 8, 4, &SLOW),
        sized(16384, 1, 1, &SLOW),
    ];
    let one = run("a", &["block-size", "queue-depth"], cases);
    let found = within(&one, "queue-depth", &ComparisonOptions::default()).unwrap();
    assert_eq!(found.sides.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["8", "1"]);
    assert_eq!(found.rows.len(), 1);
    let first = &found.rows[0];
    assert_eq!((first.case.as_str(), first.baseline_side, first.side), ("disk block-size=4KiB", 0, 1));
    assert_eq!(first.verdict, Some(Verdict::Worse));
    assert_eq!(first.ratio.as_ref().unwrap().pairing, Pairing::Paired);
    // What nobody asked for follows, and is noted; cases without a partner are listed.
    assert!(found.notes.iter().any(|n| n.code == "follows" && n.text.contains("batch")), "{:?}", found.notes);
    assert_eq!(found.unmatched.len(), 2);
    let with_baseline = |value| {
        let options = ComparisonOptions { baseline: Some(value), ..ComparisonOptions::default() };
        within(&one, "block-size", &options)
    };
    let by_size = with_baseline("8k").unwrap();
    assert_eq!(by_size.rows[0].baseline_side, 1);
    assert_eq!(by_size.sides[1].name, "8KiB");
    assert!(with_baseline("1m").unwrap_err().help().contains("4KiB, 8KiB and 16KiB"));
}

#[test]
fn groups_that_ran_one_after_the_other_are_no_pairs() {
    let mut later = depth(8, &FAST);
    later.block = 1;
    let one = run("a", &["queue-depth"], vec![depth(1, &SLOW), later]);
    let found = within(&one, "queue-depth", &ComparisonOptions::default()).unwrap();
    assert_eq!(found.rows[0].ratio.as_ref().unwrap().pairing, Pairing::Independent);
    assert!(found.notes.iter().any(|n| n.code == "independent-groups"));
}

#[test]
fn what_cannot_be_divided_says_what_can() {
    let one = run("a", &["queue-depth"], vec![depth(1, &SLOW), depth(8, &FAST)]);
    let error = within(&one, "block-size", &ComparisonOptions::default()).unwrap_err();
    assert!(error.to_string().contains("do not differ in `block-size`"));
    assert_eq!(error.help(), "they differ in queue-depth (1, 8)");
    assert_eq!(
        factors(&one),
        [Factor { name: "queue-depth".to_owned(), levels: vec!["1".to_owned(), "8".to_owned()] }]
    );
    let machine = within(&one, "machine", &ComparisonOptions::default()).unwrap_err();
    assert!(machine.help().contains("queue-depth (1, 8)"));
}

#[test]
fn machines_that_differ_are_told() {
    let on = |id: &str, change: fn(&mut Machine)| {
        let mut run = run(id, &[], vec![depth(1, &SLOW)]);
        run.cases[0].path = vec![model::resource::PathStep {
            resource: Resource::of(ResourceKind::Block, "sda"),
            amplification: 1.0,
        }];
        let mut machine = Machine { hostname: "db1".to_owned(), ..Machine::default() };
        machine.inventory.kernel = "6.1".to_owned();
        machine.inventory.system.command_line = Some("quiet mitigations=auto".to_owned());
        machine.inventory.block = vec![model::machine::BlockDevice {
            name: "sda".to_owned(),
            model: Some("Disk".to_owned()),
            firmware: Some("1.0".to_owned()),
            ..Default::default()
        }];
        change(&mut machine);
        run.machines = vec![machine];
        run
    };
    let same = compared(&[on("a", |_| {}), on("b", |_| {})]);
    assert_eq!(same.differences, []);
    let other = on("b", |m| {
        m.inventory.kernel = "6.2".to_owned();
        m.inventory.system.command_line = Some("quiet mitigations=off".to_owned());
        m.inventory.block[0].firmware = Some("2.0".to_owned());
        // Known to one only, which is no difference.
        m.inventory.cpu.microcode = Some("0x1".to_owned());
    });
    let found = compared(&[on("a", |_| {}), other]).differences;
    let told: Vec<(&str, &str, &str)> =
        found.iter().map(|d| (d.code.as_str(), d.before.as_str(), d.after.as_str())).collect();
    let expected = [
        ("kernel", "6.1", "6.2"),
        ("command-line", "mitigations=auto", "mitigations=off"),
        ("drive-firmware", "sda: 1.0", "sda: 2.0"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn days_apart_and_at_the_same_time_are_noted() {
    let (a, mut b) = (run("a", &[], vec![depth(1, &SLOW)]), run("b", &[], vec![depth(1, &SLOW)]));
    let codes =
        |b: &Run| compared(&[a.clone(), b.clone()]).notes.into_iter().map(|n| n.code).collect::<Vec<_>>();
    assert_eq!(codes(&b), ["independent-runs"]);
    b.started = "2026-11-24T12:00:00Z".to_owned();
    assert_eq!(codes(&b), ["different-days"]);
    b.started = "garbled".to_owned();
    assert_eq!(codes(&b), Vec::<String>::new());
    let on_one = |mut run: Run| {
        run.machines = vec![Machine { hostname: "x".to_owned(), ..Machine::default() }];
        run
    };
    b.started = "2026-11-21T12:00:30Z".to_owned();
    b.finished = Some("2026-11-21T12:01:30Z".to_owned());
    let found = compared(&[on_one(a.clone()), on_one(b)]);
    assert!(found.notes.iter().any(|n| n.code == "overlap"), "{:?}", found.notes);
}
