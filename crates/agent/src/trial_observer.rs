//! What the session of a trial tells, as events for the controller and commands for the sampler.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use engine::queue::Class;
use engine::record::Finished;
use engine::{Observer, OperationLog, WorkerThread, lock};
use model::event::{IntervalFigures, LoggedOperation, OPERATIONS_LOGGED_MAX, OperationBatch, OperationKind};
use model::message::{TrialOrder, TrialRole};
use model::scalar::nanoseconds;
use model::trial::Timeline;
use model::{AgentEvent, Phase};

use crate::observers::WindowTimes;
use crate::sampling::SamplerCommand;

/// Turns what the session tells into events, and gives the sampler its times.
pub(crate) struct TrialObserver<'a> {
    tell: &'a (dyn Fn(AgentEvent) + Sync),
    watcher: Mutex<Option<Sender<SamplerCommand>>>,
    /// Hears when the window opens and closes.
    times: Option<&'a WindowTimes>,
    /// When a sign of life was last told.
    told: Mutex<Option<Instant>>,
    /// How long the intervals are whose figures are told, ns.
    line_ns: Option<u64>,
    /// How many operations are told one by one.
    log_room: usize,
    /// When the window opens, ns.
    window_ns: AtomicU64,
}

/// So many operations are told at once.
const BATCH: usize = 4096;

/// A sign of life is told at most so often: each one wakes half a dozen threads
/// on its way to the controller, on the CPUs that are being measured. Over veth
/// on one CPU, 25 a second were seen to slow a sender.
const ALIVE: Duration = Duration::from_millis(500);

impl<'a> TrialObserver<'a> {
    /// For a session beside which nothing is sampled.
    pub(crate) fn unwatched(tell: &'a (dyn Fn(AgentEvent) + Sync)) -> Self {
        Self {
            tell,
            watcher: Mutex::new(None),
            times: None,
            told: Mutex::new(None),
            line_ns: None,
            log_room: 0,
            window_ns: AtomicU64::new(0),
        }
    }

    /// For the trial that `order` asks for. Of two ends the one that drives tells figures of intervals and operations: the
    /// other one's are not on its clock, and nobody hears them.
    pub(crate) fn of(
        order: &TrialOrder,
        times: &'a WindowTimes,
        tell: &'a (dyn Fn(AgentEvent) + Sync),
    ) -> Self {
        let drives = !matches!(order.role, TrialRole::Answers { .. });
        let line_ns = order.lines_s.filter(|_| drives).map(nanoseconds);
        let room = order.log_operations.filter(|_| drives).unwrap_or(0);
        let log_room = room.min(OPERATIONS_LOGGED_MAX) as usize;
        Self { times: Some(times), line_ns, log_room, ..Self::unwatched(tell) }
    }

    /// The same beside a sampler.
    pub(crate) fn beside(self, sampler: Sender<SamplerCommand>) -> Self {
        Self { watcher: Mutex::new(Some(sampler)), ..self }
    }

    fn command(&self, command: SamplerCommand) {
        if let Some(send) = &*lock(&self.watcher) {
            let _ = send.send(command);
        }
    }

    /// Tells the sampler that all is over, or that there is none: a
    /// session that never started leaves nobody waiting for its times.
    pub(crate) fn hang_up(&self) {
        lock(&self.watcher).take();
    }
}

