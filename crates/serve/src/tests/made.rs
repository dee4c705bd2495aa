//! What the store of the tests has: two runs of one work, and one whose texts are meant to harm.

use model::Run;
use store::SqliteStore;

use super::long::short;
use super::odd::{TEXTS, with_text};

/// The earlier run.
pub(super) const BEFORE: &str = "20260301-100000-aaaa";
/// The same work, somewhat faster.
pub(super) const AFTER: &str = "20260302-100000-bbbb";
/// A run of a stranger.
pub(super) const STRANGE: &str = "20260303-100000-cccc";

/// Puts the runs there.
pub(super) fn fill(store: &mut SqliteStore) {
    let run = |id: &str, day: &str, run: Run| Run {
        id: id.to_owned(),
        started: format!("{day}T10:00:00Z"),
        finished: Some(format!("{day}T10:09:00Z")),
        ..run
    };
    let mut after = short();
    let trials = after.cases.iter_mut().flat_map(|case| &mut case.trials);
    for quantity in trials.flat_map(|trial| trial.result.main_mut().metrics.values_mut()) {
        quantity.value *= 1.25;
    }
    let (_, markup) = TEXTS.iter().find(|(name, _)| *name == "markup").unwrap();
    let mut strange = with_text(markup, false);
    (strange.study.name, strange.study.title) = ((*markup).to_owned(), Some((*markup).to_owned()));
    for made in [
        run(BEFORE, "2026-03-01", short()),
        run(AFTER, "2026-03-02", after),
        run(STRANGE, "2026-03-03", strange),
    ] {
        store.keep(&made).unwrap();
    }
    store.set_tag(BEFORE, "rack", Some("3")).unwrap();
    store.set_note(STRANGE, Some(markup)).unwrap();
    store.set_baseline(BEFORE, Some("2026-03-05T00:00:00Z")).unwrap();
}
