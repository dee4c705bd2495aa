//! The text of blkparse: lines of events, and the tables of totals behind them. Of a text that was cut before
//! its tables, the completed requests are counted.

use model::tool_result::{
    Counting, LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult,
};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Blkparse;

const NAME: &str = "blkparse";

const RULES: &[CountingRule] = &[
    CountingRule {
        tool: NAME,
        versions: "1.x",
        units: "KiB, KiB/s",
        counting: Counting::Binary,
        proof: "blkparse-1.2.0-made-trace: the write of 8 sectors of 512 bytes that CPU0 completed is 4KiB",
    },
    CountingRule {
        tool: NAME,
        versions: "1.x",
        units: "K, M and G of counts; MiB and GiB, which stand for 1000 and 1000000 KiB",
        counting: Counting::Decimal,
        proof: "blkparse-1.2.0-made-trace: the discard of 2097152 sectors is 1048576 KiB; it prints 1048MiB",
    },
];

/// Directions by their place in a row.
const DIRECTIONS: [&str; 2] = ["read", "write"];

/// The rows of a table: of reads, of writes, and what they count; of completed ones there are bytes.
const ROWS: &[(&str, &str, Option<MetricName>)] = &[
    ("Reads Queued:", "Writes Queued:", Some(MetricName::new("queued_operations"))),
    ("Read Dispatches:", "Write Dispatches:", Some(MetricName::new("issued_operations"))),
    ("Reads Requeued:", "Writes Requeued:", Some(MetricName::new("requeued_operations"))),
    ("Reads Completed:", "Writes Completed:", None),
    ("Read Merges:", "Write Merges:", Some(MetricName::new("merges"))),
    ("Read depth:", "Write depth:", Some(MetricName::new("queue_depth_max"))),
];

/// Rows that have nothing to compare: plugs, and commands that programs send themselves.
const OTHER_ROWS: &[&str] = &["IO unplugs:", "PC Read", "PC Write", "Events (", "Skips:", "Input file "];

impl ToolReader for Blkparse {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text of blkparse: its tables of totals, or, where these are cut off, the completed requests among its \
         events in the default format"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "btrace"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Throughput (R/W):", "):"]]).or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_certain = Event::of(line).is_some() || text.starts_with("Throughput (R/W):");
        match () {
            () if is_certain => Some(Beginning::Certain),
            () if title(text).is_some() => Some(Beginning::Likely),
            () => None,
        }
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, _)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("Skips:") {
            return Extent::EndsHere;
        }
        let is_part = text.is_empty()
            || Event::of(last).is_some()
            || title(text).is_some()
            || text.starts_with("Throughput (R/W):")
            || ROWS.iter().any(|(reads, ..)| text.starts_with(*reads))
            || OTHER_ROWS.iter().any(|row| text.starts_with(row));
        if is_part { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut reading = Reading::default();
        for line in block.lines.iter().filter(|line| !line.is_blank()) {
            if !reading.take(line) {
                reading.unread.push(LineRange { first: line.number, last: line.number });
            }
        }
        let mut result = block.result(NAME, self.programs());
        reading.fill(&mut result)?;
        Ok(vec![result])
    }
}

/// The line of an event: `  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]`.
struct Event<'a> {
    device: &'a str,
    seconds: &'a str,
    action: &'a str,
    /// What kind of request: `WS`.
    kind: &'a str,
    sectors: Option<u64>,
}

impl<'a> Event<'a> {
    fn of(line: &'a ToolLine) -> Option<Self> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (device, rest) = line.text.trim_start().split_once(char::is_whitespace)?;
        let (major, minor) = device.split_once(',')?;
        if !is_number(major) || !is_number(minor) {
            return None;
        }
        let mut words = rest.split_whitespace();
        let (cpu, sequence, seconds) = (words.next()?, words.next()?, words.next()?);
        let (whole_seconds, nanoseconds) = seconds.split_once('.')?;
        let is_time = is_number(whole_seconds) && is_number(nanoseconds) && nanoseconds.len() == 9;
        if !is_number(cpu) || !is_number(sequence) || !is_time || !is_number(words.next()?) {
            return None;
        }
        let (action, kind) = (words.next()?, words.next().unwrap_or_default());
        let is_action = action.len() <= 2 && action.bytes().all(|byte| byte.is_ascii_alphabetic());
        let extent = (words.next(), words.next(), words.next());
        let sectors = match extent {
            (Some(_), Some("+"), Some(sectors)) => sectors.parse().ok(),
            _ => None,
        };
        is_action.then_some(Self { device, seconds, action, kind, sectors })
    }

    /// The direction of a request that is completed; discards and flushes have none.
    fn completed(&self) -> Option<usize> {
        if self.action != "C" || self.kind.contains('D') || self.sectors.is_none() {
            return None;
        }
        let letters = ['R', 'W'];
        letters.iter().position(|letter| self.kind.contains(*letter))
    }
}

/// A table: of one processor or of all.
#[derive(Debug, Default)]
struct Totals {
    /// `CPU0`, `Total`.
    of: String,
    ways: [ToolMeasurement; 2],
}

