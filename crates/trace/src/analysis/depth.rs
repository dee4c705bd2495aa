//! How many are on their way at each time.

use super::buckets::{Combine, TimeBuckets};

/// Points of a series of depths.
pub const DEPTH_POINTS_MAX: usize = 1024;

/// The depth in one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthPoint {
    /// When the interval begins, on the trace's clock.
    pub time_ns: u64,
    /// The mean over the interval's time.
    pub mean: f64,
    /// The most at once.
    pub max: u64,
}

/// How many were on their way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthReport {
    /// The mean over the time of the whole trace, idle times too.
    pub mean: f64,
    /// The mean over the time when there was any; nothing where there never was.
    pub mean_busy: Option<f64>,
    /// The most at once.
    pub max: u64,
    /// The time when there was any, in nanoseconds.
    pub busy_ns: u64,
    /// The time that each point stands for, in nanoseconds.
    pub interval_ns: u64,
    /// The depth over time.
    pub points: Vec<DepthPoint>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DepthBucket {
    /// Depth times nanoseconds.
    area: u64,
    max: u64,
}

impl Combine for DepthBucket {
    fn combine(&mut self, later: &Self) {
        self.area = self.area.saturating_add(later.area);
        self.max = self.max.max(later.max);
    }
}

/// Follows a depth.
#[derive(Clone, Debug)]
pub(super) struct DepthRecorder {
    start_ns: u64,
    level: u64,
    since_ns: u64,
    area: u128,
    busy_ns: u64,
    max: u64,
    buckets: TimeBuckets<DepthBucket>,
}

impl DepthRecorder {
    pub(super) fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            level: 0,
            since_ns: start_ns,
            area: 0,
            busy_ns: 0,
            max: 0,
            buckets: TimeBuckets::new(start_ns, DEPTH_POINTS_MAX),
        }
    }

    /// From now on it is `level`. Times never go back.
    pub(super) fn set(&mut self, now: u64, level: u64) {
        if level == self.level {
            return;
        }
        self.advance(now);
        self.level = level;
        self.max = self.max.max(level);
        let bucket = self.buckets.at(now);
        bucket.max = bucket.max.max(level);
    }

    fn advance(&mut self, now: u64) {
        let mut from = self.since_ns;
        self.since_ns = self.since_ns.max(now);
        if self.level == 0 || now <= from {
            return;
        }
        self.area += u128::from(self.level) * u128::from(now - from);
        self.busy_ns += now - from;
        // Makes the points so wide that few are passed below.
        self.buckets.at(now);
        while from < now {
            let to = self.buckets.end_of(from).min(now);
            let bucket = self.buckets.at(from);
            bucket.area = bucket.area.saturating_add(self.level.saturating_mul(to - from));
            bucket.max = bucket.max.max(self.level);
            from = to;
        }
    }

    /// The depth until `end_ns`.
    pub(super) fn report(mut self, end_ns: u64) -> DepthReport {
        self.advance(end_ns);
        let span = end_ns.saturating_sub(self.start_ns);
        let width = self.buckets.width_ns();
        let points = self.buckets.points().map(|(time_ns, bucket)| {
            let length = width.min(end_ns.saturating_sub(time_ns)).max(1);
            DepthPoint { time_ns, mean: bucket.area as f64 / length as f64, max: bucket.max }
        });
        DepthReport {
            mean: if span > 0 { self.area as f64 / span as f64 } else { 0.0 },
            mean_busy: (self.busy_ns > 0).then(|| self.area as f64 / self.busy_ns as f64),
            max: self.max,
            busy_ns: self.busy_ns,
            interval_ns: width,
            points: points.collect(),
        }
    }
}

/// Little's law: the mean number on their way is the rate times the mean stay. The two sides
/// are counted separately, the first by following the depth and the second by matching
/// requests, so they differ by what one of them missed: requests that never ended, that were
/// requeued, or whose events were lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LittlesLaw {
    /// The mean depth over the trace.
    pub depth_mean: f64,
    /// Completed requests (bios, for a device without requests) per second.
    pub rate_per_s: f64,
    /// How long one stayed on average, in nanoseconds: all times together, where it was requeued.
    pub stay_mean_ns: f64,
}

impl LittlesLaw {
    /// Of `count` that stayed `total_ns` together, in a trace of `span_ns`.
    pub(super) fn of(depth_mean: f64, count: u64, total_ns: u128, span_ns: u64) -> Option<Self> {
        (count > 0 && span_ns > 0).then(|| Self {
            depth_mean,
            rate_per_s: count as f64 / (span_ns as f64 / 1e9),
            stay_mean_ns: total_ns as f64 / count as f64,
        })
    }

    /// Rate times stay: the depth that the requests account for.
    #[must_use]
    pub fn depth_by_requests(&self) -> f64 {
        self.rate_per_s * self.stay_mean_ns / 1e9
    }

    /// The share of the depth that the completed requests do not account for; nothing where
    /// there was no depth.
    #[must_use]
    pub fn unexplained(&self) -> Option<f64> {
        (self.depth_mean > 0.0).then(|| (self.depth_mean - self.depth_by_requests()).abs() / self.depth_mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_time_and_not_over_changes() {
        let mut depth = DepthRecorder::new(100);
        depth.set(200, 1);
        depth.set(300, 3);
        depth.set(400, 0);
        let report = depth.report(600);
        // 100 ns at 1 and 100 ns at 3, of 500 ns.
        assert_eq!((report.mean, report.mean_busy), (0.8, Some(2.0)));
        assert_eq!((report.max, report.busy_ns, report.points.len()), (3, 200, 1));
        assert_eq!(report.points[0], DepthPoint { time_ns: 100, mean: 0.8, max: 3 });
    }

    #[test]
    fn a_long_time_is_spread_over_its_points() {
        let width = 1 << 20;
        let mut depth = DepthRecorder::new(0);
        depth.set(width / 2, 2);
        depth.set(3 * width, 0);
        let report = depth.report(4 * width);
        assert_eq!(report.points.iter().map(|point| point.mean).collect::<Vec<_>>(), [1.0, 2.0, 2.0, 0.0]);
    }

    #[test]
    fn the_law_holds_where_nothing_is_missed() {
        // Two requests of 300 ns in 1,000 ns.
        let law = LittlesLaw::of(0.6, 2, 600, 1000).unwrap();
        assert!((law.depth_by_requests() - 0.6).abs() < 1e-12);
        assert!(law.unexplained().unwrap() < 1e-9);
        assert!((LittlesLaw::of(0.6, 1, 300, 1000).unwrap().unexplained().unwrap() - 0.5).abs() < 1e-9);
    }
}
