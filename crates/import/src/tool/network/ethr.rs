//! Ethr: what its client prints each second of a bandwidth, of connections, of packets and of round trips. It prints no
//! sum, so that the whole is the mean of its seconds. A client sends unless it was given `-r`.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::arguments;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ethr;

const NAME: &str = "ethr";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.0",
    units: "K, M, G of Bits/s, Conn/s and Pkts/s",
    counting: Counting::Decimal,
    proof: "utils.go, whose KILO is 1000; bytesToRate has multiplied bytes by 8 before",
};

const RULES: &[CountingRule] = &[BITS];

/// Its first line.
const TITLE: &str = "Ethr: Comprehensive Network Performance Measurement Tool (Version: ";

/// Headings of round trips.
const ROUND_TRIPS: &[&str] = &["Avg", "Min", "50%", "90%", "95%", "99%", "99.9%", "99.99%", "Max"];

/// How other lines begin that it prints.
const OTHERS: &[&str] = &[
    "Maintainer: ",
    "Using destination: ",
    "Connecting to host ",
    "Running latency test: ",
    "TCP connect statistics for ",
    "ICMP ping statistics for ",
    "Sent = ",
    "[tcp] ",
    "[icmp] ",
    "Ethr done, ",
    "Hint: ",
];

impl ToolReader for Ethr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what the client of Ethr prints of a bandwidth, of connections, of packets and of round trips; not its traces of routes"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[TITLE, "Protocol", "99.99%"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim_start();
        (text.starts_with(TITLE) || headings(text).is_some()).then_some(Beginning::Certain)
    }

    fn shares(&self, line: &ToolLine) -> bool {
        is_connection(line.text.trim_start())
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        if before.is_empty() {
            return Extent::More;
        }
        if text.starts_with(TITLE) {
            return Extent::EndsBefore;
        }
        let belongs = last.is_blank()
            || text.chars().all(|c| matches!(c, '-' | ' '))
            || is_connection(text)
            || headings(text).is_some()
            || EthrRow::of(text).is_some()
            || times(text).is_some()
            || OTHERS.iter().any(|other| text.starts_with(other));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        result.options = arguments(&result.command);
        let is_reverse = result.command.iter().any(|word| word == "-r");
        let throughput = if is_reverse { metric::THROUGHPUT } else { metric::SENDER_THROUGHPUT };
        let mut columns = Vec::new();
        let mut rows: Vec<ToolPart> = Vec::new();
        let mut connections = Vec::new();
        for line in block.lines {
            let text = line.text.trim_start();
            if let Some(version) = text.strip_prefix(TITLE) {
                result.version = Some(version.trim_end_matches(')').trim_start_matches('v').to_owned());
            } else if let Some(host) = text.strip_prefix("Using destination: ") {
                let host = host.split(',').next().unwrap_or(host);
                result.options.insert("host".to_owned(), host.to_owned());
            } else if let Some(own) = headings(text) {
                columns = own;
            } else if let Some(row) = EthrRow::of(text) {
                result.options.insert("protocol".to_owned(), row.protocol.to_owned());
                let is_one = !row.id.is_empty() && row.id != "SUM";
                let part = row.part(line.number, &columns, throughput);
                if is_one { connections.push(part) } else { rows.push(part) }
            } else if let Some(times) = times(text) {
                rows.push(of_times(line.number, rows.len(), &times));
            }
        }
        // One connection has no sum.
        let rows = if rows.is_empty() { connections } else { rows };
        result.whole = mean(&rows);
        if rows.len() > 1 {
            result.parts = rows;
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `[  6] local 10.0.0.1 port 4 connected to 10.0.0.2 port 8888`: iperf3 prints the same.
fn is_connection(text: &str) -> bool {
    text.starts_with('[') && text.contains("] local ") && text.contains(" connected to ")
}

/// The headings of its figures, where this is a line of headings.
fn headings(text: &str) -> Option<Vec<&str>> {
    // Every line of every text is asked.
    if !["[", "Protocol", "Avg"].iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words == ROUND_TRIPS {
        return Some(words);
    }
    let own = words.strip_prefix(&["[", "ID", "]"]).unwrap_or(&words);
    let columns = own.strip_prefix(&["Protocol", "Interval"])?;
    let is_known = matches!(columns, ["Bits/s"] | ["Bits/s", "Pkts/s"] | ["Conn/s"]);
    is_known.then(|| columns.to_vec())
}

/// A row of one second: `[    6]     TCP      000-001 sec     9.38G`.
struct EthrRow<'a> {
    /// The connection; `SUM` for all, and nothing where there are no numbers of connections.
    id: &'a str,
    protocol: &'a str,
    span: &'a str,
    values: Vec<&'a str>,
}

impl<'a> EthrRow<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (id, rest) = match text.strip_prefix('[') {
            Some(inside) => inside.split_once(']')?,
            None => ("", text),
        };
        let mut words = rest.split_whitespace();
        let protocol = words.next().filter(|word| matches!(*word, "TCP" | "UDP" | "ICMP"))?;
        let span = words.next()?;
        let (from, to) = span.split_once('-')?;
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(from) || !is_number(to) || words.next() != Some("sec") {
            return None;
        }
        Some(Self { id: id.trim(), protocol, span, values: words.collect() })
    }

    fn part(self, line: u64, columns: &[&str], throughput: MetricName) -> ToolPart {
        let mut measured = ToolMeasurement::default();
        for (column, value) in columns.iter().zip(&self.values) {
            match *column {
                "Bits/s" => {
                    measured.add(throughput, quantity(line, &format!("{value}bit/s"), BITS.counting));
                }
                "Pkts/s" => {
                    let rate = count(line, value, BITS.counting, Unit::PerSecond);
                    measured.add(metric::PACKETS_PER_SECOND, rate);
                }
                "Conn/s" => {
                    let rate = count(line, value, BITS.counting, Unit::PerSecond);
                    measured.add(metric::CONNECTIONS_PER_SECOND, rate);
                }
                _ => {}
            }
        }
        let start_s = whole(self.span).map(|(start, _)| start as f64);
        ToolPart { kind: ToolPartKind::Interval, name: self.span.to_owned(), start_s, measured }
    }
}