/// What was read so far.
#[derive(Debug, Default)]
struct Reading {
    tables: Vec<Totals>,
    /// The device, by the title of a table or by the first event.
    device: Option<String>,
    rates: [Option<PrintedValue>; 2],
    /// First and last time of an event, in seconds, and the line of the last one.
    times: Option<(f64, f64, u64)>,
    /// Requests that events say are completed, and their sectors, of reads and of writes.
    completed: [(u64, u64); 2],
    unread: Vec<LineRange>,
}

impl Reading {
    /// Takes a line; says whether it was understood.
    fn take(&mut self, line: &ToolLine) -> bool {
        let text = line.text.trim();
        if let Some(event) = Event::of(line) {
            self.event(line.number, &event);
            true
        } else if let Some((of, device)) = title(text) {
            self.device = Some(device.to_owned());
            self.tables.push(Totals { of: of.to_owned(), ..Totals::default() });
            true
        } else if let Some(rates) = text.strip_prefix("Throughput (R/W):") {
            let each = rates.split(" / ").map(|rate| size(line.number, rate.trim(), Unit::BytesPerSecond));
            for (own, rate) in self.rates.iter_mut().zip(each) {
                *own = rate;
            }
            true
        } else if let Some(table) = self.tables.last_mut() {
            table.row(line.number, text) || OTHER_ROWS.iter().any(|row| text.starts_with(row))
        } else {
            OTHER_ROWS.iter().any(|row| text.starts_with(row))
        }
    }

    fn event(&mut self, line: u64, event: &Event<'_>) {
        let Ok(seconds) = event.seconds.parse::<f64>() else { return };
        let (first, _, _) = self.times.unwrap_or((seconds, seconds, line));
        self.times = Some((first, seconds, line));
        self.device.get_or_insert_with(|| event.device.to_owned());
        if let (Some(direction), Some(sectors)) = (event.completed(), event.sectors)
            && let Some((count, sum)) = self.completed.get_mut(direction)
        {
            *count = count.saturating_add(1);
            *sum = sum.saturating_add(sectors);
        }
    }

    fn fill(self, result: &mut ToolResult) -> Result<(), NotUnderstood> {
        result.unread = self.unread;
        result.options.extend(self.device.map(|device| ("device".to_owned(), device)));
        let window = self.times.filter(|(first, last, _)| last > first);
        let window = window.map(|(first, last, line)| PrintedValue {
            half_step: 0.0,
            ..plain(line, format!("{first} - {last} s"), last - first, Unit::Seconds)
        });
        let is_only = self.tables.len() == 1;
        let (whole, parts): (Vec<Totals>, Vec<Totals>) =
            self.tables.into_iter().partition(|table| table.of == "Total" || is_only);
        let ways = match whole.into_iter().next() {
            Some(table) => table.ways,
            None if parts.is_empty() => {
                let line = window.as_ref().map_or(0, |window| window.line);
                self.completed.map(|(count, sectors)| counted(line, count, sectors))
            }
            None => Default::default(),
        };
        let rates = self.rates.map(|rate| in_whole_milliseconds(rate?, window.as_ref()));
        let metrics = [metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT];
        for (metric, rate) in metrics.into_iter().zip(&rates) {
            result.whole.add(metric, rate.clone());
        }
        for ((name, mut measured), rate) in DIRECTIONS.into_iter().zip(ways).zip(rates) {
            if measured.is_empty() {
                continue;
            }
            measured.window.clone_from(&window);
            measured.add(metric::THROUGHPUT, rate);
            result.parts.push(part(ToolPartKind::Direction, name, measured));
        }
        result.parts.extend(parts.into_iter().map(of_processor));
        result.whole.window = window;
        let is_any = !result.parts.is_empty() || !result.whole.figures.is_empty();
        if is_any { Ok(()) } else { Err(NotUnderstood::CutShort) }
    }
}

impl Totals {
    /// Takes a row of reads and writes; says whether it is one.
    fn row(&mut self, line: u64, text: &str) -> bool {
        let Some((reads, writes, metric)) = ROWS.iter().find(|(reads, ..)| text.starts_with(*reads)) else {
            return false;
        };
        let Some((before, after)) = text.split_once(*writes) else { return false };
        let each = [before.strip_prefix(*reads).unwrap_or_default(), after];
        for (way, text) in self.ways.iter_mut().zip(each) {
            let Some((number, rest)) = count(line, text) else { continue };
            match metric {
                Some(metric) => way.add(*metric, Some(number)),
                None => {
                    way.operations = Some(number);
                    let bytes = rest.trim_start_matches([',', ' ']).trim_end();
                    way.bytes = size(line, bytes, Unit::Bytes);
                }
            }
        }
        true
    }
}

/// A rate, which blkparse computes of whole milliseconds: less than one of them gives none.
fn in_whole_milliseconds(rate: PrintedValue, window: Option<&PrintedValue>) -> Option<PrintedValue> {
    let Some(window) = window else { return Some(rate) };
    let half_step = rate.half_step + rate.value * 0.001 / window.value;
    (window.value >= 0.001).then_some(PrintedValue { half_step, ..rate })
}

