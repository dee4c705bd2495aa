//! Units in what people wrote beside results: a figure of the log with another unit behind it, and rates side by side that
//! are in different units.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, Severity, ToolOutput, Unit};

use super::heading::{OF_OTHERS, is_of_link};
use super::sentences_of;
use super::units::about;
use crate::check::prose::{WrittenNumber, numbers};

/// By so much two figures may differ that are meant to be the same.
const SAME: f64 = 0.02;

/// What bits taken for bytes make of a figure, with either way of counting.
const FACTORS: &[f64] = &[8.0, 8.0 * 1.048_576, 8.0 / 1.048_576, 8.0 * 1.073_741_824, 8.0 / 1.073_741_824];

/// How near to one of them it has to be: the digits are the same.
const NEAR: f64 = 0.005;

/// How a unit of bytes per second is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Writing {
    Bits,
    Binary,
    Bytes,
}

/// What is wrong in a text, once of each kind.
pub(super) fn of_text(output: &ToolOutput) -> Vec<Finding> {
    let is_of_others = |text: &str| {
        let lower = text.to_lowercase();
        OF_OTHERS.iter().any(|word| lower.contains(word))
    };
    let sentences: Vec<(u64, String)> =
        sentences_of(output).into_iter().filter(|(_, text)| !is_of_others(text)).collect();
    let mistaken = sentences.iter().find_map(|(line, text)| mistaken(output, *line, text));
    let beside = || sentences.iter().find_map(|(line, text)| beside(*line, text));
    mistaken.or_else(beside).into_iter().collect()
}

/// The rates of bytes that a sentence has.
fn rates(text: &str) -> Vec<WrittenNumber> {
    let all = numbers(text).into_iter();
    all.filter(|number| number.unit == Unit::BytesPerSecond && !is_of_link(number)).collect()
}

/// The digits that a text begins with, without zeros at the end, where they are two at least: one may be the same by chance.
fn digits(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let digits = text.get(..end)?.replace(',', ".");
    let short =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let significant =
        short.trim_start_matches(['0', '.']).trim_end_matches('0').chars().filter(char::is_ascii_digit);
    (significant.count() >= 2).then(|| short.to_owned())
}

/// That a figure of the log stands in a sentence with bytes in place of its bits, or the other way round.
fn mistaken(output: &ToolOutput, line: u64, text: &str) -> Option<Finding> {
    let rates = rates(text);
    let may_be = |number: &WrittenNumber, printed: &PrintedValue| {
        [printed.least(), printed.value, printed.most()].into_iter().any(|value| number.may_be(value))
    };
    let printed = || {
        output.results.iter().flat_map(|result| {
            let all = result.measurements().flat_map(|(_, measured)| &measured.figures);
            all.map(move |figure| (result, &figure.printed))
                .filter(|(_, one)| one.unit == Unit::BytesPerSecond)
        })
    };
    for number in &rates {
        let Some(own) = digits(&number.text) else { continue };
        if printed().any(|(_, printed)| may_be(number, printed)) {
            continue;
        }
        let is_other = |(_, printed): &(&ToolResult, &PrintedValue)| {
            let ratios = number.meanings.iter().map(|meaning| meaning / printed.value);
            let is_factor = ratios
                .flat_map(|ratio| [ratio, 1.0 / ratio])
                .any(|ratio| FACTORS.iter().any(|factor| (ratio / factor - 1.0).abs() <= NEAR));
            // Who writes both units knows which is which.
            let is_known = rates.iter().any(|other| may_be(other, printed));
            is_factor && !is_known && digits(printed.text.trim()).as_ref() == Some(&own)
        };
        let Some((result, printed)) = printed().find(is_other) else { continue };
        let finding = about("mistaken", Severity::Warning)
            .arg("printed", number.text.as_str())
            .arg("tool", result.tool.as_str())
            .arg("example", printed.text.trim())
            .arg("computed", printed.value);
        return Some(finding.because(sentence(line, text)));
    }
    None
}

