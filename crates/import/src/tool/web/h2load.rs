//! h2load of nghttp2: what it prints at its end, of any version of HTTP.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, span};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct H2load;

const NAME: &str = "h2load";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KB, MB, GB, and the same a second",
    counting: Counting::Binary,
    proof: "h2load-1.52-http-1.1: it prints 3.16KB (3232)",
};

const RULES: &[CountingRule] = &[BYTES];

/// What its first line is.
const FIRST: &str = "starting benchmark...";

/// What the lines before the figures begin with.
const ABOVE: &[&str] = &[
    "spawning thread",
    "progress:",
    "Application protocol:",
    "TLS Protocol:",
    "Cipher:",
    "Server Temp Key:",
    "Certificate:",
    "Negotiated Group:",
    "Resumption:",
    "No protocol negotiated",
    "Warm-up ",
    "Main benchmark duration",
    "Stopped all clients",
];

/// What lines are in that it prints only where it runs by time.
const BY_TIME: &[&str] = &["Timing-based test", "Warm-up phase is over", "Main benchmark duration"];

/// What the lines with the figures begin with.
const FIGURES: &[&str] = &[
    "finished in ",
    "requests: ",
    "status codes: ",
    "traffic: ",
    "UDP datagram: ",
    "time for ",
    "time to 1st byte",
    "req/s ",
    "request ",
    "connect ",
    "TTFB ",
    "min RTT",
    "smoothed RTT",
    "packets ",
    "GRO packets",
];

