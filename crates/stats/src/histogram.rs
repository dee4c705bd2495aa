//! Latencies kept whole: what goes into a histogram, what may be read from it, and how it is
//! stored.
//!
//! The histogram is HdrHistogram (Gil Tene), which keeps every observation to three digits in a
//! fixed 270 KB or so, merges without loss, and has a published format that other tools read.
//! Percentiles are read from the merged histogram only; an average of percentiles is no
//! percentile of anything. The *interval* of a percentile comes from the trials
//! ([`crate::interval`]), never from here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Counter;
pub use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2SerializeError, V2Serializer};

/// The longest latency that is told apart from longer ones: an hour, in nanoseconds.
pub const LATENCY_MAX_NS: u64 = 3_600_000_000_000;

/// Observations that must lie beyond a percentile for it to be given.
///
/// With fewer the value is that of a few single events, and a repetition gives another.
pub const PERCENTILE_MIN_BEYOND: u64 = 10;

/// Why a stored histogram could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// The text is not base64.
    #[error("the histogram is not base64, so its percentiles are lost: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes do not begin as an uncompressed V2 histogram, or do not end where they say.
    #[error("the bytes are no uncompressed HdrHistogram V2, so its percentiles are lost: {0}")]
    Format(&'static str),
    /// The header is right and the rest is not.
    #[error("the histogram is damaged, so its percentiles are lost: {0}")]
    Damaged(&'static str),
    /// A count does not fit the format.
    #[error("the histogram cannot be stored as HdrHistogram V2: {0}")]
    Encode(#[from] V2SerializeError),
}

/// An empty histogram for latencies in nanoseconds: 1 ns to 1 h, three significant digits.
///
/// Record with `saturating_record`: what is longer than the range counts as its longest value
/// (`record` would lose it), so a maximum of an hour or more means "at least". Buckets come in
/// powers of two, so that values up to 4,398 s are still told apart. 0 ns is kept as 0.
///
/// # Panics
///
/// Never: the bounds are constants that the type accepts.
#[must_use]
pub fn new_latency() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LATENCY_MAX_NS, 3)
        .expect("1 ns to 1 h with three digits is a range that HdrHistogram has")
}

/// The `p`-th percentile (0 to 100: 99.9) in nanoseconds, from the merged histogram.
///
/// The value that at least p % of the observations do not exceed, rounded up to its bucket (less
/// than 0.1 %), as all HdrHistogram tools report it. `None` unless [`PERCENTILE_MIN_BEYOND`]
/// observations rank beyond it, on the side of the nearer end: p99 needs 1,000 observations and
/// p99.9 10,000. `None` for a `p` out of range.
#[must_use]
pub fn percentile(histogram: &Histogram<u64>, p: f64) -> Option<f64> {
    let rank = rank(histogram.len(), p)?;
    let mut passed = 0;
    histogram.iter_recorded().find_map(|bucket| {
        passed += bucket.count_at_value();
        (passed >= rank).then(|| histogram.highest_equivalent(bucket.value_iterated_to()) as f64)
    })
}

/// The rank of a percentile among so many observations, 1 to n, where enough lie beyond it.
pub(crate) fn rank(count: u64, p: f64) -> Option<u64> {
    if !(0.0..=100.0).contains(&p) {
        return None;
    }
    let rank = plain_rank(count, p);
    let beyond = if p < 50.0 { rank.saturating_sub(1) } else { count - rank };
    (beyond >= PERCENTILE_MIN_BEYOND).then_some(rank)
}

/// n p / 100 rounded up.
///
/// 41,000 x 99.9 / 100 is 40,959, but a little more in `f64`, which the allowance takes back.
fn plain_rank(count: u64, p: f64) -> u64 {
    let exact = count as f64 * p / 100.0;
    ((exact * (1.0 - 1e-12)).ceil() as u64).clamp(1.min(count), count)
}

/// The longest observation in nanoseconds, rounded up to its bucket; `None` when there is none.
#[must_use]
pub fn max(histogram: &Histogram<u64>) -> Option<f64> {
    (!histogram.is_empty()).then(|| histogram.max() as f64)
}

/// The mean in nanoseconds, each observation at the middle of its bucket; `None` when there is
/// none.
#[must_use]
pub fn mean(histogram: &Histogram<u64>) -> Option<f64> {
    (!histogram.is_empty()).then(|| histogram.mean())
}

/// The histogram as text: base64 of its V2 serialization, not compressed (documents are compressed
/// as a whole).
///
/// # Errors
///
/// [`HistogramError::Encode`] for a count above 2^63 - 1.
pub fn encode(histogram: &Histogram<u64>) -> Result<String, HistogramError> {
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(histogram, &mut bytes)?;
    Ok(STANDARD.encode(bytes))
}

/// A histogram as the few buckets that hold something: 16 bytes each instead of 270 KB in all,
/// for the many histograms of one interval each that a trial's series needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseCounts {
    /// (bucket value, count) in ascending order; the value is the highest that its bucket holds, in
    /// the histogram's unit (nanoseconds for [`new_latency`]).
    pub(crate) pairs: Vec<(u64, u64)>,
}

