//! blktrace's binary files and blkparse's text. The files in `tests/data/blktrace` were made
//! by a program of their own, and the text beside them is blkparse's.

use proptest::prelude::*;
use trace::event::{Action, BlockEvent, Device, IoDirection, TaskName, TraceRecord};
use trace::format::blkparse::BlkparseWriter;
use trace::format::blktrace::{BlktraceReader, BlktraceSummary, BlktraceWriter, WallClock};
use trace::format::{FormatError, RecordWriter};

use super::records;

const CPU0: &[u8] = include_bytes!("../data/blktrace/made.blktrace.0");
const CPU1: &[u8] = include_bytes!("../data/blktrace/made.blktrace.1");
const TEXT: &str = include_str!("../data/blktrace/made.txt");
const DISK: Device = Device { major: 254, minor: 0 };

fn read(inputs: &[&[u8]]) -> (Vec<TraceRecord>, BlktraceSummary) {
    let mut reader = BlktraceReader::new(inputs.to_vec()).unwrap();
    let records = reader.by_ref().map(Result::unwrap).collect();
    (records, reader.summary().clone())
}

/// The same with all numbers the other way round.
fn big(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((head, after)) = rest.split_at_checked(48) {
        let mut at = 0;
        for width in [4, 4, 8, 8, 4, 4, 4, 4, 4, 2, 2] {
            out.extend(head[at..at + width].iter().rev());
            at += width;
        }
        let behind = usize::from(u16::from_le_bytes([head[46], head[47]]));
        let (payload, after) = after.split_at(behind);
        let is_time = u32::from_le_bytes([head[28], head[29], head[30], head[31]]) == 1 << 26 | 1;
        if is_time {
            out.extend(payload[..4].iter().rev().chain(payload[4..].iter().rev()));
        } else {
            out.extend(payload);
        }
        rest = after;
    }
    out
}

#[test]
fn the_text_is_blkparses() {
    let (records, summary) = read(&[CPU0, CPU1]);
    assert_eq!((summary.events, summary.notes, summary.unknown, summary.lost), (33, 4, 0, 0));
    let mut writer = BlkparseWriter::new(Vec::new(), "made", DISK);
    for record in &records {
        writer.record(record).unwrap();
    }
    writer.finish().unwrap();
    let text = String::from_utf8(writer.into_output()).unwrap();
    for (ours, blkparses) in text.lines().zip(TEXT.lines()) {
        assert_eq!(ours, blkparses);
    }
    assert_eq!(text.len(), TEXT.len());
}

#[test]
fn what_is_read_is_written_byte_by_byte() {
    let (records, summary) = read(&[CPU0, CPU1]);
    let clock = summary.clock.unwrap();
    assert_eq!(clock, WallClock { trace_ns: 5_000_000_000_123, unix_ns: 1_700_000_000_250_000_000 });
    let mut writer = BlktraceWriter::new(vec![Vec::new(), Vec::new()], DISK, Some(clock)).unwrap();
    for record in &records {
        writer.record(record).unwrap();
    }
    writer.finish().unwrap();
    let files = writer.into_outputs();
    assert!(files[0] == CPU0, "the file of CPU 0");
    assert!(files[1] == CPU1, "the file of CPU 1");
}

#[test]
fn files_of_a_machine_with_the_other_byte_order_are_the_same() {
    let other = [big(CPU0), big(CPU1)];
    assert_eq!(read(&[&other[0], &other[1]]), read(&[CPU0, CPU1]));
    let blank: &[u8] = b"";
    assert_eq!(read(&[CPU0, blank, CPU1]).0, read(&[CPU0, CPU1]).0);
}

#[test]
fn an_end_that_is_torn_off_is_noticed_and_what_is_before_is_read() {
    let (whole, _) = read(&[CPU1]);
    let (most, summary) = read(&[&CPU1[..CPU1.len() - 1]]);
    assert_eq!(most, whole[..whole.len() - 1]);
    assert_eq!((summary.torn, summary.damaged), (vec![0], vec![]));
    // Inside of a name that is behind a note.
    let (none, summary) = read(&[&CPU1[..60]]);
    assert_eq!((none.len(), summary.torn), (0, vec![0]));
    let mut damaged = CPU1.to_vec();
    // After the first note, its name, and an event.
    damaged[48 + 16 + 48] ^= 0x40;
    damaged[48 + 16 + 48 + 3] ^= 0x40;
    let (one, summary) = read(&[&damaged]);
    assert_eq!((one.len(), summary.damaged), (1, vec![(0, 112)]));
}

