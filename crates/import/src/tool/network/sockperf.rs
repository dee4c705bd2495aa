//! sockperf: round trips or their halves, with their percentiles, and the rate of messages. What it calls latency is half
//! of a round trip, unless it was asked for whole ones; of messages that are only sent it does not know what arrived.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::given::{GivenOptions, OptionSpec};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::{percentile, statistic};
use crate::tool::number::{bare, exact, plain, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Sockperf;

const NAME: &str = "sockperf";

/// What stands before each of its lines.
const PREFIX: &str = "sockperf: ";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x, 3.x",
    units: "MBps, Mbps",
    counting: Counting::Binary,
    proof: "sockperf-3.10-throughput-made, in the form of client.cpp, which divides by 1024 twice: 102400 messages of 1024 bytes a second \
            are 100.000 MBps",
};

const RULES: &[CountingRule] = &[BYTES];

/// How lines go on by which it is known.
const HEADS: &[&str] = &[
    VERSION,
    RUN,
    "[Total Run] ",
    "========= Printing statistics ",
    SUMMARY,
    "Starting test...",
    "Warmup stage ",
    TOTAL,
    OBSERVED,
];

const VERSION: &str = "== version #";
const RUN: &str = "[Valid Duration] ";
const SUMMARY: &str = "Summary: ";
const TOTAL: &str = "Total of ";

/// Above a distribution; behind it stands how many observations there were.
const OBSERVED: &str = "Total ";

/// Its last line, where it prints a distribution; the second is of early versions.
const LAST: &[&str] = &["---> <MIN> observation", "---> MIN observation"];

/// The last one, where it does not.
const BANDWIDTH: &str = "Summary: BandWidth is ";

