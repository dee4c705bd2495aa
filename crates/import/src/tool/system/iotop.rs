//! iotop in batch mode (`-b`), of Python and of C: what processes and the kernel's block layer exchanged, what the devices
//! did, and which processes it was. Of a process only its program is kept.

use model::tool_result::{Counting, PrintedValue, ToolPart, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use super::cell::Mean;
use super::clock::{between, leading_clock};
use super::sample::{Sample, SampleCell, Series, SeriesByItem};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::leading;
use crate::tool::option_words::{self, OptionName, OptionWord, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Iotop;

const NAME: &str = "iotop";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "0.4 to 0.6, iotop-c",
    units: "K/s, M/s",
    counting: Counting::Binary,
    proof: "human_size of iotop's ui.py divides by 1 << 10; iotop-c tells in its help that --si is for units of 1000, and --no-si for \
            those of 1024, which is how it begins",
}];

/// What it says where the kernel does not count how long processes waited.
const WARNING: &str = "Warning: task_delayacct is 0";

impl ToolReader for Iotop {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "iotop -b: the totals of each span, and of each process the mean of the spans in which it read or wrote; not the sums of -a"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "iotop-c", "iotop-py"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" DISK READ", WARNING]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        (Totals::of(text).is_some() || text.starts_with(WARNING)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let belongs = before.is_empty()
            || Totals::of(text).is_some()
            || is_heading(text)
            || TaskRow::of(text).is_some()
            || text == "^C";
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let is_decimal = result.command.iter().any(|word| word == "--si");
        let counting = if is_decimal { Counting::Decimal } else { Counting::Binary };
        let mut spans: Vec<Span> = Vec::new();
        for line in block.lines {
            let text = line.text.as_str();
            if let Some(totals) = Totals::of(text) {
                if totals.is_of_processes || spans.is_empty() {
                    spans.push(Span { clock: totals.clock, ..Span::default() });
                }
                if let Some(span) = spans.last_mut() {
                    span.cells.extend(totals.cells(line.number, counting));
                }
            } else if let Some(task) = TaskRow::of(text) {
                if let Some(span) = spans.last_mut() {
                    span.tasks.push((task.name(), task.cells(line.number, counting)));
                }
            } else if text.starts_with(WARNING) {
                result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
            }
        }
        // Before the first span there is nothing that counters could be compared with.
        let is_nothing =
            |span: &Span| span.tasks.is_empty() && span.cells.iter().all(|cell| cell.printed.value <= 0.0);
        if spans.len() > 1 && spans.first().is_some_and(is_nothing) {
            spans.remove(0);
        }
        if spans.iter().all(|span| span.cells.is_empty()) {
            return Err(NotUnderstood::CutShort);
        }
        let tasks = tasks(&spans);
        series(spans, interval(&result.command)).fill(&mut result);
        result.parts.extend(tasks);
        Ok(vec![result])
    }
}

/// What is told of one span.
#[derive(Default)]
struct Span {
    clock: Option<f64>,
    cells: Vec<SampleCell>,
    /// Each process with its rates.
    tasks: Vec<(String, Vec<SampleCell>)>,
}

/// A line of totals: `Total DISK READ:    0.00 B/s |   Total DISK WRITE:    8.29 M/s`.
struct Totals<'a> {
    /// Whether it is of what processes did, and not of what the devices did.
    is_of_processes: bool,
    read: &'a str,
    write: &'a str,
    clock: Option<f64>,
}

