//! Receiving and writing by one ring: while one buffer is written, the other one is received into.
//!
//! A ring of its own for each stream, made in the thread that uses it, with at most one receive and
//! one write for each buffer under way.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use engine::clock;
use engine::fault::Fault;
use io_uring::types::SubmitArgs;
use io_uring::{IoUring, opcode, squeue, types};
use rustix::io::Errno;

use crate::workload::disk::io_uring_access;
use crate::workload::http::stream::Nothing;
use crate::workload::memory::buffer::Buffer;

/// Places in the ring: a receive, two writes and a cancellation.
const ENTRIES: u32 = 4;

/// By these numbers completions are known; those of writes are the numbers of their buffers.
const RECEIVE: u64 = 2;
const CANCEL: u64 = 3;

/// Has what was put off run, though nothing is waited for (`IORING_ENTER_GETEVENTS`).
const GET_EVENTS: u32 = 1;

/// What is still to be written of a buffer.
#[derive(Clone, Copy, Debug)]
struct Writing {
    from: usize,
    left: usize,
    offset: u64,
}

/// The ring and its buffers.
pub(super) struct TransferRing {
    ring: Box<IoUring>,
    /// As long as the kernel may use them they are not unmapped.
    buffers: ManuallyDrop<[Buffer; 2]>,
    /// What is written to; it is open as long as this is used.
    file: Option<RawFd>,
    /// The buffer that is filled.
    current: usize,
    writing: [Option<Writing>; 2],
    is_receiving: bool,
    /// The result of a receive that was not looked at.
    received: Option<i32>,
    /// Why a write failed, until that is told.
    failed: Option<Errno>,
}

impl std::fmt::Debug for TransferRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { current, writing, is_receiving, received, .. } = self;
        f.debug_struct("TransferRing")
            .field("current", current)
            .field("writing", writing)
            .field("is_receiving", is_receiving)
            .field("received", received)
            .finish_non_exhaustive()
    }
}

