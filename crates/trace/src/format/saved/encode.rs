//! A block: records as changes from the ones before. Most requests are seen several times on
//! one CPU, with the same extent and the same thread, so a record has about ten bytes.

use std::collections::HashMap;

use super::codec::{put, put_change};
use super::{CALLS, CPUS_MAX};
use crate::event::{Action, BlockEvent, BlockOperation, Device, Flags, IoDirection, TaskName, TraceRecord};
use crate::format::FormatError;

/// The first byte of a record: which it is, and what is as before.
pub(super) mod first {
    /// What it is; the rest are flags.
    pub(in super::super) const KIND: u8 = 0x1f;
    /// It is of the CPU of the event before.
    pub(in super::super) const SAME_CPU: u8 = 0x20;
    /// It is of the thread of the event before on this CPU.
    pub(in super::super) const SAME_THREAD: u8 = 0x40;
    /// It is of the device and the operation of the event before on this CPU.
    pub(in super::super) const SAME_OPERATION: u8 = 0x80;

    pub(in super::super) const REMAP: u8 = 9;
    pub(in super::super) const SPLIT: u8 = 10;
    pub(in super::super) const UNPLUG: u8 = 12;
    pub(in super::super) const LOST: u8 = 16;
    pub(in super::super) const DIRTIED: u8 = 17;
    pub(in super::super) const SYNCED: u8 = 18;
    /// An error, of the event that follows.
    pub(in super::super) const ERROR: u8 = 31;
}

/// Actions without more to say, by their kind.
pub(super) const PLAIN: &[(u8, Action)] = &[
    (0, Action::Queue),
    (1, Action::GetRequest),
    (2, Action::BackMerge),
    (3, Action::FrontMerge),
    (4, Action::RequestMerge),
    (5, Action::Insert),
    (6, Action::Issue),
    (7, Action::Complete),
    (8, Action::Requeue),
    (11, Action::Plug),
];

/// Directions by their number.
pub(super) const DIRECTIONS: &[IoDirection] = &[
    IoDirection::None,
    IoDirection::Read,
    IoDirection::Write,
    IoDirection::Discard,
    IoDirection::SecureErase,
    IoDirection::Flush,
    IoDirection::WriteZeroes,
    IoDirection::Zone,
];

/// What is kept of the event before on a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) thread: u32,
    pub(super) task: TaskName,
    pub(super) device: Option<Device>,
    pub(super) operation: BlockOperation,
    pub(super) sector: u64,
}

/// The events before on each CPU.
#[derive(Debug, Default)]
pub(super) struct BeforeByCpu(Vec<Before>);

impl BeforeByCpu {
    /// That of a CPU, if there can be such a CPU.
    pub(super) fn of(&mut self, cpu: u32) -> Option<&mut Before> {
        let index = usize::try_from(cpu).ok().filter(|_| cpu < CPUS_MAX)?;
        if index >= self.0.len() {
            self.0.resize(index + 1, Before::default());
        }
        self.0.get_mut(index)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Makes a block of records.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    out: Vec<u8>,
    records: u32,
    /// The times of the earliest and the latest record.
    range_ns: Option<(u64, u64)>,
    time_ns: u64,
    cpu: u32,
    before: BeforeByCpu,
    names: HashMap<TaskName, u64>,
    devices: HashMap<Device, u64>,
}

impl Encoder {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.out
    }

    pub(super) const fn records(&self) -> u32 {
        self.records
    }

    pub(super) fn range_ns(&self) -> (u64, u64) {
        self.range_ns.unwrap_or_default()
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.out.clear();
        self.records = 0;
        self.range_ns = None;
        self.time_ns = 0;
        self.cpu = 0;
        self.before.clear();
        self.names.clear();
        self.devices.clear();
    }

