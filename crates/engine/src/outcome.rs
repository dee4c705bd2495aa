//! From collected intervals to what a trial reports: the window that counts
//! and each load's sums in it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::collect::{ClassTotals, Collector};
use crate::numa;
use crate::queue::Class;
use model::trial::{Steady, Timeline, Window};
use model::{FactName, LatencyOverTime, MetricName, Value, fact, metric};

/// How many intervals latency over time has at most: a picture is not wider, and each trial keeps it.
const LATENCY_INTERVALS_MAX: u64 = 60;

/// What one load did in the window.
#[derive(Debug)]
pub struct LoadOutcome {
    /// Operations; those partly in the window count by that part.
    pub operations: f64,
    /// Bytes, counted likewise.
    pub bytes: f64,
    /// Bytes from the first operation on: those too that came before the window,
    /// where its front was cut off.
    pub done_bytes: f64,
    /// Operations that finished in the window.
    pub completions: u64,
    /// Operations that started late.
    pub late_starts: u64,
    /// Operations of an open loop that were due but not finished at the end.
    pub unfinished: u64,
    /// Whether a count ended the trial, not a time.
    pub by_count: bool,
    /// CPU seconds of the workers in user mode.
    pub user_s: f64,
    /// CPU seconds of the workers in the kernel.
    pub system_s: f64,
    /// Seconds in which workers could have run and had no CPU, all of them; absent where the kernel
    /// does not tell.
    pub waited_s: Option<f64>,
    /// From due to finished, ns, of all classes that count.
    pub latency: Histogram<u64>,
    /// From started to finished, ns; only in an open loop.
    pub service: Option<Histogram<u64>>,
    /// What the time of an operation is made of, ns, each with its name; where
    /// operations tell.
    pub stages: Vec<(MetricName, Histogram<u64>)>,
    /// Each class by itself; empty where all operations are alike.
    pub classes: Vec<ClassOutcome>,
    /// Each part by itself, where the load has several.
    pub parts: Vec<PartOutcome>,
    /// While all parts were at work, of a load that a count ends: operations,
    /// bytes and seconds.
    pub common: Option<Common>,
    /// When all that was done was where it lasts, ns; absent where nothing had
    /// to be brought there.
    pub settled_ns: Option<u64>,
    /// When the first operation that counts started and when the last ended, ns;
    /// absent where there was none.
    pub span_ns: Option<(u64, u64)>,
    /// Operations per second in each interval, warm-up included.
    pub operations_per_s: Vec<f64>,
    /// Bytes per second in each interval, warm-up included.
    pub bytes_per_s: Vec<f64>,
    /// How the latency of what counts was spread over time, warm-up included; absent of parts, and where a count ends
    /// the load.
    pub latency_over_time: Option<LatencyOverTime>,
    /// What the machine granted.
    pub facts: BTreeMap<FactName, Value>,
}

impl LoadOutcome {
    /// Every distribution that there is, by the name it has in a trial.
    pub fn histograms(&self) -> impl Iterator<Item = (MetricName, &Histogram<u64>)> {
        let fixed = [(metric::LATENCY, Some(&self.latency)), (metric::SERVICE_TIME, self.service.as_ref())];
        let fixed = fixed.into_iter().filter_map(|(name, h)| Some((name, h?)));
        let classes =
            self.classes.iter().filter_map(|c| Some((metric::LATENCY.of(c.class.name)?, &c.latency)));
        let stages = self.stages.iter().map(|(name, h)| (*name, h));
        fixed.chain(stages).chain(classes).filter(|(_, histogram)| !histogram.is_empty())
    }

    /// The distribution of this name, if there is one.
    #[must_use]
    pub fn histogram(&self, name: MetricName) -> Option<&Histogram<u64>> {
        self.histograms().find(|(n, _)| *n == name).map(|(_, histogram)| histogram)
    }
}

/// Operations of one class.
#[derive(Debug)]
pub struct ClassOutcome {
    /// Which.
    pub class: Class,
    /// Operations; those partly in the window count by that part.
    pub operations: f64,
    /// Bytes, counted likewise.
    pub bytes: f64,
    /// From due to finished, ns.
    pub latency: Histogram<u64>,
}

