//! Many values as one histogram, and what may be read from it.
//!
//! HdrHistogram with three digits, which grows to the largest value that came: about 170 KB
//! up to a second in nanoseconds, and nothing for what never happens. Sums, minimum and
//! maximum are exact, so that a mean is btt's mean.
//!
//! A trace has several values for each request, so its buckets are counted here; the library's
//! histogram is made of them at the end.

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

/// Half of the values that are told apart within an octave, as a power of two: three digits need
/// 2,000, which are rounded up to 2,048.
const HALF_SHIFT: u32 = 10;

/// The bucket of a value, as in HdrHistogram (`countsArrayIndex` in its `AbstractHistogram.java`):
/// below 2,048 each value has its own, and then each octave has 1,024.
const fn bucket_of(value: u64) -> usize {
    let shift = (value | ((2 << HALF_SHIFT) - 1)).ilog2() - HALF_SHIFT;
    ((shift as usize) << HALF_SHIFT) + (value >> shift) as usize
}

/// By how much the values of a bucket are shifted to tell which one it is.
const fn shift_of(bucket: usize) -> u32 {
    ((bucket >> HALF_SHIFT) as u32).saturating_sub(1)
}

/// The lowest value of a bucket.
const fn lowest_of(bucket: usize) -> u64 {
    let shift = shift_of(bucket);
    (bucket as u64 - ((shift as u64) << HALF_SHIFT)) << shift
}

/// Takes values one by one.
#[derive(Clone, Debug)]
pub(super) struct ValueRecorder {
    /// By bucket, up to the octave of the largest value.
    counts: Vec<u64>,
    count: u64,
    total: u128,
    min: u64,
    max: u64,
}

impl Default for ValueRecorder {
    fn default() -> Self {
        Self { counts: Vec::new(), count: 0, total: 0, min: u64::MAX, max: 0 }
    }
}

impl ValueRecorder {
    pub(super) fn record(&mut self, value: u64) {
        self.count += 1;
        self.total += u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let bucket = bucket_of(value.min(LARGEST));
        match self.counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.record_new(bucket),
        }
    }

    /// Counts the first value of an octave.
    #[cold]
    fn record_new(&mut self, bucket: usize) {
        let octaves = ((bucket >> HALF_SHIFT) + 1).max(2);
        self.counts.resize(octaves << HALF_SHIFT, 0);
        self.counts[bucket] += 1;
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
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (own, theirs) in self.counts.iter_mut().zip(other.counts) {
            *own += theirs;
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
        if let Some(histogram) = self.histogram() {
            let at = |per_mille| percentile(&histogram, per_mille).map(|value| value.min(self.max));
            (summary.p50, summary.p90) = (at(500), at(900));
            (summary.p99, summary.p999) = (at(990), at(999));
            summary.histogram = Some(histogram);
        }
        summary
    }

    /// The values as the library has them; nothing where there are none.
    fn histogram(&self) -> Option<Histogram<u64>> {
        if self.count == 0 {
            return None;
        }
        let mut histogram = Histogram::new(DIGITS).ok()?;
        // The largest first, so that it grows once.
        for (value, count) in self.counts().rev() {
            if histogram.record_n(value, count).is_err() {
                histogram.saturating_record_n(value, count);
            }
        }
        Some(histogram)
    }

    /// The value that half do not exceed, of however few there are.
    pub(super) fn median(&self) -> Option<u64> {
        let rank = self.count.div_ceil(2);
        let mut passed = 0_u64;
        let bucket = self.counts.iter().position(|count| {
            passed += count;
            passed >= rank
        })?;
        let highest = lowest_of(bucket) + ((1 << shift_of(bucket)) - 1);
        Some(highest.min(self.max))
    }

    /// Each value that came, as the lowest of its bucket, and how often.
    pub(super) fn counts(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(bucket, count)| (lowest_of(bucket), *count))
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
        assert_eq!(values.counts().count(), 2);
    }

    #[test]
    fn buckets_are_those_of_the_library() {
        let mut values = ValueRecorder::default();
        let mut histogram = Histogram::<u64>::new(DIGITS).unwrap();
        let mut random = 1_u64;
        let edges = (0..60).flat_map(|shift| [(1_u64 << shift) - 1, 1 << shift, 2047 << shift >> 1]);
        let others = (0..20_000).map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 4 >> (random & 63).min(50)
        });
        for value in edges.chain(others).map(|value: u64| value.min(LARGEST)) {
            let bucket = bucket_of(value);
            assert_eq!(lowest_of(bucket), histogram.lowest_equivalent(value), "{value}");
            let highest = lowest_of(bucket) + ((1 << shift_of(bucket)) - 1);
            assert_eq!(highest, histogram.highest_equivalent(value), "{value}");
            values.record(value);
            histogram.record(value).unwrap();
        }
        assert_eq!(values.median(), at_rank(&histogram, histogram.len().div_ceil(2)));
        let recorded = histogram.iter_recorded();
        let recorded =
            recorded.map(|one| (histogram.lowest_equivalent(one.value_iterated_to()), one.count_at_value()));
        assert!(values.counts().eq(recorded));
        let made = values.summary().histogram.unwrap();
        assert_eq!(made, histogram);
        assert_eq!((made.high(), made.distinct_values()), (histogram.high(), histogram.distinct_values()));
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
