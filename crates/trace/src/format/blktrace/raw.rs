//! `struct blk_io_trace` of Linux (`include/uapi/linux/blktrace_api.h`), 48 bytes and up to
//! 64 KiB behind them, and how it stands for our events.
//!
//! What it cannot hold: that a discard is a secure one, that zeros are written without being
//! sent, that an operation is one on zones (all of these are writes or discards in it), that
//! a write is atomic, and that two requests became one (for which the kernel itself writes a
//! back merge).

use crate::event::{Action, BlockEvent, BlockOperation, Device, Flags, IoDirection, TaskName};

/// The size of the fixed part.
pub(crate) const RECORD_BYTES: usize = 48;
/// The upper three bytes of the first word; the last byte is the version.
const MAGIC: u32 = 0x6561_7400;
/// The only version there was since 2006.
pub(crate) const VERSION: u32 = 7;

/// In an action: the bytes behind begin with the control group.
pub(super) const CGROUP: u32 = 1 << 8;
/// What the control group has of them.
pub(super) const CGROUP_BYTES: usize = 8;

const SHIFT: u32 = 16;
const READ: u32 = 1 << SHIFT;
pub(crate) const WRITE: u32 = 1 << (SHIFT + 1);
const FLUSH: u32 = 1 << (SHIFT + 2);
const SYNC: u32 = 1 << (SHIFT + 3);
const QUEUE: u32 = 1 << (SHIFT + 4);
const REQUEUE: u32 = 1 << (SHIFT + 5);
const ISSUE: u32 = 1 << (SHIFT + 6);
const COMPLETE: u32 = 1 << (SHIFT + 7);
/// Of the file system, in contrast to commands that a program sends itself.
const FS: u32 = 1 << (SHIFT + 8);
/// Of a command that a program sends itself.
const COMMAND: u32 = 1 << (SHIFT + 9);
/// No event, but a note.
pub(super) const NOTE: u32 = 1 << (SHIFT + 10);
const AHEAD: u32 = 1 << (SHIFT + 11);
const META: u32 = 1 << (SHIFT + 12);
const DISCARD: u32 = 1 << (SHIFT + 13);
const FUA: u32 = 1 << (SHIFT + 15);

/// A note: the name of a process is what is behind.
pub(super) const NOTE_PROCESS: u32 = NOTE;
/// A note: seconds and nanoseconds since 1970 are behind.
pub(super) const NOTE_TIME: u32 = NOTE | 1;
/// A note: a text is behind.
pub(super) const NOTE_MESSAGE: u32 = NOTE | 2;

/// In which order a file has the bytes of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub(super) fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The order in which these bytes are the first word of a trace, of whatever version.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let bytes: [u8; 4] = head.get(..4)?.try_into().ok()?;
        [Self::Little, Self::Big].into_iter().find(|order| order.u32(bytes) & !0xff == MAGIC)
    }
}

/// So many bytes from `at` on; zeros where there are none.
pub(crate) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|part| part.try_into().ok()).unwrap_or([0; N])
}

/// The fixed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawTrace {
    pub(crate) sequence: u32,
    pub(crate) time_ns: u64,
    pub(crate) sector: u64,
    pub(crate) bytes: u32,
    pub(crate) action: u32,
    pub(crate) pid: u32,
    pub(crate) device: u32,
    pub(crate) cpu: u32,
    pub(crate) error: u16,
    pub(crate) behind: u16,
}

