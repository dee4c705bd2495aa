//! SNIA's steady state of a storage device, over rounds of the same test.
//!
//! SNIA, "Solid State Storage Performance Test Specification" 2.0.2, 2020, section 2.1.24: within
//! the measurement window (five rounds), (a) the range, max - min, is no more than 20 % of the
//! average, and (b) the best linear fit's own max - min, which is slope times four rounds, is
//! within 10 % of the average. (a) bounds the spread, (b) a drift that the spread would hide.
//!
//! It is a rule of agreement, not a test: five rounds of a slow saw-tooth can pass. Its value is
//! that vendors and reviewers use the same one.

/// Rounds in the measurement window.
pub const SNIA_WINDOW: usize = 5;

/// The largest range, as a fraction of the window's average.
pub const SNIA_RANGE: f64 = 0.20;

/// The largest excursion of the fitted line, as a fraction of the window's average.
pub const SNIA_SLOPE: f64 = 0.10;

/// A window exactly on a limit passes; rounding must not decide that.
const ROUNDING: f64 = 1e-9;

/// One measurement window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snia {
    /// The window's average, in the unit of the rounds: the result, if steady.
    pub average: f64,
    /// (max - min) / average.
    pub range_fraction: f64,
    /// What the least-squares line climbs or falls over the window, as a fraction of the average;
    /// never negative.
    pub slope_fraction: f64,
    /// What that line climbs from one round to the next, in the unit of the rounds; negative where it
    /// falls.
    pub slope: f64,
    /// Whether both are within their limits.
    pub steady: bool,
}

/// The window of the last five of `rounds`, one value per round, in any unit.
///
/// `None` below five rounds, for a value that is not finite, or an average that is not above 0.
#[must_use]
pub fn snia(rounds: &[f64]) -> Option<Snia> {
    let window = rounds.last_chunk::<SNIA_WINDOW>()?;
    let average = window.iter().sum::<f64>() / SNIA_WINDOW as f64;
    if !average.is_finite() || average <= 0.0 {
        return None;
    }
    let max = window.iter().copied().fold(f64::MIN, f64::max);
    let min = window.iter().copied().fold(f64::MAX, f64::min);
    let range_fraction = (max - min) / average;
    let slope = slope(window);
    let slope_fraction = slope.abs() * (SNIA_WINDOW - 1) as f64 / average;
    Some(Snia {
        average,
        range_fraction,
        slope_fraction,
        slope,
        steady: range_fraction <= SNIA_RANGE + ROUNDING && slope_fraction <= SNIA_SLOPE + ROUNDING,
    })
}

/// The least-squares slope per round.
fn slope(window: &[f64]) -> f64 {
    let middle = (window.len() - 1) as f64 / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (round, value) in window.iter().enumerate() {
        let offset = round as f64 - middle;
        products += offset * value;
        squares += offset * offset;
    }
    products / squares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }

    #[test]
    fn a_window_worked_by_hand() {
        // Average 100; range 108 - 95 = 13; slope = (-2*95 - 98 + 101 + 2*108) / 10 = 2.9 per
        // round, so 11.6 over the window: the range passes, the slope does not.
        let found = snia(&[500.0, 95.0, 98.0, 98.0, 101.0, 108.0]).unwrap();
        near(found.average, 100.0);
        near(found.range_fraction, 0.13);
        near(found.slope_fraction, 0.116);
        assert!(!found.steady);
    }

    #[test]
    fn each_criterion_can_refuse_alone() {
        // A spike in the middle has no slope, and a range of 21.6 %.
        let spike = snia(&[96.0, 96.0, 117.0, 96.0, 96.0]).unwrap();
        near(spike.slope_fraction, 0.0);
        assert!(spike.range_fraction > 0.20 && !spike.steady);
        let drift = snia(&[94.0, 97.0, 100.0, 103.0, 106.0]).unwrap();
        near(drift.slope_fraction, 0.12);
        assert!(drift.range_fraction < 0.20 && !drift.steady);
        let falling = snia(&[106.0, 103.0, 100.0, 97.0, 94.0]).unwrap();
        near(falling.slope_fraction, 0.12);
        near(falling.slope, -3.0);
        assert!(!falling.steady);
    }

    #[test]
    fn the_limits_themselves_pass() {
        // A range of exactly 20 % without slope, and a line of exactly 10 %.
        assert!(snia(&[90.0, 110.0, 100.0, 110.0, 90.0]).unwrap().steady);
        assert!(snia(&[95.0, 97.5, 100.0, 102.5, 105.0]).unwrap().steady);
        assert!(snia(&[0.95, 0.975, 1.0, 1.025, 1.05]).unwrap().steady);
    }

    #[test]
    fn what_has_no_average_is_absent() {
        assert_eq!(snia(&[1.0; 4]), None);
        assert_eq!(snia(&[0.0; 5]), None);
        assert_eq!(snia(&[1.0, 1.0, f64::NAN, 1.0, 1.0]), None);
    }
}
