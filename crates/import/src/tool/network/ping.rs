//! ping: the statistics at the end, as iputils, busybox, the systems of BSD and Windows print them; those of
//! Windows in any language. Single answers are not read: how many there were is not known without the
//! statistics.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, plain, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ping;

const NAME: &str = "ping";

/// The version that the form of the counts tells.
const WINDOWS: &str = "Windows";

/// So many lines of other words may stand between its answers.
const OTHER_LINES: usize = 2;

impl ToolReader for Ping {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of ping, of Linux, busybox, BSD, macOS and Windows (in any language): what was lost, and the round trips"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ping", "ping4", "ping6"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["PING", "Pinging ", "--- ", "=", "PATTERN: 0x", "packets transmitted, "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if host(text).is_some() || is_title(text) || is_reply(text) || text.starts_with("PATTERN: 0x") {
            return Some(Beginning::Certain);
        }
        Counts::of(line).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        if round_trips(last).is_some()
            && before.iter().rev().take(3).any(|line| Counts::of_any(line).is_some())
        {
            return Extent::EndsHere;
        }
        if before.is_empty() {
            return Extent::More;
        }
        // The pattern of the packets stands above the head.
        let is_first = matches!(before, [first] if first.text.starts_with("PATTERN: 0x"));
        if host(text).is_some() && !is_first {
            return Extent::EndsBefore;
        }
        // Behind the counts, Windows has a line of words, and in some languages the share on one of its own.
        let recent = before.get(before.len().saturating_sub(2)..).unwrap_or(before);
        if recent.iter().any(|line| Counts::of_any(line).is_some()) {
            let belongs = !last.is_blank()
                && (text.ends_with([':', '\u{ff1a}']) || is_share(text) || text.starts_with("pipe "));
            return if belongs { Extent::More } else { Extent::EndsBefore };
        }
        if is_line(last) {
            return Extent::More;
        }
        let unknown = before.iter().rev().take_while(|line| !is_line(line)).count();
        let is_between = unknown < OTHER_LINES && unknown < before.len();
        if is_between { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::ping_sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut last = None;
        for line in block.lines {
            let text = line.text.as_str();
            if let Some((host, bytes)) = host(text) {
                result.options.insert("host".to_owned(), host.to_owned());
                result.options.extend(bytes.map(|bytes| ("packetsize".to_owned(), bytes.to_string())));
            } else if let Some(counts) = Counts::of_any(line) {
                result.version = counts.is_windows.then(|| WINDOWS.to_owned());
                counts.fill(&mut result.whole);
                last = Some(line.number);
            } else if let Some(times) = round_trips(line) {
                let own = variant(text);
                result.version = result.version.take().or(own.map(str::to_owned));
                for (metric, printed) in times {
                    result.whole.add(metric, Some(printed));
                }
                last = Some(line.number);
            }
        }
        let is_windows = result.version.as_deref() == Some(WINDOWS);
        if is_windows && !block.lines.iter().any(is_of_ping) {
            return Err(NotUnderstood::OtherText);
        }
        let Some(last) = last.filter(|_| !result.whole.figures.is_empty()) else {
            return Err(NotUnderstood::CutShort);
        };
        result.lines.last = last;
        Ok(vec![result])
    }
}

/// The host of `PING h (10.0.0.2) 56(84) bytes of data.`, of `PING h (10.0.0.2): 56 data bytes` and of `Pinging h
/// [10.0.0.2] with 32 bytes of data:`, and the bytes of a packet.
fn host(text: &str) -> Option<(&str, Option<u64>)> {
    if let Some(of_ping6) = host_of_ping6(text) {
        return Some(of_ping6);
    }
    let text = text.trim_start();
    let rest = text.strip_prefix("PING ").or_else(|| text.strip_prefix("Pinging "))?;
    let mut words = rest.split_whitespace();
    let host = words.next()?;
    let host = host.split_once('(').map_or(host, |(name, _)| name).trim_end_matches(':');
    let is_ping =
        rest.contains("bytes of data") || rest.contains("data bytes") || words.clone().any(has_two_sizes);
    let number = |word: &str| {
        let (number, rest) = whole(word)?;
        (rest.is_empty() || rest.starts_with('(')).then_some(number)
    };
    let bytes = words.find_map(number);
    (is_ping && !host.is_empty()).then_some((host, bytes))
}

/// Whether a word is `56(84)`: the data, and the packet. In other languages only that tells what the line is.
fn has_two_sizes(word: &str) -> bool {
    let packet = |rest: &str| rest.strip_prefix('(')?.strip_suffix(')')?.parse::<u64>().ok();
    whole(word).is_some_and(|(data, rest)| packet(rest).is_some_and(|packet| packet > data))
}

/// `PING6(56=40+8+8 bytes) ::1 --> ::1`, as BSD writes it of IPv6: the other end, and the bytes of data.
fn host_of_ping6(text: &str) -> Option<(&str, Option<u64>)> {
    let (sizes, ends) = text.trim_start().strip_prefix("PING6(")?.split_once(" bytes) ")?;
    let (_, host) = ends.split_once(" --> ")?;
    Some((host, sizes.rsplit('+').next().and_then(|data| data.parse().ok())))
}

/// `--- h ping statistics ---`, in any language.
fn is_title(text: &str) -> bool {
    let is_ping = |word: &str| word.eq_ignore_ascii_case("ping");
    text.starts_with("--- ")
        && text.ends_with(" ---")
        && text.split(|c: char| !c.is_alphanumeric()).any(is_ping)
}

/// `64 bytes from h (10.0.0.2): icmp_seq=1 ttl=64 time=0.217 ms`, behind a time stamp or not, and `Reply from 10.0.0.2:
/// bytes=32 time<1ms TTL=64`, in any language.
fn is_reply(text: &str) -> bool {
    let is_unix = || {
        text.contains(" bytes from ")
            && text.contains("seq=")
            && [" ttl=", " hlim="].iter().any(|hops| text.contains(hops))
    };
    let is_translated =
        || text.contains("icmp_seq=") && text.contains(" ttl=") && text.trim_end().ends_with(" ms");
    let is_windows = || text.contains(" TTL=") && text.contains("ms ") && text.contains(": ");
    text.contains('=') && (is_unix() || is_translated() || is_windows())
}

/// Whether it is a line before the statistics.
fn is_line(line: &ToolLine) -> bool {
    let text = line.text.trim_start();
    let beginnings = [
        "PATTERN: 0x",
        "WARNING: pinging broadcast address",
        // What BSD shows of a packet that came back.
        "Vr HL TOS ",
        "From ",
        "Request timeout for icmp_seq ",
        "Request timed out.",
        "no answer yet for ",
        "ping: ",
        "Reply from ",
    ];
    line.is_blank()
        || is_title(text)
        || is_reply(text)
        || text.starts_with("^C")
        || is_refusal(text)
        || host(text).is_some()
        || Counts::of_any(line).is_some()
        || beginnings.iter().any(|beginning| text.starts_with(beginning))
}

/// `92 bytes from h (10.0.0.1): Destination Host Unreachable`, and the header of the packet that came back, below its
/// headings.
fn is_refusal(text: &str) -> bool {
    let is_answer = text.contains(" bytes from ") && text.contains("): ");
    let mut words = text.split_whitespace();
    let is_header = words.clone().count() == 12 && words.all(|word| word.bytes().all(is_of_address));
    is_answer || is_header
}

/// Whether addresses and hexadecimal numbers have it.
fn is_of_address(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'.'
}

/// `(0% loss),`.
fn is_share(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('(') && text.contains('%')
}

/// Whether a line tells that the counts of Windows' form beside it are of packets: others print such sums, too.
fn is_of_ping(line: &ToolLine) -> bool {
    let text = line.text.as_str();
    let has_share = || text.split_once('(').is_some_and(|(_, inside)| inside.contains('%'));
    host(text).is_some() || is_reply(text) || round_trips(line).is_some() || has_share()
}

/// The first whole number of a text.
fn first_number(text: &str) -> Option<u64> {
    whole(text.trim_start_matches(|c: char| !c.is_ascii_digit())).map(|(number, _)| number)
}

/// How many packets were sent, and how many answered.
struct Counts {
    line: u64,
    sent: u64,
    received: u64,
    window: Option<PrintedValue>,
    is_windows: bool,
}

impl Counts {
    /// Reads a line.
    fn of(line: &ToolLine) -> Option<Self> {
        let text = line.text.trim();
        Self::of_unix(line.number, text).or_else(|| Self::of_windows(line.number, text))
    }

