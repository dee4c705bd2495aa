//! One client of many that a thread serves: its connection, and the transaction that is under way on it.

use engine::adaptive_spin::AdaptiveSpin;
use engine::clock;
use engine::fault::Fault;
use engine::queue::{OperationPart, Wait};
use rustix::io::Errno;

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::counts::TransactionCounts;
use crate::workload::db::generator::{SqlValue, ValueRandom};
use crate::workload::db::metrics::{ERROR, TRANSACTION};
use crate::workload::db::transaction::{Execution, TransactionMix, TransactionStep};
use crate::workload::db::wire::turns::{WireTurns, await_only};
use crate::workload::db::wire::{Codec, StatementAnswer, WireStream, keeps_nothing, put_kept};
use crate::workload::disk::distribution::random;
use crate::workload::http::stream::Nothing;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    Nothing,
    Statement,
    /// That a transaction is rolled back, which is then begun again or not.
    RollBack {
        is_again: bool,
    },
}

/// What the clients of a worker have in common.
pub(super) struct ClientShared<'a> {
    pub(super) mix: &'a TransactionMix,
    pub(super) seed: u64,
    pub(super) turns: &'a WireTurns,
    /// Where one call receives to.
    pub(super) buffer: &'a mut [u8],
    pub(super) parts: &'a mut Vec<OperationPart>,
    pub(super) rows: &'a mut u64,
    pub(super) transactions: &'a mut TransactionCounts,
}

/// A client.
pub(super) struct ServedClient<C> {
    number: usize,
    wire: WireStream,
    codec: C,
    /// What came and was not read: less than a message.
    held: Vec<u8>,
    out: Vec<u8>,
    sent: usize,
    /// Whether the kernel is to say when it can be sent to.
    wants_out: bool,
    /// Whether its thread has no other client, and asks for this one alone.
    is_alone: bool,
    /// How that thread waits before it sleeps, if it is.
    spin: Option<AdaptiveSpin>,
    awaits: Awaits,
    values: Vec<SqlValue>,
    random: ValueRandom,
    /// The number of the operation, the place of its transaction in the mix, and of the step that follows.
    index: u64,
    transaction: usize,
    step: usize,
    /// When this attempt began, and the statement that is under way, ns.
    begun_ns: u64,
    started_ns: u64,
    /// Until when the transaction is begun again, ns.
    until_ns: u64,
}

impl<C: Codec> ServedClient<C> {
    /// Client `number`, over a connection that is signed in.
    pub(super) fn new(number: usize, mut wire: WireStream, codec: C, mix: &TransactionMix) -> Self {
        let held = wire.received().to_vec();
        wire.advance(held.len());
        Self {
            number,
            wire,
            codec,
            held,
            out: Vec::new(),
            sent: 0,
            wants_out: false,
            is_alone: false,
            spin: None,
            awaits: Awaits::Nothing,
            values: mix.values(),
            random: ValueRandom::new(0),
            index: 0,
            transaction: 0,
            step: 0,
            begun_ns: 0,
            started_ns: 0,
            until_ns: 0,
        }
    }

    /// Has the kernel tell of it.
    pub(super) fn watch(&mut self, turns: &WireTurns) -> Result<(), Fault> {
        turns.add(&*self.wire.stream(), self.number)
    }

    /// Its thread has no other, and waits for it so.
    pub(super) fn be_alone(&mut self, spin: Option<AdaptiveSpin>) {
        (self.is_alone, self.spin) = (true, spin);
    }

    /// Begins the operation of this number, at `now_ns`; the class that it ended with, if it had no statement.
    #[inline]
    pub(super) fn start(
        &mut self,
        index: u64,
        (now_ns, until_ns): (u64, u64),
        shared: &mut ClientShared<'_>,
    ) -> Result<Option<u8>, Fault> {
        (self.index, self.until_ns, self.started_ns) = (index, until_ns, now_ns);
        self.attempt(shared)
    }

    /// Begins the transaction with the choices of its number.
    fn attempt(&mut self, shared: &mut ClientShared<'_>) -> Result<Option<u8>, Fault> {
        self.random = ValueRandom::new(random(shared.seed, self.index));
        (self.step, self.begun_ns) = (0, self.started_ns);
        match shared.mix.place(&mut self.random) {
            Some(place) => {
                self.transaction = place;
                self.advance(shared)
            }
            None => Ok(self.end(shared)),
        }
    }

