//! What to do again: the steps of a replay, from a trace or from fio's iolog.
//!
//! From a trace, the steps are the bios that were queued at the device (Q), as they came:
//! - Before merging and splitting, for that is what programs and file systems asked for.
//!   Requests (D) are what the scheduler and the limits of one device made of it; another
//!   device makes its own. fio replays the same events.
//! - Of one device alone. A bio that goes on from a partition or a stacked device (A) is
//!   queued at the next device, so it is one step there, and a remap is none.
//! - With the time since the beginning of the trace, the thread and the flags.
//!
//! An empty write that flushes the cache before it is a sync, as is a flush. Operations on
//! zones, and commands that are neither, cannot be replayed; they are counted.

use crate::event::{Action, BlockEvent, Device, Flags, IoDirection, TaskName, TraceRecord};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepAction {
    /// The file belongs to the replay from here on.
    Add,
    /// Opens the file.
    Open,
    /// Closes the file.
    Close,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Writes zeros without sending them, where the device can.
    WriteZeroes,
    /// All that was written is on the medium (`fsync`, a flush).
    Sync,
    /// The data that were written are on the medium (`fdatasync`).
    DataSync,
    /// What need not be kept.
    Trim,
    /// Does nothing for `length` nanoseconds, up to the time of the step.
    Wait,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it is due, since the beginning.
    pub at_ns: u64,
    /// The number of the file or device, from 0.
    pub file: u32,
    /// What it does.
    pub action: StepAction,
    /// Where, in bytes.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// Who did it; 0 where nobody tells.
    pub thread: u32,
    /// The name of the thread; empty where nobody tells.
    pub task: TaskName,
    /// How.
    pub flags: Flags,
}

impl Step {
    /// A step of nobody, without flags.
    #[must_use]
    pub fn new(at_ns: u64, file: u32, action: StepAction) -> Self {
        let (task, flags) = (TaskName::default(), Flags::default());
        Self { at_ns, file, action, offset: 0, length: 0, thread: 0, task, flags }
    }
}

/// Which events are replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayedEvents {
    /// What was queued (Q).
    #[default]
    Queued,
    /// What was issued to the driver (D), for traces that have nothing else.
    Issued,
}

/// What of a trace is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplaySource {
    /// The device that events name. For a partition it is the whole disk.
    pub device: Device,
    /// Where it begins there: for a partition its first sector, else 0.
    pub first_sector: u64,
    /// How many sectors of 512 bytes it has; nothing where all belong to it.
    pub sectors: Option<u64>,
    /// Which events.
    pub events: ReplayedEvents,
    /// The number of the file that the steps name.
    pub file: u32,
    /// The time that the steps count from; that of the first record where it is not given.
    pub begin_ns: Option<u64>,
}

impl ReplaySource {
    /// All that was queued at a whole device.
    #[must_use]
    pub const fn whole(device: Device) -> Self {
        Self {
            device,
            first_sector: 0,
            sectors: None,
            events: ReplayedEvents::Queued,
            file: 0,
            begin_ns: None,
        }
    }
}

/// What became of the events of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayCounts {
    /// Steps.
    pub steps: u64,
    /// Of those: reads.
    pub reads: u64,
    /// Of those: writes, also of zeros.
    pub writes: u64,
    /// Of those: syncs.
    pub syncs: u64,
    /// Of those: trims.
    pub trims: u64,
    /// What the steps read and write.
    pub bytes: u64,
    /// Such events of other devices, or outside of the partition.
    pub elsewhere: u64,
    /// Such events that cannot be replayed.
    pub impossible: u64,
    /// Events that the trace lacks: what is replayed may lack them, too.
    pub lost: u64,
    /// Places where an unknown number of events is missing.
    pub uncounted_losses: u64,
}

/// Makes steps of records.
#[derive(Clone, Debug)]
pub struct StepMaker {
    source: ReplaySource,
    counts: ReplayCounts,
}

impl StepMaker {
    /// For this part of a trace.
    #[must_use]
    pub fn new(source: ReplaySource) -> Self {
        Self { source, counts: ReplayCounts::default() }
    }

    /// What became of the records so far.
    #[must_use]
    pub const fn counts(&self) -> ReplayCounts {
        self.counts
    }