/// One part of a load: one of its targets.
#[derive(Debug)]
pub struct PartOutcome {
    /// What it is called.
    pub name: String,
    /// What it did, in its own span of time where a count ended it.
    pub outcome: LoadOutcome,
    /// The part of the trial that counts for it.
    pub window: Window,
}

/// What all parts did together while each was at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common {
    /// Operations.
    pub operations: f64,
    /// Bytes.
    pub bytes: f64,
    /// How long, s.
    pub seconds: f64,
}

/// What a session measured.
#[derive(Debug)]
pub struct SessionOutcome {
    /// The part that counts.
    pub window: Window,
    /// The times as they were planned.
    pub timeline: Timeline,
    /// When the series of all loads begin, ns.
    pub series_start_ns: u64,
    /// Whether the main load settled; absent where the window is too short to
    /// tell, or ends by count.
    pub steady: Option<Steady>,
    /// The loads, main load first.
    pub loads: Vec<LoadOutcome>,
}

/// What was collected of one load.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) whole: Collector,
    /// Its parts, where there are several.
    pub(crate) parts: Vec<(String, Collector)>,
    /// What the time of an operation is made of, where operations tell.
    pub(crate) stages: Option<[MetricName; 2]>,
    /// Whether its operations are due at times that are given: an open loop.
    pub(crate) open: bool,
    /// What the machine granted.
    pub(crate) facts: BTreeMap<FactName, Value>,
    /// When all that was done was where it lasts, ns.
    pub(crate) settled_ns: Option<u64>,
}

impl Collected {
    /// Adds what another worker tells: the last one has the say, and the worst clock; nodes are those
    /// of all.
    pub(crate) fn tell(&mut self, facts: Vec<(FactName, Value)>) {
        for (name, mut value) in facts {
            let is_of_all = [fact::CPU_NODE, fact::MEMORY_NODE].contains(&name);
            let known = self.facts.get(&name).filter(|_| is_of_all);
            if let Some(all) = known.and_then(|known| numa::joined(known, &value)) {
                value = all;
            }
            let worse = |known: &Value| name == fact::CLOCK_ERROR && known.number() > value.number();
            if !self.facts.get(&name).is_some_and(worse) {
                self.facts.insert(name, value);
            }
        }
    }
}

/// Chooses the window and sums up.
///
/// Where time ends the load, MSER-5 decides how much of the front is cut off as
/// not yet steady, in whole intervals, for all loads alike; where a count does,
/// all of it counts. So it does in an open loop: its rate is what was asked for,
/// and to cut off the time when it was not kept is to hide it.
pub(crate) fn conclude(timeline: Timeline, collected: Vec<Collected>, cut_least_ns: u64) -> SessionOutcome {
    let by_time = timeline.end_ns != u64::MAX;
    let main = collected.first().map(|c| &c.whole);
    let is_closed = collected.first().is_some_and(|c| !c.open);
    let end_ns = if by_time {
        timeline.end_ns
    } else {
        main.map_or(timeline.window_ns, |main| main.last_ns).max(timeline.window_ns + 1)
    };
    let intervals = timeline.interval_of(end_ns - 1) + 1;
    // A count begins with its first operation: those of the warm-up may hold
    // the workers for a while yet.
    let begin_ns = main.map_or(u64::MAX, |main| main.first_ns);
    let judged = main.filter(|_| by_time && is_closed);
    let steady = judged.and_then(|main| settle(timeline, main, intervals, cut_least_ns));
    let cut = steady.as_ref().map_or(0, |(cut, _)| *cut);
    let start_ns = if by_time || begin_ns == u64::MAX { timeline.begin_ns(cut) } else { begin_ns };
    let window = Window { start_ns, end_ns };
    let first = collected.iter().filter_map(|c| c.whole.first()).min().unwrap_or(0).min(0);
    let span = Span { timeline, first, counted: cut..intervals, window, by_time };
    let loads = collected.into_iter().enumerate().map(|(index, load)| {
        let by_count = !by_time && index == 0;
        LoadOutcome { by_count, ..span.load(load) }
    });
    SessionOutcome {
        window,
        timeline,
        series_start_ns: timeline.begin_ns(first),
        loads: loads.collect(),
        steady: steady.map(|(_, steady)| steady),
    }
}

