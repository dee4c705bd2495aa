//! Pages of ring buffers as kernels gave them, held against what the same kernel printed of
//! the same buffer (`trace`): Linux 6.18 with dd on a loop device (`dd`), with dd on zram,
//! which has no requests (`zram`), and with a buffer that was too small (`lost`). The formats
//! of 5.10 and 6.1 were written after `include/trace/events/block.h` of those versions; of
//! theirs, pages are made here.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use trace::event::IoDirection;
use trace::ring::{
    CpuDecoder, DecodeCounts, Decoded, EVENTS, EventFormat, PageHeader, PageLot, StreamMerge, TraceLayout,
    operation_of,
};
use trace::{Action, BlockEvent, Device, TraceRecord};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap()
}

/// The formats in a file, by name.
fn formats(name: &str) -> BTreeMap<String, String> {
    let text = text(name);
    let parts = text.split("name: ").filter(|part| !part.is_empty());
    parts.map(|part| (part.lines().next().unwrap().to_owned(), format!("name: {part}"))).collect()
}

fn layout(version: &str) -> TraceLayout {
    let header = PageHeader::parse(&text("6.18/header_page")).unwrap();
    let mut layout = TraceLayout::new(header, 4096, Vec::new());
    for (name, format) in formats(&format!("{version}/formats.txt")) {
        layout.add(EVENTS.iter().find(|event| event.name == name).unwrap(), &format).unwrap();
    }
    layout
}

fn decoder(layout: &Arc<TraceLayout>, cpu: u32) -> CpuDecoder {
    CpuDecoder::new(Arc::clone(layout), cpu, Box::new(|_| None))
}

/// What the pages of CPUs say, in order of time, and how much of each was read.
fn records(name: &str, cpus: u32) -> (Vec<TraceRecord>, Vec<DecodeCounts>) {
    let layout = Arc::new(layout("6.18"));
    let decoders = (0..cpus).map(|cpu| decoder(&layout, cpu)).collect();
    let mut merge = StreamMerge::new(decoders, usize::MAX);
    let mut counts = Vec::new();
    for (index, cpu) in (0..cpus).enumerate() {
        let bytes = std::fs::read(data(&format!("6.18/{name}.cpu{cpu}.pages"))).unwrap();
        let mut decoder = decoder(&layout, cpu);
        let mut decoded = Vec::new();
        let mut lot = PageLot::new(layout.header().page_bytes());
        for page in bytes.chunks(layout.header().page_bytes()) {
            decoder.page(page, &mut decoded).unwrap();
            if lot.room().is_none() {
                merge.push(index, std::mem::replace(&mut lot, PageLot::new(layout.header().page_bytes())));
            }
            lot.room().unwrap()[..page.len()].copy_from_slice(page);
            lot.push(page.len());
        }
        merge.push(index, lot);
        merge.end(index);
        assert!(decoded.is_sorted_by_key(Decoded::time_ns));
        counts.push(decoder.counts());
    }
    let mut records = Vec::new();
    assert!(merge.take(&mut records, usize::MAX));
    assert_eq!((merge.held(), merge.late()), (0, 0));
    assert_eq!(merge.counts(), counts);
    (records, counts)
}

/// One line that the kernel printed.
#[derive(Debug)]
struct Printed {
    thread: u32,
    cpu: u32,
    time_us: u64,
    event: String,
    rest: String,
}

/// `dd-25536   [000] ..... 79724.921475: block_bio_queue: 7,0 WS 80 + 8 [dd]`
fn printed(name: &str) -> Vec<Printed> {
    let text = text(&format!("6.18/{name}.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (task, rest) = line.split_once(" [").unwrap();
            let (cpu, rest) = rest.split_once("] ").unwrap();
            let (_, rest) = rest.trim_start().split_once(' ').unwrap();
            let (time, rest) = rest.trim_start().split_once(": ").unwrap();
            // `sys_fsync(fd: 1)`, `sys_fsync -> 0x0`, `block_plug: [dd]`
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap();
            Printed {
                thread: task.rsplit_once('-').unwrap().1.trim().parse().unwrap(),
                cpu: cpu.parse().unwrap(),
                time_us: time.replace('.', "").parse().unwrap(),
                event: rest[..end].to_owned(),
                rest: rest[end..].trim_start_matches(':').trim().to_owned(),
            }
        })
        .collect()
}

/// The kernel rounds to microseconds.
fn is_same_time(time_ns: u64, time_us: u64) -> bool {
    (time_ns + 500) / 1000 == time_us
}

/// The event that a record is.
fn event_name(action: Action, is_bio: bool) -> &'static str {
    match action {
        Action::Queue => "block_bio_queue",
        Action::GetRequest => "block_getrq",
        Action::BackMerge => "block_bio_backmerge",
        Action::FrontMerge => "block_bio_frontmerge",
        Action::RequestMerge => "block_rq_merge",
        Action::Insert => "block_rq_insert",
        Action::Issue => "block_rq_issue",
        Action::Complete if is_bio => "block_bio_complete",
        Action::Complete => "block_rq_complete",
        Action::Requeue => "block_rq_requeue",
        Action::Remap { .. } => "block_bio_remap",
        Action::Split { .. } => "block_split",
        Action::Plug => "block_plug",
        Action::Unplug { .. } => "block_unplug",
    }
}

