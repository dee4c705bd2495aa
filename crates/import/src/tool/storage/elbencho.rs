//! elbencho's table of results: two columns, of the moment when the first thread was done and of the end. Each
//! operation is a result of its own.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, cut_off, leading, plain, quantity, seconds};
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Elbencho;

const NAME: &str = "elbencho";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1 to 3",
    units: "MiB, MiB/s",
    counting: Counting::Binary,
    proof: "it writes the i: in elbencho-3-write-read-made 4096 MiB in 1.912 s are 2142 MiB/s, and 2142 operations of 1 MiB",
};

const RULES: &[CountingRule] = &[BINARY];

/// The part of what was done until the first thread was.
const FIRST_DONE: &str = "first done";

impl ToolReader for Elbencho {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of results of elbencho, each operation a result, with what was done until the first thread was beside it"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_rule = !text.is_empty() && text.chars().all(|c| matches!(c, '=' | '-' | ' '));
        let is_row = last.is_indented() && text.contains(':') || Row::of(last).is_some();
        let belongs = before.is_empty() || is_rule || is_row;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut results: Vec<ToolResult> = Vec::new();
        for line in block.lines {
            let Some(row) = Row::of(line) else { continue };
            if let Some(operation) = row.operation {
                let mut result = block.result(NAME, self.programs());
                result.lines.first = line.number;
                result.options.insert("operation".to_owned(), operation.to_ascii_lowercase());
                // What was done in another way is no repetition.
                if let Some(arguments) = result.command.get(1..).filter(|arguments| !arguments.is_empty()) {
                    result.options.insert("arguments".to_owned(), arguments.join(" "));
                }
                results.push(result);
            }
            if let Some(result) = results.last_mut() {
                row.fill(line.number, result);
            }
        }
        results.retain(|result| !result.whole.figures.is_empty());
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// `OPERATION   RESULT TYPE         FIRST DONE   LAST DONE`.
fn is_heading(text: &str) -> bool {
    text.split_whitespace().eq("OPERATION RESULT TYPE FIRST DONE LAST DONE".split(' '))
}

/// A row of the table.
struct Row<'a> {
    /// The operation that begins with it.
    operation: Option<&'a str>,
    label: &'a str,
    /// The values of both columns, or what else stands behind the colon.
    values: &'a str,
}

impl<'a> Row<'a> {
    /// Reads `WRITE       Elapsed time     :     1.801s      1.912s`, and below it rows without the operation.
    fn of(line: &'a ToolLine) -> Option<Self> {
        let (head, values) = line.text.split_once(" :")?;
        let (operation, label) = match line.is_indented() {
            true => (None, head),
            false => {
                let (operation, label) = head.split_once(' ')?;
                let is_one = operation.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
                (Some(operation).filter(|_| is_one), label)
            }
        };
        let row = Self { operation, label: label.trim(), values: values.trim() };
        let is_known = line.is_indented() || row.operation.is_some() && row.label == "Elapsed time";
        is_known.then_some(row)
    }

    fn fill(&self, line: u64, result: &mut ToolResult) {
        result.lines.last = line;
        if self.label == "IO latency" {
            return latencies(line, self.values, &mut result.whole);
        }
        let mut values = self.values.split_whitespace();
        let (Some(first), Some(last), None) = (values.next(), values.next(), values.next()) else { return };
        self.value(line, last, &mut result.whole);
        let is_first = |part: &ToolPart| part.name == FIRST_DONE;
        if !result.parts.iter().any(is_first) {
            result.parts.push(ToolPart {
                kind: ToolPartKind::Phase,
                name: FIRST_DONE.to_owned(),
                start_s: None,
                measured: ToolMeasurement::default(),
            });
        }
        if let Some(part) = result.parts.last_mut() {
            self.value(line, first, &mut part.measured);
        }
    }

