//! Reading back what was kept: the samples around a moment.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agent::SampleBuffer;
use machine::inventory::cgroup::LimitedGroup;
use model::Machine;
use model::trial::{ProcessUse, Window};

use super::segment::{KeptRecord, SegmentHeader, decode};
use super::{KeeperError, io_error, segments};

/// A segment whose samples are so much older than its name says is another one's.
const SPARE_NS: u64 = 700_000_000_000;

/// What was kept around a moment.
pub struct KeptTime {
    /// The machine as it was.
    pub machine: Machine,
    /// The groups that were held to a limit.
    pub groups: Vec<LimitedGroup>,
    /// The samples.
    pub buffers: Vec<SampleBuffer>,
    /// The time that was asked for, as far as it is kept, ns of the clock of then.
    pub window: Window,
    /// The same, ns since 1970.
    pub unix_ns: (u64, u64),
    /// Who used most processor time, as of the look nearest to its end.
    pub processes: Vec<ProcessUse>,
}

/// What is kept of the time of this length that ends at a moment, ns since 1970. Where the machine was described anew
/// meanwhile, or a segment ended, the part that is nearest to the moment is told.
///
/// # Errors
/// If nothing is kept of it, or the folder cannot be read.
pub fn read_at(folder: &Path, end_unix_ns: u64, length: Duration) -> Result<KeptTime, KeeperError> {
    let length_ns = length.as_nanos() as u64;
    let all = segments(folder)?;
    let ns = |at: &std::time::SystemTime| {
        at.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
    };
    let is_near = |began: u64| began <= end_unix_ns && end_unix_ns - began <= SPARE_NS + length_ns;
    let near: Vec<_> = all.iter().filter(|(_, began, _)| is_near(ns(began))).collect();
    let mut found: Option<(SegmentHeader, Kept)> = None;
    for (path, ..) in near.into_iter().rev() {
        let bytes = fs::read(path).map_err(io_error(path))?;
        let Some((header, records)) = SegmentHeader::read(&bytes) else { continue };
        let Some(mut kept) = Kept::of(&header) else { continue };
        kept.take(&header, records, end_unix_ns, length_ns);
        if kept.span().is_none() {
            continue;
        }
        match &mut found {
            // A segment before it that has the same columns goes on.
            Some((_, known)) if known.may_follow(&kept) => known.put_before(kept),
            Some(_) => break,
            None => found = Some((header, kept)),
        }
    }
    let nothing = || {
        let [first, last] = [all.first(), all.last()].map(|s| s.map(|(_, began, _)| humane(ns(began))));
        match (first, last) {
            (Some(first), Some(last)) => {
                KeeperError::Nothing(format!("segments began from {first} to {last}"))
            }
            _ => KeeperError::Nothing(format!("there are no segments in {}", folder.display())),
        }
    };
    let (header, kept) = found.ok_or_else(nothing)?;
    let window = kept.span().ok_or_else(nothing)?;
    Ok(KeptTime {
        groups: header.limited_groups(),
        unix_ns: (header.unix_ns(window.start_ns), header.unix_ns(window.end_ns)),
        window,
        processes: kept.processes,
        buffers: kept.buffers,
        machine: header.machine,
    })
}

fn humane(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or_default();
    jiff::Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}

/// The rows of one segment, or of several that follow one another.
struct Kept {
    buffers: Vec<SampleBuffer>,
    rows: Vec<Vec<(u64, Vec<u64>)>>,
    processes: Vec<ProcessUse>,
}

impl Kept {
    fn of(header: &SegmentHeader) -> Option<Self> {
        let buffers = header.buffers()?;
        let rows = buffers.iter().map(|_| Vec::new()).collect();
        Some(Self { buffers, rows, processes: Vec::new() })
    }

    fn take(&mut self, header: &SegmentHeader, records: &[u8], end_unix_ns: u64, length_ns: u64) {
        let end = header.clock_ns(end_unix_ns);
        // What is read once a second has a sample before and behind.
        let spare = 2_000_000_000;
        let wanted = end.saturating_sub(length_ns + spare)..=end;
        decode(header, records, &mut |record| match record {
            KeptRecord::Row(kind, at_ns, row) if wanted.contains(&at_ns) => {
                self.rows[kind].push((at_ns, row))
            }
            KeptRecord::Processes(at_ns, processes) if wanted.contains(&at_ns) => self.processes = processes,
            KeptRecord::Row(..) | KeptRecord::Processes(..) => {}
        });
        self.fill();
    }

    fn fill(&mut self) {
        for (buffer, rows) in self.buffers.iter_mut().zip(&self.rows) {
            let Some((first, _)) = rows.first() else { continue };
            buffer.start(*first, 1_000_000_000);
            rows.iter().for_each(|(at, row)| buffer.take_row(*at, row));
        }
    }

    fn span(&self) -> Option<Window> {
        let span = self.buffers.first()?.span()?;
        (span.end_ns > span.start_ns).then_some(span)
    }

    fn may_follow(&self, earlier: &Self) -> bool {
        let same = |(a, b): (&SampleBuffer, &SampleBuffer)| a.sampled_columns() == b.sampled_columns();
        let in_order = earlier.span().zip(self.span()).is_some_and(|(a, b)| a.end_ns < b.start_ns);
        in_order && self.buffers.iter().zip(&earlier.buffers).all(same)
    }

    fn put_before(&mut self, earlier: Self) {
        for (own, mut before) in self.rows.iter_mut().zip(earlier.rows) {
            before.append(own);
            *own = before;
        }
        self.fill();
    }
}