/// What was counted of events in one direction.
fn counted(line: u64, count: u64, sectors: u64) -> ToolMeasurement {
    if count == 0 {
        return ToolMeasurement::default();
    }
    ToolMeasurement {
        operations: Some(exact(line, count, Unit::One)),
        bytes: Some(PrintedValue {
            text: format!("{sectors} sectors"),
            ..exact(line, sectors.saturating_mul(512), Unit::Bytes)
        }),
        ..ToolMeasurement::default()
    }
}

/// What one processor did, with the direction in the names.
fn of_processor(table: Totals) -> ToolPart {
    let mut measured = ToolMeasurement::default();
    for (direction, way) in DIRECTIONS.into_iter().zip(table.ways) {
        let amounts = [("operations", way.operations), ("bytes", way.bytes)];
        for (name, amount) in amounts {
            if let Some(metric) = MetricName::new(name).of(direction) {
                measured.add(metric, amount);
            }
        }
        for figure in way.figures {
            if let Some(metric) = figure.metric.of(direction) {
                measured.add(metric, Some(figure.printed));
            }
        }
    }
    part(ToolPartKind::Target, &table.of, measured)
}

fn part(kind: ToolPartKind, name: &str, measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind, name: name.to_owned(), start_s: None, measured }
}

/// `CPU0 (sda):`, `Total (sda):`.
fn title(text: &str) -> Option<(&str, &str)> {
    let (of, device) = text.strip_suffix("):")?.split_once(" (")?;
    let is_cpu =
        of.strip_prefix("CPU").is_some_and(|rest| whole(rest).is_some_and(|(_, rest)| rest.is_empty()));
    (is_cpu || of == "Total").then_some((of, device))
}

/// A count, in units of 1000 where a letter stands behind it, and what follows it.
fn count(line: u64, text: &str) -> Option<(PrintedValue, &str)> {
    let number = leading(text, true)?;
    let (scale, rest) = match number.rest.chars().next() {
        Some('K') => (1e3, number.rest.get(1..)?),
        Some('M') => (1e6, number.rest.get(1..)?),
        Some('G') => (1e9, number.rest.get(1..)?),
        _ => (1.0, number.rest),
    };
    let half_step = if scale > 1.0 { scale } else { 0.0 };
    let text = number.digits.to_owned();
    Some((PrintedValue { half_step, ..plain(line, text, number.value * scale, Unit::One) }, rest))
}

/// A size or a rate in KiB, or in units of 1000 or more of them. It is rounded down.
fn size(line: u64, text: &str, unit: Unit) -> Option<PrintedValue> {
    let number = leading(text, true)?;
    let prefix = number.rest.strip_suffix("/s").unwrap_or(number.rest).strip_suffix("iB")?;
    let scale = match prefix {
        "K" => 1024.0,
        "M" => 1024e3,
        "G" => 1024e6,
        "P" => 1024e9,
        _ => return None,
    };
    Some(PrintedValue {
        half_step: scale,
        counting: Some(Counting::Binary),
        ..plain(line, text, number.value * scale, unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    fn read(text: &str) -> ToolResult {
        let mut results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results.len(), 1);
        results.remove(0)
    }

    #[test]
    fn lines_of_events_are_known() {
        let complete = line("  8,0    3        1     0.000000000   697  C  WS 223490 + 8 [0]");
        let event = Event::of(&complete).unwrap();
        assert_eq!((event.device, event.action, event.kind, event.sectors), ("8,0", "C", "WS", Some(8)));
        assert_eq!(event.completed(), Some(1));
        for text in ["8,0 is a device", "1,5 2 3 4.5 6 C W", "Total (of all): 5", ""] {
            assert!(Blkparse.begins(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn a_million_of_kib_is_counted_in_thousands() {
        assert_eq!(size(1, "1,048MiB", Unit::Bytes).unwrap().value, 1048.0 * 1024e3);
        assert_eq!(size(1, "64KiB/s", Unit::BytesPerSecond).unwrap().value, 65_536.0);
        let (number, rest) = count(1, "  18,698,    74,792KiB").unwrap();
        assert_eq!((number.value, rest), (18_698.0, ",    74,792KiB"));
        assert_eq!(count(1, "1500K, 1KiB").unwrap().0.value, 1.5e6);
    }

    #[test]
    fn without_tables_completed_requests_are_counted() {
        let result = read(
            "  8,0    3        1     0.000000000   697  D  WS 223490 + 8 [dd]\n\
               8,0    3        2     0.500000000   697  C  WS 223490 + 8 [0]\n\
               8,0    3        3     1.500000000   697  C  RA 8 + 256 [0]\n\
               8,0    3        4     2.000000000   697  C   D 8 + 256 [0]\n",
        );
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["read", "write"]);
        assert_eq!(result.parts[0].measured.bytes.as_ref().unwrap().value, 131_072.0);
        assert_eq!(result.whole.window.unwrap().value, 2.0);
        assert_eq!(result.options["device"], "8,0");
    }
}
