//! What all engines have in common: the next task, the content of what is
//! written, and what the end of an operation means. An engine only moves bytes.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::clock;
use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, UNRECORDED};
use model::{FactName, Value, fact};
use rustix::io::Errno;

use crate::workload::disk::access::{Access, Task};
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::content::{self, Content, Source};
use crate::workload::disk::durable::REWRITTEN;
use crate::workload::disk::pattern::{KINDS, Kind};
use crate::workload::disk::playback::Playback;
use crate::workload::disk::residency;
use crate::workload::disk::verify::Verifier;

/// What one worker does to one target.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) access: Access,
    pub(super) files: Vec<File>,
    /// What is written.
    pub(super) source: Source,
    /// What the blocks hold that are read, where that is known.
    pub(super) found: Option<Content>,
    /// The target, for messages.
    pub(super) name: String,
    /// The class of each kind of task.
    pub(super) classes: [u8; KINDS],
    /// Whether what was written must be brought to the device at the end.
    pub(super) settles: bool,
    /// Where bytes go that are only in the page cache when the last write
    /// returned.
    pub(super) dirty: Option<Arc<AtomicU64>>,
    /// Whether the target is a block device: its discards are asked for another
    /// way than a file's.
    pub(super) device: bool,
    /// Whether nothing more is to be started.
    pub(super) is_over: bool,
    /// Knows what must be where, if that is to be verified.
    pub(super) verifier: Option<Box<Verifier>>,
    /// The recorded operations that it does, if it does not go by `access`.
    pub(super) playback: Option<Box<Playback>>,
}

/// What is in flight in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) task: Task,
    /// When the kernel was given it, ns; 0 where nobody took the time.
    pub(super) handed_ns: u64,
}

impl Flight {
    /// Of a slot in which nothing was started yet.
    pub(super) const NONE: Self = Self { task: Task::SYNC, handed_ns: 0 };
}

impl Job {
    /// What `access` does to `files`, writing this content, which is also what its reads
    /// find in files that are `ours`.
    pub(super) fn new(access: Access, files: Vec<File>, name: &str, content: Content, ours: bool) -> Self {
        let (_, classes) = access.pattern.classes(access.syncs());
        let mut source = Source::new(content, access.seed);
        if !access.pattern.reads() {
            source = source.into_own_buffers();
        }
        Self {
            access,
            files,
            source,
            found: ours.then_some(content),
            name: name.to_owned(),
            classes,
            settles: false,
            dirty: None,
            device: false,
            is_over: false,
            verifier: None,
            playback: None,
        }
    }

    /// How many operations it has until the end of what it works on, if it has one.
    pub(super) fn operations_to_end(&self) -> Option<u64> {
        match &self.playback {
            Some(playback) => playback.operations_to_end(),
            None => self.access.operations_to_end(),
        }
    }

    /// Buffers for so many operations at once, with what content needs.
    pub(super) fn slots(&self, depth: usize) -> Result<Slots, Fault> {
        let mut slots = Slots::new(depth, self.access.block())?;
        // Buffers of reads are filled too: memory that was never touched would
        // be given to us page by page while time counts.
        for slot in 0..depth {
            self.source.begin(slots.bytes(slot), slot);
        }
        Ok(slots)
    }

    /// What `operation` does, which begins in `slot`; where it writes, `buffer` holds what.
    #[inline]
    pub(super) fn task(&mut self, slot: usize, operation: Operation, buffer: &mut [u8]) -> Task {
        let task = match &mut self.playback {
            Some(playback) => playback.task(slot, operation),
            None => self.access.task(operation),
        };
        if task.kind == Kind::Write {
            let buffer = &mut buffer[..task.bytes as usize];
            self.source.fill(buffer, operation.index);
            if let Some(verifier) = &mut self.verifier {
                verifier.begin(&task, buffer);
            }
        }
        task
    }

