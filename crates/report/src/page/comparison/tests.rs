//! Pages of comparisons: a small one to look at, and sides that nobody wants.

use std::collections::BTreeSet;

use analysis::comparison::{ComparisonOptions, of_runs, within};
use language::{LANGUAGES, Language};
use model::comparison::{
    Comparison, Difference, Differs, Pairing, Ratio, Remark, Row, SCHEMA, Side, Tally, Unmatched, Verdict,
};
use model::goal::{GoalOperator, GoalOutcome, HeldGoal};
use model::run::{Build, CaseResult, Estimate};
use model::trial::{Status, Trial, TrialResult};
use model::unit::Quantity;
use model::{
    Better, Goal, Machine, MetricName, ParameterName, Parameters, Run, Unit, Value, WorkloadName, metric,
};
use textwrap::core::display_width;

use super::{ComparisonSubject, document};
use crate::document::tests::{check, code_lines, only_our_markdown};
use crate::document::{Block, Document, Section, html, markdown, terminal};
use crate::terminal::Terminal;
use crate::tests::long::{estimate, long, short};
use crate::tests::odd::{TEXTS, odd, with_text};

/// A case of five trials around these IOPS.
fn case(depth: u64, iops: f64) -> CaseResult {
    let mut case = crate::tests::run().cases.remove(0);
    case.loads.main.parameters.set(ParameterName::new("queue-depth"), depth);
    crate::tests::named(&mut case, &format!("disk queue-depth={depth}"));
    crate::tests::profiled(&mut case);
    case.work_id = case.label.to_string();
    let trial = |place: u32| {
        let spread = 1.0 + f64::from(place) / 1000.0;
        let quantity = |value: f64, unit| Quantity { value: value * spread, unit };
        let metrics = [
            (metric::IOPS, quantity(iops, Unit::PerSecond)),
            (metric::LATENCY_P50, quantity(depth as f64 / iops, Unit::Seconds)),
            (metric::LATENCY_P99, quantity(depth as f64 / iops * 2.0, Unit::Seconds)),
        ];
        let mut result = TrialResult::default();
        result.main_mut().metrics = metrics.into_iter().map(|(name, q)| (name.to_owned(), q)).collect();
        let started = String::new();
        Trial { order: place, block: place, started, status: Status::Ok, reason: None, result }
    };
    case.trials = (0..5).map(trial).collect();
    estimate(&mut case);
    case
}

fn run(id: &str, kernel: &str, cases: Vec<CaseResult>) -> Run {
    let mut machine = Machine { hostname: "db1".to_owned(), ..Machine::default() };
    machine.inventory.kernel = kernel.to_owned();
    let mut run = Run { id: id.to_owned(), machines: vec![machine], cases, ..crate::tests::run() };
    run.started = "2026-11-21T12:00:00Z".to_owned();
    run.origin.command =
        ["/usr/bin/headroom", "run", "disk", "--target", "/my data"].map(str::to_owned).to_vec();
    run
}

/// Two runs of which one is better at depth 1, worse at 16, and has a case more.
fn pair() -> [Run; 2] {
    let before = vec![case(1, 9e3), case(4, 30e3), case(16, 80e3)];
    let after = vec![case(1, 12e3), case(4, 30.01e3), case(16, 60e3), case(64, 90e3)];
    [run("20261121-120000-aaaa", "6.1.0", before), run("20261121-130000-bbbb", "6.18.0", after)]
}

fn compared(runs: &[Run]) -> Comparison {
    of_runs(runs, &ComparisonOptions::default()).unwrap()
}

fn page(comparison: &Comparison, runs: &[Run], language: Language) -> Document {
    let command = ["headroom", "compare", "20261121-120000", "last"].map(str::to_owned);
    document(&ComparisonSubject { comparison, runs, command: &command, words: language.words() })
}

#[test]
fn goals_stand_beside_the_side_that_they_are_of() {
    let mut runs = pair();
    let without = markdown::write(&page(&compared(&runs), &runs, Language::English));
    assert!(!without.contains("iops >= 10k/s"));
    for (run, outcome) in runs.iter_mut().zip([GoalOutcome::NotKept, GoalOutcome::Kept]) {
        run.study.goals = vec![Goal {
            text: "iops >= 10k/s".to_owned(),
            metric: metric::IOPS,
            operator: GoalOperator::AtLeast,
            value: 10e3,
            unit: Unit::PerSecond,
            filter: Vec::new(),
        }];
        run.cases[0].goals = vec![HeldGoal { goal: 0, outcome, doubt: None }];
    }
    let text = markdown::write(&page(&compared(&runs), &runs, Language::English));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("iops >= 10k/s")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("not kept") && lines[0].contains("baseline"), "{text}");
    assert!(!lines[1].contains("not kept") && lines[1].contains("new"), "{text}");
}

#[test]
fn a_comparison_as_markdown() {
    let runs = pair();
    insta::assert_snapshot!(markdown::write(&page(&compared(&runs), &runs, Language::English)));
}

