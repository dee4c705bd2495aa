//! redis-benchmark of Redis and Valkey: its text, with `-q`, and its CSV. Each test is a result. What is in
//! flight is each client's pipeline (`-P`), and a latency is that of a whole pipeline.

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use super::number;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct RedisBenchmark;

const NAME: &str = "redis-benchmark";

/// The columns of the latencies, in the text and in CSV: `avg`, `p99`, `avg_latency_ms`.
const COLUMNS: &[(&str, MetricName)] = &[
    ("avg", metric::LATENCY_MEAN),
    ("min", MetricName::new("latency_min")),
    ("p50", metric::LATENCY_P50),
    ("p95", MetricName::new("latency_p95")),
    ("p99", metric::LATENCY_P99),
    ("max", metric::LATENCY_MAX),
];

/// What stands behind the number of a rate.
const RATE: &str = " requests per second";

/// Its own tests, by the first word of their names.
const TESTS: &[&str] = &[
    "PING", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP", "ZADD",
    "ZPOPMIN", "LRANGE", "MSET",
];

/// What the names of others of them begin with.
const TEST_FAMILIES: &[&str] = &["PING_", "LRANGE_"];

/// Headings within the text of a test.
const HEADINGS: &[&str] =
    &["Latency by percentile distribution:", "Cumulative distribution of latencies:", "Summary:"];

/// What further lines below a test begin with.
const BODY: &[&str] =
    &["host configuration \"", "multi-thread: ", "throughput summary: ", "latency summary (msec):", "avg "];

