//! Handshakes of TLS over connections that are made while time counts.
//!
//! How long they took is kept as counts, however many there are. Which intervals of the front are cut off is known
//! only in the end, so each that may be has counts of its own; those that always count share theirs.

use engine::clock;
use model::trial::{Timeline, Window};
use model::{FactName, MetricName, MetricSpec, Quantity, Value};
use rustls::{ClientConnection, HandshakeKind};
use stats::counts::Counts;
use stats::histogram::SparseCounts;

use crate::workload::common;

/// How many there were.
pub(in crate::workload) const PER_SECOND: MetricSpec = common::rate(
    MetricName::new("tls_handshakes_per_second"),
    "TLS handshakes completed per second, over connections that were made in the window.",
);
/// Half of their times.
pub(in crate::workload) const P50: MetricSpec = common::time(
    MetricName::new("tls_handshake_p50"),
    "Half of the TLS handshakes took at most this long, from the established TCP connection on.",
);
/// Nearly all of their times.
pub(in crate::workload) const P99: MetricSpec = common::time(
    MetricName::new("tls_handshake_p99"),
    "99 % of the TLS handshakes took at most this long, from the established TCP connection on.",
);

/// Those of one worker, or of several together.
#[derive(Debug, Default)]
pub(in crate::workload) struct Handshakes {
    /// How many were completed in the whole trial, and how many of them resumed a session.
    completed: u64,
    resumed: u64,
    /// Absent where nobody asks how long they took.
    timeline: Option<Timeline>,
    /// How long those took that ended in the present slot.
    slot: i64,
    counts: Option<Counts>,
    /// The same of slots that are over.
    past: Vec<(i64, SparseCounts)>,
}

impl Handshakes {
    /// The times of the trial, before its first handshake.
    pub(in crate::workload) fn set_timeline(&mut self, timeline: Timeline) {
        self.timeline = Some(timeline);
    }

    /// Counts that of `session`, which is done just now and began at `begun_ns`.
    #[cold]
    pub(in crate::workload) fn count(&mut self, session: &ClientConnection, begun_ns: u64) {
        let ended_ns = clock::now_ns();
        self.resumed += u64::from(session.handshake_kind() == Some(HandshakeKind::Resumed));
        self.record(ended_ns, ended_ns.saturating_sub(begun_ns));
    }

    fn record(&mut self, ended_ns: u64, took_ns: u64) {
        self.completed += 1;
        let Some(slot) = self.timeline.and_then(|timeline| slot_of(timeline, ended_ns)) else { return };
        if slot != self.slot {
            self.close();
            self.slot = slot;
        }
        self.counts.get_or_insert_with(Counts::new).record(took_ns.max(1));
    }

    /// The present slot is over.
    fn close(&mut self) {
        if let Some(counts) = self.counts.as_mut().filter(|counts| !counts.is_empty()) {
            self.past.push((self.slot, SparseCounts::from(&*counts)));
            counts.reset();
        }
    }

    /// Adds those of another worker. A search for a rate runs a load several times: only the times of the
    /// last one are kept.
    pub(in crate::workload) fn add(&mut self, mut other: Self) {
        other.close();
        if other.timeline.is_some() && other.timeline != self.timeline {
            self.timeline = other.timeline;
            self.past.clear();
        }
        self.past.append(&mut other.past);
        self.completed += other.completed;
        self.resumed += other.resumed;
    }

    /// How many were full ones, and how many resumed a session.
    pub(in crate::workload) fn fact(&self) -> Option<(FactName, Value)> {
        let full = self.completed - self.resumed;
        let text = format!("full: {full}, resumed: {}", self.resumed);
        (self.completed > 0).then(|| (FactName::new("tls_handshakes"), Value::Text(text)))
    }

    /// How many of all that were added ended in `window` for each second of it, and how long they took; nothing
    /// where none did.
    pub(in crate::workload) fn metrics(&self, window: Window) -> Vec<(MetricName, Quantity)> {
        let Some(timeline) = self.timeline else { return Vec::new() };
        let first = timeline.interval_of(window.start_ns).min(last_slot(timeline));
        let mut times = stats::histogram::new_latency();
        let counted = self.past.iter().filter(|(slot, _)| *slot >= first);
        counted.for_each(|(_, counts)| counts.add_to(&mut times));
        if times.is_empty() {
            return Vec::new();
        }
        let percentile = |percent| stats::histogram::percentile(&times, percent).map(|ns| ns / 1e9);
        [
            (PER_SECOND, Some(times.len() as f64 / window.seconds())),
            (P50, percentile(50.0)),
            (P99, percentile(99.0)),
        ]
        .into_iter()
        .filter_map(|(spec, value)| Some((spec.name, Quantity { value: value?, unit: spec.unit })))
        .collect()
    }
}

/// The slot of what ended at `ended_ns`: its interval, or the last one. None before the window and after it.
fn slot_of(timeline: Timeline, ended_ns: u64) -> Option<i64> {
    let is_in = (timeline.window_ns..timeline.end_ns).contains(&ended_ns);
    is_in.then(|| timeline.interval_of(ended_ns).min(last_slot(timeline)))
}

