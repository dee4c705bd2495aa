//! Reading and writing single values as people write them: sizes are binary
//! (`4k` = `4KiB` = 4096, `4KB` = 4000), rates decimal (`20k/s`), durations
//! `500ms 30s 5m 1h`. The grammar of lists and ranges lives in `study`.

use std::ops::Range;

use crate::parameter::{Kind, Word};
use crate::value::Value;

/// A value that cannot be read, with the bytes at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScalarError {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
    /// The bytes of the text that are at fault.
    pub span: Range<usize>,
}

impl ScalarError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), help: help.into(), span }
    }

    /// With what was most likely meant, before what would be right.
    #[must_use]
    pub fn meant(mut self, meant: impl std::fmt::Display) -> Self {
        self.help = format!("did you mean `{meant}`? {}", self.help);
        self
    }

    pub(crate) fn or_words(mut self, words: &[Word]) -> Self {
        if !words.is_empty() {
            let list: Vec<_> = words.iter().map(|w| w.word).collect();
            self.help = format!("{}, or {}", self.help, list.join(", "));
        }
        self
    }
}

pub(crate) fn not_a_choice(text: &str, choices: impl Iterator<Item = String>) -> ScalarError {
    let list: Vec<_> = choices.collect();
    ScalarError::new(
        format!("`{text}` is not a choice here"),
        format!("one of {}", list.join(", ")),
        0..text.len(),
    )
}

/// `auto` where nothing can be searched.
pub(crate) fn not_searched(text: &str, hint: &str) -> ScalarError {
    ScalarError::new(
        format!("`{text}` searches how much under way at once gives the most; this says something else"),
        hint.to_owned(),
        0..text.len(),
    )
}

pub(crate) const SIZE_UNITS: &[(&str, f64)] = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", 1024.0),
    ("kib", 1024.0),
    ("kb", 1e3),
    ("m", 1_048_576.0),
    ("mib", 1_048_576.0),
    ("mb", 1e6),
    ("g", 1_073_741_824.0),
    ("gib", 1_073_741_824.0),
    ("gb", 1e9),
    ("t", 1_099_511_627_776.0),
    ("tib", 1_099_511_627_776.0),
    ("tb", 1e12),
];

pub(crate) const RATE_UNITS: &[(&str, f64)] =
    &[("", 1.0), ("/s", 1.0), ("k/s", 1e3), ("m/s", 1e6), ("g/s", 1e9), ("k", 1e3), ("m", 1e6), ("g", 1e9)];

pub(crate) const THROUGHPUT_UNITS: &[(&str, f64)] = &[
    ("b/s", 1.0),
    ("kib/s", 1024.0),
    ("kb/s", 1e3),
    ("mib/s", 1_048_576.0),
    ("mb/s", 1e6),
    ("gib/s", 1_073_741_824.0),
    ("gb/s", 1e9),
    ("tib/s", 1_099_511_627_776.0),
    ("tb/s", 1e12),
];

/// What a message says a person may write for bytes per second.
const THROUGHPUT_HINT: &str = "bytes per second such as 560MB/s (decimal) or 500MiB/s (binary)";

