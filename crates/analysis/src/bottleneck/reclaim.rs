//! A control group whose memory is full, while less is swapped than is felt: its tasks wait until pages of its files are
//! given up, or are made to sleep because they are above `memory.high` (`Documentation/admin-guide/cgroup-v2.rst`).
//!
//! Nobody counts these sleeps for each task; the group's own pressure has them (`full` of `memory.pressure`,
//! `Documentation/accounting/psi.rst`). It is held against the group only where its limit leaves next to nothing: a machine
//! that runs out of memory presses its groups as well. Groups of version 1 have no pressure of their own. There it is what is
//! left of the time of a load that writes through the page cache and syncs nothing, while the machine slows no writer down:
//! whoever wants a page waits until another was written (`shrink_folio_list` in mm/vmscan.c).

use model::finding::{Evidence, Place};
use model::profile::{Durability, OperationClass};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Finding, Resource, Severity, fact};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::measure::End;
use crate::validity::swapping;
use crate::{Context, measure};

/// A limit of which no more than this share is left is reached: the kernel frees some before it is.
pub(super) const LEFT: f64 = 0.1;

pub(super) const ENGLISH: &str = r#"
finding-reclaim-bound =
    the control group's memory is full, and { $by ->
        [again] that holds this back: its page cache holds less than is read again and again, so that { PERCENT($again) } of what the
            device delivers had been in memory before, and the load waits { PERCENT($share) } of the time for it
       *[wait] making room in it holds this back: { PERCENT($share) } of the time { $by ->
            [rest] its threads wait for it
           *[pressure] all its tasks that had work stood still for memory
        }, though less than 1 MB/s was swapped
    }; its limit is { BINARY($limit) }{ $which ->
        [high] {" "}(memory.high)
        [max] {" "}(memory.max)
       *[none] {""}
    }
    .advice =
        raise memory.high and memory.max of the group (MemoryHigh and MemoryMax of systemd, memory.limit_in_bytes of version 1),
        or measure outside of it; a load past the page cache (--direct yes) needs less

evidence-read-again =
    { PERCENT($again) } of what the device delivers had been in memory not long before (workingset_refault_file); { PERCENT($left) } of
    the { BINARY($limit) } of the control group was left
evidence-reclaim-wait =
    { $by ->
        [rest] threads that write into the page cache neither computed nor stood ready without a CPU { PERCENT($share) } of the
            time, and no writer is slowed down for the machine's sake
       *[pressure] all tasks of the control group stood still for memory { PERCENT($share) } of the time
    }; { PERCENT($left) } of its { BINARY($limit) } was left
"#;

/// Writers that are slowed down for less of the time than this for the machine's sake hardly feel it.
const UNFELT: f64 = 0.1;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let swapped = swapping::rate_of_all(case);
    let Some((limit, left)) = measure::group_memory(case) else { return Verdict::Elsewhere };
    let is_reached = left <= LEFT * limit && swapped < swapping::FELT;
    if let Some(found) = read_again(case, context).filter(|_| is_reached) {
        let found = found.arg("limit", limit as u64).arg("which", which(case));
        return Verdict::Full(Box::new(with_limit(found, limit, left)));
    }
    let told = if is_reached { pressed(case).or_else(|| left_over(case)) } else { None };
    let Some(Stalled { share, by, place }) = told else { return Verdict::Elsewhere };
    let evidence = Evidence::maybe_at("reclaim-wait", place)
        .arg("share", share)
        .arg("by", by)
        .arg("left", left / limit)
        .arg("limit", limit as u64);
    if share < DECIDES {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("reclaim-bound", Severity::Warning)
            .on(Resource::CGROUP_MEMORY)
            .arg("share", share)
            .arg("by", by)
            .arg("limit", limit as u64)
            .arg("which", which(case))
            .because(evidence),
    ))
}

/// Which limit of the group it came to, where the group counts that.
fn which(case: &CaseResult) -> &'static str {
    let came = |name: &str| {
        measure::median(case, |trial| measure::rate(trial, &Resource::CGROUP_MEMORY, name))
            .is_some_and(|rate| rate > 0.0)
    };
    ["high", "max"].into_iter().find(|name| came(name)).unwrap_or("none")
}

/// From this share of what a device delivers on that had been in memory before, it is for want of memory that it is read.
const AGAIN: f64 = 0.5;

