//! Charts of all kinds with data that no measurement gives, and what every page
//! of them needs.

use language::{Language, Words};
use model::Unit;

use super::check::{self, Dice};
use super::*;

fn english() -> &'static Words {
    Language::English.words()
}

fn axis(dice: &mut Dice) -> Axis {
    let numbers = [
        Numbers::Unit(Unit::PerSecond),
        Numbers::Unit(Unit::BytesPerSecond),
        Numbers::Unit(Unit::Seconds),
        Numbers::Bits,
        Numbers::Binary,
        Numbers::Count,
        Numbers::Share,
        Numbers::Times,
    ];
    let spreads = [Spread::Auto, Spread::Linear, Spread::Decades, Spread::Doublings];
    Axis { title: dice.name(), numbers: numbers[dice.below(8)], spread: spreads[dice.below(4)] }
}

fn measured(dice: &mut Dice) -> Measured {
    let value = dice.value();
    let interval = match dice.below(5) {
        0 => None,
        1 => Some((dice.value(), dice.value())),
        _ => Some((value * (1.0 - dice.share()), value * (1.0 + dice.share()))),
    };
    Measured { value, interval }
}

fn references(dice: &mut Dice) -> Vec<Reference> {
    let kinds = [ReferenceKind::Limit, ReferenceKind::Promise, ReferenceKind::Ideal];
    let one =
        |dice: &mut Dice| Reference { value: dice.value(), label: dice.name(), kind: kinds[dice.below(3)] };
    (0..dice.below(5)).map(|_| one(dice)).collect()
}

fn better(dice: &mut Dice) -> Option<Better> {
    [None, Some(Better::Higher), Some(Better::Lower)][dice.below(3)]
}

fn lines(dice: &mut Dice) -> Lines {
    let line = |dice: &mut Dice| {
        let count = if dice.below(9) == 0 { 700 } else { dice.below(12) };
        let level =
            |dice: &mut Dice, i: usize| if dice.below(20) == 0 { dice.value() } else { (1 + i) as f64 };
        Line { name: dice.name(), points: (0..count).map(|i| (level(dice, i), measured(dice))).collect() }
    };
    Lines {
        x: axis(dice),
        y: axis(dice),
        lines: (0..dice.below(16)).map(|_| line(dice)).collect(),
        references: references(dice),
        marks: (0..dice.below(4)).map(|_| Mark { x: dice.value(), label: dice.name() }).collect(),
        zones: (0..dice.below(4)).map(|_| zone(dice)).collect(),
        better: better(dice),
    }
}

fn zone(dice: &mut Dice) -> Zone {
    let level = (dice.below(2) == 0).then(|| dice.value());
    Zone { from: dice.value(), to: dice.value(), level, label: dice.name() }
}

fn line_panels(dice: &mut Dice) -> LinePanels {
    LinePanels { panels: (0..dice.below(6)).map(|_| lines(dice)).collect() }
}

fn bars(dice: &mut Dice) -> Bars {
    let bar = |dice: &mut Dice, series: usize| Bar {
        series,
        value: (dice.below(5) > 0).then(|| measured(dice)),
        reference: references(dice).pop(),
        note: (dice.below(3) == 0).then(|| dice.name()),
    };
    let series = 1 + dice.below(4);
    let group = |dice: &mut Dice| BarGroup {
        label: dice.name(),
        bars: (0..dice.below(series + 1)).map(|i| bar(dice, i)).collect(),
    };
    let groups = if dice.below(9) == 0 { 500 } else { dice.below(9) };
    Bars {
        value: axis(dice),
        series: (0..series).map(|_| dice.name()).collect(),
        groups: (0..groups).map(|_| group(dice)).collect(),
        references: references(dice),
        better: better(dice),
    }
}

