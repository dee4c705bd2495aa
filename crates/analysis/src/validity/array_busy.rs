//! An array that was synchronised, checked or rebuilt while the load ran: that takes its members from the load.

use model::finding::{Evidence, Place};
use model::layer::LayerDevice;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, Trial, metric};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "array-busy",
    doc: "In at least one trial an array on the load's path was being synchronised, checked, rebuilt or reshaped at its begin \
         or at its end (`sync_action`). A trial waits until that is over, if that takes no more than ten minutes.",
    english: r#"
finding-array-busy =
    { $action } of { RESOURCE($resource) } went on beside the load { $trials ->
        [1] in one trial
       *[other] in { FIXED($trials) } trials
    } of { FIXED($of) }, and took a part of its members
    .advice = measure again when it is over (see /proc/mdstat)

evidence-sync-beside = sync_action is { $action }
"#,
    check: RuleCheck::One(check),
};

/// The first array that was busy in a trial, and with what.
fn busy(devices: &[LayerDevice]) -> Option<(&LayerDevice, &str)> {
    devices.iter().find_map(|device| Some((device, device.array.as_ref()?.action.as_deref()?)))
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    // A load that has it done is there to see what it does.
    let is_beside = |trial: &&Trial| measure::measured(trial, metric::RESYNC_RATE).is_none();
    let devices =
        measure::good(case).filter(is_beside).filter_map(|trial| trial.result.local().storage.as_ref());
    let all: Vec<(&LayerDevice, &str)> = devices.filter_map(|layers| busy(&layers.devices)).collect();
    let (device, action) = *all.first()?;
    let evidence =
        Evidence::at("sync-beside", Place::Path(device.resource.clone())).arg("action", action.to_owned());
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .on(device.resource.clone())
        .arg("action", action.to_owned())
        .arg("trials", all.len() as u64)
        .arg("of", measure::good(case).count() as u64);
    Some(found.because(evidence))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    #[test]
    fn an_array_that_is_synchronised_beside_the_load_is_told() {
        let mut case = fixture::disk_case("write", 1e6, 1e6);
        put(&mut case, &stack("raid6"));
        let controls = Controls::default();
        assert_eq!(fixture::count(&RULE, &case, &controls), 0);
        let storage = case.trials[1].result.local_mut().storage.as_mut().unwrap();
        storage.devices[1].array.as_mut().unwrap().action = Some("resync".to_owned());
        let found = fixture::found(&RULE, &case, &fixture::context(&controls)).remove(0);
        assert!(found.text.starts_with("resync of"), "{}", found.text);
        assert!(found.text.contains("in one trial of 3"), "{}", found.text);
    }
}
