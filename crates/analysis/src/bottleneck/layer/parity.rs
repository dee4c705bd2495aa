//! Small writes to an array with parity: what a stripe held, or its parity, is read before it is written
//! (`Documentation/admin-guide/md.rst`, md(4)). That shows in what the members read while the load only writes.

use model::finding::{Evidence, Place};
use model::layer::{LayerArray, LayerDevice, StorageLayers};
use model::limit::Direction;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Severity, Trial};

use crate::bottleneck::{Verdict, finding};
use crate::measure::DeviceWork;
use crate::measure::layers::is_resynced;
use crate::{Context, measure};

/// So many bytes that members read for each byte written are felt: each write waits for a read.
const FELT: f64 = 0.2;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-parity-rewrite =
    parity of { RESOURCE($resource) }: for each byte written, its members read { FIXED($read, decimals: 2) } and write
    { FIXED($written, decimals: 2) }, as writes of less than a stripe wait until what was there is read
    .advice =
        writes of whole stripes read nothing{ $stripe ->
            [0] {""}
           *[other] {" "}({ BINARY($stripe) })
        }: larger ones, a smaller chunk, or a larger stripe cache; without parity there is nothing to read

evidence-parity =
    the members of { RESOURCE($resource) } read { FIXED($read, decimals: 2) } and write { FIXED($written, decimals: 2) } bytes for each byte written
"#;

/// What an array made of the writes of a trial, for each byte.
struct Rewrite<'a> {
    array: &'a LayerDevice,
    read: f64,
    written: f64,
}

impl<'a> Rewrite<'a> {
    fn of(case: &CaseResult, array: &'a LayerDevice, trial: &Trial) -> Option<Self> {
        let members: Vec<DeviceWork> =
            array.below.iter().map(|member| DeviceWork::of(trial, member)).collect::<Option<_>>()?;
        // Kernels before 5.14 do not count what passes an array itself.
        let own = DeviceWork::of(trial, &array.resource).filter(|own| own.written > 0.0);
        let (own_read, written) = match own {
            Some(own) => (own.read, own.written),
            None => (0.0, measure::moved_in(case, trial, OperationClass::Write)?),
        };
        let sum = |of: fn(&DeviceWork) -> f64| members.iter().map(of).sum::<f64>();
        (written > 0.0).then(|| Self {
            array,
            read: (sum(|work| work.read) - own_read).max(0.0) / written,
            written: sum(|work| work.written) / written,
        })
    }
}

/// Of all arrays with parity, the one that read most.
fn most<'a>(case: &CaseResult, layers: &'a StorageLayers, trial: &Trial) -> Option<Rewrite<'a>> {
    let has_parity = |device: &&LayerDevice| device.array.as_ref().is_some_and(LayerArray::has_parity);
    let arrays = layers.devices.iter().filter(has_parity);
    let each = arrays.filter_map(|array| Rewrite::of(case, array, trial));
    each.max_by(|a, b| a.read.total_cmp(&b.read))
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    // Beside reads of the load itself, or of a rebuild, nobody can tell whose reads they are.
    let only_writes = measure::direction(case) == Some(Direction::Write) && !is_resynced(case);
    let Some(layers) = measure::stacked(case).filter(|_| only_writes) else { return Verdict::Elsewhere };
    let found = measure::middle(case, |trial| most(case, layers, trial).map(|found| (found.read, found)));
    let Some(Rewrite { array, read, written }) = found else { return Verdict::Elsewhere };
    let member = array.below.first().unwrap_or(&array.resource);
    let place = measure::place(case, member, "read_sectors").unwrap_or(Place::Path(member.clone()));
    let evidence = Evidence::at("parity", place)
        .arg("resource", array.resource.as_str())
        .arg("read", read)
        .arg("written", written);
    if read < FELT {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("parity-rewrite", Severity::Note)
            .on(array.resource.clone())
            .arg("read", read)
            .arg("written", written)
            .arg("stripe", array.optimal_bytes.unwrap_or_default())
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{did, put, stack};
    use crate::validity::fixture;

    fn found(pattern: &str, level: &str, read: f64) -> model::Finding {
        let mut case = disk(8, 1_000.0, 8_000.0, 15.0);
        fixture::set(&mut case, "pattern", pattern);
        let mut layers = stack(level);
        layers.devices[1].optimal_bytes = Some(131_072);
        put(&mut case, &layers);
        for name in ["sda", "sdb", "sdc", "sdd"] {
            did(&mut case, name, read, 2048e3, 0.5);
        }
        did(&mut case, "md0", 0.0, 4096e3, 8.0);
        verdict(&[case])
    }

    #[test]
    fn writes_that_make_members_read_are_told_with_how_much() {
        let small = found("randwrite", "raid5", 2048e3);
        assert_eq!(small.code, "parity-rewrite", "{small:?}");
        assert!(small.text.contains("members read 2.00 and write 2.00"), "{}", small.text);
        assert!(small.advice.unwrap().contains("128 KiB"));
    }

    #[test]
    fn whole_stripes_reads_and_arrays_without_parity_rewrite_nothing() {
        assert_ne!(found("write", "raid5", 10e3).code, "parity-rewrite");
        assert_ne!(found("randrw", "raid5", 2048e3).code, "parity-rewrite");
        assert_ne!(found("randwrite", "raid10", 2048e3).code, "parity-rewrite");
    }

    #[test]
    fn what_a_rebuild_reads_is_not_the_parity_of_writes() {
        let mut layers = stack("raid5");
        layers.devices[1].array.as_mut().unwrap().action = Some("recover".to_owned());
        let mut case = disk(8, 1_000.0, 8_000.0, 15.0);
        fixture::set(&mut case, "pattern", "randwrite");
        put(&mut case, &layers);
        for name in ["sda", "sdb", "sdc", "sdd"] {
            did(&mut case, name, 2048e3, 2048e3, 0.5);
        }
        did(&mut case, "md0", 0.0, 4096e3, 8.0);
        assert_ne!(verdict(&[case]).code, "parity-rewrite");
    }
}
