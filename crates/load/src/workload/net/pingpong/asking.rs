//! The end that asks over TCP: requests go out one behind the other, and their
//! replies come back in that order.
//!
//! With one request at a time it is a send and a read that waits. With more, or
//! where it polls, no call waits: while a long request goes out, replies must be
//! taken in, or both ends would wait for one another.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::workload::net::pingpong::message::{Message, Messages};
use crate::workload::net::socket::{self, LOOK, Quiet};

const ASKING: &str = "asking the other end";

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Flight {
    slot: usize,
    message: Message,
}

/// The end that asks.
#[derive(Debug)]
pub(in crate::workload::net) struct Asking {
    stream: TcpStream,
    messages: Messages,
    mode: RequestMode,
    /// Requests not answered, oldest first.
    flights: VecDeque<Flight>,
    /// How many of these, from the oldest on, are sent whole; and bytes sent of
    /// the one after.
    gone: usize,
    sent: usize,
    /// Bytes that came of the oldest's reply.
    got: usize,
    quiet: Quiet,
}

/// How an end asks.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload::net) struct RequestMode {
    /// Requests at once.
    pub(in crate::workload::net) depth: usize,
    /// Whether it looks again and again instead of waiting.
    pub(in crate::workload::net) busy: bool,
    /// Whether replies are compared with their requests.
    pub(in crate::workload::net) verify: bool,
}

impl Asking {
    pub(in crate::workload::net) fn new(stream: TcpStream, messages: Messages, mode: RequestMode) -> Self {
        let (flights, quiet) = (VecDeque::with_capacity(mode.depth), Quiet::default());
        Self { stream, messages, mode, flights, gone: 0, sent: 0, got: 0, quiet }
    }

    /// Whether calls may wait: one request at a time, and it is gone.
    #[inline]
    fn may_wait(&self) -> bool {
        self.mode.depth == 1 && !self.mode.busy
    }

    /// Sends what the socket takes of requests that are not gone.
    #[inline]
    fn push(&mut self) -> Result<(), Fault> {
        let flags =
            if self.may_wait() { SendFlags::NOSIGNAL } else { SendFlags::NOSIGNAL | SendFlags::DONTWAIT };
        while let Some(flight) = self.flights.get(self.gone) {
            if self.sent == 0 {
                self.messages.stamp(flight.message);
            }
            let left = &self.messages.out(flight.message)[self.sent..];
            let of = left.len();
            match rustix::net::send(&self.stream, left, flags) {
                Ok(sent) if sent == of => {
                    self.gone += 1;
                    self.sent = 0;
                }
                Ok(sent) => self.sent += sent,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(e) => return Err(socket::broken(ASKING, e)),
            }
        }
        Ok(())
    }

    /// Reads of the oldest reply what is there; whether anything was.
    #[inline]
    fn pull(&mut self, may_wait: bool, done: &mut Vec<Completion>) -> Result<bool, Fault> {
        let Some(Flight { slot, message }) = self.flights.front().copied() else { return Ok(false) };
        let flags = if may_wait { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        let room = &mut self.messages.reply(message)[self.got..];
        match rustix::net::recv(&self.stream, room, flags) {
            Ok((0, _)) => Err(socket::broken(ASKING, Errno::CONNRESET)),
            Ok((got, _)) => {
                self.quiet.ends();
                self.got += got;
                if self.got == message.bytes {
                    self.got = 0;
                    self.flights.pop_front();
                    self.gone = self.gone.saturating_sub(1);
                    if self.mode.verify {
                        self.messages.check(message)?;
                    }
                    let bytes = message.bytes as u64;
                    done.push(Completion { slot, bytes, class: message.class, ..Completion::default() });
                }
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(e) => Err(socket::broken(ASKING, e)),
        }
    }

    /// Nothing came for [`LOOK`].
    fn nothing(&mut self) -> Result<(), Fault> {
        self.quiet.lasts(&self.stream, ASKING)
    }

    /// Waits until there is something to do, at most so many ns; whether there is.
    fn wait(&self, ns: u64) -> Result<bool, Fault> {
        let wanted =
            if self.gone < self.flights.len() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut fds = [PollFd::new(&self.stream, wanted)];
        match poll(&mut fds, Some(&clock::timespec(ns))) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(true),
            Err(e) => Err(Fault::system(ASKING, e)),
        }
    }

    /// Several requests at once, or polling.
    fn reap_many(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let until_ns = match wait {
            Wait::One => clock::now_ns() + LOOK.as_nanos() as u64,
            Wait::For(ns) => clock::now_ns() + ns,
            Wait::Poll => 0,
        };
        loop {
            self.push()?;
            while self.pull(false, done)? {}
            if !done.is_empty() || wait == Wait::Poll {
                return Ok(());
            }
            let left_ns = until_ns.saturating_sub(clock::now_ns());
            if left_ns == 0 {
                return if wait == Wait::One { self.nothing() } else { Ok(()) };
            }
            if self.mode.busy {
                std::hint::spin_loop();
            } else {
                self.wait(left_ns)?;
            }
        }
    }
}

impl Queue for Asking {
    #[inline]
    fn depth(&self) -> usize {
        self.mode.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let message = self.messages.next();
        self.flights.push_back(Flight { slot, message });
        self.push()
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        if !self.may_wait() || wait != Wait::One {
            return self.reap_many(wait, done);
        }
        while done.is_empty() {
            if self.gone < self.flights.len() {
                self.push()?;
            }
            if !self.pull(self.gone == self.flights.len(), done)? {
                return self.nothing();
            }
        }
        Ok(())
    }

    /// Every request has its answer: the other end may go.
    fn settle(&mut self) -> Result<bool, Fault> {
        self.stream.shutdown(Shutdown::Write).map_err(|e| Fault::system(ASKING, e))?;
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.stream)
    }
}
