//! ab, the benchmark of Apache's server: its summary, with the times of its connections or without.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, behind};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{count, exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ab;

const NAME: &str = "ab";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x",
    units: "Kbytes/sec, kb/s",
    counting: Counting::Binary,
    proof: "ab-2.3-file: 150010250 bytes in 0.225 s (0.2245 to 0.2255) are 649639 to 652533 times 1024 bytes a second; it prints 649792.35",
};

const RULES: &[CountingRule] = &[BYTES];

/// What its first line begins with.
const HEAD: &str = "This is ApacheBench, Version ";

/// What other lines begin with, where they are not indented.
const BEGINNINGS: &[&str] = &[
    HEAD,
    "Copyright ",
    "Licensed to ",
    "Benchmarking ",
    "Completed ",
    "Finished ",
    "INFO: ",
    "WARNING: ",
    "Server Software:",
    "Server Hostname:",
    "Server Port:",
    "SSL/TLS Protocol:",
    "Server Temp Key:",
    "TLS Server Name:",
    "Document Path:",
    "Document Length:",
    "Concurrency Level:",
    "Time taken for tests:",
    "Complete requests:",
    "Failed requests:",
    "Broken pipe errors:",
    "Write errors:",
    "Non-2xx responses:",
    "Keep-Alive requests:",
    "Total transferred:",
    "Total body sent:",
    "Total POSTed:",
    "Total PUT:",
    "HTML transferred:",
    "Requests per second:",
    "Time per request:",
    "Transfer rate:",
    "Connection Times (ms)",
    "Connect:",
    "Processing:",
    "Waiting:",
    "Total:",
    "ERROR: ",
    "Percentage of the requests served within ",
    "apr_",
    "SSL ",
    "..done",
    "Total of ",
    "(Connect: ",
    "min ",
];

/// A time of all requests and one of each may be off by less: two readings of a clock.
const NEAR: f64 = 0.01;

