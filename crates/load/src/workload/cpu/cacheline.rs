//! `cpu.cacheline`: how long a cache line takes from one CPU to another.
//!
//! The method is that of the known tools for it (core-to-core-latency by
//! compare-and-swap, c2clat with a store and a load): two pinned threads change one
//! word in turn, and neither can before it has the line with the other's change.
//! Nobody sleeps and no kernel is in between, unlike in `scheduler.handoff`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::placement::pin_this_thread;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{LoadProfile, MetricName, MetricSpec, Parameters, Quantity, WorkloadName, WorkloadSpec};

use crate::workload::common::{LoadSchedule, NumberOrWord};
use crate::workload::scheduler::pair;
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};

/// Round trips of one operation: some 10 to 100 us, beside which reading the clock
/// is nothing.
const ROUND_TRIPS: u64 = 256;

/// Transfers of one operation.
const TRANSFERS: f64 = 2.0 * ROUND_TRIPS as f64;

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.cacheline"),
    definition_version: 1,
    summary: "how long a cache line takes from one CPU to another",
    doc: "Two threads, each pinned to a CPU, change one word in turn by compare-and-swap: neither can change it before \
          the cache line has come to its CPU with the change of the other. Both try without pause, and nothing else \
          lies on the line. `line_transfer` is one way, half a round trip: what a lock, a counter or a queue that two \
          CPUs share costs each time it changes hands. Two threads of one core share its caches, and no line moves. \
          With `to` same one thread does both changes and no line moves: `uncontended_change` is the cost of the \
          instructions alone, which every transfer holds, too. Levels of `from` and `to` give a matrix. In a virtual \
          machine a CPU's number says little of where it runs. One operation is 256 round trips.",
    parameters: &[
        ParameterSpec::new("from", Kind::Count, "The CPU of the thread that is timed, by its number.")
            .says(Aspect::From)
            .default("first")
            .or_zero()
            .words(&[Word { word: "first", doc: "the first CPU that we may use" }]),
        ParameterSpec::new("to", Kind::Count, "The CPU of the other thread, by its number.")
            .says(Aspect::To)
            .default("other")
            .or_zero()
            .words(&[
                Word { word: "same", doc: "none: one thread does both changes" },
                Word { word: "sibling", doc: "the other thread of the same core (SMT)" },
                Word { word: "near", doc: "another core of the same node, package and die" },
                Word { word: "far", doc: "a core of another node or package" },
                Word { word: "other", doc: "the nearest other core; the same CPU where there is only one" },
            ]),
    ],
    headline: LINE_TRANSFER.name,
    metrics: &[LINE_TRANSFER, LINE_TRANSFER_MEAN, UNCONTENDED_CHANGE, common::ELAPSED],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.cacheline",
        "cpu.cacheline --from 0..3:1 --to 0..3:1 --trials 3",
        "cpu.cacheline --to same,other",
    ],
};

const LINE_TRANSFER: MetricSpec = common::time(
    MetricName::new("line_transfer"),
    "How long the line takes one way: half a round trip, the median of operations of 256 round trips.",
);
const LINE_TRANSFER_MEAN: MetricSpec = common::time(
    MetricName::new("line_transfer_mean"),
    "The same as the mean of the window: it holds the time in which one of the threads had no CPU.",
);
const UNCONTENDED_CHANGE: MetricSpec = common::time(
    MetricName::new("uncontended_change"),
    "How long one change takes where one thread does both and no line moves, the median of operations of 512 changes.",
);

#[derive(Debug)]
pub(crate) struct CacheLine;

impl Workload for CacheLine {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedCacheLine {
            threads: schedule.threads,
            is_open: schedule.is_open(),
            from: NumberOrWord::of(parameters, named("from"))?,
            to: NumberOrWord::of(parameters, named("to"))?,
        }))
    }
}

#[derive(Debug)]
struct PlannedCacheLine {
    threads: u64,
    is_open: bool,
    from: NumberOrWord,
    to: NumberOrWord,
}

impl PlannedCacheLine {
    /// Whether one thread does both changes, so that no line moves.
    fn is_alone(&self) -> bool {
        self.to == NumberOrWord::Word("same".to_owned()) || self.to == self.from
    }
}

