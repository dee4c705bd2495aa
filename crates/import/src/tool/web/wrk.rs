//! wrk and wrk2: the summary, with the latency distribution or without.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolResult, ToolWarning};
use model::{MetricName, Unit, Value, WorkloadName, metric};

use super::autocannon::{Autocannon, is_of_autocannon};
use super::{CommandOptions, behind, same_work, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{count, exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Wrk;

const NAME: &str = "wrk";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x, 4.x, wrk2",
    units: "KB, MB, GB read, and the same of Transfer/sec",
    counting: Counting::Binary,
    proof: "wrk-4.1-latency: 546 answers of 9000000 bytes are 4.91 decimal GB and 4.58 GiB, with headers and parts of \
            answers more; it prints 4.61GB. src/units.c, format_binary divides by 1024",
};

const REQUESTS: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x, 4.x, wrk2",
    units: "k and M of Req/Sec",
    counting: Counting::Decimal,
    proof: "wrk-4.1-plain: one thread, 80032 requests in 2.10 s are 38110 a second; it prints 38.36k as the mean of Req/Sec, \
            which with 1024 would be 39280. src/units.c, format_metric divides by 1000",
};

const RULES: &[CountingRule] = &[BYTES, REQUESTS];

impl ToolReader for Wrk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of wrk and wrk2, with the latency distribution or without"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["wrk", "wrk2"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            " test @ ",
            "Making ",
            "Thread Stats",
            "Latency Distribution (HdrHistogram",
            " requests in ",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if running(&line.text).is_some() || made(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        let is_heading =
            line.text.trim_start().starts_with("Thread Stats") && line.text.contains("+/- Stdev");
        let is_distribution = line.text.trim_start().starts_with("Latency Distribution (HdrHistogram");
        (is_heading || is_distribution || did(line).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if is_of_autocannon(lines) {
            return Autocannon.extent(lines);
        }
        let text = last.text.as_str();
        let is_of_wrk = last.is_blank()
            || last.is_indented()
            || text.starts_with("Requests/sec")
            || text.starts_with("100.000%")
            // The spectrum of wrk2.
            || text.starts_with("#[")
            || text.starts_with("-----")
            // Somebody left lines out.
            || text == "...";
        match () {
            () if text.starts_with("Transfer/sec") => Extent::EndsHere,
            () if before.is_empty() => Extent::More,
            () if running(text).is_some() || made(text).is_some() || !is_of_wrk => Extent::EndsBefore,
            () => Extent::More,
        }
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::wrk_sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut errors = Errors::default();
        for line in block.lines {
            take(line, &mut result, &mut errors);
        }
        let is_without = errors.answers.is_none();
        errors.fill(&mut result);
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result, is_without);
        Ok(vec![result])
    }
}

/// Seconds and address of `Running 2s test @ http://a/b`.
pub(super) fn running(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix("Running ")?.split_once(" test @ ")
}

/// The address of `Making 100000 requests to http://a/b`, with which early versions begin.
fn made(text: &str) -> Option<&str> {
    let (requests, url) = text.trim_start().strip_prefix("Making ")?.split_once(" requests to ")?;
    requests.parse::<u64>().is_ok().then_some(url)
}

/// `  70282 requests in 2.11s, 16.09MB read`: how many, how long, how much.
fn did(line: &ToolLine) -> Option<(PrintedValue, PrintedValue, PrintedValue)> {
    let (requests, rest) = line.text.trim_start().split_once(" requests in ")?;
    let (time, bytes) = rest.strip_suffix(" read")?.split_once(", ")?;
    let (requests, "") = whole(requests)? else { return None };
    Some((
        exact(line.number, requests, Unit::One),
        span(line.number, time)?,
        quantity(line.number, bytes, BYTES.counting)?,
    ))
}

