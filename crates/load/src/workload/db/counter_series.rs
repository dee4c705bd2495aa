//! What a server counts, over time: when it flushed, waited and began a checkpoint. A series is called as the metric of
//! the window, but for its `_per_second`, so that a reader needs no other words for it.

use std::time::Duration;

use model::scalar::nanoseconds;
use model::trial::{Series, Window};
use model::{MetricName, Resource, SeriesName};

use crate::workload::db::counters::COUNTERS;

/// Values of one series, at most.
const VALUES_MOST: u64 = 4096;

/// Counters whose course tells what that of the transactions does not, by their rates.
const TOLD: [(SeriesName, MetricName); 4] = [
    (SeriesName::new("server_flushes"), MetricName::new("server_flushes_per_second")),
    (SeriesName::new("server_log_throughput"), MetricName::new("server_log_throughput")),
    (SeriesName::new("server_lock_waits"), MetricName::new("server_lock_waits_per_second")),
    (SeriesName::new("server_checkpoints"), MetricName::new("server_checkpoints_per_second")),
];

/// The rates of counters over `window`, a value for each `every`; `change` says how far the counter at a place went in a
/// part of it. What a server does not count is not there.
pub(in crate::workload) fn of(
    window: Window,
    every: Duration,
    change: impl Fn(usize, Window) -> Option<f64>,
) -> Vec<Series> {
    let length_ns = window.end_ns.saturating_sub(window.start_ns);
    let interval_ns = nanoseconds(every.as_secs_f64()).max(length_ns / VALUES_MOST).max(1);
    let parts = || {
        (0..length_ns / interval_ns).map(move |place| {
            let start_ns = window.start_ns + place * interval_ns;
            Window { start_ns, end_ns: start_ns + interval_ns }
        })
    };
    let series = |(name, counted): &(SeriesName, MetricName)| {
        let (place, counter) =
            COUNTERS.iter().enumerate().find(|(_, counter)| counter.rate.name == *counted)?;
        let values = parts().map(|part| Some(change(place, part)? / part.seconds()));
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        (!values.is_empty()).then(|| Series {
            resource: Resource::LOAD,
            name: *name,
            unit: counter.rate.unit,
            start_ns: window.start_ns,
            interval_ns,
            values,
        })
    };
    TOLD.iter().filter_map(series).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn each_part_of_the_window_has_its_own_rate() {
        let window = Window { start_ns: 10 * SECOND_NS, end_ns: 12 * SECOND_NS };
        let flushes = COUNTERS.iter().position(|counter| counter.rate.name == TOLD[0].1).unwrap();
        // Ten more in each half second than in the one before; of nothing else anything is known.
        let change = |place: usize, part: Window| {
            let halves = (part.start_ns - window.start_ns) / (SECOND_NS / 2);
            (place == flushes).then_some(10.0 * halves as f64)
        };
        let all = of(window, Duration::from_millis(500), change);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].values, [0.0, 20.0, 40.0, 60.0]);
        assert_eq!((all[0].start_ns, all[0].interval_ns), (10 * SECOND_NS, SECOND_NS / 2));
        assert_eq!(all[0].name, TOLD[0].0);
    }

    #[test]
    fn all_that_is_told_is_counted() {
        for (_, name) in TOLD {
            assert!(COUNTERS.iter().any(|counter| counter.rate.name == name), "{name}");
        }
    }

    #[test]
    fn a_window_shorter_than_a_part_has_no_course() {
        let window = Window { start_ns: 0, end_ns: 1000 };
        assert!(of(window, Duration::from_millis(500), |_, _| Some(1.0)).is_empty());
    }

    #[test]
    fn a_long_window_is_told_more_coarsely() {
        let window = Window { start_ns: 0, end_ns: 86_400 * SECOND_NS };
        let all = of(window, Duration::from_millis(500), |_, _| Some(1.0));
        assert!(all.iter().all(|series| series.values.len() as u64 <= VALUES_MOST + 1), "{}", all.len());
        assert_eq!(all.len(), TOLD.len());
    }
}
