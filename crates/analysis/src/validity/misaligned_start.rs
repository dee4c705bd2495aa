//! A partition that begins within a sector of its disk, or within a stripe of its array with parity: what is aligned
//! in it is not aligned below.

use model::finding::{Evidence, Place};
use model::layer::{LayerArray, LayerDevice, StorageLayers};
use model::machine::BlockKind;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "misaligned-start",
    doc: "A partition begins within a physical sector of its disk, or within a stripe of the array that it is on: blocks of \
         the load touch one sector, or stripe, more than they need to.",
    english: r#"
finding-misaligned-start =
    { RESOURCE($resource) } begins at { FIXED($start) } bytes, within a { $of ->
        [sector] sector of { RESOURCE($below) } ({ BINARY($bytes) }): each aligned write of the load touches two, and the
            drive reads both first
       *[stripe] stripe of { RESOURCE($below) } ({ BINARY($bytes) }): writes of a whole stripe touch two, and parity is read first
    }
    .advice = make the partition anew at a multiple of { BINARY($bytes) }; what is on it must be copied

evidence-start = { RESOURCE($resource) } begins at { FIXED($start) } bytes
"#,
    check: RuleCheck::One(check),
};

/// A partition, what it is on, whether that is a sector or a stripe, and of how many bytes.
type Start<'a> = (&'a LayerDevice, &'a LayerDevice, &'static str, u64);

fn misaligned(layers: &StorageLayers) -> Option<Start<'_>> {
    let mut partitions = layers.devices.iter().filter(|device| device.kind == BlockKind::Partition);
    partitions.find_map(|partition| {
        let disk = measure::below(layers, partition).into_iter().next()?;
        let start = partition.start_bytes?;
        let stripe = disk.optimal_bytes.filter(|_| disk.array.as_ref().is_some_and(LayerArray::has_parity));
        let units = [("sector", disk.physical_sector.map(u64::from)), ("stripe", stripe)];
        let is_within = |bytes: &u64| *bytes > 0 && !start.is_multiple_of(*bytes);
        let unit = units.into_iter().find_map(|(of, bytes)| Some((of, bytes.filter(is_within)?)));
        unit.map(|(of, bytes)| (partition, disk, of, bytes))
    })
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let layers = measure::storage_layers(case)?;
    let (partition, disk, of, bytes) = misaligned(layers)?;
    let start = partition.start_bytes?;
    // Reads of a stripe more cost little.
    let writes = measure::does(case, OperationClass::Write);
    let severity = if writes { Severity::Warning } else { Severity::Note };
    let evidence = Evidence::at("start", Place::Path(partition.resource.clone()))
        .arg("resource", partition.resource.as_str())
        .arg("start", start);
    let found = Finding::new(FindingKind::Validity, RULE.code, severity)
        .on(partition.resource.clone())
        .arg("below", disk.resource.as_str())
        .arg("start", start)
        .arg("of", of)
        .arg("bytes", bytes);
    Some(found.because(evidence))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{device, put, stack};
    use crate::validity::fixture;

    fn found(on: &str, start: u64) -> Vec<(String, Severity)> {
        let mut case = fixture::disk_case("write", 1e6, 1e6);
        let mut layers = stack("raid5");
        layers.devices[1].optimal_bytes = Some(196_608);
        for device in &mut layers.devices {
            device.physical_sector = Some(4096);
        }
        let mut partition = device("part", BlockKind::Partition, &[on]);
        partition.start_bytes = Some(start);
        layers.devices.push(partition);
        put(&mut case, &layers);
        let controls = Controls::default();
        let all = fixture::found(&RULE, &case, &fixture::context(&controls));
        all.into_iter().map(|found| (found.text, found.severity)).collect()
    }

    #[test]
    fn a_partition_that_begins_within_a_sector_or_a_stripe_is_told() {
        let (text, severity) = found("sda", 63 * 512).remove(0);
        assert!(text.contains("within a sector of disk sda (4 KiB)"), "{text}");
        assert_eq!(severity, Severity::Warning);
        assert!(found("md0", 1 << 20)[0].0.contains("within a stripe of"));
        assert!(found("md0", 196_608 * 4).is_empty() && found("sda", 1 << 20).is_empty());
    }
}
