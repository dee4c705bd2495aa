//! What each of several targets did: who gave least and most, and when the first
//! and the last had done all.

use model::run::{CaseResult, Estimate};
use model::{MetricName, Value, metric};

use super::NoteContext;
use crate::format::Rates;

/// Figures that targets have, the first that all have; those of a load that has
/// an end are its rates too.
const FIGURES: &[MetricName] = &[metric::THROUGHPUT, metric::IOPS];

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let view = context.view;
    let targets = &case.loads.main.targets;
    let all_have = |name: &&MetricName| targets.iter().all(|t| t.estimates.contains_key(name));
    let name = FIGURES.iter().filter(|_| targets.len() > 1).find(all_have)?;
    let with = targets.iter().filter_map(|t| Some((t.target.as_str(), t.estimates.get(name)?)));
    let mut all: Vec<(&str, &Estimate)> = with.collect();
    all.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
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
    let key = if together.is_some() { "remark-targets" } else { "remark-targets-each" };
    arguments.extend(together.map(|together| ("together", together)));
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
