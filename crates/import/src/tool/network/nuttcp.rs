//! nuttcp: the line that it ends with, its intervals (`-i`), what it says with `-v`, and `-fparse`.
//! Its columns have fixed widths and may touch; the words between them tell them apart.

use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolRemedy, ToolResult,
};
use model::{Unit, Value, WorkloadName, metric};

use super::given::{GivenOptions, OptionSpec, binary_size, decimal_rate, without};
use super::{part, peer};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer.
pub(super) struct Nuttcp;

const NAME: &str = "nuttcp";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "5.x to 8.x",
    units: "MB, KB/sec",
    counting: Counting::Binary,
    proof: "nuttcp-6.1.2-bytes: `-n64m` sends 64 x 2^20 bytes, and it prints `64.0000 MB`",
};

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "5.x to 8.x",
    units: "Mbps",
    counting: Counting::Decimal,
    proof: "nuttcp-6.1.2-intervals: 4973.1875 x 2^20 bytes in 2.00 s are 20859 million bits a second; it prints 20857.5585 Mbps",
};

const RULES: &[CountingRule] = &[BYTES, BITS];

impl ToolReader for Nuttcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what nuttcp prints at its end and for each interval, with -v, and with -fparse, over TCP and UDP"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["nuttcp"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["sec =", "megabytes=", "nuttcp-"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_one = Figures::of(line).is_some() || end_of(&line.text).is_some();
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        // With -v both ends say what they did, the line of the whole stands behind.
        let is_verbose = lines.first().is_some_and(|first| end_of(&first.text).is_some());
        match Figures::of(last) {
            Some(figures) if figures.is_whole() => Extent::EndsHere,
            Some(_) => Extent::More,
            None if last.is_blank() => Extent::More,
            None if end_of(&last.text).is_some() => {
                let is_head = |line: &ToolLine| {
                    line.text.ends_with(": socket") && end_of(&line.text) == end_of(&last.text)
                };
                let begins = is_head(last) && before.iter().any(is_head);
                if begins || !is_verbose { Extent::EndsBefore } else { Extent::More }
            }
            None if is_verbose && last.text.starts_with("errno=") => Extent::EndsHere,
            None => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let figures: Vec<Figures> = block.lines.iter().filter_map(Figures::of).collect();
        let mut result = block.result(NAME, self.programs());
        let said = Said::of(block);
        result.version = said.version;
        let (wholes, mut intervals): (Vec<Figures>, Vec<Figures>) =
            figures.into_iter().partition(Figures::is_whole);
        let whole = wholes.into_iter().next_back();
        // Without the shares of the CPUs one line is the whole; of several the last may be an interval.
        let whole = whole.or_else(|| if intervals.len() == 1 { intervals.pop() } else { None });
        result.whole = match (whole, said.received, &said.sent) {
            (Some(whole), ..) => whole.measured,
            (None, Some(received), _) => received,
            (None, None, Some(sent)) => of_sender(sent),
            (None, None, None) => return Err(NotUnderstood::CutShort),
        };
        if let Some(sent) = said.sent {
            if result.whole.figure(metric::SENDER_THROUGHPUT).is_none() {
                result.whole.add(metric::SENDER_THROUGHPUT, sent.figure(metric::THROUGHPUT).cloned());
            }
            result.parts.push(part(ToolPartKind::Direction, "sender", sent));
        }
        let mut start = 0.0;
        for interval in intervals {
            let length = interval.measured.window.as_ref().map_or(0.0, |window| window.value);
            let name = format!("{start:.2}-{:.2}", start + length);
            let measured = interval.measured;
            result.parts.push(ToolPart {
                kind: ToolPartKind::Interval,
                name,
                start_s: Some(start),
                measured,
            });
            start += length;
        }
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        fill(&mut result);
        Ok(vec![result])
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let seconds = remedies.iter().find_map(|remedy| match remedy {
            ToolRemedy::RunFor(seconds) => Some(seconds.to_string()),
            _ => None,
        })?;
        let (program, rest) = result.command.split_first()?;
        // Options stand before the host.
        let rest = without(&without(rest, &BUFFERS), &TIME);
        Some([program.clone(), format!("-T{seconds}")].into_iter().chain(rest).collect())
    }
}

