//! fortio: what `fortio load` says at its end. Its times are seconds without a unit, and its percentiles are interpolated
//! between the bounds of its histogram.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{Unit, metric};

use super::CommandOptions;
use super::outcome::{RequestOutcome, RequestOutcomes};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::{percentile, statistic};
use crate::tool::number::{bare, exact, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Fortio;

const NAME: &str = "fortio";

/// Before the histogram of all calls; those of connections, errors and sizes have other titles.
const TIMES: &str = "Aggregated Function Time : ";

/// Before the sum of the run.
const ENDED: &str = "Ended after ";

/// What its lines begin with.
const LINES: &[&str] = &[
    "Fortio ",
    "Starting ",
    "Aggregated ",
    "Aborting ",
    "Sleep times ",
    "# range, mid point, percentile, count",
    "# target ",
    ">= ",
    "> ",
    "Error cases ",
    "Connection time ",
    "Sockets used: ",
    "Uniform: ",
    "Jitter: ",
    "IP addresses distribution",
    "Code ",
    "Response Header Sizes ",
    "Response Body/Total Sizes ",
    "Successfully wrote ",
    ENDED,
];

/// Levels of its log.
const LEVELS: &[&str] = &[" I ", " W ", " E ", "[INF]", "[WRN]", "[ERR]"];

/// What a mean or a rate may be off by beyond its rounding.
const NEAR: f64 = 0.01;

impl ToolReader for Fortio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what `fortio load` says at its end, of HTTP: the rate, the times of all calls and the codes of the answers"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Seconds and whole bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Fortio ", ENDED, TIMES]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim_start();
        let is_banner = text.starts_with("Fortio ") && text.contains(" queries per second");
        let is_certain = is_banner || Ended::of(line).is_some() || text.starts_with(TIMES);
        is_certain.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        if text.starts_with("All done ") && text.ends_with(" qps") {
            return Extent::EndsHere;
        }
        let is_address = || {
            text.split_once(": ").is_some_and(|(host, count)| {
                host.contains(':') && count.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let is_log = || text.contains(".go:") && LEVELS.iter().any(|level| text.contains(level));
        let belongs =
            last.is_blank() || LINES.iter().any(|start| text.starts_with(start)) || is_log() || is_address();
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn shares(&self, line: &ToolLine) -> bool {
        self.begins(line).is_some() && !line.text.trim_start().starts_with("Fortio ")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        for (line, text) in sheet.lines() {
            // `Aggregated Function Time : count 400 avg 0.0026 +/- 0.001 min 0.0012 max 0.0072 sum 1.06`
            if text.contains(" : count ") && text.contains(" sum ") {
                let behind = |label: &str| {
                    text.split_once(label).map_or_else(Term::default, |(_, rest)| nth_of(line, rest, 0))
                };
                let (count, sum) = (behind(" count ").exact(), behind(" sum "));
                sheet.equal(&behind(" avg "), &sum / &count, NEAR);
                sheet.between(&behind(" min "), &behind(" avg "), &behind(" max "));
            }
        }
        if let Some((line, text)) = sheet.lines().find(|(_, text)| text.starts_with("Ended after ")) {
            let (spent, rest) = text.split_once(" : ").unwrap_or_default();
            let seconds = spent.strip_prefix("Ended after ").and_then(|spent| super::span(line, spent));
            let rate = &nth_of(line, rest, 0).exact() / &Term::of(seconds);
            sheet.equal(&nth_of(line, rest, 1), rate, NEAR);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut outcomes = RequestOutcomes::default();
        let mut is_of_calls = false;
        for line in block.lines {
            let text = line.text.trim();
            if let Some(ended) = Ended::of(line) {
                ended.fill(line, &mut result.whole);
            } else if let Some(rest) = text.strip_prefix("Fortio ") {
                result.version = rest.split_whitespace().next().map(str::to_owned);
            } else if let Some(rest) = text.strip_prefix(TIMES) {
                is_of_calls = true;
                summary(line.number, rest, &mut result.whole);
            } else if let Some((percent, value)) =
                text.strip_prefix("# target ").and_then(|rest| rest.split_once("% "))
            {
                if let Some(metric) = percentile(percent).filter(|_| is_of_calls) {
                    result.whole.add(metric, time(line.number, value, "s"));
                }
            } else if let Some((code, rest)) =
                text.strip_prefix("Code ").and_then(|rest| rest.split_once(" : "))
            {
                if let Some((answers, _)) = whole(rest) {
                    // Of a call without an answer the code is -1.
                    let outcome =
                        code.trim().parse().map_or(RequestOutcome::Failed, RequestOutcome::of_status);
                    outcomes.add(line.number, answers, outcome);
                }
            } else if text.contains(" : count ") {
                is_of_calls = false;
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        options(&mut result);
        Ok(vec![result])
    }
}

/// `Ended after 10.000152s : 10000 calls. qps=999.98`, of which the time may be `1m0.001s`.
struct Ended<'a> {
    window: &'a str,
    calls: u64,
    rate: &'a str,
}

impl<'a> Ended<'a> {
    fn of(line: &'a ToolLine) -> Option<Self> {
        let (window, rest) = line.text.trim().strip_prefix(ENDED)?.split_once(" : ")?;
        let (calls, rest) = whole(rest)?;
        Some(Self { window, calls, rate: rest.trim_start().strip_prefix("calls. qps=")? })
    }

    fn fill(&self, line: &ToolLine, measured: &mut ToolMeasurement) {
        let window = super::span(line.number, self.window);
        measured.window = window.or_else(|| quantity(line.number, self.window, Counting::Decimal));
        measured.operations = Some(exact(line.number, self.calls, Unit::One));
        measured.add(metric::REQUESTS_PER_SECOND, bare(line.number, self.rate, Unit::PerSecond));
    }
}

/// `count 10000 avg 0.00054232 +/- 0.0002 min 0.000201 max 0.0111 sum 5.4232`.
fn summary(line: u64, text: &str, measured: &mut ToolMeasurement) {
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.windows(2) {
        if let [name @ ("avg" | "min" | "max"), value] = pair
            && let Some(metric) = statistic(name)
        {
            measured.add(metric, time(line, value, "s"));
        }
    }
}

const WITH_VALUE: &[&str] = &[
    "c",
    "qps",
    "t",
    "n",
    "H",
    "a-prefix",
    "timeout",
    "p",
    "r",
    "labels",
    "json",
    "payload",
    "payload-size",
    "user",
    "loglevel",
    "resolve",
    "cert",
    "key",
    "cacert",
    "data-dir",
    "offset",
    "content-type",
    "log-errors",
    "gomaxprocs",
    "httpbufferkb",
    "X",
    "method",
    "max-echo-delay",
    "payload-file",
    "profile",
    "connection-reuse",
    "abort-on",
];

/// Options whose values are told: others may be secret.
const TOLD: &[&str] =
    &["c", "qps", "t", "n", "keepalive", "quiet", "stdclient", "h2", "uniform", "jitter", "nocatchup"];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::with_long_names(&result.command, WITH_VALUE);
    given.tell_own_names(TOLD, result);
    if let Some(url) = given.operands.last().filter(|url| given.operands.len() > 1 || url.contains('/')) {
        result.options.insert("url".to_owned(), url.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // In the form that fortio prints; not captured.
    const OUTPUT: &str = "$ fortio load -c 8 -qps 1000 -t 10s http://127.0.0.1:8080/echo\n\
                          Fortio 1.3.1 running at 1000 queries per second, 4->4 procs, for 10s: http://127.0.0.1:8080/echo\n\
                          20:27:53 I httprunner.go:75> Starting http test for http://127.0.0.1:8080/echo with 8 threads at 1000.0 qps\n\
                          Starting at 1000 qps with 8 thread(s) [gomax 4] for 10s : 1250 calls each (total 10000)\n\
                          20:28:03 I periodic.go:533> T001 ended after 10.0001s : 1250 calls. qps=124.998\n\
                          Ended after 10.000152s : 10000 calls. qps=999.98\n\
                          Sleep times : count 9992 avg 0.0073 +/- 0.0004 min 0.001 max 0.0079 sum 73.2\n\
                          Aggregated Function Time : count 10000 avg 0.00054232 +/- 0.0002 min 0.000201 max 0.0111 sum 5.4232\n\
                          # range, mid point, percentile, count\n>= 0.000201 <= 0.001 , 0.0006005 , 98.50, 9850\n\
                          > 0.001 <= 0.002 , 0.0015 , 99.90, 140\n# target 50% 0.00060653\n# target 99.9% 0.002\n\
                          Error cases : count 100 avg 0.001 +/- 0 min 0.001 max 0.001 sum 0.1\n# target 99.9% 0.9\n\
                          Sockets used: 8 (for perfect keepalive, would be 8)\nJitter: false\nCode 200 : 9900 (99.0 %)\n\
                          Code 503 : 60 (0.6 %)\nCode -1 : 40 (0.4 %)\n\
                          Response Header Sizes : count 10000 avg 230 +/- 0 min 230 max 230 sum 2300000\n\
                          All done 10000 calls (plus 8 warmup) 0.542 ms avg, 1000.0 qps\n";

    #[test]
    fn the_rate_the_times_of_all_calls_and_the_codes_are_read() {
        let output = crate::tool::read("", OUTPUT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e8).round() / 1e8);
        assert_eq!((result.tool.as_str(), output.unread.len()), ("fortio", 0));
        assert_eq!(
            (value(metric::LATENCY_MEAN), value(metric::LATENCY_P99_9)),
            (Some(0.000_542_32), Some(0.002))
        );
        assert_eq!(
            (value(metric::ERROR_SHARE), value(metric::REQUESTS_PER_SECOND)),
            (Some(0.01), Some(999.98))
        );
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(10.000_152));
        assert_eq!((result.options["c"].as_str(), result.version.as_deref()), ("8", Some("1.3.1")));
    }

    #[test]
    fn what_begins_with_the_sum_of_the_run_is_known_too() {
        let rest = OUTPUT.split_once("qps=124.998\n").unwrap().1;
        let output = crate::tool::read("", rest.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.results[0].tool.as_str()), (1, "fortio"));
    }
}
