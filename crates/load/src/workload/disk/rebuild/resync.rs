//! How an array gets on with a rebuild, a reshape or a scrub: looks at how far it is, and the rate that follows.

use model::metric::RESYNC_RATE;
use model::trial::{Series, Window};
use model::{Resource, SeriesName, Unit};

/// Looks at how far the array is that are kept of a second at most; of a long time there are fewer.
const SAMPLES_PER_S: u64 = 10;
/// A series of the array's rate has so many values at most, and none of less than this.
const VALUES_MOST: u64 = 1024;
/// See [`VALUES_MOST`].
const INTERVAL_NS: u64 = 500_000_000;

/// How the array got on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resync {
    /// When it was first seen at work, and last, ns.
    span_ns: Option<(u64, u64)>,
    /// Bytes that it was to do.
    of: u64,
    /// When it had done how many bytes, ns.
    samples: Vec<(u64, u64)>,
}

impl Resync {
    /// Notes that at `now_ns` so many bytes of so many were done.
    pub(super) fn see(&mut self, now_ns: u64, done: u64, of: u64) {
        let begin_ns = self.span_ns.map_or(now_ns, |(begin_ns, _)| begin_ns);
        self.span_ns = Some((begin_ns, now_ns));
        self.of = self.of.max(of);
        let apart_ns = (1_000_000_000 / SAMPLES_PER_S).max(now_ns.saturating_sub(begin_ns) / VALUES_MOST);
        if self.samples.last().is_none_or(|(at_ns, _)| now_ns >= at_ns + apart_ns) {
            self.samples.push((now_ns, done));
        }
    }

    /// Notes that it was done at `now_ns`.
    pub(super) fn end(&mut self, now_ns: u64) {
        if let Some((_, end_ns)) = &mut self.span_ns {
            *end_ns = now_ns;
            self.samples.push((now_ns, self.of));
        }
    }

    /// How long it was seen at work, s, and how many bytes of each member it did meanwhile; none where it never was. What it
    /// had done before the first look took time that nobody saw.
    pub(super) fn work(&self) -> Option<(f64, u64)> {
        let (begin_ns, end_ns) = self.span_ns?;
        let seconds = end_ns.saturating_sub(begin_ns) as f64 / 1e9;
        let before = self.samples.first().map_or(0, |(_, done)| *done);
        let bytes = self.of.saturating_sub(before);
        (seconds > 0.0 && bytes > 0).then_some((seconds, bytes))
    }

    /// Bytes done at a moment, between two looks in proportion to the time.
    fn done_at(&self, at_ns: u64) -> f64 {
        let after = self.samples.partition_point(|(seen_ns, _)| *seen_ns <= at_ns);
        let sample = |place: usize| self.samples.get(place).map(|(ns, done)| (*ns, *done as f64));
        match (after.checked_sub(1).and_then(sample), sample(after)) {
            (Some((from_ns, from)), Some((to_ns, to))) => {
                let share = (at_ns - from_ns) as f64 / (to_ns - from_ns).max(1) as f64;
                from + (to - from) * share
            }
            (Some((_, done)), None) | (None, Some((_, done))) => done,
            (None, None) => 0.0,
        }
    }

    /// Its rate over a window.
    pub(super) fn series(&self, window: Window) -> Option<Series> {
        self.work()?;
        let length_ns = window.end_ns.saturating_sub(window.start_ns);
        let interval_ns = INTERVAL_NS.max(length_ns / VALUES_MOST);
        let rate = |place: u64| {
            let from_ns = window.start_ns + place * interval_ns;
            let done = self.done_at(from_ns + interval_ns) - self.done_at(from_ns);
            done.max(0.0) / (interval_ns as f64 / 1e9)
        };
        let values: Vec<f64> = (0..length_ns / interval_ns).map(rate).collect();
        let (resource, start_ns) = (Resource::LOAD, window.start_ns);
        let name = SeriesName::new(RESYNC_RATE.as_str());
        let unit = Unit::BytesPerSecond;
        (!values.is_empty()).then_some(Series { resource, name, unit, start_ns, interval_ns, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn the_rate_of_the_array_is_told_over_the_window() {
        let mut resync = Resync::default();
        // 100 bytes a second from 2 s to 6 s, seen twice a second.
        (4..12).for_each(|half| resync.see(half * S / 2, (half - 4) * 50, 400));
        resync.end(6 * S);
        assert_eq!(resync.work(), Some((4.0, 400)));
        let series = resync.series(Window { start_ns: S, end_ns: 8 * S }).unwrap();
        assert_eq!((series.start_ns, series.interval_ns, series.values.len()), (S, INTERVAL_NS, 14));
        for (place, value) in series.values.iter().enumerate() {
            let wanted = if (2..10).contains(&place) { 100.0 } else { 0.0 };
            assert!((value - wanted).abs() < 1e-6, "{place}: {value}");
        }
    }

    /// A look that comes late must not make the array faster than it was.
    #[test]
    fn what_was_done_before_the_first_look_is_not_counted() {
        let mut resync = Resync::default();
        (6..12).for_each(|half| resync.see(half * S / 2, (half - 4) * 50, 400));
        resync.end(6 * S);
        assert_eq!(resync.work(), Some((3.0, 300)));
    }

    #[test]
    fn what_was_never_seen_at_work_has_no_rate() {
        let mut resync = Resync::default();
        resync.end(S);
        assert_eq!(resync, Resync::default());
        assert!(resync.work().is_none() && resync.series(Window { start_ns: 0, end_ns: 9 * S }).is_none());
    }
}