/// Takes what stands on a line.
fn take(line: &ToolLine, result: &mut ToolResult, errors: &mut Errors) {
    let text = line.text.trim_start();
    let whole = &mut result.whole;
    if let Some((duration, url)) = running(text) {
        result.options.insert("duration".to_owned(), duration.to_owned());
        result.options.insert("url".to_owned(), url.to_owned());
    } else if let Some(url) = made(text) {
        result.options.insert("url".to_owned(), url.to_owned());
    } else if let Some((threads, connections)) = threads(text) {
        result.options.insert("threads".to_owned(), threads.to_owned());
        result.options.insert("connections".to_owned(), connections.to_owned());
    } else if let Some((requests, window, bytes)) = did(line) {
        (whole.operations, whole.window, whole.bytes) = (Some(requests), Some(window), Some(bytes));
    } else if let Some(rate) = behind(text, "Requests/sec") {
        whole.add(metric::REQUESTS_PER_SECOND, count(line.number, rate, REQUESTS.counting, Unit::PerSecond));
    } else if let Some(rate) = behind(text, "Transfer/sec") {
        let printed = quantity(line.number, &format!("{rate}/s"), BYTES.counting);
        whole.add(
            metric::THROUGHPUT,
            printed.map(|printed| PrintedValue { text: rate.to_owned(), ..printed }),
        );
    } else if let Some(rest) = behind(text, "Socket errors") {
        errors.sockets = sums_of_numbers(line.number, rest);
    } else if let Some(answers) = behind(text, "Non-2xx or 3xx responses") {
        errors.answers =
            crate::tool::number::whole(answers).map(|(answers, _)| exact(line.number, answers, Unit::One));
    } else if text.contains("HdrHistogram") || text.starts_with("Thread calibration") {
        result.version = Some("wrk2".to_owned());
    } else {
        latency(line, result);
    }
}

/// `2 threads and 10 connections`.
fn threads(text: &str) -> Option<(&str, &str)> {
    let (threads, rest) = text.split_once(" threads and ")?;
    let connections = rest.strip_suffix(" connections")?;
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    (is_number(threads) && is_number(connections)).then_some((threads, connections))
}

/// A row of the latency: `Latency   49.63ms   27.29ms  222.58ms   80.04%`, or of its distribution, `99%  172.01ms`.
fn latency(line: &ToolLine, result: &mut ToolResult) {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    match words.as_slice() {
        ["Latency", mean, _, max, ..] => {
            let mean = span(line.number, mean);
            let max = span(line.number, max).filter(|_| mean.is_some());
            // wrk adds times that requests would have had while one was late (`stats_correct` in its stats.c), and wrk2
            // counts from when each was due: not the time that one was in flight.
            result.whole.add(MetricName::new("corrected_latency_mean"), mean);
            result.whole.add(metric::LATENCY_MAX, max);
        }
        [percent, time] if percent.ends_with('%') => {
            // wrk2 prints the distribution twice with -U: first that from when a request was due.
            if let Some(metric) = percentile(percent)
                && result.whole.figure(metric).is_none()
            {
                result.whole.add(metric, span(line.number, time));
            }
        }
        _ => {}
    }
}

/// The sum of `connect 0, read 2, write 0, timeout 5`; and without those that came late, which are among the requests
/// where their answer came at last.
fn sums_of_numbers(line: u64, text: &str) -> Option<(PrintedValue, u64)> {
    let one = |part: &str| {
        let (name, number) = part.trim().rsplit_once(' ')?;
        Some((name == "timeout", whole(number)?.0))
    };
    let numbers = text.split(',').map(one).collect::<Option<Vec<_>>>()?;
    let total = numbers.iter().fold(0u64, |sum, (_, number)| sum.saturating_add(*number));
    let late =
        numbers.iter().filter(|(is_late, _)| *is_late).fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
    let all = PrintedValue { text: text.to_owned(), ..exact(line, total, Unit::One) };
    Some((all, total.saturating_sub(late)))
}

/// The least share of late answers that is a warning: the 99th percentile is another one with them.
const LATE_MIN: f64 = 0.01;

/// What did not go well.
#[derive(Default)]
struct Errors {
    /// All of sockets, and those that were not late alone.
    sockets: Option<(PrintedValue, u64)>,
    answers: Option<PrintedValue>,
}

