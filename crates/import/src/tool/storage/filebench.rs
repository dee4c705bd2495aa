//! filebench: the line of sums of a run, and above it each operation of its workload.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, cut_off, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Filebench;

const NAME: &str = "filebench";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.4 to 1.5",
    units: "mb/s",
    counting: Counting::Binary,
    proof: "in filebench-1.5-randomread-made 197.427 operations of 8 KiB a second are 1.5 mb/s, and 1.6 of 1000**2 bytes",
};

const RULES: &[CountingRule] = &[BINARY];

/// What its version stands behind, in its first line.
const VERSION: &str = "Filebench Version ";

/// What stands above the operations.
const BREAKDOWN: &str = "Per-Operation Breakdown";

/// What the sums stand behind.
const SUMMARY: &str = "IO Summary:";

/// What its time stands behind.
const TOOK: &str = "Run took ";

impl ToolReader for Filebench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the line of sums (`IO Summary`) of a run of filebench, with each operation of its workload"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[VERSION, SUMMARY, BREAKDOWN, TOOK]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_one = version(text).is_some() || logged(text).is_some_and(is_of_result);
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let has_summary = || {
            let mut recent = before.iter().rev().take(BEHIND_SUMMARY).filter_map(|line| logged(&line.text));
            recent.any(|told| told.starts_with(SUMMARY))
        };
        let is_another =
            || version(text).is_some() || logged(text).is_some_and(is_of_result) && has_summary();
        let belongs = logged(text).is_some() || operation(text).is_some();
        match before.is_empty() {
            true => Extent::More,
            false if is_another() || !belongs => Extent::EndsBefore,
            false => Extent::More,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        result.version = block.lines.first().and_then(|line| version(&line.text)).map(str::to_owned);
        for line in block.lines {
            match logged(&line.text) {
                Some(told) => take(line.number, told, &mut result),
                None => result.parts.extend(operation(&line.text).map(|(name, rest)| ToolPart {
                    kind: ToolPartKind::Phase,
                    name: name.to_owned(),
                    start_s: None,
                    measured: measured(line.number, rest),
                })),
            }
        }
        // What was done in another way is no repetition.
        if let Some(arguments) = result.command.get(1..).filter(|arguments| !arguments.is_empty()) {
            result.options.insert("arguments".to_owned(), arguments.join(" "));
        }
        let is_empty = result.whole.figures.is_empty() && result.parts.is_empty();
        if is_empty { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// So many lines stand behind the sums.
const BEHIND_SUMMARY: usize = 3;

/// `1.5-alpha3` of `Filebench Version 1.5-alpha3`.
fn version(text: &str) -> Option<&str> {
    text.strip_prefix(VERSION).filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// What stands behind the seconds since its start: `61.130: Running...`. In older versions the number of the process
/// stands before them.
fn logged(text: &str) -> Option<&str> {
    let (before, told) = text.trim_start().split_once(": ")?;
    if is_process(before) {
        return logged_at_once(told);
    }
    is_seconds(before).then(|| told.trim_start())
}

fn logged_at_once(text: &str) -> Option<&str> {
    let (before, told) = text.trim_start().split_once(": ")?;
    is_seconds(before).then(|| told.trim_start())
}

fn is_process(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn is_seconds(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, thousandths)| is_process(whole) && is_process(thousandths))
}

/// Whether it is a line that nobody else prints.
fn is_of_result(told: &str) -> bool {
    let is_end = || told.strip_prefix(TOOK).is_some_and(|took| took.ends_with(" seconds..."));
    told == BREAKDOWN || told.starts_with(SUMMARY) || is_end()
}

/// The name of an operation, and what it did: `readfile1   1996ops   197ops/s   1.5mb/s   5.0ms/op [0.00ms - 1.43ms]`.
fn operation(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(' ')?;
    let mut words = rest.split_whitespace();
    let is_one = !name.is_empty()
        && words.any(|word| word.ends_with("ops/s"))
        && words.next().is_some_and(|word| word.ends_with("mb/s"))
        && words.next().is_some_and(|word| word.ends_with("ms/op"));
    is_one.then_some((name, rest))
}

/// Takes a line of its log.
fn take(line: u64, told: &str, result: &mut ToolResult) {
    if let Some(sums) = told.strip_prefix(SUMMARY) {
        let window = result.whole.window.take();
        result.whole = ToolMeasurement { window, ..measured(line, sums) };
    } else if let Some(took) = told.strip_prefix(TOOK).and_then(|took| took.strip_suffix(" seconds...")) {
        result.whole.window = quantity(line, &format!("{took} seconds"), BINARY.counting).map(cut_off);
    } else if let Some((name, _)) = told.split_once(" Version ").filter(|_| told.ends_with("loaded")) {
        result.options.insert("personality".to_owned(), name.to_ascii_lowercase());
    }
}

/// What words such as `197.427 ops/s` and `5.054ms/op` tell. A number may stand in the same word as its unit, or in
/// the one before.
fn measured(line: u64, text: &str) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    let mut before = "";
    for word in text.split_whitespace().map(|word| word.trim_matches([',', '(', ')', '[', ']'])) {
        let number =
            |unit: &str| word.strip_suffix(unit).map(|own| if own.is_empty() { before } else { own });
        let rate = |text: &str| count(line, text, BINARY.counting, Unit::PerSecond);
        let named = |text: &str, printed: PrintedValue| PrintedValue { text: text.to_owned(), ..printed };
        if let Some(operations) = number("ops") {
            measured.operations = count(line, operations, BINARY.counting, Unit::One);
        } else if let Some(operations) = number("ops/s") {
            measured.add(metric::OPERATIONS_PER_SECOND, rate(operations));
        } else if let Some((reads, writes)) =
            number("rd/wr").or_else(|| number("r/w")).and_then(|both| both.split_once('/'))
        {
            measured.add(metric::READ_IOPS, rate(reads));
            measured.add(metric::WRITE_IOPS, rate(writes));
        } else if let Some(megabytes) = number("mb/s") {
            let printed = quantity(line, &format!("{megabytes} MB/s"), BINARY.counting);
            measured.add(metric::THROUGHPUT, printed.map(|printed| named(word, printed)));
        } else if let Some(mean) = number("ms/op") {
            let printed = quantity(line, &format!("{mean} ms"), BINARY.counting);
            measured.add(metric::LATENCY_MEAN, printed.map(|printed| named(word, printed)));
        } else if word == "latency" {
            measured.add(metric::LATENCY_MEAN, quantity(line, before, BINARY.counting));
        }
        before = word;
    }
    // Of the span in brackets the last one is the longest.
    let longest = text.rsplit_once("- ").and_then(|(_, longest)| longest.trim().strip_suffix(']'));
    measured.add(metric::LATENCY_MAX, longest.and_then(|longest| quantity(line, longest, BINARY.counting)));
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(measured: &ToolMeasurement) -> String {
        let one = |figure: &model::tool_result::ToolFigure| {
            format!("{}={}", figure.metric.as_str(), figure.printed.value)
        };
        measured.figures.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sums_of_old_and_new_versions_are_read() {
        assert_eq!(
            figures(&measured(1, " 27608 ops 92.019 ops/s 3/4 rd/wr   2.0mb/s   1.0ms/op")),
            "operations_per_second=92.019 read_iops=3 write_iops=4 throughput=2097152 latency_mean=0.001"
        );
        assert_eq!(
            figures(&measured(
                1,
                " 5273 ops, 878.6 ops/s, (6/13 r/w),  2.0mb/s,    198us cpu/op,   1.0ms latency"
            )),
            "operations_per_second=878.6 read_iops=6 write_iops=13 throughput=2097152 latency_mean=0.001"
        );
        let operations = measured(1, " 27608 ops 92.019 ops/s").operations.unwrap();
        assert_eq!((operations.value, operations.half_step), (27608.0, 0.0));
    }

    #[test]
    fn operations_have_a_longest_time() {
        let (name, rest) =
            operation("createfile1   138ops   46ops/s   0.0mb/s   347.6ms/op [8.74ms -  4.00ms]").unwrap();
        assert_eq!(name, "createfile1");
        assert_eq!(
            figures(&measured(1, rest)),
            "operations_per_second=46 throughput=0 latency_mean=0.3476 latency_max=0.004"
        );
        assert!(operation("limit   515ops/s   0.0mb/s   0.0ms/op   7us/op-cpu").is_some());
        assert!(operation("it did 46ops/s then").is_none());
    }

    #[test]
    fn lines_of_its_log_are_known_by_their_seconds() {
        assert_eq!(logged("61.130: Running..."), Some("Running..."));
        assert_eq!(logged(" 4217:  61.130: Running..."), Some("Running..."));
        assert_eq!((logged("12: x"), logged("a.b: x"), logged("1.5 x")), (None, None, None));
    }

    #[test]
    fn each_run_is_a_result() {
        let run = "2.010: Run took 1 seconds...\n2.010: Per-Operation Breakdown\n\
                   read1   10ops   10ops/s   1.0mb/s   1.0ms/op [0.01ms - 2.00ms]\n\
                   2.010: IO Summary: 10 ops 10.000 ops/s 10/0 rd/wr   1.0mb/s   1.0ms/op\n\
                   2.010: Shutting down processes\n";
        let heading =
            "Filebench Version 1.4.9.1\n0.001: Varmail Version 3.0 personality successfully loaded\n";
        let output = crate::tool::read("", format!("{heading}{run}{run}done\n").as_bytes()).unwrap();
        let [first, second] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(first.version.as_deref(), Some("1.4.9.1"));
        assert_eq!(first.options["personality"], "varmail");
        assert_eq!((first.parts.len(), second.parts.len(), output.unread.len()), (1, 1, 1));
        assert_eq!(second.whole.window.as_ref().map(|window| window.half_step), Some(1.0));
        let cut = crate::tool::read("", heading.as_bytes()).unwrap();
        assert_eq!(cut.unread[0].tool.as_deref(), Some(NAME));
    }
}
