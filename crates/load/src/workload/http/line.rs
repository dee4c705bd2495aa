//! One connection and the request that is under way on it.

use std::os::fd::{AsFd, OwnedFd};

use engine::fault::Fault;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::sockopt;

use crate::workload::http::client::Server;
use crate::workload::http::response::{Head, Piece, Reader};
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::http::tally::Tally;
use crate::workload::net::socket;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No request is under way.
    Idle,
    Connecting,
    Shaking,
    Sending,
    Receiving,
}

/// What of an answer's body is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum Keeps {
    Nothing,
    /// That of an error, which says why.
    Errors,
    /// That of any.
    All,
}

/// So many bytes of it, at most.
const KEPT_MOST: usize = 64 << 10;

/// Bytes of one call that receives.
pub(in crate::workload) const ROOM: usize = 64 << 10;

/// Bytes that one request sends, or receives over TLS, before others have their turn.
const TURN: usize = 4 << 20;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) struct Ended {
    /// Bytes of the answer's body.
    pub(in crate::workload) bytes: u64,
    /// Whether it is an error.
    pub(in crate::workload) is_error: bool,
    /// The status of the answer; 0 if it was not whole.
    pub(in crate::workload) status: u16,
    /// When its first byte was seen, ns.
    pub(in crate::workload) first_ns: u64,
}

/// What a line works with that all lines of a worker share.
pub(in crate::workload) struct Shared<'a> {
    pub(in crate::workload) server: &'a Server,
    pub(in crate::workload) epoll: &'a OwnedFd,
    /// The requests, each whole.
    pub(in crate::workload) messages: &'a [Vec<u8>],
    /// What follows the request.
    pub(in crate::workload) body: &'a [u8],
    pub(in crate::workload) keeps: Keeps,
    /// Whether answers have no body by the method.
    pub(in crate::workload) head_only: bool,
    pub(in crate::workload) keeps_alive: bool,
    pub(in crate::workload) buffer: &'a mut [u8],
    pub(in crate::workload) tally: &'a mut Tally,
    /// When the line goes on, ns.
    pub(in crate::workload) now_ns: u64,
}

/// A connection.
#[derive(Debug)]
pub(in crate::workload) struct Line {
    number: u64,
    stream: Option<Stream>,
    phase: Phase,
    reader: Reader,
    message: usize,
    sent: usize,
    bytes: u64,
    /// What was kept of the body of the answer.
    kept: Vec<u8>,
    first_ns: u64,
    /// When the connection stood that a handshake is to follow, ns.
    shaking_ns: u64,
    /// Whether this connection stood before the request: the server may have closed it meanwhile.
    has_stood: bool,
    /// Whether the kernel is to say when it can be sent to.
    wants_out: bool,
    /// Whether something moved since the last look, and looks at which nothing had.
    moved: bool,
    looks: u32,
    /// Bytes that were not acknowledged at the last of these.
    queued: Option<u64>,
    /// Whether its session may hold something of which the kernel does not tell.
    has_more: bool,
}

impl Line {
    /// Line `number`, which has no connection yet.
    pub(in crate::workload) fn new(number: usize) -> Self {
        Self {
            number: number as u64,
            stream: None,
            phase: Phase::Idle,
            reader: Reader::default(),
            message: 0,
            sent: 0,
            bytes: 0,
            kept: Vec::new(),
            first_ns: 0,
            shaking_ns: 0,
            has_stood: false,
            wants_out: false,
            moved: false,
            looks: 0,
            queued: None,
            has_more: false,
        }
    }

    /// Takes a connection that stands.
    pub(in crate::workload) fn take(&mut self, stream: Stream, epoll: &OwnedFd) -> Result<(), Fault> {
        (self.wants_out, self.has_stood) = (false, true);
        self.watch(&stream, epoll)?;
        self.stream = Some(stream);
        Ok(())
    }

