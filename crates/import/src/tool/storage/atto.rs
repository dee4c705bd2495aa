//! ATTO Disk Benchmark: its table as text, below a line that names it. Each size of transfers is a part.

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, leading, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Atto;

const NAME: &str = "atto";

const UNSAID: CountingRule = CountingRule {
    tool: NAME,
    versions: "2 to 4",
    units: "KB/s, MB/s, GB/s; taken for 1000, for nothing printed tells it",
    counting: Counting::Other,
    proof: "none: sizes are of 1024 (its rows go from 512 B by doubling to 64 MB), and of its rates no bytes and seconds are printed",
};

const RULES: &[CountingRule] = &[UNSAID];

/// So many lines may stand between its name and its rows.
const HEAD_MAX: usize = 16;

impl ToolReader for Atto {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of ATTO Disk Benchmark as text, below a line that names it: sizes with the rates of writes and reads, each with its unit \
         or below one"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["bench32", "attodiskbenchmark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["enchmark", "ENCHMARK"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_title(&line.text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if before.is_empty() {
            return Extent::More;
        }
        let has_rows = before.iter().any(|line| Row::of(&line.text).is_some());
        let is_own = Row::of(&last.text).is_some()
            || !has_rows && before.len() < HEAD_MAX && !is_title(&last.text)
            || last.is_blank();
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        result.version = version(&first.text).map(str::to_owned);
        let is_row = |line: &&ToolLine| Row::of(&line.text).is_some();
        let head: Vec<&ToolLine> = block.lines.iter().take_while(|line| !is_row(line)).collect();
        let heading = head.iter().map(|line| line.text.to_lowercase()).collect::<Vec<_>>().join("\n");
        // Its window has the writes first.
        let reads_first =
            heading.find("read").zip(heading.find("write")).is_some_and(|(read, write)| read < write);
        let unit =
            ["gb/s", "mb/s", "kb/s", "io/s"].into_iter().find(|unit| heading.replace(' ', "").contains(unit));
        for line in block.lines {
            let Some(row) = Row::of(&line.text) else { continue };
            let mut measured = ToolMeasurement::default();
            let names = if reads_first { ["read", "write"] } else { ["write", "read"] };
            for (direction, value) in names.into_iter().zip(row.rates) {
                let own =
                    value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')).trim();
                let digits = leading(value, true).map_or("", |number| number.digits).replace(',', "");
                let unit = if own.is_empty() { unit } else { Some(own) };
                // A rate in no unit is none.
                let Some(unit) = unit.map(str::to_uppercase).map(|unit| unit.replace("/S", "/s")) else {
                    continue;
                };
                let printed = match unit.as_str() {
                    "IO/s" => count(line.number, &digits, Counting::Decimal, Unit::PerSecond),
                    unit => quantity(line.number, &format!("{digits} {unit}"), UNSAID.counting),
                };
                let name = if unit == "IO/s" { metric::IOPS } else { metric::THROUGHPUT };
                if let Some(name) = name.of(direction) {
                    measured.add(name, printed);
                }
            }
            if !measured.is_empty() {
                let name = format!("transfers of {}", row.size);
                result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
            }
        }
        if result.parts.is_empty() { Err(NotUnderstood::OtherText) } else { Ok(vec![result]) }
    }
}

/// `ATTO Disk Benchmark 4.01.0f1`, in any case.
fn is_title(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("atto disk benchmark") && text.chars().count() < 80
}

fn version(text: &str) -> Option<&str> {
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    text.split_whitespace().map(|word| word.trim_matches(['(', ')', 'v', ','])).find(is_version)
}

/// `512 B   24.81 MB/s   30.52 MB/s`, `4 KB 123456 234567`, `0.5  32819  53248`.
struct Row<'a> {
    size: String,
    rates: [&'a str; 2],
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let text = text.trim().trim_matches('|').trim();
        let number = leading(text, false)?;
        let rest = number.rest.trim_start();
        let (unit, rest) = match rest.split_once(char::is_whitespace) {
            Some((unit, rest)) if ["B", "KB", "MB", "K", "M", "KiB", "MiB"].contains(&unit) => (unit, rest),
            _ if number.rest.starts_with(|c: char| c.is_whitespace() || c == '|') => ("KB", rest),
            _ => return None,
        };
        let values = rest.trim_start_matches(['|', ' ', '\t']);
        let first_end = values.char_indices().skip(1).find(|(at, c)| {
            c.is_ascii_digit() && values.get(..*at).is_some_and(|before| before.ends_with([' ', '\t', '|']))
        });
        let (one, other) = values.split_at_checked(first_end?.0)?;
        let (one, other) = (one.trim_end_matches([' ', '\t', '|']), other.trim_end_matches([' ', '|']));
        let is_rate = |text: &str| {
            leading(text, true).is_some_and(|number| {
                let unit = number.rest.trim().to_uppercase();
                ["", "B/S", "KB/S", "MB/S", "GB/S", "IO/S"].contains(&unit.as_str())
            })
        };
        (is_rate(one) && is_rate(other))
            .then(|| Self { size: format!("{} {unit}", number.digits), rates: [one, other] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(text: &str) -> Vec<(String, f64, f64)> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |part: &ToolPart, name| part.measured.figure(name).map_or(0.0, |figure| figure.value);
        result
            .parts
            .iter()
            .map(|part| {
                (
                    part.name.clone(),
                    value(part, metric::WRITE_THROUGHPUT),
                    value(part, metric::READ_THROUGHPUT),
                )
            })
            .collect()
    }

    #[test]
    fn rates_have_their_units_or_that_of_the_heading() {
        let of_each = "ATTO Disk Benchmark 4.01.0f1\nI/O Size   Write   Read\n512 B   24.81 MB/s   30.52 MB/s\n64 MB   2.95 GB/s   3.31 GB/s\n";
        assert_eq!(
            rates(of_each),
            [
                ("transfers of 512 B".to_owned(), 24.81e6, 30.52e6),
                ("transfers of 64 MB".to_owned(), 2.95e9, 3.31e9)
            ]
        );
        let below = "ATTO Disk Benchmark v2.47\nTransfer sizes, KB/s\n       Write   Read\n0.5    32819   53248\n4.0    262144  300000\n";
        assert_eq!(rates(below)[0], ("transfers of 0.5 KB".to_owned(), 32_819e3, 53_248e3));
        let none = "ATTO Disk Benchmark 4\nWrite Read\n4 KB 100 200\n";
        assert!(crate::tool::read("", none.as_bytes()).unwrap().results.is_empty(), "rates of no unit");
    }
}
