//! What an operation is made of several kinds of parts, such as the statements of a transaction: how long each kind
//! takes. Of one case its median and its 99th percentile, of several the 99th percentile of each.

use chart::plot::{Axis, Bar, BarGroup, Bars, Spread};
use language::Words;
use model::run::CaseResult;
use model::{Better, MetricName, metric};

use super::sweep::evenly;
use crate::breakdown;
use crate::figure::factors::CaseGroup;
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, some_of};
use crate::label;

const KIND: &str = "kinds";

/// Cases side by side that are told apart at a glance.
const CASES_MOST: usize = 4;

/// Kinds of one chart: those with the longest times.
const KINDS_MOST: usize = 16;

/// Times so many times apart need a logarithm.
const FAR_APART: f64 = 20.0;

/// What the time of one operation is made of is no kind of operation, and syncs and loads from memory are told
/// elsewhere.
const NO_KINDS: &[MetricName] =
    &[metric::SUBMIT_LATENCY, metric::DEVICE_LATENCY, metric::SYNC_LATENCY, metric::LOAD_LATENCY];

/// A kind, with the names of its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KindTimes {
    name: &'static str,
    median: Option<MetricName>,
    tail: MetricName,
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let cases: Vec<&CaseResult> = group.cases.iter().copied().filter(|c| of_case(c).len() > 1).collect();
    let kinds = of_all(&cases);
    let first = *kinds.first()?;
    let tail_name = metric::LATENCY_P99;
    let tail = Metric {
        title: label::metric_of_chart(words, tail_name),
        ..Metric::of(words, cases.iter().find(|c| has(c, first.tail))?, first.tail)?
    };
    let (title, series, groups) = match cases.as_slice() {
        [case] => {
            let series = [metric::LATENCY_P50, tail_name].map(|name| label::metric_of_chart(words, name));
            let bars = |kind: &KindTimes| {
                let both = [(0, kind.median), (1, Some(kind.tail))];
                both.into_iter().filter_map(|(place, name)| bar(case, place, name?)).collect()
            };
            (words.say("figure-latency"), series.to_vec(), groups(words, &kinds, bars))
        }
        several => {
            let chosen: Vec<&CaseResult> =
                evenly(several.len(), CASES_MOST).iter().filter_map(|at| several.get(*at).copied()).collect();
            let series = chosen.iter().map(|case| group.label(case)).collect();
            let bars = |kind: &KindTimes| {
                let places = chosen.iter().enumerate();
                places.filter_map(|(place, case)| bar(case, place, kind.tail)).collect()
            };
            (tail.title.clone(), series, groups(words, &kinds, bars))
        }
    };
    let value = Axis { title: title.clone(), spread: spread(&groups), ..tail.axis() };
    let shown = cases.len().min(CASES_MOST);
    let some = (shown < cases.len()).then(|| some_of(words, "figure-cases-some", (shown, cases.len())));
    let plot = Bars { value, series, groups, references: Vec::new(), better: Some(Better::Lower) };
    let title = words.tell_texts("figure-kinds", &[("metric", &title)]);
    let note = words.say("figure-kinds-note");
    Some(Figure::new(KIND, input.title(&title, group), plot).note(Some(note)).note(some))
}

fn has(case: &CaseResult, name: MetricName) -> bool {
    case.loads.main.estimates.contains_key(&name)
}

/// The kinds of which a case has times, but for those that are counted operations or phases: others show these.
fn of_case(case: &CaseResult) -> Vec<KindTimes> {
    let load = &case.loads.main;
    let counted = breakdown::classes(&[&load.profile]);
    let known = |name: &str| counted.contains(&name) || load.profile.phases.iter().any(|phase| phase == name);
    let is_kind =
        |name: &str| !known(name) && !NO_KINDS.iter().any(|no| metric::LATENCY.of(name) == Some(*no));
    let kind = |tail: &MetricName| {
        let name = tail.as_str().strip_suffix(metric::LATENCY_P99.as_str())?.strip_suffix('_')?;
        let median = metric::LATENCY_P50.of(name).filter(|name| has(case, *name));
        is_kind(name).then_some(KindTimes { name, median, tail: *tail })
    };
    load.estimates.keys().filter_map(kind).collect()
}

/// The kinds of all cases, the slowest first.
fn of_all(cases: &[&CaseResult]) -> Vec<KindTimes> {
    let mut all: Vec<(f64, KindTimes)> = Vec::new();
    for (case, kind) in cases.iter().flat_map(|case| of_case(case).into_iter().map(move |kind| (case, kind)))
    {
        let time = case.loads.main.estimates.get(&kind.tail).map_or(0.0, |estimate| estimate.median);
        match all.iter_mut().find(|(_, known)| known.tail == kind.tail) {
            Some((most, known)) => {
                *most = most.max(time);
                known.median = known.median.or(kind.median);
            }
            None => all.push((time, kind)),
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(KINDS_MOST).map(|(_, kind)| kind).collect()
}

fn groups(words: &Words, kinds: &[KindTimes], bars: impl Fn(&KindTimes) -> Vec<Bar>) -> Vec<BarGroup> {
    let called =
        |kind: &KindTimes| words.or(&format!("statement-{}", kind.name), &kind.name.replace('_', " "));
    kinds.iter().map(|kind| BarGroup { label: called(kind), bars: bars(kind) }).collect()
}

fn bar(case: &CaseResult, series: usize, name: MetricName) -> Option<Bar> {
    let value = case.loads.main.estimates.get(&name).and_then(quantity::measured)?;
    Some(Bar { series, value: Some(value), reference: None, note: None })
}

/// A commit that waits for a disk is far from a row that is in memory.
fn spread(groups: &[BarGroup]) -> Spread {
    let values = || groups.iter().flat_map(|g| &g.bars).filter_map(|b| b.value).map(|m| m.value);
    let (low, high) = values().fold((f64::MAX, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    if low > 0.0 && high > low * FAR_APART { Spread::Decades } else { Spread::Auto }
}
