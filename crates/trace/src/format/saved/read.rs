//! Reading: record by record, one block in memory. What is damaged is passed over and
//! counted; a file that ends too early is read to there.

use std::io::{BufReader, Read};

use super::decode::Decoder;
use super::frame::{FRAME_BYTES, Frame, FrameKind, Packing};
use super::header::SavedHeader;
use super::write::SavedTotals;
use crate::event::TraceRecord;
use crate::format::source::ByteSource;
use crate::format::{EachRecord, FormatError, RecordReader, read_full};

/// How a saved trace was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedSummary {
    /// What was read.
    pub read: SavedTotals,
    /// What the footer says that there is; nothing where there is none.
    pub written: Option<SavedTotals>,
    /// Blocks that are not what was written.
    pub damaged_blocks: u64,
    /// How many records these had, as far as it can be told.
    pub damaged_records: u64,
    /// Bytes between blocks that are part of none.
    pub skipped_bytes: u64,
    /// Whether the file ends inside of a block.
    pub is_torn: bool,
}

impl SavedSummary {
    /// Whether all that was written was read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_damaged = self.damaged_blocks > 0 || self.skipped_bytes > 0 || self.is_torn;
        !is_damaged && self.written == Some(self.read)
    }
}

/// Reads a saved trace.
#[derive(Debug)]
pub struct SavedReader<'a> {
    reader: BufReader<ByteSource<'a>>,
    header: SavedHeader,
    block: Decoder,
    /// How many records the block still has.
    left: u32,
    summary: SavedSummary,
    is_ended: bool,
}

impl<'a> SavedReader<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it is of something else or of another version, or damaged.
    pub fn new(reader: impl Read + Send + 'a) -> Result<Self, FormatError> {
        Self::of(ByteSource::new(reader))
    }

    fn of(source: ByteSource<'a>) -> Result<Self, FormatError> {
        let mut reader = BufReader::with_capacity(1 << 16, source);
        let header = SavedHeader::read(&mut reader)?;
        let (block, summary) = (Decoder::default(), SavedSummary::default());
        Ok(Self { reader, header, block, left: 0, summary, is_ended: false })
    }

    /// Of what the trace is.
    #[must_use]
    pub const fn header(&self) -> &SavedHeader {
        &self.header
    }

    /// How it was read so far; at the end, whether it is whole.
    #[must_use]
    pub const fn summary(&self) -> SavedSummary {
        self.summary
    }

    fn next_record(&mut self) -> Result<Option<TraceRecord>, FormatError> {
        loop {
            if self.left > 0 {
                if let Some(record) = self.block.record() {
                    self.left -= 1;
                    self.summary.read.add(&record);
                    if self.left == 0 {
                        self.end_block();
                    }
                    return Ok(Some(record));
                }
                self.damaged(self.left);
                self.left = 0;
            }
            if !self.next_block()? {
                return Ok(None);
            }
        }
    }

    /// After the last record of a block nothing must follow.
    fn end_block(&mut self) {
        if self.block.is_empty() {
            self.summary.read.blocks += 1;
        } else {
            self.damaged(0);
        }
    }

    fn damaged(&mut self, records: u32) {
        self.summary.damaged_blocks += 1;
        self.summary.damaged_records += u64::from(records);
    }

    /// Goes on to the next block; `false` where none follows.
    fn next_block(&mut self) -> Result<bool, FormatError> {
        while let Some(frame) = self.next_frame()? {
            let mut payload = vec![0; frame.packed_bytes as usize];
            if read_full(&mut self.reader, &mut payload)? < payload.len() {
                self.summary.is_torn = true;
                return Ok(false);
            }
            let unpacked =
                if crc32c::crc32c(&payload) == frame.checksum { unpack(&frame, payload) } else { None };
            match (frame.kind, unpacked) {
                (FrameKind::Block, Some(bytes)) if frame.records > 0 => {
                    self.left = frame.records;
                    self.block = Decoder::new(bytes);
                    return Ok(true);
                }
                (FrameKind::Block, _) => self.damaged(frame.records),
                (FrameKind::Footer, bytes) => {
                    self.summary.written = bytes.and_then(|bytes| SavedTotals::from_bytes(&bytes));
                    if self.summary.written.is_none() {
                        self.damaged(0);
                    }
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }

    /// The next frame; what is between is passed over.
    fn next_frame(&mut self) -> Result<Option<Frame>, FormatError> {
        let mut head = [0; FRAME_BYTES];
        let filled = read_full(&mut self.reader, &mut head)?;
        if filled < FRAME_BYTES {
            self.summary.is_torn |= filled > 0;
            return Ok(None);
        }
        loop {
            if let Some(frame) = Frame::from_bytes(&head) {
                return Ok(Some(frame));
            }
            self.summary.skipped_bytes += 1;
            head.copy_within(1.., 0);
            if read_full(&mut self.reader, &mut head[FRAME_BYTES - 1..])? == 0 {
                self.summary.skipped_bytes += FRAME_BYTES as u64 - 1;
                return Ok(None);
            }
        }
    }
}

impl Iterator for SavedReader<'_> {
    type Item = Result<TraceRecord, FormatError>;

    /// The next record; nothing comes after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_ended {
            return None;
        }
        let next = self.next_record().transpose();
        self.is_ended = !matches!(next, Some(Ok(_)));
        next
    }
}

impl RecordReader for SavedReader<'_> {
    fn read_records(&mut self, records: &mut Vec<TraceRecord>, most: usize) -> Result<bool, FormatError> {
        EachRecord(self).read_records(records, most)
    }
}

/// The bytes of a block as they were before they were packed.
fn unpack(frame: &Frame, payload: Vec<u8>) -> Option<Vec<u8>> {
    let bytes = frame.bytes as usize;
    match frame.packing {
        Packing::Plain => (payload.len() == bytes).then_some(payload),
        Packing::Lz4 => {
            let mut out = vec![0; bytes];
            let unpacked = lz4_flex::block::decompress_into(&payload, &mut out).ok()?;
            (unpacked == bytes).then_some(out)
        }
    }
}

/// How many records are in these bytes.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let Ok(reader) = SavedReader::new(bytes) else { return 0 };
    reader.filter(Result::is_ok).count() as u64
}
