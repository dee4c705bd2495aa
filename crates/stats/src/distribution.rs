//! A stored histogram as the few buckets that hold something, to read figures from.
//!
//! The whole array of a histogram of latencies is 270 KB, nearly all of it zeros; a run has
//! thousands of them, and a page asks each for a count, a mean or a percentile. Here the text is
//! read straight into its buckets (format: HdrHistogram V2, Gil Tene), and every figure is that of
//! the library's own histogram of the same text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::{Counter, Histogram};

use crate::histogram::{HistogramError, rank};

/// Observations that a histogram does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The lowest value that it holds, ns for latencies.
    pub low: u64,
    /// The highest.
    pub high: u64,
    /// How many there were.
    pub count: u64,
}

impl Bucket {
    /// The value that stands for all of its observations in a mean.
    fn middle(self) -> f64 {
        (self.low + (self.high - self.low).div_ceil(2)) as f64
    }
}

/// Where a distribution's observations lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Those that hold something, from the lowest on.
    buckets: Vec<Bucket>,
    count: u64,
}

impl Distribution {
    /// The distribution whose histogram [`crate::histogram::encode`] wrote, or another tool of
    /// HdrHistogram V2.
    ///
    /// The text may come from anyone: memory is taken for buckets that are there, 24 bytes each, and
    /// a byte of the text tells one at most.
    ///
    /// # Errors
    ///
    /// All but [`HistogramError::Encode`]; a compressed histogram is [`HistogramError::Format`].
    pub fn decode(text: &str) -> Result<Self, HistogramError> {
        let bytes = STANDARD.decode(text)?;
        let (bounds, payload) = header(&bytes)?;
        // Most buckets take two bytes or more, with the empty ones before them.
        let mut buckets = Vec::with_capacity(payload.len() / 2);
        let mut index = 0u64;
        let mut rest = payload;
        while let Some((number, length)) = varint(rest) {
            rest = &rest[length..];
            // Numbers below 0 say how many empty buckets there are.
            match (number >> 1) as i64 ^ -((number & 1) as i64) {
                empty if empty < 0 => index = index.saturating_add(empty.unsigned_abs()),
                count => {
                    let (low, high) = bounds.bucket(index)?;
                    if count > 0 {
                        buckets.push(Bucket { low, high, count: count.unsigned_abs() });
                    }
                    index += 1;
                }
            }
            if index > bounds.length {
                return Err(HistogramError::Damaged("it has more buckets than its range"));
            }
        }
        if !rest.is_empty() {
            return Err(HistogramError::Damaged("it ends within a number"));
        }
        Ok(Self::of(buckets))
    }

    fn of(buckets: Vec<Bucket>) -> Self {
        let count = buckets.iter().fold(0u64, |sum, bucket| sum.saturating_add(bucket.count));
        Self { buckets, count }
    }

    /// Adds the observations of `other`, which may be of a histogram with other buckets.
    pub fn add(&mut self, other: &Distribution) {
        let order = |bucket: &Bucket| (bucket.high, bucket.low);
        let mut all = Vec::with_capacity(self.buckets.len() + other.buckets.len());
        // Both ascend: merged in one pass.
        let mut own = std::mem::take(&mut self.buckets).into_iter().peekable();
        for bucket in &other.buckets {
            while let Some(lower) = own.next_if(|own| order(own) < order(bucket)) {
                all.push(lower);
            }
            let same = own.next_if(|own| order(own) == order(bucket)).map_or(0, |own| own.count);
            all.push(Bucket { count: bucket.count.saturating_add(same), ..*bucket });
        }
        all.extend(own);
        self.buckets = all;
        self.count = self.count.saturating_add(other.count);
    }

    /// How many observations there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The buckets that hold something, from the lowest on.
    #[must_use]
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The shortest observation, rounded down to its bucket; `None` when there is none.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        self.buckets.iter().map(|bucket| bucket.low).min()
    }

    /// The longest observation, rounded up to its bucket; `None` when there is none.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        self.buckets.last().map(|bucket| bucket.high)
    }

    /// The mean, each observation at the middle of its bucket; `None` when there is none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let share = |bucket: &Bucket| bucket.middle() * bucket.count as f64 / self.count as f64;
        (!self.is_empty()).then(|| self.buckets.iter().map(share).sum())
    }

    /// The standard deviation over the mean; `None` when there is none, or the mean is 0.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        let mean = self.mean().filter(|mean| *mean > 0.0)?;
        let squared = |bucket: &Bucket| (bucket.middle() - mean).powi(2) * bucket.count as f64;
        let sum: f64 = self.buckets.iter().map(squared).sum();
        Some((sum / self.count as f64).sqrt() / mean)
    }

    /// The `p`-th percentile, under the same conditions as [`crate::histogram::percentile`].
    #[must_use]
    pub fn percentile(&self, p: f64) -> Option<f64> {
        let rank = rank(self.count, p)?;
        let mut passed = 0u64;
        let bucket = self.buckets.iter().find(|bucket| {
            passed = passed.saturating_add(bucket.count);
            passed >= rank
        });
        bucket.map(|bucket| bucket.high as f64)
    }
}

