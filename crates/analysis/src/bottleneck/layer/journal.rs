//! Flushes of a file system's journal: a load that syncs waits until the journal is on the medium, and what the journal
//! writes passes the device beside the load's own bytes.
//!
//! A commit begins with a flush and ends with a block that must be on the medium itself (`REQ_PREFLUSH` and `REQ_FUA`,
//! `Documentation/block/writeback_cache_control.rst`). Where the device has writes that go through its cache, that block is
//! such a write and no second flush. The kernel counts these with all other writes: there are no more of them than flushes,
//! and each is taken to last as long as a write does in the mean, which is rather too short.

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
    the journal: { PERCENT($share) } of the time a flush of { RESOURCE($resource) }{ $through ->
        [yes] , or a write through its cache (estimated),
       *[no] {""}
    } is under way ({ SHORT($rate, unit: "1/s") } of them), and for each byte of
    the load { FIXED($more, decimals: 2) } are written beside it
    .advice = fewer syncs, each of more writes, or a device whose flushes are quick: one with a cache that outlives a power cut

evidence-flushes =
    { RESOURCE($resource) } { verb-is } flushed { SHORT($rate, unit: "1/s") }, for { PERCENT($share) } of the time, and
    { FIXED($more, decimals: 2) } bytes are written beside each of the load
evidence-forced-writes =
    as many writes go through the cache of { RESOURCE($resource) } (FUA), which the kernel does not count apart: an estimate
    of { PERCENT($share) } of the time, by how long its writes take in the mean
"#;

/// What the flushes of a trial took.
struct Flushes<'a> {
    resource: &'a Resource,
    rate: f64,
    /// The share of the time that one was under way, as if they were one after the other.
    share: f64,
    /// The same of the writes through the cache with which commits end.
    forced: f64,
    /// Bytes written beside each byte of the load.
    more: f64,
}

impl<'a> Flushes<'a> {
    /// Of the device that took longest; those without requests of their own, such as mappings, count none.
    fn of(case: &CaseResult, layers: &'a StorageLayers, trial: &Trial) -> Option<Self> {
        let rate = |resource: &Resource, name: &str| measure::rate(trial, resource, name);
        let share = |device: &LayerDevice| rate(&device.resource, "flush_ms").unwrap_or(0.0);
        let both = |device: &LayerDevice| share(device) + forced(trial, device).unwrap_or(0.0);
        let longest = layers.devices.iter().max_by(|a, b| both(a).total_cmp(&both(b)))?;
        let own = measure::moved_in(case, trial, OperationClass::Write)?;
        // Below the file system, all that is written passes the device that it lies on.
        let written = rate(measure::device(case)?, "written_sectors")?;
        let more = ((written - own) / own).max(0.0);
        (own > 0.0).then_some(Self {
            resource: &longest.resource,
            rate: rate(&longest.resource, "flushes")?,
            share: share(longest).min(1.0),
            // Without a journal there are no commits.
            forced: forced(trial, longest).filter(|_| more >= FELT).unwrap_or(0.0),
            more,
        })
    }

    /// The share of the time that either was under way.
    fn whole(&self) -> f64 {
        (self.share + self.forced).min(1.0)
    }
}

/// The share of the time in which writes go through the cache of a device, as if they were one after the other; none where
/// it has no such writes, or nobody flushes it.
fn forced(trial: &Trial, device: &LayerDevice) -> Option<f64> {
    let rate = |name: &str| measure::rate(trial, &device.resource, name);
    let (flushes, writes) = (rate("flushes")?, rate("writes")?);
    let is_counted = device.fua == Some(true) && writes > 0.0;
    let each_s = rate("write_ms").filter(|_| is_counted)? / writes;
    Some(flushes.min(writes) * each_s).filter(|share| *share > 0.0)
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
    let is_on_files = case.path.iter().any(|step| step.resource.is_named(ResourceKind::FileSystem));
    let Some(layers) = measure::stacked(case).filter(|_| syncs && is_on_files) else {
        return Verdict::Elsewhere;
    };
    let found = measure::middle(case, |trial| Flushes::of(case, layers, trial).map(|one| (one.whole(), one)));
    let Some(found) = found else { return Verdict::Elsewhere };
    let (whole, Flushes { resource, rate, share, forced, more }) = (found.whole(), found);
    let at = |counter: &str| measure::place(case, resource, counter).unwrap_or(Place::Path(resource.clone()));
    let evidence = Evidence::at("flushes", at("flush_ms"))
        .arg("resource", resource.as_str())
        .arg("rate", rate)
        .arg("share", share)
        .arg("more", more);
    if whole < DECIDES || more < FELT {
        return Verdict::Free(evidence);
    }
    let through =
        Evidence::at("forced-writes", at("write_ms")).arg("resource", resource.as_str()).arg("share", forced);
    let through = Some(through).filter(|_| forced > 0.0);
    Verdict::Full(Box::new(
        finding("journal-flush", Severity::Note)
            .on(resource.clone())
            .arg("share", whole)
            .arg("through", if through.is_some() { "yes" } else { "no" })
            .arg("rate", rate)
            .arg("more", more)
            .because(evidence)
            .because_all(through),
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
        on(None, durability, share, times)
    }

    /// The same on a device that says whether it has writes through its cache.
    fn on(fua: Option<bool>, durability: Durability, share: f64, times: f64) -> model::Finding {
        let mut case = disk(1, 1_000.0, 1_000.0, 15.0);
        fixture::set(&mut case, "pattern", "randwrite");
        case.loads.main.profile.durability = durability;
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
        case.path = ["filesystem:/data (ext4)", "block:loop0"].map(step).to_vec();
        let devices = vec![LayerDevice { fua, ..device("loop0", BlockKind::Loop, &[]) }];
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

    /// 2,000 commits a second, and 3,000 writes of which one is under way for a fifth of the time.
    #[test]
    fn writes_through_the_cache_count_where_the_device_has_them() {
        let journal = on(Some(true), Durability::Syncs, 0.4, 3.0);
        assert_eq!(journal.code, "journal-flush", "{journal:?}");
        assert!(
            journal.text.contains("the journal: 53") && journal.text.contains("through its cache"),
            "{}",
            journal.text
        );
        assert!(journal.evidence.iter().any(|evidence| evidence.code == "forced-writes"), "{journal:?}");
        assert_ne!(on(Some(false), Durability::Syncs, 0.4, 3.0).code, "journal-flush");
        assert_ne!(
            on(Some(true), Durability::Syncs, 0.4, 1.1).code,
            "journal-flush",
            "no journal, no commits"
        );
        let flushes = on(Some(false), Durability::Syncs, 0.7, 3.0);
        assert!(!flushes.text.contains("through its cache"), "{}", flushes.text);
    }

    #[test]
    fn flushes_without_a_journal_and_writes_without_syncs_are_something_else() {
        assert_ne!(found(Durability::Syncs, 0.7, 1.1).code, "journal-flush");
        assert_ne!(found(Durability::Syncs, 0.2, 3.0).code, "journal-flush");
        assert_ne!(found(Durability::None, 0.7, 3.0).code, "journal-flush");
    }
}
