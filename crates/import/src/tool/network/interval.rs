//! Lines that iperf and iperf3 have in common: what was moved in a span of time, such as
//! `[  5]   0.00-1.00   sec   630 MBytes  5.28 Gbits/sec    4   1.75 MBytes`.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};
use model::{Unit, metric};

use crate::tool::block::ToolLine;
use crate::tool::number::{LeadingNumber, exact, leading, plain, quantity, time, whole};

/// Such a line.
#[derive(Clone, Debug)]
pub(super) struct IntervalLine<'a> {
    /// Which connection: `5`, `*1`, `SUM`.
    pub(super) id: &'a str,
    /// Which way, where data goes both ways: `TX-C`.
    pub(super) role: &'a str,
    /// From when to when, in seconds, as printed.
    pub(super) span: &'a str,
    /// From when.
    pub(super) start_s: f64,
    /// To when.
    pub(super) end_s: f64,
    /// How many decimals the times have, which tells versions apart.
    pub(super) decimals: usize,
    /// How many blanks stand before `sec`: iperf3 fills up its times with them.
    pub(super) blanks: usize,
    /// Window, bytes, and their rate.
    pub(super) measured: ToolMeasurement,
    /// What stands behind the rate.
    pub(super) tail: &'a str,
}

impl<'a> IntervalLine<'a> {
    /// Reads a line.
    pub(super) fn of(line: &'a ToolLine) -> Option<Self> {
        let (id, rest) = bracketed(&line.text)?.strip_prefix('[')?.split_once(']')?;
        let (role, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((role, rest)) => (role.trim(), rest),
            None => ("", rest),
        };
        let rest = rest.trim_start();
        let from = leading(rest, false)?;
        let to = leading(from.rest.trim_start().strip_prefix('-')?, false)?;
        let behind = to.rest.trim_start();
        let span = rest.get(..rest.len() - to.rest.len())?;
        let blanks = to.rest.len() - behind.len();
        let behind = behind.strip_prefix("sec")?;
        let (bytes, behind) = amount(line.number, behind)?;
        let (rate, tail) = amount(line.number, behind)?;
        if bytes.unit != Unit::Bytes || rate.unit != Unit::BytesPerSecond {
            return None;
        }
        let window = window(line.number, span, &from, &to);
        let mut measured =
            ToolMeasurement { window: Some(window), bytes: Some(bytes), ..ToolMeasurement::default() };
        measured.add(metric::THROUGHPUT, Some(rate));
        let decimals = to.digits.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
        let (start_s, end_s) = (from.value, to.value);
        Some(Self { id: id.trim(), role, span, start_s, end_s, decimals, blanks, measured, tail })
    }

    /// Whether it is of all connections together.
    pub(super) fn is_sum(&self) -> bool {
        self.id.starts_with("SUM")
    }

    /// Jitter, and how many datagrams of how many were lost: `0.021 ms  0/39 (0%)`. `knows_losses` is
    /// false of a sender, who prints noughts.
    pub(super) fn add_datagrams(&mut self, line: u64, knows_losses: bool) {
        let Some(Datagrams { jitter, lost, total }) = datagrams(line, self.tail) else { return };
        // iperf3 counts to the end of 31 bits, and then says that nothing was lost.
        if total == COUNTED_MAX {
            return;
        }
        let (knows_losses, lost) = (knows_losses && lost.is_some(), lost.unwrap_or(0));
        let arrived = if knows_losses { total.saturating_sub(lost) } else { total };
        let text = if knows_losses { format!("{total} - {lost}") } else { total.to_string() };
        self.measured.operations = Some(PrintedValue { text, ..exact(line, arrived, Unit::One) });
        if !knows_losses || total == 0 {
            return;
        }
        self.measured.add(metric::JITTER, jitter);
        let share = lost as f64 / total as f64;
        self.measured.add(metric::LOSS, Some(plain(line, format!("{lost}/{total}"), share, Unit::One)));
    }

    /// Whether nothing was moved.
    pub(super) fn is_nothing(&self) -> bool {
        self.measured.bytes.as_ref().is_some_and(|bytes| bytes.value == 0.0)
    }

    /// It as a part of what was measured.
    pub(super) fn part(self) -> ToolPart {
        let name =
            if self.role.is_empty() { self.span.to_owned() } else { format!("{} {}", self.role, self.span) };
        let name = name.replace("- ", "-");
        ToolPart { kind: ToolPartKind::Interval, name, start_s: Some(self.start_s), measured: self.measured }
    }
}

/// A bracket and what follows, behind a time stamp, a title, or the key that ended it.
pub(super) fn bracketed(text: &str) -> Option<&str> {
    behind_stamp(text.strip_prefix("^C").unwrap_or(text), &["["])
}

/// Whether it begins with the number of a connection, or what stands in its place.
pub(super) fn is_row(text: &str) -> bool {
    let id = bracketed(text).and_then(|text| text.strip_prefix('[')?.split_once(']'));
    id.is_some_and(|(id, _)| {
        let id = id.trim().trim_start_matches('*');
        id == "ID" || id.starts_with("SUM") || !id.is_empty() && id.chars().all(|c| c.is_ascii_digit())
    })
}

/// The text from the first of `beginnings` on, if nothing but a time stamp or a title stands before it.
pub(super) fn behind_stamp<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    // Every line of any text is asked, and most have nothing of this.
    let first = text.trim_start();
    let may_be_stamp = first.starts_with(|c: char| c.is_ascii_digit() || c == '.') || first.contains(':');
    if !may_be_stamp && !beginnings.iter().any(|beginning| first.starts_with(beginning)) {
        return None;
    }
    let at = beginnings.iter().filter_map(|beginning| text.find(beginning)).min()?;
    let (before, rest) = (text.get(..at)?.trim(), text.get(at..)?);
    let is_number = !before.is_empty() && before.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_stamp = before.is_empty() || is_number || before.len() <= 64 && before.contains(':');
    is_stamp.then_some(rest)
}