/// What is summed up.
struct Span {
    timeline: Timeline,
    /// The first interval that any load has.
    first: i64,
    /// The intervals that count.
    counted: std::ops::Range<i64>,
    window: Window,
    by_time: bool,
}

impl Span {
    fn load(&self, load: Collected) -> LoadOutcome {
        let Collected { whole, parts, stages, facts, settled_ns, .. } = load;
        let common = (!self.by_time).then(|| self.common(&parts)).flatten();
        let parts = parts.into_iter().map(|(name, collector)| {
            let outcome = self.sum_up(&collector, stages);
            let window = match outcome.span_ns {
                Some((start_ns, end_ns)) if !self.by_time => Window { start_ns, end_ns },
                _ => self.window,
            };
            PartOutcome { name, outcome: LoadOutcome { by_count: !self.by_time, ..outcome }, window }
        });
        let (parts, latency_over_time) = (parts.collect(), self.latency_over_time(&whole));
        let whole = self.sum_up(&whole, stages);
        LoadOutcome { parts, common, facts, settled_ns, latency_over_time, ..whole }
    }

    /// How the latency of a load was spread over time, in as many intervals as a picture has room for.
    fn latency_over_time(&self, whole: &Collector) -> Option<LatencyOverTime> {
        let all = self.first..self.counted.end;
        let together = ((all.end - all.start).max(1) as u64).div_ceil(LATENCY_INTERVALS_MAX);
        let steps = self.by_time.then(|| whole.latency_steps(all, together as i64))?;
        let interval_ns = self.timeline.interval_ns.saturating_mul(together);
        let over_time = LatencyOverTime::of(self.timeline.begin_ns(self.first), interval_ns, &steps)?;
        Some(over_time.until(self.timeline.begin_ns(self.counted.end)))
    }

    /// What all parts did while each was at work: their means over different
    /// times do not add up to anything that ever flowed.
    fn common(&self, parts: &[(String, Collector)]) -> Option<Common> {
        let begin = parts.iter().map(|(_, c)| c.first_ns).max()?;
        let end = parts.iter().map(|(_, c)| c.last_ns).min()?;
        // In whole intervals, because that is how far it is known.
        let first = self.timeline.interval_of(begin) + 1;
        let counted = first..self.timeline.interval_of(end);
        if counted.is_empty() || begin == u64::MAX {
            return None;
        }
        let seconds = (counted.end - counted.start) as f64 * self.timeline.interval_ns as f64 / 1e9;
        let sum = |of: &dyn Fn(&Collector) -> f64| parts.iter().map(|(_, c)| of(c)).sum();
        Some(Common {
            operations: sum(&|c| c.operations(counted.clone()).sum()),
            bytes: sum(&|c| c.bytes(counted.clone()).sum()),
            seconds,
        })
    }

    fn sum_up(&self, collector: &Collector, stages: Option<[MetricName; 2]>) -> LoadOutcome {
        let per_s = 1e9 / self.timeline.interval_ns as f64;
        let all = self.first..self.counted.end;
        let totals = collector.totals(self.counted.clone());
        let mut latency = stats::histogram::new_latency();
        let (mut operations, mut bytes, mut completions) = (0.0, 0.0, 0);
        let mut classes = Vec::with_capacity(totals.classes.len());
        for (class, of) in collector.classes.iter().zip(totals.classes) {
            if class.counts {
                operations += of.operations;
                bytes += of.bytes;
                completions += of.completions;
                // Both have the same bounds.
                let _ = latency.add(&of.latency);
            }
            let ClassTotals { operations, bytes, latency, .. } = of;
            classes.push(ClassOutcome { class: *class, operations, bytes, latency });
        }
        if classes.len() == 1 {
            classes.clear();
        }
        let span_ns = (collector.first_ns != u64::MAX && collector.last_ns > collector.first_ns)
            .then_some((collector.first_ns, collector.last_ns));
        LoadOutcome {
            operations,
            bytes,
            done_bytes: collector.bytes(all.clone()).sum(),
            completions,
            late_starts: totals.late_starts,
            by_count: false,
            unfinished: totals.unfinished,
            user_s: totals.user_ns / 1e9,
            system_s: totals.system_ns / 1e9,
            waited_s: totals.waited_ns.map(|ns| ns / 1e9),
            latency,
            service: totals.service,
            stages: named(stages, totals.submit, totals.device),
            classes,
            parts: Vec::new(),
            common: None,
            settled_ns: None,
            span_ns,
            operations_per_s: collector.operations(all.clone()).map(|v| v * per_s).collect(),
            bytes_per_s: collector.bytes(all).map(|v| v * per_s).collect(),
            latency_over_time: None,
            facts: BTreeMap::new(),
        }
    }
}

