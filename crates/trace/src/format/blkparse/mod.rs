//! The text that blkparse prints of a trace: a line for each event, and tables at the end.
//!
//! Written after `blkparse_fmt.c` and `blkparse.c` of blktrace 1.2.0, so that its output of
//! the same capture is the same but for these, where this text is nearer to the truth:
//! - The name of a thread is the one it had at the event; blkparse keeps the first one.
//! - A new sector after a split is whole; blkparse cuts it to 32 bits.
//! - Lost events are skips; blkparse sees these only in a stream.
//! - Numbers have no separators, as where the machine lacks the locale `en_US`.
//! - Of commands that a program sends itself all count as reads, and their bytes are not shown.
//!
//! Of events at the same nanosecond on two CPUs either may be first.

mod line;
mod totals;

use std::io::Write;

use totals::Totals;

use super::blktrace::{Sequences, raw};
use super::{FormatError, FormatSpec, RecordWriter, TraceContent, write_all};
use crate::event::{BlockEvent, Device, TraceRecord};

/// The format.
pub static SPEC: FormatSpec = FormatSpec {
    name: "blkparse",
    about: "the text that blkparse prints: a line for each event, then tables of totals",
    content: TraceContent::Records,
    is_written: true,
    begins: None,
    count: None,
};

/// Writes the text.
#[derive(Debug)]
pub struct BlkparseWriter<W> {
    output: W,
    name: String,
    device: Device,
    sequences: Sequences,
    /// The time of the first event, from which blkparse counts.
    begin_ns: Option<u64>,
    totals: Totals,
    line: Vec<u8>,
}

impl<W: Write> BlkparseWriter<W> {
    /// Of a trace of `device`, which the tables call `name`.
    pub fn new(output: W, name: &str, device: Device) -> Self {
        Self {
            output,
            name: name.to_owned(),
            device,
            sequences: Sequences::default(),
            begin_ns: None,
            totals: Totals::default(),
            line: Vec::new(),
        }
    }

    /// What was written to.
    #[must_use]
    pub fn into_output(self) -> W {
        self.output
    }

    fn event(&mut self, event: &BlockEvent) -> Result<(), FormatError> {
        let begin_ns = *self.begin_ns.get_or_insert(event.time_ns);
        let device = event.device.unwrap_or(self.device);
        let number = self.sequences.next(device, event.cpu);
        let mut raw = raw::raw_of(event, device, number);
        raw.time_ns = event.time_ns.saturating_sub(begin_ns);
        self.totals.event(event, &raw);
        self.line.clear();
        line::put(&mut self.line, event, &raw);
        write_all(&mut self.output, &self.line)
    }
}

impl<W: Write> RecordWriter for BlkparseWriter<W> {
    fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError> {
        match record {
            TraceRecord::Block(event) => self.event(event),
            TraceRecord::Lost { cpu, events, .. } => {
                self.sequences.leave_out(self.device, *cpu, events.unwrap_or(0));
                self.totals.lost(*events);
                Ok(())
            }
            TraceRecord::Dirtied { .. } | TraceRecord::Synced { .. } => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<(), FormatError> {
        let text = self.totals.text(&self.name);
        write_all(&mut self.output, text.as_bytes())?;
        self.output.flush().map_err(FormatError::Write)
    }
}
