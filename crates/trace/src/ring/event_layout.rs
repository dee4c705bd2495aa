//! Where the events that we trace have what we read of them, on one kernel.

use super::event_format::{EventFormat, FormatField, LayoutError};
use super::page_header::PageHeader;

/// What an event is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClass {
    /// The block layer; the kernel can choose by device.
    Block,
    /// The block layer, of no device: a task begins or ends to gather its requests.
    Plugging,
    /// A page becomes dirty; the kernel can choose by the name of the backing device.
    Dirtied,
    /// A system call that asks for data to be on the medium.
    SyncCall,
    /// Any system call: what there is where kernels have no events for each.
    AnyCall,
}

/// What an event is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Queue,
    GetRequest,
    BackMerge,
    FrontMerge,
    RequestMerge,
    Insert,
    Issue,
    Complete,
    Requeue,
    Remap,
    Split,
    Plug,
    Unplug,
    Dirtied,
    CallBegan(&'static str),
    CallEnded(&'static str),
    AnyCallBegan,
    AnyCallEnded,
}

/// An event that can be traced.
#[derive(Clone, Copy, Debug)]
pub struct TracedEvent {
    /// Its folder in `events`.
    pub system: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is of.
    pub class: EventClass,
    /// Whether a trace without it says too little; every kernel that we know has it.
    pub is_required: bool,
    kind: Kind,
}

impl TracedEvent {
    /// Whether it names a second device, from which a bio came.
    #[must_use]
    pub const fn has_origin(&self) -> bool {
        matches!(self.kind, Kind::Remap)
    }
}

const fn event(system: &'static str, name: &'static str, class: EventClass, kind: Kind) -> TracedEvent {
    TracedEvent { system, name, class, is_required: false, kind }
}

const fn block(name: &'static str, kind: Kind) -> TracedEvent {
    event("block", name, EventClass::Block, kind)
}

const fn required(name: &'static str, kind: Kind) -> TracedEvent {
    TracedEvent { is_required: true, ..block(name, kind) }
}

const fn began(name: &'static str, call: &'static str) -> TracedEvent {
    event("syscalls", name, EventClass::SyncCall, Kind::CallBegan(call))
}

const fn ended(name: &'static str, call: &'static str) -> TracedEvent {
    event("syscalls", name, EventClass::SyncCall, Kind::CallEnded(call))
}

/// The events that are traced. `block_rq_error` is left out: `block_rq_complete` comes with
/// it and has the error too, so a failed request would be completed twice.
pub const EVENTS: &[TracedEvent] = &[
    required("block_bio_queue", Kind::Queue),
    block("block_getrq", Kind::GetRequest),
    block("block_bio_backmerge", Kind::BackMerge),
    block("block_bio_frontmerge", Kind::FrontMerge),
    block("block_rq_merge", Kind::RequestMerge),
    block("block_rq_insert", Kind::Insert),
    required("block_rq_issue", Kind::Issue),
    required("block_rq_complete", Kind::Complete),
    block("block_rq_requeue", Kind::Requeue),
    required("block_bio_complete", Kind::Complete),
    block("block_bio_remap", Kind::Remap),
    block("block_rq_remap", Kind::Remap),
    block("block_split", Kind::Split),
    event("block", "block_plug", EventClass::Plugging, Kind::Plug),
    event("block", "block_unplug", EventClass::Plugging, Kind::Unplug),
    event("writeback", "writeback_dirty_folio", EventClass::Dirtied, Kind::Dirtied),
    // Before Linux 5.18.
    event("writeback", "writeback_dirty_page", EventClass::Dirtied, Kind::Dirtied),
    began("sys_enter_fsync", "fsync"),
    ended("sys_exit_fsync", "fsync"),
    began("sys_enter_fdatasync", "fdatasync"),
    ended("sys_exit_fdatasync", "fdatasync"),
    began("sys_enter_sync", "sync"),
    ended("sys_exit_sync", "sync"),
    began("sys_enter_syncfs", "syncfs"),
    ended("sys_exit_syncfs", "syncfs"),
    began("sys_enter_sync_file_range", "sync_file_range"),
    ended("sys_exit_sync_file_range", "sync_file_range"),
    began("sys_enter_msync", "msync"),
    ended("sys_exit_msync", "msync"),
    event("raw_syscalls", "sys_enter", EventClass::AnyCall, Kind::AnyCallBegan),
    event("raw_syscalls", "sys_exit", EventClass::AnyCall, Kind::AnyCallEnded),
];

/// Where one event has what; each kind has its own of these.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventFields {
    pub(super) device: Option<FormatField>,
    pub(super) sector: Option<FormatField>,
    pub(super) sectors: Option<FormatField>,
    pub(super) bytes: Option<FormatField>,
    pub(super) rwbs: Option<FormatField>,
    pub(super) task: Option<FormatField>,
    pub(super) error: Option<FormatField>,
    pub(super) from_device: Option<FormatField>,
    pub(super) from_sector: Option<FormatField>,
    pub(super) new_sector: Option<FormatField>,
    pub(super) requests: Option<FormatField>,
    pub(super) backing: Option<FormatField>,
    pub(super) inode: Option<FormatField>,
    pub(super) call: Option<FormatField>,
    pub(super) result: Option<FormatField>,
}

