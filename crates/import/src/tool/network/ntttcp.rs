//! NTttcp, for Linux and for Windows: what one end moved, in how long, and what processors did meanwhile. A sender says what
//! it handed to its system.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::{arguments, logged, part};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, leading, percent, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ntttcp;

const NAME: &str = "ntttcp";

const LINUX: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x (Linux)",
    units: "Kbps, Mbps, Gbps",
    counting: Counting::Decimal,
    proof: "ntttcp-1.4.0-made, in the form of util.c, which divides by 1000: 12500000000 bytes in 10.00 seconds are 10.00 * 10^9 bits \
            a second, and it prints 10.00Gbps",
};

const WINDOWS: CountingRule = CountingRule {
    versions: "5.x (Windows)",
    units: "MEG, MB/s, KB/s",
    counting: Counting::Binary,
    proof: "ntttcp-5.39-windows-made: 160000 buffers of 65536 bytes are 10000 * 1048576 bytes, and it prints 10000.000000 MEG",
    ..LINUX
};

const RULES: &[CountingRule] = &[LINUX, WINDOWS];

/// Before the version for Linux.
const VERSION: &str = "NTTTCP for Linux ";

/// The same for Windows, in some versions.
const COPYRIGHT: &str = "Copyright Version ";

/// Above the sums.
const TOTALS: &str = "#####  Totals:  #####";

/// What the version for Linux prints of its options, before a colon.
const CONFIGURATION: &[&str] = &[
    "connections",
    "cpu affinity",
    "server address",
    "domain",
    "protocol",
    "server port starting at",
    "sender socket buffer (bytes)",
    "receiver socket buffer (bytes)",
    "test warm-up (sec)",
    "test duration (sec)",
    "test cool-down (sec)",
    "show system tcp retransmit",
    "show packets for",
    "show interrupts for",
    "quiet mode",
    "verbose mode",
];

/// What processors did, with our names.
const STATES: &[(&str, MetricName)] = &[
    ("user", MetricName::new("cpu_user_share")),
    ("system", MetricName::new("cpu_system_share")),
    ("idle", MetricName::new("cpu_idle_share")),
    ("iowait", MetricName::new("cpu_wait_share")),
    ("softirq", MetricName::new("cpu_softirq_share")),
];

impl ToolReader for Ntttcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the sums of NTttcp for Linux and for Windows, and the threads of that for Windows; not its XML and JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[VERSION, TOTALS, "Throughput(", "Packets Sent", "DPCs(count/s)", COPYRIGHT]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = own(&line.text);
        if text.starts_with(VERSION) || text == TOTALS || NtttcpTable::of(text).is_some() {
            return Some(Beginning::Certain);
        }
        text.starts_with(COPYRIGHT).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = own(&last.text);
        if before.is_empty() {
            return Extent::More;
        }
        if text.starts_with(VERSION) || text.starts_with(COPYRIGHT) {
            return Extent::EndsBefore;
        }
        let heading = before.iter().rev().nth(1).and_then(|line| NtttcpTable::of(own(&line.text)));
        if is_row(text) && heading == Some(NtttcpTable::Packets) {
            return Extent::EndsHere;
        }
        let is_configured = || text.split_once(':').is_some_and(|(name, _)| CONFIGURATION.contains(&name));
        let belongs = last.is_blank()
            || logged(&last.text).is_some()
            || text == TOTALS
            || is_rule(text)
            || is_row(text)
            || NtttcpTable::of(text).is_some()
            || text.starts_with("*** ")
            || text.starts_with("Real-time throughput: ")
            || text.starts_with("Network activity progressing")
            || is_configured();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        result.options = arguments(&result.command);
        let is_sender = result.command.iter().any(|word| is_sender(word));
        let mut reading = NtttcpReading { result, is_sender, rate: None, table: None, threads: Vec::new() };
        for line in block.lines {
            reading.take(line);
        }
        reading.finish().ok_or(NotUnderstood::CutShort)
    }
}