    /// Reads a line of which it is known that ping printed it: in other languages others print such sums, too.
    fn of_any(line: &ToolLine) -> Option<Self> {
        Self::of(line).or_else(|| Self::of_translated(line.number, line.text.trim()))
    }

    /// `4 paquets transmis, 3 reçus, 25 % paquets perdus, temps 609 ms`: the share tells that it is one.
    fn of_translated(line: u64, text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split(", ").collect();
        let [sent, received, lost, further @ ..] = fields.as_slice() else { return None };
        let (before, _) = lost.split_once('%')?;
        let share: f64 = before.split_whitespace().next_back()?.replace(',', ".").parse().ok()?;
        let (sent, received) = (first_number(sent)?, first_number(received)?);
        let is_sum = sent > 0
            && received <= sent
            && ((sent - received) as f64 / sent as f64 * 100.0 - share).abs() <= 1.0;
        let time = further.last().map(|time| time.trim_start_matches(|c: char| !c.is_ascii_digit()));
        let window = time.and_then(|time| quantity(line, time, Counting::Decimal));
        is_sum.then_some(Self { line, sent, received, window, is_windows: false })
    }

    /// `4 packets transmitted, 3 received, 25% packet loss, time 609ms`; of BSD `3 packets received`.
    fn of_unix(line: u64, text: &str) -> Option<Self> {
        let (sent, rest) = whole(text)?;
        let (received, rest) = whole(rest.trim_start().strip_prefix("packets transmitted, ")?)?;
        let rest = rest.trim_start();
        if !rest.starts_with("received") && !rest.starts_with("packets received") {
            return None;
        }
        let window =
            rest.rsplit_once(", time ").and_then(|(_, time)| quantity(line, time, Counting::Decimal));
        Some(Self { line, sent, received, window, is_windows: false })
    }

