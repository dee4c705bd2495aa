//! A worker that asks over several connections, each of which has one request under way at most.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event};
use rustix::io::Errno;

use crate::workload::http::client::Server;
use crate::workload::http::facts;
use crate::workload::http::line::{Keeps, Line, Shared};
use crate::workload::http::tally::Tally;

/// Bytes of one call that receives.
const ROOM: usize = 64 << 10;

/// How often it is looked whether every connection gets on, ns.
const LOOK_NS: u64 = 100_000_000;

/// What all workers of a load ask, and of whom.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) server: Server,
    /// Requests, each whole.
    pub(super) messages: Vec<Vec<u8>>,
    /// Whether answers have no body by the method.
    pub(super) head_only: bool,
    pub(super) keeps_alive: bool,
    /// What workers saw, once they have ended.
    pub(super) seen: Mutex<Tally>,
}

/// The worker.
pub(super) struct Asking {
    question: Arc<Question>,
    lines: Vec<Line>,
    epoll: OwnedFd,
    /// What the kernel told of, and how many of these were looked at.
    events: Vec<Event>,
    seen: usize,
    /// Connections that go on after those without being told of, and such of the next time.
    turns: Vec<usize>,
    late: Vec<usize>,
    buffer: Box<[u8]>,
    tally: Tally,
    seed: u64,
    look_ns: u64,
    looks_most: u32,
}

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Asking {
    /// One with so many connections, which stand when this returns if they are kept.
    pub(super) fn new(question: Arc<Question>, connections: usize, seed: u64) -> Result<Self, Fault> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)
            .map_err(|e| Fault::system("making an epoll instance for connections", e))?;
        let mut lines: Vec<Line> = (0..connections).map(Line::new).collect();
        let mut tally = Tally::default();
        if question.keeps_alive {
            for line in &mut lines {
                line.take(question.server.connect()?, &epoll)?;
                tally.connections += 1;
            }
        }
        let looks = question.server.patience.as_nanos() / u128::from(LOOK_NS);
        Ok(Self {
            lines,
            epoll,
            events: Vec::with_capacity(connections.max(1)),
            seen: 0,
            turns: Vec::new(),
            late: Vec::new(),
            buffer: vec![0; ROOM].into_boxed_slice(),
            tally,
            seed,
            look_ns: clock::now_ns() + LOOK_NS,
            looks_most: u32::try_from(looks).unwrap_or(u32::MAX).max(1),
            question,
        })
    }

    #[inline]
    fn on<R>(
        &mut self,
        line: usize,
        now_ns: u64,
        act: impl FnOnce(&mut Line, &mut Shared<'_>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let Self { question, lines, epoll, buffer, tally, .. } = self;
        let mut shared = Shared {
            server: &question.server,
            epoll,
            messages: &question.messages,
            body: &[],
            keeps: Keeps::Nothing,
            head_only: question.head_only,
            keeps_alive: question.keeps_alive,
            buffer,
            tally,
            now_ns,
        };
        act(&mut lines[line], &mut shared)
    }

    /// Which of the requests `operation` is.
    #[inline]
    fn message(&self, operation: Operation) -> usize {
        match self.question.messages.len() {
            1 => 0,
            // SplitMix64 (Steele, Lea and Flood 2014): any neighbour of an index is far from it.
            many => (mixed(self.seed.wrapping_add(operation.index)) % many as u64) as usize,
        }
    }

    /// Goes on with connections that can, up to the first whose request ends: the next one begins before
    /// others are looked at, so that the server is not kept waiting by a batch. Asks the kernel for more,
    /// for at most `wait_ns`, once all that it told of were seen.
    #[inline]
    fn look(&mut self, wait_ns: u64, done: &mut Vec<Completion>) -> Result<(), Fault> {
        if self.seen == self.events.len() && self.turns.is_empty() {
            self.ask(if self.late.is_empty() { wait_ns } else { 0 })?;
        }
        while let Some(slot) = self.next() {
            let ended = self.on(slot, clock::now_ns(), Line::go_on)?;
            if self.lines[slot].has_more() && !self.late.contains(&slot) {
                self.late.push(slot);
            }
            if let Some(ended) = ended {
                done.push(Completion {
                    slot,
                    bytes: ended.bytes,
                    class: u8::from(ended.is_error),
                    handed_ns: ended.first_ns,
                });
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next connection that may go on, as far as that is known.
    #[inline]
    fn next(&mut self) -> Option<usize> {
        let Some(event) = self.events.get(self.seen) else { return self.turns.pop() };
        self.seen += 1;
        Some(event.data.u64() as usize)
    }

    fn ask(&mut self, wait_ns: u64) -> Result<(), Fault> {
        self.events.clear();
        self.seen = 0;
        std::mem::swap(&mut self.turns, &mut self.late);
        let timeout = clock::timespec(wait_ns);
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(Fault::system("waiting for answers", e)),
        }
        let now_ns = clock::now_ns();
        if now_ns < self.look_ns {
            return Ok(());
        }
        self.look_ns = now_ns + LOOK_NS;
        let (server, most) = (&self.question.server, self.looks_most);
        // What was just told of has moved.
        let told: Vec<usize> = self.events.iter().map(|event| event.data.u64() as usize).collect();
        for (number, line) in self.lines.iter_mut().enumerate() {
            if line.is_stuck(most) && !told.contains(&number) {
                return Err(match line.is_connecting() {
                    true => server.refused(Errno::TIMEDOUT, None),
                    false => server.silent(line.doing()),
                });
            }
        }
        Ok(())
    }
}

/// The finaliser of SplitMix64.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl Queue for Asking {
    #[inline]
    fn depth(&self) -> usize {
        self.lines.len()
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let message = self.message(operation);
        self.on(slot, 0, |line, shared| line.begin(message, shared))
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        match wait {
            Wait::Poll => self.look(0, done),
            Wait::For(ns) => self.look(ns.min(LOOK_NS), done),
            Wait::One => self.look(LOOK_NS, done),
        }
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        let mut seen = self.question.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(std::mem::take(&mut self.tally));
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.lines.iter().find_map(Line::stream).map(facts::of).unwrap_or_default()
    }
}
