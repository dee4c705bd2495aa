//! How the latency of a load was spread in each part of a trial: what a heat map of time and latency is drawn from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Operations that finished, counted by interval and by step of latency. Ten steps make a decade: step `s` holds
/// latencies from 10^(s/10) ns to below 10^((s+1)/10) ns, so that each is about a quarter longer than the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyOverTime {
    /// When the first interval began, ns.
    pub start_ns: u64,
    /// The length of an interval, ns.
    pub interval_ns: u64,
    /// The step of the first count of each interval.
    pub first_step: u32,
    /// By interval, then by step. All intervals have the same steps.
    pub counts: Vec<Vec<u64>>,
}

impl LatencyOverTime {
    /// Of counts by step, one map an interval; none where nothing was counted.
    #[must_use]
    pub fn of(start_ns: u64, interval_ns: u64, intervals: &[BTreeMap<u32, u64>]) -> Option<Self> {
        let steps = || intervals.iter().flat_map(BTreeMap::keys).copied();
        let (first_step, last_step) = (steps().min()?, steps().max()?);
        let row = |counts: &BTreeMap<u32, u64>| {
            (first_step..=last_step).map(|step| counts.get(&step).copied().unwrap_or_default()).collect()
        };
        Some(Self { start_ns, interval_ns, first_step, counts: intervals.iter().map(row).collect() })
    }

    /// The step that holds a latency.
    #[must_use]
    pub fn step_of(latency_ns: u64) -> u32 {
        ((latency_ns.max(1) as f64).log10() * 10.0).floor() as u32
    }

    /// The least latency of a step, in seconds.
    #[must_use]
    pub fn from_s(step: u32) -> f64 {
        10f64.powf(f64::from(step) / 10.0 - 9.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_tenths_of_a_decade() {
        assert_eq!([1, 1_500, 120_000, 5_100_000_000].map(LatencyOverTime::step_of), [0, 31, 50, 97]);
        assert!((LatencyOverTime::from_s(50) / 100e-6 - 1.0).abs() < 1e-9);
        assert!((LatencyOverTime::from_s(53) / 199.53e-6 - 1.0).abs() < 1e-4);
    }

    #[test]
    fn all_intervals_have_the_same_steps() {
        let intervals = [BTreeMap::from([(50, 7)]), BTreeMap::new(), BTreeMap::from([(48, 1), (50, 2)])];
        let found = LatencyOverTime::of(5, 10, &intervals).unwrap();
        assert_eq!((found.first_step, found.start_ns, found.interval_ns), (48, 5, 10));
        assert_eq!(found.counts, [vec![0, 0, 7], vec![0, 0, 0], vec![1, 0, 2]]);
        assert_eq!(LatencyOverTime::of(5, 10, &[BTreeMap::new()]), None);
    }
}
