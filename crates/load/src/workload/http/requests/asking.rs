//! A worker that asks over several connections, each of which has one request under way at most.

use std::sync::{Arc, Mutex, PoisonError};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};

use crate::workload::disk::distribution::random;
use crate::workload::http::client::Server;
use crate::workload::http::facts;
use crate::workload::http::line::{Keeps, Line, ROOM, Shared};
use crate::workload::http::tally::Tally;
use crate::workload::http::turns::Turns;

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
    turns: Turns,
    buffer: Box<[u8]>,
    tally: Tally,
    seed: u64,
}

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Asking {
    /// One with so many connections, which stand when this returns if they are kept.
    pub(super) fn new(question: Arc<Question>, connections: usize, seed: u64) -> Result<Self, Fault> {
        let turns = Turns::new(connections, question.server.patience)?;
        let mut lines: Vec<Line> = (0..connections).map(Line::new).collect();
        let mut tally = Tally::default();
        if question.keeps_alive {
            for line in &mut lines {
                line.take(question.server.connect()?, turns.epoll())?;
                tally.connections += 1;
            }
        }
        Ok(Self { lines, turns, buffer: vec![0; ROOM].into_boxed_slice(), tally, seed, question })
    }

    #[inline]
    fn on<R>(
        &mut self,
        line: usize,
        now_ns: u64,
        act: impl FnOnce(&mut Line, &mut Shared<'_>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let Self { question, lines, turns, buffer, tally, .. } = self;
        let mut shared = Shared {
            server: &question.server,
            epoll: turns.epoll(),
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
            many => (random(self.seed, operation.index) % many as u64) as usize,
        }
    }
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

    /// Goes on with connections that can, up to the first whose request ends: the next one begins before
    /// others are looked at, so that the server is not kept waiting by a batch.
    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.turns.ask(wait, &self.question.server, &mut self.lines)?;
        while let Some(slot) = self.turns.take() {
            let ended = self.on(slot, clock::now_ns(), Line::go_on)?;
            if self.lines[slot].has_more() {
                self.turns.add(slot);
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

    fn settle(&mut self) -> Result<bool, Fault> {
        let mut seen = self.question.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.add(std::mem::take(&mut self.tally));
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.lines.iter().find_map(Line::stream).map(facts::of).unwrap_or_default()
    }
}
