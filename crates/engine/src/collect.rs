//! Putting the workers' intervals together: one collector a load, and one for
//! each part of a load that has several.

use std::collections::BTreeMap;
use std::ops::Range;

use hdrhistogram::Histogram;
use stats::counts::Counts;
use stats::histogram::{SparseCounts, new_latency};

use model::LatencyOverTime;
use model::trial::Timeline;

use crate::queue::Class;
use crate::record::{CpuSpan, Crossing, Record};

/// Operations of one class in one interval.
#[derive(Clone, Debug, Default)]
struct ClassInterval {
    operations: f64,
    bytes: f64,
    completions: u64,
}

/// What all workers of a load did in one interval.
#[derive(Clone, Debug, Default)]
struct Interval {
    classes: Vec<ClassInterval>,
    late_starts: u64,
    unfinished: u64,
    user_ns: f64,
    system_ns: f64,
    waited_ns: Option<f64>,
    times: Vec<(HistogramSlot, SparseCounts)>,
}

/// Which distribution a histogram belongs to.
#[derive(Clone, Copy, Debug)]
enum HistogramSlot {
    Class(usize),
    Service,
    Submit,
    Device,
}

/// Everything that one load, or one part of it, did.
#[derive(Debug)]
pub(crate) struct Collector {
    timeline: Timeline,
    pub(crate) classes: &'static [Class],
    intervals: BTreeMap<i64, Interval>,
    /// When the first operation that counts started, ns; `u64::MAX` if none did.
    pub(crate) first_ns: u64,
    /// When the last operation finished, ns; 0 if none did.
    pub(crate) last_ns: u64,
    /// Where a count ends the load, nothing is cut off later and nobody knows
    /// how long it lasts: its histograms are merged at once.
    whole: Option<Totals>,
}

/// Operations of one class.
#[derive(Clone, Debug)]
pub(crate) struct ClassTotals {
    /// Operations; one that lay partly in the range counts by that part.
    pub(crate) operations: f64,
    /// Bytes, counted likewise.
    pub(crate) bytes: f64,
    /// Operations that finished in it: as many as the histogram holds.
    pub(crate) completions: u64,
    /// From due to finished, ns.
    pub(crate) latency: Histogram<u64>,
}

/// Totals over a range of intervals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// By class, in the load's own order.
    pub(crate) classes: Vec<ClassTotals>,
    /// Operations that started late.
    pub(crate) late_starts: u64,
    /// Operations of an open loop that were due but not finished at the end.
    pub(crate) unfinished: u64,
    /// CPU time in user mode, ns.
    pub(crate) user_ns: f64,
    /// CPU time in the kernel, ns.
    pub(crate) system_ns: f64,
    /// Time that workers could have run and had no CPU, ns; absent where nobody told.
    pub(crate) waited_ns: Option<f64>,
    /// From started to finished, ns; only in an open loop.
    pub(crate) service: Option<Histogram<u64>>,
    /// From started to handed to the kernel, ns; where operations tell.
    pub(crate) submit: Option<Histogram<u64>>,
    /// From handed to the kernel to finished, ns; where operations tell.
    pub(crate) device: Option<Histogram<u64>>,
}

impl Totals {
    fn of_nothing(classes: usize) -> Self {
        let class = |_| ClassTotals { operations: 0.0, bytes: 0.0, completions: 0, latency: new_latency() };
        Self { classes: (0..classes).map(class).collect(), ..Self::default() }
    }

    fn add_times(&mut self, place: HistogramSlot, counts: &SparseCounts) {
        let histogram = match place {
            HistogramSlot::Class(index) => &mut self.classes[index].latency,
            HistogramSlot::Service => self.service.get_or_insert_with(new_latency),
            HistogramSlot::Submit => self.submit.get_or_insert_with(new_latency),
            HistogramSlot::Device => self.device.get_or_insert_with(new_latency),
        };
        counts.add_to(histogram);
    }
}

impl Collector {
    pub(crate) fn new(timeline: Timeline, classes: &'static [Class]) -> Self {
        let whole = (timeline.end_ns == u64::MAX).then(|| Totals::of_nothing(classes.len()));
        Self { timeline, classes, intervals: BTreeMap::new(), first_ns: u64::MAX, last_ns: 0, whole }
    }

