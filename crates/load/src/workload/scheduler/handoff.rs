//! `scheduler.handoff`: how long it takes until a thread that another wakes
//! really runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;

use engine::fault::Fault;
use engine::placement::pin_this_thread;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::{
    FactName, LoadProfile, MetricName, MetricSpec, Parameters, Value, WorkloadName, WorkloadSpec, metric,
};

use crate::workload::common::{LoadSchedule, NumberOrWord};
use crate::workload::scheduler::pair;
use crate::workload::scheduler::staged::{Staged, Stages};
use crate::workload::scheduler::wire::Wire;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.handoff"),
    definition_version: 1,
    summary: "how long a thread takes to wake another on a stated CPU",
    doc: "Two threads, each pinned to a CPU, wake one another in turn, and each sleeps in the kernel until it is woken. \
          `wakeup` is one way: from before the call that wakes until the other thread runs, so it holds that call, the \
          interrupt to the other CPU, its way out of idle and the switch to the thread. The latency is the round trip. \
          Between two CPUs each is idle while the other works: the depth of their idle states, and in a virtual \
          machine the exits that the interrupt costs, then weigh more than the scheduler. On one CPU (`to` same) it is \
          the cost of a switch between two threads. With a rate the woken CPU rests between two hand-offs and falls \
          into deeper idle states.",
    parameters: &[
        ParameterSpec::new("by", Kind::Choice, "What a thread is woken by.")
            .says(Aspect::Operation)
            .default("futex")
            .words(&[
                Word {
                    word: "futex",
                    doc: "a futex of this process, what mutexes and condition variables sleep on",
                },
                Word { word: "pipe", doc: "a byte through a pipe" },
                Word { word: "eventfd", doc: "an eventfd, what event loops are woken by" },
            ]),
        ParameterSpec::new("from", Kind::Count, "The CPU of the thread that wakes first, by its number.")
            .says(Aspect::From)
            .default("first")
            .or_zero()
            .words(&[Word { word: "first", doc: "the first CPU that we may use" }]),
        ParameterSpec::new("to", Kind::Count, "The CPU of the other thread, by its number.")
            .says(Aspect::To)
            .default("other")
            .or_zero()
            .words(&[
                Word { word: "same", doc: "the same CPU" },
                Word { word: "sibling", doc: "the other thread of the same core (SMT)" },
                Word { word: "near", doc: "another core of the same node, package and die" },
                Word { word: "far", doc: "a core of another node or package" },
                Word { word: "other", doc: "the nearest other core; the same CPU where there is only one" },
            ]),
    ],
    headline: metric::WAKEUP_P50,
    metrics: &[
        WAKEUP_P50,
        WAKEUP_P99,
        common::LATENCY_P50,
        common::LATENCY_P99,
        common::LATENCY_MAX,
        common::OPERATIONS,
        common::ELAPSED,
        common::RATE_HELD,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "scheduler.handoff",
        "scheduler.handoff --to same,other",
        "scheduler.handoff --by futex,pipe,eventfd",
    ],
};

const WAKEUP_P50: MetricSpec = common::time(
    metric::WAKEUP_P50,
    "Half of the wake-ups took at most this long, from before the call until the other thread ran.",
);
const WAKEUP_P99: MetricSpec = common::time(
    metric::WAKEUP_P99,
    "99 % of the wake-ups took at most this long, from before the call until the other thread ran.",
);

#[derive(Debug)]
pub(crate) struct Handoff;

impl Workload for Handoff {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedHandoff {
            threads: schedule.threads,
            by: parameters.text(named("by"))?.to_owned(),
            from: NumberOrWord::of(parameters, named("from"))?,
            to: NumberOrWord::of(parameters, named("to"))?,
        }))
    }
}

#[derive(Debug)]
struct PlannedHandoff {
    threads: u64,
    by: String,
    from: NumberOrWord,
    to: NumberOrWord,
}