/// `t` or `r` of what the sender or the receiver says: `nuttcp-t: ...`.
fn end_of(text: &str) -> Option<&str> {
    let (end, _) = text.strip_prefix("nuttcp-")?.split_once(':')?;
    matches!(end, "t" | "r").then_some(end)
}

/// A line with an amount, a time and a rate.
struct Figures {
    measured: ToolMeasurement,
    /// Whether the shares of the CPUs stand there, which are told of the whole only.
    has_cpus: bool,
}

impl Figures {
    fn is_whole(&self) -> bool {
        self.has_cpus
    }

    fn of(line: &ToolLine) -> Option<Self> {
        // The cheap question first: every line of any text is asked.
        let of_table = line.text.contains('=').then(|| Self::of_table(line)).flatten();
        of_table.or_else(|| line.text.contains("megabytes=").then(|| Self::of_names(line)).flatten())
    }

    /// `  911.1875 MB /   1.01 sec = 7600.9988 Mbps 36 %TX 31 %RX 0 retrans 0.10 msRTT`.
    fn of_table(line: &ToolLine) -> Option<Self> {
        let (bytes, rest) = line.text.split_once("B /")?;
        let (seconds, rest) = rest.split_once("sec =")?;
        let (rate, tail) = rest.split_once("bps")?;
        let mut measured = ToolMeasurement {
            window: quantity(line.number, &format!("{} sec", seconds.trim()), Counting::Decimal),
            bytes: quantity(line.number, &format!("{}B", bytes.trim()), Counting::Binary),
            ..ToolMeasurement::default()
        };
        let rate = quantity(line.number, &format!("{}bps", rate.trim()), Counting::Decimal)?;
        measured.window.as_ref()?;
        measured.bytes.as_ref()?;
        measured.add(metric::THROUGHPUT, Some(rate));
        add_tail(&mut measured, line.number, tail);
        Some(Self { measured, has_cpus: tail.contains("%TX") || tail.contains("%RX") })
    }

    /// `megabytes=1168.3125 real_seconds=1.00 rate_Mbps=9795.6471 tx_cpu=43 rx_cpu=39 retrans=0 rtt_ms=0.10`.
    fn of_names(line: &ToolLine) -> Option<Self> {
        let pairs: Vec<(&str, &str)> =
            line.text.split_whitespace().filter_map(|word| word.split_once('=')).collect();
        let get = |name: &str| pairs.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let value = |name: &str, unit: &str, counting| {
            quantity(line.number, &format!("{} {unit}", get(name)?), counting)
        };
        let bytes = value("megabytes", "MB", Counting::Binary)?;
        let window = value("real_seconds", "sec", Counting::Decimal)?;
        let mut measured =
            ToolMeasurement { window: Some(window), bytes: Some(bytes), ..ToolMeasurement::default() };
        measured.add(metric::THROUGHPUT, Some(value("rate_Mbps", "Mbps", Counting::Decimal)?));
        if let Some((again, "")) = get("retrans").and_then(whole) {
            measured.add(metric::RETRANSMITS, Some(exact(line.number, again, Unit::One)));
        }
        measured.add(metric::RTT, value("rtt_ms", "ms", Counting::Decimal));
        if let (Some((lost, "")), Some((all, ""))) = (get("drop").and_then(whole), get("pkt").and_then(whole))
        {
            add_losses(&mut measured, line.number, lost, all);
        }
        Some(Self { measured, has_cpus: get("tx_cpu").is_some() || get("rx_cpu").is_some() })
    }
}

