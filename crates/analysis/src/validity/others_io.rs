//! Others use the device: the kernel counted more there than the load moved.

use language::format;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::reconcile::Counts;
use crate::{Context, Rule, called};

/// Less than this share beyond the load's bytes is a file system's own
/// bookkeeping (journal, metadata).
const JOURNAL: f64 = 0.10;

/// Bytes per second that are felt: a daemon that writes its log is not.
const FELT: f64 = 1e6;

/// The rule.
pub(crate) struct OthersIo;

impl Rule for OthersIo {
    fn code(&self) -> &'static str {
        "others-use-the-device"
    }

    fn doc(&self) -> &'static str {
        "Others use the device: the kernel counted more there than the load moved."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        let Some(counts) = Counts::at_the_disk(case) else { return Vec::new() };
        let beyond = counts.device - counts.program;
        if beyond <= (counts.tolerance + counts.program * JOURNAL).max(FELT) {
            return Vec::new();
        }
        let share = beyond / counts.program;
        let text = format!(
            "{} moved {} more than the load asked for: others use it too, or requests were made larger on the way",
            called(&counts.resource),
            format::percent(share)
        );
        vec![
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .on(counts.resource.clone())
                .arg("beyond_share", share)
                .because(counts.evidence())
                .advise("`headroom doctor` lists who is busy; measure again when they are not"),
        ]
    }
}
