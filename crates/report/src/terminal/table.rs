//! Tables: no lines, columns aligned, never wider than the terminal. Where all
//! have no room, those that can be spared are left out.

use textwrap::core::display_width;

use super::wrap::lines;
use super::{Span, Style, Terminal};
use crate::text::{cleaned, glued, measures, without_middle};

/// Columns between two columns.
const GAP: usize = 2;
/// Names in the first column up to this share of the width stay on one line,
/// rather than that a column is left out.
const NAME_SHARE: f64 = 0.45;
/// Words up to so many columns stay on one line, rather than that a column is left
/// out.
const SHORT: usize = 24;
/// In so many columns a path still shows where it begins and ends.
const NAME_GOOD: usize = 26;
/// A name in fewer columns says nothing.
const NAME_LEAST: usize = 12;

#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) title: String,
    /// Whether its cells stand at the right, and break only where nothing else helps.
    pub(crate) is_number: bool,
    /// How easily it can be spared: the highest first, 0 never.
    pub(crate) spare: u8,
}

pub(crate) type Cell = Vec<Span>;

#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// The name of the rows that follow.
    Group(Cell),
}

/// The table; long cells wrap.
pub(crate) fn text(terminal: Terminal, mut head: Vec<Head>, mut rows: Vec<Row>) -> String {
    let has_groups = rows.iter().any(|row| matches!(row, Row::Group(_)));
    let indent = if has_groups { GAP } else { 0 };
    let room = terminal.width().saturating_sub(indent);
    let widths = loop {
        if let Some(widths) = widths(&head, &mut rows, room) {
            break widths;
        }
        let Some(spare) = most_spare(&head) else { return as_lists(terminal, &head, &rows) };
        let kept: Vec<bool> = head.iter().map(|h| h.spare < spare).collect();
        keep(&mut head, &kept);
        for row in &mut rows {
            if let Row::Cells(cells) = row {
                keep(cells, &kept);
            }
        }
    };
    let titles: Vec<Cell> = head.iter().map(|h| vec![Span::new(Style::Strong, h.title.clone())]).collect();
    let mut out = String::new();
    if head.iter().any(|h| !h.title.is_empty()) {
        out.push_str(&row_text(terminal, &head, &widths, &titles, (indent, true)));
    }
    for row in &rows {
        match row {
            Row::Cells(cells) => out.push_str(&row_text(terminal, &head, &widths, cells, (indent, false))),
            Row::Group(name) => {
                for line in lines(name, terminal.width(), terminal.width()) {
                    out.push_str(&terminal.line(&line));
                }
            }
        }
    }
    out
}

/// A table of words alone: titles, each with whether its column holds numbers, and
/// rows.
pub(crate) fn plain(terminal: Terminal, head: &[(&str, bool)], rows: &[Vec<String>]) -> String {
    let head = head.iter().map(|(title, is_number)| Head {
        title: (*title).to_owned(),
        is_number: *is_number,
        spare: 0,
    });
    let cell = |text: &String| vec![Span::new(Style::Plain, measures(&cleaned(text)))];
    let rows = rows.iter().map(|row| Row::Cells(row.iter().map(cell).collect()));
    text(terminal, head.collect(), rows.collect())
}

/// How easily the columns are spared that are left out first.
fn most_spare(head: &[Head]) -> Option<u8> {
    head.iter().map(|h| h.spare).max().filter(|spare| *spare > 0)
}

/// The entries whose place is `kept`.
pub(crate) fn keep<T>(all: &mut Vec<T>, kept: &[bool]) {
    let mut places = kept.iter();
    all.retain(|_| *places.next().unwrap_or(&true));
}

/// How wide each column is; nothing where they have no room. Words of names that
/// are wider than their column lose their middle.
fn widths(head: &[Head], rows: &mut [Row], room: usize) -> Option<Vec<usize>> {
    let room = room.checked_sub(GAP * head.len().saturating_sub(1))?;
    let natural: Vec<usize> = (0..head.len()).map(|at| widest(rows, at, cell_width)).collect();
    let of_words: Vec<usize> = (0..head.len()).map(|at| widest(rows, at, word_width)).collect();
    let of_title = |at: usize| two_lines(&head[at].title);
    let is_prose = |at: usize| !head[at].is_number && natural[at] > SHORT;
    let has_prose = (1..head.len()).any(is_prose);
    let name_most = if has_prose { NAME_GOOD } else { (room as f64 * NAME_SHARE) as usize };
    let name = natural.first()?.min(&name_most).max(&of_title(0)).to_owned();
    // What keeps its lines is less with each step.
    let whole: [&dyn Fn(usize) -> bool; 3] = [&|at| !is_prose(at), &|at| head[at].is_number, &|_| false];
    let least = whole.into_iter().enumerate().find_map(|(step, is_whole)| {
        let of = |at: usize| if is_whole(at) { natural[at] } else { of_words[at] };
        let mut least: Vec<usize> = (0..head.len()).map(|at| of(at).max(of_title(at))).collect();
        let left = room.checked_sub(least.iter().skip(1).sum())?;
        let needed =
            if step == 0 { name } else { of_words[0].min(if step == 1 { NAME_GOOD } else { NAME_LEAST }) };
        least[0] = left.min(name);
        (left >= needed && (step == 0 || most_spare(head).is_none())).then_some(least)
    });
    let widths = widened(head, least?, &natural, room);
    fit_names(rows, widths[0]);
    Some(widths)
}

