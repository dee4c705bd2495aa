//! How long clients took to connect and to sign in, which is apart from what they do then.

use std::sync::Mutex;

use engine::lock;
use model::{FactName, MetricName, MetricSpec, Quantity, Value};

use crate::workload::common;

/// Half of the times.
pub(in crate::workload) const CONNECT_P50: MetricSpec = common::time(
    MetricName::new("connect_p50"),
    "Half of the clients took at most this long to connect to the server and to sign in, before time counts.",
);
/// Nearly all of them.
pub(in crate::workload) const CONNECT_P99: MetricSpec = common::time(
    MetricName::new("connect_p99"),
    "99 % of the clients took at most this long to connect to the server and to sign in, before time counts.",
);

/// The times of all clients of a load, ns.
#[derive(Debug, Default)]
pub(in crate::workload) struct ConnectTimes(Mutex<Vec<u64>>);

impl ConnectTimes {
    /// Adds that of one client.
    pub(in crate::workload) fn add(&self, took_ns: u64) {
        lock(&self.0).push(took_ns.max(1));
    }

    /// The metrics that there are enough clients for.
    pub(in crate::workload) fn metrics(&self) -> Vec<(MetricName, Quantity)> {
        let mut times = stats::histogram::new_latency();
        lock(&self.0).iter().for_each(|took_ns| times.saturating_record(*took_ns));
        [(CONNECT_P50, 50.0), (CONNECT_P99, 99.0)]
            .into_iter()
            .filter_map(|(spec, percent)| {
                let value = stats::histogram::percentile(&times, percent)? / 1e9;
                Some((spec.name, Quantity { value, unit: spec.unit }))
            })
            .collect()
    }

    /// How many there were, and how long the slowest took, s.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let times = lock(&self.0);
        let Some(slowest) = times.iter().max() else { return Vec::new() };
        vec![
            (FactName::new("connections"), Value::Integer(times.len() as u64)),
            (FactName::new("slowest_connect"), Value::Number(*slowest as f64 / 1e9)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_need_enough_clients() {
        let times = ConnectTimes::default();
        assert!(times.facts().is_empty() && times.metrics().is_empty());
        (1..=19).for_each(|each| times.add(each * 1_000_000));
        assert!(times.metrics().is_empty());
        (20..=40).for_each(|each| times.add(each * 1_000_000));
        let found = times.metrics();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, CONNECT_P50.name);
        assert!((found[0].1.value - 0.020).abs() < 1e-4, "{found:?}");
        assert_eq!(times.facts()[0].1, Value::Integer(40));
        assert_eq!(times.facts()[1].1, Value::Number(0.040));
    }
}
