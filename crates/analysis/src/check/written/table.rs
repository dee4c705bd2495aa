//! Tables that people write: rows of Markdown, or columns that several spaces part.

use model::ToolOutput;
use model::tool_result::{UnreadCause, WrittenLine};

use super::amount::plain;

/// A table has so many columns at least, and so many rows with numbers.
const COLUMNS_MIN: usize = 2;
const ROWS_MIN: usize = 2;

/// More of either are those of a log.
const COLUMNS_MAX: usize = 40;
const ROWS_MAX: usize = 200;

/// A number in a cell, with what stands around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CellNumber {
    pub(super) value: f64,
    /// What its last digit counts.
    pub(super) step: f64,
    /// `MB/s`, `%`, `x`; empty where none is written.
    pub(super) unit: String,
    /// Whether it has a sign: `+23%`.
    pub(super) is_signed: bool,
    /// The share in parentheses behind it: `150 MB/s (+50%)`.
    pub(super) share: Option<f64>,
    /// What the last digit of that counts.
    pub(super) share_step: f64,
}

impl CellNumber {
    pub(super) fn is_share(&self) -> bool {
        self.unit == "%"
    }

    pub(super) fn is_factor(&self) -> bool {
        ["x", "×", "times", "倍", "배"].contains(&self.unit.as_str())
    }
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) number: Option<CellNumber>,
}

/// A row, with its line; of a table that was turned around the line of each cell is that of its row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) cells: Vec<Cell>,
}

/// A table with its headings, which may be empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenTable {
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<Row>,
}

impl WrittenTable {
    /// All tables of a text.
    pub(super) fn all(output: &ToolOutput) -> Vec<Self> {
        let prose = output.unread.iter().filter(|unread| unread.cause == UnreadCause::NoTool);
        let mut tables = Vec::new();
        let mut open: Vec<(u64, Vec<String>)> = Vec::new();
        for line in prose.flat_map(|unread| &unread.written) {
            let cells = cells_of(line);
            let goes_on = open.last().is_none_or(|(before, others)| {
                before + 1 == line.line
                    && cells
                        .as_ref()
                        .is_some_and(|cells| others.len() == cells.len() || is_rule(cells) || is_rule(others))
            });
            if !goes_on {
                tables.extend(Self::of(std::mem::take(&mut open)));
            }
            open.extend(cells.map(|cells| (line.line, cells)));
        }
        tables.extend(Self::of(open));
        tables
    }

    fn of(lines: Vec<(u64, Vec<String>)>) -> Option<Self> {
        let mut lines: Vec<(u64, Vec<String>)> =
            lines.into_iter().filter(|(_, cells)| !is_rule(cells)).collect();
        let has_numbers = |cells: &[String]| {
            cells.iter().skip(1).any(|cell| number_of(cell).is_some_and(|_| is_value(cell)))
        };
        let is_heading = lines.first().is_some_and(|(_, cells)| !has_numbers(cells) || are_numbered(cells));
        let headings = if is_heading { lines.remove(0).1 } else { Vec::new() };
        let rows: Vec<Row> = lines
            .into_iter()
            .map(|(line, cells)| Row {
                line,
                cells: cells.into_iter().map(|text| Cell { number: number_of(&text), text }).collect(),
            })
            .collect();
        let width = rows.first().map_or(0, |row| row.cells.len());
        let is_one = (COLUMNS_MIN..=COLUMNS_MAX).contains(&width)
            && (ROWS_MIN..=ROWS_MAX).contains(&rows.len())
            && rows.iter().all(|row| row.cells.len() == width)
            && rows.iter().filter(|row| row.cells.iter().skip(1).any(|cell| cell.number.is_some())).count()
                >= ROWS_MIN;
        is_one.then_some(Self { headings, rows })
    }