/// Both stages by their names.
fn named(
    names: Option<[MetricName; 2]>,
    first: Option<Histogram<u64>>,
    second: Option<Histogram<u64>>,
) -> Vec<(MetricName, Histogram<u64>)> {
    let Some([a, b]) = names else { return Vec::new() };
    [(a, first), (b, second)].into_iter().filter_map(|(name, h)| Some((name, h?))).collect()
}

/// Whether the main load settled, and how many intervals are cut off: its start, and at least as
/// much as another trial's took, for a start that noise hides in this trial is in it all the same.
fn settle(timeline: Timeline, main: &Collector, intervals: i64, least_ns: u64) -> Option<(i64, Steady)> {
    let series: Vec<f64> = main.operations(0..intervals).collect();
    let mser = stats::steady::mser5(&series)?;
    let (front, rest) = series.split_at(mser.truncate);
    let is_start = !is_usual(front, rest);
    let settled = !is_start || (mser.settled && !stalls(rest));
    let least = (least_ns.div_ceil(timeline.interval_ns) as usize).min(series.len() / 2);
    let own = if is_start { mser.truncate } else { 0 };
    let cut = match settled {
        // A stall is no start: it stays in sight, with what came before it.
        true if least > own && !stalls(&series[..least]) && !stalls(&series[least..]) => least,
        true => own,
        false => 0,
    } as i64;
    let truncated_s = cut as f64 * timeline.interval_ns as f64 / 1e9;
    Some((cut, Steady { method: "mser-5".to_owned(), settled, truncated_s }))
}

/// Whether what MSER-5 would cut off runs at the rate of the rest for most of
/// the time. It takes out what makes a mean uncertain, and in front of a steady
/// rate that may be a stall, or one burst: that is no start, and stays.
fn is_usual(front: &[f64], rest: &[f64]) -> bool {
    let mut sorted = rest.to_vec();
    sorted.sort_by(f64::total_cmp);
    let beyond = sorted.len() / 20;
    let (Some(level), Some(least), Some(most)) =
        (stats::interval::median(front), sorted.get(beyond), sorted.iter().rev().nth(beyond))
    else {
        return false;
    };
    (*least..=*most).contains(&level)
}

