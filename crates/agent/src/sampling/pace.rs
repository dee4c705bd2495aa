//! When samples are taken. MSER-5 may cut whole batches of five intervals off
//! the front of a window that time ends, so every such edge must be one of the
//! samples', and what lies between them is divided evenly.

use model::trial::Timeline;

/// How far apart samples are in a window that is long enough, ns.
const USUAL_NS: u64 = 100_000_000;
/// Samples that a window has at least, unless they would be too close.
const SAMPLES_MIN: u64 = 10;
/// Samples of a window that would have fewer.
const SAMPLES_SHORT: u64 = 20;
/// The closest that samples are, ns: counters of clock ticks move no sooner.
const CLOSEST_NS: u64 = 10_000_000;
/// Intervals in a batch of MSER-5.
const BATCH: u64 = 5;

/// Edge `k` lies `k * span_ns / parts` after the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    start_ns: u64,
    end_ns: u64,
    span_ns: u64,
    parts: u64,
    samples_max: u64,
}

impl Pace {
    /// The pace for a window, with about `samples_max` samples at most.
    pub(super) fn of(timeline: Timeline, samples_max: usize) -> Self {
        let Timeline { window_ns: start_ns, end_ns, interval_ns, .. } = timeline;
        let samples_max = samples_max.max(2) as u64;
        if end_ns == u64::MAX {
            // Doubled three times, it is the usual.
            return Self { start_ns, end_ns, span_ns: USUAL_NS, parts: 8, samples_max };
        }
        let window_ns = end_ns.saturating_sub(start_ns).max(1);
        let batch_ns = interval_ns.saturating_mul(BATCH).clamp(1, window_ns);
        let wanted_ns =
            if window_ns >= SAMPLES_MIN * USUAL_NS { USUAL_NS } else { window_ns / SAMPLES_SHORT };
        let wanted_ns = wanted_ns.max(CLOSEST_NS).max(window_ns / (samples_max - 1));
        // Wider than a batch only where batches are too close for sampling.
        let (span_ns, parts) = if batch_ns >= wanted_ns {
            (batch_ns, ((batch_ns + wanted_ns / 2) / wanted_ns).min(batch_ns / CLOSEST_NS).max(1))
        } else {
            let least_ns = CLOSEST_NS.max(window_ns / (samples_max - 1));
            (batch_ns * least_ns.div_ceil(batch_ns), 1)
        };
        Self { start_ns, end_ns, span_ns, parts, samples_max }
    }

    /// How far apart samples are now.
    pub(super) fn spacing_ns(&self) -> u64 {
        (self.span_ns / self.parts).max(1)
    }

    /// The next edge behind `at_ns`; the last is the window's end.
    pub(super) fn next_after(&self, at_ns: u64) -> u64 {
        let (span, parts) = (u128::from(self.span_ns), u128::from(self.parts));
        let passed = u128::from(at_ns.saturating_sub(self.start_ns));
        // The first k with k * span / parts, rounded down, behind what passed.
        let k = ((passed + 1) * parts).div_ceil(span);
        let edge = u64::try_from(k * span / parts).unwrap_or(u64::MAX);
        self.start_ns.saturating_add(edge).min(self.end_ns)
    }

    /// Whether so many samples are too many: of a window whose length is not
    /// known, to go on as closely as it began.
    pub(super) fn is_too_close(&self, samples: usize) -> bool {
        let samples = samples as u64;
        let begins = self.end_ns == u64::MAX && self.spacing_ns() < USUAL_NS;
        samples > self.samples_max || (begins && samples > 2 * SAMPLES_SHORT)
    }

    /// Half as many samples from now on.
    pub(super) fn widen(&mut self) {
        if self.parts.is_multiple_of(2) {
            self.parts /= 2;
        } else {
            self.span_ns = self.span_ns.saturating_mul(2);
        }
    }
}

/// How far apart looks at workers are in a window that is long enough, ns.
const LOOK_NS: u64 = 50_000_000;
/// What multiples of this leave behind the point is as evenly spread as can be: the golden
/// ratio less 1 (H. Weyl, 1916).
const GOLDEN: f64 = 0.618_033_988_749_895;

/// When workers are looked at: once in each slice of the window, at a place in it that
/// is another each time, so that no load whose operations start at even distances is in
/// step with the looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slices {
    start_ns: u64,
    slice_ns: u64,
    next: u64,
}

impl Slices {
    pub(super) fn of(timeline: Timeline) -> Self {
        let window_ns = timeline.end_ns.saturating_sub(timeline.window_ns);
        let slice_ns = (window_ns / SAMPLES_SHORT).clamp(CLOSEST_NS, LOOK_NS);
        Self { start_ns: timeline.window_ns, slice_ns, next: 0 }
    }

    /// When the next look is due.
    pub(super) fn due_ns(&self) -> u64 {
        let place = (self.next as f64 * GOLDEN).fract() * self.slice_ns as f64;
        self.start_ns.saturating_add(self.next.saturating_mul(self.slice_ns)).saturating_add(place as u64)
    }

