//! What happens to the array while the load runs, in a thread of its own: it waits for the window, goes through the phases
//! one after the other, and looks how far the array is. Workers ask it which phase it is, and when all is over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::fault::Fault;
use engine::{clock, lock};
use model::scalar::nanoseconds;
use model::trial::{Series, Window};
use model::{FactName, Value, fact};

use crate::workload::disk::rebuild::course::{LatencyCourse, LatencyPiece};
use crate::workload::disk::rebuild::resync::Resync;
use crate::workload::disk::stack::{ArrayEvent, StackArray};

/// How often it is looked whether to go on, and how far the array is.
const LOOK: Duration = Duration::from_millis(20);

/// What came of the event, as facts of the trial; metrics are made from them.
pub(super) const WHOLE_SECONDS: FactName = FactName::new("seconds_to_whole");
pub(super) const RESYNC_SECONDS: FactName = FactName::new("resync_seconds");
pub(super) const RESYNC_BYTES: FactName = FactName::new("resync_bytes_of_each_member");
pub(super) const MISMATCHED: FactName = FactName::new("mismatched_sectors");
pub(super) const GROWTH_SECONDS: FactName = FactName::new("file_system_growth_seconds");

/// A phase of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventPhase {
    /// Nothing has happened yet.
    Before,
    /// A member is missing, and none is rebuilt.
    Degraded,
    /// A member is rebuilt, the array grows, or its copies are compared.
    During,
    /// The array is whole again.
    After,
}

impl EventPhase {
    /// All of them, in their order, which is that of the classes of operations.
    pub(super) const ALL: [Self; 4] = [Self::Before, Self::Degraded, Self::During, Self::After];

    /// What its metrics begin with.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Degraded => "degraded",
            Self::During => "during",
            Self::After => "after",
        }
    }

    /// Those that an event has.
    pub(super) fn of(event: ArrayEvent, has_spare: bool) -> impl Iterator<Item = Self> {
        let is_degraded = event == ArrayEvent::Fail && !has_spare;
        Self::ALL.into_iter().filter(move |phase| is_degraded || *phase != Self::Degraded)
    }
}

/// What is to happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EventPlan {
    pub(super) event: ArrayEvent,
    pub(super) has_spare: bool,
    /// How long each phase lasts that nothing else ends.
    pub(super) phase: Duration,
    /// The longest until the array is whole.
    pub(super) timeout: Duration,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct EventOutcome {
    /// Each phase, with when it began, ns.
    phases: Vec<(&'static str, u64)>,
    end_ns: u64,
    /// From the event until the array was whole, s.
    whole_s: f64,
    resync: Resync,
    mismatches: Option<u64>,
    growth_s: Option<f64>,
}

/// What workers and the thread tell one another.
#[derive(Debug, Default)]
pub(super) struct EventState {
    /// When the window opens, ns.
    begin_ns: OnceLock<u64>,
    /// The place of the present phase among all.
    phase: AtomicUsize,
    is_cancelled: AtomicBool,
    has_failed: AtomicBool,
    is_over: AtomicBool,
    fault: Mutex<Option<Fault>>,
    /// What workers saw and nobody has put together yet.
    pieces: Mutex<Vec<LatencyPiece>>,
    course: Mutex<LatencyCourse>,
    outcome: Mutex<Option<EventOutcome>>,
}

impl EventState {
    /// Tells when the window opens.
    pub(super) fn begin(&self, window_ns: u64) {
        // Each worker says the same.
        let _ = self.begin_ns.set(window_ns);
    }

    /// The place of the present phase among all; behind the last once that is over.
    pub(super) fn phase(&self) -> usize {
        self.phase.load(Ordering::Relaxed)
    }

    /// Whether all phases are over.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// # Errors
    /// Why the event failed: told once.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        lock(&self.fault).take().map_or(Ok(()), Err)
    }

    /// Takes in what a worker saw of latency.
    pub(super) fn hand_in(&self, piece: LatencyPiece) {
        lock(&self.pieces).push(piece);
    }

    /// Puts together what workers handed in.
    fn put_together(&self) {
        let pieces = std::mem::take(&mut *lock(&self.pieces));
        if !pieces.is_empty() {
            let mut course = lock(&self.course);
            pieces.into_iter().for_each(|piece| course.add(piece));
        }
    }

    /// What came of the event, as facts: when it is over.
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        let outcome = lock(&self.outcome);
        let Some(outcome) = &*outcome else { return Vec::new() };
        let names = outcome.phases.iter().map(|(name, _)| Value::from(*name)).collect();
        let ends = outcome.phases.iter().skip(1).map(|(_, begin_ns)| *begin_ns).chain([outcome.end_ns]);
        let lengths = outcome.phases.iter().zip(ends);
        let lengths = lengths
            .map(|((_, begin_ns), end_ns)| Value::Number(end_ns.saturating_sub(*begin_ns) as f64 / 1e9))
            .collect();
        let mut facts = vec![
            (fact::WINDOW_PHASES, Value::List(names)),
            (fact::WINDOW_PHASE_SECONDS, Value::List(lengths)),
            (WHOLE_SECONDS, Value::Number(outcome.whole_s)),
        ];
        if let Some((seconds, bytes)) = outcome.resync.work() {
            facts.push((RESYNC_SECONDS, Value::Number(seconds)));
            facts.push((RESYNC_BYTES, Value::Integer(bytes)));
        }
        facts.extend(outcome.mismatches.map(|sectors| (MISMATCHED, Value::Integer(sectors))));
        facts.extend(outcome.growth_s.map(|seconds| (GROWTH_SECONDS, Value::Number(seconds))));
        facts
    }

    /// Latency and the rate of the array over time.
    pub(super) fn series(&self, window: Window) -> Vec<Series> {
        self.put_together();
        let begin_ns = self.begin_ns.get().copied().unwrap_or(window.start_ns);
        let mut all = lock(&self.course).series(begin_ns);
        all.extend(lock(&self.outcome).as_ref().and_then(|outcome| outcome.resync.series(window)));
        all
    }
}