/// The width in which a title has room in two lines.
fn two_lines(title: &str) -> usize {
    let ends = title.match_indices(' ').map(|(end, _)| end);
    let widest = |end: usize| display_width(&title[..end]).max(display_width(title[end..].trim_start()));
    ends.map(widest).min().unwrap_or_else(|| display_width(title))
}

/// Gives what room is left to titles that would break, then to the columns of words
/// that break most.
fn widened(head: &[Head], mut widths: Vec<usize>, natural: &[usize], room: usize) -> Vec<usize> {
    let mut left = room.saturating_sub(widths.iter().sum());
    for at in 0..head.len() {
        let more = display_width(&head[at].title).saturating_sub(widths[at]);
        // Half a title is no better than none.
        if more <= left {
            widths[at] += more;
            left -= more;
        }
    }
    for _ in 0..left {
        let breaks = |at: &usize| (at == &0 || !head[*at].is_number) && widths[*at] < natural[*at];
        let share = |at: &usize| natural[*at] as f64 / widths[*at].max(1) as f64;
        let Some(at) = (0..head.len()).filter(breaks).max_by(|a, b| share(a).total_cmp(&share(b))) else {
            break;
        };
        widths[at] += 1;
    }
    widths
}

fn widest(rows: &[Row], at: usize, of: fn(&Cell) -> usize) -> usize {
    let width = |row: &Row| match row {
        Row::Cells(cells) => cells.get(at).map(of),
        Row::Group(_) => None,
    };
    rows.iter().filter_map(width).max().unwrap_or(0)
}

fn letters(cell: &Cell) -> String {
    cell.iter().map(|span| span.text.as_str()).collect()
}

fn cell_width(cell: &Cell) -> usize {
    display_width(&letters(cell))
}

fn word_width(cell: &Cell) -> usize {
    letters(cell).split(' ').map(display_width).max().unwrap_or(0)
}

/// Words of the first column that are wider than it lose their middle. What stands between commas
/// breaks only if it takes more than half of the column: `queue depth 16` stays on a line.
fn fit_names(rows: &mut [Row], room: usize) {
    let whole =
        |part: &str| if display_width(part) * 2 <= room { glued(part.to_owned()) } else { part.to_owned() };
    for row in rows {
        let Row::Cells(cells) = row else { continue };
        for span in cells.iter_mut().take(1).flatten() {
            let words: Vec<String> = span.text.split(' ').map(|word| without_middle(word, room)).collect();
            let parts: Vec<String> = words.join(" ").split(", ").map(whole).collect();
            span.text = parts.join(", ");
        }
    }
}