/// What stands behind the rate: numbers, each with its word behind it.
fn add_tail(measured: &mut ToolMeasurement, line: u64, tail: &str) {
    let words: Vec<&str> = tail.split_whitespace().collect();
    for (place, word) in words.iter().enumerate() {
        let before = |back: usize| place.checked_sub(back).and_then(|place| words.get(place)).copied();
        match word.trim_start_matches('~') {
            "retrans" | "host-retrans" => {
                if let Some((again, "")) = before(1).and_then(whole) {
                    measured.add(metric::RETRANSMITS, Some(exact(line, again, Unit::One)));
                }
            }
            "msRTT" => {
                let time =
                    before(1).and_then(|time| quantity(line, &format!("{time} ms"), Counting::Decimal));
                measured.add(metric::RTT, time);
            }
            "drop/pkt" => {
                if let (Some((lost, "")), Some("/"), Some((all, ""))) =
                    (before(3).and_then(whole), before(2), before(1).and_then(whole))
                {
                    add_losses(measured, line, lost, all);
                }
            }
            _ => {}
        }
    }
}

/// Datagrams that were lost, of all that were sent.
fn add_losses(measured: &mut ToolMeasurement, line: u64, lost: u64, all: u64) {
    let arrived =
        PrintedValue { text: format!("{all} - {lost}"), ..exact(line, all.saturating_sub(lost), Unit::One) };
    measured.operations = Some(arrived);
    if all > 0 {
        let share = lost as f64 / all as f64;
        measured.add(metric::LOSS, Some(plain(line, format!("{lost}/{all}"), share, Unit::One)));
    }
}

/// What both ends say with `-v`.
#[derive(Default)]
struct Said {
    version: Option<String>,
    sent: Option<ToolMeasurement>,
    received: Option<ToolMeasurement>,
}

impl Said {
    fn of(block: &ToolBlock<'_>) -> Self {
        let mut said = Self::default();
        for line in block.lines {
            let Some(end) = end_of(&line.text) else { continue };
            let text = line.text.split_once(": ").map_or("", |(_, text)| text);
            if let Some(version) = text.strip_prefix('v').and_then(|text| text.split(':').next())
                && version.starts_with(|c: char| c.is_ascii_digit())
            {
                said.version = Some(version.to_owned());
            }
            let own = if end == "t" { &mut said.sent } else { &mut said.received };
            if let Some(measured) = of_end(line.number, text) {
                *own = Some(measured);
            } else if let Some(again) = text.strip_prefix("retrans = ").and_then(whole) {
                let again = exact(line.number, again.0, Unit::One);
                own.iter_mut().for_each(|own| own.add(metric::RETRANSMITS, Some(again.clone())));
            } else if text.contains(" drop/pkt")
                && let Some(own) = own
            {
                add_tail(own, line.number, text);
            }
        }
        if let (Some(sent), Some(received)) = (&said.sent, &mut said.received) {
            let again = sent.figure(metric::RETRANSMITS).cloned();
            received.add(metric::SENDER_THROUGHPUT, sent.figure(metric::THROUGHPUT).cloned());
            received.add(metric::RETRANSMITS, again);
        }
        said
    }
}

/// `602.3093 MB in 1.00 real seconds = 614470.92 KB/sec = 5033.7458 Mbps`.
fn of_end(line: u64, text: &str) -> Option<ToolMeasurement> {
    let (bytes, rest) = text.split_once(" in ")?;
    let (seconds, rest) = rest.split_once(" real seconds = ")?;
    let (_, rate) = rest.rsplit_once(" = ")?;
    let mut measured = ToolMeasurement {
        window: quantity(line, &format!("{seconds} seconds"), Counting::Decimal),
        bytes: quantity(line, bytes, Counting::Binary),
        ..ToolMeasurement::default()
    };
    measured.add(metric::THROUGHPUT, Some(quantity(line, rate, Counting::Decimal)?));
    Some(measured)
}

