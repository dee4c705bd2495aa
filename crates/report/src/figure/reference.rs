//! What a chart's figures are held against: limits of the path, promises, what
//! was measured of the machine itself. Each once a chart, with where it is
//! known from.

use chart::plot::{Reference, ReferenceKind};
use language::{Words, format, resource_label};
use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{Unit, metric};

use super::quantity::Metric;
use crate::inventory::limit;
use crate::load;

/// Lines of one kind across one chart, at most: more are a grid, not a scale.
const MOST: usize = 2;

/// Values of a limit in the chart's metric that differ by less are one line.
const SAME: f64 = 0.01;

/// One bound that all of several cases have.
struct Bound<'a> {
    used: &'a Utilization,
    /// The metric's value at which it is reached.
    value: f64,
    /// The highest share of it that a case used.
    nearest: f64,
}

/// The references of `metric` that hold for all of these cases, limits first.
///
/// A bound is on what a resource must do; the line is where the *metric* would
/// stand when that is full, median / share: of an array that writes parity,
/// less than the link's own figure. A bound that is another value for each case,
/// such as that of a link in operations of different sizes, or that only some
/// of the cases meet, is no line across the chart and is left out.
pub(crate) fn of(words: &Words, cases: &[&CaseResult], metric: &Metric) -> Vec<Reference> {
    let measured: Vec<(&CaseResult, f64)> =
        cases.iter().filter_map(|c| Some((*c, metric.at(c)?.value))).collect();
    let mut bounds: Vec<Bound<'_>> = Vec::new();
    for used in measured.iter().flat_map(|(case, _)| relevant(case, metric)) {
        if !bounds.iter().any(|b| is_same(b.used, used)) {
            bounds.extend(common(&measured, used));
        }
    }
    bounds.sort_by(|a, b| b.nearest.total_cmp(&a.nearest));
    let mut all = Vec::new();
    for kind in [ReferenceKind::Limit, ReferenceKind::Promise] {
        let of_kind = bounds.iter().filter(|b| kind_of(b.used.kind) == kind).take(MOST);
        all.extend(of_kind.map(|b| Reference {
            value: b.value,
            label: label(words, b.used, b.value, metric),
            kind,
        }));
    }
    all
}

/// The references of some of the cases beside those of all, their labels led by
/// what these are called.
pub(crate) fn of_some(
    words: &Words,
    (name, cases): (&str, &[&CaseResult]),
    metric: &Metric,
    of_all: &[Reference],
) -> Vec<Reference> {
    let own = of(words, cases, metric).into_iter();
    own.filter(|r| !of_all.iter().any(|a| a.kind == r.kind && a.label == r.label))
        .map(|r| Reference { label: format!("{name}: {}", r.label), ..r })
        .collect()
}

/// `used` as a bound of all of these cases, where it is one.
fn common<'a>(measured: &[(&CaseResult, f64)], used: &'a Utilization) -> Option<Bound<'a>> {
    let (mut low, mut high, mut nearest) = (f64::MAX, f64::MIN, f64::MIN);
    for (case, value) in measured {
        let own = case.utilization.iter().find(|u| is_same(u, used) && u.fraction > 0.0)?;
        let at = value / own.fraction;
        (low, high, nearest) = (low.min(at), high.max(at), nearest.max(own.fraction));
    }
    let agrees = high.is_finite() && low > 0.0 && high <= low * (1.0 + SAME);
    agrees.then_some(Bound { used, value: low, nearest })
}

/// The bounds that say something: those of the metric itself or of the bytes it
/// moves. Of limits only the nearest one of a case, of promises all.
fn relevant<'a>(case: &'a CaseResult, metric: &Metric) -> impl Iterator<Item = &'a Utilization> {
    let quantity = metric.name;
    let is_rate = metric.is_rate();
    let fits = move |u: &&Utilization| {
        let of_bytes = is_rate && matches!(u.quantity, metric::THROUGHPUT | metric::IOPS);
        u.fraction.is_finite()
            && u.fraction > 0.0
            && u.limit.is_finite()
            && (u.quantity == quantity || of_bytes)
    };
    let is_limit = |u: &&Utilization| kind_of(u.kind) == ReferenceKind::Limit;
    let nearest = case.utilization.iter().filter(fits).find(|u| is_limit(u) && load::tells(u));
    let promises = case.utilization.iter().filter(fits).filter(move |u| !is_limit(u));
    nearest.into_iter().chain(promises)
}

fn is_same(one: &Utilization, other: &Utilization) -> bool {
    (&one.resource, &one.quantity, one.kind, one.limit)
        == (&other.resource, &other.quantity, other.kind, other.limit)
}

fn kind_of(kind: LimitKind) -> ReferenceKind {
    match kind {
        LimitKind::Datasheet | LimitKind::Promise => ReferenceKind::Promise,
        _ => ReferenceKind::Limit,
    }
}

fn label(words: &Words, used: &Utilization, value: f64, metric: &Metric) -> String {
    let resource = resource_label(words, &used.resource);
    let key = format!("figure-{}", limit::kind(used.kind));
    words.tell_texts(&key, &[("resource", &resource), ("value", &shown(value, metric))])
}

/// A value as the metric's axis writes it.
pub(crate) fn shown(value: f64, metric: &Metric) -> String {
    match metric.unit {
        unit @ Unit::BytesPerSecond if metric.numbers == chart::plot::Numbers::Bits => {
            format::Rates::Bits.setting(value.max(0.0), unit)
        }
        unit => format::Rates::Bytes.under_title(value, unit, &crate::label::title(metric.name)),
    }
}
