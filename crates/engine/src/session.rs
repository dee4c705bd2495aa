//! One trial's loads from start to end: threads are made and placed, all wait
//! for one start, the window opens and closes for all of them together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::thread::Scope;
use std::time::Duration;

use model::trial::Timeline;
use model::{FactName, Phase, Value, fact};

use crate::begin::{self, Begin};
use crate::collect::Collector;
use crate::drive::{Heartbeat, WorkerContext, WorkerRun};
use crate::fault::Fault;
use crate::idle::IdlePhases;
use crate::lines::Lines;
use crate::load::Prepared;
pub use crate::observer::{Observer, WorkerThread};
use crate::outcome::{Collected, SessionOutcome, conclude};
use crate::record::{Record, Recorder, Report, Shape, Wiring};
use crate::report_channel::{self, ReportReceiver, ReportSender, SPARE_RECORDS};
use crate::schedule::{Arrivals, Open, WorkerIndex};
use crate::stop::{SharedStop, Stop, StopRule};
use crate::{clock, exhausted, lock, numa, placement};

/// Operations in flight across an interval's edge that a spare record has room
/// for before it grows.
const CROSSINGS_USUAL: usize = 64;

/// How often the session looks up while nothing runs, so that a cancel ends it
/// at once: too seldom to warm anything.
const REST_LOOK_NS: u64 = 50_000_000;

/// One load of a trial.
#[derive(Debug)]
pub struct LoadPlan<'a> {
    /// What its operations are.
    pub prepared: &'a dyn Prepared,
    /// One entry a worker: the CPU it is pinned to, or none.
    pub cpus: Vec<Option<u32>>,
    /// What all its workers are confined to.
    pub confinement: numa::Confinement,
    /// An open loop's rate (1/s) and arrivals; a closed loop without.
    pub rate: Option<(f64, Arrivals)>,
    /// When it ends.
    pub stop: StopRule,
    /// Decides its operations.
    pub seed: u64,
}

/// The times and the loads of a trial.
#[derive(Debug)]
pub struct Session<'a> {
    /// The loads, main load first.
    pub loads: Vec<LoadPlan<'a>>,
    /// How long they run before the window opens, ns.
    pub warm_up_ns: u64,
    /// How far apart points of a series should be, ns; absent to have about
    /// [`INTERVALS_USUAL`] of them.
    pub interval_ns: Option<u64>,
    /// How much of the window's front is cut off at least, where the main load settles, ns.
    pub cut_least_ns: u64,
}

/// What all threads of a session share.
struct Shared {
    /// Set when all workers are there; with nothing where the session was called off.
    start: OnceLock<Option<Timeline>>,
    /// Set when no worker's time counts any more, so that none checks what it
    /// did while others are still measured.
    verification: OnceLock<()>,
    /// Whether there is nothing more to be done for.
    off: AtomicBool,
    stops: Vec<SharedStop>,
    /// By load, then by worker.
    pulses: Vec<Vec<Heartbeat>>,
    /// Of the workers that are ready.
    threads: Mutex<Vec<WorkerThread>>,
    /// How many operations each worker notes one by one.
    log_room: usize,
}

impl Shared {
    fn stop_all(&self) {
        for stop in &self.stops {
            stop.flag.store(true, Ordering::Relaxed);
        }
    }

    /// Ends everything, whatever a worker is at.
    fn call_off(&self) {
        self.off.store(true, Ordering::Relaxed);
        self.stop_all();
        let _ = self.verification.set(());
    }
}

