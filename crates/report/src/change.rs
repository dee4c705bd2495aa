//! A ratio as people read it.

use language::format::{WIDEST, fixed, ratio};
use model::comparison::Ratio;

/// Changes of more than this, either way, are shown as a factor.
const FACTOR: f64 = 2.0;

/// A ratio as people read it: `+4.9 %` with `3.1` and `6.7`, a large one `3.10 x`
/// with `2.98` and `3.22`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) point: String,
    /// The ends of its interval; absent where it says only that there are too
    /// few trials.
    pub(crate) interval: Option<(String, String)>,
}

pub(crate) fn of(change: &Ratio) -> Change {
    of_parts(change.point, change.low, change.high)
}

/// The same of a ratio and the ends of its interval.
pub(crate) fn of_parts(point: f64, low: f64, high: f64) -> Change {
    let times = format!("{} x", ratio(point));
    if high > point * WIDEST || low * WIDEST < point {
        return Change { point: times, interval: None };
    }
    if high > FACTOR || low < 1.0 / FACTOR {
        return Change { point: times, interval: Some((ratio(low), ratio(high))) };
    }
    // Where the interval is narrow, a tenth of a percent is too coarse.
    let decimals = if high - low < 0.01 { 2 } else { 1 };
    let percent = |ratio: f64| fixed((ratio - 1.0) * 100.0, decimals, "");
    let shown = percent(point);
    let sign = if shown.starts_with('-') { "" } else { "+" };
    Change { point: format!("{sign}{shown} %"), interval: Some((percent(low), percent(high))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::comparison::tests::ratio;

    #[test]
    fn changes_are_percents_until_they_are_factors() {
        for (point, low, high, shown) in [
            (1.049, 1.031, 1.067, "+4.9 % (3.1 to 6.7)"),
            (0.967, 0.91, 1.028, "-3.3 % (-9.0 to 2.8)"),
            (1.0001, 0.9996, 1.001, "+0.01 % (-0.04 to 0.10)"),
            (0.999_99, 0.99, 1.01, "+0.0 % (-1.0 to 1.0)"),
            (3.1, 2.98, 3.22, "3.10 x (2.98 to 3.22)"),
            (0.031, 0.03, 0.032, "0.031 x (0.030 to 0.032)"),
            (1.0, 0.01, 90.0, "1.00 x"),
            (1e300, 0.9e300, 1.1e300, "1.0e300 x (9.0e299 to 1.1e300)"),
        ] {
            let Change { point, interval } = of(&ratio(point, low, high));
            let interval = interval.map(|(low, high)| format!(" ({low} to {high})"));
            assert_eq!(point + &interval.unwrap_or_default(), shown);
        }
    }
}
