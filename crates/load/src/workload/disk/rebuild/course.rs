//! Latency over time: what workers saw in each interval, put together where no worker waits for it. The engine keeps
//! the distribution of a whole trial and of each phase; here is how it changed from moment to moment.

use std::collections::BTreeMap;

use model::metric::{LATENCY_MAX, LATENCY_P50, LATENCY_P99};
use model::trial::Series;
use model::{MetricName, Resource, SeriesName, Unit};
use stats::counts::Counts;
use stats::histogram::{Histogram, SparseCounts, new_latency, percentile};

/// The length of an interval, ns.
pub(super) const INTERVAL_NS: u64 = 250_000_000;
/// Beyond so many intervals each two become one.
const INTERVALS_MOST: u64 = 1024;
/// A series of fewer values shows nothing.
const VALUES_LEAST: u64 = 8;
/// So many parts of an interval are kept before they become one.
const PARTS_MOST: usize = 4;

/// What one worker saw in one interval.
#[derive(Debug)]
pub(super) struct LatencyPiece {
    /// Which interval, from the first of the course on.
    interval: u64,
    /// From started to finished, ns, of what finished in it.
    counts: SparseCounts,
    longest_ns: u64,
    /// Of what had started in an earlier interval: that one, and how long it took in all, ns.
    under_way: Vec<(u64, u64)>,
}

/// What one worker sees in the present interval.
#[derive(Debug)]
pub(super) struct LatencyRecorder {
    from_ns: u64,
    interval: u64,
    counts: Counts,
    longest_ns: u64,
    under_way: Vec<(u64, u64)>,
}

impl LatencyRecorder {
    /// One of a course that begins at `from_ns`.
    pub(super) fn new(from_ns: u64) -> Self {
        Self { from_ns, interval: 0, counts: Counts::new(), longest_ns: 0, under_way: Vec::new() }
    }

    /// Records an operation; what was seen of the interval before, if this is the first of another.
    pub(super) fn record(&mut self, started_ns: u64, finished_ns: u64) -> Option<LatencyPiece> {
        let interval = finished_ns.checked_sub(self.from_ns)? / INTERVAL_NS;
        let piece = if interval == self.interval { None } else { self.take() };
        self.interval = interval;
        let latency_ns = finished_ns.saturating_sub(started_ns);
        self.counts.record(latency_ns);
        self.longest_ns = self.longest_ns.max(latency_ns);
        let began = started_ns.saturating_sub(self.from_ns) / INTERVAL_NS;
        if began < interval {
            self.under_way.push((began, latency_ns));
        }
        piece
    }

    /// What was seen of the present interval, if anything was.
    pub(super) fn take(&mut self) -> Option<LatencyPiece> {
        if self.counts.is_empty() {
            return None;
        }
        let piece = LatencyPiece {
            interval: self.interval,
            counts: SparseCounts::from(&self.counts),
            longest_ns: self.longest_ns,
            under_way: std::mem::take(&mut self.under_way),
        };
        self.counts.reset();
        self.longest_ns = 0;
        Some(piece)
    }
}

/// What all workers saw in one interval.
#[derive(Debug, Default)]
struct LatencyInterval {
    counts: Vec<SparseCounts>,
    /// The longest of what was under way in it, ns.
    longest_ns: u64,
}

impl LatencyInterval {
    fn add(&mut self, counts: impl IntoIterator<Item = SparseCounts>, longest_ns: u64) {
        self.counts.extend(counts);
        self.longest_ns = self.longest_ns.max(longest_ns);
        if self.counts.len() > PARTS_MOST {
            self.counts = vec![SparseCounts::from(&merged(&self.counts))];
        }
    }
}

fn merged<'a>(all: impl IntoIterator<Item = &'a SparseCounts>) -> Histogram<u64> {
    let mut histogram = new_latency();
    all.into_iter().for_each(|counts| counts.add_to(&mut histogram));
    histogram
}

/// Latency over time.
#[derive(Debug, Default)]
pub(super) struct LatencyCourse {
    /// An interval is twice this often as long as at first.
    doublings: u32,
    intervals: BTreeMap<u64, LatencyInterval>,
}

impl LatencyCourse {
    /// Adds what a worker saw.
    pub(super) fn add(&mut self, piece: LatencyPiece) {
        while piece.interval >> self.doublings >= INTERVALS_MOST {
            self.double();
        }
        let last = piece.interval >> self.doublings;
        for (began, latency_ns) in piece.under_way {
            for interval in began >> self.doublings..=last {
                self.intervals.entry(interval).or_default().add([], latency_ns);
            }
        }
        self.intervals.entry(last).or_default().add([piece.counts], piece.longest_ns);
    }

    fn double(&mut self) {
        self.doublings += 1;
        for (interval, LatencyInterval { counts, longest_ns }) in std::mem::take(&mut self.intervals) {
            self.intervals.entry(interval / 2).or_default().add(counts, longest_ns);
        }
    }