impl Session<'_> {
    /// Runs all loads; returns when every worker has ended.
    ///
    /// # Errors
    /// The first fault of any worker; [`Fault::Cancelled`] when `cancel` was set.
    pub fn run(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<SessionOutcome, Fault> {
        self.run_between(IdlePhases::default(), Begin::Soon, observer, cancel)
    }

    /// The same, with a rest before the warm-up and after the window, and begun
    /// as somebody says.
    ///
    /// # Errors
    /// Those of [`Session::run`].
    pub fn run_between(
        &self,
        rest: IdlePhases,
        begin: Begin<'_>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<SessionOutcome, Fault> {
        let workers: usize = self.loads.iter().map(|l| l.cpus.len()).sum();
        let shared = Shared {
            start: OnceLock::new(),
            verification: OnceLock::new(),
            off: AtomicBool::new(false),
            stops: self.loads.iter().map(|_| SharedStop::default()).collect(),
            pulses: self
                .loads
                .iter()
                .map(|l| l.cpus.iter().map(|_| Heartbeat::default()).collect())
                .collect(),
            threads: Mutex::default(),
            log_room: observer.log_room() / workers.max(1),
        };
        let (sender, reports) = report_channel::channel(workers * (SPARE_RECORDS + 4));
        std::thread::scope(|scope| {
            let mut coordinator = Coordinator {
                session: self,
                rest,
                begin,
                shared: &shared,
                observer,
                cancel,
                reports,
                recycle: Vec::new(),
                collected: Vec::new(),
                drained: self.loads.iter().map(|l| vec![false; l.cpus.len()]).collect(),
                finished: self.loads.iter().map(|l| vec![false; l.cpus.len()]).collect(),
                left: workers,
                unsettled: workers,
                verifying: false,
                fault: None,
                lines: Lines::default(),
                seen: Vec::new(),
                beat: 0,
            };
            for (load, plan) in self.loads.iter().enumerate() {
                let mut recycle = Vec::with_capacity(plan.cpus.len());
                for worker in 0..plan.cpus.len() {
                    match hire(scope, plan, load, worker, &shared, &sender) {
                        Ok(sender) => recycle.push(sender),
                        Err(error) => {
                            // Those who wait already must not wait for ever.
                            let _ = shared.start.set(None);
                            let what = format!("starting worker {worker} of {}", plan.cpus.len());
                            return Err(exhausted::thread_fault(what, error));
                        }
                    }
                }
                coordinator.recycle.push(recycle);
            }
            drop(sender);
            coordinator.run()
        })
        .and_then(|outcome| {
            self.loads.iter().try_for_each(|load| load.prepared.verdict())?;
            Ok(outcome)
        })
    }
}

/// Starts one worker's thread; returns where emptied records go.
fn hire<'scope, 'env: 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    plan: &'env LoadPlan<'_>,
    load: usize,
    worker: usize,
    shared: &'env Shared,
    sender: &ReportSender,
) -> std::io::Result<SyncSender<Box<Record>>> {
    let (recycle, recycled) = sync_channel(SPARE_RECORDS);
    for _ in 0..SPARE_RECORDS {
        let _ = recycle.try_send(Box::new(Record::new(shape(plan), CROSSINGS_USUAL)));
    }
    let wiring = Wiring { load, worker, sender: sender.clone(), recycled };
    let mut sender = sender.clone();
    std::thread::Builder::new().spawn_scoped(scope, move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(plan, wiring, shared))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Err(Fault::Panic(text.unwrap_or_else(|| "without a message".to_owned())))
        });
        sender.send_and_wake(Report::Finished { load, worker, result });
    })?;
    Ok(recycle)
}

/// One worker's life.
fn work(plan: &LoadPlan<'_>, wiring: Wiring, shared: &Shared) -> Result<Vec<(FactName, Value)>, Fault> {
    let worker_index = WorkerIndex { index: wiring.worker, of: plan.cpus.len() };
    let load = wiring.load;
    let _confined = plan.confinement.enter()?;
    if let Some(cpu) = plan.cpus[wiring.worker] {
        placement::pin_this_thread(cpu)?;
    }
    // The default slack of 50 us would make every timed wake-up late.
    let _ = rustix::thread::set_current_timer_slack(Some(std::num::NonZeroU64::MIN));
    let mut worker = plan.prepared.worker(worker_index, plan.seed)?;
    clock::read_often();
    let mut sender = wiring.sender.clone();
    let id = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
    lock(&shared.threads).push(WorkerThread { load, id });
    sender.send_and_wake(Report::Ready);
    let Some(timeline) = *shared.start.wait() else { return Ok(Vec::new()) };
    let stop = Stop::new(
        &shared.stops[load],
        plan.prepared.stop(plan.stop),
        worker_index,
        plan.prepared.operation_bytes(),
        worker.operations_to_end(),
    );
    let recorder = Recorder::new(wiring, timeline, shape(plan), worker.depth()).logging(shared.log_room);
    worker.set_timeline(timeline);
    clock::sleep_towards(timeline.start_ns);
    while clock::now_ns() < timeline.start_ns {
        std::hint::spin_loop();
    }
    let pulse = &shared.pulses[load][worker_index.index];
    let run = WorkerRun { timeline, stop, recorder, pulse };
    let at_rate = |(rate, arrivals)| Open::new(timeline.start_ns, rate, arrivals, worker_index, plan.seed);
    let listed = plan.prepared.due_times(worker_index).map(|times| Open::listed(timeline.start_ns, times));
    let schedule = listed.or_else(|| plan.rate.map(at_rate));
    worker.run(schedule, run)?;
    sender.send_and_wake(Report::Drained { load, worker: worker_index.index });
    // Now, for loads close their connections when they settle, and a closed one has no other end.
    let mut facts = worker.facts();
    facts.extend(clock::error_ns().map(|ns| (fact::CLOCK_ERROR, (ns as f64 / 1e9).into())));
    let at_ns = worker.settle()?.then(clock::now_ns);
    sender.send_and_wake(Report::Settled { load, at_ns });
    shared.verification.wait();
    if !shared.off.load(Ordering::Relaxed) {
        facts.extend(plan.confinement.facts(&worker.buffers()));
        worker.verify(&WorkerContext { pulse, off: &shared.off })?;
    }
    Ok(facts)
}

