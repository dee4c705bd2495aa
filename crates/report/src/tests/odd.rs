//! Runs as nobody wants them: without trials, with failed ones, unfinished, with
//! numbers at the ends of what a number can be, and with names that mean
//! something to a page, a terminal or a reader.

use model::profile::{ClassName, Flow, FlowUnit, OperationClass};
use model::run::{CaseResult, Outcome, Rounds, Run, TargetResult};
use model::study::{Expect, Promise};
use model::trial::{Counter, Series, Status, TargetTrial, Trial, TrialResult};
use model::{
    FactName, Finding, FindingKind, Machine, MetricName, ParameterName, Quantity, Severity, Unit, fact,
    metric,
};
use serde_json::Value;

use super::long::{estimate, short};

/// Texts that a device, a file or another tool may choose.
pub(crate) const TEXTS: &[(&str, &str)] = &[
    ("markup", "<script>alert(1)</script><img src=x onerror=alert(2)><h1 id=a>"),
    ("quotes", "\"'`><a href=javascript:alert(3) onclick=alert(4)>&lt;&amp;&#60;"),
    ("ends", "]]></style></title></desc></svg></script>--><!--<script>alert(5)</script>"),
    ("style", "</style><style>*{display:none}</style>;}*{background:url(http://example.org/a)}"),
    ("control", "a\0b\u{1}\u{7}\u{8}\u{1b}[2J\u{7f}\u{9b}31m\r\n\tc\u{fffe}\u{2028}d"),
    ("reversed", "\u{202e}drawkcab\u{2066}\u{200f}\u{200b}\u{feff}"),
    ("wide", "한국어와 日本語の長い名前がここに入ります"),
    ("cells", "=1+1|*bold*|_a_|[x](http://example.org)|`code`|\\|\n- list"),
    ("empty", ""),
];

/// Every odd run with its name.
pub(crate) fn odd() -> Vec<(String, Run)> {
    let mut all: Vec<(String, Run)> =
        shapes().into_iter().map(|(name, run)| (name.to_owned(), run)).collect();
    for (name, numbers) in NUMBERS {
        all.push((format!("number-{name}"), with_numbers(numbers)));
    }
    let long_word = "w".repeat(5000);
    let long_text = "many words ".repeat(455);
    let long = [("long-word", long_word.as_str()), ("long-text", long_text.as_str())];
    for (name, text) in TEXTS.iter().copied().chain(long) {
        all.push((format!("text-{name}"), with_text(text, true)));
        all.push((format!("all-{name}"), with_text(text, false)));
    }
    all
}

fn each_trial(run: &mut Run, change: impl Fn(&mut Trial)) {
    run.cases.iter_mut().flat_map(|c| &mut c.trials).for_each(change);
}

/// Takes away what follows from trials, and makes the estimates anew.
fn derive(run: &mut Run) {
    for case in &mut run.cases {
        case.utilization.clear();
        case.findings.clear();
        estimate(case);
    }
}

fn changed(change: impl FnOnce(&mut Run)) -> Run {
    let mut run = short();
    change(&mut run);
    run
}

fn fail(trial: &mut Trial) {
    trial.status = Status::Failed;
    trial.reason = Some("the load was killed by signal 7 (bus error)".to_owned());
    trial.result = TrialResult::default();
}

fn shapes() -> Vec<(&'static str, Run)> {
    let trials = |run: &mut Run, keep: usize| {
        run.cases.iter_mut().for_each(|c| c.trials.truncate(keep));
        derive(run);
    };
    let unfinished = |run: &mut Run| {
        (run.finished, run.outcome) = (None, None);
        run.cases.iter_mut().skip(2).for_each(|c| c.trials.clear());
        run.cases[1].trials.truncate(1);
        derive(run);
    };
    let failed = |run: &mut Run| {
        each_trial(run, fail);
        derive(run);
    };
    let some_failed = |run: &mut Run| {
        run.cases.iter_mut().filter_map(|c| c.trials.first_mut()).for_each(fail);
        run.cases[0].trials[1].status = Status::Skipped;
        run.cases[0].trials[1].reason = Some("the budget was used up".to_owned());
        derive(run);
    };
    let series = |keep: usize| {
        move |run: &mut Run| {
            each_trial(run, |t| series_of(t).for_each(|s| s.values.truncate(keep)));
        }
    };
    vec![
        ("no-trials", changed(|run| trials(run, 0))),
        ("one-trial", changed(|run| trials(run, 1))),
        ("two-trials", changed(|run| trials(run, 2))),
        ("failed", changed(failed)),
        ("some-failed", changed(some_failed)),
        ("unfinished", changed(unfinished)),
        ("interrupted", changed(|run| run.outcome = Some(Outcome::Interrupted))),
        ("no-cases", changed(|run| run.cases.clear())),
        ("one-case", changed(|run| run.cases.truncate(1))),
        ("no-machines", changed(|run| run.machines.clear())),
        ("unknown-machine", changed(|run| run.machines = vec![Machine::default()])),
        ("empty-series", changed(series(0))),
        ("one-point", changed(series(1))),
        ("no-interval", changed(|run| each_trial(run, |t| series_of(t).for_each(|s| s.interval_ns = 0)))),
        ("no-window", changed(|run| each_trial(run, |t| t.result.window = None))),
        (
            "broken-histograms",
            changed(|run| {
                each_trial(run, |t| t.result.main_mut().histograms.values_mut().for_each(|h| h.truncate(9)))
            }),
        ),
        ("no-dates", changed(|run| run.started = String::new())),
    ]
}

