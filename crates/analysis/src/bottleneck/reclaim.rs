//! A control group whose memory is full, while less is swapped than is felt: its tasks wait until pages of its files are
//! given up, or are made to sleep because they are above `memory.high` (`Documentation/admin-guide/cgroup-v2.rst`).
//!
//! Nobody counts these sleeps for each task; the group's own pressure has them (`full` of `memory.pressure`,
//! `Documentation/accounting/psi.rst`). It is held against the group only where its limit leaves next to nothing: a machine
//! that runs out of memory presses its groups as well.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Resource, Severity};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::validity::swapping;
use crate::{Context, measure};

/// A limit of which no more than this share is left is reached: the kernel frees some before it is.
const LEFT: f64 = 0.1;

pub(super) const ENGLISH: &str = r#"
finding-reclaim-bound =
    the control group's memory is full, and making room in it holds this back: { PERCENT($share) } of the time all its tasks that
    had work stood still for memory, though less than 1 MB/s was swapped; its limit is { BINARY($limit) }
    .advice =
        raise memory.high and memory.max of the group (MemoryHigh and MemoryMax of systemd), or measure outside of it; a load
        past the page cache (--direct yes) needs less

evidence-reclaim-wait =
    all tasks of the control group stood still for memory { PERCENT($share) } of the time; { PERCENT($left) } of its
    { BINARY($limit) } was left
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let swapped = swapping::rate_of_all(case);
    let Some((limit, left)) = measure::group_memory(case) else { return Verdict::Elsewhere };
    let is_reached = left <= LEFT * limit && swapped < swapping::FELT;
    let pressure = measure::median(case, |trial| measure::rate(trial, &Resource::CGROUP_MEMORY, "full"))
        .filter(|_| is_reached);
    let Some(share) = pressure.map(|share| share.min(1.0)) else { return Verdict::Elsewhere };
    let evidence = Evidence::maybe_at("reclaim-wait", measure::place(case, &Resource::CGROUP_MEMORY, "full"))
        .arg("share", share)
        .arg("left", left / limit)
        .arg("limit", limit as u64);
    if share < DECIDES {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("reclaim-bound", Severity::Warning)
            .on(Resource::CGROUP_MEMORY)
            .arg("share", share)
            .arg("limit", limit as u64)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use model::trial::{Series, Window};
    use model::{SeriesName, Unit, series};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    const MIB: f64 = 1024.0 * 1024.0;

    /// A load in a group of 256 MiB of which so much is left, whose tasks stood still for so long of each second, while so
    /// many pages were swapped.
    fn found(left_mib: Option<f64>, stalled_us: u64, pages: u64) -> model::Finding {
        let mut case = disk(1, 9_000.0, 110.0, 5.0);
        let flat = |name: SeriesName, value: f64| Series {
            resource: Resource::CGROUP_MEMORY,
            name,
            unit: Unit::Bytes,
            start_ns: 0,
            interval_ns: 100_000_000,
            values: vec![value; 10],
        };
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
}
