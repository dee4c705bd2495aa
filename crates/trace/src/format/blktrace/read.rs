//! Reading: the files of all CPUs at once, in order of time.
//!
//! A file whose end is torn off, or that goes on with something else, is read as far as it
//! is whole, and the summary says so. Where the numbers of events have a gap, events were
//! lost; the records say how many.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::io::{BufReader, Read};

use super::raw::{self, ByteOrder, Meaning, RECORD_BYTES, RawTrace};
use crate::event::{BlockEvent, TaskName, TraceRecord};
use crate::format::{FormatError, read_full};

/// So many names of threads are kept.
const NAMES_MAX: usize = 1 << 20;
/// A larger gap between numbers is none: the count began anew.
const GAP_MAX: u32 = 1 << 31;

/// At which time of day the clock of a trace had a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    /// The trace's time.
    pub trace_ns: u64,
    /// Nanoseconds since 1970 at that moment.
    pub unix_ns: u64,
}

/// What was read of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlktraceSummary {
    /// Events of the block layer.
    pub events: u64,
    /// Notes: names of processes, the time, texts.
    pub notes: u64,
    /// Events that are not known, or that nothing here stands for.
    pub unknown: u64,
    /// Events without what belongs to them.
    pub garbled: u64,
    /// Events that are missing in the numbers.
    pub lost: u64,
    /// Events that came after a later one of their file.
    pub backwards: u64,
    /// Files that end inside of an event, by their place among the inputs.
    pub torn: Vec<usize>,
    /// Files that go on with something else, and from which byte on.
    pub damaged: Vec<(usize, u64)>,
    /// The time of day, where the trace has it.
    pub clock: Option<WallClock>,
}

/// What is not of one file.
#[derive(Debug, Default)]
struct Shared {
    names: HashMap<u32, TaskName>,
    summary: BlktraceSummary,
}

/// One file.
#[derive(Debug)]
struct Input<R> {
    index: usize,
    reader: BufReader<R>,
    order: Option<ByteOrder>,
    /// How many bytes were read.
    offset: u64,
    is_ended: bool,
    behind: Vec<u8>,
    last: Option<RawTrace>,
    /// At most a loss and an event.
    waiting: VecDeque<TraceRecord>,
}

/// Reads the records of all CPUs.
#[derive(Debug)]
pub struct BlktraceReader<R> {
    inputs: Vec<Input<R>>,
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    shared: Shared,
    /// What failed while the record before was given.
    failed: Option<FormatError>,
}

impl<R: Read> BlktraceReader<R> {
    /// From the files of a trace, in any order.
    ///
    /// # Errors
    /// If one of them begins with something else, or cannot be read.
    pub fn new(inputs: Vec<R>) -> Result<Self, FormatError> {
        let mut shared = Shared::default();
        let mut heads = BinaryHeap::new();
        let mut all = Vec::with_capacity(inputs.len());
        for (index, reader) in inputs.into_iter().enumerate() {
            let mut input = Input {
                index,
                reader: BufReader::with_capacity(1 << 16, reader),
                order: None,
                offset: 0,
                is_ended: false,
                behind: Vec::new(),
                last: None,
                waiting: VecDeque::new(),
            };
            input.fill(&mut shared)?;
            heads.extend(input.head());
            all.push(input);
        }
        Ok(Self { inputs: all, heads, shared, failed: None })
    }

    /// What was read so far.
    #[must_use]
    pub const fn summary(&self) -> &BlktraceSummary {
        &self.shared.summary
    }

    fn next_record(&mut self) -> Result<Option<TraceRecord>, FormatError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let Some(Reverse((_, index))) = self.heads.pop() else { return Ok(None) };
        let Some(input) = self.inputs.get_mut(index) else { return Ok(None) };
        let mut record = input.waiting.pop_front();
        if let Some(TraceRecord::Block(BlockEvent { thread, task, .. })) = &mut record {
            *task = self.shared.names.get(&*thread).copied().unwrap_or_default();
        }
        if let Err(e) = input.fill(&mut self.shared) {
            input.is_ended = true;
            self.failed = Some(e);
        }
        self.heads.extend(input.head());
        Ok(record)
    }
}

impl<R: Read> Iterator for BlktraceReader<R> {
    type Item = Result<TraceRecord, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

impl<R: Read> Input<R> {
    fn head(&self) -> Option<Reverse<(u64, usize)>> {
        self.waiting.front().map(|record| Reverse((record.time_ns(), self.index)))
    }

