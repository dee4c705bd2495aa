//! Reading: the files of all CPUs at once, in order of time.
//!
//! A file whose end is torn off, or that goes on with something else, is read as far as it
//! is whole, and the summary says so. Where the numbers of events have a gap, events were
//! lost; the records say how many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::Read;

use super::input::{Input, Shared};
use super::summary::BlktraceSummary;
use crate::event::TraceRecord;
use crate::format::source::ByteSource;
use crate::format::{EachRecord, FormatError, RecordReader};

/// Reads the records of all CPUs.
#[derive(Debug)]
pub struct BlktraceReader<'a> {
    inputs: Vec<Input<'a>>,
    /// When the next record of each file was that has any.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    shared: Shared,
    /// What failed while the record before was given.
    failed: Option<FormatError>,
}

impl<'a> BlktraceReader<'a> {
    /// From the files of a trace, in any order.
    ///
    /// # Errors
    /// If one of them begins with something else, or cannot be read.
    pub fn new<R: Read + Send + 'a>(inputs: Vec<R>) -> Result<Self, FormatError> {
        Self::of(inputs.into_iter().map(ByteSource::new).collect())
    }

    fn of(sources: Vec<ByteSource<'a>>) -> Result<Self, FormatError> {
        let mut shared = Shared::default();
        let mut heads = BinaryHeap::new();
        let mut inputs = Vec::with_capacity(sources.len());
        for (index, source) in sources.into_iter().enumerate() {
            let mut input = Input::new(index, source);
            input.fill(&mut shared)?;
            heads.extend(input.head().map(Reverse));
            inputs.push(input);
        }
        Ok(Self { inputs, heads, shared, failed: None })
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
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((_, index)) = *head;
        let Some(input) = self.inputs.get_mut(index) else { return Ok(None) };
        let record = input.take(&self.shared.names);
        if let Err(e) = input.fill(&mut self.shared) {
            input.end();
            self.failed = Some(e);
        }
        // In place: the next record is most often of the same file.
        match input.head() {
            Some(next) => *head = Reverse(next),
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(record)
    }
}

impl Iterator for BlktraceReader<'_> {
    type Item = Result<TraceRecord, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

impl RecordReader for BlktraceReader<'_> {
    fn read_records(&mut self, records: &mut Vec<TraceRecord>, most: usize) -> Result<bool, FormatError> {
        EachRecord(self).read_records(records, most)
    }
}

/// How many records are in these bytes, as a file of one CPU.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let Ok(reader) = BlktraceReader::new(vec![bytes]) else { return 0 };
    reader.filter(Result::is_ok).count() as u64
}