impl RawTrace {
    /// As a little machine writes it: what reads traces reads either order.
    pub(super) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut out = [0; RECORD_BYTES];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            out[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&(MAGIC | VERSION).to_le_bytes());
        put(&self.sequence.to_le_bytes());
        put(&self.time_ns.to_le_bytes());
        put(&self.sector.to_le_bytes());
        for word in [self.bytes, self.action, self.pid, self.device, self.cpu] {
            put(&word.to_le_bytes());
        }
        put(&self.error.to_le_bytes());
        put(&self.behind.to_le_bytes());
        out
    }

    /// The version, and the rest.
    pub(super) fn from_bytes(bytes: &[u8; RECORD_BYTES], order: ByteOrder) -> Option<(u32, Self)> {
        let magic = order.u32(part(bytes, 0));
        let raw = Self {
            sequence: order.u32(part(bytes, 4)),
            time_ns: order.u64(part(bytes, 8)),
            sector: order.u64(part(bytes, 16)),
            bytes: order.u32(part(bytes, 24)),
            action: order.u32(part(bytes, 28)),
            pid: order.u32(part(bytes, 32)),
            device: order.u32(part(bytes, 36)),
            cpu: order.u32(part(bytes, 40)),
            error: order.u16(part(bytes, 44)),
            behind: order.u16(part(bytes, 46)),
        };
        (magic & !0xff == MAGIC).then_some((magic & 0xff, raw))
    }
}

/// The fixed part of an event that belongs to `device`.
pub(crate) fn raw_of(event: &BlockEvent, device: Device, sequence: u32) -> RawTrace {
    RawTrace {
        sequence,
        time_ns: event.time_ns,
        sector: event.sector,
        bytes: u32::try_from(event.bytes).unwrap_or(u32::MAX),
        action: action_of(event),
        pid: event.thread,
        device: device.to_kernel(),
        cpu: event.cpu,
        // The kernel's are negative, cut to 16 bits.
        error: (event.error as u16).wrapping_neg(),
        behind: 0,
    }
}

/// What is behind an event: always with the highest byte first.
pub(super) fn behind(event: &BlockEvent) -> Vec<u8> {
    match event.action {
        Action::Unplug { requests } => u64::from(requests).to_be_bytes().to_vec(),
        Action::Split { new_sector } => new_sector.to_be_bytes().to_vec(),
        Action::Remap { from, from_sector } => {
            let to = event.device.unwrap_or_default();
            let mut out = from.to_kernel().to_be_bytes().to_vec();
            out.extend(to.to_kernel().to_be_bytes());
            out.extend(from_sector.to_be_bytes());
            out
        }
        _ => Vec::new(),
    }
}

/// Whether it is of a request with a command that a program sends itself.
pub(crate) const fn is_command(event: &BlockEvent) -> bool {
    matches!(event.operation.direction, IoDirection::None)
        && matches!(event.action, Action::Insert | Action::Issue | Action::Requeue | Action::Complete)
}

/// The number of an action, its category, and what the operation is.
fn action_of(event: &BlockEvent) -> u32 {
    let whose = if is_command(event) { COMMAND } else { FS };
    let (number, category) = match event.action {
        Action::Queue => (1, QUEUE),
        Action::BackMerge => (2, QUEUE),
        Action::FrontMerge => (3, QUEUE),
        Action::GetRequest => (4, QUEUE),
        // As in the kernel (`blk_add_trace_rq_merge`).
        Action::RequestMerge => (2, QUEUE | FS),
        Action::Requeue => (6, REQUEUE | whose),
        Action::Issue => (7, ISSUE | whose),
        Action::Complete => (8, COMPLETE | whose),
        Action::Plug => (9, QUEUE),
        Action::Unplug { .. } => (10, QUEUE),
        Action::Insert => (12, QUEUE | whose),
        // The kernel gives it no category.
        Action::Split { .. } => (13, 0),
        Action::Remap { .. } => (15, QUEUE),
    };
    let BlockOperation { direction, flags } = event.operation;
    let direction = match direction {
        IoDirection::None | IoDirection::Read => READ,
        IoDirection::Write | IoDirection::WriteZeroes | IoDirection::Zone => WRITE,
        IoDirection::Discard | IoDirection::SecureErase => WRITE | DISCARD,
        IoDirection::Flush => READ | FLUSH,
    };
    let bits = [
        (flags.preflush, FLUSH),
        (flags.fua, FUA),
        (flags.ahead, AHEAD),
        (flags.sync, SYNC),
        (flags.meta, META),
    ];
    // No two of them share a bit.
    let flags: u32 = bits.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum();
    number | category | direction | flags
}

