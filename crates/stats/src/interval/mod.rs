//! The centre of a few trials, with an interval that holds.
//!
//! A run has three to fifteen trials, not thousands, and that decides the methods. A percentile
//! bootstrap of the median covers 75 % at n = 3 when it promises 95 %; the normal approximation
//! needs a spread that five values do not give. So:
//!
//! | values | method | the interval is of |
//! |---|---|---|
//! | 2 to 5, all above 0 | Student's t on logarithms | the geometric mean |
//! | 2 to 5, otherwise | Student's t | the mean |
//! | 6 and more | order statistics, interpolated ([`order`]) | the median |
//!
//! *Why logarithms.* Rates and times are above 0 and are disturbed by factors (a cache that
//! misses, a neighbour that takes a share), so their logarithms are nearer to symmetric than they
//! are; the interval cannot reach below 0, and the interval of a rate is exactly the inverse of
//! the interval of its time. For a lognormal quantity the geometric mean *is* the median, which
//! is what the report prints. Values that may be 0 or below (retransmits, a difference) have no
//! logarithm, and for them the plain t interval is the one left.
//!
//! *Why order statistics from six.* They assume nothing but independence, and six is where 95 %
//! first becomes reachable: the range of n values covers the median with 1 - 2^(1-n), 93.75 % at
//! five and 96.875 % at six. A confidence that n values cannot reach (99 % at n = 6) falls back
//! to Student's t, and the method says so.
//!
//! Measured by `tests/coverage.rs` (20,000 samples each, 95 % asked): the true median is covered
//! by 94.6 to 95.3 % for lognormal values with sigma 0.05 (n = 3 to 15), and from six values on by
//! 94.4 to 95.4 % with sigma 0.5 and 94.0 to 94.9 % for exponential ones.
//!
//! What this is not: an answer to trials that depend on one another. A machine that is slow all
//! morning gives five narrow trials, and no interval of them knows the afternoon.

pub mod order;
pub(crate) mod student;

/// From this many values on, the interval is that of the median by order statistics.
///
/// The smallest n whose range covers the median with at least 95 %: 1 - 2^(1-6) = 96.875 %.
pub const ORDER_STATISTIC_MIN_VALUES: usize = 6;

/// How an interval was made. Stored with every estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Student's t on the logarithms, put back by `exp`: an interval of the geometric mean.
    StudentLog,
    /// Student's t on the values: an interval of the mean.
    Student,
    /// Interpolated order statistics: an interval of the median.
    OrderStatistic,
    /// Welch's t on the logarithms of two samples: an interval of the ratio of geometric means.
    WelchLog,
    /// The shift of Hodges and Lehmann on logarithms: an interval of the ratio of two samples of one
    /// shape.
    HodgesLehmann,
}

impl Method {
    /// The name in documents.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Method::StudentLog => "student-t-log",
            Method::Student => "student-t",
            Method::OrderStatistic => "order-statistic-interpolated",
            Method::WelchLog => "welch-t-log",
            Method::HodgesLehmann => "hodges-lehmann",
        }
    }
}

/// An interval in the unit of the values it came from; `low <= high`, both finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end, itself in the interval.
    pub low: f64,
    /// Upper end, itself in the interval.
    pub high: f64,
    /// The confidence asked for, as a fraction: 0.95.
    pub confidence: f64,
    /// How the ends were made.
    pub method: Method,
}

impl Interval {
    /// Builds an interval unless an end is not finite (the values were too far apart for `f64`).
    pub(crate) fn new(low: f64, high: f64, confidence: f64, method: Method) -> Option<Interval> {
        (low.is_finite() && high.is_finite()).then_some(Interval { low, high, confidence, method })
    }

    /// Whether `value` lies in the interval, its ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half of the whole width, in the unit of the values.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }
}

/// The interval of the centre of `values`, by the method that suits their number (see the
/// module's table).
///
/// `confidence` is a fraction between 0 and 1. `None` for fewer than two values, for a value that
/// is not finite, for a confidence out of range, and for an end too large for `f64`.
/// Values that are all the same give an interval without width: they say that the spread is
/// smaller than what they can show, not that it is 0.
#[must_use]
pub fn of_center(values: &[f64], confidence: f64) -> Option<Interval> {
    if values.len() >= ORDER_STATISTIC_MIN_VALUES
        && let Some(interval) = order::interval(values, confidence)
    {
        return Some(interval);
    }
    student::interval(values, confidence)
}

/// The median: the middle value, or the mean of the two middle ones.
///
/// `None` for no values or one that is not finite.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    median_sorted(&sorted(values)?)
}