    fn value(&self, line: u64, text: &str, measured: &mut ToolMeasurement) {
        match self.label {
            "Elapsed time" => measured.window = elapsed(line, text),
            "Total MiB" => measured.bytes = whole_number(line, text, "MiB", Unit::Bytes),
            "Throughput MiB/s" => {
                measured.add(metric::THROUGHPUT, whole_number(line, text, "MiB/s", Unit::BytesPerSecond));
            }
            "IOPS" => measured.add(metric::IOPS, whole_number(line, text, "", Unit::PerSecond)),
            "Files/s" | "Objects/s" | "Dirs/s" | "Buckets/s" => {
                measured.add(metric::OPERATIONS_PER_SECOND, whole_number(line, text, "", Unit::PerSecond));
            }
            "Files total" | "Objects total" | "Dirs total" | "Buckets total" => {
                measured.operations = whole_number(line, text, "", Unit::One)
                    .map(|count| PrintedValue { half_step: 0.0, ..count });
            }
            _ => {}
        }
    }
}

/// A whole number, of which the rest was cut off.
fn whole_number(line: u64, text: &str, unit: &str, base: Unit) -> Option<PrintedValue> {
    leading(text, false).filter(|number| number.rest.is_empty())?;
    let printed = match unit {
        "" => count(line, text, BINARY.counting, base),
        unit => quantity(line, &format!("{text} {unit}"), BINARY.counting),
    };
    printed.map(cut_off)
}

/// `912ms`, `1.912s`, `2m:3.5s`, `1h:2m:3.5s`.
fn elapsed(line: u64, text: &str) -> Option<PrintedValue> {
    let (mut value, mut step) = (0.0, 0.0);
    for part in text.split(':') {
        let number = leading(part, false)?;
        let scale = match number.rest {
            "h" => 3600.0,
            "m" => 60.0,
            other => seconds(other)?,
        };
        value += number.value * scale;
        step = number.half_step * scale;
    }
    Some(cut_off(PrintedValue { half_step: step, ..plain(line, text, value, Unit::Seconds) }))
}

/// `[ min=101us avg=1.85ms max=12.1ms ]`, of `--lat`.
fn latencies(line: u64, text: &str, whole: &mut ToolMeasurement) {
    for (name, value) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
        let metric = match name {
            "avg" => MetricName::new("latency_mean"),
            "max" => metric::LATENCY_MAX,
            _ => continue,
        };
        whole.add(metric, quantity(line, value, BINARY.counting).filter(|time| time.unit == Unit::Seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n\
                           =========== ================    ==========   =========\n";

    #[test]
    fn the_last_column_is_of_the_whole() {
        let rows = "MKDIRS      Elapsed time     :        3ms         4ms\n\
                    \x20           Dirs/s           :        500         400\n\
                    WRITE       Elapsed time     :   2m:1.50s    2m:2.50s\n\
                    \x20           Throughput MiB/s :        10          9\n\
                    \x20           IO latency       : [ min=101us avg=1.85ms max=12.1ms ]\n---\n\nThat was: all\n";
        let output = crate::tool::read("", format!("{HEADING}{rows}").as_bytes()).unwrap();
        let [dirs, write] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(dirs.whole.figure(metric::OPERATIONS_PER_SECOND).unwrap().value, 400.0);
        assert_eq!(write.whole.window.as_ref().unwrap().value, 122.5);
        assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, 9.0 * 1_048_576.0);
        assert_eq!(write.parts[0].measured.figure(metric::THROUGHPUT).unwrap().value, 10.0 * 1_048_576.0);
        assert!((write.whole.figure(metric::LATENCY_MAX).unwrap().value - 12.1e-3).abs() < 1e-12);
        assert_eq!((write.options["operation"].as_str(), output.unread.len()), ("write", 1));
    }

    #[test]
    fn times_have_minutes_and_hours() {
        let read = |text: &str| elapsed(1, text).map(|time| time.value);
        assert_eq!((read("912ms"), read("1.5s")), (Some(0.912), Some(1.5)));
        assert_eq!((read("2m:3.5s"), read("1h:2m:3.5s")), (Some(123.5), Some(3723.5)));
        assert_eq!((read("1.5x"), read("")), (None, None));
    }

    #[test]
    fn a_table_without_rows_was_cut() {
        let output = crate::tool::read("", HEADING.as_bytes()).unwrap();
        assert!(output.results.is_empty());
        assert_eq!(output.unread[0].tool.as_deref(), Some(NAME));
    }
}
