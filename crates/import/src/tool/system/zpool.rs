//! `zpool iostat` of OpenZFS and Solaris: what pools, their groups of devices and these do. The first report is of all the
//! time since the pool was imported, unless `-y` is given.

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::cell::Mean;
use super::sample::SampleCell;
use super::sysstat::devices::{Report, results};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::{count, leading, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Zpool;

const NAME: &str = "zpool";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "K, M, G, T of bytes and of operations",
    counting: Counting::Binary,
    proof: "lib/libzutil/zutil_nicenum.c divides by 1024 until less than that is left, whatever is counted: 1536 operations are \
            `1.50K`",
};

const RULES: &[CountingRule] = &[BINARY];

/// The groups of columns that all of its tables have, two each.
const GROUPS: [&str; 3] = ["capacity", "operations", "bandwidth"];

/// Groups with one column.
const SINGLE: &[&str] = &["scrub", "trim", "rebuild"];

/// What stands where a pool does, above its devices of a class.
const CLASSES: &[&str] = &["logs", "log", "cache", "special", "dedup", "spares"];

const READS: Mean = Mean::By(&[metric::READ_IOPS]);
const WRITES: Mean = Mean::By(&[metric::WRITE_IOPS]);

impl ToolReader for Zpool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of zpool iostat, with -v and -l or without: rates of pools and their devices, and how long operations took; \
         not those of -q, nor without headings (-H); -r and -w are read as histograms"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["capacity"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        let text = last.text.as_str();
        let belongs = is_heading(text)
            || is_lower_heading(text)
            || is_rule(text)
            || is_date(text)
            || text == "^C"
            || Row::of(text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut reports: Vec<Report> = Vec::new();
        // What the last of them has, to be looked up: there may be thousands of disks.
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        let mut columns = Vec::new();
        // The names above a row, by how far they are indented.
        let mut above: Vec<(usize, &str)> = Vec::new();
        for line in block.lines {
            if is_heading(&line.text) {
                columns = columns_of(&line.text);
            }
            let Some(row) = Row::of(&line.text) else { continue };
            above.retain(|(indent, _)| *indent < row.indent);
            let is_pool = above.is_empty() && !CLASSES.contains(&row.name);
            above.push((row.indent, row.name));
            let item = above.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(" ");
            // A pool that comes a second time is of the next span.
            if reports.is_empty() || is_pool && seen.contains_key(&item) {
                reports.push(Report::default());
                seen.clear();
            }
            // Groups have no numbers in early versions: `raidz2` may come twice in a pool.
            let count = seen.entry(item.clone()).or_default();
            *count += 1;
            let item = if *count > 1 { format!("{item} {count}") } else { item };
            if let Some(report) = reports.last_mut() {
                report.rows.push((item, row.cells(line.number, &columns)));
            }
        }
        results(&reports, &block.result(NAME, self.programs()))
    }
}

/// `              capacity     operations     bandwidth    total_wait     disk_wait`.
fn is_heading(text: &str) -> bool {
    text.split_whitespace().take(GROUPS.len()).eq(GROUPS)
}

/// `pool        alloc   free   read  write   read  write`, and early `used  avail`.
fn is_lower_heading(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    matches!(words.as_slice(), ["pool", "alloc" | "used", "free" | "avail", "read"])
}

fn is_rule(text: &str) -> bool {
    text.trim_start().starts_with("---") && text.chars().all(|c| matches!(c, '-' | ' '))
}

/// `Sat Nov 28 07:00:00 UTC 2026`, of `-T d`.
fn is_date(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    (5..=7).contains(&words.len()) && words.iter().any(|word| word.matches(':').count() == 2)
}

/// What a column has.
type ZpoolColumn = Option<(MetricName, Unit, Mean)>;

/// The columns below the groups of a heading; `None` where nothing is read.
fn columns_of(heading: &str) -> Vec<ZpoolColumn> {
    let own = |name: &'static str, mean| Some((MetricName::new(name), Unit::Seconds, mean));
    let mut columns = Vec::new();
    for group in heading.split_whitespace() {
        match group {
            "operations" => columns.extend([
                Some((metric::READ_IOPS, Unit::PerSecond, Mean::Plain)),
                Some((metric::WRITE_IOPS, Unit::PerSecond, Mean::Plain)),
            ]),
            "bandwidth" => columns.extend([
                Some((metric::READ_THROUGHPUT, Unit::BytesPerSecond, Mean::Plain)),
                Some((metric::WRITE_THROUGHPUT, Unit::BytesPerSecond, Mean::Plain)),
            ]),
            "total_wait" => {
                columns.extend([own("read_latency_mean", READS), own("write_latency_mean", WRITES)]);
            }
            "disk_wait" => columns
                .extend([own("read_device_latency_mean", READS), own("write_device_latency_mean", WRITES)]),
            single if SINGLE.contains(&single) => columns.push(None),
            _ => columns.extend([None, None]),
        }
    }
    columns
}

/// A row.
struct Row<'a> {
    indent: usize,
    name: &'a str,
    values: Vec<&'a str>,
}

