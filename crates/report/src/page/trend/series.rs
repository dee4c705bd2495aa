//! Every work: its level of now in one table, and then its course with steps, and its runs.

use analysis::trend::{TrendPoint, TrendSeries};
use chart::plot::{Axis, Line, Lines, Mark, Numbers, Spread, Zone};
use model::Unit;
use model::comparison::Verdict;

use super::view::{TrendView, day};
use crate::document::{Block, Column, Piece, Rank, Section, Table, Text};
use crate::figure::measured;
use crate::format::Rates;
use crate::label;
use crate::page::comparison::{value_in_words, verdict_in_words};

/// Up to so many works have the runs of each on a screen; of more, a page has them.
const SHORT_SERIES: usize = 2;
/// As many runs have room on a screen.
const SHORT_RUNS: usize = 40;
/// So many works are listed at most.
const LISTED: usize = 60;
/// So many of them have a course of their own: a page is read, not searched.
const DRAWN: usize = 60;

pub(super) fn write(view: &TrendView<'_>) -> Section {
    let mut section = Section::new("series", view.say("trend-series"));
    if view.all().is_empty() {
        return section;
    }
    let all = ordered(view);
    let listed = &all[..all.len().min(LISTED)];
    section.put(Rank::Figure, Block::Table(overview(view, listed)));
    if all.len() > listed.len() {
        let more = view.words().count("and-more", all.len() - listed.len());
        section.put(Rank::Remark, Block::Paragraph(more.into()));
    }
    // One run alone has no course.
    let courses = all.iter().filter(|series| series.points.len() > 1).take(DRAWN);
    section.subsections.extend(courses.enumerate().map(|(place, series)| of_series(view, series, place)));
    section
}

/// All works: what is worse, what stepped, what has runs enough for a step, and the others.
fn ordered<'a>(view: &TrendView<'a>) -> Vec<&'a TrendSeries> {
    let mut all: Vec<&TrendSeries> = view.all().iter().collect();
    all.sort_by_key(|series| match series.verdict() {
        Some(Verdict::Worse) => 0,
        _ if !series.steps.is_empty() => 1,
        _ if series.points.len() >= view.subject.trend.runs_least => 2,
        _ => 3,
    });
    all
}

/// A row a work.
fn overview(view: &TrendView<'_>, listed: &[&TrendSeries]) -> Table {
    let columns = vec![
        Column::words(view.say("column-what")),
        Column::numbers(view.say("trend-column-runs")),
        Column::numbers(view.say("trend-column-steps")).to_spare(2),
        Column::numbers(view.say("trend-column-now")),
        Column::numbers(view.say("comparison-change")),
        Column::words(view.say("trend-column-last")).to_spare(1),
        Column::words(view.say("comparison-verdict")),
    ];
    let row = |series: &&TrendSeries| {
        let now = series.levels().last().map(|level| view.figure(series, level.median)).unwrap_or_default();
        let change = series.standing.map(|standing| view.standing(series, &standing).0).unwrap_or_default();
        let last = series.points.last().map(|point| day(&point.started).to_owned()).unwrap_or_default();
        vec![
            view.name(series).into(),
            series.points.len().to_string().into(),
            series.steps.len().to_string().into(),
            now.into(),
            change.into(),
            last.into(),
            series.verdict().map(|verdict| badge(view, verdict)).unwrap_or_default(),
        ]
    };
    let caption = view.words().count("trend-caption", view.all().len());
    Table { caption, columns, rows: listed.iter().map(row).collect(), groups: Vec::new() }
}

fn badge(view: &TrendView<'_>, verdict: Verdict) -> Text {
    let (tone, word) = verdict_in_words(view.words(), verdict);
    Text(vec![Piece::Badge(tone, word)])
}

fn of_series(view: &TrendView<'_>, series: &TrendSeries, place: usize) -> Section {
    let mut section = Section::new(format!("series-{}", place + 1), view.name(series));
    section.push(Block::Chart {
        title: view.name(series),
        note: Some(view.say("trend-chart-note")),
        plot: Box::new(plot(view, series)),
    });
    section.extend(changes(view, series));
    let is_short = view.all().len() <= SHORT_SERIES && series.points.len() <= SHORT_RUNS;
    let rank = if is_short { Rank::Figure } else { Rank::Detail };
    section.put(rank, Block::Table(runs(view, series)));
    section
}

