//! The conclusion in plain words: the tally, whether anything is worse, what
//! changed most, and what must be kept in mind; then all of it in one chart.

use chart::plot::{Measured, RatioRow, Ratios};
use model::Value;
use model::comparison::{Row, Verdict};

use super::view::ComparisonView;
use crate::document::{Answer, Block, Piece, Rank, Section, Text, Tone};
use crate::page::findings::sentence;

/// At most so many rows are described in words.
const TOLD: usize = 6;
/// So many of them are worse, at most, where others are better.
const WORSE: usize = 4;
/// At most so many caveats are shown.
const CAVEATS_TOLD: usize = 5;
/// So many differences of the circumstances are named.
const NAMED: usize = 6;

/// Notes on how the sides lie in time, which every reader must know.
const CAVEATS: &[&str] = &[
    "different-days",
    "independent-runs",
    "independent-groups",
    "overlap",
    "other-circumstances",
    "few-trials",
];

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("answer", view.say("answer-title"));
    section.put(Rank::Verdict, Block::Lead(tally(view).into()));
    section.answer([worse(view), changed(view), caveats(view)]);
    section.extend(chart(view));
    section
}

/// `Better: 3, worse: 1, the same within 2 %: 8, cannot tell: 2.`
fn tally(view: &ComparisonView<'_>) -> String {
    let tally = view.comparison.tally;
    let parts = [
        ("comparison-tally-better", tally.better),
        ("comparison-tally-worse", tally.worse),
        ("comparison-tally-same", tally.same),
        ("comparison-tally-cannot-tell", tally.cannot_tell),
    ];
    let one = |(key, count): (&str, usize)| {
        let margin = Value::Number(view.comparison.margin);
        view.words().tell(key, &[("count", Value::from(count as u64)), ("margin", margin)])
    };
    let told: Vec<String> = parts.into_iter().filter(|(_, n)| *n > 0).map(one).collect();
    match told.is_empty() {
        true => view.say("comparison-nothing"),
        false => sentence(&told.join(&view.say("comparison-tally-join"))),
    }
}

fn answer(view: &ComparisonView<'_>, key: &str, lines: Vec<Text>) -> Option<Answer> {
    Some(Answer { question: view.say(key), lines, elsewhere: Vec::new() })
}

fn worse(view: &ComparisonView<'_>) -> Option<Answer> {
    let tally = view.comparison.tally;
    let judged = view.judged();
    if judged == 0 {
        return None;
    }
    let (tone, word, text) = match (tally.worse, tally.cannot_tell) {
        (0, 0) => (Tone::Good, "comparison-worse-no", "comparison-worse-no-text"),
        (0, n) if n == judged => (Tone::Warning, "comparison-worse-unknown", "comparison-worse-unknown-text"),
        (0, _) => (Tone::Warning, "comparison-worse-unshown", "comparison-worse-unshown-text"),
        _ => (Tone::Error, "comparison-worse-yes", "comparison-worse-yes-text"),
    };
    let counts = [("worse", tally.worse), ("judged", judged), ("unknown", tally.cannot_tell)];
    let line = Text(vec![Piece::Badge(tone, view.say(word))]).plain(view.counts(text, &counts));
    answer(view, "comparison-worse", vec![line])
}

/// How far a row is off, in either direction.
fn off(row: &Row) -> f64 {
    row.ratio.as_ref().map_or(0.0, |r| r.point.ln().abs())
}

/// The rows with this verdict, those that are furthest off first.
fn with<'a>(view: &ComparisonView<'a>, verdict: Verdict) -> Vec<&'a Row> {
    let mut all: Vec<&Row> = view.comparison.rows.iter().filter(|r| r.verdict == Some(verdict)).collect();
    all.sort_by(|a, b| off(b).total_cmp(&off(a)));
    all
}

