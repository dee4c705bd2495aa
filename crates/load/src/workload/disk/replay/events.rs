//! A recording made of a trace's events: what was queued at each device, and how long it took from
//! there until all of it was completed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use trace::event::IoDirection;
use trace::format::FormatError;
use trace::format::blktrace::{self, BlktraceReader};
use trace::format::saved::{self, SavedHeader, SavedReader};
use trace::replay::{ReplaySource, ReplayedEvents, StepMaker};
use trace::{Action, BlockEvent, Device, TraceRecord};

use crate::workload::disk::pattern::Kind;
use crate::workload::disk::playback::Step;
use crate::workload::disk::replay::reading::{
    Found, FoundSource, StepSink, is_possible, kind_of, open, wrong,
};

/// Bytes of a sector of the block layer.
const SECTOR: u64 = 512;

/// More operations are not under way at once: a trace that lacks completions would never be rid of
/// them.
const UNDER_WAY_MAX: usize = 1 << 13;

/// Of a trace that this program saved.
pub(super) fn of_saved(path: &Path, sink: &mut dyn StepSink) -> Result<Found, Fault> {
    let open = || SavedReader::new(open(path)?).map_err(|e| wrong(path, &e));
    let events = replayed(open()?, path)?;
    let mut reader = open()?;
    let mut maker = Maker::new(events, asked_parts(reader.header()));
    for record in reader.by_ref() {
        maker.record(&record.map_err(|e| wrong(path, &e))?, sink)?;
    }
    let summary = reader.summary();
    let mut found = maker.found(saved::SPEC.name, |device| name_in(reader.header(), device));
    if !summary.is_whole() {
        let damaged = summary.damaged_blocks;
        let what = if summary.is_torn { "it ends within a block" } else { "it has no end, or lacks a part" };
        found.torn = Some(format!("{what}; {damaged} of its blocks are damaged"));
    }
    Ok(found)
}

/// Of blktrace's files, one for each CPU.
pub(super) fn of_blktrace(paths: &[PathBuf], sink: &mut dyn StepSink) -> Result<Found, Fault> {
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let open = || {
        let files = paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
        BlktraceReader::new(files).map_err(|e| wrong(path, &e))
    };
    let events = replayed(open()?, path)?;
    let mut reader = open()?;
    let mut maker = Maker::new(events, Vec::new());
    for record in reader.by_ref() {
        maker.record(&record.map_err(|e| wrong(path, &e))?, sink)?;
    }
    let summary = reader.summary();
    let mut found = maker.found(blktrace::SPEC.name, |device| device.to_string());
    let (torn, damaged) = (summary.torn.len(), summary.damaged.len());
    if torn + damaged > 0 {
        let of = paths.len();
        found.torn = Some(format!("of its {of} files {torn} end within an event and {damaged} are damaged"));
    }
    Ok(found)
}

/// What a saved trace calls a device.
fn name_in(header: &SavedHeader, device: Device) -> String {
    let known = header.devices.iter().find(|known| known.device == device && !known.name.is_empty());
    known.map_or_else(|| device.to_string(), |known| known.name.clone())
}

/// A partition that was traced and not its whole disk. Events are of the disk; what lies in the partition counts from
/// its beginning, as for whoever used it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AskedPart {
    part: Device,
    disk: Device,
    first_sector: u64,
    /// How many it has, where that is known.
    sectors: Option<u64>,
}

impl AskedPart {
    fn contains(&self, sector: u64) -> bool {
        let within = sector.checked_sub(self.first_sector);
        within.is_some_and(|within| self.sectors.is_none_or(|sectors| within < sectors))
    }
}

/// Those of a saved trace.
fn asked_parts(header: &SavedHeader) -> Vec<AskedPart> {
    let of = |device: &saved::SavedDevice| {
        let partition = device.partition.filter(|partition| partition.is_asked)?;
        Some(AskedPart {
            part: device.device,
            disk: partition.of,
            first_sector: partition.first_sector,
            sectors: device.bytes.map(|bytes| bytes / SECTOR),
        })
    };
    header.devices.iter().filter_map(of).collect()
}

