//! The figures, as printed and in one unit system.

use std::collections::HashMap;

use model::database::metric as database;
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
    database::NEW_ORDERS_PER_SECOND,
    database::RECEIVED_MESSAGES_PER_SECOND,
    metric::READ_THROUGHPUT,
    metric::WRITE_THROUGHPUT,
    metric::SEND_THROUGHPUT,
    metric::RECEIVE_THROUGHPUT,
    metric::RETRANSMITS,
    metric::LOSS,
    metric::JITTER,
    metric::LATENCY_MEAN,
    metric::LATENCY_P50,
    metric::LATENCY_P99,
    metric::HALF_ROUND_TRIP,
    metric::LOAD_LATENCY,
    metric::ELAPSED,
    metric::CPU_USER_TIME,
    metric::CPU_SYSTEM_TIME,
];

/// The class of the mean of wrk, which has none of the latency alone.
const CORRECTED: &str = "corrected";

/// Classes of operations that have latencies of their own, as names of metrics have them.
const DIRECTIONS: &[&str] = &["read", "write"];

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
        let each = SHOWN.checked_div(few.len()).unwrap_or(SHOWN);
        let few = table(subject, few, |result| first_of(result).into_iter().take(each).collect());
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

/// The first of the whole and those that everybody looks for; where nobody looks for any, those of the first one's
/// kind; and of a result that has nothing but parts, the first of theirs.
fn first_of(result: &ToolResult) -> Vec<Figure<'_>> {
    let figures = &result.whole.figures;
    let Some(first) = figures.first() else {
        return all_of(result).into_iter().take(OF_PARTS).collect();
    };
    let (tail, peak) = (tail(figures), peak(figures));
    let has_percentile = figures.iter().any(|figure| is_middle_or_tail_of(figure.metric, metric::LATENCY));
    let of_directions = of_directions(figures);
    let has_throughput = figures.iter().any(|figure| figure.metric == metric::THROUGHPUT);
    let is_looked_for = |figure: &ToolFigure| {
        let own = Some(figure.metric);
        let is_first = FIRST.contains(&figure.metric)
            || is_of_half_round_trips(figure.metric)
            || figure.metric.of_whole(CORRECTED) == Some(metric::LATENCY_MEAN)
            || !has_throughput && figure.metric == metric::SENDER_THROUGHPUT
            || !has_percentile && is_middle_or_tail_of(figure.metric, metric::DEVICE_LATENCY);
        is_first || own == tail || own == peak || is_busy(figure) || of_directions.contains(&figure.metric)
    };
    let is_any = figures.iter().any(is_looked_for);
    let is_shown = |figure: &&ToolFigure| {
        figure.metric == first.metric
            || is_other_way(first.metric, figure.metric)
            || if is_any { is_looked_for(figure) } else { is_of_one_kind(figure.metric, first.metric) }
    };
    figures.iter().filter(is_shown).map(|figure| (None, figure.metric, &figure.printed)).collect()
}

/// Whether one is of what was received, and the other the same of what was sent.
fn is_other_way(received: MetricName, sent: MetricName) -> bool {
    received.of_whole("receive").is_some_and(|whole| sent.of_whole("send") == Some(whole))
}

