//! Flushes of a device beside a load that waits for it. Each makes the device empty its cache, and nothing of the same queue is
//! flushed meanwhile: who waits for one waits for its pace, however quick writes are. The kernel counts them, and how long they
//! take, apart from reads and writes (`Documentation/admin-guide/iostats.rst`, fields 16 and 17, since Linux 5.5).

use model::Finding;
use model::finding::{Evidence, Place};
use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Resource, ResourceKind};

use super::network::DECIDES;
use crate::{Context, measure};

/// From this share of the time on flushes are felt.
const FELT: f64 = 0.1;

/// Verdicts on what a load waits for at a device, and that which names nothing.
const WAITS: [&str; 3] = ["latency-bound", "device-bound", "cannot-tell"];

pub(super) const ENGLISH: &str = r#"
evidence-device-flushed =
    { RESOURCE($resource) } { verb-is } flushed { SHORT($rate, unit: "1/s") }, for { PERCENT($share) } of the time{ $asked ->
        [yes] {""}
       *[no] , though the load syncs nothing: others, or the file system, ask for that
    }
evidence-device-trimmed =
    { RESOURCE($resource) } discard{ verb-s } (trim{ verb-s }) { SHORT($rate, unit: "B/s") }, for { PERCENT($share) } of the time, though the load
    discards nothing: others, or the file system, ask for that
"#;

/// What flushes of one device took.
pub(super) struct Flushed {
    pub(super) resource: Resource,
    /// How many in each second.
    pub(super) rate: f64,
    /// The share of the time that one was under way.
    pub(super) share: f64,
}

impl Flushed {
    /// Of the device of the path that was flushed longest; a flush of one is one of those below it.
    pub(super) fn of(case: &CaseResult) -> Option<Self> {
        let is_block = |resource: &&Resource| resource.is_named(ResourceKind::Block);
        let steps = case.path.iter().filter(|step| !measure::behind_files(case, step));
        let of = |resource: &Resource| {
            let median = |name: &str| measure::median(case, |trial| measure::rate(trial, resource, name));
            let share = median("flush_ms")?.min(1.0);
            Some(Self { resource: resource.clone(), rate: median("flushes")?, share })
        };
        let all = steps.map(|step| &step.resource).filter(is_block).filter_map(of);
        all.filter(|one| one.share >= FELT).max_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// Whether who waits for them waits for most of its time, of a load that asks for them.
    pub(super) fn decides(&self, case: &CaseResult) -> bool {
        self.share >= DECIDES && is_asked(case)
    }

    fn evidence(&self, case: &CaseResult) -> Evidence {
        let place = measure::place(case, &self.resource, "flush_ms");
        Evidence::at("device-flushed", place.unwrap_or(Place::Path(self.resource.clone())))
            .arg("resource", self.resource.as_str())
            .arg("rate", self.rate)
            .arg("share", self.share)
            .arg("asked", is_asked(case))
    }
}

/// Whether the load has what it wrote flushed.
fn is_asked(case: &CaseResult) -> bool {
    !matches!(measure::profile(case).durability, Durability::None | Durability::End)
}

/// That flushes have a part of the time of a load that waits for a device.
pub(super) fn told(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let is_of_blocks =
        measure::does(case, OperationClass::Write) || measure::does(case, OperationClass::Read);
    let waits = is_of_blocks && !measure::is_net(case) && WAITS.contains(&named.code.as_str());
    Flushed::of(case).filter(|_| waits).map(|found| found.evidence(case))
}

/// That a device has discards of others to do for so long that a load which waits for it feels that: of fstrim(8), or of a file
/// system that is mounted with `discard`.
pub(super) fn trimmed(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let waits = WAITS.contains(&named.code.as_str()) || named.code == "device-full";
    if !waits || measure::is_net(case) || measure::does(case, OperationClass::Trim) {
        return None;
    }
    let resource = measure::lowest(case).first().map(|step| &step.resource)?;
    let median = |name: &str| measure::median(case, |trial| measure::rate(trial, resource, name));
    // Several may be under way at once.
    let share = median("discard_ms").filter(|share| *share >= FELT)?.min(1.0);
    let place = measure::place(case, resource, "discard_ms")?;
    let evidence = Evidence::at("device-trimmed", place).arg("resource", resource.as_str());
    Some(evidence.arg("rate", median("discarded_sectors")?).arg("share", share))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// One write after the other of 1 ms, beside which a flush is under way for so much of the time.
    fn found(durability: Durability, share: f64) -> Finding {
        let mut case = disk(1, 1_000.0, 1_000.0, 15.0);
        fixture::set(&mut case, "pattern", "randwrite");
        case.loads.main.profile.durability = durability;
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            counters.push(fixture::counter("block:sda", "/proc/diskstats flushes", 1.0, 1_000));
            let ms = (share * 1e3) as u64;
            counters.push(fixture::counter("block:sda", "/proc/diskstats flush_ms", 1e-3, ms));
        }
        verdict(&[case])
    }

    /// Bug: of writes that are durable when they return it was said that nothing is full, and flushes were not named.
    #[test]
    fn flushes_that_writes_wait_for_are_named() {
        let flushed = found(Durability::EachWrite, 0.7);
        assert_eq!(flushed.code, "latency-bound");
        let says = "disk sda is flushed 1 k/s, for 70 % of the time, and the load waits for that";
        assert!(flushed.text.ends_with(says), "{}", flushed.text);
        assert!(found(Durability::Syncs, 0.7).text.contains("disk sda is flushed"));
        let through = found(Durability::EachWrite, 0.0).text;
        assert!(
            through.ends_with("each write waits until it is on the medium (O_SYNC, O_DSYNC)"),
            "{through}"
        );
    }

    #[test]
    fn flushes_that_nobody_waits_for_are_told_beside() {
        let others = found(Durability::None, 0.7);
        assert!(others.text.ends_with("nothing known is full"), "{}", others.text);
        let told = others.evidence.iter().find(|e| e.code == "device-flushed").unwrap();
        assert!(
            told.text.as_ref().is_some_and(|text| text.contains("though the load syncs nothing")),
            "{told:?}"
        );
        assert!(found(Durability::None, 0.01).evidence.iter().all(|e| e.code != "device-flushed"));
    }

    #[test]
    fn discards_of_others_are_told_beside() {
        let trimmed = |ms: u64| {
            let mut case = disk(1, 1_000.0, 1_000.0, 15.0);
            for trial in &mut case.trials {
                let counters = &mut trial.result.local_mut().counters;
                for (name, scale, steps) in
                    [("discard_ms", 1e-3, ms), ("discarded_sectors", 512.0, 2_000_000)]
                {
                    let source = format!("/proc/diskstats {name}");
                    counters.push(fixture::counter("block:sda", &source, scale, steps));
                }
            }
            let found = verdict(&[case]);
            found.evidence.into_iter().find(|evidence| evidence.code == "device-trimmed")?.text
        };
        assert!(
            trimmed(600).is_some_and(|text| text.contains("1.024 GB/s, for 60 % of the time")),
            "{:?}",
            trimmed(600)
        );
        assert_eq!(trimmed(20), None);
    }
}
