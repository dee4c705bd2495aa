//! stress-ng with `--metrics`, `--metrics-brief` or `--yaml`. Its bogo operations are of the stressor's own
//! kind: their rates compare only with those of the same stressor and version.

mod yaml;

use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit, metric};

use super::{add_unread, metric_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct StressNg;

const NAME: &str = "stress-ng";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.x",
    units: "MB per sec, KB of RSS",
    counting: Counting::Binary,
    proof: "stress-memrate.c counts its buffer in KB, 1ULL << 10, and divides their rate by as many; the RSS is \
            ru_maxrss, which getrusage(2) counts in kilobytes of 1024",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for StressNg {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what stress-ng prints with --metrics or --metrics-brief, with --times and --tz, too, and with --yaml; one stressor or several"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["stress-ng"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["stress-ng: ", "system-info:", "metrics:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if yaml::begins(line) {
            return Some(Beginning::Likely);
        }
        message(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if lines.first().is_some_and(yaml::begins) {
            return if before.is_empty() { Extent::More } else { yaml::extent(last) };
        }
        if message(&last.text).is_none() {
            return Extent::EndsBefore;
        }
        // Early versions print their table behind the end.
        let is_end =
            |line: &ToolLine| message(&line.text).is_some_and(|text| text.contains("run completed in"));
        let begins = message(&last.text).is_some_and(is_begin);
        if begins && before.iter().any(is_end) { Extent::EndsBefore } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(yaml::begins) {
            return yaml::read(block, result).map(|result| vec![result]);
        }
        let mut reading = Reading { result, ..Reading::default() };
        block.lines.iter().for_each(|line| reading.take(line));
        reading.result().map(|result| vec![result])
    }
}

/// What stands behind `stress-ng: info:  [12861] `, with a moment before the kind or without.
fn message(text: &str) -> Option<&str> {
    let (kind, rest) = text.strip_prefix("stress-ng: ")?.split_once('[')?;
    let (process, message) = rest.split_once(']')?;
    let is_process = !process.is_empty() && process.chars().all(|c| c.is_ascii_digit());
    (is_process && kind.trim_end().ends_with(':')).then(|| message.trim())
}

/// What stands above what a run prints.
fn is_begin(message: &str) -> bool {
    ["setting to a ", "defaulting to a ", "dispatching hogs: "].iter().any(|begin| message.starts_with(begin))
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq)]
enum StressColumn {
    Operations,
    Window,
    UserTime,
    SystemTime,
    Rate,
    RateOfCpu,
    CpuShare,
    Resident,
    Unknown,
}

/// Titles of columns; of those that begin alike the longer comes first.
const TITLES: &[(&str, StressColumn)] = &[
    ("bogo ops/s", StressColumn::Rate),
    ("bogo-ops/s", StressColumn::Rate),
    ("bogo ops", StressColumn::Operations),
    ("bogo-ops", StressColumn::Operations),
    ("real time", StressColumn::Window),
    ("usr time", StressColumn::UserTime),
    ("sys time", StressColumn::SystemTime),
    ("CPU used per", StressColumn::CpuShare),
    ("RSS Max", StressColumn::Resident),
];

