//! A thread that moves bytes between the TLS connection to a node and one end of a
//! socketpair, so that the rest sees the same kind of stream as a child's.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agent::wire::FRAME_MAX;
use load::workload::net;
use rustix::event::{PollFd, PollFlags};

use super::WORD_EVERY;
use super::frame::Frames;
use super::relay::SendBuffer;
use super::secure::{Secure, flags, wait, wait_until};
use super::session::is_none_yet;

/// What waits in one direction at most, bytes.
const HELD_MAX: usize = 1 << 20;

/// How long a node may take to put everything away when all is done: longer than
/// it gives its agent's process.
const FINISH_PATIENCE: Duration = Duration::from_secs(20);

/// How long what came last may take to be read here.
const READ_PATIENCE: Duration = Duration::from_secs(30);

/// Moves bytes both ways until one side ends.
pub(super) struct BytePump {
    secure: Secure,
    local: UnixStream,
    /// From here: whole, so that a sign of life never stands in the middle of
    /// one.
    frames: Frames,
    /// To the node.
    out: SendBuffer,
    /// From the node, as it comes.
    came: Frames,
    /// The same for here, without signs of life.
    inbox: SendBuffer,
    /// When the node heard something last.
    said: Instant,
    /// When something was heard of the node last.
    heard: Instant,
    /// How long it may say nothing, ms.
    silence_ms: Arc<AtomicU64>,
    /// Since when nothing more comes from here.
    parted: Option<Instant>,
}

/// Why the pump ended.
enum End {
    Done,
    Closed,
    Broken(io::Error),
}

/// What a node is that says nothing. It is told that we live every [`WORD_EVERY`], and its kernel
/// acknowledges that, whether the node itself runs or not.
fn silent(most: Duration, acknowledged: Option<Duration>) -> String {
    let why = match acknowledged {
        Some(since) if since < most / 2 => "its kernel still answers, so the node is stopped or stuck",
        _ => "the way to it is gone, or the node is stopped or stuck",
    };
    format!("nothing came from it for {} s: {why}", most.as_secs())
}

impl BytePump {
    pub(super) fn new(
        secure: Secure,
        mut early: Frames,
        local: UnixStream,
        silence_ms: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        early.allow(FRAME_MAX);
        let now = Instant::now();
        let mut pump = Self {
            secure,
            local,
            frames: Frames::new(FRAME_MAX),
            out: SendBuffer::default(),
            came: early,
            inbox: SendBuffer::default(),
            said: now,
            heard: now,
            silence_ms,
            parted: None,
        };
        pump.take_frames()?;
        Ok(pump)
    }

    /// Runs to the end, and says why it came.
    pub(super) fn run(mut self) -> String {
        let end = loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break End::Broken(error),
            }
        };
        self.deliver();
        self.secure.end();
        match end {
            End::Done => "it was closed here".to_owned(),
            End::Closed => "the node closed it".to_owned(),
            End::Broken(error) => error.to_string(),
        }
    }

    fn turn(&mut self) -> io::Result<Option<End>> {
        if self.parted.is_none() && self.said.elapsed() >= WORD_EVERY {
            self.out.put_frame(&[]);
            self.said = Instant::now();
        }
        self.push()?;
        self.look_at_clock()?;
        if let Some(since) = self.parted
            && since.elapsed() >= FINISH_PATIENCE
        {
            return Ok(Some(End::Done));
        }
        let hears = self.parted.is_none() && self.out.waits() < HELD_MAX;
        let mut fds = vec![self.secure.poll_fd(self.inbox.waits() < HELD_MAX)];
        if self.parted.is_none() {
            fds.push(PollFd::new(&self.local, flags(hears, self.inbox.waits() > 0)));
        }
        let left = match self.parted {
            Some(since) => FINISH_PATIENCE.saturating_sub(since.elapsed()),
            None => {
                let silent = self.silence().saturating_sub(self.heard.elapsed());
                WORD_EVERY.saturating_sub(self.said.elapsed()).min(silent)
            }
        };
        wait(&mut fds, Some(left))?;
        if self.inbox.waits() < HELD_MAX && !self.hear_node()? {
            return Ok(Some(End::Closed));
        }
        if hears {
            self.hear_here()?;
        }
        Ok(None)
    }

    fn silence(&self) -> Duration {
        Duration::from_millis(self.silence_ms.load(Ordering::Relaxed))
    }

    /// Gives up a node of which nothing was heard for too long.
    fn look_at_clock(&mut self) -> io::Result<()> {
        if self.inbox.waits() >= HELD_MAX {
            // Who does not listen hears nothing.
            self.heard = Instant::now();
        }
        let most = self.silence();
        if self.parted.is_some() || self.heard.elapsed() < most {
            return Ok(());
        }
        Err(io::Error::other(silent(most, net::since_acknowledged(self.secure.tcp()))))
    }

    fn push(&mut self) -> io::Result<()> {
        let Self { secure, local, out, inbox, .. } = self;
        secure.push(out)?;
        if self.parted.is_none() {
            // Who does not listen any more shows when it is heard.
            while matches!(inbox.push(|bytes| local.write(bytes)), Ok(true)) {}
        }
        Ok(())
    }

    fn hear_node(&mut self) -> io::Result<bool> {
        let mut bytes = Vec::new();
        let is_open = self.secure.receive(&mut bytes)?;
        if !bytes.is_empty() {
            self.heard = Instant::now();
            self.came.push(&bytes);
            self.take_frames()?;
        }
        Ok(is_open)
    }

    /// Hands on what is more than a sign of life.
    fn take_frames(&mut self) -> io::Result<()> {
        while let Some(body) = self.came.take().map_err(io::Error::other)? {
            if self.parted.is_none() && !body.is_empty() {
                self.inbox.put_frame(body);
            }
        }
        Ok(())
    }

    fn hear_here(&mut self) -> io::Result<()> {
        let mut piece = [0; 64 << 10];
        match self.local.read(&mut piece) {
            Ok(0) => self.parted = Some(Instant::now()),
            Ok(length) => {
                self.frames.push(&piece[..length]);
                while let Some(body) = self.frames.take().map_err(io::Error::other)? {
                    self.out.put_frame(body);
                    self.said = Instant::now();
                }
            }
            Err(e) if is_none_yet(&e) => {}
            // The other end is gone without a word.
            Err(_) => self.parted = Some(Instant::now()),
        }
        Ok(())
    }

    /// Gives what came last to who reads here, if anybody does.
    fn deliver(&mut self) {
        let until = Instant::now() + READ_PATIENCE;
        while self.parted.is_none() && self.inbox.waits() > 0 {
            let mut local = &self.local;
            let waited = wait_until(PollFd::new(local, PollFlags::OUT), until, None);
            if waited.is_err() || self.inbox.push(|bytes| local.write(bytes)).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_acknowledges_is_no_way_that_is_gone() {
        let most = Duration::from_secs(20);
        assert!(silent(most, Some(Duration::from_secs(1))).ends_with("so the node is stopped or stuck"));
        for silence in [None, Some(Duration::from_secs(19))] {
            assert!(
                silent(most, silence).ends_with("the way to it is gone, or the node is stopped or stuck")
            );
        }
    }
}
