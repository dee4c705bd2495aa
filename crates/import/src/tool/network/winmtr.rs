//! WinMTR: its table as text. Each hop is a part, and the last one stands for the whole, as of mtr.

use model::tool_result::{ToolMeasurement, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{cut_off, exact, plain, time};
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct WinMtr;

const NAME: &str = "winmtr";

/// The words of its headings.
const HEADINGS: &[&str] = &["Host", "-", "%", "Sent", "Recv", "Best", "Avrg", "Wrst", "Last"];

/// A rule above the title has so many dashes at least; those of other tables have bars in them.
const RULE_MIN: usize = 60;

impl ToolReader for WinMtr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of WinMTR as text: each hop, and the last one for the whole"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["WinMTR statistics", "Avrg", DASHES]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if text.contains("WinMTR statistics") && text.starts_with('|') || is_headings(text) {
            return Some(Beginning::Certain);
        }
        is_rule(text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("WinMTR v") {
            return Extent::EndsHere;
        }
        if before.is_empty() || text.starts_with('|') { Extent::More } else { Extent::EndsBefore }
    }

    fn shares(&self, line: &ToolLine) -> bool {
        line.text.trim_start().starts_with('|')
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if !block.lines.iter().any(|line| is_headings(line.text.trim())) {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            if let Some((host, measured)) = hop(line) {
                let number = result.parts.len() + 1;
                result.whole = measured.clone();
                result.options.insert("host".to_owned(), host.to_owned());
                result.parts.push(part(ToolPartKind::Target, format!("{number} {host}"), measured));
            } else if let Some(version) = line.text.trim().strip_prefix("WinMTR v") {
                result.version = version.split_whitespace().next().map(str::to_owned);
            }
        }
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `|         Host              -   %  | Sent | Recv | Best | Avrg | Wrst | Last |`.
fn is_headings(text: &str) -> bool {
    text.split(|c: char| c == '|' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .eq(HEADINGS.iter().copied())
}

/// The line above the title.
fn is_rule(text: &str) -> bool {
    let inside = text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    inside.is_some_and(|dashes| dashes.len() >= RULE_MIN && dashes.bytes().all(|byte| byte == b'-'))
}

/// `|    192.168.1.1 -    0 |   50 |   50 |    0 |    0 |    2 |    1 |`.
fn hop(line: &ToolLine) -> Option<(&str, ToolMeasurement)> {
    let row = line.text.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = row.split('|').map(str::trim);
    let (host, share) = cells.next()?.rsplit_once(" - ")?;
    share.trim().parse::<u64>().ok()?;
    let cells: Vec<&str> = cells.collect();
    let [sent, received, best, mean, worst, _last] = cells.as_slice() else { return None };
    let (sent, received): (u64, u64) = (sent.parse().ok()?, received.parse().ok()?);
    let operations = Some(exact(line.number, sent, Unit::One));
    let mut measured = ToolMeasurement { operations, ..ToolMeasurement::default() };
    if sent > 0 {
        let lost = sent.saturating_sub(received);
        let share = lost as f64 / sent as f64;
        measured.add(metric::LOSS, Some(plain(line.number, format!("{lost}/{sent}"), share, Unit::One)));
    }
    // Of no answer there is no time.
    for (name, value) in [("min", best), ("avg", mean), ("max", worst)].into_iter().filter(|_| received > 0) {
        if let Some(metric) = statistic(name) {
            // All are whole milliseconds, so what is divided is cut off.
            measured.add(metric, time(line.number, value, "ms").map(cut_off));
        }
    }
    Some((host.trim(), measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "|------------------------------------------------------------------------------------------|\n\
                         |                                      WinMTR statistics                                   |\n\
                         |                       Host              -   %  | Sent | Recv | Best | Avrg | Wrst | Last |\n\
                         |------------------------------------------------|------|------|------|------|------|------|\n\
                         |                             192.168.1.1 -    0 |   50 |   50 |    0 |    0 |    2 |    1 |\n\
                         |                   No response from host -  100 |   10 |    0 |    0 |    0 |    0 |    0 |\n\
                         |                              dns.google -    2 |   50 |   49 |   10 |   11 |   18 |   11 |\n\
                         |________________________________________________|______|______|______|______|______|______|\n   \
                         WinMTR v0.92 GPL V2 by Appnor MSP - Fully Managed Hosting & Cloud Provider\n";

    #[test]
    fn each_hop_is_a_part_and_the_last_stands_for_the_whole() {
        let output = crate::tool::read("", TABLE.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::LOSS), value(metric::LATENCY_MEAN)), (Some(0.02), Some(0.011)));
        assert_eq!((result.parts.len(), result.options["host"].as_str()), (3, "dns.google"));
        let silent = &result.parts[1].measured;
        assert_eq!(
            (silent.figures.len(), silent.figure(metric::LOSS).map(|loss| loss.value)),
            (1, Some(1.0))
        );
        assert_eq!((result.version.as_deref(), output.unread.len()), (Some("0.92"), 0));
    }

    #[test]
    fn another_table_with_a_rule_is_none() {
        let rule = format!("|{}|\n| a |\n| 1 |\n", "-".repeat(80));
        let output = crate::tool::read("", rule.as_bytes()).unwrap();
        assert!(output.results.is_empty(), "{output:?}");
    }
}
