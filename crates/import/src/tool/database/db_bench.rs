//! `db_bench` of LevelDB and RocksDB: a line for each benchmark. The microseconds of an operation are those of all threads
//! together, divided by the operations; a megabyte is 1048576 bytes (`Stats::Report`, benchmarks/db_bench.cc and
//! tools/db_bench_tool.cc).

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{bare, exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct DbBench;

const NAME: &str = "db_bench";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "LevelDB, RocksDB",
    units: "MB/s",
    counting: Counting::Binary,
    proof: "tools/db_bench_tool.cc of RocksDB, Stats::Report: `(bytes_ / 1048576.0) / elapsed` is printed with ` MB/s`",
};

const RULES: &[CountingRule] = &[BINARY];

/// What lines of the head, and those between the benchmarks, begin with.
const OTHERS: &[&str] = &[
    "LevelDB:",
    "RocksDB:",
    "Date:",
    "CPU:",
    "CPUCache:",
    "Keys:",
    "Values:",
    "Entries:",
    "Prefix:",
    "Keys per prefix:",
    "RawSize:",
    "FileSize:",
    "Write rate:",
    "Read rate:",
    "Compression",
    "Memtablerep:",
    "Perf Level:",
    "WARNING:",
    "Initializing RocksDB",
    "Integrated BlobDB",
    "DB path:",
    "Set seed to",
    "... finished",
    "Microseconds per ",
    "Count: ",
    "Min: ",
    "Percentiles: ",
    "[ ",
    "( ",
    "---",
];

const CPU_AVERAGES: &[&str] = &["[AVG", "[MEDIAN"];

/// Options whose values are told.
const TOLD: &[&str] = &["threads", "num", "value_size", "key_size", "batch_size", "compression_type", "sync"];

