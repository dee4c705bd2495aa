//! Whole traces, written by hand, whose every figure was worked out on paper.

mod bounds;
mod faults;
mod flows;
mod patterns;
mod reading;
mod watched;

use super::*;
use crate::event::{Action, BlockEvent, BlockOperation, Device, EAGAIN, Flags, IoDirection, TaskName};

/// The disk of these traces.
const DISK: Device = Device { major: 8, minor: 0 };

const READ: BlockOperation = operation(IoDirection::Read, "");
const WRITE: BlockOperation = operation(IoDirection::Write, "");

/// A direction with flags by their letters in `rwbs`, `P` for a flush before.
const fn operation(direction: IoDirection, letters: &str) -> BlockOperation {
    let letters = letters.as_bytes();
    let mut flags =
        Flags { preflush: false, fua: false, ahead: false, sync: false, meta: false, atomic: false };
    let mut index = 0;
    while index < letters.len() {
        match letters[index] {
            b'P' => flags.preflush = true,
            b'F' => flags.fua = true,
            b'A' => flags.ahead = true,
            b'S' => flags.sync = true,
            b'M' => flags.meta = true,
            _ => flags.atomic = true,
        }
        index += 1;
    }
    BlockOperation { direction, flags }
}

fn name(text: &str) -> TaskName {
    let mut name = TaskName::default();
    name.0[..text.len()].copy_from_slice(text.as_bytes());
    name
}

/// An event on the disk by thread 7, `dd`: when, what, the first sector, how many.
fn event(time_ns: u64, action: Action, operation: BlockOperation, sector: u64, sectors: u64) -> BlockEvent {
    BlockEvent {
        time_ns,
        cpu: 0,
        action,
        device: Some(DISK),
        sector,
        bytes: sectors * SECTOR_BYTES,
        operation,
        thread: 7,
        task: name("dd"),
        error: 0,
    }
}

/// The same event with an error.
const fn failing(event: BlockEvent, error: u32) -> BlockEvent {
    BlockEvent { error, ..event }
}

/// A whole trace of block events.
fn analysed(events: &[BlockEvent]) -> Report {
    let records: Vec<TraceRecord> = events.iter().copied().map(TraceRecord::Block).collect();
    analysed_records(&records)
}

fn analysed_records(records: &[TraceRecord]) -> Report {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    records.iter().for_each(|record| analysis.take(record));
    analysis.finish()
}

fn disk(report: &Report) -> &DeviceReport {
    report.device(DISK).unwrap()
}

/// How many, their sum and the longest of a phase, of one class.
fn phase(report: &DeviceReport, phase: IoPhase, class: IoClass) -> Option<(u64, u128, u64)> {
    report.phase(phase, class).map(|times| (times.count, times.total, times.max.unwrap()))
}

/// `count` requests one after another: each is queued, issued 100 ns later and done after
/// `took_ns`, and the next one comes at once. `place` gives where each begins.
fn one_by_one(
    count: u64,
    operation: BlockOperation,
    sectors: u64,
    took_ns: u64,
    place: impl Fn(u64) -> u64,
) -> Vec<BlockEvent> {
    (0..count)
        .flat_map(|index| {
            let (start, sector) = (index * (100 + took_ns), place(index));
            [
                event(start, Action::Queue, operation, sector, sectors),
                event(start, Action::GetRequest, operation, sector, sectors),
                event(start + 100, Action::Issue, operation, sector, sectors),
                event(start + 100 + took_ns, Action::Complete, operation, sector, sectors),
            ]
        })
        .collect()
}