/// What the records of a load have room for.
fn shape(plan: &LoadPlan<'_>) -> Shape {
    let prepared = plan.prepared;
    let classes = prepared.classes();
    let counting = classes.iter().zip(0..).map(|(class, bit)| u16::from(class.counts) << bit).sum();
    Shape { classes: classes.len(), open: is_open(plan), stages: prepared.stages().is_some(), counting }
}

/// Whether its operations are due whatever becomes of those before.
fn is_open(plan: &LoadPlan<'_>) -> bool {
    plan.rate.is_some() || plan.prepared.due_times(WorkerIndex { index: 0, of: 1 }).is_some()
}

/// Nothing collected yet of a load.
fn nothing(plan: &LoadPlan<'_>, timeline: Timeline) -> Collected {
    let collector = || Collector::new(timeline, plan.prepared.classes());
    let parts = plan.prepared.parts();
    // One part is the whole.
    let parts = if parts.len() > 1 { parts } else { Vec::new() };
    Collected {
        whole: collector(),
        parts: parts.into_iter().map(|name| (name, collector())).collect(),
        stages: plan.prepared.stages(),
        open: is_open(plan),
        facts: plan.prepared.facts().into_iter().collect(),
        settled_ns: None,
    }
}

/// The session's own thread: merges, announces, watches.
struct Coordinator<'a> {
    session: &'a Session<'a>,
    rest: IdlePhases,
    begin: Begin<'a>,
    shared: &'a Shared,
    observer: &'a dyn Observer,
    cancel: &'a AtomicBool,
    reports: ReportReceiver,
    recycle: Vec<Vec<SyncSender<Box<Record>>>>,
    collected: Vec<Collected>,
    /// By load and worker: whether it has ended its operations.
    drained: Vec<Vec<bool>>,
    /// The same: whether it has nothing more to do.
    finished: Vec<Vec<bool>>,
    /// Workers that have not finished.
    left: usize,
    /// Workers whose time still counts.
    unsettled: usize,
    /// Whether workers check what they did.
    verifying: bool,
    fault: Option<Fault>,
    /// What is told while the main load runs.
    lines: Lines,
    /// The pulses of all workers when all had last moved.
    seen: Vec<u64>,
    /// Counts how often all had.
    beat: u64,
}

