//! What a connection looked like over time. Each worker looks at its own, between
//! two calls and seldom, so that no other thread disturbs what is measured; what
//! counts is cut out afterwards, when the window is known.

use std::sync::{Mutex, MutexGuard, PoisonError};

use model::trial::{Series, Window};
use model::{Resource, ResourceKind, SeriesName, Unit};

/// How often a worker looks at first, ns. One look costs about 1 us.
const EVERY_NS: u64 = 20_000_000;

/// So many looks are kept. When there are more, every second goes, and they come
/// half as often: 82 s at the first pace.
const LOOKS_MOST: usize = 4096;

/// Something that was seen at a time.
pub(in crate::workload) trait Timed {
    /// When, ns.
    fn at_ns(&self) -> u64;
}

/// What one worker saw.
#[derive(Debug)]
pub(in crate::workload) struct WorkerSamples<S> {
    seen: Vec<S>,
    every_ns: u64,
    due_ns: u64,
}

impl<S> Default for WorkerSamples<S> {
    fn default() -> Self {
        Self { seen: Vec::with_capacity(LOOKS_MOST), every_ns: EVERY_NS, due_ns: 0 }
    }
}

impl<S: Timed> WorkerSamples<S> {
    #[inline]
    pub(in crate::workload) fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.due_ns
    }

    #[cold]
    pub(in crate::workload) fn put(&mut self, seen: S) {
        if self.seen.len() >= LOOKS_MOST {
            let mut keep = false;
            self.seen.retain(|_| {
                keep = !keep;
                keep
            });
            self.every_ns *= 2;
        }
        self.due_ns = seen.at_ns() + self.every_ns;
        self.seen.push(seen);
    }
}

/// The tracks of all workers of a load, handed over as each ends.
#[derive(Debug)]
pub(in crate::workload) struct SampleCollector<S>(Mutex<Vec<WorkerSamples<S>>>);

impl<S> Default for SampleCollector<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<S: Timed> SampleCollector<S> {
    pub(in crate::workload) fn hand_in(&self, track: &mut WorkerSamples<S>) {
        self.tracks().push(std::mem::take(track));
    }

    fn tracks(&self) -> MutexGuard<'_, Vec<WorkerSamples<S>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far a counter of all workers together went in `window`; `None` where
    /// no worker knows it.
    pub(in crate::workload) fn change(&self, window: Window, of: impl Fn(&S) -> Option<f64>) -> Option<f64> {
        let tracks = self.tracks();
        let each = tracks.iter().filter_map(|t| change(&t.seen, window.start_ns, window.end_ns, &of));
        each.reduce(|a, b| a + b)
    }

    /// How many workers handed a track in.
    pub(in crate::workload) fn workers(&self) -> usize {
        self.tracks().len()
    }

    /// All that was seen of a value in `window`.
    pub(in crate::workload) fn values(&self, window: Window, of: impl Fn(&S) -> Option<f64>) -> Vec<f64> {
        let tracks = self.tracks();
        let all = tracks.iter().flat_map(|t| &t.seen);
        all.filter(|s| (window.start_ns..=window.end_ns).contains(&s.at_ns())).filter_map(of).collect()
    }

