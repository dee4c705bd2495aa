//! A worker that serves many clients of a server at once, each with a connection of its own: an operation is a
//! transaction, and nothing waits for one client while another can go on. A client's next statement goes out as soon
//! as its answer was read, before other answers are looked at.

use std::sync::Arc;

use engine::adaptive_spin::AdaptiveSpin;
use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, OperationPart, Queue, Wait};

use crate::workload::db::counts::{AllCounts, ClientCounts, TransactionCounts};
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::wire::served_client::{ClientShared, ServedClient};
use crate::workload::db::wire::turns::WireTurns;
use crate::workload::db::wire::{Codec, DatabaseConnection};
use crate::workload::net::worker_samples::WorkerSamples;

/// Bytes of one call that receives.
const ROOM: usize = 64 << 10;

/// What a worker works on.
#[derive(Debug)]
pub(in crate::workload) struct MultiplexedLoad {
    pub(in crate::workload) mix: Arc<TransactionMix>,
    pub(in crate::workload) counts: Arc<AllCounts>,
    pub(in crate::workload) seed: u64,
    /// How long a transaction is begun again, ns.
    pub(in crate::workload) patience_ns: u64,
    /// How its thread waits for answers before it sleeps; none if it sleeps at once.
    pub(in crate::workload) spin: Option<AdaptiveSpin>,
    /// What may be full where a transaction fails.
    pub(in crate::workload) space: TargetSpace,
}

/// The worker.
pub(in crate::workload) struct MultiplexedWorker<C> {
    clients: Vec<ServedClient<C>>,
    load: MultiplexedLoad,
    turns: WireTurns,
    /// Whether there is one client, who has every turn.
    is_alone: bool,
    buffer: Box<[u8]>,
    parts: Vec<OperationPart>,
    /// Transactions that ended when they began: those without a statement.
    ended: Vec<Completion>,
    rows: u64,
    transactions: TransactionCounts,
    track: WorkerSamples<ClientCounts>,
}

impl<C: Codec> MultiplexedWorker<C> {
    /// One with these connections, which have their statements; at least one.
    ///
    /// # Errors
    /// If the kernel does not watch so many.
    pub(in crate::workload) fn new(
        connections: Vec<DatabaseConnection<C>>,
        load: MultiplexedLoad,
    ) -> Result<Self, Fault> {
        let turns = WireTurns::new(connections.len(), load.spin)?;
        let is_alone = connections.len() == 1;
        let mut clients = Vec::with_capacity(connections.len());
        for (number, connection) in connections.into_iter().enumerate() {
            let (wire, codec) = connection.into_parts();
            let mut client = ServedClient::new(number, wire, codec, &load.mix);
            if is_alone {
                client.be_alone(load.spin);
            } else {
                client.watch(&turns)?;
            }
            clients.push(client);
        }
        Ok(Self {
            clients,
            load,
            turns,
            is_alone,
            buffer: vec![0; ROOM].into_boxed_slice(),
            parts: Vec::new(),
            ended: Vec::new(),
            rows: 0,
            transactions: TransactionCounts::default(),
            track: WorkerSamples::default(),
        })
    }

    #[inline]
    fn on<R>(
        &mut self,
        client: usize,
        act: impl FnOnce(&mut ServedClient<C>, &mut ClientShared<'_>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let Self { clients, load, turns, buffer, parts, rows, transactions, .. } = self;
        let mut shared =
            ClientShared { mix: &load.mix, seed: load.seed, turns, buffer, parts, rows, transactions };
        act(&mut clients[client], &mut shared)
    }

    /// Begins an operation.
    #[inline]
    fn begin(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let now_ns = clock::now_ns();
        if self.track.is_due(now_ns) {
            self.track.put(self.counted(now_ns));
        }
        let times = (now_ns, now_ns.saturating_add(self.load.patience_ns));
        if let Some(class) = self.on(slot, |client, shared| client.start(operation.index, times, shared))? {
            self.ended.push(Completion { slot, class, ..Completion::default() });
        }
        Ok(())
    }

    /// Goes on with clients that can, up to the first whose transaction ends: its next one begins before others are
    /// looked at, so that the server is not kept waiting by a batch.
    #[inline]
    fn go_on(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        if !self.ended.is_empty() {
            done.append(&mut self.ended);
            return Ok(());
        }
        if self.is_alone {
            let ended = self.on(0, |client, shared| client.go_on_alone(wait, shared))?;
            done.extend(ended.map(|class| Completion { slot: 0, class, ..Completion::default() }));
            return Ok(());
        }
        if self.turns.ask(wait)? {
            self.look()?;
        }
        while let Some(slot) = self.turns.take() {
            if let Some(class) = self.on(slot, ServedClient::go_on)? {
                done.push(Completion { slot, class, ..Completion::default() });
                return Ok(());
            }
        }
        Ok(())
    }

    /// Looks whether every client gets on.
    #[cold]
    fn look(&self) -> Result<(), Fault> {
        let now_ns = clock::now_ns();
        // What was just told of has moved.
        let mut waiting = self.clients.iter().enumerate().filter(|(number, _)| !self.turns.is_next(*number));
        waiting.try_for_each(|(_, client)| client.look(now_ns))
    }

    /// What it has counted until now.
    #[cold]
    fn counted(&self, at_ns: u64) -> ClientCounts {
        let (rows, retries) = (self.rows, self.transactions.retries);
        ClientCounts { at_ns, rows, retries, ..ClientCounts::default() }
    }
}

impl<C: Codec> Queue for MultiplexedWorker<C> {
    #[inline]
    fn depth(&self) -> usize {
        self.clients.len()
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let begun = self.begin(slot, operation);
        begun.map_err(|fault| self.load.space.explain(fault))
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let gone_on = self.go_on(wait, done);
        gone_on.map_err(|fault| self.load.space.explain(fault))
    }

    #[inline]
    fn take_parts(&mut self, parts: &mut Vec<OperationPart>) {
        parts.append(&mut self.parts);
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.track.put(self.counted(clock::now_ns()));
        self.load.counts.hand_in(&mut self.track, std::mem::take(&mut self.transactions));
        Ok(false)
    }
}