    /// The step that a record is, where it is one. Records come in order of time.
    pub fn step(&mut self, record: &TraceRecord) -> Option<Step> {
        let begin_ns = *self.source.begin_ns.get_or_insert(record.time_ns());
        match record {
            TraceRecord::Block(event) => self.event(event, begin_ns),
            TraceRecord::Lost { events, .. } => {
                self.counts.lost = self.counts.lost.saturating_add(events.unwrap_or(0));
                self.counts.uncounted_losses += u64::from(events.is_none());
                None
            }
            TraceRecord::Dirtied { .. } | TraceRecord::Synced { .. } => None,
        }
    }

    fn event(&mut self, event: &BlockEvent, begin_ns: u64) -> Option<Step> {
        let is_replayed = match self.source.events {
            ReplayedEvents::Queued => event.action == Action::Queue,
            ReplayedEvents::Issued => event.action == Action::Issue,
        };
        if !is_replayed {
            return None;
        }
        if event.device != Some(self.source.device) {
            self.counts.elsewhere += 1;
            return None;
        }
        let Some(action) = action_of(event) else {
            self.counts.impossible += 1;
            return None;
        };
        let Some(offset) = self.offset(event, action) else {
            self.counts.elsewhere += 1;
            return None;
        };
        let length = if action == StepAction::Sync { 0 } else { event.bytes };
        self.count(action, length);
        Some(Step {
            offset,
            length,
            thread: event.thread,
            task: event.task,
            flags: event.operation.flags,
            ..Step::new(event.time_ns.saturating_sub(begin_ns), self.source.file, action)
        })
    }

    /// Where it is, if all of it is in what is replayed. A sync has no place: it is of the
    /// whole device, and so of each of its partitions.
    fn offset(&self, event: &BlockEvent, action: StepAction) -> Option<u64> {
        let ReplaySource { first_sector, sectors, .. } = self.source;
        if action == StepAction::Sync {
            return Some(0);
        }
        let offset = event.sector.checked_sub(first_sector)?.checked_mul(512)?;
        let end = offset.checked_add(event.bytes)?;
        sectors.is_none_or(|sectors| end <= sectors.saturating_mul(512)).then_some(offset)
    }

    fn count(&mut self, action: StepAction, length: u64) {
        let counts = &mut self.counts;
        counts.steps += 1;
        let moved = match action {
            StepAction::Read => {
                counts.reads += 1;
                length
            }
            StepAction::Write | StepAction::WriteZeroes => {
                counts.writes += 1;
                length
            }
            StepAction::Trim => {
                counts.trims += 1;
                0
            }
            StepAction::Sync | StepAction::DataSync => {
                counts.syncs += 1;
                0
            }
            StepAction::Add | StepAction::Open | StepAction::Close | StepAction::Wait => 0,
        };
        counts.bytes = counts.bytes.saturating_add(moved);
    }
}