impl<'a> Totals<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (left, right) = text.split_once('|')?;
        // Behind a further sign stands when it was.
        let right = right.split('|').next()?;
        let (read_label, read) = left.rsplit_once(':')?;
        let (write_label, write) = right.rsplit_once(':')?;
        let kind = read_label.trim_end().strip_suffix(" DISK READ")?.split_whitespace().last()?;
        let write_kind = write_label.trim().strip_suffix(" DISK WRITE")?;
        let is_of_processes = match kind {
            "Total" => true,
            "Current" | "Actual" => false,
            _ => return None,
        };
        let clock = text.split_whitespace().find_map(|word| leading_clock(&[word]));
        let clock = clock.map(|(clock, _)| clock);
        (kind == write_kind).then_some(Self { is_of_processes, read, write, clock })
    }

    fn cells(&self, line: u64, counting: Counting) -> Vec<SampleCell> {
        let names = if self.is_of_processes {
            [metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT]
        } else {
            [MetricName::new("device_read_throughput"), MetricName::new("device_write_throughput")]
        };
        cells(names, [self.read, self.write].map(|text| rate(line, text, counting)))
    }
}

/// These figures, where there are any.
fn cells(names: [MetricName; 2], printed: [Option<PrintedValue>; 2]) -> Vec<SampleCell> {
    let both = names.into_iter().zip(printed);
    both.filter_map(|(metric, printed)| Some(SampleCell { metric, printed: printed?, mean: Mean::Plain }))
        .collect()
}

/// `23.55 K/s`; sums have no second.
fn rate(line: u64, text: &str, counting: Counting) -> Option<PrintedValue> {
    let text = text.trim();
    let number = leading(text, false)?;
    let prefix = number.rest.trim().strip_suffix("/s")?;
    let prefix = prefix.strip_suffix('B').unwrap_or(prefix);
    let scale = factor(prefix, counting)?;
    Some(PrintedValue {
        line,
        text: text.to_owned(),
        value: number.value * scale,
        unit: Unit::BytesPerSecond,
        half_step: number.half_step * scale,
        counting: (!prefix.is_empty()).then_some(counting),
    })
}

/// The heading of the table of processes.
fn is_heading(text: &str) -> bool {
    text.contains("DISK READ") && text.contains("DISK WRITE") && text.trim_end().ends_with("COMMAND")
}

