//! How much warmer a load makes the machine, and how long that takes.

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, series};

use crate::heat::{self, SettledTemperature, Warming};
use crate::{Context, Rule, RuleCheck, measure};

/// Sensors that are told of.
const SENSORS: usize = 8;

pub(crate) const RULE: Rule = Rule {
    code: "temperature",
    doc: "How much warmer the load made the machine than it was idle, and when that was steady (within 1 K or 10 % of the \
         rise); only with idle or cool-down.",
    english: r#"
finding-temperature =
    { $seen ->
        [no] this machine shows no temperature{ $virtual ->
            [yes] {" "}(virtual machine)
           *[no] {""}
        }
       *[yes] { RESOURCE($resource) } rose by { FIXED($rise) } K to { FIXED($load) } °C, { $settled ->
            [yes] steady after { SPAN($seconds) }
           *[no] not steady within the window
        }
    }
    .advice =
        { $seen ->
            [no] {""}
           *[yes] { $settled ->
                [no] a longer --duration shows where it ends
               *[yes] {""}
            }
        }

evidence-temperature =
    { RESOURCE($resource) }: { FIXED($idle) } °C idle, { FIXED($load) } °C under load
evidence-rest = it was to be watched before or after the load
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !asked(case) {
        return None;
    }
    let heat = heat::of_case(case);
    match heat.sensors.first() {
        Some(first) => risen(RULE.code, first, &heat.sensors),
        None if context.siblings.is_first(case, RULE.code, |c| asked(c) && !has_sensors(c)) => {
            Some(unseen(RULE.code, case, context))
        }
        None => None,
    }
}

/// Which rest was asked for.
fn rest(case: &CaseResult) -> Option<Aspect> {
    let profile = measure::profile(case);
    profile.idle_s.map(|_| Aspect::Idle).or(profile.cool_down_s.map(|_| Aspect::CoolDown))
}

fn asked(case: &CaseResult) -> bool {
    rest(case).is_some() && measure::good(case).next().is_some()
}

fn has_sensors(case: &CaseResult) -> bool {
    measure::good(case).flat_map(|t| &t.result.local().series).any(|s| s.name == series::TEMPERATURE)
}

fn risen(code: &str, first: &Warming, all: &[Warming]) -> Option<Finding> {
    let rise = first.rise()?;
    let (settled, seconds) = match first.settled? {
        SettledTemperature::After(seconds) => (true, seconds),
        SettledTemperature::NotYet => (false, 0.0),
    };
    let mut found = Finding::new(FindingKind::Validity, code, Severity::Note)
        .on(first.resource.as_str())
        .arg("seen", true)
        .arg("virtual", false)
        .arg("rise", rise)
        .arg("load", first.load)
        .arg("settled", settled)
        .arg("seconds", seconds);
    for sensor in all.iter().take(SENSORS) {
        let Some(idle) = sensor.idle else { continue };
        let place = Place::Series { resource: sensor.resource.clone(), name: series::TEMPERATURE };
        let evidence = Evidence::at("temperature", place).arg("resource", sensor.resource.as_str());
        found = found.because(evidence.arg("idle", idle).arg("load", sensor.load));
    }
    Some(found)
}

fn unseen(code: &str, case: &CaseResult, context: &Context<'_>) -> Finding {
    let is_virtual = context.machine.is_some_and(|m| m.inventory.system.virtualization.is_some());
    let place = rest(case).and_then(|aspect| measure::said(case, aspect));
    Finding::new(FindingKind::Validity, code, Severity::Note)
        .on(Resource::SYSTEM)
        .arg("seen", false)
        .arg("virtual", is_virtual)
        .because(Evidence::maybe_at("rest", place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::tests::warmed;
    use crate::validity::fixture;
    use model::Machine;
    use model::study::Controls;

    fn found(case: &CaseResult, machine: Option<&Machine>) -> Vec<Finding> {
        let controls = Controls::default();
        let siblings = std::slice::from_ref(case);
        let context =
            Context { machine, siblings: &crate::Siblings::of(siblings), ..fixture::context(&controls) };
        fixture::found(&RULE, &siblings[0], &context)
    }

    #[test]
    fn what_the_load_added_is_told_with_all_sensors() {
        let all = found(&warmed(17.0, 10.0), None);
        assert!(
            all[0].text.starts_with("coretemp/Core 0 rose by 17 K to 62 \u{b0}C, steady after 2"),
            "{all:?}"
        );
        assert_eq!((all[0].evidence.len(), all[0].severity), (2, Severity::Note));
        let slow = found(&warmed(40.0, 60.0), None);
        assert!(slow[0].text.ends_with("not steady within the window"), "{slow:?}");
        assert!(slow[0].advice.is_some());
    }

    #[test]
    fn a_machine_without_sensors_says_so_only_where_somebody_asked() {
        let mut case = warmed(17.0, 10.0);
        case.trials.iter_mut().for_each(|t| t.result.local_mut().series.clear());
        let mut machine = Machine::default();
        assert_eq!(found(&case, Some(&machine))[0].text, "this machine shows no temperature");
        machine.inventory.system.virtualization = Some("kvm".to_owned());
        assert!(found(&case, Some(&machine))[0].text.ends_with("(virtual machine)"));
        let profile = &mut case.loads.main.profile;
        (profile.idle_s, profile.cool_down_s) = (None, None);
        assert!(found(&case, Some(&machine)).is_empty());
    }
}
