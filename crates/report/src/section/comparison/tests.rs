//! The text of comparisons made by hand.

use model::comparison::{Difference, Differs, Remark, SCHEMA};
use model::run::Build;
use model::{Better, Parameters, Unit};

use super::*;

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

fn estimate(median: f64, unit: Unit) -> Estimate {
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

fn ratio(point: f64, low: f64, high: f64) -> Ratio {
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

fn row(case: &str, metric: &str, verdict: Option<Verdict>, ratio: Option<Ratio>) -> Row {
    let unit = if metric == "iops" { Unit::PerSecond } else { Unit::Seconds };
    let value = if metric == "iops" { 14_460.0 } else { 111.9e-6 };
    let new = ratio.as_ref().map(|r| estimate(value * r.point, unit));
    Row {
        case: case.to_owned(),
        case_parts: None,
        workload: "disk".to_owned(),
        rate_unit: model::profile::RateUnit::Bytes,
        parameters: Parameters::default(),
        baseline_side: 0,
        side: 1,
        metric: metric.to_owned(),
        unit,
        better: Better::Higher,
        headline: metric == "iops",
        judged: verdict.is_some(),
        baseline: Some(estimate(value, unit)),
        new,
        ratio,
        verdict,
        reason: None,
    }
}

/// Two runs with one of everything.
pub(crate) fn comparison() -> Comparison {
    let mut lost =
        row("disk queue-depth=1", "latency_p99", Some(Verdict::CannotTell), Some(ratio(0.967, 0.91, 0.999)));
    lost.reason = Some(Remark::new("lost-among-many", "alone it would be a difference"));
    let mut alone = row("disk queue-depth=8", "latency_p99", Some(Verdict::CannotTell), None);
    alone.reason = Some(Remark::new("too-few-trials", "1 trial against 5"));
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
            row("disk queue-depth=1", "iops", Some(Verdict::Better), Some(ratio(1.049, 1.031, 1.067))),
            lost,
            row("disk queue-depth=1", "latency_p50", None, Some(ratio(1.0, 0.9, 1.1))),
            row("disk queue-depth=8", "iops", Some(Verdict::Same), Some(ratio(3.1, 2.98, 3.22))),
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
        notes: vec![Remark::new("independent-runs", "The runs began 1 hour apart.")],
    }
}

#[test]
fn a_comparison_fits_a_terminal() {
    let text = text(&comparison());
    for line in text.lines() {
        assert!(display_width(line) <= 80, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn names_cannot_move_the_cursor() {
    let mut hostile = comparison();
    let bad = "\u{1b}[2J<script>alert(1)</script>\n\u{202e}";
    hostile.sides[0].hostname = bad.to_owned();
    hostile.sides[1].title = bad.to_owned();
    hostile.notes[0].text = bad.to_owned();
    hostile.differences[0].after = bad.to_owned();
    hostile.unmatched[0].case = bad.to_owned();
    for row in &mut hostile.rows {
        row.case = bad.to_owned();
        row.metric = bad.to_owned();
    }
    let text = text(&hostile);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
}

#[test]
fn figures_that_nobody_measured_do_not_leave_the_page() {
    for value in [1e308, 5e-324, -1e308, 0.0] {
        let mut odd = comparison();
        for row in &mut odd.rows {
            row.baseline = Some(estimate(value, Unit::BytesPerSecond));
            row.new = Some(estimate(-value, Unit::Seconds));
            row.ratio = Some(ratio(1.2e308, 1.1e308, 1.3e308));
        }
        for line in text(&odd).lines() {
            assert!(display_width(line) <= 80, "{line}");
        }
    }
}

#[test]
fn changes_are_percents_until_they_are_factors() {
    for (point, low, high, shown) in [
        (1.049, 1.031, 1.067, "+4.9 % (3.1 to 6.7)"),
        (0.967, 0.91, 1.028, "-3.3 % (-9.0 to 2.8)"),
        (1.0001, 0.9996, 1.001, "+0.01 % (-0.04 to 0.10)"),
        (0.999_99, 0.99, 1.01, "+0.0 % (-1.0 to 1.0)"),
        (3.1, 2.98, 3.22, "3.10 x (2.98 to 3.22)"),
        (0.031, 0.03, 0.032, "0.031 x (0.030 to 0.032)"),
        (1.0, 0.01, 90.0, "1.00 x (too few trials)"),
        (1e300, 0.9e300, 1.1e300, "1.0e300 x (9.0e299 to 1.1e300)"),
    ] {
        assert_eq!(change(&ratio(point, low, high)), shown);
    }
}

#[test]
fn what_none_has_is_left_out_of_the_summary() {
    let tally = Tally { better: 3, worse: 1, same: 8, cannot_tell: 2 };
    assert_eq!(summary(tally, 0.02), "3 better, 1 worse, 8 the same within 2 %, 2 cannot tell");
    assert_eq!(summary(Tally { worse: 1, ..Tally::default() }, 0.02), "1 worse");
    assert_eq!(summary(Tally::default(), 0.02), "Nothing could be compared");
}
