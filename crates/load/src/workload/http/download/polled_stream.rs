//! A connection as a library for runtimes wants it, without a runtime: calls that would wait are
//! pending, and nobody is woken. Whoever polls waits for the socket.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use engine::fault::Fault;
use model::{FactName, Value};
use rustix::event::PollFlags;
use rustix::net::Shutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::workload::http::client::{self, Server};
use crate::workload::http::dialog::{self, Unanswered};
use crate::workload::http::facts;
use crate::workload::http::stream::{Nothing, Stream};

#[derive(Debug)]
struct State {
    stream: Stream,
    room: Vec<u8>,
    /// What of the room was received and not taken.
    held: Range<usize>,
    /// Whether a call may receive in this turn.
    may_receive: bool,
    /// Whether nothing was there when it was last asked for.
    is_drained: bool,
    /// Whether something is to be sent that was not taken.
    wants_out: bool,
    /// Whether no more comes.
    has_ended: bool,
    /// Why it is broken.
    broken: Option<Nothing>,
}

impl State {
    fn receive(&mut self, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() && !self.has_ended {
            if !std::mem::take(&mut self.may_receive) {
                return Poll::Pending;
            }
            match self.stream.receive(&mut self.room) {
                Ok(0) => self.has_ended = true,
                Ok(received) => (self.held, self.is_drained) = (0..received, false),
                Err(Nothing::Yet) => {
                    self.is_drained = true;
                    return Poll::Pending;
                }
                Err(why) => return self.fail(why),
            }
        }
        let most = self.held.len().min(into.remaining());
        let end = self.held.start + most;
        into.put_slice(&self.room[self.held.start..end]);
        self.held.start = end;
        Poll::Ready(Ok(()))
    }

    fn send(&mut self, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.stream.send(bytes) {
            Ok(sent) => Poll::Ready(Ok(sent)),
            Err(Nothing::Yet) => {
                self.wants_out = true;
                Poll::Pending
            }
            Err(why) => self.fail(why),
        }
    }

    #[cold]
    fn fail<T>(&mut self, why: Nothing) -> Poll<io::Result<T>> {
        let error: io::Error = match &why {
            Nothing::Broken(errno) => (*errno).into(),
            other => io::Error::other(other.to_string()),
        };
        self.broken = Some(why);
        Poll::Ready(Err(error))
    }
}

/// The connection, which the library and whoever polls it share.
#[derive(Clone, Debug)]
pub(super) struct PolledStream(Rc<RefCell<State>>);

impl PolledStream {
    /// Over a connection that stands; `room` bytes are received by one call.
    pub(super) fn new(stream: Stream, room: usize) -> Self {
        Self(Rc::new(RefCell::new(State {
            stream,
            room: vec![0; room],
            held: 0..0,
            may_receive: false,
            is_drained: false,
            wants_out: false,
            has_ended: false,
            broken: None,
        })))
    }

    /// A turn begins, in which one call may receive: what a server sends without an end would otherwise keep
    /// the library from ever coming back.
    pub(super) fn begin_turn(&self) {
        let mut state = self.0.borrow_mut();
        (state.may_receive, state.wants_out) = (true, false);
    }

    /// Waits until another turn may do something; whether that was before `until_ns`.
    pub(super) fn wait(&self, until_ns: u64) -> Result<bool, Fault> {
        let state = self.0.borrow();
        let wanted = match state.wants_out {
            true => PollFlags::IN | PollFlags::OUT,
            // A session may hold what the socket has no more.
            false if !state.is_drained => return Ok(true),
            false => PollFlags::IN,
        };
        client::wait(&state.stream, wanted, until_ns)
    }

    /// Why a request has no answer, if that is because the connection is broken.
    pub(super) fn broken(&self, server: &Server, doing: &str) -> Option<Unanswered> {
        self.0.borrow().broken.as_ref().map(|why| dialog::broken(server, why, doing))
    }

    /// Says that nothing more is sent. If the server is gone, it is.
    pub(super) fn shutdown(&self) {
        let _ = rustix::net::shutdown(&self.0.borrow().stream, Shutdown::Write);
    }

    /// What the kernel and TLS granted.
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        facts::of(&self.0.borrow().stream)
    }
}

impl AsyncRead for PolledStream {
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0.borrow_mut().receive(into)
    }
}

impl AsyncWrite for PolledStream {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().send(bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.borrow_mut();
        if state.stream.holds() { state.send(&[]).map_ok(drop) } else { Poll::Ready(Ok(())) }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
