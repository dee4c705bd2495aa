//! h2load of nghttp2: what it prints at its end, of any version of HTTP.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::{CommandOptions, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

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
    "No protocol negotiated",
    "Warm-up ",
    "Main benchmark duration",
];

/// What the lines with the figures begin with.
const FIGURES: &[&str] = &[
    "finished in ",
    "requests: ",
    "status codes: ",
    "traffic: ",
    "UDP datagram: ",
    "min         max",
    "time for ",
    "time to 1st byte",
    "req/s  ",
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
        let belongs = is_in(FIGURES) && !is_next || !is_over && (is_in(ABOVE) || last.is_blank());
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            take(line, &mut result.whole);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// The time, the rate of requests and that of bytes of `finished in 16.14ms, 1238.93 req/s, 195.52KB/s`.
fn finished(text: &str) -> Option<(&str, &str, &str)> {
    let mut parts = text.strip_prefix("finished in ")?.split(", ");
    let (time, requests, bytes) = (parts.next()?, parts.next()?, parts.next()?);
    Some((time, requests.strip_suffix(" req/s")?, bytes))
}

fn take(line: &ToolLine, whole_of_it: &mut ToolMeasurement) {
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
            "time for request" => metric::LATENCY,
            "time for connect" => MetricName::new("connect"),
            "time to 1st byte" => MetricName::new("first_byte"),
            _ => return,
        };
        for (statistic, time) in ["min", "max", "mean", "stddev"].into_iter().zip(rest.split_whitespace()) {
            if let Some(name) = MetricName::intern(&format!("{distribution}_{statistic}")) {
                whole_of_it.add(name, span(line.number, time));
            }
        }
    }
}

/// `20 total, 20 started, 20 done, 20 succeeded, 0 failed, 0 errored, 0 timeout`. The rate is of those that
/// succeeded.
fn requests(line: u64, text: &str, whole_of_it: &mut ToolMeasurement) {
    let of = |word: &str| {
        let part = text.split(", ").find(|part| part.ends_with(word))?;
        whole(part).map(|(count, _)| count)
    };
    let (Some(done), Some(good)) = (of(" done"), of(" succeeded")) else { return };
    whole_of_it.operations = Some(exact(line, good, Unit::One));
    let failed = done.saturating_sub(good);
    if done > 0 {
        let share: PrintedValue =
            plain(line, format!("{failed}/{done}"), failed as f64 / done as f64, Unit::One);
        whole_of_it.add(metric::ERROR_SHARE, Some(share));
    }
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
    "requests",
    "clients",
    "threads",
    "max-concurrent-streams",
    "duration",
    "data",
    "header",
    "rate",
    "warm-up-time",
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
    ("h1", "h1"),
];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    for (own, name) in TOLD {
        if let Some(value) = given.get(&[own]) {
            result.options.insert((*name).to_owned(), value.to_owned());
        }
    }
    if let [url] = given.operands.as_slice() {
        result.options.insert("url".to_owned(), url.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_failed_are_no_operations() {
        let text = "finished in 2.00s, 45.00 req/s, 1.00MB/s\n\
                    requests: 100 total, 100 started, 100 done, 90 succeeded, 10 failed, 2 errored, 1 timeout\n\
                    traffic: 2.00MB (2097152) total, 1.00KB (1024) headers (space savings 0.00%), 1.99MB (2086000) data\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(result.whole.operations.as_ref().map(|count| count.value), Some(90.0));
        assert_eq!(value(metric::ERROR_SHARE), Some(0.1));
        assert_eq!(value(metric::THROUGHPUT), Some(1_048_576.0));
        assert_eq!(result.whole.bytes.as_ref().map(|bytes| bytes.value), Some(2_097_152.0));
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