/// Which of its events a trace is replayed by: what was queued, or what was issued where it has nothing
/// else.
fn replayed(
    records: impl Iterator<Item = Result<TraceRecord, FormatError>>,
    path: &Path,
) -> Result<ReplayedEvents, Fault> {
    for record in records {
        if let TraceRecord::Block(BlockEvent { action: Action::Queue, .. }) =
            record.map_err(|e| wrong(path, &e))?
        {
            return Ok(ReplayedEvents::Queued);
        }
    }
    Ok(ReplayedEvents::Issued)
}

/// Makes operations of records.
struct Maker {
    events: ReplayedEvents,
    parts: Vec<AskedPart>,
    begin_ns: Option<u64>,
    devices: Vec<OneDevice>,
    /// Of devices, or of their parts.
    numbers: HashMap<Device, u16>,
    steps: u64,
    under_way: usize,
    found: Found,
}

/// What is known of one device, or of a partition that was traced.
struct OneDevice {
    /// The one that events name.
    device: Device,
    /// The partition, or the same.
    called: Device,
    first_sector: u64,
    maker: StepMaker,
    under_way: UnderWay,
    /// The most that were under way there at once.
    most: u64,
    /// Devices from which operations were passed on to it.
    from: Vec<Device>,
    has_steps: bool,
}

impl Maker {
    fn new(events: ReplayedEvents, parts: Vec<AskedPart>) -> Self {
        Self {
            events,
            parts,
            begin_ns: None,
            devices: Vec::new(),
            numbers: HashMap::new(),
            steps: 0,
            under_way: 0,
            found: Found::default(),
        }
    }

    fn record(&mut self, record: &TraceRecord, sink: &mut dyn StepSink) -> Result<(), Fault> {
        let begin_ns = *self.begin_ns.get_or_insert(record.time_ns());
        let event = match record {
            TraceRecord::Block(event) => event,
            TraceRecord::Lost { events, .. } => {
                self.found.lost = self.found.lost.saturating_add(events.unwrap_or(1));
                return Ok(());
            }
            TraceRecord::Dirtied { .. } | TraceRecord::Synced { .. } => return Ok(()),
        };
        let Some(device) = event.device else { return Ok(()) };
        let part = self.part_of(device, event);
        let Some(source) = self.number(device, part, begin_ns) else { return Ok(()) };
        let own = &mut self.devices[usize::from(source)];
        match event.action {
            Action::Remap { from, .. } if !own.from.contains(&from) => own.from.push(from),
            Action::Complete => {
                let before = own.under_way.len();
                own.under_way.complete(event, own.first_sector, sink);
                self.under_way -= before - own.under_way.len();
            }
            _ => {}
        }
        let Some(step) = own.maker.step(record) else { return Ok(()) };
        let Some(kind) = kind_of(step.action).filter(|kind| is_possible(*kind, step.offset, step.length))
        else {
            self.found.impossible += 1;
            return Ok(());
        };
        let is_forced = kind == Kind::Write && step.flags.fua;
        self.found.forced += u64::from(is_forced);
        self.found.replaced.preflushes += u64::from(kind == Kind::Write && step.flags.preflush);
        let is_erase = event.operation.direction == IoDirection::SecureErase;
        self.found.replaced.secure_erases += u64::from(is_erase);
        own.has_steps = true;
        let (due_ns, offset, bytes) = (step.at_ns, step.offset, step.length);
        sink.step(Step { due_ns, offset, bytes, latency_ns: 0.0, source, kind, is_forced })?;
        if kind != Kind::Sync && self.under_way < UNDER_WAY_MAX {
            let began = Began { number: self.steps, ns: event.time_ns, left: bytes };
            own.under_way.begin(offset, bytes, began);
            self.under_way += 1;
            own.most = own.most.max(own.under_way.len() as u64);
        }
        self.steps += 1;
        Ok(())
    }

