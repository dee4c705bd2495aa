//! IOR: the table of its results, each row a result, or the summary alone. Versions 2 to 4 have different columns, so
//! the heading says what stands where.

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolResult, ToolWarning};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_secrets;

/// The importer.
pub(super) struct Ior;

const NAME: &str = "ior";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "2 to 4",
    units: "MiB/s, MiB",
    counting: Counting::Binary,
    proof: "it writes the i, and src/ior-output.c divides by MEBIBYTE",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for Ior {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of results of IOR 2 to 4, each row a result, or its summary (`Summary of all tests`) alone"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["IOR-", "bw(MiB/s)", "Max(MiB)"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_one = version(text).is_some() || is_heading(text) || is_summary(text);
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() || text.is_empty() {
            return Extent::More;
        }
        if option(text).is_some_and(|(label, _)| label == "Finished") {
            return Extent::EndsHere;
        }
        let belongs = is_heading(text)
            || is_summary(text)
            || option(text).is_some()
            || Operation::of(text).is_some()
            || text.starts_with("----")
            || AROUND.iter().any(|beginning| text.starts_with(beginning))
            || is_moment(text);
        if belongs && version(text).is_none() { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut common = block.result(NAME, self.programs());
        let (mut rows, mut sums) = (Vec::new(), Vec::new());
        let mut columns: Vec<&str> = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if is_heading(text) || is_summary(text) {
                columns = text.split_whitespace().collect();
            } else if let Some(version) = version(text) {
                common.version = Some(version.to_owned());
            } else if let Some(operation) = Operation::of(text) {
                let table = if columns.first() == Some(&"Operation") { &mut sums } else { &mut rows };
                table.extend(row(line.number, operation, text, &columns, &common));
            } else if let Some((label, value)) = option(text) {
                about(label, value, &mut common);
            } else if text.starts_with(WARNING) {
                common.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
            }
        }
        // The summary has what the rows have.
        let mut results = if rows.is_empty() { sums } else { rows };
        if let Some(first) = results.first_mut() {
            first.warnings = common.warnings;
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// What its own warnings begin with.
const WARNING: &str = "WARNING:";

/// Other lines of it.
const AROUND: &[&str] = &[
    WARNING,
    "ior WARNING",
    "Options:",
    "Results:",
    "Summary:",
    "Summary of all tests:",
    "Max Write:",
    "Max Read:",
    "remove ",
    "Commencing ",
    "Verifying ",
    "Using Time Stamp ",
    "Participating ",
    "Start time skew ",
    "Command line used:",
    "Test ",
    "task ",
];

/// `4.1.0+dev` of `IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O`.
fn version(text: &str) -> Option<&str> {
    let (version, rest) = text.strip_prefix("IOR-")?.split_once(": ")?;
    rest.starts_with("MPI Coordinated Test").then_some(version)
}

/// `access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) ...`, in version 3 without the second and third figure.
fn is_heading(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("access") && words.next() == Some("bw(MiB/s)")
}

/// `Operation   Max(MiB)   Min(MiB)  Mean(MiB) ...`, and in version 2 `Operation  Max (MiB)  Min (MiB)`, which is not read.
fn is_summary(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("Operation") && words.next() == Some("Max(MiB)")
}

/// `Fri Nov 28 18:05:01 2026`.
fn is_moment(text: &str) -> bool {
    let is_day = |day: &str| text.starts_with(day);
    text.split_whitespace().count() == 5
        && ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "].into_iter().any(is_day)
}

/// A line `xfersize            : 1 MiB`, and before version 3.1 `xfersize           = 1 MiB`.
fn option(text: &str) -> Option<(&str, &str)> {
    let parts = text.split_once(" : ").or_else(|| text.split_once(" = ")).or_else(|| text.split_once("= "));
    let ended = || text.strip_suffix(" :").map(|label| (label, ""));
    let finished = || text.strip_prefix("Finished: ").map(|value| ("Finished", value));
    let command = || text.strip_prefix("Command line used: ").map(|value| ("Command line", value));
    let began = || text.strip_prefix("Began: ").map(|value| ("Began", value));
    let (label, value) = parts.or_else(ended).or_else(finished).or_else(command).or_else(began)?;
    let label = label.trim();
    let is_label = label.len() <= LABEL_MAX && !label.contains([':', '$', '#', '>']);
    is_label.then_some((label, value.trim()))
}

/// A label has no more bytes.
const LABEL_MAX: usize = 24;

/// Takes what a line says of the run.
fn about(label: &str, value: &str, common: &mut ToolResult) {
    match label {
        "Command line" => {
            let words = shlex::split(value).filter(|words| !words.is_empty());
            if let Some(mut words) = words {
                hide_secrets(&mut words);
                common.command = words;
            }
        }
        "Began" => common.moment = Some(value.to_owned()),
        label if KEPT.contains(&label) && !value.is_empty() => {
            common.options.insert(label.to_owned(), value.to_owned());
        }
        _ => {}
    }
}

/// Options that make it another work.
const KEPT: &[&str] = &[
    "api",
    "access",
    "type",
    "segments",
    "ordering in a file",
    "ordering inter file",
    "nodes",
    "tasks",
    "clients",
    "clients per node",
    "xfersize",
    "blocksize",
    AMOUNT,
    DEADLINE,
];

/// The bytes of all tasks.
const AMOUNT: &str = "aggregate filesize";

/// A time at which it stops: then less was done.
const DEADLINE: &str = "stonewallingTime";

/// What a row is of.
#[derive(Clone, Copy)]
enum Operation {
    Read,
    Write,
}

impl Operation {
    fn of(text: &str) -> Option<Self> {
        let (name, values) = text.split_once(' ')?;
        let operation = match name {
            "read" => Self::Read,
            "write" => Self::Write,
            _ => return None,
        };
        leading(values, false).map(|_| operation)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// The result of a row; `None` where it has no rate.
fn row(
    line: u64,
    operation: Operation,
    text: &str,
    columns: &[&str],
    common: &ToolResult,
) -> Option<ToolResult> {
    let cells: Vec<&str> = text.split_whitespace().collect();
    let cell = |name: &str| {
        let at = columns.iter().position(|column| *column == name)?;
        cells.get(at).copied()
    };
    let mut result = ToolResult { warnings: Vec::new(), ..common.clone() };
    result.lines.first = line;
    result.lines.last = line;
    result.options.insert("operation".to_owned(), operation.name().to_owned());
    let rate = cell("bw(MiB/s)").or_else(|| cell("Mean(MiB)"))?;
    let whole = &mut result.whole;
    whole.add(metric::THROUGHPUT, quantity(line, &format!("{rate} MiB/s"), BINARY.counting));
    let per_second = cell("IOPS").or_else(|| cell("Mean(OPs)"));
    let per_second = per_second.and_then(|cell| count(line, cell, Counting::Decimal, Unit::PerSecond));
    whole.add(metric::IOPS, per_second);
    whole.add(metric::LATENCY_MEAN, cell("Latency(s)").and_then(|cell| time(line, cell, "s")));
    let repetitions = cell("reps").and_then(repetitions).filter(|repetitions| *repetitions > 1);
    whole.add(metric::RUNS, repetitions.map(|repetitions| exact(line, repetitions, Unit::One)));
    whole.window = cell("total(s)").or_else(|| cell("Mean(s)")).and_then(|cell| time(line, cell, "s"));
    whole.bytes = amount(line, &result.options).filter(|_| repetitions.is_none());
    if let Some(tasks) = cell("#Tasks") {
        result.options.insert("tasks".to_owned(), tasks.to_owned());
    }
    (!result.whole.figures.is_empty()).then_some(result)
}

/// A whole number of times.
fn repetitions(text: &str) -> Option<u64> {
    whole(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

/// The bytes that all tasks read or wrote; `None` where a deadline may have ended it before.
fn amount(line: u64, options: &BTreeMap<String, String>) -> Option<PrintedValue> {
    let told = options.get(AMOUNT).filter(|_| !options.contains_key(DEADLINE))?;
    quantity(line, told, BINARY.counting).filter(|amount| amount.unit == Unit::Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &str = "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n\
                           Began               : Sat Nov 28 09:00:00 2026\n\
                           Command line        : ior -b 10M -t 1M -i 2\n\nOptions: \n\
                           api                 : POSIX\napiVersion          : \n\
                           tasks               : 10\nxfersize            : 1 MiB\n\
                           aggregate filesize  : 100 MiB\n\nResults: \n\n";

    const TABLE: &str = "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   \
                         close(s)   total(s)   iter\n\
                         ------    ---------  ----       ----------  ---------- ---------  --------   --------   \
                         --------   --------   ----\n\
                         write     200.00     201.00     0.049751    10240      1024.00    0.001105   0.497512   \
                         0.000144   0.500000   0   \n\
                         read      11530      11963      0.000827    10240      1024.00    0.000195   0.008359   \
                         0.000210   0.008673   0   \n\
                         write     220.00     221.00     0.045249    10240      1024.00    0.001105   0.452489   \
                         0.000144   0.454545   1   \n\
                         remove    -          -          -           -          -          -          -          \
                         -          0.001194   1   \n";

    const SUMMARY: &str = "Max Write: 220.00 MiB/sec (230.69 MB/sec)\n\nSummary of all tests:\n\
                           Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     \
                           StdDev    Mean(s) Test# #Tasks tPN reps fPP\n\
                           write         220.00     200.00     210.00      10.00     220.00     200.00     210.00      \
                           10.00    0.47727     0     10  10    2   0\n";

    #[test]
    fn each_row_is_a_result() {
        let text =
            format!("{OPTIONS}{TABLE}{SUMMARY}Finished            : Sat Nov 28 09:00:01 2026\nand so on\n");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [write, read, again] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, 200.0 * 1_048_576.0);
        assert_eq!(write.whole.figure(metric::IOPS).unwrap().value, 201.0);
        assert_eq!(write.whole.bytes.as_ref().unwrap().value, 100.0 * 1_048_576.0);
        assert_eq!(read.whole.window.as_ref().unwrap().value, 0.008_673);
        assert_eq!(
            (write.options["operation"].as_str(), read.options["operation"].as_str()),
            ("write", "read")
        );
        assert_eq!(write.options, again.options, "the same work again");
        assert_eq!((write.version.as_deref(), write.command.len()), (Some("4.0.0"), 7));
        assert_eq!(output.unread.len(), 1);
    }

    #[test]
    fn a_summary_alone_is_of_several_runs() {
        let output = crate::tool::read("", SUMMARY.as_bytes()).unwrap();
        let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, 210.0 * 1_048_576.0);
        assert_eq!(write.whole.figure(metric::RUNS).unwrap().value, 2.0);
        assert_eq!(write.options["tasks"], "10");
    }

    #[test]
    fn older_tables_have_fewer_columns() {
        let text = "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nBegan: Sat Nov 28 09:00:00 2026\n\
                    Command line used: ior -t 20m\nSummary:\n\tapi                = POSIX\n\
                    \tordering inter file= no tasks offsets\n\taggregate filesize = 200 MiB\n\
                    access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n\
                    ------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n\
                    Commencing write performance test: Sat Nov 28 09:00:00 2026\n\
                    write     100.00     204800     20480      0.003322   1.47       0.06      2.00      0   \n\
                    Finished: Sat Nov 28 09:00:03 2026\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, 100.0 * 1_048_576.0);
        assert_eq!(write.whole.figure(metric::IOPS), None);
        assert_eq!(write.whole.window.as_ref().unwrap().value, 2.0);
        assert_eq!(write.options["ordering inter file"], "no tasks offsets");
        assert_eq!((write.command.len(), output.unread.len()), (3, 0));
    }

    #[test]
    fn with_a_deadline_it_is_not_known_how_much_was_done() {
        let options = OPTIONS.replace("Results:", "stonewallingTime    : 30\nResults:");
        let output = crate::tool::read("", format!("{options}{TABLE}").as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.results[0].whole.bytes.as_ref()), (3, None));
    }
}
