//! The kernel's trace events as its ring buffer holds them: pages of events in binary, one
//! buffer a CPU, and the `format` files of tracefs that say what is where in them. What is
//! read here differs from kernel to kernel, so every field is looked up by its name, and
//! numbers are in this machine's byte order: pages of another machine are not read.
//!
//! Pages go in lots to the [`StreamMerge`] of all CPUs, which has a [`CpuDecoder`] for each, and out of it
//! come records in order of time. Nothing here reads the machine.

mod decode;
mod event_format;
mod event_layout;
mod merge;
mod page;
mod page_header;
mod page_lot;
mod page_stream;
mod rwbs;
mod sync_calls;
mod task_names;

pub use decode::{CpuDecoder, DecodeCounts, Decoded};
pub use event_format::{EventFormat, FormatField, LayoutError};
pub use event_layout::{EVENTS, EventClass, TraceLayout, TracedEvent};
pub use merge::StreamMerge;
pub use page::{PageError, PageEvents, RawEvent, RingPage};
pub use page_header::PageHeader;
pub use page_lot::{LOT_BYTES, PageLot};
pub use rwbs::operation_of;
pub use task_names::NameLookup;
