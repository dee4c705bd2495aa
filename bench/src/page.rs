//! The table in `docs/performance.md`, between two marks. Rows of benchmarks
//! that were not run stay as they are; those of benchmarks that are no more go.
//! Of a figure that stands there twice, as when two branches that measured it
//! are merged, the last row stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::judge::{COLUMNS, Row};
use crate::state;
use xtask::Error;

const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

/// Between these, before the table, stands what it says in a few lines; a page may lack them.
const STATE: &str = "<!-- bench: state -->";
const STATE_END: &str = "<!-- bench: state end -->";

/// Whether the page can be written: found out before hours are spent.
pub(crate) fn check(page: &Path) -> Result<(), Error> {
    parts(page, &read(page)?).map(drop)
}

/// Writes the rows of the benchmark `name` into the page. `order` has the names
/// of all benchmarks.
pub(crate) fn write(page: &Path, order: &[&str], name: &str, rows: &[Row]) -> Result<(), Error> {
    let text = read(page)?;
    let (before, table, after) = parts(page, &text)?;
    let table = renewed(table, order, name, rows);
    let state = state::told(&table.lines().filter_map(parse).skip(2).collect::<Vec<_>>());
    let with_state = before.split_once(STATE).and_then(|(head, rest)| {
        let (_, rest) = rest.split_once(STATE_END)?;
        Some(format!("{head}{STATE}\n{state}\n\n{STATE_END}{rest}"))
    });
    let before = with_state.as_deref().unwrap_or(before);
    fs::write(page, format!("{before}{BEGIN}\n{table}{END}{after}")).map_err(Error::file("write", page))
}

fn read(page: &Path) -> Result<String, Error> {
    fs::read_to_string(page).map_err(Error::file("read", page))
}

/// What stands before, between and after the marks.
fn parts<'a>(page: &Path, text: &'a str) -> Result<(&'a str, &'a str, &'a str), Error> {
    let split = || {
        let (before, rest) = text.split_once(BEGIN)?;
        let (table, after) = rest.split_once(END)?;
        Some((before, table, after))
    };
    split().ok_or_else(|| {
        let page = page.display();
        Error::Bench(format!(
            "`{page}` has no place for the table: put `{BEGIN}` and `{END}` into it, in lines of their own"
        ))
    })
}

/// The table with these rows in place of those of `name`.
fn renewed(table: &str, order: &[&str], name: &str, rows: &[Row]) -> String {
    let mut kept: Vec<Row> = table.lines().filter_map(parse).filter(|row| row.0[0] != name).collect();
    let mut seen = BTreeSet::new();
    kept.reverse();
    kept.retain(|row| seen.insert(figure(row).map(str::to_owned)));
    kept.reverse();
    kept.iter_mut().for_each(Row::judge_again);
    let mut lines = vec![line(COLUMNS.iter().copied()), line(COLUMNS.iter().map(|_| "---"))];
    for benchmark in order {
        let of = |row: &&Row| row.0[0] == *benchmark;
        lines.extend(kept.iter().chain(rows).filter(of).map(|row| line(row.0.iter().map(String::as_str))));
    }
    lines.concat()
}

/// What a row is about: the benchmark, and which of its figures.
fn figure(row: &Row) -> [&str; 2] {
    [&row.0[0], &row.0[1]]
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    // A bar would end the cell.
    let cells: Vec<_> = cells.map(|cell| cell.replace('|', "/")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A row of the table, none for other lines. Heads are taken for rows of
/// benchmarks that are no more.
fn parse(line: &str) -> Option<Row> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().to_owned()).collect();
    cells.try_into().ok().map(Row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ratio: &str) -> Row {
        let mut cells = [(); COLUMNS.len()].map(|()| "x".to_owned());
        cells[0] = name.to_owned();
        cells[1] = format!("figure {ratio}");
        cells[4] = ratio.to_owned();
        Row(cells)
    }

    fn names_and_ratios(text: &str) -> Vec<String> {
        let rows = text.lines().filter_map(parse).skip(2);
        rows.map(|row| format!("{} {}", row.0[0], row.0[4])).collect()
    }

    #[test]
    fn rows_of_what_was_run_are_replaced_in_order_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("performance.md");
        fs::write(&page, format!("# T\n\n{BEGIN}\n{END}\n\nafter | this\n")).unwrap();
        let order = ["a", "b", "c"];
        let read = || fs::read_to_string(&page).unwrap();
        write(&page, &order, "c", &[row("c", "0.5"), row("c", "0.6")]).unwrap();
        write(&page, &order, "a", &[row("a", "1.0")]).unwrap();
        assert_eq!(names_and_ratios(&read()), ["a 1.0", "c 0.5", "c 0.6"]);
        let table = "| name | what | ours | peer | ratio | 95 % interval | pairs | goal | met | date | \
                     machine and peer |\n| --- |";
        assert!(read().starts_with(&format!("# T\n\n{BEGIN}\n{table}")), "{}", read());
        assert!(read().ends_with(&format!("|\n{END}\n\nafter | this\n")), "{}", read());
        // Run again, with one figure less; and `a` is a benchmark no more.
        write(&page, &["b", "c"], "c", &[row("c", "0.7")]).unwrap();
        assert_eq!(names_and_ratios(&read()), ["c 0.7"]);
    }

    #[test]
    fn what_the_table_says_stands_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("performance.md");
        fs::write(&page, format!("# T\n{STATE}\nstale\n{STATE_END}\n\n{BEGIN}\n{END}\n")).unwrap();
        let mut missed = row("a", "1.0");
        missed.0[8] = "no".to_owned();
        write(&page, &["a"], "a", &[missed]).unwrap();
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.contains("0 meet it, 1 miss it") && !text.contains("stale"), "{text}");
        assert!(text.contains(&format!("\n\n{STATE_END}\n\n{BEGIN}\n")), "{text}");
    }

    #[test]
    fn regression_a_figure_that_stood_twice_in_the_table_stayed_so() {
        let again = |ratio: &str| {
            let mut row = row("a", ratio);
            row.0[1] = "figure 1".to_owned();
            row
        };
        let twice = [row("a", "1"), row("b", "2"), row("a", "3"), again("4")];
        let table: String = twice.iter().map(|row| line(row.0.iter().map(String::as_str))).collect();
        let text = renewed(&table, &["a", "b"], "b", &[row("b", "5")]);
        assert_eq!(names_and_ratios(&text), ["a 3", "a 4", "b 5"]);
    }

    #[test]
    fn no_figure_stands_twice_in_the_page_of_this_repository() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
        let text = fs::read_to_string(&page).unwrap();
        let (_, table, _) = parts(&page, &text).unwrap();
        let rows: Vec<Row> = table.lines().filter_map(parse).skip(2).collect();
        assert!(rows.len() > 10, "{} rows", rows.len());
        let mut seen = BTreeSet::new();
        let twice: Vec<_> = rows.iter().map(figure).filter(|figure| !seen.insert(*figure)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn a_bar_does_not_break_the_table() {
        let text = renewed("", &["a"], "a", &[row("a", "1 | 2")]);
        assert_eq!(names_and_ratios(&text), ["a 1 / 2"]);
    }

    #[test]
    fn a_page_without_marks_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("performance.md");
        for text in ["", BEGIN, &format!("{END}\n{BEGIN}\n")] {
            fs::write(&page, text).unwrap();
            check(&page).unwrap_err();
            write(&page, &["a"], "a", &[row("a", "1")]).unwrap_err();
            assert_eq!(fs::read_to_string(&page).unwrap(), text);
        }
    }
}
