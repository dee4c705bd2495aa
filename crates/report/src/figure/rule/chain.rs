//! The path of the case that tells most, with the share of each resource.

use chart::plot::{Chain, Link};
use language::{Words, format, resource_label};
use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{Better, FindingKind, Resource, Unit, Value};

use crate::figure::{Figure, RuleInput, capitalized, factors, quantity};
use crate::load;

/// The finding that operations wait for a resource that is not full.
const WAITED_FOR: &str = "latency-bound";

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    let Some((case, reason)) = by_findings(&input.cases) else { return Vec::new() };
    let words = input.view.words;
    let links: Vec<Link> = case.path.iter().map(|step| link(words, case, step)).collect();
    let says = links.iter().any(|l| l.share.is_some() || l.is_bottleneck);
    // One resource alone is no path.
    if links.len() < 2 || !says {
        return Vec::new();
    }
    let factors = factors::of(input.view, &input.cases);
    let title = match input.cases.len() {
        1 => words.say("figure-path"),
        _ => words.tell("figure-path-of", &[("case", Value::Text(factors::label(&factors, case)))]),
    };
    let note = reason.text(words);
    vec![Figure::new("chain", capitalized(&title), Chain { links }).note(note)]
}

/// Why a case was chosen to stand for its workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Reason {
    /// It is the only one.
    Only,
    /// It comes nearest to a limit.
    NearestLimit,
    /// No case is near a limit that tells; its figure is the best.
    BestCase,
    /// The same, of those whose bottleneck is known.
    BestKnown,
}

impl Reason {
    /// In words; of the only case there is nothing to say.
    pub(in crate::figure) fn text(self, words: &Words) -> Option<String> {
        match self {
            Reason::Only => None,
            Reason::NearestLimit => Some(words.say("figure-path-nearest")),
            Reason::BestCase => Some(words.say("figure-path-best")),
            Reason::BestKnown => Some(words.say("figure-path-best-known")),
        }
    }
}

/// The case that tells most: the one nearest to a limit that tells; where there
/// is none, the one with the best headline, of those whose bottleneck is known
/// if there are any.
pub(in crate::figure) fn by_findings<'a>(cases: &[&'a CaseResult]) -> Option<(&'a CaseResult, Reason)> {
    if let [only] = cases {
        return Some((only, Reason::Only));
    }
    let shares = |c: &CaseResult| {
        c.utilization.iter().filter(|u| load::tells(u)).map(|u| u.fraction).fold(0.0, f64::max)
    };
    let near = cases.iter().copied().filter(|c| shares(c) > 0.0);
    if let Some(nearest) = near.max_by(|a, b| shares(a).total_cmp(&shares(b))) {
        return Some((nearest, Reason::NearestLimit));
    }
    let headline = |c: &CaseResult| {
        let load = &c.loads.main;
        let own = load.estimates.get(&load.profile.headline);
        let estimate = own.or_else(|| load.estimates.get(&quantity::figure(c)?))?;
        Some(if estimate.better == Better::Higher { estimate.median } else { -estimate.median })
    };
    let value = |c: &CaseResult| headline(c).unwrap_or(f64::MIN);
    let best = |known: bool| {
        let fits = cases.iter().copied().filter(|c| !known || bottleneck(c).is_some());
        fits.max_by(|a, b| value(a).total_cmp(&value(b)))
    };
    best(true)
        .map(|case| (case, Reason::BestKnown))
        .or_else(|| best(false).map(|case| (case, Reason::BestCase)))
}

/// What holds a case back, where its finding names a resource: that and the
/// finding's code.
fn bottleneck(case: &CaseResult) -> Option<(&Resource, &str)> {
    let mut found = case.findings.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    found.find_map(|f| Some((f.resource.as_ref()?, f.code.as_str())))
}

fn link(words: &Words, case: &CaseResult, step: &model::resource::PathStep) -> Link {
    let of_step = |u: &&Utilization| u.resource == step.resource && u.fraction.is_finite() && u.limit > 0.0;
    let nearest = case.utilization.iter().find(of_step);
    // Several devices are one finding's resource: `block:sda+sdb`.
    let held = bottleneck(case).filter(|(resource, _)| resource.holds(&step.resource));
    Link {
        name: resource_label(words, &step.resource),
        detail: nearest.map(|u| detail(words, u)),
        share: nearest.map(|u| u.fraction.max(0.0)),
        amplification: step.amplification,
        is_bottleneck: held.is_some(),
        is_waited_for: held.is_some_and(|(_, code)| code == WAITED_FOR),
    }
}

/// `429 MB/s of 560 MB/s`; of CPUs, how many of how many are busy.
fn detail(words: &Words, used: &Utilization) -> String {
    let shown = |value: f64| match (used.kind, used.unit) {
        (LimitKind::Hardware, Unit::One) => format::fixed(value, 1, ""),
        (_, unit) => format::Rates::of_resource(&used.resource).setting(value, unit),
    };
    let limit = match (used.kind, used.unit) {
        (LimitKind::Hardware, Unit::One) => format::short(used.limit),
        _ => shown(used.limit),
    };
    let key = match used.kind {
        LimitKind::Hardware if used.unit == Unit::One => "figure-used-hardware",
        LimitKind::Hardware => "figure-used",
        LimitKind::Measured => "figure-used-measured",
        LimitKind::Datasheet | LimitKind::Promise => "figure-used-promised",
        LimitKind::Link | LimitKind::Quota => "figure-used",
    };
    words.tell(key, &[("used", Value::Text(shown(used.demand))), ("limit", Value::Text(limit))])
}
