//! The controller's side of a node: an [`Agent`] like the one in a child
//! process. A thread moves bytes between the TLS connection and one end of a
//! socketpair, so that the rest sees the same kind of stream as a child's.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::message::{Reply, Request};
use rustix::event::{PollFd, PollFlags};

use super::dial::{DialError, dial};
use super::frame::Frames;
use super::join::JoinString;
use super::limits::SILENCE;
use super::relay::Outbox;
use super::secure::{Secure, wait};
use super::session::is_none_yet;
use super::{WORD_EVERY, silence};
use crate::converse::{Line, converse};
use crate::wire::{self, FRAME_MAX};
use crate::{Agent, AgentError, Aside, Sever, Watch};

/// What waits in one direction at most, bytes.
const HELD_MAX: usize = 1 << 20;

/// How long a node may take to put everything away when all is done: longer than
/// it gives its agent's process.
const FINISH_PATIENCE: Duration = Duration::from_secs(20);

/// How long what came last may take to be read here.
const READ_PATIENCE: Duration = Duration::from_secs(30);

/// An agent at a node.
#[derive(Debug)]
pub struct NodeAgent {
    line: NodeLine,
    patience: Duration,
}

#[derive(Debug)]
struct NodeLine {
    join: JoinString,
    patience: Duration,
    address: IpAddr,
    link: Option<Link>,
}

#[derive(Debug)]
struct Link {
    stream: UnixStream,
    /// To end the pump by force.
    tcp: TcpStream,
    pump: JoinHandle<String>,
    /// How long the node may say nothing now, ms.
    silence_ms: Arc<AtomicU64>,
}

impl NodeAgent {
    /// Dials the node of `join`. A request without progress for `patience` is
    /// given up. A connection that is lost is made anew for the next request.
    ///
    /// # Errors
    /// If the node cannot be reached, or lets nobody in.
    pub fn dial(join: JoinString, patience: Duration) -> Result<Self, DialError> {
        let (link, address) = reach(&join, patience)?;
        Ok(Self { line: NodeLine { join, patience, address, link: Some(link) }, patience })
    }

    /// The address at which the node was reached.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.line.address
    }

    /// Its `HOST:PORT`, as it stands in the join string.
    #[must_use]
    pub fn place(&self) -> String {
        self.line.join.place()
    }

    /// Tells the node that all is done, and waits until it has put everything
    /// away.
    pub fn finish(&mut self) {
        if let Some(mut link) = self.line.link.take() {
            let _ = wire::send(&mut link.stream, &Request::Finish);
            drop(link.stream);
            let _ = link.pump.join();
        }
    }
}

impl Drop for NodeAgent {
    fn drop(&mut self) {
        self.finish();
    }
}

fn reach(join: &JoinString, patience: Duration) -> Result<(Link, IpAddr), DialError> {
    let (secure, frames, address) = dial(join)?;
    let here = |source: io::Error| DialError::Connect { place: join.place(), source };
    let tcp = secure.tcp().try_clone().map_err(here)?;
    let (stream, local) = UnixStream::pair().map_err(here)?;
    stream.set_read_timeout(Some(patience)).map_err(here)?;
    local.set_nonblocking(true).map_err(here)?;
    let silence_ms = Arc::new(AtomicU64::new(as_ms(SILENCE)));
    let pump = Pump::new(secure, frames, local, Arc::clone(&silence_ms)).map_err(here)?;
    let pump = std::thread::Builder::new().name("node".to_owned()).spawn(|| pump.run()).map_err(here)?;
    Ok((Link { stream, tcp, pump, silence_ms }, address))
}

fn as_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl NodeLine {
    /// Says how long the node may say nothing while a request is under way.
    fn bear(&self, silence: Duration) {
        if let Some(link) = &self.link {
            link.silence_ms.store(as_ms(silence), Ordering::Relaxed);
        }
    }
}

impl Line for NodeLine {
    fn stream(&mut self) -> Result<&mut UnixStream, AgentError> {
        if self.link.is_none() {
            let reached = reach(&self.join, self.patience);
            let (link, address) = reached.map_err(|e| AgentError::Unreachable(e.to_string()))?;
            self.address = address;
            self.link = Some(link);
        }
        let link = self.link.as_mut().ok_or_else(|| AgentError::Unreachable("no link".to_owned()))?;
        Ok(&mut link.stream)
    }

