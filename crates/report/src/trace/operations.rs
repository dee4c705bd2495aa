//! How many of each operation there were: bios as they came, requests as they were sent.

use trace::analysis::{DeviceReport, OperationMix};

use super::view::{TraceView, some};
use crate::document::{Block, Rank, Section, Text};

/// One kind of operation: its key, and its count.
type Row = (&'static str, fn(&OperationMix) -> u64);

/// The kinds, each operation in one of them.
const KINDS: &[Row] = &[
    ("trace-reads", |mix| mix.reads),
    ("trace-writes", |mix| mix.writes),
    ("trace-flushes", |mix| mix.flushes),
    ("trace-discards", |mix| mix.discards + mix.secure_erases),
    ("trace-zeroes", |mix| mix.write_zeroes),
    ("trace-zones", |mix| mix.zone_operations),
    ("trace-passthrough", |mix| mix.passthrough),
];

/// What operations have beside: one may have several.
const FLAGS: &[Row] = &[
    ("trace-flag-sync", |mix| mix.sync),
    ("trace-flag-preflush", |mix| mix.preflush),
    ("trace-flag-fua", |mix| mix.fua),
    ("trace-flag-meta", |mix| mix.meta),
    ("trace-flag-ahead", |mix| mix.ahead),
    ("trace-flag-atomic", |mix| mix.atomic),
];

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("operations", view.words().say("trace-operations"));
    section.names_rows = true;
    let columns = || {
        vec![
            view.words_column("trace-operations"),
            view.column("trace-column-asked"),
            view.column("trace-column-sent"),
        ]
    };
    let table = view.table(columns(), view.devices(), |device| rows(view, device, KINDS));
    if !table.rows.is_empty() {
        section.put(Rank::Figure, Block::Table(table));
    }
    let flags = view.table(columns(), view.devices(), |device| rows(view, device, FLAGS));
    if !flags.rows.is_empty() {
        section.push(Block::Table(flags));
    }
    section
}

fn rows(view: &TraceView<'_>, device: &DeviceReport, kinds: &[Row]) -> Vec<Vec<Text>> {
    let (asked, sent) = (&device.queued.mix, &device.issued.mix);
    let there = kinds.iter().filter(|(_, count)| count(asked) + count(sent) > 0);
    there
        .map(|(key, count)| vec![view.words().say(key).into(), some(count(asked)), some(count(sent))])
        .collect()
}
