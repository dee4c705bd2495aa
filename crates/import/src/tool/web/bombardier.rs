//! bombardier: the statistics that it prints at its end. Its rate is the mean of many short spans, and not all
//! answers divided by all the time.

use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, behind, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{count, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Bombardier;

const NAME: &str = "bombardier";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "format.go: binaryUnits has the scale 1024",
};

const RULES: &[CountingRule] = &[BYTES];

impl ToolReader for Bombardier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of bombardier"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Bombarding ", "Statistics", "Reqs/sec "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if is_banner(text) || is_heading(text) {
            return Some(Beginning::Certain);
        }
        is_rate(text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_above = text.starts_with('[') || text == "Done!" || is_heading(text);
        let belongs = before.is_empty() || last.is_blank() || last.is_indented() || is_above || is_row(text);
        let is_over = before.last().is_some_and(|line| behind(&line.text, "Throughput").is_some());
        if belongs && !is_over { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut outcomes = RequestOutcomes::default();
        for line in block.lines {
            banner(&line.text, &mut result);
            take(line, &mut result.whole, &mut outcomes);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.operations = outcomes.operations();
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        options(&mut result);
        Ok(vec![result])
    }
}

/// `Bombarding http://host:80/ for 10s using 125 connection(s)`, or `with 1000 request(s) using ...`.
fn is_banner(text: &str) -> bool {
    let is_end = text.ends_with(" connection(s)") || text.ends_with(" connections");
    text.starts_with("Bombarding ") && is_end
}

/// `Statistics        Avg      Stdev        Max`.
fn is_heading(text: &str) -> bool {
    text.split_whitespace().eq(["Statistics", "Avg", "Stdev", "Max"])
}

/// `Reqs/sec     74274.76    5062.19   77786.16`: many paste this row and those below it.
fn is_rate(text: &str) -> bool {
    let Some(values) = text.strip_prefix("Reqs/sec ") else { return false };
    let mut words = values.split_whitespace();
    words.clone().count() == 3 && words.all(|word| word.parse::<f64>().is_ok())
}

/// What rows below the heading begin with.
const ROWS: &[&str] = &["Reqs/sec ", "Latency ", "HTTP codes:", OTHERS, "Errors:", "Throughput:"];

/// What stands before the number of requests without an answer.
const OTHERS: &str = "others - ";

/// Whether it is a row below the heading, where white space at the beginning of lines is lost.
fn is_row(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_percentile = matches!(words.as_slice(), [percent, _] if percent.ends_with('%'));
    ROWS.iter().any(|start| text.starts_with(start)) || is_codes(text) || is_percentile
}

/// `1xx - 0, 2xx - 773412, 3xx - 0, 4xx - 0, 5xx - 0`.
fn is_codes(text: &str) -> bool {
    text.starts_with("1xx - ")
}

/// What the banner says of the load.
fn banner(text: &str, result: &mut ToolResult) {
    let text = text.trim();
    if !is_banner(text) {
        return;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let behind = |word: &str| words.iter().position(|own| *own == word).and_then(|at| words.get(at + 1));
    let told = [("url", behind("Bombarding")), ("duration", behind("for")), ("requests", behind("with"))];
    let connections = ("connections", behind("using"));
    for (name, value) in told.into_iter().chain([connections]) {
        result.options.extend(value.map(|value| (name.to_owned(), (*value).to_owned())));
    }
}

/// Reads a line.
fn take(line: &ToolLine, whole_of_it: &mut ToolMeasurement, outcomes: &mut RequestOutcomes) {
    let text = line.text.trim();
    if let Some(rest) = behind(text, "Throughput") {
        whole_of_it.add(metric::THROUGHPUT, quantity(line.number, rest, BYTES.counting));
        return;
    }
    if is_codes(text) {
        return codes(line.number, text, outcomes);
    }
    // Without an answer: what went wrong stands below, by its words.
    if let Some((count, _)) = text.strip_prefix(OTHERS).and_then(whole) {
        return outcomes.add(line.number, count, RequestOutcome::Failed);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["Reqs/sec", mean, deviation, most] => {
            let rate = |text: &str| count(line.number, text, Counting::Decimal, Unit::PerSecond);
            whole_of_it.add(metric::REQUESTS_PER_SECOND, rate(mean));
            whole_of_it.add(MetricName::new("requests_per_second_stddev"), rate(deviation));
            whole_of_it.add(MetricName::new("requests_per_second_max"), rate(most));
        }
        ["Latency", mean, deviation, most] => {
            whole_of_it.add(metric::LATENCY_MEAN, span(line.number, mean));
            whole_of_it.add(MetricName::new("latency_stddev"), span(line.number, deviation));
            whole_of_it.add(metric::LATENCY_MAX, span(line.number, most));
        }
        [percent, time] if percent.ends_with('%') => {
            // The first list is of all requests; one of successful requests alone may follow it.
            if let Some(name) = percentile(percent)
                && whole_of_it.figure(name).is_none()
            {
                whole_of_it.add(name, span(line.number, time));
            }
        }
        _ => {}
    }
}

/// Adds the answers of each class.
fn codes(line: u64, text: &str, outcomes: &mut RequestOutcomes) {
    for (class, number) in text.split(", ").filter_map(|part| part.split_once(" - ")) {
        if let (Some((class, "xx")), Some((count, _))) = (whole(class), whole(number)) {
            outcomes.add(line, count, RequestOutcome::of_status(class.saturating_mul(100)));
        }
    }
}

const WITH_VALUE: &[&str] = &[
    "c",
    "connections",
    "t",
    "timeout",
    "m",
    "method",
    "b",
    "body",
    "f",
    "body-file",
    "cert",
    "key",
    "H",
    "header",
    "n",
    "requests",
    "d",
    "duration",
    "r",
    "rate",
    "o",
    "format",
    "p",
    "print",
];

/// Options whose values are told, with our names for them: others may be secret.
const TOLD: &[(&str, &str)] = &[
    ("c", "connections"),
    ("connections", "connections"),
    ("n", "requests"),
    ("requests", "requests"),
    ("d", "duration"),
    ("duration", "duration"),
    ("r", "rate"),
    ("rate", "rate"),
    ("m", "method"),
    ("method", "method"),
];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    given.tell(TOLD, result);
    given.tell_url(result);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_their_heading_are_known() {
        let text = "### POST /form\n  Reqs/sec     74274.76    5062.19   77786.16\n  Latency        1.32ms   577.00us     7.12ms\n  \
                    Latency Distribution\n     50%     1.20ms\n     99%     3.68ms\n\n## More\n  Reqs/sec      9073.77    1267.49   \
                    14204.56\n  Latency       11.06ms     3.27ms    25.64ms\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let rate =
            |result: &ToolResult| result.whole.figure(metric::REQUESTS_PER_SECOND).map(|rate| rate.value);
        assert_eq!(results.iter().map(rate).collect::<Vec<_>>(), [Some(74274.76), Some(9073.77)]);
        assert!(results[0].whole.figure(metric::LATENCY_P99).is_some());
    }

    #[test]
    fn the_load_is_told_by_the_banner() {
        let mut result = ToolResult::default();
        banner("Bombarding http://h:80/ with 1000 request(s) using 125 connection(s)", &mut result);
        let told: Vec<String> =
            result.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(told, ["connections=125", "requests=1000", "url=http://h:80/"]);
    }

    const REPORT: &str = "Bombarding http://h:80/ for 10s using 5 connection(s)\nDone!\nStatistics  Avg  Stdev  Max\n  \
         Reqs/sec   10.00   1.00   12.00\n  Latency   1.61ms   1.03ms   57.04ms\n     99%   5.00ms\n  HTTP codes:\n    \
         1xx - 0, 2xx - 80, 3xx - 0, 4xx - 4, 5xx - 6\n    others - 10\n  Errors:\n    dial tcp: refused - 10\n  \
         Throughput:    13.95MB/s\n";

    #[test]
    fn answers_that_are_errors_and_requests_without_an_answer_have_failed() {
        let result = crate::tool::read("", REPORT.as_bytes()).unwrap().results.remove(0);
        let share = result.whole.figure(metric::ERROR_SHARE).unwrap();
        assert_eq!((share.value, share.text.as_str()), (0.2, "20/100"));
        assert_eq!(result.whole.operations.map(|count| count.value), Some(100.0));
    }

    #[test]
    fn white_space_before_rows_may_be_lost() {
        let squeezed: Vec<String> = REPORT
            .lines()
            .filter(|line| !line.contains("dial tcp"))
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let output = crate::tool::read("", squeezed.join("\n").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert!(result.whole.figure(metric::THROUGHPUT).is_some());
        assert!(result.whole.figure(metric::LATENCY_P99).is_some());
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(100.0));
    }

    #[test]
    fn percentiles_are_of_all_requests() {
        let lists = "Latency Distribution (Total)\n     99%   5.00ms\n  Latency Distribution (2xx)\n     99%   9.00ms\n";
        let text = REPORT.replace("   99%   5.00ms\n", lists);
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let p99 = result.whole.figure(metric::LATENCY_P99);
        assert_eq!(p99.map(|printed| printed.text.as_str()), Some("5.00ms"));
    }
}
