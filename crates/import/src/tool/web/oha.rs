//! oha: its summary as text and as JSON.

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, Value, WorkloadName, metric};
use serde::Deserialize;

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, behind, same_work, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::{percentile, statistic};
use crate::tool::number::{bare, count, exact, leading, percent, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Oha;

const NAME: &str = "oha";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "KiB, MiB, GiB of Total data and Size/sec; those of Size/sec are cut to a whole byte",
    counting: Counting::Binary,
    proof: "src/printer.rs, print_summary asks for UnitType::Binary, which has the i in its units",
};

const RULES: &[CountingRule] = &[BYTES];

/// Headings of the text.
const HEADINGS: &[&str] = &[
    "Response time histogram",
    "Response time distribution",
    "Latency distribution",
    "Details (average, fastest, slowest)",
    "Status code distribution",
    "Error distribution",
];

/// The heading above all.
const SUMMARY: &str = "Summary:";

/// What stands in each line with which it, or hey, may begin.
pub(super) const MARKS: &[&[&str]] = &[HEADINGS, &[SUMMARY, "Success rate", "sec"]];

/// The heading above what went wrong.
const ERRORS: &str = "Error distribution";

/// A heading that hey does not have.
const OWN_HEADING: &str = "Response time distribution";

/// What it counts as an error where the end of the run came before the answer.
const DEADLINE: &str = "aborted due to deadline";

/// What rows of the summary and of the details begin with; hey has others there.
const ROWS: &[&str] = &[
    "Success rate",
    "Total",
    "Slowest",
    "Fastest",
    "Average",
    "Requests/sec",
    // ghz's, whose summary is laid out alike.
    "Count",
    "Name",
    "Total data",
    "Size/request",
    "Size/sec",
    "DNS+dialup",
    "DNS-lookup",
    "req write",
    "resp wait",
    "resp read",
];

