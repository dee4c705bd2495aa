//! Tools that probe a host and end as ping does, with what was lost and the round trips: hping3, httping, nping, PsPing.
//! Single answers are not read.

use model::tool_result::ToolResult;
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer of one of them.
pub(super) struct Probe {
    name: &'static str,
    doc: &'static str,
    programs: &'static [&'static str],
    /// What stands in its own lines.
    marks: &'static [&'static [&'static str]],
    /// Whether no other program prints this line, at the beginning of an output or in it.
    is_own: fn(&str) -> bool,
    /// How many probes were sent and answered.
    counts: fn(&str) -> Option<(u64, u64)>,
}

/// hping3, and hping2 before.
pub(super) const HPING: Probe = Probe {
    name: "hping3",
    doc: "the statistics of hping3: what was lost, and the round trips",
    programs: &["hping3", "hping2", "hping"],
    marks: &[&["HPING ", "len=", " hping statistic ---"]],
    is_own: |text| {
        let is_head = text.starts_with("HPING ") && text.ends_with(" data bytes");
        let is_answer = text.starts_with("len=") && text.contains(" ip=") && text.contains(" rtt=");
        is_head || is_answer || text.starts_with("--- ") && text.ends_with(" hping statistic ---")
    },
    counts: |text| {
        let (sent, rest) = whole(text)?;
        // Version 3 writes `packets tramitted`.
        let rest = rest.trim_start();
        let rest = rest
            .strip_prefix("packets transmitted, ")
            .or_else(|| rest.strip_prefix("packets tramitted, "))?;
        let (received, rest) = whole(rest)?;
        rest.trim_start().starts_with("packets received").then_some((sent, received))
    },
};

/// httping.
pub(super) const HTTPING: Probe = Probe {
    name: "httping",
    doc: "the statistics of httping: what failed, and the times of whole requests",
    programs: &["httping"],
    marks: &[&["PING ", "connected to ", "--- http"]],
    is_own: |text| {
        let is_head = text.starts_with("PING ") && text.ends_with("):") && text.contains(" (/");
        let is_answer =
            text.starts_with("connected to ") && text.contains(" seq=") && text.contains(" time=");
        let is_title = text.starts_with("--- http") && text.ends_with(" ping statistics ---");
        is_head || is_answer || is_title
    },
    counts: |text| {
        let (sent, rest) = whole(text)?;
        let (good, rest) = whole(rest.trim_start().strip_prefix("connects, ")?)?;
        rest.trim_start().starts_with("ok, ").then_some((sent, good))
    },
};

/// nping of Nmap.
pub(super) const NPING: Probe = Probe {
    name: "nping",
    doc: "the statistics of nping: what was lost, and the round trips",
    programs: &["nping"],
    marks: &[&["SENT (", "RCVD (", "Nping done: ", "Max rtt: ", "Starting Nping "]],
    is_own: |text| {
        let is_packet =
            ["SENT (", "RCVD ("].iter().any(|start| text.starts_with(start)) && text.contains("s) ");
        let is_end = text.starts_with("Nping done: ") || text.starts_with("Max rtt: ");
        is_packet || is_end || text.starts_with("Starting Nping ")
    },
    counts: |text| {
        let fields: Vec<&str> = text.split(" | ").collect();
        let (sent, received) = match fields.as_slice() {
            [sent, received, _lost] => (*sent, *received),
            _ => return None,
        };
        let sent = [sent.strip_prefix("Raw packets sent: "), sent.strip_prefix("TCP connection attempts: ")];
        let received = [received.strip_prefix("Rcvd: "), received.strip_prefix("Successful connections: ")];
        let number =
            |told: [Option<&str>; 2]| told.into_iter().flatten().find_map(whole).map(|(number, _)| number);
        Some((number(sent)?, number(received)?))
    },
};

