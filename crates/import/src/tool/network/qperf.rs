//! qperf: the bandwidth, the latency and the rate of messages of each test. Its latency is half of a round trip.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::quantity;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Qperf;

const NAME: &str = "qperf";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.4",
    units: "MB/sec, Mb/sec, K/sec",
    counting: Counting::Decimal,
    proof: "qperf-0.4.11-verbose-made, in the form of qperf.c, which divides by 1000: 65536 bytes at 1.60 K/sec are 104.9 * 10^6 bytes a \
            second, and it prints 105 MB/sec",
};

const RULES: &[CountingRule] = &[BYTES];

/// Protocols that the names of its tests begin with.
const PROTOCOLS: &[&str] =
    &["tcp", "udp", "sctp", "sdp", "rds", "rc", "uc", "ud", "xrc", "ver_rc", "ver_uc", "ver_ud"];

/// What the names of its tests end with.
const KINDS: &[&str] = &[
    "_bw",
    "_lat",
    "_bi_bw",
    "_compare_swap_mr",
    "_fetch_add_mr",
    "_rdma_read_bw",
    "_rdma_read_lat",
    "_rdma_write_bw",
    "_rdma_write_lat",
    "_rdma_write_poll_lat",
];

/// Its figures, with our names for them; those of one unit each.
const FIGURES: &[(&str, MetricName, Unit)] = &[
    ("bw", metric::THROUGHPUT, Unit::BytesPerSecond),
    ("send_bw", metric::SENDER_THROUGHPUT, Unit::BytesPerSecond),
    ("recv_bw", metric::THROUGHPUT, Unit::BytesPerSecond),
    ("latency", MetricName::new("half_round_trip_mean"), Unit::Seconds),
];

impl ToolReader for Qperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the bandwidths and the latencies of each test of qperf, with what `-v` prints beside them left out"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[KINDS])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        test(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        // White space at the beginning of lines may be lost.
        let belongs = field(&last.text).is_some_and(|(name, _)| last.is_indented() || is_own(name));
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let test = block.lines.first().and_then(|line| test(&line.text)).ok_or(NotUnderstood::OtherText)?;
        result.options.insert("test".to_owned(), test.to_owned());
        for line in block.lines {
            let Some((name, value)) = field(&line.text) else { continue };
            let known = FIGURES.iter().find(|(own, ..)| *own == name);
            if let Some((metric, printed)) = known.and_then(|known| figure(line.number, value, known)) {
                result.whole.add(metric, Some(printed));
            } else if name == "msg_size" {
                result.options.insert("message size".to_owned(), value.to_owned());
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// The name of a test, which stands alone: `tcp_bw:`.
fn test(text: &str) -> Option<&str> {
    let name = text.strip_suffix(':')?;
    let is_one = |protocol: &&str| name.strip_prefix(*protocol).is_some_and(|kind| KINDS.contains(&kind));
    PROTOCOLS.iter().any(is_one).then_some(name)
}

/// `    bw  =  1.17 GB/sec`.
fn field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name, value.trim()))
}

/// Whether it prints a value of this name with its figures.
fn is_own(name: &str) -> bool {
    FIGURES.iter().any(|(own, ..)| *own == name) || matches!(name, "msg_rate" | "msg_size" | "time")
}

/// A figure in the unit that it has to have.
fn figure(line: u64, value: &str, known: &(&str, MetricName, Unit)) -> Option<(MetricName, PrintedValue)> {
    let (_, metric, unit) = known;
    let printed = quantity(line, value, BYTES.counting).filter(|printed| printed.unit == *unit)?;
    Some((*metric, printed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_stand_alone() {
        for (text, expected) in [
            ("tcp_bw:", Some("tcp_bw")),
            ("rc_rdma_write_lat:", Some("rc_rdma_write_lat")),
            ("tcp_bw: 1", None),
            ("my_bw:", None),
            ("tcp:", None),
        ] {
            assert_eq!(test(text), expected, "{text}");
        }
    }

    #[test]
    fn white_space_before_figures_may_be_lost() {
        let text = "    tcp_bw:\n    bw=  51.8 MB/sec\n    msg_size  =64 bytes\n    tcp_lat:\n    latency   =  432 us\n    msg_size  =1 bytes\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (2, 0), "{output:?}");
        assert_eq!(output.results[0].whole.figure(metric::THROUGHPUT).map(|rate| rate.value), Some(51.8e6));
    }

    #[test]
    fn what_arrived_and_what_was_sent_are_two_figures() {
        let text = "udp_bw:\n    send_bw  =  846 MB/sec\n    recv_bw  =  800 MB/sec\nudp_lat:\n    latency  =  25.8 us\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let value = |at: usize, name| results[at].whole.figure(name).map(|figure| figure.value);
        assert_eq!(value(0, metric::SENDER_THROUGHPUT), Some(846e6));
        assert_eq!(value(0, metric::THROUGHPUT), Some(800e6));
        assert_eq!((results.len(), results[1].options["test"].as_str()), (2, "udp_lat"));
    }
}
