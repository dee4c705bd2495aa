//! diskspd's text (`-Rtext`), of Windows and of its port to Linux. Its tables are read by their headings,
//! which differ with the options. What its XML (`-Rxml`) has is put into the same.

mod sums;
mod work;
mod xml;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, WorkloadName, metric};

use self::work::{option, parameters_of_work};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::program;
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer.
pub(super) struct Diskspd;

const NAME: &str = "diskspd";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MiB/s, in 2.0 called MB/s; KiB, MiB, GiB",
    counting: Counting::Binary,
    proof: "ResultParser.cpp prints bytes / 1024 / 1024 / seconds below both headings: in diskspd-2.0-sequential-from-source \
            1258291200 bytes in 12.00 s are 100.00 binary `MB/s`, and 104.86 decimal ones",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for Diskspd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text and the XML (`-Rxml`) of diskspd, with latencies (-L) or without, of one timespan or of several"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["diskspd", "diskspd64", "DiskSpd"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Command Line:",
            "Results for timespan ",
            "Total IO",
            "Input parameters:",
            xml::FIRST,
            "timespan:",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim_start();
        if command(text).is_some() || timespan(text).is_some() {
            return Some(Beginning::Certain);
        }
        (matches!(text, "Total IO" | "Input parameters:" | xml::FIRST) || parameters_of(text).is_some())
            .then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if let Some(extent) = xml::extent(before, last) {
            return extent;
        }
        let text = last.text.trim_start();
        let is_first = before.is_empty();
        let begins_again = command(text).is_some()
            || timespan(text).is_some_and(|number| {
                before.iter().any(|line| timespan(line.text.trim_start()) == Some(number))
            });
        let is_own = last.is_blank()
            || last.is_indented()
            || text.contains('|')
            || text.chars().all(|c| matches!(c, '-' | '*'))
            || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
            || is_target(text);
        if is_first || is_own && !begins_again { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut reading = Reading::default();
        if block.lines.first().is_some_and(|line| line.text.trim() == xml::FIRST) {
            xml::read(block.lines, &mut reading);
        } else {
            block.lines.iter().for_each(|line| reading.take(line));
        }
        let spans = std::mem::take(&mut reading.spans);
        let results: Vec<ToolResult> =
            spans.into_iter().filter_map(|span| result(span, &reading, block)).collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// Lines that are neither indented nor of a table.
const BEGINNINGS: &[&str] = &[
    "Command Line:",
    "Input parameters:",
    "System information:",
    "Results for timespan",
    "actual test time:",
    "thread count:",
    "proc count:",
    "Total IO",
    "Read IO",
    "Write IO",
    "total:",
    "Total latency distribution:",
    "timespan:",
];

/// The words of `Command Line: C:\diskspd.exe -b4K x`, from the program on. Backslashes are no escapes there.
fn command(text: &str) -> Option<Vec<String>> {
    let words = text.strip_prefix("Command Line:")?.split_whitespace().map(str::to_owned);
    let words: Vec<String> = words.collect();
    let is_own = |word: &String| program(word).to_ascii_lowercase().starts_with(NAME);
    words.first().is_some_and(is_own).then_some(words)
}

/// The number of `Results for timespan 1:`.
fn timespan(text: &str) -> Option<u64> {
    let (number, rest) = whole(text.strip_prefix("Results for timespan ")?)?;
    rest.starts_with(':').then_some(number)
}

/// The number of `timespan:   1`, above its parameters.
fn parameters_of(text: &str) -> Option<u64> {
    let (number, rest) = whole(text.strip_prefix("timespan:")?)?;
    rest.trim().is_empty().then_some(number)
}

/// A path above the percentiles of one of several targets: `D:\x.dat`, `#1`. A prompt has a mark at its end.
fn is_target(text: &str) -> bool {
    let mut letters = text.chars();
    let is_drive = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters.next() == Some('\\');
    let is_number = text.strip_prefix('#').is_some_and(|rest| rest.parse::<u32>().is_ok());
    (is_drive || is_number) && !text.contains(['>', '|'])
}

/// What is known of one timespan.
#[derive(Default)]
struct Span {
    number: u64,
    window: Option<PrintedValue>,
    /// Of `Total IO`, `Read IO` and `Write IO`.
    total: ToolMeasurement,
    read: ToolMeasurement,
    write: ToolMeasurement,
    threads: Vec<ToolPart>,
    /// What stands behind the paths of its files.
    sizes: Vec<String>,
}

impl Span {
    fn of(&mut self, class: TableClass) -> &mut ToolMeasurement {
        match class {
            TableClass::Total => &mut self.total,
            TableClass::Read => &mut self.read,
            TableClass::Write => &mut self.write,
        }
    }
}

/// What a table is of.
#[derive(Clone, Copy, PartialEq)]
enum TableClass {
    Total,
    Read,
    Write,
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    command: Vec<String>,
    /// The lines of the parameters of each timespan.
    parameters: Vec<(u64, Vec<String>)>,
    is_in_parameters: bool,
    moment: Option<String>,
    spans: Vec<Span>,
    table: Option<TableClass>,
    columns: Vec<String>,
    /// Whether the percentiles that follow are of one of several targets, and not of all.
    is_of_target: bool,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        if let Some(words) = command(text) {
            self.command = words;
        } else if text == "Input parameters:" {
            self.is_in_parameters = true;
        } else if let Some(number) = parameters_of(text) {
            self.is_in_parameters = true;
            self.parameters.push((number, Vec::new()));
        } else if text == "System information:" {
            self.is_in_parameters = false;
        } else if let Some(moment) = text.strip_prefix("start time: ") {
            self.moment = Some(moment.to_owned());
        } else if let Some(number) = timespan(text) {
            self.is_in_parameters = false;
            self.spans.push(Span { number, ..Span::default() });
            self.table = None;
            self.columns.clear();
        } else if self.is_in_parameters {
            self.parameter(text);
        } else {
            self.figures(line.number, text);
        }
    }

    fn parameter(&mut self, text: &str) {
        if let Some((_, lines)) = self.parameters.last_mut()
            && !text.is_empty()
            && !text.starts_with('-')
        {
            lines.push(text.to_owned());
        }
    }

    fn figures(&mut self, line: u64, text: &str) {
        if self.spans.is_empty() {
            self.spans.push(Span::default());
        }
        let Some(span) = self.spans.last_mut() else { return };
        self.is_of_target = is_target(text) || self.is_of_target && !text.starts_with("total:");
        if let Some(window) = text.strip_prefix("actual test time:") {
            span.window = quantity(line, window, Counting::Decimal);
            return;
        }
        let class = match text {
            "Total IO" => Some(TableClass::Total),
            "Read IO" => Some(TableClass::Read),
            "Write IO" => Some(TableClass::Write),
            _ => None,
        };
        if class.is_some() {
            self.table = class;
            return;
        }
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        if cells.len() < 2 {
            return;
        }
        if cells.contains(&"I/Os") || cells.first() == Some(&"%-ile") {
            self.columns = cells.into_iter().map(str::to_owned).collect();
        } else if self.columns.first().is_some_and(|first| first == "%-ile") {
            if !self.is_of_target {
                percentiles(line, &self.columns, &cells, span);
            }
        } else if let Some(class) = self.table {
            row(line, &self.columns, &cells, class, span);
        }
    }
}

