//! Pages that are read: what transactions need is not in memory.

use model::database::{fact as facts, metric as names};
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, Severity, Trial, metric};

use super::{client_option, clients, is_one, is_served, library_time, log, median_of, round_trip, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding};
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-page-read-bound =
    bound by reads: { $how ->
        [rest] { PERCENT($share) } of the clients' time is neither the way, nor computing, nor locks or the log, while the server
            reads { FIXED($pages, decimals: 1) } pages for each transaction that its buffers do not hold
       *[waits] clients wait { PERCENT($share) } of the time for pages that are not in memory
    }
    .advice =
        larger buffers ({ $engine ->
            [library] --cache-size, or memory for the page cache
            [innodb] innodb_buffer_pool_size
            [postgres] shared_buffers, or memory for the page cache
           *[server] shared_buffers, innodb_buffer_pool_size
        }) hold more of the tables; a device that reads faster shortens each wait, and more --{ $option } have it read more at
        once

evidence-pages-read = the server reads { FIXED($pages, decimals: 1) } pages for each transaction that its buffers do not hold
evidence-buffers-of-data = its buffers have { BINARY($buffer) } for { BINARY($bytes) } of tables and indexes
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
    Verdict::Full(Box::new(bound(case, share).because(evidence).because_all(buffers(case))))
}

/// That reads hold it back, for such a share of the clients' time.
fn bound(case: &CaseResult, share: f64) -> Finding {
    let engine = match log::system(case).0 {
        _ if !is_served(case) => "library",
        system @ ("innodb" | "postgres") => system,
        _ => "server",
    };
    let mut found = finding("page-read-bound", Severity::Note)
        .arg("how", "waits")
        .arg("share", share)
        .arg("pages", 0.0)
        .arg("engine", engine)
        .arg("option", client_option(case));
    found.resource = measure::devices_name(case);
    found
}

/// Reads of a server that says nothing of its sessions' waits, and whose device nobody knows: what is left of the clients'
/// time when all else is taken from it, where the server reads pages in it and the time is one that reads take.
pub(in crate::bottleneck) fn examine_rest(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    rest(case).unwrap_or(Verdict::Elsewhere)
}

fn rest(case: &CaseResult) -> Option<Verdict> {
    let is_told = share(case, names::CLIENTS_WAITING_FOR_READS).is_some() || by_device(case).is_some();
    let pages = pages_read(case).filter(|pages| *pages >= 1.0 && !is_told && is_served(case))?;
    // All else must be known, or it may be that.
    for name in [names::SERVER_CPU, names::CLIENTS_WAITING_FOR_LOCKS, names::CLIENTS_WAITING_FOR_LOG] {
        median_of(case, name)?;
    }
    let (left, latency_s) = round_trip::left(case).filter(|(left, _)| *left >= DECIDES)?;
    let each_s = left * latency_s / pages;
    if each_s > READ_MOST_S {
        return None;
    }
    let evidence =
        Evidence::at("pages-read", Place::Metric(names::SERVER_PAGE_READS_PER_SECOND)).arg("pages", pages);
    let found = bound(case, left).arg("how", "rest").arg("pages", pages);
    Some(Verdict::Full(Box::new(found.because(evidence).because_all(buffers(case)))))
}

/// A page that takes longer to read waits for something else: a platter takes some 10 ms, and a few wait at once.
const READ_MOST_S: f64 = 0.05;

/// How many pages the server reads for each transaction.
fn pages_read(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let all = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND).filter(|all| *all > 0.0)?;
        Some(measure::measured(trial, names::SERVER_PAGE_READS_PER_SECOND)? / all)
    };
    measure::median(case, of)
}

/// How much the server's buffers have, where that is less than there is.
fn buffers(case: &CaseResult) -> Option<Evidence> {
    let number = |name| measure::median(case, |trial| measure::number(trial, name));
    let (buffer, bytes) = (number(facts::BUFFER_BYTES)?, number(facts::BYTES)?);
    let evidence = Evidence::at("buffers-of-data", Place::Fact(facts::BUFFER_BYTES));
    (buffer < bytes).then(|| Evidence { beside: true, ..evidence.arg("buffer", buffer).arg("bytes", bytes) })
}

/// The share of the clients' time that the reads of a server take that says nothing of its sessions, where it is one that we
/// started: how many reads its device had at once in the mean, by the kernel's count of their time.
fn by_device(case: &CaseResult) -> Option<(Place, f64)> {
    let devices = measure::devices(case);
    let device = &devices.first()?.resource;
    let at_once = measure::median(case, |trial| measure::rate(trial, device, "read_ms"))?;
    Some((measure::place(case, device, "read_ms")?, (at_once / clients(case)).min(1.0)))
}