/// The thread of an event. Dropping this ends it.
#[derive(Debug)]
pub(super) struct EventThread {
    pub(super) state: Arc<EventState>,
    thread: Option<JoinHandle<()>>,
}

impl EventThread {
    /// Starts it for `array`; nothing happens before the window opens.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub(super) fn start(array: StackArray, plan: EventPlan) -> Result<Self, Fault> {
        let state = Arc::new(EventState::default());
        let own = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("array-event".to_owned())
            .spawn(move || run(&array, plan, &own))
            .map_err(|e| Fault::system("starting a thread", e))?;
        Ok(Self { state, thread: Some(thread) })
    }
}

impl Drop for EventThread {
    fn drop(&mut self) {
        self.state.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it panicked with, nobody can do anything about.
            let _ = thread.join();
        }
    }
}

fn run(array: &StackArray, plan: EventPlan, state: &EventState) {
    let course = EventCourse { array, plan, state, phases: Vec::new() };
    let end = catch_unwind(AssertUnwindSafe(|| course.run()));
    let panicked = |_| Err(Fault::Panic("the thread of what happens to the array ended".to_owned()));
    match end.unwrap_or_else(panicked) {
        Ok(outcome) => *lock(&state.outcome) = Some(outcome),
        Err(fault) => {
            *lock(&state.fault) = Some(fault);
            state.has_failed.store(true, Ordering::Release);
        }
    }
    state.is_over.store(true, Ordering::Release);
}

/// An event on its way.
struct EventCourse<'a> {
    array: &'a StackArray,
    plan: EventPlan,
    state: &'a EventState,
    phases: Vec<(&'static str, u64)>,
}

