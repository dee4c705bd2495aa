//! bombardier: the statistics that it prints at its end. Its rate is the mean of many short spans, and not all
//! answers divided by all the time.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::{CommandOptions, behind, percentile, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Bombardier;

const NAME: &str = "bombardier";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "format.go: binaryUnits has the scale 1024",
};

const RULES: &[CountingRule] = &[BYTES];

impl ToolReader for Bombardier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of bombardier"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_banner(text) || is_heading(text)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_above = text.starts_with('[') || text == "Done!" || is_heading(text);
        let belongs = before.is_empty() || last.is_blank() || last.is_indented() || is_above;
        let is_over = before.last().is_some_and(|line| behind(&line.text, "Throughput").is_some());
        if belongs && !is_over { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut failed = None;
        for line in block.lines {
            banner(&line.text, &mut result);
            failed = take(line, &mut result.whole).or(failed);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.add(metric::ERROR_SHARE, failed);
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// `Bombarding http://host:80/ for 10s using 125 connection(s)`, or `with 1000 request(s) using ...`.
fn is_banner(text: &str) -> bool {
    let is_end = text.ends_with(" connection(s)") || text.ends_with(" connections");
    text.starts_with("Bombarding ") && is_end
}

/// `Statistics        Avg      Stdev        Max`.
fn is_heading(text: &str) -> bool {
    text.split_whitespace().eq(["Statistics", "Avg", "Stdev", "Max"])
}

/// What the banner says of the load.
fn banner(text: &str, result: &mut ToolResult) {
    let text = text.trim();
    if !is_banner(text) {
        return;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let behind = |word: &str| words.iter().position(|own| *own == word).and_then(|at| words.get(at + 1));
    let told = [("url", behind("Bombarding")), ("duration", behind("for")), ("requests", behind("with"))];
    let connections = ("connections", behind("using"));
    for (name, value) in told.into_iter().chain([connections]) {
        result.options.extend(value.map(|value| (name.to_owned(), (*value).to_owned())));
    }
}

/// Reads a line; what it is of answers that failed is given back.
fn take(line: &ToolLine, whole_of_it: &mut ToolMeasurement) -> Option<PrintedValue> {
    let text = line.text.trim();
    if let Some(rest) = behind(text, "Throughput") {
        whole_of_it.add(metric::THROUGHPUT, quantity(line.number, rest, BYTES.counting));
        return None;
    }
    if text.contains("xx - ") {
        return codes(line.number, text, whole_of_it);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["Reqs/sec", mean, deviation, most] => {
            let rate = |text: &str| count(line.number, text, Counting::Decimal, Unit::PerSecond);
            whole_of_it.add(metric::REQUESTS_PER_SECOND, rate(mean));
            whole_of_it.add(MetricName::new("requests_per_second_stddev"), rate(deviation));
            whole_of_it.add(MetricName::new("requests_per_second_max"), rate(most));
        }
        ["Latency", mean, deviation, most] => {
            whole_of_it.add(metric::LATENCY_MEAN, span(line.number, mean));
            whole_of_it.add(MetricName::new("latency_stddev"), span(line.number, deviation));
            whole_of_it.add(metric::LATENCY_MAX, span(line.number, most));
        }
        [percent, time] if percent.ends_with('%') => {
            if let Some(name) = percentile(percent) {
                whole_of_it.add(name, span(line.number, time));
            }
        }
        _ => {}
    }
    None
}

/// `1xx - 0, 2xx - 773412, 3xx - 0, 4xx - 0, 5xx - 0`: all answers, and the share of those that are errors.
fn codes(line: u64, text: &str, whole_of_it: &mut ToolMeasurement) -> Option<PrintedValue> {
    let (mut all, mut failed) = (0u64, 0u64);
    for part in text.split(", ") {
        let (class, number) = part.split_once(" - ")?;
        let (number, _) = whole(number)?;
        all = all.saturating_add(number);
        if class.starts_with(['4', '5']) {
            failed = failed.saturating_add(number);
        }
    }
    whole_of_it.operations = Some(exact(line, all, Unit::One));
    let share = failed as f64 / all as f64;
    share.is_finite().then(|| plain(line, format!("{failed}/{all}"), share, Unit::One))
}

const WITH_VALUE: &[&str] = &[
    "c",
    "connections",
    "t",
    "timeout",
    "m",
    "method",
    "b",
    "body",
    "f",
    "body-file",
    "cert",
    "key",
    "H",
    "header",
    "n",
    "requests",
    "d",
    "duration",
    "r",
    "rate",
    "o",
    "format",
    "p",
    "print",
];

/// Options whose values are told, with our names for them: others may be secret.
const TOLD: &[(&str, &str)] = &[
    ("c", "connections"),
    ("connections", "connections"),
    ("n", "requests"),
    ("requests", "requests"),
    ("d", "duration"),
    ("duration", "duration"),
    ("r", "rate"),
    ("rate", "rate"),
    ("m", "method"),
    ("method", "method"),
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
    fn the_load_is_told_by_the_banner() {
        let mut result = ToolResult::default();
        banner("Bombarding http://h:80/ with 1000 request(s) using 125 connection(s)", &mut result);
        let told: Vec<String> =
            result.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(told, ["connections=125", "requests=1000", "url=http://h:80/"]);
    }

    #[test]
    fn answers_that_are_errors_have_failed() {
        let mut whole = ToolMeasurement::default();
        let share = codes(7, "1xx - 0, 2xx - 90, 3xx - 0, 4xx - 4, 5xx - 6", &mut whole).unwrap();
        assert_eq!((share.value, share.text.as_str()), (0.1, "10/100"));
        assert_eq!(whole.operations.map(|count| count.value), Some(100.0));
    }
}
