//! rewrk: its report, and its JSON. What it calls percentiles are means of the slowest requests: beside `99%` stands that of
//! the slowest hundredth, which is more than the 99th percentile.

use serde_json::Value;

use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::CommandOptions;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Rewrk;

const NAME: &str = "rewrk";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.3",
    units: "MB, GB, MB/Sec, GB/Sec; KB are never printed",
    counting: Counting::Binary,
    proof: "src/utils.rs, format_data divides by 1024 * 1024 and 1024 * 1024 * 1024",
};

const RULES: &[CountingRule] = &[BINARY];

/// The rows of what it calls percentiles, with the mean that each is.
const SLOWEST: &[(&str, MetricName)] = &[
    ("99.9%", MetricName::new("latency_above_p99_9_mean")),
    ("99%", MetricName::new("latency_above_p99_mean")),
    ("95%", MetricName::new("latency_above_p95_mean")),
    ("90%", MetricName::new("latency_above_p90_mean")),
    ("75%", MetricName::new("latency_above_p75_mean")),
    ("50%", MetricName::new("latency_above_p50_mean")),
];

impl ToolReader for Rewrk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of rewrk, of each round, and its JSON; what it calls percentiles are means of the slowest requests"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Benchmarking ", "Beginning round ", "Latencies:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if text.starts_with("Benchmarking ") && text.contains(" connections @ ") {
            return Some(Beginning::Certain);
        }
        (text.starts_with("Beginning round ") || text == "Latencies:").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_title = |text: &str| text.starts_with("Beginning round ") || text.starts_with("Benchmarking ");
        let has_figures = before.iter().any(|line| line.text.contains("Req/Sec:"));
        if is_title(text) && has_figures {
            return Extent::EndsBefore;
        }
        let is_own =
            last.is_indented() || is_title(text) || text.starts_with("+ ---") || text.starts_with("| ");
        if is_own || last.is_blank() && !has_figures { Extent::More } else { Extent::EndsBefore }
    }

    fn shares(&self, line: &ToolLine) -> bool {
        line.text.starts_with("| ")
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"latency_std_deviation\"") && text.contains("\"requests_avg\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let is_json = block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{'));
        if is_json {
            of_json(block, &mut result.whole).ok_or(NotUnderstood::OtherText)?;
        } else {
            of_text(block.lines, &mut result);
        }
        if result.whole.figure(metric::REQUESTS_PER_SECOND).is_none() {
            return Err(NotUnderstood::CutShort);
        }
        let given = CommandOptions::of(
            &result.command,
            &["c", "t", "d", "h", "connections", "threads", "duration", "host", "rounds", "r"],
        );
        let names = [
            ("c", "connections"),
            ("connections", "connections"),
            ("t", "threads"),
            ("threads", "threads"),
            ("d", "duration"),
            ("duration", "duration"),
            ("h", "url"),
            ("host", "url"),
        ];
        given.tell(&names, &mut result);
        Ok(vec![result])
    }
}

fn of_text(lines: &[ToolLine], result: &mut ToolResult) {
    let mut is_latency = false;
    for line in lines {
        let (number, text) = (line.number, line.text.trim());
        let behind = |name: &str| text.split_once(name).map(|(_, rest)| rest.trim());
        let whole_of = &mut result.whole;
        if let Some(rest) = text.strip_prefix("Benchmarking ") {
            let count = whole(rest).map(|(count, _)| count.to_string());
            result.options.extend(count.map(|count| ("connections".to_owned(), count)));
            let seconds = rest.split_once(" for ").and_then(|(_, seconds)| whole(seconds));
            result.options.extend(seconds.map(|(seconds, _)| ("duration".to_owned(), seconds.to_string())));
        } else if text.starts_with("Avg ") {
            is_latency = true;
        } else if std::mem::take(&mut is_latency) {
            let names = [
                metric::LATENCY_MEAN,
                MetricName::new("latency_stddev"),
                MetricName::new("latency_min"),
                metric::LATENCY_MAX,
            ];
            for (name, value) in names.into_iter().zip(text.split_whitespace()) {
                whole_of.add(name, quantity(number, value, Counting::Decimal));
            }
        } else if let Some(rate) = behind("Req/Sec:") {
            whole_of.operations =
                behind("Total:").and_then(whole).map(|(count, _)| exact(number, count, Unit::One));
            whole_of.add(metric::REQUESTS_PER_SECOND, bare(number, rate, Unit::PerSecond));
        } else if let Some(rate) = behind("Transfer Rate:") {
            let total = behind("Total:").and_then(|rest| rest.split_once("Transfer")).map(|(total, _)| total);
            whole_of.bytes = total.and_then(|total| quantity(number, total, BINARY.counting));
            let rate = quantity(number, &rate.replace("/Sec", "/s"), BINARY.counting);
            whole_of.add(metric::THROUGHPUT, rate);
        } else if let Some((percent, value)) = text.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
            let known = SLOWEST.iter().find(|(name, _)| *name == percent.trim());
            if let Some((_, metric)) = known {
                whole_of
                    .add(*metric, quantity(number, value.trim_end_matches('|').trim(), Counting::Decimal));
            }
        }
    }
}