    /// The series of a course that began at `start_ns`: those of which each interval has a value, where need be of longer
    /// intervals.
    pub(super) fn series(&self, start_ns: u64) -> Vec<Series> {
        let percentile_of = |percent: f64| {
            move |part: &[&LatencyInterval]| {
                percentile(&merged(part.iter().flat_map(|interval| &interval.counts)), percent)
            }
        };
        let longest = |part: &[&LatencyInterval]| {
            part.iter().map(|interval| interval.longest_ns).max().filter(|ns| *ns > 0).map(|ns| ns as f64)
        };
        let series = |name: MetricName, values: Option<(u64, Vec<f64>)>| {
            let (interval_ns, values) = values?;
            let values = values.into_iter().map(|ns| ns / 1e9).collect();
            let name = SeriesName::new(name.as_str());
            Some(Series {
                resource: Resource::LOAD,
                name,
                unit: Unit::Seconds,
                start_ns,
                interval_ns,
                values,
            })
        };
        let all = [
            series(LATENCY_P50, self.values(percentile_of(50.0))),
            series(LATENCY_P99, self.values(percentile_of(99.0))),
            series(LATENCY_MAX, self.values(longest)),
        ];
        all.into_iter().flatten().collect()
    }

    /// The length of an interval, ns, and a value for each.
    fn values(&self, of: impl Fn(&[&LatencyInterval]) -> Option<f64>) -> Option<(u64, Vec<f64>)> {
        // The last one is a part of an interval.
        let count = *self.intervals.keys().next_back()?;
        let mut step = 1;
        while count / step >= VALUES_LEAST {
            let value = |place: u64| {
                let part: Vec<&LatencyInterval> = self
                    .intervals
                    .range(place * step..(place + 1) * step)
                    .map(|(_, interval)| interval)
                    .collect();
                of(&part)
            };
            if let Some(values) = (0..count / step).map(value).collect::<Option<Vec<f64>>>() {
                return Some(((INTERVAL_NS << self.doublings) * step, values));
            }
            step *= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A course of operations of so many ms each, one after the other for so many intervals.
    fn course(intervals: u64, latency_ms: impl Fn(u64) -> u64) -> LatencyCourse {
        let mut course = LatencyCourse::default();
        let mut recorder = LatencyRecorder::new(0);
        let mut now_ns = 0;
        while now_ns < intervals * INTERVAL_NS {
            let started_ns = now_ns;
            now_ns += latency_ms(started_ns / INTERVAL_NS) * MS;
            recorder.record(started_ns, now_ns).into_iter().for_each(|piece| course.add(piece));
        }
        recorder.take().into_iter().for_each(|piece| course.add(piece));
        course
    }

    fn of<'a>(all: &'a [Series], name: &str) -> Option<&'a Series> {
        all.iter().find(|series| series.name.as_str() == name)
    }

    #[test]
    fn latency_is_told_for_each_interval_that_has_operations_enough() {
        let all = course(200, |interval| if (20..30).contains(&interval) { 5 } else { 1 }).series(7);
        let median = of(&all, "latency_p50").unwrap();
        assert_eq!((median.start_ns, median.interval_ns), (7, INTERVAL_NS));
        let near = |value: f64, ms: f64| (value * 1e3 - ms).abs() < 0.02;
        assert!(near(median.values[10], 1.0) && near(median.values[25], 5.0), "{:?}", median.values);
        // A p99 takes a thousand operations.
        let high = of(&all, "latency_p99").unwrap();
        assert!(high.interval_ns > INTERVAL_NS, "{}", high.interval_ns);
    }

    #[test]
    fn an_operation_that_takes_long_is_the_longest_of_all_intervals_it_lay_in() {
        let all = course(40, |interval| if interval == 10 { 1_000 } else { 2 }).series(0);
        let longest = of(&all, "latency_max").unwrap();
        assert_eq!(longest.interval_ns, INTERVAL_NS, "none is empty");
        assert!(longest.values[10..14].iter().all(|value| *value > 0.99), "{:?}", longest.values);
        assert!(longest.values[8] < 0.1 && longest.values[16] < 0.1, "{:?}", longest.values);
    }

    #[test]
    fn a_long_course_has_longer_intervals_and_nothing_is_lost() {
        let course = course(3 * INTERVALS_MOST, |_| 50);
        assert_eq!(course.doublings, 2);
        assert!(course.intervals.len() as u64 <= INTERVALS_MOST);
        let whole = merged(course.intervals.values().flat_map(|interval| &interval.counts));
        assert_eq!(whole.len(), 3 * INTERVALS_MOST * INTERVAL_NS / (50 * MS));
    }

    #[test]
    fn a_short_course_tells_nothing() {
        assert!(course(5, |_| 1).series(0).is_empty());
        assert!(LatencyCourse::default().series(0).is_empty());
        assert!(LatencyRecorder::new(10).record(0, 5).is_none(), "before it begins");
    }
}