/// Rates and latencies of reads and of writes, where there are none of the whole: fio has none of both together.
fn of_directions(figures: &[ToolFigure]) -> Vec<MetricName> {
    let is_of_latency = |name: MetricName| {
        name == metric::LATENCY_MEAN
            || [metric::LATENCY, metric::DEVICE_LATENCY].iter().any(|of| is_middle_or_tail_of(name, *of))
    };
    let has_latency = figures.iter().any(|figure| is_of_latency(figure.metric));
    let has_rate = figures.iter().any(|figure| figure.metric == metric::IOPS);
    let whole_of = |name: MetricName| DIRECTIONS.iter().find_map(|direction| name.of_whole(direction));
    let pairs: Vec<(MetricName, MetricName)> =
        figures.iter().filter_map(|figure| Some((figure.metric, whole_of(figure.metric)?))).collect();
    let has_percentile = pairs.iter().any(|(_, whole)| is_middle_or_tail_of(*whole, metric::LATENCY));
    let is_chosen = |whole: MetricName| {
        let is_of_device = is_middle_or_tail_of(whole, metric::DEVICE_LATENCY);
        let is_latency = is_of_latency(whole) && !(is_of_device && has_percentile);
        is_latency && !has_latency || whole == metric::IOPS && !has_rate
    };
    pairs.into_iter().filter(|(_, whole)| is_chosen(*whole)).map(|(name, _)| name).collect()
}

/// The highest percentile of the latency, where there is no 99th.
fn tail(figures: &[ToolFigure]) -> Option<MetricName> {
    let percentile = |figure: &ToolFigure| match figure.metric.statistic() {
        Some((of, Statistic::Percentile(percent))) if of == metric::LATENCY => Some((percent, figure.metric)),
        _ => None,
    };
    if figures.iter().any(|figure| figure.metric == metric::LATENCY_P99) {
        return None;
    }
    let highest = figures.iter().filter_map(percentile).max_by(|(a, _), (b, _)| a.total_cmp(b));
    highest.map(|(_, metric)| metric)
}

/// The mean, the median and the 99th percentile of halves of round trips: sockperf has them in place of latencies.
fn is_of_half_round_trips(name: MetricName) -> bool {
    let is_mean = name.summary() == Some((metric::HALF_ROUND_TRIP, metric::MetricSummary::Mean));
    is_mean || is_middle_or_tail_of(name, metric::HALF_ROUND_TRIP)
}

/// Whether it is the median or the 99th percentile of this metric. fio prints those of the device, unless it is told
/// otherwise, and none of the whole latency.
fn is_middle_or_tail_of(name: MetricName, whole: MetricName) -> bool {
    let told = [50.0, 99.0].map(|percent| Some((whole, Statistic::Percentile(percent))));
    told.contains(&name.statistic())
}

/// The highest throughput, where there is none of the whole: NetPIPE has one for each size.
fn peak(figures: &[ToolFigure]) -> Option<MetricName> {
    let is_peak = |figure: &&ToolFigure| {
        figure.metric.summary() == Some((metric::THROUGHPUT, metric::MetricSummary::Greatest))
    };
    let is_whole = figures.iter().any(|figure| figure.metric == metric::THROUGHPUT);
    figures.iter().find(is_peak).filter(|_| !is_whole).map(|figure| figure.metric)
}

/// Whether it is what processors did for a part of their time.
fn is_busy(figure: &ToolFigure) -> bool {
    figure.metric.processor_state().is_some() && figure.printed.value > 0.0
}

/// Whether both metrics are the same of two phases, which the last word of their names tells: the throughputs of
/// STREAM's kernels, the ratings of 7z, the scores of Geekbench.
fn is_of_one_kind(one: MetricName, other: MetricName) -> bool {
    let kind = |name: MetricName| name.as_str().rsplit('_').next();
    kind(one) == kind(other)
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
    match placed.result.command.join(" ").as_str() {
        "" => name,
        command => name.plain(format!(": {command}")),
    }
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
        Unit::One if is_small(printed.value) => small(printed.value),
        Unit::One => format::trimmed(value),
        _ => value,
    };
    vec![name.into(), shortened(&printed.text).into(), value.into(), printed.line.to_string().into()]
}

/// Whether three decimals would show next to nothing of it.
fn is_small(value: f64) -> bool {
    value != 0.0 && value.abs() < 1e-3
}

/// A small share with two digits that count: `0.00020`.
fn small(value: f64) -> String {
    let decimals = (1.0 - value.abs().log10().floor()).clamp(3.0, 12.0) as usize;
    format!("{value:.decimals$}")
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