/// The whole where only the sender is known.
fn of_sender(sent: &ToolMeasurement) -> ToolMeasurement {
    let mut whole = ToolMeasurement { figures: Vec::new(), ..sent.clone() };
    whole.add(metric::SENDER_THROUGHPUT, sent.figure(metric::THROUGHPUT).cloned());
    whole.add(metric::RETRANSMITS, sent.figure(metric::RETRANSMITS).cloned());
    whole
}

const TIME: OptionSpec = OptionSpec::value(Some('T'), "timeout");
const BUFFERS: OptionSpec = OptionSpec::value(Some('n'), "buffers");

/// Options of a client; nuttcp knows letters only, and writes their values behind them.
const TABLE: &[OptionSpec] = &[
    TIME,
    BUFFERS,
    OptionSpec::value(Some('P'), "control-port"),
    OptionSpec::value(Some('p'), "port"),
    OptionSpec::value(Some('N'), "streams"),
    OptionSpec::flag(Some('u'), "udp"),
    OptionSpec::value(Some('R'), "rate"),
    OptionSpec::value(Some('l'), "length"),
    OptionSpec::value(Some('w'), "window"),
    OptionSpec::flag(Some('r'), "receive"),
    OptionSpec::flag(Some('t'), "transmit"),
    OptionSpec::flag(Some('v'), "verbose"),
    OptionSpec::value(Some('f'), "format"),
    OptionSpec::flag(Some('4'), "ipv4"),
    OptionSpec::flag(Some('6'), "ipv6"),
    OptionSpec::flag(Some('D'), "nodelay"),
];

const KNOWN: &[&str] = &[
    "buffers",
    "control-port",
    "format",
    "ipv4",
    "ipv6",
    "length",
    "nodelay",
    "port",
    "rate",
    "receive",
    "streams",
    "timeout",
    "transmit",
    "udp",
    "verbose",
    "window",
];

/// Bytes of one call over TCP where nobody gives them: `buflen=65536` of nuttcp-6.1.2-verbose.
const CALL_BYTES: u64 = 64 << 10;

/// Fills in the options of a result, and the parameters of the same work where there is one.
fn fill(result: &mut ToolResult) {
    if result.command.is_empty() {
        return;
    }
    // The interval's length stands behind its letter, or nowhere.
    let intervals: Vec<String> =
        result.command.iter().filter(|word| word.starts_with("-i")).cloned().collect();
    let words: Vec<String> = result.command.iter().filter(|word| !word.starts_with("-i")).cloned().collect();
    let given = GivenOptions::of(&words, TABLE);
    result.options = given.options.clone();
    result.options.extend(
        intervals.first().map(|word| ("interval".to_owned(), word.get(2..).unwrap_or_default().to_owned())),
    );
    let [host] = given.operands.as_slice() else { return };
    result.options.insert("host".to_owned(), host.clone());
    if let Some(parameters) = parameters(&given, host) {
        same_work(result, WorkloadName::new("net.stream"), parameters);
    }
}