    fn watch(&self, stream: &Stream, epoll: &OwnedFd) -> Result<(), Fault> {
        let wanted = if self.wants_out { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        epoll::add(epoll, stream, EventData::new_u64(self.number), wanted).map_err(waiting)
    }

    /// What the socket is now, for facts.
    pub(in crate::workload) fn stream(&self) -> Option<&Stream> {
        self.stream.as_ref()
    }

    /// Whether it is to go on without being told by the kernel, after others had their turn.
    #[inline]
    pub(in crate::workload) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Which of the requests it sent last.
    #[inline]
    pub(in crate::workload) fn message(&self) -> usize {
        self.message
    }

    /// What was kept of the body of the last answer.
    pub(in crate::workload) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// The head of the last answer.
    pub(in crate::workload) fn head(&self) -> &Head {
        self.reader.head()
    }

    /// Begins request `message`; in the clear it mostly goes at once.
    #[inline]
    pub(in crate::workload) fn begin(
        &mut self,
        message: usize,
        shared: &mut Shared<'_>,
    ) -> Result<(), Fault> {
        self.message = message;
        (self.moved, self.looks) = (true, 0);
        self.again(shared)
    }

    /// Sends the request from its first byte on.
    fn again(&mut self, shared: &mut Shared<'_>) -> Result<(), Fault> {
        (self.sent, self.bytes, self.first_ns) = (0, 0, 0);
        self.kept.clear();
        self.reader.begin(shared.head_only);
        if self.stream.is_none() {
            return self.connect(shared);
        }
        self.phase = Phase::Sending;
        match self.push(shared) {
            Err(why) if why.is_closed() && self.sent == 0 && shared.server.asks_again(self.has_stood) => {
                self.stream = None;
                self.connect(shared)
            }
            Ok(()) | Err(Nothing::Yet) => self.set_interest(shared.epoll),
            // What the server said before it broke off is looked for when the kernel tells of that.
            Err(why) if why.is_closed() => self.set_interest(shared.epoll),
            Err(e) => Err(shared.server.broken(&e, "while a request was sent")),
        }
    }

    /// Begins a connection for the request.
    #[cold]
    fn connect(&mut self, shared: &mut Shared<'_>) -> Result<(), Fault> {
        let made = shared.tally.connections;
        let refused = |e| shared.server.refused(e, Some(made));
        let socket = shared.server.begin().map_err(refused)?;
        let stream = Stream::new(socket, shared.server.secure.as_ref())
            .map_err(|e| shared.server.broken(&Nothing::Tls(e), "at the start of TLS"))?;
        shared.tally.connections += 1;
        (self.phase, self.wants_out, self.has_stood) = (Phase::Connecting, true, false);
        self.watch(&stream, shared.epoll)?;
        self.stream = Some(stream);
        Ok(())
    }

    /// Sends what can be sent.
    fn push(&mut self, shared: &mut Shared<'_>) -> Result<(), Nothing> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let (message, body) = (&shared.messages[self.message], shared.body);
        let (all, begun) = (message.len() + body.len(), self.sent);
        loop {
            let rest = match self.sent.checked_sub(message.len()) {
                None => &message[self.sent..],
                Some(of_body) => &body[of_body..],
            };
            self.sent += stream.send(rest)?;
            self.moved = true;
            if self.sent == all && !stream.holds() {
                self.phase = Phase::Receiving;
                return Ok(());
            }
            // The kernel says at once that more can be sent.
            if self.sent - begun >= TURN {
                return Err(Nothing::Yet);
            }
        }
    }

    /// Tells the kernel what is waited for, if that changed.
    #[inline]
    fn set_interest(&mut self, epoll: &OwnedFd) -> Result<(), Fault> {
        let holds = || self.stream.as_ref().is_some_and(Stream::holds);
        let wants = matches!(self.phase, Phase::Connecting | Phase::Sending) || holds();
        if wants == self.wants_out {
            return Ok(());
        }
        self.wants_out = wants;
        let Some(stream) = &self.stream else { return Ok(()) };
        let wanted = if wants { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        epoll::modify(epoll, stream.as_fd(), EventData::new_u64(self.number), wanted).map_err(waiting)
    }

    /// Goes on after the kernel said that it can; how the request ended, if it did.
    #[inline]
    pub(in crate::workload) fn go_on(&mut self, shared: &mut Shared<'_>) -> Result<Option<Ended>, Fault> {
        let ended = match self.phase {
            Phase::Receiving => self.pull(shared)?,
            _ => self.get_there(shared)?,
        };
        self.set_interest(shared.epoll)?;
        Ok(ended)
    }

    /// All that comes before an answer.
    #[cold]
    fn get_there(&mut self, shared: &mut Shared<'_>) -> Result<Option<Ended>, Fault> {
        if self.phase == Phase::Idle {
            // A server that closes a connection that nobody uses, or a ticket of TLS for another time.
            let is_there = |stream: &mut Stream| matches!(stream.receive(shared.buffer), Err(Nothing::Yet));
            if !self.stream.as_mut().is_some_and(is_there) {
                self.stream = None;
            }
            return Ok(None);
        }
        if self.phase == Phase::Connecting
            && let Some(stream) = &self.stream
        {
            let made = shared.tally.connections;
            sockopt::socket_error(stream)
                .and_then(|result| result)
                .map_err(|e| shared.server.refused(e, Some(made)))?;
            // What woke it may have been something else.
            if rustix::net::getpeername(stream).is_err() {
                return Ok(None);
            }
            (self.phase, self.moved, self.shaking_ns) = (Phase::Shaking, true, shared.now_ns);
        }
        if self.phase == Phase::Shaking
            && let Some(stream) = &mut self.stream
        {
            match stream.shake_hands() {
                Ok(()) => {
                    (self.phase, self.moved) = (Phase::Sending, true);
                    if let Some(session) = stream.session() {
                        shared.tally.handshakes.count(session, self.shaking_ns);
                    }
                }
                Err(Nothing::Yet) => return Ok(None),
                Err(e) => return Err(shared.server.broken(&e, "in the handshake of TLS")),
            }
        }
        match self.push(shared) {
            Ok(()) => self.pull(shared),
            // It may have answered already, before it took all. What came before a reset can be read after it
            // (tcp_reset of net/ipv4/tcp_input.c keeps it).
            Err(Nothing::Yet) => self.pull(shared),
            Err(why) if why.is_closed() => self.pull(shared),
            Err(Nothing::Broken(e)) => self.lost(e, shared),
            Err(e) => Err(shared.server.broken(&e, "while a request was sent")),
        }
    }

    /// Receives what is there.
    #[inline]
    fn pull(&mut self, shared: &mut Shared<'_>) -> Result<Option<Ended>, Fault> {
        let mut turn = 0;
        self.has_more = false;
        loop {
            let Some(stream) = &mut self.stream else { return Ok(None) };
            let is_plain = stream.is_plain();
            let got = match stream.receive(shared.buffer) {
                Ok(0) => return self.closed(shared),
                Ok(got) => got,
                Err(Nothing::Yet) => return Ok(None),
                Err(Nothing::Broken(e)) => return self.lost(e, shared),
                Err(e) => return Err(shared.server.broken(&e, "while it answered")),
            };
            self.moved = true;
            turn += got;
            if self.first_ns == 0 {
                self.first_ns = shared.now_ns;
            }
            let mut rest = &shared.buffer[..got];
            loop {
                match self.reader.next(&mut rest).map_err(|e| shared.server.malformed(e))? {
                    Piece::Head => {}
                    Piece::Body(bytes) => {
                        self.bytes += bytes.len() as u64;
                        self.keep(bytes, shared.keeps);
                    }
                    Piece::End => return Ok(Some(self.finish(true, shared))),
                    Piece::More => break,
                }
            }
            // In the clear, the kernel says when there is more; a session may hold some itself.
            self.has_more = !is_plain && turn >= TURN;
            if is_plain || self.has_more {
                return Ok(None);
            }
        }
    }

    /// Keeps of a body what is asked for.
    #[inline]
    fn keep(&mut self, bytes: &[u8], keeps: Keeps) {
        let is_kept = match keeps {
            Keeps::Nothing => false,
            Keeps::Errors => self.reader.head().status >= 300,
            Keeps::All => true,
        };
        if is_kept {
            let room = KEPT_MOST.saturating_sub(self.kept.len()).min(bytes.len());
            self.kept.extend_from_slice(&bytes[..room]);
        }
    }

    /// The answer is whole, or all of it that comes.
    #[inline]
    fn finish(&mut self, is_whole: bool, shared: &mut Shared<'_>) -> Ended {
        let status = self.reader.head().status;
        let keeps = is_whole && shared.keeps_alive && self.reader.head().keeps;
        // One that answers before it has the whole request will not take the rest.
        let keeps = keeps && self.phase == Phase::Receiving;
        shared.tally.count(status, is_whole);
        (self.phase, self.has_stood) = (Phase::Idle, true);
        if !keeps && let Some(stream) = self.stream.take() {
            shared.tally.part(stream, shared.epoll);
        }
        let is_error = !is_whole || status >= 400;
        let status = if is_whole { status } else { 0 };
        Ended { bytes: self.bytes, is_error, status, first_ns: self.first_ns }
    }

    /// The server closed the connection.
    #[cold]
    fn closed(&mut self, shared: &mut Shared<'_>) -> Result<Option<Ended>, Fault> {
        if self.first_ns > 0 && self.reader.ends_with_connection() {
            return Ok(Some(self.finish(true, shared)));
        }
        self.lost(Errno::CONNRESET, shared)
    }

    /// The connection ended before the answer did.
    #[cold]
    fn lost(&mut self, error: Errno, shared: &mut Shared<'_>) -> Result<Option<Ended>, Fault> {
        self.stream = None;
        // It takes longer then.
        let is_closed = Nothing::Broken(error).is_closed();
        if self.first_ns == 0 && is_closed && shared.server.asks_again(self.has_stood) {
            self.connect(shared)?;
            (self.sent, self.bytes) = (0, 0);
            self.kept.clear();
            return Ok(None);
        }
        if matches!(error, Errno::TIMEDOUT | Errno::HOSTUNREACH | Errno::NETUNREACH | Errno::NETDOWN) {
            return Err(shared.server.broken(&Nothing::Broken(error), "is not reached any more"));
        }
        let ended = self.finish(false, shared);
        self.has_stood = false;
        Ok(Some(ended))
    }

    /// Looks whether it still gets on: whether a request is under way on which nothing moved for
    /// `most` looks.
    pub(in crate::workload) fn is_stuck(&mut self, most: u32) -> bool {
        if self.phase == Phase::Idle || std::mem::take(&mut self.moved) {
            self.looks = 0;
            return false;
        }
        // What the other end acknowledges moves too: a slow link takes long to empty a large buffer.
        let queued = self.stream.as_ref().and_then(socket::queued);
        let before = std::mem::replace(&mut self.queued, queued);
        if before.is_some() && before != queued {
            self.looks = 0;
        }
        self.looks += 1;
        self.looks > most
    }

    /// What it was doing.
    pub(in crate::workload) fn doing(&self) -> &'static str {
        match self.phase {
            Phase::Connecting | Phase::Shaking => "while a connection was made",
            Phase::Sending => "while a request was sent",
            Phase::Idle | Phase::Receiving => "when it was to answer",
        }
    }

    /// Whether it waits for a connection to come about.
    pub(in crate::workload) fn is_connecting(&self) -> bool {
        self.phase == Phase::Connecting
    }
}

fn waiting(error: Errno) -> Fault {
    Fault::system("waiting for connections", error)
}
