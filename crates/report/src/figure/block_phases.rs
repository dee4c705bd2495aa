//! Where the requests of a case spend their time, by the kernel's events, beside what the load itself
//! saw: percentiles on one axis.

use chart::plot::{Axis, Curve, Numbers, Percentiles, Spread};
use model::run::CaseResult;
use model::{MetricName, Unit, metric};
use stats::distribution::Distribution;

use super::Figure;
use super::rule::percentiles::points;
use crate::traced::TracedCase;
use crate::view::View;

/// Charts of one workload, at most: a table has all of them.
pub(super) const MOST: usize = 3;

/// The curves beside that of the load, with their words.
const PHASES: &[(MetricName, &str)] = &[
    (metric::QUEUE_TO_COMPLETE, "phase-q2c"),
    (metric::QUEUE_TO_ISSUE, "phase-q2d"),
    (metric::ISSUE_TO_COMPLETE, "phase-d2c"),
];

/// The chart of one case, if it was traced.
pub(super) fn figure(view: &View<'_>, case: &CaseResult, is_one: bool) -> Option<Figure> {
    let traced = TracedCase::of(view.run, case)?;
    let curve = |name: String, all: &Distribution| {
        let points = points(all);
        (points.len() > 1).then(|| Curve { name, points, count: all.len() })
    };
    let own = traced.latency().and_then(|all| curve(view.say("phase-load"), &all));
    let phases = PHASES.iter().filter_map(|(phase, key)| curve(view.say(key), &traced.phase(*phase)?));
    let phases: Vec<Curve> = phases.collect();
    if phases.is_empty() {
        return None;
    }
    let value = Axis {
        title: view.say("figure-latency"),
        numbers: Numbers::Unit(Unit::Seconds),
        spread: Spread::Auto,
    };
    let title = view.tell("figure-block-phases", &[("resource", &view.resource(&traced.device))]);
    let title = match is_one {
        true => title,
        false => view.tell("remark-of-case", &[("case", &view.short(case)), ("text", &title)]),
    };
    let plot = Percentiles { value, curves: own.into_iter().chain(phases).collect(), references: Vec::new() };
    let notes = [view.say("figure-percentiles-note"), view.say("figure-block-phases-note")];
    Some(Figure::new("block-phases", title, plot).note(notes))
}
