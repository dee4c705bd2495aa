//! What the main load did in one interval after the other, told while it runs where an observer asks for that: a line a
//! second for those who look on. It is made of the same records as the result, a second time, so that a session of
//! which nobody asks does nothing for it.
//!
//! An interval is told a moment after its end, for workers hand over what they did when they next finish an operation.
//! What comes later than that is counted in the next interval, so that no operation is lost but those which a worker
//! hands over after the last one was told. The result is not made of this.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use model::LatencyOverTime;
use model::event::IntervalFigures;
use model::trial::Timeline;
use stats::histogram::{self, SparseCounts, new_latency};

use crate::observer::Observer;
use crate::queue::Class;
use crate::record::Record;

/// How long after its end an interval is told. The coordinator may sleep for 200 ms before it finds what a worker has
/// handed over.
const GRACE_NS: u64 = 250_000_000;

/// What was reported in one line's time.
struct Counted {
    operations: u64,
    bytes: u64,
    errors: u64,
    latency: Histogram<u64>,
}

impl Counted {
    fn nothing() -> Self {
        Self { operations: 0, bytes: 0, errors: 0, latency: new_latency() }
    }

    fn add(&mut self, class: &Class, operations: u64, bytes: u64) {
        if class.counts {
            self.operations += operations;
            self.bytes += bytes;
        }
        if class.fails {
            self.errors += operations;
        }
    }
}

/// The lines of a session: nothing where nobody asks for them, and once the main load has ended.
#[derive(Default)]
pub(crate) struct Lines(Option<UntoldLines>);

/// What was counted and is not told yet.
struct UntoldLines {
    timeline: Timeline,
    /// How many intervals of the timeline make a line. Line 0 begins with the window.
    intervals: i64,
    /// The first line that is not told.
    next: i64,
    counted: BTreeMap<i64, Counted>,
    /// When the last operation finished, ns; 0 if none did.
    last_ns: u64,
}

impl Lines {
    /// Those that `observer` asks for.
    pub(crate) fn of(timeline: Timeline, observer: &dyn Observer) -> Self {
        let untold = |line_ns: u64| {
            let interval_ns = timeline.interval_ns.max(1);
            let intervals = (line_ns.saturating_add(interval_ns / 2) / interval_ns).clamp(1, 1 << 32) as i64;
            let next = timeline.interval_of(timeline.start_ns).div_euclid(intervals);
            UntoldLines { timeline, intervals, next, counted: BTreeMap::new(), last_ns: 0 }
        };
        Self(observer.line_ns().map(untold))
    }

    /// Counts what a worker of the main load did in one interval.
    pub(crate) fn add(&mut self, record: &Record, classes: &[Class]) {
        if let Some(lines) = &mut self.0 {
            lines.add(record, classes);
        }
    }

    /// Tells the lines that have ended long enough ago.
    pub(crate) fn tell(&mut self, now_ns: u64, observer: &dyn Observer) {
        let Some(lines) = &mut self.0 else { return };
        while lines.begin_ns(lines.next) < lines.timeline.end_ns
            && lines.end_ns(lines.next).saturating_add(GRACE_NS) <= now_ns
        {
            lines.tell_next(u64::MAX, observer);
        }
    }

    /// Tells the rest: all workers of the main load have ended.
    pub(crate) fn end(&mut self, now_ns: u64, observer: &dyn Observer) {
        let Some(mut lines) = self.0.take() else { return };
        let until_ns = match lines.timeline.end_ns {
            u64::MAX => lines.last_ns,
            end_ns => end_ns.min(now_ns),
        };
        while lines.begin_ns(lines.next) < until_ns {
            lines.tell_next(until_ns, observer);
        }
    }
}

impl UntoldLines {
    /// When line `line` begins, ns.
    fn begin_ns(&self, line: i64) -> u64 {
        self.timeline.begin_ns(line.saturating_mul(self.intervals)).max(self.timeline.start_ns)
    }