impl SparseCounts {
    /// Whether nothing was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The buckets that hold something, in ascending order: the highest value of each, in the histogram's unit, and
    /// its count.
    #[must_use]
    pub fn pairs(&self) -> &[(u64, u64)] {
        &self.pairs
    }

    /// Adds these observations to `histogram`: exactly when it has the bounds of the one they came
    /// from, otherwise each to the nearest bucket it has.
    pub fn add_to(&self, histogram: &mut Histogram<u64>) {
        for (value, count) in &self.pairs {
            histogram.saturating_record_n(*value, *count);
        }
    }
}

impl<C: Counter> From<&Histogram<C>> for SparseCounts {
    fn from(histogram: &Histogram<C>) -> SparseCounts {
        let pairs = histogram
            .iter_recorded()
            .map(|bucket| {
                let value = histogram.highest_equivalent(bucket.value_iterated_to());
                (value, bucket.count_at_value().as_u64())
            })
            .collect();
        SparseCounts { pairs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = new_latency();
        for value in values {
            histogram.saturating_record(value);
        }
        histogram
    }

    #[test]
    fn a_percentile_needs_ten_beyond() {
        assert_eq!(percentile(&of(1..=999), 99.0), None);
        assert_eq!(percentile(&of(1..=1000), 99.0), Some(990.0));
        assert_eq!(percentile(&of(1..=19), 50.0), None);
        assert_eq!(percentile(&of(1..=20), 50.0), Some(10.0));
        assert_eq!(percentile(&of((1..=9_999).map(|v| v / 10)), 99.9), None);
        assert_eq!(percentile(&of((1..=10_000).map(|v| v / 10)), 99.9), Some(999.0));
        // The low end likewise.
        assert_eq!(percentile(&of(1..=1000), 1.0), None);
        assert_eq!(percentile(&of(1..=1100), 1.0), Some(11.0));
        // Equal values rank beyond as others do.
        assert!(percentile(&of([500; 1000]), 99.0).is_some());
    }

    #[test]
    fn a_rank_is_not_moved_by_rounding() {
        assert_eq!(41_000.0 * 99.9 / 100.0, 40_959.000_000_000_01);
        assert_eq!(plain_rank(41_000, 99.9), 40_959);
        assert_eq!([1, 7, 8, 0].map(|count| plain_rank(count, 50.0)), [1, 4, 4, 0]);
    }

    #[test]
    fn what_is_not_there_is_absent() {
        let empty = new_latency();
        assert_eq!(percentile(&empty, 50.0), None);
        assert_eq!(max(&empty), None);
        assert_eq!(mean(&empty), None);
        let full = of(1..=1000);
        for p in [-1.0, 0.0, 100.0, 100.1, f64::NAN] {
            assert_eq!(percentile(&full, p), None, "p = {p}");
        }
        assert_eq!(max(&full), Some(1000.0));
        assert_eq!(mean(&full), Some(500.5));
    }

    #[test]
    fn three_digits_are_kept() {
        for value in [1, 999, 123_456, 987_654_321, LATENCY_MAX_NS] {
            let histogram = of(std::iter::repeat_n(value, 20));
            let got = percentile(&histogram, 50.0).unwrap();
            assert!(got >= value as f64 && got < value as f64 * 1.001, "{value}: {got}");
        }
    }

    #[test]
    fn what_is_too_long_counts_as_the_longest() {
        let histogram = of([u64::MAX, 2 * LATENCY_MAX_NS]);
        assert_eq!(histogram.len(), 2);
        let longest = max(&histogram).unwrap();
        assert!((3_600e9..3_604e9).contains(&longest), "{longest}");
        assert_eq!(max(&of([4_398_000_000_000])).map(|ns| (ns / 1e9).round()), Some(4398.0));
    }

    #[test]
    fn text_is_as_other_tools_write_it() {
        let histogram = of((1..5_000).map(|i| i * i * 1_000));
        let text = encode(&histogram).unwrap();
        // Base64 of the cookie 0x1c849313.
        assert!(text.starts_with("HISTEw"), "{text}");
        let bytes = STANDARD.decode(text).unwrap();
        let back: Histogram<u64> =
            hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(back, histogram);
        assert_eq!(percentile(&back, 99.0), percentile(&histogram, 99.0));
    }

    #[test]
    fn sparse_round_trip_and_merge() {
        let one = of((1..1_000).map(|i| i * 7_777));
        let two = of((1..500).map(|i| i * i * 91));
        let mut merged = new_latency();
        SparseCounts::from(&one).add_to(&mut merged);
        assert_eq!(merged, one);
        let sparse = SparseCounts::from(&two);
        assert_eq!(sparse.pairs.iter().map(|(_, count)| count).sum::<u64>(), 499);
        sparse.add_to(&mut merged);
        let mut want = one.clone();
        want.add(&two).unwrap();
        assert_eq!(merged, want);
        assert!(SparseCounts::from(&new_latency()).is_empty());
    }
}