    /// In which of the partitions that were traced an event lies. What has no place, such as a flush, is of the whole
    /// disk, and is done once: by the first of them.
    fn part_of(&self, device: Device, event: &BlockEvent) -> Option<AskedPart> {
        let mut of_disk = self.parts.iter().filter(|part| part.disk == device);
        let first = of_disk.clone().next()?;
        let own = of_disk.find(|part| event.bytes > 0 && part.contains(event.sector));
        Some(*own.unwrap_or(first))
    }

    /// The number of a device, or of a part of it.
    fn number(&mut self, device: Device, part: Option<AskedPart>, begin_ns: u64) -> Option<u16> {
        let called = part.map_or(device, |part| part.part);
        if let Some(number) = self.numbers.get(&called) {
            return Some(*number);
        }
        let number = u16::try_from(self.devices.len()).ok()?;
        let first_sector = part.map_or(0, |part| part.first_sector);
        let source = ReplaySource {
            events: self.events,
            file: number.into(),
            begin_ns: Some(begin_ns),
            first_sector,
            sectors: part.and_then(|part| part.sectors),
            ..ReplaySource::whole(device)
        };
        self.devices.push(OneDevice {
            device,
            called,
            first_sector,
            maker: StepMaker::new(source),
            under_way: UnderWay::default(),
            most: 0,
            from: Vec::new(),
            has_steps: false,
        });
        self.numbers.insert(called, number);
        Some(number)
    }

    /// What was found of a trace in this format; `name` says what it calls a device.
    fn found(self, format: &'static str, name: impl Fn(Device) -> String) -> Found {
        let Self { devices, mut found, .. } = self;
        let with_steps: Vec<Device> = devices.iter().filter(|d| d.has_steps).map(|d| d.device).collect();
        let is_above = |own: &OneDevice, from: &Device| *from != own.device && with_steps.contains(from);
        // Where nothing was ever completed, or ends are missing, nobody knows how many were under way.
        let is_known = found.lost == 0 && devices.iter().any(|d| d.under_way.has_completed);
        found.sources = devices
            .iter()
            .map(|own| FoundSource {
                name: name(own.called),
                is_beneath: own.from.iter().any(|from| is_above(own, from)),
                in_flight: is_known.then_some(own.most),
            })
            .collect();
        found.impossible += devices.iter().map(|d| d.maker.counts().impossible).sum::<u64>();
        (found.format, found.has_ends) = (format, true);
        found
    }
}

/// An operation that is under way.
#[derive(Clone, Copy, Debug)]
struct Began {
    /// Its number among all.
    number: u64,
    ns: u64,
    /// Bytes that are not completed.
    left: u64,
}

/// What is under way at one device: by the first byte, for requests that are completed are made of
/// several of them, or of a part of one.
#[derive(Debug, Default)]
struct UnderWay {
    operations: BTreeMap<(u64, u64), (u64, Began)>,
    /// The longest, in bytes.
    longest: u64,
    has_completed: bool,
}

impl UnderWay {
    fn len(&self) -> usize {
        self.operations.len()
    }

    fn begin(&mut self, offset: u64, bytes: u64, began: Began) {
        self.longest = self.longest.max(bytes);
        self.operations.insert((offset, began.number), (offset + bytes, began));
    }

