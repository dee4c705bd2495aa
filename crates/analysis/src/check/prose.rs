//! What people wrote beside outputs: the heading above a result, and the numbers in it. Of a range of
//! lines that no tool printed a document keeps the beginning of the first, so that is what is read.

use model::tool_result::{ToolResult, UnreadCause, UnreadLines};
use model::{ToolOutput, Unit};

/// A heading stands so near above its result: a command line and a blank one may lie between.
const NEAR: u64 = 4;

/// A number with a unit that somebody wrote.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenNumber {
    /// As written: `966 MB/s`.
    pub(super) text: String,
    /// The place of its first word among all of `apart`'s text.
    pub(super) place: usize,
    /// In `unit`, by each way of counting that it may be meant in.
    pub(super) meanings: Vec<f64>,
    /// Of bytes per second, operations per second, or seconds.
    pub(super) unit: Unit,
    /// What its last digit counts, as a share of it.
    pub(super) step: f64,
}

impl WrittenNumber {
    /// Whether it may be this figure, rounded.
    pub(super) fn may_be(&self, value: f64) -> bool {
        self.meanings.iter().any(|meaning| (meaning - value).abs() <= self.step.max(0.01) * value.abs())
    }

    /// How far it is from a figure at least, as a share of that.
    pub(super) fn distance(&self, value: f64) -> f64 {
        let of_each = self.meanings.iter().map(|meaning| (meaning / value - 1.0).abs());
        of_each.fold(f64::INFINITY, f64::min)
    }
}

/// The result behind another one. They stand in the order of the text.
pub(super) fn next_of<'a>(output: &'a ToolOutput, result: &ToolResult) -> Option<&'a ToolResult> {
    let place = output.results.partition_point(|other| other.lines.first <= result.lines.last);
    output.results.get(place)
}

/// Lines of no tool around a result: two ranges above it, and two below.
pub(super) fn beside<'a>(
    output: &'a ToolOutput,
    result: &ToolResult,
) -> impl DoubleEndedIterator<Item = &'a UnreadLines> {
    let place = output.unread.partition_point(|unread| unread.lines.last < result.lines.first);
    let around = output.unread.iter().take(place.saturating_add(2)).skip(place.saturating_sub(2));
    around.filter(|unread| unread.cause == UnreadCause::NoTool)
}

/// The heading above a result: lines of no tool that end right above it.
pub(super) fn heading<'a>(output: &'a ToolOutput, result: &ToolResult) -> Option<&'a UnreadLines> {
    let place = output.results.partition_point(|own| own.lines.last < result.lines.first);
    let before = place.checked_sub(1).and_then(|before| output.results.get(before));
    let result_before = before.map_or(0, |before| before.lines.last);
    let is_above = |unread: &&UnreadLines| {
        let gap = result.lines.first.checked_sub(unread.lines.last);
        gap.is_some_and(|gap| gap > 0 && gap <= NEAR) && unread.lines.first > result_before
    };
    beside(output, result).rev().find(is_above)
}

/// What people call a second.
const SECONDS: &[&str] = &["second", "sec", "s", "Sekunde", "Sek", "seconde"];

/// What stands before what is counted for each second, in Korean, Japanese and Chinese.
const EACH_SECOND: &[&str] = &["\u{cd08}\u{b2f9}", "\u{6bce}\u{79d2}", "\u{6bcf}\u{79d2}"];

/// Whether such a word stands before a number.
pub(super) fn is_each_second_before(words: &[&str], place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|before| words.get(before));
    before.is_some_and(|word| EACH_SECOND.iter().any(|each| word.ends_with(each)))
}

/// What follows a unit of time in Korean and Japanese without a space, as in 35초에 and 35秒で.
const PARTICLES: &[&str] =
    &["에", "만에", "간", "동안", "가", "를", "로", "이", "을", "으로", "で", "間", "かか", "を", "が"];

/// Whether a word is one of these units of time, alone or with a particle behind it.
pub(super) fn is_with_particle(word: &str, units: &[&str]) -> bool {
    let behind = units.iter().find_map(|unit| word.strip_prefix(unit));
    behind.is_some_and(|rest| rest.is_empty() || PARTICLES.iter().any(|particle| rest.starts_with(particle)))
}

