//! The text of sysbench, line by line. Lines are known by the names before their figures, in any
//! order, so that one reading serves every version.

use model::database::metric::QUERIES_PER_SECOND;
use model::tool_result::{Counting, LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};
use model::{MetricName, Unit, metric};

use super::report::{IGNORED_ERRORS, SysbenchReport, SysbenchRun, SysbenchTest, push};
use super::{BEFORE_1_0, banner, interval};
use crate::tool::block::ToolLine;
use crate::tool::database::{added, behind, number};
use crate::tool::number::{exact, leading, quantity, time, whole};

/// Reads all of it.
pub(super) fn read(lines: &[ToolLine]) -> SysbenchRun {
    let mut reading = Reading::default();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if !reading.take(line) {
            reading.unread(line.number);
        }
    }
    reading.run
}

/// Whether sysbench may print such a line.
pub(super) fn knows(line: &ToolLine) -> bool {
    Reading::default().take(line)
}

/// A line without what somebody wrote behind it in another script: `avg:   43.66 --平均耗时`.
fn without_note(text: &str) -> &str {
    let note = |note: &str| note.trim_start().starts_with(|c: char| !c.is_ascii());
    text.split_once(" --").filter(|(_, behind)| note(behind)).map_or(text, |(before, _)| before)
}

/// Headings of its statistics.
pub(super) const HEADINGS: &[&str] = &[
    "CPU speed:",
    "SQL statistics:",
    "OLTP test statistics:",
    "General statistics:",
    "Test execution summary:",
    "File operations:",
    "Throughput:",
    "Latency (ms):",
    "Threads fairness:",
];

/// Headings within these.
const INNER: &[&str] = &["queries performed:", "response time:", "per-request statistics:"];

/// Metrics that are the rate of events.
const RATES_OF_EVENTS: &[MetricName] =
    &[metric::EVENTS_PER_SECOND, metric::TRANSACTIONS_PER_SECOND, metric::OPERATIONS_PER_SECOND];

/// Counts of statements, with their metrics.
const QUERIES: &[(&str, MetricName)] = &[
    ("read", MetricName::new("read_queries")),
    ("write", MetricName::new("write_queries")),
    ("other", MetricName::new("other_queries")),
    ("total", MetricName::new("queries")),
];

/// Counts with a rate behind them of which the rate is kept.
const COUNTED: &[(&str, MetricName)] = &[
    ("queries", QUERIES_PER_SECOND),
    ("deadlocks", MetricName::new("deadlocks_per_second")),
    ("ignored errors", IGNORED_ERRORS),
    ("reconnects", MetricName::new("reconnects_per_second")),
];

/// How evenly threads worked: means and deviations.
const FAIRNESS: &[(&str, [MetricName; 2], Unit)] = &[
    ("events (avg/stddev)", [metric::THREAD_EVENTS_MEAN, MetricName::new("thread_events_stddev")], Unit::One),
    (
        "execution time (avg/stddev)",
        [metric::THREAD_TIME_MEAN, MetricName::new("thread_time_stddev")],
        Unit::Seconds,
    ),
];

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    run: SysbenchRun,
    /// Of 0.x: statements that read or write per second, to which the others are added.
    requests: Option<PrintedValue>,
    /// When the report that follows is made.
    checkpoint_s: Option<f64>,
}

impl Reading {
    /// Takes a line; says whether it was understood.
    fn take(&mut self, line: &ToolLine) -> bool {
        let (number, text) = (line.number, without_note(&line.text).trim());
        if let Some(version) = banner::version(text) {
            self.run.version = Some(version.to_owned());
            return true;
        }
        if let Some((at_s, told)) = interval::moment(text) {
            return self.on_the_way(number, at_s, told);
        }
        if let Some(told) = banner::read(text) {
            self.run.test = self.run.test.or(told.test);
            let own = told.options.into_iter().map(|(name, value)| (name.to_owned(), value));
            self.run.options.extend(own);
            return true;
        }
        if HEADINGS.contains(&text) || INNER.contains(&text) {
            self.heading(text);
            return true;
        }
        let named = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        named.is_some_and(|(name, value)| {
            self.general(number, name, value)
                || self.latency(number, name, value)
                || self.statements(number, name, value)
                || self.files(number, name, value)
                || self.memory(number, name, value)
        }) || self.sentence(number, text)
    }

