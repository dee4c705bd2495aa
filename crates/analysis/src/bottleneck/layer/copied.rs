//! Writes to a volume that shares its blocks with a snapshot: what a block held is copied before the first write to it (dm-snapshot
//! and thin volumes of LVM, `Documentation/admin-guide/device-mapper/snapshot.rst` and `thin-provisioning.rst`). That shows in
//! what the devices below read while the load only writes.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::limit::Direction;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Severity, Trial};

use crate::bottleneck::{Verdict, finding};
use crate::measure::DeviceWork;
use crate::{Context, measure};

/// So many bytes that are read below for each byte written are felt: each of these writes waits for a read.
const FELT: f64 = 0.2;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-copy-on-write =
    { RESOURCE($resource) } shares its blocks with a snapshot, and the first write to each waits until it is copied: for each byte
    written, { FIXED($read, decimals: 2) } are read and { FIXED($written, decimals: 2) } written below it
    .advice =
        blocks that were written once since the snapshot was made are copied no more; a smaller chunk of the snapshot copies less for each
        write, and without the snapshot there is nothing to copy

evidence-copied =
    below { RESOURCE($resource) }, { FIXED($read, decimals: 2) } bytes are read and { FIXED($written, decimals: 2) } written for each byte
    written
"#;

/// What the writes of a trial made below a volume, for each byte.
struct Copied<'a> {
    volume: &'a LayerDevice,
    read: f64,
    written: f64,
}

impl<'a> Copied<'a> {
    fn of(case: &CaseResult, volume: &'a LayerDevice, trial: &Trial) -> Option<Self> {
        let below: Vec<DeviceWork> =
            volume.below.iter().map(|device| DeviceWork::of(trial, device)).collect::<Option<_>>()?;
        let own = DeviceWork::of(trial, &volume.resource).filter(|own| own.written > 0.0);
        let (own_read, written) = match own {
            Some(own) => (own.read, own.written),
            None => (0.0, measure::moved_in(case, trial, OperationClass::Write)?),
        };
        let sum = |of: fn(&DeviceWork) -> f64| below.iter().map(of).sum::<f64>();
        (written > 0.0).then(|| Self {
            volume,
            read: (sum(|work| work.read) - own_read).max(0.0) / written,
            written: sum(|work| work.written) / written,
        })
    }
}

/// Of all volumes that share blocks, the one below which most was read.
fn most<'a>(case: &CaseResult, layers: &'a StorageLayers, trial: &Trial) -> Option<Copied<'a>> {
    let volumes = layers.devices.iter().filter(|device| device.shares);
    let each = volumes.filter_map(|volume| Copied::of(case, volume, trial));
    each.max_by(|a, b| a.read.total_cmp(&b.read))
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    // Beside reads of the load itself nobody can tell whose reads they are.
    let only_writes = measure::direction(case) == Some(Direction::Write);
    let Some(layers) = measure::stacked(case).filter(|_| only_writes) else { return Verdict::Elsewhere };
    let found = measure::middle(case, |trial| most(case, layers, trial).map(|found| (found.read, found)));
    let Some(Copied { volume, read, written }) = found else { return Verdict::Elsewhere };
    let below = volume.below.first().unwrap_or(&volume.resource);
    let place = measure::place(case, below, "read_sectors").unwrap_or(Place::Path(below.clone()));
    let evidence = Evidence::at("copied", place)
        .arg("resource", volume.resource.as_str())
        .arg("read", read)
        .arg("written", written);
    if read < FELT {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("copy-on-write", Severity::Note)
            .on(volume.resource.clone())
            .arg("read", read)
            .arg("written", written)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use model::layer::StorageLayers;
    use model::machine::BlockKind;

    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{device, did, put};
    use crate::validity::fixture;

    /// A load on a volume below which so much is read, and three times as much written as it writes.
    fn found(pattern: &str, read: f64, shares: bool) -> model::Finding {
        let mut case = disk(8, 1_000.0, 8_000.0, 15.0);
        fixture::set(&mut case, "pattern", pattern);
        let mut devices =
            vec![device("dm-0", BlockKind::Dm, &["dm-1", "dm-2"]), device("dm-1", BlockKind::Dm, &["sda"])];
        devices.extend([device("dm-2", BlockKind::Dm, &["sda"]), device("sda", BlockKind::Disk, &[])]);
        devices[0].shares = shares;
        put(&mut case, &StorageLayers { devices, work_cpus: Vec::new() });
        did(&mut case, "dm-0", 0.0, 4096e3, 8.0);
        did(&mut case, "dm-1", read, 4096e3, 4.0);
        did(&mut case, "dm-2", 0.0, 2.0 * 4096e3, 4.0);
        did(&mut case, "sda", read, 3.0 * 4096e3, 4.0);
        verdict(&[case])
    }

    /// Bug: of first writes to a volume with a snapshot the disk below was said to be what is waited for.
    #[test]
    fn first_writes_to_what_a_snapshot_shares_wait_until_it_is_copied() {
        let first = found("randwrite", 2.0 * 4096e3, true);
        assert_eq!(first.code, "copy-on-write", "{first:?}");
        assert!(
            first.text.contains("for each byte written, 2.00 are read and 3.00 written below it"),
            "{}",
            first.text
        );
    }

    #[test]
    fn later_writes_other_volumes_and_reads_copy_nothing() {
        assert_ne!(found("randwrite", 10e3, true).code, "copy-on-write", "it was copied before");
        assert_ne!(found("randwrite", 2.0 * 4096e3, false).code, "copy-on-write", "there is no snapshot");
        assert_ne!(found("randrw", 2.0 * 4096e3, true).code, "copy-on-write", "the load reads as well");
    }
}
