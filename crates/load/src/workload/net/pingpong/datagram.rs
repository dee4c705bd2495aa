//! Both ends over UDP. A reply is known by the number that it begins with; a
//! request that is not answered within [`PATIENCE_NS`] is lost, and its slot is
//! used again.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED, Wait};
use model::{FactName, Value};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::answer_slots::AnswerSlots;
use crate::workload::net::hello::{self, COOKIE, HELLO};
use crate::workload::net::pingpong::asking::RequestMode;
use crate::workload::net::pingpong::message::{Message, Messages};
use crate::workload::net::socket::{self, LOOK, LOOKS_MOST};

/// How long a reply may take. TCP's first retransmission is after 1 s (RFC 6298).
const PATIENCE_NS: u64 = 1_000_000_000;

const ASKING: &str = "asking the other end by datagrams";
const ANSWERING: &str = "answering the other end's datagrams";

/// What became of the requests of all workers.
#[derive(Debug, Default)]
pub(super) struct RequestOutcomes {
    /// Answered in time.
    pub(super) answered: AtomicU64,
    /// Not answered in time.
    pub(super) lost: AtomicU64,
}

/// The end that asks.
#[derive(Debug)]
pub(super) struct Asking {
    socket: UdpSocket,
    messages: Messages,
    manner: RequestMode,
    farewell: [u8; COOKIE],
    /// By slot: the request under way, and when it went, ns.
    flights: Vec<Option<(Message, u64)>>,
    answered: u64,
    lost: u64,
    outcomes: Arc<RequestOutcomes>,
    quiet: u32,
}

impl Asking {
    pub(super) fn new(
        socket: UdpSocket,
        messages: Messages,
        manner: RequestMode,
        (farewell, outcomes): ([u8; COOKIE], Arc<RequestOutcomes>),
    ) -> Self {
        let flights = vec![None; manner.depth];
        Self { socket, messages, manner, farewell, flights, answered: 0, lost: 0, outcomes, quiet: 0 }
    }

    /// Takes in one datagram if there is one; whether there was.
    #[inline]
    fn pull(&mut self, may_wait: bool, done: &mut Vec<Completion>) -> Result<bool, Fault> {
        let flags = if may_wait { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        let got = match rustix::net::recv(&self.socket, self.messages.room(), flags) {
            Ok((_, got)) => got,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
            Err(e) => return Err(socket::broken(ASKING, e)),
        };
        let Self { flights, messages, .. } = self;
        let answers = |flight: &Option<(Message, u64)>| flight.is_some_and(|(m, _)| messages.answers(m, got));
        let Some(slot) = flights.iter().position(answers) else {
            // Of a request given up, or sent twice by the network.
            return Ok(true);
        };
        if let Some((message, _)) = flights[slot].take() {
            self.quiet = 0;
            self.answered += 1;
            if self.manner.verify {
                self.messages.check(message)?;
            }
            let bytes = message.bytes as u64;
            done.push(Completion { slot, bytes, class: message.class, ..Completion::default() });
        }
        Ok(true)
    }

    /// Gives up requests that are too old.
    #[cold]
    fn give_up(&mut self, now_ns: u64, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.quiet += 1;
        if self.quiet > LOOKS_MOST {
            return Err(socket::silent(ASKING));
        }
        for (slot, flight) in self.flights.iter_mut().enumerate() {
            if flight.take_if(|(_, at_ns)| now_ns.saturating_sub(*at_ns) > PATIENCE_NS).is_some() {
                self.lost += 1;
                done.push(Completion { slot, class: UNRECORDED, ..Completion::default() });
            }
        }
        Ok(())
    }
}

impl Queue for Asking {
    #[inline]
    fn depth(&self) -> usize {
        self.manner.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let message = self.messages.next();
        self.messages.stamp(message);
        self.flights[slot] = Some((message, clock::now_ns()));
        match rustix::net::send(&self.socket, self.messages.out(message), SendFlags::NOSIGNAL) {
            // Not sent: lost, as any other.
            Ok(_) | Err(Errno::AGAIN | Errno::INTR | Errno::NOBUFS) => Ok(()),
            Err(Errno::MSGSIZE) => Err(Fault::Other(format!(
                "a datagram of {} bytes is more than the path or the socket takes: give a smaller message-size",
                message.bytes
            ))),
            Err(e) => Err(socket::broken(ASKING, e)),
        }
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let until_ns = match wait {
            Wait::One => clock::now_ns() + LOOK.as_nanos() as u64,
            Wait::For(ns) => clock::now_ns() + ns,
            Wait::Poll => 0,
        };
        let may_wait = wait == Wait::One && !self.manner.busy;
        loop {
            let waits = may_wait && done.is_empty();
            while done.len() < self.manner.depth && self.pull(waits && done.is_empty(), done)? {}
            if !done.is_empty() || wait == Wait::Poll {
                return Ok(());
            }
            let now_ns = clock::now_ns();
            if now_ns >= until_ns || waits {
                return if wait == Wait::One { self.give_up(now_ns, done) } else { Ok(()) };
            }
            if self.manner.busy {
                std::hint::spin_loop();
            } else {
                let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
                let _ = poll(&mut fds, Some(&clock::timespec(until_ns - now_ns)));
            }
        }
    }