/// Reads a row of a table: of a thread, or of all.
fn row(line: u64, columns: &[String], cells: &[&str], class: TableClass, span: &mut Span) {
    // The last row has its name and its bytes in one cell.
    let of_all = cells.first().and_then(|first| first.strip_prefix("total:"));
    let values = of_all.map(str::trim).into_iter().chain(cells.iter().skip(1).copied());
    let mut measured = ToolMeasurement { window: span.window.clone(), ..ToolMeasurement::default() };
    let mut file = "";
    for (column, cell) in columns.iter().skip(1).zip(values) {
        let number = || whole(cell).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number);
        match column.as_str() {
            "bytes" => measured.bytes = number().map(|bytes| exact(line, bytes, Unit::Bytes)),
            "I/Os" => measured.operations = number().map(|count| exact(line, count, Unit::One)),
            "MiB/s" | "MB/s" => {
                let rate = quantity(line, &format!("{cell} {column}"), BINARY.counting);
                measured.add(metric::THROUGHPUT, rate);
            }
            "I/O per s" => measured.add(metric::IOPS, count(line, cell, Counting::Decimal, Unit::PerSecond)),
            "AvgLat" => measured.add(MetricName::new("latency_mean"), time(line, cell, "ms")),
            "file" => file = cell,
            _ => {}
        }
    }
    if measured.bytes.as_ref().is_none_or(|bytes| bytes.value <= 0.0) {
        return;
    }
    if of_all.is_some() {
        *span.of(class) = measured;
    } else if class == TableClass::Total {
        // A path may have parentheses, too.
        let size = file.rsplit_once('(').and_then(|(_, size)| size.strip_suffix(')')).unwrap_or_default();
        if !span.sizes.iter().any(|other| other == size) {
            span.sizes.push(size.to_owned());
        }
        let name = cells.first().copied().unwrap_or_default().to_owned();
        span.threads.push(ToolPart { kind: ToolPartKind::Thread, name, start_s: None, measured });
    }
}

