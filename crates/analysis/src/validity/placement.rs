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
        let Some(placement) = placement.filter(|p| p.reason.is_some()) else { return Vec::new() };
        let severity = if placement.asked == Pin::Auto { Severity::Note } else { Severity::Warning };
        let (asked, done) = (placement.asked.name(), placement.policy.name());
        let workers = placement.workers.len() as u64;
        // The agent's decision, told by what came of it.
        let (how, text) = match placement.policy {
            Pin::None => (
                "too-many",
                format!("the workers were not pinned: {workers} are more than the CPUs that they may run on"),
            ),
            policy if policy == placement.asked => (
                "partly",
                format!(
                    "not all of {workers} workers could be placed by `{done}`: there are too few such CPUs"
                ),
            ),
            _ => (
                "no-interrupts",
                format!(
                    "the workers were placed by `{done}`, not `{asked}`: no interrupts of this resource are known"
                ),
            ),
        };
        let args = [
            ("asked", asked.into()),
            ("done", done.into()),
            ("how", how.into()),
            ("workers", workers.into()),
        ];
        vec![finding(self.code(), severity, &args, None, text)]
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
