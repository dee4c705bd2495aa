//! lagscope: the round trips of messages over TCP, with their percentiles where `-P` asked for them. Its histogram is not
//! read.

use model::tool_result::{PrintedValue, ToolResult};
use model::{Unit, metric};

use super::{arguments, logged};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::{percentile, statistic};
use crate::tool::number::{cut_off, exact, leading, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Lagscope;

const NAME: &str = "lagscope";

/// Before the other end.
const HOST: &str = "Ping statistics for ";

/// Before how many messages came back.
const PINGS: &str = "Number of successful Pings:";

/// Above percentiles, and above the histogram.
const TABLES: &[&str] = &["Percentile", "Interval(usec)"];

impl ToolReader for Lagscope {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the round trips of lagscope and their percentiles; not its histogram"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Microseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["lagscope ", HOST]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first =
            version(&line.text).is_some() || logged(&line.text).is_some_and(|t| t.starts_with(HOST));
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        if version(text).is_some() {
            return Extent::EndsBefore;
        }
        let is_rule = text.len() > 20 && text.chars().all(|c| c == '-');
        let belongs = last.is_blank()
            || is_rule
            || text == "..."
            || logged(&last.text).is_some()
            || TABLES.iter().any(|table| text.starts_with(table))
            || is_row(text);
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        result.options = arguments(&result.command);
        let mut has_percentiles = false;
        for line in block.lines {
            let text = logged(&line.text).unwrap_or(line.text.trim());
            if let Some(version) = version(text) {
                result.version = Some(version.to_owned());
            } else if let Some(host) = text.strip_prefix(HOST) {
                result.options.insert("host".to_owned(), host.trim_end_matches(':').to_owned());
            } else if let Some(pings) = text.strip_prefix(PINGS) {
                result.whole.operations = whole(pings).map(|(count, _)| exact(line.number, count, Unit::One));
            } else if text.starts_with("Minimum = ") {
                extremes(&mut result, line.number, text);
            } else if let Some(table) = TABLES.iter().find(|table| text.starts_with(**table)) {
                has_percentiles = Some(table) == TABLES.first();
            } else if has_percentiles && let Some((rank, value)) = text.split_once('%') {
                // Of microseconds the rest is cut off.
                let printed = time(line.number, value, "us").map(cut_off);
                if let Some(metric) = percentile(rank) {
                    result.whole.add(metric, printed);
                }
            }
        }
        if result.whole.figure(metric::LATENCY_MEAN).is_none() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// `lagscope 0.1.2`.
fn version(text: &str) -> Option<&str> {
    let version = text.trim().strip_prefix("lagscope ")?;
    let is_number = version.contains('.') && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_number.then_some(version)
}

/// `99.9%  410` of percentiles, and `50  75086` of the histogram.
fn is_row(text: &str) -> bool {
    let is_number = |word: &str| leading(word, false).is_some_and(|number| matches!(number.rest, "" | "%"));
    let mut words = text.split_whitespace();
    words.clone().count() == 2 && words.all(is_number)
}

/// `Minimum = 72.002us, Maximum = 4552.126us, Average = 92.055us`.
fn extremes(result: &mut ToolResult, line: u64, text: &str) {
    for (name, value) in text.split(',').filter_map(|part| part.split_once('=')) {
        let metric = match name.trim() {
            "Minimum" => statistic("min"),
            "Maximum" => statistic("max"),
            "Average" => statistic("avg"),
            _ => None,
        };
        let printed: Option<PrintedValue> =
            value.trim().strip_suffix("us").and_then(|us| time(line, us, "us"));
        if let Some(metric) = metric {
            result.whole.add(metric, printed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "$ lagscope -s10.0.0.2 -P\nlagscope 0.1.2\n---------------------------------------------------------\n\
                          17:49:03 INFO: New connection: local:13948 [socket:3] --> 10.0.0.2:6001\n\
                          17:50:37 INFO: TEST COMPLETED.\n17:50:37 INFO: Ping statistics for 10.0.0.2:\n\
                          17:50:37 INFO: \t  Number of successful Pings: 1000\n\
                          17:50:37 INFO: \t  Minimum = 70.000us, Maximum = 4500.000us, Average = 90.000us\n\n\
                          Percentile\t Latency(us)\n     50%\t 80\n   99.9%\t 410\n\nInterval(usec)\t Frequency\n      0 \t 0\n     50 \t 500\n";

    #[test]
    fn round_trips_and_percentiles_are_read_and_the_histogram_is_not() {
        let output = crate::tool::read("", OUTPUT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e6).round());
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LATENCY_MAX)), (Some(90.0), Some(4500.0)));
        assert_eq!((value(metric::LATENCY_P50), value(metric::LATENCY_P99_9)), (Some(80.0), Some(410.0)));
        assert_eq!((result.whole.figures.len(), output.unread.len()), (5, 0));
        assert_eq!((result.options["host"].as_str(), result.version.as_deref()), ("10.0.0.2", Some("0.1.2")));
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(1000.0));
    }

    #[test]
    fn a_second_run_is_a_second_result() {
        let twice = format!("{OUTPUT}{OUTPUT}");
        assert_eq!(crate::tool::read("", twice.as_bytes()).unwrap().results.len(), 2);
    }
}
