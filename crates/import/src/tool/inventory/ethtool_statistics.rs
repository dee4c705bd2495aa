//! `ethtool -S`: what the driver of an interface counted since it was loaded. Of hundreds of counters those are read
//! that tell what was lost, refused or held back, and how much passed in all.

use model::tool_result::{ToolMeasurement, ToolResult};
use model::{MetricName, Unit};

use super::{result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct EthtoolStatistics;

const NAME: &str = "ethtool-statistics";

/// What stands above the counters, and is the name of an interface whose command is not known.
const HEADING: &str = "NIC statistics";

/// What all of it adds up to.
const TOTALS: &[&str] =
    &["rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_octets", "tx_octets", "rx_frames", "tx_frames"];

/// Parts of the names of counters of what went wrong, or was held back.
const FAULTS: &[&str] = &[
    "err",
    "drop",
    "discard",
    "miss",
    "crc",
    "fail",
    "fifo",
    "overrun",
    "overflow",
    "over_",
    "pause",
    "xoff",
    "collision",
    "no_buf",
    "nobuf",
    "no_dma",
    "out_of_buf",
    "timeout",
    "stopped",
    "busy",
    "ring_full",
    "lost",
];

impl ToolReader for EthtoolStatistics {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "ethtool -S: bytes and packets of the interface, and the counters of what was lost, refused or held back; those of single \
         queues where they are not zero"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ethtool"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole numbers.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEADING]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = before.is_empty() || last.is_indented() && counter(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut measured = ToolMeasurement::default();
        // The queue of which vmxnet3 tells in the lines below.
        let mut queue = None;
        for line in block.lines {
            let Some((name, value)) = counter(&line.text) else { continue };
            if name.ends_with("Queue#") {
                queue = Some(value);
                continue;
            }
            let name = match queue {
                Some(queue) => format!("queue {queue} {name}"),
                None => name.to_owned(),
            };
            let name = snake_case(&name);
            let unit =
                if name.ends_with("bytes") || name.ends_with("octets") { Unit::Bytes } else { Unit::One };
            if let Some(metric) = is_told(&name, value).then(|| MetricName::intern(&name)).flatten()
                && measured.figure(metric).is_none()
            {
                measured.add(metric, Some(exact(line.number, value, unit)));
            }
        }
        let command = block.command.and_then(|line| line.invocation(self.programs())).unwrap_or_default();
        let name = interface(command).unwrap_or(HEADING);
        result_of(block, self, target(name.to_owned(), measured).into_iter().collect())
    }
}

fn is_heading(text: &str) -> bool {
    text.trim().strip_suffix(':') == Some(HEADING)
}

/// `     rx_packets: 1000`, `     [0]: rx_discards: 5`.
fn counter(text: &str) -> Option<(&str, u64)> {
    let (name, value) = text.trim().rsplit_once(':')?;
    let (value, rest) = whole(value)?;
    (rest.is_empty() && !name.is_empty()).then_some((name, value))
}

/// `0_rx_discards` of `[0]: rx_discards`.
fn snake_case(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}

/// Whether a counter is read. Of those that are numbered, as queues and priorities are, there are hundreds that are
/// zero.
fn is_told(name: &str, value: u64) -> bool {
    let is_numbered = name.contains(|c: char| c.is_ascii_digit());
    let is_fault = || {
        // Its letters have those of an error.
        let name = name.replace("interrupt", "");
        FAULTS.iter().any(|part| name.contains(part)) && (value > 0 || !is_numbered)
    };
    TOTALS.contains(&name) || is_fault()
}

/// The interface that a command asks for.
fn interface(command: &[String]) -> Option<&str> {
    let option = command.iter().position(|word| word == "-S" || word == "--statistics")?;
    let mut behind = command.get(option + 1..)?.iter();
    behind.find(|word| !word.starts_with('-')).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    #[test]
    fn counters_of_queues_are_told_where_they_are_not_zero() {
        let result = read(
            "$ ethtool -S eth7\nNIC statistics:\n     rx_packets: 1000\n     rx_dropped: 0\n     rx_queue_0_drops: 0\n     \
             rx_queue_1_drops: 7\n     rx_queue_1_packets: 900\n     [2]: tx_errors: 3\n",
        );
        let [part] = result.parts.as_slice() else { panic!("{:?}", result.parts) };
        let told: Vec<(&str, f64)> =
            part.measured.figures.iter().map(|f| (f.metric.as_str(), f.printed.value)).collect();
        let expected =
            [("rx_packets", 1000.0), ("rx_dropped", 0.0), ("rx_queue_1_drops", 7.0), ("2_tx_errors", 3.0)];
        assert_eq!((part.name.as_str(), told.as_slice()), ("eth7", expected.as_slice()));
    }

    #[test]
    fn interrupts_are_no_errors() {
        assert!(!is_told("tx_unmask_interrupt", 5) && !is_told("queue_0_tx_interrupts", 5));
        assert!(is_told("interrupt_errors", 5) && is_told("rx_errors", 0));
    }

    #[test]
    fn a_queue_is_told_above_its_counters() {
        let result = read(
            "NIC statistics:\n     Tx Queue#: 0\n       pkts tx err: 0\n       ring full: 4\n     Tx Queue#: 1\n       ring full: 5\n",
        );
        let values: Vec<f64> = result.parts[0].measured.figures.iter().map(|f| f.printed.value).collect();
        assert_eq!((result.parts[0].name.as_str(), values), (HEADING, vec![4.0, 5.0]));
    }

    #[test]
    fn counters_without_any_of_these_are_no_output_of_use() {
        let output = crate::tool::read("", "NIC statistics:\n     rx_kicks: 5\n".as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (0, 1));
    }
}
