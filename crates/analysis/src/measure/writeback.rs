//! How full the page cache is of what is not written yet, and what the load got before and after the
//! kernel slowed it down for that. Where a control group of version 2 has a limit of its memory, the
//! group's part of the page cache counts as well as the machine's: whichever is full slows down.

use model::finding::Place;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::trial::Series;
use model::{Resource, ResourceKind, SeriesName, Trial, series};

use super::load::{does, is_direct, is_null};
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
    if is_direct(case) || is_null(case) || !does(case, OperationClass::Write) {
        return None;
    }
    let domain = domain(case);
    Some(Writeback {
        throttled: median(case, |trial| Some(Course::of(trial, domain)?.throttled()))?,
        dirty: median(case, |trial| Some(Course::of(trial, domain)?.highest()))?,
        limit: median(case, |trial| Some(Course::of(trial, domain)?.limit))?,
        most: median(case, |trial| Some(Course::of(trial, domain)?.threshold))?,
        rate: median(case, |trial| {
            let window = trial.result.window?;
            let from = Course::of(trial, domain)?.begins_ns().unwrap_or(window.start_ns);
            mean_between(trial, from, window.end_ns)
        })?,
        group: match domain {
            Domain::Machine => None,
            Domain::Group => {
                median(case, |trial| middle(trial, &Domain::Group.resource(), series::GROUP_LIMIT))
            }
        },
    })
}

/// What a trial got before and after its writer was slowed down: absent where that was not in the
/// window, or stood at one of its ends.
pub(crate) fn absorbed(case: &CaseResult, trial: &Trial) -> Option<Absorbed> {
    if is_direct(case) || is_null(case) || !does(case, OperationClass::Write) {
        return None;
    }
    let window = trial.result.window?;
    let course = Course::of(trial, domain(case))?;
    let at = course.begins_ns()?;
    // A single reading at an end says nothing.
    let room = EDGE * course.interval_ns;
    if at < window.start_ns + room || at + room > window.end_ns {
        return None;
    }
    let head = mean_between(trial, window.start_ns, at)?;
    let sustained = mean_between(trial, at, window.end_ns)?;
    let mean = mean_between(trial, window.start_ns, window.end_ns)?;
    Some(Absorbed { bytes: head * (at - window.start_ns) as f64 / 1e9, head, sustained, mean })
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
    fn of(trial: &'a Trial, domain: Domain) -> Option<Self> {
        let resource = domain.resource();
        let (waiting, written) = match domain {
            Domain::Machine => (series::DIRTY_PAGES, series::WRITEBACK_PAGES),
            Domain::Group => (series::GROUP_DIRTY, series::GROUP_WRITEBACK),
        };
        let (dirty, start_ns) = in_window(trial, &resource, waiting)?;
        let writeback = in_window(trial, &resource, written).map_or(&[][..], |(values, _)| values);
        let share = match domain {
            Domain::Machine => 1.0,
            Domain::Group => share_of_group(trial)?,
        };
        let of_machine = |name| middle(trial, &Resource::MEMORY, name);
        let threshold = share * of_machine(series::DIRTY_THRESHOLD)?;
        // `dirty_freerun_ceiling` in `mm/page-writeback.c`.
        let limit = (threshold + share * of_machine(series::DIRTY_BACKGROUND_THRESHOLD)?) / 2.0;
        let interval_ns = series_of(trial, &resource, waiting)?.interval_ns;
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
    let throttled = |domain| median(case, |trial| Some(Course::of(trial, domain)?.throttled()));
    let is_group = writes_back_by_group(case)
        && throttled(Domain::Group).is_some_and(|share| share > throttled(Domain::Machine).unwrap_or(0.0));
    if is_group { Domain::Group } else { Domain::Machine }
}

/// File systems that write back what a control group made dirty for that group (`SB_I_CGROUPWB` in
/// `fs/*/super.c`); a bare block device does as well.
const BY_GROUP: &[&str] = &["btrfs", "ext2", "ext3", "ext4", "f2fs", "xfs"];

/// Whether what the load writes is written back for its group, by the file system that it lies on.
fn writes_back_by_group(case: &CaseResult) -> bool {
    let first = case.path.iter().find(|step| {
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
fn share_of_group(trial: &Trial) -> Option<f64> {
    let all = |names: &[SeriesName], resource: &Resource| -> f64 {
        names.iter().filter_map(|name| middle(trial, resource, *name)).sum()
    };
    let group = |names: &[SeriesName]| all(names, &Resource::CGROUP_MEMORY);
    let machine = |names: &[SeriesName]| all(names, &Resource::MEMORY);
    // A series of nothing but zeros is not kept: nothing may be left.
    middle(trial, &Resource::CGROUP_MEMORY, series::GROUP_LIMIT).filter(|limit| *limit > 0.0)?;
    let headroom = group(&[series::GROUP_HEADROOM]);
    let files = group(&[series::GROUP_ACTIVE_FILE, series::GROUP_INACTIVE_FILE]);
    let clean = (files - group(&[series::GROUP_DIRTY, series::GROUP_WRITEBACK])).max(0.0);
    let free = middle(trial, &Resource::MEMORY, series::FREE_PAGES)?;
    let available = free + machine(&[series::ACTIVE_FILE_PAGES, series::INACTIVE_FILE_PAGES]);
    let all_clean = (available - machine(&[series::DIRTY_PAGES, series::WRITEBACK_PAGES])).max(0.0);
    let of_others = (all_clean - clean).max(0.0);
    (available > 0.0).then(|| (files + headroom.min(of_others)) / available)
}

fn series_of<'a>(trial: &'a Trial, resource: &Resource, name: SeriesName) -> Option<&'a Series> {
    let all = &trial.result.local().series;
    all.iter().find(|s| s.resource == *resource && s.name == name && s.interval_ns > 0)
}

/// The readings in the window, and when the first of them was.
fn in_window<'a>(trial: &'a Trial, resource: &Resource, name: SeriesName) -> Option<(&'a [f64], u64)> {
    let (series, window) = (series_of(trial, resource, name)?, trial.result.window?);
    let place =
        |at: u64| usize::try_from(at.saturating_sub(series.start_ns).div_ceil(series.interval_ns)).ok();
    let first = place(window.start_ns)?;
    let last = window.end_ns.saturating_sub(series.start_ns) / series.interval_ns;
    let values = series.values.get(first..usize::try_from(last).ok()?.min(series.values.len()))?;
    // A reading tells how it stood when its interval ended.
    Some((values, series.start_ns + (first as u64 + 1) * series.interval_ns))
}

/// The median of a series in the window.
fn middle(trial: &Trial, resource: &Resource, name: SeriesName) -> Option<f64> {
    stats::interval::median(in_window(trial, resource, name)?.0)
}

/// Bytes per second of the main load between two moments.
fn mean_between(trial: &Trial, from_ns: u64, to_ns: u64) -> Option<f64> {
    let series = trial.result.main().series.iter().find(|s| s.name == series::THROUGHPUT)?;
    let length = series.interval_ns.max(1);
    let starts = (0..).map(|i: u64| series.start_ns.saturating_add(i.saturating_mul(length)));
    let inside = |(start, value): (u64, &f64)| {
        let overlap = start.saturating_add(length).min(to_ns).saturating_sub(start.max(from_ns));
        value * overlap as f64 / 1e9
    };
    let sum: f64 = starts.zip(&series.values).map(inside).sum();
    (to_ns > from_ns).then(|| sum / ((to_ns - from_ns) as f64 / 1e9))
}
