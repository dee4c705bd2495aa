//! `ss -ti`: what the kernel knows of each TCP connection. Addresses are not kept: a connection is called by its place.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, percent, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ss;

const NAME: &str = "ss";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "Kbps, Mbps, Gbps",
    counting: Counting::Decimal,
    proof: "misc/ss.c, sprint_bw divides bits by 1000000 for Mbps",
};

const RULES: &[CountingRule] = &[BITS];

/// States that TCP connections have data in.
const STATES: &[&str] = &[
    "ESTAB",
    "CLOSE-WAIT",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "LAST-ACK",
    "CLOSING",
    "TIME-WAIT",
    "SYN-SENT",
    "LISTEN",
];

/// Words that stand before a rate.
const RATES: &[(&str, MetricName)] = &[
    ("send", MetricName::new("congestion_window_rate")),
    ("pacing_rate", MetricName::new("pacing_rate")),
    ("delivery_rate", MetricName::new("delivery_rate")),
];

/// Counts behind a colon.
const COUNTS: &[(&str, MetricName, Unit)] = &[
    ("mss", MetricName::new("mss"), Unit::Bytes),
    ("cwnd", MetricName::new("congestion_window_segments"), Unit::One),
    ("bytes_sent", MetricName::new("sent_bytes"), Unit::Bytes),
    ("bytes_retrans", MetricName::new("retransmitted_bytes"), Unit::Bytes),
    ("bytes_acked", MetricName::new("acknowledged_bytes"), Unit::Bytes),
    ("bytes_received", MetricName::new("received_bytes"), Unit::Bytes),
    ("lost", MetricName::new("lost_segments"), Unit::One),
];

impl ToolReader for Ss {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "ss -ti: the round trip, the congestion window, the rates and the retransmits of each TCP connection, which is called by \
         its place, without its addresses"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[STATES, &["Recv-Q"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if is_heading(&line.text) {
            return Some(Beginning::Certain);
        }
        is_connection(&line.text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_own = is_details(&last.text) || is_connection(&last.text);
        if before.is_empty() || is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut place = 0u64;
        for line in block.lines {
            place += u64::from(is_connection(&line.text));
            if is_details(&line.text) {
                let name = format!("connection {}", place.max(1));
                let measured = details(line);
                result.parts.push(ToolPart { kind: ToolPartKind::Stream, name, start_s: None, measured });
            }
        }
        result.parts.retain(|part| !part.measured.is_empty());
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `State    Recv-Q    Send-Q ...`, with the kind of socket before it or without.
fn is_heading(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| matches!(*word, "Netid" | "State"));
    words.next() == Some("Recv-Q") && words.next() == Some("Send-Q")
}

/// `ESTAB  0   0    10.0.0.1:22   10.0.0.5:51324`.
fn is_connection(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| *word == "tcp");
    let is_state = words.next().is_some_and(|word| STATES.contains(&word));
    let mut is_queue = || words.next().and_then(whole).is_some_and(|(_, rest)| rest.is_empty());
    is_state && is_queue() && is_queue() && words.clone().filter(|word| word.contains(':')).count() >= 2
}

/// The line below a connection. The names of its values are of no other program.
fn is_details(text: &str) -> bool {
    text.contains(" rto:") && text.contains(" mss:") && text.contains(" cwnd:")
}

/// The figures of a connection.
fn details(line: &ToolLine) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    let words: Vec<&str> = line.text.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        match word.split_once(':') {
            Some((name, value)) => pair(line.number, name, value, &mut measured),
            None => {
                let rate = RATES.iter().find(|(name, _)| name == word).zip(words.get(at + 1));
                if let Some(((_, metric), value)) = rate {
                    measured.add(*metric, quantity(line.number, value, BITS.counting));
                }
            }
        }
    }
    measured
}

fn pair(line: u64, name: &str, value: &str, measured: &mut ToolMeasurement) {
    match name {
        // The deviation stands behind it.
        "rtt" => {
            let (mean, deviation) = value.split_once('/').unwrap_or((value, ""));
            measured.add(metric::RTT, time(line, mean, "ms"));
            measured.add(MetricName::new("rtt_deviation"), time(line, deviation, "ms"));
        }
        "minrtt" => measured.add(MetricName::new("rtt_min"), time(line, value, "ms")),
        // Those that are under way, and all.
        "retrans" => {
            let all = value.split_once('/').and_then(|(_, all)| whole(all));
            measured.add(metric::RETRANSMITS, all.map(|(all, _)| exact(line, all, Unit::One)));
        }
        "rwnd_limited" => measured.add(MetricName::new("receive_window_limited_share"), share(line, value)),
        "sndbuf_limited" => measured.add(MetricName::new("send_buffer_limited_share"), share(line, value)),
        _ => {
            if let Some((_, metric, unit)) = COUNTS.iter().find(|(own, ..)| *own == name) {
                let number = whole(value).filter(|(_, rest)| rest.is_empty());
                measured.add(*metric, number.map(|(number, _)| exact(line, number, *unit)));
            }
        }
    }
}

/// The share in brackets of `20ms(12.5%)`.
fn share(line: u64, text: &str) -> Option<PrintedValue> {
    let (_, inside) = text.split_once('(')?;
    percent(line, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_rates_and_names_before_colons_are_told_apart() {
        let text = "\t cubic wscale:7,7 rto:204 rtt:0.412/0.171 mss:1448 cwnd:10 bytes_acked:12225 send 281.2Mbps \
                    pacing_rate 562400000bps busy:160ms rwnd_limited:20ms(12.5%) retrans:0/3";
        let measured = details(&ToolLine { number: 1, text: text.to_owned() });
        let value = |name| measured.figure(name).map(|printed| (printed.value * 1e9).round() / 1e9);
        assert_eq!((value(metric::RTT), value(metric::RETRANSMITS)), (Some(0.000_412), Some(3.0)));
        assert_eq!(value(MetricName::new("congestion_window_rate")), Some(281.2e6 / 8.0));
        assert_eq!(value(MetricName::new("pacing_rate")), Some(562.4e6 / 8.0));
        assert_eq!(value(MetricName::new("receive_window_limited_share")), Some(0.125));
    }

    #[test]
    fn connections_are_told_from_other_lines() {
        assert!(is_connection("ESTAB  0   0    10.0.0.1:22   10.0.0.5:51324 users:((\"sshd\",pid=1,fd=3))"));
        assert!(is_connection("tcp  ESTAB  0   36   [::1]:22   [::1]:51324"));
        assert!(!is_connection("ESTAB 3 connections"));
        assert!(is_heading("State  Recv-Q  Send-Q   Local Address:Port   Peer Address:Port  Process"));
        assert!(!is_heading("Recv-Q is large"));
    }
}
