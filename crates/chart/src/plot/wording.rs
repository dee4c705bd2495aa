//! What fills the sentences of charts: counts, spans of time, names.

use language::{Words, format};
use model::{Unit, Value};

use super::Numbers;
use crate::svg::clean;

/// From here on seconds are written as minutes and hours.
pub(super) const MINUTES_FROM: f64 = 60.0;

/// Longer names are cut: a sentence is to be read.
const NAME: usize = 60;

pub(super) fn count(n: usize) -> Value {
    Value::Integer(n as u64)
}

/// How many of all are drawn, by the sentence `key`; nothing where all are.
pub(super) fn drawn(words: &Words, key: &str, drawn: usize, all: usize) -> String {
    if drawn == all {
        return String::new();
    }
    words.tell(key, &[("all", count(all)), ("drawn", count(drawn))])
}

/// How many there are beyond those that are told, by the sentence `key`.
pub(super) fn rest(words: &Words, key: &str, all: usize, told: usize) -> Option<String> {
    (all > told).then(|| words.tell(key, &[("count", count(all - told))]))
}

/// A name from a machine or a study.
pub(super) fn name(raw: &str) -> Value {
    let cleaned = clean(raw);
    let cut: String = cleaned.chars().take(NAME).collect();
    Value::Text(if cut.len() < cleaned.len() { format!("{cut}…") } else { cut })
}

/// A figure that is written already.
pub(super) fn text(written: impl Into<String>) -> Value {
    Value::Text(written.into())
}

/// A span of time as people say it: `50 ms`, `30 s`, `5 min 30 s`.
pub(super) fn duration(seconds: f64) -> String {
    if (MINUTES_FROM..1e9).contains(&seconds) {
        let told = format::span(seconds);
        // A whole minute or hour needs no more.
        let whole = told.strip_suffix(" 0 s").or_else(|| told.strip_suffix(" 0 min"));
        whole.unwrap_or(&told).to_owned()
    } else {
        Numbers::Unit(Unit::Seconds).write(seconds)
    }
}

/// A span of time in three digits, as the length of a column, which nobody needs
/// to the last: `193 ms`.
pub(super) fn rough_duration(seconds: f64) -> String {
    let digits = 10f64.powf(seconds.abs().log10().floor() - 2.0);
    let rounded = if digits.is_normal() { (seconds / digits).round() * digits } else { seconds };
    duration(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_what_people_count_it_in() {
        assert_eq!(duration(0.05), "50 ms");
        assert_eq!(duration(30.0), "30 s");
        assert_eq!(duration(3600.0), "1 h");
        assert_eq!(duration(330.0), "5 min 30 s");
        assert_eq!(duration(300.0), "5 min");
        assert_eq!(duration(-5.0), "-5 s");
        assert_eq!(rough_duration(0.192_93), "193 ms");
        assert_eq!(rough_duration(10.471), "10.5 s");
        assert_eq!(rough_duration(0.0), "0 s");
    }

    #[test]
    fn a_name_is_clean_and_short() {
        assert_eq!(name("a\u{202e}b"), Value::Text("ab".into()));
        assert_eq!(name(&"x".repeat(500)), Value::Text(format!("{}…", "x".repeat(60))));
    }
}