    /// Goes on to the next statement, which is sent; the class of the transaction, if it has none.
    #[inline]
    fn advance(&mut self, shared: &mut ClientShared<'_>) -> Result<Option<u8>, Fault> {
        let mix = shared.mix;
        let steps = &mix.transactions[self.transaction].steps;
        while let Some(step) = steps.get(self.step) {
            match step {
                TransactionStep::Set(variable, generator) => {
                    generator.set(*variable, &mut self.values, &mut self.random);
                }
                TransactionStep::Record(class) => {
                    let (slot, class, started_ns) = (self.number, *class, self.begun_ns);
                    let finished_ns = clock::now_ns();
                    shared.parts.push(OperationPart { slot, class, started_ns, finished_ns });
                }
                TransactionStep::Execute(execution) => {
                    self.write(execution, mix);
                    self.push(shared.turns)?;
                    return Ok(None);
                }
                TransactionStep::Keep(execution, into) => {
                    self.write(execution, mix);
                    if !self.codec.keep(into.len()) {
                        return Err(fault(keeps_nothing()));
                    }
                    self.push(shared.turns)?;
                    return Ok(None);
                }
            }
            self.step += 1;
        }
        Ok(self.end(shared))
    }

    /// The transaction ended well.
    #[inline]
    fn end(&mut self, shared: &mut ClientShared<'_>) -> Option<u8> {
        self.awaits = Awaits::Nothing;
        shared.transactions.committed += 1;
        Some(TRANSACTION)
    }

    #[inline]
    fn write(&mut self, execution: &Execution, mix: &TransactionMix) {
        let statement = execution.statement(&self.values);
        (self.sent, self.awaits) = (0, Awaits::Statement);
        self.out.clear();
        let asked = &mix.statements[statement];
        self.codec.execute(statement, asked, &self.values, &execution.parameters, &mut self.out);
    }

    /// Sends what can be sent now.
    #[inline]
    fn push(&mut self, turns: &WireTurns) -> Result<(), Fault> {
        let stream = self.wire.stream();
        while self.sent < self.out.len() || stream.holds() {
            match stream.send(&self.out[self.sent..]) {
                Ok(sent) => self.sent += sent,
                Err(Nothing::Yet) => break,
                // Why, the server may have said: that is read when the kernel tells of the end.
                Err(Nothing::Broken(_)) => {
                    self.sent = self.out.len();
                    break;
                }
                Err(e @ Nothing::Tls(_)) => return Err(fault(self.wire.broken(&e))),
            }
        }
        let wants_out = self.sent < self.out.len();
        if wants_out != self.wants_out {
            self.wants_out = wants_out;
            if !self.is_alone {
                turns.change(&*self.wire.stream(), self.number, wants_out)?;
            }
        }
        Ok(())
    }

    /// Goes on after the kernel said that it can; the class of the transaction, if it ended.
    #[inline]
    pub(super) fn go_on(&mut self, shared: &mut ClientShared<'_>) -> Result<Option<u8>, Fault> {
        if self.wants_out {
            self.push(shared.turns)?;
        }
        loop {
            let got = match self.wire.stream().receive(shared.buffer) {
                Ok(0) => return Err(fault(self.wire.broken(&Nothing::Broken(Errno::CONNRESET)))),
                Ok(got) => got,
                Err(Nothing::Yet) => return Ok(None),
                Err(e) => return Err(fault(self.wire.broken(&e))),
            };
            let ended = self.take(got, shared)?;
            // In the clear, the kernel says when there is more; a session of TLS may hold some itself.
            if ended.is_some() || self.wire.stream().is_plain() {
                return Ok(ended);
            }
        }
    }

    /// The same for one that is alone: waits until it can, as long as `wait` says, but not longer than it takes to look whether
    /// it gets on.
    #[inline]
    pub(super) fn go_on_alone(
        &mut self,
        wait: Wait,
        shared: &mut ClientShared<'_>,
    ) -> Result<Option<u8>, Fault> {
        if await_only(self.wire.stream(), self.wants_out, wait, self.spin.as_mut())? {
            self.go_on(shared)
        } else {
            self.look(clock::now_ns()).map(|()| None)
        }
    }

