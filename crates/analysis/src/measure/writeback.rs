//! How full the page cache is of what is not written yet, and what the load got before and after the
//! kernel slowed it down for that. Where a control group of version 2 has a limit of its memory, the
//! group's part of the page cache counts as well as the machine's: whichever is full slows down.

use model::finding::Place;
use model::profile::LoadProfile;
use model::resource::PathStep;
use model::run::CaseResult;
use model::trial::{Series, TrialResult, Window};
use model::{Resource, ResourceKind, SeriesName, series};

use super::load::{profile, writes_through_cache};
use super::median;

/// Of a case: medians over its trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Writeback {
    /// The share of the window in which writers were slowed down.
    pub(crate) throttled: f64,
    /// Bytes that waited to be written, at most.
    pub(crate) dirty: f64,
    /// From so many on writers are slowed down.
    pub(crate) limit: f64,
    /// More than so many never wait.
    pub(crate) most: f64,
    /// What the load wrote per second meanwhile; where it never came to that, in all of the window.
    pub(crate) rate: f64,
    /// Bytes of memory that our control group is held to, where its part of the page cache is what
    /// all this is of.
    pub(crate) group: Option<f64>,
}

impl Writeback {
    /// The series that tells how much waits to be written.
    pub(crate) fn place(&self) -> Place {
        match self.group {
            Some(_) => Place::Series { resource: Resource::CGROUP_MEMORY, name: series::GROUP_DIRTY },
            None => Place::Series { resource: Resource::MEMORY, name: series::DIRTY_PAGES },
        }
    }
}

/// What a load got before it was slowed down and after, in one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Absorbed {
    /// Bytes until then.
    pub(crate) bytes: f64,
    /// Bytes per second until then.
    pub(crate) head: f64,
    /// Bytes per second from then on.
    pub(crate) sustained: f64,
    /// Bytes per second in all of the window.
    pub(crate) mean: f64,
}

/// Of a load that writes through the page cache, where that was watched.
pub(crate) fn writeback(case: &CaseResult) -> Option<Writeback> {
    if !writes_through_cache(profile(case)) {
        return None;
    }
    let domain = domain(case);
    Some(Writeback {
        throttled: median(case, |trial| Some(Course::of(&trial.result, domain)?.throttled()))?,
        dirty: median(case, |trial| Some(Course::of(&trial.result, domain)?.highest()))?,
        limit: median(case, |trial| Some(Course::of(&trial.result, domain)?.limit))?,
        most: median(case, |trial| Some(Course::of(&trial.result, domain)?.threshold))?,
        rate: median(case, |trial| {
            let window = trial.result.window?;
            let from = Course::of(&trial.result, domain)?.begins_ns().unwrap_or(window.start_ns);
            mean_between(&trial.result, from, window.end_ns)
        })?,
        group: match domain {
            Domain::Machine => None,
            Domain::Group => {
                median(case, |trial| middle(&trial.result, &Domain::Group.resource(), series::GROUP_LIMIT))
            }
        },
    })
}

/// Bytes that the tightest memory limit at or above our control group allows, and what it leaves: the medians over
/// trials. A series of nothing but zeros is not kept, so one that is not there leaves nothing.
pub(crate) fn group_memory(case: &CaseResult) -> Option<(f64, f64)> {
    let of = |name| median(case, |trial| middle(&trial.result, &Resource::CGROUP_MEMORY, name));
    let limit = of(series::GROUP_LIMIT).filter(|limit| *limit > 0.0)?;
    Some((limit, of(series::GROUP_HEADROOM).unwrap_or_default()))
}

/// What the main load of a trial got before and after it was slowed down: absent where that was not in the
/// window, or stood at one of its ends.
pub(crate) fn absorbed(profile: &LoadProfile, path: &[PathStep], result: &TrialResult) -> Option<Absorbed> {
    if !writes_through_cache(profile) {
        return None;
    }
    let window = result.window?;
    let course = Course::of(result, domain_of(path, result))?;
    let at = course.begins_ns()?;
    // A single reading at an end says nothing.
    let room = EDGE * course.interval_ns;
    if at < window.start_ns + room || at + room > window.end_ns {
        return None;
    }
    let head = mean_between(result, window.start_ns, at)?;
    let sustained = mean_between(result, at, window.end_ns)?;
    let mean = mean_between(result, window.start_ns, window.end_ns)?;
    Some(Absorbed { bytes: head * (at - window.start_ns) as f64 / 1e9, head, sustained, mean })
}

/// Bytes per second of the main load of a trial after the page cache was so full of what waits to be written
/// that the kernel slowed it down: what `cache-absorbed-the-head` calls sustained. Absent where that did not
/// happen in the window, or too near to one of its ends.
#[must_use]
pub fn sustained(profile: &LoadProfile, path: &[PathStep], result: &TrialResult) -> Option<f64> {
    absorbed(profile, path, result).map(|found| found.sustained)
}

