//! Where the time of an operation goes: waiting for its turn, being handed to
//! the kernel, and with the kernel and the device. The means of these add up to
//! the mean of the whole; their percentiles do not, and stand in the tables.

use chart::plot::{Axis, Numbers, Spread, Stack, Stacks};
use model::run::CaseResult;
use model::{Better, MetricName, Unit, metric};

use super::histogram::merged;
use super::sweep::evenly;
use crate::figure::factors::CaseGroup;
use crate::figure::{Figure, RuleInput, some_of};

/// Cases of one chart.
const CASES_MOST: usize = 12;

/// A share of the whole below which nothing waited: clocks are read at different
/// times.
const WAITED_LEAST: f64 = 0.01;

/// The parts after the wait: their distributions.
const PARTS: [MetricName; 2] = [metric::SUBMIT_LATENCY, metric::DEVICE_LATENCY];

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let has = |c: &&CaseResult| {
        let mut all = c.trials.iter().map(|t| &t.result.main().histograms);
        all.any(|h| PARTS.iter().chain(&[metric::LATENCY]).all(|name| h.contains_key(name)))
    };
    let with: Vec<&CaseResult> = group.cases.iter().copied().filter(has).collect();
    let chosen = evenly(with.len(), CASES_MOST);
    let rows: Vec<(&CaseResult, [Option<f64>; 3])> =
        chosen.iter().filter_map(|at| Some((*with.get(*at)?, means(with.get(*at)?)?))).collect();
    if rows.is_empty() {
        return None;
    }
    let waits = rows.iter().any(|(_, parts)| parts[0].is_some());
    let skip = usize::from(!waits);
    let keys = ["figure-part-waiting", "figure-part-submit", "figure-part-device"];
    let plot = Stacks {
        value: Axis {
            title: words.say("figure-mean-latency"),
            numbers: Numbers::Unit(Unit::Seconds),
            spread: Spread::Linear,
        },
        better: Some(Better::Lower),
        parts: keys.iter().skip(skip).map(|key| words.say(key)).collect(),
        rows: rows
            .iter()
            .map(|(case, parts)| Stack { label: group.label(case), values: parts[skip..].to_vec() })
            .collect(),
    };
    let counts = (rows.len(), with.len());
    let some = (counts.0 < counts.1).then(|| some_of(words, "figure-cases-some", counts));
    let title = input.title(&words.say("figure-split"), group);
    Some(Figure::new("split", title, plot).note(Some(words.say("figure-split-note"))).note(some))
}

/// The means in seconds: of the wait, where there was one, and of the parts.
fn means(case: &CaseResult) -> Option<[Option<f64>; 3]> {
    let mean = |name: MetricName| Some(merged(case, name)?.mean()? * 1e-9);
    let (whole, submit, device) = (mean(metric::LATENCY)?, mean(PARTS[0])?, mean(PARTS[1])?);
    let waited = whole - submit - device;
    Some([Some(waited).filter(|w| *w > whole * WAITED_LEAST), Some(submit), Some(device)])
}
