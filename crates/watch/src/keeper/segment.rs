//! A segment: a line of JSON that says what the columns are, then records. Each has its length, a checksum (CRC-32C), and
//! what changed since the record of its kind before: for each column the difference, in as few bytes as it needs, and runs
//! of columns that did not change in two.

use std::time::{SystemTime, UNIX_EPOCH};

use agent::{SampleBuffer, SampledColumn};
use engine::clock;
use machine::inventory::cgroup::LimitedGroup;
use machine::sampler::{SamplerColumn, ValueKind};
use model::machine::IoThrottle;
use model::trial::ProcessUse;
use model::{Machine, SeriesName, Unit};
use serde::{Deserialize, Serialize};

/// The name and version of the format.
const FORMAT: &str = "headroom.watch/1";
/// Longer records are no records.
const RECORD_MAX: usize = 16 << 20;
/// The kind of the record of processes; smaller ones are the number of the buffer.
const PROCESSES: u8 = 255;

/// What a segment begins with.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SegmentHeader {
    format: String,
    /// When it began: ns since 1970, and ns of the monotonic clock.
    pub(super) unix_ns: u64,
    pub(super) monotonic_ns: u64,
    pub(super) machine: Machine,
    pub(super) groups: Vec<KeptGroup>,
    columns: Vec<Vec<KeptColumn>>,
}

/// A control group that was held to a limit.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptGroup {
    path: String,
    cpu: Option<f64>,
    memory: Option<u64>,
    io: Vec<IoThrottle>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptColumn {
    source: String,
    resource: String,
    name: String,
    gauge: bool,
    unit: Unit,
    scale: f64,
    bias: u64,
}

impl KeptColumn {
    fn of(of: &SampledColumn) -> Self {
        let column = &of.column;
        Self {
            source: of.source.clone(),
            resource: column.resource.to_string(),
            name: column.name.to_owned(),
            gauge: column.nature == ValueKind::Gauge,
            unit: column.unit,
            scale: column.scale,
            bias: column.bias,
        }
    }

    fn column(&self) -> Option<SampledColumn> {
        let name = SeriesName::intern(&self.name)?.as_str();
        let nature = if self.gauge { ValueKind::Gauge } else { ValueKind::Counter };
        let (unit, scale, bias) = (self.unit, self.scale, self.bias);
        let resource = self.resource.as_str().into();
        let column = SamplerColumn { resource, name, nature, unit, scale, bias };
        Some(SampledColumn { source: self.source.clone(), column })
    }
}

impl SegmentHeader {
    pub(super) fn of(
        machine: &Machine,
        groups: &[LimitedGroup],
        buffers: &[&SampleBuffer],
        now: SystemTime,
    ) -> Self {
        let group = |group: &LimitedGroup| KeptGroup {
            path: group.path.clone(),
            cpu: group.cpu_quota,
            memory: group.memory_bytes,
            io: group.io.clone(),
        };
        let columns = |buffer: &&SampleBuffer| buffer.sampled_columns().iter().map(KeptColumn::of).collect();
        Self {
            format: FORMAT.to_owned(),
            unix_ns: now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64),
            monotonic_ns: clock::now_ns(),
            machine: machine.clone(),
            groups: groups.iter().map(group).collect(),
            columns: buffers.iter().map(columns).collect(),
        }
    }

    pub(super) fn written(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }

    /// The header, and the records behind it.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let header: Self = serde_json::from_slice(&bytes[..end]).ok()?;
        (header.format == FORMAT).then(|| (header, &bytes[end + 1..]))
    }

    pub(super) fn encoder(&self) -> Encoder {
        Encoder { rows: self.columns.iter().map(|columns| (0, vec![0; columns.len()])).collect(), looked: 0 }
    }

    /// A buffer for each kind of row; none where the names are more than may be kept.
    pub(super) fn buffers(&self) -> Option<Vec<SampleBuffer>> {
        let buffer = |columns: &Vec<KeptColumn>| {
            let columns: Option<Vec<SampledColumn>> = columns.iter().map(KeptColumn::column).collect();
            let mut buffer = SampleBuffer::of_columns(columns?);
            buffer.start(self.monotonic_ns, 1_000_000_000);
            Some(buffer)
        };
        self.columns.iter().map(buffer).collect()
    }

    /// The groups, as they were.
    pub(super) fn limited_groups(&self) -> Vec<LimitedGroup> {
        let group =
            |kept: &KeptGroup| LimitedGroup::kept(kept.path.clone(), kept.cpu, kept.memory, kept.io.clone());
        self.groups.iter().map(group).collect()
    }

    /// When something was that the monotonic clock says, ns since 1970.
    pub(super) fn unix_ns(&self, at_ns: u64) -> u64 {
        (self.unix_ns + at_ns).saturating_sub(self.monotonic_ns)
    }

    /// The reverse.
    pub(super) fn clock_ns(&self, unix_ns: u64) -> u64 {
        (self.monotonic_ns + unix_ns).saturating_sub(self.unix_ns)
    }
}

