//! Our own files of traces. What they look like, byte by byte, is in
//! `docs/concepts/saved-traces.md`.
//!
//! A header says of which machine and devices the trace is. Blocks follow, each of which can
//! be read without the others, with a checksum. A footer has the totals; a file without it
//! was not finished, and what is whole of it is still read.

mod codec;
mod decode;
mod encode;
mod frame;
mod header;
mod read;
mod write;

use super::{FormatSpec, TraceContent};

pub use header::{SavedDevice, SavedHeader, SavedPartition};
pub use read::{SavedReader, SavedSummary};
pub use write::{SavedTotals, SavedWriter};

/// The format.
pub static SPEC: FormatSpec = FormatSpec {
    name: "headroom",
    about: "a saved trace: all records, of which machine and devices, compressed and with checksums",
    content: TraceContent::Records,
    is_written: true,
    begins: Some(begins),
    count: Some(read::count),
};

/// The first bytes. As in PNG: a byte that is no text, and ends of lines, by which a file
/// that was moved as text is noticed.
const MAGIC: &[u8; 8] = b"\x89HRT\r\n\x1a\n";
/// The version that is written, and the only one that is read.
const VERSION: u16 = 1;

fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// The calls that are noted as waiting for data to be on the medium. A number in a file is a
/// place in this list, so new ones go to the end. The first is for what is not in it.
const CALLS: &[&str] = &["unknown", "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"];

/// So many CPUs have a place in a block.
const CPUS_MAX: u32 = 1 << 16;
