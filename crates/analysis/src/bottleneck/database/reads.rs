//! Pages that are read: what transactions need is not in memory.

use model::database::metric as names;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, metric};

use super::{client_option, clients, is_one, is_served, library_time, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding};
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-page-read-bound =
    bound by reads: clients wait { PERCENT($share) } of the time for pages that are not in memory
    .advice =
        larger buffers ({ $engine ->
            [library] --cache-size, or memory for the page cache
           *[server] shared_buffers, innodb_buffer_pool_size
        }) hold more of the tables; a device that reads faster shortens each wait, and more --{ $option } have it read more at
        once

evidence-read-wait = its clients wait { PERCENT($share) } of the time for pages to be read
"#;

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    if !is_one(case) {
        return Verdict::Elsewhere;
    }
    let served = is_served(case);
    let waits = if served {
        let told = share(case, names::CLIENTS_WAITING_FOR_READS);
        let told = told.map(|share| (Place::Metric(names::CLIENTS_WAITING_FOR_READS), share));
        told.or_else(|| by_device(case))
    } else {
        library_time(case).map(|time| (Place::Metric(metric::CPU_PER_OPERATION), time.reads))
    };
    let Some((place, share)) = waits else { return Verdict::Elsewhere };
    let evidence = Evidence::at("read-wait", place).arg("share", share);
    if share < DECIDES {
        return Verdict::Free(evidence);
    }
    let mut found = finding("page-read-bound", Severity::Note)
        .arg("share", share)
        .arg("engine", if served { "server" } else { "library" })
        .arg("option", client_option(case))
        .because(evidence);
    found.resource = measure::devices_name(case);
    Verdict::Full(Box::new(found))
}

/// The share of the clients' time that the reads of a server take that says nothing of its sessions, where it is one that we
/// started: how many reads its device had at once in the mean, by the kernel's count of their time.
fn by_device(case: &CaseResult) -> Option<(Place, f64)> {
    let devices = measure::devices(case);
    let device = &devices.first()?.resource;
    let at_once = measure::median(case, |trial| measure::rate(trial, device, "read_ms"))?;
    Some((measure::place(case, device, "read_ms")?, (at_once / clients(case)).min(1.0)))
}