impl Planned for PlannedCacheLine {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        if self.threads != 1 {
            return Err(Problem::invalid(
                "cpu.cacheline is one pair of threads, which counts as 1 thread",
                "leave `threads` out; give several CPUs as `from` and `to` to measure several pairs, one after the \
                 other",
            ));
        }
        if self.is_open {
            return Err(Problem::invalid(
                "cpu.cacheline has no rate: the line goes back as soon as it has come",
                "leave `rate` and `latency-target` out",
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
        let transfers = Flow::only(OperationClass::Switch, FlowUnit::Operations);
        let headline = if self.is_alone() { UNCONTENDED_CHANGE.name } else { base.headline };
        LoadProfile { headline, ..profile::of_one(base, WaitsFor::Thread, transfers) }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (from, to) = (self.from.number()? as u32, self.to.number()? as u32);
        Ok(Box::new(PreparedCacheLine { from, to }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let mut put = |spec: MetricSpec, seconds: f64| {
            metrics.insert(spec.name, Quantity { value: seconds / TRANSFERS, unit: spec.unit });
        };
        let (median, has_mean) =
            if self.is_alone() { (UNCONTENDED_CHANGE, false) } else { (LINE_TRANSFER, true) };
        if let Some(median_ns) = stats::histogram::percentile(&outcome.latency, 50.0) {
            put(median, median_ns / 1e9);
        }
        if has_mean && outcome.operations > 0.0 {
            put(LINE_TRANSFER_MEAN, window.seconds() / outcome.operations);
        }
        metrics
    }
}

#[derive(Debug)]
struct PreparedCacheLine {
    from: u32,
    to: u32,
}

impl Prepared for PreparedCacheLine {
    fn cpus(&self) -> Option<Vec<u32>> {
        Some(vec![self.from])
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let partner = (self.to != self.from).then_some(self.to);
        Ok(Box::new(Blocking::new(Exchanging::new(partner)?)))
    }
}

/// The line that moves, with nothing else on it nor on the one beside it, which some
/// processors fetch with it. Its word counts the changes: even numbers are for the
/// thread that is timed, odd ones for its partner.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU64);

/// How often a thread tries before it looks whether it is to go on: under a
/// millisecond.
const ATTEMPTS: u32 = 4096;

/// So many looks without a change, and the partner sleeps between two attempts: the
/// other thread does not run, because nothing is measured or has no CPU.
const LOOKS_MOST: u32 = 64;

/// How long it then sleeps.
const PAUSE: Duration = Duration::from_millis(1);

impl Line {
    /// Changes the word from `turn` to the number after it, as soon as it is `turn`.
    /// False if `goes_on` says so first, which hears how often it was asked.
    #[inline]
    fn change(&self, turn: u64, mut goes_on: impl FnMut(u32) -> bool) -> bool {
        let mut looks = 0;
        loop {
            for _ in 0..ATTEMPTS {
                // A failed attempt may bring the line here, too: it is what waits.
                if self.0.compare_exchange(turn, turn + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                    return true;
                }
            }
            looks += 1;
            if !goes_on(looks) {
                return false;
            }
        }
    }
}

/// What both threads see.
#[derive(Debug, Default)]
struct Shared {
    line: Line,
    /// Whether either of both has come to its end.
    ends: AtomicBool,
}

/// The partner's life: changes the word back whenever the other thread has.
fn answer(shared: &Shared, cpu: u32) -> Result<(), Fault> {
    // However it ends, who waits for its change must not wait for ever.
    let _last = LastWord(shared);
    pin_this_thread(cpu)?;
    let goes_on = |looks: u32| {
        if looks > LOOKS_MOST {
            std::thread::sleep(PAUSE);
        }
        !shared.ends.load(Ordering::Acquire)
    };
    let mut turn = 1;
    while shared.line.change(turn, goes_on) {
        turn += 2;
    }
    Ok(())
}

/// Tells the other thread that there will be no more changes.
struct LastWord<'a>(&'a Shared);

impl Drop for LastWord<'_> {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::Release);
    }
}

/// The thread that is timed.
#[derive(Debug)]
struct Exchanging {
    shared: Arc<Shared>,
    /// Absent where this thread does both changes.
    partner: Option<JoinHandle<Result<(), Fault>>>,
    is_alone: bool,
    /// The number that the word has when it is this thread's turn next.
    turn: u64,
}

impl Exchanging {
    /// Makes the partner on CPU `to`, if there is to be one, and waits until it answers.
    fn new(to: Option<u32>) -> Result<Self, Fault> {
        let shared = Arc::new(Shared::default());
        let partner = to.map(|cpu| {
            let theirs = Arc::clone(&shared);
            std::thread::Builder::new()
                .spawn(move || answer(&theirs, cpu))
                .map_err(|e| Fault::system("starting the thread on the other CPU", e))
        });
        let is_alone = to.is_none();
        let mut exchanging = Self { shared, partner: partner.transpose()?, is_alone, turn: 0 };
        exchanging.exchange()?;
        Ok(exchanging)
    }

    /// The round trips of one operation.
    fn exchange(&mut self) -> Result<(), Fault> {
        for _ in 0..ROUND_TRIPS {
            if !self.round_trip() {
                self.dismiss()?;
                return Err(Fault::Other("the thread on the other CPU has ended".to_owned()));
            }
        }
        Ok(())
    }

    /// A change of this thread, which waits for the partner's change before it. False
    /// if the partner has ended.
    #[inline]
    fn round_trip(&mut self) -> bool {
        let Shared { line, ends } = &*self.shared;
        let goes_on = |_: u32| {
            // Where both threads were put on one CPU, the partner needs it.
            std::thread::yield_now();
            !ends.load(Ordering::Acquire)
        };
        let turn = self.turn;
        self.turn += 2;
        line.change(turn, goes_on) && (!self.is_alone || line.change(turn + 1, goes_on))
    }