/// What the operation is, from an action and how many bytes it is about.
fn operation_of(action: u32, bytes: u32) -> BlockOperation {
    let has = |bit: u32| action & bit != 0;
    let direction = if has(COMMAND) {
        IoDirection::None
    } else if has(DISCARD) {
        IoDirection::Discard
    } else if has(WRITE) {
        IoDirection::Write
    } else if has(FLUSH) && bytes == 0 {
        IoDirection::Flush
    } else if bytes > 0 {
        IoDirection::Read
    } else {
        IoDirection::None
    };
    let flags = Flags {
        preflush: has(FLUSH) && direction != IoDirection::Flush,
        fua: has(FUA),
        ahead: has(AHEAD),
        sync: has(SYNC),
        meta: has(META),
        atomic: false,
    };
    BlockOperation { direction, flags }
}

/// What a trace stands for.
pub(super) enum Meaning {
    /// An event.
    BlockEvent(BlockEvent),
    /// An action that is not known, or has no event here: a request that sleeps, is bounced
    /// or aborted, data of drivers.
    Unknown,
    /// An action without what belongs behind it.
    Garbled,
}

/// What these bytes stand for. The name of the task is missing.
pub(super) fn meaning(raw: &RawTrace, behind: &[u8]) -> Meaning {
    let behind = match raw.action & CGROUP {
        0 => behind,
        _ => behind.get(CGROUP_BYTES..).unwrap_or_default(),
    };
    let mut device = Device::from_kernel(raw.device);
    let word = || behind.get(..8).map(|_| u64::from_be_bytes(part(behind, 0)));
    let action = match raw.action & 0xffff & !CGROUP {
        1 => Some(Action::Queue),
        2 => Some(Action::BackMerge),
        3 => Some(Action::FrontMerge),
        4 => Some(Action::GetRequest),
        6 => Some(Action::Requeue),
        7 => Some(Action::Issue),
        8 => Some(Action::Complete),
        9 => Some(Action::Plug),
        10 | 11 => {
            word().map(|requests| Action::Unplug { requests: u32::try_from(requests).unwrap_or(u32::MAX) })
        }
        12 => Some(Action::Insert),
        13 => word().map(|new_sector| Action::Split { new_sector }),
        15 => behind.get(..16).map(|_| {
            device = Device::from_kernel(u32::from_be_bytes(part(behind, 4)));
            let from = Device::from_kernel(u32::from_be_bytes(part(behind, 0)));
            Action::Remap { from, from_sector: u64::from_be_bytes(part(behind, 8)) }
        }),
        _ => return Meaning::Unknown,
    };
    let Some(action) = action else { return Meaning::Garbled };
    Meaning::BlockEvent(BlockEvent {
        time_ns: raw.time_ns,
        cpu: raw.cpu,
        action,
        device: Some(device),
        sector: raw.sector,
        bytes: u64::from(raw.bytes),
        operation: operation_of(raw.action, raw.bytes),
        thread: raw.pid,
        task: TaskName::default(),
        error: u32::from(raw.error.wrapping_neg()),
    })
}

/// The letters by which blkparse says what a request does (`fill_rwbs` in its
/// `blkparse_fmt.c`), which are fewer than the kernel's.
pub(crate) fn letters(raw: &RawTrace) -> String {
    let has = |bit: u32| raw.action & bit != 0;
    let operation = match raw.bytes {
        _ if has(DISCARD) => 'D',
        _ if has(WRITE) => 'W',
        0 => 'N',
        _ => 'R',
    };
    let all = [
        (has(FLUSH), 'F'),
        (true, operation),
        (has(FUA), 'F'),
        (has(AHEAD), 'A'),
        (has(SYNC), 'S'),
        (has(META), 'M'),
    ];
    all.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| *letter).collect()
}
