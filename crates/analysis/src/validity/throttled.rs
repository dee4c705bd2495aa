//! A processor that slowed down to stay cool or within its power.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, called, measure};

/// Names of the kernel's counters of throttle events
/// (`arch/x86/kernel/cpu/mce/therm_throt.c`).
const COUNTERS: &[&str] = &["core_throttle_count", "package_throttle_count"];

/// The rule.
pub(crate) struct Throttled;

impl Rule for Throttled {
    fn code(&self) -> &'static str {
        "throttled"
    }

    fn doc(&self) -> &'static str {
        "A processor that slowed down to stay cool or within its power."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        let mut trials = 0u64;
        let mut evidence: Option<Evidence> = None;
        for trial in measure::good(case) {
            let moved = trial.result.counters.iter().find(|c| {
                let name = c.source.rsplit(' ').next().unwrap_or_default();
                COUNTERS.contains(&name) && c.change().is_some_and(|change| change > 0.0)
            });
            let Some(counter) = moved else { continue };
            trials += 1;
            let place = Place::Counter { resource: counter.resource.clone(), source: counter.source.clone() };
            let times = counter.change().unwrap_or_default();
            let says = format!("{times:.0} throttle events of {} in one window", called(&counter.resource));
            evidence.get_or_insert_with(|| {
                Evidence::at("throttle", place, says)
                    .arg("events", times)
                    .arg("resource", counter.resource.as_str())
            });
        }
        let Some(evidence) = evidence else { return Vec::new() };
        let all = case.trials.len() as u64;
        let text = format!(
            "the processor throttled itself (heat or power) in {trials} of {all} trials: this is not its speed when cool"
        );
        vec![
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .on("cpu")
                .arg("trials", trials)
                .arg("of", all)
                .because(evidence)
                .advise("look at fans, dust and power limits; measure again when cool"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_counter_that_moved_is_a_finding() {
        let count = |events: u64| {
            let mut case = fixture::case(2);
            case.trials[1].result.counters =
                vec![fixture::counter("cpu:1", "thermal_throttle core_throttle_count", 1.0, events)];
            fixture::count(&Throttled, &case, &Controls::default())
        };
        assert_eq!((count(0), count(3)), (0, 1));
    }
}