impl Errors {
    fn fill(self, result: &mut ToolResult) {
        let broken = self.sockets.as_ref().map_or(0, |(_, broken)| *broken) as f64;
        let answers = self.answers.as_ref().map_or(0.0, |answers| answers.value);
        let late = self.sockets.as_ref().map_or(0.0, |(all, _)| all.value) - broken;
        let sockets = self.sockets.map(|(all, _)| all);
        let first = self.answers.as_ref().or(sockets.as_ref());
        // A request whose connection broke is not among those that were done.
        let done = result.whole.operations.as_ref().map(|all| all.value + broken);
        if let (Some(first), Some(all)) = (first, done)
            && all > 0.0
            && answers + broken > 0.0
        {
            let failed = answers + broken;
            let share = plain(first.line, format!("{failed} / {all}"), failed / all, Unit::One);
            result.whole.add(metric::ERROR_SHARE, Some(share));
        }
        // Answers that came late are not among the latencies of wrk (`response_complete` of wrk.c).
        if let (Some(sockets), Some(all)) = (&sockets, done)
            && late > 0.0
            && late >= all * LATE_MIN
        {
            let text = format!("Socket errors: {}", sockets.text);
            result.warnings.push(ToolWarning { line: sockets.line, text });
        }
        result.whole.add(MetricName::new("socket_errors"), sockets);
    }
}

/// Options that change nothing of the work, or that are read.
const KNOWN: &[&str] = &[
    "c",
    "connections",
    "d",
    "duration",
    "t",
    "threads",
    "T",
    "timeout",
    "latency",
    "L",
    "U",
    "u_latency",
    "R",
    "rate",
];

const WITH_VALUE: &[&str] = &[
    "c",
    "connections",
    "d",
    "duration",
    "t",
    "threads",
    "s",
    "script",
    "H",
    "header",
    "T",
    "timeout",
    "R",
    "rate",
];

/// Fills in what the command says, and the parameters of the same work. Answers that are errors are no operations
/// of ours, and others here.
fn options(result: &mut ToolResult, has_only_answers: bool) {
    if result.command.is_empty() {
        return;
    }
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    let differs = |names: &[&str], own: &str| {
        let asked = given.get(names).and_then(|asked| asked.parse::<u64>().ok());
        let printed = result.options.get(own).and_then(|printed| printed.parse::<u64>().ok());
        asked.zip(printed).is_some_and(|(asked, printed)| asked != printed)
    };
    // The command is that of an output above, and this one has none.
    if differs(&["c", "connections"], "connections") || differs(&["t", "threads"], "threads") {
        result.command.clear();
        return;
    }
    let rate = given.get(&["R", "rate"]).map(str::to_owned);
    for (name, value) in &given.options {
        // Those that the output has are there already.
        if !["c", "connections", "d", "t", "threads", "duration"].contains(&name.as_str()) {
            result.options.insert(name.clone(), value.clone());
        }
    }
    let is_all = given.are_all(KNOWN) && given.operands.len() == 1;
    if is_all
        && has_only_answers
        && let Some(parameters) = parameters(result, rate.as_deref())
    {
        same_work(result, WorkloadName::new("http.requests"), parameters);
    }
}

