//! The formats in which traces are read and written: each is a folder here and a line in
//! [`FORMATS`].
//!
//! All of them are pure: they read from a reader and write to a writer, and keep no more
//! than a bounded part of the trace in memory, whatever the bytes are.

pub mod blkparse;
pub mod blktrace;
mod error;
pub mod iolog;
pub mod saved;
mod source;

use std::io::{self, ErrorKind, Read};

pub use error::{FormatError, LineProblem};

use crate::event::TraceRecord;

/// What a format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceContent {
    /// What happened: records.
    Records,
    /// What to do: the steps of a replay.
    Steps,
}

/// One format.
#[derive(Debug)]
pub struct FormatSpec {
    /// What it is called, here and on the command line.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What it holds.
    pub content: TraceContent,
    /// Whether it can be written.
    pub is_written: bool,
    /// Whether a file that begins so is of this format; nothing where it cannot be read.
    pub begins: Option<fn(&[u8]) -> bool>,
    /// Reads all of a file and says how many records or steps were whole, for fuzzers: any
    /// bytes must end in a number.
    pub count: Option<fn(&[u8]) -> u64>,
}

/// All formats, in the order of documentation.
pub static FORMATS: &[&FormatSpec] =
    &[&saved::SPEC, &blkparse::SPEC, &blktrace::SPEC, &iolog::SPEC_V3, &iolog::SPEC_V2];

/// How many bytes of a file [`recognize`] needs.
pub const RECOGNIZED_BYTES: usize = 32;

/// Which format begins so. Two lines of the table can never both fit.
#[must_use]
pub fn recognize(head: &[u8]) -> Option<&'static FormatSpec> {
    FORMATS.iter().find(|spec| spec.begins.is_some_and(|begins| begins(head))).copied()
}

/// What gives the records of a trace, in order of time.
pub trait RecordReader: Send {
    /// Puts the next `most` records behind `records`, or those that are left: whether more may
    /// follow.
    ///
    /// # Errors
    /// If the trace cannot be read any further. What came before is behind `records`.
    fn read_records(&mut self, records: &mut Vec<TraceRecord>, most: usize) -> Result<bool, FormatError>;
}

/// Reads what gives its records one by one.
#[derive(Debug)]
pub struct EachRecord<I>(pub I);

impl<I: Iterator<Item = Result<TraceRecord, FormatError>> + Send> RecordReader for EachRecord<I> {
    fn read_records(&mut self, records: &mut Vec<TraceRecord>, most: usize) -> Result<bool, FormatError> {
        for _ in 0..most {
            match self.0.next() {
                Some(record) => records.push(record?),
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// What takes the records of a trace, in order of time.
pub trait RecordWriter {
    /// Takes one.
    ///
    /// # Errors
    /// If it cannot be written, or the format has no place for it.
    fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError>;

    /// Writes what belongs to the end; nothing may follow.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(&mut self) -> Result<(), FormatError>;
}

/// Fills the buffer as far as there are bytes, and says how far.
fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize, FormatError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(FormatError::Read(e)),
        }
    }
    Ok(filled)
}

/// Writes all of it.
fn write_all(writer: &mut impl io::Write, bytes: &[u8]) -> Result<(), FormatError> {
    writer.write_all(bytes).map_err(FormatError::Write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_format_has_a_name_of_its_own_and_can_be_read_or_written() {
        let names: BTreeSet<_> = FORMATS.iter().map(|spec| spec.name).collect();
        assert_eq!(names.len(), FORMATS.len());
        for spec in FORMATS {
            assert!(spec.is_written || spec.begins.is_some(), "{}", spec.name);
            assert_eq!(spec.begins.is_some(), spec.count.is_some(), "{}", spec.name);
        }
    }

    #[test]
    fn files_are_known_by_how_they_begin() {
        let name = |head: &[u8]| recognize(head).map(|spec| spec.name);
        assert_eq!(name(b"fio version 2 iolog\n"), Some("iolog-v2"));
        assert_eq!(name(b"fio version 3 iolog\n0 a add\n"), Some("iolog-v3"));
        assert_eq!(name(&[0x07, 0x74, 0x61, 0x65]), Some("blktrace"));
        assert_eq!(name(&[0x65, 0x61, 0x74, 0x07]), Some("blktrace"));
        assert_eq!(name(b"\x89HRT\r\n\x1a\n"), Some("headroom"));
        for other in [&b""[..], b"fio", b"fio version 1 iolog\n", b"\x89HRT\n", b"\x7fELF"] {
            assert_eq!(name(other), None, "{other:?}");
        }
    }

    #[test]
    fn records_are_read_up_to_the_first_that_cannot_be() {
        fn lost(time_ns: u64) -> TraceRecord {
            TraceRecord::Lost { time_ns, cpu: 0, events: None }
        }
        let all = || (0..5).map(|time_ns| Ok::<_, FormatError>(lost(time_ns)));
        let mut records = Vec::new();
        let mut reader = EachRecord(all());
        assert!(reader.read_records(&mut records, 3).unwrap());
        assert_eq!(records, [lost(0), lost(1), lost(2)]);
        assert!(!reader.read_records(&mut records, 3).unwrap());
        assert_eq!(records.len(), 5);
        records.clear();
        let mut reader = EachRecord(all().chain([Err(FormatError::Header("is damaged")), Ok(lost(9))]));
        reader.read_records(&mut records, 9).unwrap_err();
        assert_eq!(records.len(), 5);
    }

    #[test]
    fn reading_goes_on_after_short_reads() {
        let mut reader = (&b"ab"[..]).chain(&b"cd"[..]);
        let mut buffer = [0; 3];
        assert_eq!(read_full(&mut reader, &mut buffer).unwrap(), 3);
        assert_eq!(&buffer, b"abc");
        assert_eq!(read_full(&mut reader, &mut buffer).unwrap(), 1);
    }
}