    fn unread(&mut self, line: u64) {
        match self.run.unread.last_mut() {
            Some(range) if range.last + 1 == line => range.last = line,
            _ => self.run.unread.push(LineRange { first: line, last: line }),
        }
    }

    fn heading(&mut self, text: &str) {
        let test = match text {
            "CPU speed:" => SysbenchTest::Cpu,
            "SQL statistics:" | "OLTP test statistics:" => SysbenchTest::Oltp,
            "File operations:" => SysbenchTest::Fileio,
            _ => return,
        };
        self.run.test = self.run.test.or(Some(test));
    }

    /// What it tells before the end.
    fn on_the_way(&mut self, line: u64, at_s: f64, told: &str) -> bool {
        if interval::is_checkpoint(told) {
            self.close_checkpoint();
            self.checkpoint_s = Some(at_s);
            return true;
        }
        let Some(measured) = interval::figures(line, told) else { return false };
        let before_s =
            self.run.intervals.last().and_then(|part| part.name.trim_end_matches('s').parse().ok());
        let name = format!("{at_s}s");
        // With a rate, a second line tells of the queue at the same moment.
        if let Some(same) = self.run.intervals.last_mut().filter(|part| part.name == name) {
            same.measured.figures.extend(measured.figures);
            return true;
        }
        let length_s = self.run.interval.as_ref().map(|interval| interval.value);
        let start_s = length_s.map(|length_s| at_s - length_s).or(before_s).unwrap_or(0.0);
        let measured = ToolMeasurement { window: self.run.interval.clone(), ..measured };
        let start_s = Some(start_s.max(0.0));
        self.run.intervals.push(ToolPart { kind: ToolPartKind::Interval, name, start_s, measured });
        true
    }

    /// What came since the last checkpoint is the report of it.
    fn close_checkpoint(&mut self) {
        if let Some(at_s) = self.checkpoint_s {
            let report = std::mem::take(&mut self.run.report);
            self.run.checkpoints.push(SysbenchReport { at_s: Some(at_s), ..report });
        }
    }

    /// Time and events.
    fn general(&mut self, line: u64, name: &str, value: &str) -> bool {
        match name {
            "total time" | "time elapsed" => {
                // Behind the report of a checkpoint the one of the end follows without a word.
                if self.checkpoint_s.is_some() && self.run.report.window.is_some() {
                    return false;
                }
                self.run.report.window = span(line, value, "s");
            }
            "total number of events" => {
                self.run.report.events = whole(value).map(|(events, _)| exact(line, events, Unit::One));
            }
            "total time taken by event execution" => {
                let sum = span(line, value, "s");
                push(&mut self.run.report.latencies, MetricName::new("latency_sum"), sum);
            }
            "events per second" | "events/s (eps)" => {
                let rate = number(line, value, Unit::PerSecond);
                let rates = &mut self.run.report.rates;
                // 1.1 prints it twice of cpu, and of transactions by another name, too.
                let is_told = rates.iter().any(|figure| RATES_OF_EVENTS.contains(&figure.metric));
                if !is_told {
                    push(rates, metric::EVENTS_PER_SECOND, rate);
                }
            }
            _ => return self.fairness(line, name, value),
        }
        true
    }

    fn fairness(&mut self, line: u64, name: &str, value: &str) -> bool {
        let Some((_, metrics, unit)) = FAIRNESS.iter().find(|(known, ..)| *known == name) else {
            return false;
        };
        for (metric, text) in metrics.iter().zip(value.split('/')) {
            push(&mut self.run.report.others, *metric, number(line, text, *unit));
        }
        let is_last = *unit == Unit::Seconds;
        if is_last && self.checkpoint_s.is_some() {
            self.close_checkpoint();
            self.checkpoint_s = None;
        }
        true
    }

