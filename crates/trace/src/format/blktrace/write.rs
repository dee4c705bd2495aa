//! Writing: an event goes to the file of its CPU, and before the first one of a thread goes
//! its name, as the kernel does it.

use std::io::Write;

use super::raw::{self, RawTrace};
use super::sequence::Sequences;
use super::summary::WallClock;
use crate::event::{Action, BlockEvent, Device, TaskName, TraceRecord};
use crate::format::{FormatError, RecordWriter, write_all};
use crate::key_hash::KeyMap;

/// The names of so many threads are known; then they are written again.
const NAMES_MAX: usize = 1 << 20;

/// Writes the files of all CPUs.
///
/// A trace of blktrace is of one device: what the events say of others is written as it is,
/// but tools take such a file for one device. So the caller leaves out what is of others.
#[derive(Debug)]
pub struct BlktraceWriter<W> {
    outputs: Vec<W>,
    /// What plugging belongs to, which names no device.
    device: Device,
    sequences: Sequences,
    names: KeyMap<u32, TaskName>,
    without_place: u64,
}

impl<W: Write> BlktraceWriter<W> {
    /// Of a trace of `device`, to one file for each CPU from 0 on. Where the trace's clock is
    /// known to stand for a time of day, this is written first: btt and blkparse show it.
    ///
    /// # Errors
    /// If the time cannot be written.
    pub fn new(outputs: Vec<W>, device: Device, clock: Option<WallClock>) -> Result<Self, FormatError> {
        let mut this = Self {
            outputs,
            device,
            sequences: Sequences::default(),
            names: KeyMap::default(),
            without_place: 0,
        };
        if let Some(clock) = clock {
            this.time(clock)?;
        }
        Ok(this)
    }

    /// How many records the format has no place for: of pages that became dirty, of calls, and
    /// of losses of an unknown number. Other losses are gaps in the numbers of events.
    #[must_use]
    pub const fn without_place(&self) -> u64 {
        self.without_place
    }

    /// The files.
    #[must_use]
    pub fn into_outputs(self) -> Vec<W> {
        self.outputs
    }

    fn time(&mut self, clock: WallClock) -> Result<(), FormatError> {
        let seconds = u32::try_from(clock.unix_ns / 1_000_000_000).unwrap_or(u32::MAX);
        let rest = (clock.unix_ns % 1_000_000_000) as u32;
        let behind = [seconds.to_le_bytes(), rest.to_le_bytes()].concat();
        let note = RawTrace {
            time_ns: clock.trace_ns,
            action: raw::NOTE_TIME,
            device: self.device.to_kernel(),
            ..RawTrace::default()
        };
        if self.outputs.is_empty() { Ok(()) } else { self.write(note, &behind) }
    }

    fn event(&mut self, event: &BlockEvent) -> Result<(), FormatError> {
        let device = event.device.unwrap_or(self.device);
        // The kernel notes a remap at the device that was asked.
        let owner = match event.action {
            Action::Remap { .. } => self.device,
            _ => device,
        };
        self.name(event, owner)?;
        let number = self.sequences.next(owner, event.cpu);
        self.write(raw::raw_of(event, owner, number), &raw::behind(event))
    }

    /// Notes who a thread is, once, and again when it has another name.
    fn name(&mut self, event: &BlockEvent, owner: Device) -> Result<(), FormatError> {
        let (thread, task) = (event.thread, event.task);
        if task.bytes().is_empty() || self.names.get(&thread) == Some(&task) {
            return Ok(());
        }
        if self.names.len() >= NAMES_MAX {
            self.names.clear();
        }
        self.names.insert(thread, task);
        let note = RawTrace {
            time_ns: event.time_ns,
            action: raw::NOTE_PROCESS,
            pid: thread,
            device: owner.to_kernel(),
            cpu: event.cpu,
            ..RawTrace::default()
        };
        let mut name = task.0;
        name[task.bytes().len()..].fill(0);
        // Tools take it for a text that ends with a zero.
        name[15] = 0;
        self.write(note, &name)
    }

    fn write(&mut self, raw: RawTrace, behind: &[u8]) -> Result<(), FormatError> {
        let cpus = u32::try_from(self.outputs.len()).unwrap_or(u32::MAX);
        let place = usize::try_from(raw.cpu).ok().and_then(|cpu| self.outputs.get_mut(cpu));
        let output = place.ok_or(FormatError::Cpu { cpu: raw.cpu, cpus })?;
        let raw = RawTrace { behind: behind.len() as u16, ..raw };
        write_all(output, &raw.to_bytes())?;
        write_all(output, behind)
    }
}

impl<W: Write> RecordWriter for BlktraceWriter<W> {
    fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError> {
        match record {
            TraceRecord::Block(event) => self.event(event),
            TraceRecord::Lost { cpu, events: Some(events), .. } => {
                self.sequences.leave_out(self.device, *cpu, *events);
                Ok(())
            }
            TraceRecord::Lost { events: None, .. }
            | TraceRecord::Dirtied { .. }
            | TraceRecord::Synced { .. } => {
                self.without_place += 1;
                Ok(())
            }
        }
    }

    fn finish(&mut self) -> Result<(), FormatError> {
        self.outputs.iter_mut().try_for_each(|output| output.flush().map_err(FormatError::Write))
    }
}
