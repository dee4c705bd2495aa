//! Does a result follow what was changed: trials with something taken away or given, each beside
//! one without, looked at again and again until they decide.
//!
//! Each pair of one block gives the share of the prediction that came true: the logarithm of its
//! ratio, divided by that of the predicted ratio. It is 1 where the result is in proportion to what
//! was changed and 0 where it has nothing to do with it. The answer is the side of a half on which
//! the mean lies; it is given once an interval of 98 % ([Student's t][crate::interval]) leaves out
//! what lies a quarter beyond on the other side: a result that follows surely does so by more than a
//! quarter, one that stays surely follows by less than three quarters. Nor is it said to stay
//! by an interval wider than one and a half times the prediction: nothing is known of it then.
//!
//! Looking after each pair makes the error larger than that of one look. Measured with 10 % taken, 4
//! to 20 pairs, noise of each trial, wrong answers in percent (4,000 runs each; *partly* is a result
//! that follows by 0.2 and is said to follow, or by 0.8 and is said to stay):
//!
//! | rule | noise | 0.5 % | 2 % | 4 % | 6 % | 8 % |
//! |---|---|---|---|---|---|---|
//! | 95 %, surely below 0 or above a half (the rule before) | wrong | 0 | 0 | 2.0 | 6.0 | 9.0 |
//! | | partly | 0 | 1.4 | 13.2 | 21.9 | 22.9 |
//! | | pairs | 4.0 | 4.2 | 5.9 | 8.1 | 10.0 |
//! | the same, confirmed with two fifths more | wrong | 0 | 0 | 0.5 | 2.8 | 4.2 |
//! | | partly | 0 | 0.2 | 5.8 | 11.4 | 14.0 |
//! | | pairs | 6.0 | 6.0 | 6.6 | 8.2 | 10.4 |
//! | 95 %, a quarter beyond | wrong | 0 | 0 | 0.5 | 1.9 | 3.3 |
//! | | partly | 0 | 0.8 | 4.5 | 7.2 | 8.1 |
//! | | pairs | 4.0 | 4.1 | 5.2 | 7.4 | 9.7 |
//! | the same, confirmed | wrong | 0 | 0 | 0.2 | 0.6 | 0.8 |
//! | | partly | 0 | 0.1 | 1.9 | 3.5 | 4.2 |
//! | | pairs | 6.0 | 6.1 | 7.7 | 10.8 | 13.5 |
//! | 98 %, a quarter beyond | wrong | 0 | 0 | 0.2 | 0.8 | 1.4 |
//! | | partly | 0 | 0.3 | 2.4 | 3.8 | 3.8 |
//! | | pairs | 4.0 | 4.3 | 6.3 | 9.4 | 12.3 |
//! | **the same, and what stays is known to one and a half times the prediction** | wrong | 0 | 0 | 0.2 | 0.7 | 1.1 |
//! | | partly | 0 | 0.6 | 2.5 | 3.4 | 2.8 |
//! | | **pairs** | **4.0** | **4.3** | **6.8** | **10.7** | **15.1** |
//!
//! (The second row is with "surely above 0" on both sides; the last is of 2,000 runs.) It stays below
//! 5 % everywhere with few pairs. What it costs is that 3.6 % of the runs at a noise of 6 %, and 26 %
//! at 8 %, end undecided after 20 pairs. One trial in twenty that is a fifth slower than the others
//! makes no more errors, at most 4.0 %, and needs 6.1 to 16.5 pairs. `tests/response.rs` repeats it.
//!
//! What this is not: an estimate of the effect, which is [`crate::comparison::paired_ratio`]'s.

use crate::interval::student;

/// Pairs before anything is said.
pub const PAIRS_LEAST: usize = 4;

/// Pairs after which what is not decided stays so.
pub const PAIRS_MOST: usize = 20;

/// On which side of this share of the prediction the mean lies is the answer.
const HALF: f64 = 0.5;

