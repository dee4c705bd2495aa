//! From the pages of one CPU to records.

use std::sync::Arc;

use super::event_format::FormatField;
use super::event_layout::{EventFields, EventLayout, Kind, TraceLayout};
use super::page::{PageError, RingPage};
use super::page_header::PageHeader;
use super::rwbs::operation_of;
use super::task_names::{NameLookup, TaskNames, name};
use crate::event::{Action, BlockEvent, BlockOperation, Device, IoDirection, TaskName, TraceRecord};

/// What an event of one CPU says. Calls begin and end on any CPU, so they are put together
/// after the CPUs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A record.
    TraceRecord(TraceRecord),
    /// A thread began to wait for data to be on the medium.
    CallBegan {
        /// When.
        time_ns: u64,
        /// Which thread.
        thread: u32,
        /// Which call.
        call: &'static str,
    },
    /// Such a call returned.
    CallEnded {
        /// When.
        time_ns: u64,
        /// Which thread.
        thread: u32,
        /// Its name.
        task: TaskName,
        /// Which call.
        call: &'static str,
        /// What it returned.
        result: i64,
    },
}

impl Decoded {
    /// When it happened.
    #[must_use]
    pub const fn time_ns(&self) -> u64 {
        match self {
            Self::TraceRecord(record) => record.time_ns(),
            Self::CallBegan { time_ns, .. } | Self::CallEnded { time_ns, .. } => *time_ns,
        }
    }
}

/// How much was read of one CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeCounts {
    /// Pages.
    pub pages: u64,
    /// Events in them, whatever they are.
    pub events: u64,
    /// Of those: events that are none of the layout's, or of a call that nobody looks for.
    pub other_events: u64,
    /// Of those: events that lack a part.
    pub garbled_events: u64,
    /// Pages that could not be read to their end.
    pub garbled_pages: u64,
    /// Events that the pages say were lost.
    pub lost_events: u64,
    /// Places where an unknown number was lost.
    pub uncounted_losses: u64,
}

/// Reads the pages of one CPU, in order.
#[derive(Debug)]
pub struct CpuDecoder {
    layout: Arc<TraceLayout>,
    cpu: u32,
    names: TaskNames,
    counts: DecodeCounts,
}

/// What is the same in all that is read of one event.
struct At<'a> {
    time_ns: u64,
    cpu: u32,
    thread: u32,
    /// The name that the event has of a thread.
    task: Option<TaskName>,
    fields: &'a EventFields,
    data: &'a [u8],
}

impl At<'_> {
    fn number(&self, field: Option<FormatField>) -> Option<u64> {
        field?.unsigned(self.data)
    }

    /// A device; 0 is none.
    fn device(&self, field: Option<FormatField>) -> Option<Option<Device>> {
        let number = self.number(field)? & u64::from(u32::MAX);
        Some((number != 0).then(|| Device::from_kernel(number as u32)))
    }
}

impl CpuDecoder {
    /// A decoder for the pages of `cpu`.
    #[must_use]
    pub fn new(layout: Arc<TraceLayout>, cpu: u32, lookup: NameLookup) -> Self {
        Self { layout, cpu, names: TaskNames::new(cpu, lookup), counts: DecodeCounts::default() }
    }

    /// How much was read so far.
    #[must_use]
    pub const fn counts(&self) -> DecodeCounts {
        self.counts
    }