#[test]
fn a_comparison_on_a_terminal() {
    let runs = pair();
    let page = page(&compared(&runs), &runs, Language::English);
    insta::assert_snapshot!(terminal::write(&page, Terminal::default(), terminal::Detail::Brief("-v")));
}

#[test]
fn the_page_says_all_in_every_language() {
    let runs = pair();
    for language in LANGUAGES {
        let page = html::write(&page(&compared(&runs), &runs, *language));
        check(language.tag(), &page);
        let raw = ["comparison-", "environment-", "remark-", "figure-"];
        let raw =
            raw.iter().find(|key| page.contains(&format!(">{key}")) || page.contains(&format!(" {key}")));
        assert_eq!(raw, None, "{language:?}");
    }
    let korean = html::write(&page(&compared(&runs), &runs, Language::Korean));
    for said in ["좋아짐", "나빠짐", "커널", "두 실행은 0초 간격으로", "짝이 없는"] {
        assert!(korean.contains(said), "{said}");
    }
    assert!(!korean.contains("The runs began"));
}

fn charts(section: &Section, titles: &mut Vec<String>) {
    for block in &section.blocks {
        if let Block::Chart { title, plot, .. } = &block.block {
            titles.push(format!("{title}: {}", plot.describe(Language::English.words())));
        }
    }
    section.subsections.iter().for_each(|s| charts(s, titles));
}

#[test]
fn both_sides_stand_in_one_chart() {
    let mut runs = pair();
    // What only goes with the side is no factor of its own.
    for (run, target) in runs.iter_mut().zip(["/data", "/mnt"]) {
        run.cases
            .iter_mut()
            .for_each(|c| c.loads.main.parameters.set(ParameterName::new("target"), Value::from(target)));
    }
    let page = page(&compared(&runs), &runs, Language::English);
    let mut titles = Vec::new();
    page.sections.iter().for_each(|s| charts(s, &mut titles));
    let lines = titles.iter().find(|t| t.contains(" over queue depth: ")).unwrap();
    assert!(lines.contains("baseline") && lines.contains("new") && !lines.contains("/data"), "{lines}");
    // The case without a partner is in no chart.
    assert!(!titles.iter().any(|t| t.contains("64")), "{titles:?}");
    let trials = titles.iter().find(|t| t.starts_with("Every trial")).unwrap();
    assert!(trials.contains("baseline") && trials.contains("new"), "{trials}");
}

#[test]
fn cases_of_one_run_need_no_second() {
    let [mut run, _] = pair();
    run.study.workloads.clear();
    let runs = [run];
    let found = within(&runs[0], "queue-depth", &ComparisonOptions::default()).unwrap();
    let text = markdown::write(&page(&found, &runs, Language::English));
    assert!(text.contains("queue-depth 16 against 1"), "{text}");
    assert!(!text.contains("same on both sides, as far as is known"), "{text}");
}

#[test]
fn a_row_without_parts_does_not_say_its_workload_twice() {
    let mut made = comparison();
    made.rows.truncate(1);
    let named = |made: &Comparison| {
        let runs = pair();
        markdown::write(&page(made, &runs, Language::English))
    };
    let one = named(&made);
    assert!(one.contains("queue-depth=1") && !one.contains("disk queue-depth=1"), "{one}");
    let mut other = row("net.stream", metric::IOPS, Some(Verdict::Same), Some(ratio(1.0, 0.99, 1.01)));
    other.workload = WorkloadName::new("net.stream");
    made.rows.push(other);
    let two = named(&made);
    assert!(two.contains("disk queue-depth=1") && !two.contains("disk disk"), "{two}");
    assert!(two.contains("net.stream") && !two.contains("net.stream net.stream"), "{two}");
}

