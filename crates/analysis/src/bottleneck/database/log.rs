//! The log: each transaction that writes waits until what it wrote is flushed to where it lasts. Several that end
//! together wait for one flush (group commit), so that a flush may give as many as there are clients, and no more wait
//! for it.

use model::database::{fact as facts, metric as names};
use model::finding::{Evidence, Place};
use model::profile::WaitsFor;
use model::run::CaseResult;
use model::{FactName, Severity, Trial, metric};

use super::{client_option, clients, is_one, is_served, library_time, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding, shown};
use crate::{Context, measure};

/// If a flush stood for so many times as many transactions as there are clients, they did not wait for it. Some
/// transactions only read, so that it need not be one.
const NOT_WAITED: f64 = 4.0;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-log-flush-bound =
    log-flush-bound: { FIXED($outstanding) } at a time, each waits { PERCENT($share) } of its time until what it committed
    is flushed{ $grouped ->
        [yes] ; a flush stands for { FIXED($each, decimals: 1) } transactions
       *[no] {""}
    }{ $timed ->
        [yes] ; the device takes { SHORT($flush_s, unit: "s") } for a flush
       *[no] {""}
    }
    .advice =
        { $system ->
            [innodb] with innodb_flush_log_at_trx_commit=2 nobody waits, but a power cut may lose up to a second of
                transactions; a device that flushes faster (one with power-loss protection) loses none, and with more
                --{ $option } several transactions share a flush
            [postgres] with synchronous_commit=off nobody waits, but a crash may lose the last transactions; a device that
                flushes faster (one with power-loss protection) loses none, and with more --{ $option } several
                transactions share a flush
            [sqlite] with more statements in each transaction fewer flushes are needed; with --synchronous normal and
                --journal-mode wal nobody waits, but a power cut may lose the last transactions; a device that flushes
                faster loses none
           *[other] a device that flushes faster (one with power-loss protection) gives more, and with more --{ $option }
                several transactions share a flush
        }

evidence-log-wait = its clients wait { PERCENT($share) } of the time for the log
evidence-log-unwaited =
    a flush of the log stands for { FIXED($each) } transactions of { FIXED($outstanding) } clients, so that they do not
    wait for it
evidence-setting = { $name } is { $value }
evidence-device-work =
    meanwhile { RESOURCE($resource) } moved { SHORT($moved, unit: "B/s") }, { BINARY($each) } for each transaction: where
    that is more than the database moves, it waits for what others do there
"#;

/// Bytes of the device for each transaction from which on others may be among them: a changed page of 16 KiB is written
/// twice, and a few of them are changed.
const MUCH: f64 = 262_144.0;

/// So many times as much as the pages that a server asks for may be read with them.
const READ_AHEAD: f64 = 4.0;

/// That the device of a database had much to do for each transaction: others may use it.
pub(in crate::bottleneck) fn device_work(case: &CaseResult) -> Option<Evidence> {
    if !is_one(case) {
        return None;
    }
    let devices = measure::devices(case);
    let device = &devices.first()?.resource;
    let (_, rate) = measure::operations(case).filter(|(_, rate)| *rate > 0.0)?;
    let of = |trial: &Trial| {
        Some(measure::rate(trial, device, "read_sectors")? + measure::rate(trial, device, WRITTEN)?)
    };
    // Pages of 16 KiB that the server says it read are its own, and some are read ahead.
    let pages = measure::median(case, |trial| measure::measured(trial, names::SERVER_PAGE_READS_PER_SECOND));
    let own = READ_AHEAD * 16_384.0 * pages.unwrap_or_default();
    let moved = measure::median(case, of).filter(|moved| *moved >= (MUCH * rate).max(own))?;
    let evidence = Evidence::at("device-work", measure::place(case, device, WRITTEN)?);
    let evidence = evidence.arg("resource", device.as_str()).arg("moved", moved);
    Some(evidence.arg("each", (moved / rate) as u64))
}

/// What a kernel counts of a device that is written.
const WRITTEN: &str = "written_sectors";

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    if !is_one(case) || !measure::profile(case).may_wait_for(&WaitsFor::Flush) {
        return Verdict::Elsewhere;
    }
    let served = is_served(case);
    let metric = if served { names::CLIENTS_WAITING_FOR_LOG } else { names::CLIENTS_COMMITTING };
    let waits = if served { share(case, metric) } else { library_time(case).map(|time| time.log) };
    let Some(share) = waits else { return Verdict::Elsewhere };
    let each = grouped(case);
    if let Some(each) = each.filter(|each| *each > NOT_WAITED * clients(case)) {
        let evidence = shown("log-unwaited", names::SERVER_FLUSHES_PER_SECOND);
        return Verdict::Free(evidence.arg("each", each).arg("outstanding", clients(case)));
    }
    let evidence = shown("log-wait", metric).arg("share", share);
    if share < DECIDES {
        return Verdict::Free(evidence);
    }
    let flushed = flush_time(case);
    let (system, setting) = system(case);
    let mut found = finding("log-flush-bound", Severity::Note)
        .arg("outstanding", clients(case))
        .arg("share", share)
        .arg("grouped", each.is_some())
        .arg("each", each.unwrap_or(0.0))
        .arg("timed", flushed.is_some())
        .arg("flush_s", flushed.unwrap_or(0.0))
        .arg("system", system)
        .arg("option", client_option(case))
        .because(evidence)
        .because_all(setting.and_then(|name| set_to(case, name)));
    found.resource = measure::devices_name(case);
    Verdict::Full(Box::new(found))
}

/// How many transactions there are for each flush that the server counts.
fn grouped(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let flushes = measure::measured(trial, names::SERVER_FLUSHES_PER_SECOND)?;
        let all = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND)?;
        // Where there was none, one is on its way.
        Some(all / flushes.max(1.0 / trial.result.window?.seconds()))
    };
    measure::median(case, of)
}

/// How long the device takes to flush, by the kernel's count of its flushes and of the time that they took.
fn flush_time(case: &CaseResult) -> Option<f64> {
    let devices = measure::devices(case);
    let device = &devices.first()?.resource;
    measure::median(case, |trial| {
        let flushes = measure::change(trial, device, "flushes").filter(|flushes| *flushes > 0.0)?;
        Some(measure::change(trial, device, "flush_ms")? / flushes)
    })
    .filter(|time_s| *time_s > 0.0)
}

/// The database, and the fact that says for what a commit waits.
pub(super) fn system(case: &CaseResult) -> (&'static str, Option<FactName>) {
    let known = [
        ("innodb", facts::INNODB_FLUSH_LOG_AT_TRX_COMMIT),
        ("postgres", facts::SYNCHRONOUS_COMMIT),
        ("sqlite", facts::SYNCHRONOUS),
    ];
    let has = |name: FactName| measure::good(case).any(|trial| trial.result.main().facts.contains_key(&name));
    let found = known.into_iter().find(|(_, name)| has(*name));
    found.map_or(("other", None), |(system, name)| (system, Some(name)))
}

fn set_to(case: &CaseResult, name: FactName) -> Option<Evidence> {
    let value = measure::good(case).find_map(|trial| trial.result.main().facts.get(&name))?;
    let evidence = Evidence::at("setting", Place::Fact(name)).arg("name", name.to_string());
    Some(evidence.arg("value", value.to_string()))
}
