//! `ip address` and `ip link`, with `-s` or without: the largest packet of each interface, and what its
//! counters say. Addresses are not kept.

use model::Unit;
use model::tool_result::{ToolMeasurement, ToolPart, ToolResult};

use serde_json::Value;

use super::{result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct IpAddress;

impl ToolReader for IpAddress {
    fn name(&self) -> &'static str {
        "ip"
    }

    fn doc(&self) -> &'static str {
        "the MTU of each interface that ip address or ip link lists, and with -s its counters; the same of their JSON (-j)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ip"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole bytes; with -h it rounds, and is not read.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["> mtu "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        interface(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        let belongs = last.is_indented() && !last.is_blank() || interface(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        let head: String = text.chars().take(2000).collect();
        ["\"ifindex\"", "\"ifname\"", "\"mtu\""].iter().all(|key| head.contains(key))
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with(['[', '{'])) {
            let parts = of_json(block.range().first, &block.text());
            return result_of(block, self, parts.ok_or(NotUnderstood::CutShort)?);
        }
        let mut interfaces: Vec<(String, ToolMeasurement)> = Vec::new();
        // The direction and the names of the columns whose values follow.
        let mut titles: Option<(&str, Vec<&str>)> = None;
        for line in block.lines {
            let text = line.text.trim();
            if let Some((name, mtu)) = interface(&line.text) {
                let mut measured = ToolMeasurement::default();
                let mtu = exact(line.number, mtu, Unit::Bytes);
                measured.add(model::MetricName::new("mtu"), Some(mtu));
                interfaces.push((name.to_owned(), measured));
            } else if let Some((direction, columns)) = counters(text) {
                titles = Some((direction, columns));
            } else if let (Some((direction, columns)), Some((_, measured))) =
                (titles.take(), interfaces.last_mut())
            {
                count(line, direction, &columns, measured);
            }
        }
        let parts: Vec<ToolPart> =
            interfaces.into_iter().filter_map(|(name, measured)| target(name, measured)).collect();
        result_of(block, self, parts)
    }
}

/// The interfaces of JSON that begins on this line; `None` if it is cut.
fn of_json(line: u64, text: &str) -> Option<Vec<ToolPart>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let one = |interface: &Value| {
        let mut measured = ToolMeasurement::default();
        let mtu = interface.get("mtu")?.as_u64()?;
        measured.add(model::MetricName::new("mtu"), Some(exact(line, mtu, Unit::Bytes)));
        for direction in ["rx", "tx"] {
            let counters = interface.pointer(&format!("/stats64/{direction}"));
            for (column, unit) in COUNTERS {
                let value = counters.and_then(|counters| counters.get(column)?.as_u64());
                if let (Some(value), Some(name)) = (value, counter(direction, column)) {
                    measured.add(name, Some(exact(line, value, *unit)));
                }
            }
        }
        target(interface.get("ifname")?.as_str()?.to_owned(), measured)
    };
    Some(document.as_array()?.iter().filter_map(one).collect())
}

/// Counters that are read, with what they count.
const COUNTERS: &[(&str, Unit)] = &[
    ("bytes", Unit::Bytes),
    ("packets", Unit::One),
    ("errors", Unit::One),
    ("dropped", Unit::One),
    ("overrun", Unit::One),
    ("missed", Unit::One),
];

/// Our name for a counter: `rx_bytes`.
fn counter(direction: &str, column: &str) -> Option<model::MetricName> {
    model::MetricName::intern(&format!("{direction}_{column}"))
}

/// `4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc ...`: the name and the MTU. Behind an
/// @ stands the other end, or what it is on.
fn interface(text: &str) -> Option<(&str, u64)> {
    let (index, rest) = text.split_once(": ")?;
    let (name, rest) = rest.split_once(": <")?;
    let (flags, rest) = rest.split_once("> mtu ")?;
    let (mtu, _) = whole(rest)?;
    let is_index = !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
    let is_flags =
        flags.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, ',' | '_' | '-'));
    let name = name.split('@').next().unwrap_or(name);
    (is_index && is_flags && !name.contains(' ')).then_some((name, mtu))
}

/// `RX:  bytes packets errors dropped  missed   mcast`.
fn counters(text: &str) -> Option<(&str, Vec<&str>)> {
    let (direction, titles) = text.split_once(": ")?;
    let columns: Vec<&str> = titles.split_whitespace().collect();
    let is_direction = matches!(direction, "RX" | "TX");
    (is_direction && columns.first() == Some(&"bytes")).then_some((direction, columns))
}

/// Puts the counters below their titles.
fn count(line: &ToolLine, direction: &str, columns: &[&str], measured: &mut ToolMeasurement) {
    let direction = direction.to_ascii_lowercase();
    for (column, value) in columns.iter().zip(line.text.split_whitespace()) {
        let Some((value, "")) = whole(value) else { continue };
        let Some((column, unit)) = COUNTERS.iter().find(|(known, _)| known == column) else { continue };
        if let Some(name) = counter(&direction, column) {
            measured.add(name, Some(exact(line.number, value, *unit)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_known_by_its_flags() {
        assert_eq!(
            interface("4: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue"),
            Some(("eth0", 1400))
        );
        assert_eq!(interface("1: lo: <LOOPBACK,UP,LOWER_UP> mtu x"), None);
        assert_eq!(interface("1: first: <b>bold</b> mtu 5"), None);
    }

    #[test]
    fn counters_are_known_by_their_titles() {
        let mut measured = ToolMeasurement::default();
        assert!(counters("RX:    packets bytes").is_none(), "bytes stand first");
        let (direction, columns) = counters("RX:  bytes packets errors dropped  missed   mcast").unwrap();
        let line =
            ToolLine { number: 7, text: "     680629930   20888      0       3       0       0".to_owned() };
        count(&line, direction, &columns, &mut measured);
        let named = |name: &'static str| measured.figure(model::MetricName::new(name)).map(|p| p.value);
        assert_eq!((named("rx_bytes"), named("rx_dropped")), (Some(680_629_930.0), Some(3.0)));
        assert_eq!(named("rx_mcast"), None);
    }
}
