//! Reading a trace and analysing it at the same time.
//!
//! One thread reads and counts each event by itself, the calling one holds events against one
//! another: that is about half of the work for each. Records go over in lots, of which there are a
//! few, so that a trace of any length takes the same memory.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, scope};

use super::counted::CountedEvents;
use super::{Analysis, Trace};
use crate::event::TraceRecord;
use crate::format::{FormatError, RecordReader};

/// Records of a lot. They have some 100 KB, so that those that were just read are in the cache of
/// the processor when they are counted.
pub(super) const LOT_RECORDS: usize = 1024;
/// Lots that go back and forth: as many can be read before the first is done.
const LOTS: usize = 4;

impl Analysis {
    /// Takes all that a reader has. Lot by lot, in order, `each` is given the same records in the
    /// calling thread.
    ///
    /// # Errors
    /// If the trace cannot be read any further. All that came before was taken.
    ///
    /// # Panics
    /// If the reader does.
    pub fn take_all(
        &mut self,
        reader: &mut dyn RecordReader,
        each: &mut dyn FnMut(&[TraceRecord]),
    ) -> Result<(), FormatError> {
        let Self { options, trace, after } = self;
        let mut lot = Vec::with_capacity(LOT_RECORDS);
        loop {
            lot.clear();
            let is_more = reader.read_records(&mut lot, LOT_RECORDS);
            let Some(first) = lot.first() else { return is_more.map(|_| ()) };
            let Trace { counted, matched } =
                trace.get_or_insert_with(|| Trace::new(options, first.time_ns()));
            let mut take = |lot: &[TraceRecord]| {
                if let Some(after) = after {
                    after.take_all(lot);
                }
                matched.take_all(lot);
                each(lot);
            };
            counted.take_all(&lot);
            take(&lot);
            if !is_more? {
                return Ok(());
            }
            // It is worth a thread, if one can be had; else it goes on as it began.
            if let Some(read) = beside(reader, counted, &mut take) {
                return read;
            }
        }
    }
}

/// Reads and counts in a thread of its own; nothing if none can be had, and then nothing was read.
fn beside(
    reader: &mut dyn RecordReader,
    counted: &mut CountedEvents,
    take: &mut dyn FnMut(&[TraceRecord]),
) -> Option<Result<(), FormatError>> {
    let (full, filled) = channel();
    let (empty, emptied) = channel();
    scope(move |scope| {
        let read = move || read_lots(reader, counted, &emptied, &full);
        let reading = Builder::new().spawn_scoped(scope, read).ok()?;
        for _ in 0..LOTS {
            // Nobody takes it if there is nothing to be read.
            let _ = empty.send(Vec::with_capacity(LOT_RECORDS));
        }
        for mut lot in filled {
            take(&lot);
            lot.clear();
            // Nor at the end.
            let _ = empty.send(lot);
        }
        Some(reading.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Fills lots, counts what is in them and passes them on.
fn read_lots(
    reader: &mut dyn RecordReader,
    counted: &mut CountedEvents,
    emptied: &Receiver<Vec<TraceRecord>>,
    full: &Sender<Vec<TraceRecord>>,
) -> Result<(), FormatError> {
    for mut lot in emptied {
        let is_more = reader.read_records(&mut lot, LOT_RECORDS);
        counted.take_all(&lot);
        if full.send(lot).is_err() || !is_more? {
            break;
        }
    }
    Ok(())
}
