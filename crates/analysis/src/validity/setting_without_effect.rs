//! A setting that the trials did not see: what was read back is not what was asked for, or what was counted
//! while the load ran says that it was not so.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::setting::SettingState;
use model::trial::LOCAL;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, Value, fact};

use super::swapping;
use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "setting-without-effect",
    doc: "A setting did not take effect: another value was read back than was asked for, the trials ran over an interface \
         with another MTU, or memory was swapped though swap was off. A change that the kernel clamps fails the trial; \
         this is what was seen of those that did not.",
    english: r#"
finding-setting-without-effect =
    { $name }={ $asked } did not take effect: { $how ->
        [mtu] the trials ran with an MTU of { FIXED($found) }
        [swap] { SHORT($found, unit: "B/s") } went to or came from swap
       *[read] { $took } was read back
    }
    .advice = read the figures as those of the state that was there, and not of the one that was asked for
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    let all = case.settings.iter().flat_map(|(key, states)| states.iter().map(move |state| (key, state)));
    all.filter_map(|(key, state)| {
        // The key may name the resource: `mtu@eth0`.
        let name = key.split('@').next().unwrap_or(key);
        contradicted(case, name, state).or_else(|| otherwise(name, state))
    })
    .collect()
}

fn found(name: &str, state: &SettingState, how: &str) -> Finding {
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Error)
        .arg("name", name)
        .arg("asked", state.show(&state.asked))
        .arg("how", how);
    Finding { resource: state.resource.clone(), ..found }
}

/// Another value was read back.
fn otherwise(name: &str, state: &SettingState) -> Option<Finding> {
    let took = state.read_back.as_ref().filter(|took| !is_as_asked(took, &state.asked))?;
    let found = found(name, state, "read").arg("took", state.show(took));
    Some(found.because_same(Evidence::maybe_at(RULE.code, None)))
}

/// A number that the kernel rounds, to pages or to steps of a clock, is as asked.
fn is_as_asked(took: &Value, asked: &Value) -> bool {
    let near = took.number().zip(asked.number()).is_some_and(|(a, b)| (a - b).abs() <= 0.01 * b.abs());
    took == asked || near
}

/// What was counted in the trials says that it was not so.
fn contradicted(case: &CaseResult, name: &str, state: &SettingState) -> Option<Finding> {
    match name {
        "mtu" => {
            let (asked, seen) = (state.asked.number()?, mtu(case, state)?);
            let found = (asked != seen).then(|| found(name, state, "mtu").arg("found", seen))?;
            Some(found.because_same(Evidence::at(RULE.code, Place::Fact(fact::INTERFACE_MTU))))
        }
        "swap" if state.asked == Value::from("off") && state.machine == LOCAL => {
            let rates = swapping::COUNTED.map(|name| (name, swapping::rate(case, name)));
            let (counter, rate) = rates.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            let place =
                measure::place(case, &Resource::MEMORY, counter).filter(|_| rate >= swapping::FELT)?;
            let found = found(name, state, "swap").arg("found", rate);
            Some(found.because_same(Evidence::at(RULE.code, place)))
        }
        _ => None,
    }
}

/// The MTU of the interface that the data passed, where that is the one that was changed.
fn mtu(case: &CaseResult, state: &SettingState) -> Option<f64> {
    let end = if state.machine == LOCAL { End::Drives } else { End::Answers };
    let name = state.resource.as_ref()?.named(ResourceKind::Nic)?;
    measure::median(case, |trial| {
        let passed = end.fact(trial, fact::INTERFACE).is_some_and(|own| own.to_string() == name);
        end.number(trial, fact::INTERFACE_MTU).filter(|_| passed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Unit;
    use model::study::Controls;

    fn with(key: &str, resource: &str, asked: impl Into<Value>, took: impl Into<Value>) -> CaseResult {
        let mut case = fixture::case(2);
        let state = SettingState {
            machine: LOCAL.to_owned(),
            resource: Some(Resource::from(resource)),
            asked: asked.into(),
            before: None,
            read_back: Some(took.into()),
            unit: Unit::One,
        };
        case.settings.insert(key.to_owned(), vec![state]);
        case
    }

    fn said(case: &CaseResult) -> Vec<String> {
        let found = fixture::found(&RULE, case, &fixture::context(&Controls::default()));
        found.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn another_value_that_was_read_back_is_said() {
        assert_eq!(said(&with("wbt", "block:sda", 75_u64, 75_u64)), [""; 0]);
        let text = "wbt=0 did not take effect: 75 was read back";
        assert_eq!(said(&with("wbt@sda", "block:sda", 0_u64, 75_u64)), [text]);
        // What was refused was never read back: the trial failed, and says why.
        let mut refused = with("wbt", "block:sda", 0_u64, 75_u64);
        refused.settings.get_mut("wbt").unwrap()[0].read_back = None;
        assert_eq!(said(&refused), [""; 0]);
    }

    #[test]
    fn an_mtu_that_the_trials_did_not_have_is_said() {
        let over = |interface: &str, mtu: u64| {
            let mut case = with("mtu", "nic:eth0", 9000_u64, 9000_u64);
            for trial in &mut case.trials {
                let facts = &mut trial.result.main_mut().facts;
                facts.insert(fact::INTERFACE, interface.into());
                facts.insert(fact::INTERFACE_MTU, mtu.into());
            }
            said(&case)
        };
        assert_eq!(over("eth0", 9000), [""; 0]);
        assert_eq!(over("eth0", 1500), ["mtu=9000 did not take effect: the trials ran with an MTU of 1500"]);
        assert_eq!(over("eth1", 1500), [""; 0], "another interface was changed");
    }

    #[test]
    fn swap_that_is_off_and_moves_pages_is_said() {
        let moved = |asked: &str, name: &str, pages: u64| {
            let mut case = with("swap", "machine", asked, asked);
            for trial in &mut case.trials {
                let counter = fixture::counter("memory", &format!("/proc/vmstat {name}"), 4096.0, pages);
                trial.result.local_mut().counters = vec![counter];
            }
            said(&case)
        };
        assert_eq!(moved("off", "pswpout", 0), [""; 0]);
        assert_eq!(moved("on", "pswpout", 15_625), [""; 0]);
        let text = "swap=off did not take effect: 64 MB/s went to or came from swap";
        assert_eq!(moved("off", "pswpout", 15_625), [text]);
        assert_eq!(moved("off", "zswpin", 15_625), [text]);
        assert_eq!(moved("off", "pgpgout", 15_625), [""; 0], "that is any disk");
    }
}