    /// A value over time, put together from all workers.
    pub(in crate::workload) fn gauge(
        &self,
        (name, unit): (SeriesName, Unit),
        until_ns: u64,
        of: impl Fn(&S) -> Option<f64>,
        together: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Series> {
        self.course((name, unit), until_ns, |seen, _, end_ns| at(seen, end_ns, &of), together)
    }

    /// The rate of a counter of all workers together over time.
    pub(in crate::workload) fn rate(
        &self,
        (name, unit): (SeriesName, Unit),
        until_ns: u64,
        of: impl Fn(&S) -> Option<f64>,
    ) -> Option<Series> {
        let in_step = |seen: &[S], from_ns: u64, to_ns: u64| {
            Some(change(seen, from_ns, to_ns, &of)? / ((to_ns - from_ns) as f64 / 1e9))
        };
        self.course((name, unit), until_ns, in_step, |all| Some(all.iter().sum()))
    }

    fn course(
        &self,
        (name, unit): (SeriesName, Unit),
        until_ns: u64,
        in_step: impl Fn(&[S], u64, u64) -> Option<f64>,
        together: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Series> {
        let tracks = self.tracks();
        let interval_ns = tracks.iter().map(|t| t.every_ns).max()?;
        let start_ns = tracks.iter().filter_map(|t| t.seen.first()).map(Timed::at_ns).min()?;
        let last_ns = tracks.iter().filter_map(|t| t.seen.last()).map(Timed::at_ns).max()?;
        let steps = last_ns.min(until_ns).checked_sub(start_ns)? / interval_ns;
        let step = |index: u64| {
            let from_ns = start_ns + index * interval_ns;
            let each: Vec<f64> =
                tracks.iter().filter_map(|t| in_step(&t.seen, from_ns, from_ns + interval_ns)).collect();
            if each.is_empty() { None } else { together(&each) }
        };
        let values: Vec<f64> = (0..steps).map(step).collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        let resource = Resource::whole(ResourceKind::Load);
        Some(Series { resource, name, unit, start_ns, interval_ns, values })
    }
}

/// How far a counter went from one time to another.
fn change<S: Timed>(seen: &[S], from_ns: u64, to_ns: u64, of: &impl Fn(&S) -> Option<f64>) -> Option<f64> {
    Some((at(seen, to_ns, of)? - at(seen, from_ns, of)?).max(0.0))
}

/// What a value was at a time: on the line between the looks before and after,
/// the nearest where there are none on one side.
fn at<S: Timed>(seen: &[S], at_ns: u64, of: &impl Fn(&S) -> Option<f64>) -> Option<f64> {
    let after = seen.partition_point(|s| s.at_ns() < at_ns);
    let (Some(a), Some(b)) = (after.checked_sub(1).and_then(|i| seen.get(i)), seen.get(after)) else {
        return of(if after == 0 { seen.first()? } else { seen.last()? });
    };
    let (before, behind) = (of(a)?, of(b)?);
    let share = (at_ns - a.at_ns()) as f64 / (b.at_ns() - a.at_ns()).max(1) as f64;
    Some(before + (behind - before) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time and a counter.
    #[derive(Clone, Copy)]
    struct DeviceProbe(u64, f64);

    impl Timed for DeviceProbe {
        fn at_ns(&self) -> u64 {
            self.0
        }
    }

    fn book(workers: &[&[DeviceProbe]]) -> SampleCollector<DeviceProbe> {
        let book = SampleCollector::default();
        for looks in workers {
            let mut track = WorkerSamples::default();
            looks.iter().for_each(|look| track.put(*look));
            book.hand_in(&mut track);
        }
        book
    }

    #[test]
    fn a_counter_between_two_looks_lies_on_the_line() {
        let book = book(&[
            &[DeviceProbe(0, 0.0), DeviceProbe(100, 10.0), DeviceProbe(200, 10.0), DeviceProbe(300, 40.0)],
            &[DeviceProbe(0, 5.0)],
        ]);
        let change = |start_ns, end_ns| book.change(Window { start_ns, end_ns }, |l| Some(l.1));
        assert_eq!(change(50, 250), Some(20.0));
        assert_eq!(
            change(50, 9999),
            Some(35.0),
            "what came after the last look is not known to have changed"
        );
        assert_eq!(book.change(Window { start_ns: 0, end_ns: 300 }, |_| None), None);
        assert_eq!(book.values(Window { start_ns: 100, end_ns: 200 }, |l| Some(l.1)), [10.0, 10.0]);
    }

    #[test]
    fn rates_of_workers_are_added_and_gauges_are_put_together() {
        let looks = |by: f64| (0..=10).map(|i| DeviceProbe(i * EVERY_NS, i as f64 * by)).collect::<Vec<_>>();
        let (a, b) = (looks(1.0), looks(3.0));
        let book = book(&[&a, &b]);
        let rate =
            book.rate((SeriesName::new("sent_again"), Unit::PerSecond), u64::MAX, |l| Some(l.1)).unwrap();
        assert_eq!(rate.values.len(), 10);
        // 1 and 3 in each 20 ms.
        assert!(rate.values.iter().all(|v| (v - 200.0).abs() < 1e-6), "{rate:?}");
        let until_ns = 5 * EVERY_NS;
        let most = |all: &[f64]| all.iter().copied().reduce(f64::max);
        let gauge =
            book.gauge((SeriesName::new("rtt"), Unit::Seconds), until_ns, |l| Some(l.1), most).unwrap();
        assert_eq!(gauge.values, [3.0, 6.0, 9.0, 12.0, 15.0]);
    }

    #[test]
    fn a_long_trial_is_seen_more_coarsely_and_whole() {
        let mut track = WorkerSamples::default();
        for i in 0..10_000u64 {
            let now_ns = i * EVERY_NS;
            if track.is_due(now_ns) {
                track.put(DeviceProbe(now_ns, i as f64));
            }
        }
        assert!(track.seen.len() <= LOOKS_MOST && track.seen.len() > LOOKS_MOST / 2);
        assert_eq!(track.seen[0].0, 0);
        let book = SampleCollector::default();
        book.hand_in(&mut track);
        let whole = Window { start_ns: 0, end_ns: 9_900 * EVERY_NS };
        assert!((book.change(whole, |l| Some(l.1)).unwrap() - 9_900.0).abs() < 1e-6);
    }
}
