//! What the question of a study comes to, where its `[verdict]` says which rule answers it: one file
//! a kind.

mod absorbs;

use model::study::StudyVerdictKind;
use model::{Finding, Run};

pub(crate) use absorbs::{CODE, ENGLISH};

/// The answer to a run's question, once the findings of its cases are made.
pub(crate) fn check(run: &Run) -> Option<Finding> {
    let verdict = run.study.verdict.as_ref()?;
    match verdict.kind {
        StudyVerdictKind::Absorbs => absorbs::check(run, verdict),
        StudyVerdictKind::Other => None,
    }
}