/// Bytes per second of the main load of a trial in the fastest second of its window; where the intervals of its
/// series are longer, in the fastest of these. Absent where the window is shorter.
#[must_use]
pub fn peak(result: &TrialResult) -> Option<f64> {
    let Window { start_ns, end_ns } = result.window?;
    let series = throughput(result)?;
    let length = series.interval_ns.max(1);
    let starts = (0..).map(|i: u64| series.start_ns.saturating_add(i.saturating_mul(length)));
    let is_inside = |start: u64| start >= start_ns && start.saturating_add(length) <= end_ns;
    let inside: Vec<f64> =
        starts.zip(&series.values).filter(|(start, _)| is_inside(*start)).map(|(_, value)| *value).collect();
    let second = usize::try_from(1_000_000_000_u64.div_ceil(length)).ok()?;
    inside.windows(second).map(|values| values.iter().sum::<f64>() / second as f64).reduce(f64::max)
}

/// So many readings lie on either side.
const EDGE: u64 = 3;

/// The readings of one window.
struct Course<'a> {
    dirty: &'a [f64],
    /// Empty where nothing was ever being written: such a series is not kept.
    writeback: &'a [f64],
    /// Bytes from which on writers are slowed down: the median over the window, for it moves with what
    /// memory is free.
    limit: f64,
    threshold: f64,
    start_ns: u64,
    interval_ns: u64,
}

impl<'a> Course<'a> {
    fn of(result: &'a TrialResult, domain: Domain) -> Option<Self> {
        let resource = domain.resource();
        let (waiting, written) = match domain {
            Domain::Machine => (series::DIRTY_PAGES, series::WRITEBACK_PAGES),
            Domain::Group => (series::GROUP_DIRTY, series::GROUP_WRITEBACK),
        };
        let (dirty, start_ns) = in_window(result, &resource, waiting)?;
        let writeback = in_window(result, &resource, written).map_or(&[][..], |(values, _)| values);
        let share = match domain {
            Domain::Machine => 1.0,
            Domain::Group => share_of_group(result)?,
        };
        let of_machine = |name| middle(result, &Resource::MEMORY, name);
        let threshold = share * of_machine(series::DIRTY_THRESHOLD)?;
        // `dirty_freerun_ceiling` in `mm/page-writeback.c`.
        let limit = (threshold + share * of_machine(series::DIRTY_BACKGROUND_THRESHOLD)?) / 2.0;
        let interval_ns = series_of(result, &resource, waiting)?.interval_ns;
        let is_known = limit > 0.0 && !dirty.is_empty();
        is_known.then_some(Self { dirty, writeback, limit, threshold, start_ns, interval_ns })
    }

    /// What waits to be written, with what is being written.
    fn waiting(&self) -> impl Iterator<Item = f64> {
        let written = self.writeback.iter().copied().chain(std::iter::repeat(0.0));
        self.dirty.iter().zip(written).map(|(dirty, written)| dirty + written)
    }

    fn highest(&self) -> f64 {
        self.waiting().fold(0.0, f64::max)
    }

    fn throttled(&self) -> f64 {
        let above = self.waiting().filter(|waiting| *waiting >= self.limit).count();
        above as f64 / self.dirty.len() as f64
    }

    /// When it first came to that.
    fn begins_ns(&self) -> Option<u64> {
        let first = self.waiting().position(|waiting| waiting >= self.limit)?;
        Some(self.start_ns + first as u64 * self.interval_ns)
    }
}

/// Whose part of the page cache is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    /// All of it.
    Machine,
    /// That of our own control group.
    Group,
}

impl Domain {
    fn resource(self) -> Resource {
        match self {
            Domain::Machine => Resource::MEMORY,
            Domain::Group => Resource::CGROUP_MEMORY,
        }
    }
}

/// The domain whose thresholds slowed the writer down for longer.
fn domain(case: &CaseResult) -> Domain {
    let throttled = |domain| median(case, |trial| Some(Course::of(&trial.result, domain)?.throttled()));
    longer(&case.path, throttled)
}

/// That of one trial.
fn domain_of(path: &[PathStep], result: &TrialResult) -> Domain {
    longer(path, |domain| Some(Course::of(result, domain)?.throttled()))
}

fn longer(path: &[PathStep], throttled: impl Fn(Domain) -> Option<f64>) -> Domain {
    let is_group = writes_back_by_group(path)
        && throttled(Domain::Group).is_some_and(|share| share > throttled(Domain::Machine).unwrap_or(0.0));
    if is_group { Domain::Group } else { Domain::Machine }
}

/// File systems that write back what a control group made dirty for that group (`SB_I_CGROUPWB` in
/// `fs/*/super.c`); a bare block device does as well.
const BY_GROUP: &[&str] = &["btrfs", "ext2", "ext3", "ext4", "f2fs", "xfs"];

/// Whether what the load writes is written back for its group, by the file system that it lies on.
fn writes_back_by_group(path: &[PathStep]) -> bool {
    let first = path.iter().find(|step| {
        step.resource.is_named(ResourceKind::FileSystem) || step.resource.is_named(ResourceKind::Block)
    });
    first.is_some_and(|step| match step.resource.file_system_type() {
        Some(kind) => BY_GROUP.contains(&kind),
        None => step.resource.is_named(ResourceKind::Block),
    })
}