impl EventFields {
    fn of(kind: Kind, format: &EventFormat) -> Result<Self, LayoutError> {
        let need = |name: &str| format.required(name).map(Some);
        let mut fields = Self { task: format.field("comm"), ..Self::default() };
        match kind {
            Kind::Plug | Kind::CallBegan(_) => {}
            Kind::Unplug => fields.requests = need("nr_rq")?,
            Kind::Dirtied => {
                fields.backing = need("name")?;
                fields.inode = need("ino")?;
            }
            Kind::AnyCallBegan => fields.call = need("id")?,
            Kind::CallEnded(_) => fields.result = need("ret")?,
            Kind::AnyCallEnded => {
                fields.call = need("id")?;
                fields.result = need("ret")?;
            }
            _ => {
                fields.device = need("dev")?;
                fields.sector = need("sector")?;
                fields.rwbs = need("rwbs")?;
                fields.bytes = format.field("bytes");
                if kind == Kind::Split {
                    fields.new_sector = need("new_sector")?;
                } else {
                    fields.sectors = need("nr_sector")?;
                }
            }
        }
        match kind {
            // Before Linux 4.13 it was called `errors`.
            Kind::Complete => fields.error = format.field("error").or(format.field("errors")),
            Kind::Remap => {
                fields.from_device = need("old_dev")?;
                fields.from_sector = need("old_sector")?;
            }
            _ => {}
        }
        Ok(fields)
    }
}

/// One event and where it has what.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventLayout {
    pub(super) kind: Kind,
    pub(super) fields: EventFields,
}

/// Where all traced events of one kernel have what.
#[derive(Clone, Debug)]
pub struct TraceLayout {
    header: PageHeader,
    /// The fields that all events have, from the first one that was added.
    common: Option<(FormatField, FormatField)>,
    events: Vec<EventLayout>,
    /// Which of them has a number: by the number.
    places: Vec<Option<usize>>,
    page_bytes: u64,
    calls: Vec<(u64, &'static str)>,
}

impl TraceLayout {
    /// Of pages with this head. A page of memory has `page_bytes`; `calls` are the numbers of
    /// the system calls that are looked for where all are traced.
    #[must_use]
    pub fn new(header: PageHeader, page_bytes: u64, calls: Vec<(u64, &'static str)>) -> Self {
        Self { header, common: None, events: Vec::new(), places: Vec::new(), page_bytes, calls }
    }

    /// Adds an event by the text of its `format` file.
    ///
    /// # Errors
    /// If the text lacks what is read of the event.
    pub fn add(&mut self, event: &TracedEvent, text: &str) -> Result<(), LayoutError> {
        let format = EventFormat::parse(text)?;
        let common = (format.required("common_type")?, format.required("common_pid")?);
        let known = *self.common.get_or_insert(common);
        for (field, is_same) in [("common_type", known.0 == common.0), ("common_pid", known.1 == common.1)] {
            if !is_same {
                return Err(LayoutError::Differs { event: format.name, field: field.to_owned() });
            }
        }
        let layout = EventLayout { kind: event.kind, fields: EventFields::of(event.kind, &format)? };
        let id = usize::from(format.id);
        if self.places.len() <= id {
            self.places.resize(id + 1, None);
        }
        // The same event once more is read by its last format.
        self.places[id] = Some(self.events.len());
        self.events.push(layout);
        Ok(())
    }

    /// What stands before the events of a page.
    #[must_use]
    pub const fn header(&self) -> &PageHeader {
        &self.header
    }

    /// How many bytes a page of memory has.
    pub(super) const fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// The event whose data this is, and the thread that the CPU ran.
    pub(super) fn event_of(&self, data: &[u8]) -> Option<(&EventLayout, u32)> {
        let (kind, thread) = self.common?;
        let id = usize::try_from(kind.unsigned(data)?).ok()?;
        let known = self.events.get((*self.places.get(id)?)?)?;
        let thread = thread.unsigned(data)? & u64::from(u32::MAX);
        Some((known, thread as u32))
    }

    /// The system call with this number, if it is looked for.
    pub(super) fn call(&self, number: u64) -> Option<&'static str> {
        self.calls.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_event_stands_in_the_table_once() {
        let names: BTreeSet<_> = EVENTS.iter().map(|event| (event.system, event.name)).collect();
        assert_eq!(names.len(), EVENTS.len());
        let remaps: Vec<_> = EVENTS.iter().filter(|event| event.has_origin()).map(|e| e.name).collect();
        assert_eq!(remaps, ["block_bio_remap", "block_rq_remap"]);
    }

    fn layout() -> TraceLayout {
        let field = |offset| FormatField { offset, size: 8, is_signed: false };
        TraceLayout::new(
            PageHeader { timestamp: field(0), commit: field(8), data: field(16) },
            4096,
            vec![(74, "fsync")],
        )
    }

    #[test]
    fn an_event_without_what_is_read_of_it_is_refused() {
        let plug = EVENTS.iter().find(|event| event.name == "block_unplug").unwrap();
        let text = "name: block_unplug\nID: 7\nfield:unsigned short common_type; offset:0; size:2; signed:0;\n\
            field:int common_pid; offset:4; size:4; signed:1;\nfield:int nr_rq; offset:8; size:4; signed:1;\n";
        let mut layout = layout();
        layout.add(plug, text).unwrap();
        let error = layout.add(plug, &text.replace("nr_rq", "other")).unwrap_err();
        assert_eq!(error.to_string(), "the format of block_unplug has no nr_rq");
        let moved = layout.add(plug, &text.replace("offset:4", "offset:2")).unwrap_err();
        assert!(moved.to_string().contains("has common_pid in another place"), "{moved}");
        let mut data = [0; 12];
        data[..2].copy_from_slice(&7_u16.to_ne_bytes());
        data[4..8].copy_from_slice(&99_i32.to_ne_bytes());
        let (found, thread) = layout.event_of(&data).unwrap();
        assert_eq!((found.kind, thread), (Kind::Unplug, 99));
        data[0] ^= 0xff;
        assert!(layout.event_of(&data).is_none() && layout.event_of(&data[..3]).is_none());
        assert_eq!((layout.call(74), layout.call(75)), (Some("fsync"), None));
    }
}
