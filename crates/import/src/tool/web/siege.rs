//! siege: its summary as text, and as the JSON of its version 4, whose keys are the labels of the text.

use std::collections::BTreeMap;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::CommandOptions;
use super::outcome::{RequestOutcome, RequestOutcomes};
use crate::tool::arithmetic::FigureSheet;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Siege;

const NAME: &str = "siege";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "4.x",
    units: "MB, MB/sec",
    counting: Counting::Binary,
    proof: "siege-4.0.7-json: 526 answers of 1234 bytes are 649084 bytes; it prints 0.62 MB, which 1000 * 1000 do not give",
};

const RULES: &[CountingRule] = &[BYTES];

/// The labels of the summary, as the JSON has them.
const LABELS: &[&str] = &[
    "transactions",
    "availability",
    "elapsed_time",
    "data_transferred",
    "response_time",
    "transaction_rate",
    "throughput",
    "concurrency",
    "successful_transactions",
    "failed_transactions",
    "longest_transaction",
    "shortest_transaction",
];

/// What the lines above the summary begin with.
const ABOVE: &[&str] = &["** ", "The server is now under siege", "Lifting the server siege", "HTTP/"];

/// What figures may be off by beyond their rounding.
const NEAR: f64 = 0.01;

impl ToolReader for Siege {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of siege as text and as JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Transactions:", "** SIEGE "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_first = text.starts_with("Transactions:") && text.ends_with(" hits");
        (is_first || version(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let has_label = |line: &ToolLine| labelled(&line.text).is_some();
        let is_over = before.iter().rev().take(LABELS.len()).any(has_label);
        let text = last.text.trim();
        let is_above =
            last.is_blank() || ABOVE.iter().any(|start| text.starts_with(start)) || text == "done.";
        let belongs = before.is_empty() || has_label(last) || !is_over && is_above;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"transaction_rate\"") && text.contains("\"availability\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let (good, failed) = (sheet.count("Transactions:"), sheet.count("Failed transactions:"));
        let all = &good + &failed;
        sheet.equal(&sheet.number("Availability:"), (&good / &all).scaled(100.0), 0.0);
        let (seconds, rate) = (sheet.number("Elapsed time:"), sheet.number("Transaction rate:"));
        sheet.equal(
            &sheet.number("Concurrency:"),
            &(&good * &sheet.number("Response time:")) / &seconds,
            NEAR,
        );
        sheet.equal(&rate, &good / &seconds, NEAR);
        sheet.equal(&sheet.number("Throughput:"), &sheet.number("Data transferred:") / &seconds, NEAR);
        let (least, most) = (sheet.number("Shortest transaction:"), sheet.number("Longest transaction:"));
        sheet.between(&least, &sheet.number("Response time:"), &most);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let is_json = block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{'));
        for line in block.lines {
            if let Some(version) = version(line.text.trim()) {
                result.version = Some(version.to_owned());
            }
            // Of JSON, several may stand on a line. In text, a comma may be a decimal one.
            for piece in line.text.split(|c| is_json && c == ',') {
                if let Some((label, value)) = labelled(piece) {
                    take(line.number, label, value, &mut result.whole);
                    counts.extend(whole(value).map(|(count, _)| (label, count)));
                }
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let own = result.whole.figures.iter_mut().find(|figure| figure.metric == metric::ERROR_SHARE);
        if let (Some(own), Some(share)) = (own, failed(&counts)) {
            own.printed = PrintedValue { line: own.printed.line, ..share };
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// The share of those that failed, where more did than availability tells of: an answer with the status of an error is
/// available, and no successful transaction.
fn failed(counts: &BTreeMap<&str, u64>) -> Option<PrintedValue> {
    let of = |label: &str| counts.get(label).copied();
    let (all, without_answer) = (of("transactions")?, of("failed_transactions")?);
    let good = of("successful_transactions")?.min(all);
    let mut outcomes = RequestOutcomes::default();
    outcomes.add(1, good, RequestOutcome::Good);
    outcomes.add(1, (all - good).saturating_add(without_answer), RequestOutcome::Failed);
    outcomes.error_share().filter(|_| good < all)
}

/// `4.0.7` of `** SIEGE 4.0.7`.
fn version(text: &str) -> Option<&str> {
    text.strip_prefix("** SIEGE ").map(str::trim).filter(|version| !version.is_empty())
}

/// The label of a line, as the JSON has it, and what stands behind it.
fn labelled(text: &str) -> Option<(&'static str, &str)> {
    let (label, value) = text.split_once(':')?;
    let label = label.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '"'));
    let own = LABELS.iter().find(|own| {
        own.len() == label.len() && own.replace('_', " ").eq_ignore_ascii_case(&label.replace('_', " "))
    })?;
    let value = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ','));
    leading(value, false).map(|_| (*own, value))
}

/// Puts a line of the summary where it belongs.
fn take(line: u64, label: &str, value: &str, whole_of_it: &mut ToolMeasurement) {
    let seconds = || seconds(line, value);
    match label {
        "transactions" => {
            whole_of_it.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One));
        }
        "availability" => {
            let share = bare(line, value, Unit::One).map(|share| PrintedValue {
                text: format!("1 - {}%", share.text),
                value: (100.0 - share.value) / 100.0,
                half_step: share.half_step / 100.0,
                ..share
            });
            whole_of_it.add(metric::ERROR_SHARE, share);
        }
        "elapsed_time" => whole_of_it.window = seconds(),
        "data_transferred" => whole_of_it.bytes = megabytes(line, value, "MB"),
        "response_time" => whole_of_it.add(metric::LATENCY_MEAN, seconds()),
        "transaction_rate" => {
            whole_of_it.add(metric::REQUESTS_PER_SECOND, bare(line, value, Unit::PerSecond));
        }
        "throughput" => whole_of_it.add(metric::THROUGHPUT, megabytes(line, value, "MB/s")),
        "longest_transaction" => whole_of_it.add(metric::LATENCY_MAX, seconds()),
        "shortest_transaction" => whole_of_it.add(MetricName::new("latency_min"), seconds()),
        // How many were in flight in the mean follows from the others.
        _ => {}
    }
}

/// A time; where nothing stands behind it, as in the JSON of 4.0, it is in seconds. Version 4.1 prints some in ms.
fn seconds(line: u64, text: &str) -> Option<PrintedValue> {
    let unit = leading(text, false)?.rest.trim();
    if unit.is_empty() {
        return quantity(line, &format!("{text} s"), Counting::Binary);
    }
    quantity(line, text, Counting::Binary)
}

/// Megabytes, whose unit the JSON leaves out.
fn megabytes(line: u64, text: &str, unit: &str) -> Option<PrintedValue> {
    let digits = leading(text, false)?.digits;
    quantity(line, &format!("{digits} {unit}"), BYTES.counting)
}

const WITH_VALUE: &[&str] = &[
    "c",
    "concurrent",
    "t",
    "time",
    "r",
    "reps",
    "d",
    "delay",
    "f",
    "file",
    "H",
    "header",
    "A",
    "user-agent",
    "T",
    "content-type",
    "R",
    "rc",
    "m",
    "mark",
    "l",
    "log",
];

/// Options whose values are told: others may be secret.
const TOLD: &[&str] =
    &["c", "concurrent", "t", "time", "r", "reps", "d", "delay", "b", "benchmark", "i", "internet"];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    // Without it, users wait between their requests: fewer are in flight than there are users.
    let is_closed = given.get(&["b", "benchmark"]).is_some();
    if let Some(users) = given.get(&["c", "concurrent"]).filter(|_| is_closed) {
        result.options.insert("concurrency".to_owned(), users.to_owned());
    }
    given.tell_url(result);
    given.tell_own_names(TOLD, result);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    #[test]
    fn times_in_milliseconds_are_told_from_those_in_seconds() {
        let text = "Transactions:               1000    hits\nAvailability:             99.00 %\n\
                    Elapsed time:               5.05 secs\nResponse time:             48.29 ms\n\
                    Transaction rate:         198.02 trans/sec\nLongest transaction:       0.14\n";
        let read = read(text);
        let is = |name, value: f64| (read.whole.figure(name).unwrap().value - value).abs() < 1e-12;
        assert!(is(metric::LATENCY_MEAN, 48.29e-3) && is(metric::LATENCY_MAX, 0.14));
        assert!(is(metric::REQUESTS_PER_SECOND, 198.02) && is(metric::ERROR_SHARE, 0.01));
        assert_eq!(read.whole.operations.map(|count| count.value), Some(1000.0));
    }

    #[test]
    fn answers_of_errors_are_available_and_have_failed() {
        let share = |successful: u64| {
            let text = format!(
                "Transactions:   80 hits\nAvailability:   80.00 %\nTransaction rate:   8.00 trans/sec\n\
                 Successful transactions:   {successful}\nFailed transactions:   20\n"
            );
            read(&text).whole.figure(metric::ERROR_SHARE).map(|share| share.value)
        };
        assert_eq!((share(80), share(30), share(90)), (Some(0.2), Some(0.7), Some(0.2)));
    }

    #[test]
    fn a_comma_may_be_a_decimal_one() {
        let read =
            read("Transactions:   10 hits\nElapsed time:   5,05 secs\nTransaction rate:   1,98 trans/sec\n");
        assert_eq!(read.whole.window.map(|window| window.value), Some(5.05));
    }

    #[test]
    fn users_are_all_in_flight_only_where_none_waits() {
        let of = |command: &str| {
            let command = command.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            options(&mut result);
            result.options.get("concurrency").cloned()
        };
        assert_eq!(of("siege -b -c 10 -t 1S http://h/"), Some("10".to_owned()));
        assert_eq!(of("siege -c 10 -t 1S http://h/"), None);
    }
}
