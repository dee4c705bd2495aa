//! What a session and its agent's process have between them: bytes that wait
//! until they are taken, and the process.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use agent::child::{AgentProcess, ChildCommand};
use agent::wire::FRAME_MAX;
use rustix::event::PollFd;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::frame::Frames;
use super::secure::flags;
use super::session::is_none_yet;

/// How much is read at once, bytes.
const PIECE: usize = 64 << 10;

/// How long the agent's process may take to put everything away, settings too,
/// once its controller is gone: a little longer than it gives itself
/// (`ORPHAN_GRACE` in `serve.rs`).
const PUT_AWAY: Duration = Duration::from_secs(12);

/// What is given back to the system when it is no longer needed.
const SPARE: usize = 1 << 20;

/// Bytes that wait to be taken.
#[derive(Debug, Default)]
pub(super) struct SendBuffer {
    bytes: Vec<u8>,
    taken: usize,
    /// Since when some wait and none was taken.
    stuck: Option<Instant>,
}

impl SendBuffer {
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.stuck.get_or_insert_with(Instant::now);
    }

    /// A frame; one of no bytes is a sign of life.
    pub(super) fn put_frame(&mut self, body: &[u8]) {
        self.put(&u32::try_from(body.len()).unwrap_or_default().to_le_bytes());
        self.put(body);
    }

    /// How many wait.
    pub(super) fn waits(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Since when some wait and none was taken.
    pub(super) fn stuck_since(&self) -> Option<Instant> {
        self.stuck
    }

    /// Gives them to `take`, which says how many it took; whether it took some.
    pub(super) fn push(&mut self, take: impl FnOnce(&[u8]) -> io::Result<usize>) -> io::Result<bool> {
        if self.waits() == 0 {
            return Ok(false);
        }
        let taken = match take(&self.bytes[self.taken..]) {
            Ok(taken) => taken,
            Err(e) if is_none_yet(&e) => 0,
            Err(e) => return Err(e),
        };
        self.taken += taken;
        if taken > 0 {
            self.stuck = (self.waits() > 0).then(Instant::now);
        }
        if self.waits() == 0 {
            self.taken = 0;
            match self.bytes.capacity() > SPARE {
                true => self.bytes = Vec::new(),
                false => self.bytes.clear(),
            }
        }
        Ok(taken > 0)
    }
}

/// The agent's process of one session.
#[derive(Debug)]
pub(super) struct Worker {
    process: AgentProcess,
    stream: UnixStream,
    /// What it says.
    pub(super) frames: Frames,
    /// What it is to be told.
    pub(super) inbox: SendBuffer,
}

impl Worker {
    /// Starts it; it may have `memory` bytes of its own.
    pub(super) fn start(command: &ChildCommand, memory: u64) -> io::Result<Self> {
        let (process, stream) = command.start()?;
        let worker = Self { process, stream, frames: Frames::new(FRAME_MAX), inbox: SendBuffer::default() };
        worker.stream.set_nonblocking(true)?;
        let id = i32::try_from(worker.process.id()).ok().and_then(Pid::from_raw);
        prlimit(id, Resource::Data, Rlimit { current: Some(memory), maximum: Some(memory) })?;
        Ok(worker)
    }

    pub(super) fn poll_fd(&self, hears: bool) -> PollFd<'_> {
        PollFd::new(&self.stream, flags(hears, self.inbox.waits() > 0))
    }

    /// Gives it what waits. That it is gone shows when it is heard.
    pub(super) fn push(&mut self) {
        let Self { stream, inbox, .. } = self;
        while matches!(inbox.push(|bytes| stream.write(bytes)), Ok(true)) {}
    }

    /// Takes a piece of what it says; whether more may come.
    pub(super) fn hear(&mut self) -> bool {
        let mut piece = [0; PIECE];
        match self.stream.read(&mut piece) {
            Ok(0) => false,
            Ok(length) => {
                self.frames.push(&piece[..length]);
                true
            }
            Err(e) => is_none_yet(&e),
        }
    }

    /// It closed its connection: how it ended.
    pub(super) fn ended(mut self) -> String {
        self.process.ended()
    }

    /// Closes its connection, at which it puts everything away and ends; whether
    /// it did: if not, it is ended by force.
    pub(super) fn finish(self) -> bool {
        let Self { mut process, stream, .. } = self;
        drop(stream);
        process.finish_within(PUT_AWAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_taken_in_order_and_knows_since_when_it_is_stuck() {
        let mut outbox = SendBuffer::default();
        assert!(outbox.stuck_since().is_none());
        outbox.put(b"abc");
        outbox.put(b"de");
        let since = outbox.stuck_since().unwrap();
        assert!(!outbox.push(|_| Err(io::ErrorKind::WouldBlock.into())).unwrap());
        assert_eq!(outbox.stuck_since(), Some(since));
        let mut seen = Vec::new();
        let mut take = |bytes: &[u8]| {
            seen.extend_from_slice(&bytes[..2.min(bytes.len())]);
            Ok(2.min(bytes.len()))
        };
        while outbox.push(&mut take).unwrap() {}
        assert_eq!((seen.as_slice(), outbox.waits()), (&b"abcde"[..], 0));
        assert!(outbox.stuck_since().is_none());
        outbox.put(b"f");
        assert!(outbox.push(|_| Err(io::ErrorKind::BrokenPipe.into())).is_err());
    }
}
