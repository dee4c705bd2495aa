//! A worker that asks over several connections, each of which has one request under way at most.

use std::sync::{Arc, Mutex, PoisonError};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::trial::Timeline;
use model::{FactName, Value};

use crate::workload::disk::distribution::random;
use crate::workload::http::client::Server;
use crate::workload::http::facts;
use crate::workload::http::line::{Keeps, Line, ROOM, Shared};
use crate::workload::http::requests::kinds::{ERROR, FIRST_KIND};
use crate::workload::http::requests::mix::Choice;
use crate::workload::http::tally::Tally;
use crate::workload::http::turns::Turns;

/// What all workers of a load ask, and of whom.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) server: Server,
    /// Requests, each whole.
    pub(super) messages: Vec<Vec<u8>>,
    /// Of each, whether its answer has no body by the method.
    pub(super) head_only: Vec<bool>,
    pub(super) choice: Choice,
    /// Whether each request has figures of its own.
    pub(super) has_kinds: bool,
    pub(super) keeps_alive: bool,
    /// What workers saw, once they have ended.
    pub(super) seen: Mutex<Seen>,
}

/// What workers saw beside their times.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) tally: Tally,
    /// Answers and errors of each request that has figures of its own.
    pub(super) counts: Vec<KindCounts>,
}

/// Answers without an error, and errors, over a whole trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KindCounts {
    pub(super) answers: u64,
    pub(super) errors: u64,
}

/// The worker.
pub(super) struct Asking {
    question: Arc<Question>,
    lines: Vec<Line>,
    turns: Turns,
    buffer: Box<[u8]>,
    tally: Tally,
    /// Answers and errors of each request that has figures of its own.
    counts: Vec<KindCounts>,
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
        let counts =
            vec![KindCounts::default(); if question.has_kinds { question.messages.len() } else { 0 }];
        Ok(Self { lines, turns, buffer: vec![0; ROOM].into_boxed_slice(), tally, counts, seed, question })
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
            head_only: false,
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
        self.question.choice.place(|| random(self.seed, operation.index))
    }

    /// The class of the operation that ended over a line.
    #[inline]
    fn class(&mut self, slot: usize, is_error: bool) -> u8 {
        if !self.question.has_kinds {
            return if is_error { ERROR } else { 0 };
        }
        let message = self.lines[slot].message();
        let counts = &mut self.counts[message];
        if is_error {
            counts.errors += 1;
            return ERROR;
        }
        counts.answers += 1;
        FIRST_KIND + message as u8
    }
}

impl Queue for Asking {
    #[inline]
    fn depth(&self) -> usize {
        self.lines.len()
    }

    fn set_timeline(&mut self, timeline: Timeline) {
        self.tally.handshakes.set_timeline(timeline);
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let message = self.message(operation);
        let head_only = self.question.head_only[message];
        self.on(slot, 0, |line, shared| {
            shared.head_only = head_only;
            line.begin(message, shared)
        })
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
                    class: self.class(slot, ended.is_error),
                    handed_ns: ended.first_ns,
                });
                return Ok(());
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        let mut seen = self.question.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.tally.add(std::mem::take(&mut self.tally));
        seen.counts.resize(self.counts.len(), KindCounts::default());
        for (sum, counts) in seen.counts.iter_mut().zip(&mut self.counts) {
            let KindCounts { answers, errors } = std::mem::take(counts);
            (sum.answers, sum.errors) = (sum.answers + answers, sum.errors + errors);
        }
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.lines.iter().find_map(Line::stream).map(facts::of).unwrap_or_default()
    }
}
