//! Discards that a layer does not pass down: what is deleted above it stays allocated below, and an SSD has ever fewer
//! free blocks to write to.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "discard-not-passed",
    doc: "A device takes discards (`queue/discard_max_bytes`), and the mapping or array above it takes none, so that what is \
         deleted above stays allocated below. Of loads that write.",
    english: r#"
finding-discard-not-passed =
    { RESOURCE($resource) } takes no discards, though { RESOURCE($below) } does: what is deleted above it stays allocated below
    .advice =
        { $crypto ->
            [yes] allow-discards of cryptsetup (discard=yes of a stack) passes them, and shows which blocks are free
           *[no] {""}
        }

evidence-discards = discard_max_bytes of { RESOURCE($resource) } is 0, that of { RESOURCE($below) } { BINARY($bytes) }
"#,
    check: RuleCheck::One(check),
};

/// The lowest layer that takes none while all below it do, and the first of those.
fn lost(layers: &StorageLayers) -> Option<(&LayerDevice, &LayerDevice)> {
    layers.devices.iter().rev().find_map(|device| {
        let below = measure::below(layers, device);
        let takes = |below: &&LayerDevice| below.discard_bytes.is_some_and(|bytes| bytes > 0);
        let is_lost = device.discard_bytes == Some(0) && below.iter().all(takes);
        below.first().copied().filter(|_| is_lost).map(|below| (device, below))
    })
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let layers = measure::stacked(case).filter(|_| measure::does(case, OperationClass::Write))?;
    let (device, below) = lost(layers)?;
    let evidence = Evidence::at("discards", Place::Path(device.resource.clone()))
        .arg("resource", device.resource.as_str())
        .arg("below", below.resource.as_str())
        .arg("bytes", below.discard_bytes.unwrap_or_default());
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
        .general()
        .on(device.resource.clone())
        .arg("below", below.resource.as_str())
        .arg("crypto", device.encrypts());
    Some(found.because(evidence))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    fn found(pattern: &str, of: [u64; 3]) -> Vec<String> {
        let mut case = fixture::disk_case(pattern, 1e6, 1e6);
        let mut layers = stack("raid0");
        for (place, device) in layers.devices.iter_mut().enumerate() {
            device.discard_bytes = Some(of[place.min(2)]);
        }
        put(&mut case, &layers);
        let controls = Controls::default();
        let all = fixture::found(&RULE, &case, &fixture::context(&controls));
        all.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn the_layer_that_keeps_discards_is_named() {
        let text = found("write", [0, 1 << 30, 1 << 30]).remove(0);
        assert!(text.contains("dm-0") && text.contains("md0"), "{text}");
        assert!(found("write", [0, 0, 1 << 30])[0].contains("sda"), "the lowest one loses them");
        assert!(found("write", [1 << 30; 3]).is_empty() && found("write", [0; 3]).is_empty());
        assert!(found("read", [0, 1 << 30, 1 << 30]).is_empty());
    }
}
