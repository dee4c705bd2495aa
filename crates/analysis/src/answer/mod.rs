//! What the question of a study comes to, where its `[verdict]` says which rule answers it: one file
//! a kind.

mod absorbs;
mod accepts;
mod fits;
mod rate;
mod sustains;

use model::goal::GoalDoubt;
use model::study::StudyVerdictKind;
use model::{Finding, FindingKind, Run, Value};

pub use accepts::is_not_accepted;

/// Why an answer is unknown whose figures would say yes: they are not to be trusted.
const DOUBT: &str = "doubt";

/// The codes of the answers, and what each says.
pub(crate) const CODES: [(&str, &str); 4] = [absorbs::CODE, sustains::CODE, fits::CODE, accepts::CODE];

/// The same in English.
pub(crate) const ENGLISH: [&str; 4] = [absorbs::ENGLISH, sustains::ENGLISH, fits::ENGLISH, accepts::ENGLISH];

/// Whether the figures of a run keep a goal, or answer its question, and an error among its findings says that they are
/// not to be trusted.
#[must_use]
pub fn is_answer_doubted(run: &Run) -> bool {
    let mut held = run.cases.iter().flat_map(|case| &case.goals);
    let is_answer = |found: &Finding| {
        found.kind == FindingKind::Answer && found.args.get("why") == Some(&Value::from(DOUBT))
    };
    held.any(|held| held.doubt == Some(GoalDoubt::Untrusted)) || run.findings.iter().any(is_answer)
}

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
