//! One event of the kernel's block layer, or of what stands beside it.

use std::fmt;

/// A block device by its number (`dev_t`), as `/sys/dev/block` names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    /// The driver.
    pub major: u32,
    /// The device or partition of the driver.
    pub minor: u32,
}

impl Device {
    /// From the kernel's own `dev_t` (`include/linux/kdev_t.h`: 12 bits, 20 bits), as
    /// its trace events hold it. The C library's `dev_t` is another.
    #[must_use]
    pub const fn from_kernel(number: u32) -> Self {
        Self { major: number >> 20, minor: number & 0xf_ffff }
    }

    /// From what sysfs and mountinfo call it, `8:1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once(':')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// The kernel's own `dev_t`.
    #[must_use]
    pub const fn to_kernel(self) -> u32 {
        self.major << 20 | self.minor & 0xf_ffff
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// What happened to a request or a bio. In brackets: the letter of blkparse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A bio came to the device (Q).
    Queue,
    /// A request was allocated for it (G).
    GetRequest,
    /// A bio was appended to a request that waits (M).
    BackMerge,
    /// A bio was put before a request that waits (F).
    FrontMerge,
    /// Two requests that wait became one (m).
    RequestMerge,
    /// A request went to the I/O scheduler's queue (I).
    Insert,
    /// A request was given to the driver (D).
    Issue,
    /// The device gave back a request, or a device without requests a bio (C).
    Complete,
    /// The driver gave back a request undone: the device takes no more now (R).
    Requeue,
    /// A bio went from a partition or a stacked device on to another one (A).
    Remap {
        /// Where it came from.
        from: Device,
        /// Its sector there.
        from_sector: u64,
    },
    /// A bio was too large and became two (X).
    Split {
        /// The first sector of the second one.
        new_sector: u64,
    },
    /// A task began to keep its requests together. Names no device (P).
    Plug,
    /// A task gave its requests away. Names no device (U, or T of a timer).
    Unplug {
        /// How many.
        requests: u32,
    },
}

/// Bits of what a request does, beside reading or writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags {
    /// The device's cache is flushed before it (REQ_PREFLUSH).
    pub preflush: bool,
    /// It is on the medium when it is completed (REQ_FUA).
    pub fua: bool,
    /// Read-ahead that nobody waits for yet (REQ_RAHEAD).
    pub ahead: bool,
    /// Somebody waits for it (REQ_SYNC).
    pub sync: bool,
    /// It is of the file system's own data (REQ_META).
    pub meta: bool,
    /// It is written in one piece or not at all (REQ_ATOMIC).
    pub atomic: bool,
}

/// What a request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoDirection {
    /// Neither of these (N).
    #[default]
    None,
    /// Reads (R).
    Read,
    /// Writes (W).
    Write,
    /// Tells the device what it need not keep (D).
    Discard,
    /// Discards so that it cannot be read again (DE).
    SecureErase,
    /// Flushes the device's cache and moves no data (F).
    Flush,
    /// Writes zeros without sending them (WZ; most kernels say N, and give it sectors).
    WriteZeroes,
    /// An operation on zones.
    Zone,
}

/// What a request does, and how: `rwbs` of the kernel's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockOperation {
    /// What it does.
    pub direction: IoDirection,
    /// How.
    pub flags: Flags,
}

/// The name of a task (`comm`): at most 15 bytes, the rest is zero. The kernel does not
/// say in which encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName(pub [u8; 16]);

impl TaskName {
    /// Its bytes up to the first zero.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        &self.0[..end]
    }
}

/// One event of the block layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// When, in nanoseconds of the trace's clock (`CLOCK_MONOTONIC` in our own traces).
    pub time_ns: u64,
    /// The CPU that it happened on.
    pub cpu: u32,
    /// What happened.
    pub action: Action,
    /// To which device; plugging names none.
    pub device: Option<Device>,
    /// The first sector of 512 bytes, counted from the start of `device`, which is a whole disk
    /// also where a partition was asked for: a remap before it says so. 0 for flushes.
    pub sector: u64,
    /// How many bytes: of a split, those of the first part. 0 for flushes.
    pub bytes: u64,
    /// What the request does.
    pub operation: BlockOperation,
    /// The thread that the CPU ran. At a completion that is whom the interrupt met.
    pub thread: u32,
    /// The name of the thread that `action` is about, where the event has one; else of the one
    /// that the CPU ran, where it is known.
    pub task: TaskName,
    /// The error (`errno`, positive) of a completion; 0 where there is none.
    pub error: u32,
}

