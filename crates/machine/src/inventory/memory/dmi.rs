//! The memory modules, from the firmware's tables: DMTF DSP0134, System
//! Management BIOS 3.7, structures 16 (Physical Memory Array) and 17 (Memory
//! Device). Serial numbers and asset tags are not looked at.

use std::io::{ErrorKind, Read};

use model::machine::{Absent, MemoryModule};
use serde::{Deserialize, Serialize};

use crate::Host;
use crate::inventory::{line, note};

/// The raw table, which the kernel shows to root only.
const TABLE: &str = "/sys/firmware/dmi/tables/DMI";
/// Real tables have some ten kilobytes.
const TABLE_BYTES_MAX: u64 = 4 << 20;
/// What is wrong with a table that ends early.
const TRUNCATED: &str = "garbled: the firmware's table ends early";

/// The answer to the probe `dmi`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Slots {
    /// How many modules the board has room for.
    pub(super) slots: Option<u32>,
    /// Those that are there.
    pub(super) modules: Vec<MemoryModule>,
}

pub(super) fn read(host: &Host, absent: &mut Vec<Absent>) -> Slots {
    let answer = host.probe("dmi", || parse(&read_table()?));
    let mut slots = answer.unwrap_or_else(|a| {
        note(absent, "memory modules", a.reason);
        Slots::default()
    });
    // A recording may claim anything.
    slots.modules.retain(|module| (1..=super::BYTES_MAX).contains(&module.bytes));
    for module in &mut slots.modules {
        module.speed_transfers = module.speed_transfers.filter(is_speed);
        module.configured_transfers = module.configured_transfers.filter(is_speed);
        module.data_bits = module.data_bits.filter(|bits| (1..u32::from(UNKNOWN)).contains(bits));
    }
    slots
}

/// Extended speeds have 31 bits of megatransfers (7.18.4).
fn is_speed(transfers: &u64) -> bool {
    (1..=u64::from(u32::MAX) * 1_000_000).contains(transfers)
}

fn read_table() -> Result<Vec<u8>, String> {
    let reason = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "not there".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    let mut table = Vec::new();
    let file = std::fs::File::open(TABLE).map_err(reason)?;
    file.take(TABLE_BYTES_MAX).read_to_end(&mut table).map_err(reason)?;
    Ok(table)
}

/// A word that is not known.
const UNKNOWN: u16 = 0xffff;

/// One structure: its formatted part and its strings (6.1).
struct Structure<'a> {
    formatted: &'a [u8],
    strings: Vec<&'a [u8]>,
}

impl<'a> Structure<'a> {
    /// The first structure of `table` and what follows it; absent where the
    /// table ends within it.
    fn first(table: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let length = usize::from(*table.get(1)?);
        // Type, length and handle are four bytes.
        let formatted = table.get(..length).filter(|f| f.len() >= 4)?;
        let tail = table.get(length..)?;
        // Strings end with a NUL each, the last with two; none are two NULs.
        let end = tail.windows(2).position(|pair| pair == [0, 0])?;
        let strings = tail[..end].split(|byte| *byte == 0).collect();
        Some((Self { formatted, strings }, &tail[end + 2..]))
    }

    fn kind(&self) -> u8 {
        self.formatted[0]
    }

    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.formatted.get(at..at + N)?.try_into().ok()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes::<1>(at).map(|[byte]| byte)
    }

    fn word(&self, at: usize) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    fn double_word(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    /// The string whose number stands at `at`; number 0 is none (6.1.3).
    fn string(&self, at: usize) -> Option<String> {
        let number = usize::from(self.byte(at)?);
        let bytes = self.strings.get(number.checked_sub(1)?)?;
        line(&String::from_utf8_lossy(bytes)).filter(|text| !is_placeholder(text))
    }
}

/// What boards write instead of a name.
fn is_placeholder(text: &str) -> bool {
    const NOTHING: &[&str] = &[
        "not specified",
        "not available",
        "unknown",
        "undefined",
        "none",
        "n/a",
        "no dimm",
        "empty",
        "to be filled by o.e.m.",
        "default string",
    ];
    let text = text.to_ascii_lowercase();
    NOTHING.contains(&text.as_str()) || text.chars().all(|c| c == '0' || c == ' ')
}

/// An array of slots (7.17).
struct Array {
    handle: u16,
    slots: u16,
    ecc: Option<bool>,
}

/// Reads a whole table.
fn parse(table: &[u8]) -> Result<Slots, String> {
    const END: u8 = 127;
    let (mut arrays, mut devices) = (Vec::new(), Vec::new());
    let mut rest = table;
    while !rest.is_empty() {
        let Some((structure, after)) = Structure::first(rest) else {
            // What came before the end is as good as ever.
            return if devices.is_empty() { Err(TRUNCATED.to_owned()) } else { Ok(slots(&arrays, &devices)) };
        };
        match structure.kind() {
            16 => arrays.extend(array(&structure)),
            17 => devices.push(structure),
            END => break,
            _ => {}
        }
        rest = after;
    }
    if devices.is_empty() {
        return Err("the firmware's table lists none".to_owned());
    }
    Ok(slots(&arrays, &devices))
}