    /// With rows for columns, so that what holds of columns holds of rows, too.
    pub(super) fn turned(&self) -> Self {
        let width = self.rows.first().map_or(0, |row| row.cells.len());
        let headings: Vec<String> = std::iter::once(String::new())
            .chain(
                self.rows
                    .iter()
                    .map(|row| row.cells.first().map(|cell| cell.text.clone()).unwrap_or_default()),
            )
            .collect();
        let rows = (1..width).map(|column| {
            let title = Cell { text: self.headings.get(column).cloned().unwrap_or_default(), number: None };
            let cells = self.rows.iter().filter_map(|row| row.cells.get(column).cloned());
            Row { line: 0, cells: std::iter::once(title).chain(cells).collect() }
        });
        Self { headings, rows: rows.collect() }
    }

    /// The heading of a column, in lower case.
    pub(super) fn heading(&self, column: usize) -> String {
        self.headings.get(column).map(|text| text.to_lowercase()).unwrap_or_default()
    }

    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, |row| row.cells.len())
    }

    /// Whether somebody left rows out: `...`.
    pub(super) fn is_cut(&self) -> bool {
        self.rows
            .iter()
            .flat_map(|row| &row.cells)
            .any(|cell| ["...", "…", ":", "⋮"].contains(&cell.text.trim()))
    }
}

/// The cells of a line; `None` where it is no row of a table.
fn cells_of(line: &WrittenLine) -> Option<Vec<String>> {
    let text = line.text.trim();
    let cells: Vec<String> = if text.contains('|') {
        let inside = text.strip_prefix('|').unwrap_or(text);
        let inside = inside.strip_suffix('|').unwrap_or(inside);
        inside.split('|').map(plain_text).collect()
    } else if let Some(words) = words_of(text) {
        words
    } else {
        let parts = text.split("  ").map(str::trim).filter(|part| !part.is_empty());
        parts.map(plain_text).collect()
    };
    (cells.len() >= COLUMNS_MIN && !text.starts_with(['$', '>', '#'])).then_some(cells)
}

/// A name and its figures, between which one space is left of tabs.
fn words_of(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_row = words.len() > COLUMNS_MIN
        && words.iter().skip(1).all(|word| number_of(word).is_some_and(|number| number.unit.is_empty()));
    (is_row && !text.contains("  ")).then(|| words.into_iter().map(plain_text).collect())
}

/// A cell without the marks of Markdown.
fn plain_text(text: &str) -> String {
    text.trim().trim_matches(['*', '`', '_']).trim().to_owned()
}

/// `|---|:--:|`.
fn is_rule(cells: &[String]) -> bool {
    cells
        .iter()
        .all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | '=' | '+' | ' ')))
}

/// `1`, `2`, `3`, or `run 1`, `run 2`: headings with numbers.
fn are_numbered(cells: &[String]) -> bool {
    let number = |cell: &String| {
        let digits = cell.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.trim_end_matches(|c: char| c.is_alphabetic() || c == ')').parse::<u64>().ok()
    };
    let numbers: Vec<u64> = cells.iter().skip(1).filter_map(number).collect();
    numbers.len() > 1
        && numbers.windows(2).all(|pair| matches!(pair, [one, other] if one + 1 == *other))
        && numbers[0] <= 1
}

/// Whether a cell is a number with at most a unit: `4k random read` is none.
fn is_value(text: &str) -> bool {
    number_of(text).is_some()
}