impl ToolReader for Ab {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of ab, with the times of its connections and their percentiles or without"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ab"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEAD, "Server Software:", "Concurrency Level:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if text.starts_with(HEAD) {
            return Some(Beginning::Certain);
        }
        let is_within =
            ["Server Software:", "Concurrency Level:"].iter().any(|label| text.starts_with(label));
        is_within.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        if !before.is_empty() && text.starts_with(HEAD) {
            return Extent::EndsBefore;
        }
        let is_own = last.is_blank()
            || last.is_indented()
            || quantile(text).is_some()
            || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
        match is_own {
            true if text.trim_start().starts_with("100%") => Extent::EndsHere,
            true => Extent::More,
            false => Extent::EndsBefore,
        }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let (done, seconds) = (sheet.count("Complete requests:"), sheet.number("Time taken for tests:"));
        let clients = sheet.count("Concurrency Level:");
        let each: Vec<(u64, &str)> = sheet.behind("Time per request:").collect();
        for (line, text) in each {
            let own = nth_of(line, text, 0);
            let of_all = (&seconds / &done).scaled(1e3);
            let computed = if text.contains("across all") { of_all } else { &clients * &of_all };
            sheet.equal(&own, computed, NEAR);
        }
        let causes = ["(Connect:", "Receive:", "Length:", "Exceptions:"];
        let causes = causes.map(|cause| sheet.within("(Connect:", cause).exact());
        sheet.equal(&sheet.count("Failed requests:"), Term::sum(&causes), 0.0);
        sheet.at_most(
            &sheet.count("HTML transferred:"),
            Term::sum(&[sheet.count("Total transferred:")]),
            0.0,
        );
        let row = |label: &str, at: usize| sheet.nth(label, at);
        let (connect, processing, total) = (row("Connect:", 1), row("Processing:", 1), row("Total:", 1));
        // Each is rounded to a whole millisecond; -S leaves columns out.
        let longest = row("Total:", 4);
        if longest.is_some() {
            sheet.equal(&total, &connect + &processing, 0.0);
            sheet.between(&row("Total:", 0), &total, &longest);
            sheet.equal(&row("100%", 0), Term::sum(&[longest]), 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        options(&mut result);
        let mut failed = Failed::default();
        for line in block.lines {
            take(line, &mut result, &mut failed);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        failed.fill(&mut result.whole);
        Ok(vec![result])
    }
}

/// Requests that did not go well.
#[derive(Default)]
struct Failed {
    /// Where it stands, and all that it counts.
    all: Option<(u64, u64)>,
    /// Those whose answer was not as long as the first one: as a page that is made each time is.
    of_other_length: u64,
    /// Answers with another code.
    answers: u64,
}

impl Failed {
    fn fill(&self, whole: &mut ToolMeasurement) {
        let (Some((line, all)), Some(requests)) = (self.all, &whole.operations) else { return };
        let failed = all.saturating_sub(self.of_other_length).saturating_add(self.answers);
        let good = (requests.value as u64).saturating_sub(failed);
        let mut outcomes = RequestOutcomes::default();
        outcomes.add(line, failed, RequestOutcome::Failed);
        outcomes.add(line, good, RequestOutcome::Good);
        whole.add(metric::ERROR_SHARE, outcomes.error_share());
    }
}

/// Takes what stands on a line.
fn take(line: &ToolLine, result: &mut ToolResult, failed: &mut Failed) {
    let (text, number) = (line.text.as_str(), line.number);
    let counted = |label: &str| whole(behind(text, label)?).map(|(count, _)| count);
    let named =
        |name: &str, label: &str| behind(text, label).map(|value| (name.to_owned(), value.to_owned()));
    if let Some(version) = text.strip_prefix(HEAD) {
        result.version = version.split_whitespace().next().map(str::to_owned);
    }
    let options = [
        named("concurrency", "Concurrency Level"),
        named("host", "Server Hostname"),
        named("port", "Server Port"),
        named("path", "Document Path"),
    ];
    result.options.extend(options.into_iter().flatten());
    let whole = &mut result.whole;
    if let Some(seconds) = behind(text, "Time taken for tests") {
        whole.window = quantity(number, seconds, Counting::Decimal);
    } else if let Some(requests) = counted("Complete requests") {
        whole.operations = Some(exact(number, requests, Unit::One));
    } else if let Some(requests) = counted("Failed requests") {
        failed.all = Some((number, requests));
    } else if let Some(causes) = text.trim_start().strip_prefix("(Connect: ") {
        failed.of_other_length = of_other_length(causes);
    } else if let Some(answers) = counted("Non-2xx responses") {
        failed.answers = answers;
    } else if let Some(bytes) = counted("Total transferred") {
        whole.bytes = Some(exact(number, bytes, Unit::Bytes));
    } else if let Some(rate) = behind(text, "Requests per second") {
        let rate = rate.split_whitespace().next().unwrap_or_default();
        whole.add(metric::REQUESTS_PER_SECOND, count(number, rate, Counting::Decimal, Unit::PerSecond));
    } else if let Some(rate) = behind(text, "Transfer rate") {
        whole.add(metric::THROUGHPUT, transfer_rate(number, rate));
    } else if let Some(times) = behind(text, "Total") {
        total_times(number, times, whole);
    } else {
        served_within(line, whole);
    }
}

/// How many stand behind `Length` in `0, Receive: 0, Length: 5, Exceptions: 0)`.
fn of_other_length(causes: &str) -> u64 {
    causes.split_once("Length: ").and_then(|(_, rest)| whole(rest)).map_or(0, |(count, _)| count)
}

/// `649792.35 [Kbytes/sec] received`; early versions `649792.35 kb/s received`.
fn transfer_rate(line: u64, text: &str) -> Option<PrintedValue> {
    let (rate, _) = text.split_once("received")?;
    let number = leading(rate, false)?;
    let unit = number.rest.trim().trim_matches(['[', ']']);
    let unit = if unit == "kb/s" { "Kbytes/sec" } else { unit };
    let printed = quantity(line, &format!("{} {unit}", number.digits), BYTES.counting)?;
    Some(PrintedValue { text: rate.trim().to_owned(), ..printed })
}

/// The row of the whole: least, mean, deviation, median and greatest in ms; with -S least, mean and greatest. Those that
/// are shorter than it counts are not known.
fn total_times(line: u64, text: &str, whole: &mut ToolMeasurement) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mean, greatest) = match words.as_slice() {
        [_, mean, _, _, greatest] | [_, mean, greatest] => (*mean, *greatest),
        _ => return,
    };
    whole.add(metric::LATENCY_MEAN, milliseconds(line, mean));
    whole.add(metric::LATENCY_MAX, milliseconds(line, greatest));
}

/// The percent and the time of `  99%     45`, and of ` 100%    301 (longest request)`.
fn quantile(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let (percent, time) = (words.next()?, words.next()?);
    let is_end = matches!(words.next(), None | Some("(longest"));
    (is_end && percent.ends_with('%')).then_some((percent, time))
}

fn served_within(line: &ToolLine, whole: &mut ToolMeasurement) {
    if let Some((percent, time)) = quantile(&line.text)
        && let Some(metric) = percentile(percent)
    {
        whole.add(metric, milliseconds(line.number, time));
    }
}

fn milliseconds(line: u64, text: &str) -> Option<PrintedValue> {
    time(line, text, "ms").filter(|time| time.value > 0.0)
}