/// Every odd run against an ordinary one: nothing of it becomes a part of the
/// page.
#[test]
fn no_side_becomes_markup_whatever_it_is() {
    let mut baseline = short();
    baseline.id = "baseline".to_owned();
    let mut count = 0;
    let mut look = |name: &str, other: Run, language: Language| {
        let runs = [baseline.clone(), other];
        let Ok(mut found) = of_runs(&runs, &ComparisonOptions::default()) else { return };
        count += 1;
        if let Some((_, text)) = TEXTS.iter().find(|(of, _)| name.ends_with(of)) {
            found.notes.push(Remark::new("overlap").worded(*text).arg("baseline", *text).arg("run", *text));
            found.notes.push(Remark::new(text).worded(*text));
            found.differences.iter_mut().for_each(|d| {
                (d.code, d.text, d.after) = ((*text).to_owned(), (*text).to_owned(), (*text).to_owned());
            });
        }
        let page = page(&found, &runs, language);
        check(name, &html::write(&page));
        only_our_markdown(name, &markdown::write(&page));
        let copied = code_lines(&page);
        for line in terminal::write(&page, Terminal::default(), terminal::Detail::All).lines() {
            assert!(display_width(line) <= 80 || copied.contains(line), "{name}: {line}");
            assert!(!line.contains(char::is_control) && !line.contains('\u{202e}'), "{name}: {line:?}");
        }
    };
    for (name, run) in odd() {
        look(&name, run, Language::English);
    }
    look("markup", with_text(TEXTS[0].1, true), Language::Japanese);
    assert!(count > 20, "{count}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_comparison_of_500_cases_stays_small() {
    let mut other = long();
    other.id = "other".to_owned();
    let runs = [long(), other];
    let found = compared(&runs);
    let page = html::write(&page(&found, &runs, Language::English));
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    check("long", &page);
}

#[test]
fn without_runs_there_is_a_page_that_says_nothing() {
    let runs = pair();
    let empty = page(&compared(&runs), &[], Language::English);
    assert!(empty.sections.is_empty() && !empty.title.is_empty());
}

#[test]
fn sections_have_names_of_their_own() {
    let runs = pair();
    let page = page(&compared(&runs), &runs, Language::English);
    let ids: Vec<&str> = page
        .sections
        .iter()
        .flat_map(|s| std::iter::once(s).chain(&s.subsections))
        .map(|s| s.id.as_str())
        .collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{ids:?}");
    assert!(ids.contains(&"circumstances") && ids.contains(&"alone") && ids.contains(&"again"), "{ids:?}");
}

fn side(name: &str) -> Side {
    Side {
        name: name.to_owned(),
        run: name.to_owned(),
        started: "2026-11-21T12:00:00Z".to_owned(),
        hostname: "db1".to_owned(),
        title: "nightly".to_owned(),
        filter: None,
    }
}

fn figure(median: f64, unit: Unit) -> Estimate {
    Estimate {
        n: 5,
        median,
        low: None,
        high: None,
        confidence: None,
        method: None,
        unit,
        better: Better::Higher,
    }
}

pub(crate) fn ratio(point: f64, low: f64, high: f64) -> Ratio {
    Ratio {
        point,
        low,
        high,
        same_low: low,
        same_high: high,
        method: "welch-t-log".to_owned(),
        pairing: Pairing::Independent,
        baseline_trials: 5,
        trials: 5,
        p_value: 0.01,
        p_adjusted: None,
    }
}

pub(crate) fn row(case: &str, metric: MetricName, verdict: Option<Verdict>, ratio: Option<Ratio>) -> Row {
    let unit = if metric == metric::IOPS { Unit::PerSecond } else { Unit::Seconds };
    let value = if metric == metric::IOPS { 14_460.0 } else { 111.9e-6 };
    let new = ratio.as_ref().map(|r| figure(value * r.point, unit));
    Row {
        case: case.to_owned(),
        case_parts: None,
        workload: WorkloadName::new("disk"),
        rate_unit: model::profile::RateUnit::Bytes,
        parameters: Parameters::default(),
        baseline_side: 0,
        side: 1,
        metric: metric.to_owned(),
        unit,
        better: Better::Higher,
        headline: metric == metric::IOPS,
        judged: verdict.is_some(),
        baseline: Some(figure(value, unit)),
        new,
        ratio,
        verdict,
        reason: None,
    }
}

/// Two runs with one of everything.
pub(crate) fn comparison() -> Comparison {
    let mut lost = row(
        "disk queue-depth=1",
        metric::LATENCY_P99,
        Some(Verdict::CannotTell),
        Some(ratio(0.967, 0.91, 0.999)),
    );
    lost.reason = Some(Remark::new("lost-among-many").worded("alone it would be a difference"));
    let mut alone = row("disk queue-depth=8", metric::LATENCY_P99, Some(Verdict::CannotTell), None);
    alone.reason = Some(Remark::new("too-few-trials").worded("1 trial against 5"));
    Comparison {
        schema: SCHEMA.to_owned(),
        headroom: Build { version: "0.1.0".to_owned(), build: "release".to_owned() },
        by: None,
        sides: vec![side("20261121-120000-aaaa"), side("20261121-130000-bbbb")],
        margin: 0.02,
        confidence: 0.95,
        family: 3,
        tally: Tally { better: 1, worse: 0, same: 1, cannot_tell: 2 },
        rows: vec![
            row("disk queue-depth=1", metric::IOPS, Some(Verdict::Better), Some(ratio(1.049, 1.031, 1.067))),
            lost,
            row("disk queue-depth=1", metric::LATENCY_P50, None, Some(ratio(1.0, 0.9, 1.1))),
            row("disk queue-depth=8", metric::IOPS, Some(Verdict::Same), Some(ratio(3.1, 2.98, 3.22))),
            alone,
        ],
        unmatched: vec![Unmatched {
            side: 1,
            case: "disk queue-depth=64".to_owned(),
            missing_in: 0,
            nearest: Some("disk queue-depth=8".to_owned()),
            differs: vec![Differs {
                name: "queue-depth".to_owned(),
                baseline: Some("8".to_owned()),
                other: Some("64".to_owned()),
            }],
        }],
        differences: vec![Difference {
            code: "kernel".to_owned(),
            text: "kernel".to_owned(),
            side: 1,
            before: "6.1.0".to_owned(),
            after: "6.12.0".to_owned(),
        }],
        notes: vec![Remark::new("independent-runs").worded("The runs began 1 hour apart.")],
    }
}
