//! Calls that wait until data is on the medium: who made them, how long they took, and what the
//! devices did meanwhile.

use trace::analysis::{SlowSync, SyncCaller};

use super::view::{TraceView, counted, duration, some, times};
use crate::document::{Block, Rank, Section, Table, Text};

/// Rows of the short table.
const ROWS_MOST: usize = 6;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("syncs", words.say("trace-syncs"));
    section.names_rows = true;
    let report = &view.report().syncs;
    if report.calls == 0 {
        return section;
    }
    section.put(Rank::Figure, Block::Table(callers(view, ROWS_MOST)));
    if report.callers.len() > ROWS_MOST {
        section.push(Block::Table(callers(view, usize::MAX)));
    }
    section.push(Block::Paragraph(words.say("trace-syncs-note").into()));
    section.push(Block::Table(slowest(view)));
    section
}

fn callers(view: &TraceView<'_>, most: usize) -> Table {
    let mut columns = vec![view.words_column("trace-syncs")];
    columns.extend(view.time_columns());
    columns.push(view.column("trace-column-failed").to_spare(1));
    let row = |caller: &SyncCaller| {
        let mut row: Vec<Text> = vec![format!("{} {}", view.task(&caller.task), caller.call).into()];
        row.extend(times(&caller.times_ns));
        row.push(some(caller.failed));
        row
    };
    let rows = view.report().syncs.callers.iter().take(most).map(row).collect();
    Table { columns, rows, ..Table::default() }.without_empty_columns()
}

/// The slowest calls one by one.
fn slowest(view: &TraceView<'_>) -> Table {
    let columns = vec![
        view.words_column("trace-column-at"),
        view.words_column("trace-column-call"),
        view.column("trace-column-length"),
        view.column("trace-column-in-flush"),
        view.column("trace-column-in-device"),
        view.column("trace-column-in-host").to_spare(1),
        view.column("trace-column-requests").to_spare(2),
    ];
    let row = |slow: &SlowSync| {
        let inside = &slow.inside;
        // Of a call that began before the trace nothing is known of what was done in it.
        let part = |time_ns: u64| Text::from(if inside.is_whole { duration(time_ns) } else { String::new() });
        vec![
            view.at(slow.call.began_ns).into(),
            format!("{} {}", view.task(&slow.call.task), slow.call.call).into(),
            duration(slow.call.length_ns()).into(),
            part(inside.flush_ns),
            part(inside.device_ns),
            part(inside.waiting_ns + inside.host_ns),
            counted(inside.bios).into(),
        ]
    };
    let rows = view.report().syncs.slowest.iter().map(row).collect();
    Table { columns, rows, ..Table::default() }.without_empty_columns()
}