/// Values that take turns over all figures of a run.
const NUMBERS: &[(&str, &[f64])] = &[
    ("zero", &[0.0]),
    ("minus-one", &[-1.0]),
    ("enormous", &[1e300]),
    ("largest", &[f64::MAX]),
    ("smallest", &[5e-324]),
    ("ends", &[f64::MAX, f64::MIN]),
    ("mixed", &[0.0, -1.0, 1e300, 5e-324, 1.0]),
];

/// Those of the main load and of the machine that drives it.
fn series_of(trial: &mut Trial) -> impl Iterator<Item = &mut Series> {
    let loads = trial.result.loads.iter_mut().flat_map(|load| &mut load.series);
    loads.chain(trial.result.machines.iter_mut().flat_map(|machine| &mut machine.series))
}

fn with_numbers(numbers: &[f64]) -> Run {
    let mut run = short();
    run.cases.iter_mut().for_each(furnish_disk);
    let mut turns = numbers.iter().copied().cycle();
    let mut next = || turns.next().unwrap();
    for case in &mut run.cases {
        for trial in &mut case.trials {
            trial.result.main_mut().metrics.values_mut().for_each(|m| m.value = next());
            series_of(trial).flat_map(|s| &mut s.values).for_each(|v| *v = next());
            trial.result.local_mut().processes.iter_mut().for_each(|p| p.cpu_s = next());
        }
        for estimate in case.loads.main.estimates.values_mut() {
            estimate.median = next();
            (estimate.low, estimate.high) = (Some(next()), Some(next()));
        }
        for estimate in case.loads.main.targets.iter_mut().flat_map(|t| t.estimates.values_mut()) {
            estimate.median = next();
            (estimate.low, estimate.high) = (Some(next()), Some(next()));
        }
        if let Some(rounds) = &mut case.rounds {
            rounds.values.iter_mut().for_each(|v| *v = next());
            (rounds.range, rounds.slope, rounds.round_s) = (Some(next()), Some(next()), next());
        }
        for used in &mut case.utilization {
            (used.demand, used.limit, used.fraction) = (next(), next(), next());
        }
    }
    for limit in run.machines.iter_mut().flat_map(|m| &mut m.limits) {
        (limit.line, limit.effective) = (Some(next()), Some(next()));
    }
    run
}

/// Words of the document that are one of a few.
const CHOICES: &[&str] = &[
    "schema",
    "unit",
    "severity",
    "moment",
    "direction",
    "access",
    "status",
    "outcome",
    "better",
    "asked",
    "policy",
    "pin",
    "role",
];

/// Names by which Headroom knows what something is.
const NAMES: &[&str] = &[
    "workload", "metric", "code", "quantity", "machine", "id", "name", "resource", "method", "started",
    "finished",
];

/// What is chosen where `kind` stands: some of these are one of a few.
const KINDS_OF: &[&str] = &["findings", "limits", "utilization", "block", "sensors"];

/// A run whose texts are all `text`; with `names_stay`, all but those by which
/// Headroom knows what something is, so that charts and tables are still made.
pub(crate) fn with_text(text: &str, names_stay: bool) -> Run {
    let mut run = short();
    furnish(&mut run, text);
    let document = serde_json::to_value(&run).unwrap();
    let changed = replaced(&document, &mut Vec::new(), text, names_stay);
    let mut run: Run = serde_json::from_value(changed).unwrap();
    // Names that anybody on the machine can choose.
    for machine in &mut run.machines {
        machine.hostname = text.to_owned();
    }
    each_trial(&mut run, |t| {
        t.result.local_mut().processes.iter_mut().for_each(|p| p.name = text.to_owned())
    });
    run
}

