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
    { RESOURCE($resource) } takes: { SHORT($rate, unit: "B/s") }
    .advice =
        { RESOURCE($resource) } is the limit: a faster one helps; { $grouped ->
            [yes] more memory for the group
           *[no] more dirty memory (--set dirty-bytes)
        } only delays this; headroom run disk shows what it can do alone

evidence-dirty-of-others =
    writers are slowed down because much of the page cache waits to be written, but only { PERCENT($own) } of what
    { RESOURCE($resource) } takes is from the load
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