impl<'a> Row<'a> {
    /// Reads `  mirror-0                  1.34T   927G      6     14   130K  7.09M`.
    fn of(text: &'a str) -> Option<Self> {
        let indent = text.len() - text.trim_start().len();
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let values: Vec<&str> = words.collect();
        (values.len() >= 2 * GROUPS.len() && values.iter().all(|value| is_value(value))).then_some(Self {
            indent,
            name,
            values,
        })
    }

    fn cells(&self, line: u64, columns: &[ZpoolColumn]) -> Vec<SampleCell> {
        let cell = |(column, value): (&ZpoolColumn, &&str)| {
            let (metric, unit, mean) = (*column)?;
            Some(SampleCell { metric, printed: printed(line, value, unit)?, mean })
        };
        columns.iter().zip(&self.values).filter_map(cell).collect()
    }
}

fn is_value(word: &str) -> bool {
    let is_amount =
        |rest: &str| factor(rest, BINARY.counting).is_some() || ["ns", "us", "ms", "s"].contains(&rest);
    word == "-" || leading(word, false).is_some_and(|number| is_amount(number.rest))
}

/// `296K`, `4`, `250us`; where there was nothing, `-`.
fn printed(line: u64, word: &str, unit: Unit) -> Option<PrintedValue> {
    let (printed, symbol) = match unit {
        Unit::Seconds => {
            let time = quantity(line, word, BINARY.counting);
            return time.filter(|printed| printed.unit == Unit::Seconds);
        }
        Unit::BytesPerSecond => (quantity(line, &format!("{word}B/s"), BINARY.counting)?, "B/s"),
        _ => (count(line, word, BINARY.counting, unit)?, "1/s"),
    };
    Some(PrintedValue { text: format!("{word} {symbol}"), ..printed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "\
              capacity     operations     bandwidth    total_wait     disk_wait
pool        alloc   free   read  write   read  write   read  write   read  write
----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
";

    #[test]
    fn the_first_report_is_of_the_time_before() {
        let rows = "rpool  6.05G  61.9G  4  1  296K  86.1K  250us  2ms  240us  -\n\
                    rpool  6.05G  61.9G  1.5K  11  2.00M  861K  150us  1ms  140us  700us\n";
        let text = format!("# zpool iostat -l 2 2\n{HEADING}{rows}");
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results.len(), 1);
        let value = |name| results[0].whole.figure(name).map(|printed: &PrintedValue| printed.value);
        assert_eq!(value(metric::READ_IOPS), Some(1536.0));
        assert_eq!(value(metric::READ_THROUGHPUT), Some(2.0 * 1_048_576.0));
        assert!((value(MetricName::new("read_latency_mean")).unwrap() - 150e-6).abs() < 1e-12);
        assert!((value(MetricName::new("write_device_latency_mean")).unwrap() - 700e-6).abs() < 1e-12);
        assert_eq!(results[0].parts[0].name, "since boot");
        let only = text.lines().take(5).collect::<Vec<_>>().join("\n");
        let results = crate::tool::read("", only.as_bytes()).unwrap().results;
        assert!(results[0].is_since_boot());
    }

    #[test]
    fn regression_groups_without_numbers_were_taken_for_another_report() {
        let rows = "a  1G  1G  0  0  0  0\n  raidz2  1G  1G  1  0  0  0\n    sda  -  -  0  0  0  0\n\
                    \x20 raidz2  1G  1G  2  0  0  0\n    sdb  -  -  0  0  0  0\nlogs  -  -  -  -  -  -\n\
                    b  1G  1G  0  0  0  0\n";
        let heading = "              capacity     operations     bandwidth\npool        alloc   free   read  write   read  write\n";
        let results = crate::tool::read("", format!("{heading}{rows}").as_bytes()).unwrap().results;
        let names: Vec<&str> = results.iter().map(|result| result.options["device"].as_str()).collect();
        for name in ["a raidz2", "a raidz2 2", "a raidz2 sdb", "b"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let mut measured = results.iter().filter(|result| !result.whole.figures.is_empty());
        assert!(measured.all(ToolResult::is_since_boot), "there is one report");
    }

    #[test]
    fn devices_stand_below_their_pools() {
        let rows = "a  1G  1G  0  0  0  0\n  mirror-0  1G  1G  0  0  0  0\n    sda  -  -  0  0  0  0\n\
                    b  1G  1G  0  0  0  0\n  mirror-0  1G  1G  0  0  0  0\n";
        let results = crate::tool::read("", format!("{HEADING}{rows}").as_bytes()).unwrap().results;
        let items: Vec<&str> = results.iter().map(|result| result.options["device"].as_str()).collect();
        assert_eq!(items, ["a", "a mirror-0", "a mirror-0 sda", "b", "b mirror-0"]);
    }

    #[test]
    fn regression_a_rule_that_is_indented_ended_the_table() {
        let text = "                capacity     operations     bandwidth\n  pool        alloc   free   read  write   read  write\n\
                    \x20 ----------  -----  -----  -----  -----  -----  -----\n\
                    \x20 tank         100G  20.9T  1.02K    772   102M  85.1M\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (1, 0), "{:?}", output.unread);
    }

    #[test]
    fn other_tables_are_none() {
        for text in ["capacity of operations", "pool a is full", "tank  ONLINE  0  0  0", "1 2 3 4 5 6 seven"]
        {
            assert!(!is_heading(text) && Row::of(text).is_none(), "{text}");
        }
    }
}
