//! How full the page cache is of what is not written yet, and what the load got before and after the
//! kernel slowed it down for that.

use model::profile::OperationClass;
use model::run::CaseResult;
use model::trial::Series;
use model::{Resource, SeriesName, Trial, series};

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
    Some(Writeback {
        throttled: median(case, |trial| Some(Course::of(trial)?.throttled()))?,
        dirty: median(case, |trial| Some(Course::of(trial)?.highest()))?,
        limit: median(case, |trial| Some(Course::of(trial)?.limit))?,
        most: median(case, |trial| Some(Course::of(trial)?.threshold))?,
        rate: median(case, |trial| {
            let window = trial.result.window?;
            let from = Course::of(trial)?.begins_ns().unwrap_or(window.start_ns);
            mean_between(trial, from, window.end_ns)
        })?,
    })
}

/// What a trial got before and after its writer was slowed down: absent where that was not in the
/// window, or stood at one of its ends.
pub(crate) fn absorbed(case: &CaseResult, trial: &Trial) -> Option<Absorbed> {
    if is_direct(case) || is_null(case) || !does(case, OperationClass::Write) {
        return None;
    }
    let window = trial.result.window?;
    let course = Course::of(trial)?;
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
    fn of(trial: &'a Trial) -> Option<Self> {
        let [dirty, writeback, most, background] = [
            series::DIRTY_PAGES,
            series::WRITEBACK_PAGES,
            series::DIRTY_THRESHOLD,
            series::DIRTY_BACKGROUND_THRESHOLD,
        ]
        .map(|name| of_memory(trial, name));
        let (dirty, start_ns) = dirty?;
        let middle = stats::interval::median;
        // `dirty_freerun_ceiling` in `mm/page-writeback.c`.
        let threshold = middle(most?.0)?;
        let limit = (threshold + middle(background?.0)?) / 2.0;
        let interval_ns = series_of(trial, series::DIRTY_PAGES)?.interval_ns;
        let is_known = limit > 0.0 && !dirty.is_empty();
        is_known.then_some(Self {
            dirty,
            writeback: writeback.map_or(&[][..], |(values, _)| values),
            limit,
            threshold,
            start_ns,
            interval_ns,
        })
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

fn series_of(trial: &Trial, name: SeriesName) -> Option<&Series> {
    let all = &trial.result.local().series;
    all.iter().find(|s| s.resource == Resource::MEMORY && s.name == name && s.interval_ns > 0)
}

/// The readings in the window, and when the first of them was.
fn of_memory(trial: &Trial, name: SeriesName) -> Option<(&[f64], u64)> {
    let (series, window) = (series_of(trial, name)?, trial.result.window?);
    let place =
        |at: u64| usize::try_from(at.saturating_sub(series.start_ns).div_ceil(series.interval_ns)).ok();
    let first = place(window.start_ns)?;
    let last = window.end_ns.saturating_sub(series.start_ns) / series.interval_ns;
    let values = series.values.get(first..usize::try_from(last).ok()?.min(series.values.len()))?;
    // A reading tells how it stood when its interval ended.
    Some((values, series.start_ns + (first as u64 + 1) * series.interval_ns))
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