fn sentence(line: u64, text: &str) -> Evidence {
    Evidence::maybe_at("claim-line", None).arg("line", line).arg("name", text)
}

/// How the unit of a rate is written.
fn writing(number: &WrittenNumber) -> Writing {
    let unit = number.text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' '));
    match () {
        () if unit.contains("iB") => Writing::Binary,
        () if unit.contains('B') => Writing::Bytes,
        () => Writing::Bits,
    }
}

/// That two rates in a sentence are in different units, and are not one rate in both.
fn beside(line: u64, text: &str) -> Option<Finding> {
    let rates = rates(text);
    let is_same = |a: &WrittenNumber, b: &WrittenNumber| {
        // Beside MiB, MB are of 1000.
        let is_of_1000 = writing(a) == Writing::Binary || writing(b) == Writing::Binary;
        let of = |number: &WrittenNumber| {
            number.meanings.iter().copied().take(if is_of_1000 { 1 } else { 2 }).collect::<Vec<_>>()
        };
        of(a).iter().any(|one| of(b).iter().any(|other| (one / other - 1.0).abs() <= SAME))
    };
    let has_same =
        |one: &WrittenNumber| rates.iter().any(|other| writing(other) != writing(one) && is_same(one, other));
    let alone: Vec<&WrittenNumber> = rates.iter().filter(|rate| !has_same(rate)).collect();
    let (first, rest) = alone.split_first()?;
    let other = rest.iter().find(|other| writing(other) != writing(first))?;
    let finding = about("prose", Severity::Note)
        .arg("unit", first.text.as_str())
        .arg("name", other.text.as_str())
        .arg("first", *first.meanings.first()?)
        .arg("second", *other.meanings.first()?);
    Some(finding.because(sentence(line, text)))
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::super::units::CHECK;
    use crate::check::fixture;

    fn told(prose: &str) -> Option<Value> {
        let text = format!(
            "Connecting to host 10.0.0.2, port 5201\n[  5] local 10.0.0.1 port 50000 connected to 10.0.0.2 port 5201\n\
             [ ID] Interval           Transfer     Bitrate         Retr\n\
             [  5]   0.00-10.00  sec  1.10 GBytes   942 Mbits/sec    0             sender\n\
             [  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec                  receiver\n\n{prose}\n"
        );
        fixture::found(&CHECK, &text).first().and_then(|finding| finding.args.get("how").cloned())
    }

    #[test]
    fn bits_that_are_called_bytes_are_told() {
        let mistaken = Some(Value::from("mistaken"));
        for prose in [
            "So it does 942 MB/s.",
            "つまり毎秒942MBです。",
            "초당 940MB 입니다.",
            "Das sind 940 MB pro Sekunde.",
        ] {
            assert_eq!(told(prose), mistaken, "{prose}");
        }
        for prose in [
            "So it does 942 Mbit/s.",
            "It should do 942 MB/s.",
            "The disk does 900 MB/s.",
            "That is 117.5 MB/s.",
        ] {
            assert_eq!(told(prose), None, "{prose}");
        }
    }

    #[test]
    fn rates_side_by_side_have_one_unit() {
        assert_eq!(told("The disk did 150 MiB/s, the old one 150 MB/s."), Some(Value::from("prose")));
        let of_two = "So it does 942 Mbit/s, and the disk 942 MB/s.";
        assert_eq!(told(of_two), Some(Value::from("prose")), "no figure of the log is mistaken");
        assert_eq!(told("One did 2.3 Gbit/s, the other 180 MB/s."), Some(Value::from("prose")));
        for prose in [
            "The disk did 150 MiB/s (157 MB/s), the old one 100 MiB/s (105 MB/s).",
            "The disk did 150 MB/s, the old one 100 MB/s.",
            "Over a link of 10 Gbit/s we saw 180 MB/s.",
            "200 MB/s are 1.6 Gbit/s.",
        ] {
            assert_eq!(told(prose), None, "{prose}");
        }
    }
}
