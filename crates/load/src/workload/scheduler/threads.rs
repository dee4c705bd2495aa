//! `scheduler.threads`: sysbench's threads test, the same work, so that figures
//! compare.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::fault::Fault;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::{LoadProfile, Parameters, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::scheduler::lock::{Locks, PlainMutex};
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.threads"),
    definition_version: 1,
    summary: "lock, yield the processor, unlock (sysbench threads)",
    doc: "One event takes a mutex of the C library, calls sched_yield while it holds it, and releases it, 1000 times \
          over; each event takes the next of 8 mutexes in turn. This is the work of sysbench's threads test, so events \
          per second compare with old sysbench figures at the same yields and mutexes. With no more threads than CPUs \
          almost nobody waits for a mutex: it is then the cost of a system call that finds nothing else to run. With \
          more threads than CPUs a yield switches to another thread, which may want a mutex that a sleeper holds.",
    parameters: &[
        ParameterSpec::new("yields", Kind::Count, "How often an event locks, yields and unlocks.")
            .default("1000"),
        ParameterSpec::new("mutexes", Kind::Count, "How many mutexes there are for all threads together.")
            .default("8"),
    ],
    headline: metric::EVENTS_PER_SECOND,
    metrics: common::OF_SYSBENCH,
    path: &[Symbol::WorkerCpus],
    examples: &[
        "scheduler.threads --threads 64",
        "scheduler.threads --threads 1..64",
        "scheduler.threads --threads 8 --mutexes 1,8",
    ],
};

/// More would make an event so long that a load could not be stopped.
const YIELDS_MAX: u64 = 1_000_000;

/// The most mutexes; 40 MB of them.
const MUTEXES_MAX: u64 = 1_000_000;

#[derive(Debug)]
pub(crate) struct Threads;

impl Workload for Threads {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, _: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let get = |name| parameters.integer(name);
        Ok(Box::new(PlannedThreads { yields: get(named("yields"))?, mutexes: get(named("mutexes"))? }))
    }
}

#[derive(Debug)]
struct PlannedThreads {
    yields: u64,
    mutexes: u64,
}

impl Planned for PlannedThreads {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if !(1..=YIELDS_MAX).contains(&self.yields) {
            return Err(Problem::invalid(
                "yields must lie between 1 and 1 million",
                "sysbench's default is 1000",
            ));
        }
        if !(1..=MUTEXES_MAX).contains(&self.mutexes) {
            return Err(Problem::invalid(
                "mutexes must lie between 1 and 1 million",
                "sysbench's default for this test is 8",
            ));
        }
        let memory_bytes = self.mutexes * size_of::<PlainMutex>() as u64;
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let events = Flow::only(OperationClass::Switch, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Lock, events)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let mutexes = self.mutexes as u32;
        let shared = Shared { next: AtomicU32::new(0), mutexes, locks: Locks::new(mutexes as usize) };
        Ok(Box::new(PreparedThreads { yields: self.yields, shared: Arc::new(shared) }))
    }
}

/// What all threads touch.
#[derive(Debug)]
struct Shared {
    /// Counts the events of all threads: each takes the mutex after the one that
    /// the event before it took, whoever's that was. (The number that the engine
    /// gives an operation would keep threads on mutexes of their own.)
    next: AtomicU32,
    mutexes: u32,
    locks: Locks<PlainMutex>,
}

#[derive(Clone, Debug)]
struct PreparedThreads {
    yields: u64,
    shared: Arc<Shared>,
}

impl Prepared for PreparedThreads {
    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(self.clone())))
    }
}

impl Operate for PreparedThreads {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let Shared { next, mutexes, locks } = &*self.shared;
        let index = next.fetch_add(1, Ordering::Relaxed) % mutexes;
        for _ in 0..self.yields {
            locks.hold(index as usize, || {
                // SAFETY: it takes nothing and touches no memory of ours.
                unsafe { libc::sched_yield() };
            });
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(yields: u64, mutexes: u64) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.set(named("yields"), yields);
        parameters.set(named("mutexes"), mutexes);
        parameters
    }

    #[test]
    fn what_is_out_of_bounds_is_refused() {
        let host = HostInfo::default();
        let survey = |yields, mutexes| crate::workload::survey(&Threads, parameters(yields, mutexes), &host);
        assert!(survey(1_000_001, 8).unwrap_err().message.contains("yields"));
        assert!(survey(1, 1_000_001).unwrap_err().message.contains("mutexes"));
        assert_eq!(survey(1, 1000).unwrap().memory_bytes, 1000 * size_of::<PlainMutex>() as u64);
    }

    #[test]
    fn events_take_the_mutexes_in_turn_whoever_does_them() {
        let shared = Arc::new(Shared { next: AtomicU32::new(0), mutexes: 3, locks: Locks::new(3) });
        let operation = Operation { index: 0, sequence: 0 };
        for _ in 0..2 {
            let mut yielding = PreparedThreads { yields: 2, shared: Arc::clone(&shared) };
            yielding.operate(operation).unwrap();
            yielding.operate(operation).unwrap();
        }
        assert_eq!(shared.next.load(Ordering::Relaxed), 4);
    }
}
