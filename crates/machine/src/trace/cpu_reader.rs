//! The thread that reads the events of one CPU.
//!
//! It takes whole pages out of the kernel's buffer as long as there are any, then waits until
//! a quarter of the buffer is full or a moment has passed. Each time that nothing was left, it
//! says until when all events of its CPU were read. If nobody takes what it read, it waits, and
//! the kernel counts what it overwrites meanwhile.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use trace::ring::{CpuDecoder, DecodeCounts, Decoded};

use super::clock::now_ns;

/// For how long it waits at most.
const PAUSE: Duration = Duration::from_millis(50);
/// For how long it waits at least after it found little: old kernels wake up for every event.
const SHORT_PAUSE: Duration = Duration::from_millis(5);
/// What is little.
const FEW_PAGES: u64 = 4;
/// So many bytes of pages are handed over together: 16 pages on most machines, one where pages
/// are large.
const BATCH_BYTES: usize = 64 << 10;
/// An event has its time before it is in the buffer. Between the two there may be an
/// interrupt, and on a virtual machine the time of others.
const SLACK_NS: u64 = 10_000_000;

/// What a reader tells.
#[derive(Debug)]
pub(super) enum ReaderMessage {
    /// More events of the stream `index`.
    Events {
        index: usize,
        events: Vec<Decoded>,
        /// All events up to here were given.
        complete_ns: u64,
    },
    /// It has ended.
    Ended {
        index: usize,
        counts: DecodeCounts,
        /// Why it could not go on.
        failure: Option<String>,
    },
}

/// Reads the events of one CPU.
#[derive(Debug)]
pub(super) struct CpuReader {
    pub(super) index: usize,
    /// Its `trace_pipe_raw`, which must not block.
    pub(super) pipe: File,
    pub(super) page_bytes: usize,
    pub(super) decoder: CpuDecoder,
    /// That the trace has ended: what is there is read, and no more.
    pub(super) is_over: Arc<AtomicBool>,
    pub(super) sender: SyncSender<ReaderMessage>,
}

/// That nobody wants to have the events any more.
struct Unwanted;

impl CpuReader {
    /// Reads until the trace is over.
    pub(super) fn run(mut self) {
        let failure = self.read_all().err().map(|e| e.to_string());
        let (index, counts) = (self.index, self.decoder.counts());
        let _ = self.sender.send(ReaderMessage::Ended { index, counts, failure });
    }

    fn read_all(&mut self) -> io::Result<()> {
        let mut page = vec![0; self.page_bytes];
        loop {
            let is_last = self.is_over.load(Ordering::Acquire);
            if is_last {
                // An event may just be written.
                std::thread::sleep(SHORT_PAUSE);
            }
            let Ok(pages) = self.drain(&mut page)? else { return Ok(()) };
            if is_last {
                return Ok(());
            }
            self.wait(pages)?;
        }
    }

    /// Reads and hands over all that is there.
    fn drain(&mut self, page: &mut [u8]) -> io::Result<Result<u64, Unwanted>> {
        let began_ns = now_ns();
        let batch_pages = (BATCH_BYTES / self.page_bytes.max(1)).max(1) as u64;
        let mut events = Vec::new();
        let mut pages = 0_u64;
        loop {
            let length = match self.pipe.read(page) {
                Ok(0) => break,
                Ok(length) => length,
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            // A page that is garbled is counted by the decoder.
            let _ = self.decoder.page(&page[..length], &mut events);
            pages += 1;
            if pages.is_multiple_of(batch_pages) && self.hand_over(std::mem::take(&mut events), 0).is_err() {
                return Ok(Err(Unwanted));
            }
        }
        let complete_ns = began_ns.saturating_sub(SLACK_NS);
        Ok(self.hand_over(events, complete_ns).map(|()| pages))
    }

    fn hand_over(&self, events: Vec<Decoded>, complete_ns: u64) -> Result<(), Unwanted> {
        let message = ReaderMessage::Events { index: self.index, events, complete_ns };
        self.sender.send(message).map_err(|_| Unwanted)
    }

    /// Waits until there is more to do than after `pages` the last time.
    fn wait(&self, pages: u64) -> io::Result<()> {
        if pages < FEW_PAGES {
            std::thread::sleep(SHORT_PAUSE);
        }
        let timeout = Timespec::try_from(PAUSE).map_err(io::Error::other)?;
        let mut polled = [PollFd::new(&self.pipe, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }
}
