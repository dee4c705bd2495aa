//! What of the writes was only in memory when the last of them returned.

use model::run::CaseResult;
use model::{MetricName, Value, fact, metric};

use super::NoteContext;
use crate::format::Rates;
use crate::load::fact;

/// Less than this is nobody's question.
const LEAST: f64 = 0.001;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let view = context.view;
    let figure = |name: MetricName| {
        case.loads.main.estimates.get(&name).map(|e| view.figure(Rates::Bytes, metric::THROUGHPUT, e))
    };
    let (returned, durable) = figure(metric::THROUGHPUT).zip(figure(metric::THROUGHPUT_DURABLE))?;
    let share = fact(case, fact::DIRTY_SHARE).filter(|share| *share >= LEAST);
    let texts = [("returned", Value::Text(returned)), ("durable", Value::Text(durable))];
    Some(match share {
        Some(share) => {
            let [returned, durable] = texts;
            view.words.tell("remark-durable-cached", &[returned, durable, ("share", Value::Number(share))])
        }
        None => view.words.tell("remark-durable", &texts),
    })
}