/// The number of a cell that has nothing else: `1,234.5 MB/s`, `+23 %`, `~1.5x`, `120 ± 3`, `150 MB/s (+50%)`.
fn number_of(text: &str) -> Option<CellNumber> {
    let text = text.trim();
    let is_signed = text.starts_with(['+', '-', '\u{2212}']);
    let text = text.trim_start_matches(['~', '≈', '+']).trim_start();
    let (sign, unsigned) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (-1.0, rest.trim_start()),
        None => (1.0, text),
    };
    let end =
        unsigned.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(unsigned.len());
    let (value, step) = number(unsigned.get(..end)?)?;
    let rest = unsigned.get(end..)?.trim();
    let (rest, inside) = match rest.split_once('(') {
        Some((rest, inside)) => (rest.trim(), inside.trim_end().strip_suffix(')')),
        None => (rest, None),
    };
    let unit = rest.split(['±', '\u{b1}']).next().unwrap_or(rest).split("+-").next().unwrap_or(rest).trim();
    let is_unit = unit.len() <= 12 && !unit.contains(' ') && !unit.contains(|c: char| c.is_ascii_digit());
    // Versions, dates and sizes of blocks are no figures.
    let multiple = match unit {
        "k" | "K" => 1e3,
        "M" => 1e6,
        _ => 1.0,
    };
    let unit = if multiple > 1.0 { "" } else { unit };
    let share = inside.and_then(share_in);
    is_unit.then(|| CellNumber {
        value: sign * value * multiple,
        step: step * multiple,
        unit: unit.to_owned(),
        is_signed,
        share: share.map(|(share, _)| share),
        share_step: share.map_or(0.0, |(_, step)| step),
    })
}

/// As [`plain`], of what may be nothing: a difference of 0.
fn number(digits: &str) -> Option<(f64, f64)> {
    let zeros = digits.chars().all(|c| matches!(c, '0' | '.' | ','));
    if zeros && digits.starts_with('0') {
        let decimals = digits.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
        return Some((0.0, 10f64.powi(-i32::try_from(decimals).ok()?)));
    }
    plain(digits)
}

/// `+50%`.
fn share_in(text: &str) -> Option<(f64, f64)> {
    let text = text.trim().strip_suffix('%')?.trim_end();
    let signed = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = match signed.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, signed),
    };
    // Without a sign it may be a share of anything.
    let has_sign = text.starts_with(['+', '-', '\u{2212}']);
    let (value, step) = number(unsigned)?;
    has_sign.then_some((sign * value / 100.0, step / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(text: &str) -> Vec<WrittenTable> {
        WrittenTable::all(&import::tool::read("", text.as_bytes()).unwrap())
    }

    #[test]
    fn tables_are_found_in_several_forms() {
        let markdown = "Results:\n\n| disk | read | write |\n|---|---:|---:|\n| A | 500 MB/s | 400 MB/s |\n| B | 550 MB/s | 420 MB/s |\n\nDone.\n";
        let aligned = "disk    read    write\nA       500     400\nB       550     420\n";
        for text in [markdown, aligned] {
            let all = tables(text);
            let [table] = all.as_slice() else { panic!("{text}: {all:?}") };
            assert_eq!(
                (table.headings.as_slice(), table.rows.len()),
                (&["disk", "read", "write"].map(str::to_owned)[..], 2),
                "{text}"
            );
            assert_eq!(table.rows[1].cells[1].number.as_ref().map(|number| number.value), Some(550.0));
        }
        let tabs = "A\t500\t400\nB\t550\t420\n";
        assert_eq!(tables(tabs)[0].rows[1].cells[2].number.as_ref().map(|number| number.value), Some(420.0));
        assert_eq!(tables("Some prose.\nMore of it, with 5 GB and 10 s.\n"), []);
        assert_eq!(tables(aligned)[0].turned().heading(2), "b");
    }

    #[test]
    fn numbers_have_their_units_and_shares() {
        let of = |text: &str| number_of(text).map(|number| (number.value, number.unit, number.share));
        assert_eq!(of("1,234.5 MB/s"), Some((1234.5, "MB/s".to_owned(), None)));
        assert_eq!(of("-12.5%"), Some((-12.5, "%".to_owned(), None)));
        assert_eq!(of("150 MB/s (+50%)"), Some((150.0, "MB/s".to_owned(), Some(0.5))));
        assert_eq!(of("14.4k"), Some((14_400.0, String::new(), None)));
        assert_eq!(of("120 ± 3 ms").map(|(value, ..)| value), Some(120.0));
        assert_eq!((of("randread 4k"), of("4k random read"), of("2026-01-01")), (None, None, None));
    }
}