/// The parameters of the same work; `None` where it is none of ours, or not all of it is known.
fn parameters(given: &GivenOptions, host: &str) -> Option<Vec<(&'static str, Value)>> {
    let is_udp = given.has("udp");
    let streams = given.get("streams").map_or(Some(1), |streams| streams.parse::<u64>().ok())?;
    let host_is_one = !host.contains('/');
    if !given.are_among(KNOWN) || !host_is_one || given.has("receive") && given.has("transmit") {
        return None;
    }
    let mut all: Vec<(&'static str, Value)> = vec![
        ("peer", peer(host).into()),
        ("protocol", if is_udp { "udp" } else { "tcp" }.into()),
        ("direction", if given.has("receive") { "receive" } else { "send" }.into()),
        ("streams", streams.into()),
    ];
    if streams > 1 {
        // One process serves all connections.
        all.push(("threads", 1u64.into()));
    }
    let length = given.get("length").map(binary_size);
    if is_udp {
        let rate = given.get("rate").and_then(rate)?;
        all.push(("buffer", length??.into()));
        all.push(("bit-rate", rate.into()));
    } else {
        if given.has("rate") {
            return None;
        }
        let length = length.unwrap_or(Some(CALL_BYTES))?;
        all.extend([("buffer", length.into()), ("read-buffer", length.into())]);
        all.push(("nodelay", given.has("nodelay").into()));
    }
    if let Some(window) = given.get("window") {
        // A plain number counts KB.
        let bytes = match window.parse::<u64>() {
            Ok(kilobytes) => kilobytes.checked_mul(1024),
            Err(_) => binary_size(window),
        };
        all.push(("window", bytes?.into()));
    }
    match (given.get("buffers"), given.get("timeout")) {
        // A plain number counts buffers.
        (Some(bytes), None) if bytes.ends_with(['k', 'm', 'g', 'K', 'M', 'G']) => {
            all.push(("bytes", binary_size(bytes)?.into()));
        }
        (None, seconds) => {
            let seconds: f64 = seconds.map_or(Some(10.0), |seconds| seconds.parse().ok())?;
            if seconds <= 0.0 {
                return None;
            }
            all.push(("duration", seconds.into()));
        }
        _ => return None,
    }
    Some(all)
}

/// Bits per second: of a plain number Kbps. With i or u before it, it is held in another way.
fn rate(text: &str) -> Option<f64> {
    match leading(text, false)?.rest {
        "" => Some(decimal_rate(text)? * 1e3),
        _ => decimal_rate(text),
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn columns_that_touch_are_told_apart() {
        let text = "112345.1875 MB /1000.01 sec =94237.1234 Mbps 99 %TX 31 %RX 12 retrans 0.10 msRTT";
        let figures = Figures::of(&line(text)).unwrap();
        let measured = &figures.measured;
        assert!(figures.is_whole());
        assert_eq!(measured.window.as_ref().map(|window| window.value), Some(1000.01));
        assert_eq!(measured.bytes.as_ref().map(|bytes| bytes.value), Some(112_345.187_5 * 1_048_576.0));
        assert_eq!(measured.figure(metric::RETRANSMITS).map(|again| again.value), Some(12.0));
    }

    #[test]
    fn losses_are_read_of_whole_and_interval() {
        let text = "    1.1953 MB /   0.50 sec =   19.8937 Mbps     3 /   153 ~drop/pkt  1.96 ~%loss";
        let figures = Figures::of(&line(text)).unwrap();
        assert!(!figures.is_whole());
        assert_eq!(figures.measured.operations.as_ref().map(|arrived| arrived.value), Some(150.0));
        assert!(Figures::of(&line("5 MB / 10 sec of film")).is_none());
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        let read = |command: &str| {
            let command = command.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            fill(&mut result);
            let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
            result.parameters.iter().map(one).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            read("nuttcp -T30 -i1 -w4m 10.0.0.2"),
            "buffer=65536 direction=send duration=30 nodelay=no peer=10.0.0.2 protocol=tcp read-buffer=65536 streams=1 \
             window=4194304"
        );
        assert_eq!(
            read("nuttcp -u -R20m -l1400 -T2 h"),
            "bit-rate=20000000 buffer=1400 direction=send duration=2 peer=h protocol=udp streams=1"
        );
        for command in ["nuttcp -u h", "nuttcp -R10m h", "nuttcp -b h", "nuttcp -n100 h"] {
            assert_eq!(read(command), "", "{command}");
        }
    }

    #[test]
    fn the_command_runs_longer() {
        let command = "nuttcp -T1 -n64m 10.0.0.2".split(' ').map(str::to_owned).collect();
        let result = ToolResult { command, ..ToolResult::default() };
        let words = Nuttcp.corrected(&result, &[ToolRemedy::RunFor(30)]).unwrap();
        assert_eq!(words.join(" "), "nuttcp -T30 10.0.0.2");
    }
}