/// The columns of every table, in their order.
const USUAL: &[StressColumn] = &[
    StressColumn::Operations,
    StressColumn::Window,
    StressColumn::UserTime,
    StressColumn::SystemTime,
    StressColumn::Rate,
    StressColumn::RateOfCpu,
    StressColumn::CpuShare,
    StressColumn::Resident,
];

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    result: ToolResult,
    columns: Vec<StressColumn>,
    /// Whether the units below the titles were read.
    has_units: bool,
    /// Each stressor, in the order of the table.
    stressors: Vec<(String, ToolMeasurement)>,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let Some(text) = message(&line.text) else { return };
        if let Some(titles) = text.strip_prefix("stressor ") {
            if titles.contains("bogo") {
                (self.columns, self.has_units) = (columns(titles), false);
                return;
            }
        } else if text.starts_with('(') && text.contains("(secs)") {
            self.units(text);
            return;
        } else if self.header(text) || self.times(line.number, text) {
            return;
        } else if let Some((name, measured)) = self.row(line.number, text) {
            self.stressors.push((name, measured));
            return;
        } else if self.other_metric(line.number, text) {
            return;
        }
        if is_failure(&line.text) {
            self.result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
        } else if is_told(&line.text, text) {
            add_unread(&mut self.result.unread, line.number);
        }
    }

    /// Under the titles stands which of the two rates is of which time.
    fn units(&mut self, text: &str) {
        let is_cpu_first = match (text.find("(usr+sys time)"), text.find("(real time)")) {
            (Some(cpu), Some(real)) => cpu < real,
            _ => false,
        };
        let mut order = [StressColumn::Rate, StressColumn::RateOfCpu];
        if is_cpu_first {
            order.reverse();
        }
        let mut rates = order.into_iter();
        for column in self.columns.iter_mut().filter(|column| **column == StressColumn::Rate) {
            *column = rates.next().unwrap_or(StressColumn::Unknown);
        }
        self.has_units = true;
    }

    /// `dispatching hogs: 1 cpu, 1 vm`, `setting to a 1 second run per stressor`.
    fn header(&mut self, text: &str) -> bool {
        let mut set = |name: &str, value: &str| self.result.options.insert(name.to_owned(), value.to_owned());
        if let Some(stressors) = text.strip_prefix("dispatching hogs: ") {
            for (count, name) in stressors.split(", ").filter_map(|one| one.trim().split_once(' ')) {
                set(name.trim(), count);
            }
            return true;
        }
        let run = text.strip_prefix("setting to a ").or_else(|| text.strip_prefix("defaulting to a "));
        match run.and_then(|run| run.split_once(" run")) {
            Some((timeout, _)) => {
                set("timeout", timeout);
                true
            }
            None => false,
        }
    }

    /// `0.35s user time   ( 17.30%)` of `--times`, and the time of the whole.
    fn times(&mut self, line: u64, text: &str) -> bool {
        let seconds = |text: &str| quantity(line, text.trim(), Counting::Decimal).filter(is_time);
        if let Some((_, end)) = text.split_once("run completed in ") {
            let end = end.trim_end_matches('.').split(" (").next().unwrap_or_default();
            self.result.whole.window = seconds(end);
            return true;
        }
        for (words, name) in [(" user time", "cpu_user_time"), (" system time", "cpu_system_time")] {
            let value = text.split_once(words).and_then(|(value, _)| seconds(value));
            if let (Some(value), Some(name)) = (value, MetricName::intern(name)) {
                self.result.whole.add(name, Some(value));
                return true;
            }
        }
        false
    }

    /// `cpu                 810      1.00      0.57      0.00       806.89        1405.40`.
    fn row(&self, line: u64, text: &str) -> Option<(String, ToolMeasurement)> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let values: Vec<&str> = words.collect();
        let is_number = |text: &&str| leading(text, false).is_some_and(|number| number.rest.is_empty());
        let columns = match self.columns.as_slice() {
            // The heading was cut off: all versions have these columns, and late ones two more.
            [] if [6, USUAL.len()].contains(&values.len()) && name.starts_with(char::is_alphabetic) => {
                USUAL.get(..values.len())?
            }
            columns if self.has_units && values.len() >= columns.len() => columns,
            _ => return None,
        };
        if !values.iter().all(is_number) {
            return None;
        }
        let mut measured = ToolMeasurement::default();
        for (column, value) in columns.iter().zip(values) {
            put(&mut measured, *column, line, value);
        }
        (!measured.is_empty()).then(|| (name.to_owned(), measured))
    }

    /// `memrate            32903.08 write64stoq MB per sec (geometic mean of 1 instances)`.
    fn other_metric(&mut self, line: u64, text: &str) -> bool {
        let Some((name, rest)) = text.split_once(' ') else { return false };
        let Some((_, measured)) = self.stressors.iter_mut().find(|(own, _)| own == name) else {
            return false;
        };
        add_further(measured, line, rest)
    }

    fn result(self) -> Result<ToolResult, NotUnderstood> {
        let Self { mut result, mut stressors, .. } = self;
        if stressors.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if stressors.len() == 1 {
            let (_, only) = stressors.remove(0);
            let ToolMeasurement { window, operations, figures, .. } = only;
            let of_all = std::mem::take(&mut result.whole.figures);
            result.whole = ToolMeasurement { window, operations, figures, ..ToolMeasurement::default() };
            for figure in of_all {
                if result.whole.figure(figure.metric).is_none() {
                    result.whole.figures.push(figure);
                }
            }
            return Ok(result);
        }
        for (name, measured) in stressors {
            let rate = measured.figure(metric::OPERATIONS_PER_SECOND).cloned();
            let own = metric_of(&name).and_then(|name| metric::OPERATIONS_PER_SECOND.of(name.as_str()));
            if let Some(own) = own {
                result.whole.add(own, rate);
            }
            result.parts.push(ToolPart { kind: ToolPartKind::Job, name, start_s: None, measured });
        }
        Ok(result)
    }
}

