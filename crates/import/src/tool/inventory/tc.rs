//! `tc -s qdisc` and `tc -s class`: what each queueing discipline sent, dropped and held back since it was made, and the
//! rate that it is limited to.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Tc;

const NAME: &str = "tc";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "Kbit, Mbit, Gbit of rates",
    counting: Counting::Decimal,
    proof: "tc/tc_util.c, tc_print_rate divides by 1000, unless it is told to use IEC units, which have an i",
};

const RULES: &[CountingRule] = &[BITS];

/// The rate that a discipline or a class is limited to.
const LIMIT: MetricName = MetricName::new("rate_limit");

/// Counts by the words before them.
const COUNTS: &[(&str, MetricName)] = &[
    ("dropped", MetricName::new("dropped_packets")),
    ("overlimits", MetricName::new("held_back_packets")),
    ("requeues", MetricName::new("requeued_packets")),
];

impl ToolReader for Tc {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "tc -s qdisc and tc -s class: what each sent, dropped and held back, and its rate"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["qdisc", "class"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        queue(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_own = last.is_indented() && !last.is_blank() || queue(&last.text).is_some();
        // An empty line parts classes.
        let is_between = last.is_blank() && before.last().is_some_and(|line| !line.is_blank());
        if before.is_empty() || is_own || is_between { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut queues: Vec<(String, ToolMeasurement)> = Vec::new();
        for line in block.lines {
            if let Some(name) = queue(&line.text) {
                let mut measured = ToolMeasurement::default();
                measured.add(LIMIT, limit(line));
                queues.push((name, measured));
            } else if let Some((_, measured)) = queues.last_mut() {
                sent(line, measured);
            }
        }
        let parts: Vec<ToolPart> =
            queues.into_iter().filter_map(|(name, measured)| target(name, measured)).collect();
        result_of(block, self, parts)
    }
}

/// `eth0 fq_codel 8001` of `qdisc fq_codel 8001: dev eth0 root refcnt 2 ...`; a class of `tc class show dev eth0` names no
/// device.
fn queue(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let kind = words.next().filter(|word| matches!(*word, "qdisc" | "class"))?;
    let (discipline, handle) = (words.next()?, words.next()?);
    let is_handle = handle.contains(':') && handle.chars().all(|c| c.is_ascii_hexdigit() || c == ':');
    let rest: Vec<&str> = words.collect();
    let place = rest.iter().position(|word| matches!(*word, "root" | "parent" | "ingress" | "clsact"));
    if !is_handle || kind == "class" && place.is_none() {
        return None;
    }
    let handle = handle.trim_end_matches(':');
    match rest.as_slice() {
        ["dev", device, ..] => Some(format!("{device} {discipline} {handle}")),
        _ if kind == "class" => Some(format!("{discipline} {handle}")),
        _ => None,
    }
}

/// The rate behind the word `rate`: `100Mbit`.
fn limit(line: &ToolLine) -> Option<PrintedValue> {
    let mut words = line.text.split_whitespace().skip_while(|word| *word != "rate").skip(1);
    let word = words.next()?;
    quantity(line.number, &format!("{word}/s"), BITS.counting)
        .filter(|rate| rate.unit == Unit::BytesPerSecond)
}

/// `Sent 718899 bytes 7619 pkt (dropped 0, overlimits 0 requeues 1)`.
fn sent(line: &ToolLine, measured: &mut ToolMeasurement) {
    let Some(rest) = line.text.trim().strip_prefix("Sent ") else { return };
    let count = |number: u64, unit: Unit| Some(exact(line.number, number, unit));
    let Some((bytes, rest)) = whole(rest) else { return };
    measured.add(MetricName::new("sent_bytes"), count(bytes, Unit::Bytes));
    if let Some((packets, _)) = rest.trim_start().strip_prefix("bytes ").and_then(whole) {
        measured.add(MetricName::new("sent_packets"), count(packets, Unit::One));
    }
    for (word, metric) in COUNTS {
        let number = rest.split_once(&format!("{word} ")).and_then(|(_, behind)| whole(behind));
        measured.add(*metric, number.and_then(|(number, _)| count(number, Unit::One)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_in_bytes() {
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        let rate = |text: &str| limit(&line(text)).map(|rate| rate.value);
        assert_eq!(
            rate("qdisc tbf 8001: dev eth0 root refcnt 2 rate 100Mbit burst 32Kb lat 50ms"),
            Some(12.5e6)
        );
        assert_eq!(rate("class htb 1:10 root prio 0 rate 1Gbit ceil 1Gbit burst 1375b"), Some(125e6));
        assert_eq!(rate("qdisc noqueue 0: dev lo root refcnt 2"), None);
    }

    #[test]
    fn queues_are_told_from_other_words() {
        assert_eq!(queue("qdisc noqueue 0: dev lo root refcnt 2").as_deref(), Some("lo noqueue 0"));
        assert_eq!(queue("class htb 1:10 root prio 0 rate 1Gbit").as_deref(), Some("htb 1:10"));
        assert_eq!(queue("class a 1: of mine"), None);
        assert_eq!(queue("qdisc is short"), None);
    }
}
