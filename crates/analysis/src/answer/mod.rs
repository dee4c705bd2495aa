//! What the question of a study comes to, where its `[verdict]` says which rule answers it: one file
//! a kind.

mod absorbs;
mod accepts;
mod fits;
mod rate;
mod sustains;

use model::study::StudyVerdictKind;
use model::{Finding, Run};

pub use accepts::is_not_accepted;
pub use fits::is_fitness_doubted;

/// The codes of the answers, and what each says.
pub(crate) const CODES: [(&str, &str); 4] = [absorbs::CODE, sustains::CODE, fits::CODE, accepts::CODE];

/// The same in English.
pub(crate) const ENGLISH: [&str; 4] = [absorbs::ENGLISH, sustains::ENGLISH, fits::ENGLISH, accepts::ENGLISH];

/// The answer to a run's question, once the findings of its cases are made.
pub(crate) fn check(run: &Run) -> Option<Finding> {
    let verdict = run.study.verdict.as_ref()?;
    match verdict.kind {
        StudyVerdictKind::Absorbs => absorbs::check(run, verdict),
        StudyVerdictKind::Sustains => sustains::check(run, verdict),
        StudyVerdictKind::Fits => fits::check(run),
        StudyVerdictKind::Accepts => accepts::check(run),
        StudyVerdictKind::Other => None,
    }
}
