//! k6: the summary at its end, as text of any version and as JSON (`--summary-export`, `handleSummary`).

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};
use serde_json::Value;

use super::{CommandOptions, span};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, percent, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct K6;

const NAME: &str = "k6";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.26 to 1.x",
    units: "kB, MB, GB, and the same a second",
    counting: Counting::Decimal,
    proof: "k6-0.49-from-documentation: 48450 answers in 20.008 s are 5.9 MB and 295 kB/s; 295 * 1024 * 20.008 are 6.04e6",
};

const RULES: &[CountingRule] = &[BYTES];

/// The lines of the summary that are read, and those that every summary has.
const METRICS: &[&str] = &[
    "data_received",
    "data_sent",
    "http_req_blocked",
    "http_req_connecting",
    "http_req_duration",
    "http_req_failed",
    "http_req_receiving",
    "http_req_sending",
    "http_req_tls_handshaking",
    "http_req_waiting",
    "http_reqs",
    "iteration_duration",
    "iterations",
    "checks",
    "checks_total",
    "checks_succeeded",
    "checks_failed",
    "dropped_iterations",
    "vus",
    "vus_max",
];

/// What rates may be off by beyond their rounding.
const NEAR: f64 = 0.005;

/// What stands behind the name of a metric and its dots.
fn value_of<'a>(sheet: &FigureSheet<'a>, name: &str) -> Option<(u64, &'a str)> {
    sheet.lines().find_map(|(line, text)| {
        let dots = text.strip_prefix(['✓', '✗']).map_or(text, str::trim_start).strip_prefix(name)?;
        Some((line, dots.strip_prefix('.')?.trim_start_matches('.').strip_prefix(':')?))
    })
}

