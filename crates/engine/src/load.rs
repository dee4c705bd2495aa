//! What the engine drives: a load that is ready to run, and its workers.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::trial::{Series, Window};
use model::{FactName, MetricName, Quantity, Value};

use crate::drive::{self, WorkerRun};
use crate::fault::Fault;
use crate::outcome::LoadOutcome;
use crate::queue::{ALIKE, Class, Queue};
use crate::schedule::{Closed, DueTimes, Open, WorkerIndex};
use crate::stop::StopRule;

/// What a load saw beside its operations.
#[derive(Clone, Debug, Default)]
pub struct SideMetrics {
    /// Metrics beside those of the engine.
    pub metrics: BTreeMap<MetricName, Quantity>,
    /// What changed over time; `machine` is filled in by the caller.
    pub series: Vec<Series>,
    /// What shapes the result.
    pub facts: BTreeMap<FactName, Value>,
}

/// A load that is ready to run: makes its workers, each in its own thread.
pub trait Prepared: Sync + std::fmt::Debug {
    /// Bytes that one operation moves, 0 where none.
    fn operation_bytes(&self) -> u64 {
        0
    }

    /// The kinds of its operations that have figures of their own.
    fn classes(&self) -> &'static [Class] {
        ALIKE
    }

    /// What the time of an operation is made of, before and after
    /// [`handed_ns`](crate::queue::Completion::handed_ns), where
    /// operations tell that moment: the names of both distributions.
    fn stages(&self) -> Option<[MetricName; 2]> {
        None
    }

    /// The CPU of each worker, where the load itself says where it runs.
    fn cpus(&self) -> Option<Vec<u32>> {
        None
    }

    /// Whether all of it counts from its first operation on: a warm-up would use
    /// it up, or leave something to it.
    fn counts_from_start(&self) -> bool {
        false
    }

    /// How many workers make `threads` of it.
    fn workers(&self, threads: usize) -> usize {
        threads
    }

    /// When the operations of worker `worker_index` are due, where the load itself knows that: it is an
    /// open loop then, without a rate. So it is for every worker or for none.
    fn due_times(&self, _worker_index: WorkerIndex) -> Option<Arc<dyn DueTimes>> {
        None
    }

    /// What its parts are called, where it drives several things at once.
    fn parts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Which part worker `worker_index` drives.
    fn part_of(&self, _seat: WorkerIndex) -> usize {
        0
    }

    /// The rule by which its workers end, where some of its operations are none
    /// that `rule` counts.
    fn stop(&self, rule: StopRule) -> StopRule {
        rule
    }

    /// What shapes the result and is known before any worker is made.
    fn facts(&self) -> Vec<(FactName, Value)> {
        Vec::new()
    }

    /// What the load left and is known only after it.
    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        Vec::new()
    }

    /// What it saw in the window beside its operations: asked once, when all its
    /// workers have ended well.
    fn seen(&self, _window: Window) -> SideMetrics {
        SideMetrics::default()
    }

    /// What all its workers together found when they verified what they did:
    /// asked once, when all have ended well.
    ///
    /// # Errors
    /// If something is wrong, all of it in one sentence.
    fn verdict(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// After its last session, however that ended: takes away what it put where it outlives this process.
    /// `beat` is told all the while that it gets on.
    ///
    /// # Errors
    /// If something stays, with how to remove it.
    fn clean_up(&self, _beat: &dyn Fn()) -> Result<(), Fault> {
        Ok(())
    }

    /// The worker `worker_index`; called in the thread that will drive it.
    ///
    /// # Errors
    /// If its buffers, rings or files cannot be had.
    fn worker(&self, worker_index: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault>;
}

/// A queue with its type hidden: called a few times a trial, so that the loop
/// itself stays static.
pub trait Worker: Queue {
    /// Drives the queue to the end, by the open schedule if there is one.
    ///
    /// # Errors
    /// The first operation that fails.
    fn run(&mut self, schedule: Option<Open>, run: WorkerRun<'_>) -> Result<(), Fault>;
}

impl<Q: Queue> Worker for Q {
    fn run(&mut self, schedule: Option<Open>, run: WorkerRun<'_>) -> Result<(), Fault> {
        match schedule {
            None => drive::drive(self, &mut Closed, run),
            Some(mut open) => drive::drive(self, &mut open, run),
        }
    }
}