    /// Puts what a page says behind `out`.
    ///
    /// # Errors
    /// If the page cannot be read to its end; what was read is there.
    pub fn page(&mut self, bytes: &[u8], out: &mut Vec<Decoded>) -> Result<(), PageError> {
        let page = self.begin(bytes)?;
        let lost = page.lost.map(|events| self.lost(page.time_ns, events));
        out.extend(lost.map(Decoded::TraceRecord));
        for event in page.events() {
            match event {
                Ok(event) => out.extend(self.event(event.time_ns, event.data)),
                Err(error) => {
                    self.give_up_page();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Begins a page, and counts it and what was lost before it.
    pub(super) fn begin<'a>(&mut self, bytes: &'a [u8]) -> Result<RingPage<'a>, PageError> {
        self.counts.pages += 1;
        let page = RingPage::parse(self.layout.header(), bytes);
        match page.map(|page| page.lost) {
            Ok(Some(events)) => {
                self.counts.lost_events += events.unwrap_or(0);
                self.counts.uncounted_losses += u64::from(events.is_none());
            }
            Ok(None) => {}
            Err(_) => self.give_up_page(),
        }
        page
    }

    /// What stands before the events of a page.
    pub(super) fn header(&self) -> &PageHeader {
        self.layout.header()
    }

    /// Counts a page that cannot be read to its end.
    pub(super) const fn give_up_page(&mut self) {
        self.counts.garbled_pages += 1;
    }

    /// That events were lost before the page that began then.
    pub(super) const fn lost(&self, time_ns: u64, events: Option<u64>) -> TraceRecord {
        TraceRecord::Lost { time_ns, cpu: self.cpu, events }
    }

    /// What the event with this data says; nothing where that is nothing to us, or it lacks a part.
    pub(super) fn event(&mut self, time_ns: u64, data: &[u8]) -> Option<Decoded> {
        let Self { layout, cpu, names, counts } = self;
        let layout: &TraceLayout = layout;
        counts.events += 1;
        let Some((known, thread)) = layout.event_of(data) else {
            counts.other_events += 1;
            return None;
        };
        let fields = &known.fields;
        let task = fields.task.and_then(|field| field.bytes(data)).map(name).filter(|name| name.0[0] != 0);
        if let Some(task) = task {
            names.learn(thread, task);
        }
        let at = At { time_ns, cpu: *cpu, thread, task, fields, data };
        match decode(layout, known, &at, names) {
            Some(Some(decoded)) => Some(decoded),
            Some(None) => {
                counts.other_events += 1;
                None
            }
            None => {
                counts.garbled_events += 1;
                None
            }
        }
    }
}

/// What an event says; nothing where it lacks a part, and nothing in something where it
/// says nothing to us.
fn decode(
    layout: &TraceLayout,
    known: &EventLayout,
    at: &At<'_>,
    names: &mut TaskNames,
) -> Option<Option<Decoded>> {
    let &At { time_ns, thread, fields, .. } = at;
    let result = || fields.result?.number(at.data);
    let call = || Some(layout.call(at.number(fields.call)?));
    Some(Some(match known.kind {
        Kind::CallBegan(call) => Decoded::CallBegan { time_ns, thread, call },
        Kind::CallEnded(call) => {
            Decoded::CallEnded { time_ns, thread, task: names.of(thread), call, result: result()? }
        }
        Kind::AnyCallBegan => match call()? {
            Some(call) => Decoded::CallBegan { time_ns, thread, call },
            None => return Some(None),
        },
        Kind::AnyCallEnded => match call()? {
            Some(call) => {
                let task = names.of(thread);
                Decoded::CallEnded { time_ns, thread, task, call, result: result()? }
            }
            None => return Some(None),
        },
        Kind::Dirtied => Decoded::TraceRecord(TraceRecord::Dirtied {
            time_ns,
            thread,
            task: names.of(thread),
            device: backing_device(fields.backing?.bytes(at.data)?),
            inode: at.number(fields.inode)?,
            bytes: layout.page_bytes(),
        }),
        kind => Decoded::TraceRecord(TraceRecord::Block(block(kind, at, names)?)),
    }))
}

/// An event of the block layer.
fn block(kind: Kind, at: &At<'_>, names: &mut TaskNames) -> Option<BlockEvent> {
    let &At { time_ns, cpu, thread, task, fields, data } = at;
    let is_plugging = matches!(kind, Kind::Plug | Kind::Unplug);
    let sector = if is_plugging { 0 } else { at.number(fields.sector)? };
    // A flush and a command have no place, which completions show as -1.
    let has_place = sector != u64::MAX;
    let sector = if has_place { sector } else { 0 };
    let action = action(kind, at)?;
    let mut operation = match fields.rwbs {
        Some(field) => operation_of(field.bytes(data)?),
        None => BlockOperation::default(),
    };
    let bytes = match action {
        // The part before the new one.
        Action::Split { new_sector } => new_sector.saturating_sub(sector).saturating_mul(SECTOR),
        _ if is_plugging => 0,
        // A request with a command of its own has bytes and no sectors; old kernels give
        // the bytes of only those.
        _ => {
            let sectors = at.number(fields.sectors)?.saturating_mul(SECTOR);
            if sectors > 0 && has_place && operation.direction == IoDirection::None {
                // Nothing else without a letter has both: neither commands nor what is done to zones.
                operation.direction = IoDirection::WriteZeroes;
            }
            sectors.max(at.number(fields.bytes).unwrap_or(0))
        }
    };
    let error = fields.error.and_then(|field| field.number(data)).unwrap_or(0).unsigned_abs();
    Some(BlockEvent {
        time_ns,
        cpu,
        action,
        device: if is_plugging { None } else { at.device(fields.device)? },
        sector,
        bytes,
        operation,
        thread,
        task: task.unwrap_or_else(|| names.of(thread)),
        error: u32::try_from(error).unwrap_or(u32::MAX),
    })
}

/// What `nr_sector` and the like count in, whatever the device's sectors are.
const SECTOR: u64 = 512;

/// What an event says that has happened.
fn action(kind: Kind, at: &At<'_>) -> Option<Action> {
    let fields = at.fields;
    Some(match kind {
        Kind::Queue => Action::Queue,
        Kind::GetRequest => Action::GetRequest,
        Kind::BackMerge => Action::BackMerge,
        Kind::FrontMerge => Action::FrontMerge,
        Kind::RequestMerge => Action::RequestMerge,
        Kind::Insert => Action::Insert,
        Kind::Issue => Action::Issue,
        Kind::Complete => Action::Complete,
        Kind::Requeue => Action::Requeue,
        Kind::Remap => Action::Remap {
            from: at.device(fields.from_device)?.unwrap_or_default(),
            from_sector: at.number(fields.from_sector)?,
        },
        Kind::Split => Action::Split { new_sector: at.number(fields.new_sector)? },
        Kind::Plug => Action::Plug,
        Kind::Unplug => Action::Unplug { requests: u32::try_from(at.number(fields.requests)?).unwrap_or(0) },
        Kind::Dirtied | Kind::CallBegan(_) | Kind::CallEnded(_) | Kind::AnyCallBegan | Kind::AnyCallEnded => {
            return None;
        }
    })
}

/// The device that a backing device is named after: `8:0`. File systems without a device of
/// their own give other names (`btrfs-1`).
fn backing_device(name: &[u8]) -> Option<Device> {
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let (major, minor) = std::str::from_utf8(&name[..end]).ok()?.split_once(':')?;
    Some(Device { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backing_device_is_named_by_numbers_or_not_at_all() {
        assert_eq!(backing_device(b"254:16\0\0x"), Some(Device { major: 254, minor: 16 }));
        for name in [&b"btrfs-1\0"[..], b"", b"\0", b"8:", b"8:-1", b"\xff:1"] {
            assert_eq!(backing_device(name), None, "{name:?}");
        }
    }
}
