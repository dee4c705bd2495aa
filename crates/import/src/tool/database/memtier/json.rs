//! memtier_benchmark's JSON (`--json-out-file`): what its tables tell, and what it was asked for. Who it asked and with which
//! password is not kept.

use std::collections::BTreeMap;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};
use serde_json::{Map, Value};

use super::{BYTES, Memtier, NAME, TOTALS};
use crate::tool::block::ToolBlock;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, plain};
use crate::tool::reader::{NotUnderstood, ToolReader as _};

/// The table of a single run; those of several runs are called otherwise.
const SINGLE: &str = "ALL STATS";

/// Rates have two decimals, and times in ms three.
const RATE_STEP: f64 = 0.01;
const MILLISECONDS_STEP: f64 = 0.001;

/// Settings that are told, with our names for them.
const SETTINGS: &[(&str, &str)] = &[
    ("threads", "benchmark-threads"),
    ("clients", "connections-per-thread"),
    ("pipeline", "pipeline"),
    ("ratio", "ratio"),
    ("data_size", "data-size"),
    ("key_pattern", "key-pattern"),
    ("protocol", "protocol"),
];

/// Those that are told where they are not 0, which stands for none.
const LIMITS: &[(&str, &str)] =
    &[("rate_limit", "rate"), ("requests", "requests-per-client"), ("test_time", "seconds")];

/// Whether a JSON text is its.
pub(super) fn knows(text: &str) -> bool {
    ["\"Ops/sec\"", "\"KB/sec\"", "\"Totals\""].iter().all(|name| text.contains(name))
}

/// Reads a document: each table in it is a result.
///
/// # Errors
/// If it is cut, or another's.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
    let document: Map<String, Value> =
        serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
            true => NotUnderstood::CutShort,
            false => NotUnderstood::OtherText,
        })?;
    let options = document.get("configuration").and_then(Value::as_object).map(settings).unwrap_or_default();
    let tables = document.iter().filter_map(|(title, table)| Some((title, table.as_object()?)));
    let results: Vec<ToolResult> =
        tables.filter_map(|(title, table)| result(title, table, &options, block)).collect();
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

/// What it was asked for.
fn settings(configuration: &Map<String, Value>) -> BTreeMap<String, String> {
    let told = |key: &str| match configuration.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let settings = SETTINGS.iter().filter_map(|(key, name)| Some(((*name).to_owned(), told(key)?)));
    let limits = LIMITS.iter().filter_map(|(key, name)| {
        let value = told(key).filter(|value| value != "0")?;
        Some(((*name).to_owned(), value))
    });
    let mut all: BTreeMap<String, String> = settings.chain(limits).collect();
    let number = |key: &str| configuration.get(key).and_then(Value::as_u64);
    if let Some((threads, each)) = number("threads").zip(number("clients")) {
        all.insert("connections".to_owned(), threads.saturating_mul(each).to_string());
    }
    all
}

/// The result of a table; `None` where it is none, or has no figures.
fn result(
    title: &str,
    table: &Map<String, Value>,
    options: &BTreeMap<String, String>,
    block: &ToolBlock<'_>,
) -> Option<ToolResult> {
    let line = block.range().first;
    let mut result = block.result(NAME, Memtier.programs());
    super::options(&mut result);
    result.options.extend(options.iter().map(|(name, value)| (name.clone(), value.clone())));
    if title != SINGLE {
        result.options.insert("run".to_owned(), title.to_lowercase());
    }
    result.whole = measured(line, table.get(TOTALS)?.as_object()?);
    // Of a mean of several runs it is none of theirs.
    let runtime = table.get("Runtime").and_then(Value::as_object).filter(|_| title == SINGLE);
    result.whole.window = runtime.and_then(|runtime| {
        let value = runtime.get("Total duration")?.as_u64().filter(|duration| *duration > 0)? as f64;
        Some(PrintedValue {
            half_step: 0.5e-3,
            ..plain(line, format!("{value} ms"), value / 1e3, Unit::Seconds)
        })
    });
    for (name, row) in table.iter().filter(|(name, _)| name.as_str() != TOTALS) {
        let Some(measured) = row.as_object().map(|row| measured(line, row)) else { continue };
        if measured.figure(metric::OPERATIONS_PER_SECOND).is_some_and(|rate| rate.value > 0.0) {
            let kind = ToolPartKind::Direction;
            result.parts.push(ToolPart { kind, name: name.clone(), start_s: None, measured });
        }
    }
    (!result.whole.figures.is_empty()).then_some(result)
}

