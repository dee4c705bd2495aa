//! How full the page cache is of what is not written yet, and what the load got before and after the
//! kernel slowed it down for that.

use model::profile::LoadProfile;
use model::run::CaseResult;
use model::trial::{Series, TrialResult, Window};
use model::{Resource, SeriesName, series};

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
    Some(Writeback {
        throttled: median(case, |trial| Some(Course::of(&trial.result)?.throttled()))?,
        dirty: median(case, |trial| Some(Course::of(&trial.result)?.highest()))?,
        limit: median(case, |trial| Some(Course::of(&trial.result)?.limit))?,
        most: median(case, |trial| Some(Course::of(&trial.result)?.threshold))?,
        rate: median(case, |trial| {
            let window = trial.result.window?;
            let from = Course::of(&trial.result)?.begins_ns().unwrap_or(window.start_ns);
            mean_between(&trial.result, from, window.end_ns)
        })?,
    })
}

/// What the main load of a trial got before and after it was slowed down: absent where that was not in the
/// window, or stood at one of its ends.
pub(crate) fn absorbed(profile: &LoadProfile, result: &TrialResult) -> Option<Absorbed> {
    if !writes_through_cache(profile) {
        return None;
    }
    let window = result.window?;
    let course = Course::of(result)?;
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
pub fn sustained(profile: &LoadProfile, result: &TrialResult) -> Option<f64> {
    absorbed(profile, result).map(|found| found.sustained)
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
    fn of(result: &'a TrialResult) -> Option<Self> {
        let [dirty, writeback, most, background] = [
            series::DIRTY_PAGES,
            series::WRITEBACK_PAGES,
            series::DIRTY_THRESHOLD,
            series::DIRTY_BACKGROUND_THRESHOLD,
        ]
        .map(|name| of_memory(result, name));
        let (dirty, start_ns) = dirty?;
        let middle = stats::interval::median;
        // `dirty_freerun_ceiling` in `mm/page-writeback.c`.
        let threshold = middle(most?.0)?;
        let limit = (threshold + middle(background?.0)?) / 2.0;
        let interval_ns = series_of(result, series::DIRTY_PAGES)?.interval_ns;
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

fn series_of(result: &TrialResult, name: SeriesName) -> Option<&Series> {
    let all = &result.local().series;
    all.iter().find(|s| s.resource == Resource::MEMORY && s.name == name && s.interval_ns > 0)
}

/// The readings in the window, and when the first of them was.
fn of_memory(result: &TrialResult, name: SeriesName) -> Option<(&[f64], u64)> {
    let (series, window) = (series_of(result, name)?, result.window?);
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
