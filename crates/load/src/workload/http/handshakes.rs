//! Handshakes of TLS over connections that are made while time counts.

use engine::clock;
use model::trial::Window;
use model::{FactName, MetricName, MetricSpec, Quantity, Value};
use rustls::{ClientConnection, HandshakeKind};

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

/// One that was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Handshake {
    ended_ns: u64,
    took_ns: u64,
}

/// Those of one worker, or of several together.
#[derive(Debug, Default)]
pub(in crate::workload) struct Handshakes {
    completed: Vec<Handshake>,
    /// How many of them resumed a session.
    resumed: u64,
}

impl Handshakes {
    /// Counts that of `session`, which is done just now and began at `begun_ns`.
    #[cold]
    pub(in crate::workload) fn count(&mut self, session: &ClientConnection, begun_ns: u64) {
        let ended_ns = clock::now_ns();
        self.completed.push(Handshake { ended_ns, took_ns: ended_ns.saturating_sub(begun_ns) });
        self.resumed += u64::from(session.handshake_kind() == Some(HandshakeKind::Resumed));
    }

    /// Adds those of another worker.
    pub(in crate::workload) fn add(&mut self, mut other: Self) {
        self.completed.append(&mut other.completed);
        self.resumed += other.resumed;
    }

    /// How many were full ones, and how many resumed a session.
    pub(in crate::workload) fn fact(&self) -> Option<(FactName, Value)> {
        let full = self.completed.len() as u64 - self.resumed;
        let text = format!("full: {full}, resumed: {}", self.resumed);
        (!self.completed.is_empty()).then(|| (FactName::new("tls_handshakes"), Value::Text(text)))
    }

    /// How many ended in `window` for each second of it, and how long they took; nothing where none did.
    pub(in crate::workload) fn metrics(&self, window: Window) -> Vec<(MetricName, Quantity)> {
        let mut times = stats::histogram::new_latency();
        let is_in = |each: &&Handshake| (window.start_ns..window.end_ns).contains(&each.ended_ns);
        for each in self.completed.iter().filter(is_in) {
            times.saturating_record(each.took_ns.max(1));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_handshakes_in_the_window_are_in_its_metrics() {
        let at = |ended_ns, took_ns| Handshake { ended_ns, took_ns };
        let second = 1_000_000_000;
        let mut all = Handshakes { completed: vec![at(second - 1, 9_000_000)], resumed: 0 };
        let more = (0..4_000).map(|each| at(second + each, 1_000_000)).chain([at(3 * second, 9_000_000)]);
        all.add(Handshakes { completed: more.collect(), resumed: 2 });
        let metrics = all.metrics(Window { start_ns: second, end_ns: 3 * second });
        let of = |name: MetricName| metrics.iter().find(|(metric, _)| *metric == name).map(|(_, q)| q.value);
        assert_eq!(of(PER_SECOND.name), Some(2_000.0));
        for name in [P50.name, P99.name] {
            assert!(of(name).is_some_and(|seconds| (seconds - 1e-3).abs() < 1e-5), "{metrics:?}");
        }
        assert_eq!(all.fact().unwrap().1.to_string(), "full: 4000, resumed: 2");
        assert!(all.metrics(Window { start_ns: 5 * second, end_ns: 6 * second }).is_empty());
        assert_eq!(Handshakes::default().fact(), None);
    }
}