/// What the kernel would print behind the name, without the priority; `rwbs` is what it
/// printed, which must mean the same.
fn shown(event: &BlockEvent, rwbs: &str, is_bio: bool) -> String {
    let task = String::from_utf8_lossy(event.task.bytes()).into_owned();
    match event.action {
        Action::Plug => return format!("[{task}]"),
        Action::Unplug { requests } => return format!("[{task}] {requests}"),
        _ => assert_eq!(event.operation, operation_of(rwbs.as_bytes()), "{event:?}"),
    }
    let Device { major, minor } = event.device.unwrap();
    let (sector, sectors) = (event.sector, event.bytes / 512);
    let front = format!("{major},{minor} {rwbs}");
    match event.action {
        Action::Insert | Action::Issue => format!("{front} {} () {sector} + {sectors} [{task}]", event.bytes),
        Action::Complete if is_bio => format!("{front} {sector} + {sectors} [{}]", event.error),
        Action::Complete => format!("{front} () {sector} + {sectors} [{}]", event.error),
        Action::Remap { from, from_sector } => {
            format!("{front} {sector} + {sectors} <- ({},{}) {from_sector}", from.major, from.minor)
        }
        Action::Split { new_sector } => format!("{front} {sector} / {new_sector} [{task}]"),
        _ => format!("{front} {sector} + {sectors} [{task}]"),
    }
}

/// A line without what no record has: the priority, and the place of a flush.
fn without_priority(rest: &str) -> String {
    let words = rest.split(' ').filter(|word| word.matches(',').count() != 2);
    let text = words.collect::<Vec<_>>().join(" ");
    text.replace("18446744073709551615", "0")
}

fn assert_same(record: &BlockEvent, line: &Printed, is_bio: bool) {
    assert!(is_same_time(record.time_ns, line.time_us), "{record:?} {line:?}");
    assert_eq!((record.thread, record.cpu), (line.thread, line.cpu), "{record:?}");
    assert_eq!(event_name(record.action, is_bio), line.event);
    let rwbs = line.rest.split(' ').nth(1).unwrap_or_default();
    assert_eq!(shown(record, rwbs, is_bio), without_priority(&line.rest));
}

#[test]
fn pages_say_what_the_kernel_prints_of_them() {
    let (records, counts) = records("dd", 2);
    let lines = printed("dd");
    assert_eq!(counts.iter().map(|counts| counts.events).sum::<u64>(), lines.len() as u64);
    assert_eq!(counts.iter().map(|counts| counts.other_events + counts.garbled_events).sum::<u64>(), 0);
    let is_call = |line: &&Printed| line.event.starts_with("sys_");
    let mut blocks = lines.iter().filter(|line| line.event.starts_with("block_"));
    let mut dirtied = lines.iter().filter(|line| line.event.starts_with("writeback_"));
    let mut began: Vec<&Printed> = Vec::new();
    let mut calls = lines.iter().filter(is_call);
    for record in &records {
        match record {
            TraceRecord::Block(event) => assert_same(event, blocks.next().unwrap(), false),
            TraceRecord::Dirtied { time_ns, thread, device, inode, bytes, .. } => {
                let line = dirtied.next().unwrap();
                assert!(is_same_time(*time_ns, line.time_us) && *thread == line.thread, "{record:?}");
                assert!(line.rest.starts_with(&format!("bdi {}: ino={inode} ", device.unwrap())), "{line:?}");
                assert_eq!(*bytes, 4096);
            }
            TraceRecord::Synced { began_ns, ended_ns, thread, call, result, .. } => {
                let end = calls.by_ref().find(|line| {
                    let is_end = line.rest.starts_with("->");
                    if !is_end {
                        began.push(*line);
                    }
                    is_end
                });
                let end = end.unwrap();
                let begin = began.iter().rfind(|line| line.thread == *thread).unwrap();
                assert!(is_same_time(*began_ns, begin.time_us) && is_same_time(*ended_ns, end.time_us));
                assert_eq!((*call, *result, end.rest.as_str()), ("fsync", 0, "-> 0x0"));
            }
            TraceRecord::Lost { .. } => panic!("nothing was lost"),
        }
    }
    assert!(blocks.next().is_none() && dirtied.next().is_none());
    assert!(calls.all(|line| !line.rest.starts_with("->")));
    assert!(records.iter().any(|record| matches!(record, TraceRecord::Synced { .. })));
    // From partition 2, which begins at sector 18432, to the disk.
    let remap = records.iter().find_map(|record| match record {
        TraceRecord::Block(BlockEvent {
            action: Action::Remap { from, from_sector },
            sector,
            device,
            ..
        }) => Some((*from, *from_sector, *sector, *device)),
        _ => None,
    });
    let (partition, disk) = (Device { major: 259, minor: 1 }, Device { major: 7, minor: 0 });
    assert_eq!(remap, Some((partition, 24, 18456, Some(disk))));
}