/// Rates and times in a text.
pub(super) fn numbers(text: &str) -> Vec<WrittenNumber> {
    let text = apart(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let each = words.iter().enumerate().filter_map(|(place, word)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(word.len());
        let (digits, own) = (word.get(..end)?, word.get(end..)?);
        let behind = |count: usize| {
            let word = words.get(place + count).copied().unwrap_or_default();
            word.trim_matches(|c: char| !c.is_alphanumeric())
        };
        let next = behind(1);
        let is_each_second = ["per", "pro", "par"].contains(&behind(2)) && SECONDS.contains(&behind(3))
            || own.is_empty() && is_each_second_before(&words, place);
        let is_own_each_second = ["per", "pro", "par"].contains(&behind(1)) && SECONDS.contains(&behind(2))
            || is_each_second_before(&words, place);
        let own_in_short = format!("{own}/s");
        let in_short = format!("{next}/s");
        let (unit, written) = match own {
            "" if is_each_second => (in_short.as_str(), format!("{digits} {next} per second")),
            "" => (next, format!("{digits} {next}")),
            "k" | "K" if ["IOPS", "iops"].contains(&next) => ("kIOPS", format!("{word} {next}")),
            "M" if ["IOPS", "iops"].contains(&next) => ("MIOPS", format!("{word} {next}")),
            own if is_own_each_second && ["B", "b", "bit", "bits"].iter().any(|end| own.ends_with(end)) => {
                (own_in_short.as_str(), word.to_owned())
            }
            own => (own, word.to_owned()),
        };
        written_number(digits, unit, written, place)
    });
    each.collect()
}

/// A text with a space between the letters of Korean, Chinese and Japanese and all others: words of these languages follow
/// figures without one.
pub(super) fn apart(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut before: Option<bool> = None;
    for c in text.chars() {
        let is_own = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
        if before.is_some_and(|before| before != is_own) && !c.is_whitespace() {
            all.push(' ');
        }
        before = Some(is_own).filter(|_| !c.is_whitespace());
        all.push(match c {
            '\u{3001}' | '\u{ff0c}' => ',',
            c => c,
        });
        // Behind the word for times another one begins: 2倍速い.
        if matches!(c, '\u{500d}' | '\u{bc30}') {
            all.push(' ');
            before = None;
        }
    }
    all
}

/// Whether people write so what is counted for each second.
fn is_operation(word: &str) -> bool {
    matches!(
        word,
        "queries"
            | "requests"
            | "req"
            | "reqs"
            | "transactions"
            | "operations"
            | "ops"
            | "events"
            | "io"
            | "ios"
            | "reads"
            | "writes"
            | "inserts"
            | "statements"
            | "messages"
            | "msgs"
            | "msg"
            | "records"
            | "rows"
    )
}

fn written_number(digits: &str, unit: &str, text: String, place: usize) -> Option<WrittenNumber> {
    let (plain, decimals) = plain(digits)?;
    let value: f64 = plain.parse().ok().filter(|value| *value > 0.0)?;
    let (unit, scales) = unit_of(unit)?;
    let power = i32::try_from(decimals).ok()?;
    let step = 10f64.powi(power.checked_neg()?) / value;
    Some(WrittenNumber {
        text,
        place,
        meanings: scales.iter().map(|scale| value * scale).collect(),
        unit,
        step,
    })
}

/// The same of digits whose unit stands behind another number: `120` in `120 to 180 MB/s`.
pub(super) fn with_unit_of(digits: &str, place: usize, other: &WrittenNumber) -> Option<WrittenNumber> {
    let own = other.text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))?;
    let unit = other.text.get(own..)?.trim();
    written_number(digits, unit, format!("{digits} {unit}"), place)
}

/// Digits without what groups them, and how many decimals there are. A comma before three digits
/// groups.
fn plain(digits: &str) -> Option<(String, usize)> {
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let groups = digits.split(',').skip(1).all(|group| group.len() == 3);
    let plain = if groups { digits.replace(',', "") } else { digits.replace(',', ".") };
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some((plain, decimals))
}