fn parameters(result: &ToolResult, rate: Option<&str>) -> Option<Vec<(&'static str, Value)>> {
    let get = |name: &str| result.options.get(name).map(String::as_str);
    let number = |name: &str| get(name)?.parse::<u64>().ok();
    let (threads, connections) = (number("threads")?, number("connections")?);
    // Each thread has as many, and the rest is left out.
    if threads == 0 || !connections.is_multiple_of(threads) {
        return None;
    }
    let duration = span(0, get("duration")?)?.value;
    let mut all: Vec<(&'static str, Value)> = vec![
        ("url", get("url")?.into()),
        ("connections", connections.into()),
        ("threads", threads.into()),
        ("duration", duration.into()),
    ];
    if let Some(rate) = rate {
        all.push(("rate", count(0, rate, Counting::Decimal, Unit::PerSecond)?.value.into()));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_somebody_left_out_end_nothing() {
        let text = "$ wrk -R 100 http://h/a\n...\n  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%   32.99ms\n\
                    100.000%   63.23ms\n...\n  6004 requests in 1.00m, 39.61MB read\nRequests/sec:    100.05\n\
                    Transfer/sec:    675.88KB\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let has = |name| result.whole.figure(name).is_some();
        assert!(has(metric::LATENCY_P50) && has(metric::REQUESTS_PER_SECOND), "{result:?}");
    }

    fn read(text: &str) -> ToolResult {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        Wrk.read(&ToolBlock { lines: &lines, command: None }).unwrap().remove(0)
    }

    #[test]
    fn minutes_and_errors_are_read() {
        let read = read(
            "Running 1m test @ http://a/\n  2 threads and 4 connections\n    Latency     1.36ms    6.25ms   1.50m    97.44%\n  \
             100 requests in 1.00m, 1.00KB read\n  Socket errors: connect 0, read 2, write 0, timeout 5\n  Non-2xx or 3xx responses: 25\n\
             Requests/sec:      1.67\nTransfer/sec:     17.07B",
        );
        let figure = |name| read.whole.figure(name).unwrap().value;
        assert!((figure(metric::LATENCY_MAX) - 90.0).abs() < 1e-9);
        assert_eq!(
            (figure(metric::ERROR_SHARE), figure(MetricName::new("socket_errors"))),
            (27.0 / 102.0, 7.0)
        );
        assert_eq!(read.whole.window.as_ref().map(|window| window.value), Some(60.0));
        assert_eq!((figure(metric::THROUGHPUT), read.workload), (17.07, None));
    }

    #[test]
    fn many_answers_that_came_late_are_a_warning() {
        let warnings = |late: u32| {
            let text = format!(
                "Running 10s test @ http://a/\n  2 threads and 4 connections\n  1000 requests in 10.00s, 1.00MB read\n  \
                 Socket errors: connect 0, read 0, write 0, timeout {late}\nRequests/sec:    100.00\n"
            );
            read(&text).warnings
        };
        assert!(warnings(9).is_empty());
        let text = "Socket errors: connect 0, read 0, write 0, timeout 10".to_owned();
        assert_eq!(warnings(10), [ToolWarning { line: 4, text }]);
    }

    #[test]
    fn the_head_of_early_versions_has_the_address() {
        let text = "Making 100000 requests to http://h/x\n  4 threads and 8 connections\n\
                    \x20 100000 requests in 10.00s, 1.00MB read\nRequests/sec:  10000.00\nTransfer/sec:    102.40KB\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.unread.len(), output.results[0].lines.first), (0, 1));
        assert_eq!(output.results[0].options["url"], "http://h/x");
        assert_eq!(made("Making many requests to http://h/x"), None);
    }

    #[test]
    fn regression_the_command_of_another_output_was_taken_for_its_own() {
        let run = |connections: u32| {
            format!(
                "Running 10s test @ http://h/x\n  1 threads and {connections} connections\n  1000 requests in 10.00s, 1.00MB read\n\
                 Requests/sec:    100.00\nTransfer/sec:    102.40KB\n"
            )
        };
        let text = format!("$ wrk -t1 -c2 -d10s http://h/x\n{}\n{}", run(2), run(4));
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let words: Vec<usize> = results.iter().map(|result| result.command.len()).collect();
        assert_eq!(words, [5, 0]);
    }

    #[test]
    fn the_same_work_is_told_only_where_all_is_known() {
        let work = |command: &str| {
            let words = command.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command: words, ..ToolResult::default() };
            for (name, value) in
                [("url", "http://a/"), ("threads", "2"), ("connections", "10"), ("duration", "1m")]
            {
                result.options.insert(name.to_owned(), value.to_owned());
            }
            options(&mut result, true);
            result.workload.map(|_| {
                result
                    .parameters
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        assert_eq!(
            work("wrk -t2 -c10 -d1m --latency http://a/").as_deref(),
            Some("connections=10 duration=60 threads=2 url=http://a/")
        );
        assert_eq!(
            work("wrk2 -t2 -c10 -d1m -R2k http://a/").as_deref(),
            Some("connections=10 duration=60 rate=2000 threads=2 url=http://a/")
        );
        assert_eq!(work("wrk -t2 -c10 -d1m -s post.lua http://a/"), None);
        assert_eq!(work("wrk -t2 -c10 -d1m -H X:y http://a/"), None);
    }
}