impl Observer for TrialObserver<'_> {
    fn ready(&self, threads: &[WorkerThread]) {
        let of_main = threads.iter().filter(|thread| thread.load == 0).map(|thread| thread.id);
        self.command(SamplerCommand::Workers(of_main.collect()));
    }

    fn starts(&self, timeline: Timeline) {
        self.window_ns.store(timeline.window_ns, Ordering::Relaxed);
        (self.tell)(AgentEvent::Starts(timeline));
        self.command(SamplerCommand::Window(timeline));
        self.times.into_iter().for_each(|times| times.set(timeline));
    }

    fn phase(&self, phase: Phase, at_ns: u64) {
        if matches!(phase, Phase::CoolDown | Phase::Verify) {
            self.times.into_iter().for_each(|times| times.close(at_ns));
        }
        match phase {
            Phase::Idle => self.command(SamplerCommand::Idle),
            Phase::CoolDown => self.command(SamplerCommand::Closed),
            Phase::Verify => self.hang_up(),
            _ => {}
        }
        (self.tell)(AgentEvent::Phase { phase, at_ns });
    }

    fn alive(&self, beat: u64) {
        let mut told = lock(&self.told);
        if told.is_some_and(|at| at.elapsed() < ALIVE) {
            return;
        }
        *told = Some(Instant::now());
        drop(told);
        (self.tell)(AgentEvent::Working { beat });
    }

    fn line_ns(&self) -> Option<u64> {
        self.line_ns
    }

    fn interval(&self, figures: &IntervalFigures) {
        (self.tell)(AgentEvent::Interval(figures.clone()));
    }

    fn log_room(&self) -> usize {
        self.log_room
    }

    fn logged(&self, log: &OperationLog, classes: &[Class]) {
        let window_ns = self.window_ns.load(Ordering::Relaxed);
        let operation = |done: &Finished| LoggedOperation {
            start_ns: done.due_ns.cast_signed().wrapping_sub(window_ns.cast_signed()),
            latency_ns: done.finished_ns.saturating_sub(done.due_ns),
            bytes: done.bytes,
            kind: done.class,
        };
        let kind = |class: &Class| OperationKind { name: class.name.to_owned(), fails: class.fails };
        let batch = |operations: &[Finished], left_out| {
            (self.tell)(AgentEvent::Operations(OperationBatch {
                load: log.load,
                worker: log.worker,
                kinds: classes.iter().map(kind).collect(),
                operations: operations.iter().map(operation).collect(),
                left_out,
            }));
        };
        log.operations.chunks(BATCH).for_each(|operations| batch(operations, 0));
        if log.left_out > 0 {
            batch(&[], log.left_out);
        }
    }
}

/// The operations of one window, until it is known whether that counts: where a rate is searched, only the last one does.
#[derive(Debug, Default)]
pub(crate) struct WindowOperations(Mutex<Vec<OperationBatch>>);

impl WindowOperations {
    /// Keeps operations, and tells all else at once.
    pub(crate) fn pass(&self, event: AgentEvent, tell: &(dyn Fn(AgentEvent) + Sync)) {
        match event {
            AgentEvent::Operations(batch) => lock(&self.0).push(batch),
            other => tell(other),
        }
    }

    /// Tells what was kept.
    pub(crate) fn tell(&self, tell: &(dyn Fn(AgentEvent) + Sync)) {
        let batches = std::mem::take(&mut *lock(&self.0));
        batches.into_iter().for_each(|batch| tell(AgentEvent::Operations(batch)));
    }
}

#[cfg(test)]
mod tests {
    use model::study::Pin;

    use super::*;

    #[test]
    fn the_end_that_drives_tells_intervals_where_they_are_asked_for() {
        let order = |role: TrialRole, lines_s: Option<f64>| TrialOrder {
            loads: Vec::new(),
            seed: 1,
            warm_up_s: 0.0,
            interval_s: None,
            cut_least_s: 0.0,
            pin: Pin::None,
            role,
            take_cpu: None,
            observe: Vec::new(),
            from_last: false,
            lines_s,
            log_operations: Some(7),
        };
        let (times, tell) = (WindowTimes::default(), |_: AgentEvent| {});
        let line_ns = |role, lines_s| TrialObserver::of(&order(role, lines_s), &times, &tell).line_ns();
        assert_eq!(line_ns(TrialRole::Alone, None), None);
        assert_eq!(line_ns(TrialRole::Alone, Some(0.5)), Some(500_000_000));
        assert_eq!(line_ns(TrialRole::Answers { rendezvous: None }, Some(0.5)), None);
        let room = |role| TrialObserver::of(&order(role, None), &times, &tell).log_room();
        assert_eq!((room(TrialRole::Alone), room(TrialRole::Answers { rendezvous: None })), (7, 0));
        assert_eq!(TrialObserver::unwatched(&tell).log_room(), 0);
    }

    /// Bug: a searched rate that did not hold in its window had its operations in the log, among those of the window that
    /// counted.
    #[test]
    fn operations_are_told_once_their_window_counts_and_all_else_at_once() {
        let heard = Mutex::new(Vec::new());
        let tell = |event: AgentEvent| lock(&heard).push(event);
        let batch = |worker| OperationBatch {
            load: 0,
            worker,
            kinds: Vec::new(),
            operations: Vec::new(),
            left_out: 1,
        };
        let (first, second) = (WindowOperations::default(), WindowOperations::default());
        first.pass(AgentEvent::Operations(batch(1)), &tell);
        second.pass(AgentEvent::Working { beat: 7 }, &tell);
        second.pass(AgentEvent::Operations(batch(2)), &tell);
        assert_eq!(*lock(&heard), [AgentEvent::Working { beat: 7 }]);
        second.tell(&tell);
        second.tell(&tell);
        assert_eq!(*lock(&heard), [AgentEvent::Working { beat: 7 }, AgentEvent::Operations(batch(2))]);
    }
}
