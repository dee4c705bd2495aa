//! `scheduler.mutex`: sysbench's mutex test, the same work, so that figures
//! compare.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{LoadProfile, MetricName, MetricSpec, Parameters, Quantity, WorkloadName, WorkloadSpec};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoroshiro128Plus;

use crate::workload::common::LoadSchedule;
use crate::workload::scheduler::lock::{Locks, PaddedMutex};
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.mutex"),
    definition_version: 1,
    summary: "count to 10,000, then take one of many mutexes for a moment (sysbench mutex)",
    doc: "One event is all that a thread of sysbench's mutex test does: 50,000 times it counts to 10,000 in a register, \
          takes a random one of 4096 mutexes of the C library, adds 1 to a number that all threads share, and releases \
          it. sysbench does one event a thread and tells the total time; `total_time` here is the same for as many \
          events as the window holds, and with requests equal to threads each thread does exactly one, so that elapsed \
          is what sysbench prints. With the defaults almost all of it is the counting: it tells the clock rate of the \
          core more than the cost of a mutex. Few mutexes and a short count make threads meet.",
    parameters: &[
        ParameterSpec::new("mutexes", Kind::Count, "How many mutexes there are for all threads together.")
            .default("4096"),
        ParameterSpec::new("acquisitions", Kind::Count, "How often an event takes a mutex.").default("50000"),
        ParameterSpec::new(
            "count-to",
            Kind::Count,
            "How far a thread counts before it takes a mutex, without holding one.",
        )
        .default("10000")
        .or_zero(),
    ],
    headline: MetricName::new("total_time"),
    metrics: &[
        TOTAL_TIME,
        common::EVENTS,
        common::ELAPSED,
        common::LATENCY_P50,
        common::LATENCY_P99,
        common::LATENCY_MAX,
        common::CPU_PER_OPERATION,
        common::RATE_HELD,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "scheduler.mutex --threads 8",
        "scheduler.mutex --threads 1..64",
        "scheduler.mutex --threads 8 --mutexes 1,4096",
    ],
};

const TOTAL_TIME: MetricSpec = common::time(
    MetricName::new("total_time"),
    "How long every thread takes for one event, all at work at once: what sysbench tells as total time for the same \
     number of threads.",
);

/// The most mutexes; 296 MB of them.
const MUTEXES_MAX: u64 = 1_000_000;

/// The most that an event may do, in steps of counting: some seconds, within
/// which a load cannot be stopped. Taking a mutex is as long as some 100 steps.
const STEPS_MAX: u64 = 10_000_000_000;
const STEPS_OF_MUTEX: u64 = 100;

#[derive(Debug)]
pub(crate) struct Mutex;

impl Workload for Mutex {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedMutex {
            threads: schedule.threads,
            requests: schedule.requests,
            mutexes: parameters.integer(named("mutexes"))?,
            acquisitions: parameters.integer(named("acquisitions"))?,
            loops: parameters.integer(named("count-to"))?,
        }))
    }
}

#[derive(Debug)]
struct PlannedMutex {
    threads: u64,
    requests: Option<u64>,
    mutexes: u64,
    acquisitions: u64,
    loops: u64,
}

impl Planned for PlannedMutex {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        let Self { mutexes, acquisitions, loops, .. } = *self;
        if !(1..=MUTEXES_MAX).contains(&mutexes) {
            return Err(Problem::invalid(
                "mutexes must lie between 1 and 1 million",
                "sysbench's default for this test is 4096",
            ));
        }
        let steps = acquisitions.saturating_mul(loops.saturating_add(STEPS_OF_MUTEX));
        if steps > STEPS_MAX || acquisitions > u64::from(u32::MAX) || loops > u64::from(u32::MAX) {
            return Err(Problem::invalid(
                format!(
                    "{acquisitions} acquisitions, each after counting to {loops}, make an event too long"
                ),
                "acquisitions x (count-to + 100) may be 10,000 million, which takes some seconds; sysbench's defaults \
                 are 50000 and 10000",
            ));
        }
        let memory_bytes = mutexes * size_of::<PaddedMutex>() as u64;
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let events = Flow::only(OperationClass::Switch, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Lock, events)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (mutexes, threads) = (self.mutexes as u32, self.threads.max(1));
        Ok(Box::new(PreparedMutex {
            shared: Arc::new(Shared {
                touched: AtomicU32::new(0),
                mutexes: AtomicU32::new(mutexes),
                locks: Locks::new(mutexes as usize),
            }),
            acquisitions: self.acquisitions as u32,
            loops: self.loops as u32,
            requests: self.requests,
            events_each: self.requests.filter(|requests| requests % threads == 0).map(|r| r / threads),
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        if outcome.operations > 0.0 {
            let value = window.seconds() * self.threads as f64 / outcome.operations;
            metrics.insert(TOTAL_TIME.name, Quantity { value, unit: TOTAL_TIME.unit });
        }
        metrics
    }
}

/// What all threads touch. In sysbench the number of mutexes lies on the line
/// that every holder writes to, so that it must be fetched anew for each
/// acquisition; so it does here.
#[derive(Debug)]
#[repr(C, align(64))]
struct Shared {
    /// What every holder adds 1 to. Holders of different mutexes do so at the
    /// same time, as in sysbench, so that some get lost.
    touched: AtomicU32,
    mutexes: AtomicU32,
    locks: Locks<PaddedMutex>,
}

#[derive(Debug)]
struct PreparedMutex {
    shared: Arc<Shared>,
    acquisitions: u32,
    loops: u32,
    requests: Option<u64>,
    /// Where requests can be shared out equally: sysbench does one a thread, and
    /// none does another's.
    events_each: Option<u64>,
}

impl Prepared for PreparedMutex {
    /// All threads begin their counted events together, as in sysbench, not each
    /// when its last one of a warm-up is over.
    fn counts_from_start(&self) -> bool {
        self.requests.is_some()
    }

    fn stop(&self, rule: StopRule) -> StopRule {
        match rule {
            StopRule::Operations(requests)
                if self.requests == Some(requests) && self.events_each.is_some() =>
            {
                StopRule::End
            }
            other => other,
        }
    }

    fn worker(&self, _seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(Acquiring {
            shared: Arc::clone(&self.shared),
            acquisitions: self.acquisitions,
            loops: self.loops,
            events: self.events_each,
            random: Xoroshiro128Plus::seed_from_u64(seed),
        })))
    }
}

