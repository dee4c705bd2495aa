//! What is asked for: operations, sizes, and where the next one begins.
//!
//! The same is counted of bios as they are queued and of requests as they are issued; the
//! difference is what merging and splitting made of them.

use std::cmp::Reverse;

use super::values::{ValueRecorder, ValueSummary};
use crate::event::{BlockEvent, IoDirection};

/// The bytes of a sector, whatever the device's own block is.
pub const SECTOR_BYTES: u64 = 512;

/// The kinds of I/O that are counted apart because they cost differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoClass {
    /// Reads.
    Read,
    /// Writes of data.
    Write,
    /// Discards, erases, zeroes and what is done to zones: ranges without data.
    Other,
}

impl IoClass {
    /// All of them, in the order of arrays.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Other];

    /// Which one it is; nothing for flushes and for commands past the file system.
    #[must_use]
    pub const fn of(direction: IoDirection) -> Option<Self> {
        match direction {
            IoDirection::None | IoDirection::Flush => None,
            IoDirection::Read => Some(Self::Read),
            IoDirection::Write => Some(Self::Write),
            IoDirection::Discard
            | IoDirection::SecureErase
            | IoDirection::WriteZeroes
            | IoDirection::Zone => Some(Self::Other),
        }
    }
}

/// How many of each operation there were. The flags are counted beside the operations, and one
/// operation may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationMix {
    /// All.
    pub total: u64,
    /// Reads.
    pub reads: u64,
    /// Writes with data.
    pub writes: u64,
    /// Flushes without data: of the device's cache, or a write of nothing that asks for one.
    pub flushes: u64,
    /// Discards.
    pub discards: u64,
    /// Secure erases.
    pub secure_erases: u64,
    /// Writes of zeroes.
    pub write_zeroes: u64,
    /// Operations on zones.
    pub zone_operations: u64,
    /// Commands past the file system.
    pub passthrough: u64,
    /// With a flush before it, and not one itself.
    pub preflush: u64,
    /// On the medium when completed.
    pub fua: u64,
    /// Waited for.
    pub sync: u64,
    /// The file system's own data.
    pub meta: u64,
    /// Read ahead.
    pub ahead: u64,
    /// In one piece or not at all.
    pub atomic: u64,
}

impl OperationMix {
    fn take(&mut self, event: &BlockEvent) {
        let flags = event.operation.flags;
        self.total += 1;
        let kind = match event.operation.direction {
            _ if is_flush(event) => &mut self.flushes,
            IoDirection::None => &mut self.passthrough,
            IoDirection::Read => &mut self.reads,
            IoDirection::Write => &mut self.writes,
            IoDirection::Discard => &mut self.discards,
            IoDirection::SecureErase => &mut self.secure_erases,
            IoDirection::Flush => &mut self.flushes,
            IoDirection::WriteZeroes => &mut self.write_zeroes,
            IoDirection::Zone => &mut self.zone_operations,
        };
        *kind += 1;
        // The kernel marks a flush itself so, too (`blk_kick_flush` in `block/blk-flush.c`).
        let is_flush = event.operation.direction == IoDirection::Flush;
        self.preflush += u64::from(flags.preflush && !is_flush);
        self.fua += u64::from(flags.fua);
        self.sync += u64::from(flags.sync);
        self.meta += u64::from(flags.meta);
        self.ahead += u64::from(flags.ahead);
        self.atomic += u64::from(flags.atomic);
    }
}

/// Whether it moves no data and asks that the device's cache be flushed.
pub(super) const fn is_flush(event: &BlockEvent) -> bool {
    event.bytes == 0
        && (event.operation.flags.preflush || matches!(event.operation.direction, IoDirection::Flush))
}

/// How often one size came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeCount {
    /// The size in bytes. Exact up to 1 MiB, and above for multiples of 4 KiB up to 8 MiB;
    /// else 0.1 % too low at most.
    pub bytes: u64,
    /// How often.
    pub count: u64,
}

/// The sizes of one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SizeReport {
    /// How many had a size.
    pub count: u64,
    /// Bytes together, in whole sectors.
    pub bytes: u64,
    /// Half are not larger.
    pub median_bytes: Option<u64>,
    /// The smallest.
    pub min_bytes: Option<u64>,
    /// The largest.
    pub max_bytes: Option<u64>,
    /// The sizes, the most frequent first, [`SIZES_MAX`] at most.
    pub sizes: Vec<SizeCount>,
    /// How many had another size than these.
    pub others: u64,
}

impl SizeReport {
    /// The share of the size that came most often, and the size.
    #[must_use]
    pub fn commonest(&self) -> Option<(SizeCount, f64)> {
        let first = *self.sizes.first()?;
        (self.count > 0).then(|| (first, first.count as f64 / self.count as f64))
    }
}

/// Sizes that are named one by one in a report.
pub const SIZES_MAX: usize = 64;