/// An array that is system memory: not flash, video or cache.
fn array(structure: &Structure<'_>) -> Option<Array> {
    const SYSTEM_MEMORY: u8 = 3;
    let ecc = match structure.byte(0x06)? {
        3 => Some(false),
        // Single-bit and multi-bit ECC.
        5 | 6 => Some(true),
        _ => None,
    };
    let array = Array { handle: structure.word(0x02)?, slots: structure.word(0x0d)?, ecc };
    (structure.byte(0x05)? == SYSTEM_MEMORY).then_some(array)
}

fn slots(arrays: &[Array], devices: &[Structure<'_>]) -> Slots {
    let array_of = |device: &Structure<'_>| {
        let handle = device.word(0x04)?;
        arrays.iter().find(|array| array.handle == handle)
    };
    // Without a single array of system memory the devices say all there is.
    let ours: Vec<_> = devices.iter().filter(|d| arrays.is_empty() || array_of(d).is_some()).collect();
    let room = arrays.iter().fold(0u32, |sum, array| sum.saturating_add(u32::from(array.slots)));
    let room = if room > 0 { room } else { u32::try_from(ours.len()).unwrap_or(u32::MAX) };
    let ecc_of = |device: &Structure<'_>| array_of(device).and_then(|array| array.ecc);
    let modules = ours.iter().filter_map(|device| module(device, ecc_of(device))).collect();
    Slots { slots: Some(room), modules }
}

/// A module (7.18); absent where the slot is empty or its size is not known.
fn module(device: &Structure<'_>, array_ecc: Option<bool>) -> Option<MemoryModule> {
    let width = |at| device.word(at).filter(|bits| *bits != 0 && *bits != UNKNOWN);
    let (total, data) = (width(0x08), width(0x0a));
    let ecc = match (total, data) {
        (Some(total), Some(data)) if total >= data => Some(total > data),
        _ => array_ecc,
    };
    Some(MemoryModule {
        slot: device.string(0x10).unwrap_or_default(),
        bank: device.string(0x11),
        bytes: size(device)?,
        kind: device.byte(0x12).and_then(kind).map(str::to_owned),
        speed_transfers: transfers(device, 0x15, 0x54),
        configured_transfers: transfers(device, 0x20, 0x58),
        data_bits: data.map(u32::from),
        ecc,
        ranks: device.byte(0x1b).map(|attributes| u32::from(attributes & 0xf)).filter(|ranks| *ranks > 0),
        maker: device.string(0x17),
        part: device.string(0x1a),
    })
}

/// Bytes: in KiB where the highest bit is set, else MiB; 0x7fff refers to the
/// extended size, whose 31 bits are MiB (7.18.5).
fn size(device: &Structure<'_>) -> Option<u64> {
    const EXTENDED: u16 = 0x7fff;
    let bytes = match device.word(0x0c)? {
        0 | UNKNOWN => return None,
        EXTENDED => u64::from(device.double_word(0x1c)? & 0x7fff_ffff) << 20,
        kib if kib & 0x8000 != 0 => u64::from(kib & 0x7fff) << 10,
        mib => u64::from(mib) << 20,
    };
    (bytes > 0).then_some(bytes)
}

/// Transfers per second: in MT/s, 0 is not known, 0xffff refers to the extended
/// field, whose highest bit is reserved (7.18.4).
fn transfers(device: &Structure<'_>, at: usize, extended: usize) -> Option<u64> {
    let mega = match device.word(at)? {
        UNKNOWN => device.double_word(extended)? & 0x7fff_ffff,
        word => u32::from(word),
    };
    (mega > 0).then(|| u64::from(mega) * 1_000_000)
}

/// The kind of memory (table 77).
fn kind(code: u8) -> Option<&'static str> {
    Some(match code {
        0x03 => "DRAM",
        0x0f => "SDRAM",
        0x12 => "DDR",
        0x13 => "DDR2",
        0x14 => "DDR2 FB-DIMM",
        0x18 => "DDR3",
        0x19 => "FBD2",
        0x1a => "DDR4",
        0x1b => "LPDDR",
        0x1c => "LPDDR2",
        0x1d => "LPDDR3",
        0x1e => "LPDDR4",
        0x1f => "logical non-volatile",
        0x20 => "HBM",
        0x21 => "HBM2",
        0x22 => "DDR5",
        0x23 => "LPDDR5",
        0x24 => "HBM3",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