/// Whether a rate, after its start was cut off, comes near to a stop for a
/// twentieth of its length. MSER-5 looks for a start that is unlike the rest;
/// where the rest has a stall, it would cut off the good part.
fn stalls(series: &[f64]) -> bool {
    let run = series.len().div_ceil(20).max(2);
    let Some(usual) = stats::interval::median(series) else { return false };
    series.windows(run).any(|w| w.iter().all(|v| *v < usual / 10.0))
        || series.iter().filter(|v| **v < 1e-9).count() * 2 > series.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::ALIKE;
    use crate::record::{Record, Shape};

    /// A window of 200 intervals of 10 ns with so many operations in each.
    fn outcome(operations: impl Fn(i64) -> u64) -> SessionOutcome {
        of_loop(operations, false, 0)
    }

    fn of_loop(operations: impl Fn(i64) -> u64, open: bool, cut_least_ns: u64) -> SessionOutcome {
        let timeline = Timeline { start_ns: 900, window_ns: 1000, interval_ns: 10, end_ns: 3000 };
        let mut whole = Collector::new(timeline, ALIKE);
        for interval in -10..200 {
            let mut record = Record { interval, ..Record::new(Shape::PLAIN, 1) };
            record.classes[0].operations = operations(interval);
            whole.add(&record);
        }
        let facts = BTreeMap::new();
        conclude(
            timeline,
            vec![Collected { whole, parts: Vec::new(), stages: None, open, facts, settled_ns: None }],
            cut_least_ns,
        )
    }

    #[test]
    fn a_slow_start_is_cut_off_and_said() {
        let noise = |i: i64| (i.unsigned_abs() * 7919) % 5;
        let outcome = outcome(|i| if i < 40 { 20 } else { 100 } + noise(i));
        let steady = outcome.steady.unwrap();
        assert!(steady.settled);
        // Whole batches of five: the 40 slow intervals, at most one batch more.
        assert!((400.0..=450.0).contains(&(steady.truncated_s * 1e9)), "{steady:?}");
        assert_eq!(outcome.window.end_ns, 3000);
        assert!((outcome.window.seconds() * 1e9 + steady.truncated_s * 1e9 - 2000.0).abs() < 1e-6);
        let rate = outcome.loads[0].operations / outcome.window.seconds() * 1e-8;
        assert!((99.0..105.0).contains(&rate), "{rate}");
    }

    /// Bug: the good first half was cut off, and the stall reported as the rate.
    #[test]
    fn a_stall_at_the_end_does_not_cut_off_the_good_start() {
        for stall in [60, 100, 150] {
            let outcome = outcome(|i| if i >= 200 - stall { 0 } else { 100 });
            assert!(!outcome.steady.unwrap().settled, "{stall}");
            assert_eq!(outcome.window.start_ns, 1000, "{stall}");
        }
    }

    /// Bug: what stood still for a while in the first half was cut off as a slow
    /// start, with all that came before it.
    #[test]
    fn a_stall_in_the_first_half_is_no_slow_start() {
        let noise = |i: i64| (i.unsigned_abs() * 7919) % 5;
        let made_up = |i: i64| match i {
            30..50 => 0,
            50 => 2000,
            _ => 100 + noise(i),
        };
        let closed = outcome(made_up);
        assert_eq!(
            closed.steady.unwrap(),
            Steady { method: "mser-5".to_owned(), settled: true, truncated_s: 0.0 }
        );
        assert_eq!(closed.window.start_ns, 1000);
        let open = of_loop(|i| if i < 40 { 20 } else { 100 }, true, 400);
        assert_eq!((open.steady, open.window.start_ns), (None, 1000));
    }

    #[test]
    fn what_another_trial_took_to_start_is_cut_off_too() {
        let noise = |i: i64| (i.unsigned_abs() * 7919) % 5;
        let cut = |operations: &dyn Fn(i64) -> u64, least_ns| {
            let outcome = of_loop(operations, false, least_ns);
            let cut_ns = outcome.steady.unwrap().truncated_s * 1e9;
            assert_eq!(outcome.window.start_ns, 1000 + cut_ns.round() as u64);
            cut_ns.round()
        };
        let steady = |i: i64| 100 + noise(i);
        assert_eq!(cut(&steady, 0), 0.0);
        assert_eq!(cut(&steady, 395), 400.0);
        // Its own start was longer; never more than half; no stall is cut away.
        assert!(cut(&|i| if i < 40 { 20 } else { 100 } + noise(i), 100) >= 400.0);
        assert_eq!(cut(&steady, 1_000_000), 1000.0);
        for stall in [20..30, 120..135] {
            let stalled = |i: i64| if stall.contains(&i) { 0 } else { 100 + noise(i) };
            assert_eq!(cut(&stalled, 400), 0.0, "{stall:?}");
        }
        // What never settles is whole.
        assert_eq!(cut(&|i| (i.max(0) * i.max(0)).unsigned_abs(), 400), 0.0);
    }

    #[test]
    fn a_rate_that_never_settles_is_counted_whole_and_said() {
        let outcome = outcome(|i| (i.max(0) * i.max(0)).unsigned_abs());
        let steady = outcome.steady.unwrap();
        assert!(!steady.settled);
        assert_eq!(outcome.window.start_ns, 1000);
        // The warm-up is in the series, not in the sums.
        assert_eq!(outcome.loads[0].operations_per_s.len(), 210);
        assert_eq!(outcome.loads[0].operations, (0..200).map(|i| f64::from(i * i)).sum::<f64>());
    }
}