/// The course, with its levels and the places where it may have stepped.
fn plot(view: &TrendView<'_>, series: &TrendSeries) -> Lines {
    let is_bits = Rates::of(series.rate_unit) == Rates::Bits;
    let numbers = match series.unit {
        Unit::BytesPerSecond if is_bits => Numbers::Bits,
        unit => Numbers::Unit(unit),
    };
    // Runs are counted from 1.
    let number = |place: usize| (place + 1) as f64;
    let point = |(place, point): (usize, &TrendPoint)| Some((number(place), measured(&point.estimate)?));
    let levels = series.levels().into_iter().map(|level| Zone {
        from: number(level.from),
        to: level.to as f64,
        level: Some(level.median),
        label: String::new(),
    });
    let steps = series.steps.iter().map(|step| Zone {
        // From the last run that surely has the old level to the first that surely has the new.
        from: step.place.earliest as f64,
        to: number(step.place.latest),
        level: None,
        label: view.change_to(series, step.place.at, step.ratio.as_ref()).0,
    });
    let baseline =
        series.baseline().map(|place| Mark { x: number(place), label: view.say("comparison-baseline") });
    Lines {
        x: Axis { title: view.say("trend-axis"), numbers: Numbers::Count, spread: Spread::Linear },
        y: Axis { title: label::metric_of_chart(view.words(), series.metric), numbers, spread: Spread::Auto },
        lines: vec![Line {
            name: String::new(),
            points: series.points.iter().enumerate().filter_map(point).collect(),
        }],
        references: Vec::new(),
        marks: baseline.into_iter().collect(),
        zones: levels.chain(steps).collect(),
        better: Some(series.better),
    }
}

/// What changed with the steps, a row each.
fn changes(view: &TrendView<'_>, series: &TrendSeries) -> Option<Block> {
    let columns = ["trend-column-run", "column-what", "trend-column-before", "trend-column-after"];
    let columns: Vec<Column> = columns.iter().map(|key| Column::words(view.say(key))).collect();
    let mut rows: Vec<Vec<Text>> = Vec::new();
    for change in series.steps.iter().flat_map(|step| &step.changes) {
        let run = series.points.get(change.at).map(|point| point.run.clone()).unwrap_or_default();
        let difference = &change.difference;
        let name = view.words().or(&format!("environment-{}", difference.code), &difference.text);
        let before = value_in_words(view.words(), &difference.before);
        let after = value_in_words(view.words(), &difference.after);
        rows.push([run, name, before, after].map(Text::from).to_vec());
    }
    let caption = view.say("trend-changes-caption");
    (!rows.is_empty()).then(|| Block::Table(Table { caption, columns, rows, groups: Vec::new() }))
}

/// The runs, oldest first, a row each; where a level begins stands by how much.
fn runs(view: &TrendView<'_>, series: &TrendSeries) -> Table {
    let columns = vec![
        Column::words(view.say("trend-column-run")),
        Column::words(view.say("trend-column-date")),
        Column::numbers(label::metric(view.words(), series.metric)),
        Column::words(view.say("trend-column-interval")).to_spare(2),
        Column::words(view.say("trend-column-step")),
        Column::words(view.say("trend-column-said")).to_spare(1),
    ];
    let row = |(place, point): (usize, &TrendPoint)| {
        let step = series.steps.iter().find(|step| step.place.at == place);
        let change = step.map(|step| view.change_to(series, place, step.ratio.as_ref()).0);
        let texts = [
            point.run.clone(),
            day(&point.started).to_owned(),
            view.figure(series, point.estimate.median),
            view.interval(series, point),
            change.unwrap_or_default(),
            view.said(point),
        ];
        texts.map(Text::from).to_vec()
    };
    let rows = series.points.iter().enumerate().map(row).collect();
    let table = Table { caption: view.name(series), columns, rows, groups: Vec::new() };
    table.without_empty_columns()
}
