//! Two samples of which only a summary is known: the mean, the standard deviation and how many values there
//! were, as other tools print them. Welch's t on the values themselves, for their logarithms are not known.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// What is known of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSummary {
    /// The mean of its values.
    pub mean: f64,
    /// Their standard deviation, that of a sample (with n - 1), in the unit of the mean.
    pub deviation: f64,
    /// How many there are.
    pub count: f64,
}

impl SampleSummary {
    /// The two-sided p-value of "both have the same mean" (Welch 1947, with the degrees of freedom of
    /// Satterthwaite 1946). `None` below two values on a side, without any spread, or of what is not finite.
    #[must_use]
    pub fn p_value(self, other: Self) -> Option<f64> {
        let is_sample = |one: Self| one.count >= 2.0 && one.mean.is_finite() && one.deviation >= 0.0;
        let of_mean = |one: Self| one.deviation * one.deviation / one.count;
        let (of_self, of_other) = (of_mean(self), of_mean(other));
        let variance = of_self + of_other;
        if !is_sample(self) || !is_sample(other) || !variance.is_finite() || variance <= 0.0 {
            return None;
        }
        let share = |of_side: f64, count: f64| (of_side / variance).powi(2) / (count - 1.0);
        let degrees = 1.0 / (share(of_self, self.count) + share(of_other, other.count));
        let t = ((self.mean - other.mean) / variance.sqrt()).abs();
        Some((2.0 * StudentsT::new(0.0, 1.0, degrees).ok()?.sf(t)).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(mean: f64, deviation: f64, count: f64) -> SampleSummary {
        SampleSummary { mean, deviation, count }
    }

    #[test]
    fn a_difference_of_the_tabulated_t_has_its_p() {
        // Two samples of ten with one spread have 18 degrees of freedom: the 97.5th percentile is 2.100922.
        let other = summary(2.100_922 * 0.2_f64.sqrt(), 1.0, 10.0);
        let p = summary(0.0, 1.0, 10.0).p_value(other).unwrap();
        assert!((p - 0.05).abs() < 1e-5, "{p}");
        let p = summary(1.0, 1.0, 5.0).p_value(summary(1.0, 2.0, 9.0)).unwrap();
        assert!((p - 1.0).abs() < 1e-9, "{p}");
    }

    #[test]
    fn without_values_or_spread_nothing_is_said() {
        let sample = summary(1.0, 1.0, 10.0);
        assert_eq!(sample.p_value(summary(1.0, 1.0, 1.0)), None);
        assert_eq!(summary(1.0, 0.0, 10.0).p_value(summary(2.0, 0.0, 10.0)), None);
        assert_eq!(sample.p_value(summary(f64::NAN, 1.0, 10.0)), None);
    }
}
