//! The caches that a sweep of the bytes that are touched shows.

use model::Value;

use super::Look;
use crate::figure::mountain;

pub(super) fn of(look: &Look<'_>) -> Vec<String> {
    let (view, words) = (look.view, look.view.words);
    let spec = look.cases.first().and_then(|c| view.workload(&c.workload));
    let mut said = Vec::new();
    for (place, metric, found) in mountain::of_cases(view, look.cases, spec) {
        let about = |text: String| match place.is_empty() {
            true => text,
            false => view.tell("remark-of-case", &[("case", &place), ("text", &text)]),
        };
        said.extend(found.edges.iter().map(|edge| about(edge.sentence(words, &metric))));
        if let (true, Some((low, high, _))) = (found.is_flat, found.levels.first()) {
            let size = |bytes: f64| mountain::part(bytes as u64);
            let arguments =
                [("low", size(*low)), ("high", size(*high)), ("metric", Value::Text(metric.title.clone()))];
            said.push(about(words.tell("figure-no-edge", &arguments)));
        }
    }
    said
}