impl ToolReader for K6 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of k6 as text and as JSON, of the requests over HTTP, or of its iterations where it made none"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["..: ", "\u{203e}\u{203e}", "execution: local"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let of_summary = row(&line.text).filter(|(name, _)| METRICS.contains(name));
        let of_head = || is_head(&line.text).then_some(Beginning::Likely);
        of_summary.map(|_| Beginning::Certain).or_else(of_head)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        // What is known by the same name a second time is of another summary.
        let name = row(&last.text).map(|(name, _)| name).filter(|name| METRICS.contains(name));
        let is_again = name.is_some_and(|name| {
            before.iter().rev().take(ROWS_MAX).any(|line| row(&line.text).is_some_and(|(own, _)| own == name))
        });
        let is_own = last.is_blank()
            || last.is_indented()
            || row(&last.text).is_some()
            || is_between(&last.text)
            || is_progress(&last.text);
        if before.is_empty() || is_own && !is_again { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"metrics\"") && text.contains("\"iteration_duration\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        // `http_reqs......: 48450   2421.506268/s`: all are of the same time.
        let counters: Vec<(Term, Term)> = ["http_reqs", "iterations", "checks_total"]
            .into_iter()
            .filter_map(|name| value_of(&sheet, name))
            .map(|(line, text)| (nth_of(line, text, 0).exact(), nth_of(line, text, 1)))
            .collect();
        for pair in counters.windows(2) {
            if let [(count, rate), (other, other_rate)] = pair {
                sheet.equal(other_rate, &(other * rate) / count, NEAR);
            }
        }
        for name in ["checks", "checks_succeeded", "checks_failed", "http_req_failed"] {
            let Some((line, text)) = value_of(&sheet, name) else { continue };
            let (share, one, other) =
                (nth_of(line, text, 0), nth_of(line, text, 1).exact(), nth_of(line, text, 2).exact());
            let all = if text.contains(" out of ") { Term::sum(&[other]) } else { &one + &other };
            // Two decimals are cut off, not rounded.
            sheet.equal(&share.cut(), (&one / &all).scaled(100.0), 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            json(block, &mut result.whole)?;
        } else {
            text(block, &mut result.whole);
            let is_row = |line: &&ToolLine| row(&line.text).is_some();
            if let Some(last) = block.lines.iter().rev().find(is_row) {
                result.lines.last = last.number;
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// Whether k6 may have begun with this line: one of its picture, or the first below it.
fn is_head(text: &str) -> bool {
    text.contains("\u{203e}\u{203e}") && text.contains('/') || text.trim_start() == "execution: local"
}

/// `running (0m30.0s), 00/10 VUs, 12 complete and 0 interrupted iterations`, a bar, and what it logged meanwhile.
fn is_progress(text: &str) -> bool {
    let logged = ["INFO[", "WARN["];
    text.starts_with("running (")
        || text.contains(" [=====")
        || logged.iter().any(|level| text.starts_with(level))
}

/// Whether it is a line between the rows: a heading, a check, what a row is like of some of the requests. White space
/// at the beginning of lines may be lost.
fn is_between(text: &str) -> bool {
    const HEADINGS: &[&str] =
        &["HTTP", "EXECUTION", "NETWORK", "CUSTOM", "WEBSOCKET", "GRPC", "BROWSER", "WEB_VITALS"];
    const MARKS: &[char] = &['\u{2713}', '\u{2717}', '\u{2588}', '\u{21b3}'];
    let is_of_some = text.starts_with("{ ") && text.contains(" }.");
    text.starts_with(MARKS) || is_of_some || HEADINGS.contains(&text)
}

/// A summary has fewer lines, but for checks and metrics of the script.
const ROWS_MAX: usize = 200;

/// The name of `http_reqs......................: 7501   249.9/s`, and what stands behind it. A mark before it says
/// whether it kept to a threshold.
fn row(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches(['\u{2713}', '\u{2717}']).trim_start();
    let (name, value) = text.split_once(": ")?;
    let bare = name.trim_end_matches('.');
    let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && name.len() > bare.len() + 1).then(|| (bare, value.trim()))
}

fn text(block: &ToolBlock<'_>, whole_of_it: &mut ToolMeasurement) {
    let rows = || block.lines.iter().filter_map(|line| Some((line.number, row(&line.text)?)));
    let has_requests = rows().any(|(_, (name, _))| name == "http_reqs");
    let (counted, timed) = names(has_requests);
    for (line, (name, value)) in rows() {
        let mut words = value.split_whitespace();
        if name == counted {
            whole_of_it.operations =
                words.next().and_then(whole).map(|(count, _)| exact(line, count, Unit::One));
            let rate = words.next().and_then(|word| word.strip_suffix("/s"));
            let rate = rate.and_then(|rate| count(line, rate, Counting::Decimal, Unit::PerSecond));
            whole_of_it.add(rate_of(has_requests), rate);
        } else if name == timed {
            for (name, time) in words.filter_map(|word| word.split_once('=')) {
                if let Some(metric) = statistic(name) {
                    whole_of_it.add(metric, span(line, time));
                }
            }
        } else if name == "http_req_failed" {
            whole_of_it.add(metric::ERROR_SHARE, words.next().and_then(|word| percent(line, word)));
        } else if let Some(metric) = flow(name) {
            data(line, value, name == "data_received", metric, whole_of_it);
        }
    }
}

/// The lines with the count and with the times: of requests, or else of iterations of the script.
fn names(has_requests: bool) -> (&'static str, &'static str) {
    if has_requests { ("http_reqs", "http_req_duration") } else { ("iterations", "iteration_duration") }
}

fn rate_of(has_requests: bool) -> MetricName {
    if has_requests { metric::REQUESTS_PER_SECOND } else { MetricName::new("iterations_per_second") }
}

fn flow(name: &str) -> Option<MetricName> {
    match name {
        "data_received" => Some(metric::RECEIVE_THROUGHPUT),
        "data_sent" => Some(metric::SEND_THROUGHPUT),
        _ => None,
    }
}

/// `5.9 MB  295 kB/s`.
fn data(line: u64, value: &str, is_received: bool, metric: MetricName, whole_of_it: &mut ToolMeasurement) {
    let words: Vec<&str> = value.split_whitespace().collect();
    let [amount, unit, rate, rate_unit] = words.as_slice() else { return };
    if is_received {
        whole_of_it.bytes = quantity(line, &format!("{amount} {unit}"), BYTES.counting);
    }
    whole_of_it.add(metric, quantity(line, &format!("{rate} {rate_unit}"), BYTES.counting));
}

/// The JSON. Of `handleSummary` values stand below `values`. Times are in milliseconds.
fn json(block: &ToolBlock<'_>, whole_of_it: &mut ToolMeasurement) -> Result<(), NotUnderstood> {
    let document: Value = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let metrics = document.get("metrics").ok_or(NotUnderstood::OtherText)?;
    let values = |name: &str| metrics.get(name).map(|one| one.get("values").unwrap_or(one));
    let number = |name: &str, key: &str| values(name)?.get(key)?.as_f64();
    let printed = |value: f64, unit: Unit| plain(line, value.to_string(), value, unit);
    let has_requests = values("http_reqs").is_some();
    let (counted, timed) = names(has_requests);
    whole_of_it.operations = number(counted, "count").map(|count| printed(count, Unit::One));
    let rate = number(counted, "rate").map(|rate| printed(rate, Unit::PerSecond));
    whole_of_it.add(rate_of(has_requests), rate);
    let times = values(timed).and_then(Value::as_object);
    for (name, value) in times.into_iter().flatten() {
        let time = value.as_f64().map(|ms| plain(line, format!("{ms} ms"), ms / 1e3, Unit::Seconds));
        if let Some(metric) = statistic(name) {
            whole_of_it.add(metric, time);
        }
    }
    let failed = number("http_req_failed", "rate").or_else(|| number("http_req_failed", "value"));
    whole_of_it.add(metric::ERROR_SHARE, failed.map(|share| printed(share, Unit::One)));
    whole_of_it.bytes = number("data_received", "count").map(|bytes| printed(bytes, Unit::Bytes));
    for name in ["data_received", "data_sent"] {
        let rate = number(name, "rate").map(|rate| printed(rate, Unit::BytesPerSecond));
        if let Some(metric) = flow(name) {
            whole_of_it.add(metric, rate);
        }
    }
    Ok(())
}

const WITH_VALUE: &[&str] = &[
    "u",
    "vus",
    "d",
    "duration",
    "i",
    "iterations",
    "s",
    "stage",
    "e",
    "env",
    "o",
    "out",
    "rps",
    "summary-export",
    "summary-trend-stats",
    "max",
    "tag",
];

/// Options whose values are told: others may be secret.
const TOLD: &[&str] = &["u", "vus", "d", "duration", "i", "iterations", "rps"];

/// Fills in what the command says. Users of a script may wait between their requests: they are no bound of what is in
/// flight.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    given.tell_own_names(TOLD, result);
    if let ["run", script] = given.operands.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        result.options.insert("script".to_owned(), (*script).to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_of_the_summary() {
        let text = "          /\\      |\u{203e}\u{203e}| /\u{203e}\u{203e}/\n     /\\  /  \\     |  |/  /\n\n  execution: local\n     \
                    script: a.js\n\n\nrunning (0m30.0s), 00/10 VUs, 300 complete and 0 interrupted iterations\n\
                    default \u{2713} [======================================] 10 VUs  30s\n\n     \
                    http_reqs......................: 300 10.0/s\n     iterations.....................: 300 10.0/s\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len(), output.results[0].lines.first), (1, 0, 1));
    }

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| (printed.value * 1e9).round() / 1e9)
    }

    #[test]
    fn rows_are_known_by_their_dots() {
        assert_eq!(
            row("   \u{2713} http_req_duration..............: avg=1ms"),
            Some(("http_req_duration", "avg=1ms"))
        );
        assert_eq!(row("http_reqs: 5"), None);
        assert_eq!(row("  { expected_response:true }...: avg=1ms"), None);
        assert_eq!(row("Wait.....: what"), Some(("Wait", "what")), "a metric of a script may be called so");
    }

    #[test]
    fn without_requests_the_iterations_count() {
        let results = read(
            "  iteration_duration...: avg=2ms med=1.5ms max=1m2s p(95)=5ms\n  iterations...........: 100 50.5/s\n\
             \x20 vus..................: 1 min=1 max=1\n",
        );
        assert_eq!(value(&results[0], MetricName::new("iterations_per_second")), Some(50.5));
        assert_eq!(value(&results[0], metric::LATENCY_P50), Some(0.0015));
        assert_eq!(value(&results[0], metric::LATENCY_MAX), Some(62.0));
    }

    #[test]
    fn white_space_before_rows_may_be_lost() {
        let results = read(
            "HTTP\nhttp_req_duration.......: avg=4ms p(95)=8ms\n{ expected_response:true }...: avg=3ms p(95)=7ms\n\
             http_reqs...............: 100 50/s\n\nNETWORK\ndata_received...........: 1.0 GB 103 MB/s\n",
        );
        let [result] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!(value(result, metric::LATENCY_MEAN), Some(0.004));
        assert_eq!(value(result, metric::RECEIVE_THROUGHPUT), Some(103e6));
    }

    #[test]
    fn a_second_summary_is_a_result_of_its_own() {
        let one = "     http_reqs......................: 48450   2421.5/s\n     vus............................: 5\n";
        assert_eq!(read(&format!("{one}{one}")).len(), 2);
    }

    #[test]
    fn the_json_of_both_forms_is_read() {
        let flat = "{\"metrics\":{\"iteration_duration\":{\"avg\":3},\"http_reqs\":{\"count\":10,\"rate\":5},\
                    \"http_req_duration\":{\"avg\":2.5,\"p(95)\":4},\"http_req_failed\":{\"value\":0.1}}}";
        let nested = "{\"metrics\":{\"iteration_duration\":{\"values\":{\"avg\":3}},\"http_reqs\":{\"type\":\"counter\",\
                      \"values\":{\"count\":10,\"rate\":5}},\"http_req_duration\":{\"values\":{\"avg\":2.5,\"p(95)\":4}},\
                      \"http_req_failed\":{\"values\":{\"rate\":0.1}}}}";
        for text in [flat, nested] {
            let results = read(text);
            assert_eq!(value(&results[0], metric::REQUESTS_PER_SECOND), Some(5.0), "{text}");
            assert_eq!(value(&results[0], MetricName::new("latency_p95")), Some(0.004), "{text}");
            assert_eq!(value(&results[0], metric::ERROR_SHARE), Some(0.1), "{text}");
        }
    }
}
