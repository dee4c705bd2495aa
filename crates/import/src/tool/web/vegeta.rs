//! vegeta: its report as text and as JSON. Requests are sent at a rate, whatever the answers take: an open loop.

use std::collections::BTreeMap;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};
use serde::Deserialize;

use super::{CommandOptions, span};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, percent, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Vegeta;

const NAME: &str = "vegeta";

/// Requests that were sent for each second of the attack.
const SENT_PER_SECOND: MetricName = MetricName::new("sent_per_second");

/// What the lines of the text begin with.
const LABELS: &[&str] =
    &["Requests", "Duration", "Latencies", "Bytes In", "Bytes Out", "Success", "Status Codes"];

/// What the list of errors begins with.
const ERRORS: &str = "Error Set:";

/// So many errors are taken for its own.
const ERRORS_MAX: usize = 64;

/// What figures may be off by beyond their rounding.
const NEAR: f64 = 0.01;

impl ToolReader for Vegeta {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of vegeta as text and as JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Requests"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first = row(&line.text).is_some_and(|(label, names, _)| {
            // Early versions do not say how many they sent in a second.
            label == "Requests" && (names == "total" || names.starts_with("total") && names.contains("rate"))
        });
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_row = row(&last.text).is_some() && (before.is_empty() || self.begins(last).is_none());
        let is_heading = last.text.starts_with(ERRORS);
        // An error stands on a line of its own, a number and words that tell why.
        let is_below = before.iter().rev().take(ERRORS_MAX).any(|line| line.text.starts_with(ERRORS));
        let is_error = is_below && !last.is_blank();
        if is_row || is_heading || is_error { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"latencies\"") && text.contains("\"bytes_in\"") && text.contains("\"throughput\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let list = |label: &str| {
            let found =
                sheet.behind(label).next().and_then(|(line, text)| Some((line, text.split_once(']')?.1)));
            found.map(|(line, text)| (line, text.split([',']).map(str::trim).collect::<Vec<_>>()))
        };
        let at = |list: &Option<(u64, Vec<&str>)>, at: usize| {
            let value = list.as_ref().and_then(|(line, values)| Some((*line, *values.get(at)?)));
            value.map_or_else(Term::default, |(line, text)| {
                Term::of(span(line, text)).or(nth_of(line, text, 0))
            })
        };
        let (requests, duration) = (list("Requests "), list("Duration "));
        let (all, attack) = (at(&requests, 0).exact(), at(&duration, 1));
        let codes = sheet.behind("Status Codes ").next().map(|(line, text)| {
            let counts = text.split_whitespace().filter_map(|word| word.rsplit_once(':'));
            let counts = counts.filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_digit()));
            counts.map(|(_, count)| nth_of(line, count, 0).exact()).collect::<Vec<_>>()
        });
        let (received, sent) = (list("Bytes In "), list("Bytes Out "));
        let share =
            sheet.behind("Success ").next().and_then(|(line, text)| Some((line, text.split_once(']')?.1)));
        sheet.equal(&at(&requests, 1), &all / &attack, NEAR);
        sheet.equal(&at(&duration, 0), &attack + &at(&duration, 2), NEAR);
        sheet.equal(&at(&received, 1), &at(&received, 0).exact() / &all, NEAR);
        sheet.equal(&at(&sent, 1), &at(&sent, 0).exact() / &all, NEAR);
        sheet.equal(&all, Term::sum(&codes.unwrap_or_default()), 0.0);
        if let Some((line, share)) = share {
            let whole_time = at(&duration, 0);
            let good = &(&all * &nth_of(line, share, 0)) / &whole_time;
            sheet.equal(&at(&requests, 2), good.scaled(0.01), NEAR);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            json(block, &mut result.whole)?;
        } else {
            text(block, &mut result.whole);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// The label of `Duration      [total, attack, wait]    30.004s, 29.98s, 24.017ms`, the names and the values.
fn row(text: &str) -> Option<(&str, &str, &str)> {
    let (label, rest) = text.trim().split_once('[')?;
    let (names, values) = rest.split_once(']')?;
    let label = label.trim_end();
    LABELS.contains(&label).then(|| (label, names, values.trim()))
}

fn text(block: &ToolBlock<'_>, whole_of_it: &mut ToolMeasurement) {
    let (mut all, mut success) = (None, None);
    for line in block.lines {
        let Some((label, names, values)) = row(&line.text) else { continue };
        for (name, value) in names.split(", ").zip(values.split(", ")) {
            let rate = || count(line.number, value, Counting::Decimal, Unit::PerSecond);
            match (label, name) {
                ("Requests", "total") => {
                    all = whole(value).map(|(count, _)| exact(line.number, count, Unit::One))
                }
                ("Requests", "rate") => whole_of_it.add(SENT_PER_SECOND, rate()),
                ("Requests", "throughput") => whole_of_it.add(metric::REQUESTS_PER_SECOND, rate()),
                ("Duration", "total") => whole_of_it.window = span(line.number, value),
                ("Latencies", name) => {
                    if let Some(metric) = statistic(name) {
                        whole_of_it.add(metric, span(line.number, value));
                    }
                }
                ("Bytes In", "total") => {
                    whole_of_it.bytes = whole(value).map(|(bytes, _)| exact(line.number, bytes, Unit::Bytes));
                }
                ("Success", "ratio") => success = percent(line.number, value),
                _ => {}
            }
        }
    }
    outcome(all, success, whole_of_it);
}

/// How many went well. The rate of answers is of those alone, so that without all of them the count is of something
/// else.
fn outcome(all: Option<PrintedValue>, success: Option<PrintedValue>, whole_of_it: &mut ToolMeasurement) {
    let is_all = success.as_ref().is_none_or(|share| share.value >= 1.0);
    whole_of_it.operations = all.filter(|_| is_all);
    let failed = success.map(|share| PrintedValue { value: 1.0 - share.value, ..share });
    whole_of_it.add(metric::ERROR_SHARE, failed);
}

/// The JSON. Times are in nanoseconds.
#[derive(Deserialize)]
struct Document {
    latencies: BTreeMap<String, f64>,
    bytes_in: Option<Bytes>,
    duration: Option<f64>,
    wait: Option<f64>,
    requests: Option<u64>,
    rate: Option<f64>,
    throughput: Option<f64>,
    success: Option<f64>,
}

#[derive(Deserialize)]
struct Bytes {
    total: Option<u64>,
}

fn json(block: &ToolBlock<'_>, whole_of_it: &mut ToolMeasurement) -> Result<(), NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let number = |value: f64, unit: Unit| plain(line, value.to_string(), value, unit);
    let nanoseconds = |value: f64| plain(line, format!("{value} ns"), value / 1e9, Unit::Seconds);
    // The time of the attack, and how long was then waited for the last answer.
    let total = document.duration.zip(document.wait).map(|(attack, wait)| attack + wait);
    whole_of_it.window = total.map(nanoseconds);
    whole_of_it.add(SENT_PER_SECOND, document.rate.map(|rate| number(rate, Unit::PerSecond)));
    let answered = document.throughput.map(|rate| number(rate, Unit::PerSecond));
    whole_of_it.add(metric::REQUESTS_PER_SECOND, answered);
    for (name, value) in &document.latencies {
        // Their sum is there, too.
        if let Some(metric) = statistic(name).filter(|_| *value > 0.0) {
            whole_of_it.add(metric, Some(nanoseconds(*value)));
        }
    }
    let bytes = document.bytes_in.and_then(|bytes| bytes.total);
    whole_of_it.bytes = bytes.map(|bytes| exact(line, bytes, Unit::Bytes));
    let all = document.requests.map(|all| exact(line, all, Unit::One));
    outcome(all, document.success.map(|share| number(share, Unit::One)), whole_of_it);
    Ok(())
}

/// Options that have a value.
const WITH_VALUE: &[&str] = &["rate", "duration", "workers", "max-workers", "connections", "max-connections"];

/// Those that are told: others may be secret. Connections that may be kept are no bound of what is in flight.
const TOLD: &[&str] = &["rate", "duration", "workers", "max-workers", "max-connections"];

/// Fills in what the command of the attack says.
fn options(result: &mut ToolResult) {
    CommandOptions::with_long_names(&result.command, WITH_VALUE).tell_own_names(TOLD, result);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6)
    }

    #[test]
    fn the_names_in_brackets_tell_what_the_values_are() {
        let result = read(
            "Requests      [total, rate]             1500, 50.03\n\
             Duration      [total, attack, wait]     1m30.5s, 1m30s, 500ms\n\
             Latencies     [mean, 50, 95, 99, max]   25.5ms, 24ms, 31ms, 45ms, 1.2s\n\
             Success       [ratio]                   90.00%\n",
        );
        assert_eq!(value(&result, metric::LATENCY_P99), Some(0.045));
        assert_eq!(value(&result, metric::LATENCY_MAX), Some(1.2));
        assert_eq!(value(&result, metric::ERROR_SHARE), Some(0.1));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(90.5));
        assert!(result.whole.operations.is_none(), "not all of them went well");
    }

    #[test]
    fn early_versions_have_no_rate() {
        let result = read(
            "Requests        [total]                         1000\n\
             Duration        [total, attack, wait]           1m0.2s, 59.95s, 250ms\n\
             Latencies       [mean, 50, 95, 99, max]         695ms, 256ms, 1.2s, 30.7s, 30.7s\n\
             Success         [ratio]                         96.50%\n",
        );
        assert_eq!(value(&result, metric::LATENCY_P50), Some(0.256));
        assert_eq!(value(&result, metric::ERROR_SHARE), Some(0.035));
    }

    #[test]
    fn the_json_is_in_nanoseconds() {
        let result = read(
            "{\"latencies\":{\"total\":5000000,\"mean\":2500000,\"50th\":2000000,\"99th\":3000000,\"max\":3000000,\"min\":0},\
             \"bytes_in\":{\"total\":20,\"mean\":10},\"duration\":1000000000,\"wait\":500000000,\"requests\":2,\"rate\":2,\
             \"throughput\":1.333333,\"success\":1}",
        );
        assert_eq!(value(&result, metric::LATENCY_MEAN), Some(0.0025));
        assert_eq!(value(&result, metric::LATENCY_P50), Some(0.002));
        assert_eq!(value(&result, metric::REQUESTS_PER_SECOND), Some(1.333_333));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(1.5));
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(2.0));
    }
}
