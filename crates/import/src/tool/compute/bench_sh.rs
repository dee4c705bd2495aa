//! bench.sh, the script of Teddysun that drives dd and speedtest. Each write of dd is a result, so that the three are
//! trials of one work, and each place is one. The average that it prints is left out: it counts a GB of dd as 1024 MB.

use std::net::IpAddr;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, LineRange, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct BenchSh;

const NAME: &str = "bench.sh";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB/s and GB/s of dd, Mbps of speedtest",
    counting: Counting::Decimal,
    proof: "the script prints the rate as GNU dd prints it, whose multiples are decimal",
};

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "until 2019",
    units: "KB/s and MB/s of downloads",
    counting: Counting::Binary,
    proof: "the script prints the rate as wget prints it, whose multiples are of 1024",
};

const RULES: &[CountingRule] = &[DECIMAL, BINARY];

/// The beginning of its first line, behind dashes.
const BANNER: &str = "A Bench.sh Script By Teddysun";

/// Its other labels.
const LABELS: &[&str] = &[
    "Version",
    "Usage",
    "CPU Model",
    "CPU model",
    "CPU Cores",
    "Number of cores",
    "CPU Cache",
    "CPU Frequency",
    "CPU frequency",
    "AES-NI",
    "VM-x/AMD-V",
    "Total Disk",
    "Total size of Disk",
    "Total Mem",
    "Total amount of Mem",
    "Total Swap",
    "Total amount of Swap",
    "System uptime",
    "Load average",
    "OS",
    "Arch",
    "Kernel",
    "TCP CC",
    "Virtualization",
    "IPv4/IPv6",
    "Organization",
    "Location",
    "Region",
    "I/O Speed(average)",
    "Average I/O speed",
    "Finished in",
    "Timestamp",
];

/// What a mean may be off by beyond its rounding: of large rates few digits are printed.
const NEAR: f64 = 0.01;

impl ToolReader for BenchSh {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the script bench.sh of Teddysun: each write of dd, and each place of its speed test"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BANNER, "I/O Speed(", "I/O speed(", "Node Name "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first = line.text.contains(BANNER) || write(line).is_some() || is_heading(&line.text);
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_second_blank = last.is_blank() && before.last().is_some_and(ToolLine::is_blank);
        let is_own = is_rule(&last.text)
            || label(&last.text).is_some()
            || write(last).is_some()
            || is_heading(&last.text)
            || Place::of(last).is_some();
        let belongs = is_own || last.is_blank() && !is_second_blank;
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        // The script takes a GB/s of dd for 1024 MB/s.
        let runs: Vec<Term> = sheet
            .behind("I/O Speed(")
            .filter(|(_, text)| text.contains(" run"))
            .map(|(line, text)| {
                let (_, value) = text.split_once(':').unwrap_or_default();
                let speed = nth_of(line, value, 0);
                if value.trim_end().ends_with("GB/s") { speed.in_other_unit(1024.0) } else { speed }
            })
            .collect();
        sheet.equal(&sheet.within("I/O Speed(average)", ":"), Term::mean(&runs), NEAR);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut base = block.result(NAME, self.programs());
        let version =
            block.lines.iter().find_map(|line| label(&line.text).filter(|(name, _)| *name == "Version"));
        base.version = version.map(|(_, version)| version.to_owned());
        let mut results = Vec::new();
        for line in block.lines {
            let mut result = base.clone();
            result.lines = LineRange { first: line.number, last: line.number };
            let mut set =
                |name: &str, value: &str| drop(result.options.insert(name.to_owned(), value.to_owned()));
            if let Some(rate) = write(line) {
                set("test", "dd");
                result.whole.add(metric::THROUGHPUT, Some(rate));
            } else if let Some(place) = Place::of(line) {
                set("test", "speedtest");
                set("place", &place.name);
                result.whole.add(metric::SEND_THROUGHPUT, place.sent);
                result.whole.add(metric::RECEIVE_THROUGHPUT, place.received);
                result.whole.add(MetricName::new("idle_latency"), place.latency);
            }
            results.push(result);
        }
        results.retain(|result| !result.whole.figures.is_empty());
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// A line of dashes, with the banner between them or without.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("-----") && text.ends_with("---")
}

/// The label and the value of ` CPU Cores          : 4 @ 2399.998 MHz`.
fn label(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let name = name.trim();
    LABELS.contains(&name).then(|| (name, value.trim()))
}

/// The rate of ` I/O Speed(1st run) : 425 MB/s`.
fn write(line: &ToolLine) -> Option<PrintedValue> {
    let (name, value) = line.text.split_once(':')?;
    let name = name.trim();
    let run = name.strip_prefix("I/O Speed(").or_else(|| name.strip_prefix("I/O speed("))?;
    let rate = quantity(line.number, value, DECIMAL.counting)?;
    (run.ends_with(" run)") && rate.unit == Unit::BytesPerSecond).then_some(rate)
}

/// ` Node Name        Upload Speed      Download Speed      Latency`.
fn is_heading(text: &str) -> bool {
    text.trim_start().starts_with("Node Name ") && text.contains("Download Speed")
}

/// A row of its speed test.
struct Place {
    name: String,
    sent: Option<PrintedValue>,
    received: Option<PrintedValue>,
    latency: Option<PrintedValue>,
}

impl Place {
    /// ` Paris, FR        520.84 Mbps       2065.39 Mbps        134.77 ms`, and early `CacheFly  204.93.150.152  22.5MB/s`.
    fn of(line: &ToolLine) -> Option<Self> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let rate = |text: &str, counting| quantity(line.number, text, counting);
        match words.as_slice() {
            [name @ .., sent, "Mbps", received, "Mbps", latency, "ms"] if !name.is_empty() => Some(Self {
                name: name.join(" "),
                sent: rate(&format!("{sent} Mbps"), DECIMAL.counting),
                received: rate(&format!("{received} Mbps"), DECIMAL.counting),
                latency: time(line.number, latency, "ms"),
            }),
            [name @ .., address, received]
                if !name.is_empty() && address.parse::<IpAddr>().is_ok() && received.ends_with("B/s") =>
            {
                let received = rate(received, BINARY.counting);
                Some(Self { name: name.join(" "), sent: None, received, latency: None })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_form_of_early_versions_is_read() {
        let text = "I/O speed(1st run)   : 11.9 MB/s\nI/O speed(2nd run)   : 1.2 GB/s\nAverage I/O speed    : 11.9 MB/s\n\
                    ------------------------------------------------\n\
                    Node Name                       IPv4 address            Download Speed\n\
                    CacheFly                        204.93.150.152          22.5MB/s      \n\
                    Softlayer, Frankfurt, DE        159.122.69.4            604KB/s\nand more\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let rates: Vec<f64> =
            output.results.iter().map(|result| result.whole.figures[0].printed.value).collect();
        assert_eq!(rates, [11.9e6, 1.2e9, 22.5 * 1_048_576.0, 604.0 * 1024.0]);
        assert_eq!((output.unread.len(), output.unread[0].lines.first), (1, 8));
    }
}