impl ToolReader for RedisBenchmark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "redis-benchmark and valkey-benchmark: the text of any version, with `-q`, and CSV; each test is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["redis-benchmark", "valkey-benchmark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[RATE, "\"test\",\"rps\"", "====== ", "\",\""]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if quiet(line).is_some() || csv_head(text).is_some() {
            return Some(Beginning::Certain);
        }
        // Other texts have such headings and such cells, too.
        (title(text).is_some() || old_csv(line).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some((last, before))) = (lines.first(), lines.split_last()) else {
            return Extent::More;
        };
        if before.is_empty() {
            return if quiet(first).is_some() { Extent::EndsHere } else { Extent::More };
        }
        let text = last.text.trim();
        let belongs = if first.text.starts_with('"') {
            text.starts_with('"')
        } else {
            // White space before them may have been lost.
            let is_body = || {
                let is_figure = |word: &str| word.parse::<f64>().is_ok();
                text.contains("% <= ")
                    || text.contains("% `<=` ")
                    || text.ends_with(RATE)
                    || HEADINGS.contains(&text)
                    || BODY.iter().any(|begin| text.starts_with(begin))
                    || text.contains(" requests completed in ")
                    || option(text).is_some()
                    || text.split_whitespace().all(is_figure)
            };
            title(text).is_none() && (last.is_blank() || last.is_indented() || is_body())
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        let results = if first.text.starts_with('"') {
            csv(block)
        } else if let Some((test, figures)) = quiet(first) {
            vec![result(block, &test, figures, BTreeMap::new())]
        } else {
            vec![text(block)?]
        };
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// A result that stands in a block, with what its text and its command say of it.
fn result(
    block: &ToolBlock<'_>,
    test: &str,
    measured: ToolMeasurement,
    options: BTreeMap<String, String>,
) -> ToolResult {
    let mut result = block.result(NAME, RedisBenchmark.programs());
    result.options = command_options(&result.command);
    result.options.extend(options);
    result.options.insert("test".to_owned(), test.to_owned());
    super::unknown_pipeline(&mut result);
    result.whole = measured;
    result
}

/// What the command says that the text may not: clients, and the requests in one pipeline.
fn command_options(command: &[String]) -> BTreeMap<String, String> {
    let names = [
        ("-c", "clients"),
        ("-P", "pipeline"),
        ("-n", "requests"),
        ("-d", "payload-bytes"),
        ("--threads", "benchmark-threads"),
    ];
    let pairs = command.iter().zip(command.iter().skip(1));
    let known = pairs.filter_map(|(option, value)| {
        let (_, name) = names.iter().find(|(own, _)| own == option)?;
        whole(value).filter(|(_, rest)| rest.is_empty())?;
        Some(((*name).to_owned(), value.clone()))
    });
    known.collect()
}

/// `====== GET ======`.
fn title(text: &str) -> Option<&str> {
    let name = text.strip_prefix("====== ")?.strip_suffix(" ======")?;
    Some(name).filter(|name| !name.is_empty() && !name.contains('='))
}

/// What `-q` prints of a test: `GET: 22727.27 requests per second, p50=0.119 msec`, of early versions the rate
/// alone.
fn quiet(line: &ToolLine) -> Option<(String, ToolMeasurement)> {
    let (before, behind) = line.text.trim().split_once(RATE)?;
    let (test, rate) = before.rsplit_once(": ").filter(|(test, _)| !test.trim().is_empty())?;
    let mut measured = ToolMeasurement::default();
    // Others write such words, too; here the rate has two decimals.
    let decimals = rate.trim().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    if decimals != 2 || !is_number(rate) {
        return None;
    }
    measured.add(metric::REQUESTS_PER_SECOND, number(line.number, rate, Unit::PerSecond));
    match behind.strip_prefix(", p50=") {
        Some(median) => {
            let median = time(line.number, median.trim_end().strip_suffix(" msec")?, "ms");
            measured.add(metric::LATENCY_P50, median);
        }
        // Without it only the name tells whose it is.
        None if behind.trim().is_empty() && is_test(test.trim()) => {}
        None => return None,
    }
    Some((test.trim().to_owned(), measured))
}

/// Whether it is one of [`TESTS`].
fn is_test(name: &str) -> bool {
    let word = name.split(' ').next().unwrap_or_default();
    TESTS.contains(&word) || TEST_FAMILIES.iter().any(|family| word.starts_with(family))
}

fn is_number(text: &str) -> bool {
    leading(text, false).is_some_and(|number| number.rest.is_empty())
}

/// The text of one test.
fn text(block: &ToolBlock<'_>) -> Result<ToolResult, NotUnderstood> {
    let block = block.without_blank_end();
    let test =
        block.lines.first().and_then(|line| title(line.text.trim())).ok_or(NotUnderstood::OtherText)?;
    let (mut measured, mut options, mut warnings) = (ToolMeasurement::default(), BTreeMap::new(), Vec::new());
    let mut columns: Vec<&str> = Vec::new();
    let mut has_requests = false;
    for line in block.lines.iter().skip(1) {
        let text = line.text.trim();
        if let Some((requests, rest)) = text.split_once(" requests completed in ") {
            has_requests = true;
            measured.operations = whole(requests).map(|(count, _)| exact(line.number, count, Unit::One));
            measured.window = quantity(line.number, rest, Counting::Decimal);
        } else if let Some((name, value)) = option(text) {
            options.insert(name.to_owned(), value.to_owned());
        } else if let Some((before, _)) = text.split_once(RATE) {
            let rate = before.strip_prefix("throughput summary:").unwrap_or(before);
            measured.add(metric::REQUESTS_PER_SECOND, number(line.number, rate, Unit::PerSecond));
        } else if text.starts_with("avg ") {
            columns = text.split_whitespace().collect();
        } else if !columns.is_empty() && measured.figure(metric::LATENCY_MEAN).is_none() {
            for (column, value) in columns.iter().zip(text.split_whitespace()) {
                add_latency(&mut measured, column, line.number, value);
            }
        } else if text.starts_with("WARNING") {
            warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
        }
    }
    if !has_requests {
        return Err(NotUnderstood::OtherText);
    }
    if measured.figures.is_empty() {
        return Err(NotUnderstood::CutShort);
    }
    Ok(ToolResult { warnings, ..result(&block, test, measured, options) })
}

/// `5 parallel clients`, `3 bytes payload`, `keep alive: 1`, `threads: 2`.
fn option(text: &str) -> Option<(&'static str, &str)> {
    let of_counts = [(" parallel clients", "clients"), (" bytes payload", "payload-bytes")];
    let counted = of_counts.iter().find_map(|(end, name)| Some((*name, text.strip_suffix(end)?)));
    // As a rule the clients share them: they are no concurrency of their own.
    let named = [("keep alive: ", "keep-alive"), ("threads: ", "benchmark-threads")];
    let named = || named.iter().find_map(|(start, name)| Some((*name, text.strip_prefix(start)?)));
    counted.or_else(named)
}

fn add_latency(measured: &mut ToolMeasurement, column: &str, line: u64, value: &str) {
    let column = column.strip_suffix("_latency_ms").unwrap_or(column);
    if let Some((_, metric)) = COLUMNS.iter().find(|(name, _)| *name == column) {
        measured.add(*metric, time(line, value, "ms"));
    }
}

/// The columns of `"test","rps","avg_latency_ms",...`.
fn csv_head(text: &str) -> Option<Vec<&str>> {
    text.starts_with("\"test\",\"rps\"").then(|| cells(text))
}

/// The test and the rate of `"SET","80192.46"`, as versions before 6.2 print it.
fn old_csv(line: &ToolLine) -> Option<(String, PrintedValue)> {
    let text = line.text.trim();
    if !text.starts_with('"') || !text.ends_with('"') {
        return None;
    }
    let cells = cells(text);
    let [test, rate] = cells.as_slice() else { return None };
    let is_rate = rate.contains('.') && is_number(rate);
    let rate = number(line.number, rate, Unit::PerSecond)?;
    (is_rate && is_test(test)).then(|| ((*test).to_owned(), rate))
}

/// The cells of a line of CSV, all of which are quoted.
fn cells(text: &str) -> Vec<&str> {
    text.trim().trim_matches('"').split("\",\"").collect()
}

/// Each line is a test.
fn csv(block: &ToolBlock<'_>) -> Vec<ToolResult> {
    let columns = block.lines.first().and_then(|line| csv_head(line.text.trim()));
    let mut results = Vec::new();
    for (place, line) in block.lines.iter().enumerate() {
        let own = ToolBlock { lines: block.lines.get(place..=place).unwrap_or_default(), ..*block };
        let mut measured = ToolMeasurement::default();
        let test = match &columns {
            None => {
                let Some((test, rate)) = old_csv(line) else { continue };
                measured.add(metric::REQUESTS_PER_SECOND, Some(rate));
                test
            }
            Some(columns) if place > 0 => {
                let cells = cells(&line.text);
                for (column, value) in columns.iter().zip(&cells) {
                    match *column {
                        "rps" => measured
                            .add(metric::REQUESTS_PER_SECOND, number(line.number, value, Unit::PerSecond)),
                        column => add_latency(&mut measured, column, line.number, value),
                    }
                }
                cells.first().map(|test| (*test).to_owned()).unwrap_or_default()
            }
            Some(_) => continue,
        };
        if !measured.is_empty() {
            results.push(result(&own, &test, measured, BTreeMap::new()));
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn values(result: &ToolResult) -> Vec<(&'static str, f64)> {
        result.whole.figures.iter().map(|figure| (figure.metric.as_str(), figure.printed.value)).collect()
    }

    #[test]
    fn a_test_that_lost_its_white_space_is_read() {
        let results = read(
            "====== GET ======\n2000 requests completed in 0.10 seconds\n5 parallel clients\n3 bytes payload\nkeep alive: 1\n\
             host configuration \"save\":\nmulti-thread: no\n\nSummary:\n\
             throughput summary: 20000.00 requests per second\nlatency summary (msec):\navg min p50 p95 p99 max\n\
             0.180 0.040 0.119 0.231 3.983 5.599\n",
        );
        let latency = results[0].whole.figure(metric::LATENCY_P99).map(|printed| printed.value);
        assert_eq!((results.len(), latency), (1, Some(0.003_983)));
    }

    #[test]
    fn each_line_of_a_quiet_run_is_a_test() {
        let results = read(
            "$ redis-benchmark -c 8 -P 16 -q\nSET: 22727.25 requests per second, p50=0.125 msec\n\
             MSET (10 keys): 71428.50 requests per second\n",
        );
        assert_eq!(values(&results[0]), [("requests_per_second", 22727.25), ("latency_p50", 0.000_125)]);
        assert_eq!(results[1].options["test"], "MSET (10 keys)");
        assert_eq!(
            (results[1].options["clients"].as_str(), results[1].options["pipeline"].as_str()),
            ("8", "16")
        );
    }

    #[test]
    fn regression_marks_of_markdown_ended_a_text_before_its_rate() {
        let results = read(
            "====== SET ======\n  1000 requests completed in 0.01 seconds\n  50 parallel clients\n\n\
             99.76% `<=` 1 milliseconds\n100.00% `<=` 2 milliseconds\n100000.00 requests per second\n",
        );
        assert_eq!(values(&results[0]), [("requests_per_second", 100_000.0)]);
    }

    #[test]
    fn the_text_of_early_versions_has_a_rate_alone() {
        let results = read(
            "====== SET ======\n  100000 requests completed in 1.25 seconds\n  50 parallel clients\n  3 bytes payload\n\
             \x20 keep alive: 1\n\n99.90% <= 1 milliseconds\n100.00% <= 1 milliseconds\n80000.00 requests per second\n\n",
        );
        assert_eq!(values(&results[0]), [("requests_per_second", 80_000.0)]);
        assert_eq!(results[0].whole.operations.as_ref().unwrap().value, 100_000.0);
        assert_eq!(results[0].options["clients"], "50");
        assert_eq!(results[0].options["pipeline"], "unknown", "the text does not say");
    }

    #[test]
    fn csv_is_read_with_its_head_or_without() {
        let with = read(
            "\"test\",\"rps\",\"avg_latency_ms\",\"max_latency_ms\"\n\"SET\",\"18181.5\",\"0.125\",\"4.5\"\n",
        );
        let expected =
            [("requests_per_second", 18181.5), ("latency_mean", 0.000_125), ("latency_max", 4.5 * 1e-3)];
        assert_eq!(values(&with[0]), expected);
        let without = read("\"SET\",\"80192.5\"\n\"GET\",\"90000.5\"\n");
        assert_eq!(without.len(), 2);
        assert_eq!((without[1].options["test"].as_str(), values(&without[1])[0].1), ("GET", 90000.5));
    }

    #[test]
    fn other_headings_are_no_test() {
        assert!(read("====== Results ======\n  all went well\n").is_empty());
        assert!(title("====== A = B ======").is_none());
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        for text in [
            "worker: 123.45 requests per second",
            "throughput summary: 123.45 requests per second",
            "\"USD\",\"80192.46\"",
        ] {
            assert!(RedisBenchmark.begins(&line(text)).is_none(), "{text}");
        }
        for text in
            ["LRANGE_100 (first 100 elements): 123.45 requests per second", "\"PING_INLINE\",\"80192.46\""]
        {
            assert!(RedisBenchmark.begins(&line(text)).is_some(), "{text}");
        }
    }
}
