//! The conclusion in plain words: whether anything is worse, where figures stepped, and what changed there.

use analysis::trend::{TrendSeries, TrendStanding, TrendStep};
use model::Value;
use model::comparison::Verdict;

use super::view::{TrendView, day};
use crate::document::{Answer, Block, Piece, Rank, Section, Text};
use crate::page::comparison::{value_in_words, verdict_in_words};

/// At most so many works are told of in words; the table has all.
const TOLD: usize = 6;
/// At most so many changes of one step are named.
const NAMED: usize = 4;

pub(super) fn write(view: &TrendView<'_>) -> Section {
    let mut section = Section::new("answer", view.say("answer-title"));
    section.put(Rank::Verdict, Block::Lead(lead(view).into()));
    section.answer([held(view), stepped(view), changed(view), few(view)]);
    section
}

/// How many figures are worse.
fn lead(view: &TrendView<'_>) -> String {
    let count = view.all().len();
    let worse = view.all().iter().filter(|series| series.verdict() == Some(Verdict::Worse)).count();
    let moved = view.all().iter().filter(|series| !series.steps.is_empty()).count();
    let is_few = few_runs(view) == count;
    let key = match (count, worse, moved) {
        (0, ..) => "trend-nothing",
        (_, 0, 0) if is_few => "trend-too-few",
        (_, 0, 0) => "trend-no-step",
        (_, 0, _) => "trend-not-worse",
        _ => "trend-worse",
    };
    let counts = [("worse", worse), ("moved", moved), ("count", count)];
    view.words().tell(key, &counts.map(|(name, n)| (name, Value::from(n as u64))))
}

fn answer(view: &TrendView<'_>, key: &str, mut lines: Vec<Text>) -> Option<Answer> {
    let more = lines.len().saturating_sub(TOLD);
    lines.truncate(TOLD);
    if more > 0 {
        lines.push(Text::default().link("series", view.words().count("and-more", more)));
    }
    Some(Answer { question: view.say(key), lines, elsewhere: Vec::new() })
}

/// How the level of now stands against that of the baseline, or the one before; what is worse first.
fn held(view: &TrendView<'_>) -> Option<Answer> {
    let standings = view.all().iter().filter_map(|series| Some((series, series.standing?)));
    let mut all: Vec<_> = standings.collect();
    all.sort_by_key(|(_, standing)| standing.verdict != Verdict::Worse);
    let line = |(series, standing): &(&TrendSeries, TrendStanding)| {
        let (tone, word) = verdict_in_words(view.words(), standing.verdict);
        let (change, interval) = view.standing(series, standing);
        let key = if standing.is_baseline { "trend-against-baseline" } else { "trend-against-before" };
        let accepted = series.baseline().and_then(|at| series.points[at].accepted.as_deref());
        let date = accepted.map(day).unwrap_or_default();
        let name = view.name(series);
        let texts: [(&str, &str); 3] = [("interval", &interval), ("series", &name), ("date", date)];
        Text(vec![Piece::Badge(tone, word)]).strong(change).plain(format!(" {}", view.tell(key, &texts)))
    };
    answer(view, "trend-now", all.iter().map(line).collect())
}

/// Each step: how far, and with which run.
fn stepped(view: &TrendView<'_>) -> Option<Answer> {
    let line = |series: &TrendSeries, step: &TrendStep| {
        let place = step.place;
        let of = |at: usize| series.points.get(at);
        let text = |at: usize| of(at).map(|point| point.run.clone()).unwrap_or_default();
        let date = of(place.at).map(|point| day(&point.started).to_owned()).unwrap_or_default();
        let (run, first, last) = (text(place.at), text(place.earliest), text(place.latest));
        let change = view.change_to(series, place.at, step.ratio.as_ref()).0;
        let name = view.name(series);
        let texts: [(&str, &str); 5] =
            [("series", &name), ("run", &run), ("date", &date), ("first", &first), ("last", &last)];
        let key = if place.earliest == place.latest { "trend-step" } else { "trend-step-between" };
        Text::default().strong(change).plain(format!(" {}", view.tell(key, &texts)))
    };
    let of_series =
        |series: &TrendSeries| series.steps.iter().map(|step| line(series, step)).collect::<Vec<_>>();
    answer(view, "trend-steps", view.all().iter().flat_map(of_series).collect())
}

/// What changed with each step; that nothing is known, where nothing did.
fn changed(view: &TrendView<'_>) -> Option<Answer> {
    let mut lines: Vec<Text> = Vec::new();
    for step in view.all().iter().flat_map(|series| &series.steps) {
        let line = changes(view, step);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    answer(view, "trend-changed", lines)
}

/// `kernel: 6.1, then 6.18; Headroom: 0.1.0, then 0.2.0`
fn changes(view: &TrendView<'_>, step: &TrendStep) -> Text {
    let mut named: Vec<String> = Vec::new();
    for change in &step.changes {
        let difference = &change.difference;
        let name = view.words().or(&format!("environment-{}", difference.code), &difference.text);
        let before = value_in_words(view.words(), &difference.before);
        let after = value_in_words(view.words(), &difference.after);
        let texts: [(&str, &str); 3] = [("name", &name), ("before", &before), ("after", &after)];
        named.push(view.tell("trend-change", &texts));
    }
    if named.is_empty() {
        return view.say("trend-changed-nothing").into();
    }
    let more = named.len().saturating_sub(NAMED);
    named.truncate(NAMED);
    if more > 0 {
        named.push(view.words().count("and-more", more));
    }
    named.join("; ").into()
}

/// How many works have too few runs for a step.
fn few_runs(view: &TrendView<'_>) -> usize {
    let least = view.subject.trend.runs_least;
    view.all().iter().filter(|series| series.points.len() < least).count()
}

/// That some works have too few runs.
fn few(view: &TrendView<'_>) -> Option<Answer> {
    let few = few_runs(view);
    if few == 0 {
        return None;
    }
    let counts = [("count", few), ("least", view.subject.trend.runs_least)];
    let line = view.words().tell("trend-few", &counts.map(|(name, n)| (name, Value::from(n as u64))));
    answer(view, "trend-keep-in-mind", vec![line.into()])
}
