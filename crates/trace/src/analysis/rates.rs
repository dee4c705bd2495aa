//! How much was completed in each interval.

use super::buckets::{Combine, TimeBuckets};
use super::counts::CountedBytes;
use super::traffic::IoClass;

/// Points of a series of rates.
pub const RATE_POINTS_MAX: usize = 1024;

/// What was completed in one interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatePoint {
    /// When the interval begins, on the trace's clock.
    pub time_ns: u64,
    /// How many and their bytes, in the order of [`IoClass::ALL`].
    pub completed: [CountedBytes; 3],
}

/// What was completed over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateSeries {
    /// The time that each point stands for, in nanoseconds.
    pub interval_ns: u64,
    /// The points; intervals after the last had nothing.
    pub points: Vec<RatePoint>,
}

/// Counts of one interval.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateCounts([CountedBytes; 3]);

impl RateCounts {
    pub(super) const fn add(&mut self, class: IoClass, bytes: u64) {
        self.0[class as usize].add(bytes);
    }
}

impl Combine for RateCounts {
    fn combine(&mut self, later: &Self) {
        for (own, later) in self.0.iter_mut().zip(later.0) {
            own.join(later);
        }
    }
}

/// The series as the report has it.
pub(super) fn series(rates: &TimeBuckets<RateCounts>) -> RateSeries {
    let points = rates.points().map(|(time_ns, counts)| RatePoint { time_ns, completed: counts.0 });
    RateSeries { interval_ns: rates.width_ns(), points: points.collect() }
}
