//! Counts of latencies, made to be recorded into while time counts.
//!
//! The buckets are those of the histogram of [`crate::histogram::new_latency`], so nothing is lost
//! when these counts are merged into one. What is otherwise is the cost: recording touches two
//! lines of a cache, and emptying or reading visits only what lies between the least and the
//! longest. (A whole HdrHistogram of 135 KB, cleared and searched for each interval of each worker,
//! was seen to cost 5 % of a device as fast as memory, most of it in the caches that it emptied.)

use crate::histogram::{LATENCY_MAX_NS, SparseCounts};

/// log2 of the counters in the upper half of a bucket: what three digits need (HdrHistogram's
/// `sub_bucket_half_count_magnitude`).
const HALF_BITS: u32 = 10;
/// Counters in the upper half of a bucket.
const HALF: usize = 1 << HALF_BITS;
/// Buckets, each of values up to twice those of the one before: up to 2^42 ns, the first power of
/// two above an hour.
const BUCKETS: usize = 32;
/// Counters.
const LENGTH: usize = (BUCKETS + 1) * HALF;
/// Counters that are looked at together where most are 0.
const RUN: usize = 32;

/// Counts of latencies from 0 ns to an hour, to three digits.
#[derive(Clone)]
pub struct Counts {
    counts: Box<[u32; LENGTH]>,
    /// The first counter that may not be 0; above the last while all are.
    first: u32,
    /// The last counter that may not be 0.
    last: u32,
}

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counts").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Default for Counts {
    fn default() -> Self {
        Self::new()
    }
}

impl Counts {
    /// Nothing counted.
    #[must_use]
    pub fn new() -> Self {
        let counts = vec![0; LENGTH].into_boxed_slice();
        // Its length is the array's.
        let counts = counts.try_into().unwrap_or_else(|_| Box::new([0; LENGTH]));
        Self { counts, first: u32::MAX, last: 0 }
    }

    /// Counts a latency in ns; one beyond the range counts as an hour.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let index = index_of(ns);
        self.first = self.first.min(index as u32);
        self.last = self.last.max(index as u32);
        // An interval has no 2^32 operations of one worker.
        self.counts[index] = self.counts[index].wrapping_add(1);
    }

    /// Counts a latency in ns so many times; a counter that is full stays so.
    pub fn record_many(&mut self, ns: u64, times: u64) {
        if times == 0 {
            return;
        }
        let index = index_of(ns);
        self.first = self.first.min(index as u32);
        self.last = self.last.max(index as u32);
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        self.counts[index] = self.counts[index].saturating_add(times);
    }

    /// Counts many.
    #[inline]
    pub fn record_all(&mut self, all: impl Iterator<Item = u64>) {
        let (mut first, mut last) = (self.first, self.last);
        for ns in all {
            let index = index_of(ns);
            first = first.min(index as u32);
            last = last.max(index as u32);
            self.counts[index] = self.counts[index].wrapping_add(1);
        }
        (self.first, self.last) = (first, last);
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        let touched = self.touched();
        self.counts[touched].fill(0);
        self.first = u32::MAX;
        self.last = 0;
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first > self.last
    }

    /// How much was counted.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.counts[self.touched()].iter().map(|count| u64::from(*count)).sum()
    }

    fn touched(&self) -> std::ops::Range<usize> {
        if self.is_empty() { 0..0 } else { self.first as usize..self.last as usize + 1 }
    }
}

impl From<&Counts> for SparseCounts {
    fn from(counts: &Counts) -> SparseCounts {
        let touched = counts.touched();
        let mut pairs = Vec::new();
        for (number, run) in counts.counts[touched.clone()].chunks(RUN).enumerate() {
            if run.iter().fold(0, |any, count| any | count) == 0 {
                continue;
            }
            let begin = touched.start + number * RUN;
            let recorded = run.iter().enumerate().filter(|(_, count)| **count != 0);
            pairs.extend(recorded.map(|(index, count)| (highest_of(begin + index), u64::from(*count))));
        }
        SparseCounts { pairs }
    }
}

/// The counter of a value (HdrHistogram's `counts_index_for` with a lowest value of 1); of one
/// beyond the range, that of an hour.
#[inline]
fn index_of(ns: u64) -> usize {
    const LONGEST: usize = unbounded(LATENCY_MAX_NS);
    let index = unbounded(ns);
    if index < LENGTH { index } else { LONGEST }
}

#[inline]
const fn unbounded(ns: u64) -> usize {
    let bucket = (u64::BITS - 1 - HALF_BITS) - (ns | (2 * HALF as u64 - 1)).leading_zeros();
    // In the first bucket both halves are used, in the others the upper one.
    ((bucket as usize) << HALF_BITS) + (ns >> bucket) as usize
}

/// The highest value of a counter.
fn highest_of(index: usize) -> u64 {
    let bucket = (index >> HALF_BITS).saturating_sub(1);
    let sub = index - (bucket << HALF_BITS);
    ((sub as u64 + 1) << bucket) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Histogram, new_latency};

    #[test]
    fn every_value_is_counted_as_hdr_histogram_counts_it() {
        let mut values: Vec<u64> = (0..5000).collect();
        for power in 11..64u32 {
            let two = 1u64 << power;
            values.extend([two - 1, two, two + 1, two + two / 3]);
        }
        values.extend([u64::MAX, 3_600_000_000_000]);
        let mut whole: Histogram<u64> = new_latency();
        let mut counts = Counts::new();
        for value in values {
            whole.saturating_record(value);
            counts.record(value);
            let mut one = new_latency();
            one.saturating_record(value);
            let mut own = Counts::new();
            own.record(value);
            assert_eq!(SparseCounts::from(&own), SparseCounts::from(&one), "{value}");
        }
        let mut merged = new_latency();
        SparseCounts::from(&counts).add_to(&mut merged);
        assert_eq!(merged, whole);
        assert_eq!(counts.len(), whole.len());
        let mut at_once = Counts::new();
        at_once.record_all((0..5000).chain([u64::MAX]));
        let mut one_by_one = Counts::new();
        (0..5000).chain([u64::MAX]).for_each(|ns| one_by_one.record(ns));
        assert_eq!(SparseCounts::from(&at_once), SparseCounts::from(&one_by_one));
    }

    #[test]
    fn one_latency_of_very_many_operations_is_counted_at_once() {
        let (mut together, mut one_by_one) = (Counts::new(), Counts::new());
        together.record_many(77_777, 500);
        together.record_many(5, 0);
        (0..500).for_each(|_| one_by_one.record(77_777));
        assert_eq!(SparseCounts::from(&together), SparseCounts::from(&one_by_one));
        together.record_many(77_777, u64::MAX);
        assert_eq!(together.len(), u64::from(u32::MAX));
    }

    #[test]
    fn what_is_forgotten_is_gone_and_nothing_else_is_needed() {
        let mut counts = Counts::new();
        assert!(counts.is_empty());
        for value in [0, 1, 2048, 77_777, u64::MAX] {
            counts.record(value);
        }
        assert_eq!((counts.len(), counts.is_empty()), (5, false));
        counts.reset();
        assert_eq!((counts.len(), counts.is_empty()), (0, true));
        assert!(counts.counts.iter().all(|count| *count == 0));
    }
}