/// The quantile `q` (0 to 1) of values in ascending order, linear between neighbours.
///
/// Definition 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50(4), 1996; the default of R and NumPy. `None` for no values or a `q` out of
/// range. It is the caller's part that the values are sorted and finite.
#[must_use]
pub fn quantile_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    let position = last as f64 * q;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(between(sorted[below], sorted[above], position - below as f64))
}

/// The median of values in ascending order.
pub(crate) fn median_sorted(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

/// The values in ascending order; `None` when one is not finite.
pub(crate) fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

/// The point `share` of the way from `from` to `to`; exactly `from` when both are the same.
pub(crate) fn between(from: f64, to: f64, share: f64) -> f64 {
    from + share * (to - from)
}

/// Whether a confidence is a fraction that an interval can have.
pub(crate) fn is_confidence(confidence: f64) -> bool {
    confidence > 0.0 && confidence < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got} is not {want}");
    }

    #[test]
    fn two_to_five_values_take_student_on_logarithms() {
        // SciPy 1.17.1: exp(stats.t.interval(.95, 4, loc=log(x).mean(), scale=sem(log(x)))).
        let interval = of_center(&[9.8, 10.2, 10.4, 9.9, 10.1], 0.95).unwrap();
        near(interval.low, 9.786016612450588);
        near(interval.high, 10.378163619349305);
        assert_eq!(interval.method, Method::StudentLog);
        assert_eq!(interval.confidence, 0.95);
    }

    #[test]
    fn a_value_without_a_logarithm_takes_plain_student() {
        // SciPy 1.17.1: stats.t.interval(.95, 3, loc=y.mean(), scale=stats.sem(y)).
        let interval = of_center(&[-1.5, 0.0, 2.5, 4.0], 0.95).unwrap();
        near(interval.low, -2.674658709893915);
        near(interval.high, 5.174658709893915);
        assert_eq!(interval.method, Method::Student);
    }

    #[test]
    fn from_six_the_order_statistics_speak() {
        let values = [3.0, 1.0, 2.0, 6.0, 5.0, 4.0];
        assert_eq!(of_center(&values[..5], 0.95).unwrap().method, Method::StudentLog);
        assert_eq!(of_center(&values, 0.95).unwrap().method, Method::OrderStatistic);
        // Six values cannot give 99 %: their range covers 96.875 %.
        assert_eq!(of_center(&values, 0.99).unwrap().method, Method::StudentLog);
    }

    #[test]
    fn what_cannot_be_estimated_is_absent() {
        assert_eq!(of_center(&[], 0.95), None);
        assert_eq!(of_center(&[1.0], 0.95), None);
        assert_eq!(of_center(&[1.0, f64::NAN, 2.0], 0.95), None);
        assert_eq!(of_center(&[1.0, f64::INFINITY, 2.0, 1.0, 1.0, 1.0], 0.95), None);
        for confidence in [0.0, 1.0, -0.5, f64::NAN, 95.0] {
            assert_eq!(of_center(&[1.0, 2.0, 3.0], confidence), None);
        }
        // The ends would be about 1e-4000 and 1e4000.
        assert_eq!(of_center(&[1e-300, 1e300], 0.95), None);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(quantile_sorted(&[], 0.5), None);
        assert_eq!(quantile_sorted(&[1.0], 1.5), None);
    }

    #[test]
    fn equal_values_give_exactly_themselves() {
        for n in [2, 5, 6, 20] {
            let interval = of_center(&vec![0.1; n], 0.95).unwrap();
            assert_eq!((interval.low, interval.high), (0.1, 0.1));
        }
    }

    #[test]
    fn median_and_quantiles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        // NumPy 2.4.6: numpy.quantile([1, 2, 4, 8, 16], q).
        for (q, want) in [(0.1, 1.4), (0.25, 2.0), (0.5, 4.0), (0.9, 12.8), (1.0, 16.0)] {
            near(quantile_sorted(&[1.0, 2.0, 4.0, 8.0, 16.0], q).unwrap(), want);
        }
    }

    #[test]
    fn methods_have_their_document_names() {
        let codes = [Method::StudentLog, Method::Student, Method::OrderStatistic].map(Method::code);
        assert_eq!(codes, ["student-t-log", "student-t", "order-statistic-interpolated"]);
        assert_eq!(
            [Method::WelchLog, Method::HodgesLehmann].map(Method::code),
            ["welch-t-log", "hodges-lehmann"]
        );
    }
}