pub(crate) const DURATION_UNITS: &[(&str, f64)] =
    &[("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// Between what a number must lie, and how the ends are written.
struct Bounds {
    least: (f64, &'static str),
    most: (f64, &'static str),
}

/// A nanosecond is the least that our clocks count. Of ten years, dozens add up in
/// nanoseconds without an overflow.
const DURATIONS: Bounds = Bounds { least: (1e-9, "0.001us"), most: (3650.0 * 86_400.0, "3650d") };
/// Once in 11 days, and what no machine will reach for long.
const RATES: Bounds = Bounds { least: (1e-6, "0.000001/s"), most: (1e15, "1000000g/s") };
const THROUGHPUTS: Bounds = Bounds { least: (1e-6, "0.000001B/s"), most: (1e18, "1000000TB/s") };
const NUMBERS: Bounds = Bounds { least: (1e-6, "0.000001"), most: (1e6, "1000000") };
/// As large as file offsets and counts that floating point still tells apart.
const WHOLES: f64 = 9.0e15;

/// A duration in whole nanoseconds; none that was typed is out of bounds, but one
/// that came over the network may be.
#[must_use]
pub fn nanoseconds(seconds: f64) -> u64 {
    (seconds.clamp(0.0, DURATIONS.most.0) * 1e9).round() as u64
}

/// Reads one value of `kind`; choices are the spec's matter.
pub fn parse(kind: Kind, text: &str) -> Result<Value, ScalarError> {
    read(kind, text).map_err(|error| match meant(kind, text) {
        Some(meant) => error.meant(meant),
        None => error,
    })
}

/// What most people mean by a text that is no value of `kind`: seconds, per cent, a range or levels.
fn meant(kind: Kind, text: &str) -> Option<String> {
    let is_number =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok();
    let is_value = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && read(kind, text).is_ok();
    match kind {
        Kind::Duration if is_number(text) => return Some(format!("{text}s")),
        Kind::Share if is_number(text) => return Some(format!("{text}%")),
        Kind::Count | Kind::Size | Kind::Rate | Kind::Duration => {}
        _ => return None,
    }
    if let Some((low, high)) =
        text.split_once(['-', ':']).filter(|(low, high)| is_value(low) && is_value(high))
    {
        return Some(format!("{low}..{high}"));
    }
    let levels: Vec<&str> = text.split([' ', ';', '|']).filter(|level| !level.is_empty()).collect();
    (levels.len() > 1 && levels.iter().all(|level| is_value(level))).then(|| levels.join(","))
}

fn read(kind: Kind, text: &str) -> Result<Value, ScalarError> {
    let (hint, whole) = (kind.hint(), 0..text.len());
    if text.is_empty() {
        return Err(ScalarError::new("there is no value here", hint, whole));
    }
    match kind {
        Kind::Size => to_whole(with_unit(hint, text, SIZE_UNITS)?, hint, text),
        Kind::Count => to_whole(with_unit(hint, text, &[("", 1.0), ("k", 1e3), ("m", 1e6)])?, hint, text),
        Kind::Rate => within(with_unit(hint, text, RATE_UNITS).map_err(of_bytes)?, &RATES, hint, text),
        Kind::Duration => within(with_unit(hint, text, DURATION_UNITS)?, &DURATIONS, hint, text),
        Kind::Flag => match text {
            "yes" | "true" | "on" => Ok(Value::Bool(true)),
            "no" | "false" | "off" => Ok(Value::Bool(false)),
            _ => Err(ScalarError::new(format!("`{text}` is neither yes nor no"), hint, whole)),
        },
        Kind::Choice | Kind::Path | Kind::Text | Kind::Stack => Ok(Value::Text(text.to_owned())),
        Kind::Share => share(hint, text).map(Value::Number),
        // `2x` is how a factor is said.
        Kind::Number => within(with_unit(hint, text, &[("", 1.0), ("x", 1.0)])?, &NUMBERS, hint, text),
        Kind::LatencyTarget => {
            let (seconds, share) = latency_target(text)?;
            Ok(Value::Text(format!("{}@{}", show_duration(seconds), show_share(share))))
        }
    }
}

/// A share as a fraction: `60%` is 0.6. A bare number would be 60 or 0.6, so it
/// is refused.
fn share(hint: &str, text: &str) -> Result<f64, ScalarError> {
    // As exactly as it is shown, so that what is shown reads back the same.
    let percent = (with_unit(hint, text, &[("%", 1.0)])? * 1e6).round() / 1e6;
    if (0.0..=100.0).contains(&percent) {
        return Ok(percent / 100.0);
    }
    Err(ScalarError::new(format!("`{text}` is not between 0% and 100%"), hint, 0..text.len()))
}

/// Reads `1ms@99%`: seconds, and the share of operations that keep to them.
pub fn latency_target(text: &str) -> Result<(f64, f64), ScalarError> {
    let hint = Kind::LatencyTarget.hint();
    let Some((latency, kept)) = text.split_once('@') else {
        return Err(ScalarError::new(format!("`{text}` has no `@`"), hint, 0..text.len()));
    };
    let seconds = with_unit(hint, latency, DURATION_UNITS)?;
    within(seconds, &DURATIONS, hint, latency)?;
    let kept = share(hint, kept)?;
    if kept <= 0.0 || kept >= 1.0 {
        let message = "the share must lie between 0% and 100%; of all operations nobody can tell";
        return Err(ScalarError::new(message, hint, latency.len() + 1..text.len()));
    }
    Ok((seconds, kept))
}

/// Reads one part of a mix, `4k:70%`, in canonical form: `4KiB:70%`.
pub(crate) fn weighted(kind: Kind, text: &str) -> Result<Value, ScalarError> {
    let (value, weight) = text.split_once(':').unwrap_or((text, ""));
    let hint = "a value and its share of the operations, such as 4k:70%";
    let value = parse(kind, value)?;
    let weight = share(hint, weight)?;
    if weight <= 0.0 {
        return Err(ScalarError::new("a part without any share is none", hint, 0..text.len()));
    }
    Ok(Value::Text(format!("{}:{}", show(kind, &value), show_share(weight))))
}

/// How a word with a size behind it is written: `file:SIZE`.
pub(crate) fn sized_form(word: Word) -> String {
    format!("{}:SIZE", word.word)
}

/// Reads the size behind a word, the `4g` of `file:4g`: the whole in canonical form, `file:4GiB`.
pub(crate) fn sized(word: Word, size: &str) -> Result<Value, ScalarError> {
    let before = word.word.len() + 1;
    let whole = |error: ScalarError| ScalarError {
        span: error.span.start + before..error.span.end + before,
        ..error
    };
    let size = parse(Kind::Size, size).map_err(whole)?;
    Ok(Value::Text(format!("{}:{}", word.word, show(Kind::Size, &size))))
}

/// How a word with a digest behind it is written: `sha256:DIGITS`.
pub(crate) fn digest_form(word: Word) -> String {
    format!("{}:DIGITS", word.word)
}

/// Reads the 64 hexadecimal digits behind a word: the whole with small letters.
pub(crate) fn digest(word: Word, digits: &str) -> Result<Value, ScalarError> {
    if digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(Value::Text(format!("{}:{}", word.word, digits.to_ascii_lowercase())));
    }
    let before = word.word.len() + 1;
    Err(ScalarError::new(
        format!("`{digits}` is not 64 hexadecimal digits"),
        format!("{0}: and 64 hexadecimal digits, as {0}sum prints them", word.word),
        before..before + digits.len(),
    ))
}

/// The size and the share of a part of a mix, as [`weighted`] writes it.
pub(crate) fn weights(text: &str) -> Option<(u64, f64)> {
    let (size, weight) = text.split_once(':')?;
    match (parse(Kind::Size, size).ok()?, share("", weight).ok()?) {
        (Value::Integer(size), weight) => Some((size, weight)),
        _ => None,
    }
}

fn show_share(share: f64) -> String {
    format!("{}%", (share * 1e8).round() / 1e6)
}

/// Reads bytes per second. Bits are refused: a small b would pass for a large
/// one, and the figure be wrong by a factor of 8.
pub fn throughput(text: &str) -> Result<f64, ScalarError> {
    if text.is_empty() {
        return Err(ScalarError::new("there is no value here", THROUGHPUT_HINT, 0..0));
    }
    let number = with_unit(THROUGHPUT_HINT, text, THROUGHPUT_UNITS)?;
    bytes_not_bits(text)?;
    within(number, &THROUGHPUTS, THROUGHPUT_HINT, text).map(|_| number)
}

/// Refuses a unit with a small b.
pub(crate) fn bytes_not_bits(text: &str) -> Result<(), ScalarError> {
    if text.ends_with("b/s") || text.ends_with("b/S") {
        let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0)..text.len();
        let message = format!("`{}` may be bits or bytes", &text[unit.clone()]);
        return Err(ScalarError::new(message, "write B for bytes, of which 1 has 8 bits", unit));
    }
    Ok(())
}

/// That operations are counted, where somebody gives bytes per second.
fn of_bytes(error: ScalarError) -> ScalarError {
    let is_of_bytes = THROUGHPUT_UNITS
        .iter()
        .any(|(unit, _)| error.message.to_ascii_lowercase().contains(&format!("`{unit}`")));
    if !is_of_bytes {
        return error;
    }
    let help = format!("it counts operations: bytes per second divided by the bytes of one; {}", error.help);
    ScalarError { help, ..error }
}

pub(crate) fn with_unit(hint: &str, text: &str, units: &[(&str, f64)]) -> Result<f64, ScalarError> {
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let digits = digits.replace('_', "");
    let Ok(number) = digits.parse::<f64>() else {
        let is_negative =
            text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let problem = if is_negative { "is below zero" } else { "does not start with a number" };
        let message = format!("`{text}` {problem}");
        return Err(ScalarError::new(message, hint, 0..text.len()));
    };
    let wanted = unit.trim_start().to_ascii_lowercase();
    match units.iter().find(|(name, _)| *name == wanted) {
        Some((_, factor)) => Ok(number * factor),
        None if wanted.is_empty() => {
            let message = format!("`{text}` has no unit");
            Err(ScalarError::new(message, hint, 0..text.len()))
        }
        None => {
            let message = format!("`{}` is not a unit that fits here", unit.trim_start());
            Err(ScalarError::new(message, hint, split..text.len()))
        }
    }
}

fn to_whole(number: f64, hint: &str, text: &str) -> Result<Value, ScalarError> {
    let problem = if number > WHOLES {
        "is too large"
    } else if number.fract() != 0.0 {
        "is not a whole number"
    } else if number < 1.0 {
        "is too small"
    } else {
        return Ok(Value::Integer(number as u64));
    };
    Err(ScalarError::new(format!("`{text}` {problem}"), hint, 0..text.len()))
}

fn within(number: f64, bounds: &Bounds, hint: &str, text: &str) -> Result<Value, ScalarError> {
    let Bounds { least: (least, shown_least), most: (most, shown_most) } = bounds;
    let message = match number {
        // What is computed with decimal units may be off in the last place.
        number if number >= least * (1.0 - 1e-12) && number <= *most => {
            return Ok(Value::Number(number.max(*least)));
        }
        number if number > *most => format!("`{text}` is too large: at most {shown_most}"),
        number if number > 0.0 => format!("`{text}` is too small: at least {shown_least}"),
        _ => format!("`{text}` must be more than zero"),
    };
    Err(ScalarError::new(message, hint, 0..text.len()))
}

/// Writes `value` the way a person would write it, so that [`parse`] reads the
/// same value back.
#[must_use]
pub fn show(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Size, Value::Integer(bytes)) => show_size(*bytes),
        (Kind::Rate, Value::Number(v)) => show_rate(*v),
        (Kind::Duration, Value::Number(v)) => show_duration(*v),
        (Kind::Share, Value::Number(v)) => show_share(*v),
        (_, Value::List(parts)) => parts.iter().map(|part| show(kind, part)).collect::<Vec<_>>().join("+"),
        _ => value.to_string(),
    }
}

