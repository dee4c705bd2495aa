//! vdbench's table of a run definition that drives devices or files as such: a row for each interval, and their mean
//! without the first. Not that of file systems (fwd).

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, leading, percent, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Vdbench;

const NAME: &str = "vdbench";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "5.03 to 5.04",
    units: "MB/sec below which 1024**2 stands",
    counting: Counting::Binary,
    proof: "it says so itself: in vdbench-50407-mixed-made 46110.40 operations of 4096 bytes a second are 180.12 MB/sec of \
            1024**2 bytes, and 188.87 of 1000**2",
};

const RULES: &[CountingRule] = &[BINARY];

/// The share of the time in which the processors of the machine were busy.
const CPU_BUSY: MetricName = MetricName::new("cpu_busy_share");

/// What stands before the name of a run definition.
const STARTING: &str = " Starting RD=";

impl ToolReader for Vdbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table that vdbench prints of each run definition of storage definitions (sd), with its mean and its intervals; not \
         that of file systems"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Vdbench distribution: vdbench", STARTING, " interval "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_one = version(text).is_some() || starting(text).is_some() || upper(text).is_some();
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let belongs = before.is_empty()
            || last.is_blank()
            || text.starts_with(DOCUMENTATION)
            || moment(text).is_some()
            || upper(text).is_some()
            || lower(text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut results: Vec<ToolResult> = Vec::new();
        let mut above: Vec<&str> = Vec::new();
        let mut columns: Vec<String> = Vec::new();
        for line in block.lines {
            let text = line.text.as_str();
            if let Some(told) = starting(text) {
                results.push(run(block, self, line.number, told));
            } else if let Some(words) = upper(text) {
                above = words;
            } else if let Some(words) = lower(text) {
                columns = above.iter().zip(words).map(|(one, other)| format!("{one} {other}")).collect();
            } else if let Some((name, values)) = row(text) {
                if results.is_empty() {
                    results.push(run(block, self, line.number, ""));
                }
                if let Some(result) = results.last_mut() {
                    take(line.number, name, &columns, &values, result);
                }
            }
        }
        let version = block.lines.first().and_then(|line| version(&line.text));
        results.iter_mut().for_each(|result| result.version = version.map(str::to_owned));
        results.retain(|result| !result.whole.figures.is_empty() || !result.parts.is_empty());
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// What stands behind its first line.
const DOCUMENTATION: &str = "For documentation, see ";

/// The version of its first line: `Vdbench distribution: vdbench50407`.
fn version(text: &str) -> Option<&str> {
    let (version, rest) = text.strip_prefix("Vdbench distribution: vdbench")?.split_at_checked(5)?;
    let is_one =
        version.chars().all(|c| c.is_ascii_digit()) && !rest.starts_with(|c: char| c.is_ascii_digit());
    is_one.then_some(version)
}

/// A run definition that begins: `run1; I/O rate: Uncontrolled MAX; elapsed=30; For loops: None`.
fn run(block: &ToolBlock<'_>, reader: &dyn ToolReader, line: u64, told: &str) -> ToolResult {
    let mut result = block.result(NAME, reader.programs());
    (result.lines.first, result.lines.last) = (line, line);
    let mut told = told.split("; ");
    let name = told.next().filter(|name| !name.is_empty());
    result.options.extend(name.map(|name| ("rd".to_owned(), name.to_owned())));
    let parted = told.filter_map(|option| option.split_once(": ").or_else(|| option.split_once('=')));
    result.options.extend(parted.map(|(name, value)| (name.to_owned(), value.trim().to_owned())));
    result
}

/// The time of day that lines begin with: `12:00:05.050`, and what stands behind it.
fn moment(text: &str) -> Option<&str> {
    let (clock, rest) = text.split_once(' ')?;
    let is_clock = clock.len() == "12:00:05.050".len()
        && clock.matches(':').count() == 2
        && clock.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'));
    is_clock.then_some(rest)
}

/// `12:00:00.123 Starting RD=run1; I/O rate: Uncontrolled MAX; elapsed=30; For loops: None`.
fn starting(text: &str) -> Option<&str> {
    moment(text)?;
    text.split_once(STARTING).map(|(_, told)| told)
}

/// The headings behind the date in `Nov 28, 2026  interval        i/o   MB/sec   bytes   read     resp`.
fn upper(text: &str) -> Option<Vec<&str>> {
    let (_, headings) = text.split_once(" interval ")?;
    let words: Vec<&str> = headings.split_whitespace().collect();
    words.starts_with(&["i/o", "MB/sec", "bytes"]).then_some(words)
}

/// The headings below those: `rate  1024**2     i/o    pct     time`.
fn lower(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    matches!(words.as_slice(), ["rate", "1024**2" | "1000**2", "i/o", ..]).then_some(words)
}

/// The interval of a row, or what it is the mean of (`avg_2-6`), and its values.
fn row(text: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = moment(text)?.split_whitespace();
    let name = words.next()?;
    let is_name = name.chars().all(|c| c.is_ascii_digit()) || name.starts_with("avg_");
    let values: Vec<&str> = words.collect();
    let are_numbers = values.len() > 3
        && values.iter().all(|value| leading(value, false).is_some_and(|n| n.rest.is_empty()));
    (is_name && are_numbers).then_some((name, values))
}

fn take(line: u64, name: &str, columns: &[String], values: &[&str], result: &mut ToolResult) {
    result.lines.last = line;
    // Where columns touch, nobody can tell which is which.
    if columns.len() != values.len() {
        return;
    }
    let mut measured = ToolMeasurement::default();
    for (column, value) in columns.iter().zip(values) {
        let (metric, printed) = match column.as_str() {
            "i/o rate" => (metric::IOPS, count(line, value, Counting::Decimal, Unit::PerSecond)),
            "MB/sec 1024**2" => (metric::THROUGHPUT, megabytes(line, value, Counting::Binary)),
            "MB/sec 1000**2" => (metric::THROUGHPUT, megabytes(line, value, Counting::Decimal)),
            "resp time" => (MetricName::new("latency_mean"), time(line, value, "ms")),
            "resp max" => (metric::LATENCY_MAX, time(line, value, "ms")),
            "read resp" => (MetricName::new("read_latency_mean"), time(line, value, "ms")),
            "write resp" => (MetricName::new("write_latency_mean"), time(line, value, "ms")),
            "read max" => (MetricName::new("read_latency_max"), time(line, value, "ms")),
            "write max" => (MetricName::new("write_latency_max"), time(line, value, "ms")),
            "cpu% sys+u" => (CPU_BUSY, percent(line, &format!("{value}%"))),
            _ => continue,
        };
        measured.add(metric, printed);
    }
    if name.starts_with("avg_") {
        result.whole = measured;
    } else {
        let (kind, name) = (ToolPartKind::Interval, name.to_owned());
        result.parts.push(ToolPart { kind, name, start_s: None, measured });
    }
}

fn megabytes(line: u64, value: &str, counting: Counting) -> Option<PrintedValue> {
    quantity(line, &format!("{value} MB/s"), counting)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: &str = "\
12:00:00.123 Starting RD=run1; I/O rate: 5000; elapsed=3; For loops: threads=8

Mar 01, 2015  interval        i/o   MB/sec   bytes   read     resp     resp     resp    queue  cpu%  cpu%
                             rate  1024**2     i/o    pct     time      max   stddev    depth sys+u   sys
12:00:01.050         1    4900.00    19.14    4096 100.00    1.100   12.100    0.120      8.0   9.1   4.4
12:00:02.050         2    5000.00    19.53    4096 100.00    1.000   10.500    0.110      8.0  10.0   4.4
12:00:02.060   avg_2-2    5000.00    19.53    4096 100.00    1.000   10.500    0.110      8.0  10.0   4.4
12:00:03.000 Vdbench execution completed successfully. Output directory: /root/output
";

    #[test]
    fn the_mean_is_of_the_whole_and_intervals_are_parts() {
        let output = crate::tool::read("", EARLY.as_bytes()).unwrap();
        let [run] = output.results.as_slice() else { panic!("{:?}", output.results) };
        let value = |metric| run.whole.figure(metric).map(|printed: &PrintedValue| printed.value);
        assert_eq!(value(metric::IOPS), Some(5000.0));
        assert_eq!(value(metric::THROUGHPUT), Some(19.53 * 1_048_576.0));
        assert!((value(metric::LATENCY_MAX).unwrap() - 10.5e-3).abs() < 1e-12);
        assert_eq!(value(CPU_BUSY), Some(0.1));
        let names: Vec<&str> = run.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((names, run.lines.first, run.lines.last), (vec!["1", "2"], 1, 7));
        assert_eq!((run.options["rd"].as_str(), run.options["I/O rate"].as_str()), ("run1", "5000"));
        assert!(output.unread.is_empty());
    }

    #[test]
    fn columns_that_touch_are_not_told_apart() {
        let text = EARLY.replace("5000.00    19.53    4096", "5000.00    19.53 1234567890 ");
        assert_eq!(crate::tool::read("", text.as_bytes()).unwrap().results.len(), 1);
        let text = EARLY.replace("   19.53    4096 100.00", "19.534096100.00");
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert!(results[0].whole.figures.is_empty() && results[0].parts.len() == 1);
    }

    #[test]
    fn lines_with_a_time_of_day_alone_begin_nothing() {
        for text in ["12:00:00.123 hello", "12:00:01.050  1  2  3  4  5", "the interval i/o was long"] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert_eq!(Vdbench.begins(&line), None, "{text}");
        }
    }
}