    /// Goes on to the next slice; those that were slept through are left out.
    pub(super) fn advance(&mut self, now_ns: u64) {
        let at = now_ns.saturating_sub(self.start_ns) / self.slice_ns;
        self.next = (self.next + 1).max(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn timed(window_ms: u64, interval_ns: u64) -> Timeline {
        let window_ns = 5_000 * MS + 7;
        Timeline { start_ns: 5_000 * MS, window_ns, interval_ns, end_ns: window_ns + window_ms * MS }
    }

    fn edges(timeline: Timeline, samples_max: usize) -> Vec<u64> {
        let pace = Pace::of(timeline, samples_max);
        let mut edges = vec![0];
        while edges.last() != Some(&(timeline.end_ns - timeline.window_ns)) {
            edges.push(pace.next_after(timeline.window_ns + edges[edges.len() - 1]) - timeline.window_ns);
        }
        edges
    }

    #[test]
    fn every_batch_that_may_be_cut_off_begins_at_a_sample() {
        for (window_ms, interval_ns) in [
            (2_000, 20 * MS),
            (10_000, 100 * MS),
            (60_000, 600 * MS),
            (1_000, 10 * MS),
            (2_000, 7 * MS),
            (10_000, 8_333_333),
            (3_600_000, 3_000 * MS),
            (100_000, 999_999_999),
            (300, 3 * MS),
        ] {
            let edges = edges(timed(window_ms, interval_ns), 3000);
            let batches = (0..).map(|k| k * 5 * interval_ns).take_while(|at| *at < window_ms * MS);
            for at in batches {
                assert!(edges.contains(&at), "{window_ms} ms, {interval_ns}: {at} {edges:?}");
            }
            assert!(edges.len() <= 3001, "{window_ms}: {}", edges.len());
        }
    }

    #[test]
    fn samples_are_as_far_apart_as_the_window_asks() {
        let spacing = |window_ms, interval_ns| Pace::of(timed(window_ms, interval_ns), 3000).spacing_ns();
        assert_eq!(spacing(10_000, 100 * MS), 100 * MS);
        assert_eq!(spacing(60_000, 600 * MS), 100 * MS);
        assert_eq!(spacing(2_000, 20 * MS), 100 * MS);
        assert_eq!(spacing(500, 10 * MS), 25 * MS, "a twentieth");
        assert_eq!(spacing(100, 10 * MS), 10 * MS, "but not closer than this");
        assert_eq!(spacing(10_000, MS), 10 * MS, "two batches of five");
        assert_eq!(spacing(3_600_000, 3_000 * MS), 1_250 * MS, "3,000 samples at most");
    }

    #[test]
    fn an_edge_that_was_slept_through_is_left_out() {
        let pace = Pace::of(timed(10_000, 100 * MS), 3000);
        let start = pace.start_ns;
        assert_eq!(pace.next_after(start), start + 100 * MS);
        assert_eq!(pace.next_after(start + 100 * MS - 1), start + 100 * MS);
        assert_eq!(pace.next_after(start + 350 * MS), start + 400 * MS);
        assert_eq!(pace.next_after(start + 9_950 * MS), pace.end_ns);
        assert_eq!(pace.next_after(pace.end_ns), pace.end_ns);
    }

    #[test]
    fn a_window_of_unknown_length_is_sampled_closely_at_first() {
        let timeline = Timeline { end_ns: u64::MAX, ..timed(1, 100 * MS) };
        let mut pace = Pace::of(timeline, 100);
        let (mut samples, mut at, mut most) = (1, pace.start_ns, Vec::new());
        while at < pace.start_ns + 60_000 * MS {
            at = pace.next_after(at);
            samples += 1;
            if pace.is_too_close(samples) {
                most.push(pace.spacing_ns() / 1000);
                pace.widen();
                samples = samples.div_ceil(2);
            }
        }
        assert_eq!(most, [12_500, 25_000, 50_000, 100_000, 200_000, 400_000]);
        assert!(samples > 50, "{samples}");
    }

    /// Looks that lie 50 ms apart would see an operation that starts every 10 ms always at
    /// the same place.
    #[test]
    fn looks_at_workers_keep_step_with_no_load() {
        let mut slices = Slices::of(timed(10_000, 100 * MS));
        for period_ns in [MS, 10 * MS, 50 * MS, 100 * MS, 7 * MS + 3] {
            let mut parts = [0; 4];
            slices.next = 0;
            for look in 0..200 {
                let due = slices.due_ns() - slices.start_ns;
                assert_eq!(due / (50 * MS), look, "one in each slice");
                parts[(due % period_ns * 4 / period_ns) as usize] += 1;
                slices.advance(slices.due_ns());
            }
            assert!(parts.iter().all(|n| (40..=60).contains(n)), "{period_ns}: {parts:?}");
        }
        let due = slices.due_ns();
        slices.advance(due + 500 * MS);
        assert!(slices.due_ns() > due + 400 * MS, "those that are gone are not made up for");
        let mut short = Slices::of(timed(400, 10 * MS));
        short.advance(short.start_ns);
        assert!(short.due_ns() - short.start_ns < 40 * MS);
    }
}
