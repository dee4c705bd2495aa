//! Flushes of a file system's journal: a load that syncs waits until the journal is on the medium, and what the journal
//! writes passes the device beside the load's own bytes.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Resource, ResourceKind, Severity, Trial};

use crate::bottleneck::{Verdict, finding};
use crate::{Context, measure};

/// A flush is under way for so much of the time: the load has the rest.
const DECIDES: f64 = 0.5;
/// So many bytes that are written beside each byte of the load are a journal's, and no chance.
const FELT: f64 = 0.5;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-journal-flush =
    the journal: { PERCENT($share) } of the time a flush of { RESOURCE($resource) } is under way ({ SHORT($rate, unit: "1/s") } of them), and for each byte of
    the load { FIXED($more, decimals: 2) } are written beside it
    .advice = fewer syncs, each of more writes, or a device whose flushes are quick: one with a cache that outlives a power cut

evidence-flushes =
    { RESOURCE($resource) } is flushed { SHORT($rate, unit: "1/s") }, for { PERCENT($share) } of the time, and
    { FIXED($more, decimals: 2) } bytes are written beside each of the load
"#;

/// What the flushes of a trial took.
struct Flushes<'a> {
    resource: &'a Resource,
    rate: f64,
    /// The share of the time that one was under way, as if they were one after the other.
    share: f64,
    /// Bytes written beside each byte of the load.
    more: f64,
}

impl<'a> Flushes<'a> {
    /// Of the device that took longest; those without requests of their own, such as mappings, count none.
    fn of(case: &CaseResult, layers: &'a StorageLayers, trial: &Trial) -> Option<Self> {
        let rate = |resource: &Resource, name: &str| measure::rate(trial, resource, name);
        let share = |device: &LayerDevice| rate(&device.resource, "flush_ms").unwrap_or(0.0);
        let longest = layers.devices.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let own = measure::moved_in(case, trial, OperationClass::Write)?;
        // Below the file system, all that is written passes the device that it lies on.
        let written = rate(measure::device(case)?, "written_sectors")?;
        (own > 0.0).then_some(Self {
            resource: &longest.resource,
            rate: rate(&longest.resource, "flushes")?,
            share: share(longest).min(1.0),
            more: ((written - own) / own).max(0.0),
        })
    }
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
    let is_on_files = case.path.iter().any(|step| step.resource.is_named(ResourceKind::FileSystem));
    let Some(layers) = measure::stacked(case).filter(|_| syncs && is_on_files) else {
        return Verdict::Elsewhere;
    };
    let found = measure::middle(case, |trial| Flushes::of(case, layers, trial).map(|one| (one.share, one)));
    let Some(Flushes { resource, rate, share, more }) = found else { return Verdict::Elsewhere };
    let place = measure::place(case, resource, "flush_ms").unwrap_or(Place::Path(resource.clone()));
    let evidence = Evidence::at("flushes", place)
        .arg("resource", resource.as_str())
        .arg("rate", rate)
        .arg("share", share)
        .arg("more", more);
    if share < DECIDES || more < FELT {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("journal-flush", Severity::Note)
            .on(resource.clone())
            .arg("share", share)
            .arg("rate", rate)
            .arg("more", more)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use model::machine::BlockKind;
    use model::resource::PathStep;

    use super::*;
    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{device, did, put};
    use crate::validity::fixture;

    /// A load of 1,000 writes of 4 KiB a second on ext4 on a loop device, that flushes for so much of the time and
    /// writes so many times what the load does.
    fn found(durability: Durability, share: f64, times: f64) -> model::Finding {
        let mut case = disk(1, 1_000.0, 1_000.0, 15.0);
        fixture::set(&mut case, "pattern", "randwrite");
        case.loads.main.profile.durability = durability;
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
        case.path = ["filesystem:/data (ext4)", "block:loop0"].map(step).to_vec();
        let devices = vec![device("loop0", BlockKind::Loop, &[])];
        put(&mut case, &StorageLayers { devices, work_cpus: Vec::new() });
        did(&mut case, "loop0", 0.0, 4096e3 * times, 0.2);
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            let millis = (share * 1e3) as u64;
            counters.push(fixture::counter("block:loop0", "/proc/diskstats flushes", 1.0, 2_000));
            counters.push(fixture::counter("block:loop0", "/proc/diskstats flush_ms", 1e-3, millis));
        }
        verdict(&[case])
    }

    #[test]
    fn a_journal_that_is_flushed_most_of_the_time_is_named() {
        let journal = found(Durability::Syncs, 0.7, 3.0);
        assert_eq!(journal.code, "journal-flush", "{journal:?}");
        assert!(
            journal.text.contains("70 % of the time") && journal.text.contains("2.00 are written"),
            "{}",
            journal.text
        );
    }

    #[test]
    fn flushes_without_a_journal_and_writes_without_syncs_are_something_else() {
        assert_ne!(found(Durability::Syncs, 0.7, 1.1).code, "journal-flush");
        assert_ne!(found(Durability::Syncs, 0.2, 3.0).code, "journal-flush");
        assert_ne!(found(Durability::None, 0.7, 3.0).code, "journal-flush");
    }
}
