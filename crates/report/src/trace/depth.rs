//! How many were under way at once, at the device and waiting for it.

use language::format;
use trace::analysis::{DepthReport, DeviceReport};

use super::view::{TraceView, counted, share};
use crate::document::{Block, Rank, Section, Text};

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("depth", view.words().say("trace-depth"));
    section.names_rows = true;
    let columns = vec![
        view.words_column("trace-depth"),
        view.column("trace-column-mean"),
        view.column("trace-column-mean-busy"),
        view.column("trace-column-most"),
        view.column("trace-column-busy"),
    ];
    let table = view.table(columns, view.devices(), |device| rows(view, device));
    if !table.rows.is_empty() {
        section.put(Rank::Figure, Block::Table(table));
    }
    section
}

fn rows(view: &TraceView<'_>, device: &DeviceReport) -> Vec<Vec<Text>> {
    let span_ns = view.report().span.length_ns();
    let row = |key: &str, depth: &DepthReport| {
        vec![
            view.words().say(key).into(),
            format::short(depth.mean).into(),
            depth.mean_busy.map(format::short).unwrap_or_default().into(),
            counted(depth.max).into(),
            share((span_ns > 0).then(|| depth.busy_ns as f64 / span_ns as f64)),
        ]
    };
    if device.depth.max == 0 {
        return Vec::new();
    }
    let mut rows = vec![row("trace-depth-device", &device.depth)];
    rows.extend(device.waiting.as_ref().map(|waiting| row("trace-depth-waiting", waiting)));
    rows
}