/// A row of that table.
struct TaskRow<'a> {
    id: u64,
    program: &'a str,
    /// Its rates, each a number and a unit.
    read: [&'a str; 2],
    write: [&'a str; 2],
}

impl<'a> TaskRow<'a> {
    /// `  3533 be/4 root   0.00 B/s   23.55 K/s 0.00 % 0.00 % kworker/u8:1`. Python 3 puts it between `b'` and `'`.
    fn of(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix("b'").map_or(text, |inside| inside.trim_end_matches('\''));
        let words: Vec<&str> = text.split_whitespace().collect();
        let has_clock = words.first().is_some_and(|word| leading_clock(&[*word]).is_some());
        let [id, priority, _user, read, read_unit, write, write_unit, rest @ ..] =
            words.get(usize::from(has_clock)..)?
        else {
            return None;
        };
        let is_priority = priority.contains('/') || *priority == "idle" || priority.starts_with('?');
        let is_unit = |unit: &str| matches!(unit.trim_end_matches("/s"), "B" | "K" | "M" | "G" | "T");
        let is_share = |word: &str| {
            let number = leading(word, false);
            matches!(word, "%" | "?unavailable?") || number.is_some_and(|number| number.rest.is_empty())
        };
        let program = rest.iter().copied().find(|word| !is_share(word))?;
        let program = if program.starts_with('/') { program.rsplit('/').next()? } else { program };
        // Some programs write what they do behind it.
        let program = program.trim_end_matches(':');
        let is_one = is_priority && is_unit(read_unit) && is_unit(write_unit);
        let id = id.parse().ok().filter(|_| is_one)?;
        Some(Self { id, program, read: [*read, *read_unit], write: [*write, *write_unit] })
    }

    fn name(&self) -> String {
        format!("{} {}", self.id, self.program)
    }

    fn cells(&self, line: u64, counting: Counting) -> Vec<SampleCell> {
        let names = [metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT];
        cells(names, [self.read, self.write].map(|words| rate(line, &words.join(" "), counting)))
    }
}

/// The processes that read or wrote anything, in the order in which they are listed.
fn tasks(spans: &[Span]) -> Vec<ToolPart> {
    let mut all = SeriesByItem::default();
    for (name, cells) in spans.iter().flat_map(|span| &span.tasks) {
        if cells.iter().all(|cell| cell.printed.value <= 0.0) {
            continue;
        }
        all.entry(name).samples.push(Sample { cells: cells.clone(), ..Sample::default() });
    }
    all.threads()
}

/// The spans as samples.
fn series(spans: Vec<Span>, interval_s: Option<f64>) -> Series {
    let mut series = Series::default();
    let mut before: Option<f64> = None;
    for span in spans {
        let told = before.zip(span.clock).map(|(from, to)| between(from, to));
        before = span.clock;
        series.add(interval_s.or(told), span.cells);
    }
    series
}

/// Behind which options a value stands.
fn takes(name: OptionName<'_>) -> Takes {
    match name {
        OptionName::Letter('d' | 'n' | 'p' | 'u') => Takes::Value,
        OptionName::Long("delay" | "iter" | "pid" | "user") => Takes::Value,
        _ => Takes::Nothing,
    }
}

/// Seconds between two spans, where the command is known.
fn interval(command: &[String]) -> Option<f64> {
    command.first()?;
    let told = option_words::read(command, takes).into_iter().rev().find_map(|word| match word {
        OptionWord::Option(OptionName::Long("delay") | OptionName::Letter('d'), value) => value,
        _ => None,
    });
    match told {
        Some(told) => told.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e6),
        None => Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    const NOTHING: &str = "Total DISK READ: 0.00 B/s | Total DISK WRITE: 0.00 B/s\n";

    #[test]
    fn processes_and_devices_have_rates_of_their_own() {
        let result = read(&format!(
            "$ iotop -b -o -d 2\n{NOTHING}Total DISK READ :  1.00 K/s | Total DISK WRITE :  8.00 M/s\n\
             Actual DISK READ:  0.00 B/s | Actual DISK WRITE:  2.00 M/s\n  TID  PRIO  USER DISK READ  DISK WRITE  SWAPIN  IO    COMMAND\n\
             b' 1234 be/4 root   0.00 B/s   4.00 M/s  0.00 %  1.50 % /usr/bin/writer --password x'\n"
        ));
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!(value(metric::READ_THROUGHPUT), Some(1024.0));
        assert_eq!(value(MetricName::new("device_write_throughput")), Some(2.0 * 1_048_576.0));
        let [part] = result.parts.as_slice() else { panic!("{:?}", result.parts) };
        assert_eq!(part.name, "1234 writer");
        let written = part.measured.figure(metric::WRITE_THROUGHPUT).map(|figure| figure.value);
        assert_eq!(written, Some(4.0 * 1_048_576.0));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(2.0));
    }

    #[test]
    fn with_units_of_1000_they_are() {
        let result = read("$ iotop -b --si\nTotal DISK READ: 2.00 K/s | Total DISK WRITE: 0.00 B/s\n");
        let read = result.whole.figure(metric::READ_THROUGHPUT).map(|figure| figure.value);
        assert_eq!(read, Some(2000.0));
    }

    #[test]
    fn sums_are_no_rates() {
        assert!(rate(1, "12.00 K", Counting::Binary).is_none());
        assert!(TaskRow::of("  6248 be/4 root   0.00 B   12.00 K   0.00 % 0.00 % writer").is_some());
        assert!(TaskRow::of("  6248 be/4 root   0.00 B   12.00 K").is_none());
    }

    #[test]
    fn the_time_between_spans_is_that_of_the_command() {
        let of = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            interval(&words)
        };
        assert_eq!(
            [of("iotop -b"), of("iotop -b -d 5"), of("iotop -d0.5")],
            [Some(1.0), Some(5.0), Some(0.5)]
        );
        assert_eq!([of("iotop -bod 5"), of("iotop -botd0.5 -n 3")], [Some(5.0), Some(0.5)]);
        assert_eq!(of("iotop -b -udaemon -n 3"), Some(1.0));
        assert_eq!(interval(&[]), None);
    }
}