impl<C: Counter> From<&Histogram<C>> for Distribution {
    fn from(histogram: &Histogram<C>) -> Self {
        let recorded = histogram.iter_recorded().map(|step| {
            let value = step.value_iterated_to();
            let (low, high) = (histogram.lowest_equivalent(value), histogram.highest_equivalent(value));
            Bucket { low, high, count: step.count_at_value().as_u64() }
        });
        Self::of(recorded.collect())
    }
}

/// The header of V2: cookie, payload length, offset, digits (4 bytes each), lowest, highest,
/// ratio (8 bytes each).
const HEADER_BYTES: usize = 40;

/// The cookie of V2, without compression: 0x1c849303 with word size 0x10.
const COOKIE: [u8; 4] = [0x1c, 0x84, 0x93, 0x13];

/// Which value is in which bucket.
#[derive(Clone, Copy)]
struct Bounds {
    /// log2 of what the lowest values are told apart by.
    unit: u32,
    /// log2 of the buckets for each doubling of the value.
    half: u32,
    /// Buckets.
    length: u64,
}

impl Bounds {
    /// Those of a histogram from `lowest` to `highest` with so many digits; `None` where there is
    /// no such histogram.
    fn new(lowest: u64, highest: u64, digits: u32) -> Option<Self> {
        if lowest == 0 || highest < lowest.checked_mul(2)? || digits > 5 {
            return None;
        }
        let unit = lowest.ilog2();
        let magnitude = (2 * 10u64.pow(digits)).next_power_of_two().ilog2().max(1);
        if unit + magnitude > 63 {
            return None;
        }
        // The first group holds so many values, each other one twice as many as that before it.
        let mut untold = 1u64 << (unit + magnitude);
        let mut groups = 1;
        while untold <= highest {
            groups += 1;
            let Some(more) = untold.checked_mul(2) else { break };
            untold = more;
        }
        Some(Self { unit, half: magnitude - 1, length: (groups + 1) << (magnitude - 1) })
    }

    /// The lowest and the highest value of a bucket.
    fn bucket(self, index: u64) -> Result<(u64, u64), HistogramError> {
        if index >= self.length {
            return Err(HistogramError::Damaged("it has more buckets than its range"));
        }
        let group = (index >> self.half).saturating_sub(1);
        let shift = group as u32 + self.unit;
        let low = (index - (group << self.half)) << shift;
        Ok((low, low + ((1 << shift) - 1)))
    }
}

