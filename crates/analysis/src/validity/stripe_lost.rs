//! The stripe of an array that a device above it does not pass on: file systems align what they write to what their
//! device says (`queue/optimal_io_size`; mkfs.xfs(8) takes its `su` and `sw` from there), so that above this one writes
//! of whole stripes are chance.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "stripe-lost",
    doc: "A device above an array does not pass on the size of its stripe (`queue/optimal_io_size`), so that a file system \
         on it does not align to it. Of loads that write.",
    english: r#"
finding-stripe-lost =
    { RESOURCE($resource) } does not pass on the stripe of { RESOURCE($below) } ({ BINARY($stripe) }){ $says ->
        [0] {""}
       *[other] : it says { BINARY($says) }
    }, so that a file system above it does not align to it
    .advice = give mkfs the stripe itself (su and sw of mkfs.xfs, stride and stripe-width of mkfs.ext4)

evidence-optimal-size = optimal_io_size of { RESOURCE($below) } is { BINARY($stripe) }, that of { RESOURCE($resource) } { BINARY($says) }
"#,
    check: RuleCheck::One(check),
};

/// The lowest device above an array that says another size than a whole number of its stripes, and the array.
fn lost(layers: &StorageLayers) -> Option<(&LayerDevice, &LayerDevice, u64)> {
    layers.devices.iter().rev().find_map(|device| {
        let below = measure::below(layers, device);
        // What the array says may have passed others before it is lost.
        let told =
            below.into_iter().filter(|_| device.is_layer()).find(|below| below.optimal_bytes.is_some())?;
        let stripe = told.optimal_bytes.filter(|_| stands_on_array(layers, told))?;
        let says = device.optimal_bytes.unwrap_or_default();
        let passes = says > 0 && says.is_multiple_of(stripe);
        (device.array.is_none() && !passes).then_some((device, told, stripe))
    })
}

fn stands_on_array(layers: &StorageLayers, device: &LayerDevice) -> bool {
    // A stack has a few layers; a ring would have none above an array.
    let mut open = vec![device];
    for _ in 0..layers.devices.len() {
        let Some(next) = open.pop() else { return false };
        if next.array.is_some() {
            return true;
        }
        open.extend(measure::below(layers, next));
    }
    false
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let layers = measure::stacked(case).filter(|_| measure::does(case, OperationClass::Write))?;
    let (device, told, stripe) = lost(layers)?;
    let says = device.optimal_bytes.unwrap_or_default();
    let place = Place::Path(device.resource.clone());
    let evidence = Evidence::at("optimal-size", place)
        .arg("resource", device.resource.as_str())
        .arg("below", told.resource.as_str())
        .arg("stripe", stripe)
        .arg("says", says);
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note).on(device.resource.clone());
    let found = found.arg("below", told.resource.as_str()).arg("stripe", stripe).arg("says", says);
    Some(found.because(evidence))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    fn found(pattern: &str, mapping: Option<u64>) -> Vec<String> {
        let mut case = fixture::disk_case(pattern, 1e6, 1e6);
        let mut layers = stack("raid6");
        layers.devices[0].optimal_bytes = mapping;
        layers.devices[1].optimal_bytes = Some(131_072);
        put(&mut case, &layers);
        let controls = Controls::default();
        let all = fixture::found(&RULE, &case, &fixture::context(&controls));
        all.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn a_device_that_does_not_pass_on_the_stripe_below_it_is_named() {
        let text = found("write", None).remove(0);
        assert!(text.contains("(128 KiB), so that"), "{text}");
        assert!(found("write", Some(4096))[0].contains("it says 4 KiB"));
        assert!(found("write", Some(131_072)).is_empty() && found("write", Some(262_144)).is_empty());
        assert!(found("read", None).is_empty(), "reads need no alignment");
    }
}
