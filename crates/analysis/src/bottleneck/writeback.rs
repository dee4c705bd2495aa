//! A page cache that is full of what is not written yet: the kernel slows writers down to what the
//! device takes.

use model::finding::Evidence;
use model::profile::{Durability, OperationClass};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Severity, fact};

use super::network::DECIDES;
use super::{FULL, Verdict, finding};
use crate::measure::End;
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-dirty-throttled =
    dirty throttling: { PERCENT($share) } of the time, so much of the page cache{ $grouped ->
        [yes] {" "}of the control group, whose memory is held to { BINARY($memory) },
       *[no] {""}
    } waits to be written ({ BINARY($dirty) }) that the kernel slows the writer down to what
    { RESOURCE($resource) } take{ verb-s }: { SHORT($rate, unit: "B/s") }
    .advice =
        { RESOURCE($resource) } { verb-is } the limit: { $several ->
            [yes] faster ones help
           *[no] a faster one helps
        }; { $grouped ->
            [yes] more memory for the group
           *[no] more dirty memory (--set dirty-bytes)
        } only delays this; headroom run disk shows what { pronoun-it } can do alone

evidence-dirty-of-others =
    writers are slowed down because much of the page cache waits to be written, but only { PERCENT($own) } of what
    { RESOURCE($resource) } take{ verb-s } is from the load
evidence-dirty-pages = { BINARY($dirty) } wait to be written, and writers are slowed down from { BINARY($limit) } on
"#;

/// Whether the load waits where a writer is slowed down: not in syncs, nor for a server, nor for a
/// processor.
fn waits(case: &CaseResult) -> bool {
    let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
    let writes = measure::median(case, |trial| measure::number(trial, fact::WRITE_SHARE));
    let computes = End::Drives.worker_share(case).is_some_and(|share| share >= FULL);
    !syncs && !computes && (!measure::is_net(case) || writes.is_some_and(|share| share >= DECIDES))
}

/// The share of what was written to the devices that was the load's, at most 1.
fn own_share(case: &CaseResult) -> Option<f64> {
    let devices = measure::devices(case);
    measure::median(case, |trial| {
        let own = measure::moved_in(case, trial, OperationClass::Write)?;
        let rate = |step: &&PathStep| measure::rate(trial, &step.resource, "written_sectors");
        let all: f64 = devices.iter().map(rate).sum::<Option<f64>>()?;
        (all > 0.0).then(|| (own / all).min(1.0))
    })
}

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(found) = measure::writeback(case) else { return Verdict::Elsewhere };
    let evidence = Evidence::at("dirty-pages", found.place())
        .arg("dirty", found.dirty as u64)
        .arg("limit", found.limit as u64);
    let Some(device) = measure::devices_name(case).filter(|_| found.throttled >= DECIDES && waits(case))
    else {
        return Verdict::Free(evidence);
    };
    // What others write fills the page cache, too.
    if let Some(own) = own_share(case).filter(|own| *own < DECIDES) {
        return Verdict::Unknown(
            Evidence::at("dirty-of-others", found.place()).arg("own", own).arg("resource", device.as_str()),
        );
    }
    Verdict::Full(Box::new(
        finding("dirty-throttled", Severity::Note)
            .on(device)
            .arg("share", found.throttled)
            .arg("dirty", found.dirty as u64)
            .arg("rate", found.rate)
            .arg("grouped", found.group.is_some())
            .arg("memory", found.group.unwrap_or_default() as u64)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use model::profile::Peer;
    use model::study::Controls;
    use model::{Better, Quantity, Unit, metric};

    use super::*;
    use crate::validity::{cache_absorbed, fixture};

    /// What holds back a writer that is slowed down for seven seconds of ten.
    fn verdict(change: impl FnOnce(&mut CaseResult)) -> (String, String) {
        let mut case = cache_absorbed::tests::case(900e6, 440e6, 13e6);
        change(&mut case);
        let found = crate::bottleneck::check(&case, &fixture::context(&Controls::default()));
        let found = crate::said::written(found).remove(0);
        (found.code, found.text)
    }

    #[test]
    fn a_writer_that_is_slowed_down_is_held_back_by_the_device() {
        let (code, text) = verdict(|_| {});
        assert_eq!(code, "dirty-throttled");
        assert!(text.contains("slows the writer down to what disk sda takes: 440 MB/s"), "{text}");
    }

    #[test]
    fn a_writer_that_waits_for_something_else_is_not() {
        let synced = |case: &mut CaseResult| case.loads.main.profile.durability = Durability::EachWrite;
        assert_ne!(verdict(synced).0, "dirty-throttled");
        let computing = |case: &mut CaseResult| {
            let each = fixture::estimate(1.0 / 578e6, Unit::SecondsPerByte, Better::Lower);
            case.loads.main.estimates.insert(metric::CPU_PER_BYTE, each);
            for trial in &mut case.trials {
                let each = Quantity { value: 1.0 / 578e6, unit: Unit::SecondsPerByte };
                trial.result.main_mut().metrics.insert(metric::CPU_PER_BYTE, each);
            }
        };
        assert_ne!(verdict(computing).0, "dirty-throttled");
        let download = |writes: f64| {
            move |case: &mut CaseResult| {
                case.loads.main.profile.peer = Some(Peer::AnotherProgram);
                for trial in &mut case.trials {
                    trial.result.main_mut().facts.insert(fact::WRITE_SHARE, writes.into());
                }
            }
        };
        assert_eq!(verdict(download(0.7)).0, "dirty-throttled");
        assert_ne!(verdict(download(0.2)).0, "dirty-throttled", "it waits for the server");
    }

    #[test]
    fn what_others_write_is_not_the_load_s() {
        let mut case = cache_absorbed::tests::case(900e6, 440e6, 13e6);
        for trial in &mut case.trials {
            let all = fixture::counter("block:sda", "/proc/diskstats written_sectors", 512.0, 10_000_000);
            trial.result.local_mut().counters = vec![all];
        }
        let controls = Controls::default();
        let Verdict::Unknown(evidence) = examine(&case, &fixture::context(&controls)) else {
            panic!("most of it is not its own");
        };
        assert_eq!(evidence.code, "dirty-of-others");
        // 578 MB/s of 5.12 GB/s.
        assert!((evidence.args["own"].number().unwrap() - 0.113).abs() < 1e-3, "{evidence:?}");
    }
}