impl Planned for PlannedHandoff {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        if self.threads != 1 {
            return Err(Problem::invalid(
                "scheduler.handoff is one pair of threads, which counts as 1 thread",
                "leave `threads` out; give several CPUs as `from` and `to` to measure several pairs, one after the \
                 other",
            ));
        }
        let (from, to) = pair::resolve(&self.from, &self.to, host)?;
        let (from, to) = (u64::from(from), u64::from(to));
        (self.from, self.to) = (NumberOrWord::Number(from), NumberOrWord::Number(to));
        let mut resolved = Parameters::default();
        resolved.set(named("from"), from);
        resolved.set(named("to"), to);
        Ok(Requirements { resolved, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let wake_ups = Flow::only(OperationClass::Switch, FlowUnit::Operations);
        let same = matches!(&self.to, NumberOrWord::Word(word) if word == "same");
        let one_cpu = same || self.to == self.from;
        LoadProfile { one_cpu, ..profile::of_one(base, WaitsFor::Thread, wake_ups) }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (by, from, to) = (self.by.clone(), self.from.number()? as u32, self.to.number()? as u32);
        Ok(Box::new(PreparedHandoff { by, from, to }))
    }
}

#[derive(Debug)]
struct PreparedHandoff {
    by: String,
    from: u32,
    to: u32,
}

impl Prepared for PreparedHandoff {
    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("wakeup"), MetricName::new("reply")])
    }

    fn cpus(&self) -> Option<Vec<u32>> {
        Some(vec![self.from])
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Staged::new(Waking::new(&self.by, self.to)?)))
    }
}

/// What both threads see.
#[derive(Debug)]
struct Shared {
    there: Wire,
    back: Wire,
    /// Whether either of both has come to its end.
    ends: AtomicBool,
    /// When the partner last began to run.
    ran: Moment,
    /// The partner's number, by which the kernel tells how often it slept.
    thread: AtomicU32,
}

/// Nanoseconds, on a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Moment(AtomicU64);

/// The partner's life: waits, notes the time, answers.
fn serve(shared: &Shared, cpu: u32) -> Result<(), Fault> {
    // However it ends, who waits for its answer must not wait for ever.
    let _last = LastWord(shared);
    pin_this_thread(cpu)?;
    shared.thread.store(rustix::thread::gettid().as_raw_pid() as u32, Ordering::Relaxed);
    let mut taken = 0;
    loop {
        shared.there.wait(&mut taken)?;
        let now_ns = clock::monotonic_ns();
        if shared.ends.load(Ordering::Acquire) {
            return Ok(());
        }
        shared.ran.0.store(now_ns, Ordering::Release);
        shared.back.wake()?;
    }
}

/// Tells the other thread that there will be no more answers.
struct LastWord<'a>(&'a Shared);

impl Drop for LastWord<'_> {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::Release);
        let _ = self.0.back.wake();
    }
}

/// The thread that wakes, and is woken by the answer.
#[derive(Debug)]
pub(super) struct Waking {
    shared: Arc<Shared>,
    partner: Option<JoinHandle<Result<(), Fault>>>,
    taken: u32,
    /// How often the partner had slept when the load began, where the kernel
    /// says; and hand-offs since.
    slept: Option<u64>,
    handoffs: u64,
}

impl Waking {
    /// Makes the partner and waits until it is at its place.
    pub(super) fn new(by: &str, to: u32) -> Result<Self, Fault> {
        let shared = Arc::new(Shared {
            there: Wire::new(by)?,
            back: Wire::new(by)?,
            ends: AtomicBool::new(false),
            ran: Moment::default(),
            thread: AtomicU32::new(0),
        });
        let theirs = Arc::clone(&shared);
        let partner = std::thread::Builder::new()
            .spawn(move || serve(&theirs, to))
            .map_err(|e| Fault::system("starting the thread that is woken", e))?;
        let mut waking = Self { shared, partner: Some(partner), taken: 0, slept: None, handoffs: 0 };
        waking.operate()?;
        waking.slept = waking.sleeps();
        waking.handoffs = 0;
        Ok(waking)
    }

