//! Student's t: the interval of a mean from very few values.
//!
//! W. S. Gosset ("Student"), "The Probable Error of a Mean", Biometrika 6(1), 1908. Exact for
//! normal values, hence exact for the median of lognormal ones when taken on logarithms.
//! It is used below six values, where no order statistic reaches 95 %. At n = 2 it is exact too,
//! and 12.7 standard errors wide to either side: correct, and rarely of use.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Interval, Method, is_confidence};

/// The t interval of `values`: on logarithms when all are above 0, otherwise on themselves.
/// `None` as for [`super::of_center`].
pub(crate) fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    if values.iter().all(|value| *value > 0.0) {
        // Equal values come back as they went in, without the rounding of `ln` and `exp`.
        if let Some(value) = all_equal(values) {
            let is_known = values.len() >= 2 && is_confidence(confidence);
            return Interval::new(value, value, confidence, Method::StudentLog).filter(|_| is_known);
        }
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let (low, high) = of_mean(&logs, confidence)?;
        Interval::new(low.exp(), high.exp(), confidence, Method::StudentLog)
    } else {
        let (low, high) = of_mean(values, confidence)?;
        Interval::new(low, high, confidence, Method::Student)
    }
}

/// The t interval of the mean: mean +- t * s / sqrt(n), with n - 1 degrees of freedom.
pub(crate) fn of_mean(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let (mean, standard_error) = mean_and_error(values)?;
    if !is_confidence(confidence) {
        return None;
    }
    let half = t_quantile(values.len() - 1, confidence)? * standard_error;
    Some((mean - half, mean + half))
}

/// The two-sided p-value of the t test that the mean is 0.
///
/// Values that are all the same have no spread to test against: the p-value is then 1 for zeros
/// and 0 for anything else, as the test's own limit is.
pub(crate) fn p_value_of_zero_mean(values: &[f64]) -> Option<f64> {
    let (mean, standard_error) = mean_and_error(values)?;
    if standard_error == 0.0 {
        return Some(if mean == 0.0 { 1.0 } else { 0.0 });
    }
    let t = (mean / standard_error).abs();
    Some((2.0 * distribution(values.len() - 1)?.sf(t)).min(1.0))
}

/// The mean and its standard error s / sqrt(n); `None` below two values or when not finite.
pub(crate) fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    if let Some(value) = all_equal(values) {
        return Some((value, 0.0));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (n - 1.0) / n).sqrt()))
}

/// The one value that all are, if they are.
fn all_equal(values: &[f64]) -> Option<f64> {
    let (first, rest) = values.split_first()?;
    rest.iter().all(|value| value == first).then_some(*first)
}

/// How many standard errors the two-sided interval reaches to each side.
pub(crate) fn t_quantile(degrees: usize, confidence: f64) -> Option<f64> {
    Some(distribution(degrees)?.inverse_cdf(0.5 + confidence / 2.0))
}

fn distribution(degrees: usize) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, degrees as f64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // SciPy 1.17.1: stats.t.ppf(.5 + c / 2, df).
        for (degrees, confidence, want) in [
            (1, 0.95, 12.706204736174694),
            (2, 0.95, 4.302652729749462),
            (3, 0.95, 3.1824463052837078),
            (4, 0.95, 2.7764451051977934),
            (4, 0.90, 2.1318467863266495),
            (1, 0.99, 63.656741162871526),
            (4, 0.99, 4.604094871349992),
        ] {
            let got: f64 = t_quantile(degrees, confidence).unwrap();
            assert!((got - want).abs() < 1e-9 * want, "{degrees} {confidence}: {got}");
        }
    }

    #[test]
    fn p_value_is_that_of_scipy() {
        // SciPy 1.17.1: stats.ttest_1samp(log([1.1, 104/101, 98/99, 120/103]), 0).pvalue.
        let logs = [1.1, 104.0 / 101.0, 98.0 / 99.0, 120.0 / 103.0].map(f64::ln);
        let p = p_value_of_zero_mean(&logs).unwrap();
        assert!((p - 0.16036164115765117).abs() < 1e-10, "{p}");
        assert_eq!(p_value_of_zero_mean(&[0.0, 0.0]), Some(1.0));
        assert_eq!(p_value_of_zero_mean(&[0.5, 0.5]), Some(0.0));
        assert_eq!(p_value_of_zero_mean(&[0.5]), None);
    }
}