fn heat(dice: &mut Dice) -> HeatMap {
    let (columns, rows) = (dice.below(90), dice.below(90));
    let names = |dice: &mut Dice, n| (0..n).map(|_| dice.name()).collect::<Vec<_>>();
    let cell = |dice: &mut Dice| (dice.below(6) > 0).then(|| measured(dice));
    let cells = |dice: &mut Dice| (0..columns).map(|_| cell(dice)).collect();
    HeatMap {
        title: dice.name(),
        numbers: axis(dice).numbers,
        x: (dice.name(), names(dice, columns)),
        y: (dice.name(), names(dice, rows)),
        // Rows may be missing.
        cells: (0..rows.saturating_sub(dice.below(2))).map(|_| cells(dice)).collect(),
        better: better(dice),
    }
}

fn scatter(dice: &mut Dice) -> Scatter {
    let dot = |dice: &mut Dice| Dot { x: measured(dice), y: measured(dice), label: dice.name() };
    let group = |dice: &mut Dice| Dots {
        name: dice.name(),
        dots: (0..dice.below(60)).map(|_| dot(dice)).collect(),
        joined: dice.below(2) == 0,
    };
    Scatter {
        better: (None, Some(Better::Lower)),
        x: axis(dice),
        y: axis(dice),
        groups: (0..dice.below(12)).map(|_| group(dice)).collect(),
        references: references(dice),
    }
}

fn rounds(dice: &mut Dice) -> RoundPanels {
    let course = |dice: &mut Dice| {
        let window = RoundWindow { rounds: dice.below(8), mean: dice.value(), slope: dice.value() };
        let count = if dice.below(9) == 0 { 700 } else { dice.below(30) };
        RoundSeries {
            name: dice.name(),
            values: (0..count).map(|_| dice.value()).collect(),
            window: (dice.below(3) > 0).then_some(window),
            verdict: dice.name(),
            steady: dice.below(2) == 0,
        }
    };
    RoundPanels {
        value: axis(dice),
        better: better(dice),
        range: 0.2,
        courses: (0..dice.below(9)).map(|_| course(dice)).collect(),
    }
}

fn stacks(dice: &mut Dice) -> Stacks {
    let parts = dice.below(5);
    let value = |dice: &mut Dice| (dice.below(5) > 0).then(|| dice.value());
    let row = |dice: &mut Dice| Stack {
        label: dice.name(),
        values: (0..parts + dice.below(2)).map(|_| value(dice)).collect(),
    };
    let rows = if dice.below(9) == 0 { 300 } else { dice.below(9) };
    Stacks {
        value: axis(dice),
        better: better(dice),
        parts: (0..parts).map(|_| dice.name()).collect(),
        rows: (0..rows).map(|_| row(dice)).collect(),
    }
}

fn ratios(dice: &mut Dice) -> Ratios {
    let row = |dice: &mut Dice| RatioRow {
        label: dice.name(),
        ratio: (dice.below(5) > 0).then(|| measured(dice)),
        verdict: dice.name(),
        good: [None, Some(true), Some(false)][dice.below(3)],
    };
    let rows = if dice.below(9) == 0 { 500 } else { dice.below(9) };
    Ratios {
        sides: (dice.name(), dice.name()),
        margin: dice.value(),
        rows: (0..rows).map(|_| row(dice)).collect(),
    }
}

fn effects(dice: &mut Dice) -> Effects {
    let row = |dice: &mut Dice| EffectRow {
        label: dice.name(),
        effect: measured(dice),
        expected: (dice.below(3) > 0).then(|| dice.value()),
        role: dice.name(),
        mark: dice.below(4),
    };
    let rows = if dice.below(9) == 0 { 200 } else { dice.below(9) };
    Effects { rows: (0..rows).map(|_| row(dice)).collect() }
}

