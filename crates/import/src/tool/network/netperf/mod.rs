//! netperf 2: its classic tables of STREAM and RR tests, interim results, and the keys and CSV of its
//! omni tests.

mod options;
mod table;

use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolRemedy, ToolResult,
};
use model::{MetricName, Unit, metric};

use self::table::NetperfTable;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::network::given::set;
use crate::tool::network::part;
use crate::tool::number::{count, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Netperf;

const NAME: &str = "netperf";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x",
    units: "10^3bits/s, 10^6bits/s, 10^9bits/s",
    counting: Counting::Decimal,
    proof: "netperf-2.7.1-verbose: 1971486720 bytes in 1.00 s (0.995 to 1.005) are 15693 to 15851 million bits a second; it prints 15753.85",
};

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x, with -f K, M or G",
    units: "KBytes/s, MBytes/s, GBytes/s",
    counting: Counting::Binary,
    proof: "src/netlib.c, calc_thruput_interval_omni: 'M' divides by 1024 * 1024",
};

const RULES: &[CountingRule] = &[BITS, BYTES];

/// So many lines may stand before the figures.
const HEAD_LINES: usize = 24;

impl ToolReader for Netperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "TCP_STREAM, TCP_MAERTS, TCP_SENDFILE, UDP_STREAM, TCP_RR, TCP_CRR and UDP_RR of netperf 2, -D, -v 2, and the keys (-k) and \
         CSV (-o) of its omni tests"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["netperf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" TEST "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        test_of(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if before.is_empty() {
            return Extent::More;
        }
        if test_of(&last.text).is_some() {
            return Extent::EndsBefore;
        }
        let is_over = before.iter().rev().take(256).any(|line| is_figures(&line.text));
        let is_number = whole(&last.text).is_some_and(|(_, rest)| rest.is_empty());
        let is_told = last.is_blank() || is_number || is_figures(&last.text) || is_interim(&last.text);
        // The heading of a table may stand behind many interim results.
        let is_head = || {
            let words = ["Socket", "bytes", "Size", "Send", "Local"];
            before.len() < HEAD_LINES || words.iter().any(|word| last.text.contains(word))
        };
        let is_foot = || FOOTS.iter().any(|foot| last.text.trim_start().starts_with(foot));
        let belongs = is_told || if is_over { is_foot() } else { is_head() };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let test =
            block.lines.first().and_then(|line| test_of(&line.text)).ok_or(NotUnderstood::OtherText)?;
        let mut result = block.result(NAME, self.programs());
        // A text may have the outputs of others below a command.
        let host = block.lines.first().and_then(|line| host_of(&line.text));
        if host.is_some_and(|host| !options::is_to(&result.command, host)) {
            result.command.clear();
        }
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        let table = NetperfTable::of(test, block);
        result.whole = table.whole.clone();
        result.parts.extend(table.sent.clone().map(|sent| part(ToolPartKind::Direction, "sender", sent)));
        result.parts.extend(interims(block));
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options::fill(&mut result, test, &table);
        Ok(vec![result])
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let seconds = remedies.iter().find_map(|remedy| match remedy {
            ToolRemedy::RunFor(seconds) => Some(seconds.to_string()),
            _ => None,
        })?;
        // Options of the test stand behind two dashes.
        let end = result.command.iter().position(|word| word == "--").unwrap_or(result.command.len());
        let (general, of_test) = result.command.split_at_checked(end)?;
        Some(set(general, &options::LENGTH, &seconds).into_iter().chain(of_test.iter().cloned()).collect())
    }
}

/// What stands behind the figures with `-v 2`.
const FOOTS: &[&str] = &[
    "Alignment",
    "Local  Remote",
    "Send   Recv",
    "Maximum",
    "Segment",
    "Size (bytes)",
    // The histogram of a build that has it.
    "Histogram of ",
    "UNIT_USEC ",
    "TEN_USEC ",
    "HUNDRED_USEC ",
    "UNIT_MSEC ",
    "TEN_MSEC ",
    "HUNDRED_MSEC ",
    "UNIT_SEC ",
    "TEN_SEC ",
    ">100_SECS:",
    "HIST_TOTAL:",
];

/// The test of a banner: `MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to h () port 0 AF_INET`.
fn test_of(text: &str) -> Option<&str> {
    let (test, rest) = text.split_once(" TEST ")?;
    let test = test.strip_prefix("MIGRATED ").unwrap_or(test);
    let is_known = ["TCP ", "UDP ", "OMNI ", "SCTP ", "DLPI "].iter().any(|start| test.starts_with(start));
    let is_banner = rest.starts_with("from ") || rest.starts_with("to ");
    (is_known && is_banner && test.len() < 40).then_some(test)
}

/// The other end, as a banner names it.
fn host_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(" TEST ")?;
    let rest = rest.strip_prefix("to ").or_else(|| rest.split_once(" to ").map(|(_, rest)| rest))?;
    rest.split_whitespace().next()
}

fn is_interim(text: &str) -> bool {
    text.starts_with("Interim result:")
}

/// Numbers in columns, a key with a value, or values between commas.
fn is_figures(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_value =
        |word: &&str| leading(word, false).is_some_and(|n| n.rest.is_empty()) || unit(word).is_some();
    let first = text.split_once(',').and_then(|(first, _)| leading(first, false));
    words.len() >= 2 && words.iter().all(is_value)
        || key(text).is_some()
        || first.is_some_and(|first| first.rest.is_empty())
}

/// `THROUGHPUT=13282.40`.
fn key(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let is_key =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
    is_key.then_some((key, value))
}

