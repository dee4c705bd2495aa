//! Nighthawk, the load generator of Envoy: its report for people. Which percentiles it has is by its histogram, near those that
//! were asked for.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::CommandOptions;
use super::outcome::{RequestOutcome, RequestOutcomes};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{bare, exact, leading, plain, seconds, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nighthawk;

const NAME: &str = "nighthawk";

/// What it calls the times from the first byte of a request to the last of its answer, in one version or another.
const OF_REQUESTS: &[&str] = &["Request start to response end", "benchmark_http_client.request_to_response"];

/// What it calls the times that requests waited before they went out.
const OF_QUEUES: &[&str] =
    &["Queueing and connection setup latency", "benchmark_http_client.queue_to_connect"];

/// Percentiles that it has near those that people know.
const KNOWN: &[f64] = &[50.0, 75.0, 80.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// How near: 0.990625 is the 99th.
const NEAR: f64 = 0.08;

impl ToolReader for Nighthawk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of Nighthawk for people: times from the request to the end of its answer, and its counters"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["nighthawk_client"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Times, and counts without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Nighthawk - A layer 7"], OF_REQUESTS, OF_QUEUES])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if text.starts_with("Nighthawk - A layer 7 protocol benchmarking tool") {
            return Some(Beginning::Certain);
        }
        (heading(text).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_counters = before.iter().any(|line| line.text.starts_with("Counter "));
        let is_counter = || {
            text.split_whitespace()
                .nth(1)
                .is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let is_own = last.is_blank()
            || last.is_indented()
            || heading(text).is_some()
            || text.starts_with("Counter ")
            || is_counters && is_counter()
            || text.ends_with(" samples)")
            || before.is_empty();
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut outcomes = RequestOutcomes::default();
        let (mut of, mut is_counters) = (None, false);
        for line in block.lines {
            let text = line.text.trim();
            if text.ends_with(" samples)") || heading(text).is_some() {
                of = heading(text);
            } else if text.starts_with("Counter ") {
                (of, is_counters) = (None, true);
            } else if is_counters {
                counter(line.number, text, &mut result.whole, &mut outcomes);
            } else if let Some(distribution) = of {
                times(line.number, text, distribution, &mut result.whole);
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.operations = outcomes.operations();
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        let given = CommandOptions::of(&result.command, &["rps", "connections", "duration", "concurrency"]);
        given.tell_own_names(&["rps", "connections", "duration", "concurrency"], &mut result);
        given.tell_url(&mut result);
        Ok(vec![result])
    }
}

/// The distribution of a heading: `Request start to response end (49998 samples)`.
fn heading(text: &str) -> Option<MetricName> {
    // Early versions have their number below it.
    let counted = text.strip_suffix(" samples)").and_then(|text| text.rsplit_once(" ("));
    let name = counted.map_or(text, |(name, _)| name);
    match name.trim() {
        name if OF_REQUESTS.contains(&name) => Some(metric::LATENCY),
        name if OF_QUEUES.contains(&name) => Some(MetricName::new("queue_time")),
        _ => None,
    }
}

/// `min: 0s 000ms 020us | mean: 0s 000ms 056us | max: 0s 005ms 123us | pstdev: 0s 000ms 040us`, and
/// `0.990625    35660       0s 001ms 174us`.
fn times(line: u64, text: &str, distribution: MetricName, whole_of: &mut ToolMeasurement) {
    let mut add = |end: &str, value: &str| {
        if let Some(metric) = MetricName::intern(&format!("{distribution}_{end}")) {
            whole_of.add(metric, span(line, value));
        }
    };
    if text.starts_with("min: ") {
        for part in text.split(" | ") {
            match part.split_once(": ") {
                Some(("pstdev", value)) => add("stddev", value),
                Some((name @ ("min" | "mean" | "max"), value)) => add(name, value),
                _ => {}
            }
        }
        return;
    }
    for (label, end) in [("mean:", "mean"), ("pstdev:", "stddev")] {
        if let Some(value) = text.strip_prefix(label) {
            return add(end, value);
        }
    }
    let mut words = text.split_whitespace();
    let (Some(share), Some(_)) = (words.next(), words.next()) else { return };
    let Some(percent) = share.parse::<f64>().ok().map(|share| share * 100.0) else { return };
    let value = words.collect::<Vec<_>>().join(" ");
    match share {
        "0" => return add("min", &value),
        "1" => return add("max", &value),
        _ => {}
    }
    let Some(known) = KNOWN.iter().find(|known| (*known - percent).abs() < NEAR) else { return };
    let name = percentile(&known.to_string());
    if let Some((_, end)) = name.and_then(|name| name.as_str().split_once("latency_")) {
        add(end, &value);
    }
}

/// `0s 001ms 174us`, and of late versions `478.255µs`.
fn span(line: u64, text: &str) -> Option<PrintedValue> {
    let text = text.trim();
    let (mut value, mut half_step) = (0.0, 0.0);
    for word in text.split_whitespace() {
        let number = leading(word, false)?;
        let scale = seconds(number.rest)?;
        value += number.value * scale;
        half_step = number.half_step * scale;
    }
    (half_step > 0.0).then(|| PrintedValue { half_step, ..plain(line, text, value, Unit::Seconds) })
}

/// `benchmark.http_2xx                      49998       9999.60`.
fn counter(line: u64, text: &str, whole_of: &mut ToolMeasurement, outcomes: &mut RequestOutcomes) {
    let mut words = text.split_whitespace();
    let (Some(name), Some(count)) = (words.next(), words.next()) else { return };
    let Some((count, "")) = whole(count) else { return };
    let rate = words.next().and_then(|rate| bare(line, rate, Unit::PerSecond));
    match name.strip_prefix("client.").unwrap_or(name) {
        "benchmark.http_1xx" | "benchmark.http_3xx" => outcomes.add(line, count, RequestOutcome::Good),
        "benchmark.http_2xx" => {
            outcomes.add(line, count, RequestOutcome::Good);
            whole_of.add(metric::REQUESTS_PER_SECOND, rate);
        }
        "benchmark.http_4xx"
        | "benchmark.http_5xx"
        | "benchmark.stream_resets"
        | "benchmark.pool_connection_failure" => {
            outcomes.add(line, count, RequestOutcome::Failed);
        }
        "upstream_cx_rx_bytes_total" => {
            whole_of.bytes = Some(exact(line, count, Unit::Bytes));
            let rate = rate.map(|rate| PrintedValue {
                unit: Unit::BytesPerSecond,
                text: format!("{} B/s", rate.text),
                ..rate
            });
            whole_of.add(metric::THROUGHPUT, rate);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "$ nighthawk_client --rps 10000 --connections 10 --duration 5 http://10.0.0.2/\nNighthawk - A layer 7 protocol benchmarking tool.\n\n\
        Queueing and connection setup latency (50000 samples)\n  min: 0s 000ms 002us | mean: 0s 000ms 004us | max: 0s 001ms 010us | pstdev: 0s 000ms 003us\n\n\
        Request start to response end (50000 samples)\n  min: 0s 000ms 020us | mean: 0s 000ms 056us | max: 0s 005ms 123us | pstdev: 0s 000ms 040us\n\n  \
        Percentile  Count       Value          \n  0.5         25000       0s 000ms 050us \n  0.990625    49532       0s 000ms 174us \n\n\
        Counter                                 Value       Per second\nbenchmark.http_2xx                      49900       9980.00\n\
        benchmark.http_5xx                      100         20.00\nupstream_cx_rx_bytes_total              7850000     1570000.00\n\n";

    #[test]
    fn its_report_is_read() {
        let output = crate::tool::read("", TEXT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e9).round() / 1e9);
        assert_eq!(
            (value(metric::LATENCY_MEAN), value(metric::LATENCY_P99), value(metric::LATENCY_MAX)),
            (Some(56e-6), Some(174e-6), Some(5.123e-3))
        );
        assert_eq!(
            (value(metric::REQUESTS_PER_SECOND), value(metric::ERROR_SHARE)),
            (Some(9980.0), Some(0.002))
        );
        assert_eq!(value(MetricName::new("queue_time_mean")), Some(4e-6));
        assert_eq!((result.options["rps"].as_str(), output.unread.len()), ("10000", 0));
    }

    #[test]
    fn early_versions_have_a_line_for_each_statistic() {
        let text = "Nighthawk - A layer 7 protocol benchmarking tool.\n\nRequest start to response end\n  samples: 9992\n  mean:    0s 000ms 108us\n  \
                    pstdev:  0s 000ms 061us\n\n  Percentile  Count       Latency\n  0           1           0s 000ms 073us\n  \
                    0.990625    9899        0s 000ms 130us\n  1           9992        0s 004ms 083us\n\nCounter                                 Value       Per second\n\
                    client.benchmark.http_2xx               9994        1998.80\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let value = |name| results[0].whole.figure(name).map(|figure| (figure.value * 1e6).round());
        assert_eq!(
            (value(metric::LATENCY_MEAN), value(metric::LATENCY_P99), value(metric::LATENCY_MAX)),
            (Some(108.0), Some(130.0), Some(4083.0))
        );
    }

    #[test]
    fn times_of_late_versions_have_one_number() {
        assert!((span(1, "478.255µs").unwrap().value - 478.255e-6).abs() < 1e-12);
        assert_eq!((span(1, "soon"), span(1, "")), (None, None));
    }
}