impl EventCourse<'_> {
    fn goes_on(&self) -> bool {
        !self.state.is_cancelled.load(Ordering::Relaxed)
    }

    /// Waits until a moment.
    fn pause_until(&self, until_ns: u64) -> Result<(), Fault> {
        loop {
            self.state.put_together();
            let left_ns = until_ns.saturating_sub(clock::now_ns());
            if left_ns == 0 {
                return Ok(());
            }
            if !self.goes_on() {
                return Err(Fault::Cancelled);
            }
            std::thread::sleep(LOOK.min(Duration::from_nanos(left_ns)));
        }
    }

    /// Waits for as long as a phase lasts that nothing else ends.
    fn pause(&self) -> Result<(), Fault> {
        self.pause_until(clock::now_ns().saturating_add(nanoseconds(self.plan.phase.as_secs_f64())))
    }

    /// Begins a phase.
    fn enter(&mut self, phase: EventPhase, at_ns: u64) {
        let place = EventPhase::ALL.iter().position(|known| *known == phase).unwrap_or(0);
        self.state.phase.store(place, Ordering::Relaxed);
        self.phases.push((phase.name(), at_ns));
    }

    /// When the window opens.
    fn begin_ns(&self) -> Result<u64, Fault> {
        loop {
            if let Some(begin_ns) = self.state.begin_ns.get() {
                return Ok(*begin_ns);
            }
            if !self.goes_on() {
                return Err(Fault::Cancelled);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn run(mut self) -> Result<EventOutcome, Fault> {
        let begin_ns = self.begin_ns()?;
        self.enter(EventPhase::Before, begin_ns);
        self.pause_until(begin_ns.saturating_add(nanoseconds(self.plan.phase.as_secs_f64())))?;
        let event_ns = clock::now_ns();
        let failed = self.happen()?;
        let resync = self.watch()?;
        let whole_ns = clock::now_ns();
        self.enter(EventPhase::After, whole_ns);
        let state = self.state;
        let mut goes_on = move || !state.is_cancelled.load(Ordering::Relaxed);
        let growth_s = if self.plan.event == ArrayEvent::Grow && self.array.carries() {
            let begin = Instant::now();
            self.array.grow_above(&mut goes_on)?;
            Some(begin.elapsed().as_secs_f64())
        } else {
            None
        };
        let is_scrub = self.plan.event == ArrayEvent::Scrub;
        let mismatches = if is_scrub { self.array.mismatches() } else { None };
        self.pause()?;
        let end_ns = clock::now_ns();
        // What ends from here on is of no phase.
        self.state.phase.store(EventPhase::ALL.len(), Ordering::Relaxed);
        if let Some(member) = failed {
            // For the next trial, as the spare that it has no more.
            self.array.take_out(&member, &mut goes_on)?;
            self.array.replace(&member, &mut goes_on)?;
        }
        let whole_s = whole_ns.saturating_sub(event_ns) as f64 / 1e9;
        Ok(EventOutcome { phases: self.phases, end_ns, whole_s, resync, mismatches, growth_s })
    }

    /// Has it happen; the member that failed, if a spare took its place.
    fn happen(&mut self) -> Result<Option<PathBuf>, Fault> {
        let (array, state) = (self.array, self.state);
        let mut goes_on = move || !state.is_cancelled.load(Ordering::Relaxed);
        let is_rebuilt_at_once = self.plan.event != ArrayEvent::Fail || self.plan.has_spare;
        let first = if is_rebuilt_at_once { EventPhase::During } else { EventPhase::Degraded };
        self.enter(first, clock::now_ns());
        match self.plan.event {
            ArrayEvent::Grow => array.add_member(&mut goes_on).map(|()| None),
            ArrayEvent::Scrub => array.compare_copies(&mut goes_on).map(|()| None),
            ArrayEvent::Fail => {
                let failed = array.fail(&mut goes_on)?;
                if self.plan.has_spare {
                    // The spare is rebuilt from now on: nothing may keep us from looking at it. The failed member is in
                    // nobody's way until then.
                    return Ok(Some(failed));
                }
                array.take_out(&failed, &mut goes_on)?;
                self.pause()?;
                self.enter(EventPhase::During, clock::now_ns());
                array.replace(&failed, &mut goes_on).map(|()| None)
            }
        }
    }

    /// Looks at the array until it is whole.
    fn watch(&self) -> Result<Resync, Fault> {
        let begin = Instant::now();
        let (mut resync, mut lacking) = (Resync::default(), None);
        loop {
            let now_ns = clock::now_ns();
            if let Some(progress) = self.array.progress() {
                resync.see(now_ns, progress.done, progress.of);
            }
            if self.array.is_whole() {
                resync.end(clock::now_ns());
                return Ok(resync);
            }
            self.array.check_members(&mut lacking)?;
            if begin.elapsed() >= self.plan.timeout {
                let seconds = self.plan.timeout.as_secs();
                return Err(Fault::Other(format!("the array was not whole {seconds} s after the event")));
            }
            self.pause_until(now_ns.saturating_add(nanoseconds(LOOK.as_secs_f64())))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn only_a_member_that_has_no_spare_leaves_the_array_degraded() {
        let of =
            |event, has_spare| EventPhase::of(event, has_spare).map(EventPhase::name).collect::<Vec<_>>();
        assert_eq!(of(ArrayEvent::Fail, false), ["before", "degraded", "during", "after"]);
        assert_eq!(of(ArrayEvent::Fail, true), ["before", "during", "after"]);
        assert_eq!(of(ArrayEvent::Grow, true), ["before", "during", "after"]);
        assert_eq!(of(ArrayEvent::Scrub, false), ["before", "during", "after"]);
    }

    #[test]
    fn what_came_of_it_is_told_phase_by_phase() {
        let state = EventState::default();
        assert!(state.facts().is_empty(), "nothing has come of it yet");
        let mut resync = Resync::default();
        resync.see(3 * S, 0, 1000);
        resync.end(5 * S);
        *lock(&state.outcome) = Some(EventOutcome {
            phases: vec![("before", S), ("during", 3 * S), ("after", 5 * S)],
            end_ns: 8 * S,
            whole_s: 2.0,
            resync,
            mismatches: Some(8),
            growth_s: None,
        });
        let facts = state.facts();
        let of = |name| facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let texts = ["before", "during", "after"].map(Value::from).to_vec();
        assert_eq!(of(fact::WINDOW_PHASES), Some(Value::List(texts)));
        let lengths = [2.0, 2.0, 3.0].map(Value::Number).to_vec();
        assert_eq!(of(fact::WINDOW_PHASE_SECONDS), Some(Value::List(lengths)));
        assert_eq!(of(RESYNC_BYTES), Some(Value::Integer(1000)));
        assert_eq!((of(MISMATCHED), of(GROWTH_SECONDS)), (Some(Value::Integer(8)), None));
    }

    #[test]
    fn a_fault_is_told_once_and_all_is_over() {
        let state = EventState::default();
        assert!(state.check().is_ok() && !state.is_over());
        *lock(&state.fault) = Some(Fault::Other("it broke".to_owned()));
        state.has_failed.store(true, Ordering::Release);
        assert_eq!(state.check().unwrap_err().to_string(), "it broke");
        assert!(state.check().is_ok());
    }
}