fn size_report(sectors: &ValueRecorder) -> SizeReport {
    let mut sizes: Vec<SizeCount> =
        sectors.counts().map(|(sectors, count)| SizeCount { bytes: in_bytes(sectors), count }).collect();
    sizes.sort_by_key(|size| (Reverse(size.count), size.bytes));
    let others = sizes.iter().skip(SIZES_MAX).map(|size| size.count).sum();
    sizes.truncate(SIZES_MAX);
    let summary = sectors.clone().summary();
    SizeReport {
        count: summary.count,
        bytes: u64::try_from(summary.total).unwrap_or(u64::MAX).saturating_mul(SECTOR_BYTES),
        median_bytes: sectors.median().map(in_bytes),
        min_bytes: summary.min.map(in_bytes),
        max_bytes: summary.max.map(in_bytes),
        sizes,
        others,
    }
}

const fn in_bytes(sectors: u64) -> u64 {
    sectors.saturating_mul(SECTOR_BYTES)
}

/// Streams that are followed at once in [`SequenceCounts::in_streams`].
pub const STREAMS: usize = 16;

/// How many began where an earlier one had ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceCounts {
    /// All with a size.
    pub count: u64,
    /// Those that began in the very sector where the one before, of the same class on the
    /// same device, had ended.
    pub sequential: u64,
    /// Those that began where any of the [`STREAMS`] places that were last written or read
    /// on ended: several files in order at once are sequential here. Never fewer.
    pub in_streams: u64,
}

impl SequenceCounts {
    /// The sequential share of those that had one before them.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        self.of_followers(self.sequential)
    }

    /// The share that continued one of several streams.
    #[must_use]
    pub fn share_in_streams(&self) -> Option<f64> {
        self.of_followers(self.in_streams)
    }

    fn of_followers(&self, part: u64) -> Option<f64> {
        (self.count > 1).then(|| part as f64 / (self.count - 1) as f64)
    }
}

/// Follows where things end.
#[derive(Clone, Debug)]
struct SequenceRecorder {
    counts: SequenceCounts,
    /// Where the last ones ended, the latest first.
    ends: [u64; STREAMS],
}

/// No request begins here.
const NOWHERE: u64 = u64::MAX;

impl Default for SequenceRecorder {
    fn default() -> Self {
        Self { counts: SequenceCounts::default(), ends: [NOWHERE; STREAMS] }
    }
}

impl SequenceRecorder {
    fn take(&mut self, start: u64, end: u64) {
        self.counts.count += 1;
        let found = self.ends.iter().position(|place| *place == start && start != NOWHERE);
        if let Some(place) = found {
            self.counts.in_streams += 1;
            self.counts.sequential += u64::from(place == 0);
        }
        // The stream that went on comes first, or a new one takes the place of the oldest.
        let place = found.unwrap_or(STREAMS - 1);
        if place > 0 {
            self.ends[..=place].rotate_right(1);
        }
        self.ends[0] = end;
    }
}

/// How far the next one lay, as btt measures it.
#[derive(Clone, Debug, Default)]
struct SeekRecorder {
    last: Option<(u64, u64)>,
    distances: ValueRecorder,
}

impl SeekRecorder {
    fn take(&mut self, start: u64, end: u64) {
        if let Some((last_start, last_end)) = self.last {
            let within = |sector: u64| (last_start..=last_end).contains(&sector);
            let distance = if within(start) || within(end) {
                0
            } else if start > last_end {
                start - last_end
            } else {
                last_start.abs_diff(start)
            };
            self.distances.record(distance);
        }
        self.last = Some((start, end));
    }
}

/// What came at one point of its way, queued or issued.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficReport {
    /// The operations.
    pub mix: OperationMix,
    /// The sizes, in the order of [`IoClass::ALL`].
    pub sizes: [SizeReport; 3],
    /// What was sequential, in the order of [`IoClass::ALL`].
    pub sequence: [SequenceCounts; 3],
    /// The distance in sectors from the one before, of whatever class: 0 where the two touch or
    /// overlap, else to the nearer end of it going forward, to its start going back (btt's
    /// seeks; btt also counts the first one, from sector 0).
    pub seeks_sectors: ValueSummary,
}

impl TrafficReport {
    /// The sizes of a class.
    #[must_use]
    pub const fn sizes_of(&self, class: IoClass) -> &SizeReport {
        &self.sizes[class as usize]
    }

    /// What was sequential of a class.
    #[must_use]
    pub const fn sequence_of(&self, class: IoClass) -> &SequenceCounts {
        &self.sequence[class as usize]
    }
}

/// Counts what comes at one point of its way.
#[derive(Clone, Debug, Default)]
pub(super) struct TrafficRecorder {
    mix: OperationMix,
    sizes: [ValueRecorder; 3],
    sequence: [SequenceRecorder; 3],
    seeks: SeekRecorder,
}

impl TrafficRecorder {
    pub(super) fn take(&mut self, event: &BlockEvent) {
        self.mix.take(event);
        let Some(class) = IoClass::of(event.operation.direction) else { return };
        if event.bytes == 0 {
            return;
        }
        let sectors = event.bytes.div_ceil(SECTOR_BYTES);
        let end = event.sector.saturating_add(sectors);
        self.sizes[class as usize].record(sectors);
        self.sequence[class as usize].take(event.sector, end);
        self.seeks.take(event.sector, end);
    }

    pub(super) fn report(self) -> TrafficReport {
        TrafficReport {
            mix: self.mix,
            sizes: self.sizes.each_ref().map(size_report),
            sequence: self.sequence.each_ref().map(|recorder| recorder.counts),
            seeks_sectors: self.seeks.distances.summary(),
        }
    }
}
