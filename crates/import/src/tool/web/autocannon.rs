//! autocannon: its tables of latencies and rates, and the line of sums below them. It begins as wrk does, so that wrk hands
//! it what goes on otherwise.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::{percentile, statistic};
use crate::tool::number::{LeadingNumber, count, leading, plain, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Autocannon;

const NAME: &str = "autocannon";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x to 8.x",
    units: "kB, MB; k of requests",
    counting: Counting::Decimal,
    proof: "autocannon-7.15-made: 2.5 MB in 10.00s are 250 kB a second, as Bytes/Sec has them; pretty-bytes, which prints them, divides by 1000",
};

const RULES: &[CountingRule] = &[BYTES];

/// What parts the cells of its tables.
const BAR: char = '\u{2502}';

/// The other characters that its tables are drawn with, at the beginning of a line.
const CORNERS: &[char] = &['\u{250c}', '\u{251c}', '\u{2514}'];

/// Two numbers that are as near as this may be the same.
const NEAR: f64 = 0.25;

/// Whether what begins like wrk's goes on with a line of autocannon.
pub(super) fn is_of_autocannon(lines: &[ToolLine]) -> bool {
    lines.get(1).is_some_and(|second| connections(&second.text).is_some())
}

impl ToolReader for Autocannon {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of autocannon with the line of sums below them, in the numbers of any language"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" test @ ", "Stat"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_table = || cells(&line.text).is_some_and(|cells| cells.first() == Some(&"Stat"));
        (super::wrk::running(&line.text).is_some() || is_table()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_own = text.is_empty()
            || text.starts_with(BAR)
            || text.starts_with(CORNERS)
            || connections(text).is_some()
            || text.ends_with(" workers")
            || text.starts_with("Req/Bytes counts sampled ")
            || text.starts_with("# of samples:")
            || Done::of(last).is_some()
            || failures(text).is_some();
        if before.is_empty() || is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        if !block.lines.iter().any(|line| cells(&line.text).is_some()) {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.result(NAME, self.programs());
        let done = block.lines.iter().find_map(Done::of);
        let about = done.as_ref().map(|done| done.requests.value / done.window.value);
        let mut headings: Vec<&str> = Vec::new();
        for line in block.lines {
            if let Some(cells) = cells(&line.text) {
                match cells.split_first() {
                    Some((&"Stat", rest)) => headings = rest.to_vec(),
                    Some((name, values)) => row(line.number, name, &headings, values, about, &mut result),
                    None => {}
                }
            } else if let Some((duration, url)) = super::wrk::running(&line.text) {
                result.options.insert("duration".to_owned(), duration.to_owned());
                result.options.insert("url".to_owned(), url.to_owned());
            } else if let Some((connections, pipeline)) = connections(&line.text) {
                result.options.insert("connections".to_owned(), connections.to_owned());
                result.options.extend(pipeline.map(|depth| ("pipeline".to_owned(), depth.to_owned())));
            }
        }
        if let Some(done) = done {
            let failed = block.lines.iter().find_map(|line| Some((line.number, failures(line.text.trim())?)));
            if let Some((line, failed)) = failed.filter(|_| done.requests.value > 0.0) {
                let text = format!("{failed} / {}", done.requests.text);
                let share = (failed / done.requests.value).min(1.0);
                result.whole.add(metric::ERROR_SHARE, Some(plain(line, text, share, Unit::One)));
            }
            result.whole.operations = Some(done.requests);
            result.whole.window = Some(done.window);
            result.whole.bytes = Some(done.bytes);
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `10 connections`, `20 connections with 2 pipelining factor`: both numbers.
fn connections(text: &str) -> Option<(&str, Option<&str>)> {
    let (number, rest) = text.trim().split_once(" connections")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let depth = rest.strip_prefix(" with ").and_then(|rest| rest.strip_suffix(" pipelining factor"));
    let is_whole = rest.is_empty() || depth.is_some_and(is_number);
    (is_number(number) && is_whole).then_some((number, depth))
}

/// The cells of a row, without what the table is drawn with.
fn cells(text: &str) -> Option<Vec<&str>> {
    let inside = text.trim().strip_prefix(BAR)?.strip_suffix(BAR)?;
    Some(inside.split(BAR).map(str::trim).collect())
}

/// Takes a row into the result.
fn row(
    line: u64,
    name: &str,
    headings: &[&str],
    values: &[&str],
    about: Option<f64>,
    result: &mut ToolResult,
) {
    let mean =
        || headings.iter().zip(values).find(|(heading, _)| **heading == "Avg").map(|(_, value)| *value);
    match name {
        "Latency" => {
            for (heading, value) in headings.iter().zip(values) {
                if let Some(metric) = column(heading) {
                    result.whole.add(metric, quantity(line, value, Counting::Decimal));
                }
            }
        }
        "Req/Sec" => {
            let rate = mean().and_then(|text| rate(line, text, about));
            result.whole.add(metric::REQUESTS_PER_SECOND, rate);
        }
        "Bytes/Sec" => {
            let rate = mean().and_then(|text| quantity(line, &format!("{text}/s"), BYTES.counting));
            result.whole.add(metric::THROUGHPUT, rate);
        }
        _ => {}
    }
}

/// The metric of a column of latencies.
fn column(heading: &str) -> Option<MetricName> {
    match heading {
        "Avg" => statistic("avg"),
        "Min" => statistic("min"),
        "Max" => statistic("max"),
        "Stdev" => statistic("stddev"),
        percent => percent.ends_with('%').then(|| percentile(percent)).flatten(),
    }
}

/// A rate whose digits are in groups, by a comma, or by a point with a decimal comma: the one that is `about` as much.
fn rate(line: u64, text: &str, about: Option<f64>) -> Option<PrintedValue> {
    let is_near = |number: &LeadingNumber<'_>| {
        about.is_some_and(|about| about > 0.0 && (number.value / about - 1.0).abs() < NEAR)
    };
    let other = text.replace('.', "").replace(',', ".");
    let english = leading(text, true);
    let other = leading(&other, false).filter(is_near);
    let number = english.filter(|number| other.is_none() || is_near(number)).or(other)?;
    let half_step = number.half_step;
    Some(PrintedValue { half_step, ..plain(line, text, number.value, Unit::PerSecond) })
}

/// The line of sums: `7k requests in 10.05s, 2.63 MB read`.
struct Done {
    requests: PrintedValue,
    window: PrintedValue,
    bytes: PrintedValue,
}

impl Done {
    fn of(line: &ToolLine) -> Option<Self> {
        let (requests, rest) = line.text.trim().split_once(" requests in ")?;
        let (window, bytes) = rest.strip_suffix(" read")?.split_once(", ")?;
        Some(Self {
            requests: count(line.number, requests, BYTES.counting, Unit::One)?,
            window: quantity(line.number, window, Counting::Decimal).filter(|window| window.value > 0.0)?,
            bytes: quantity(line.number, bytes, BYTES.counting)?,
        })
    }
}

/// How many failed, of `41k errors (0 timeouts)`, and of `90 2xx responses, 10 non 2xx responses`.
fn failures(text: &str) -> Option<f64> {
    let errors = text.split_once(" errors (").map(|(errors, _)| errors);
    let answers = || text.split_once(" 2xx responses, ")?.1.strip_suffix(" non 2xx responses");
    Some(count(0, errors.or_else(answers)?, BYTES.counting, Unit::One)?.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_as_the_language_has_them() {
        let value = |text: &str, about: Option<f64>| rate(1, text, about).map(|rate| rate.value);
        assert_eq!(value("2,333.7", Some(2345.0)), Some(2333.7));
        assert_eq!(value("87.916,8", Some(87_637.0)), Some(87_916.8));
        assert_eq!(value("80.575", Some(80_000.0)), Some(80_575.0));
        assert_eq!(value("80.575", Some(80.0)), Some(80.575));
        assert_eq!(value("1712.1", None), Some(1712.1));
    }

    #[test]
    fn failures_are_a_share_of_the_requests() {
        let text = "Running 10s test @ http://h/x\n10 connections\n\n\
                    \u{2502} Stat    \u{2502} 50% \u{2502} Avg  \u{2502}\n\u{2502} Latency \u{2502} 1 ms \u{2502} 1.25 ms \u{2502}\n\n\
                    1k requests in 10.00s, 1.00 MB read\n250 errors (0 timeouts)\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!((results.len(), results[0].tool.as_str()), (1, NAME));
        let value = |name| results[0].whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::ERROR_SHARE), value(metric::LATENCY_P50)), (Some(0.25), Some(0.001)));
    }
}
