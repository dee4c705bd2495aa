//! mdtest: its table of rates, each operation a result.

use model::tool_result::{Counting, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_secrets;

/// The importer.
pub(super) struct Mdtest;

const NAME: &str = "mdtest";

/// What its table stands below.
const SUMMARY: &str = "SUMMARY";

impl ToolReader for Mdtest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of rates of mdtest 1 to 4 (`SUMMARY rate`), each operation a result. Not its table of times"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["mdtest-", SUMMARY, STARTED]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if launched(text).is_some() || repetitions(text).is_some() {
            return Some(Beginning::Certain);
        }
        (text.starts_with(STARTED) && text.ends_with(" --")).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() || text.is_empty() {
            return Extent::More;
        }
        if text.starts_with("-- finished at ") {
            return Extent::EndsHere;
        }
        let begins_again = text.starts_with(STARTED)
            || launched(text).is_some()
                && before.iter().rev().take(LINES_MAX).any(|line| repetitions(line.text.trim()).is_some());
        let belongs = launched(text).is_some()
            || repetitions(text).is_some()
            || row(text).is_some()
            || text.starts_with("Operation ")
            || text.starts_with("---")
            || tasks(text).is_some()
            || AROUND.iter().any(|beginning| text.starts_with(beginning));
        if belongs && !begins_again { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut common = block.result(NAME, self.programs());
        let mut table = None;
        let mut results = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(times) = repetitions(text) {
                table = is_of_rates(text).then(|| Table { times, ..Table::default() });
            } else if text.starts_with(SUMMARY) {
                table = None;
            } else if text.starts_with("Operation ") {
                if let Some(table) = &mut table {
                    table.heading(text);
                }
            } else if let Some((operation, values)) = row(text) {
                let result =
                    table.as_ref().and_then(|table| table.result(line.number, operation, values, &common));
                results.extend(result);
            } else {
                about(line, &mut common);
            }
        }
        if let Some(first) = results.first_mut() {
            first.warnings = common.warnings;
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// What its first line begins with.
const STARTED: &str = "-- started at ";

/// It prints fewer lines without `-v`.
const LINES_MAX: usize = 64;

/// What its own warnings begin with.
const WARNING: &str = "WARNING:";

/// Other lines of it.
const AROUND: &[&str] = &[
    WARNING,
    "Command line used:",
    "Path",
    "FS",
    "Nodemap:",
    "random seed:",
    "Unique directory per task",
    "V-",
    SUMMARY,
];

/// What it measures.
const OPERATIONS: &[&str] = &[
    "Directory creation",
    "Directory stat",
    "Directory rename",
    "Directory removal",
    "File creation",
    "File stat",
    "File read",
    "File removal",
    "Tree creation",
    "Tree removal",
];

/// The version of `mdtest-4.1.0 was launched with 10 total task(s) on 1 node(s)`, and the numbers in it.
fn launched(text: &str) -> Option<(&str, u64, u64)> {
    let (version, rest) = text.strip_prefix("mdtest-")?.split_once(" was launched with ")?;
    let (tasks, rest) = whole(rest)?;
    let (nodes, _) = whole(rest.strip_prefix(" total task(s) on ")?)?;
    Some((version, tasks, nodes))
}

/// How often it was done, of `SUMMARY rate: (of 3 iterations)`, `SUMMARY: (of 1 iterations)` and `SUMMARY rate (in
/// ops/sec): (of 10 iterations)`.
fn repetitions(text: &str) -> Option<u64> {
    let (_, rest) = text.strip_prefix(SUMMARY)?.split_once("(of ")?;
    let (times, rest) = whole(rest)?;
    rest.starts_with(" iteration").then_some(times)
}

/// Whether a table is of rates, and not of times.
fn is_of_rates(text: &str) -> bool {
    !text.starts_with("SUMMARY time")
}

/// `10 tasks, 33340 files`, `2 tasks, 1980 files/directories`.
fn tasks(text: &str) -> Option<&str> {
    let (_, rest) = whole(text)?;
    let (_, rest) = whole(rest.strip_prefix(" tasks, ")?)?;
    rest.starts_with([' ', '/']).then_some(text)
}

/// An operation and its values: `File creation     :     241789.498     241789.498     241789.498          0.000`.
fn row(text: &str) -> Option<(&'static str, &str)> {
    let (operation, rest) =
        OPERATIONS.iter().find_map(|operation| Some((*operation, text.strip_prefix(*operation)?)))?;
    let values = rest.trim_start().trim_start_matches(':').trim_start();
    values.starts_with(|c: char| c.is_ascii_digit()).then_some((operation, values))
}

/// Takes what a line says of the run.
fn about(line: &ToolLine, common: &mut ToolResult) {
    let text = line.text.trim();
    if let Some((version, tasks, nodes)) = launched(text) {
        common.version = Some(version.to_owned());
        common.options.insert("tasks".to_owned(), tasks.to_string());
        common.options.insert("nodes".to_owned(), nodes.to_string());
    } else if let Some(command) = text.strip_prefix("Command line used:") {
        if let Some(mut words) = shlex::split(command).filter(|words| !words.is_empty()) {
            hide_secrets(&mut words);
            common.command = words;
        }
    } else if let Some(tasks) = tasks(text) {
        common.options.insert("items".to_owned(), tasks.to_owned());
    } else if let Some(moment) = text.strip_prefix(STARTED) {
        common.moment = Some(moment.trim_end_matches('-').trim_end().to_owned());
    } else if text.starts_with(WARNING) {
        common.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
    }
}

/// A table of rates.
#[derive(Default)]
struct Table {
    /// How often it was done.
    times: u64,
    /// Which columns have the mean and the standard deviation over these.
    mean: Option<usize>,
    deviation: Option<usize>,
}

impl Table {
    /// Reads `Operation   Max   Min   Mean   Std Dev`. With `per Rank:` and `per Iteration:` those behind the latter count.
    fn heading(&mut self, text: &str) {
        let mut column = 0;
        (self.mean, self.deviation) = (None, None);
        for word in text.split_whitespace() {
            match word {
                "Iteration:" => self.mean = None,
                "Max" | "Min" => column += 1,
                "Mean" => {
                    self.mean = self.mean.or(Some(column));
                    column += 1;
                }
                "Std" => {
                    self.deviation = Some(column);
                    column += 1;
                }
                _ => {}
            }
        }
    }

    /// The result of a row; `None` where the operation was not done.
    fn result(&self, line: u64, operation: &str, values: &str, common: &ToolResult) -> Option<ToolResult> {
        let cells: Vec<&str> = values.split_whitespace().collect();
        let cell = |column: Option<usize>| {
            let cell = cells.get(column?).copied()?;
            count(line, cell, Counting::Decimal, Unit::PerSecond)
        };
        // Without its heading it has the columns of those of one kind.
        let mean = cell(self.mean.or(Some(MEAN))).filter(|mean| mean.value > 0.0)?;
        let mut result = ToolResult { warnings: Vec::new(), ..common.clone() };
        result.lines.first = line;
        result.lines.last = line;
        result.options.insert("operation".to_owned(), operation.to_ascii_lowercase());
        result.whole.add(metric::OPERATIONS_PER_SECOND, Some(mean));
        if self.times > 1 {
            let deviation = MetricName::new("operations_per_second_stddev");
            result.whole.add(deviation, cell(self.deviation));
            result.whole.add(metric::RUNS, Some(exact(line, self.times, Unit::One)));
        }
        Some(result)
    }
}

/// The column of the mean behind `Max` and `Min`.
const MEAN: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    const ABOVE: &str = "-- started at 11/28/2026 09:00:00 --\n\n\
                         mdtest-4.0.0 was launched with 10 total task(s) on 2 node(s)\n\
                         Command line used: mdtest '-F' '-i' '3' '-d' '/x'\n\
                         Path                : /x\nFS                  : 3.7 GiB   Used FS: 59.5%\n\
                         10 tasks, 33340 files\n\n";

    const ROWS: &str = "   ---------                     ---            ---           ----        -------\n\
                        \x20  File creation                2000.000       1000.000       1500.000        500.000\n\
                        \x20  File stat                       0.000          0.000          0.000          0.000\n\
                        \x20  Tree removal                   33.993         33.993         33.993          0.000\n\
                        -- finished at 11/28/2026 09:00:09 --\n";

    fn rate(result: &ToolResult) -> f64 {
        result.whole.figure(metric::OPERATIONS_PER_SECOND).unwrap().value
    }

    #[test]
    fn each_operation_that_was_done_is_a_result() {
        let heading =
            "SUMMARY rate (in ops/sec): (of 3 iterations)\n   Operation   Max   Min   Mean   Std Dev\n";
        let output = crate::tool::read("", format!("{ABOVE}{heading}{ROWS}so it was\n").as_bytes()).unwrap();
        let [creation, removal] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!((rate(creation), rate(removal)), (1500.0, 33.993));
        assert_eq!(creation.whole.figure(metric::RUNS).unwrap().value, 3.0);
        assert_eq!(
            (creation.options["operation"].as_str(), creation.options["tasks"].as_str()),
            ("file creation", "10")
        );
        assert_eq!((creation.version.as_deref(), creation.command.len()), (Some("4.0.0"), 6));
        assert_eq!(output.unread.len(), 1);
    }

    #[test]
    fn of_ranks_and_iterations_the_latter_count() {
        let mut table = Table { times: 2, ..Table::default() };
        table.heading(
            "Operation         per Rank: Max   Min   Mean       per Iteration: Max   Min   Mean   Std Dev",
        );
        assert_eq!((table.mean, table.deviation), (Some(5), Some(6)));
        table
            .heading("Operation   per Rank:  Max   Min   Mean   Std Dev     per Iteration: Max   Min   Mean");
        assert_eq!(table.mean, Some(6));
        let result = table.result(1, "File stat", "9 8 7 6 5 4 3", &ToolResult::default()).unwrap();
        assert_eq!(rate(&result), 3.0);
    }

    #[test]
    fn a_table_of_times_is_not_one_of_rates() {
        let heading = "SUMMARY time: (of 1 iterations)\n   Operation   Max   Min   Mean   Std Dev\n";
        let output = crate::tool::read("", format!("{ABOVE}{heading}{ROWS}").as_bytes()).unwrap();
        assert_eq!(output.results.len(), 0);
        assert_eq!(output.unread[0].tool.as_deref(), Some(NAME));
    }

    #[test]
    fn old_rows_have_a_colon() {
        assert_eq!(
            row("Directory creation:     113501.114  1 2 3"),
            Some(("Directory creation", "113501.114  1 2 3"))
        );
        assert_eq!(row("File stat         :    1785168.770"), Some(("File stat", "1785168.770")));
        assert_eq!((row("File system"), row("File stat was slow")), (None, None));
    }
}
