//! What stands below the lines of a sweep, over the same factor: the latency
//! that a rate costs, and of operations of several sizes the bytes that they
//! move. An engineer asks for both at once: a rate without its latency, or IOPS
//! of 4 KiB beside those of 1 MiB, is half of an answer.

use chart::plot::{Line, Lines};
use model::metric::{self, Statistic};
use model::parameter::Kind;
use model::{Better, MetricName, Unit};

use super::sweep::{LEVELS_LEAST, plain_lines, points, references};
use crate::figure::factors::CaseGroup;
use crate::figure::quantity::{LATENCIES, Metric};
use crate::figure::{RuleInput, reference};

/// Latencies of a single line, together: what is usual, and the tail.
const OF_ONE: &[MetricName] = &[metric::LATENCY_P50, metric::LATENCY_P99, metric::LATENCY_P99_9];

/// The bytes of an operation and the factor's level agree within this.
const SAME: f64 = 0.02;

/// A panel below another.
pub(super) struct Below {
    /// What it shows, in a title.
    pub(super) title: String,
    pub(super) lines: Lines,
}

/// Operations and bytes per second, where the axis is the size of an operation.
pub(super) fn by_size(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<(Metric, Metric)> {
    let axis = group.axis().filter(|a| a.kind == Some(Kind::Size))?;
    let rate = crate::load::shown_first(&group.cases.first()?.loads.main);
    let measured = || group.cases.iter().filter(|c| c.loads.main.estimates.contains_key(&rate));
    let is_size = |c: &&&model::run::CaseResult| {
        let bytes = crate::load::bytes_an_operation(c, rate);
        bytes.zip(axis.number_of(c)).is_some_and(|(bytes, level)| (bytes / level - 1.0).abs() <= SAME)
    };
    let first = measured().next()?;
    let of = |name: MetricName| Metric::of(input.view.words, first, name);
    measured().all(|c| is_size(&c)).then_some(())?;
    of(rate).filter(|m| m.unit == Unit::PerSecond).zip(of(metric::THROUGHPUT))
}

/// The panel below the lines of these levels, where there is one.
pub(super) fn below(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    above: &Lines,
    levels: &[usize],
) -> Option<Below> {
    if let Some((_, bytes)) = by_size(input, group) {
        let lines = of_metric(input, group, above, (&bytes, levels))?;
        return Some(Below { title: bytes.title, lines });
    }
    let axis = group.axis()?;
    let rates = matches!(above.better, Some(Better::Higher));
    if !axis.is_load() || !rates {
        return None;
    }
    if group.series().is_none() {
        return latencies(input, group, above);
    }
    let latency = LATENCIES.iter().find_map(|name| shared(input, group, *name))?;
    let lines = of_metric(input, group, above, (&latency, levels))?;
    Some(Below { title: latency.title, lines })
}

/// The metric `name`, if all cases that have anything have it.
fn shared(input: &RuleInput<'_>, group: &CaseGroup<'_>, name: MetricName) -> Option<Metric> {
    let measured = || group.cases.iter().filter(|c| !c.loads.main.estimates.is_empty());
    let all = measured().all(|c| c.loads.main.estimates.contains_key(&name));
    Metric::of(input.view.words, measured().next().filter(|_| all)?, name)
}

/// The same lines of another metric.
fn of_metric(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    above: &Lines,
    (metric, levels): (&Metric, &[usize]),
) -> Option<Lines> {
    let axis = group.axis()?;
    let line = |level: &usize| Line {
        name: group.name_of(*level),
        points: points(axis, metric, &group.of_level(*level)),
    };
    let lines: Vec<Line> = levels.iter().map(line).filter(|l| !l.points.is_empty()).collect();
    let longest = lines.iter().map(|l| l.points.len()).max()?;
    (longest >= LEVELS_LEAST).then(|| Lines {
        references: references(input.view.words, group, metric, levels),
        ..plain_lines(above.x.clone(), metric.axis(), lines, metric.better)
    })
}

/// Of a single line, its latencies at several percentiles.
fn latencies(input: &RuleInput<'_>, group: &CaseGroup<'_>, above: &Lines) -> Option<Below> {
    let words = input.view.words;
    let axis = group.axis()?;
    let known: Vec<Metric> = OF_ONE.iter().filter_map(|name| shared(input, group, *name)).collect();
    let first = known.first()?;
    let title = if known.len() > 1 { words.say("figure-latency") } else { first.title.clone() };
    let line = |metric: &Metric| {
        let percentile = match metric.name.statistic() {
            Some((_, Statistic::Percentile(percent))) => format!("p{percent}"),
            _ => String::new(),
        };
        let name = if known.len() > 1 { percentile } else { String::new() };
        Line { name, points: points(axis, metric, &group.cases) }
    };
    let lines: Vec<Line> = known.iter().map(line).collect();
    let longest = lines.iter().map(|l| l.points.len()).max()?;
    let y = chart::plot::Axis { title: title.clone(), ..first.axis() };
    (longest >= LEVELS_LEAST).then(|| {
        let references = known.iter().flat_map(|m| reference::of(words, &group.cases, m)).collect();
        let lines = Lines { references, ..plain_lines(above.x.clone(), y, lines, first.better) };
        Below { title, lines }
    })
}