    fn lost(&mut self) -> AgentError {
        let why = match self.link.take() {
            Some(link) => link.pump.join().unwrap_or_else(|_| "its thread panicked".to_owned()),
            None => "it was closed".to_owned(),
        };
        AgentError::Died(format!("the connection to the node at {} was lost: {why}", self.join.place()))
    }

    fn abandon(&mut self) {
        if let Some(link) = self.link.take() {
            let _ = link.tcp.shutdown(Shutdown::Both);
            drop(link.stream);
            let _ = link.pump.join();
        }
    }
}

impl Agent for NodeAgent {
    fn aside(&mut self) -> Result<Aside, AgentError> {
        let stream = self.line.stream()?.try_clone().map_err(|e| AgentError::Unreachable(e.to_string()))?;
        Ok(Box::new(move |request| wire::send(&mut &stream, request)))
    }

    fn sever(&mut self) -> Option<Sever> {
        let tcp = self.line.link.as_ref()?.tcp.try_clone().ok()?;
        Some(Box::new(move || {
            let _ = tcp.shutdown(Shutdown::Both);
        }))
    }

    fn call(&mut self, request: Request, watch: &mut Watch<'_>) -> Result<Reply, AgentError> {
        self.line.bear(silence(&request));
        let answer = converse(&mut self.line, self.patience, &request, watch);
        self.line.bear(SILENCE);
        answer
    }
}

/// Moves bytes both ways until one side ends.
struct Pump {
    secure: Secure,
    local: UnixStream,
    /// From here: whole, so that a sign of life never stands in the middle of
    /// one.
    frames: Frames,
    /// To the node.
    out: Outbox,
    /// From the node, as it comes.
    came: Frames,
    /// The same for here, without signs of life.
    inbox: Outbox,
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
    /// We are done.
    Done,
    /// The node closed.
    Closed,
    Broken(io::Error),
}

impl Pump {
    fn new(
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
            out: Outbox::default(),
            came: early,
            inbox: Outbox::default(),
            said: now,
            heard: now,
            silence_ms,
            parted: None,
        };
        pump.take_frames()?;
        Ok(pump)
    }

    /// Runs to the end, and says why it came.
    fn run(mut self) -> String {
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
            put(&mut self.out, &[]);
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
        let mut flags = if hears { PollFlags::IN } else { PollFlags::empty() };
        if self.inbox.waits() > 0 {
            flags |= PollFlags::OUT;
        }
        let mut fds = vec![self.secure.poll_fd(self.inbox.waits() < HELD_MAX)];
        if self.parted.is_none() {
            fds.push(PollFd::new(&self.local, flags));
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
        Err(io::Error::other(format!(
            "nothing came from it for {} s: the way to it is gone, or the node is stopped or stuck",
            most.as_secs()
        )))
    }

    fn push(&mut self) -> io::Result<()> {
        let Self { secure, local, out, inbox, .. } = self;
        loop {
            let moved = out.push(|bytes| secure.offer(bytes))?;
            secure.flush()?;
            if !moved || secure.wants_write() {
                break;
            }
        }
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
                put(&mut self.inbox, body);
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
                    put(&mut self.out, body);
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
            let left = until.saturating_duration_since(Instant::now());
            let mut fds = [PollFd::new(&self.local, PollFlags::OUT)];
            let mut local = &self.local;
            if left.is_zero()
                || wait(&mut fds, Some(left)).is_err()
                || self.inbox.push(|bytes| local.write(bytes)).is_err()
            {
                return;
            }
        }
    }
}

fn put(to: &mut Outbox, body: &[u8]) {
    to.put(&u32::try_from(body.len()).unwrap_or_default().to_le_bytes());
    to.put(body);
}

#[cfg(test)]
impl NodeAgent {
    /// What cuts the connection in a test.
    pub(super) fn cutter(&self) -> TcpStream {
        self.line.link.as_ref().unwrap().tcp.try_clone().unwrap()
    }

    pub(super) fn bears(&self, silence: Duration) {
        self.line.bear(silence);
    }

    pub(super) fn is_connected(&self) -> bool {
        self.line.link.as_ref().is_some_and(|link| !link.pump.is_finished())
    }
}
