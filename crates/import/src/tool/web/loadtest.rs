//! loadtest, of npm: its summary, with a moment and a level before each line, as early versions log it, or without.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::{behind, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{count, exact, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Loadtest;

const NAME: &str = "loadtest";

/// The first line of the summary.
const URL: &str = "Target URL";

/// The first line of its results.
const COMPLETED: &str = "Completed requests";

/// What it says of its options, with the names that these have among those of a result.
const OPTIONS: &[(&str, &str)] = &[
    (URL, "url"),
    ("Max requests", "requests"),
    ("Max time (s)", "time"),
    ("Target rps", "rps"),
    ("Concurrency level", "clients"),
    ("Concurrent clients", "clients"),
    ("Running on cores", "cores"),
    ("Agent", "agent"),
];

/// Labels of its results.
const RESULTS: &[&str] =
    &[COMPLETED, "Total errors", "Total time", "Requests per second", "Effective rps", "Mean latency"];

impl ToolReader for Loadtest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of loadtest of npm; not what it says while it runs"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Requests: ", URL, COMPLETED]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = own(&line.text);
        if is_progress(text) {
            return Some(Beginning::Certain);
        }
        let is_first = [URL, COMPLETED].iter().any(|label| behind(text, label).is_some());
        is_first.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = own(&last.text);
        if before.is_empty() {
            return Extent::More;
        }
        let has = |label: &str| behind(text, label).is_some();
        let is_own = text.is_empty()
            || is_progress(text)
            || text.starts_with("Errors: ")
            || text.starts_with("Percentage of ")
            || text.starts_with("(node:")
            || text.starts_with("(Use `node ")
            || row(last.number, text).is_some()
            || errors(text)
            || OPTIONS.iter().any(|(label, _)| has(label))
            || RESULTS.iter().any(|label| has(label));
        // The longest request ends it, but for errors by their codes.
        let is_next = (has(URL) || is_progress(text)) && before.iter().rev().take(8).any(is_longest);
        if is_own && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let mut failed = None;
        for line in block.lines {
            let (number, text) = (line.number, own(&line.text));
            let value = |label: &str| behind(text, label);
            let is_result = result.whole.operations.is_some();
            if let Some(requests) = value(COMPLETED) {
                result.whole.operations = whole(requests).map(|(all, _)| exact(number, all, Unit::One));
            } else if let Some(errors) = value("Total errors") {
                failed = whole(errors).map(|(errors, _)| (number, errors));
            } else if let Some(time) = value("Total time") {
                result.whole.window = span(number, time);
            } else if let Some(time) = value("Mean latency") {
                result.whole.add(metric::LATENCY_MEAN, span(number, time));
            } else if let Some(rate) = value("Effective rps").or_else(|| value("Requests per second")) {
                // Above the results it is the rate that was asked for.
                if is_result {
                    let rate = count(number, rate, Counting::Decimal, Unit::PerSecond);
                    result.whole.add(metric::REQUESTS_PER_SECOND, rate);
                } else {
                    result.options.insert("rps".to_owned(), rate.to_owned());
                }
            } else if let Some((metric, time)) = row(number, text) {
                result.whole.add(metric, Some(time));
            } else if let Some((name, told)) =
                OPTIONS.iter().find_map(|(label, name)| Some((*name, value(label)?)))
            {
                result.options.insert(name.to_owned(), told.to_owned());
            }
        }
        let rate = result.whole.figure(metric::REQUESTS_PER_SECOND);
        if rate.is_none() || result.whole.operations.is_none() {
            return Err(NotUnderstood::CutShort);
        }
        // With a rate it opens as many connections as it needs, and says how many it opened.
        if result.options.contains_key("rps") {
            result.options.remove("clients");
        }
        let share = failed.zip(result.whole.operations.as_ref()).and_then(share);
        result.whole.add(metric::ERROR_SHARE, share);
        Ok(vec![result])
    }
}

/// A line without the moment and the level that early versions log before it.
fn own(text: &str) -> &str {
    let text = text.trim();
    let logged = text.strip_prefix('[').and_then(|rest| rest.split_once("] INFO"));
    logged.map_or(text, |(_, rest)| rest.trim())
}

/// What it says while it runs: `Requests: 984 (39%), requests per second: 197, mean latency: 124 ms`.
fn is_progress(text: &str) -> bool {
    text.starts_with("Requests: ")
        && text.contains(", requests per second: ")
        && text.contains(", mean latency: ")
}

/// `99%  618 ms`, and `100%  631 ms (longest request)`.
fn row(line: u64, text: &str) -> Option<(MetricName, PrintedValue)> {
    let (percent, time) = text.split_once('%')?;
    let metric = if percent == "100" { metric::LATENCY_MAX } else { percentile(percent)? };
    Some((metric, span(line, time.split('(').next()?)?))
}

fn is_longest(line: &ToolLine) -> bool {
    line.text.trim_end().ends_with("(longest request)")
}

/// Whether it counts the errors of one code: `500:   1000 errors`.
fn errors(text: &str) -> bool {
    text.ends_with(" errors") && text.split_once(':').is_some_and(|(code, _)| code.parse::<i64>().is_ok())
}

/// The share of requests that failed; nothing of no requests.
fn share(((line, failed), all): ((u64, u64), &PrintedValue)) -> Option<PrintedValue> {
    let text = format!("{failed}/{}", all.text);
    (all.value > 0.0).then(|| plain(line, text, failed as f64 / all.value, Unit::One))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(result: &ToolResult, metric: MetricName) -> Option<f64> {
        result.whole.figure(metric).map(|figure| figure.value)
    }

    #[test]
    fn the_summary_is_read_and_what_stands_above_it_is_not() {
        let text = "$ npx loadtest -n 10000 -c 100 http://h:4444/a\n\
                    Requests: 984 (39%), requests per second: 197, mean latency: 124 ms\n\n\
                    Target URL:          http://h:4444/a\nMax requests:        10000\nConcurrent clients:  100\n\
                    Running on cores:    4\nAgent:               none\n\nCompleted requests:  10000\nTotal errors:        500\n\
                    Total time:          12.5 s\nMean latency:        122.8 ms\nEffective rps:       800\n\n\
                    Percentage of requests served within a certain time\n  50%      114 ms\n  99%      327 ms\n\
                    \x20100%      600 ms (longest request)\n\n -1:   500 errors\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(value(result, metric::REQUESTS_PER_SECOND), Some(800.0));
        assert_eq!(
            (value(result, metric::LATENCY_P99), value(result, metric::LATENCY_MAX)),
            (Some(0.327), Some(0.6))
        );
        assert_eq!((value(result, metric::ERROR_SHARE), output.unread.len()), (Some(0.05), 0));
        assert_eq!(
            (result.options["clients"].as_str(), result.options["url"].as_str()),
            ("100", "http://h:4444/a")
        );
    }

    #[test]
    fn the_rate_that_was_asked_for_is_none_that_was_measured() {
        let log = |text: &str| format!("[Mon Feb 27 2023 14:50:26 GMT+0800 (CST)] INFO {text}\n");
        let rows = [
            "Target URL:          https://h/a",
            "Concurrency level:   30",
            "Requests per second: 350",
            "",
            "Completed requests:  5000",
            "Total errors:        0",
            "Total time:          14.7 s",
            "Requests per second: 340",
            "Mean latency:        1500 ms",
        ];
        let text: String = rows.map(log).concat();
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(value(result, metric::REQUESTS_PER_SECOND), Some(340.0));
        assert_eq!(result.options.get("rps").map(String::as_str), Some("350"));
        assert!(!result.options.contains_key("clients"));
    }
}