fn is_time(printed: &PrintedValue) -> bool {
    printed.unit == Unit::Seconds
}

/// Adds a further metric of a stressor, `32903.08 write64stoq MB per sec`; says whether it was understood.
fn add_further(measured: &mut ToolMeasurement, line: u64, text: &str) -> bool {
    let Some(number) = leading(text, false) else { return false };
    let what = number.rest.split(" (").next().unwrap_or_default();
    let Some((metric, scale, unit)) = named(what) else { return false };
    let printed = PrintedValue {
        line,
        text: format!("{} {}", number.digits, what.trim()),
        value: number.value * scale,
        unit,
        half_step: number.half_step * scale,
        counting: (unit == Unit::BytesPerSecond).then_some(BINARY.counting),
    };
    measured.add(metric, Some(printed));
    true
}

/// What a line is of: `stress-ng: metrc: `, with a moment in it or without.
fn kind(line: &str) -> &str {
    line.split_once('[').map_or("", |(kind, _)| kind)
}

/// Whether a line tells of a failure.
fn is_failure(line: &str) -> bool {
    ["fail:", "error:", "warn:"].iter().any(|word| kind(line).contains(word))
}

/// Whether a line that was not understood is shown: it has figures.
fn is_told(line: &str, message: &str) -> bool {
    kind(line).contains("metrc:") && !message.ends_with(':')
}

/// The columns by their titles; behind one that is not known, none is.
fn columns(titles: &str) -> Vec<StressColumn> {
    let (mut rest, mut columns) = (titles.trim(), Vec::new());
    while let Some((title, column)) = TITLES.iter().find(|(title, _)| rest.starts_with(title)) {
        columns.push(*column);
        rest = rest.get(title.len()..).unwrap_or_default().trim_start();
    }
    columns
}

/// Puts a value where its column belongs.
fn put(measured: &mut ToolMeasurement, column: StressColumn, line: u64, value: &str) {
    let seconds = || time(line, value, "s");
    let rate = || {
        let number = leading(value, false)?;
        Some(PrintedValue {
            half_step: number.half_step,
            ..plain(line, value, number.value, Unit::PerSecond)
        })
    };
    match column {
        StressColumn::Operations => {
            measured.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One));
        }
        StressColumn::Window => measured.window = seconds(),
        StressColumn::UserTime => measured.add(MetricName::new("cpu_user_time"), seconds()),
        StressColumn::SystemTime => measured.add(MetricName::new("cpu_system_time"), seconds()),
        StressColumn::Rate => measured.add(metric::OPERATIONS_PER_SECOND, rate()),
        StressColumn::RateOfCpu => measured.add(metric::OPERATIONS_PER_CPU_SECOND, rate()),
        // For each instance, in percent of one CPU.
        StressColumn::CpuShare => {
            let share = rate().map(|printed| PrintedValue {
                text: format!("{value} %"),
                value: printed.value / 100.0,
                half_step: printed.half_step / 100.0,
                unit: Unit::One,
                ..printed
            });
            measured.add(metric::CPU, share);
        }
        StressColumn::Resident => {
            let resident = quantity(line, &format!("{value} KB"), BINARY.counting);
            measured.add(MetricName::new("resident_max"), resident);
        }
        StressColumn::Unknown => {}
    }
}

