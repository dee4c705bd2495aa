//! plow: its report, of which it prints the last one again at the end.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolResult};
use model::{MetricName, Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, span};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{bare, cut_off, exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Plow;

const NAME: &str = "plow";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "MB/s of Reads and Writes",
    counting: Counting::Binary,
    proof: "report.go, Snapshot divides the bytes by 1024.0 twice",
};

const RULES: &[CountingRule] = &[BINARY];

/// What is off by less is rounding: times are cut off behind a thousandth.
const NEAR: f64 = 0.005;

/// Headings of its report.
const HEADINGS: &[&str] = &["Summary:", "Error:", "Latency Percentile:", "Latency Histogram:"];

impl ToolReader for Plow {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of plow"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Benchmarking ", "Summary:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if text.starts_with("Benchmarking ") && text.ends_with(" connection(s).") {
            return Some(Beginning::Certain);
        }
        (text == "Summary:").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_own = last.is_blank()
            || last.is_indented()
            || HEADINGS.contains(&text)
            || text.starts_with("Statistics ")
            || text.starts_with("Benchmarking ")
            || text.starts_with("@ Real-time charts");
        let is_again = text.starts_with("Benchmarking ") && !before.is_empty();
        if is_own && !is_again { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let lines = last_report(lines);
        let sheet = FigureSheet::of(lines);
        let count = sheet.count("Count ");
        let codes: Vec<Term> = sheet
            .lines()
            .filter(|(_, text)| text.get(1..).is_some_and(|rest| rest.starts_with("xx ")))
            .map(|(line, text)| nth_of(line, text.get(3..).unwrap_or_default(), 0).exact())
            .collect();
        sheet.at_least(&count, Term::total(&codes), 0.0);
        let elapsed = sheet.behind("Elapsed ").next().and_then(|(line, text)| span(line, text.trim()));
        sheet.equal(&sheet.number("RPS "), &count / &Term::of(elapsed), NEAR);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let is_own = block.lines.iter().any(|line| line.text.trim_start().starts_with("RPS "))
            && block.lines.iter().any(|line| line.text.trim_start().starts_with("Elapsed "));
        if !is_own {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let mut outcomes = RequestOutcomes::default();
        let mut heading = "";
        let mut percents: Vec<&str> = Vec::new();
        for line in last_report(block.lines) {
            let text = line.text.trim();
            if HEADINGS.contains(&text) || text.starts_with("Statistics ") {
                heading = text;
            } else if heading == "Latency Percentile:" && text.starts_with('P') {
                percents = text.split_whitespace().collect();
            } else {
                take(line, heading, &percents, &mut result, &mut outcomes);
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        let given = CommandOptions::of(
            &result.command,
            &[
                "c",
                "n",
                "d",
                "r",
                "rate",
                "connections",
                "concurrency",
                "requests",
                "duration",
                "timeout",
                "b",
                "m",
                "H",
                "T",
            ],
        );
        given.tell(
            &[
                ("c", "connections"),
                ("concurrency", "connections"),
                ("n", "requests"),
                ("requests", "requests"),
                ("d", "duration"),
                ("duration", "duration"),
                ("rate", "rate"),
            ],
            &mut result,
        );
        given.tell_url(&mut result);
        Ok(vec![result])
    }
}

/// The lines from the last summary on: meanwhile each report is written over the one before.
fn last_report(lines: &[ToolLine]) -> &[ToolLine] {
    let start = lines.iter().rposition(|line| line.text.trim() == "Summary:").unwrap_or(0);
    lines.get(start..).unwrap_or_default()
}

fn take(
    line: &ToolLine,
    heading: &str,
    percents: &[&str],
    result: &mut ToolResult,
    outcomes: &mut RequestOutcomes,
) {
    let (number, text) = (line.number, line.text.trim());
    let mut words = text.split_whitespace();
    let (Some(name), Some(value)) = (words.next(), words.next()) else { return };
    let whole_of = &mut result.whole;
    match heading {
        "Summary:" => {
            let count = || whole(value).map(|(count, _)| count);
            match name {
                "Elapsed" => whole_of.window = span(number, value).map(cut_off),
                "Count" => whole_of.operations = count().map(|count| exact(number, count, Unit::One)),
                "RPS" => whole_of.add(metric::REQUESTS_PER_SECOND, bare(number, value, Unit::PerSecond)),
                "Reads" => whole_of.add(metric::RECEIVE_THROUGHPUT, quantity(number, value, BINARY.counting)),
                "Writes" => whole_of.add(metric::SEND_THROUGHPUT, quantity(number, value, BINARY.counting)),
                class if class.ends_with("xx") => {
                    let status = whole(class).map_or(0, |(class, _)| class * 100);
                    outcomes.add(number, count().unwrap_or(0), RequestOutcome::of_status(status));
                }
                _ => {}
            }
        }
        "Error:" => outcomes.add(number, whole(name).map_or(0, |(count, _)| count), RequestOutcome::Failed),
        "Latency Percentile:" => {
            for (percent, value) in percents.iter().zip(text.split_whitespace()) {
                if let Some(metric) = statistic(&percent.to_lowercase()) {
                    whole_of.add(metric, span(number, value));
                }
            }
        }
        _ if heading.starts_with("Statistics ") && name == "Latency" => {
            let names = ["min", "mean", "stddev", "max"];
            for (name, value) in names.into_iter().zip(text.split_whitespace().skip(1)) {
                if let Some(metric) = statistic(name) {
                    whole_of.add(metric, span(number, value));
                }
            }
        }
        _ if heading.starts_with("Statistics ") && name == "RPS" => {
            let most = text.split_whitespace().nth(4);
            let most = most.and_then(|most| bare(number, most, Unit::PerSecond));
            whole_of.add(MetricName::new("requests_per_second_max"), most);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "$ plow http://127.0.0.1:8080/hello -c 20 -n 10000 -d 10s\nBenchmarking http://127.0.0.1:8080/hello with 10000 request(s) using 20 connection(s).\n\
        @ Real-time charts is listening on http://[::]:18888/\n\nSummary:\n  Elapsed        2.5s\n  Count         10000\n    2xx          9900\n    4xx           \
        100\n  RPS        4000.000\n  Reads    10.000MB/s\n  Writes    0.250MB/s\n\nStatistics     Min     Mean    StdDev     Max\n  Latency     32µs    4.9ms   \
        1.2ms   25.839ms\n  RPS        3558.4  4010.12  156.63  4499.98\n\nLatency Percentile:\n  P50     P75    P90    P95    P99   P99.9  P99.99\n  \
        4.7ms  5.1ms  6ms  7ms  9.8ms  15ms  24ms\n\nLatency Histogram:\n  141µs  3000  30.00%\n  5ms    7000  70.00%\n";

    #[test]
    fn its_report_is_read() {
        let output = crate::tool::read("", TEXT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e9).round() / 1e9);
        assert_eq!(
            (value(metric::REQUESTS_PER_SECOND), value(metric::ERROR_SHARE)),
            (Some(4000.0), Some(0.01))
        );
        assert_eq!((value(metric::LATENCY_P99), value(metric::LATENCY_MAX)), (Some(0.0098), Some(0.025_839)));
        assert_eq!(value(metric::RECEIVE_THROUGHPUT), Some(10.0 * 1_048_576.0));
        assert_eq!(
            (result.options["connections"].as_str(), output.unread.len(), result.disagreements.len()),
            ("20", 0, 0)
        );
        let wrong = TEXT.replacen("4000.000", "8000.000", 1);
        assert_eq!(crate::tool::read("", wrong.as_bytes()).unwrap().results[0].disagreements.len(), 1);
    }
}