#[test]
fn a_device_without_requests_completes_bios() {
    let (records, _) = records("zram", 1);
    let lines = printed("zram");
    assert_eq!(records.len(), lines.len());
    for (record, line) in records.iter().zip(&lines) {
        let TraceRecord::Block(event) = record else { panic!("{record:?}") };
        assert_same(event, line, true);
    }
    let is_complete =
        |record: &&TraceRecord| matches!(record, TraceRecord::Block(e) if e.action == Action::Complete);
    assert_eq!(records.iter().filter(is_complete).count(), 3);
}

#[test]
fn what_was_overwritten_is_told_where_it_is_missing_and_adds_up() {
    let (records, counts) = records("lost", 1);
    let head = text("6.18/lost.txt");
    let head = head.lines().find_map(|line| line.strip_prefix("# entries-in-buffer/entries-written: "));
    let (kept, written) = head.unwrap().split_whitespace().next().unwrap().split_once('/').unwrap();
    let (kept, written): (u64, u64) = (kept.parse().unwrap(), written.parse().unwrap());
    assert_eq!((counts[0].events, counts[0].lost_events), (kept, written - kept));
    assert!(matches!(records[0], TraceRecord::Lost { cpu: 0, events: Some(n), .. } if n == written - kept));
    let lines = printed("lost");
    assert_eq!(records.len(), lines.len() + 1);
    for (record, line) in records[1..].iter().zip(&lines) {
        let TraceRecord::Block(event) = record else { panic!("{record:?}") };
        assert_same(event, line, false);
    }
}

/// Fields of an event, by name.
type Fields<'a> = &'a [(&'a str, &'a [u8])];

/// A page with one event that has these fields.
fn made(format: &EventFormat, fields: Fields<'_>) -> Vec<u8> {
    let end = format.fields.iter().map(|(_, field)| field.offset + field.size).max().unwrap();
    let mut event = vec![0; end.next_multiple_of(4)];
    let id = format.id.to_ne_bytes();
    for (name, value) in [("common_type", &id[..])].iter().chain(fields) {
        let field = format.field(name).unwrap();
        event[field.offset..field.offset + value.len()].copy_from_slice(value);
    }
    let words = u32::try_from(event.len() / 4).unwrap();
    let head = if cfg!(target_endian = "little") { 9 << 5 | words } else { words << 27 | 9 };
    let commit = event.len() as u64 + 4;
    let mut page =
        [&1000_u64.to_ne_bytes()[..], &commit.to_ne_bytes()[..], &u32::to_ne_bytes(head)[..]].concat();
    page.extend(event);
    page.resize(4096, 0);
    page
}