/// An amount with its unit, and what stands behind: iperf and iperf3 count bytes in multiples of 1024,
/// and bits in multiples of 1000.
pub(super) fn amount(line: u64, text: &str) -> Option<(PrintedValue, &str)> {
    let text = text.trim_start();
    let unit = leading(text, false)?.rest.trim_start();
    let end = text.len() - unit.len() + unit.find(char::is_whitespace).unwrap_or(unit.len());
    let (amount, rest) = (text.get(..end)?, text.get(end..)?);
    let counting = if amount.contains("Byte") { Counting::Binary } else { Counting::Decimal };
    Some((quantity(line, amount, counting)?, rest))
}

fn window(line: u64, span: &str, from: &LeadingNumber<'_>, to: &LeadingNumber<'_>) -> PrintedValue {
    // The beginning of the whole is exact.
    let rounding = if from.value == 0.0 { 0.0 } else { from.half_step };
    PrintedValue {
        half_step: to.half_step + rounding,
        ..plain(line, format!("{span} sec"), to.value - from.value, Unit::Seconds)
    }
}

/// So many datagrams iperf3 counts at most.
const COUNTED_MAX: u64 = i32::MAX as u64;

/// What is told of datagrams.
struct Datagrams {
    jitter: Option<PrintedValue>,
    /// Absent where a sender counts alone.
    lost: Option<u64>,
    total: u64,
}

fn datagrams(line: u64, tail: &str) -> Option<Datagrams> {
    let (before, counted) = match tail.split_once(" ms") {
        Some((before, counted)) => (Some(before), counted),
        None => (None, tail),
    };
    let (first, rest) = whole(counted)?;
    let (lost, total) = match rest.trim_start().strip_prefix('/') {
        Some(rest) => (Some(first), whole(rest)?.0),
        None if rest.trim().is_empty() || rest.trim() == "sender" => (None, first),
        None => return None,
    };
    let jitter = before.and_then(|before| time(line, before, "ms"));
    Some(Datagrams { jitter, lost, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_at_its_end_tells_nothing_of_losses() {
        let row =
            "[  5]   0.00-86400.04 sec  9.82 TBytes  1000 Mbits/sec  0.007 ms  0/2147483647 (0%)  receiver";
        let line = ToolLine { number: 7, text: row.to_owned() };
        let mut read = IntervalLine::of(&line).unwrap();
        read.add_datagrams(7, true);
        assert!(read.measured.figure(metric::LOSS).is_none() && read.measured.operations.is_none());
    }

    #[test]
    fn a_line_is_read_with_what_stands_before_and_behind_it() {
        for (text, id, role, tail) in [
            (
                "[  5]   0.00-1.00   sec   630 MBytes  5.28 Gbits/sec    4   1.75 MBytes",
                "5",
                "",
                "    4   1.75 MBytes",
            ),
            (
                "[  5][TX-C]   0.00-1.00   sec   630 MBytes  5.28 Gbits/sec    sender",
                "5",
                "TX-C",
                "    sender",
            ),
            ("Fri Nov 27 20:05:12 2026 [SUM]   0.00-1.00   sec  630 MBytes  5.28 Gbits/sec", "SUM", "", ""),
            ("[  3]  0.0- 1.0 sec   630 MBytes  5.28 Gbits/sec", "3", "", ""),
            ("^C[  5]   0.00-1.00   sec   630 MBytes  5.28 Gbits/sec", "5", "", ""),
        ] {
            let line = ToolLine { number: 7, text: text.to_owned() };
            let read = IntervalLine::of(&line).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.id, read.role, read.tail), (id, role, tail), "{text}");
            let measured = &read.measured;
            assert_eq!(measured.bytes.as_ref().map(|bytes| bytes.value), Some(630.0 * 1_048_576.0));
            assert_eq!(measured.window.as_ref().map(|window| window.value), Some(1.0));
            let rate = measured.figure(metric::THROUGHPUT).unwrap();
            assert!((rate.value - 660e6).abs() < 1.0);
        }
    }

    #[test]
    fn other_lines_in_brackets_are_none() {
        for text in [
            "[    12.345678] usb 1-1: new device",
            "[ ID] Interval           Transfer     Bitrate",
            "see [1] 0-1 sec",
            "[5] 1 sec",
        ] {
            assert!(IntervalLine::of(&ToolLine { number: 1, text: text.to_owned() }).is_none(), "{text}");
        }
    }

    #[test]
    fn losses_are_the_receivers() {
        let text = "[  5]  0.00-1.00   sec  46.9 MBytes   391 Mbits/sec  0.005 ms  250/1000 (25%)  receiver";
        let line = ToolLine { number: 1, text: text.to_owned() };
        let mut read = IntervalLine::of(&line).unwrap();
        read.add_datagrams(1, true);
        let value = |metric| read.measured.figure(metric).map(|figure| figure.value);
        assert_eq!((value(metric::LOSS), value(metric::JITTER)), (Some(0.25), Some(0.000_005)));
        assert_eq!(read.measured.operations.as_ref().map(|arrived| arrived.value), Some(750.0));
        let mut read = IntervalLine::of(&line).unwrap();
        read.add_datagrams(1, false);
        assert_eq!(read.measured.figures.len(), 1);
    }
}