fn show_size(bytes: u64) -> String {
    for (unit, name) in [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{}{name}", bytes / unit);
        }
    }
    format!("{bytes}B")
}

/// Bytes for people to read, as a file system or memory has them: binary, one
/// decimal, `1.5 GiB`.
#[must_use]
pub fn binary(bytes: u64) -> String {
    for (shift, name) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >> shift > 0 {
            let value = bytes as f64 / (1u64 << shift) as f64;
            let decimals = usize::from(value.fract() != 0.0);
            return format!("{value:.decimals$} {name}");
        }
    }
    format!("{bytes} bytes")
}

fn show_rate(rate: f64) -> String {
    for (unit, name) in [(1e6, "M"), (1e3, "k")] {
        let scaled = rate / unit;
        if scaled >= 1.0 && (scaled * 1000.0).round() / 1000.0 == scaled {
            return format!("{scaled}{name}/s");
        }
    }
    format!("{rate}/s")
}

fn show_duration(seconds: f64) -> String {
    let whole = |v: f64| (v - v.round()).abs() < 1e-9;
    for (unit, name) in [(3600.0, "h"), (60.0, "m"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us")] {
        let scaled = seconds / unit;
        if scaled >= 1.0 && whole(scaled) {
            return format!("{}{name}", scaled.round());
        }
    }
    format!("{seconds}s")
}

#[cfg(test)]
mod tests;
