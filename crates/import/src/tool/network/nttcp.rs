//! nttcp: a line of this end (`l`) and one of each other end (`1`), in columns of fixed widths that may
//! touch.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nttcp;

const NAME: &str = "nttcp";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "MBit/s",
    counting: Counting::Decimal,
    proof: "nttcp.c of 1.47 divides the bits by 1000000; Debian has it no more, so that no output of ours shows it",
};

const RULES: &[CountingRule] = &[BITS];

/// How wide the columns are: the end, bytes, seconds, CPU seconds, MBit/s, the same by CPU seconds, calls.
const WIDTHS: [usize; 7] = [1, 9, 8, 8, 12, 12, 8];

impl ToolReader for Nttcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of nttcp 1, of this end and of the other"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["nttcp"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Real-MBit/s", "."]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (is_heading(&line.text) || Row::of(line).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_local = |line: &ToolLine| Row::of(line).is_some_and(|row| row.is_local);
        if is_heading(&last.text) && before.iter().any(|line| Row::of(line).is_some())
            || is_local(last) && before.iter().any(is_local)
        {
            return Extent::EndsBefore;
        }
        if last.is_blank() || is_heading(&last.text) || Row::of(last).is_some() {
            Extent::More
        } else {
            Extent::EndsBefore
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let rows: Vec<Row> = block.lines.iter().filter_map(Row::of).collect();
        // Who was given -r receives here; otherwise the other end does.
        let mut result = block.result(NAME, self.programs());
        let receives = result.command.iter().any(|word| word == "-r");
        let received = rows.iter().find(|row| row.is_local == receives);
        let sent = rows.iter().find(|row| row.is_local != receives);
        let main = received.or(sent).ok_or(NotUnderstood::CutShort)?;
        result.whole = ToolMeasurement { figures: Vec::new(), ..main.measured.clone() };
        let rate = |row: &Row| row.measured.figure(metric::THROUGHPUT).cloned();
        result.whole.add(metric::THROUGHPUT, received.and_then(rate));
        result.whole.add(metric::SENDER_THROUGHPUT, sent.and_then(rate));
        result.parts.extend(sent.map(|sent| part(ToolPartKind::Direction, "sender", sent.measured.clone())));
        let options = result.command.iter().skip(1).map(|word| (word.clone(), "1".to_owned()));
        result.options = options.collect();
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        Ok(vec![result])
    }
}

/// `     Bytes  Real s   CPU s Real-MBit/s  CPU-MBit/s   Calls  Real-C/s   CPU-C/s`.
fn is_heading(text: &str) -> bool {
    text.contains("Real-MBit/s") && text.contains("Bytes") && text.contains("Real s")
}

/// A line of the table.
struct Row {
    is_local: bool,
    measured: ToolMeasurement,
}

impl Row {
    fn of(line: &ToolLine) -> Option<Self> {
        let text = line.text.as_str();
        let is_local = text.starts_with('l');
        if !text.starts_with(|c: char| c == 'l' || c.is_ascii_digit()) {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        // Nine words, unless columns touch: then their widths tell.
        let [bytes, seconds, rate, calls] = match words.as_slice() {
            [_, bytes, seconds, _, rate, _, calls, _, _] => [*bytes, *seconds, *rate, *calls],
            _ => by_width(text)?,
        };
        let decimals = |text: &str, count: usize| text.split_once('.').is_some_and(|(_, d)| d.len() == count);
        if !decimals(seconds, 2) || !decimals(rate, 4) {
            return None;
        }
        let (Some((bytes, "")), Some((calls, ""))) = (whole(bytes), whole(calls)) else { return None };
        let mut measured = ToolMeasurement {
            bytes: Some(exact(line.number, bytes, Unit::Bytes)),
            window: Some(quantity(line.number, &format!("{seconds} s"), Counting::Decimal)?),
            operations: Some(exact(line.number, calls, Unit::One)),
            ..ToolMeasurement::default()
        };
        let rate: PrintedValue = quantity(line.number, &format!("{rate} Mbit/s"), Counting::Decimal)?;
        measured.add(metric::THROUGHPUT, Some(rate));
        Some(Self { is_local, measured })
    }
}

/// Bytes, seconds, rate and calls, by the widths of their columns.
fn by_width(text: &str) -> Option<[&str; 4]> {
    let mut columns = [""; 7];
    let mut start = 0;
    for (column, width) in columns.iter_mut().zip(WIDTHS) {
        *column = text.get(start..start + width)?.trim();
        start += width;
    }
    let [_, bytes, seconds, _, rate, _, calls] = columns;
    Some([bytes, seconds, rate, calls])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Option<(f64, f64, f64)> {
        let measured = Row::of(&ToolLine { number: 1, text: text.to_owned() })?.measured;
        let rate = measured.figure(metric::THROUGHPUT)?.value.round();
        Some((measured.bytes?.value, measured.window?.value, rate))
    }

    #[test]
    fn columns_may_touch() {
        let apart = "l  8388608    0.75    0.03     89.7398   2236.9621    2048   2738.64  68266.7";
        assert_eq!(row(apart), Some((8_388_608.0, 0.75, 11_217_475.0)));
        let touching = "l838860800   70.00    0.03    123.45601234567.12341234567  12738.64  68266.7";
        assert_eq!(row(touching), Some((838_860_800.0, 70.0, 15_432_000.0)));
        for text in ["l 1 2 3", "lorem ipsum", "1 2 3 4 5 6 7 8 9"] {
            assert_eq!(row(text), None, "{text}");
        }
    }
}