    /// Reads on to the next event.
    fn fill(&mut self, shared: &mut Shared) -> Result<(), FormatError> {
        while self.waiting.is_empty() && !self.is_ended {
            if let Some(raw) = self.raw(shared)? {
                self.sort(raw, shared);
            } else {
                self.is_ended = true;
            }
        }
        Ok(())
    }

    /// The next one, with what is behind it in `self.behind`.
    fn raw(&mut self, shared: &mut Shared) -> Result<Option<RawTrace>, FormatError> {
        let mut head = [0; RECORD_BYTES];
        let filled = read_full(&mut self.reader, &mut head)?;
        if filled == 0 {
            return Ok(None);
        }
        let order = self.order.or_else(|| ByteOrder::of(&head[..filled]));
        let Some(order) = order else { return Err(FormatError::NotThis { format: super::SPEC.name }) };
        self.order = Some(order);
        if filled < RECORD_BYTES {
            shared.summary.torn.push(self.index);
            return Ok(None);
        }
        let raw = match RawTrace::from_bytes(&head, order) {
            Some((raw::VERSION, raw)) => raw,
            Some((version, _)) if self.offset == 0 => {
                let supported = raw::VERSION;
                return Err(FormatError::Version { format: super::SPEC.name, version, supported });
            }
            _ => {
                shared.summary.damaged.push((self.index, self.offset));
                return Ok(None);
            }
        };
        self.behind.resize(usize::from(raw.behind), 0);
        if read_full(&mut self.reader, &mut self.behind)? < self.behind.len() {
            shared.summary.torn.push(self.index);
            return Ok(None);
        }
        self.offset += (RECORD_BYTES + self.behind.len()) as u64;
        Ok(Some(raw))
    }

    fn sort(&mut self, raw: RawTrace, shared: &mut Shared) {
        let Shared { names, summary } = shared;
        if raw.action & raw::NOTE != 0 {
            summary.notes += 1;
            self.note(&raw, names, summary);
            return;
        }
        let last = self.last.replace(raw);
        let gap = last
            .filter(|last| (last.device, last.cpu) == (raw.device, raw.cpu))
            .map_or(0, |last| raw.sequence.wrapping_sub(last.sequence).wrapping_sub(1));
        if gap > 0 && gap < GAP_MAX {
            let events = u64::from(gap);
            summary.lost += events;
            let lost = TraceRecord::Lost { time_ns: raw.time_ns, cpu: raw.cpu, events: Some(events) };
            self.waiting.push_back(lost);
        }
        summary.backwards += u64::from(last.is_some_and(|last| last.time_ns > raw.time_ns));
        match raw::meaning(&raw, &self.behind) {
            Meaning::BlockEvent(event) => {
                summary.events += 1;
                self.waiting.push_back(TraceRecord::Block(event));
            }
            Meaning::Unknown => summary.unknown += 1,
            Meaning::Garbled => summary.garbled += 1,
        }
    }

    fn note(&self, raw: &RawTrace, names: &mut HashMap<u32, TaskName>, summary: &mut BlktraceSummary) {
        let order = self.order.unwrap_or(ByteOrder::Little);
        let behind = match raw.action & raw::CGROUP {
            0 => self.behind.as_slice(),
            _ => self.behind.get(raw::CGROUP_BYTES..).unwrap_or_default(),
        };
        match raw.action & !raw::CGROUP {
            raw::NOTE_PROCESS if names.len() < NAMES_MAX || names.contains_key(&raw.pid) => {
                let mut name = TaskName::default();
                let length = behind.iter().position(|byte| *byte == 0).unwrap_or(behind.len()).min(15);
                name.0[..length].copy_from_slice(&behind[..length]);
                names.insert(raw.pid, name);
            }
            raw::NOTE_TIME if behind.len() >= 8 => {
                let seconds = u64::from(order.u32(raw::part(behind, 0)));
                let rest = u64::from(order.u32(raw::part(behind, 4)));
                let unix_ns = seconds * 1_000_000_000 + rest;
                summary.clock = Some(WallClock { trace_ns: raw.time_ns, unix_ns });
            }
            raw::NOTE_PROCESS | raw::NOTE_TIME | raw::NOTE_MESSAGE => {}
            _ => summary.unknown += 1,
        }
    }
}

/// How many records are in these bytes, as a file of one CPU.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let Ok(reader) = BlktraceReader::new(vec![bytes]) else { return 0 };
    reader.filter(Result::is_ok).count() as u64
}