    /// What the end of what was in flight in `slot` means: the kernel says how many bytes
    /// it moved.
    #[inline]
    pub(super) fn ended(
        &mut self,
        slot: usize,
        Flight { task, handed_ns }: Flight,
        result: io::Result<u64>,
    ) -> Result<Completion, Fault> {
        let (mut bytes, class) = match result {
            Ok(bytes) if bytes == task.bytes => {
                if let (Some(verifier), Kind::Write) = (&mut self.verifier, task.kind) {
                    verifier.end(&task);
                }
                (bytes, self.classes[task.kind as usize])
            }
            other => self.otherwise(task, other)?,
        };
        if let Some(playback) = &mut self.playback {
            playback.ended(slot, task, handed_ns);
            // Beside reads and writes, the length of a discard would pass for bytes that were moved.
            bytes = if matches!(task.kind, Kind::Trim | Kind::Zero) { 0 } else { bytes };
        }
        Ok(Completion { slot, bytes, class, handed_ns })
    }

    /// No space left, or a quota used up, is the end that was asked for, or a
    /// failure like others. Returns bytes and class.
    #[cold]
    fn otherwise(&mut self, task: Task, result: io::Result<u64>) -> Result<(u64, u8), Fault> {
        let writes = task.kind == Kind::Write;
        let no_space = match &result {
            Ok(_) => writes,
            Err(error) => writes && matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT)),
        };
        if self.access.full && no_space {
            self.is_over = true;
            if let Some(verifier) = &mut self.verifier {
                verifier.forget(&task);
            }
            return Ok((0, UNRECORDED));
        }
        let what = || {
            let Task { kind, offset, bytes, file, .. } = task;
            let of = if self.files.len() > 1 { format!("file {file} of ") } else { String::new() };
            match kind {
                Kind::Sync => format!("syncing {}", self.name),
                _ => format!("{} {bytes} bytes of {of}{} at {offset}", kind.verb(), self.name),
            }
        };
        Err(match result {
            Ok(got) => {
                let file = self.files.get(task.file).filter(|_| !self.device);
                let end = file.and_then(|file| file.metadata().ok()).map(|m| m.len());
                match end.filter(|end| *end < task.offset + task.bytes) {
                    Some(end) => Fault::Other(format!(
                        "{} moved {got} of {} bytes: the file ends at {end}, so it was cut short in between",
                        what(),
                        task.bytes
                    )),
                    None => Fault::Short { what: what(), got, wanted: task.bytes },
                }
            }
            Err(error) => Fault::system(what(), error),
        })
    }

    /// Whether `task` is one that no queue of the kernel takes.
    #[inline]
    pub(super) fn is_called(&self, task: Task) -> bool {
        matches!(task.kind, Kind::Trim | Kind::Zero) || task.kind == Kind::Sync && self.files.len() > 1
    }

    /// Does such a task in the calling thread.
    #[cold]
    pub(super) fn call(&mut self, slot: usize, task: Task) -> Result<Completion, Fault> {
        let handed_ns = clock::now_ns();
        let result = self.by_call(task);
        self.ended(slot, Flight { task, handed_ns }, result)
    }

    /// Does what no engine has an asynchronous way for: a discard, zeros, and a sync of
    /// all files but the first.
    pub(super) fn by_call(&self, task: Task) -> io::Result<u64> {
        match task.kind {
            Kind::Trim => self.discard(task).map(|()| task.bytes),
            Kind::Zero => self.zero(task).map(|()| task.bytes),
            _ => self.sync().map(|()| 0),
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.files.iter().try_for_each(File::sync_data)
    }

    fn discard(&self, task: Task) -> io::Result<()> {
        let file = &self.files[task.file];
        if self.device {
            return discard_range(file, task.offset, task.bytes);
        }
        let flags = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        Ok(rustix::fs::fallocate(file, flags, task.offset, task.bytes)?)
    }

    /// Where a file system has no call for it, zeros are written.
    fn zero(&self, task: Task) -> io::Result<()> {
        let file = &self.files[task.file];
        if self.device {
            return zero_range(file, task.offset, task.bytes);
        }
        let flags = rustix::fs::FallocateFlags::ZERO_RANGE | rustix::fs::FallocateFlags::KEEP_SIZE;
        match rustix::fs::fallocate(file, flags, task.offset, task.bytes) {
            Err(Errno::OPNOTSUPP) => {
                if let Some(playback) = &self.playback {
                    playback.zeros_are_written();
                }
                write_zeros(file, task.offset, task.bytes)
            }
            other => Ok(other?),
        }
    }

    /// Brings what was written to the device, if that was left to the end.
    pub(super) fn settle(&mut self) -> Result<bool, Fault> {
        if !self.settles {
            return Ok(false);
        }
        if let Some(dirty) = &self.dirty {
            self.count_dirty(dirty);
        }
        self.sync().map_err(|e| Fault::system(format!("syncing {}", self.name), e))?;
        Ok(true)
    }

    /// Of the workers of one target the first to end sees most: the greatest
    /// counts.
    fn count_dirty(&self, most: &AtomicU64) {
        let each = self.files.iter().map(residency::dirty_bytes);
        let Some(bytes) = each.sum::<Option<u64>>() else { return };
        let _ = most.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| match known {
            super::UNKNOWN => Some(bytes),
            known => Some(known.max(bytes)),
        });
    }

    /// Reads back what was written, if that is to be verified.
    pub(super) fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        let Some(verifier) = &self.verifier else { return Ok(()) };
        self.sync().map_err(|e| Fault::system(format!("syncing {}", self.name), e))?;
        verifier.verify(&self.files, &self.name, life)
    }

    /// What shapes the result whatever the engine.
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        let writes = self.access.pattern.writes();
        let content = self.found.or(writes.then_some(self.source.content));
        let content = content.map_or("as found".to_owned(), content::told);
        let mut facts = vec![(FactName::new("content"), content.into())];
        if self.access.full {
            let ended = if self.is_over { fact::FULL } else { fact::SIZE };
            facts.push((fact::ENDED, ended.into()));
        }
        if self.settles && self.access.came_again() {
            // How much, all workers together, is told when they have ended.
            facts.push((REWRITTEN, true.into()));
        }
        facts
    }
}

