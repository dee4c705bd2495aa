//! Lines: a picture, its words, and what is easily lost.

use super::*;
use crate::plot::check::{self, texts};
use crate::plot::{Numbers, ReferenceKind, Spread, svg};
use language::Language;
use model::Unit;

fn around(value: f64) -> Measured {
    Measured { value, interval: Some((value * 0.97, value * 1.03)) }
}

fn rising() -> Lines {
    let points = [10.9e3, 21.4e3, 39.8e3, 66.0e3, 84.2e3, 91.4e3];
    let levels = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    Lines {
        x: Axis { title: "queue depth".to_owned(), numbers: Numbers::Count, spread: Spread::Auto },
        y: Axis { title: "IOPS".to_owned(), numbers: Numbers::Unit(Unit::PerSecond), spread: Spread::Auto },
        lines: vec![Line {
            name: String::new(),
            points: levels.into_iter().zip(points.map(around)).collect(),
        }],
        references: vec![
            Reference { value: 110e3, label: "datasheet: 110 k".to_owned(), kind: ReferenceKind::Promise },
            Reference { value: 540e3, label: "PCIe: 540 k".to_owned(), kind: ReferenceKind::Limit },
        ],
        marks: vec![Mark { x: 16.0, label: "knee: 16".to_owned() }],
        zones: Vec::new(),
        better: Some(Better::Higher),
    }
}

#[test]
fn a_rising_line_looks_as_it_did() {
    insta::assert_snapshot!(svg(&rising(), "IOPS over depth", Language::English.words()));
}

#[test]
fn a_line_is_told_in_words() {
    assert_eq!(
        rising().describe(Language::English.words()),
        "IOPS over queue depth: from 10.9 k at 1 to 91.4 k at 32. datasheet: 110 k (promise): the highest \
         value is 83 % of it. PCIe: 540 k (limit): the highest value is 17 % of it. Marked: knee: 16."
    );
    let table = rising().table(Language::English.words());
    assert_eq!(table.head, ["queue depth", "IOPS", "Low", "High"]);
    assert_eq!(table.rows[5], ["32", "91.4 k/s", "88.66 k/s", "94.14 k/s"]);
}

#[test]
fn a_limit_far_above_stands_at_the_edge_and_a_near_one_at_its_line() {
    let texts = texts(&rising(), Language::English.words(), 760.0);
    assert!(texts.contains(&"PCIe: 540 k ↑".to_owned()), "{texts:?}");
    assert!(texts.contains(&"datasheet: 110 k".to_owned()), "{texts:?}");
    assert!(texts.contains(&"IOPS · higher is better".to_owned()), "{texts:?}");
    // The data reach two thirds up; the far limit does not squash them.
    assert!(texts.contains(&"100 k".to_owned()) && !texts.contains(&"500 k".to_owned()), "{texts:?}");
}

#[test]
fn an_axis_that_does_not_begin_at_zero_says_so() {
    let mut plot = rising();
    plot.references.clear();
    for (i, point) in plot.lines[0].points.iter_mut().enumerate() {
        point.1 = Measured { value: 90e3 + i as f64 * 1e3, interval: None };
    }
    let texts = texts(&plot, Language::English.words(), 760.0);
    assert!(texts.contains(&"IOPS · higher is better · axis starts at 90 k/s".to_owned()), "{texts:?}");
}

#[test]
fn names_stand_at_the_ends_of_lines_or_in_a_legend() {
    let mut plot = rising();
    let again = plot.lines[0].clone();
    plot.lines[0].name = "randread, io_uring".to_owned();
    plot.lines.push(Line { name: "randread, libaio".to_owned(), ..again });
    check::hold(&plot, "two lines that lie on one another");
    for width in [760.0, 340.0] {
        let texts = texts(&plot, Language::English.words(), width);
        for name in ["randread", "io_uring", "libaio"] {
            assert!(texts.iter().any(|t| t == name), "{name} in {texts:?}");
        }
    }
}

#[test]
fn of_very_many_points_the_extremes_stay() {
    let mut plot = rising();
    plot.x.spread = Spread::Linear;
    let value = |i: usize| if i == 4321 { 9.0 } else { 5.0 };
    plot.lines[0].points =
        (0..10_000).map(|i| (i as f64, Measured { value: value(i), interval: None })).collect();
    let (drawn, _) = draw::drawn(&plot);
    assert!(drawn[0].points.len() <= draw::MOST_POINTS);
    assert!(drawn[0].points.iter().any(|p| p.1.value == 9.0));
}