/// The interval from which on all always count: no more than half of them are ever cut off
/// (`engine::outcome`), and none where a count ends the trial.
fn last_slot(timeline: Timeline) -> i64 {
    if timeline.end_ns == u64::MAX { 0 } else { (timeline.interval_of(timeline.end_ns - 1) + 1) / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A window of four intervals of a second, from the second one on.
    const TIMES: Timeline =
        Timeline { start_ns: 0, window_ns: SECOND, interval_ns: SECOND, end_ns: 5 * SECOND };

    fn of(timeline: Timeline, all: impl IntoIterator<Item = (u64, u64)>) -> Handshakes {
        let mut handshakes = Handshakes::default();
        handshakes.set_timeline(timeline);
        all.into_iter().for_each(|(ended_ns, took_ns)| handshakes.record(ended_ns, took_ns));
        handshakes
    }

    fn value(of: &[(MetricName, Quantity)], spec: MetricSpec) -> Option<f64> {
        of.iter().find(|(metric, _)| *metric == spec.name).map(|(_, quantity)| quantity.value)
    }

    #[test]
    fn only_handshakes_in_the_window_are_in_its_metrics() {
        // In the warm-up, and when the window was over.
        let mut all = of(TIMES, [(SECOND - 1, 9_000_000)]);
        all.add(of(
            TIMES,
            (0..4_000).map(|each| (SECOND + each, 1_000_000)).chain([(5 * SECOND, 9_000_000)]),
        ));
        all.add(of(TIMES, [(3 * SECOND, 1_000_000); 2_000]));
        // Two workers; of one the first interval is a slow start, which is cut off.
        let whole = all.metrics(Window { start_ns: SECOND, end_ns: 5 * SECOND });
        assert_eq!(value(&whole, PER_SECOND), Some(1_500.0));
        for spec in [P50, P99] {
            assert!(value(&whole, spec).is_some_and(|seconds| (seconds - 1e-3).abs() < 1e-5), "{whole:?}");
        }
        let cut = all.metrics(Window { start_ns: 2 * SECOND, end_ns: 5 * SECOND });
        assert!(value(&cut, PER_SECOND).is_some_and(|rate| (rate - 2_000.0 / 3.0).abs() < 1e-9), "{cut:?}");
        assert_eq!(all.fact().unwrap().1.to_string(), "full: 6002, resumed: 0");
        let late = of(TIMES, [(6 * SECOND, 1)]);
        assert!(late.metrics(Window { start_ns: SECOND, end_ns: 5 * SECOND }).is_empty());
        assert_eq!(Handshakes::default().fact(), None);
    }

    #[test]
    fn a_trial_that_a_count_ends_has_no_front_to_be_cut_off() {
        let timeline = Timeline { end_ns: u64::MAX, ..TIMES };
        let mut all = Handshakes::default();
        all.add(of(timeline, (0..100).map(|each| (SECOND + each * SECOND, 1_000_000))));
        let metrics = all.metrics(Window { start_ns: SECOND, end_ns: 101 * SECOND });
        assert_eq!(value(&metrics, PER_SECOND), Some(1.0));
        assert_eq!(all.past.len(), 1, "one for all of them");
    }

    #[test]
    fn regression_every_handshake_took_memory() {
        let timeline = Timeline { interval_ns: SECOND / 100, ..TIMES };
        let mut all = Handshakes::default();
        let took = |each: u64| 500_000 + each % 1_000;
        all.add(of(timeline, (0..1_000_000).map(|each| (SECOND + each * 4_000, took(each)))));
        // Half of 400 intervals, and one for the rest; each has as many counts as there are different times.
        assert_eq!(all.past.len(), 201);
        let metrics = all.metrics(Window { start_ns: SECOND, end_ns: 5 * SECOND });
        assert_eq!(value(&metrics, PER_SECOND), Some(250_000.0));
    }

    #[test]
    fn of_several_runs_of_a_search_the_last_one_is_told() {
        let later = Timeline { start_ns: 10 * SECOND, window_ns: 11 * SECOND, end_ns: 15 * SECOND, ..TIMES };
        let mut all = Handshakes::default();
        all.add(of(TIMES, [(2 * SECOND, 5_000_000); 40]));
        all.add(of(later, [(12 * SECOND, 1_000_000); 20]));
        all.add(of(later, [(13 * SECOND, 1_000_000); 20]));
        let metrics = all.metrics(Window { start_ns: 11 * SECOND, end_ns: 15 * SECOND });
        assert_eq!(value(&metrics, PER_SECOND), Some(10.0));
        assert!(value(&metrics, P50).is_some_and(|seconds| (seconds - 1e-3).abs() < 1e-5), "{metrics:?}");
        assert_eq!(all.fact().unwrap().1.to_string(), "full: 80, resumed: 0");
    }
}
