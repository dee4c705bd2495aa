//! What two changes do, alone and together: a 2 x 2 of trials, and whether one depends on the other.
//!
//! Everything is done on logarithms, so that an effect is a ratio: two changes that each double a
//! rate are expected to make four times of it, and an interaction is what is more or less than that.
//! With equal cells it is the interaction of a factorial analysis of variance (Box, Hunter & Hunter,
//! "Statistics for Experimenters", 2nd ed., 2005, chapter 5); cells of different spreads are borne by
//! the degrees of freedom of Welch and Satterthwaite. One effect is the ratio of two samples, as any
//! comparison of two runs gives it ([`unpaired_ratio`]).
//!
//! Settings are measured in blocks one after the other, so that trials of two cells share no blocks:
//! they are samples of their own.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::comparison::unpaired_ratio;
use crate::interval::{is_confidence, student};

/// The trials of four cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactorialCells<'a> {
    /// Without either change.
    pub neither: &'a [f64],
    /// With the first alone.
    pub first: &'a [f64],
    /// With the second alone.
    pub second: &'a [f64],
    /// With both.
    pub both: &'a [f64],
}

/// How many times as much something is, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactorialEffect {
    /// The ratio of geometric means.
    pub ratio: f64,
    /// The end of the interval below.
    pub low: f64,
    /// The end above.
    pub high: f64,
}

impl FactorialEffect {
    /// Whether the interval leaves 1 out.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Whether the whole interval is nearer to 1 than a factor of `1 + margin`.
    #[must_use]
    pub fn is_within(&self, margin: f64) -> bool {
        self.low >= 1.0 / (1.0 + margin) && self.high <= 1.0 + margin
    }
}

/// What the changes do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactorialEffects {
    /// The first change, without the second.
    pub first: FactorialEffect,
    /// The first change, with the second.
    pub first_with_second: FactorialEffect,
    /// The second change, without the first.
    pub second: FactorialEffect,
    /// The second change, with the first.
    pub second_with_first: FactorialEffect,
    /// Both.
    pub both: FactorialEffect,
    /// Both, as a share of what the two alone would give: 1 where neither depends on the other.
    pub interaction: FactorialEffect,
}

/// What two changes do, at a confidence between 0.5 and 1.
///
/// `None` for a cell of fewer than two trials, for a value that is not finite or not above 0, and for
/// a confidence out of range.
#[must_use]
pub fn effects(cells: FactorialCells<'_>, confidence: f64) -> Option<FactorialEffects> {
    let FactorialCells { neither, first, second, both } = cells;
    let of = |with: &[f64], without: &[f64]| -> Option<FactorialEffect> {
        let found = unpaired_ratio(with, without, confidence)?;
        Some(FactorialEffect { ratio: found.ratio, low: found.interval.low, high: found.interval.high })
    };
    let terms = [(both, 1.0), (first, -1.0), (second, -1.0), (neither, 1.0)];
    Some(FactorialEffects {
        first: of(first, neither)?,
        first_with_second: of(both, second)?,
        second: of(second, neither)?,
        second_with_first: of(both, first)?,
        both: of(both, neither)?,
        interaction: contrast(&terms, confidence)?,
    })
}

fn logs(values: &[f64]) -> Option<Vec<f64>> {
    let is_usable = |value: &f64| value.is_finite() && *value > 0.0;
    values.iter().all(is_usable).then(|| values.iter().map(|value| value.ln()).collect())
}

/// The sum of means of logarithms, each times its sign, as a ratio.
fn contrast(terms: &[(&[f64], f64)], confidence: f64) -> Option<FactorialEffect> {
    if !is_confidence(confidence) {
        return None;
    }
    let (mut point, mut variance, mut shares) = (0.0, 0.0, 0.0);
    for (values, sign) in terms {
        let logs = logs(values)?;
        let (mean, error) = student::mean_and_error(&logs)?;
        point += sign * mean;
        variance += error * error;
        shares += error.powi(4) / (logs.len() as f64 - 1.0);
    }
    let half = if variance > 0.0 {
        let degrees = variance * variance / shares;
        let quantile = StudentsT::new(0.0, 1.0, degrees).ok()?.inverse_cdf(0.5 + confidence / 2.0);
        quantile * variance.sqrt()
    } else {
        0.0
    };
    Some(FactorialEffect { ratio: point.exp(), low: (point - half).exp(), high: (point + half).exp() })
}