    pub(super) fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError> {
        match record {
            TraceRecord::Block(event) => self.event(event)?,
            TraceRecord::Lost { time_ns, cpu, events } => {
                self.out.push(first::LOST);
                self.time(*time_ns);
                put(&mut self.out, u64::from(*cpu));
                self.out.push(u8::from(events.is_some()));
                put(&mut self.out, events.unwrap_or(0));
            }
            TraceRecord::Dirtied { time_ns, thread, task, device, inode, bytes } => {
                self.out.push(first::DIRTIED);
                self.time(*time_ns);
                self.thread(*thread, task);
                self.device(*device);
                put(&mut self.out, *inode);
                put(&mut self.out, *bytes);
            }
            TraceRecord::Synced { began_ns, ended_ns, thread, task, call, result } => {
                self.out.push(first::SYNCED);
                self.time(*ended_ns);
                put_change(&mut self.out, *ended_ns, *began_ns);
                self.thread(*thread, task);
                let call = CALLS.iter().position(|known| known == call).unwrap_or(0);
                put(&mut self.out, call as u64);
                put_change(&mut self.out, 0, *result as u64);
            }
        }
        let time_ns = record.time_ns();
        let (first_ns, last_ns) = self.range_ns.unwrap_or((time_ns, time_ns));
        self.range_ns = Some((first_ns.min(time_ns), last_ns.max(time_ns)));
        self.records += 1;
        Ok(())
    }

    fn event(&mut self, event: &BlockEvent) -> Result<(), FormatError> {
        let BlockEvent { time_ns, cpu, action, device, sector, bytes, operation, thread, task, error } =
            *event;
        let now = Before { thread, task, device, operation, sector };
        let before = self.before.of(cpu).ok_or(FormatError::Cpu { cpu, cpus: CPUS_MAX })?;
        let before = std::mem::replace(before, now);
        let same_thread = (before.thread, before.task) == (thread, task);
        let same_operation = (before.device, before.operation) == (device, operation);
        let flags = [
            (cpu == self.cpu, first::SAME_CPU),
            (same_thread, first::SAME_THREAD),
            (same_operation, first::SAME_OPERATION),
        ];
        let flags: u8 = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
        if error != 0 {
            self.out.push(first::ERROR);
            put(&mut self.out, u64::from(error));
        }
        self.out.push(kind(action) | flags);
        self.time(time_ns);
        if cpu != self.cpu {
            put(&mut self.out, u64::from(cpu));
            self.cpu = cpu;
        }
        if !same_thread {
            self.thread(thread, &task);
        }
        if !same_operation {
            self.device(device);
            self.operation(operation);
        }
        put_change(&mut self.out, before.sector, sector);
        // Whole sectors are small numbers so.
        put(&mut self.out, bytes.rotate_right(9));
        match action {
            Action::Remap { from, from_sector } => {
                self.device(Some(from));
                put_change(&mut self.out, sector, from_sector);
            }
            Action::Split { new_sector } => put_change(&mut self.out, sector, new_sector),
            Action::Unplug { requests } => put(&mut self.out, u64::from(requests)),
            _ => {}
        }
        Ok(())
    }

    fn time(&mut self, time_ns: u64) {
        put_change(&mut self.out, self.time_ns, time_ns);
        self.time_ns = time_ns;
    }

    /// A thread and its name: 0 and the name where it is new to the block, else its number.
    fn thread(&mut self, thread: u32, task: &TaskName) {
        put(&mut self.out, u64::from(thread));
        if let Some(number) = self.names.get(task) {
            put(&mut self.out, *number);
            return;
        }
        self.names.insert(*task, self.names.len() as u64 + 1);
        put(&mut self.out, 0);
        self.out.extend(task.0);
    }

    /// A device: 0 for none, 1 and its number where it is new to the block.
    fn device(&mut self, device: Option<Device>) {
        let Some(device) = device else {
            put(&mut self.out, 0);
            return;
        };
        if let Some(number) = self.devices.get(&device) {
            put(&mut self.out, *number);
            return;
        }
        self.devices.insert(device, self.devices.len() as u64 + 2);
        put(&mut self.out, 1);
        put(&mut self.out, u64::from(device.major));
        put(&mut self.out, u64::from(device.minor));
    }

    fn operation(&mut self, operation: BlockOperation) {
        let BlockOperation { direction, flags } = operation;
        let direction = DIRECTIONS.iter().position(|known| *known == direction).unwrap_or(0);
        let Flags { preflush, fua, ahead, sync, meta, atomic } = flags;
        let flags = [preflush, fua, ahead, sync, meta, atomic];
        let flags = flags.iter().rev().fold(0, |all, flag| all << 1 | u8::from(*flag));
        self.out.extend([direction as u8, flags]);
    }
}

/// What an event is, for its first byte.
fn kind(action: Action) -> u8 {
    match action {
        Action::Remap { .. } => first::REMAP,
        Action::Split { .. } => first::SPLIT,
        Action::Unplug { .. } => first::UNPLUG,
        plain => PLAIN.iter().find(|(_, known)| *known == plain).map_or(0, |(kind, _)| *kind),
    }
}