/// How far beyond a half, on the other side, is left out for certain.
const BEYOND: f64 = 0.25;

/// The confidence at each look.
const CONFIDENCE: f64 = 0.98;

/// What moves by more than so many times the prediction moved for another reason.
const TOO_MUCH: f64 = 2.5;

/// An interval wider than so many times the prediction says of nothing that it stayed.
const WIDEST: f64 = 1.5;

/// What pairs say of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The result follows it.
    Follows,
    /// The result does not follow it.
    Stays,
    /// The result moves with it, by far more than predicted.
    Exceeds,
    /// More pairs would tell.
    Open,
}

/// What these pairs `(with, without)` say, in the order measured; `predicted` is the ratio that the
/// change makes where the result is in proportion to it: 0.9 where a tenth was taken.
///
/// `Open` where a value or the prediction has no logarithm, and where nothing was changed.
#[must_use]
pub fn of_pairs(pairs: &[(f64, f64)], predicted: f64) -> Response {
    let full = predicted.ln();
    if pairs.len() < PAIRS_LEAST || !full.is_finite() || full == 0.0 {
        return Response::Open;
    }
    let shares: Vec<f64> = pairs.iter().map(|(with, without)| (with.ln() - without.ln()) / full).collect();
    if !shares.iter().all(|share| share.is_finite()) {
        return Response::Open;
    }
    let Some((low, high)) = student::of_mean(&shares, CONFIDENCE) else { return Response::Open };
    let mean = f64::midpoint(low, high);
    if mean >= HALF && low > HALF - BEYOND {
        return if mean > TOO_MUCH { Response::Exceeds } else { Response::Follows };
    }
    let stays = mean < HALF && high < HALF + BEYOND && high - low < WIDEST;
    if stays { Response::Stays } else { Response::Open }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(ratios: &[f64]) -> Vec<(f64, f64)> {
        ratios.iter().map(|ratio| (100.0 * ratio, 100.0)).collect()
    }

    #[test]
    fn what_is_in_proportion_follows_and_what_stays_stays() {
        assert_eq!(of_pairs(&pairs(&[0.9, 0.905, 0.9, 0.895]), 0.9), Response::Follows);
        assert_eq!(of_pairs(&pairs(&[1.0, 1.005, 0.995, 1.0]), 0.9), Response::Stays);
        assert_eq!(of_pairs(&pairs(&[0.6, 0.605, 0.6, 0.6]), 0.9), Response::Exceeds);
        // What rises where a fall was predicted stays.
        assert_eq!(of_pairs(&pairs(&[1.1, 1.11, 1.1, 1.1]), 0.9), Response::Stays);
        // More was given.
        assert_eq!(of_pairs(&pairs(&[1.2, 1.21, 1.2, 1.2]), 1.25), Response::Follows);
        assert_eq!(of_pairs(&pairs(&[1.0, 1.01, 1.0, 1.0]), 1.25), Response::Stays);
    }

    #[test]
    fn too_few_too_wide_and_without_a_prediction_is_open() {
        assert_eq!(of_pairs(&pairs(&[0.9, 0.9, 0.9]), 0.9), Response::Open);
        assert_eq!(of_pairs(&pairs(&[0.7, 1.1, 0.8, 1.0]), 0.9), Response::Open);
        // Between a tenth less and twice as much is not nothing, though a third was taken.
        assert_eq!(of_pairs(&pairs(&[1.0, 1.9, 1.2, 1.6]), 0.62), Response::Open);
        assert_eq!(of_pairs(&pairs(&[2.0, 1.4, 1.5, 1.3]), 0.9), Response::Open);
        for predicted in [1.0, 0.0, -1.0, f64::NAN] {
            assert_eq!(of_pairs(&pairs(&[0.9, 0.905, 0.9, 0.9]), predicted), Response::Open);
        }
        assert_eq!(of_pairs(&pairs(&[0.9, 0.0, 0.9, 0.9]), 0.9), Response::Open);
    }
}
