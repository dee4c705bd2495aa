//! The summary of lmbench: tables of fixed columns, a row for each run. What the columns are stands in two or three
//! lines above a rule that shows how wide they are.

use std::ops::Range;

use model::Unit;
use model::tool_result::{PrintedValue, ToolResult};

use super::lmbench::{DECIMAL, NAME, PROGRAMS};
use super::metric_of;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{leading, seconds};
use crate::tool::reader::{Extent, NotUnderstood};

/// Columns that are no figures of this table.
const OTHERS: &[&str] = &["host", "mhz", "description", "guesses"];

/// A table has fewer lines: of each run one.
const TABLE_LINES_MAX: usize = 512;

/// Whether the summary, or a table of it, begins with this line.
pub(super) fn begins(text: &str) -> bool {
    version(text).is_some() || TableUnit::of(text).is_some()
}

/// Whether the last line belongs to a summary that these lines are before.
pub(super) fn extent(last: &ToolLine, before: &[ToolLine]) -> Extent {
    let text = last.text.as_str();
    let table = before.iter().rev().take(TABLE_LINES_MAX).take_while(|line| !line.is_blank());
    let has_title = table.clone().any(|line| is_title(&line.text));
    let has_ruler = table.clone().any(|line| is_ruler(&line.text));
    let is_heading = has_title && !has_ruler;
    // No host is called so.
    let is_row = has_ruler && !text.contains(": ");
    let is_again = version(text).is_some() && !before.is_empty();
    let is_of_table = last.is_blank() || is_title(text) || is_rule(text) || is_heading || is_row;
    let belongs = is_of_table || last.is_indented();
    if belongs && !is_again { Extent::More } else { Extent::EndsBefore }
}

/// Reads the tables. The first rows of all tables are of one run, and so on.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
    let mut results: Vec<ToolResult> = Vec::new();
    let mut unit: Option<TableUnit> = None;
    let mut headings: Vec<&str> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut row = 0;
    let version = block.lines.iter().find_map(|line| version(&line.text));
    for line in block.lines {
        let text = line.text.as_str();
        if line.is_blank() {
            (unit, columns) = (None, Vec::new());
        } else if is_title(text) {
            (unit, row) = (TableUnit::of(text), 0);
            headings.clear();
        } else if is_ruler(text) && unit.is_some() {
            columns = Column::all(text, &headings);
        } else if let Some(unit) = unit {
            if columns.is_empty() {
                // A remark may stand above the headings.
                headings.extend(Some(text).filter(|text| !text.trim_start().starts_with('(')));
                continue;
            }
            if results.len() <= row {
                let mut result = block.result(NAME, PROGRAMS);
                result.version = version.map(str::to_owned);
                results.push(result);
            }
            if let Some(result) = results.get_mut(row) {
                fill(line, &columns, unit, result);
            }
            row += 1;
        }
    }
    results.retain(|result| !result.whole.figures.is_empty());
    if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
        results.iter_mut().for_each(|result| result.lines.last = last.number);
    }
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

/// `3.0` of `L M B E N C H  3 . 0   S U M M A R Y`.
fn version(text: &str) -> Option<&'static str> {
    let rest = text.trim().strip_prefix("L M B E N C H")?.trim();
    if rest.starts_with("3 . 0") {
        Some("3.0")
    } else if rest.starts_with("2 . 0") {
        Some("2.0")
    } else {
        Some("2.x")
    }
}

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableUnit {
    Microseconds,
    Nanoseconds,
    Megabytes,
}

impl TableUnit {
    /// That of a title: `Memory latencies in nanoseconds - smaller is better`.
    fn of(text: &str) -> Option<Self> {
        let (title, better) = text.rsplit_once(" - ")?;
        let unit = title.rsplit_once(" in ").map(|(_, unit)| unit.trim())?;
        match (unit, better.trim()) {
            ("microseconds", "smaller is better") => Some(Self::Microseconds),
            ("nanoseconds", "smaller is better") => Some(Self::Nanoseconds),
            ("MB/s", "bigger is better") => Some(Self::Megabytes),
            _ => None,
        }
    }
}

