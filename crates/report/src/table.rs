//! Plain tables for terminals: no lines, columns aligned, never wider than a
//! page.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use textwrap::core::display_width;

use crate::WIDTH;
use crate::text::{cleaned, measures, unglued, without_middle};

/// Columns of room that each cell has around it.
const PADDING: usize = 2;
/// A name in fewer columns says nothing.
const NAME_LEAST: usize = 12;
/// In so many a path still shows where it begins and ends; for more of it no
/// figure is broken.
const NAME_GOOD: usize = 26;

/// How one column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table with a head, at most [`WIDTH`] wide; long cells wrap.
pub(crate) fn plain(head: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    plain_within(WIDTH, head, rows)
}

/// As [`plain`], at most `width` wide.
pub(crate) fn plain_within(width: usize, head: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let titles: Vec<(String, Align)> = head.iter().map(|(name, align)| (cleaned(name), *align)).collect();
    let mut cells: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| measures(&cleaned(cell))).collect()).collect();
    let least = least_widths(width, &titles, &mut cells);
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(80))
        .set_header(titles.into_iter().map(|(title, _)| title));
    for row in cells {
        table.add_row(row);
    }
    for (index, (_, align)) in head.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
            if let Some(least) = least.get(index).and_then(|least| u16::try_from(*least + PADDING).ok()) {
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            }
        }
    }
    let text = unglued(&table.to_string());
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}

/// How wide each column must be that no word breaks, nor a figure where there is
/// room. Where the page has no room for that, words of the first column, which
/// holds names, lose their middle; where that is not enough either, nothing is
/// asked for.
fn least_widths(width: usize, head: &[(String, Align)], rows: &mut [Vec<String>]) -> Vec<usize> {
    let word = |cell: &String| cell.split(' ').map(display_width).max().unwrap_or(0);
    let widest = |column: usize, of: &dyn Fn(&String) -> usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(of).max();
        cells.unwrap_or(0).max(head.get(column).map_or(0, |(title, _)| word(title)))
    };
    let whole = |(column, (_, align)): (usize, &(String, Align))| match align {
        Align::Right => widest(column, &|cell| display_width(cell)),
        Align::Left => widest(column, &word),
    };
    let figures: Vec<usize> = head.iter().enumerate().map(whole).collect();
    let words: Vec<usize> = (0..head.len()).map(|column| widest(column, &word)).collect();
    let Some(name) = words.first().copied() else { return Vec::new() };
    let room =
        |least: &[usize]| width.saturating_sub(least[1..].iter().sum::<usize>() + PADDING * least.len());
    let mut least = if room(&figures) >= name.min(NAME_GOOD) { figures } else { words };
    let room = room(&least);
    if room < name.min(NAME_LEAST) {
        return Vec::new();
    }
    least[0] = name.min(room);
    for cell in rows.iter_mut().filter_map(|row| row.first_mut()) {
        *cell = cell.split(' ').map(|word| without_middle(word, room)).collect::<Vec<_>>().join(" ");
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[(&str, Align)] = &[
        ("disk", Align::Left),
        ("throughput", Align::Right),
        ("95 % interval", Align::Right),
        ("p99 latency", Align::Right),
        ("p50 latency", Align::Right),
    ];

    fn shown(label: &str) -> String {
        let row = [label, "1.234 GB/s", "29.09 k to 7.315 M", "100.5 ms", "100.5 ms"];
        plain(HEAD, &[row.map(str::to_owned).to_vec()])
    }

    #[test]
    fn regression_labels_broke_within_words() {
        let table = shown("randwrite block-size=4KiB queue-depth=32 with disk target=/data/user/file");
        for word in ["block-size=4KiB", "queue-depth=32", "target=/data/user/file"] {
            assert!(table.contains(word), "{table}");
        }
        assert!(table.contains("29.09 k to 7.315 M"), "{table}");
        let long = shown("with disk target=/tmp/play/user/with/a/rather/long/name/log.headroom");
        assert!(long.contains("target=/tmp") && long.contains("...") && long.contains(".headroom"), "{long}");
        assert!(long.lines().all(|line| display_width(line) <= WIDTH), "{long}");
    }
}
