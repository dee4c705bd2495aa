//! Amounts, times and rates in a sentence, in base units, by each way of counting that they may be meant in.

use crate::check::prose::{WrittenNumber, apart, is_each_second_before, is_with_particle, numbers};
use model::Unit;

/// An amount that somebody wrote: bytes, or how many there were of something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenAmount {
    /// As written.
    pub(super) text: String,
    /// The place of its first word.
    pub(super) place: usize,
    pub(super) meanings: Vec<f64>,
    /// Bytes, or one.
    pub(super) unit: Unit,
    /// What its last digit counts, as a share of it.
    pub(super) step: f64,
}

/// What a round number may be off by.
const ROUND: f64 = 0.05;

/// What people count, with its beginning. They stand in one text, with commas between them.
const COUNTED: &str = "request, quer, transaction, operation, insert, row, record, message, event, packet, file, read, \
     write, job, iteration, call, lookup, commit";

/// Multiples of bytes, with their powers.
const MULTIPLES: &[(&str, i32)] = &[("k", 1), ("K", 1), ("M", 2), ("G", 3), ("T", 4)];

/// The amounts of a sentence. Numbers of rates are none.
pub(super) fn amounts(text: &str) -> Vec<WrittenAmount> {
    let text = apart(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    (0..words.len()).filter_map(|place| amount_at(&words, place)).collect()
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '/'))
}

fn amount_at(words: &[&str], place: usize) -> Option<WrittenAmount> {
    let word = trimmed(words.get(place)?);
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(word.len());
    let (digits, own) = (word.get(..end)?, word.get(end..)?);
    let (value, step) = plain(digits)?;
    let next = words.get(place + 1).map_or("", |word| trimmed(word));
    let behind = words.get(place + 2).map_or("", |word| trimmed(word));
    // `10 GB per second` is a rate, and `4 GB of memory` no amount that was moved.
    let is_rate = |word: &str| ["per", "a", "each", "pro", "par"].contains(&word);
    let unit = if own.is_empty() { next } else { own };
    let follows = if own.is_empty() { behind } else { next };
    if is_rate(follows) || is_each_second_before(words, place) {
        return None;
    }
    let written = if own.is_empty() { format!("{digits} {next}") } else { word.to_owned() };
    if let Some(scales) = of_bytes(unit) {
        let meanings = scales.iter().map(|scale| value * scale).collect();
        return Some(WrittenAmount { text: written, place, meanings, unit: Unit::Bytes, step: step / value });
    }
    // `2 million rows`
    let (factor, counted) = match (own, next.to_lowercase().as_str()) {
        ("", "million") => (1e6, behind),
        ("", "thousand") => (1e3, behind),
        ("", "billion") => (1e9, behind),
        ("", _) => (1.0, next),
        ("k" | "K", _) => (1e3, next),
        ("M", _) => (1e6, next),
        _ => return None,
    };
    let lower = counted.to_lowercase();
    let is_counted = COUNTED.split(", ").any(|name| lower.starts_with(name)) && !lower.contains('/');
    let after = words
        .iter()
        .skip(place + 1)
        .position(|word| trimmed(word) == counted)
        .map_or(place, |at| place + 1 + at);
    if !is_counted || is_rate(words.get(after + 1).map_or("", |word| trimmed(word))) {
        return None;
    }
    // A whole number is exact but for zeros at its end.
    let step = match factor > 1.0 {
        _ if digits.contains('.') => step,
        // Who writes `2 million rows` means about as many.
        true => value * ROUND,
        false => round_step(value),
    };
    let text = words.get(place..=after)?.join(" ").trim_end_matches([',', '.', ';', ':']).to_owned();
    Some(WrittenAmount { text, place, meanings: vec![value * factor], unit: Unit::One, step: step / value })
}

/// What a count may be rounded to: 5,000,000 to a million at most, 4,999,312 to one.
fn round_step(value: f64) -> f64 {
    let mut step = 1.0;
    while step < value && value % (step * 10.0) == 0.0 {
        step *= 10.0;
    }
    // Round figures are what was asked for as often as not.
    if step >= value { 1.0 } else { step.min(value / 100.0) }
}

/// A number, and what its last digit counts. A comma before three digits groups.
pub(super) fn plain(digits: &str) -> Option<(f64, f64)> {
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_end_matches(['.', ',']);
    let groups =
        digits.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|group| group.len() == 3));
    let plain = if groups { digits.replace(',', "") } else { digits.replace(',', ".") };
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = plain.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)?;
    Some((value, 10f64.powi(i32::try_from(decimals).ok()?.checked_neg()?)))
}