/// Whether a word of the command says that this end sends: `-s`, or with the other end, `-s10.0.0.1`.
fn is_sender(word: &str) -> bool {
    word.strip_prefix("-s").is_some_and(|host| host.is_empty() || host.contains(['.', ':']))
}

/// A line without the moment and the level before it.
fn own(text: &str) -> &str {
    logged(text).unwrap_or_else(|| text.trim())
}

/// A table of the version for Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NtttcpTable {
    /// A row for each thread.
    Threads,
    /// Bytes, seconds, and their rate.
    Amount,
    /// Packets, and what was sent again.
    Packets,
    /// One that is not read.
    Other,
}

impl NtttcpTable {
    /// The one below these headings.
    fn of(text: &str) -> Option<Self> {
        let is_of = |words: &[&str]| words.iter().all(|word| text.contains(word));
        match text.split_whitespace().next()? {
            "Thread" if is_of(&["Time(s)", "Throughput(KB/s)"]) => Some(Self::Threads),
            "Bytes(MEG)" if is_of(&["realtime(s)", "Throughput(MB/s)"]) => Some(Self::Amount),
            "Packets" if is_of(&["Packets Sent", "Retransmits", "Avg. CPU %"]) => Some(Self::Packets),
            "Throughput(Buffers/s)" | "DPCs(count/s)" => Some(Self::Other),
            _ => None,
        }
    }
}

/// `====== =======` or a row of dashes.
fn is_rule(text: &str) -> bool {
    let of = |mark: char| text.chars().all(|c| c == mark || c == ' ');
    text.len() > 20 && (of('=') || of('-'))
}

/// Whether it has nothing but numbers.
fn is_row(text: &str) -> bool {
    let is_number = |word: &str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    !text.is_empty() && text.split_whitespace().all(is_number)
}

/// The text as far as it was read.
struct NtttcpReading {
    result: ToolResult,
    /// Whether this end sent.
    is_sender: bool,
    /// What was moved each second.
    rate: Option<PrintedValue>,
    /// The table whose rows come now.
    table: Option<NtttcpTable>,
    /// Of each thread its number, its time and its rate.
    threads: Vec<(String, PrintedValue, PrintedValue)>,
}

impl NtttcpReading {
    fn take(&mut self, line: &ToolLine) {
        let text = own(&line.text);
        if let Some(version) = [VERSION, COPYRIGHT].iter().find_map(|before| text.strip_prefix(*before)) {
            self.result.version = Some(version.trim().to_owned());
        } else if let Some(table) = NtttcpTable::of(text) {
            self.table = Some(table);
        } else if text == "*** sender role" || text.ends_with(" connections tested") {
            self.is_sender = true;
        } else if is_row(text) {
            self.row(line.number, text);
        } else if let Some((name, value)) = text.split_once(':') {
            self.field(line.number, name.trim(), value.trim());
        }
    }

    /// A row of the table that is open.
    fn row(&mut self, line: u64, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let whole_result = &mut self.result.whole;
        let binary = |value: &str, unit: &str| quantity(line, &format!("{value} {unit}"), WINDOWS.counting);
        match (self.table, words.as_slice()) {
            (Some(NtttcpTable::Threads), [number, time, rate, ..]) => {
                let time = bare(line, time, Unit::Seconds).filter(|time| time.value > 0.0);
                let (Some(time), Some(rate)) = (time, binary(rate, "KB/s")) else { return };
                self.threads.push(((*number).to_owned(), time, rate));
            }
            (Some(NtttcpTable::Amount), [bytes, time, _, rate]) => {
                whole_result.bytes = binary(bytes, "MB");
                whole_result.window = bare(line, time, Unit::Seconds);
                self.rate = binary(rate, "MB/s");
            }
            (Some(NtttcpTable::Packets), [_, _, again, _, _]) => {
                let again = whole(again).map(|(count, _)| exact(line, count, Unit::One));
                whole_result.add(metric::RETRANSMITS, again);
            }
            _ => {}
        }
    }