/// PsPing of Sysinternals. Its end is that of ping of Windows, in English.
pub(super) const PSPING: Probe = Probe {
    name: "psping",
    doc: "the statistics of PsPing, of ICMP and of connections: what was lost, and the round trips",
    programs: &["psping", "psping64", "psping.exe", "psping64.exe"],
    marks: &[&["PsPing v", "Connecting to ", "TCP connect "]],
    is_own: |text| {
        let is_banner = text.starts_with("PsPing v");
        let is_answer =
            text.starts_with("Connecting to ") && text.ends_with("ms") && text.contains(": from ");
        let is_title = text.starts_with("TCP connect statistics for ") || text.starts_with("TCP connect to ");
        is_banner || is_answer || is_title
    },
    counts: |text| {
        let (sent, rest) = whole(text.strip_prefix("Sent = ")?)?;
        let (received, rest) = whole(rest.strip_prefix(", Received = ")?)?;
        rest.starts_with(", Lost = ").then_some((sent, received))
    },
};

/// What other lines of theirs begin with.
const OTHER_LINES: &[&str] = &[
    "^C",
    "Copyright (C) ",
    "Sysinternals - ",
    "Pinging ",
    "Reply from ",
    "Ping statistics for ",
    "Setting warmup count",
    "len=",
    "Handshake with ",
    "Statistics for host ",
    "|_ ",
];

impl Probe {
    /// Whether a line without those that tell which tool printed it is of one of them.
    fn belongs(&self, text: &str) -> bool {
        let is_iterations = || whole(text).is_some_and(|(_, rest)| rest.starts_with(" iterations ("));
        (self.is_own)(text)
            || (self.counts)(text).is_some()
            || !times(text).is_empty()
            || OTHER_LINES.iter().any(|start| text.starts_with(start))
            || is_iterations()
    }
}