    /// How long events took: in milliseconds where no unit stands behind it.
    fn latency(&mut self, line: u64, name: &str, value: &str) -> bool {
        let metric = match name {
            "min" => Some(MetricName::new("latency_min")),
            "avg" => Some(MetricName::new("latency_mean")),
            "max" => Some(metric::LATENCY_MAX),
            "sum" => Some(MetricName::new("latency_sum")),
            "percentile stats" => return true,
            _ => {
                let percent = name.strip_suffix("percentile").map(str::trim_end);
                let percent = percent.map(|text| text.trim_end_matches("th").trim_start_matches("approx."));
                percent.and_then(interval::percentile)
            }
        };
        let Some(metric) = metric else { return false };
        let printed = span(line, value, "ms");
        let is_read = printed.is_some();
        push(&mut self.run.report.latencies, metric, printed);
        is_read
    }

    /// Statements and transactions.
    fn statements(&mut self, line: u64, name: &str, value: &str) -> bool {
        if let Some((_, metric)) = QUERIES.iter().find(|(known, _)| *known == name) {
            let Some((count, "")) = whole(value) else { return false };
            push(&mut self.run.report.others, *metric, Some(exact(line, count, Unit::One)));
            return true;
        }
        let Some((count, rate)) = counted(line, value) else { return false };
        let report = &mut self.run.report;
        match name {
            "transactions" => {
                report.operations = Some(count);
                push(&mut report.rates, metric::TRANSACTIONS_PER_SECOND, rate);
                self.run.test = self.run.test.or(Some(SysbenchTest::Oltp));
            }
            "read/write requests" => self.requests = rate,
            "other operations" => {
                let each: Option<Vec<_>> = [self.requests.as_ref(), rate.as_ref()].into_iter().collect();
                push(&mut report.rates, QUERIES_PER_SECOND, each.and_then(|each| added(&each)));
            }
            _ => {
                let Some((_, metric)) = COUNTED.iter().find(|(known, _)| *known == name) else {
                    return false;
                };
                let list = if *metric == QUERIES_PER_SECOND { &mut report.rates } else { &mut report.others };
                push(list, *metric, rate);
            }
        }
        true
    }

    /// Files: of 1.0, and of 1.1 `read:  IOPS=4127.09 64.49 MiB/s (67.62 MB/s)`.
    fn files(&mut self, line: u64, name: &str, value: &str) -> bool {
        let report = &mut self.run.report;
        let (class, unit) = name.split_once(", ").unwrap_or((name, ""));
        let measured = match class {
            "read" | "reads/s" => &mut report.read,
            "write" | "written" | "writes/s" => &mut report.written,
            "fsync" | "fsyncs/s" => {
                report.syncs = number(line, value.trim_start_matches("IOPS="), Unit::PerSecond);
                return report.syncs.is_some();
            }
            _ => return false,
        };
        if unit.ends_with("B/s") {
            measured.add(metric::THROUGHPUT, quantity(line, &format!("{value} {unit}"), Counting::Binary));
        } else if name.ends_with("/s") {
            measured.add(metric::IOPS, number(line, value, Unit::PerSecond));
        } else if let Some((iops, rate)) = value.strip_prefix("IOPS=").and_then(|rest| rest.split_once(' ')) {
            let rate = rate.split(" (").next().unwrap_or_default();
            measured.add(metric::THROUGHPUT, quantity(line, rate, Counting::Binary));
            measured.add(metric::IOPS, number(line, iops, Unit::PerSecond));
        } else {
            return false;
        }
        self.run.test = self.run.test.or(Some(SysbenchTest::Fileio));
        true
    }

