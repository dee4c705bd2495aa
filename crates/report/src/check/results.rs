//! The figures, as printed and in one unit system.

use std::collections::HashMap;

use model::metric::{self, Statistic};
use model::tool_result::{PrintedValue, ToolFigure, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{PlacedResult, ToolSubject, called, placed};
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::format;
use crate::label;

/// Figures that everybody looks for; the others are details.
const FIRST: &[MetricName] = &[
    metric::THROUGHPUT,
    metric::IOPS,
    metric::OPERATIONS_PER_SECOND,
    metric::REQUESTS_PER_SECOND,
    metric::TRANSACTIONS_PER_SECOND,
    metric::EVENTS_PER_SECOND,
    metric::READ_THROUGHPUT,
    metric::WRITE_THROUGHPUT,
    metric::LATENCY_P50,
    metric::LATENCY_P99,
];

/// The most rows that a terminal has before it is asked for all.
const SHOWN: usize = 30;

/// So many figures of its parts stand for a result that has none of the whole: a drive or a card has as many.
const OF_PARTS: usize = 8;

/// The most characters of a figure as printed: a narrow screen has room for them.
const PRINTED_MAX: usize = 24;

/// The most rows that a table has on a page; the run document has all.
const LISTED: usize = 5000;

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("results", subject.words.say("check-results"));
    let results = placed(subject);
    let short = table(subject, &results, first_of);
    let count = short.rows.len();
    let is_whole = count <= SHOWN;
    section.put(if is_whole { Rank::Figure } else { Rank::Detail }, Block::Table(short));
    if !is_whole {
        let few = results.get(..SHOWN.min(results.len())).unwrap_or_default();
        let few = table(subject, few, |result| first_of(result).into_iter().take(1).collect());
        section.put(Rank::Figure, Block::Table(few));
    }
    let all = table(subject, &results, all_of);
    let listed = all.rows.len();
    if listed > count {
        section.push(Block::Table(Table { caption: subject.words.say("tables-title"), ..all }));
    }
    let figures: usize = results.iter().map(|placed| placed.result.figure_count()).sum();
    if let Some(more) = figures.checked_sub(listed).filter(|more| *more > 0) {
        section.push(Block::Paragraph(Text::ticked(&subject.words.count("check-more-figures", more))));
    }
    section
}

/// One row: the part of the result, the name of the figure, and the figure.
type Figure<'a> = (Option<&'a ToolPart>, MetricName, &'a PrintedValue);

/// Those of the whole that everybody looks for; of a result without any of them, its first; and of one that has
/// nothing but parts, the first of theirs.
fn first_of(result: &ToolResult) -> Vec<Figure<'_>> {
    let figures = &result.whole.figures;
    let is_first = |metric: &MetricName| FIRST.contains(metric);
    let mut chosen: Vec<_> = figures.iter().filter(|figure| is_first(&figure.metric)).collect();
    let is_percentile = |metric: MetricName| [metric::LATENCY_P50, metric::LATENCY_P99].contains(&metric);
    if !chosen.iter().any(|figure| is_percentile(figure.metric)) {
        chosen.extend(instead_of_latency(figures));
    }
    if chosen.is_empty() {
        chosen.extend(figures.first());
    }
    if chosen.is_empty() {
        return all_of(result).into_iter().take(OF_PARTS).collect();
    }
    chosen.into_iter().map(|figure| (None, figure.metric, &figure.printed)).collect()
}

/// Where no percentile of latencies is: those of the device, which fio prints unless it is told otherwise, or else
/// the mean.
fn instead_of_latency(figures: &[ToolFigure]) -> Vec<&ToolFigure> {
    const TOLD: [Statistic; 2] = [Statistic::Percentile(50.0), Statistic::Percentile(99.0)];
    let is_of_device = |metric: MetricName| {
        metric.statistic().is_some_and(|(of, what)| of == metric::DEVICE_LATENCY && TOLD.contains(&what))
    };
    let of_device: Vec<_> = figures.iter().filter(|figure| is_of_device(figure.metric)).collect();
    let mean = figures.iter().find(|figure| figure.metric == metric::LATENCY_MEAN);
    if of_device.is_empty() { mean.into_iter().collect() } else { of_device }
}

fn all_of(result: &ToolResult) -> Vec<Figure<'_>> {
    let mut all = Vec::new();
    for (part, measured) in result.measurements() {
        all.extend(measured.figures.iter().map(|f| (part, f.metric, &f.printed)));
    }
    all
}

/// The chosen figures of these results, as many as a page has.
fn table<'a>(
    subject: &ToolSubject<'_>,
    results: &[PlacedResult<'a>],
    chosen: impl Fn(&'a ToolResult) -> Vec<Figure<'a>>,
) -> Table {
    let title = |key: &str| subject.words.say(key);
    let mut table = Table {
        caption: title("check-results-caption"),
        columns: vec![
            Column::words(title("column-check-figure")),
            Column::numbers(title("column-check-printed")),
            Column::numbers(title("column-check-value")),
            Column::numbers(title("column-check-line")).to_spare(1),
        ],
        ..Table::default()
    };
    // A metric is called the same every time.
    let mut names: HashMap<MetricName, String> = HashMap::new();
    for placed in results {
        let room = LISTED.saturating_sub(table.rows.len());
        if room == 0 {
            break;
        }
        let figures = chosen(placed.result);
        if figures.is_empty() {
            continue;
        }
        table.groups.push((table.rows.len(), group(subject, *placed)));
        for (part, metric, printed) in figures.into_iter().take(room) {
            let name = names.entry(metric).or_insert_with(|| label::metric(subject.words, metric));
            table.rows.push(row(part, name, printed));
        }
    }
    table
}

/// The name of a result, with its command.
fn group(subject: &ToolSubject<'_>, placed: PlacedResult<'_>) -> Text {
    let name = Text::from(called(subject, placed));
    let command = &placed.result.command;
    if command.is_empty() { name } else { name.plain(format!(": {}", command.join(" "))) }
}

fn row(part: Option<&ToolPart>, name: &str, printed: &PrintedValue) -> Vec<Text> {
    let name = match part {
        Some(part) => format!("{}: {name}", part.name),
        None => name.to_owned(),
    };
    let value = format::quantity(printed.value, printed.unit);
    // A count is as exact as it was printed.
    let value = match printed.unit {
        Unit::One if is_plain_count(printed.value) => format!("{:.0}", printed.value),
        Unit::One => format::trimmed(value),
        _ => value,
    };
    vec![name.into(), shortened(&printed.text).into(), value.into(), printed.line.to_string().into()]
}

/// Whether it is a whole number that nobody has to count the digits of.
fn is_plain_count(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 1e6
}

/// What was printed; of a sum of many figures the beginning.
fn shortened(text: &str) -> String {
    if text.chars().count() <= PRINTED_MAX {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(PRINTED_MAX).collect();
    format!("{}…", beginning.trim_end())
}