/// What changed most: the worst first, then the best.
fn changed(view: &ComparisonView<'_>) -> Option<Answer> {
    let (worse, better) = (with(view, Verdict::Worse), with(view, Verdict::Better));
    let most = if better.is_empty() { TOLD } else { WORSE };
    let told: Vec<&Row> = worse.iter().take(most.min(TOLD)).chain(&better).take(TOLD).copied().collect();
    let left = worse.len() + better.len() - told.len();
    let mut elsewhere: Vec<Text> = told.into_iter().map(|row| line(view, row)).collect();
    let nothing = elsewhere.is_empty() && view.judged() > 0;
    if left > 0 {
        elsewhere.push(Text::default().link("rows", view.all.count("and-more", left)));
    }
    let lines = nothing.then(|| view.say("comparison-no-change").into()).into_iter().collect();
    Some(Answer { question: view.say("comparison-changed"), lines, elsewhere })
}

/// `IOPS +50.0 % (28.1 to 75.6): queue-depth=16, 54.99 k, then 80.37 k  better`
fn line(view: &ComparisonView<'_>, row: &Row) -> Text {
    let (point, interval) = view.change(row).unwrap_or_default();
    let (baseline, new) = (view.figure(row, row.baseline.as_ref()), view.figure(row, row.new.as_ref()));
    let texts = [("case", view.called(row)), ("interval", interval), ("baseline", baseline), ("new", new)];
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let badge = row.verdict.map(|v| view.badge(v));
    let text = Text(badge.into_iter().collect()).strong(format!("{} {point}", view.all.metric(row.metric)));
    text.plain(format!(" {}", view.tell("comparison-line", &texts)))
}

/// What must be kept in mind, with a link to the details.
fn caveats(view: &ComparisonView<'_>) -> Option<Answer> {
    let notes = view.comparison.notes.iter().filter(|n| CAVEATS.contains(&n.code.as_str()));
    let mut lines: Vec<Text> =
        notes.take(CAVEATS_TOLD).map(|n| sentence(&view.words().remark(n)).into()).collect();
    let mut names: Vec<String> = Vec::new();
    for difference in &view.comparison.differences {
        let name = view.words().or(&format!("environment-{}", difference.code), &difference.text);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        if more > 0 {
            names.push(view.all.count("and-more", more));
        }
        let text = Text::default().link("circumstances", view.say("comparison-differ"));
        lines.push(text.plain(format!(" {}", names.join(", "))));
    }
    let doubts = super::doubts::count(view);
    if doubts > 0 {
        lines.push(Text::default().link("doubts", view.all.count("comparison-doubts", doubts)));
    }
    let alone = view.comparison.unmatched.len();
    if alone > 0 {
        lines.push(Text::default().link("alone", view.all.count("comparison-alone-count", alone)));
    }
    answer(view, "comparison-caveats", lines)
}

/// All ratios that were judged.
fn chart(view: &ComparisonView<'_>) -> Option<Block> {
    let judged = view.comparison.rows.iter().filter(|r| r.judged);
    let row = |row: &Row| RatioRow {
        label: view.name(row),
        ratio: row.ratio.as_ref().map(|r| Measured { value: r.point, interval: Some((r.low, r.high)) }),
        verdict: row.verdict.map(|v| view.verdict(v).1).unwrap_or_default(),
        good: match row.verdict {
            Some(Verdict::Better) => Some(true),
            Some(Verdict::Worse) => Some(false),
            _ => None,
        },
    };
    let rows: Vec<RatioRow> = judged.map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let plot = Ratios { sides: sides(view), margin: view.comparison.margin, rows };
    Some(Block::Chart {
        title: view.say("comparison-chart"),
        note: Some(view.say("comparison-chart-note")),
        plot: Box::new(plot),
    })
}

/// What is held against what.
fn sides(view: &ComparisonView<'_>) -> (String, String) {
    let labels = view.labels();
    match (&view.comparison.by, &labels[..]) {
        (None, [baseline, new]) => (baseline.clone(), new.clone()),
        (Some(_), [_, _]) => (view.side(0), view.side(1)),
        (None, [baseline, ..]) => (baseline.clone(), view.say("comparison-others")),
        _ => (view.say("comparison-baseline"), view.say("comparison-new")),
    }
}