    /// `Total operations: 4096 (18388.98 per second)`, and before 1.0.5 `Operations performed: ...`.
    fn memory(&mut self, line: u64, name: &str, value: &str) -> bool {
        if !["Total operations", "Operations performed"].contains(&name) {
            return false;
        }
        // Of files: `6000 Read, 4000 Write, 12800 Other = 22800 Total`.
        if value.contains(" = ") {
            return self.requests_of_files(line, value);
        }
        let Some((count, Some(rate))) = counted(line, value) else { return false };
        self.run.test = self.run.test.or(Some(SysbenchTest::Memory));
        self.run.report.operations = Some(count);
        push(&mut self.run.report.rates, metric::OPERATIONS_PER_SECOND, Some(rate));
        true
    }

    fn requests_of_files(&mut self, line: u64, value: &str) -> bool {
        self.run.test = self.run.test.or(Some(SysbenchTest::Fileio));
        for part in value.split(" = ").next().unwrap_or_default().split(',') {
            let Some((count, kind)) = whole(part) else { return false };
            let count = Some(exact(line, count, Unit::One));
            match kind.trim().to_ascii_lowercase().trim_end_matches('s') {
                "read" => self.run.report.read.operations = count,
                "write" => self.run.report.written.operations = count,
                _ => push(&mut self.run.report.others, MetricName::new("other_operations"), count),
            }
        }
        true
    }

    /// Lines without a name before their figures.
    fn sentence(&mut self, line: u64, text: &str) -> bool {
        let report = &mut self.run.report;
        if let Some(rest) = text.strip_prefix("Report intermediate results every ") {
            self.run.interval = number(line, rest, Unit::Seconds);
            return true;
        }
        if let Some(rate) = text.strip_suffix(" Requests/sec executed") {
            push(&mut report.rates, metric::IOPS, number(line, rate, Unit::PerSecond));
            return true;
        }
        if text.starts_with("Read ") && text.contains("Total transferred ") {
            let size = |name: &str| before_1_0(line, behind(text, name)?);
            report.read.bytes = size("Read ");
            report.written.bytes = size("Written ");
            report.bytes = size("Total transferred ");
            let rate = text.rsplit_once('(').and_then(|(_, rate)| before_1_0(line, rate));
            push(&mut report.rates, metric::THROUGHPUT, rate);
            return true;
        }
        if let Some((bytes, rate)) = text.strip_suffix(')').and_then(|text| text.split_once(" transferred ("))
        {
            report.bytes = quantity(line, bytes, Counting::Binary);
            push(&mut report.rates, metric::THROUGHPUT, quantity(line, rate, Counting::Binary));
            return report.bytes.is_some();
        }
        self.prepared(line, text).is_some()
    }

    /// `33554432 bytes written in 0.08 seconds (409.05 MiB/sec).`
    fn prepared(&mut self, line: u64, text: &str) -> Option<()> {
        let (bytes, rest) = text.split_once(" bytes written in ")?;
        let (seconds, rate) = rest.trim_end_matches('.').strip_suffix(')')?.split_once(" (")?;
        let (bytes, _) = whole(bytes).filter(|(_, rest)| rest.is_empty())?;
        let report = &mut self.run.report;
        report.bytes = Some(exact(line, bytes, Unit::Bytes));
        report.window = Some(quantity(line, seconds, Counting::Decimal)?);
        push(&mut report.rates, metric::THROUGHPUT, quantity(line, rate, Counting::Binary));
        Some(())
    }
}

/// A time with its unit behind it, or in `unit`.
fn span(line: u64, text: &str, unit: &str) -> Option<PrintedValue> {
    let own = leading(text, false)?.rest.trim();
    let printed =
        if own.is_empty() { time(line, text, unit) } else { quantity(line, text, Counting::Decimal) };
    printed.filter(|printed| printed.unit == Unit::Seconds)
}

