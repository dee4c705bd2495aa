//! The calls, a line each, and those that need nothing but a descriptor. The
//! kernel is called by rustix, which uses the instruction itself, so that no
//! library answers in its place.

use std::os::fd::{IntoRawFd, OwnedFd};

use engine::fault::Fault;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{Mode, OFlags, fstat, open, stat};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::getppid;

use crate::workload::scheduler::syscall::{Batch, fault, process, signal};

#[derive(Debug)]
pub(super) struct Row {
    /// What is typed.
    pub(super) word: &'static str,
    /// So many make an operation.
    pub(super) batch: u32,
    /// A file without which it cannot be made.
    pub(super) needs: Option<&'static str>,
    /// Makes what so many calls need, in the thread that makes them.
    pub(super) make: fn(u32) -> Result<Box<dyn Batch>, Fault>,
}

impl Row {
    const fn new(word: &'static str, batch: u32, make: fn(u32) -> Result<Box<dyn Batch>, Fault>) -> Self {
        Self { word, batch, needs: None, make }
    }

    pub(super) fn of(word: &str) -> Result<&'static Self, Fault> {
        let unknown = || Fault::Other(format!("`{word}` is no call of scheduler.syscall"));
        TABLE.iter().find(|row| row.word == word).ok_or_else(unknown)
    }
}

/// Every call, in the order of the words. The batches last 20 to 100 us on a
/// machine of 2023; what is longer by itself is alone.
pub(super) const TABLE: &[Row] = &[
    Row::new("getppid", 512, |n| Ok(repeat(n, "getppid", || getppid().map_or(Ok(()), |_| Ok(()))))),
    Row { needs: Some("/dev/zero"), ..Row::new("read", 256, read) },
    Row { needs: Some(NULL), ..Row::new("write", 256, write) },
    Row { needs: Some(NULL), ..Row::new("stat", 64, |n| Ok(repeat(n, "stat", || stat(NULL_C).map(drop)))) },
    Row { needs: Some(NULL), ..Row::new("fstat", 256, stat_open) },
    Row { needs: Some(NULL), ..Row::new("open-close", 32, open_close) },
    Row::new("poll", 16, poll_many),
    Row::new("signal-install", 256, signal::install),
    Row::new("signal-handle", 32, signal::handle),
    Row::new("protection-fault", 32, fault::protection),
    Row::new("page-fault", 64, fault::page),
    Row::new("mmap-munmap", 32, map_unmap),
    Row::new("pipe", 64, process::pipe),
    Row::new("context-switch", 32, process::context_switch),
    Row::new("thread", 2, process::thread),
    Row::new("fork", 1, process::fork),
    Row { needs: Some("/bin/true"), ..Row::new("exec", 1, process::exec) },
];

const NULL: &str = "/dev/null";
/// The same as the kernel takes it: to make it so is no part of the call.
const NULL_C: &std::ffi::CStr = c"/dev/null";

struct Repeated<F> {
    count: u32,
    step: F,
}

impl<F: FnMut() -> Result<(), Fault>> Batch for Repeated<F> {
    fn run(&mut self) -> Result<(), Fault> {
        for _ in 0..self.count {
            (self.step)()?;
        }
        Ok(())
    }
}

pub(super) fn steps(count: u32, step: impl FnMut() -> Result<(), Fault> + 'static) -> Box<dyn Batch> {
    Box::new(Repeated { count, step })
}

/// A batch of `count` times `call`, which is told as `name` if it fails.
pub(super) fn repeat<F>(count: u32, name: &'static str, mut call: F) -> Box<dyn Batch>
where
    F: FnMut() -> rustix::io::Result<()> + 'static,
{
    steps(count, move || call().map_err(|e| Fault::system(name, e)))
}

fn opened(path: &'static str, flags: OFlags) -> Result<OwnedFd, Fault> {
    open(path, flags | OFlags::CLOEXEC, Mode::empty())
        .map_err(|e| Fault::system(format!("opening {path}"), e))
}

fn read(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let zero = opened("/dev/zero", OFlags::RDONLY)?;
    let mut byte = [0; 1];
    Ok(repeat(count, "reading /dev/zero", move || rustix::io::read(&zero, &mut byte).map(drop)))
}

fn write(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let null = opened(NULL, OFlags::WRONLY)?;
    Ok(repeat(count, "writing to /dev/null", move || rustix::io::write(&null, &[0]).map(drop)))
}

fn stat_open(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let null = opened(NULL, OFlags::RDONLY)?;
    Ok(repeat(count, "fstat of /dev/null", move || fstat(&null).map(drop)))
}

fn open_close(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(repeat(count, "opening /dev/null", || {
        let null = open(NULL_C, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        // SAFETY: the descriptor is ours and nobody uses it afterwards. (Where
        // debug assertions are on, dropping it would ask with fcntl before.)
        unsafe { rustix::io::close(null.into_raw_fd()) };
        Ok(())
    }))
}

/// How many descriptors are asked for at once; all of them one eventfd.
const POLLED: usize = 100;

fn poll_many(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let event = eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| Fault::system("making an eventfd", e))?;
    Ok(Box::new(Polling { count, event }))
}

struct Polling {
    count: u32,
    event: OwnedFd,
}

impl Batch for Polling {
    fn run(&mut self) -> Result<(), Fault> {
        let mut all: [PollFd<'_>; POLLED] = std::array::from_fn(|_| PollFd::new(&self.event, PollFlags::IN));
        for _ in 0..self.count {
            let ready = poll(&mut all, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
            match ready.map_err(|e| Fault::system("polling", e))? {
                0 => {}
                ready => return Err(Fault::Verification(format!("{ready} empty eventfds were ready"))),
            }
        }
        Ok(())
    }
}

const MAPPED: usize = 64 << 10;

fn map_unmap(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(repeat(count, "mapping memory", || {
        // SAFETY: a new mapping at an address that the kernel chooses, which
        // nobody else knows and which is gone before anybody could.
        unsafe {
            let at = mmap_anonymous(
                std::ptr::null_mut(),
                MAPPED,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )?;
            munmap(at, MAPPED)
        }
    }))
}
