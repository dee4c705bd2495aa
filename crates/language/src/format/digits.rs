//! How many digits of a number are written.

use super::scale::Scale;
use crate::Words;
use crate::range::Range;

/// Four significant digits; an exponent only where nobody could count the digits.
pub(super) fn digits(value: f64) -> String {
    if value.abs() >= 1e9 {
        return format!("{value:.3e}");
    }
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = (3 - magnitude).clamp(0, 3) as usize;
    let text = rounded(value, decimals);
    // Rounding may add a digit: 9.9996 becomes 10.000.
    if text.trim_start_matches('-').chars().filter(char::is_ascii_digit).count() > 4 && decimals > 0 {
        return rounded(value, decimals - 1);
    }
    text
}

/// Four significant digits, without zeros behind the point.
#[must_use]
pub fn short(value: f64) -> String {
    trimmed(digits(value))
}

/// So many decimals, and a unit: `45 \u{b0}C`, `1.50`. What rounds to zero has no sign.
#[must_use]
pub fn fixed(value: f64, decimals: usize, unit: &'static str) -> String {
    Scale::new(1.0, unit).join(&rounded(value, decimals))
}

/// So many decimals. What rounds to zero has no sign.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(bare) if bare.chars().all(|c| matches!(c, '0' | '.')) => bare.to_owned(),
        _ => text,
    }
}

/// Without zeros behind the point.
#[must_use]
pub fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// One decimal below a hundred, none where the number is whole.
pub(super) fn tenths(value: f64) -> String {
    let decimals = usize::from(value < 99.95 && (value - value.round()).abs() >= 1e-6);
    format!("{value:.decimals$}")
}

/// Three significant digits, without zeros behind the point.
pub(super) fn three_digits(value: f64) -> String {
    let decimals = [99.95, 9.995].iter().filter(|from| value < **from).count();
    trimmed(format!("{value:.decimals$}"))
}

/// A share in whole per cent, below one with a digit more.
#[must_use]
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    let decimals = usize::from(value != 0.0 && value.abs() < 0.95);
    format!("{} %", rounded(value, decimals))
}

/// Shares from the least to the most, `12 to 96 %`; one where both read the same.
#[must_use]
pub fn percents(words: &Words, low: f64, high: f64) -> String {
    Range::of(words.language(), [low, high].into_iter())
        .map_or_else(String::new, |range| range.written(percent))
}

/// A share in per cent with one decimal where that says something: `2.4 %`,
/// `5 %`.
#[must_use]
pub fn fine_percent(share: f64) -> String {
    // Added to zero, what rounds to it loses its sign.
    format!("{} %", (share * 1000.0).round() / 10.0 + 0.0)
}

/// A share as a drawing writes it: `83 %`. What is not quite nothing is not written
/// as nothing.
#[must_use]
pub fn rough_percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent <= 0.5 => "< 1 %".to_owned(),
        percent if percent > 999.0 => "> 999 %".to_owned(),
        percent => format!("{} %", rounded(percent, 0)),
    }
}

/// A ratio in two or three significant digits.
#[must_use]
pub fn ratio(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.1e}");
    }
    let decimals = [100.0, 10.0, 0.1, 0.01].iter().filter(|from| value.abs() < **from).count();
    format!("{value:.decimals$}")
}

/// A probability in two digits; below a thousandth it is only that.
#[must_use]
pub fn probability(value: f64) -> String {
    match value {
        v if v < 0.001 => "< 0.001".to_owned(),
        v if v < 0.1 => format!("{v:.3}"),
        v => format!("{v:.2}"),
    }
}

/// An amount of money in four digits, of less than one three: what is cheap is not
/// free.
#[must_use]
pub fn amount(value: f64) -> String {
    if value >= 1.0 || value <= 0.0 {
        return short(value);
    }
    let decimals = (2.0 - value.log10().floor()).clamp(2.0, 12.0) as usize;
    trimmed(format!("{value:.decimals$}"))
}

/// A whole number with its thousands apart.
#[must_use]
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nothing_has_no_sign() {
        let shown = [fixed(-0.04, 1, ""), fixed(-0.06, 1, "W"), fixed(2.0, 3, "\u{d7}")];
        assert_eq!(shown, ["0.0", "-0.1 W", "2.000\u{d7}"]);
        let nothing = -1e-5;
        let shown = [digits(nothing), short(nothing), percent(nothing), fine_percent(nothing)];
        assert_eq!(shown, ["0.000", "0", "0.0 %", "0 %"]);
        assert_eq!([short(-1.5), percent(-0.3), fine_percent(-0.0314)], ["-1.5", "-30 %", "-3.1 %"]);
    }

    #[test]
    fn a_share_in_a_drawing_is_never_rounded_to_nothing() {
        let shown = [0.001, 0.005, 0.0, 0.834, 1.04, 1e9].map(rough_percent);
        assert_eq!(shown, ["< 1 %", "< 1 %", "0 %", "83 %", "104 %", "> 999 %"]);
    }

    #[test]
    fn a_probability_has_the_digits_that_it_is_read_by() {
        let shown = [0.0, 0.000_999, 0.0312, 0.0996, 0.5, 1.0].map(probability);
        assert_eq!(shown, ["< 0.001", "< 0.001", "0.031", "0.100", "0.50", "1.00"]);
    }
}
