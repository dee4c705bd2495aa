//! The `mmap` engine: files are mapped into memory and operations are copies.
//! The page cache answers, and the kernel brings pages in when they are touched,
//! with its own read-around: no advice is given, as by a program that gives
//! none.
//!
//! A page that cannot be brought in (the file was cut short, the device failed)
//! ends the whole process with SIGBUS. That is why loads run in a process of
//! their own; its end is the trial's reason.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ptr::NonNull;

use engine::Worker;
use engine::fault::Fault;
use model::parameter::Word;
use model::plan::Problem;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

use super::blocking::{in_this_thread, one_at_a_time};
use super::{Engine, Options};
use crate::workload::disk::job::Job;
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::{DiskPlan, SyncRule};

pub(super) const ENGINE: Engine = Engine {
    word: Word { word: "mmap", doc: "copies from and to the mapped file, through the page cache" },
    drives: true,
    cached_only: true,
    available: || Ok(()),
    check,
    worker,
};

fn check(plan: &DiskPlan) -> Result<(), Problem> {
    one_at_a_time("mmap", plan)?;
    if plan.fills() {
        return Err(Problem::invalid(
            "engine=mmap cannot fill a target: a mapping does not grow a file",
            "use until=full with another engine",
        ));
    }
    if plan.sync == SyncRule::Each {
        return Err(Problem::invalid(
            "engine=mmap has no sync=dsync: there is no write call that could wait",
            "use sync=fsync, which calls msync",
        ));
    }
    Ok(())
}

fn worker(job: Job, _options: &Options) -> Result<Box<dyn Worker>, Fault> {
    let write = job.access.pattern.changes();
    // One a file.
    let maps = job.files.iter().map(|file| Mapping::new(file, write)).collect::<io::Result<Vec<_>>>();
    let maps = maps.map_err(|e| Fault::system(format!("mapping {}", job.name), e))?;
    in_this_thread(job, move |job, task, part| match task.kind {
        Kind::Read => maps[task.file].at(task.offset, task.bytes).map(|from| {
            // SAFETY: both have so many bytes, and they do not overlap.
            unsafe { from.as_ptr().copy_to_nonoverlapping(part.as_mut_ptr(), part.len()) };
            task.bytes
        }),
        Kind::Write => maps[task.file].at(task.offset, task.bytes).map(|to| {
            // SAFETY: as above; the mapping was made for writing.
            unsafe { to.as_ptr().copy_from_nonoverlapping(part.as_ptr(), part.len()) };
            task.bytes
        }),
        Kind::Sync => maps.iter().try_for_each(Mapping::sync).map(|()| 0),
        Kind::Trim | Kind::Zero => job.by_call(task),
    })
}

/// All of a file in memory.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

impl Mapping {
    fn new(mut file: &File, write: bool) -> io::Result<Self> {
        // Of a block device the metadata tells no length.
        let bytes = file.seek(SeekFrom::End(0))?;
        let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let access = if write { ProtFlags::READ | ProtFlags::WRITE } else { ProtFlags::READ };
        // SAFETY: a new mapping at an address of the kernel's choice. No reference
        // is ever made to it, so it does not matter who else writes to the file.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::Other)?;
        Ok(Self { start, bytes })
    }

    /// Where an operation's bytes lie, if all of them do.
    #[inline]
    fn at(&self, offset: u64, bytes: u64) -> io::Result<NonNull<u8>> {
        match offset.checked_add(bytes) {
            // SAFETY: the result lies within the mapping, or just behind it.
            Some(end) if end <= self.bytes as u64 => Ok(unsafe { self.start.add(offset as usize) }),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Brings what was written to the device.
    fn sync(&self) -> io::Result<()> {
        // SAFETY: the range is the mapping.
        Ok(unsafe { msync(self.start.as_ptr().cast(), self.bytes, MsyncFlags::SYNC) }?)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody holds an address in it.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
