//! Operations on objects that are ready: the store was tried, and what is to be there was put. What is put is removed,
//! whatever ends the trial.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock, lock};
use model::{FactName, MetricName, Value};

use crate::workload::Watch;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::response::Head;
use crate::workload::http::{errors, facts};
use crate::workload::object::exchanging::Exchanging;
use crate::workload::object::plan::{Act, Task};
use crate::workload::object::store::Store;

/// What becomes of operations: answers that are none of success are no operations.
const CLASSES: &[Class] = &[
    Class { name: "answer", counts: true, fails: false },
    Class { name: errors::CLASS, counts: false, fails: true },
];

/// How long what a trial left is removed where nobody looks on, s.
const DROP_MOST_S: u64 = 20;

/// Operations that are ready.
#[derive(Debug)]
pub(super) struct PreparedObjects {
    store: Arc<Store>,
    task: Task,
    concurrency: u64,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl PreparedObjects {
    /// So many operations at once on `store`, of which so much is `known`; `own` is that of this program, if it
    /// answers.
    pub(super) fn new(
        store: Store,
        (task, concurrency): (Task, u64),
        known: Vec<(FactName, Value)>,
        own: Option<OwnServer>,
    ) -> Self {
        Self { store: Arc::new(store), task, concurrency, known, _own: own }
    }

    /// Tries the store, and puts what is to be there.
    pub(super) fn make_ready(mut self, watch: Watch<'_>) -> Result<Box<dyn Prepared>, Fault> {
        match self.fill(watch) {
            Ok(head) => {
                self.known.extend(facts::of_server(&head));
                Ok(Box::new(self))
            }
            Err(fault) => {
                // That it was ended is no reason to leave anything.
                let beat = || drop(watch.look());
                Err(fault.and(self.clean_up(&beat)))
            }
        }
    }

    fn fill(&self, watch: Watch<'_>) -> Result<Head, Fault> {
        let head = self.store.try_out()?;
        if self.task.act != Act::Put {
            self.store.fill(self.task.objects, self.task.bytes, &mut || watch.look())?;
        }
        Ok(head)
    }
}

impl Drop for PreparedObjects {
    /// Where nobody cleaned up, there is nobody either who looks on or to be told what stays: that has an end, and
    /// what stays is in the list for the next run and for `headroom restore`.
    fn drop(&mut self) {
        let until_ns = clock::now_ns() + DROP_MOST_S * 1_000_000_000;
        self.store.until_ns.fetch_min(until_ns, Ordering::Relaxed);
        let _ = self.clean_up(&|| ());
        // Nothing was put, or it would not be there any more.
        if let Some(record) = lock(&self.store.record).take() {
            record.remove();
        }
    }
}

impl Prepared for PreparedObjects {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("first_byte"), MetricName::new("rest")])
    }

    /// A warm-up would use the objects up.
    fn counts_from_start(&self) -> bool {
        self.task.act == Act::Delete
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let seen = lock(&self.store.seen);
        let mut facts = seen.tally.facts();
        if !seen.refusals.is_empty() {
            facts.push((FactName::new("error_codes"), Value::Text(seen.codes())));
        }
        let unlisted = seen.unlisted.clone().map(Value::Text);
        facts.extend(unlisted.map(|why| (FactName::new("uploads_not_listed"), why)));
        facts
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.store.verdict(self.task.bytes)
    }

    fn clean_up(&self, beat: &dyn Fn()) -> Result<(), Fault> {
        if self.store.is_clean.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.store.clean(&mut || {
            beat();
            Ok(())
        })
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let own = self.concurrency / of + u64::from(index < self.concurrency % of);
        let (store, slots) = (Arc::clone(&self.store), own.max(1) as usize);
        store.is_put_to();
        Ok(Box::new(Exchanging::new(store, self.task, worker, slots, seed)?))
    }
}