impl Coordinator<'_> {
    fn run(mut self) -> Result<SessionOutcome, Fault> {
        let workers = self.left;
        let mut ready = 0;
        while ready < workers && self.fault.is_none() {
            match self.reports.next(Duration::from_millis(200)) {
                Some(Report::Ready) => ready += 1,
                Some(other) => self.take(other),
                None => self.look_around(),
            }
        }
        self.observer.ready(&lock(&self.shared.threads));
        self.idle();
        let told = self.await_times();
        if let Some(fault) = self.fault.take() {
            let _ = self.shared.start.set(None);
            return Err(fault);
        }
        let timeline = told.unwrap_or_else(|| self.begin.timeline(self.session, self.observer.line_ns()));
        self.lines = Lines::of(timeline, self.observer);
        self.collected = self.session.loads.iter().map(|plan| nothing(plan, timeline)).collect();
        self.observer.starts(timeline);
        let _ = self.shared.start.set(Some(timeline));
        self.attend(timeline);
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(conclude(timeline, self.collected, self.session.cut_least_ns)),
        }
    }

    /// Lets nothing run for as long as was asked: all workers wait for the start.
    fn idle(&mut self) {
        if self.rest.idle_ns == 0 || self.fault.is_some() {
            return;
        }
        let begin_ns = clock::now_ns();
        self.observer.phase(Phase::Idle, begin_ns);
        let end_ns = begin_ns.saturating_add(self.rest.idle_ns);
        while self.fault.is_none() {
            let left_ns = end_ns.saturating_sub(clock::now_ns());
            if left_ns == 0 {
                break;
            }
            std::thread::sleep(Duration::from_nanos(left_ns.min(REST_LOOK_NS)));
            // No worker moves, by intention.
            self.beat += 1;
            self.look_around();
        }
    }

    /// The times that somebody else decides, where that is so.
    fn await_times(&mut self) -> Option<Timeline> {
        let Begin::Told(ask) = self.begin else { return None };
        while self.fault.is_none() {
            if let Some(timeline) = ask() {
                return Some(timeline);
            }
            std::thread::sleep(begin::LOOK);
            self.beat += 1;
            self.look_around();
        }
        None
    }

    /// From the start until every worker has ended.
    fn attend(&mut self, timeline: Timeline) {
        let mut announced = vec![(Phase::WarmUp, timeline.start_ns), (Phase::Measure, timeline.window_ns)];
        announced.reverse();
        let cools = self.rest.cool_down_ns > 0;
        // Until when nothing runs, once the last worker is done.
        let mut cool_until = None;
        let mut told = false;
        while self.left > 0 {
            let now = clock::now_ns();
            while let Some((phase, at_ns)) = announced.pop_if(|(_, at_ns)| *at_ns <= now) {
                self.observer.phase(phase, at_ns);
            }
            self.lines.tell(now, self.observer);
            let due = announced.last().map(|(_, at)| *at).or(cool_until);
            let look_ns = if cool_until.is_some() { REST_LOOK_NS } else { 200_000_000 };
            let pause_ns = due.map_or(look_ns, |at| at.saturating_sub(now).min(look_ns));
            match self.reports.next(Duration::from_nanos(pause_ns)) {
                Some(report) => self.take(report),
                None => self.look_around(),
            }
            if !told && self.drained[0].iter().all(|d| *d) {
                told = true;
                self.shared.stop_all();
                self.lines.end(clock::now_ns(), self.observer);
                let next = if cools { Phase::CoolDown } else { Phase::Verify };
                self.observer.phase(next, clock::now_ns());
            }
            if told && !self.verifying && self.unsettled == 0 {
                let now = clock::now_ns();
                let until = *cool_until.get_or_insert(now.saturating_add(self.rest.cool_down_ns));
                if now < until && self.fault.is_none() {
                    continue;
                }
                if cools && self.fault.is_none() {
                    self.observer.phase(Phase::Verify, now);
                }
                self.look_around();
                self.verifying = self.fault.is_none();
                if self.verifying {
                    let _ = self.shared.verification.set(());
                }
            }
        }
    }

    /// Those of workers that work; the others have moved by definition, those
    /// that wait for them too.
    fn pulses(&self) -> impl Iterator<Item = u64> + '_ {
        let idle = if self.verifying { &self.finished } else { &self.drained };
        let all = self.shared.pulses.iter().zip(idle);
        all.flat_map(|(pulses, idle)| pulses.iter().zip(idle))
            .filter(|(_, idle)| !**idle)
            .map(|(pulse, _)| pulse.0.load(Ordering::Relaxed))
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Ready => {}
            Report::Interval { load, worker, mut record } => {
                let prepared = self.session.loads[load].prepared;
                let collected = &mut self.collected[load];
                collected.whole.add(&record);
                if load == 0 {
                    self.observer.moved(record.bytes());
                    self.lines.add(&record, prepared.classes());
                }
                let worker_index = WorkerIndex { index: worker, of: self.session.loads[load].cpus.len() };
                if let Some((_, part)) = collected.parts.get_mut(prepared.part_of(worker_index)) {
                    part.add(&record);
                }
                record.reset();
                // Full means that the worker has spares enough.
                let _ = self.recycle[load][worker].try_send(record);
                self.look_around();
            }
            Report::Settled { load, at_ns } => {
                self.unsettled -= 1;
                let settled = &mut self.collected[load].settled_ns;
                *settled = (*settled).max(at_ns);
            }
            Report::Logged(log) => {
                self.observer.logged(&log, self.session.loads[log.load].prepared.classes());
            }
            Report::Drained { load, worker } => self.drained[load][worker] = true,
            Report::Finished { load, worker, result } => {
                self.left -= 1;
                self.finished[load][worker] = true;
                self.drained[load][worker] |= result.is_err();
                match result {
                    Ok(facts) => self.collected[load].tell(facts),
                    Err(fault) => {
                        self.fault.get_or_insert(fault);
                        self.shared.call_off();
                    }
                }
            }
        }
    }

    /// Tells a sign of life only when every worker that still works has moved
    /// since the last: one that is stuck must not hide behind the others.
    fn look_around(&mut self) {
        let pulses: Vec<u64> = self.pulses().collect();
        let moved = |(now, seen): (&u64, &u64)| now != seen;
        if self.seen.len() != pulses.len() || pulses.iter().zip(&self.seen).all(moved) {
            self.beat += 1;
            self.seen = pulses;
        }
        self.observer.alive(self.beat);
        if self.cancel.load(Ordering::Relaxed) && self.fault.is_none() {
            self.fault = Some(Fault::Cancelled);
            self.shared.call_off();
        }
    }
}