/// Its JSON, in milliseconds and bytes.
fn of_json(block: &ToolBlock<'_>, whole_of: &mut ToolMeasurement) -> Option<()> {
    let document: Value = serde_json::from_str(&block.text()).ok()?;
    let line = block.range().first;
    let value = |name: &str| document.get(name).and_then(Value::as_f64);
    whole_of.operations = value("requests_total").map(|count| exact(line, count as u64, Unit::One));
    whole_of.bytes = value("transfer_total").map(|bytes| exact(line, bytes as u64, Unit::Bytes));
    let mut add = |metric, name: &str, scale: f64, unit| {
        let printed = value(name).map(|value| plain(line, value.to_string(), value * scale, unit));
        whole_of.add(metric, printed);
    };
    add(metric::REQUESTS_PER_SECOND, "requests_avg", 1.0, Unit::PerSecond);
    add(metric::THROUGHPUT, "transfer_rate", 1.0, Unit::BytesPerSecond);
    add(metric::LATENCY_MEAN, "latency_avg", 1e-3, Unit::Seconds);
    add(MetricName::new("latency_min"), "latency_min", 1e-3, Unit::Seconds);
    add(metric::LATENCY_MAX, "latency_max", 1e-3, Unit::Seconds);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "$ rewrk -c 256 -t 12 -d 15s -h http://127.0.0.1:5050 --pct\nBeginning round 1...\n\
        Benchmarking 256 connections @ http://127.0.0.1:5050 for 15 second(s)\n  Latencies:\n    Avg      Stdev    Min      Max      \n    \
        2.64ms   2.20ms   0.02ms   99.04ms  \n  Requests:\n    Total: 1434117 Req/Sec: 95607.80\n  Transfer:\n    Total: 192.75 MB Transfer Rate: \
        12.85 MB/Sec\n+ --------------- + --------------- +\n|   Percentile    |   Avg Latency   |\n+ --------------- + --------------- +\n\
        |      99.9%      |     31.14ms     |\n|       99%       |     19.37ms     |\n+ --------------- + --------------- +\n";

    #[test]
    fn what_it_calls_percentiles_are_means() {
        let output = crate::tool::read("", TEXT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e6).round() / 1e6);
        assert_eq!(value(metric::REQUESTS_PER_SECOND), Some(95_607.8));
        assert_eq!(
            (value(metric::LATENCY_P99), value(MetricName::new("latency_above_p99_mean"))),
            (None, Some(0.019_37))
        );
        assert_eq!(value(metric::THROUGHPUT), Some(12.85 * 1_048_576.0));
        assert_eq!((result.options["connections"].as_str(), output.unread.len()), ("256", 0));
    }

    #[test]
    fn its_json_is_in_milliseconds() {
        let text = "{\"latency_avg\":2.5,\"latency_max\":99.0,\"latency_min\":0.02,\"latency_std_deviation\":2.2,\"requests_avg\":1000.0,\
                    \"requests_total\":15000,\"transfer_rate\":2000000.0,\"transfer_total\":30000000.0}\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let value = |name| results[0].whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::THROUGHPUT)), (Some(0.0025), Some(2e6)));
    }
}
