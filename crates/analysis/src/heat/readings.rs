//! A quantity over time as points: when a value held, and the value. Pieces of a
//! series that was interrupted are one course.

use model::trial::Series;

/// Points in order of time, ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SampledReadings(Vec<(u64, f64)>);

impl SampledReadings {
    /// Of a state: each value is that of its interval's end.
    pub(super) fn stands(pieces: &[&Series]) -> Self {
        Self::of(pieces, 1.0)
    }

    /// Of a rate: each value is that of its interval, taken to be its middle.
    pub(super) fn flows(pieces: &[&Series]) -> Self {
        Self::of(pieces, 0.5)
    }

    fn of(pieces: &[&Series], at: f64) -> Self {
        let points = |s: &&Series| -> Vec<(u64, f64)> {
            let at_ns = (s.interval_ns as f64 * at) as u64;
            let times = (0..).map(|i: u64| s.start_ns + i * s.interval_ns + at_ns);
            times.zip(s.values.iter().copied()).collect()
        };
        let mut all: Vec<(u64, f64)> = pieces.iter().flat_map(points).collect();
        all.sort_by_key(|(at, _)| *at);
        Self(all)
    }

    /// Those behind `from` until `to`.
    fn within(&self, (from, to): (u64, u64)) -> impl DoubleEndedIterator<Item = (u64, f64)> + '_ {
        self.0.iter().copied().filter(move |(at, _)| *at > from && *at <= to)
    }

    /// The mean over a span; none without a point in it.
    pub(super) fn mean(&self, span: (u64, u64)) -> Option<f64> {
        let (count, sum) = self.within(span).fold((0u32, 0.0), |(n, sum), (_, value)| (n + 1, sum + value));
        (count > 0).then(|| sum / f64::from(count))
    }

    pub(super) fn last(&self, span: (u64, u64)) -> Option<f64> {
        self.within(span).next_back().map(|(_, value)| value)
    }

    pub(super) fn highest(&self, span: (u64, u64)) -> Option<f64> {
        self.within(span).map(|(_, value)| value).max_by(f64::total_cmp)
    }

    /// When the first value of a span held for which this is so.
    pub(super) fn first(&self, span: (u64, u64), is: impl Fn(f64) -> bool) -> Option<u64> {
        self.within(span).find(|(_, value)| is(*value)).map(|(at, _)| at)
    }

    /// Since when it is so until the end of the span; none if it is not at the end.
    pub(super) fn stays(&self, span: (u64, u64), is: impl Fn(f64) -> bool) -> Option<u64> {
        self.within(span).rev().take_while(|(_, value)| is(*value)).last().map(|(at, _)| at)
    }
}
