//! aria2c: its table of results at the end. Of several downloads each is a part: they may have run at once, or one
//! after the other.

use model::metric;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};

use super::CommandOptions;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{cut_off, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Aria2;

const NAME: &str = "aria2";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KiB/s, MiB/s; digits are cut off, not rounded",
    counting: Counting::Binary,
    proof: "src/util.cc, abbrevSize divides by 1024, and the units have the i",
};

const RULES: &[CountingRule] = &[BYTES];

/// The heading of the table.
const HEADING: &str = "gid   |stat|avg speed  |path/URI";

impl ToolReader for Aria2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the results that aria2c lists at its end"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["aria2c"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEADING]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text == HEADING).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_rule = last.text.starts_with("======+====+");
        let belongs = before.is_empty() || is_rule || Row::of(last).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let rows: Vec<Row<'_>> = block.lines.iter().filter_map(Row::of).collect();
        if rows.iter().all(|row| row.speed.is_none()) {
            return Err(NotUnderstood::CutShort);
        }
        if let [only] = rows.as_slice() {
            result.whole = only.measured();
        } else {
            let part = |row: &Row<'_>| ToolPart {
                kind: ToolPartKind::Target,
                name: row.path.to_owned(),
                start_s: None,
                measured: row.measured(),
            };
            result.parts = rows.iter().filter(|row| row.speed.is_some()).map(part).collect();
        }
        CommandOptions::of(&result.command, WITH_VALUE).tell_url(&mut result);
        Ok(vec![result])
    }
}

/// Options of one letter with a value, as its manual lists them.
const WITH_VALUE: &[&str] = &["d", "o", "l", "j", "x", "s", "k", "m", "t", "i", "M", "T", "S", "O"];

/// A row: `2089b0|OK  |    97MiB/s|/tmp/f`.
struct Row<'a> {
    speed: Option<PrintedValue>,
    path: &'a str,
}

impl<'a> Row<'a> {
    fn of(line: &'a ToolLine) -> Option<Self> {
        let mut cells = line.text.splitn(4, '|');
        let (gid, state, speed, path) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        let is_gid = gid.len() == 6 && gid.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_gid || state.len() != 4 {
            return None;
        }
        // One that failed has no speed, or that of a part.
        let speed = quantity(line.number, speed, BYTES.counting).filter(|_| state.trim() == "OK");
        Some(Self { speed: speed.map(cut_off), path })
    }

    fn measured(&self) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        measured.add(metric::THROUGHPUT, self.speed.clone());
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_that_failed_has_no_speed() {
        let row = |text: &str| {
            let line = ToolLine { number: 1, text: text.to_owned() };
            Row::of(&line).map(|row| row.speed.map(|speed| speed.value))
        };
        assert_eq!(row("2089b0|OK  |    97MiB/s|/tmp/f"), Some(Some(97.0 * 1_048_576.0)));
        assert_eq!(row("2089b0|ERR |       0B/s|http://h/none"), Some(None));
        assert_eq!(row("a|b|c|d"), None);
    }
}