/// How many bytes a unit may stand for.
fn of_bytes(unit: &str) -> Option<Vec<f64>> {
    if ["bytes", "byte", "B", "Bytes"].contains(&unit) {
        return Some(vec![1.0]);
    }
    let (_, power) = MULTIPLES.iter().find(|(letter, _)| unit.starts_with(letter))?;
    let (decimal, binary) = (1000f64.powi(*power), 1024f64.powi(*power));
    match unit.get(1..)? {
        "iB" | "iBytes" => Some(vec![binary]),
        "B" | "Bytes" | "bytes" => Some(vec![decimal, binary]),
        _ => None,
    }
}

/// Times of a sentence, with those of minutes and hours: `2 min 30 s`, `1.5 hours`.
pub(super) fn times(text: &str) -> Vec<WrittenNumber> {
    let plain: Vec<WrittenNumber> =
        numbers(text).into_iter().filter(|number| number.unit == Unit::Seconds).collect();
    let text = apart(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut all: Vec<WrittenNumber> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((longer, next)) = long_time(&words, at) else {
            all.extend(plain.iter().find(|number| number.place == at).cloned());
            at += 1;
            continue;
        };
        // Seconds right behind minutes belong to them.
        let rest = plain.iter().find(|number| number.place == next && !number.text.contains("ms"));
        let (seconds, step) =
            rest.map_or((0.0, 0.0), |rest| (rest.meanings[0], rest.step * rest.meanings[0]));
        let value = longer.meanings[0] + seconds;
        let step = if rest.is_some() { step / value } else { longer.step };
        let text = rest.map_or_else(|| longer.text.clone(), |rest| format!("{} {}", longer.text, rest.text));
        all.push(WrittenNumber { text, meanings: vec![value], step, ..longer });
        at = next + usize::from(rest.is_some()) * 2;
    }
    all
}

/// Minutes or hours at this place, and the place behind them.
fn long_time(words: &[&str], place: usize) -> Option<(WrittenNumber, usize)> {
    let word = trimmed(words.get(place)?);
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(word.len());
    let (value, step) = plain(word.get(..end)?)?;
    let own = word.get(end..)?;
    let (unit, next) =
        if own.is_empty() { (trimmed(words.get(place + 1)?), place + 2) } else { (own, place + 1) };
    let seconds = match unit.to_lowercase().as_str() {
        "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" | "hrs" => 3600.0,
        unit if is_with_particle(unit, &["분", "分"]) => 60.0,
        unit if is_with_particle(unit, &["시간", "時間"]) => 3600.0,
        _ => return None,
    };
    let text = if own.is_empty() { format!("{word} {unit}") } else { word.to_owned() };
    let number = WrittenNumber {
        text,
        place,
        meanings: vec![value * seconds],
        unit: Unit::Seconds,
        step: step / value,
    };
    Some((number, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_bytes_or_counts() {
        let of = |text: &str| -> Vec<(String, f64)> {
            amounts(text).into_iter().map(|amount| (amount.text, amount.meanings[0])).collect()
        };
        assert_eq!(of("We copied 10 GB in 60 s"), [("10 GB".to_owned(), 10e9)]);
        assert_eq!(of("1.5GiB at 100 MB/s"), [("1.5GiB".to_owned(), 1.5 * 1024f64.powi(3))]);
        assert_eq!(
            of("2 million rows, 500k requests."),
            [("2 million rows".to_owned(), 2e6), ("500k requests".to_owned(), 5e5)]
        );
        assert_eq!(of("10 GB per second, 2,000 requests per second, 4 GB/s"), []);
        assert_eq!(of("1,234,567 queries"), [("1,234,567 queries".to_owned(), 1_234_567.0)]);
    }

    #[test]
    fn times_may_have_minutes() {
        let of = |text: &str| -> Vec<(String, f64)> {
            times(text).into_iter().map(|time| (time.text, time.meanings[0])).collect()
        };
        assert_eq!(of("took 2 min 30 s."), [("2 min 30 s".to_owned(), 150.0)]);
        assert_eq!(
            of("took 1.5 hours, then 12 s"),
            [("1.5 hours".to_owned(), 5400.0), ("12 s".to_owned(), 12.0)]
        );
        assert_eq!(of("in 45 seconds"), [("45 seconds".to_owned(), 45.0)]);
    }

    #[test]
    fn round_counts_may_be_rounded() {
        assert_eq!((round_step(4_999_312.0), round_step(5_100_000.0)), (1.0, 51_000.0));
    }
}