    /// A line of the version for Linux: `test duration :10.36 seconds`.
    fn field(&mut self, line: u64, name: &str, value: &str) {
        let result = &mut self.result;
        match name {
            "server address" => {
                result.options.insert("host".to_owned(), value.to_owned());
            }
            "protocol" => {
                result.options.insert(name.to_owned(), value.to_owned());
            }
            "test duration" => result.whole.window = quantity(line, value, LINUX.counting),
            "total bytes" => {
                result.whole.bytes = whole(value).map(|(bytes, _)| exact(line, bytes, Unit::Bytes));
            }
            "throughput" => self.rate = quantity(line, value, LINUX.counting),
            "retrans segs" => {
                let again = whole(value).map(|(count, _)| exact(line, count, Unit::One));
                result.whole.add(metric::RETRANSMITS, again);
            }
            "tcpi rtt" => result.whole.add(metric::RTT, quantity(line, value, LINUX.counting)),
            name => {
                if let Some((_, metric)) = STATES.iter().find(|(own, _)| *own == name) {
                    result.whole.add(*metric, percent(line, value));
                }
            }
        }
    }

    /// The result; `None` without a rate.
    fn finish(mut self) -> Option<Vec<ToolResult>> {
        let name = if self.is_sender { metric::SENDER_THROUGHPUT } else { metric::THROUGHPUT };
        self.result.whole.add(name, Some(self.rate?));
        for (number, time, rate) in self.threads {
            let mut measured = ToolMeasurement { window: Some(time), ..ToolMeasurement::default() };
            measured.add(name, Some(rate));
            self.result.parts.push(part(ToolPartKind::Thread, number, measured));
        }
        Some(vec![self.result])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_counts_is_binary() {
        let text = "$ ntttcp.exe -r -m 2,*,10.0.0.2 -t 10\nCopyright Version 5.39\nNetwork activity progressing...\n\n\n\
                    Thread  Time(s) Throughput(KB/s) Avg B / Compl\n======  ======= ================ =============\n\
                    \x20    0   10.000       512000.000     65536.000\n     1   10.000       512000.000     65536.000\n\n\n\
                    #####  Totals:  #####\n\n\n   Bytes(MEG)    realtime(s) Avg Frame Size Throughput(MB/s)\n\
                    ================ =========== ============== ================\n\
                    \x20   10000.000000      10.000       1459.983         1000.000\n\n\n\
                    Packets Sent Packets Received Retransmits Errors Avg. CPU %\n\
                    ============ ================ =========== ====== ==========\n\
                    \x20    7000000           800000           7      0      3.092\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(metric::THROUGHPUT).map(|rate| rate.value), Some(1_048_576_000.0));
        assert_eq!(result.whole.figure(metric::RETRANSMITS).map(|again| again.value), Some(7.0));
        assert_eq!((result.parts.len(), output.unread.len()), (2, 0));
    }

    #[test]
    fn a_sender_of_linux_says_what_it_sent() {
        let text = "$ ./ntttcp -s 10.0.0.1 -t 10\nNTTTCP for Linux 1.4.0\n\
                    ---------------------------------------------------------\n22:36:30 INFO: 64 threads created\n\
                    22:36:42 INFO: 64 connections tested\n22:36:42 INFO: #####  Totals:  #####\n\
                    22:36:42 INFO: test duration\t:10.00 seconds\n22:36:42 INFO: total bytes\t:12500000000\n\
                    22:36:42 INFO: \t throughput\t:10.00Gbps\n22:36:42 INFO: \t retrans segs\t:3\n\
                    22:36:42 INFO: \t idle\t\t:91.57%\n22:36:42 INFO: cpu busy (all)\t:159.81%\n\
                    ---------------------------------------------------------\n22:36:43 INFO: Test cycle finished.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(metric::SENDER_THROUGHPUT).map(|rate| rate.value), Some(1.25e9));
        assert!(result.whole.figure(metric::THROUGHPUT).is_none());
        assert_eq!(result.whole.bytes.as_ref().map(|bytes| bytes.value), Some(12.5e9));
        assert_eq!((result.version.as_deref(), output.unread.len()), (Some("1.4.0"), 0));
    }
}
