//! The ladder of latencies: how long things take on this machine, from a load
//! out of the first cache to an answer of a disk, on one axis that goes by
//! factors. A rung gets its meaning from the rungs beside it: how many loads
//! a system call costs, how many calls a hand-off (the idea of such a table is
//! Norvig's, "Teach Yourself Programming in Ten Years", 2001).

use chart::plot::{Axis, Bar, BarGroup, Bars, Measured, Numbers, Spread};
use model::profile::{Aspect, Caches, OperationClass};
use model::run::CaseResult;
use model::{Better, LoadProfile, MetricName, Unit, Value, metric};

use super::{cases, places, plainest, sweeps};
use crate::figure::{Figure, quantity};
use crate::load;
use crate::view::View;

/// Rungs of which a ladder is made, at least, of so many kinds.
const RUNGS_LEAST: usize = 3;
const KINDS_LEAST: usize = 2;

/// One kind of rung: the least of a metric for each kind of operation.
struct Source {
    /// What the loads do, each of which may be what a rung is of.
    classes: &'static [OperationClass],
    metric: MetricName,
    /// The words; `$what` is the level.
    key: &'static str,
}

const SOURCES: &[Source] = &[
    Source { classes: &[OperationClass::Call], metric: metric::CALL_TIME, key: "figure-rung-call" },
    Source { classes: &[OperationClass::Switch], metric: metric::WAKEUP_P50, key: "figure-rung-handoff" },
    Source { classes: &[OperationClass::Sleep], metric: metric::LATENESS_P50, key: "figure-rung-timer" },
    Source {
        classes: &[OperationClass::Read, OperationClass::Write, OperationClass::Trim],
        metric: metric::LATENCY_P50,
        key: "figure-rung-disk",
    },
];

/// A rung: what takes so long.
struct Rung {
    /// The words of its kind.
    key: &'static str,
    label: String,
    value: Measured,
}

/// The words of a load out of a cache or out of memory, and the metric that says how
/// long it takes.
const LOADS: (&str, MetricName) = ("figure-rung-load", metric::LOAD_LATENCY);

pub(super) fn figure(view: &View<'_>) -> Option<Figure> {
    let words = view.words;
    let mut rungs = loads(view);
    rungs.extend(SOURCES.iter().flat_map(|source| of_source(view, source)));
    rungs.retain(|r| r.value.value.is_finite() && r.value.value > 0.0);
    rungs.sort_by(|a, b| a.value.value.total_cmp(&b.value.value));
    let mut kinds: Vec<&str> = rungs.iter().map(|r| r.key).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if rungs.len() < RUNGS_LEAST || kinds.len() < KINDS_LEAST {
        return None;
    }
    let sentence = sentence(view, &rungs);
    let group = |r: Rung| BarGroup {
        label: r.label,
        bars: vec![Bar { series: 0, value: Some(r.value), reference: None, note: None }],
    };
    let plot = Bars {
        value: Axis {
            title: words.say("figure-rungs"),
            numbers: Numbers::Unit(Unit::Seconds),
            spread: Spread::Decades,
        },
        series: Vec::new(),
        groups: rungs.into_iter().map(group).collect(),
        references: Vec::new(),
        better: Some(Better::Lower),
    };
    let figure = Figure::new("ladder", words.say("figure-ladder"), plot);
    Some(figure.note(sentence).note(Some(words.say("figure-ladder-note"))))
}

/// A load out of each cache and out of memory.
fn loads(view: &View<'_>) -> Vec<Rung> {
    let (key, metric) = LOADS;
    let all = cases(view.run, |profile| sweeps(profile, metric));
    let plain = plainest(view, &all, &[Aspect::Span]);
    let rung = |(place, bytes, value): (super::MemoryLevel, u64, f64)| {
        let size = crate::figure::mountain::part(bytes);
        let place = Value::Text(place.text(view));
        Rung {
            key,
            label: view.words.tell(key, &[("place", place), ("size", size)]),
            value: Measured { value, interval: None },
        }
    };
    places(view, &plain).into_iter().map(rung).collect()
}

/// The least of each level: of hand-offs that of the nearest CPUs, of a disk
/// that of the smallest operation alone.
fn of_source(view: &View<'_>, source: &Source) -> Vec<Rung> {
    let mut best: Vec<(String, Measured)> = Vec::new();
    let is = |profile: &LoadProfile| source.classes.iter().any(|class| profile.does(*class));
    for case in cases(view.run, is) {
        if is_another(case) {
            continue;
        }
        let estimate = case.loads.main.estimates.get(&source.metric).filter(|e| e.unit == Unit::Seconds);
        let Some(value) = estimate.and_then(quantity::measured) else { continue };
        let what = super::said(view, case, Aspect::Operation);
        match best.iter_mut().find(|(w, _)| *w == what) {
            Some((_, least)) if value.value < least.value => *least = value,
            Some(_) => {}
            None => best.push((what, value)),
        }
    }
    let rung = |(what, value): (String, Measured)| Rung {
        key: source.key,
        label: view.words.tell(source.key, &[("what", Value::Text(what))]),
        value,
    };
    best.into_iter().map(rung).collect()
}

/// What would be shown under the wrong name: a page cache's answer for a
/// disk's, turns on one CPU for the waking of another.
fn is_another(case: &CaseResult) -> bool {
    let profile = load::profile(case);
    profile.caches != Caches::None || profile.is_null || profile.one_cpu
}

/// How far the ends are apart.
fn sentence(view: &View<'_>, rungs: &[Rung]) -> Option<String> {
    let (first, last) = (rungs.first()?, rungs.last()?);
    let times = last.value.value / first.value.value;
    let round = 10f64.powf(times.log10().floor() - 1.0).max(1.0);
    let args = [
        ("first", Value::Text(first.label.clone())),
        ("last", Value::Text(last.label.clone())),
        ("times", Value::Text(language::format::grouped((times / round).round() * round))),
    ];
    Some(view.words.tell("figure-ladder-ends", &args))
}