impl TransferRing {
    /// One with two buffers of `bytes` each, that writes to `file` if there is one.
    ///
    /// # Errors
    /// If there is no memory, or the kernel makes no ring.
    pub(super) fn new(bytes: usize, file: Option<&File>) -> Result<Self, Fault> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(ENTRIES)
            .or_else(|_| IoUring::builder().setup_coop_taskrun().build(ENTRIES))
            .or_else(|_| IoUring::new(ENTRIES))
            .map_err(|e| Fault::Other(format!("{}: use move=buffer", io_uring_access::explanation(&e))))?;
        let buffers = ManuallyDrop::new([Buffer::new(bytes)?, Buffer::new(bytes)?]);
        Ok(Self {
            ring: Box::new(ring),
            buffers,
            file: file.map(AsRawFd::as_raw_fd),
            current: 0,
            writing: [None; 2],
            is_receiving: false,
            received: None,
            failed: None,
        })
    }

    /// The buffer that is filled, which nothing is received into at the moment.
    pub(super) fn buffer(&mut self) -> &mut Buffer {
        debug_assert!(!self.is_receiving && self.writing[self.current].is_none());
        &mut self.buffers[self.current]
    }

    /// Where both buffers lie.
    pub(super) fn ranges(&self) -> [std::ops::Range<*const u8>; 2] {
        [self.buffers[0].range(), self.buffers[1].range()]
    }

    /// Whether the kernel is to receive, and has not.
    pub(super) fn is_receiving(&self) -> bool {
        self.is_receiving
    }

    /// Receives at most `room` bytes from `socket` into the buffer, behind `filled` bytes that it has; 0 if no
    /// more comes. A receive that was begun before goes on, whatever is asked for.
    ///
    /// # Errors
    /// If nothing is there yet, or the connection is broken.
    pub(super) fn receive(
        &mut self,
        socket: &impl AsFd,
        filled: usize,
        room: usize,
    ) -> Result<usize, Nothing> {
        if !self.is_receiving && self.received.is_none() {
            let buffer = &self.buffers[self.current];
            let into = buffer.as_mut_ptr().wrapping_add(filled);
            let most = u32::try_from(room.min(buffer.len() - filled)).unwrap_or(u32::MAX);
            let entry = opcode::Recv::new(types::Fd(socket.as_fd().as_raw_fd()), into, most).build();
            self.push(&entry.user_data(RECEIVE))?;
            self.is_receiving = true;
        }
        if self.received.is_none() {
            self.look()?;
        }
        let result = self.received.take().ok_or(Nothing::Yet)?;
        usize::try_from(result).map_err(|_| match Errno::from_raw_os_error(-result) {
            Errno::AGAIN | Errno::INTR => Nothing::Yet,
            e => e.into(),
        })
    }

    /// Waits until the receive is done; whether that was before `until_ns`.
    ///
    /// # Errors
    /// If the ring fails.
    pub(super) fn wait(&mut self, until_ns: u64) -> Result<bool, Errno> {
        while self.is_receiving {
            let left_ns = until_ns.saturating_sub(clock::now_ns());
            if left_ns == 0 {
                return Ok(false);
            }
            let left = types::Timespec::from(Duration::from_nanos(left_ns));
            passing(self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&left)))?;
            self.reap()?;
        }
        Ok(true)
    }

    /// Writes the first `bytes` of the buffer from `offset` on; the other one is filled next, once it is written.
    ///
    /// # Errors
    /// If this write or the one before fails.
    pub(super) fn write(&mut self, bytes: usize, offset: u64) -> Result<(), Errno> {
        self.begin(self.current, Writing { from: 0, left: bytes, offset })?;
        passing(self.ring.submitter().submit())?;
        self.current ^= 1;
        while self.writing[self.current].is_some() {
            self.await_one()?;
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// If a write fails.
    pub(super) fn settle(&mut self) -> Result<(), Errno> {
        while self.writing.iter().any(Option::is_some) {
            self.await_one()?;
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    fn await_one(&mut self) -> Result<(), Errno> {
        passing(self.ring.submitter().submit_and_wait(1))?;
        self.reap()
    }

    /// Hands over what was begun, and takes what is done, without waiting.
    fn look(&mut self) -> Result<(), Errno> {
        let pending = u32::try_from(self.ring.submission().len()).unwrap_or(u32::MAX);
        // SAFETY: what was begun points into buffers that live until it is done; no argument is passed.
        passing(unsafe { self.ring.submitter().enter::<libc::sigset_t>(pending, 0, GET_EVENTS, None) })?;
        self.reap()
    }

    /// Takes what is done.
    fn reap(&mut self) -> Result<(), Errno> {
        while let Some((number, result)) = self.completion() {
            match usize::try_from(number) {
                Ok(buffer) if buffer < self.writing.len() => self.written(buffer, result)?,
                _ if number == RECEIVE => (self.is_receiving, self.received) = (false, Some(result)),
                _ => {}
            }
        }
        Ok(())
    }

    /// A write of this buffer is done: what is left of it is written next.
    fn written(&mut self, buffer: usize, result: i32) -> Result<(), Errno> {
        let Some(Writing { from, left, offset }) = self.writing[buffer].take() else { return Ok(()) };
        let moved = match usize::try_from(result) {
            Ok(moved) if moved >= left => return Ok(()),
            // A file takes some of what is asked for, or there is no room.
            Ok(0) => {
                self.failed.get_or_insert(Errno::NOSPC);
                return Ok(());
            }
            Ok(moved) => moved,
            Err(_) => match Errno::from_raw_os_error(-result) {
                Errno::AGAIN | Errno::INTR => 0,
                e => {
                    self.failed.get_or_insert(e);
                    return Ok(());
                }
            },
        };
        let rest = Writing { from: from + moved, left: left - moved, offset: offset + moved as u64 };
        self.begin(buffer, rest)
    }

    /// Asks for a write, which is handed over by the next call that enters the kernel.
    fn begin(&mut self, buffer: usize, writing: Writing) -> Result<(), Errno> {
        let file = self.file.ok_or(Errno::BADF)?;
        let Writing { from, left, offset } = writing;
        let bytes = self.buffers[buffer].as_mut_ptr().wrapping_add(from);
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        let entry = opcode::Write::new(types::Fd(file), bytes, left).offset(offset).build();
        self.push(&entry.user_data(buffer as u64))?;
        self.writing[buffer] = Some(writing);
        Ok(())
    }

    fn push(&mut self, entry: &squeue::Entry) -> Result<(), Errno> {
        // SAFETY: the entry points into a buffer that is not unmapped before it is done, and that nobody else
        // touches till then.
        unsafe { self.ring.submission().push(entry) }.map_err(|_| Errno::BUSY)
    }

    /// The number and the result of the next thing that is done.
    fn completion(&mut self) -> Option<(u64, i32)> {
        self.ring.completion().next().map(|done| (done.user_data(), done.result()))
    }
}

/// What passes by itself is no fault: the time to wait ran out, a signal came, completions must be taken first.
fn passing(entered: io::Result<usize>) -> Result<(), Errno> {
    match entered {
        Ok(_) => Ok(()),
        Err(e) => match Errno::from_io_error(&e) {
            Some(Errno::TIME | Errno::INTR | Errno::BUSY | Errno::AGAIN) => Ok(()),
            Some(e) => Err(e),
            None => Err(Errno::IO),
        },
    }
}

impl Drop for TransferRing {
    /// The kernel may still use the buffers: waits until it does not.
    fn drop(&mut self) {
        if self.is_receiving {
            // Nothing else ends a receive from a server that says nothing. There is a place for it.
            let _ = self.push(&opcode::AsyncCancel::new(RECEIVE).build().user_data(CANCEL));
        }
        while self.is_receiving || self.writing.iter().any(Option::is_some) {
            if passing(self.ring.submitter().submit_and_wait(1)).is_err() {
                // The ring cannot be waited for. Closing it makes the kernel cancel what is under way; the memory
                // stays mapped till the process ends.
                return;
            }
            while let Some((number, _)) = self.completion() {
                match usize::try_from(number) {
                    Ok(buffer) if buffer < self.writing.len() => self.writing[buffer] = None,
                    _ if number == RECEIVE => self.is_receiving = false,
                    _ => {}
                }
            }
        }
        // SAFETY: nothing is under way any more, and this is the only place that drops the buffers.
        unsafe { ManuallyDrop::drop(&mut self.buffers) };
    }
}