/// Asks a block device to forget a range of bytes.
pub(super) fn discard_range(device: &File, offset: u64, bytes: u64) -> io::Result<()> {
    /// `BLKDISCARD` of `include/uapi/linux/fs.h`: `_IO(0x12, 119)`.
    const BLKDISCARD: libc::c_ulong = 0x1277;
    // SAFETY: the request takes a range of bytes.
    unsafe { on_range(device, BLKDISCARD, [offset, bytes]) }
}

/// Makes a range of a block device hold zeros: without sending them where the device can
/// (`blkdev_issue_zeroout` in `block/blk-lib.c`).
fn zero_range(device: &File, offset: u64, bytes: u64) -> io::Result<()> {
    /// `BLKZEROOUT` of `include/uapi/linux/fs.h`: `_IO(0x12, 127)`.
    const BLKZEROOUT: libc::c_ulong = 0x127f;
    // SAFETY: the request takes a range of bytes.
    unsafe { on_range(device, BLKZEROOUT, [offset, bytes]) }
}

/// Asks a block device for something with a range: its first byte, and how many.
///
/// # Safety
/// The request must take such a range and nothing else.
unsafe fn on_range(device: &File, request: libc::c_ulong, range: [u64; 2]) -> io::Result<()> {
    // SAFETY: the ioctl reads two 64-bit numbers, which live through the call.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), request as _, range.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Zeros in memory as O_DIRECT wants it.
#[repr(align(4096))]
struct Zeros([u8; 64 << 10]);

static ZEROS: Zeros = Zeros([0; 64 << 10]);

/// Writes zeros.
fn write_zeros(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    let end = offset.saturating_add(bytes);
    let mut at = offset;
    while at < end {
        let part = (end - at).min(ZEROS.0.len() as u64);
        file.write_all_at(&ZEROS.0[..part as usize], at)?;
        at += part;
    }
    Ok(())
}
