//! What each of several targets did: who gave least and most, and when the first
//! and the last had done all.

use model::metric;
use model::run::{CaseResult, Estimate};
use model::{MetricName, Value};

use super::NoteContext;
use crate::format::Rates;

/// Figures that targets have, the first that all have; those of a load that has
/// an end are its rates too.
const FIGURES: &[MetricName] = &[metric::THROUGHPUT, metric::IOPS];

pub(super) fn of(context: &NoteContext<'_>) -> Vec<String> {
    let one = |case: &&CaseResult| {
        let text = told(context, case)?;
        Some(context.about(case, &text))
    };
    context.cases.iter().filter_map(one).collect()
}

fn told(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let view = context.view;
    let name = FIGURES.iter().find(|name| {
        case.loads.main.targets.len() > 1
            && case.loads.main.targets.iter().all(|t| t.estimates.contains_key(name))
    })?;
    let value = |estimate: &Estimate| estimate.median;
    let mut all: Vec<(&str, &Estimate)> = case
        .loads
        .main
        .targets
        .iter()
        .filter_map(|t| Some((t.target.as_str(), t.estimates.get(name)?)))
        .collect();
    all.sort_by(|a, b| value(a.1).total_cmp(&value(b.1)));
    let (least, most) = (all.first()?, all.last()?);
    let figure = |estimate: &Estimate| Value::Text(view.with_metric(Rates::Bytes, *name, estimate));
    let together = case.loads.main.estimates.get(name).map(figure);
    let mut arguments = vec![
        ("count", Value::from(all.len() as u64)),
        ("least", Value::from(least.0)),
        ("least_value", figure(least.1)),
        ("most", Value::from(most.0)),
        ("most_value", figure(most.1)),
    ];
    let key = match together {
        Some(together) => {
            arguments.push(("together", together));
            "remark-targets"
        }
        None => "remark-targets-each",
    };
    let mut text = view.words.tell(key, &arguments);
    let done = |name: MetricName| {
        case.loads.main.estimates.get(&name).map(|e| Value::Text(view.figure(Rates::Bytes, name, e)))
    };
    if let Some((first, last)) = done(metric::FIRST_DONE).zip(done(metric::LAST_DONE)) {
        let done = view.words.tell("remark-targets-done", &[("first", first), ("last", last)]);
        text = format!("{text} {done}");
    }
    Some(text)
}
