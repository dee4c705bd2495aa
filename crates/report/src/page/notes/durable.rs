//! What of the writes was only in memory when the last of them returned.

use model::Value;
use model::run::CaseResult;

use super::NoteContext;
use crate::format::Rates;
use crate::load::fact;

/// Less than this is nobody's question.
const LEAST: f64 = 0.001;

pub(super) fn of(context: &NoteContext<'_>) -> Vec<String> {
    let view = context.view;
    let one = |case: &&CaseResult| {
        let figure = |name: &str| {
            case.loads.main.estimates.get(name).map(|e| view.figure(Rates::Bytes, "throughput", e))
        };
        let (returned, durable) = figure("throughput").zip(figure("throughput_durable"))?;
        let share = fact(case, "dirty_share").filter(|share| *share >= LEAST);
        let texts = [("returned", Value::Text(returned)), ("durable", Value::Text(durable))];
        let text = match share {
            Some(share) => {
                let [returned, durable] = texts;
                view.words
                    .tell("remark-durable-cached", &[returned, durable, ("share", Value::Number(share))])
            }
            None => view.words.tell("remark-durable", &texts),
        };
        Some(context.about(case, &text))
    };
    context.cases.iter().filter_map(one).collect()
}
