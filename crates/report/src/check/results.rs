//! The figures, as printed and in one unit system.

use model::tool_result::{PrintedValue, ToolPart, ToolResult};
use model::{MetricName, Unit, metric};

use super::{ToolSubject, called};
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

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("results", subject.words.say("check-results"));
    let results = || subject.run.tool_outputs.iter().flat_map(|output| &output.results);
    let short = table(subject, results().map(|result| (result, first_of(result))));
    let count = short.rows.len();
    let is_whole = count <= SHOWN;
    section.put(if is_whole { Rank::Figure } else { Rank::Detail }, Block::Table(short));
    if !is_whole {
        let few = results().map(|result| (result, first_of(result).into_iter().take(1).collect()));
        let mut few = table(subject, few.take(SHOWN));
        few.rows.truncate(SHOWN);
        section.put(Rank::Figure, Block::Table(few));
    }
    let all = table(subject, results().map(|result| (result, all_of(result))));
    if all.rows.len() > count {
        section.push(Block::Table(Table { caption: subject.words.say("tables-title"), ..all }));
    }
    section
}

/// One row: the part of the result, the name of the figure, and the figure.
type Figure<'a> = (Option<&'a ToolPart>, String, &'a PrintedValue);

/// Those of the whole that everybody looks for; of a result without any of them, its first.
fn first_of(result: &ToolResult) -> Vec<Figure<'_>> {
    let figures = &result.whole.figures;
    let is_first = |metric: &MetricName| FIRST.contains(metric);
    let mut chosen: Vec<_> = figures.iter().filter(|figure| is_first(&figure.metric)).collect();
    if chosen.is_empty() {
        chosen.extend(figures.first());
    }
    chosen.into_iter().map(|figure| (None, label::title(figure.metric), &figure.printed)).collect()
}

fn all_of(result: &ToolResult) -> Vec<Figure<'_>> {
    let mut all = Vec::new();
    for (part, measured) in result.measurements() {
        all.extend(measured.figures.iter().map(|f| (part, label::title(f.metric), &f.printed)));
    }
    all
}

fn table<'a>(
    subject: &ToolSubject<'_>,
    rows: impl Iterator<Item = (&'a ToolResult, Vec<Figure<'a>>)>,
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
    for (result, figures) in rows {
        if figures.is_empty() {
            continue;
        }
        table.groups.push((table.rows.len(), group(subject, result)));
        table.rows.extend(figures.into_iter().map(row));
    }
    table
}

/// The name of a result, with its command.
fn group(subject: &ToolSubject<'_>, result: &ToolResult) -> Text {
    let name = Text::from(called(subject, result));
    if result.command.is_empty() { name } else { name.plain(format!(": {}", result.command.join(" "))) }
}

fn row((part, name, printed): Figure<'_>) -> Vec<Text> {
    let name = match part {
        Some(part) => format!("{}: {name}", part.name),
        None => name,
    };
    let value = format::quantity(printed.value, printed.unit);
    // A count is as exact as it was printed.
    let value = if printed.unit == Unit::One { format::trimmed(value) } else { value };
    vec![name.into(), printed.text.as_str().into(), value.into(), printed.line.to_string().into()]
}