#[test]
fn older_kernels_are_read_by_their_own_formats() {
    for (version, page_event) in [("5.10", "writeback_dirty_page"), ("6.1", "writeback_dirty_folio")] {
        let layout = Arc::new(layout(version));
        let formats = formats(&format!("{version}/formats.txt"));
        let one = |name: &str, fields: Fields<'_>| {
            let format = EventFormat::parse(&formats[name]).unwrap();
            let (mut decoder, mut out) = (decoder(&layout, 3), Vec::new());
            decoder.page(&made(&format, fields), &mut out).unwrap();
            let [Decoded::TraceRecord(record)] = &out[..] else { panic!("{name}: {out:?}") };
            record.clone()
        };
        let number = |value: u32| value.to_ne_bytes();
        let sector = 2048_u64.to_ne_bytes();
        let issue = one(
            "block_rq_issue",
            &[
                ("common_pid", &number(77)),
                ("dev", &number(8 << 20 | 16)),
                ("sector", &sector),
                ("nr_sector", &number(8)),
                ("bytes", &number(4096)),
                ("rwbs", b"WFS\0"),
                ("comm", b"dd\0"),
            ],
        );
        let TraceRecord::Block(issue) = issue else { panic!("{issue:?}") };
        assert_eq!((issue.time_ns, issue.cpu, issue.action), (1009, 3, Action::Issue));
        assert_eq!(issue.device, Some(Device { major: 8, minor: 16 }));
        assert_eq!(
            (issue.sector, issue.bytes, issue.thread, issue.task.bytes()),
            (2048, 4096, 77, &b"dd"[..])
        );
        assert_eq!((issue.operation.direction, issue.operation.flags.fua), (IoDirection::Write, true));
        let failed = one(
            "block_rq_complete",
            &[
                ("dev", &number(8 << 20)),
                ("sector", &sector),
                ("nr_sector", &number(1)),
                ("error", &(-5_i32).to_ne_bytes()),
                ("rwbs", b"R\0"),
            ],
        );
        let TraceRecord::Block(failed) = failed else { panic!("{failed:?}") };
        assert_eq!((failed.action, failed.error, failed.bytes), (Action::Complete, 5, 512));
        assert_eq!(failed.task.bytes(), b"swapper/3");
        // Zeros that are not sent have no letter, as commands of programs have none.
        let zeros: [(&str, &[u8]); 3] = [("sector", &sector), ("nr_sector", &number(8)), ("rwbs", b"N\0")];
        let command: [(&str, &[u8]); 3] =
            [("sector", &[0xff; 8]), ("nr_sector", &number(8)), ("rwbs", b"N\0")];
        for (fields, direction) in [(zeros, IoDirection::WriteZeroes), (command, IoDirection::None)] {
            let TraceRecord::Block(event) = one("block_rq_complete", &fields) else { panic!("{fields:?}") };
            assert_eq!((event.operation.direction, event.bytes), (direction, 4096));
        }
        let dirtied = one(
            page_event,
            &[("common_pid", &number(9)), ("name", b"8:0\0"), ("ino", &12_u64.to_ne_bytes())],
        );
        let device = Some(Device { major: 8, minor: 0 });
        assert!(
            matches!(dirtied, TraceRecord::Dirtied { device: d, inode: 12, thread: 9, .. } if d == device),
            "{dirtied:?}"
        );
    }
}

proptest! {
    #[test]
    fn no_page_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..5000)) {
        let layout = Arc::new(layout("6.18"));
        let (mut decoder, mut out) = (decoder(&layout, 0), Vec::new());
        let _ = decoder.page(&bytes, &mut out);
    }

    #[test]
    fn no_damage_to_a_page_makes_it_panic(
        name in prop::sample::select(vec!["dd.cpu0", "dd.cpu1", "zram.cpu0", "lost.cpu0"]),
        damage in prop::collection::vec((0..4096_usize, any::<u8>()), 1..20),
        length in 0..4200_usize,
    ) {
        let layout = Arc::new(layout("6.18"));
        let mut bytes = std::fs::read(data(&format!("6.18/{name}.pages"))).unwrap();
        bytes.truncate(4096);
        for (at, byte) in damage {
            bytes[at] = byte;
        }
        bytes.truncate(length);
        let (mut decoder, mut out) = (decoder(&layout, 0), Vec::new());
        let _ = decoder.page(&bytes, &mut out);
        let counts = decoder.counts();
        prop_assert!(counts.other_events + counts.garbled_events <= counts.events);
    }

    #[test]
    fn no_format_makes_it_panic(text in "(name: [a-z_]{1,9}\nID: [0-9]{1,6}\n)?(\tfield:[a-z \\[\\]0-9*]{0,20};|\toffset:[0-9]{0,21};|\tsize:[0-9]{0,4};|\tsigned:1;|\n){0,40}") {
        let _ = EventFormat::parse(&text);
        let _ = PageHeader::parse(&text);
        let mut layout = layout("6.18");
        let _ = layout.add(&EVENTS[0], &text);
        let mut out = Vec::new();
        let _ = decoder(&Arc::new(layout), 0).page(&[0x55; 4096], &mut out);
    }
}