/// A row in as many lines as its longest cell needs; those of a head stand at
/// its foot.
fn row_text(
    terminal: Terminal,
    head: &[Head],
    widths: &[usize],
    cells: &[Cell],
    (indent, is_head): (usize, bool),
) -> String {
    let wrapped: Vec<Vec<Vec<Span>>> =
        cells.iter().zip(widths).map(|(cell, width)| lines(cell, *width, *width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for number in 0..height {
        // A head stands above names and groups alike.
        let (mut line, name_room) = match is_head {
            true => (Vec::new(), indent),
            false => (vec![Span::new(Style::Plain, " ".repeat(indent))], 0),
        };
        for (at, cell) in wrapped.iter().enumerate() {
            let above = if is_head { height - cell.len() } else { 0 };
            let own: &[Span] = number.checked_sub(above).and_then(|n| cell.get(n)).map_or(&[], Vec::as_slice);
            let width = widths[at] + if at == 0 { name_room } else { 0 };
            let room = width.saturating_sub(own.iter().map(|s| display_width(&s.text)).sum());
            let (before, after) = if head[at].is_number { (room, 0) } else { (0, room) };
            let gap = if at == 0 { 0 } else { GAP };
            line.push(Span::new(Style::Plain, " ".repeat(gap + before)));
            line.extend(own.iter().cloned());
            line.push(Span::new(Style::Plain, " ".repeat(after)));
        }
        out.push_str(&terminal.line(&line));
    }
    out
}

/// Rows as lists of their cells, where columns have no room.
fn as_lists(terminal: Terminal, head: &[Head], rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let spans = match row {
            Row::Group(name) => name.clone(),
            Row::Cells(cells) => {
                let there = cells.iter().zip(head).enumerate().filter(|(_, (cell, _))| cell_width(cell) > 0);
                let one = |(at, (cell, head)): (usize, (&Cell, &Head))| {
                    let before = match (at, head.title.is_empty()) {
                        (0, _) => String::new(),
                        (_, true) => "; ".to_owned(),
                        (_, false) => format!("; {} ", head.title),
                    };
                    std::iter::once(Span::new(Style::Plain, before))
                        .chain(cell.iter().cloned())
                        .collect::<Vec<_>>()
                };
                there.flat_map(one).collect()
            }
        };
        let room = terminal.width();
        for (number, mut line) in lines(&spans, room, room - GAP).into_iter().enumerate() {
            if number > 0 {
                line.insert(0, Span::new(Style::Plain, " ".repeat(GAP)));
            }
            out.push_str(&terminal.line(&line));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(title: &str, is_number: bool, spare: u8) -> Head {
        Head { title: title.to_owned(), is_number, spare }
    }

    fn row(cells: &[&str]) -> Row {
        Row::Cells(cells.iter().map(|text| vec![Span::new(Style::Plain, *text)]).collect())
    }

    fn shown(width: usize, label: &str) -> String {
        let head = vec![
            head("Disk", false, 0),
            head("IOPS", true, 0),
            head("95 % interval", true, 0),
            head("throughput", true, 2),
            head("latency p99", true, 1),
        ];
        let rows = vec![row(&[label, "37.17 k", "29.09 k to 7.315 M", "152.2 MB/s", "176.4 us"])];
        text(Terminal::new(width, false), head, rows)
    }

    #[test]
    fn what_can_be_spared_most_is_left_out_first() {
        assert_eq!(
            shown(80, "random read"),
            "Disk            IOPS       95 % interval  throughput  latency p99\n\
             random read  37.17 k  29.09 k to 7.315 M  152.2 MB/s     176.4 us\n"
        );
        let long = "random read, 64 KiB, queue depth 16";
        assert!(!shown(80, long).contains("throughput") && shown(80, long).contains("latency p99"));
        assert!(shown(100, long).contains("throughput"));
    }

    #[test]
    fn a_title_has_at_most_two_lines() {
        let all = ["events per second", "IOPS", "the number of operations"].map(two_lines);
        assert_eq!(all, ["events per".len(), 4, "of operations".len()]);
    }

    #[test]
    fn regression_labels_broke_within_words() {
        let table = shown(80, "randwrite block-size=4KiB queue-depth=32 with disk target=/data/user/file");
        for word in ["block-size=4KiB", "queue-depth=32", "target=/data/user/file", "29.09 k to 7.315 M"] {
            assert!(table.contains(word), "{table}");
        }
        let long = shown(60, "with disk target=/tmp/play/user/with/a/rather/long/name/log.headroom");
        assert!(long.contains("target=/tmp") && long.contains("...") && long.contains(".headroom"), "{long}");
    }

    #[test]
    fn regression_a_level_was_parted_from_its_name() {
        let table = shown(60, "random write, 64 KiB, queue depth 16");
        assert!(table.lines().count() > 2 && table.contains("queue depth 16"), "{table}");
    }

    #[test]
    fn wide_letters_keep_their_columns() {
        let columns = vec![head("디스크", false, 0), head("속도", true, 0)];
        let rows =
            vec![Row::Group(vec![Span::new(Style::Plain, "그룹")]), row(&["읽기", "9"]), row(&["x", "10"])];
        assert_eq!(
            text(Terminal::default(), columns, rows),
            "디스크    속도\n그룹\n  읽기       9\n  x         10\n"
        );
    }

    proptest! {
        #[test]
        fn no_table_is_too_wide(
            cells in prop::collection::vec("[a-z가 ]{0,40}", 1..24),
            columns in 1usize..8,
            width in 60usize..200,
        ) {
            let heads = (0..columns).map(|at| head("some title", at % 2 == 1, at as u8)).collect();
            let rows = cells.chunks_exact(columns).map(|c| row(&c.iter().map(String::as_str).collect::<Vec<_>>()));
            let shown = text(Terminal::new(width, false), heads, rows.collect());
            prop_assert!(shown.lines().all(|line| display_width(line) <= width), "{shown}");
        }
    }
}
