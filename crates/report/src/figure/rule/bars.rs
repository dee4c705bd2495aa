//! Bars: choices, and ordered factors of fewer than three levels.

use chart::plot::{Axis, Bar, BarGroup, Bars, Measured, Reference, ReferenceKind, Spread};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Better, Severity, Unit, Value};

use super::{interaction, matrix, scaling, sweep, waterfall};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, reference};

/// Bars side by side in one group that are told apart at a glance.
const SERIES_MOST: usize = 6;

/// Times so many times apart need a logarithm.
const FAR_APART: f64 = 20.0;

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    if sweep::applies(group) || matrix::sides(group).is_some() || waterfall::shows(group) {
        return None;
    }
    let words = input.view.words;
    let metric = quantity::common(words, &group.cases)?;
    let references = reference::of(words, &group.cases, &metric);
    // One bar alone shows nothing unless it is held against something.
    if group.cases.len() < 2 && references.is_empty() {
        return None;
    }
    let (series, groups) = bars(input, group, &metric, &references);
    let name = ("metric", metric.title.as_str());
    let title = match group.factors.as_slice() {
        [one] => words.tell_texts("figure-by", &[name, ("factor", &one.title)]),
        [one, other] => {
            words.tell_texts("figure-by-two", &[name, ("factor", &one.title), ("other", &other.title)])
        }
        _ => metric.title.clone(),
    };
    let mut own = groups.iter().flat_map(|g| &g.bars).filter_map(|b| b.reference.as_ref());
    let is_ideal = own.any(|r| r.kind == ReferenceKind::Ideal);
    let value = Axis { spread: spread(&metric, &groups), ..metric.axis() };
    let law = if is_ideal { scaling::law(input, group, &metric, (0, "")) } else { None };
    let plot = Bars { value, series, groups, references, better: Some(metric.better) };
    let figure = Figure::new("bars", input.title(&title, group), plot);
    let figure = figure.note(is_ideal.then(|| words.say("figure-ideal-note")));
    let figure = figure.note(law.into_iter().flat_map(|law| law.into_parts().1));
    Some(figure.note(interaction::sentences(input, group, &metric)))
}

/// Times that are far apart, such as of a call and of a process that is begun,
/// stand by their logarithm, or all but one are a line on the ground. A rate is a
/// length, and its bar begins at zero.
fn spread(metric: &Metric, groups: &[BarGroup]) -> Spread {
    let values = || groups.iter().flat_map(|g| &g.bars).filter_map(|b| b.value).map(|m| m.value);
    let (low, high) = values().fold((f64::MAX, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    let is_time = metric.unit == Unit::Seconds && metric.better == Better::Lower;
    if is_time && low > 0.0 && high > low * FAR_APART { Spread::Decades } else { Spread::Auto }
}

/// The names of the series, and the groups.
fn bars(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    of_all: &[Reference],
) -> (Vec<String>, Vec<BarGroup>) {
    let one = |case: &CaseResult, series: usize| {
        // What holds for this case alone stands at its bar.
        let own = reference::of(input.view.words, &[case], metric);
        let own = own.into_iter().find(|r| !of_all.iter().any(|a| a.kind == r.kind && a.label == r.label));
        let mut bar = bar(input, group, metric, case, series);
        bar.reference = bar.reference.or(own);
        bar
    };
    let flat = || {
        let all = group.cases.iter();
        all.map(|c| BarGroup { label: group.label(c), bars: vec![one(c, 0)] }).collect()
    };
    let Some((rows, series)) = sides(group) else { return (Vec::new(), flat()) };
    if group.collides() {
        return (Vec::new(), flat());
    }
    let of_row = |row: usize| {
        let cases = group.cases.iter().filter(move |c| rows.level_of(c) == Some(row));
        let mut bars: Vec<Bar> = cases.filter_map(|c| Some(one(c, series.level_of(c)?))).collect();
        bars.sort_by_key(|b| b.series);
        bars
    };
    let rows_of = rows.levels.iter().enumerate();
    let groups = rows_of.map(|(row, l)| BarGroup { label: rows.named(l), bars: of_row(row) });
    (series.levels.iter().map(|l| series.named(l)).collect(), groups.collect())
}

/// What stands in rows and what side by side; `None` for a single factor, or
/// where both have too many levels.
fn sides<'g>(group: &'g CaseGroup<'_>) -> Option<(&'g Factor, &'g Factor)> {
    let [one, other] = group.factors.as_slice() else { return None };
    // An order reads best side by side, from the top down within each row.
    let (rows, series) = match (one.is_side(), other.is_side()) {
        // What is compared stands next to each other.
        (_, true) => (one, other),
        (true, _) => (other, one),
        _ if one.is_ordered() => (other, one),
        _ => (one, other),
    };
    let fits = |f: &Factor| f.levels.len() <= SERIES_MOST;
    match (fits(series), fits(rows)) {
        (true, _) => Some((rows, series)),
        (false, true) => Some((series, rows)),
        (false, false) => None,
    }
}

fn bar(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    case: &CaseResult,
    series: usize,
) -> Bar {
    let words = input.view.words;
    let value = metric.at(case);
    let note = match value {
        None => Some("figure-no-result"),
        Some(_) if case.findings.iter().any(|f| f.severity == Severity::Error) => Some("figure-doubt"),
        Some(_) => None,
    };
    let reference = value.and_then(|_| ideal(input, group, metric, case));
    Bar { series, value, reference, note: note.map(|key| words.say(key)) }
}

/// With workers as the one factor: the first case's rate times as many, as far
/// as there are CPUs for them.
fn ideal(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    case: &CaseResult,
) -> Option<Reference> {
    let [factor] = group.factors.as_slice() else { return None };
    if factor.says != Some(Aspect::Workers) || !metric.is_rate() || metric.better != Better::Higher {
        return None;
    }
    let cpus = scaling::cpus(input)?;
    let with = |c: &CaseResult| Some((factor.number_of(c)?, metric.at(c)?));
    let first = group.cases.iter().filter_map(|c| with(c)).min_by(|a, b| a.0.total_cmp(&b.0));
    let (least, Measured { value, .. }) = first?;
    let own = factor.number_of(case).filter(|own| *own > least && least > 0.0 && *own <= cpus)?;
    let value = value / least * own;
    let shown = reference::shown(value, metric);
    let label = input.view.words.tell("figure-ideal-at", &[("value", Value::Text(shown))]);
    Some(Reference { value, label, kind: ReferenceKind::Ideal })
}
