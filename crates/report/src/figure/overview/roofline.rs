//! The roofline of the machine: what it computes with each kind of vectors, over what
//! caches and memory give. Both measured with as many threads, or the two are of
//! different machines.

use chart::plot::{Axis, Measured, Numbers, Roof, Roofline, Spread};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::{LoadProfile, MetricName, Unit, Value, metric};

use super::{cases, places, plainest, sweeps, threads};
use crate::figure::{Figure, quantity};
use crate::view::View;
use crate::{label, load};

/// What a byte is counted against.
const FLOPS: MetricName = metric::FLOPS;
/// What caches and memory give.
const THROUGHPUT: MetricName = metric::THROUGHPUT;

/// Numbers of which type: those that everybody gives peaks of.
const TYPE: &str = "double";

pub(super) fn figure(view: &View<'_>) -> Option<Figure> {
    let words = view.words;
    let computes = |p: &LoadProfile| p.does(OperationClass::Compute) && p.headline == FLOPS;
    let mut compute = cases(view.run, computes);
    let mut memory = cases(view.run, |profile| sweeps(profile, THROUGHPUT));
    let of_memory: Vec<u64> = memory.iter().map(|c| threads(c)).collect();
    let most = compute.iter().map(|c| threads(c)).filter(|n| of_memory.contains(n)).max()?;
    compute.retain(|c| threads(c) == most);
    memory.retain(|c| threads(c) == most);
    let (ceilings, kind) = ceilings(view, &compute)?;
    let (roofs, operation) = roofs(view, &memory)?;
    let plot = Roofline {
        x: words.say("figure-intensity"),
        y: Axis {
            title: label::metric_of_chart(words, FLOPS),
            numbers: Numbers::Unit(Unit::PerSecond),
            spread: Spread::Decades,
        },
        roofs,
        ceilings,
    };
    let (peak, slow) = (plot.ceilings.first()?, plot.roofs.last()?);
    let ridge = peak.most.value / slow.most.value;
    let args = [
        ("ridge", Value::Text(language::format::short(round(ridge)))),
        ("roof", Value::Text(slow.name.clone())),
    ];
    let sentence = words.tell("figure-roofline-ridge", &args);
    let note =
        [("threads", Value::from(most)), ("type", Value::Text(kind)), ("operation", Value::Text(operation))];
    let note = words.tell("figure-roofline-note", &note);
    let figure = Figure::new("roofline", words.say("figure-roofline"), plot);
    Some(figure.note([sentence, note]))
}

/// Two digits that count: a ridge is where it is by a tenth or so.
fn round(value: f64) -> f64 {
    let step = 10f64.powf(value.log10().floor() - 1.0);
    (value / step).round() * step
}

/// The peak of each kind of vectors, the highest first, of one type of numbers.
fn ceilings(view: &View<'_>, compute: &[&CaseResult]) -> Option<(Vec<Roof>, String)> {
    let kind = |c: &CaseResult| load::said(c, Aspect::NumberType).map(|(_, kind)| kind.to_string());
    let is_double = |c: &&CaseResult| kind(c).is_none_or(|kind| kind == TYPE);
    let mut own: Vec<&CaseResult> = compute.iter().copied().filter(is_double).collect();
    if own.is_empty() {
        own = compute.to_vec();
    }
    let own = plainest(view, &own, &[Aspect::Vectors]);
    let kind = kind(own.first()?).unwrap_or_else(|| TYPE.to_owned());
    let roof = |c: &&CaseResult| {
        let estimate = c.loads.main.estimates.get(&FLOPS).filter(|e| e.unit == Unit::PerSecond)?;
        Some(Roof { name: super::said(view, c, Aspect::Vectors), most: quantity::measured(estimate)? })
    };
    let all = sorted(own.iter().filter_map(roof).collect());
    (!all.is_empty()).then_some((all, kind))
}

/// What each cache and memory gives, the fastest first, of one operation.
fn roofs(view: &View<'_>, memory: &[&CaseResult]) -> Option<(Vec<Roof>, String)> {
    let plain = plainest(view, memory, &[Aspect::Span, Aspect::Stores]);
    let operation = super::said(view, plain.first()?, Aspect::Operation);
    let roof = |(place, _, value): (super::MemoryLevel, u64, f64)| Roof {
        name: place.text(view),
        most: Measured { value, interval: None },
    };
    let all = sorted(places(view, &plain).into_iter().map(roof).collect());
    (!all.is_empty()).then_some((all, operation))
}

fn sorted(mut all: Vec<Roof>) -> Vec<Roof> {
    all.retain(|r| r.most.value.is_finite() && r.most.value > 0.0);
    all.sort_by(|a, b| b.most.value.total_cmp(&a.most.value));
    all
}