    /// When it ends, ns.
    fn end_ns(&self, line: i64) -> u64 {
        self.timeline.begin_ns((line + 1).saturating_mul(self.intervals)).min(self.timeline.end_ns)
    }

    fn add(&mut self, record: &Record, classes: &[Class]) {
        if self.timeline.begin_ns(record.interval) >= self.timeline.end_ns {
            // After the window, nothing counts.
            return;
        }
        self.last_ns = self.last_ns.max(record.last_ns);
        let line = record.interval.div_euclid(self.intervals).max(self.next);
        let counted = self.counted.entry(line).or_insert_with(Counted::nothing);
        for (class, done) in classes.iter().zip(&record.classes) {
            counted.add(class, done.operations, done.bytes);
            if class.counts {
                SparseCounts::from(&done.latency).add_to(&mut counted.latency);
            }
        }
        for crossing in &record.crossings {
            if let Some(class) = classes.get(usize::from(crossing.class)) {
                counted.add(class, 1, crossing.bytes);
            }
        }
    }

    /// Tells the next line, which ends at `until_ns` if not before.
    fn tell_next(&mut self, until_ns: u64, observer: &dyn Observer) {
        let counted = self.counted.remove(&self.next).unwrap_or_else(Counted::nothing);
        let percentile = |p| histogram::percentile(&counted.latency, p).map(|ns| ns / 1e9);
        observer.interval(&IntervalFigures {
            start_s: self.in_window(self.begin_ns(self.next)),
            end_s: self.in_window(self.end_ns(self.next).min(until_ns)),
            operations: counted.operations,
            bytes: counted.bytes,
            errors: counted.errors,
            latency_p50_s: percentile(50.0),
            latency_p99_s: percentile(99.0),
            latency_max_s: histogram::max(&counted.latency).map(|ns| ns / 1e9),
            latency_steps: steps(&counted.latency),
        });
        self.next += 1;
    }

    /// Seconds from the start of the window.
    fn in_window(&self, at_ns: u64) -> f64 {
        (at_ns as i64 - self.timeline.window_ns as i64) as f64 / 1e9
    }
}