/// The group's part of the machine's thresholds: as much as of the memory that may be dirty is the
/// group's (`mdtc_calc_avail` and `domain_dirty_limits` in `mm/page-writeback.c`): its files, and of
/// what its limit leaves no more than others have clean. Nothing where no limit holds it.
fn share_of_group(result: &TrialResult) -> Option<f64> {
    let all = |names: &[SeriesName], resource: &Resource| -> f64 {
        names.iter().filter_map(|name| middle(result, resource, *name)).sum()
    };
    let group = |names: &[SeriesName]| all(names, &Resource::CGROUP_MEMORY);
    let machine = |names: &[SeriesName]| all(names, &Resource::MEMORY);
    // A series of nothing but zeros is not kept: nothing may be left.
    middle(result, &Resource::CGROUP_MEMORY, series::GROUP_LIMIT).filter(|limit| *limit > 0.0)?;
    let headroom = group(&[series::GROUP_HEADROOM]);
    let files = group(&[series::GROUP_ACTIVE_FILE, series::GROUP_INACTIVE_FILE]);
    let clean = (files - group(&[series::GROUP_DIRTY, series::GROUP_WRITEBACK])).max(0.0);
    let free = middle(result, &Resource::MEMORY, series::FREE_PAGES)?;
    let available = free + machine(&[series::ACTIVE_FILE_PAGES, series::INACTIVE_FILE_PAGES]);
    let all_clean = (available - machine(&[series::DIRTY_PAGES, series::WRITEBACK_PAGES])).max(0.0);
    let of_others = (all_clean - clean).max(0.0);
    (available > 0.0).then(|| (files + headroom.min(of_others)) / available)
}

fn series_of<'a>(result: &'a TrialResult, resource: &Resource, name: SeriesName) -> Option<&'a Series> {
    let all = &result.local().series;
    all.iter().find(|s| s.resource == *resource && s.name == name && s.interval_ns > 0)
}

/// The readings in the window, and when the first of them was.
fn in_window<'a>(result: &'a TrialResult, resource: &Resource, name: SeriesName) -> Option<(&'a [f64], u64)> {
    let (series, window) = (series_of(result, resource, name)?, result.window?);
    let place =
        |at: u64| usize::try_from(at.saturating_sub(series.start_ns).div_ceil(series.interval_ns)).ok();
    let first = place(window.start_ns)?;
    let last = window.end_ns.saturating_sub(series.start_ns) / series.interval_ns;
    let values = series.values.get(first..usize::try_from(last).ok()?.min(series.values.len()))?;
    // A reading tells how it stood when its interval ended.
    Some((values, series.start_ns + (first as u64 + 1) * series.interval_ns))
}

/// Bytes per second of the main load, over time.
fn throughput(result: &TrialResult) -> Option<&Series> {
    result.main().series.iter().find(|s| s.name == series::THROUGHPUT)
}

/// The median of a series in the window.
fn middle(result: &TrialResult, resource: &Resource, name: SeriesName) -> Option<f64> {
    stats::interval::median(in_window(result, resource, name)?.0)
}

/// Bytes per second of the main load between two moments.
fn mean_between(result: &TrialResult, from_ns: u64, to_ns: u64) -> Option<f64> {
    let series = throughput(result)?;
    let length = series.interval_ns.max(1);
    let starts = (0..).map(|i: u64| series.start_ns.saturating_add(i.saturating_mul(length)));
    let inside = |(start, value): (u64, &f64)| {
        let overlap = start.saturating_add(length).min(to_ns).saturating_sub(start.max(from_ns));
        value * overlap as f64 / 1e9
    };
    let sum: f64 = starts.zip(&series.values).map(inside).sum();
    (to_ns > from_ns).then(|| sum / ((to_ns - from_ns) as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use model::Unit;
    use model::trial::{LOCAL, LoadTrial};

    use super::*;

    /// A load of these rates from 900 ms on, in intervals of 250 ms; the window begins with the second one.
    fn of_rates(values: &[f64], intervals: u64) -> TrialResult {
        let series = Series {
            resource: Resource::LOAD,
            name: series::THROUGHPUT,
            unit: Unit::BytesPerSecond,
            start_ns: 900_000_000,
            interval_ns: 250_000_000,
            values: values.to_vec(),
        };
        let start_ns = 1_150_000_000;
        TrialResult {
            window: Some(Window { start_ns, end_ns: start_ns + 250_000_000 * intervals }),
            loads: vec![LoadTrial { series: vec![series], ..LoadTrial::of(0, LOCAL) }],
            ..TrialResult::default()
        }
    }

    #[test]
    fn the_peak_is_the_fastest_second_of_the_window() {
        // The first interval is of the warm-up, and the last one lies behind the window.
        let rates = [9e9, 100.0, 200.0, 400.0, 300.0, 500.0, 0.0, 9e9];
        assert_eq!(peak(&of_rates(&rates, 6)), Some(350.0));
        assert_eq!(peak(&of_rates(&rates, 4)), Some(250.0));
        assert_eq!(peak(&of_rates(&rates, 3)), None, "the window is shorter than a second");
        assert_eq!(peak(&TrialResult::default()), None);
    }
}