    /// Ends the partner; what it ended with.
    fn dismiss(&mut self) -> Result<(), Fault> {
        let Some(partner) = self.partner.take() else { return Ok(()) };
        self.shared.ends.store(true, Ordering::Release);
        let _ = self.shared.there.wake();
        partner.join().unwrap_or_else(|_| Err(Fault::Panic("the thread that is woken".to_owned())))
    }

    /// How often the partner gave up its CPU by itself.
    fn sleeps(&self) -> Option<u64> {
        let thread = self.shared.thread.load(Ordering::Relaxed);
        let status = std::fs::read_to_string(format!("/proc/self/task/{thread}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok())
    }
}

impl Stages for Waking {
    #[inline]
    fn operate(&mut self) -> Result<u64, Fault> {
        self.shared.there.wake()?;
        self.shared.back.wait(&mut self.taken)?;
        if self.shared.ends.load(Ordering::Acquire) {
            self.dismiss()?;
            return Err(Fault::Other("the thread that is woken has ended".to_owned()));
        }
        self.handoffs += 1;
        Ok(self.shared.ran.0.load(Ordering::Acquire))
    }

    /// The share of hand-offs for which the partner had really gone to sleep,
    /// and was not caught on its way there.
    fn facts(&self) -> Vec<(FactName, Value)> {
        let slept = self.sleeps().zip(self.slept).filter(|_| self.handoffs > 0);
        let share = slept.map(|(now, then)| now.saturating_sub(then) as f64 / self.handoffs as f64);
        share.map(|share| (FactName::new("slept_share"), Value::Number(share.min(1.0)))).into_iter().collect()
    }
}

impl Drop for Waking {
    fn drop(&mut self) {
        // Its fault, if it had one, was told by the operation that met it.
        let _ = self.dismiss();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CPU that this test may use.
    fn cpu() -> u32 {
        rustix::thread::sched_getcpu() as u32
    }

    #[test]
    fn the_partner_runs_between_the_wake_up_and_the_answer_and_is_gone_afterwards() {
        for by in ["futex", "pipe", "eventfd"] {
            let mut waking = Waking::new(by, cpu()).unwrap();
            let thread = waking.shared.thread.load(Ordering::Relaxed);
            for _ in 0..50 {
                let before = clock::now_ns();
                let ran = waking.operate().unwrap();
                assert!((before..=clock::now_ns()).contains(&ran), "{by}");
            }
            assert_eq!(waking.handoffs, 50);
            assert!(waking.facts().iter().any(|(name, _)| name.as_str() == "slept_share"), "{by}");
            drop(waking);
            // A thread is joined when it has ended, which is a moment before the
            // kernel forgets its name.
            let name = format!("/proc/self/task/{thread}");
            let is_gone = || !std::path::Path::new(&name).exists();
            let looked = (0..5000).find(|_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                is_gone()
            });
            assert!(looked.is_some(), "{by}: {name} is still there");
        }
    }

    #[test]
    fn a_partner_that_cannot_be_placed_is_told_and_nobody_waits_for_it() {
        // More than any kernel numbers, and within what a set of CPUs holds.
        let fault = Waking::new("futex", 1023).unwrap_err();
        assert!(fault.to_string().contains("CPU 1023"), "{fault}");
    }

    #[test]
    fn more_than_one_pair_is_refused_and_words_are_resolved() {
        let mut parameters = Parameters::default();
        parameters.set(named("threads"), 2u64);
        parameters.set(named("to"), "same");
        let host = HostInfo { cpus: 2, ..HostInfo::default() };
        let survey = |parameters| crate::workload::survey(&Handoff, parameters, &host);
        assert!(survey(parameters.clone()).unwrap_err().message.contains("one pair"));
        parameters.set(named("threads"), 1u64);
        let resolved = survey(parameters).unwrap().resolved;
        assert_eq!((resolved.integer(named("from")), resolved.integer(named("to"))), (Ok(0), Ok(0)));
    }
}
