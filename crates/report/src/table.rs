//! Plain tables for terminals: no lines, columns aligned, never wider than a
//! page.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::WIDTH;
use crate::text::{cleaned, measures, unglued};

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
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(80))
        .set_header(head.iter().map(|(name, _)| cleaned(name)));
    for row in rows {
        table.add_row(row.iter().map(|cell| measures(&cleaned(cell))));
    }
    for (index, (_, align)) in head.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
    }
    let text = unglued(&table.to_string());
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}
