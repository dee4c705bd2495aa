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
    /// That of the last interval, where it is shorter, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_interval_ns: Option<u64>,
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
        let counts = intervals.iter().map(row).collect();
        Some(Self { start_ns, interval_ns, last_interval_ns: None, first_step, counts })
    }

    /// The same, which ends at `end_ns`: in the middle of its last interval, perhaps.
    #[must_use]
    pub fn until(mut self, end_ns: u64) -> Self {
        let before = (self.counts.len() as u64).saturating_sub(1).saturating_mul(self.interval_ns);
        let last_ns = end_ns.saturating_sub(self.start_ns.saturating_add(before));
        self.last_interval_ns = (1..self.interval_ns).contains(&last_ns).then_some(last_ns);
        self
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

    #[test]
    fn regression_a_last_interval_that_is_shorter_looked_like_less_work() {
        let intervals = [BTreeMap::from([(50, 8)]), BTreeMap::from([(50, 8)]), BTreeMap::from([(50, 4)])];
        let until = |end_ns| LatencyOverTime::of(5, 10, &intervals).unwrap().until(end_ns).last_interval_ns;
        assert_eq!([35, 30, 26].map(until), [None, Some(5), Some(1)]);
        // What ends elsewhere is none of it.
        assert_eq!([0, 25, 40].map(until), [None; 3]);
    }
}