/// Whether a line is the title of a table.
fn is_title(text: &str) -> bool {
    TableUnit::of(text).is_some() || text.trim_end() == "Basic system parameters"
}

/// A rule of nothing but dashes.
fn is_rule(text: &str) -> bool {
    text.contains("---") && text.chars().all(|c| matches!(c, '-' | ' '))
}

/// A rule that shows columns.
fn is_ruler(text: &str) -> bool {
    is_rule(text) && text.trim().contains(' ')
}

/// A column.
struct Column {
    place: Range<usize>,
    /// Its headings, one below the other.
    name: String,
}

impl Column {
    fn all(ruler: &str, headings: &[&str]) -> Vec<Self> {
        let mut all = Vec::new();
        let mut start = None;
        for (at, letter) in ruler.char_indices().chain([(ruler.len(), ' ')]) {
            match (letter, start) {
                ('-', None) => start = Some(at),
                ('-', Some(_)) | (_, None) => {}
                (_, Some(from)) => {
                    all.push(Self::of(from..at, headings));
                    start = None;
                }
            }
        }
        all
    }

    fn of(place: Range<usize>, headings: &[&str]) -> Self {
        let words = headings.iter().filter(|heading| !is_rule(heading)).filter_map(|heading| {
            let end = place.end.min(heading.len());
            heading.get(place.start..end).map(str::trim).filter(|word| !word.is_empty())
        });
        let name = words.collect::<Vec<_>>().join(" ");
        Self { place, name }
    }
}

/// Puts the figures of a row into the result of its run.
fn fill(line: &ToolLine, columns: &[Column], unit: TableUnit, result: &mut ToolResult) {
    if let Some(os) = columns.get(1).and_then(|column| line.text.get(column.place.clone())) {
        result.options.entry("os".to_owned()).or_insert_with(|| os.trim().to_owned());
    }
    let what = if unit == TableUnit::Megabytes { "throughput" } else { "time" };
    for (column, cell) in cells(&line.text, columns) {
        let name = column.name.to_ascii_lowercase();
        let is_figure = !name.is_empty() && !OTHERS.contains(&name.as_str());
        let name = metric_of(&format!("{name} {what}")).filter(|_| is_figure);
        if let (Some(name), Some(printed)) = (name, figure(line.number, cell, unit))
            && result.whole.figure(name).is_none()
        {
            result.whole.add(name, Some(printed));
        }
    }
}

/// The cells behind the host and the system. Where each column has a word they are these, for not all stand below
/// their headings; otherwise what stands there.
fn cells<'a>(text: &'a str, columns: &'a [Column]) -> Vec<(&'a Column, &'a str)> {
    let (Some(system), Some(own)) = (columns.get(1), columns.get(2..)) else { return Vec::new() };
    let (own, has_guesses) = match own.split_last() {
        Some((last, before)) if last.name.eq_ignore_ascii_case("guesses") => (before, true),
        _ => (own, false),
    };
    let words: Vec<&str> = text.get(system.place.end..).unwrap_or_default().split_whitespace().collect();
    if words.len() == own.len() || has_guesses && words.len() > own.len() {
        return own.iter().zip(words).collect();
    }
    let mut all = Vec::new();
    for column in own {
        let Range { start, end } = column.place;
        let is_apart = |at: usize| text.get(at..at + 1).is_none_or(|letter| letter == " ");
        let Some(cell) = text.get(start..end.min(text.len())) else { break };
        // Where a number is wider than its column, those behind it stand elsewhere.
        if start > 0 && !is_apart(start - 1) || !is_apart(end) {
            break;
        }
        all.push((column, cell.trim()));
    }
    all
}