struct Acquiring {
    shared: Arc<Shared>,
    acquisitions: u32,
    loops: u32,
    events: Option<u64>,
    /// The generator of sysbench, though not its numbers.
    random: Xoroshiro128Plus,
}

impl Operate for Acquiring {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let Shared { touched, mutexes, locks } = &*self.shared;
        for _ in 0..self.acquisitions {
            let share = (self.random.next_u64() >> 12) as f64 / (1u64 << 52) as f64;
            let index = (f64::from(mutexes.load(Ordering::Relaxed)) * share) as usize;
            count_to(&self.loops);
            locks.hold(index, || {
                touched.store(touched.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            });
        }
        Ok(0)
    }

    fn operations_to_end(&self) -> Option<u64> {
        self.events
    }
}

/// Counts to `limit`, with the loop that GCC made of sysbench 1.0.20: the count
/// in a register, the limit in memory. It is written in instructions because
/// another compiler would leave it out.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn count_to(limit: &u32) {
    if *limit == 0 {
        return;
    }
    // SAFETY: it reads the limit and changes one register of its own.
    unsafe {
        core::arch::asm!(
            "xor {count:e}, {count:e}",
            ".p2align 5",
            "2:",
            "add {count:e}, 1",
            "cmp dword ptr [{limit}], {count:e}",
            "ja 2b",
            count = out(reg) _,
            limit = in(reg) limit,
            options(nostack, readonly)
        );
    }
}

/// Other processors: a count that the compiler must keep.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn count_to(limit: &u32) {
    let mut count = 0u32;
    while count < *limit {
        count = std::hint::black_box(count + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(mutexes: u64, acquisitions: u64, loops: u64) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.set(named("threads"), 2u64);
        parameters.set(named("mutexes"), mutexes);
        parameters.set(named("acquisitions"), acquisitions);
        parameters.set(named("count-to"), loops);
        parameters
    }

    #[test]
    fn what_is_out_of_bounds_is_refused() {
        let host = HostInfo::default();
        let survey = |m, a, l| crate::workload::survey(&Mutex, parameters(m, a, l), &host);
        assert!(survey(1_000_001, 1, 1).unwrap_err().message.contains("mutexes"));
        assert!(survey(1, 50_000, 1_000_000).unwrap_err().message.contains("too long"));
        assert!(survey(1, u64::MAX, 0).unwrap_err().message.contains("too long"));
        assert!(survey(4096, 50_000, 10_000).is_ok());
        assert!(survey(4096, 50_000, 0).is_ok());
    }

    fn ready(requests: Option<u64>) -> PreparedMutex {
        let shared = Shared { touched: AtomicU32::new(0), mutexes: AtomicU32::new(5), locks: Locks::new(5) };
        let events_each = requests.filter(|r| r % 2 == 0).map(|r| r / 2);
        PreparedMutex { shared: Arc::new(shared), acquisitions: 7, loops: 3, requests, events_each }
    }

    #[test]
    fn each_thread_does_its_own_events_where_they_can_be_shared_out() {
        let even = ready(Some(2));
        assert_eq!(even.stop(StopRule::Operations(2)), StopRule::End);
        assert_eq!(even.worker(WorkerIndex { index: 0, of: 2 }, 1).unwrap().operations_to_end(), Some(1));
        assert!(even.counts_from_start());
        let odd = ready(Some(3));
        assert_eq!(odd.stop(StopRule::Operations(3)), StopRule::Operations(3));
        assert_eq!(ready(None).stop(StopRule::Time(9)), StopRule::Time(9));
        assert!(!ready(None).counts_from_start());
    }

    #[test]
    fn an_event_takes_a_mutex_as_often_as_asked() {
        let ready = ready(None);
        let mut acquiring = Acquiring {
            shared: Arc::clone(&ready.shared),
            acquisitions: ready.acquisitions,
            loops: ready.loops,
            events: None,
            random: Xoroshiro128Plus::seed_from_u64(1),
        };
        acquiring.operate(Operation { index: 0, sequence: 0 }).unwrap();
        assert_eq!(ready.shared.touched.load(Ordering::Relaxed), 7);
        count_to(&0);
        count_to(&1);
    }
}