/// The unit of a rate, as `number::quantity` knows it; of transactions `Trans/s`.
fn unit(word: &str) -> Option<&'static str> {
    Some(match word.trim_end_matches("ec") {
        "10^3bits/s" => "kbits/s",
        "10^6bits/s" => "Mbits/s",
        "10^9bits/s" => "Gbits/s",
        "KBytes/s" => "KBytes/s",
        "MBytes/s" => "MBytes/s",
        "GBytes/s" => "GBytes/s",
        "Trans/s" => "Trans/s",
        _ => return None,
    })
}

/// A rate in such a unit.
fn rate(line: u64, number: &str, unit: &str) -> Option<(MetricName, PrintedValue)> {
    if unit == "Trans/s" {
        let rate = count(line, number, Counting::Decimal, Unit::PerSecond)?;
        return Some((metric::OPERATIONS_PER_SECOND, rate));
    }
    let counting = if unit.contains("Bytes") { Counting::Binary } else { Counting::Decimal };
    let printed = match unit {
        "kbits/s" => "10^3bits/s",
        "Mbits/s" => "10^6bits/s",
        "Gbits/s" => "10^9bits/s",
        other => other,
    };
    let rate = quantity(line, &format!("{number} {unit}"), counting)?;
    Some((metric::THROUGHPUT, PrintedValue { text: format!("{number} {printed}"), ..rate }))
}

/// `Interim result: 11069.73 10^6bits/s over 1.438 seconds ending at 1795810402.262`.
fn interims(block: &ToolBlock<'_>) -> Vec<ToolPart> {
    let mut start = 0.0;
    let mut parts = Vec::new();
    for line in block.lines {
        let Some((window, metric, printed)) = interim(line) else { continue };
        let length = window.value;
        let mut measured = ToolMeasurement { window: Some(window), ..ToolMeasurement::default() };
        measured.add(metric, Some(printed));
        let name = format!("{start:.3}-{:.3}", start + length);
        parts.push(ToolPart { kind: ToolPartKind::Interval, name, start_s: Some(start), measured });
        start += length;
    }
    parts
}

fn interim(line: &ToolLine) -> Option<(PrintedValue, MetricName, PrintedValue)> {
    let mut words = line.text.strip_prefix("Interim result:")?.split_whitespace();
    let (number, own_unit) = (words.next()?, unit(words.next()?)?);
    let seconds = words.next().filter(|over| *over == "over").and_then(|_| words.next())?;
    let (metric, printed) = rate(line.number, number, own_unit)?;
    Some((time(line.number, seconds, "s")?, metric, printed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_of_every_age_are_known() {
        for (text, test) in [
            (
                "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to h () port 0 AF_INET",
                Some("TCP STREAM"),
            ),
            ("TCP STREAM TEST to somehost", Some("TCP STREAM")),
            ("This is a TEST from me", None),
        ] {
            assert_eq!(test_of(text), test, "{text}");
        }
    }

    #[test]
    fn the_histogram_is_of_the_output_above_it() {
        let text = "MIGRATED UDP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : histogram\n\
                    Throughput,Throughput Units,50th Percentile Latency Microseconds\n2217.06,Trans/s,442\n\n\
                    Histogram of request/response times\nUNIT_USEC     :    0:    0:    0\nHUNDRED_USEC  :    0:    5: 1000\n\
                    >100_SECS: 0\nHIST_TOTAL:      1005\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len(), output.results[0].lines.last), (1, 0, 9));
        let rate =
            output.results[0].whole.figure(model::metric::OPERATIONS_PER_SECOND).map(|rate| rate.value);
        assert_eq!(rate, Some(2217.06));
    }

    #[test]
    fn regression_the_deviation_of_latencies_was_taken_for_the_time() {
        let banner = "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo\n";
        let stacked = "Minimum      Mean         99th         Stddev       Transaction\n\
                       Latency      Latency      Percentile   Latency      Rate\n\
                       Microseconds Microseconds Latency      Microseconds Tran/s\nMicroseconds\n\
                       38           56.5         69           3.89         52866.25\n";
        let columns = "Minimum Latency Microseconds,Mean Latency Microseconds,Stddev Latency Microseconds,Transaction Rate Tran/s\n\
                       38,56.5,3.89,52866.25\n";
        let keys = "THROUGHPUT=52866.25\nMEAN_LATENCY=56.5\n";
        for figures in [stacked, columns, keys] {
            let output = crate::tool::read("", format!("{banner}{figures}").as_bytes()).unwrap();
            let [result] = output.results.as_slice() else { panic!("{output:?}") };
            let value = |name| result.whole.figure(name).map(|printed| printed.value);
            assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(52866.25), "{figures}");
            assert_eq!(
                value(metric::LATENCY_MEAN).map(|mean| (mean * 1e7).round()),
                Some(565.0),
                "{figures}"
            );
            assert!(result.whole.window.is_none() && output.unread.is_empty(), "{output:?}");
        }
    }

    #[test]
    fn figures_are_told_from_headings() {
        for (text, is_one) in [
            ("131072  16384  16384    1.00     11787.44", true),
            ("THROUGHPUT=13282.40", true),
            ("35031.65,Trans/s,202,1.00", true),
            ("19077.48,10^6bits/s", true),
            ("bytes  bytes   bytes    secs.    10^6bits/sec", false),
            ("Local /Remote", false),
            ("Thank you", false),
        ] {
            assert_eq!(is_figures(text), is_one, "{text}");
        }
    }

    #[test]
    fn the_command_runs_longer_before_its_tests_options() {
        let command = "netperf -H h -l 1 -- -m 1400".split(' ').map(str::to_owned).collect();
        let result = ToolResult { command, ..ToolResult::default() };
        let words = Netperf.corrected(&result, &[ToolRemedy::RunFor(30)]).unwrap();
        assert_eq!(words.join(" "), "netperf -H h -l 30 -- -m 1400");
    }
}