/// What to do for an event to happen again.
fn action_of(event: &BlockEvent) -> Option<StepAction> {
    let is_empty = event.bytes == 0;
    match event.operation.direction {
        IoDirection::Flush => Some(StepAction::Sync),
        IoDirection::Write if is_empty && event.operation.flags.preflush => Some(StepAction::Sync),
        _ if is_empty => None,
        IoDirection::Read => Some(StepAction::Read),
        IoDirection::Write => Some(StepAction::Write),
        IoDirection::WriteZeroes => Some(StepAction::WriteZeroes),
        IoDirection::Discard | IoDirection::SecureErase => Some(StepAction::Trim),
        IoDirection::None | IoDirection::Zone => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::BlockOperation;

    const DISK: Device = Device { major: 8, minor: 0 };
    const PARTITION: Device = Device { major: 8, minor: 1 };

    fn event(time_ns: u64, action: Action, sector: u64, bytes: u64, direction: IoDirection) -> BlockEvent {
        BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(DISK),
            sector,
            bytes,
            operation: BlockOperation { direction, flags: Flags::default() },
            thread: 9,
            task: TaskName::default(),
            error: 0,
        }
    }

    fn made(source: ReplaySource, events: &[BlockEvent]) -> (Vec<Step>, ReplayCounts) {
        let mut maker = StepMaker::new(source);
        let steps = events.iter().filter_map(|event| maker.step(&TraceRecord::Block(*event))).collect();
        (steps, maker.counts())
    }

    #[test]
    fn each_bio_is_one_step_whatever_became_of_it() {
        use IoDirection::{Read, Write};
        let remap = Action::Remap { from: PARTITION, from_sector: 0 };
        let events = [
            event(100, remap, 2048, 8192, Write),
            event(110, Action::Queue, 2048, 8192, Write),
            event(120, Action::Split { new_sector: 2056 }, 2048, 4096, Write),
            event(130, Action::GetRequest, 2048, 4096, Write),
            event(140, Action::Issue, 2048, 4096, Write),
            event(150, Action::Queue, 2064, 4096, Read),
            event(160, Action::BackMerge, 2064, 4096, Read),
            event(170, Action::Complete, 2048, 4096, Write),
        ];
        let (steps, counts) = made(ReplaySource::whole(DISK), &events);
        let short: Vec<_> = steps.iter().map(|s| (s.at_ns, s.action, s.offset, s.length, s.thread)).collect();
        let expected =
            [(10, StepAction::Write, 1 << 20, 8192, 9), (50, StepAction::Read, 2064 * 512, 4096, 9)];
        assert_eq!(short, expected);
        assert_eq!((counts.steps, counts.reads, counts.writes, counts.bytes), (2, 1, 1, 12288));
        let issued = ReplaySource { events: ReplayedEvents::Issued, ..ReplaySource::whole(DISK) };
        assert_eq!(made(issued, &events).0.len(), 1);
    }

    #[test]
    fn a_partition_is_replayed_from_its_beginning_and_to_its_end() {
        use IoDirection::{Flush, Read};
        let source = ReplaySource { first_sector: 2048, sectors: Some(16), ..ReplaySource::whole(DISK) };
        let events = [
            event(0, Action::Queue, 2040, 4096, Read),
            event(1, Action::Queue, 2048, 8192, Read),
            event(2, Action::Queue, 2056, 8192, Read),
            event(3, Action::Queue, 0, 0, Flush),
            BlockEvent { device: Some(PARTITION), ..event(4, Action::Queue, 2048, 512, Read) },
            event(5, Action::Queue, u64::MAX, u64::MAX, Read),
        ];
        let (steps, counts) = made(source, &events);
        let short: Vec<_> = steps.iter().map(|step| (step.action, step.offset)).collect();
        assert_eq!(short, [(StepAction::Read, 0), (StepAction::Sync, 0)]);
        assert_eq!((counts.elsewhere, counts.syncs), (4, 1));
    }

    #[test]
    fn what_cannot_be_replayed_is_counted() {
        let mut flush = event(0, Action::Queue, 0, 0, IoDirection::Write);
        flush.operation.flags.preflush = true;
        let cases = [
            (flush, Some(StepAction::Sync)),
            (event(0, Action::Queue, 0, 512, IoDirection::Discard), Some(StepAction::Trim)),
            (event(0, Action::Queue, 0, 512, IoDirection::SecureErase), Some(StepAction::Trim)),
            (event(0, Action::Queue, 0, 512, IoDirection::WriteZeroes), Some(StepAction::WriteZeroes)),
            (event(0, Action::Queue, 0, 0, IoDirection::Write), None),
            (event(0, Action::Queue, 0, 512, IoDirection::Zone), None),
            (event(0, Action::Queue, 0, 36, IoDirection::None), None),
        ];
        for (event, action) in cases {
            let (steps, counts) = made(ReplaySource::whole(DISK), &[event]);
            assert_eq!(steps.first().map(|step| step.action), action, "{event:?}");
            assert_eq!(counts.impossible, u64::from(action.is_none()));
            // What another device was asked is not looked at.
            let other = BlockEvent { device: Some(PARTITION), ..event };
            let (steps, counts) = made(ReplaySource::whole(DISK), &[other]);
            assert_eq!((steps.len(), counts.elsewhere, counts.impossible), (0, 1, 0), "{event:?}");
        }
        let mut maker = StepMaker::new(ReplaySource::whole(DISK));
        for events in [Some(3), None] {
            assert_eq!(maker.step(&TraceRecord::Lost { time_ns: 0, cpu: 0, events }), None);
        }
        assert_eq!((maker.counts().lost, maker.counts().uncounted_losses), (3, 1));
    }
}