/// Reads a row of the percentiles: `3-nines |     53.694 |      1.396 |     52.331`.
fn percentiles(line: u64, columns: &[String], cells: &[&str], span: &mut Span) {
    let Some(name) = cells.first() else { return };
    let metric = match *name {
        "50th" => metric::LATENCY_P50,
        "90th" => metric::LATENCY_P90,
        "95th" => MetricName::new("latency_p95"),
        "99th" => metric::LATENCY_P99,
        "3-nines" => metric::LATENCY_P99_9,
        "4-nines" => MetricName::new("latency_p99_99"),
        "max" => metric::LATENCY_MAX,
        _ => return,
    };
    for (column, cell) in columns.iter().zip(cells).skip(1) {
        let Some((name, unit)) = column.strip_suffix(')').and_then(|column| column.split_once(" (")) else {
            continue;
        };
        let class = match name {
            "Total" => TableClass::Total,
            "Read" => TableClass::Read,
            "Write" => TableClass::Write,
            _ => continue,
        };
        // Of what was not done there are no times.
        span.of(class).add(metric, time(line, cell, unit));
    }
}

/// The result of a timespan; `None` where it has no figures.
fn result(span: Span, reading: &Reading, block: &ToolBlock<'_>) -> Option<ToolResult> {
    let parameters = reading.parameters.iter().find(|(number, _)| *number == span.number);
    let lines = parameters.map(|(_, lines)| lines.as_slice()).unwrap_or_default();
    let mut result = block.result(NAME, Diskspd.programs());
    if !reading.command.is_empty() {
        result.command.clone_from(&reading.command);
    }
    result.moment.clone_from(&reading.moment);
    result.options = lines.iter().map(|line| option(line)).collect();
    if let [size] = span.sizes.as_slice()
        && let Some(parameters) = parameters_of_work(lines, size)
    {
        same_work(&mut result, WorkloadName::new("disk"), parameters);
    }
    let Span { total, read, write, threads, .. } = span;
    result.whole = total;
    if read.bytes.is_some() && write.bytes.is_some() {
        for (class, measured) in [("read", read), ("write", write)] {
            for figure in &measured.figures {
                if let Some(own) = figure.metric.of(class) {
                    result.whole.add(own, Some(figure.printed.clone()));
                }
            }
            result.parts.push(ToolPart {
                kind: ToolPartKind::Direction,
                name: class.to_owned(),
                start_s: None,
                measured,
            });
        }
    }
    result.parts.extend(threads);
    (!result.whole.figures.is_empty()).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_first_lines_are_known() {
        for text in ["Command Line: C:\\tools\\DiskSpd.exe -b4K x", "Results for timespan 1:"] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert_eq!(Diskspd.begins(&line), Some(Beginning::Certain), "{text}");
        }
        for text in ["Command Line: ls", "Results for timespan", "a Total IO of 5", "timespan: long", "#1"] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert_eq!(Diskspd.begins(&line), None, "{text}");
        }
        assert!(Diskspd.begins(&ToolLine { number: 1, text: "Input parameters:".to_owned() }).is_some());
        assert!(is_target("E:\\x y.dat") && is_target("#1"));
        assert!(!is_target("C:\\bench>") && !is_target("a: b") && !is_target("# heading"));
    }
}