impl ToolReader for Sockperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what the client of sockperf prints: the distribution of round trips or of their halves, or the rate of messages; each server is a \
         result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[PREFIX, "sockperf[CLIENT] "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_head = |text: &str| HEADS.iter().any(|head| text.starts_with(head));
        let is_first = own(line).is_some_and(is_head) || line.text.starts_with("sockperf[CLIENT] ");
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = own(last).unwrap_or_default();
        let starts = |line: &ToolLine, head: &str| own(line).is_some_and(|text| text.starts_with(head));
        match () {
            () if LAST.iter().any(|last| text.starts_with(last)) => Extent::EndsHere,
            () if text.starts_with(BANDWIDTH) => Extent::EndsHere,
            () if before.is_empty() => Extent::More,
            () if text.starts_with(VERSION) && before.iter().any(|line| starts(line, SUMMARY)) => {
                Extent::EndsBefore
            }
            () if last.is_blank() || last.text.starts_with(NAME) || is_address(&last.text) => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut reading =
            Reading { result: block.result(NAME, self.programs()), is_whole: false, sent: None };
        let given = GivenOptions::of(&reading.result.command, TABLE);
        if let Some(mode) = given.operands.first() {
            reading.result.options.insert("mode".to_owned(), mode.clone());
        }
        reading.result.options.extend(given.options);
        for line in block.lines {
            if let Some(text) = own(line) {
                reading.take(line.number, text);
            }
        }
        let Reading { result, .. } = reading;
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

const TABLE: &[OptionSpec] = &[
    OptionSpec::value(Some('i'), "ip"),
    OptionSpec::value(Some('p'), "port"),
    OptionSpec::value(Some('m'), "msg-size"),
    OptionSpec::value(Some('t'), "time"),
    OptionSpec::value(Some('n'), "number-of-packets"),
    OptionSpec::value(Some('b'), "burst"),
    OptionSpec::value(None, "mps").or("pps"),
    OptionSpec::value(None, "reply-every"),
    OptionSpec::value(Some('f'), "file"),
    OptionSpec::value(Some('F'), "iomux-type"),
    OptionSpec::value(None, "sender-affinity"),
    OptionSpec::value(None, "receiver-affinity"),
    OptionSpec::flag(None, "tcp"),
    OptionSpec::flag(None, "full-rtt"),
];

/// What stands behind the name of the program.
fn own(line: &ToolLine) -> Option<&str> {
    line.text.trim_start().strip_prefix(PREFIX).map(str::trim_start)
}

/// `[ 0] IP = 10.0.0.2        PORT = 11111 # UDP`.
fn is_address(text: &str) -> bool {
    text.starts_with('[') && text.contains("] IP = ") && text.contains("PORT = ")
}

/// The text as far as it was read.
struct Reading {
    result: ToolResult,
    /// Whether its times are of whole round trips.
    is_whole: bool,
    /// How many messages were sent.
    sent: Option<u64>,
}

impl Reading {
    fn take(&mut self, line: u64, text: &str) {
        if let Some(version) = text.strip_prefix(VERSION) {
            self.result.version = version.split_whitespace().next().map(str::to_owned);
        } else if let Some(run) = text.strip_prefix(RUN) {
            self.run(line, run);
        } else if let Some(sent) = text.strip_prefix(TOTAL) {
            self.total(line, sent);
        } else if let Some(dropped) = text.strip_prefix("# dropped messages = ") {
            self.dropped(line, dropped);
        } else if let Some(mean) = text.strip_prefix("====> avg-") {
            self.mean(line, mean);
        } else if let Some(summary) = text.strip_prefix(SUMMARY) {
            self.summary(line, summary);
        } else if let Some((name, value)) = text.strip_prefix("---> ").and_then(|row| row.split_once('=')) {
            self.row(line, name.trim(), value);
        }
    }

    /// `RunTime=29.550 sec; SentMessages=691734; ReceivedMessages=691734`.
    fn run(&mut self, line: u64, text: &str) {
        for (name, value) in text.split(';').filter_map(|part| part.split_once('=')) {
            match name.trim() {
                "RunTime" => self.result.whole.window = quantity(line, value, Counting::Decimal),
                "SentMessages" => self.sent = whole(value).map(|(count, _)| count),
                "ReceivedMessages" => {
                    self.result.whole.operations =
                        whole(value).map(|(count, _)| exact(line, count, Unit::One));
                }
                _ => {}
            }
        }
    }

    /// `3072000 messages sent in 30.000 sec`.
    fn total(&mut self, line: u64, text: &str) {
        let Some((count, time)) = text.split_once(" messages sent in ") else { return };
        self.result.whole.operations = whole(count).map(|(count, _)| exact(line, count, Unit::One));
        self.result.whole.window = quantity(line, time, Counting::Decimal);
    }

    /// `0; # duplicated messages = 0; # out-of-order messages = 0`.
    fn dropped(&mut self, line: u64, text: &str) {
        let dropped = whole(text).map(|(count, _)| count);
        let Some((dropped, sent)) = dropped.zip(self.sent).filter(|(_, sent)| *sent > 0) else { return };
        let share = plain(line, format!("{dropped}/{sent}"), dropped as f64 / sent as f64, Unit::One);
        self.result.whole.add(metric::LOSS, Some(share));
    }

    /// `latency=21.323 (std-dev=14.741, mean-ad=3.679)`, or `rtt=`.
    fn mean(&mut self, line: u64, text: &str) {
        let Some((what, value)) = text.split_once('=') else { return };
        self.is_whole = what == "rtt";
        self.add(metric::LATENCY_MEAN, time_of(line, value));
        let deviation = value.split_once("std-dev=").and_then(|(_, value)| time_of(line, value));
        if let Some(stddev) = statistic("stddev") {
            self.add(stddev, deviation);
        }
    }

    /// `Latency is 21.323 usec`, `Message Rate is 102400 [msg/sec]`, `BandWidth is 100.000 MBps (800.000 Mbps)`.
    fn summary(&mut self, line: u64, text: &str) {
        let whole = &mut self.result.whole;
        if let Some(rate) = text.strip_prefix("Message Rate is ") {
            whole.add(metric::OPERATIONS_PER_SECOND, bare(line, rate, Unit::PerSecond));
        } else if let Some(rate) = text.strip_prefix("BandWidth is ") {
            let rate = rate.split('(').next().unwrap_or_default();
            whole.add(metric::SENDER_THROUGHPUT, quantity(line, rate, BYTES.counting));
        } else if let Some((what, mean)) = text.split_once(" is ")
            && whole.figures.is_empty()
        {
            self.is_whole = what == "Round trip";
            self.add(metric::LATENCY_MEAN, time_of(line, mean));
        }
    }

    /// `percentile 99.900 =  110.538`, `<MAX> observation = 4943.790`.
    fn row(&mut self, line: u64, name: &str, value: &str) {
        let metric = match name {
            "<MAX> observation" | "MAX observation" => Some(metric::LATENCY_MAX),
            "<MIN> observation" | "MIN observation" => statistic("min"),
            name => name.strip_prefix("percentile ").and_then(percentile),
        };
        if let Some(metric) = metric {
            self.add(metric, time_of(line, value));
        }
    }

    /// Adds a time under the name of what it is of.
    fn add(&mut self, of_latency: MetricName, time: Option<PrintedValue>) {
        let half = || {
            let (latency, half) = (metric::LATENCY.as_str(), metric::HALF_ROUND_TRIP.as_str());
            MetricName::intern(&of_latency.as_str().replacen(latency, half, 1))
        };
        let name = if self.is_whole { Some(of_latency) } else { half() };
        if let Some(name) = name {
            self.result.whole.add(name, time);
        }
    }
}

/// A number of microseconds, with something behind it or nothing.
fn time_of(line: u64, text: &str) -> Option<PrintedValue> {
    let end = text.trim_start().find([' ', ',', ')']).map(|end| end + text.len() - text.trim_start().len());
    time(line, text.get(..end.unwrap_or(text.len()))?, "usec")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_round_trips_are_no_halves() {
        let read = |what: &str| {
            let text = format!(
                "sockperf: Summary: {what} is 4.625 usec\nsockperf: ---> percentile 99.000 =    5.770\n"
            );
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            results[0].whole.figures.iter().map(|figure| figure.metric.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(read("Round trip"), ["latency_mean", "latency_p99"]);
        assert_eq!(read("Latency"), ["half_round_trip_mean", "half_round_trip_p99"]);
    }

    #[test]
    fn the_distribution_of_early_versions_is_known_alone() {
        let text = "sockperf: Total 5303071 observations; each percentile contains 53030.71 observations\n\
                    sockperf: ---> MAX observation =   42.328\nsockperf: ---> percentile 50.000 =    1.861\n\
                    sockperf: ---> MIN observation =    1.743\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results[0].whole.figures.len(), output.unread.len()), (3, 0));
    }

    #[test]
    fn lost_messages_are_a_share_of_those_that_were_sent() {
        let text = "sockperf: [Valid Duration] RunTime=9.550 sec; SentMessages=1000; ReceivedMessages=990\n\
                    sockperf: ====> avg-latency=24.571 (std-dev=93.297)\n\
                    sockperf: # dropped messages = 10; # duplicated messages = 0; # out-of-order messages = 0\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results[0].whole.figure(metric::LOSS).map(|loss| loss.value), Some(0.01));
        assert_eq!(results[0].whole.operations.as_ref().map(|count| count.value), Some(990.0));
    }
}