impl ToolReader for DbBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the lines of db_bench of LevelDB and RocksDB, with its histograms' statistics; each benchmark is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["LevelDB:", "RocksDB:", "micros/op"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_head = ["LevelDB:", "RocksDB:"].iter().any(|name| {
            line.text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with("version "))
        });
        (is_head || row(&line.text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let belongs = before.is_empty()
            || last.is_blank()
            || OTHERS.iter().any(|start| text.starts_with(start)) && version(last).is_none()
            || CPU_AVERAGES.iter().any(|word| text.contains(word))
            || row(text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut results: Vec<ToolResult> = Vec::new();
        let head = block.lines.first().and_then(version);
        for line in block.lines {
            if let Some((name, rest)) = row(&line.text) {
                let mut result = block.result(NAME, self.programs());
                result.lines = model::tool_result::LineRange { first: line.number, last: line.number };
                result.version = head.clone();
                result.name = Some(name.to_owned());
                result.options.insert("benchmark".to_owned(), name.to_owned());
                take(line.number, rest, &mut result);
                for word in &result.command {
                    let told = word.trim_start_matches('-').split_once('=');
                    let told = told.filter(|(name, _)| TOLD.contains(name));
                    result.options.extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
                }
                // Each thread does so many, or as many as were asked for of reads.
                results.push(result);
            } else if let Some(result) = results.last_mut() {
                histogram(line, result);
            }
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// `LevelDB 1.23`, `RocksDB 8.10.0`.
fn version(line: &ToolLine) -> Option<String> {
    let (name, rest) = line.text.split_once(':')?;
    let version = rest.trim().strip_prefix("version ")?;
    ["LevelDB", "RocksDB"].contains(&name).then(|| format!("{name} {version}"))
}

/// The benchmark of a line, and what stands behind its colon.
fn row(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(" : ").or_else(|| text.split_once(": "))?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-[].".contains(c));
    let number = leading(rest, false)?;
    (is_name && number.rest.trim_start().starts_with("micros/op")).then_some((name, rest))
}

fn take(line: u64, rest: &str, result: &mut ToolResult) {
    let whole_of_it = &mut result.whole;
    let Some((mean, rest)) = rest.split_once("micros/op") else { return };
    whole_of_it.add(metric::LATENCY_MEAN, time(line, mean, "us"));
    let first = rest.split(';').next().unwrap_or_default();
    // RocksDB: `424756 ops/sec 2.354 seconds 1000000 operations`.
    let words: Vec<&str> = first.split_whitespace().collect();
    for pair in words.windows(2) {
        let [number, unit] = pair else { continue };
        match *unit {
            "ops/sec" => whole_of_it.add(metric::OPERATIONS_PER_SECOND, bare(line, number, Unit::PerSecond)),
            "seconds" => whole_of_it.window = bare(line, number, Unit::Seconds),
            "operations" => {
                whole_of_it.operations = whole(number).map(|(count, _)| exact(line, count, Unit::One));
            }
            _ => {}
        }
    }
    let Some((_, behind)) = rest.split_once(';') else { return };
    if let Some((rate, _)) = behind.split_once("MB/s") {
        let rate = quantity(line, &format!("{} MB/s", rate.trim()), Counting::Binary);
        whole_of_it.add(metric::THROUGHPUT, rate);
    }
    // `(632100 of 1000000 found)`, `(10000 ops)`.
    let inside =
        behind.split_once('(').and_then(|(_, inside)| inside.split_once(')')).map(|(inside, _)| inside);
    let counted = inside.and_then(whole);
    match counted {
        Some((count, " ops")) => whole_of_it.operations = Some(exact(line, count, Unit::One)),
        Some((found, rest)) if rest.ends_with(" found") => {
            result.options.insert("found".to_owned(), found.to_string());
        }
        _ => {}
    }
}

/// `Count: 1000000 Average: 4.1234  StdDev: 12.34`, `Min: 1  Median: 3.9  Max: 9999`, `Percentiles: P50: 3.9 P99: 9.9`.
fn histogram(line: &ToolLine, result: &mut ToolResult) {
    let text = line.text.trim();
    if !["Count: ", "Min: ", "Percentiles: "].iter().any(|start| text.starts_with(start)) {
        return;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.windows(2) {
        let [label, number] = pair else { continue };
        let Some(label) = label.strip_suffix(':') else { continue };
        let metric = match label {
            "StdDev" => statistic("stddev"),
            "Min" => statistic("min"),
            "Max" => statistic("max"),
            "Median" => statistic("median"),
            rank => rank.strip_prefix('P').and_then(statistic),
        };
        let Some(metric) = metric.filter(|metric| result.whole.figure(*metric).is_none()) else { continue };
        let value: Option<PrintedValue> = time(line.number, number, "us");
        result.whole.add(metric, value);
        result.lines.last = line.number;
    }
}

#[cfg(test)]
mod tests {
    use model::MetricName;

    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn rocksdb_prints_the_rate_and_late_versions_the_time() {
        let results = read(
            "RocksDB:    version 8.10.0\nDate:       Mon Jan  8 10:00:00 2024\nKeys:       16 bytes each\n\
             DB path: [/tmp/x]\n\
             fillseq      :       2.354 micros/op 424756 ops/sec 2.354 seconds 1000000 operations;   47.0 MB/s\n\
             DB path: [/tmp/x]\n\
             readrandom   :       4.120 micros/op 242700 ops/sec;   17.0 MB/s (632100 of 1000000 found)\n\
             Microseconds per read:\nCount: 1000000 Average: 4.12  StdDev: 9.5\nMin: 1  Median: 3.9  Max: 9999\n\
             Percentiles: P50: 3.9 P75: 5.5 P99: 9.9 P99.9: 22.5 P99.99: 40.1\n\
             ------------------------------------------------------\n[       0,       1 )    35 0.004%   0.004% \n",
        );
        assert_eq!(results.len(), 2);
        let value = |at: usize, name| results[at].whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(0, metric::OPERATIONS_PER_SECOND), Some(424_756.0));
        assert_eq!(value(0, metric::THROUGHPUT), Some(47.0 * 1_048_576.0));
        assert_eq!(results[0].whole.window.as_ref().map(|window| window.value), Some(2.354));
        assert_eq!(results[0].whole.operations.as_ref().map(|all| all.value), Some(1e6));
        assert!(value(1, metric::LATENCY_P99).is_some_and(|tail| (tail - 9.9e-6).abs() < 1e-12));
        assert!(value(1, MetricName::new("latency_p99_99")).is_some());
        assert_eq!(results[0].version.as_deref(), Some("RocksDB 8.10.0"));
    }

    #[test]
    fn leveldb_prints_microseconds_and_megabytes() {
        let results = read(
            "LevelDB:    version 1.23\nEntries:    1000000\n------------------------------------------------\n\
             fillseq      :       1.765 micros/op;   62.7 MB/s     \nfillsync     :     268.409 micros/op;    0.4 MB/s (10000 ops)\n\
             readrandom   :      16.677 micros/op;\n",
        );
        assert_eq!(results.len(), 3);
        assert_eq!(results[1].whole.operations.as_ref().map(|all| all.value), Some(10_000.0));
        assert_eq!(results[2].whole.figures.len(), 1);
    }
}
