//! Rounds in which a load was brought to a steady state, with the window by
//! which that is judged.

use chart::plot::{Axis, RoundPanels, RoundSeries, RoundWindow, Spread};
use language::Words;
use model::run::CaseResult;
use model::{MetricName, Value};
use stats::steady::{SNIA_RANGE, SNIA_WINDOW, snia};

use crate::figure::factors::CaseGroup;
use crate::figure::quantity::Metric;
use crate::figure::{Figure, RuleInput};

/// Courses of one chart.
const COURSES_MOST: usize = 6;

/// A chart for each figure that rounds were watched by, and for each so many
/// cases.
pub(super) fn charts(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Vec<Figure> {
    let watched = |c: &&&CaseResult| c.rounds.as_ref().is_some_and(|r| !r.values.is_empty());
    let cases: Vec<&CaseResult> = group.cases.iter().filter(watched).copied().collect();
    let mut metrics: Vec<MetricName> =
        cases.iter().filter_map(|c| c.rounds.as_ref()).map(|r| r.metric).collect();
    metrics.dedup();
    let of_metric = |metric: &MetricName| {
        let is_own = |c: &&CaseResult| c.rounds.as_ref().is_some_and(|r| r.metric == *metric);
        cases.iter().copied().filter(is_own).collect::<Vec<_>>()
    };
    let all: Vec<Vec<&CaseResult>> = metrics.iter().map(of_metric).collect();
    let parts = all.iter().flat_map(|cases| cases.chunks(COURSES_MOST));
    parts.filter_map(|cases| chart(input, group, cases)).collect()
}

fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>, cases: &[&CaseResult]) -> Option<Figure> {
    let words = input.view.words;
    let rounds = cases.first()?.rounds.as_ref()?;
    let metric = Metric::of_quantity(words, cases.first()?, (rounds.metric, rounds.unit));
    let title = words.tell("figure-rounds", &[("metric", Value::Text(metric.title.clone()))]);
    let alone = group.cases.len() == 1;
    let course = |case: &&CaseResult| {
        let rounds = case.rounds.as_ref()?;
        let values = rounds.values.clone();
        // The line that is fitted is that of the specification's window.
        let judged = snia(&values).filter(|_| rounds.window == SNIA_WINDOW && rounds.range.is_some());
        Some(RoundSeries {
            name: if alone { String::new() } else { group.label(case) },
            values,
            window: judged.map(|w| RoundWindow { rounds: SNIA_WINDOW, mean: w.average, slope: w.slope }),
            verdict: verdict(words, rounds),
            steady: rounds.steady,
        })
    };
    let plot = RoundPanels {
        // A band of per cents is seen on an even axis.
        value: Axis { spread: Spread::Linear, ..metric.axis() },
        better: Some(metric.better),
        range: SNIA_RANGE,
        courses: cases.iter().filter_map(course).collect(),
    };
    Some(Figure::new("rounds", input.title(&title, group), plot).note(Some(words.say("figure-rounds-note"))))
}

/// Whether rounds became steady, in a clause.
pub(crate) fn verdict(words: &Words, rounds: &model::run::Rounds) -> String {
    let count = ("rounds", Value::from(rounds.values.len() as u64));
    let criteria = rounds.range.zip(rounds.slope);
    match (&rounds.failed, criteria) {
        (Some(reason), _) => {
            let round = ("round", Value::from(rounds.values.len() as u64 + 1));
            words.tell("rounds-failed", &[round, ("reason", Value::from(reason.as_str()))])
        }
        (None, Some((range, slope))) => {
            let key = if rounds.steady { "rounds-steady" } else { "rounds-unsteady" };
            words.tell(key, &[count, ("range", range.into()), ("slope", slope.into())])
        }
        (None, None) => words.tell("rounds-few", &[count]),
    }
}
