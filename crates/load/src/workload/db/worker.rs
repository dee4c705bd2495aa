//! A worker that drives one client whose calls wait: each operation is a transaction.

use std::sync::Arc;

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, OperationPart, Queue};

use crate::workload::db::client::{DatabaseClient, FailureKind, StatementFailure};
use crate::workload::db::counts::{AllCounts, ClientCounts, TransactionCounts};
use crate::workload::db::generator::{SqlValue, ValueRandom};
use crate::workload::db::metrics::{ERROR, TRANSACTION};
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::transaction::{TransactionMix, TransactionStep};
use crate::workload::disk::distribution::random;
use crate::workload::net::worker_samples::WorkerSamples;

/// The worker.
pub(in crate::workload) struct ClientWorker<C> {
    client: C,
    mix: Arc<TransactionMix>,
    counts: Arc<AllCounts>,
    seed: u64,
    /// How long a transaction is begun again, ns.
    patience_ns: u64,
    values: Vec<SqlValue>,
    parts: Vec<OperationPart>,
    rows: u64,
    /// How long statements took that commit, without waits for locks, ns; none where the client cannot tell.
    commit_ns: Option<u64>,
    transactions: TransactionCounts,
    track: WorkerSamples<ClientCounts>,
    finished: Option<Completion>,
    /// What may be full where a transaction fails.
    space: TargetSpace,
}

impl<C: DatabaseClient> ClientWorker<C> {
    /// One that has `client` execute transactions of `mix`, by the choices of `seed`.
    pub(in crate::workload) fn new(
        client: C,
        mix: Arc<TransactionMix>,
        counts: Arc<AllCounts>,
        seed: u64,
        patience_ns: u64,
    ) -> Self {
        let values = mix.values();
        Self {
            client,
            mix,
            counts,
            seed,
            patience_ns,
            values,
            parts: Vec::new(),
            rows: 0,
            commit_ns: None,
            transactions: TransactionCounts::default(),
            track: WorkerSamples::default(),
            finished: None,
            space: TargetSpace::default(),
        }
    }

    /// The same one, whose database lies there.
    pub(in crate::workload) fn in_space(self, space: TargetSpace) -> Self {
        Self { space, ..self }
    }

    /// Executes the transaction of this number once.
    fn attempt(&mut self, slot: usize, index: u64) -> Result<(), StatementFailure> {
        let mut random = ValueRandom::new(random(self.seed, index));
        let Some(transaction) = self.mix.choose(&mut random) else { return Ok(()) };
        let begun_ns = clock::now_ns();
        for step in &transaction.steps {
            let (execution, into) = match step {
                TransactionStep::Set(variable, generator) => {
                    generator.set(*variable, &mut self.values, &mut random);
                    continue;
                }
                TransactionStep::Record(class) => {
                    let (class, started_ns, finished_ns) = (*class, begun_ns, clock::now_ns());
                    self.parts.push(OperationPart { slot, class, started_ns, finished_ns });
                    continue;
                }
                TransactionStep::Execute(execution) => (execution, None),
                TransactionStep::Keep(execution, into) => (execution, Some(into)),
            };
            let (statement, parameters) = (execution.statement(&self.values), &execution.parameters);
            let waited_ns = self.client.lock_wait_ns().unwrap_or(0);
            let started_ns = clock::now_ns();
            self.rows += match into {
                None => self.client.execute(statement, &self.values, parameters)?,
                Some(into) => self.client.keep(statement, &mut self.values, parameters, into)?,
            };
            let finished_ns = clock::now_ns();
            if let Some(has_committed) = self.client.has_committed() {
                let waited_ns = self.client.lock_wait_ns().unwrap_or(0).saturating_sub(waited_ns);
                let taken_ns = finished_ns.saturating_sub(started_ns).saturating_sub(waited_ns);
                let all_ns = self.commit_ns.get_or_insert(0);
                *all_ns += if has_committed { taken_ns } else { 0 };
            }
            self.parts.push(OperationPart { slot, class: execution.class, started_ns, finished_ns });
        }
        Ok(())
    }

    /// After a failure: whether the transaction is begun again.
    #[cold]
    fn recover(&mut self, failure: StatementFailure, until_ns: u64) -> Result<bool, Fault> {
        if failure.kind == FailureKind::Lost {
            return Err(self.space.explain(Fault::Other(failure.message)));
        }
        let rolled_back = self.client.roll_back();
        rolled_back.map_err(|failure| self.space.explain(Fault::Other(failure.message)))?;
        let is_again = failure.kind == FailureKind::Conflict && clock::now_ns() < until_ns;
        if is_again {
            self.transactions.retry(failure);
        } else {
            self.transactions.fail(failure);
        }
        Ok(is_again)
    }

    /// What it has counted until now.
    fn look(&self, at_ns: u64) -> ClientCounts {
        let (rows, retries) = (self.rows, self.transactions.retries);
        ClientCounts {
            at_ns,
            rows,
            retries,
            lock_waits: self.client.lock_waits(),
            lock_wait_ns: self.client.lock_wait_ns(),
            commit_ns: self.commit_ns,
            pages: self.client.page_lookups(),
        }
    }
}

impl<C: DatabaseClient> Queue for ClientWorker<C> {
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let until_ns = clock::now_ns().saturating_add(self.patience_ns);
        let class = loop {
            match self.attempt(slot, operation.index) {
                Ok(()) => {
                    self.transactions.committed += 1;
                    break TRANSACTION;
                }
                Err(failure) => {
                    if !self.recover(failure, until_ns)? {
                        break ERROR;
                    }
                }
            }
        };
        let now_ns = clock::now_ns();
        if self.track.is_due(now_ns) {
            self.track.put(self.look(now_ns));
        }
        self.finished = Some(Completion { slot, class, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn take_parts(&mut self, parts: &mut Vec<OperationPart>) {
        parts.append(&mut self.parts);
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.track.put(self.look(clock::now_ns()));
        self.counts.hand_in(&mut self.track, std::mem::take(&mut self.transactions));
        Ok(false)
    }
}