#[cfg(test)]
mod tests {
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn near(effect: FactorialEffect, ratio: f64) -> bool {
        (effect.ratio / ratio - 1.0).abs() < 1e-9
    }

    #[test]
    fn effects_are_ratios_of_cells() {
        let cells = FactorialCells {
            neither: &[100.0, 100.0],
            first: &[50.0, 50.0],
            second: &[80.0, 80.0],
            both: &[60.0, 60.0],
        };
        let all = effects(cells, 0.95).unwrap();
        assert!(near(all.first, 0.5) && near(all.first_with_second, 0.75));
        assert!(near(all.second, 0.8) && near(all.second_with_first, 1.2));
        assert!(near(all.both, 0.6) && near(all.interaction, 1.5));
        assert!(all.interaction.is_told() && !all.interaction.is_within(0.02));
        assert_eq!((all.both.low, all.both.high), (all.both.ratio, all.both.ratio));
    }

    /// One contrast of two cells of one spread is Student's t of two samples: 3 and 3 trials,
    /// logarithms 0, 1, 2 and 3, 4, 5, have a difference of 3 with a standard error of
    /// sqrt(2/3) = 0.8165 and 4 degrees of freedom, whose quantile is 2.7764.
    #[test]
    fn an_interval_is_that_of_the_tables() {
        let of = |all: [f64; 3]| all.map(f64::exp);
        let (a, b) = (of([0.0, 1.0, 2.0]), of([3.0, 4.0, 5.0]));
        let all = effects(FactorialCells { neither: &a, first: &b, second: &a, both: &b }, 0.95).unwrap();
        assert!((all.first.low.ln() - (3.0 - 2.7764 * 0.8165)).abs() < 1e-3, "{:?}", all.first);
        assert!((all.first.high.ln() - (3.0 + 2.7764 * 0.8165)).abs() < 1e-3);
    }

    #[test]
    fn what_cannot_be_told_is_none() {
        let good = [1.0, 2.0];
        let of = |one: &[f64]| {
            effects(FactorialCells { neither: one, first: &good, second: &good, both: &good }, 0.95)
        };
        assert!(of(&good).is_some());
        for bad in [&[][..], &[1.0], &[1.0, 0.0], &[1.0, -1.0], &[1.0, f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(of(bad), None, "{bad:?}");
        }
        let cells = FactorialCells { neither: &good, first: &good, second: &good, both: &good };
        assert_eq!(effects(cells, 1.0), None);
    }

    /// Of cells whose changes multiply, the interval of the interaction holds 1 as often as it says.
    #[test]
    fn the_interval_of_an_interaction_covers() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(21);
        let mut normal = || {
            // The sum of twelve uniform numbers (variance 1).
            (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
        };
        let (mut held, samples) = (0, 4000);
        for _ in 0..samples {
            // The last cell spreads three times as wide.
            let mut cell = |mean: f64, spread: f64| -> Vec<f64> {
                (0..5).map(|_| (mean + spread * normal()).exp()).collect()
            };
            let (neither, first, second) = (cell(0.0, 0.02), cell(0.5, 0.02), cell(-0.7, 0.02));
            let both = cell(-0.2, 0.06);
            let cells = FactorialCells { neither: &neither, first: &first, second: &second, both: &both };
            held += u32::from(!effects(cells, 0.95).unwrap().interaction.is_told());
        }
        let share = f64::from(held) / f64::from(samples);
        assert!((0.935..=0.97).contains(&share), "{share}");
    }
}
