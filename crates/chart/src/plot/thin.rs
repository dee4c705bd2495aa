//! Thinning of long series in time. A column of a picture holds what all
//! intervals within it say together: the least, the greatest and the mean over
//! time. So a stall of one interval in an hour is still drawn, as deep as it
//! was, and the mean of a column is what really passed in it.
//!
//! This is the "min-max" half of M4 (Jugel et al., "M4: A Visualization-Oriented
//! Time Series Data Aggregation", VLDB 2014), with the mean in place of the
//! first and last value, since ours are means of intervals and no samples.

/// Values over time, one an interval; what is not finite was not seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series<'a> {
    /// When the first interval began, in seconds.
    pub(super) start_s: f64,
    /// How long an interval is, in seconds.
    pub(super) interval_s: f64,
    pub(super) values: &'a [f64],
}

/// What the intervals of one column say together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) min: f64,
    pub(super) max: f64,
    /// The mean, each value by the time that it holds within the column.
    pub(super) mean: f64,
}

/// An extreme value and when its interval began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extreme {
    pub(super) value: f64,
    pub(super) at_s: f64,
}

/// What a series comes to between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) min: Extreme,
    pub(super) max: Extreme,
    pub(super) mean: f64,
}

/// An overlap shorter than this part of an interval is an error of rounding.
const TOUCH: f64 = 1e-6;

impl<'a> Series<'a> {
    /// The values with the times from which to which they hold; none where the
    /// times make no sense.
    pub(super) fn intervals(self) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let Self { start_s, interval_s, values } = self;
        let usable = start_s.is_finite() && interval_s.is_finite() && interval_s > 0.0;
        let values = if usable { values } else { &[] };
        values.iter().enumerate().map(move |(i, value)| {
            let from = start_s + i as f64 * interval_s;
            (from, from + interval_s, *value)
        })
    }

    /// Those of the values that were seen and lie within `span` at least in
    /// part, cut to it.
    pub(super) fn within(self, span: (f64, f64)) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let least = TOUCH * self.interval_s.min(span.1 - span.0);
        self.intervals().filter_map(move |(from, to, value)| {
            let (from, to) = (from.max(span.0), to.min(span.1));
            (value.is_finite() && to - from > least).then_some((from, to, value))
        })
    }

    /// One entry for each of `count` columns of equal length in `span`; `None`
    /// where nothing was seen.
    pub(super) fn columns(self, span: (f64, f64), count: usize) -> Vec<Option<Column>> {
        let mut columns: Vec<Option<(Column, f64)>> = vec![None; count];
        let width = (span.1 - span.0) / count as f64;
        if !(width.is_finite() && width > 0.0) {
            return vec![None; count];
        }
        let least = TOUCH * self.interval_s.min(width);
        for (from, to, value) in self.within(span) {
            let first = ((from - span.0) / width).floor() as usize;
            let last = (((to - span.0) / width).ceil() as usize).min(count);
            for (i, column) in columns.iter_mut().enumerate().take(last).skip(first) {
                let begin = span.0 + i as f64 * width;
                let time = to.min(begin + width) - from.max(begin);
                if time > least {
                    add(column, value, time);
                }
            }
        }
        columns.into_iter().map(|c| c.map(|(column, _)| column)).collect()
    }

    /// What the values of `span` come to; `None` where nothing was seen.
    pub(super) fn summary(self, span: (f64, f64)) -> Option<Summary> {
        let mut sum: Option<(Summary, f64)> = None;
        for (from, to, value) in self.within(span) {
            let here = Extreme { value, at_s: from };
            let (all, time) = sum.get_or_insert((Summary { min: here, max: here, mean: value }, 0.0));
            if value < all.min.value {
                all.min = here;
            }
            if value > all.max.value {
                all.max = here;
            }
            *time += to - from;
            all.mean += (value - all.mean) * ((to - from) / *time);
        }
        sum.map(|(summary, _)| summary)
    }
}