impl ToolReader for Probe {
    fn name(&self) -> &'static str {
        self.name
    }

    fn doc(&self) -> &'static str {
        self.doc
    }

    fn programs(&self) -> &'static [&'static str] {
        self.programs
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(self.marks)
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (self.is_own)(line.text.trim()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = before.is_empty() || last.is_blank() || self.belongs(last.text.trim());
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn shares(&self, line: &ToolLine) -> bool {
        self.belongs(line.text.trim())
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(self.name, self.programs);
        for line in block.lines {
            let text = line.text.trim();
            if let Some((sent, received)) = (self.counts)(text).filter(|(sent, _)| *sent > 0) {
                let lost = sent.saturating_sub(received);
                let share = lost as f64 / sent as f64;
                result.whole.operations = Some(exact(line.number, received, Unit::One));
                let loss = plain(line.number, format!("{lost}/{sent}"), share, Unit::One);
                result.whole.figures.retain(|figure| figure.metric != metric::LOSS);
                result.whole.add(metric::LOSS, Some(loss));
            }
            for (name, value) in times(text) {
                if let Some(metric) = statistic(name) {
                    result.whole.figures.retain(|figure| figure.metric != metric);
                    result.whole.add(metric, time(line.number, value, "ms"));
                }
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// The round trips: `round-trip min/avg/max = 3.3/4.6/7.5 ms`, `Minimum = 0.39ms, Maximum = 0.61ms, Average = 0.44ms`,
/// `Max rtt: 0.292ms | Min rtt: 0.214ms | Avg rtt: 0.251ms`.
fn times(text: &str) -> Vec<(&'static str, &str)> {
    const NAMES: [&str; 3] = ["min", "avg", "max"];
    let printed = text.strip_prefix("round-trip min/avg/max = ").and_then(|rest| rest.strip_suffix(" ms"));
    // httping puts the deviation behind them.
    let printed = printed.or_else(|| {
        let (_, values) = text.strip_prefix("round-trip min/avg/max")?.split_once(" = ")?;
        values.strip_suffix(" ms")
    });
    if let Some(values) = printed {
        return NAMES.into_iter().zip(values.split('/')).collect();
    }
    let (label, separator) = match text {
        _ if text.starts_with("Minimum = ") => (" = ", ", "),
        _ if text.starts_with("Max rtt: ") => (" rtt: ", " | "),
        _ => return Vec::new(),
    };
    let named = |field: &str| {
        let name = field.get(..3)?.to_ascii_lowercase();
        let name = if name == "ave" { "avg" } else { name.as_str() };
        NAMES.into_iter().find(|own| *own == name)
    };
    let value = |field| {
        let (_, value): (&str, &str) = str::split_once(field, label)?;
        Some((named(field)?, value.strip_suffix("ms")?))
    };
    text.split(separator).filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tool, how many were answered, the loss, and the mean in microseconds, where all lines of a text are read.
    fn read(text: &str) -> (String, f64, f64, f64) {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(output.unread.len(), 0, "{output:?}");
        let value = |name| result.whole.figure(name).map(|figure| figure.value).unwrap();
        let answered = result.whole.operations.as_ref().unwrap().value;
        (result.tool.clone(), answered, value(metric::LOSS), (value(metric::LATENCY_MEAN) * 1e6).round())
    }

    #[test]
    fn hping_is_not_ping() {
        let text = "# hping3 -S -p 80 -c 4 192.168.0.1\nHPING 192.168.0.1 (eth0 192.168.0.1): S set, 40 headers + 0 data bytes\n\
                    len=46 ip=192.168.0.1 ttl=64 DF id=0 sport=80 flags=SA seq=0 win=5840 rtt=3.9 ms\n\n\
                    --- 192.168.0.1 hping statistic ---\n4 packets tramitted, 3 packets received, 25% packet loss\n\
                    round-trip min/avg/max = 3.3/4.6/7.5 ms\n";
        assert_eq!(read(text), ("hping3".to_owned(), 3.0, 0.25, 4600.0));
        assert_eq!(read(&text.replace("tramitted", "transmitted")).1, 3.0);
    }

    #[test]
    fn httping_is_not_ping() {
        let text = "$ httping -c 4 http://example.org/\nPING example.org:80 (/):\n\
                    connected to 93.184.216.34:80 (325 bytes), seq=0 time=182.13 ms \n--- http://example.org/ ping statistics ---\n\
                    4 connects, 4 ok, 0.00% failed, time 4735ms\nround-trip min/avg/max = 180.4/183.6/190.0 ms\n";
        assert_eq!(read(text), ("httping".to_owned(), 4.0, 0.0, 183_600.0));
    }

    #[test]
    fn nping_has_the_longest_time_first() {
        let text = "Starting Nping 0.7.80 ( https://nmap.org/nping ) at 2023-04-02 10:11 UTC\n\
                    SENT (0.0329s) TCP 10.0.0.5:22551 > 10.0.0.1:80 S ttl=64 id=32131 iplen=40  seq=1720523417 win=1480 \n\
                    RCVD (0.0332s) TCP 10.0.0.1:80 > 10.0.0.5:22551 SA ttl=64 id=0 iplen=44  seq=1 win=64240 <mss 1460>\n \n\
                    Max rtt: 0.292ms | Min rtt: 0.214ms | Avg rtt: 0.251ms\nRaw packets sent: 5 (200B) | Rcvd: 4 (220B) | Lost: 1 (20.00%)\n\
                    Nping done: 1 IP address pinged in 4.05 seconds\n";
        assert_eq!(read(text), ("nping".to_owned(), 4.0, 0.2, 251.0));
    }

    #[test]
    fn psping_ends_as_ping_of_windows_does() {
        let text = "PsPing v2.10 - PsPing - ping, latency, bandwidth measurement utility\nCopyright (C) 2012-2016 Mark Russinovich\n\
                    Sysinternals - www.sysinternals.com\n\nTCP connect to 192.168.1.10:445:\n11 iterations (warmup 1) ping test:\n\
                    Connecting to 192.168.1.10:445 (warmup): from 192.168.1.5:55311: 0.55ms\n\
                    Connecting to 192.168.1.10:445: from 192.168.1.5:55312: 0.41ms\n\nTCP connect statistics for 192.168.1.10:445:\n  \
                    Sent = 10, Received = 10, Lost = 0 (0% loss),\n  Minimum = 0.39ms, Maximum = 0.61ms, Average = 0.44ms\n";
        assert_eq!(read(text), ("psping".to_owned(), 10.0, 0.0, 440.0));
    }
}
