//! The binary files of blktrace, `NAME.blktrace.N` for each CPU: what blkparse, btt,
//! iowatcher and fio's `read_iolog` read.
//!
//! blkparse looks for the files of CPUs from 0 on until one is missing, so there must be one
//! for each CPU up to the last, even if it is empty.

mod input;
pub(crate) mod raw;
mod read;
mod read_ahead;
mod sequence;
mod summary;
mod write;

pub use read::BlktraceReader;
pub(crate) use sequence::Sequences;
pub use summary::{BlktraceSummary, WallClock};
pub use write::BlktraceWriter;

use super::{FormatSpec, TraceContent};

/// The format.
pub static SPEC: FormatSpec = FormatSpec {
    name: "blktrace",
    about: "blktrace's binary files, one for each CPU, for blkparse, btt, iowatcher and fio",
    content: TraceContent::Records,
    is_written: true,
    begins: Some(begins),
    count: Some(read::count),
};

fn begins(head: &[u8]) -> bool {
    raw::ByteOrder::of(head).is_some()
}