/// Adds a value that held for so long.
fn add(column: &mut Option<(Column, f64)>, value: f64, time: f64) {
    let (all, sum) = column.get_or_insert((Column { min: value, max: value, mean: value }, 0.0));
    all.min = all.min.min(value);
    all.max = all.max.max(value);
    *sum += time;
    // A running mean: a sum of great values would overflow.
    all.mean += (value - all.mean) * (time / *sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(start_s: f64, interval_s: f64, values: &[f64]) -> Series<'_> {
        Series { start_s, interval_s, values }
    }

    #[test]
    fn a_column_has_the_least_the_greatest_and_the_mean() {
        let columns = series(0.0, 1.0, &[1.0, 5.0, 3.0, 7.0, 0.0, 2.0]).columns((0.0, 6.0), 2);
        assert_eq!(columns[0], Some(Column { min: 1.0, max: 5.0, mean: 3.0 }));
        assert_eq!(columns[1], Some(Column { min: 0.0, max: 7.0, mean: 3.0 }));
    }

    #[test]
    fn a_value_that_straddles_counts_by_its_time() {
        // 3 s at 6 and 3 s at 0, in columns of 2 s: 6, (6 + 0) / 2, 0.
        let columns = series(0.0, 3.0, &[6.0, 0.0]).columns((0.0, 6.0), 3);
        let means: Vec<f64> = columns.iter().map(|c| c.unwrap().mean).collect();
        assert_eq!(means, [6.0, 3.0, 0.0]);
        assert_eq!(columns[1], Some(Column { min: 0.0, max: 6.0, mean: 3.0 }));
    }

    #[test]
    fn no_extreme_of_an_hour_is_lost_wherever_it_falls() {
        let mut values = vec![100.0; 36_000];
        for (k, at) in (0..36_000).step_by(1171).enumerate() {
            values[at] = if k % 2 == 0 { 1000.0 + k as f64 } else { -(k as f64) };
            let columns = series(0.0, 0.1, &values).columns((0.0, 3600.0), 295);
            let column = columns[(at as f64 / 36_000.0 * 295.0) as usize].unwrap();
            let seen = if k % 2 == 0 { column.max } else { column.min };
            assert_eq!(seen, values[at], "value {at}");
        }
    }

    #[test]
    fn what_passed_in_all_columns_is_what_passed_in_all_intervals() {
        let values: Vec<f64> = (0..997).map(|i| f64::from(i * 7919 % 1013)).collect();
        let columns = series(2.0, 0.3, &values).columns((2.0, 2.0 + 997.0 * 0.3), 61);
        let drawn = columns.iter().map(|c| c.unwrap().mean).sum::<f64>() / 61.0;
        let real = values.iter().sum::<f64>() / 997.0;
        assert!((drawn / real - 1.0).abs() < 1e-9, "{drawn} {real}");
    }

    #[test]
    fn what_was_not_seen_leaves_a_gap_and_is_no_zero() {
        let values = [4.0, f64::NAN, f64::NAN, 8.0];
        let columns = series(0.0, 1.0, &values).columns((0.0, 4.0), 4);
        assert_eq!(columns.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true]);
        let summary = series(0.0, 1.0, &values).summary((0.0, 4.0)).unwrap();
        assert_eq!(summary.mean, 6.0);
        assert_eq!(summary.max, Extreme { value: 8.0, at_s: 3.0 });
    }

    #[test]
    fn a_summary_is_of_its_span_alone() {
        let summary = series(0.0, 1.0, &[9.0, 1.0, 3.0, 0.0]).summary((1.0, 3.0)).unwrap();
        assert_eq!((summary.min.value, summary.max.value, summary.mean), (1.0, 3.0, 2.0));
        assert!(series(0.0, 1.0, &[1.0]).summary((5.0, 6.0)).is_none());
    }

    #[test]
    fn times_that_make_no_sense_hold_nothing() {
        for (start, interval) in [(0.0, 0.0), (0.0, -1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(series(start, interval, &[1.0]).summary((0.0, 1.0)).is_none());
            assert_eq!(series(start, interval, &[1.0]).columns((0.0, 1.0), 2), [None, None]);
        }
        assert_eq!(series(0.0, 1.0, &[1.0]).columns((1.0, 1.0), 2), [None, None]);
        assert_eq!(series(0.0, 1.0, &[1.0]).columns((f64::NAN, 1.0), 2), [None, None]);
        let huge = series(0.0, 1.0, &[f64::MAX, f64::MAX]).summary((0.0, 2.0)).unwrap();
        assert!(huge.mean.is_finite());
    }
}
