//! The header: of which machine, devices and time a trace is. Its parts have numbers and
//! lengths, so that a reader can pass over parts that came later.

use std::io::{Read, Write};

use super::codec::{Source, put, put_bytes};
use super::{MAGIC, SPEC, VERSION};
use crate::event::Device;
use crate::format::{FormatError, read_full, write_all};

/// How long it may be.
const BYTES_MAX: usize = 1 << 20;
/// So many devices can be in it.
const DEVICES_MAX: usize = 1 << 12;

/// Of what a trace is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedHeader {
    /// The clock of the times, as the kernel calls it (`mono`).
    pub clock: String,
    /// The trace's time when it began.
    pub begin_ns: u64,
    /// Nanoseconds since 1970 at that moment, where they are known.
    pub begin_unix_ns: Option<u64>,
    /// The machine's name.
    pub machine: String,
    /// The kernel's release.
    pub kernel: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The words of the command that was traced, if one was.
    pub command: Vec<String>,
    /// What wrote the file: a program and its version.
    pub writer: String,
    /// The devices and partitions that were traced, and those that they stand on.
    pub devices: Vec<SavedDevice>,
}

/// A device of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedDevice {
    /// Its number.
    pub device: Device,
    /// Its name in `/dev`.
    pub name: String,
    /// Its size in bytes, where it is known.
    pub bytes: Option<u64>,
    /// The bytes that it reads and writes at least at once, where they are known.
    pub logical_block_bytes: Option<u32>,
    /// Of which device it is a partition, if it is one.
    pub partition: Option<SavedPartition>,
}

/// Where a partition lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedPartition {
    /// On which device.
    pub of: Device,
    /// Its first sector of 512 bytes there.
    pub first_sector: u64,
    /// Whether it was asked for, and not the whole device: of that, the trace has only what lies in such partitions,
    /// and what has no place.
    pub is_asked: bool,
}

/// The numbers of the parts.
mod tag {
    pub(super) const CLOCK: u64 = 1;
    pub(super) const BEGIN: u64 = 2;
    pub(super) const BEGIN_UNIX: u64 = 3;
    pub(super) const MACHINE: u64 = 4;
    pub(super) const KERNEL: u64 = 5;
    pub(super) const ARCHITECTURE: u64 = 6;
    pub(super) const WORD: u64 = 7;
    pub(super) const WRITER: u64 = 8;
    pub(super) const DEVICE: u64 = 9;
    // Of a device.
    pub(super) const NUMBER: u64 = 1;
    pub(super) const NAME: u64 = 2;
    pub(super) const BYTES: u64 = 3;
    pub(super) const LOGICAL_BLOCK: u64 = 4;
    pub(super) const PARTITION: u64 = 5;
}

fn put_part(out: &mut Vec<u8>, tag: u64, bytes: &[u8]) {
    put(out, tag);
    put_bytes(out, bytes);
}

fn put_numbers(out: &mut Vec<u8>, tag: u64, numbers: &[u64]) {
    let mut bytes = Vec::new();
    for number in numbers {
        put(&mut bytes, *number);
    }
    put_part(out, tag, &bytes);
}

fn numbers_of(device: Device) -> [u64; 2] {
    [u64::from(device.major), u64::from(device.minor)]
}

/// Calls `take` with each part of these bytes.
fn parts<'a>(bytes: &'a [u8], mut take: impl FnMut(u64, Source<'a>) -> Option<()>) -> Option<()> {
    let mut source = Source(bytes);
    while !source.0.is_empty() {
        let tag = source.number()?;
        take(tag, Source(source.bytes()?))?;
    }
    Some(())
}

fn text(source: Source<'_>) -> String {
    String::from_utf8_lossy(source.0).into_owned()
}

fn device_of(source: &mut Source<'_>) -> Option<Device> {
    Some(Device { major: source.small()?, minor: source.small()? })
}