/// A number of a table: `0.46`, `400.`, `11.K`.
fn figure(line: u64, cell: &str, unit: TableUnit) -> Option<PrintedValue> {
    let number = leading(cell, false)?;
    let multiple = match number.rest {
        "" | "." => 1.0,
        "K" | ".K" => 1000.0,
        _ => return None,
    };
    let (symbol, scale, base) = match unit {
        TableUnit::Microseconds => ("us", seconds("us")?, Unit::Seconds),
        TableUnit::Nanoseconds => ("ns", seconds("ns")?, Unit::Seconds),
        TableUnit::Megabytes => ("MB/s", 1e6, Unit::BytesPerSecond),
    };
    let scale = scale * multiple;
    Some(PrintedValue {
        line,
        text: format!("{cell} {symbol}"),
        value: number.value * scale,
        unit: base,
        half_step: number.half_step * scale,
        counting: (unit == TableUnit::Megabytes).then_some(DECIMAL.counting),
    })
}

#[cfg(test)]
mod tests {
    use model::MetricName;

    use super::*;

    const TABLES: &str = "Processor, Processes - times in microseconds - smaller is better\n\
        ------------------------------------------------\n\
        Host                 OS  Mhz null null      open\n\
        \x20                            call  I/O stat clos\n\
        --------- ------------- ---- ---- ---- ---- ----\n\
        box       Linux 5.15.3- 2600 0.50 0.60 1.50 11.K\n\
        box       Linux 5.15.3-   -1 0.25 0.60 1.50 400.\n\
        \n\
        Memory latencies in nanoseconds - smaller is better\n\
        \x20   (WARNING - may not be correct, check graphs)\n\
        ------------------------------------------------\n\
        Host                 OS   Mhz   L1 $   Main mem\n\
        --------- -------------   ---   ----   --------\n\
        box       Linux 5.15.3-  2600 1.5000       80.2\n\
        \n\
        Prose.\n";

    fn read(text: &str) -> model::ToolOutput {
        crate::tool::read("", text.as_bytes()).unwrap()
    }

    #[test]
    fn rows_of_all_tables_are_put_together_by_their_order() {
        let output = read(TABLES);
        let [first, second] = output.results.as_slice() else { panic!("{:?}", output.results) };
        let value = |result: &ToolResult, name| result.whole.figure(MetricName::new(name)).map(|f| f.value);
        let is = |found: Option<f64>, expected: f64| found.is_some_and(|f| (f / expected - 1.0).abs() < 1e-9);
        assert!(is(value(first, "null_call_time"), 0.5e-6) && is(value(second, "null_call_time"), 0.25e-6));
        assert!(is(value(first, "open_clos_time"), 11e-3) && is(value(second, "open_clos_time"), 400e-6));
        assert!(is(value(first, "main_mem_time"), 80.2e-9) && value(second, "main_mem_time").is_none());
        assert!(is(value(first, "null_i_o_time"), 0.6e-6));
        assert_eq!((first.options["os"].as_str(), output.unread.len()), ("Linux 5.15.3-", 1));
    }

    #[test]
    fn behind_a_number_that_is_too_wide_nothing_is_read() {
        let output = read(&TABLES.replace("0.50 0.60 1.50 11.K", "0.50 123456.50 11.K"));
        let names: Vec<&str> =
            output.results[0].whole.figures.iter().map(|figure| figure.metric.as_str()).collect();
        assert!(names.contains(&"null_call_time"), "{names:?}");
        assert!(!names.contains(&"null_i_o_time") && !names.contains(&"open_clos_time"), "{names:?}");
    }

    #[test]
    fn a_title_without_a_table_does_not_take_all_that_follows() {
        let prose = "prose\n".repeat(2 * TABLE_LINES_MAX);
        let output = read(&format!("A talk in microseconds - smaller is better\n{prose}"));
        // What it took, and what is of nobody.
        assert_eq!((output.results.len(), output.unread.len()), (0, 2));
    }

    #[test]
    fn titles_tell_the_unit() {
        let of = TableUnit::of;
        let local = "*Local* Communication bandwidths in MB/s - bigger is better";
        assert_eq!(of(local), Some(TableUnit::Megabytes));
        assert_eq!(of("A talk in microseconds - that is short"), None);
    }
}
