//! elbencho's table of results: two columns, of the moment when the first thread was done and of the end. Each
//! operation is a result of its own.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::program;
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, cut_off, leading, plain, quantity, seconds};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_secrets;

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

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["OPERATION", "COMMAND LINE: ", "ISO DATE: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if is_heading(text) || told_command(text).is_some() {
            return Some(Beginning::Certain);
        }
        told_moment(text).is_some().then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_rule = !text.is_empty() && text.chars().all(|c| matches!(c, '=' | '-' | ' '));
        let is_row = last.is_indented() && text.contains(':') || Row::of(last).is_some();
        let is_above = |line: &ToolLine| {
            line.is_blank() || told_moment(&line.text).is_some() || told_command(&line.text).is_some()
        };
        let is_heading =
            before.len() <= ABOVE && before.iter().all(is_above) && (is_heading(text) || is_above(last));
        let belongs = before.is_empty() || is_heading || is_rule || is_row || is_live(text);
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut results: Vec<ToolResult> = Vec::new();
        let told = block.lines.iter().take(ABOVE).find_map(|line| told_command(&line.text));
        let moment = block.lines.first().and_then(|line| told_moment(&line.text));
        for line in block.lines {
            let Some(row) = Row::of(line) else { continue };
            if let Some(operation) = row.operation {
                let mut result = block.result(NAME, self.programs());
                result.lines.first = line.number;
                result.moment = moment.map(str::to_owned);
                if let Some(words) = told.as_ref().filter(|_| result.command.is_empty()) {
                    result.command.clone_from(words);
                }
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

/// So many lines may stand above the heading in a file of results.
const ABOVE: usize = 4;

/// `ISO DATE: 2026-11-28T09:00:00+0000`, above the command.
fn told_moment(text: &str) -> Option<&str> {
    text.strip_prefix("ISO DATE: ").filter(|moment| moment.starts_with(|c: char| c.is_ascii_digit()))
}

/// `COMMAND LINE: "elbencho" "-w" "/x"`, above the heading.
fn told_command(text: &str) -> Option<Vec<String>> {
    let mut words = shlex::split(text.strip_prefix("COMMAND LINE: ")?)?;
    hide_secrets(&mut words);
    words.first().is_some_and(|word| program(word) == NAME).then_some(words)
}

/// A line of `--livecsv stdout`, or the heading of these: they stand between the heading and the first row.
fn is_live(text: &str) -> bool {
    text.starts_with("ISO Date,")
        || text.starts_with(|c: char| c.is_ascii_digit()) && text.split(',').count() > LIVE_COLUMNS
}

/// Lines of `--livecsv` have more columns than these.
const LIVE_COLUMNS: usize = 10;

/// Rows that are known where white space before them was lost.
const LABELS: &[&str] = &[
    "IOPS",
    "Throughput MiB/s",
    "Total MiB",
    "IO latency",
    "Files/s",
    "Files total",
    "Files latency",
    "Dirs/s",
    "Dirs total",
    "Objects/s",
    "Objects total",
    "Objects latency",
    "CPU util %",
    "Time ms each",
];

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
        let (operation, label) = match line.is_indented() || LABELS.contains(&head.trim()) {
            true => (None, head),
            false => {
                let (operation, label) = head.split_once(' ')?;
                let is_one = operation.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
                (Some(operation).filter(|_| is_one), label)
            }
        };
        let row = Self { operation, label: label.trim(), values: values.trim() };
        let is_known = line.is_indented()
            || LABELS.contains(&row.label)
            || row.operation.is_some() && row.label == "Elapsed time";
        is_known.then_some(row)
    }

    fn fill(&self, line: u64, result: &mut ToolResult) {
        result.lines.last = line;
        // Files and objects that are one operation each have latencies of their own only.
        let is_of_entries = self.label.ends_with(" latency")
            && result.whole.figure(metric::OPERATIONS_PER_SECOND).is_some()
            && result.whole.figure(metric::IOPS).is_none();
        if self.label == "IO latency" || is_of_entries {
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

/// `912ms`, `1.912s`, `2m:3.5s`, `2m3.5s`, `1h:2m:3.5s`.
fn elapsed(line: u64, text: &str) -> Option<PrintedValue> {
    let mut value = 0.0;
    let mut behind = text;
    loop {
        let number = leading(behind, false)?;
        let end = number.rest.find(|c: char| c.is_ascii_digit() || c == ':').unwrap_or(number.rest.len());
        let (unit, further) = number.rest.split_at(end);
        let scale = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            other => seconds(other)?,
        };
        value += number.value * scale;
        if further.is_empty() {
            let half_step = number.half_step * scale;
            return Some(cut_off(PrintedValue { half_step, ..plain(line, text, value, Unit::Seconds) }));
        }
        behind = further.trim_start_matches(':');
    }
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
        assert_eq!((read("2m3.5s"), read("1h2m3.5s")), (Some(123.5), Some(3723.5)));
        assert_eq!((read("1.5x"), read(""), read("2m:")), (None, None, None));
    }

    #[test]
    fn a_file_of_results_tells_the_command() {
        let above = "ISO DATE: 2026-11-28T09:00:00+0000\n\
                     COMMAND LINE: \"elbencho\" \"-w\" \"--s3secret\" \"key\" \"-s\" \"1k\" \"a b\" \n\n";
        let rows = "WRITE       Elapsed time     :   2m0.262s    2m0.279s\n\
                    \x20           Objects/s        :          84          84\n\
                    \x20           Objects latency  : [ min=11.4ms avg=35.5ms max=1.7s ]\n---\n";
        let output = crate::tool::read("", format!("{above}{HEADING}{rows}").as_bytes()).unwrap();
        let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.command, ["elbencho", "-w", "--s3secret", "***", "-s", "1k", "a b"]);
        assert_eq!(write.moment.as_deref(), Some("2026-11-28T09:00:00+0000"));
        assert_eq!(write.whole.window.as_ref().unwrap().value, 120.279);
        assert!((write.whole.figure(metric::LATENCY_MAX).unwrap().value - 1.7).abs() < 1e-12);
        assert_eq!(output.unread.len(), 0);
    }

    #[test]
    fn rows_that_lost_their_white_space_are_read() {
        let rows = "WRITE Elapsed time : 1.801s 1.912s\nIOPS : 1030 1024\nTotal MiB : 9 10\n---\n";
        let output = crate::tool::read("", format!("{HEADING}{rows}").as_bytes()).unwrap();
        let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.whole.figure(metric::IOPS).unwrap().value, 1024.0);
        assert_eq!(write.whole.bytes.as_ref().unwrap().value, 10.0 * 1_048_576.0);
    }

    #[test]
    fn regression_live_lines_ended_the_table() {
        let live = "ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS,Entries,Entries/s,\n\
                    2026-11-28T09:00:01.000+0000,,READ,1000,Total,,35,4194304,4,1024,0,0,\n";
        let rows = "READ        Elapsed time     :     1.801s      1.912s\n\
                    \x20           IOPS             :       1030        1024\n---\n";
        let output = crate::tool::read("", format!("{HEADING}{live}{rows}").as_bytes()).unwrap();
        let [read] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(read.whole.figure(metric::IOPS).unwrap().value, 1024.0);
        assert_eq!(output.unread.len(), 0);
    }

    #[test]
    fn a_table_without_rows_was_cut() {
        let output = crate::tool::read("", HEADING.as_bytes()).unwrap();
        assert!(output.results.is_empty());
        assert_eq!(output.unread[0].tool.as_deref(), Some(NAME));
    }
}