/// How many latencies lie in each step.
fn steps(latency: &Histogram<u64>) -> Vec<(u32, u64)> {
    let mut steps = BTreeMap::new();
    for value in latency.iter_recorded() {
        *steps.entry(LatencyOverTime::step_of(value.value_iterated_to())).or_insert(0) +=
            value.count_at_value();
    }
    steps.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::lock;
    use crate::queue::ALIKE;
    use crate::record::{Crossing, Shape};

    const SECOND: u64 = 1_000_000_000;

    /// A warm-up of half a second and a window of three, in intervals of 100 ms.
    const TIMELINE: Timeline = Timeline {
        start_ns: 10 * SECOND - SECOND / 2,
        window_ns: 10 * SECOND,
        interval_ns: SECOND / 10,
        end_ns: 13 * SECOND,
    };

    /// Asks for lines of one second.
    #[derive(Default)]
    struct Reader(Mutex<Vec<IntervalFigures>>);

    impl Observer for Reader {
        fn line_ns(&self) -> Option<u64> {
            Some(SECOND)
        }

        fn interval(&self, figures: &IntervalFigures) {
            lock(&self.0).push(figures.clone());
        }
    }

    impl Reader {
        /// The edges of the lines that it has heard of, and their operations.
        fn heard(&self) -> Vec<(f64, f64, u64)> {
            lock(&self.0).drain(..).map(|line| (line.start_s, line.end_s, line.operations)).collect()
        }
    }

    fn record(interval: i64, operations: u64) -> Record {
        let mut record = Record { interval, ..Record::new(Shape::PLAIN, 1) };
        record.classes[0].operations = operations;
        record.classes[0].bytes = operations * 10;
        record.classes[0].latency.record_many(2_000_000, operations);
        record.last_ns = TIMELINE.begin_ns(interval + 1) - 1;
        record
    }

    #[test]
    fn lines_are_told_after_their_end_and_a_stall_is_a_line_of_zeros() {
        let (reader, mut lines) = (Reader::default(), Lines::default());
        assert!(lines.0.is_none());
        lines = Lines::of(TIMELINE, &reader);
        for interval in -5..10 {
            lines.add(&record(interval, 4), ALIKE);
        }
        lines.tell(10 * SECOND + SECOND / 10, &reader);
        assert!(reader.heard().is_empty());
        lines.tell(11 * SECOND + GRACE_NS, &reader);
        assert_eq!(reader.heard(), [(-0.5, 0.0, 20), (0.0, 1.0, 40)]);
        lines.tell(12 * SECOND + GRACE_NS, &reader);
        assert_eq!(reader.heard(), [(1.0, 2.0, 0)]);
        lines.end(13 * SECOND, &reader);
        lines.end(13 * SECOND, &reader);
        assert_eq!(reader.heard(), [(2.0, 3.0, 0)]);
    }

    #[test]
    fn what_is_reported_late_is_counted_in_the_next_line_and_nothing_after_the_window() {
        let reader = Reader::default();
        let mut lines = Lines::of(TIMELINE, &reader);
        lines.tell(11 * SECOND + GRACE_NS, &reader);
        lines.add(&record(5, 7), ALIKE);
        lines.add(&record(12, 3), ALIKE);
        lines.add(&record(30, 100), ALIKE);
        lines.end(20 * SECOND, &reader);
        assert_eq!(reader.heard(), [(-0.5, 0.0, 0), (0.0, 1.0, 0), (1.0, 2.0, 10), (2.0, 3.0, 0)]);
    }

    #[test]
    fn a_load_that_a_count_ends_has_a_last_line_as_long_as_it_took() {
        let timeline = Timeline { start_ns: 10 * SECOND, end_ns: u64::MAX, ..TIMELINE };
        let reader = Reader::default();
        let mut lines = Lines::of(timeline, &reader);
        let mut last = record(12, 2);
        last.last_ns = 11 * SECOND + SECOND / 4;
        let crossing = Crossing { started_ns: 10 * SECOND, finished_ns: last.last_ns, bytes: 500, class: 0 };
        last.crossings.push(crossing);
        lines.add(&last, ALIKE);
        lines.end(40 * SECOND, &reader);
        let bytes: Vec<u64> = lock(&reader.0).iter().map(|line| line.bytes).collect();
        assert_eq!(bytes, [0, 520]);
        assert_eq!(reader.heard(), [(0.0, 1.0, 0), (1.0, 1.25, 3)]);
    }

    #[test]
    fn failures_are_counted_apart_and_percentiles_need_operations_beyond_them() {
        const KINDS: &[Class] = &[
            Class { name: "", counts: true, fails: false },
            Class { name: "failed", counts: false, fails: true },
        ];
        let reader = Reader::default();
        let mut lines = Lines::of(TIMELINE, &reader);
        let mut record = Record { interval: 0, ..Record::new(Shape { classes: 2, ..Shape::PLAIN }, 1) };
        record.classes[0].operations = 200;
        record.classes[0].latency.record_many(2_000_000, 200);
        record.classes[1].operations = 3;
        record.classes[1].latency.record_many(900_000_000, 3);
        lines.add(&record, KINDS);
        lines.tell(11 * SECOND + GRACE_NS, &reader);
        let line = lock(&reader.0)[1].clone();
        assert_eq!((line.operations, line.errors), (200, 3));
        let near = |found: Option<f64>| found.is_some_and(|s| (s / 0.002 - 1.0).abs() < 0.01);
        assert!(near(line.latency_p50_s) && near(line.latency_max_s), "{line:?}");
        assert_eq!(line.latency_p99_s, None);
        // From 1.995 ms on.
        assert_eq!(line.latency_steps, [(63, 200)]);
    }
}