    /// Ends the partner; what it ended with.
    fn dismiss(&mut self) -> Result<(), Fault> {
        let Some(partner) = self.partner.take() else { return Ok(()) };
        self.shared.ends.store(true, Ordering::Release);
        partner.join().unwrap_or_else(|_| Err(Fault::Panic("the thread on the other CPU".to_owned())))
    }
}

impl Operate for Exchanging {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        self.exchange()?;
        Ok(0)
    }
}

impl Drop for Exchanging {
    fn drop(&mut self) {
        // Its fault, if it had one, was told by the operation that met it.
        let _ = self.dismiss();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Load, nothing_done};

    /// The CPU of this test, where its partner is always allowed to be.
    fn cpu() -> u32 {
        rustix::thread::sched_getcpu() as u32
    }

    #[test]
    fn each_round_trip_is_one_change_of_each_thread() {
        for to in [None, Some(cpu())] {
            let mut exchanging = Exchanging::new(to).unwrap();
            exchanging.operate(Operation { index: 0, sequence: 0 }).unwrap();
            assert_eq!(exchanging.turn, 4 * ROUND_TRIPS, "{to:?}");
            // The partner's last change may still be under way.
            let word = exchanging.shared.line.0.load(Ordering::Acquire);
            assert!((4 * ROUND_TRIPS - 1..=4 * ROUND_TRIPS).contains(&word), "{to:?}: {word}");
            exchanging.dismiss().unwrap();
            assert_eq!(Arc::strong_count(&exchanging.shared), 1, "{to:?}: the partner is still there");
        }
    }

    #[test]
    fn nobody_changes_the_word_out_of_turn() {
        let line = Line::default();
        assert!(!line.change(1, |_| false));
        assert_eq!(line.0.load(Ordering::Relaxed), 0);
        assert!(line.change(0, |_| false));
        assert_eq!(line.0.load(Ordering::Relaxed), 1);
        let mut asked = Vec::new();
        assert!(!line.change(0, |looks| {
            asked.push(looks);
            looks < 3
        }));
        assert_eq!(asked, [1, 2, 3]);
    }

    #[test]
    fn a_partner_that_cannot_be_placed_is_told_and_nobody_waits_for_it() {
        // More than any kernel numbers, and within what a set of CPUs holds.
        let fault = Exchanging::new(Some(1023)).unwrap_err();
        assert!(fault.to_string().contains("CPU 1023"), "{fault}");
    }

    #[test]
    fn what_is_no_pair_of_threads_is_refused_and_words_are_resolved() {
        let host = HostInfo { cpus: 2, ..HostInfo::default() };
        let survey = |name, value: u64| {
            let mut parameters = Parameters::default();
            parameters.set(named("threads"), 1u64);
            parameters.set(named(name), value);
            crate::workload::survey(&CacheLine, parameters, &host)
        };
        assert!(survey("threads", 2).unwrap_err().message.contains("one pair"));
        assert!(survey("to", 7).unwrap_err().message.contains("CPU 7 is offline"));
        let resolved = survey("from", 1).unwrap().resolved;
        assert_eq!((resolved.integer(named("from")), resolved.integer(named("to"))), (Ok(1), Ok(0)));
        let mut at_a_rate = Parameters::default();
        at_a_rate.set(named("rate"), 100.0);
        let problem = crate::workload::survey(&CacheLine, at_a_rate, &host).unwrap_err();
        assert!(problem.message.contains("has no rate"), "{problem:?}");
    }

    /// 100 operations of 512 us: 1 us for each change.
    fn outcome() -> LoadOutcome {
        let mut latency = stats::histogram::new_latency();
        latency.record_n(512_000, 100).unwrap();
        LoadOutcome { operations: 100.0, completions: 100, latency, ..nothing_done() }
    }

    #[test]
    fn of_one_thread_alone_no_transfer_is_told() {
        let host = HostInfo { cpus: 2, ..HostInfo::default() };
        let window = Window { start_ns: 0, end_ns: 51_200_000 };
        let alone = [UNCONTENDED_CHANGE.name];
        let transfers = [LINE_TRANSFER.name, LINE_TRANSFER_MEAN.name];
        let (alone, transfers) = (&alone[..], &transfers[..]);
        for (to, names) in [("same", alone), ("0", alone), ("other", transfers), ("1", transfers)] {
            let mut parameters = Parameters::default();
            match to.parse::<u64>() {
                Ok(cpu) => parameters.set(named("to"), cpu),
                Err(_) => parameters.set(named("to"), to),
            }
            let mut load = Load::new(&CacheLine, parameters, host.cpus).unwrap();
            load.survey(&host).unwrap();
            assert_eq!(load.profile().headline, names[0], "{to}");
            let metrics = load.metrics(&outcome(), window);
            assert_eq!(metrics.keys().copied().collect::<Vec<_>>(), names, "{to}");
            for (name, quantity) in metrics {
                assert!((quantity.value - 1e-6).abs() < 1e-8, "{to}: {name} {quantity:?}");
            }
        }
    }
}