/// A load that reads through the page cache what this gave up for the sake of the group's limit, and waits for it most of its time.
/// What would not fit the memory of the machine either is none of it.
fn read_again(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let profile = measure::profile(case);
    let reads = profile.does(OperationClass::Read) && !measure::is_direct(case) && !measure::is_net(case);
    let memory = context.machine.map(|machine| machine.inventory.memory.total_bytes as f64);
    let fits = measure::span(case).zip(memory).is_none_or(|(span, memory)| span as f64 <= memory);
    let devices = measure::devices(case);
    let again = measure::median(case, |trial| {
        let again = measure::rate(trial, &Resource::CGROUP_MEMORY, READ_AGAIN)?;
        let read = |step: &&PathStep| measure::rate(trial, &step.resource, "read_sectors");
        let read = devices.iter().map(read).sum::<Option<f64>>().filter(|read| *read > 0.0)?;
        Some((again / read).min(1.0))
    });
    let again = again.filter(|again| reads && fits && *again >= AGAIN)?;
    let wanted = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
    let share = (1.0 - wanted).max(0.0);
    let place = measure::place(case, &Resource::CGROUP_MEMORY, READ_AGAIN)?;
    (share >= DECIDES).then(|| {
        finding("reclaim-bound", Severity::Warning)
            .on(Resource::CGROUP_MEMORY)
            .arg("by", "again")
            .arg("share", share)
            .arg("again", again)
            .because(Evidence::at("read-again", place).arg("again", again))
    })
}

/// What counts pages that were read though they had been in memory before.
const READ_AGAIN: &str = "workingset_refault_file";

/// With the limit in its evidence, too.
fn with_limit(mut found: Finding, limit: f64, left: f64) -> Finding {
    for evidence in &mut found.evidence {
        *evidence = std::mem::take(evidence).arg("limit", limit as u64).arg("left", left / limit);
    }
    found
}

/// For which share of the time memory was waited for, and what tells.
struct Stalled {
    share: f64,
    by: &'static str,
    place: Option<Place>,
}

/// By the pressure of the group.
fn pressed(case: &CaseResult) -> Option<Stalled> {
    let share = measure::median(case, |trial| measure::rate(trial, &Resource::CGROUP_MEMORY, "full"))?;
    let place = measure::place(case, &Resource::CGROUP_MEMORY, "full");
    Some(Stalled { share: share.min(1.0), by: "pressure", place })
}

/// By what the threads of a writer do for the rest of their time, all of them together: they may wait for one of them.
fn left_over(case: &CaseResult) -> Option<Stalled> {
    let profile = measure::profile(case);
    let syncs = !matches!(profile.durability, Durability::None | Durability::End);
    let is_slowed = measure::writeback(case).is_none_or(|found| found.throttled >= UNFELT);
    let is_writer = measure::writes_through_cache(profile) && !measure::is_mixed(case);
    if !is_writer || syncs || is_slowed || measure::is_net(case) || !measure::is_closed(case) {
        return None;
    }
    let wanted = End::Drives.wanted_share(case)? * measure::workers(case).max(1.0);
    let share = (1.0 - wanted).clamp(0.0, 1.0);
    Some(Stalled { share, by: "rest", place: Some(Place::Fact(fact::RUN_DELAY)) })
}

#[cfg(test)]
mod tests {
    use model::trial::{Series, Window};
    use model::{Quantity, SeriesName, Unit, metric, series};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::{cache_absorbed, fixture};

    const MIB: f64 = 1024.0 * 1024.0;

    /// What is read of the group for a second.
    fn flat(name: SeriesName, value: f64) -> Series {
        Series {
            resource: Resource::CGROUP_MEMORY,
            name,
            unit: Unit::Bytes,
            start_ns: 0,
            interval_ns: 100_000_000,
            values: vec![value; 10],
        }
    }