impl ToolReader for Oha {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of oha as text and as JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["oha"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(MARKS)
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_rate = behind(&line.text, "Success rate").is_some_and(|rate| leading(rate, false).is_some());
        (is_rate || line.text == SUMMARY || is_within(line)).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        if before.is_empty() || last.is_blank() || last.is_indented() || is_heading(text) || is_row(text) {
            Extent::More
        } else {
            Extent::EndsBefore
        }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"successRate\"") && text.contains("\"requestsPerSec\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            json(block, &mut result)?;
        } else {
            text(block, &mut result)?;
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// Whether a summary whose head was cut off may begin with this line: with a time in seconds and a label that hey and oha
/// have, the rate of requests, or a heading.
pub(super) fn is_within(line: &ToolLine) -> bool {
    let text = line.text.as_str();
    let is_seconds = |value: &str| value.ends_with(" sec") || value.ends_with(" secs");
    let is_time = || {
        ["Total", "Slowest", "Fastest", "Average"]
            .iter()
            .any(|label| behind(text, label).is_some_and(is_seconds))
    };
    let is_rate = || behind(text, "Requests/sec").is_some_and(|rate| leading(rate, false).is_some());
    line.is_indented() && (is_time() || is_rate()) || text.ends_with(':') && is_heading(text)
}

/// Whether rows stand below it.
fn is_heading(text: &str) -> bool {
    HEADINGS.iter().any(|heading| text.starts_with(heading))
}

/// Whether it is a row below a heading, where white space at the beginning of lines is lost.
fn is_row(text: &str) -> bool {
    // Of ghz a code of gRPC: `[OK]   198 responses`.
    let is_of_code = || {
        let rest = text.strip_prefix('[').and_then(|inside| inside.split_once(']'));
        rest.and_then(|(_, rest)| whole(rest)).is_some_and(|(_, words)| words.trim() == "responses")
    };
    let is_counted = || {
        let inside = text.strip_prefix('[').filter(|inside| inside.starts_with(|c: char| c.is_ascii_digit()));
        inside.and_then(whole).is_some_and(|(_, rest)| rest.starts_with(']'))
    };
    let is_percentile =
        || text.split_once(" in ").is_some_and(|(percent, _)| percent.ends_with('%') && percent.len() < 9);
    let is_bucket = || leading(text, false).is_some_and(|number| number.rest.contains(" ["));
    let is_labelled = || ROWS.iter().any(|label| behind(text, label).is_some());
    is_labelled() || is_of_code() || is_counted() || is_percentile() || is_bucket()
}

/// Reads the text.
fn text(block: &ToolBlock<'_>, result: &mut ToolResult) -> Result<(), NotUnderstood> {
    let mut reading = Reading::default();
    for line in block.lines {
        reading.take(line, &mut result.whole);
    }
    // Other tools have such a summary without the share that went well; where the head was cut off, a heading tells.
    let is_own = block.lines.iter().any(|line| line.text.trim_start().starts_with(OWN_HEADING));
    let success = reading.success.take();
    if success.is_none() && !is_own {
        return Err(NotUnderstood::OtherText);
    }
    if result.whole.figures.is_empty() {
        return Err(NotUnderstood::CutShort);
    }
    result.whole.operations = reading.operations();
    let of_statuses = reading.error_share();
    let share = match success {
        Some(success) => Some(failed(success, of_statuses)),
        None => of_statuses,
    };
    result.whole.add(metric::ERROR_SHARE, share);
    Ok(())
}

/// The share of those that failed. Its own of those that went well has every answer, of an error of the server, too
/// (src/result_data.rs, success_rate); that of the statuses is told where it is more.
fn failed(success: PrintedValue, of_statuses: Option<PrintedValue>) -> PrintedValue {
    let own = PrintedValue { value: 1.0 - success.value, ..success };
    of_statuses.filter(|share| share.value > own.most()).unwrap_or(own)
}

/// The text as far as it was read; that of hey is alike.
#[derive(Default)]
pub(super) struct Reading {
    heading: String,
    success: Option<PrintedValue>,
    outcomes: RequestOutcomes,
    /// How many answers there were.
    answers: u64,
}

impl Reading {
    pub(super) fn take(&mut self, line: &ToolLine, whole: &mut ToolMeasurement) {
        let text = line.text.trim();
        if text == SUMMARY || is_heading(text) || text.ends_with(" only):") {
            self.heading = text.trim_end_matches(':').to_owned();
        }
        match self.heading.as_str() {
            "Response time distribution" | "Latency distribution" => distribution(line, whole),
            "Status code distribution" | ERRORS => self.counts(line),
            heading if HEADINGS.contains(&heading) || heading.contains(" only)") => {}
            _ => self.summary(line, whole),
        }
    }

    /// How many answers and errors there were.
    pub(super) fn operations(&self) -> Option<PrintedValue> {
        self.outcomes.operations()
    }

    /// The share of those that failed, by what was counted.
    pub(super) fn error_share(&self) -> Option<PrintedValue> {
        self.outcomes.error_share()
    }

    /// How many answers there were.
    pub(super) fn answers(&self) -> u64 {
        self.answers
    }

    fn summary(&mut self, line: &ToolLine, whole: &mut ToolMeasurement) {
        let number = line.number;
        let value = |label: &str| behind(&line.text, label);
        let time = |label: &str| span(number, value(label)?);
        if let Some(rate) = value("Success rate") {
            self.success = share(number, rate);
        }
        whole.window = whole.window.take().or_else(|| time("Total"));
        whole.bytes = whole.bytes.take().or_else(|| quantity(number, value("Total data")?, BYTES.counting));
        let rate =
            value("Requests/sec").and_then(|rate| count(number, rate, Counting::Decimal, Unit::PerSecond));
        whole.add(metric::REQUESTS_PER_SECOND, rate);
        let throughput = value("Size/sec").and_then(|size| {
            let printed = quantity(number, &format!("{size}/s"), BYTES.counting)?;
            Some(PrintedValue { text: size.to_owned(), half_step: printed.half_step.max(1.0), ..printed })
        });
        whole.add(metric::THROUGHPUT, throughput);
        whole.add(MetricName::new("latency_mean"), time("Average"));
        whole.add(metric::LATENCY_MAX, time("Slowest"));
    }

    /// `[200] 12345 responses`, and `[12] aborted due to deadline`.
    fn counts(&mut self, line: &ToolLine) {
        let Some((inside, rest)) = line.text.trim_start().strip_prefix('[').and_then(|t| t.split_once(']'))
        else {
            return;
        };
        let Some((number, _)) = whole(inside) else { return };
        if self.heading == ERRORS {
            let is_cut_off = rest.trim() == DEADLINE;
            let outcome = if is_cut_off { RequestOutcome::Unfinished } else { RequestOutcome::Failed };
            self.outcomes.add(line.number, number, outcome);
        } else if let Some((answers, _)) =
            whole(rest).filter(|(_, rest)| rest.trim_start().starts_with("response"))
        {
            self.outcomes.add(line.number, answers, RequestOutcome::of_status(number));
            self.answers = self.answers.saturating_add(answers);
        }
    }
}

/// `100.00%`; early versions print `1.0000`.
fn share(line: u64, text: &str) -> Option<PrintedValue> {
    percent(line, text).or_else(|| bare(line, text, Unit::One))
}

/// `  99.00% in 0.0047 sec`.
fn distribution(line: &ToolLine, whole: &mut ToolMeasurement) {
    if let Some((percent, time)) = line.text.split_once(" in ")
        && let Some(metric) = percentile(percent)
    {
        whole.add(metric, span(line.number, time));
    }
}

/// What is read of the JSON; it has more.
#[derive(Deserialize)]
struct Document {
    summary: Summary,
    #[serde(default, rename = "latencyPercentiles")]
    percentiles: BTreeMap<String, Option<f64>>,
    #[serde(default, rename = "statusCodeDistribution")]
    answers: BTreeMap<String, u64>,
    #[serde(default, rename = "errorDistribution")]
    errors: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    success_rate: Option<f64>,
    total: Option<f64>,
    slowest: Option<f64>,
    average: Option<f64>,
    requests_per_sec: Option<f64>,
    total_data: Option<u64>,
    size_per_sec: Option<f64>,
}

fn json(block: &ToolBlock<'_>, result: &mut ToolResult) -> Result<(), NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let number = |value: f64, unit: Unit| plain(line, value.to_string(), value, unit);
    let Summary { success_rate, total, slowest, average, requests_per_sec, total_data, size_per_sec } =
        document.summary;
    let mut outcomes = RequestOutcomes::default();
    for (status, answers) in &document.answers {
        // A status is a number.
        outcomes.add(line, *answers, RequestOutcome::of_status(status.parse().unwrap_or_default()));
    }
    for (error, count) in &document.errors {
        let outcome = if error == DEADLINE { RequestOutcome::Unfinished } else { RequestOutcome::Failed };
        outcomes.add(line, *count, outcome);
    }
    let whole = &mut result.whole;
    whole.window = total.map(|total| number(total, Unit::Seconds));
    whole.bytes = total_data.map(|bytes| exact(line, bytes, Unit::Bytes));
    whole.operations = outcomes.operations();
    whole.add(metric::REQUESTS_PER_SECOND, requests_per_sec.map(|rate| number(rate, Unit::PerSecond)));
    whole.add(metric::THROUGHPUT, size_per_sec.map(|rate| number(rate, Unit::BytesPerSecond)));
    whole.add(MetricName::new("latency_mean"), average.map(|time| number(time, Unit::Seconds)));
    whole.add(metric::LATENCY_MAX, slowest.map(|time| number(time, Unit::Seconds)));
    for (name, value) in &document.percentiles {
        if let Some(metric) = statistic(name) {
            whole.add(metric, value.map(|value| number(value, Unit::Seconds)));
        }
    }
    let success = success_rate.map(|rate| number(rate, Unit::One));
    whole.add(metric::ERROR_SHARE, success.map(|success| failed(success, outcomes.error_share())));
    if result.whole.figures.is_empty() { Err(NotUnderstood::OtherText) } else { Ok(()) }
}

/// Options that change nothing of the work, or that are read.
const KNOWN: &[&str] =
    &["c", "z", "n", "no-tui", "j", "json", "output-format", "m", "o", "output", "no-color", "disable-color"];

const WITH_VALUE: &[&str] = &[
    "c",
    "z",
    "n",
    "q",
    "p",
    "m",
    "H",
    "d",
    "D",
    "T",
    "t",
    "a",
    "o",
    "output",
    "output-format",
    "burst-delay",
    "burst-rate",
    "method",
    "http-version",
    "host",
    "connect-to",
    "time-unit",
    "u",
    "db-url",
];

/// Fills in what the command says, and the parameters of the same work.
fn options(result: &mut ToolResult) {
    if result.command.is_empty() {
        return;
    }
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    result.options = given.options.clone();
    let [url] = given.operands.as_slice() else { return };
    result.options.insert("url".to_owned(), url.clone());
    let is_get = given.get(&["m"]).is_none_or(|method| method.eq_ignore_ascii_case("get"));
    // Answers that are errors are no operations of ours.
    let is_ok = result.whole.figure(metric::ERROR_SHARE).is_some_and(|share| share.value <= 0.0);
    if given.are_all(KNOWN)
        && is_get
        && is_ok
        && url.starts_with("http://")
        && let Some(parameters) = parameters(&given, url)
    {
        same_work(result, WorkloadName::new("http.requests"), parameters);
    }
}

fn parameters(given: &CommandOptions, url: &str) -> Option<Vec<(&'static str, Value)>> {
    let number = |name: &str, usual: u64| given.get(&[name]).map_or(Some(usual), |value| value.parse().ok());
    let end: (&'static str, Value) = match given.get(&["z"]) {
        Some(duration) => ("duration", span(0, duration)?.value.into()),
        None => ("requests", number("n", 200)?.into()),
    };
    Some(vec![("url", url.into()), ("connections", number("c", 50)?.into()), end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        crate::tool::web::first_of(&Oha, text)
    }

    #[test]
    fn the_text_of_early_versions_is_read() {
        let read = read(
            "Summary:\n  Success rate: 0.7500\n  Total: 2.0000 secs\n  Slowest: 0.0100 secs\n  Requests/sec: 50.0000\n\n  Total data: 4.00 KiB\n  \
             Size/sec: 2.00 KiB\n\nLatency distribution:\n  99.90% in 0.0090 secs\n\nStatus code distribution:\n  [200] 90 responses\n\n\
             Error distribution:\n  [10] connection closed\n",
        )
        .unwrap();
        let figure = |name| read.whole.figure(name).unwrap().value;
        assert_eq!((figure(metric::ERROR_SHARE), figure(metric::THROUGHPUT)), (0.25, 2048.0));
        assert_eq!((figure(metric::LATENCY_P99_9), figure(metric::LATENCY_MAX)), (0.009, 0.01));
        assert_eq!(read.whole.operations.as_ref().map(|all| all.value), Some(100.0));
    }

    #[test]
    fn answers_that_are_errors_have_failed_whatever_its_own_rate_says() {
        let read = read(
            "Summary:\n  Success rate: 100.00%\n  Total: 2.0000 secs\n  Requests/sec: 50.0000\n\n\
             Status code distribution:\n  [200] 60 responses\n  [503] 20 responses\n\n\
             Error distribution:\n  [20] aborted due to deadline\n",
        )
        .unwrap();
        assert_eq!(read.whole.figure(metric::ERROR_SHARE).map(|share| share.value), Some(0.25));
        assert_eq!(read.whole.operations.as_ref().map(|all| all.value), Some(100.0));
    }

    #[test]
    fn the_summary_of_another_tool_is_not_taken_for_one() {
        let text = "Summary:\n  Total:\t2.0 secs\n  Requests/sec:\t50.0\n";
        assert_eq!(read(text).unwrap_err(), NotUnderstood::OtherText);
    }
}