/// What stands before the counts, and these.
fn header(bytes: &[u8]) -> Result<(Bounds, &[u8]), HistogramError> {
    let format = HistogramError::Format;
    let (header, payload) =
        bytes.split_at_checked(HEADER_BYTES).ok_or(format("it is shorter than a header"))?;
    let number = |from: usize, length: usize| {
        header[from..from + length].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    if header[..4] != COOKIE {
        return Err(format("it begins otherwise"));
    }
    if number(4, 4) != payload.len() as u64 {
        return Err(format("its length is not the one it claims"));
    }
    if number(8, 4) != 0 || f64::from_bits(number(32, 8)) != 1.0 {
        return Err(HistogramError::Damaged("its values are shifted or scaled"));
    }
    let digits = u32::try_from(number(12, 4)).unwrap_or(u32::MAX);
    let bounds = Bounds::new(number(16, 8), number(24, 8), digits);
    Ok((bounds.ok_or(HistogramError::Damaged("there is no such range"))?, payload))
}

/// The number at the beginning, and how many bytes it has: seven bits in each, the lowest first,
/// and all eight in the ninth. `None` where there is no whole one.
#[inline]
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    // Most counts are small.
    match bytes {
        [one, ..] if one & 0x80 == 0 => return Some((u64::from(*one), 1)),
        [one, two, ..] if two & 0x80 == 0 => return Some((u64::from(one & 0x7f) | u64::from(*two) << 7, 2)),
        _ => {}
    }
    let mut number = 0;
    for (place, byte) in bytes.iter().take(9).enumerate() {
        if place == 8 {
            return Some((number | u64::from(*byte) << 56, 9));
        }
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((number, place + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

    use super::*;
    use crate::histogram::{self, encode, new_latency};

    fn text(histogram: &Histogram<u64>) -> String {
        encode(histogram).unwrap()
    }

    /// What the library reads.
    fn by_library(text: &str) -> Histogram<u64> {
        Deserializer::new().deserialize(&mut STANDARD.decode(text).unwrap().as_slice()).unwrap()
    }

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = new_latency();
        values.into_iter().for_each(|value| histogram.saturating_record(value));
        histogram
    }

    fn assert_same(own: &Distribution, library: &Histogram<u64>) {
        assert_eq!(*own, Distribution::from(library));
        assert_eq!(own.len(), library.len());
        assert_eq!(own.max().map(|ns| ns as f64), histogram::max(library));
        assert_eq!(own.min(), (!library.is_empty()).then(|| library.min()));
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * b.abs(),
            (a, b) => a == b,
        };
        assert!(near(own.mean(), histogram::mean(library)));
        let deviation = library.stdev() / library.mean();
        assert!(near(own.variation(), (library.mean() > 0.0).then_some(deviation)));
        for p in [0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0, -1.0, f64::NAN] {
            assert_eq!(own.percentile(p), histogram::percentile(library, p), "{p}");
        }
    }

    #[test]
    fn every_figure_is_that_of_the_library() {
        let all = [
            of([]),
            of([0]),
            of([1, u64::MAX]),
            of(1..=20_000),
            of((1..5_000).map(|i| i * i * 1_000)),
            of((0..64).map(|power| 1 << power)),
            of(std::iter::repeat_n(777_777, 100_000)),
        ];
        for histogram in &all {
            assert_same(&Distribution::decode(&text(histogram)).unwrap(), &by_library(&text(histogram)));
        }
    }

    #[test]
    fn other_tools_have_other_bounds() {
        for (low, high, digits) in
            [(1, 2, 0), (1, 3_600_000_000, 3), (1000, 1 << 40, 2), (3, 7, 5), (1, u64::MAX / 2, 1)]
        {
            let mut histogram = Histogram::<u64>::new_with_bounds(low, high, digits).unwrap();
            (0..63).for_each(|power| histogram.saturating_record_n(1 << power, power + 1));
            let mut bytes = Vec::new();
            V2Serializer::new().serialize(&histogram, &mut bytes).unwrap();
            let text = STANDARD.encode(bytes);
            assert_same(&Distribution::decode(&text).unwrap(), &by_library(&text));
        }
    }

    #[test]
    fn what_is_added_is_there_once() {
        let (one, other) = (of((1..1_000).map(|i| i * 7_777)), of((1..500).map(|i| i * i * 91)));
        let mut own = Distribution::from(&one);
        own.add(&Distribution::from(&other));
        let mut library = one.clone();
        library.add(&other).unwrap();
        assert_same(&own, &library);
        own.add(&Distribution::default());
        assert_same(&own, &library);
        // Of other buckets: all are kept, in order.
        let mut coarse = Histogram::<u64>::new_with_bounds(1, 1 << 40, 1).unwrap();
        coarse.record_n(70_000, 5).unwrap();
        own.add(&Distribution::from(&coarse));
        assert_eq!(own.len(), library.len() + 5);
        assert!(own.buckets().windows(2).all(|pair| pair[0].high <= pair[1].high));
    }

    #[test]
    fn damaged_text_is_refused() {
        let decode = Distribution::decode;
        assert!(matches!(decode("?"), Err(HistogramError::Base64(_))));
        assert!(matches!(decode(""), Err(HistogramError::Format(_))));
        let good = STANDARD.decode(text(&of(1..100))).unwrap();
        let format = |bytes: &[u8]| matches!(decode(&STANDARD.encode(bytes)), Err(HistogramError::Format(_)));
        let damaged =
            |bytes: &[u8]| matches!(decode(&STANDARD.encode(bytes)), Err(HistogramError::Damaged(_)));
        assert!(format(&good[..good.len() - 1]));
        let with = |place: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[place] = byte;
            bytes
        };
        // Compressed; six digits; a range from 0; shifted; scaled.
        assert!(format(&with(3, 0x14)));
        for (place, byte) in [(15, 6), (23, 0), (11, 1), (33, 1)] {
            assert!(damaged(&with(place, byte)), "{place}");
        }
        let of = |payload: &[u8]| {
            let mut bytes = good[..HEADER_BYTES].to_vec();
            bytes[4..8].copy_from_slice(&(payload.len() as u32).to_be_bytes());
            bytes.extend(payload);
            bytes
        };
        // More empty buckets than there are; a number without an end; the number that has no
        // negative; a count in the last bucket and one behind it.
        assert!(damaged(&of(&[0xff, 0xff, 0xff, 0x7f])));
        assert!(damaged(&of(&[0x80])));
        assert!(damaged(&of(&[0xff; 9])));
        // 33,792 buckets (-33,791 as zigzag is 67,581).
        assert!(decode(&STANDARD.encode(of(&[0xfd, 0x8f, 0x04, 2]))).is_ok());
        assert!(damaged(&of(&[0xfd, 0x8f, 0x04, 2, 2])));
        // No count is lost to the largest number.
        let most =
            decode(&STANDARD.encode(of(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]))).unwrap();
        assert_eq!(most.len(), (1 << 63) - 1 + 1);
    }

    proptest::proptest! {
        #[test]
        fn any_values_are_read_as_the_library_reads_them(
            values in proptest::collection::vec(proptest::num::u64::ANY, 0..200),
            small in proptest::collection::vec(0u64..5_000_000, 0..400),
        ) {
            let histogram = of(values.into_iter().chain(small));
            assert_same(&Distribution::decode(&text(&histogram)).unwrap(), &histogram);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
            let mut all = STANDARD.decode(text(&of([5]))).unwrap()[..HEADER_BYTES].to_vec();
            all[4..8].copy_from_slice(&(bytes.len() as u32).to_be_bytes());
            all.extend(bytes);
            let _ = Distribution::decode(&STANDARD.encode(all));
        }
    }
}