    /// A load in a group of 256 MiB of which so much is left, whose tasks stood still for so long of each second, while so
    /// many pages were swapped.
    fn found(left_mib: Option<f64>, stalled_us: u64, pages: u64) -> model::Finding {
        let mut case = disk(1, 9_000.0, 110.0, 5.0);
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
            let local = trial.result.local_mut();
            local.series.push(flat(series::GROUP_LIMIT, 256.0 * MIB));
            local.series.extend(left_mib.map(|left| flat(series::GROUP_HEADROOM, left * MIB)));
            let full = fixture::counter(Resource::CGROUP_MEMORY, "memory.pressure full", 1e-6, stalled_us);
            local.counters.push(full);
            local.counters.push(fixture::counter("memory", "/proc/vmstat pswpin", 4096.0, pages));
        }
        verdict(&[case])
    }

    #[test]
    fn tasks_that_stand_still_in_a_full_group_are_held_back_by_its_limit() {
        let full = found(Some(2.0), 700_000, 0);
        assert_eq!(full.code, "reclaim-bound", "{full:?}");
        assert_eq!(full.resource, Some(Resource::CGROUP_MEMORY));
        assert!(full.text.contains("70 % of the time") && full.text.contains("256 MiB"), "{}", full.text);
        // A series of nothing but zeros is not kept: nothing was left.
        assert_eq!(found(None, 700_000, 0).code, "reclaim-bound");
    }

    #[test]
    fn a_group_with_room_or_tasks_that_hardly_wait_are_not() {
        let roomy = found(Some(100.0), 700_000, 0);
        assert_eq!(roomy.code, "latency-bound", "the machine presses it");
        let little = found(Some(2.0), 100_000, 0);
        assert_eq!(little.code, "latency-bound");
        assert!(little.ruled_out.iter().any(|e| e.code == "reclaim-wait"), "{little:?}");
        assert_eq!(found(Some(2.0), 700_000, 10_000).code, "swap-bound", "it was swapped");
    }

    /// Bug: of reads that a limit of memory keeps from the page cache the disk was said to be the limit.
    #[test]
    fn a_group_whose_page_cache_holds_less_than_is_read_again_is_held_back_by_its_limit() {
        let found = |again: f64, left_mib: Option<f64>, computes_us: f64| {
            let mut case = disk(1, 9_000.0, 110.0, computes_us);
            fixture::set(&mut case, "direct", false);
            for trial in &mut case.trials {
                trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
                let local = trial.result.local_mut();
                local.series.push(flat(series::GROUP_LIMIT, 256.0 * MIB));
                local.series.extend(left_mib.map(|left| flat(series::GROUP_HEADROOM, left * MIB)));
                let source = "memory.stat workingset_refault_file";
                let pages = (9_000.0 * again) as u64;
                local.counters.push(fixture::counter(Resource::CGROUP_MEMORY, source, 4096.0, pages));
            }
            verdict(&[case])
        };
        let full = found(0.9, Some(2.0), 5.0);
        assert_eq!(full.code, "reclaim-bound", "{full:?}");
        let text = "its page cache holds less than is read again and again, so that 90 % of what the device delivers";
        assert!(full.text.contains(text) && full.text.contains("256 MiB"), "{}", full.text);
        assert_eq!(found(0.1, Some(2.0), 5.0).code, "device-bound", "it reads what it never had");
        assert_eq!(found(0.9, Some(100.0), 5.0).code, "device-bound", "there is room");
        assert_ne!(found(0.9, Some(2.0), 90.0).code, "reclaim-bound", "it computes");
    }

    /// Bug: of a group of version 1, which has no pressure of its own, nothing was named.
    #[test]
    fn a_writer_that_waits_in_a_full_group_without_pressure_is_held_back_by_its_limit() {
        let found = |waiting: f64, left_mib: Option<f64>, computes: f64| {
            let mut case = cache_absorbed::tests::case(500e6, 500e6, waiting);
            let each = Quantity { value: computes / 500e6, unit: Unit::SecondsPerByte };
            for trial in &mut case.trials {
                let main = trial.result.main_mut();
                main.metrics.insert(metric::CPU_PER_BYTE, each);
                main.facts.insert(fact::RUN_DELAY, 0.1.into());
                let all = &mut trial.result.local_mut().series;
                all.push(flat(series::GROUP_LIMIT, 256.0 * MIB));
                all.extend(left_mib.map(|left| flat(series::GROUP_HEADROOM, left * MIB)));
            }
            verdict(&[case])
        };
        let full = found(11e6, None, 0.2);
        assert_eq!(full.code, "reclaim-bound", "{full:?}");
        assert!(full.text.contains("70 % of the time its threads wait for it"), "{}", full.text);
        assert_eq!(found(13e6, None, 0.2).code, "dirty-throttled", "the machine slows it down");
        assert_eq!(found(11e6, Some(100.0), 0.2).code, "cannot-tell", "there is room");
        assert_eq!(found(11e6, None, 0.6).code, "cannot-tell", "it computes");
    }
}
