//! What sadf prints for a database (`sadf -d`): the tables of sar, with semicolons. A row has its own length.

use model::tool_result::LineRange;

use super::columns;
use super::table::{Head, Table, TableRow, Tables};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::reader::{Extent, NotUnderstood};
use crate::tool::system::clock::leading_clock;
use crate::tool::system::sample::SampleCell;

/// What stands before the columns: host, length and moment.
const LEADING: usize = 3;

/// What stands for all processors.
const ALL: &str = "-1";

/// `# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle`.
pub(super) fn is_heading(text: &str) -> bool {
    let text = text.trim_start_matches('#').trim_start();
    text.starts_with("hostname;interval;timestamp;")
}

/// Whether `last` belongs to what begins with `first`; `None` if that is none.
pub(super) fn extent(first: &ToolLine, last: &ToolLine) -> Option<Extent> {
    if !is_heading(&first.text) {
        return None;
    }
    let text = last.text.as_str();
    let belongs =
        is_heading(text) || text.split(';').nth(LEADING).is_some() || text.contains("LINUX-RESTART");
    Some(if belongs { Extent::More } else { Extent::EndsBefore })
}

/// The tables; `None` if it is another text.
pub(super) fn tables(block: &ToolBlock<'_>) -> Option<Result<Tables, NotUnderstood>> {
    is_heading(&block.lines.first()?.text).then(|| read(block.lines))
}

fn read(lines: &[ToolLine]) -> Result<Tables, NotUnderstood> {
    let mut tables = Tables::default();
    for line in lines {
        if is_heading(&line.text) {
            tables.list.push(Table { head: head(line), rows: Vec::new() });
            continue;
        }
        let row = tables.list.last().and_then(|table| row(&table.head, line));
        match (row, tables.list.last_mut()) {
            (Some((row, length_s)), Some(table)) => {
                // The first row began so long before it ended.
                let began = row.clock.map(|ended| (ended - length_s).rem_euclid(86_400.0));
                if table.rows.is_empty() {
                    table.head.clock = began;
                }
                table.rows.push(row);
            }
            _ => tables.unread.push(LineRange { first: line.number, last: line.number }),
        }
    }
    tables.list.retain(|table| table.rows.iter().any(|row| !row.cells.is_empty()));
    if tables.list.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(tables) }
}

fn head(line: &ToolLine) -> Head {
    let words: Vec<String> = line.text.split(';').skip(LEADING).map(str::to_owned).collect();
    let columns = words.iter().map(|word| columns::heading(word)).collect();
    let item_at = words.iter().position(|word| columns::is_item(word));
    Head { line: line.number, words, columns, item_at, ..Head::default() }
}

/// A row, and how many seconds it is of.
fn row(head: &Head, line: &ToolLine) -> Option<(TableRow, f64)> {
    let mut words = line.text.split(';');
    let (_host, interval, moment) = (words.next()?, words.next()?, words.next()?);
    let length_s: f64 = interval.parse().ok().filter(|seconds: &f64| *seconds > 0.0)?;
    let rest: Vec<&str> = words.collect();
    if rest.len() != head.words.len() {
        return None;
    }
    let item = head.item_at.and_then(|at| rest.get(at)).copied().unwrap_or_default();
    let item = if item == ALL { "all" } else { item };
    let cell = |(heading, word): (&Option<columns::Heading>, &&str)| {
        let columns::Heading { metric, unit, mean } = (*heading)?;
        Some(SampleCell { metric, printed: unit.read(line.number, word)?, mean })
    };
    let cells = head.columns.iter().zip(&rest).filter_map(cell).collect();
    let clock = clock(moment);
    Some((TableRow { clock, is_average: false, item: item.to_owned(), cells }, length_s))
}

/// The time of day of `2026-11-27 22:26:30 UTC`, or of seconds of the Unix epoch.
fn clock(moment: &str) -> Option<f64> {
    let words: Vec<&str> = moment.split(' ').collect();
    let of_day = words.get(1..).and_then(leading_clock).map(|(seconds, _)| seconds);
    of_day.or_else(|| moment.parse::<f64>().ok().map(|epoch| epoch.rem_euclid(86_400.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_length_and_what_they_are_of() {
        let text = "# hostname;interval;timestamp;CPU;%user;%idle\n\
                    vm;10;2026-11-27 22:26:30 UTC;-1;62.38;37.62\nvm;10;2026-11-27 22:26:40 UTC;-1;64.50;35.50\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!((results.len(), results[0].tool.as_str(), results[0].parts.len()), (1, "sar", 2));
        assert_eq!(results[0].whole.window.as_ref().map(|window| window.value), Some(20.0));
        assert_eq!(clock("1795818390"), Some(1_795_818_390.0 % 86_400.0));
        assert_eq!(clock("2026-11-27 00:01:00"), Some(60.0));
        assert_eq!(clock("soon"), None);
    }
}