#[test]
fn the_name_of_a_limit_is_never_lost_however_long_it_is() {
    let mut plot = rising();
    let label = "what the link can carry after its coding and its frames: 110 k".to_owned();
    plot.references = vec![Reference { value: 110e3, label: label.clone(), kind: ReferenceKind::Limit }];
    check::hold(&plot, "a limit with a long name");
    for width in [760.0, 340.0] {
        let all = texts(&plot, Language::English.words(), width).join(" ");
        assert!(all.contains(&label), "{all}");
    }
}

/// The rate and, below it, two latencies.
fn two_panels() -> LinePanels {
    let mut upper = rising();
    upper.references.clear();
    let latency = |name: &str, times: f64| Line {
        name: name.to_owned(),
        points: upper.lines[0]
            .points
            .iter()
            .map(|(depth, rate)| (*depth, around(times * depth / rate.value)))
            .collect(),
    };
    let lower = Lines {
        y: Axis { title: "latency".to_owned(), numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Auto },
        lines: vec![latency("p50", 1.0), latency("p99", 2.0)],
        better: Some(Better::Lower),
        marks: Vec::new(),
        ..upper.clone()
    };
    LinePanels { panels: vec![upper, lower] }
}

#[test]
fn panels_share_one_axis_and_the_lines_of_marks() {
    let plot = two_panels();
    check::hold(&plot, "two panels");
    for width in [760.0, 340.0] {
        let texts = texts(&plot, Language::English.words(), width);
        let count = |text: &str| texts.iter().filter(|t| *t == text).count();
        assert_eq!((count("queue depth"), count("32"), count("knee: 16")), (1, 1, 1), "{texts:?}");
        assert_eq!(
            (count("IOPS · higher is better"), count("latency · lower is better")),
            (1, 1),
            "{texts:?}"
        );
        let marks = check::paths(&plot.draw(Language::English.words(), width), "a");
        // From its name into the first panel, and again through the second.
        let through = |d: &&String| d.contains('V') && marks.iter().filter(|o| o[..4] == d[..4]).count() > 1;
        assert!(marks.iter().any(|d| through(&d)), "{marks:?}");
    }
    // The rate is one series, the latencies are others.
    let drawing = plot.draw(Language::English.words(), 760.0).elements;
    for class in ["c0 d0", "c1 d1", "c2 d2"] {
        assert!(drawing.contains(&format!("class=\"{class}\"")), "{class}");
    }
}

#[test]
fn panels_are_told_one_after_the_other_and_have_one_table() {
    let plot = two_panels();
    let told = plot.describe(Language::English.words());
    assert!(told.starts_with("IOPS over queue depth: from 10.9 k at 1 to 91.4 k at 32."), "{told}");
    assert!(told.contains("latency over queue depth. p50: from 91.74 us at 1"), "{told}");
    assert_eq!(told.matches("Marked: knee: 16.").count(), 1, "{told}");
    let table = plot.table(Language::English.words());
    assert_eq!(table.head, ["queue depth", "IOPS", "latency, p50", "latency, p99"]);
    assert_eq!((table.rows.len(), table.rows[5][0].as_str()), (6, "32"));
    let none = LinePanels { panels: Vec::new() };
    assert_eq!(none.describe(Language::English.words()), "Nothing was measured.");
}

#[test]
fn a_level_is_a_line_and_an_edge_is_shaded_and_named() {
    let mut plot = rising();
    plot.marks.clear();
    plot.zones = vec![
        Zone { from: 1.0, to: 2.0, level: Some(20e3), label: String::new() },
        Zone { from: 2.0, to: 8.0, level: None, label: "ends here".to_owned() },
    ];
    check::hold(&plot, "zones");
    let drawing = plot.draw(Language::English.words(), 760.0);
    assert_eq!((check::paths(&drawing, "h2").len(), check::paths(&drawing, "v").len()), (1, 1));
    let told = plot.describe(Language::English.words());
    assert!(told.ends_with("Marked: ends here."), "{told}");
}
