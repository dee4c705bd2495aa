//! A processor that slowed down to stay cool or within its power.

use model::finding::Evidence;
use model::run::CaseResult;
use model::trial::{Counter, Trial};
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// Names of the kernel's counters of throttle events, and why each throttles
/// (`drivers/thermal/intel/therm_throt.c`).
const COUNTERS: &[(&str, &str)] = &[
    ("core_throttle_count", HEAT),
    ("package_throttle_count", HEAT),
    ("core_power_limit_count", "power"),
    ("package_power_limit_count", "power"),
];

/// What is a fault, unlike a limit of power.
const HEAT: &str = "heat";

/// Whether a counter is one of throttle events.
pub(crate) fn is_counter(counter: &Counter) -> bool {
    let name = counter.source.rsplit(' ').next().unwrap_or_default();
    COUNTERS.iter().any(|(own, _)| *own == name)
}

/// Why a counter that moved did.
fn why(counter: &Counter) -> Option<&'static str> {
    let name = counter.source.rsplit(' ').next().unwrap_or_default();
    let moved = counter.change().is_some_and(|change| change > 0.0);
    COUNTERS.iter().find(|(own, _)| moved && *own == name).map(|(_, why)| *why)
}

/// Whether a counter tells that something slowed itself down for heat.
pub(crate) fn is_heat(counter: &Counter) -> bool {
    why(counter) == Some(HEAT)
}

/// The counter of a trial that moved, and why: one of heat before one of power.
fn moved(trial: &Trial) -> Option<(&Counter, &'static str)> {
    let all = || trial.result.local().counters.iter().filter_map(|counter| Some((counter, why(counter)?)));
    all().find(|(_, why)| *why == HEAT).or_else(|| all().next())
}

pub(crate) const RULE: Rule = Rule {
    code: "throttled",
    doc: "A processor that slowed down to stay cool or within its power.",
    english: r#"
finding-throttled =
    { RESOURCE($resource) } slowed itself down in { $trials } of { $of } trials { $why ->
        [power] to keep within its power: this is not its speed without that limit
       *[heat] for heat: this is not its speed when cool
    }
    .advice =
        { $why ->
            [power] look at the limits of power (powercap, firmware); measure again with them lifted
           *[heat] look at fans and dust; measure again when cool
        }

evidence-throttle = { FIXED($events) } throttle events of { RESOURCE($resource) } in one window
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let all: Vec<(&Counter, &str)> = measure::good(case).filter_map(moved).collect();
    let (counter, why) = all.iter().find(|(_, why)| *why == HEAT).or(all.first()).copied()?;
    let evidence = Evidence::at("throttle", measure::place_of(counter))
        .arg("events", counter.change().unwrap_or_default())
        .arg("resource", counter.resource.as_str());
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(counter.resource.as_str())
            .arg("trials", all.len() as u64)
            .arg("of", case.trials.len() as u64)
            .arg("why", why)
            .because(evidence),
    )
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
            case.trials[1].result.local_mut().counters =
                vec![fixture::counter("cpu:1", "thermal_throttle core_throttle_count", 1.0, events)];
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((count(0), count(3)), (0, 1));
        let text = |name: &str| {
            let mut case = fixture::case(2);
            case.trials[1].result.local_mut().counters = vec![fixture::counter("cpu:1", name, 1.0, 3)];
            let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
            found[0].text.clone()
        };
        assert!(
            text("/x package_throttle_count")
                .starts_with("CPU 1 slowed itself down in 1 of 2 trials for heat")
        );
        assert!(text("/x core_power_limit_count").contains("within its power"));
    }

    /// Bug: where a limit of power came first, nobody heard of heat.
    #[test]
    fn heat_is_told_before_power() {
        let counter = |name: &str| fixture::counter("cpu:1", name, 1.0, 3);
        let (heat, power) = ("/x core_throttle_count", "/x core_power_limit_count");
        for names in [[&[power, heat][..], &[power]], [&[power][..], &[heat]]] {
            let mut case = fixture::case(2);
            for (trial, names) in case.trials.iter_mut().zip(names) {
                trial.result.local_mut().counters = names.iter().map(|name| counter(name)).collect();
            }
            let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
            assert!(found[0].text.contains("in 2 of 2 trials for heat"), "{}", found[0].text);
        }
    }
}