impl ToolReader for H2load {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what h2load of nghttp2 prints at its end"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["finished in ", FIRST]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if finished(text).is_some() {
            return Some(Beginning::Certain);
        }
        (text == FIRST).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let is_in = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
        let is_over =
            before.iter().rev().take(FIGURES.len()).any(|line| finished(line.text.trim()).is_some());
        let is_next = finished(text).is_some() && is_over;
        let is_figures = is_in(FIGURES) || columns(text).is_some();
        let belongs = is_figures && !is_next || !is_over && (is_in(ABOVE) || last.is_blank());
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let counts = sheet.behind("requests: ").next();
        if let Some((line, text)) = counts {
            let named = |name: &str| {
                let count = text.split(',').find_map(|part| part.trim().strip_suffix(name));
                count.map_or_else(Term::default, |count| nth_of(line, count, 0).exact())
            };
            let (all, good, bad) = (named(" total"), named(" succeeded"), named(" failed"));
            sheet.equal(&all, &good + &bad, 0.0);
            let codes = sheet
                .behind("status codes: ")
                .next()
                .map(|(line, text)| (0..4).map(|at| nth_of(line, text, 2 * at).exact()).collect::<Vec<_>>());
            let codes = Term::sum(&codes.unwrap_or_default());
            sheet.at_least(&all, codes, 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut names: Vec<&str> = FIRST_COLUMNS.to_vec();
        for line in block.lines {
            match columns(&line.text) {
                Some(own) => names = own,
                None => take(line, &names, &mut result.whole),
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result);
        // What it prints as its time has that of the warm-up in it, which no count and no rate has.
        let is_by_time = |line: &ToolLine| BY_TIME.iter().any(|words| line.text.contains(*words));
        let asked = block.lines.iter().find_map(main_duration).or_else(|| asked_duration(&result));
        if asked.is_some() || block.lines.iter().any(is_by_time) {
            result.whole.window = asked;
        }
        Ok(vec![result])
    }
}

/// The time, the rate of requests and that of bytes of `finished in 16.14ms, 1238.93 req/s, 195.52KB/s`.
fn finished(text: &str) -> Option<(&str, &str, &str)> {
    let mut parts = text.strip_prefix("finished in ")?.split(", ");
    let (time, requests, bytes) = (parts.next()?, parts.next()?, parts.next()?);
    Some((time, requests.strip_suffix(" req/s")?, bytes))
}

/// The columns of the times: of early versions, and what later ones have among them.
const FIRST_COLUMNS: &[&str] = &["min", "max", "mean", "sd"];

/// The names of the columns of `min         max         mean         sd        +/- sd`, with percentiles in later versions.
fn columns(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (words.starts_with(&["min", "max"]) && words.contains(&"mean")).then_some(words)
}

/// For how long it counted, of `Timing-based test with 5s of warm-up time and 20s of main duration for measurements.`
fn main_duration(line: &ToolLine) -> Option<PrintedValue> {
    let (_, rest) = line.text.split_once(" of warm-up time and ")?;
    let (duration, _) = rest.split_once(" of main duration")?;
    span(line.number, duration).map(|duration| PrintedValue { half_step: 0.0, ..duration })
}

/// The same as the command asks for it: without a unit it is in seconds.
fn asked_duration(result: &ToolResult) -> Option<PrintedValue> {
    let text = result.options.get("duration")?;
    let line = result.whole.window.as_ref()?.line;
    let duration = span(line, text).or_else(|| span(line, &format!("{text} s")))?;
    Some(PrintedValue { half_step: 0.0, ..duration })
}

fn take(line: &ToolLine, names: &[&str], whole_of_it: &mut ToolMeasurement) {
    let text = line.text.trim();
    if let Some((time, requests, bytes)) = finished(text) {
        whole_of_it.window = span(line.number, time);
        let rate = count(line.number, requests, Counting::Decimal, Unit::PerSecond);
        whole_of_it.add(metric::REQUESTS_PER_SECOND, rate);
        whole_of_it.add(metric::THROUGHPUT, quantity(line.number, bytes, BYTES.counting));
    } else if let Some(rest) = text.strip_prefix("requests: ") {
        requests(line.number, rest, whole_of_it);
    } else if let Some(rest) = text.strip_prefix("traffic: ") {
        let bytes = rest.split_once('(').and_then(|(_, inside)| whole(inside));
        whole_of_it.bytes = bytes.map(|(bytes, _)| exact(line.number, bytes, Unit::Bytes));
    } else if let Some((label, rest)) = text.split_once(':') {
        let distribution = match label.trim() {
            "time for request" | "request" => metric::LATENCY,
            "time for connect" | "connect" => MetricName::new("connect"),
            "time to 1st byte" | "TTFB" => MetricName::new("first_byte"),
            _ => return,
        };
        times(line.number, distribution, names, rest, whole_of_it);
    }
}

/// A row of times, by the names of their columns. Where all are nothing, none was taken.
fn times(line: u64, distribution: MetricName, names: &[&str], row: &str, whole_of_it: &mut ToolMeasurement) {
    let named = |(name, time): (&&str, &str)| {
        let own = statistic(name)?;
        let own = MetricName::intern(&format!("{distribution}_{}", own.as_str().strip_prefix("latency_")?))?;
        Some((own, span(line, time)?))
    };
    let all: Vec<(MetricName, PrintedValue)> =
        names.iter().zip(row.split_whitespace()).filter_map(named).collect();
    if all.iter().any(|(_, time)| time.value > 0.0) {
        for (name, time) in all {
            whole_of_it.add(name, Some(time));
        }
    }
}

/// `20 total, 20 started, 20 done, 20 succeeded, 0 failed, 0 errored, 0 timeout`. Those that failed by their status
/// alone have an answer: the rate has them, too.
fn requests(line: u64, text: &str, whole_of_it: &mut ToolMeasurement) {
    let of = |word: &str| {
        let part = text.split(", ").find(|part| part.ends_with(word))?;
        whole(part).map(|(count, _)| count)
    };
    let (Some(good), Some(failed)) = (of(" succeeded"), of(" failed")) else { return };
    let answered = failed.saturating_sub(of(" errored").unwrap_or(0));
    whole_of_it.operations = Some(exact(line, good.saturating_add(answered), Unit::One));
    let mut outcomes = RequestOutcomes::default();
    outcomes.add(line, good, RequestOutcome::Good);
    outcomes.add(line, failed, RequestOutcome::Failed);
    whole_of_it.add(metric::ERROR_SHARE, outcomes.error_share());
}

const WITH_VALUE: &[&str] = &[
    "n",
    "c",
    "t",
    "m",
    "D",
    "d",
    "H",
    "i",
    "w",
    "W",
    "p",
    "r",
    "T",
    "N",
    "f",
    "B",
    "requests",
    "clients",
    "threads",
    "max-concurrent-streams",
    "duration",
    "data",
    "header",
    "rate",
    "rate-period",
    "rps",
    "warm-up-time",
    "input-file",
    "base-uri",
    "connect-to",
    "log-file",
    "ciphers",
    "tls13-ciphers",
    "groups",
    "npn-list",
    "alpn-list",
    "window-bits",
    "connection-window-bits",
    "max-frame-size",
    "timing-script-file",
    "connection-active-timeout",
    "connection-inactivity-timeout",
];

/// Options whose values are told, with our names for them: others may be secret.
const TOLD: &[(&str, &str)] = &[
    ("n", "requests"),
    ("requests", "requests"),
    ("c", "clients"),
    ("clients", "clients"),
    ("t", "client-threads"),
    ("m", "pipeline"),
    ("max-concurrent-streams", "pipeline"),
    ("D", "duration"),
    ("duration", "duration"),
    ("r", "rate"),
    ("rate", "rate"),
    ("rps", "rate"),
    ("timing-script-file", "rate"),
    ("h1", "h1"),
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
    fn requests_that_failed_by_their_status_are_operations() {
        let text = "finished in 2.00s, 49.00 req/s, 1.00MB/s\n\
                    requests: 100 total, 100 started, 100 done, 90 succeeded, 10 failed, 2 errored, 1 timeout\n\
                    traffic: 2.00MB (2097152) total, 1.00KB (1024) headers (space savings 0.00%), 1.99MB (2086000) data\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        // Two of the ten got no answer.
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(98.0));
        assert_eq!(value(metric::ERROR_SHARE), Some(0.1));
        assert_eq!(value(metric::THROUGHPUT), Some(1_048_576.0));
        assert_eq!(result.whole.bytes.as_ref().map(|bytes| bytes.value), Some(2_097_152.0));
    }

    #[test]
    fn a_run_by_time_is_as_long_as_its_main_duration() {
        let end = "finished in 25.01s, 10928.55 req/s, 55.01MB/s\n\
                   requests: 218571 total, 218571 started, 218571 done, 218571 succeeded, 0 failed, 0 errored, 0 timeout\n";
        let window = |above: &str| {
            let output = crate::tool::read("", format!("{above}{end}").as_bytes()).unwrap();
            output.results[0].whole.window.as_ref().map(|window| window.value)
        };
        let start = "starting benchmark...\nspawning thread #0: 50 total client(s). Timing-based test with 5s of warm-up \
                     time and 20s of main duration for measurements.\n";
        assert_eq!(window(start), Some(20.0));
        assert_eq!(window("$ h2load -D 20 --warm-up-time 5 https://h/\n"), Some(20.0));
        assert_eq!(window("$ h2load -D 1m https://h/\n"), Some(60.0));
        let unknown =
            "starting benchmark...\nMain benchmark duration is over for thread #0. Stopping all clients.\n";
        assert_eq!(window(unknown), None);
        assert_eq!(window(""), Some(25.01));
    }

    #[test]
    fn the_columns_of_times_tell_what_they_are() {
        let text = "finished in 5.02s, 1042.00 req/s, 62.27MB/s\n\
                    min         max         median     p95        p99        mean         sd        +/- sd\n\
                    request     :      208us     20.51ms      8.48ms    19.37ms    20.18ms     8.58ms      5.03ms    67.52%\n\
                    connect     :        0us         0us         0us        0us        0us        0us         0us     0.00%\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.text.as_str());
        assert_eq!(value(metric::LATENCY_MEAN), Some("8.58ms"));
        assert_eq!(
            (value(metric::LATENCY_P50), value(metric::LATENCY_P99)),
            (Some("8.48ms"), Some("20.18ms"))
        );
        assert!(!result.whole.figures.iter().any(|figure| figure.metric.as_str().starts_with("connect")));
    }

    #[test]
    fn what_is_in_flight_is_of_clients_and_streams() {
        let command = "h2load -n 20 -c 2 -m 10 https://h/".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command, ..ToolResult::default() };
        options(&mut result);
        let told = |name: &str| result.options.get(name).map(String::as_str);
        assert_eq!(
            (told("clients"), told("pipeline"), told("url")),
            (Some("2"), Some("10"), Some("https://h/"))
        );
    }
}
