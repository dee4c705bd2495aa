//! nench.sh, the script that drives dd, ioping and curl beside three programs that compute. Each of its tests is a result;
//! the three writes of dd are trials of one work, and their mean is left out.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, LineRange, PrintedValue, ToolResult};
use model::{Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nench;

const NAME: &str = "nench";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "k of requests and iops",
    counting: Counting::Decimal,
    proof: "ioping, whose lines the script prints, divides its counts by 1000; its bytes have an i",
};

const RULES: &[CountingRule] = &[BYTES];

/// The beginning of its banner.
const BANNER: &str = "nench.sh ";

/// Before the name of a test that computes.
const COMPUTE: &str = "CPU: ";

/// Behind it: so many MiB of zeros are read (`dd bs=1M count=500`).
const AMOUNT: &str = " 500 MB";

/// As many bytes.
const AMOUNT_BYTES: u64 = 500 << 20;

const SEEK: &str = "ioping: seek rate";
const READ: &str = "ioping: sequential read speed";
const WRITE: &str = "dd: sequential write speed";

/// The end of the heading of what it downloads.
const DOWNLOADS: &str = " speedtests";

/// Labels of what the machine is, and of what is no figure.
const LABELS: &[&str] = &[
    "benchmark timestamp",
    "Processor",
    "CPU cores",
    "Frequency",
    "RAM",
    "Swap",
    "Kernel",
    "Virtual",
    "TCP CC",
    "Disks",
    "your IPv4",
    "your IPv6",
];

/// What a mean may be off by beyond its rounding: of large rates few digits are printed.
const NEAR: f64 = 0.01;

impl ToolReader for Nench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "nench.sh: how long three programs compute, the seeks and reads of ioping, each write of dd, and each download"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BANNER, COMPUTE, DOWNLOADS, SEEK, READ, WRITE]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_first = text.starts_with(BANNER) || test(text).is_some_and(|test| !test.ends_with(DOWNLOADS));
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let is_second_banner = text.starts_with(BANNER);
        // The list of disks has words alone, and stands before the first test.
        let is_before = !before.iter().any(|line| test(line.text.trim()).is_some());
        let is_own = last.is_blank()
            || is_rule(text)
            || is_label(text)
            || test(text).is_some()
            || text.starts_with("No IPv6 connectivity")
            || figures(last, "").is_some()
            || is_before;
        let belongs = is_own && !is_second_banner && before.len() < LINES_MAX;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let runs =
            ["1st run:", "2nd run:", "3rd run:", "4th run:", "5th run:"].map(|label| sheet.number(label));
        let runs: Vec<Term> = runs.into_iter().filter(Term::is_some).collect();
        sheet.equal(&sheet.number("average:"), Term::mean(&runs), NEAR);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut base = block.result(NAME, self.programs());
        let mut results = Vec::new();
        let mut now = String::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(banner) = text.strip_prefix(BANNER) {
                base.version = banner.split_whitespace().next().map(str::to_owned);
                continue;
            }
            // Where a program is missing, the next heading stands on the line of its figure.
            if let Some(test) = test(text) {
                test.clone_into(&mut now);
                continue;
            }
            let Some(figures) = figures(line, &now).filter(|_| !now.is_empty()) else { continue };
            let mut result = base.clone();
            result.lines = LineRange { first: line.number, last: line.number };
            figures.fill(line.number, &now, &mut result);
            results.push(result);
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// So many lines it has at most.
const LINES_MAX: usize = 120;

fn is_rule(text: &str) -> bool {
    text.starts_with("-----") && text.chars().all(|c| c == '-')
}

fn is_label(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, _)| LABELS.contains(&name))
}

/// The name of a test: `CPU: SHA256-hashing 500 MB`, `dd: sequential write speed`, `IPv4 speedtests`.
fn test(text: &str) -> Option<&str> {
    let is_compute = text.starts_with(COMPUTE) && text.ends_with(AMOUNT);
    let is_downloads = matches!(text.strip_suffix(DOWNLOADS), Some("IPv4" | "IPv6"));
    (is_compute || is_downloads || matches!(text, SEEK | READ | WRITE)).then_some(text)
}