/// What a trace has, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceRecord {
    /// An event of the block layer.
    Block(BlockEvent),
    /// Events that the kernel had no room for.
    Lost {
        /// When it was seen.
        time_ns: u64,
        /// The CPU whose buffer was full.
        cpu: u32,
        /// How many; nothing where the kernel does not tell.
        events: Option<u64>,
    },
    /// A page of a file became dirty: whoever did this caused a later write.
    Dirtied {
        /// When.
        time_ns: u64,
        /// By which thread.
        thread: u32,
        /// Its name.
        task: TaskName,
        /// The device of the file system (its backing device's name in the event).
        device: Option<Device>,
        /// The file.
        inode: u64,
        /// How many bytes at least: a page. It may be a larger folio; the kernel does not say.
        bytes: u64,
    },
    /// A thread asked that data be on the medium (`fsync`, `fdatasync`, `sync`, `syncfs`,
    /// `sync_file_range`, `msync`), and waited.
    Synced {
        /// When the call began.
        began_ns: u64,
        /// When it returned.
        ended_ns: u64,
        /// Who called.
        thread: u32,
        /// Its name.
        task: TaskName,
        /// Which call.
        call: &'static str,
        /// What it returned: 0 or a negative `errno`.
        result: i64,
    },
}

/// `EAGAIN` of nearly all architectures (`include/uapi/asm-generic/errno-base.h`).
pub(crate) const EAGAIN: u32 = 11;

impl BlockEvent {
    /// Whether a bio that must not wait (`REQ_NOWAIT`) came back at once because it would have had to
    /// (`bio_wouldblock_error` in `include/linux/bio.h`), as a rule for want of a request. Whoever sent it sends
    /// it again: `io_uring` by a worker that may wait.
    #[must_use]
    pub const fn would_block(&self) -> bool {
        matches!(self.action, Action::Complete) && self.error == EAGAIN && self.bytes > 0
    }
}

impl TraceRecord {
    /// When it happened, or ended.
    #[must_use]
    pub const fn time_ns(&self) -> u64 {
        match self {
            Self::Block(event) => event.time_ns,
            Self::Lost { time_ns, .. } | Self::Dirtied { time_ns, .. } => *time_ns,
            Self::Synced { ended_ns, .. } => *ended_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_devices_are_those_of_the_kernel() {
        let device = Device::from_kernel(0x0fd0_0001);
        assert_eq!(device, Device { major: 0xfd, minor: 1 });
        assert_eq!(device.to_string(), "253:1");
        assert_eq!(Device::from_kernel(device.to_kernel()), device);
        assert_eq!(Device::parse("253:1"), Some(device));
        for text in ["253", "253:", ":1", "253:1:2", "a:1", ""] {
            assert_eq!(Device::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_completion_of_data_says_that_it_would_block() {
        let event = BlockEvent {
            time_ns: 0,
            cpu: 0,
            action: Action::Complete,
            device: None,
            sector: 8,
            bytes: 4096,
            operation: BlockOperation::default(),
            thread: 1,
            task: TaskName::default(),
            error: EAGAIN,
        };
        assert!(event.would_block());
        let others = [
            BlockEvent { action: Action::Requeue, ..event },
            BlockEvent { error: 5, ..event },
            BlockEvent { bytes: 0, ..event },
        ];
        assert!(!others.iter().any(BlockEvent::would_block));
    }

    #[test]
    fn a_name_ends_at_the_first_zero() {
        let mut name = TaskName::default();
        name.0[..3].copy_from_slice(b"dd\0");
        assert_eq!(name.bytes(), b"dd");
        assert_eq!(TaskName([b'x'; 16]).bytes().len(), 16);
    }
}