/// The times of a row of round trips, in the order of [`ROUND_TRIPS`].
fn times(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_time = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && ["ns", "us", "ms", "s"].iter().any(|unit| word.ends_with(unit))
    };
    (words.len() == ROUND_TRIPS.len() && words.iter().all(is_time)).then_some(words)
}

/// A row of round trips.
fn of_times(line: u64, before: usize, times: &[&str]) -> ToolPart {
    let mut measured = ToolMeasurement::default();
    for (name, time) in ROUND_TRIPS.iter().zip(times) {
        if let Some(metric) = statistic(&name.to_ascii_lowercase()) {
            measured.add(metric, quantity(line, time, BITS.counting));
        }
    }
    ToolPart { kind: ToolPartKind::Interval, name: (before + 1).to_string(), start_s: None, measured }
}

/// What all rows are together: the only one, or means of rates and of means. Of percentiles there is no mean.
fn mean(rows: &[ToolPart]) -> ToolMeasurement {
    let mut whole = ToolMeasurement::default();
    let [first, .., last] = rows else {
        return rows.first().map(|row| row.measured.clone()).unwrap_or_default();
    };
    for figure in &first.measured.figures {
        let is_rate = matches!(figure.printed.unit, Unit::BytesPerSecond | Unit::PerSecond);
        if !is_rate && figure.metric != metric::LATENCY_MEAN {
            continue;
        }
        let values: Vec<&PrintedValue> =
            rows.iter().filter_map(|row| row.measured.figure(figure.metric)).collect();
        let all = values.len() as f64;
        let end = last.measured.figure(figure.metric).map_or("", |printed| printed.text.as_str());
        let mean = PrintedValue {
            text: format!("({} + ... + {end}) / {}", figure.printed.text, values.len()),
            value: values.iter().map(|printed| printed.value).sum::<f64>() / all,
            half_step: values.iter().map(|printed| printed.half_step).sum::<f64>() / all,
            ..figure.printed.clone()
        };
        whole.add(figure.metric, Some(mean));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_the_mean_of_the_seconds() {
        let text = "$ ethr -c 10.0.0.4 -n 2\n\
                    Ethr: Comprehensive Network Performance Measurement Tool (Version: v1.0.0)\n\
                    Maintainer: A B (a @ C)\n\nUsing destination: 10.0.0.4, ip: 10.0.0.4, port: 8888\n\
                    [  6] local 10.0.0.5 port 49152 connected to 10.0.0.4 port 8888\n\
                    - - - - - - - - - - - - - - - - - - - - - - -\n[  ID ]   Protocol    Interval      Bits/s\n\
                    [    6]     TCP      000-001 sec       4G\n[    7]     TCP      000-001 sec       4G\n\
                    [  SUM]     TCP      000-001 sec       8G\n- - - - - - - - - - - - - - - - - - - - - - -\n\
                    [    6]     TCP      001-002 sec       2G\n[    7]     TCP      001-002 sec       2G\n\
                    [  SUM]     TCP      001-002 sec       4G\n- - - - - - - - - - - - - - - - - - - - - - -\n\
                    Ethr done, duration: 2s.\nHint: Use -d parameter to change duration of the test.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(metric::SENDER_THROUGHPUT).map(|rate| rate.value), Some(0.75e9));
        assert_eq!((result.parts.len(), result.version.as_deref()), (2, Some("1.0.0")));
        assert_eq!((result.options["host"].as_str(), output.unread.len()), ("10.0.0.4", 0));
    }

    #[test]
    fn round_trips_have_percentiles_of_a_single_row_only() {
        let heading =
            "      Avg       Min       50%       90%       95%       99%     99.9%    99.99%       Max\n";
        let row =
            " 55.000us  40.000us  50.000us  60.000us  70.000us  80.000us  90.000us   1.000ms   2.000ms\n";
        let read = |text: String| {
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            let whole = &results[0].whole;
            (whole.figures.len(), whole.figure(metric::LATENCY_P50).is_some())
        };
        assert_eq!(read(format!("{heading}{row}")), (9, true));
        assert_eq!(read(format!("{heading}{row}{row}")), (1, false));
    }
}