/// What a line of a test tells.
enum Figures {
    /// How long it computed.
    Elapsed(PrintedValue),
    /// Least, mean, most and deviation of seeks.
    Times(Vec<PrintedValue>),
    /// Operations and bytes per second of reads.
    Reads(Option<PrintedValue>, PrintedValue),
    /// A rate, with the run or the place.
    Rate(String, PrintedValue),
}

impl Figures {
    fn fill(self, line: u64, test: &str, result: &mut ToolResult) {
        result.options.insert("test".to_owned(), test.to_owned());
        let whole = &mut result.whole;
        match self {
            Self::Elapsed(seconds) => {
                whole.window = Some(seconds.clone());
                whole.bytes = Some(exact(line, AMOUNT_BYTES, Unit::Bytes));
                whole.add(metric::ELAPSED, Some(seconds));
            }
            Self::Times(times) => {
                for (name, time) in ["min", "avg", "max", "stddev"].into_iter().zip(times) {
                    if let Some(metric) = statistic(name) {
                        whole.add(metric, Some(time));
                    }
                }
            }
            Self::Reads(operations, bytes) => {
                whole.add(metric::IOPS, operations);
                whole.add(metric::THROUGHPUT, Some(bytes));
            }
            Self::Rate(name, rate) => {
                if test.ends_with(DOWNLOADS) {
                    result.options.insert("place".to_owned(), name);
                }
                whole.add(metric::THROUGHPUT, Some(rate));
            }
        }
    }
}

/// What a line tells below the name of a test; below none, whether it may be one of any.
fn figures(line: &ToolLine, test: &str) -> Option<Figures> {
    let text = line.text.trim();
    let is_of = |own: &str| test.is_empty() || test == own;
    if let Some(seconds) = text.strip_suffix(" seconds") {
        let seconds = time(line.number, seconds, "seconds")?;
        return (test.is_empty() || test.starts_with(COMPUTE)).then_some(Figures::Elapsed(seconds));
    }
    if let Some(times) = text.strip_prefix("min/avg/max/mdev = ").filter(|_| is_of(SEEK)) {
        let one = |text: &str| quantity(line.number, text, BYTES.counting);
        return times.split(" / ").map(one).collect::<Option<Vec<_>>>().map(Figures::Times);
    }
    if let Some(reads) = text.strip_prefix("generated ").filter(|_| is_of(READ)) {
        let parts: Vec<&str> = reads.split(", ").collect();
        let [_, _, operations, bytes] = parts.as_slice() else { return None };
        let operations = operations.strip_suffix(" iops");
        let operations =
            operations.and_then(|number| count(line.number, number, BYTES.counting, Unit::PerSecond));
        return Some(Figures::Reads(operations, quantity(line.number, bytes, BYTES.counting)?));
    }
    let (name, rate) = text.split_once(':')?;
    let rate =
        quantity(line.number, rate, BYTES.counting).filter(|rate| rate.unit == Unit::BytesPerSecond)?;
    let is_run = name.ends_with(" run") && is_of(WRITE);
    let is_place = name != "average" && !name.ends_with(" run") && test.ends_with(DOWNLOADS);
    let is_any = test.is_empty() || is_run || is_place;
    is_any.then(|| Figures::Rate(name.to_owned(), rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_without_a_figure_has_no_result() {
        let text = "CPU: SHA256-hashing 500 MB\n    0.500 seconds\nCPU: bzip2-compressing 500 MB\n    CPU: AES-encrypting 500 MB\n    \
                    0.250 seconds\n\nioping: seek rate\n    ioping: sequential read speed\n    \ndd: sequential write speed\n    \
                    1st run:    613.25 MiB/s\n    average:    613.25 MiB/s\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let tests: Vec<&str> = results.iter().map(|result| result.options["test"].as_str()).collect();
        assert_eq!(tests, ["CPU: SHA256-hashing 500 MB", "CPU: AES-encrypting 500 MB", WRITE]);
        let lines: Vec<u64> = results.iter().map(|result| result.lines.first).collect();
        assert_eq!(lines, [2, 5, 11]);
    }
}