const WITH_VALUE: &[&str] = &[
    "n", "c", "t", "s", "b", "B", "p", "u", "T", "v", "x", "y", "z", "C", "H", "A", "P", "X", "g", "e", "m",
    "f", "Z", "E",
];

/// Options whose values are told: others may be secret, or of the page that it writes.
const TOLD: &[&str] = &["n", "c", "t", "b", "p", "u", "T", "k", "i", "m", "f", "Z", "s", "r", "l"];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    given.tell_own_names(TOLD, result);
    given.tell_url(result);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        crate::tool::web::first_of(&Ab, text)
    }

    const SUMMARY: &str = "Concurrency Level:      5\nTime taken for tests:   2.000 seconds\nComplete requests:      100\n\
        Failed requests:        30\n   (Connect: 0, Receive: 0, Length: 25, Exceptions: 5)\nNon-2xx responses:      15\n\
        Requests per second:    50.00 [#/sec] (mean)\nTime per request:       100.000 [ms] (mean)\n";

    #[test]
    fn answers_of_another_length_are_no_errors_and_other_codes_are() {
        let read = read(SUMMARY).unwrap();
        let figure = |name| read.whole.figure(name).map(|figure| figure.value);
        assert_eq!(
            (figure(metric::ERROR_SHARE), figure(metric::REQUESTS_PER_SECOND)),
            (Some(0.2), Some(50.0))
        );
        assert_eq!(figure(metric::LATENCY_MEAN), None, "it is made of the rate");
    }

    #[test]
    fn what_others_determine_is_held_against_them() {
        let capture = include_str!("../../../tests/tool/fixtures/ab/ab-2.3-file.out");
        let wrong = |from: &str, to: &str| {
            assert!(capture.contains(from), "{from}");
            let output = crate::tool::read("", capture.replacen(from, to, 1).as_bytes()).unwrap();
            output.results[0].disagreements.len()
        };
        assert_eq!(wrong("22.545", "22.545"), 0);
        for (from, to) in [
            ("22.545", "45.545"),
            ("4.509", "5.509"),
            ("150000000", "160000000"),
            ("6   21  10.0", "6   31  10.0"),
            ("100%     45", "100%     65"),
            (
                "Failed requests:        0\n",
                "Failed requests:        5\n   (Connect: 0, Receive: 1, Length: 3, Exceptions: 0)\n",
            ),
        ] {
            assert_eq!(wrong(from, to), 1, "{to}");
        }
    }

    #[test]
    fn the_longest_request_is_known_without_a_space_before_it() {
        assert_eq!(quantile("100% 301 (longest request)"), Some(("100%", "301")));
        assert_eq!((quantile("  99%     45"), quantile("50% of all")), (Some(("99%", "45")), None));
    }

    #[test]
    fn rates_of_early_versions_are_binary_too() {
        let rate = |text: &str| transfer_rate(1, text).map(|rate| rate.value);
        assert_eq!(rate("2.00 [Kbytes/sec] received"), Some(2048.0));
        assert_eq!(rate("2.00 kb/s received"), Some(2048.0));
        assert_eq!(rate("2.00 kb/s sent"), None);
    }

    #[test]
    fn times_below_a_millisecond_are_not_known() {
        let row = |text: &str| {
            let mut whole = ToolMeasurement::default();
            total_times(1, text, &mut whole);
            whole
                .figures
                .iter()
                .map(|figure| (figure.metric.as_str(), figure.printed.value))
                .collect::<Vec<_>>()
        };
        assert_eq!(row("0    0   0.2      0       2"), [("latency_max", 0.002)]);
        assert_eq!(row("6    21    45"), [("latency_mean", 0.021), ("latency_max", 0.045)]);
    }

    #[test]
    fn white_space_before_rows_may_be_lost() {
        let text = format!(
            "{SUMMARY}Connection Times (ms)\nmin mean[+/-sd] median max\nTotal: 6 21 3.0 20 45\n50% 21\n99% 45\n"
        );
        let squeezed: Vec<&str> = text.lines().map(str::trim_start).collect();
        let output = crate::tool::read("", squeezed.join("\n").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let figure = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((figure(metric::LATENCY_P50), figure(metric::LATENCY_MAX)), (Some(0.021), Some(0.045)));
        assert_eq!(figure(metric::ERROR_SHARE), Some(0.2));
    }

    #[test]
    fn a_server_that_refuses_has_no_figures() {
        let text = "This is ApacheBench, Version 2.3 <$Revision$>\nBenchmarking h (be patient)...apr_socket_recv: Connection refused (111)\n";
        assert_eq!(read(text).unwrap_err(), NotUnderstood::CutShort);
    }
}