#[test]
fn what_is_not_known_is_counted_and_gaps_in_the_numbers_are_losses() {
    let mut changed = CPU1.to_vec();
    // The second event: a bounce, which has no event here.
    changed[112 + 28] = 14;
    // The third one's number, and so all after it: four were lost.
    let third = 112 + 48;
    changed[third + 4] = 7;
    let (records, summary) = read(&[&changed]);
    assert_eq!((summary.unknown, summary.lost), (1, 4));
    assert!(matches!(records[1], TraceRecord::Lost { cpu: 1, events: Some(4), .. }), "{:?}", records[1]);
    // The number after is smaller, which is no gap.
    assert_eq!(summary.events, 10);
}

#[test]
fn other_files_and_versions_are_refused() {
    let error = |bytes: &[u8]| BlktraceReader::new(vec![bytes]).unwrap_err();
    assert!(matches!(error(b"not a trace"), FormatError::NotThis { format: "blktrace" }));
    let mut older = CPU0.to_vec();
    older[0] = 6;
    assert!(matches!(error(&older), FormatError::Version { version: 6, supported: 7, .. }));
}

#[test]
fn an_event_of_a_cpu_without_a_file_is_refused() {
    let (records, _) = read(&[CPU1]);
    let mut writer = BlktraceWriter::new(vec![Vec::new()], DISK, None).unwrap();
    assert!(matches!(writer.record(&records[0]), Err(FormatError::Cpu { cpu: 1, cpus: 1 })));
    assert_eq!(writer.without_place(), 0);
    writer.record(&TraceRecord::Lost { time_ns: 0, cpu: 0, events: None }).unwrap();
    assert_eq!(writer.without_place(), 1);
}

#[test]
fn losses_are_gaps_in_the_numbers_of_what_is_written() {
    let (records, _) = read(&[CPU1]);
    let lost = TraceRecord::Lost { time_ns: records[1].time_ns(), cpu: 1, events: Some(4) };
    let mut writer = BlktraceWriter::new(vec![Vec::new(), Vec::new()], DISK, None).unwrap();
    let mut text = BlkparseWriter::new(Vec::new(), "made", DISK);
    for record in [&records[0], &lost, &records[1]] {
        writer.record(record).unwrap();
        text.record(record).unwrap();
    }
    assert_eq!(writer.without_place(), 0);
    let files = writer.into_outputs();
    let (back, summary) = read(&[&files[0], &files[1]]);
    assert_eq!(back, [records[0].clone(), lost, records[1].clone()]);
    assert_eq!(summary.lost, 4);
    let text = String::from_utf8(text.into_output()).unwrap();
    assert!(text.lines().nth(1).unwrap().starts_with("254,0    1        6 "), "{text}");
}

/// What blktrace's format keeps of an event.
fn kept(event: BlockEvent) -> BlockEvent {
    let mut kept = BlockEvent { error: event.error & 0xffff, ..event };
    if event.action == Action::RequestMerge {
        kept.action = Action::BackMerge;
    }
    kept.device = match event.action {
        Action::Remap { .. } => Some(event.device.unwrap_or_default()),
        _ => event.device.or(Some(DISK)),
    };
    let flags = &mut kept.operation.flags;
    flags.atomic = false;
    let is_flush = event.operation.direction == IoDirection::Flush;
    let is_flushing = is_flush || flags.preflush;
    let is_of_request =
        matches!(event.action, Action::Insert | Action::Issue | Action::Requeue | Action::Complete);
    kept.operation.direction = match event.operation.direction {
        // A command that a program sends itself is marked as one.
        IoDirection::None if is_of_request => IoDirection::None,
        IoDirection::Write | IoDirection::WriteZeroes | IoDirection::Zone => IoDirection::Write,
        IoDirection::Discard | IoDirection::SecureErase => IoDirection::Discard,
        IoDirection::Read | IoDirection::None | IoDirection::Flush => match event.bytes {
            0 if is_flushing => IoDirection::Flush,
            0 => IoDirection::None,
            _ => IoDirection::Read,
        },
    };
    flags.preflush = is_flushing && kept.operation.direction != IoDirection::Flush;
    kept
}

proptest! {
    #[test]
    fn events_come_back(made in proptest::collection::vec(records::event(4), 0..80)) {
        let events: Vec<BlockEvent> = (1..).zip(made).map(|(time_ns, event)| {
            // One name for each thread, and what has room.
            let mut task = TaskName::default();
            task.0[0] = b'a' + (event.thread % 20) as u8;
            BlockEvent { time_ns, task, bytes: event.bytes & 0xffff_ffff, ..event }
        }).collect();
        let mut writer = BlktraceWriter::new(vec![Vec::new(); 4], DISK, None).unwrap();
        for event in &events {
            writer.record(&TraceRecord::Block(*event)).unwrap();
        }
        let files = writer.into_outputs();
        let inputs: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
        let (records, summary) = read(&inputs);
        let expected: Vec<TraceRecord> = events.iter().map(|event| TraceRecord::Block(kept(*event))).collect();
        prop_assert_eq!(records, expected);
        prop_assert_eq!(summary.lost + summary.unknown + summary.garbled + summary.backwards, 0);
    }
}