/// Makes records of rows.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Of each buffer when its latest row was taken, and that row.
    rows: Vec<(u64, Vec<u64>)>,
    looked: u64,
}

impl Encoder {
    /// Whether the buffers have the columns of this segment.
    pub(super) fn fits(&self, buffers: &[&SampleBuffer]) -> bool {
        let widths = self.rows.iter().map(|(_, row)| row.len());
        widths.eq(buffers.iter().map(|buffer| buffer.sampled_columns().len()))
    }

    /// The records of the latest rows that are new, and of processes.
    pub(super) fn encode(&mut self, buffers: &[&SampleBuffer], processes: &[ProcessUse]) -> Vec<u8> {
        let mut out = Vec::new();
        for (kind, (buffer, (known_ns, known))) in buffers.iter().zip(&mut self.rows).enumerate() {
            let Some((at_ns, row)) =
                buffer.last().filter(|(at, row)| at > known_ns && row.len() == known.len())
            else {
                continue;
            };
            let mut payload = vec![kind as u8];
            put(&mut payload, at_ns.wrapping_sub(*known_ns));
            let mut same = 0;
            for (value, before) in row.iter().zip(&mut *known) {
                let difference = value.wrapping_sub(*before);
                if difference == 0 {
                    same += 1;
                    continue;
                }
                end_run(&mut payload, &mut same);
                put(&mut payload, zigzag(difference));
                *before = *value;
            }
            end_run(&mut payload, &mut same);
            *known_ns = at_ns;
            record(&mut out, &payload);
        }
        if !processes.is_empty() {
            let at_ns = self.rows.first().map_or(0, |(at, _)| *at);
            let mut payload = vec![PROCESSES];
            put(&mut payload, at_ns.wrapping_sub(self.looked));
            self.looked = at_ns;
            payload.extend(serde_json::to_vec(processes).unwrap_or_default());
            record(&mut out, &payload);
        }
        out
    }
}

/// What was kept, record by record.
pub(super) enum KeptRecord {
    /// A row of a buffer, and when it was taken.
    Row(usize, u64, Vec<u64>),
    /// Processes, and when they were looked at.
    Processes(u64, Vec<ProcessUse>),
}

/// Reads records until the end, or what is damaged: of a recorder that was killed the last one may be a part.
pub(super) fn decode(header: &SegmentHeader, bytes: &[u8], take: &mut dyn FnMut(KeptRecord)) {
    let mut rows = header.encoder().rows;
    let (mut rest, mut looked) = (bytes, 0u64);
    while let Some((payload, behind)) = next_record(rest) {
        rest = behind;
        let Some((kind, mut payload)) = payload.split_first() else { return };
        let Some(step) = get(&mut payload) else { return };
        if *kind == PROCESSES {
            looked = looked.wrapping_add(step);
            let Ok(processes) = serde_json::from_slice(payload) else { return };
            take(KeptRecord::Processes(looked, processes));
            continue;
        }
        let Some((at_ns, row)) = rows.get_mut(usize::from(*kind)) else { return };
        if !apply(row, &mut payload) {
            return;
        }
        *at_ns = at_ns.wrapping_add(step);
        take(KeptRecord::Row(usize::from(*kind), *at_ns, row.clone()));
    }
}

/// Changes a row as a record says; whether that was sound.
fn apply(row: &mut [u64], payload: &mut &[u8]) -> bool {
    let mut place = 0;
    while place < row.len() {
        let Some(code) = get(payload) else { return false };
        if code == 0 {
            let Some(length) = get(payload).and_then(|length| usize::try_from(length).ok()) else {
                return false;
            };
            place = place.saturating_add(length).saturating_add(1);
        } else {
            row[place] = row[place].wrapping_add(unzigzag(code));
            place += 1;
        }
    }
    place == row.len()
}

fn next_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > RECORD_MAX || length > rest.len() {
        return None;
    }
    let (payload, behind) = rest.split_at(length);
    (crc32c::crc32c(payload) == u32::from_le_bytes(*sum)).then_some((payload, behind))
}

fn record(out: &mut Vec<u8>, payload: &[u8]) {
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(crc32c::crc32c(payload).to_le_bytes());
    out.extend(payload);
}

/// Ends a run of columns that are as before: a 0, and how many but one.
fn end_run(payload: &mut Vec<u8>, same: &mut u64) {
    if *same > 0 {
        payload.push(0);
        put(payload, *same - 1);
        *same = 0;
    }
}

/// Seven bits in each byte, the lowest first.
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn get(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Small differences either way become small numbers; what is none is never 0.
fn zigzag(difference: u64) -> u64 {
    let signed = difference.cast_signed();
    ((signed << 1) ^ (signed >> 63)).cast_unsigned()
}

fn unzigzag(code: u64) -> u64 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}
