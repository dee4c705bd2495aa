//! A layer of small blocks on sectors that are larger, or smaller writes past the page cache to a drive with such sectors: one
//! with sectors of 4 KiB that takes requests of 512 bytes ("512e") reads such a sector before it writes a part of it, and says so
//! by its physical sector.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::machine::{BlockDevice, BlockKind};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use crate::amplification::ground;
use crate::{Context, Rule, RuleCheck, measure};

/// The most that dm-crypt encrypts at once (`crypt_ctr_optional` in `drivers/md/dm-crypt.c`).
const CRYPT_SECTOR_MAX: u32 = 4096;

pub(crate) const RULE: Rule = Rule {
    code: "small-sectors",
    doc: "A mapping or an array has smaller blocks than the sectors of the device that it stands on (512-byte blocks above \
         a drive with sectors of 4 KiB): smaller writes pass that the drive must read a sector for, and encryption works on \
         more and smaller blocks. Of loads that write. Or a load past the page cache writes blocks that are smaller than the \
         sectors of its drive.",
    english: r#"
finding-small-sectors =
    { $by ->
        [load] writes of { BINARY($logical) } are smaller than the sectors of { RESOURCE($below) } of { BINARY($physical) }
       *[layer] { RESOURCE($resource) } has blocks of { BINARY($logical) } on { RESOURCE($below) }, whose sectors are of { BINARY($physical) }
    }{ $crypto ->
        [yes] : each is encrypted by itself, and writes of less than a sector make the drive read first
       *[no] : writes of less than a sector make the drive read first
    }
    .advice =
        { $crypto ->
            [yes] make it with larger ones (cryptsetup luksFormat --sector-size 4096, sector-size of a stack)
           *[no] { $by ->
                [load] a --block-size of whole sectors reads nothing before
               *[layer] let what stands on it use blocks of { BINARY($physical) }
            }
        }

evidence-sectors = { RESOURCE($resource) }: { BINARY($logical) }; { RESOURCE($below) }: { BINARY($physical) }
"#,
    check: RuleCheck::One(check),
};

/// The highest mapping or array with blocks that are smaller than sectors below it, and the lowest device that has these.
fn small(layers: &StorageLayers) -> Option<(&LayerDevice, &LayerDevice)> {
    let lowest = ground(layers).into_iter().max_by_key(|device| device.physical_sector)?;
    let physical = lowest.physical_sector?;
    let is_small = |device: &&LayerDevice| {
        let stands = device.mapping.is_some() || device.array.is_some();
        let most = if device.encrypts() { CRYPT_SECTOR_MAX } else { u32::MAX };
        stands && device.logical_sector.is_some_and(|own| own < physical.min(most))
    };
    // One that encrypts each block by itself first.
    let all = || layers.devices.iter().filter(is_small);
    let device = all().find(|device| device.encrypts()).or_else(|| all().next())?;
    Some((device, lowest))
}

/// What a load past the page cache writes to a plain drive in blocks that are smaller than its sectors.
fn plain(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !measure::is_direct(case) || measure::is_null(case) || measure::is_net(case) {
        return None;
    }
    let block = measure::one_block(case)?;
    let disks = measure::wholes(case, context.machine);
    let is_plain = |disk: &&&BlockDevice| disk.kind == BlockKind::Disk && !measure::is_memory(disk);
    let disk = disks.iter().filter(is_plain).max_by_key(|disk| disk.physical_sector)?;
    let physical = disk.physical_sector.map(u64::from).filter(|physical| block < *physical)?;
    let resource = Resource::of(ResourceKind::Block, &disk.name);
    let evidence = Evidence::at("sectors", Place::Inventory(resource.clone()));
    Some(found(&resource, &resource, (block, physical), "load", false, evidence))
}

/// That blocks of `resource` are smaller than the sectors of `below`.
fn found(
    resource: &Resource,
    below: &Resource,
    (logical, physical): (u64, u64),
    by: &str,
    encrypts: bool,
    evidence: Evidence,
) -> Finding {
    let whose = if by == "load" { Resource::LOAD } else { resource.clone() };
    let evidence = evidence
        .arg("resource", whose.as_str())
        .arg("below", below.as_str())
        .arg("logical", logical)
        .arg("physical", physical);
    Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
        .general()
        .on(resource.clone())
        .arg("by", by)
        .arg("below", below.as_str())
        .arg("logical", logical)
        .arg("physical", physical)
        .arg("crypto", encrypts)
        .because(evidence)
}

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !measure::does(case, OperationClass::Write) {
        return None;
    }
    let Some(layers) = measure::stacked(case) else { return plain(case, context) };
    let (device, lowest) = small(layers)?;
    let (logical, physical) = (u64::from(device.logical_sector?), u64::from(lowest.physical_sector?));
    let evidence = Evidence::at("sectors", Place::Path(device.resource.clone()));
    Some(found(&device.resource, &lowest.resource, (logical, physical), "layer", device.encrypts(), evidence))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    fn found(pattern: &str, logical: u32, physical: u32) -> Vec<Finding> {
        let mut case = fixture::disk_case(pattern, 1e6, 1e6);
        let mut layers = stack("raid6");
        for device in &mut layers.devices {
            (device.logical_sector, device.physical_sector) = (Some(512), Some(physical));
        }
        layers.devices[0].logical_sector = Some(logical);
        layers.devices[1].logical_sector = Some(4096);
        put(&mut case, &layers);
        let controls = Controls::default();
        fixture::found(&RULE, &case, &fixture::context(&controls))
    }

    #[test]
    fn blocks_that_are_smaller_than_sectors_below_are_told() {
        let small = found("randwrite", 512, 4096).remove(0);
        assert!(
            small.text.contains("blocks of 512 bytes") && small.text.contains("encrypted by itself"),
            "{}",
            small.text
        );
        assert!(small.advice.unwrap().contains("--sector-size 4096"));
        assert!(found("randwrite", 4096, 4096).is_empty() && found("randwrite", 512, 512).is_empty());
        assert!(found("randread", 512, 4096).is_empty());
        // More cannot be encrypted at once.
        assert!(!found("randwrite", 4096, 16_384)[0].text.contains("encrypted by itself"));
    }

    /// Bug: of a plain drive with sectors of 4 KiB nothing was told of writes of 512 bytes.
    #[test]
    fn writes_of_less_than_a_sector_of_a_plain_drive_are_told() {
        let of = |pattern: &str, direct: bool, block: u64, physical: u32| {
            let mut case = fixture::disk_case(pattern, 1e6, 1e6);
            fixture::set(&mut case, "block-size", block);
            fixture::set(&mut case, "direct", direct);
            let mut machine = model::Machine::default();
            let (name, physical_sector) = ("sda".to_owned(), Some(physical));
            machine.inventory.block = vec![BlockDevice { name, physical_sector, ..BlockDevice::default() }];
            let controls = Controls::default();
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).pop()
        };
        let small = of("randwrite", true, 512, 4096).unwrap();
        let says =
            "writes of 512 bytes are smaller than the sectors of disk sda of 4 KiB: writes of less than";
        assert!(small.text.starts_with(says), "{}", small.text);
        assert!(small.advice.is_some_and(|advice| advice.contains("--block-size")));
        for other in [
            of("randread", true, 512, 4096),
            of("randwrite", false, 512, 4096),
            of("randwrite", true, 4096, 4096),
            of("randwrite", true, 512, 512),
        ] {
            assert_eq!(other, None);
        }
    }
}
