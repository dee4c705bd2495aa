//! What a datasheet or the user's `[expect]` promises, and what was measured.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule};

/// A promise is kept within this share: datasheets say "up to", and a file
/// system costs a little.
const KEPT: f64 = 0.95;

/// The rule.
pub(crate) struct Promise;

impl Rule for Promise {
    fn code(&self) -> &'static str {
        "promise"
    }

    fn doc(&self) -> &'static str {
        "What a datasheet or the user's `[expect]` promises, and what was measured."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        case.utilization
            .iter()
            .filter(|u| matches!(u.kind, LimitKind::Datasheet | LimitKind::Promise))
            .map(|used| {
                let share = used.fraction * 100.0;
                let place = Place::Limit { resource: used.resource.clone(), quantity: used.quantity.clone() };
                let (severity, word) = match used.fraction {
                    f if f < KEPT => (Severity::Warning, "falls short of"),
                    f if f > 1.05 => (Severity::Warning, "is more than"),
                    _ => (Severity::Note, "keeps"),
                };
                let mut text = format!("{share:.0} % of what was promised: it {word} {}", used.source);
                if used.fraction > 1.05 {
                    text.push_str("; a cache may have answered, or the drive is another");
                }
                Finding::new(FindingKind::Deviation, self.code(), severity, text)
                    .on(used.resource.clone())
                    .arg("fraction", used.fraction)
                    .arg("promised", used.limit)
                    .because(Evidence::at("promised", place, used.source.clone()))
                    .because(Evidence::at("measured", Place::Metric(used.quantity.clone()), "the result"))
            })
            .collect()
    }
}