/// Adds what the short run has none of, and keys that somebody else chose.
fn furnish(run: &mut Run, text: &str) {
    run.study.expect = Expect {
        promises: vec![Promise {
            key: "read".to_owned(),
            metric: metric::THROUGHPUT,
            direction: None,
            access: None,
            block_bytes: None,
            value: 3e9,
            unit: Unit::BytesPerSecond,
        }],
        datasheet: Some(String::new()),
    };
    let finding =
        Finding::new(FindingKind::Deviation, "promise", Severity::Warning).worded("x").on("block:nvme0n1");
    let finding = finding.arg("of", "x").advise("x");
    run.findings.push(finding.clone());
    for case in &mut run.cases {
        case.findings.push(finding.clone());
        case.loads.main.parameters.set(ParameterName::new("target"), "x");
        case.loads.main.parameters.set(ParameterName::intern(text).unwrap(), "x");
        let class = OperationClass::Other(ClassName::intern(text).unwrap());
        case.loads.main.profile.flows.push(Flow::only(class, FlowUnit::Operations));
        case.loads.main.profile.phases.push(text.to_owned());
        furnish_disk(case);
        last_trial_fails(case);
        for trial in &mut case.trials {
            let result = &mut trial.result;
            result.main_mut().facts.insert(FactName::intern(text).unwrap(), "x".into());
            let odd = result.main().metrics.values().next().copied();
            let of = |metric: MetricName| metric.of(text);
            let names =
                [MetricName::intern(text), of(metric::IOPS), of(metric::PER_SECOND)].into_iter().flatten();
            result
                .main_mut()
                .metrics
                .extend(odd.into_iter().flat_map(|odd| names.clone().map(move |name| (name, odd))));
            result.local_mut().counters.push(Counter {
                source: "x".to_owned(),
                after: 9,
                ..Counter::default()
            });
        }
        estimate(case);
    }
}

/// Rounds, targets and what else disks alone have.
fn furnish_disk(case: &mut CaseResult) {
    let values = vec![9e4, 5e4, 3e4, 3.1e4, 3e4, 2.9e4, 3e4];
    case.rounds = Some(Rounds {
        metric: metric::IOPS,
        unit: Unit::PerSecond,
        failed: Some("x".to_owned()),
        round_s: 60.0,
        window: 5,
        steady: true,
        range: Some(0.07),
        slope: Some(0.01),
        most: 25,
        written: (1, u64::MAX),
        values,
    });
    for name in [
        metric::READ_IOPS,
        metric::WRITE_IOPS,
        MetricName::new("read_latency_p99"),
        MetricName::new("write_latency_p99"),
        metric::THROUGHPUT_DURABLE,
    ] {
        let unit = if name.as_str().contains("latency") { Unit::Seconds } else { Unit::PerSecond };
        let unit = if name.as_str().starts_with("throughput") { Unit::BytesPerSecond } else { unit };
        for trial in case.trials.iter_mut().filter(|t| t.status == Status::Ok) {
            trial.result.main_mut().metrics.insert(name, Quantity { value: 1.0, unit });
            trial.result.main_mut().facts.insert(fact::DIRTY_SHARE, 0.5.into());
        }
    }
    estimate(case);
    let target =
        |name: &str| TargetResult { target: name.to_owned(), estimates: case.loads.main.estimates.clone() };
    case.loads.main.targets = vec![target("x"), target("y")];
    for trial in &mut case.trials {
        let target = |name: &str| TargetTrial {
            target: name.to_owned(),
            series: trial.result.main().series.clone(),
            ..TargetTrial::default()
        };
        let targets = [target("x"), target("y")];
        trial.result.main_mut().targets.extend(targets);
    }
}

fn last_trial_fails(case: &mut CaseResult) {
    if let Some(trial) = case.trials.last_mut() {
        fail(trial);
    }
}

/// `value` with its texts replaced, but for words that are one of a few and
/// histograms; `within` are the keys around it.
fn replaced(value: &Value, within: &mut Vec<String>, text: &str, names_stay: bool) -> Value {
    match value {
        Value::String(own) => {
            let key = within.last().map_or("", String::as_str);
            let around =
                |names: &[&str]| within.iter().rev().nth(1).is_some_and(|k| names.contains(&k.as_str()));
            let kept = CHOICES.contains(&key)
                || (key == "kind" && (around(KINDS_OF) || names_stay))
                || around(&["histograms"])
                || (names_stay && (NAMES.contains(&key) || around(&["at"])));
            (if kept { own } else { text }).into()
        }
        Value::Array(all) => all.iter().map(|v| replaced(v, within, text, names_stay)).collect(),
        Value::Object(all) => {
            let each = all.iter().map(|(key, v)| {
                within.push(key.clone());
                let new = replaced(v, within, text, names_stay);
                within.pop();
                (key.clone(), new)
            });
            each.collect()
        }
        other => other.clone(),
    }
}