    /// Reads the bytes that were received, behind those that were held.
    #[inline]
    fn take(&mut self, got: usize, shared: &mut ClientShared<'_>) -> Result<Option<u8>, Fault> {
        let mut held = std::mem::take(&mut self.held);
        let ended = if held.is_empty() {
            let mut used = 0;
            let mut ended = None;
            while ended.is_none() && used < got {
                let (done, answer) = self.codec.read(&shared.buffer[used..got]).map_err(fault)?;
                used += done;
                let Some(answer) = answer else { break };
                ended = self.answered(answer, shared)?;
            }
            held.extend_from_slice(&shared.buffer[used..got]);
            ended
        } else {
            held.extend_from_slice(&shared.buffer[..got]);
            let mut used = 0;
            let mut ended = None;
            while ended.is_none() && used < held.len() {
                let (done, answer) = self.codec.read(&held[used..]).map_err(fault)?;
                used += done;
                let Some(answer) = answer else { break };
                ended = self.answered(answer, shared)?;
            }
            held.drain(..used);
            ended
        };
        self.held = held;
        Ok(ended)
    }

    /// Takes an answer, and goes on; the class of the transaction, if it ended.
    #[inline]
    fn answered(
        &mut self,
        answer: StatementAnswer,
        shared: &mut ClientShared<'_>,
    ) -> Result<Option<u8>, Fault> {
        match (self.awaits, answer) {
            (Awaits::Statement, Ok(rows)) => {
                *shared.rows += rows;
                let mix = shared.mix;
                let step = &mix.transactions[self.transaction].steps[self.step];
                if let TransactionStep::Execute(execution) | TransactionStep::Keep(execution, _) = step {
                    let (slot, class, started_ns) = (self.number, execution.class, self.started_ns);
                    let finished_ns = clock::now_ns();
                    shared.parts.push(OperationPart { slot, class, started_ns, finished_ns });
                    self.started_ns = finished_ns;
                }
                if let TransactionStep::Keep(_, into) = step {
                    put_kept(self.codec.kept(), &mut self.values, into);
                }
                self.step += 1;
                self.advance(shared)
            }
            (Awaits::Statement, Err(failure)) => self.failed(failure, shared),
            (Awaits::RollBack { is_again }, Ok(_)) => self.rolled_back(is_again, shared),
            (Awaits::RollBack { .. }, Err(failure)) => Err(fault(failure)),
            (Awaits::Nothing, _) => {
                Err(Fault::Other("the server answered something that it was not asked".to_owned()))
            }
        }
    }

    /// After a statement was not executed: rolls the transaction back.
    #[cold]
    fn failed(
        &mut self,
        failure: StatementFailure,
        shared: &mut ClientShared<'_>,
    ) -> Result<Option<u8>, Fault> {
        if failure.kind == FailureKind::Lost {
            return Err(fault(failure));
        }
        self.started_ns = clock::now_ns();
        let is_again = failure.kind == FailureKind::Conflict && self.started_ns < self.until_ns;
        if is_again {
            shared.transactions.retry(failure);
        } else {
            shared.transactions.fail(failure);
        }
        self.out.clear();
        (self.sent, self.awaits) = (0, Awaits::RollBack { is_again });
        self.codec.roll_back(&mut self.out);
        if self.out.is_empty() {
            return self.rolled_back(is_again, shared);
        }
        self.push(shared.turns)?;
        Ok(None)
    }

    #[cold]
    fn rolled_back(&mut self, is_again: bool, shared: &mut ClientShared<'_>) -> Result<Option<u8>, Fault> {
        self.started_ns = clock::now_ns();
        if is_again {
            return self.attempt(shared);
        }
        self.awaits = Awaits::Nothing;
        Ok(Some(ERROR))
    }

    /// Fails if the server has let it wait for too long.
    #[cold]
    pub(super) fn look(&self, now_ns: u64) -> Result<(), Fault> {
        let patience_ns = u64::try_from(self.wire.patience().as_nanos()).unwrap_or(u64::MAX);
        let waits_ns = now_ns.saturating_sub(self.started_ns);
        if self.awaits == Awaits::Nothing || waits_ns < patience_ns {
            return Ok(());
        }
        Err(fault(self.wire.silent("when it was to answer a statement (timeout)")))
    }
}

/// The fault of a load that cannot go on.
#[cold]
fn fault(failure: StatementFailure) -> Fault {
    Fault::Other(failure.message)
}
