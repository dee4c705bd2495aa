//! Writing: blocks as they fill, and the totals at the end.

use std::io::Write;

use super::codec::{Source, put};
use super::encode::Encoder;
use super::frame::{Frame, FrameKind, Packing};
use super::header::SavedHeader;
use crate::event::TraceRecord;
use crate::format::{FormatError, RecordWriter, write_all};

/// A block is written when it has so many bytes: large enough to be packed well, small enough
/// that little is lost with it.
const BLOCK_BYTES: usize = 1 << 18;

/// What a whole trace has, which its footer says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedTotals {
    /// Records.
    pub records: u64,
    /// Blocks.
    pub blocks: u64,
    /// The time of the earliest record; 0 where there is none.
    pub first_ns: u64,
    /// The time of the latest record; 0 where there is none.
    pub last_ns: u64,
    /// Events that the records say were lost.
    pub lost: u64,
    /// Places where an unknown number was lost.
    pub uncounted_losses: u64,
}

impl SavedTotals {
    /// Counts a record.
    pub(super) fn add(&mut self, record: &TraceRecord) {
        let time_ns = record.time_ns();
        if self.records == 0 {
            (self.first_ns, self.last_ns) = (time_ns, time_ns);
        }
        self.records += 1;
        self.first_ns = self.first_ns.min(time_ns);
        self.last_ns = self.last_ns.max(time_ns);
        if let TraceRecord::Lost { events, .. } = record {
            self.lost = self.lost.saturating_add(events.unwrap_or(0));
            self.uncounted_losses += u64::from(events.is_none());
        }
    }

    /// The footer. Numbers that came later would follow.
    fn to_bytes(self) -> Vec<u8> {
        let Self { records, blocks, first_ns, last_ns, lost, uncounted_losses } = self;
        let mut out = Vec::new();
        for number in [records, blocks, first_ns, last_ns, lost, uncounted_losses] {
            put(&mut out, number);
        }
        out
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut source = Source(bytes);
        Some(Self {
            records: source.number()?,
            blocks: source.number()?,
            first_ns: source.number()?,
            last_ns: source.number()?,
            lost: source.number()?,
            uncounted_losses: source.number()?,
        })
    }
}

/// Writes a saved trace.
#[derive(Debug)]
pub struct SavedWriter<W> {
    output: W,
    encoder: Encoder,
    totals: SavedTotals,
}

impl<W: Write> SavedWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// If it is too long, or cannot be written.
    pub fn new(mut output: W, header: &SavedHeader) -> Result<Self, FormatError> {
        header.write(&mut output)?;
        Ok(Self { output, encoder: Encoder::default(), totals: SavedTotals::default() })
    }

    /// What was taken so far.
    #[must_use]
    pub const fn totals(&self) -> SavedTotals {
        self.totals
    }

    /// Writes what waits for its block to fill, so that it is safe from whatever happens to
    /// this process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> Result<(), FormatError> {
        self.block()?;
        self.output.flush().map_err(FormatError::Write)
    }

    /// What was written to.
    #[must_use]
    pub fn into_output(self) -> W {
        self.output
    }

    fn block(&mut self) -> Result<(), FormatError> {
        if self.encoder.records() == 0 {
            return Ok(());
        }
        let (records, range_ns) = (self.encoder.records(), self.encoder.range_ns());
        frame(&mut self.output, FrameKind::Block, self.encoder.bytes(), records, range_ns)?;
        self.totals.blocks += 1;
        self.encoder.clear();
        Ok(())
    }
}

impl<W: Write> RecordWriter for SavedWriter<W> {
    fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError> {
        self.encoder.record(record)?;
        self.totals.add(record);
        if self.encoder.bytes().len() >= BLOCK_BYTES { self.block() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), FormatError> {
        self.block()?;
        let totals = self.totals;
        let range_ns = (totals.first_ns, totals.last_ns);
        frame(&mut self.output, FrameKind::Footer, &totals.to_bytes(), 0, range_ns)?;
        self.output.flush().map_err(FormatError::Write)
    }
}

/// Writes bytes, packed where this makes them fewer.
fn frame(
    output: &mut impl Write,
    kind: FrameKind,
    bytes: &[u8],
    records: u32,
    (first_ns, last_ns): (u64, u64),
) -> Result<(), FormatError> {
    let packed = lz4_flex::block::compress(bytes);
    let (packing, payload) =
        if packed.len() < bytes.len() { (Packing::Lz4, packed.as_slice()) } else { (Packing::Plain, bytes) };
    let frame = Frame {
        kind,
        packing,
        records,
        bytes: bytes.len() as u32,
        packed_bytes: payload.len() as u32,
        first_ns,
        last_ns,
        checksum: crc32c::crc32c(payload),
    };
    write_all(output, &frame.to_bytes())?;
    write_all(output, payload)
}