/// The figures of a row.
fn measured(line: u64, row: &Map<String, Value>) -> ToolMeasurement {
    let number = |key: &str| row.get(key).and_then(Value::as_f64);
    let rate = |key: &str| {
        let value = number(key)?;
        Some(PrintedValue {
            half_step: RATE_STEP / 2.0,
            ..plain(line, value.to_string(), value, Unit::PerSecond)
        })
    };
    let mut measured = ToolMeasurement {
        operations: row.get("Count").and_then(Value::as_u64).map(|count| exact(line, count, Unit::One)),
        ..ToolMeasurement::default()
    };
    measured.add(metric::OPERATIONS_PER_SECOND, rate("Ops/sec"));
    measured.add(MetricName::new("hits_per_second"), rate("Hits/sec"));
    measured.add(MetricName::new("misses_per_second"), rate("Misses/sec"));
    measured.add(
        metric::THROUGHPUT,
        number("KB/sec").map(|value| PrintedValue {
            half_step: RATE_STEP / 2.0 * 1024.0,
            counting: Some(BYTES.counting),
            ..plain(line, format!("{value} KB/s"), value * 1024.0, Unit::BytesPerSecond)
        }),
    );
    // Until 1.3 the mean is called the latency.
    let mean = number("Average Latency").or_else(|| number("Latency"));
    measured.add(metric::LATENCY_MEAN, mean.map(|value| milliseconds(line, value)));
    measured
        .add(MetricName::new("latency_min"), number("Min Latency").map(|value| milliseconds(line, value)));
    measured.add(metric::LATENCY_MAX, number("Max Latency").map(|value| milliseconds(line, value)));
    let percentiles = row.get("Percentile Latencies").and_then(Value::as_object);
    for (name, value) in percentiles.into_iter().flatten() {
        if let Some((metric, value)) = statistic(name).zip(value.as_f64()) {
            measured.add(metric, Some(milliseconds(line, value)));
        }
    }
    measured
}

fn milliseconds(line: u64, value: f64) -> PrintedValue {
    let half_step = MILLISECONDS_STEP / 2.0 / 1e3;
    PrintedValue { half_step, ..plain(line, format!("{value} ms"), value / 1e3, Unit::Seconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "{\"Count\": 1000, \"Ops/sec\": 500.00, \"Hits/sec\": 100.00, \"Misses/sec\": 400.00, \
                       \"Average Latency\": 2.500, \"Min Latency\": 0.100, \"Max Latency\": 9.000, \"KB/sec\": 20.00, \
                       \"Time-Serie\": {\"0\": {\"Count\": 1000}}, \
                       \"Percentile Latencies\": {\"p50.000\": 2.000, \"p99.900\": 8.000, \
                       \"Histogram log format\": {\"Compressed Histogram\": \"x\"}}}";

    fn document(title: &str) -> String {
        format!(
            "{{\n\"configuration\": {{\"server\": \"db.example\", \"authenticate\": \"geheim\", \"threads\": 4, \"clients\": 50, \
             \"pipeline\": 2, \"ratio\": \"1:10\", \"requests\": 5, \"test_time\": 0, \"rate_limit\": 0}},\n\
             \"{title}\": {{\"Runtime\": {{\"Total duration\": 2000}}, \"Gets\": {ROW}, \"Totals\": {ROW}}}\n}}\n"
        )
    }

    #[test]
    fn a_document_has_the_figures_of_the_table_and_its_settings() {
        let output = crate::tool::read("", document("ALL STATS").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name: MetricName| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(500.0));
        assert_eq!(value(metric::THROUGHPUT), Some(20_480.0));
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LATENCY_P50)), (Some(0.0025), Some(0.002)));
        assert_eq!((value(metric::LATENCY_P99_9), value(metric::LATENCY_MAX)), (Some(0.008), Some(0.009)));
        assert_eq!(result.whole.window.as_ref().unwrap().value, 2.0);
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Gets"]);
        let option = |name: &str| result.options.get(name).map(String::as_str);
        assert_eq!((option("connections"), option("pipeline")), (Some("200"), Some("2")));
        assert_eq!((option("requests-per-client"), option("rate"), option("run")), (Some("5"), None, None));
        assert!(!result.options.values().any(|value| value == "geheim"));
    }

    #[test]
    fn each_table_of_several_runs_is_a_result() {
        let output = crate::tool::read("", document("BEST RUN RESULTS").as_bytes()).unwrap();
        assert_eq!(output.results[0].options["run"], "best run results");
        let text = document("ALL STATS");
        let cut = text.get(..text.len() / 2).unwrap();
        assert!(crate::tool::read("", cut.as_bytes()).unwrap().results.is_empty());
        assert!(!knows("{\"Totals\": 1}"));
    }
}