    /// `Packets: Sent = 4, Received = 3, Lost = 1 (25% loss),` in any language: the sum tells that it is one.
    fn of_windows(line: u64, text: &str) -> Option<Self> {
        let (words, counts) = text.split_once([':', '\u{ff1a}'])?;
        // An answer has three numbers, too.
        if counts.contains("TTL=") {
            return None;
        }
        let numbers: Vec<(u64, &str)> = counts.split('=').skip(1).filter_map(whole).collect();
        let [(sent, _), (received, _), (lost, rest)] = numbers.as_slice() else { return None };
        let is_end = rest.is_empty() || rest.contains('%') || rest.starts_with([',', '\u{3001}', '\u{ff0c}']);
        let is_sum = *sent > 0 && received.checked_add(*lost) == Some(*sent);
        (is_end && is_sum && !words.contains('=')).then_some(Self {
            line,
            sent: *sent,
            received: *received,
            window: None,
            is_windows: true,
        })
    }

    fn fill(self, whole: &mut ToolMeasurement) {
        let Self { line, sent, received, window, .. } = self;
        whole.window = window;
        whole.operations = Some(exact(line, received, Unit::One));
        if sent > 0 {
            let lost = sent.saturating_sub(received);
            let share = lost as f64 / sent as f64;
            whole.add(metric::LOSS, Some(plain(line, format!("{lost}/{sent}"), share, Unit::One)));
        }
    }
}

/// Times by their metrics.
type Times = Vec<(MetricName, PrintedValue)>;

/// `rtt min/avg/max/mdev = 0.036/0.091/0.217/0.073 ms`, and `Minimum = 11ms, Maximum = 13ms, Average = 12ms` in any
/// language. `None` if it is another line.
fn round_trips(line: &ToolLine) -> Option<Times> {
    let text = line.text.trim();
    if !text.contains("min/avg/max") {
        return windows_round_trips(line.number, text);
    }
    let (names, values) = text.split_once(" = ")?;
    let names = names.rsplit(' ').next()?.split('/');
    let mut words = values.split_whitespace();
    let values = words.next()?.split('/');
    let unit = words.next()?.trim_end_matches(',');
    let one = |(name, value): (&str, &str)| Some((statistic(name)?, time(line.number, value, unit)?));
    Some(names.zip(values).filter_map(one).collect())
}

/// Whole milliseconds, cut off: of those that are shorter nothing is known.
fn windows_round_trips(line: u64, text: &str) -> Option<Times> {
    let one = |part: &str| {
        let (number, rest) = whole(part)?;
        rest.starts_with("ms").then_some(number)
    };
    let times: Vec<u64> = text.split('=').skip(1).filter_map(one).collect();
    let [least, most, mean] = times.as_slice() else { return None };
    if text.split('=').count() != times.len() + 1 || !(least..=most).contains(&mean) {
        return None;
    }
    let named = [("min", least), ("max", most), ("avg", mean)];
    let one = |(name, value): (&str, &u64)| {
        let printed = PrintedValue { half_step: 1e-3, ..time(line, &value.to_string(), "ms")? };
        (*value > 0).then_some((statistic(name)?, printed))
    };
    Some(named.into_iter().filter_map(one).collect())
}

/// The metric of a column.
fn statistic(name: &str) -> Option<MetricName> {
    Some(match name {
        "min" => MetricName::new("latency_min"),
        "avg" => metric::LATENCY_MEAN,
        "max" => metric::LATENCY_MAX,
        // It is the root of the mean square, whatever it is called: `ping_common.c`.
        "mdev" | "stddev" | "std-dev" => MetricName::new("latency_stddev"),
        _ => return None,
    })
}

/// Whose ping has these columns.
fn variant(text: &str) -> Option<&'static str> {
    let (names, _) = text.trim().split_once(" = ")?;
    Some(match names.rsplit('/').next()? {
        "mdev" => "iputils",
        "stddev" | "std-dev" => "BSD",
        "max" => "busybox",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::network::lines;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    fn counted(text: &str) -> Option<(u64, u64)> {
        Counts::of(&line(text)).map(|counts| (counts.sent, counts.received))
    }

    #[test]
    fn statistics_of_other_languages_are_known_by_their_sums() {
        let text = "PING h (10.0.0.2) 56(84) Bytes an Daten.\n64 Bytes von h (10.0.0.2): icmp_seq=1 ttl=248 Zeit=11.8 ms\n\n\
                    --- h ping-Statistik ---\n4 Pakete \u{fc}bertragen, 3 empfangen, 25% packet loss, time 3002ms\n\
                    rtt min/avg/max/mdev = 11.812/12.061/12.311/0.249 ms\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|printed| (printed.value * 1e6).round());
        assert_eq!((value(metric::LOSS), value(metric::LATENCY_MEAN)), (Some(250_000.0), Some(12_061.0)));
        assert_eq!((result.options["host"].as_str(), result.options["packetsize"].as_str()), ("h", "56"));
        let prose = "4 tests were run, 3 passed, 25% failed\n";
        assert!(crate::tool::read("", prose.as_bytes()).unwrap().results.is_empty());
    }

    #[test]
    fn counts_are_read_in_any_language() {
        for (text, expected) in [
            ("4 packets transmitted, 3 received, +1 errors, 25% packet loss, time 609ms", Some((4, 3))),
            ("4 packets transmitted, 4 packets received, 0.0% packet loss", Some((4, 4))),
            ("    Packets: Sent = 4, Received = 3, Lost = 1 (25% loss),", Some((4, 3))),
            ("    Pakete: Gesendet = 4, Empfangen = 4, Verloren = 0", Some((4, 4))),
            (
                "    \u{d328}\u{d0b7}: \u{bcf4}\u{b0c4} = 4, \u{bc1b}\u{c74c} = 4, \u{c190}\u{c2e4} = 0 (0% \u{c190}\u{c2e4}),",
                Some((4, 4)),
            ),
            ("    sizes: a = 4, b = 4, c = 4", None),
            ("4 packets transmitted", None),
            ("Reply from 10.0.0.2: bytes=128 time=64ms TTL=64", None),
        ] {
            assert_eq!(counted(text), expected, "{text}");
        }
    }

    #[test]
    fn times_of_windows_that_are_shorter_than_it_counts_are_not_known() {
        let read = |text: &str| {
            let all = round_trips(&line(text)).unwrap();
            all.into_iter().map(|(name, time)| (name.as_str(), time.value)).collect::<Vec<_>>()
        };
        assert_eq!(
            read("    Minimum = 0ms, Maximum = 16ms, Average = 2ms"),
            [("latency_max", 0.016), ("latency_mean", 0.002)]
        );
        assert!(round_trips(&line("a = 1ms, b = 2ms, c = 3ms")).is_none(), "the mean is above the greatest");
        assert_eq!(read("round-trip min/avg/max = 1.0/2.0/3.0 ms").len(), 3);
    }

    #[test]
    fn heads_have_the_host_and_the_size() {
        for (text, expected) in [
            ("PING h (10.0.0.2) 56(84) bytes of data.", Some(("h", Some(56)))),
            ("PING ::1(::1) 56 data bytes", Some(("::1", Some(56)))),
            ("PING h (10.0.0.2): 56 data bytes", Some(("h", Some(56)))),
            ("Pinging h [10.0.0.2] with 32 bytes of data:", Some(("h", Some(32)))),
            ("PING6(56=40+8+8 bytes) ::1 --> ::2", Some(("::2", Some(8)))),
            ("PING is a program", None),
        ] {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn a_host_that_does_not_answer_has_its_losses() {
        let text = "PING h (10.0.0.2) 56(84) bytes of data.\n\n--- h ping statistics ---\n\
                    3 packets transmitted, 0 received, 100% packet loss, time 2031ms\n";
        let read = Ping.read(&ToolBlock { lines: &lines(text), command: None }).unwrap().remove(0);
        assert_eq!(read.whole.figure(metric::LOSS).map(|loss| loss.value), Some(1.0));
        assert_eq!(read.whole.figures.len(), 1);
    }

    #[test]
    fn regression_packets_that_came_back_broke_the_output_of_bsd() {
        let text = "PING 10.0.0.9 (10.0.0.9): 56 data bytes\nRequest timeout for icmp_seq 0\n\
                    92 bytes from gw (10.0.0.1): Destination Host Unreachable\n\
                    Vr HL TOS  Len   ID Flg  off TTL Pro  cks      Src      Dst\n \
                    4  5  00 5400 567b   0 0000  3f  01 a024 10.0.0.2  10.0.0.9 \n\nRequest timeout for icmp_seq 1\n\n\
                    --- 10.0.0.9 ping statistics ---\n2 packets transmitted, 0 packets received, 100.0% packet loss\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (1, 0));
        assert_eq!(output.results[0].options["host"], "10.0.0.9");
    }

    #[test]
    fn sums_of_others_are_no_packets() {
        let read = |text: &str| Ping.read(&ToolBlock { lines: &lines(text), command: None });
        let other = read("Totals: tests = 12, passed = 10, failed = 2\n");
        assert_eq!(other.unwrap_err(), NotUnderstood::OtherText);
        let lost = "    Pakete: Gesendet = 4, Empfangen = 0, Verloren = 4\n    (100% Verlust),\n";
        assert_eq!(read(lost).unwrap()[0].whole.figure(metric::LOSS).map(|loss| loss.value), Some(1.0));
    }

    #[test]
    fn answers_alone_are_not_counted() {
        let text = "64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=0.2 ms\n";
        let lines = lines(text);
        assert_eq!(
            Ping.read(&ToolBlock { lines: &lines, command: None }).unwrap_err(),
            NotUnderstood::CutShort
        );
        assert!(Ping.begins(&lines[0]).is_some());
    }
}