    /// Adds what one worker did in one interval.
    pub(crate) fn add(&mut self, record: &Record) {
        self.first_ns = self.first_ns.min(record.first_ns);
        self.last_ns = self.last_ns.max(record.last_ns);
        let classes = self.classes.len();
        let interval = interval_at(&mut self.intervals, record.interval, classes);
        for (class, done) in interval.classes.iter_mut().zip(&record.classes) {
            class.operations += done.operations as f64;
            class.bytes += done.bytes as f64;
            class.completions += done.operations;
        }
        for crossing in &record.crossings {
            interval.classes[usize::from(crossing.class)].completions += 1;
        }
        interval.late_starts += record.late_starts;
        interval.unfinished = interval.unfinished.saturating_add(record.unfinished);
        for (place, histogram) in distributions(record) {
            let counts = SparseCounts::from(histogram);
            match &mut self.whole {
                Some(whole) => whole.add_times(place, &counts),
                None => interval.times.push((place, counts)),
            }
        }
        for Crossing { started_ns, finished_ns, bytes, class } in record.crossings.iter().copied() {
            self.spread(started_ns, finished_ns, |interval, share| {
                let class = &mut interval.classes[usize::from(class)];
                class.operations += share;
                class.bytes += share * bytes as f64;
            });
        }
        let CpuSpan { from_ns, to_ns, user_ns, system_ns, waited_ns } = record.cpu;
        self.spread(from_ns, to_ns, |interval, share| {
            interval.user_ns += share * user_ns as f64;
            interval.system_ns += share * system_ns as f64;
            add_known(&mut interval.waited_ns, waited_ns.map(|ns| share * ns as f64));
        });
    }

    /// Shares what lasted from one moment to another out over its intervals, by
    /// time.
    fn spread(&mut self, from_ns: u64, to_ns: u64, mut add: impl FnMut(&mut Interval, f64)) {
        if to_ns <= from_ns {
            return;
        }
        let whole = (to_ns - from_ns) as f64;
        let classes = self.classes.len();
        for index in self.timeline.interval_of(from_ns)..=self.timeline.interval_of(to_ns) {
            let begin = self.timeline.begin_ns(index).max(from_ns);
            let end = self.timeline.begin_ns(index + 1).min(to_ns);
            let share = end.saturating_sub(begin) as f64 / whole;
            add(interval_at(&mut self.intervals, index, classes), share);
        }
    }

    /// Operations of each interval in `range`, of the classes that count; an
    /// interval in which nothing happened is 0, because nothing did.
    pub(crate) fn operations(&self, range: Range<i64>) -> impl Iterator<Item = f64> + '_ {
        self.each(range, |class| class.operations)
    }

    /// Bytes of each interval in `range`.
    pub(crate) fn bytes(&self, range: Range<i64>) -> impl Iterator<Item = f64> + '_ {
        self.each(range, |class| class.bytes)
    }

    fn each(
        &self,
        range: Range<i64>,
        value: impl Fn(&ClassInterval) -> f64,
    ) -> impl Iterator<Item = f64> + '_ {
        let counting = |interval: &Interval| -> f64 {
            interval.classes.iter().zip(self.classes).filter(|(_, c)| c.counts).map(|(v, _)| value(v)).sum()
        };
        let values: Vec<f64> = range.map(|i| self.intervals.get(&i).map_or(0.0, counting)).collect();
        values.into_iter()
    }

    /// The first interval that is known.
    pub(crate) fn first(&self) -> Option<i64> {
        self.intervals.keys().next().copied()
    }

    /// How many operations of the classes that count finished with a latency in each step, by groups of so many
    /// neighbouring intervals of `range`. Where a count ends the load nobody knows.
    pub(crate) fn latency_steps(&self, range: Range<i64>, together: i64) -> Vec<BTreeMap<u32, u64>> {
        let groups = (range.end - range.start).max(0) as u64;
        let mut all = vec![BTreeMap::new(); groups.div_ceil(together.max(1) as u64) as usize];
        for (index, interval) in self.intervals.range(range.clone()) {
            let Some(group) = all.get_mut(((index - range.start) / together.max(1)) as usize) else {
                continue;
            };
            for (place, counts) in &interval.times {
                if matches!(place, HistogramSlot::Class(class) if self.classes[*class].counts) {
                    for (latency_ns, count) in counts.pairs() {
                        *group.entry(LatencyOverTime::step_of(*latency_ns)).or_insert(0) += *count;
                    }
                }
            }
        }
        all
    }

    pub(crate) fn totals(&self, range: Range<i64>) -> Totals {
        let mut totals = self.whole.clone().unwrap_or_else(|| Totals::of_nothing(self.classes.len()));
        for interval in self.intervals.range(range).map(|(_, v)| v) {
            for (sum, class) in totals.classes.iter_mut().zip(&interval.classes) {
                sum.operations += class.operations;
                sum.bytes += class.bytes;
                sum.completions += class.completions;
            }
            totals.late_starts += interval.late_starts;
            totals.unfinished = totals.unfinished.saturating_add(interval.unfinished);
            totals.user_ns += interval.user_ns;
            totals.system_ns += interval.system_ns;
            add_known(&mut totals.waited_ns, interval.waited_ns);
            interval.times.iter().for_each(|(place, counts)| totals.add_times(*place, counts));
        }
        totals
    }
}

