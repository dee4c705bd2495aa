//! The caches that a sweep of the bytes that are touched shows.

use super::NoteContext;
use crate::figure::mountain;

pub(super) fn of(context: &NoteContext<'_>) -> Vec<String> {
    let (view, words) = (context.view, context.view.words);
    let mut said = Vec::new();
    for (place, metric, found) in mountain::of_cases(view, context.cases) {
        let about = |text: String| match place.is_empty() {
            true => text,
            false => view.tell("remark-of-case", &[("case", &place), ("text", &text)]),
        };
        said.extend(found.edges.iter().map(|edge| about(edge.sentence(words, &metric))));
        said.extend(found.sentence(words, &metric).map(about));
    }
    said
}