    /// What an event says is completed; places count from this sector on.
    fn complete(&mut self, event: &BlockEvent, first_sector: u64, sink: &mut dyn StepSink) {
        let sector = event.sector.checked_sub(first_sector);
        let Some(start) = sector.and_then(|sector| sector.checked_mul(SECTOR)) else { return };
        let end = start.saturating_add(event.bytes);
        let first = (start.saturating_sub(self.longest), 0);
        let mut done = Vec::new();
        for (key, (own_end, began)) in self.operations.range_mut(first..(end, 0)) {
            let common = (*own_end).min(end).saturating_sub(key.0.max(start));
            began.left = began.left.saturating_sub(common);
            if began.left == 0 {
                done.push((*key, *began));
            }
        }
        for (key, Began { number, ns, .. }) in done {
            self.operations.remove(&key);
            self.has_completed = true;
            sink.took(number, event.time_ns.saturating_sub(ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use trace::event::{BlockOperation, Flags, TaskName};

    use super::*;
    use crate::workload::disk::replay::reading::Replaced;

    const DISK: Device = Device { major: 8, minor: 0 };
    const MAPPED: Device = Device { major: 253, minor: 0 };

    /// Keeps what it is given.
    #[derive(Default)]
    struct Kept(Vec<Step>, Vec<(u64, u64)>);

    impl StepSink for Kept {
        fn step(&mut self, step: Step) -> Result<(), Fault> {
            self.0.push(step);
            Ok(())
        }

        fn took(&mut self, number: u64, ns: u64) {
            self.1.push((number, ns));
        }
    }

    fn event(time_ns: u64, action: Action, device: Device, sector: u64, bytes: u64) -> TraceRecord {
        let operation = BlockOperation { direction: IoDirection::Read, flags: Flags::default() };
        TraceRecord::Block(BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(device),
            sector,
            bytes,
            operation,
            thread: 1,
            task: TaskName::default(),
            error: 0,
        })
    }

    fn made(events: ReplayedEvents, records: &[TraceRecord]) -> (Kept, Found) {
        made_of(Maker::new(events, Vec::new()), records)
    }

    fn made_of(mut maker: Maker, records: &[TraceRecord]) -> (Kept, Found) {
        let mut kept = Kept::default();
        records.iter().for_each(|record| maker.record(record, &mut kept).unwrap());
        (kept, maker.found("test", |device| device.to_string()))
    }

    #[test]
    fn an_operation_takes_until_all_of_it_is_completed() {
        let records = [
            // Two that are merged, and one that is split.
            event(100, Action::Queue, DISK, 0, 4096),
            event(110, Action::Queue, DISK, 8, 4096),
            event(120, Action::Queue, DISK, 100, 8192),
            event(300, Action::Complete, DISK, 0, 8192),
            event(400, Action::Complete, DISK, 100, 4096),
            event(500, Action::Complete, DISK, 108, 4096),
            // Nobody queued this.
            event(600, Action::Complete, DISK, 5000, 4096),
        ];
        let (Kept(steps, took), found) = made(ReplayedEvents::Queued, &records);
        assert_eq!(
            steps.iter().map(|s| (s.due_ns, s.offset)).collect::<Vec<_>>(),
            [(0, 0), (10, 4096), (20, 51_200)]
        );
        assert_eq!(took, [(0, 200), (1, 190), (2, 380)]);
        let in_flight = |found: &Found| found.sources.iter().map(|s| s.in_flight).collect::<Vec<_>>();
        assert_eq!(in_flight(&found), [Some(3)]);
        assert_eq!(in_flight(&made(ReplayedEvents::Queued, &records[..3]).1), [None], "no end is known");
        let lost = [&records[..], &[TraceRecord::Lost { time_ns: 700, cpu: 0, events: None }]].concat();
        assert_eq!(in_flight(&made(ReplayedEvents::Queued, &lost).1), [None], "ends are missing");
    }

    #[test]
    fn what_lies_in_a_partition_that_was_traced_counts_from_its_beginning() {
        let part = |minor, first_sector| AskedPart {
            part: Device { major: 8, minor },
            disk: DISK,
            first_sector,
            sectors: Some(1000),
        };
        let parts = vec![part(1, 2048), part(3, 9000)];
        let passed_on = Action::Remap { from: Device { major: 8, minor: 1 }, from_sector: 8 };
        let mut flush = event(90, Action::Queue, DISK, 0, 0);
        if let TraceRecord::Block(event) = &mut flush {
            event.operation.direction = IoDirection::Flush;
        }
        let records = [
            event(100, passed_on, DISK, 2056, 4096),
            event(101, Action::Queue, DISK, 2056, 4096),
            event(110, Action::Queue, DISK, 9000, 512),
            flush,
            event(200, Action::Complete, DISK, 2056, 4096),
            event(210, Action::Complete, DISK, 9000, 512),
        ];
        let (Kept(steps, took), found) = made_of(Maker::new(ReplayedEvents::Queued, parts), &records);
        let short: Vec<_> = steps.iter().map(|step| (step.source, step.offset, step.kind)).collect();
        assert_eq!(short, [(0, 4096, Kind::Read), (1, 0, Kind::Read), (0, 0, Kind::Sync)]);
        assert_eq!(took, [(0, 99), (1, 100)]);
        let names: Vec<_> = found.sources.iter().map(|s| (s.name.as_str(), s.is_beneath)).collect();
        assert_eq!(names, [("8:1", false), ("8:3", false)]);
        // Of a whole disk places count from its own beginning.
        let whole = made(ReplayedEvents::Queued, &records).0.0;
        assert_eq!(whole.iter().map(|step| step.offset).collect::<Vec<_>>(), [2056 * 512, 9000 * 512, 0]);
    }

    #[test]
    fn what_is_done_as_something_else_is_counted() {
        let with = |direction, flags| {
            let mut one = event(100, Action::Queue, DISK, 0, 4096);
            if let TraceRecord::Block(event) = &mut one {
                event.operation = BlockOperation { direction, flags };
            }
            one
        };
        let plain = Flags::default();
        let records = [
            with(IoDirection::Write, Flags { fua: true, ..plain }),
            with(IoDirection::Write, Flags { fua: true, preflush: true, ..plain }),
            with(IoDirection::SecureErase, plain),
            with(IoDirection::WriteZeroes, plain),
            with(IoDirection::Read, Flags { fua: true, ..plain }),
        ];
        let (Kept(steps, _), found) = made(ReplayedEvents::Queued, &records);
        let kinds: Vec<_> = steps.iter().map(|step| (step.kind, step.is_forced)).collect();
        let (write, read) = ((Kind::Write, true), (Kind::Read, false));
        assert_eq!(kinds, [write, write, (Kind::Trim, false), (Kind::Zero, false), read]);
        let replaced = Replaced { preflushes: 1, secure_erases: 1, full_syncs: 0 };
        assert_eq!((found.forced, found.replaced, found.impossible), (2, replaced, 0));
    }

    #[test]
    fn a_device_that_others_stand_on_is_known() {
        let passed_on = Action::Remap { from: MAPPED, from_sector: 0 };
        let records = [
            event(100, Action::Queue, MAPPED, 0, 4096),
            event(101, passed_on, DISK, 2048, 4096),
            event(102, Action::Queue, DISK, 2048, 4096),
            TraceRecord::Lost { time_ns: 103, cpu: 0, events: Some(7) },
        ];
        let (Kept(steps, _), found) = made(ReplayedEvents::Queued, &records);
        assert_eq!(steps.len(), 2);
        let sources: Vec<_> = found.sources.iter().map(|s| (s.name.as_str(), s.is_beneath)).collect();
        assert_eq!(sources, [("253:0", false), ("8:0", true)]);
        assert_eq!(found.lost, 7);
        // What is under way on the one is not under way twice.
        let whole = [&records[..3], &[event(200, Action::Complete, DISK, 2048, 4096)]].concat();
        let found = made(ReplayedEvents::Queued, &whole).1;
        assert_eq!(found.sources.iter().map(|s| s.in_flight).collect::<Vec<_>>(), [Some(1), Some(1)]);
        // A partition's device that queues nothing does not stand on its disk.
        assert!(!made(ReplayedEvents::Queued, &records[1..]).1.sources[0].is_beneath);
    }

    #[test]
    fn a_trace_without_queue_events_is_replayed_by_what_was_issued() {
        let records = [event(1, Action::Issue, DISK, 0, 4096), event(2, Action::Complete, DISK, 0, 4096)];
        let of = |records: &[TraceRecord]| replayed(records.iter().cloned().map(Ok), Path::new("x")).unwrap();
        assert_eq!(of(&records), ReplayedEvents::Issued);
        assert_eq!(made(of(&records), &records).0.1, [(0, 1)]);
        assert_eq!(of(&[event(1, Action::Queue, DISK, 0, 4096)]), ReplayedEvents::Queued);
    }
}
