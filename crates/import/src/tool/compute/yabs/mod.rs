//! yabs.sh, the script of Mason Rowe that drives fio, iperf3 and Geekbench. Each block size, each place
//! and each version of Geekbench is a result. fio's rates are those of mixed random reads and
//! writes, not of reads alone.
//!
//! Until 2026 the script printed fio's KiB/s as KB/s and divided by 1000 for each further multiple, so
//! that its MB/s are 1,024,000 bytes. Of a table without the version above it, block
//! size, operations and rates tell which it is.

mod json;
mod tables;

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Yabs;

const NAME: &str = "yabs";

/// The first version whose rates are of 1000 bytes.
const DECIMAL_SINCE: &str = "v2026-07-03";

const MIXED: CountingRule = CountingRule {
    tool: NAME,
    versions: "before v2026-07-03",
    units: "KB/s of fio: 1024 bytes; MB/s and GB/s: 1000 and 1000000 of them",
    counting: Counting::Other,
    proof: "yabs-v2022-08-17-json-from-documentation: 41397 reads of 4096 bytes are 165588 KiB in a second; it has 165590. \
            yabs-v2020-09-21-from-documentation: 111.2 k of them are 444.8 thousand KiB; it prints 445.04 MB/s",
};

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "since v2026-07-03; dd and iperf3 in all",
    units: "KB/s, MB/s, GB/s; k of IOPS; Mbits/sec, Gbits/sec",
    counting: Counting::Decimal,
    proof: "yabs-v2026-07-03-disk-alone: from 45.3 k to 45.4 k reads of 4096 bytes are from 185.5 to 186.0 decimal MB; it \
            prints 185.74 MB/s",
};

const RULES: &[CountingRule] = &[MIXED, DECIMAL];

impl ToolReader for Yabs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what yabs.sh prints of fio, dd, iperf3 and Geekbench, each of its tables alone, too; its JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["yabs.sh", "yabs"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "# ## ## ##",
            "Yet-Another-Bench-Script",
            "Basic System Information:",
            "fio Disk Speed Tests (",
            "dd Sequential Disk Speed Tests",
            "iperf3 Network Speed Tests (",
            "Geekbench ",
            "Block Size |",
            "| Location (Link)",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_banner(text) || is_section(text)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let shown = || before.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty());
        if shown().next_back().is_some_and(|text| text.starts_with("YABS completed in")) {
            // With -j the same figures follow as JSON.
            let is_same = text.starts_with("{\"version\"");
            return match () {
                () if is_same => Extent::EndsHere,
                () if text.is_empty() => Extent::More,
                () => Extent::EndsBefore,
            };
        }
        // Behind the banner stands the moment, in the words of any language.
        let is_moment = || shown().all(|text| text.starts_with('#'));
        if is_banner(text) && !shown().all(|text| text.starts_with('#')) {
            return Extent::EndsBefore;
        }
        if is_of_yabs(text) || is_moment() { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        let head: String = text.chars().take(2048).collect();
        ["\"version\"", "\"aes\"", "\"virt\"", "\"kernel\""].iter().all(|name| head.contains(name))
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let is_json = block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{'));
        let results = if is_json { json::read(block)? } else { tables::read(block) };
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// A line of the frame around the script's name.
fn is_banner(text: &str) -> bool {
    text.starts_with("# ## ## ##") || text.starts_with('#') && text.contains("Yet-Another-Bench-Script")
}

/// A line above a part of the output.
fn is_section(text: &str) -> bool {
    text == "Basic System Information:"
        || text.starts_with("fio Disk Speed Tests (")
        || text.starts_with("dd Sequential Disk Speed Tests")
        || text.starts_with("iperf3 Network Speed Tests (")
        || text.starts_with("Geekbench ") && text.ends_with("Benchmark Test:")
        || text.starts_with("Block Size |") && text.contains("(IOPS)")
        || text.starts_with("Provider") && text.contains("| Location (Link)")
}

/// Whether the script may print such a line.
fn is_of_yabs(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "#",
        "Warning",
        "Preparing",
        "Generating",
        "Running",
        "Performing",
        "Geekbench",
        "Fio ",
        "fio ",
        "iperf3 ",
        "Less than",
        "ARM ",
        "YABS completed in",
        "|",
    ];
    let is_ruler = text.len() >= 20 && text.chars().all(|c| c == '-');
    let is_pair = text.split_once(" :").is_some_and(|(key, _)| key.trim().chars().count() <= 12);
    let is_row = text.contains(" | ") || text.ends_with(" |");
    // With nothing behind it, as of an unknown kernel.
    text.is_empty()
        || is_section(text)
        || is_ruler
        || is_pair
        || is_row
        || text.ends_with("Network Information:")
        || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// What fio did with one block size.
#[derive(Default)]
struct YabsDisk {
    size: String,
    read: (Option<PrintedValue>, Option<PrintedValue>),
    write: (Option<PrintedValue>, Option<PrintedValue>),
    total: (Option<PrintedValue>, Option<PrintedValue>),
}

impl YabsDisk {
    /// As a result that stands where `result` does; `None` without a figure.
    fn result(self, mut result: ToolResult) -> Option<ToolResult> {
        let Self { size, read, write, total } = self;
        result.options.insert("test".to_owned(), "fio".to_owned());
        result.options.insert("block-size".to_owned(), size);
        let (rate, iops) = total;
        result.whole.add(metric::THROUGHPUT, rate);
        result.whole.add(metric::IOPS, iops);
        for (class, (rate, iops)) in [("read", read), ("write", write)] {
            let mut measured = ToolMeasurement::default();
            for (metric, value) in [(metric::THROUGHPUT, rate), (metric::IOPS, iops)] {
                if let Some(own) = metric.of(class) {
                    result.whole.add(own, value.clone());
                }
                measured.add(metric, value);
            }
            if !measured.is_empty() {
                let kind = ToolPartKind::Direction;
                result.parts.push(ToolPart { kind, name: class.to_owned(), start_s: None, measured });
            }
        }
        (!result.whole.is_empty()).then_some(result)
    }
}

/// What iperf3 reached to one place.
fn network_result(
    mut result: ToolResult,
    options: [(&str, &str); 3],
    (send, receive, ping): (Option<PrintedValue>, Option<PrintedValue>, Option<PrintedValue>),
) -> Option<ToolResult> {
    let is_rate = |printed: &PrintedValue| printed.unit == Unit::BytesPerSecond;
    result.options.insert("test".to_owned(), "iperf3".to_owned());
    for (name, value) in options.into_iter().filter(|(_, value)| !value.is_empty()) {
        result.options.insert(name.to_owned(), value.to_owned());
    }
    result.whole.add(metric::SEND_THROUGHPUT, send.filter(is_rate));
    result.whole.add(metric::RECEIVE_THROUGHPUT, receive.filter(is_rate));
    result.whole.add(metric::RTT, ping.filter(|printed| printed.unit == Unit::Seconds));
    (!result.whole.is_empty()).then_some(result)
}

/// The bytes of a block size: `4k`, `1m`.
fn block_bytes(size: &str) -> Option<f64> {
    let number = crate::tool::number::leading(size, false)?;
    let factor = match number.rest {
        "" => 1.0,
        "k" | "K" => 1024.0,
        "m" | "M" => 1_048_576.0,
        _ => return None,
    };
    Some(number.value * factor)
}