/// `1300   (432.64 per sec.)`: a count, and its rate.
fn counted(line: u64, text: &str) -> Option<(PrintedValue, Option<PrintedValue>)> {
    let (count, rest) = whole(text)?;
    let rate = rest.trim_start().strip_prefix('(').filter(|rest| rest.contains("sec"));
    let rate = rate.and_then(|rate| number(line, rate, Unit::PerSecond));
    Some((exact(line, count, Unit::One), rate))
}

/// What 0.x writes as `93.75Mb` and `9.2857Mb/sec`: MiB, with five digits, of which zeros at the end are
/// left out.
pub(super) fn before_1_0(line: u64, text: &str) -> Option<PrintedValue> {
    let text = text.split([' ', ')']).next()?;
    let number = leading(text, false)?;
    let (unit, base) = match number.rest.strip_suffix("/sec") {
        Some(unit) => (unit, Unit::BytesPerSecond),
        None => (number.rest, Unit::Bytes),
    };
    let prefix = unit.strip_suffix('b')?;
    let factor = BEFORE_1_0.factor(prefix)?;
    let (mut half_step, mut top) = (0.5e-4, 10.0);
    while number.value >= top && top < 1e6 {
        half_step *= 10.0;
        top *= 10.0;
    }
    Some(PrintedValue {
        line,
        text: text.to_owned(),
        value: number.value * factor,
        unit: base,
        half_step: half_step * factor,
        counting: (!prefix.is_empty()).then_some(BEFORE_1_0.counting),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ToolLine> {
        (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
    }

    #[test]
    fn sizes_of_early_versions_are_binary_bytes_with_five_digits() {
        let read = before_1_0(1, "156.25Mb  (9.2857Mb/sec)").unwrap();
        assert_eq!((read.value, read.unit, read.text.as_str()), (163_840_000.0, Unit::Bytes, "156.25Mb"));
        assert!((read.half_step - 0.005 * 1_048_576.0).abs() < 1e-6);
        let read = before_1_0(1, "9.2857Mb/sec)").unwrap();
        assert!((read.value - 9.2857 * 1_048_576.0).abs() < 1e-6 && read.unit == Unit::BytesPerSecond);
        assert!((read.half_step - 0.000_05 * 1_048_576.0).abs() < 1e-6);
        assert_eq!(before_1_0(1, "0b").unwrap().value, 0.0);
        assert_eq!(before_1_0(1, "12 apples"), None);
    }

    #[test]
    fn what_somebody_wrote_behind_a_figure_is_left_out() {
        assert_eq!(without_note("  avg:    43.66 --平均耗时"), "  avg:    43.66");
        assert_eq!(without_note("use --threads instead"), "use --threads instead");
        let run =
            read(&lines("Latency (ms):\n  avg:   43.66 --平均耗时\n  95th percentile:   71.83 --九成五\n"));
        assert_eq!((run.report.latencies.len(), run.unread.len()), (2, 0));
    }

    #[test]
    fn times_have_their_own_unit_or_that_of_their_heading() {
        let read = |text: &str, unit: &str| span(1, text, unit).map(|printed| printed.value);
        assert_eq!(read("2.0081s", "s"), Some(2.0081));
        assert_eq!(read("9.1371", "s"), Some(9.1371));
        assert!((read("0.87ms", "ms").unwrap() - 0.87e-3).abs() < 1e-12);
        assert!((read("0.71", "ms").unwrap() - 0.71e-3).abs() < 1e-12);
        assert_eq!(read("12 MB", "s"), None);
    }

    #[test]
    fn what_it_does_not_know_is_told_with_its_lines() {
        let run = read(&lines(
            "sysbench 1.0.20 (using x)\nFATAL: it failed\nand more\n\nNumber of threads: 2\nsome words\n",
        ));
        let unread: Vec<(u64, u64)> = run.unread.iter().map(|range| (range.first, range.last)).collect();
        assert_eq!(unread, [(2, 3), (6, 6)]);
        assert_eq!(run.options.get("threads").map(String::as_str), Some("2"));
        assert!(run.report.is_empty());
    }
}