impl SavedHeader {
    /// Writes it.
    pub(super) fn write(&self, writer: &mut impl Write) -> Result<(), FormatError> {
        let mut out = Vec::new();
        put_part(&mut out, tag::CLOCK, self.clock.as_bytes());
        put_numbers(&mut out, tag::BEGIN, &[self.begin_ns]);
        if let Some(unix_ns) = self.begin_unix_ns {
            put_numbers(&mut out, tag::BEGIN_UNIX, &[unix_ns]);
        }
        put_part(&mut out, tag::MACHINE, self.machine.as_bytes());
        put_part(&mut out, tag::KERNEL, self.kernel.as_bytes());
        put_part(&mut out, tag::ARCHITECTURE, self.architecture.as_bytes());
        for word in &self.command {
            put_part(&mut out, tag::WORD, word.as_bytes());
        }
        put_part(&mut out, tag::WRITER, self.writer.as_bytes());
        for device in &self.devices {
            put_part(&mut out, tag::DEVICE, &device.to_bytes());
        }
        if out.len() > BYTES_MAX || self.devices.len() > DEVICES_MAX {
            return Err(FormatError::Header("is too long"));
        }
        let mut whole = MAGIC.to_vec();
        whole.extend(VERSION.to_le_bytes());
        // Not used.
        whole.extend([0; 2]);
        whole.extend((out.len() as u32).to_le_bytes());
        whole.extend(out);
        whole.extend(crc32c::crc32c(&whole).to_le_bytes());
        write_all(writer, &whole)
    }

    /// Reads it.
    pub(super) fn read(reader: &mut impl Read) -> Result<Self, FormatError> {
        const TORN: FormatError = FormatError::Header("is torn off");
        const DAMAGED: FormatError = FormatError::Header("is damaged");
        let mut head = [0; 16];
        let filled = read_full(reader, &mut head)?;
        if filled < MAGIC.len() || !head.starts_with(MAGIC) {
            return Err(FormatError::NotThis { format: SPEC.name });
        }
        if filled < head.len() {
            return Err(TORN);
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if version != VERSION {
            let (version, supported) = (u32::from(version), u32::from(VERSION));
            return Err(FormatError::Version { format: SPEC.name, version, supported });
        }
        let bytes = u32::from_le_bytes([head[12], head[13], head[14], head[15]]) as usize;
        if bytes > BYTES_MAX {
            return Err(DAMAGED);
        }
        let mut rest = vec![0; bytes + 4];
        if read_full(reader, &mut rest)? < rest.len() {
            return Err(TORN);
        }
        let (parts, sum) = rest.split_at(bytes);
        if sum != crc32c::crc32c_append(crc32c::crc32c(&head), parts).to_le_bytes() {
            return Err(DAMAGED);
        }
        Self::from_parts(parts).ok_or(DAMAGED)
    }

    fn from_parts(bytes: &[u8]) -> Option<Self> {
        let mut header = Self::default();
        parts(bytes, |tag, mut source| {
            match tag {
                tag::CLOCK => header.clock = text(source),
                tag::BEGIN => header.begin_ns = source.number()?,
                tag::BEGIN_UNIX => header.begin_unix_ns = Some(source.number()?),
                tag::MACHINE => header.machine = text(source),
                tag::KERNEL => header.kernel = text(source),
                tag::ARCHITECTURE => header.architecture = text(source),
                tag::WORD => header.command.push(text(source)),
                tag::WRITER => header.writer = text(source),
                tag::DEVICE if header.devices.len() < DEVICES_MAX => {
                    header.devices.push(SavedDevice::from_bytes(source.0)?);
                }
                tag::DEVICE => return None,
                _ => {}
            }
            Some(())
        })?;
        Some(header)
    }
}

impl SavedDevice {
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_numbers(&mut out, tag::NUMBER, &numbers_of(self.device));
        put_part(&mut out, tag::NAME, self.name.as_bytes());
        if let Some(bytes) = self.bytes {
            put_numbers(&mut out, tag::BYTES, &[bytes]);
        }
        if let Some(bytes) = self.logical_block_bytes {
            put_numbers(&mut out, tag::LOGICAL_BLOCK, &[u64::from(bytes)]);
        }
        if let Some(SavedPartition { of, first_sector, is_asked }) = self.partition {
            let [major, minor] = numbers_of(of);
            put_numbers(&mut out, tag::PARTITION, &[major, minor, first_sector, u64::from(is_asked)]);
        }
        out
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut device = Self::default();
        parts(bytes, |tag, mut source| {
            match tag {
                tag::NUMBER => device.device = device_of(&mut source)?,
                tag::NAME => device.name = text(source),
                tag::BYTES => device.bytes = Some(source.number()?),
                tag::LOGICAL_BLOCK => device.logical_block_bytes = Some(source.small()?),
                tag::PARTITION => {
                    let of = device_of(&mut source)?;
                    let first_sector = source.number()?;
                    // Absent in traces of before.
                    let is_asked = source.number().is_some_and(|number| number != 0);
                    device.partition = Some(SavedPartition { of, first_sector, is_asked });
                }
                _ => {}
            }
            Some(())
        })?;
        Some(device)
    }
}
