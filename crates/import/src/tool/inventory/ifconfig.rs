//! `ifconfig`, of Linux in both of its forms and of BSD and macOS: the largest packet of each interface, and what its counters
//! say. Addresses are not kept.

use model::tool_result::{ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::exact;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ifconfig;

/// Counters that are read, with our names and what they count; which way stands before them.
const COUNTERS: &[(&str, &str, Unit)] = &[
    ("bytes", "bytes", Unit::Bytes),
    ("packets", "packets", Unit::One),
    ("errors", "errors", Unit::One),
    ("dropped", "dropped", Unit::One),
    ("overruns", "overrun", Unit::One),
];

impl ToolReader for Ifconfig {
    fn name(&self) -> &'static str {
        "ifconfig"
    }

    fn doc(&self) -> &'static str {
        "the MTU of each interface that ifconfig lists, and its counters where it has them"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ifconfig"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole bytes, and rounded ones behind them.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["flags=", "Link encap:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        interface(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        let belongs = last.is_indented() || last.is_blank() || interface(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut interfaces: Vec<(String, ToolMeasurement)> = Vec::new();
        for line in block.lines {
            if let Some(name) = interface(&line.text) {
                interfaces.push((name.to_owned(), ToolMeasurement::default()));
            }
            if let Some((_, measured)) = interfaces.last_mut() {
                count(line, measured);
            }
        }
        let parts: Vec<ToolPart> =
            interfaces.into_iter().filter_map(|(name, measured)| target(name, measured)).collect();
        result_of(block, self, parts)
    }
}

/// The name of `eth0: flags=4163<UP,BROADCAST>  mtu 1500`, and of `eth0      Link encap:Ethernet  HWaddr 00:11:22:33:44:55`.
fn interface(text: &str) -> Option<&str> {
    let name = text.split_whitespace().next()?;
    let rest = text.strip_prefix(name)?.trim_start();
    let is_new =
        name.ends_with(':') && rest.starts_with("flags=") && rest.contains('<') && rest.contains(" mtu ");
    (is_new || rest.starts_with("Link encap:")).then(|| name.trim_end_matches(':'))
}

/// Adds what a line counts: `RX packets 2  bytes 100 (100.0 B)`, `RX bytes:100 (100.0 B)  TX bytes:200 (200.0 B)`.
fn count(line: &ToolLine, measured: &mut ToolMeasurement) {
    let text = line.text.replace(':', " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut direction = "";
    for pair in words.windows(2) {
        let [word, next] = pair else { continue };
        match *word {
            "RX" => direction = "rx",
            "TX" => direction = "tx",
            _ => {}
        }
        let Ok(value) = next.parse::<u64>() else { continue };
        if word.eq_ignore_ascii_case("mtu") {
            measured.add(MetricName::new("mtu"), Some(exact(line.number, value, Unit::Bytes)));
        }
        let known = COUNTERS.iter().find(|(own, ..)| own == word).filter(|_| !direction.is_empty());
        if let Some((_, name, unit)) = known
            && let Some(metric) = MetricName::intern(&format!("{direction}_{name}"))
        {
            measured.add(metric, Some(exact(line.number, value, *unit)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(output.unread.is_empty(), "{output:?}");
        output.results.into_iter().next().unwrap()
    }

    #[test]
    fn counters_are_read_in_both_forms() {
        let new = "eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000\n        inet 10.0.0.1  netmask 255.0.0.0\n\
                   \x20       RX packets 2000  bytes 1000000 (1000.0 KB)\n        RX errors 5  dropped 7  overruns 0  frame 0\n\
                   \x20       TX packets 3  bytes 200 (200.0 B)\n        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0\n\n\
                   lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536\n";
        let old = "eth0      Link encap:Ethernet  HWaddr 00:11:22:33:44:55\n          UP BROADCAST RUNNING  MTU:9000  Metric:1\n\
                   \x20         RX packets:2000 errors:5 dropped:7 overruns:0 frame:0\n\
                   \x20         TX packets:3 errors:0 dropped:0 overruns:0 carrier:0\n\
                   \x20         RX bytes:1000000 (1.0 MB)  TX bytes:200 (200.0 B)\n\n\
                   lo        Link encap:Local Loopback\n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n";
        for text in [new, old] {
            let result = read(text);
            let [first, second] = result.parts.as_slice() else { panic!("{result:?}") };
            let value = |name| first.measured.figure(MetricName::new(name)).map(|printed| printed.value);
            assert_eq!((first.name.as_str(), second.name.as_str()), ("eth0", "lo"));
            assert_eq!(
                (value("mtu"), value("rx_bytes"), value("tx_bytes")),
                (Some(9000.0), Some(1e6), Some(200.0))
            );
            assert_eq!(
                (value("rx_packets"), value("rx_errors"), value("rx_dropped")),
                (Some(2000.0), Some(5.0), Some(7.0))
            );
            assert_eq!(first.measured.figures.len(), 11);
        }
    }
}
