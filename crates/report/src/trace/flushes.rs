//! Flushes of the device's cache.

use trace::analysis::{DeviceReport, FlushStorm};

use super::view::{TraceView, counted, duration, share, some, times};
use crate::document::{Block, Column, Rank, Section, Table, Text};

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("flushes", words.say("trace-section-flushes"));
    section.names_rows = true;
    let columns = vec![
        view.words_column("trace-section-flushes"),
        view.column("trace-column-asked"),
        view.column("trace-column-sent"),
        view.column("trace-column-mean"),
        Column::numbers("p99"),
        view.column("trace-column-longest"),
        view.column("trace-column-busy"),
        view.column("trace-column-storms").to_spare(1),
    ];
    let rows: Vec<Vec<Text>> = view.devices().filter_map(|device| row(view, device)).collect();
    if rows.is_empty() {
        return section;
    }
    let table = Table { columns, rows, ..Table::default() };
    section.put(Rank::Figure, Block::Table(table.without_empty_columns()));
    let storms = storms(view);
    if !storms.rows.is_empty() {
        section.push(Block::Paragraph(words.say("trace-storms-note").into()));
        section.push(Block::Table(storms));
    }
    section
}

fn row(view: &TraceView<'_>, device: &DeviceReport) -> Option<Vec<Text>> {
    let flushes = &device.flushes;
    let sent = flushes.sent.unwrap_or(0);
    if flushes.asked == 0 && sent == 0 {
        return None;
    }
    // A device without requests shows only how long its bios waited.
    let took = if sent > 0 { &flushes.device_ns } else { &flushes.queue_to_complete_ns };
    let [_, mean, _, _, p99, _, longest] = times(took);
    let span_ns = view.report().span.length_ns();
    Some(vec![
        view.device(device.device).into(),
        counted(flushes.asked).into(),
        flushes.sent.map(counted).unwrap_or_default().into(),
        mean,
        p99,
        longest,
        share((span_ns > 0).then(|| flushes.busy_ns as f64 / span_ns as f64)),
        some(flushes.storms),
    ])
}

/// The storms with the most flushes.
fn storms(view: &TraceView<'_>) -> Table {
    let columns = vec![
        view.words_column("trace-column-at"),
        view.column("trace-column-length"),
        view.column("trace-column-count"),
    ];
    view.table(columns, view.devices(), |device| {
        let storm = |storm: &FlushStorm| {
            vec![
                view.at(storm.began_ns).into(),
                duration(storm.length_ns()).into(),
                counted(storm.flushes).into(),
            ]
        };
        device.flushes.largest_storms.iter().map(storm).collect()
    })
}
