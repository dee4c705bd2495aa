//! Pages that are read: what transactions need is not in memory.

use model::run::CaseResult;
use model::{Severity, metric};

use super::{client_option, is_one, is_served, library_time, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding, shown};
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
    let (metric, waits) = if served {
        (metric::CLIENTS_WAITING_FOR_READS, share(case, metric::CLIENTS_WAITING_FOR_READS))
    } else {
        (metric::CPU_PER_OPERATION, library_time(case).map(|time| time.reads))
    };
    let Some(share) = waits else { return Verdict::Elsewhere };
    let evidence = shown("read-wait", metric).arg("share", share);
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