/// What stands behind the number of a further metric: its name, with how much one is of which unit.
/// Others than these are not guessed at.
fn named(what: &str) -> Option<(MetricName, f64, Unit)> {
    let what = what.trim();
    let (words, scale, unit) = if let Some((before, behind)) = what.split_once("MB per sec") {
        (format!("{before} {behind} throughput"), 1_048_576.0, Unit::BytesPerSecond)
    } else if let Some(words) = what.strip_suffix("per second").or_else(|| what.strip_suffix("per sec")) {
        (format!("{words} per second"), 1.0, Unit::PerSecond)
    } else if let Some(words) =
        what.strip_prefix("nanosecs per ").or_else(|| what.strip_prefix("nanosecs to "))
    {
        (format!("{words} time"), 1e-9, Unit::Seconds)
    } else {
        return None;
    };
    Some((metric_of(&words)?, scale, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_known_by_its_process() {
        let old = "stress-ng: info:  [12861] successful run completed in 1.01s";
        assert_eq!(message(old), Some("successful run completed in 1.01s"));
        let timed = "stress-ng: 20:05:34.13 metrc: [13127] cpu 665 1.01";
        assert_eq!(message(timed), Some("cpu 665 1.01"));
        assert_eq!(message("stress-ng: a tool [1]"), None);
        assert_eq!(message("stress-ng is a tool"), None);
    }

    #[test]
    fn columns_are_known_by_their_titles() {
        use StressColumn::{Operations, Rate, RateOfCpu, Resident, SystemTime, UserTime, Window};
        let mut reading = Reading {
            columns: columns("bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s RSS Max"),
            ..Reading::default()
        };
        reading.units("(secs)    (secs)    (secs)   (real time) (usr+sys time) (KB)");
        let expected = [Operations, Window, UserTime, SystemTime, Rate, RateOfCpu, Resident];
        assert!(reading.columns == expected);
        reading.columns = columns("bogo ops  bogo ops/s  bogo ops/s  something new  sys time");
        reading.units("(usr+sys time) (secs) (real time)");
        assert!(reading.columns == [Operations, RateOfCpu, Rate]);
    }

    #[test]
    fn rows_are_read_without_their_heading() {
        let text = "stress-ng: 10:48:33.34 metrc: [18] fork     2000     10.00     3.00      5.00       200.00     250.00     80.00     5820\n\
                    stress-ng: 10:48:33.34 metrc: [18] miscellaneous metrics:\n\
                    stress-ng: 10:48:33.34 metrc: [18] fork          120.50 fork ops per second (harmonic mean of 2 instances)\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(200.0));
        assert_eq!(value(MetricName::new("cpu_user_time")), Some(3.0));
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(2000.0));
    }

    #[test]
    fn further_metrics_have_their_units() {
        let read = |what: &str| named(what).map(|(metric, scale, unit)| (metric.as_str(), scale, unit));
        let memrate = read("write64stoq MB per sec").unwrap();
        assert_eq!(memrate, ("write64stoq_throughput", 1_048_576.0, Unit::BytesPerSecond));
        assert_eq!(read("MB per sec memory rate").unwrap().0, "memory_rate_throughput");
        assert_eq!(read("cache ops per second").unwrap(), ("cache_ops_per_second", 1.0, Unit::PerSecond));
        assert_eq!(read("nanosecs per read").unwrap(), ("read_time", 1e-9, Unit::Seconds));
        assert_eq!(read("% of something"), None);
    }
}
