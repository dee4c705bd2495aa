//! A page cache that is full of what is not written yet: the kernel slows writers down to what the
//! device takes.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Resource, Severity, series};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-dirty-throttled =
    dirty throttling: { PERCENT($share) } of the time so much of the page cache waits to be written ({ BINARY($dirty) })
    that the kernel slows the writer down to what { RESOURCE($resource) } takes: { SHORT($rate, unit: "B/s") }
    .advice =
        { RESOURCE($resource) } is the limit: a faster one helps, a larger page cache (--set dirty-bytes) only later; what
        it can do alone, headroom run disk tells

evidence-dirty-pages = { BINARY($dirty) } wait to be written, and writers are slowed down from { BINARY($limit) } on
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(found) = measure::writeback(case) else { return Verdict::Elsewhere };
    let place = Place::Series { resource: Resource::MEMORY, name: series::DIRTY_PAGES };
    let evidence =
        Evidence::at("dirty-pages", place).arg("dirty", found.dirty as u64).arg("limit", found.limit as u64);
    let Some(device) = measure::devices_name(case).filter(|_| found.throttled >= DECIDES) else {
        return Verdict::Free(evidence);
    };
    Verdict::Full(Box::new(
        finding("dirty-throttled", Severity::Note)
            .on(device)
            .arg("share", found.throttled)
            .arg("dirty", found.dirty as u64)
            .arg("rate", found.rate)
            .because(evidence),
    ))
}
