//! A series over time with a bounded number of points: when it would have too many, two
//! neighbours become one and each point stands for twice the time.

/// What two neighbours become.
pub(super) trait Combine {
    /// Adds what came in the time right after.
    fn combine(&mut self, later: &Self);
}

impl Combine for u64 {
    fn combine(&mut self, later: &Self) {
        *self = self.saturating_add(*later);
    }
}

/// 2^20 ns, about a millisecond: the finest time that a point stands for.
const FINEST_SHIFT: u32 = 20;

/// One value for each interval of a power of two nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct TimeBuckets<T> {
    start_ns: u64,
    shift: u32,
    most: usize,
    buckets: Vec<T>,
}

impl<T: Combine + Clone + Default> TimeBuckets<T> {
    /// From `start_ns` on, with `most` points at most.
    pub(super) fn new(start_ns: u64, most: usize) -> Self {
        Self { start_ns, shift: FINEST_SHIFT, most: most.max(2), buckets: Vec::new() }
    }

    /// The point of this time. What was before the start counts to the first one.
    pub(super) fn at(&mut self, time_ns: u64) -> &mut T {
        let index = loop {
            let index = time_ns.saturating_sub(self.start_ns) >> self.shift;
            if index < self.most as u64 {
                break index as usize;
            }
            self.double();
        };
        if index >= self.buckets.len() {
            self.buckets.resize(index + 1, T::default());
        }
        &mut self.buckets[index]
    }

    /// When the point of this time ends, in nanoseconds.
    pub(super) fn end_of(&self, time_ns: u64) -> u64 {
        let next = (time_ns.saturating_sub(self.start_ns) >> self.shift) + 1;
        next.checked_mul(self.width_ns()).map_or(u64::MAX, |end| end.saturating_add(self.start_ns))
    }

    /// The time that a point stands for, in nanoseconds.
    pub(super) const fn width_ns(&self) -> u64 {
        1 << self.shift
    }

    /// Makes the points at least that wide, so that two series can stand beside one another.
    pub(super) fn widen(&mut self, width_ns: u64) {
        while self.width_ns() < width_ns && self.shift < 63 {
            self.double();
        }
    }

    fn double(&mut self) {
        let half = self.buckets.len().div_ceil(2);
        for index in 0..half {
            let mut joined = std::mem::take(&mut self.buckets[2 * index]);
            if let Some(later) = self.buckets.get(2 * index + 1) {
                joined.combine(later);
            }
            self.buckets[index] = joined;
        }
        self.buckets.truncate(half);
        self.shift += 1;
    }

    /// Each point with the time that it begins at.
    pub(super) fn points(&self) -> impl Iterator<Item = (u64, &T)> {
        let (start, width) = (self.start_ns, self.width_ns());
        self.buckets
            .iter()
            .enumerate()
            .map(move |(index, value)| (start.saturating_add((index as u64).saturating_mul(width)), value))
    }

    /// The values alone.
    pub(super) fn into_values(self) -> Vec<T> {
        self.buckets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_joined_as_time_grows_and_nothing_is_lost() {
        let width = 1_u64 << FINEST_SHIFT;
        let mut series = TimeBuckets::<u64>::new(1000, 4);
        for index in 0..16 {
            *series.at(1000 + index * width) += index;
        }
        assert_eq!(series.width_ns(), 4 * width);
        assert_eq!(series.points().map(|(_, value)| *value).collect::<Vec<_>>(), [6, 22, 38, 54]);
        assert_eq!(series.points().nth(2).unwrap().0, 1000 + 8 * width);
        assert_eq!(series.end_of(1000 + 5 * width), 1000 + 8 * width);
        *series.at(0) += 1;
        assert_eq!(*series.at(1000), 7);
    }

    #[test]
    fn the_end_of_all_time_is_no_trouble() {
        let mut series = TimeBuckets::<u64>::new(0, 2);
        *series.at(u64::MAX) += 3;
        assert_eq!(series.end_of(u64::MAX), u64::MAX);
        assert_eq!(series.into_values(), [0, 3]);
    }
}