/// Adds what is known to a sum that is absent until something is.
fn add_known(sum: &mut Option<f64>, more: Option<f64>) {
    *sum = match (*sum, more) {
        (Some(sum), Some(more)) => Some(sum + more),
        (sum, more) => sum.or(more),
    };
}

fn interval_at(intervals: &mut BTreeMap<i64, Interval>, index: i64, classes: usize) -> &mut Interval {
    let empty = || Interval { classes: vec![ClassInterval::default(); classes], ..Interval::default() };
    intervals.entry(index).or_insert_with(empty)
}

/// The histograms of a record that hold anything.
fn distributions(record: &Record) -> impl Iterator<Item = (HistogramSlot, &Counts)> {
    let classes =
        record.classes.iter().enumerate().map(|(index, c)| (HistogramSlot::Class(index), &c.latency));
    let service = record.service.iter().map(|h| (HistogramSlot::Service, h));
    let stages =
        record.stages.iter().flat_map(|s| [(HistogramSlot::Submit, &s.0), (HistogramSlot::Device, &s.1)]);
    classes.chain(service).chain(stages).filter(|(_, histogram)| !histogram.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::ALIKE;
    use crate::record::Shape;

    const TIMELINE: Timeline = Timeline { start_ns: 500, window_ns: 1000, interval_ns: 100, end_ns: 2000 };
    const TWO: &[Class] = &[
        Class { name: "write", counts: true, fails: false },
        Class { name: "sync", counts: false, fails: false },
    ];

    fn record(interval: i64, operations: u64, crossings: Vec<Crossing>) -> Record {
        let mut record = Record { interval, crossings, ..Record::new(Shape::PLAIN, 4) };
        record.classes[0].operations = operations;
        record.classes[0].bytes = operations * 10;
        record
    }

    #[test]
    fn an_operation_across_edges_counts_by_its_part_in_each_interval() {
        let mut collector = Collector::new(TIMELINE, ALIKE);
        // In flight from 50 before the window to 50 into its second interval.
        let crossing = Crossing { started_ns: 950, finished_ns: 1150, bytes: 400, class: 0 };
        collector.add(&record(1, 3, vec![crossing]));
        let shares: Vec<f64> = collector.operations(-1..2).collect();
        assert_eq!(shares, [0.25, 0.5, 3.25]);
        let bytes: Vec<f64> = collector.bytes(-1..2).collect();
        assert_eq!(bytes, [100.0, 200.0, 130.0]);
        assert_eq!(collector.totals(0..10).classes[0].completions, 4);
    }

    #[test]
    fn histograms_of_all_workers_and_intervals_are_merged() {
        let mut collector = Collector::new(TIMELINE, ALIKE);
        for (interval, value) in [(0, 100), (0, 200), (1, 300), (-1, 1)] {
            let mut r = record(interval, 1, vec![]);
            r.classes[0].latency.record(value);
            collector.add(&r);
        }
        let totals = collector.totals(0..2);
        assert_eq!(totals.classes[0].latency.len(), 3);
        assert_eq!(totals.classes[0].latency.max(), 300);
        assert!(totals.service.is_none() && totals.submit.is_none());
    }

    #[test]
    fn a_class_that_does_not_count_has_figures_but_is_no_operation() {
        let mut collector = Collector::new(TIMELINE, TWO);
        let mut r = Record { interval: 0, ..Record::new(Shape { classes: 2, ..Shape::PLAIN }, 1) };
        (r.classes[0].operations, r.classes[1].operations) = (5, 2);
        r.classes[1].latency.record(700);
        collector.add(&r);
        assert_eq!(collector.operations(0..1).sum::<f64>(), 5.0);
        let totals = collector.totals(0..1);
        assert_eq!((totals.classes[1].completions, totals.classes[1].latency.max()), (2, 700));
        assert!(totals.classes[0].latency.is_empty());
    }

    #[test]
    fn latency_is_counted_by_time_for_what_counts() {
        let mut collector = Collector::new(TIMELINE, TWO);
        for (interval, latency_ns) in [(-1, 120_000), (0, 120_000), (1, 130_000), (4, 5_100_000)] {
            let mut r = Record { interval, ..Record::new(Shape { classes: 2, ..Shape::PLAIN }, 1) };
            r.classes[0].latency.record(latency_ns);
            r.classes[1].latency.record(1);
            collector.add(&r);
        }
        let counted: Vec<Vec<(u32, u64)>> =
            collector.latency_steps(0..5, 2).into_iter().map(|steps| steps.into_iter().collect()).collect();
        assert_eq!(counted, [vec![(50, 1), (51, 1)], vec![], vec![(67, 1)]]);
    }
}