/// What a unit is of, and how many of the base unit it may stand for.
fn unit_of(unit: &str) -> Option<(Unit, Vec<f64>)> {
    match unit {
        "IOPS" | "iops" | "TPS" | "tps" | "QPS" | "qps" | "RPS" | "rps" => {
            return Some((Unit::PerSecond, vec![1.0]));
        }
        "kIOPS" | "KIOPS" => return Some((Unit::PerSecond, vec![1000.0])),
        "MIOPS" => return Some((Unit::PerSecond, vec![1e6])),
        "s" | "sec" | "secs" | "seconds" => return Some((Unit::Seconds, vec![1.0])),
        _ if is_with_particle(unit, &["\u{cd08}", "\u{79d2}"]) => return Some((Unit::Seconds, vec![1.0])),
        "ms" => return Some((Unit::Seconds, vec![1e-3])),
        "us" | "\u{b5}s" | "\u{3bc}s" => return Some((Unit::Seconds, vec![1e-6])),
        "ns" => return Some((Unit::Seconds, vec![1e-9])),
        _ => {}
    }
    let amount = unit.strip_suffix("/sec").or(unit.strip_suffix("/s")).or(unit.strip_suffix("ps"))?;
    if is_operation(&amount.to_ascii_lowercase()) {
        return Some((Unit::PerSecond, vec![1.0]));
    }
    let power = match amount.chars().next()? {
        'k' | 'K' => 1,
        'M' => 2,
        'G' => 3,
        _ => return None,
    };
    let binary = 1024f64.powi(power);
    let decimal = 1000f64.powi(power);
    match amount.get(1..)? {
        "iB" => Some((Unit::BytesPerSecond, vec![binary])),
        "B" => Some((Unit::BytesPerSecond, vec![decimal, binary])),
        "b" | "bit" | "bits" => Some((Unit::BytesPerSecond, vec![decimal / 8.0, binary / 8.0])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units() {
        let of = |text: &str| -> Vec<String> { numbers(text).into_iter().map(|n| n.text).collect() };
        assert_eq!(of("cache off: mean 441 MB/s, peak 966MB/s (of 5 runs)"), ["441 MB/s", "966MB/s"]);
        assert_eq!(of("305,724 IOPS at 4k in 109.8 s."), ["305,724 IOPS", "109.8 s"]);
        assert_eq!(of("4k random reads: 120k IOPS"), ["120k IOPS"]);
        assert_eq!(
            of("23,420 queries/s or 18000 requests per second."),
            ["23,420 queries/s", "18000 requests per second"]
        );
        assert_eq!(of("5,000,000 queries took 213.485 seconds"), ["213.485 seconds"]);
        assert_eq!(of("120MB/s에서 180MB/s로, 約3.5msから2msへ"), ["120MB/s", "180MB/s", "3.5ms", "2ms"]);
        assert_eq!(of("35초에, 12秒でコピー, 9초과"), ["35 초에", "12 秒でコピー"]);
        assert_eq!(of("Kingston 500 GB, kernel 5.10"), Vec::<String>::new());
        assert_eq!(
            of("毎秒942MB, 초당 292MiB, 100 MB pro Sekunde"),
            ["942MB", "292MiB", "100 MB per second"]
        );
    }

    #[test]
    fn a_number_may_be_meant_in_either_counting() {
        let peak = numbers("peak 100 MB/s").remove(0);
        assert!(peak.may_be(100e6) && peak.may_be(100.0 * 1_048_576.0) && !peak.may_be(102.5e6));
        assert!((peak.distance(200e6) - 0.475_712).abs() < 1e-6);
        assert!(numbers("0.94 Gbit/s").remove(0).may_be(941e6 / 8.0));
        assert!(numbers("120k IOPS").remove(0).may_be(120_300.0));
    }

    #[test]
    fn a_heading_stands_right_above() {
        let text = "Linux, cache off\n\n64+0 records in\n64+0 records out\n\
                    67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n64+0 records in\n64+0 records out\n\
                    67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        let output = import::tool::read("", text.as_bytes()).unwrap();
        let above =
            |place: usize| heading(&output, &output.results[place]).map(|unread| unread.text.as_str());
        assert_eq!((above(0), above(1)), (Some("Linux, cache off"), None));
    }
}
