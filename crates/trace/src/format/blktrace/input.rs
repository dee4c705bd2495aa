//! One file of a trace, event by event.

use super::raw::{self, ByteOrder, Meaning, RECORD_BYTES, RawTrace};
use super::read_ahead::ReadAhead;
use super::summary::{BlktraceSummary, WallClock};
use crate::event::{BlockEvent, TaskName, TraceRecord};
use crate::format::FormatError;
use crate::format::source::ByteSource;
use crate::key_hash::KeyMap;

/// So many names of threads are kept.
const NAMES_MAX: usize = 1 << 20;
/// A larger gap between numbers is none: the count began anew.
const GAP_MAX: u32 = 1 << 31;

/// What is not of one file.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) names: KeyMap<u32, TaskName>,
    pub(super) summary: BlktraceSummary,
}

/// One file.
#[derive(Debug)]
pub(super) struct Input<'a> {
    index: usize,
    ahead: ReadAhead<'a>,
    order: Option<ByteOrder>,
    /// How many bytes were read.
    offset: u64,
    is_ended: bool,
    last: Option<RawTrace>,
    /// What is next: events that are missing, and then the one that was found behind them.
    lost: Option<TraceRecord>,
    event: Option<BlockEvent>,
}

impl<'a> Input<'a> {
    /// The file at this place among the inputs.
    pub(super) fn new(index: usize, source: ByteSource<'a>) -> Self {
        Self {
            index,
            ahead: ReadAhead::new(source),
            order: None,
            offset: 0,
            is_ended: false,
            last: None,
            lost: None,
            event: None,
        }
    }

    /// When the next record was, and the place of the file; nothing where it has no more.
    pub(super) fn head(&self) -> Option<(u64, usize)> {
        let lost = self.lost.as_ref().map(TraceRecord::time_ns);
        let time_ns = lost.or_else(|| self.event.as_ref().map(|event| event.time_ns))?;
        Some((time_ns, self.index))
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, names: &KeyMap<u32, TaskName>) -> Option<TraceRecord> {
        if let Some(lost) = self.lost.take() {
            return Some(lost);
        }
        let mut event = self.event.take()?;
        event.task = names.get(&event.thread).copied().unwrap_or_default();
        Some(TraceRecord::Block(event))
    }

    /// Reads on to the next record, if none waits.
    pub(super) fn fill(&mut self, shared: &mut Shared) -> Result<(), FormatError> {
        while self.lost.is_none() && self.event.is_none() && !self.is_ended {
            self.is_ended = !self.step(shared)?;
        }
        Ok(())
    }

    /// Reads no more of it.
    pub(super) const fn end(&mut self) {
        self.is_ended = true;
    }

    /// Reads an event or a note; false where none follows.
    fn step(&mut self, shared: &mut Shared) -> Result<bool, FormatError> {
        let Shared { names, summary } = shared;
        let head = self.ahead.next(RECORD_BYTES)?;
        if head.is_empty() {
            return Ok(false);
        }
        let order = self.order.or_else(|| ByteOrder::of(head));
        let Some(order) = order else { return Err(FormatError::NotThis { format: super::SPEC.name }) };
        self.order = Some(order);
        let Some(head) = head.first_chunk() else {
            summary.torn.push(self.index);
            return Ok(false);
        };
        let raw = match RawTrace::from_bytes(head, order) {
            Some((raw::VERSION, raw)) => raw,
            Some((version, _)) if self.offset == 0 => {
                let supported = raw::VERSION;
                return Err(FormatError::Version { format: super::SPEC.name, version, supported });
            }
            _ => {
                summary.damaged.push((self.index, self.offset));
                return Ok(false);
            }
        };
        let length = RECORD_BYTES + usize::from(raw.behind);
        let Some(behind) = self.ahead.next(length)?.get(RECORD_BYTES..length) else {
            summary.torn.push(self.index);
            return Ok(false);
        };
        if raw.action & raw::NOTE != 0 {
            summary.notes += 1;
            note(&raw, behind, order, names, summary);
        } else {
            match raw::meaning(&raw, behind) {
                Meaning::BlockEvent(event) => {
                    summary.events += 1;
                    self.event = Some(event);
                }
                Meaning::Unknown => summary.unknown += 1,
                Meaning::Garbled => summary.garbled += 1,
            }
            self.follow(raw, summary);
        }
        self.ahead.pass(length);
        self.offset += length as u64;
        Ok(true)
    }

    /// Holds the number and the time of an event against those of the one before.
    fn follow(&mut self, raw: RawTrace, summary: &mut BlktraceSummary) {
        let last = self.last.replace(raw);
        let gap = last
            .filter(|last| (last.device, last.cpu) == (raw.device, raw.cpu))
            .map_or(0, |last| raw.sequence.wrapping_sub(last.sequence).wrapping_sub(1));
        if gap > 0 && gap < GAP_MAX {
            let events = u64::from(gap);
            summary.lost += events;
            self.lost = Some(TraceRecord::Lost { time_ns: raw.time_ns, cpu: raw.cpu, events: Some(events) });
        }
        summary.backwards += u64::from(last.is_some_and(|last| last.time_ns > raw.time_ns));
    }
}

fn note(
    raw: &RawTrace,
    behind: &[u8],
    order: ByteOrder,
    names: &mut KeyMap<u32, TaskName>,
    summary: &mut BlktraceSummary,
) {
    let behind = match raw.action & raw::CGROUP {
        0 => behind,
        _ => behind.get(raw::CGROUP_BYTES..).unwrap_or_default(),
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
