//! The workers did not run where it was asked.

use model::run::CaseResult;
use model::study::Pin;
use model::{Finding, Severity};

use super::finding;
use crate::{Context, Rule};

/// The rule.
pub(crate) struct Placement;

impl Rule for Placement {
    fn code(&self) -> &'static str {
        "placement-not-as-asked"
    }

    fn doc(&self) -> &'static str {
        "The workers did not run where it was asked."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        let placement = case.trials.iter().find_map(|t| t.result.placement.as_ref());
        let Some((placement, reason)) = placement.and_then(|p| Some((p, p.reason.as_ref()?))) else {
            return Vec::new();
        };
        let severity = if placement.asked == Pin::Auto { Severity::Note } else { Severity::Warning };
        let done = match placement.policy {
            Pin::None => "the workers were not pinned".to_owned(),
            other => format!("the workers were placed by `{}`", other.name()),
        };
        let args = [("asked", placement.asked.name().into()), ("done", placement.policy.name().into())];
        vec![finding(self.code(), severity, &args, None, format!("{done}: {reason}"))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_a_placement_with_a_reason_is_named() {
        let mut case = fixture::case(1);
        let placement = |reason: Option<&str>| model::trial::Placement {
            asked: Pin::Local,
            policy: Pin::None,
            reason: reason.map(str::to_owned),
            workers: vec![],
            interrupts: vec![],
        };
        case.trials[0].result.placement = Some(placement(None));
        assert_eq!(fixture::count(&Placement, &case, &Controls::default()), 0);
        case.trials[0].result.placement = Some(placement(Some("too many")));
        assert_eq!(fixture::count(&Placement, &case, &Controls::default()), 1);
    }
}
