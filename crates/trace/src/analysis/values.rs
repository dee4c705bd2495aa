//! Many values as one histogram, and what may be read from it.
//!
//! HdrHistogram with three digits, which grows to the largest value that came: about 170 KB
//! up to a second in nanoseconds, and nothing for what never happens. Sums, minimum and
//! maximum are exact, so that a mean is btt's mean.

use hdrhistogram::Histogram;

/// Values must rank beyond a percentile for it to be given: with fewer it is the value of a
/// few single events, and the next trace gives another.
pub const PERCENTILE_MIN_BEYOND: u64 = 10;

/// Digits that are told apart: 0.1 %.
const DIGITS: u8 = 3;
/// Larger values count as this one. In nanoseconds: 36 years.
const LARGEST: u64 = 1 << 60;

/// What many values are, in the unit of the values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueSummary {
    /// How many.
    pub count: u64,
    /// Their sum, exact.
    pub total: u128,
    /// The smallest, exact.
    pub min: Option<u64>,
    /// The largest, exact.
    pub max: Option<u64>,
    /// Half are not above it. This and the next: within 0.1 %, and only where
    /// [`PERCENTILE_MIN_BEYOND`] values rank beyond.
    pub p50: Option<u64>,
    /// 90 % are not above it.
    pub p90: Option<u64>,
    /// 99 % are not above it.
    pub p99: Option<u64>,
    /// 99.9 % are not above it.
    pub p999: Option<u64>,
    /// All of them; nothing where there are none.
    pub histogram: Option<Histogram<u64>>,
}

impl ValueSummary {
    /// The exact mean; nothing where there are no values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total as f64 / self.count as f64)
    }
}

/// Takes values one by one.
#[derive(Clone, Debug)]
pub(super) struct ValueRecorder {
    histogram: Option<Box<Histogram<u64>>>,
    count: u64,
    total: u128,
    min: u64,
    max: u64,
}

impl Default for ValueRecorder {
    fn default() -> Self {
        Self { histogram: None, count: 0, total: 0, min: u64::MAX, max: 0 }
    }
}

impl ValueRecorder {
    pub(super) fn record(&mut self, value: u64) {
        self.count += 1;
        self.total += u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if self.histogram.is_none() {
            self.histogram = Histogram::new(DIGITS).ok().map(Box::new);
        }
        if let Some(histogram) = &mut self.histogram {
            let value = value.min(LARGEST);
            if histogram.record(value).is_err() {
                histogram.saturating_record(value);
            }
        }
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Adds another's values to these.
    pub(super) fn absorb(&mut self, other: Self) {
        self.count += other.count;
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        let Some(theirs) = other.histogram else { return };
        match &mut self.histogram {
            // Fails only for a histogram that could not have been made.
            Some(own) => own.add(&*theirs).unwrap_or_default(),
            None => self.histogram = Some(theirs),
        }
    }

    pub(super) fn summary(self) -> ValueSummary {
        let given = self.count > 0;
        let mut summary = ValueSummary {
            count: self.count,
            total: self.total,
            min: given.then_some(self.min),
            max: given.then_some(self.max),
            ..ValueSummary::default()
        };
        if let Some(histogram) = self.histogram {
            let at = |per_mille| percentile(&histogram, per_mille).map(|value| value.min(self.max));
            (summary.p50, summary.p90) = (at(500), at(900));
            (summary.p99, summary.p999) = (at(990), at(999));
            summary.histogram = Some(*histogram);
        }
        summary
    }

    /// The value that half do not exceed, of however few there are.
    pub(super) fn median(&self) -> Option<u64> {
        let histogram = self.histogram.as_ref()?;
        at_rank(histogram, histogram.len().div_ceil(2)).map(|value| value.min(self.max))
    }

    /// Each value that came, as the lowest of its bucket, and how often.
    pub(super) fn counts(&self) -> Vec<(u64, u64)> {
        let Some(histogram) = &self.histogram else { return Vec::new() };
        histogram
            .iter_recorded()
            .map(|bucket| (histogram.lowest_equivalent(bucket.value_iterated_to()), bucket.count_at_value()))
            .collect()
    }
}

/// The value that so many thousandths do not exceed, rounded up to its bucket.
fn percentile(histogram: &Histogram<u64>, per_mille: u64) -> Option<u64> {
    let count = histogram.len();
    let rank = (u128::from(count) * u128::from(per_mille)).div_ceil(1000) as u64;
    if count - rank < PERCENTILE_MIN_BEYOND {
        return None;
    }
    at_rank(histogram, rank)
}

fn at_rank(histogram: &Histogram<u64>, rank: u64) -> Option<u64> {
    let mut passed = 0;
    histogram.iter_recorded().find_map(|bucket| {
        passed += bucket.count_at_value();
        (passed >= rank).then(|| histogram.highest_equivalent(bucket.value_iterated_to()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_given_only_where_enough_lies_beyond() {
        let mut values = ValueRecorder::default();
        (1..=1000).for_each(|value| values.record(value));
        let summary = values.summary();
        assert_eq!((summary.p50, summary.p90, summary.p99), (Some(500), Some(900), Some(990)));
        assert_eq!(summary.p999, None);
        assert_eq!((summary.min, summary.max, summary.mean()), (Some(1), Some(1000), Some(500.5)));
    }

    #[test]
    fn few_and_huge_values_are_kept() {
        let mut values = ValueRecorder::default();
        assert_eq!(values.clone().summary(), ValueSummary::default());
        assert_eq!(values.median(), None);
        values.record(0);
        values.record(u64::MAX);
        assert_eq!(values.median(), Some(0));
        assert_eq!(values.clone().summary().max, Some(u64::MAX));
        assert_eq!(values.counts().len(), 2);
    }

    #[test]
    fn two_become_one() {
        let (mut one, mut other) = (ValueRecorder::default(), ValueRecorder::default());
        one.record(5);
        other.record(7_000_000);
        one.absorb(other);
        one.absorb(ValueRecorder::default());
        let summary = one.summary();
        assert_eq!((summary.count, summary.total, summary.max), (2, 7_000_005, Some(7_000_000)));
        assert_eq!(summary.histogram.unwrap().len(), 2);
    }
}