fn cells(dice: &mut Dice) -> CellPlot {
    let cell = |dice: &mut Dice| PlotCell {
        time_s: dice.value(),
        value: dice.value(),
        counts: [dice.roll() % 3, dice.roll() % 3],
        bytes: (dice.below(3) > 0).then(|| dice.roll()),
    };
    let count = if dice.below(9) == 0 { 9000 } else { dice.below(60) };
    CellPlot {
        span_s: (0.0, dice.share() * 100.0),
        upright: axis(dice),
        names: [dice.name(), dice.name()],
        cells: (0..count).map(|_| cell(dice)).collect(),
    }
}

#[test]
fn whatever_is_measured_is_drawn_on_the_sheet() {
    for seed in 0..16 {
        let dice = &mut Dice(seed);
        check::hold(&lines(dice), &format!("lines of seed {seed}"));
        check::hold(&line_panels(dice), &format!("panels of lines of seed {seed}"));
        check::hold(&bars(dice), &format!("bars of seed {seed}"));
        check::hold(&scatter(dice), &format!("scatter of seed {seed}"));
        check::hold(&rounds(dice), &format!("rounds of seed {seed}"));
        check::hold(&stacks(dice), &format!("stacks of seed {seed}"));
        check::hold(&ratios(dice), &format!("ratios of seed {seed}"));
        check::hold(&effects(dice), &format!("effects of seed {seed}"));
        check::hold(&cells(dice), &format!("cells of seed {seed}"));
    }
    for seed in 0..5 {
        check::hold(&heat(&mut Dice(seed)), &format!("heat of seed {seed}"));
    }
}

#[test]
fn a_chart_names_itself_and_two_charts_have_two_names() {
    let plot = |title: &str| Bars {
        value: Axis { title: title.to_owned(), numbers: Numbers::Count, spread: Spread::Auto },
        series: Vec::new(),
        groups: Vec::new(),
        references: Vec::new(),
        better: None,
    };
    let page = format!("<p>{}{}</p>", svg(&plot("a"), "a", english()), svg(&plot("b"), "b", english()));
    let document = roxmltree::Document::parse(&page).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (4, 4), "{ids:?}");
    for chart in document.descendants().filter(|n| n.has_tag_name("svg")) {
        assert_eq!(chart.attribute("role"), Some("img"));
        let named = chart.attribute("aria-labelledby").unwrap();
        assert!(named.split(' ').all(|id| ids.contains(&id)), "{named}");
    }
}

#[test]
fn no_markup_of_a_name_reaches_the_page() {
    let hostile = "</svg><script>alert(1)</script>";
    let plot = Lines {
        x: Axis { title: hostile.to_owned(), numbers: Numbers::Count, spread: Spread::Auto },
        y: Axis { title: hostile.to_owned(), numbers: Numbers::Count, spread: Spread::Auto },
        lines: vec![Line {
            name: hostile.to_owned(),
            points: vec![(1.0, Measured { value: 2.0, interval: None })],
        }],
        references: vec![Reference { value: 2.0, label: hostile.to_owned(), kind: ReferenceKind::Limit }],
        marks: vec![Mark { x: 1.0, label: hostile.to_owned() }],
        zones: vec![Zone { from: 1.0, to: 2.0, level: None, label: hostile.to_owned() }],
        better: None,
    };
    let drawn = svg(&plot, hostile, english());
    assert!(!drawn.contains("<script"), "{drawn}");
    assert_eq!(drawn.matches("</svg>").count(), 2);
}

#[test]
fn no_class_has_two_meanings() {
    let mut seen = std::collections::BTreeSet::new();
    for (selector, _) in RULES {
        assert!(seen.insert(*selector), "{selector} has two rules");
    }
}

#[test]
fn rules_hold_for_charts_alone_and_choose_one_of_two_drawings() {
    let css = style_sheet();
    assert!(css.contains(".headroom-chart.plot .c0{color:"));
    assert!(css.contains("max-width:719px"));
    assert!(
        css.lines()
            .filter(|l| l.contains('{'))
            .all(|l| l.starts_with(".headroom-chart") || l.starts_with('@'))
    );
}