    /// All have their answers: says so, three times for one may be lost.
    fn settle(&mut self) -> Result<bool, Fault> {
        for _ in 0..3 {
            let _ = rustix::net::send(&self.socket, &self.farewell, SendFlags::NOSIGNAL);
        }
        self.outcomes.answered.fetch_add(self.answered, Ordering::Relaxed);
        self.outcomes.lost.fetch_add(self.lost, Ordering::Relaxed);
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.socket)
    }
}

/// The end that answers: sends back whatever comes.
#[derive(Debug)]
pub(super) struct Answering {
    socket: UdpSocket,
    buffer: Buffer,
    busy: bool,
    farewell: [u8; COOKIE],
    hello: Option<[u8; HELLO]>,
    class: u8,
    slots: AnswerSlots,
}

impl Answering {
    /// Answers over `socket`, until the farewell; what was said first may come
    /// again.
    pub(super) fn new(
        socket: UdpSocket,
        busy: bool,
        class: u8,
        (farewell, hello): ([u8; COOKIE], Option<[u8; HELLO]>),
    ) -> Result<Self, Fault> {
        let mut buffer = Buffer::new(1 << 16)?;
        buffer.as_mut_slice().fill(0);
        Ok(Self { socket, buffer, busy, farewell, hello, class, slots: AnswerSlots::default() })
    }
}

impl Queue for Answering {
    #[inline]
    fn depth(&self) -> usize {
        AnswerSlots::DEPTH
    }

    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.slots.start(slot);
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let flags = if self.busy { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
        let until_ns = if self.busy { clock::now_ns() + LOOK.as_nanos() as u64 } else { 0 };
        loop {
            match rustix::net::recv(&self.socket, self.buffer.as_mut_slice(), flags) {
                Ok((_, got)) => {
                    let came = &self.buffer.as_mut_slice()[..got];
                    if came == self.farewell {
                        self.slots.over(done);
                        return Ok(());
                    }
                    if let Some(own) = &self.hello {
                        let welcome = hello::welcome(own);
                        if came == own {
                            let _ = self.socket.send(&welcome);
                            continue;
                        }
                        // To a hello of this end, where it is the one that came.
                        if came == welcome {
                            continue;
                        }
                    }
                    match rustix::net::send(&self.socket, came, SendFlags::NOSIGNAL) {
                        Ok(_) | Err(Errno::AGAIN | Errno::INTR | Errno::NOBUFS) => {}
                        Err(e) => return Err(socket::broken(ANSWERING, e)),
                    }
                    self.slots.answered(got, self.class, done);
                    return Ok(());
                }
                Err(Errno::AGAIN | Errno::INTR) if clock::now_ns() < until_ns => std::hint::spin_loop(),
                Err(Errno::AGAIN | Errno::INTR) => {
                    self.slots.nothing(done);
                    return Ok(());
                }
                Err(e) => return Err(socket::broken(ANSWERING, e)),
            }
        }
    }

    #[inline]
    fn ended(&self) -> bool {
        self.slots.is_over()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.socket)
    }
}
