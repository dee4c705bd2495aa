//! The rate of a counter over time, for charts and rules. A series is called as the metric of the window, but for its
//! `_per_second`, so that a reader needs no other words for it.

use std::time::Duration;

use model::scalar::nanoseconds;
use model::trial::{Series, Window};
use model::{Resource, SeriesName, Unit};

/// Values of one series, at most.
const VALUES_MOST: u64 = 4096;

/// The rate over `window`, a value for each `every`; `change` says how far the counter went in a part of it. None where
/// that is not known, or the window is shorter.
pub(in crate::workload) fn of(
    (name, unit): (SeriesName, Unit),
    window: Window,
    every: Duration,
    change: impl Fn(Window) -> Option<f64>,
) -> Option<Series> {
    let length_ns = window.end_ns.saturating_sub(window.start_ns);
    let interval_ns = nanoseconds(every.as_secs_f64()).max(length_ns / VALUES_MOST).max(1);
    let rate = |place: u64| {
        let start_ns = window.start_ns + place * interval_ns;
        let part = Window { start_ns, end_ns: start_ns + interval_ns };
        Some(change(part)? / part.seconds())
    };
    let values = (0..length_ns / interval_ns).map(rate).collect::<Option<Vec<f64>>>()?;
    let (resource, start_ns) = (Resource::LOAD, window.start_ns);
    (!values.is_empty()).then_some(Series { resource, name, unit, start_ns, interval_ns, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    const HALF: Duration = Duration::from_millis(500);
    const FLUSHES: (SeriesName, Unit) = (SeriesName::new("server_flushes"), Unit::PerSecond);

    #[test]
    fn each_part_of_the_window_has_its_own_rate() {
        let window = Window { start_ns: 10 * SECOND_NS, end_ns: 12 * SECOND_NS };
        // Ten more in each half second than in the one before.
        let change = |part: Window| Some(10.0 * ((part.start_ns - window.start_ns) / (SECOND_NS / 2)) as f64);
        let series = of(FLUSHES, window, HALF, change).unwrap();
        assert_eq!(series.values, [0.0, 20.0, 40.0, 60.0]);
        assert_eq!((series.start_ns, series.interval_ns), (10 * SECOND_NS, SECOND_NS / 2));
    }

    #[test]
    fn what_is_not_counted_has_no_course() {
        let window = Window { start_ns: 0, end_ns: 2 * SECOND_NS };
        assert!(of(FLUSHES, window, HALF, |part| (part.start_ns == 0).then_some(1.0)).is_none());
        let short = Window { end_ns: 1000, ..window };
        assert!(of(FLUSHES, short, HALF, |_| Some(1.0)).is_none());
    }

    #[test]
    fn a_long_window_is_told_more_coarsely() {
        let window = Window { start_ns: 0, end_ns: 86_400 * SECOND_NS };
        let series = of(FLUSHES, window, HALF, |_| Some(1.0)).unwrap();
        assert!(series.values.len() as u64 <= VALUES_MOST + 1, "{}", series.values.len());
    }
}
