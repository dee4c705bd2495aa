//! The longest times: without a completion though something was on its way, and of single
//! requests.

use trace::analysis::{DeviceReport, IoStall, RequestSnapshot, SlowRequest};
use trace::event::IoDirection;

use super::view::{TraceView, counted, duration};
use crate::document::{Block, Rank, Section, Text};

/// A time without a completion that is worth a row in the short table: 100 ms, from where on the
/// analysis calls it a stall.
const STALL_NS: u64 = trace::analysis::thresholds::STALL_NS;
/// Rows of a short table.
const ROWS_MOST: usize = 5;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("stalls", view.words().say("trace-stalls"));
    let columns = vec![
        view.words_column("trace-column-stall-at"),
        view.column("trace-column-length"),
        view.column("trace-column-at-device"),
        view.column("trace-column-waiting"),
        view.words_column("trace-column-oldest").to_spare(1),
    ];
    let table = view.table(columns, view.devices(), |device| {
        let long = device.stalls.iter().filter(|stall| stall.length_ns() >= STALL_NS);
        long.take(ROWS_MOST).map(|stall| row(view, stall)).collect()
    });
    if !table.rows.is_empty() {
        section.put(Rank::Figure, Block::Table(table));
    }
    for (key, pick) in SLOW {
        let columns = vec![
            view.words_column(key),
            view.column("trace-column-length"),
            view.words_column("trace-column-request"),
            view.words_column("trace-column-by"),
            view.column("trace-column-depth"),
        ];
        let table = view.table(columns, view.devices(), |device| {
            pick(device).iter().map(|slow| slow_row(view, slow)).collect()
        });
        if !table.rows.is_empty() {
            section.push(Block::Table(table));
        }
    }
    section
}

/// The slowest requests of a device.
type PickSlow = fn(&DeviceReport) -> &[SlowRequest];

/// The slowest requests: how the column of their times is called, and which they are.
const SLOW: [(&str, PickSlow); 2] = [
    ("trace-column-slow-at-device", |device| &device.slow_at_device),
    ("trace-column-slow-overall", |device| &device.slow_overall),
];

fn row(view: &TraceView<'_>, stall: &IoStall) -> Vec<Text> {
    let oldest = stall.oldest.first().map(|oldest| {
        let who = view.task(&oldest.task);
        format!("{}, {who}", request(view, oldest))
    });
    vec![
        view.at(stall.began_ns).into(),
        duration(stall.length_ns()).into(),
        counted(stall.at_device).into(),
        stall.waiting.map(counted).unwrap_or_default().into(),
        oldest.unwrap_or_default().into(),
    ]
}

fn slow_row(view: &TraceView<'_>, slow: &SlowRequest) -> Vec<Text> {
    vec![
        view.at(slow.completed_ns).into(),
        duration(slow.length_ns).into(),
        request(view, &slow.request).into(),
        view.task(&slow.request.task).into(),
        counted(slow.depth_at_start).into(),
    ]
}

/// `write of 4 KiB at sector 2048`.
fn request(view: &TraceView<'_>, request: &RequestSnapshot) -> String {
    let kind = match request.operation.direction {
        IoDirection::Read => "read",
        IoDirection::Write => "write",
        IoDirection::Flush => "flush",
        _ => "other",
    };
    let arguments = [
        ("kind", kind.into()),
        ("size", request.bytes.into()),
        ("sector", request.sector.to_string().into()),
    ];
    view.words().tell("trace-request", &arguments)
}
