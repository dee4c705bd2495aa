//! The one loop that joins a queue, a schedule, a stop rule and a recorder.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use model::trial::Timeline;

use crate::clock;
use crate::fault::Fault;
use crate::queue::{Completion, Operation, OperationPart, Queue, UNRECORDED, Wait};
use crate::record::{Finished, Recorder};
use crate::schedule::Schedule;
use crate::stop::Stop;

/// What a worker's loop works with beside its queue and schedule.
#[derive(Debug)]
pub struct WorkerRun<'a> {
    /// The times of the trial.
    pub timeline: Timeline,
    /// Whether there is a next operation.
    pub stop: Stop<'a>,
    /// Where times go.
    pub recorder: Recorder,
    /// A sign of life: changes every [`LOOK_AROUND_NS`] while the worker is not
    /// stuck.
    pub pulse: &'a Heartbeat,
}

/// One worker's sign of life, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Heartbeat(pub AtomicU64);

/// What a worker that does something long beside its operations tells and is
/// told.
#[derive(Debug)]
pub struct WorkerContext<'a> {
    /// Its sign of life.
    pub pulse: &'a Heartbeat,
    /// Whether there is nothing more to be done for.
    pub off: &'a AtomicBool,
}

impl WorkerContext<'_> {
    /// Tells that the worker is alive; to be called every second at least.
    ///
    /// # Errors
    /// [`Fault::Cancelled`] if it is to stop.
    pub fn beat(&self) -> Result<(), Fault> {
        self.pulse.0.fetch_add(1, Ordering::Relaxed);
        if self.off.load(Ordering::Relaxed) { Err(Fault::Cancelled) } else { Ok(()) }
    }
}

/// An operation in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    due_ns: u64,
    started_ns: u64,
    /// Whether it is one that comes with another, which is the one that may be
    /// late or unfinished.
    follows: bool,
    counts: bool,
}

/// How long a worker waits at most before it looks around: for the stop flag,
/// the end of the window, the end of its interval.
pub const LOOK_AROUND_NS: u64 = 20_000_000;

/// Runs operations from the timeline's start until the stop rule, the window's
/// end or the flag ends them, then waits for those in flight.
///
/// In a closed loop an operation is due, and counts as started, when the
/// completion that freed its slot was seen: one reading of the clock for each
/// batch of completions serves both, and our own work between two operations
/// is inside the latency, not hidden between.
///
/// # Errors
/// The first operation that fails ends the load.
pub fn drive<Q: Queue, S: Schedule>(
    queue: &mut Q,
    schedule: &mut S,
    run: WorkerRun<'_>,
) -> Result<(), Fault> {
    let WorkerRun { timeline, mut stop, mut recorder, pulse } = run;
    let depth = queue.depth();
    let mut free: Vec<usize> = (0..depth).rev().collect();
    let mut flights = vec![Flight::default(); depth];
    let (mut done, mut parts) = (Vec::<Completion>::with_capacity(depth), Vec::new());
    let mut exhausted = false;
    // Whether the next operation is due with the one before.
    let mut follows = false;
    let mut now_ns = clock::now_ns();
    let mut beat_ns = now_ns;

    loop {
        while !exhausted && let Some(&slot) = free.last() {
            let due_ns = schedule.next_due_ns(now_ns);
            if due_ns > now_ns {
                break;
            }
            let Some((operation, counts)) = next(&mut stop, &timeline, now_ns) else {
                exhausted = true;
                break;
            };
            free.pop();
            flights[slot] = Flight { due_ns, started_ns: now_ns, follows, counts };
            queue.start(slot, operation)?;
            if S::OPEN {
                follows = queue.follows();
            }
            if !follows {
                schedule.advance();
            }
        }

        let in_flight = depth - free.len();
        if in_flight == 0 && exhausted {
            break;
        }
        if in_flight > 0 {
            // With a free slot, the next operation may be due before a completion.
            let may_start = S::OPEN && !exhausted && !free.is_empty();
            queue.reap(wait::<S>(schedule, may_start, now_ns), &mut done)?;
        } else {
            clock::sleep_towards(schedule.next_due_ns(now_ns).min(now_ns + LOOK_AROUND_NS));
        }

        now_ns = clock::now_ns();
        let rolled = recorder.roll_at(now_ns);
        if now_ns >= beat_ns {
            beat_ns = now_ns + LOOK_AROUND_NS;
            pulse.0.fetch_add(1, Ordering::Relaxed);
        }
        record_parts(queue, &mut parts, &flights, &mut recorder);
        for completion in done.drain(..) {
            free.push(completion.slot);
            record::<S>(&mut recorder, flights[completion.slot], completion, now_ns);
        }
        if recorder.count_when_full() || rolled {
            // What counting and handing over cost is not the next operation's latency.
            now_ns = clock::now_ns();
        }
        exhausted |= now_ns >= timeline.end_ns || stop.asked() || queue.ended();
    }
    backlog(schedule, &timeline, &mut recorder, follows);
    recorder.finish();
    Ok(())
}

/// Records one completion, if it counts.
#[inline]
fn record<S: Schedule>(recorder: &mut Recorder, flight: Flight, completion: Completion, now_ns: u64) {
    let Flight { due_ns, started_ns, follows, counts } = flight;
    let Completion { bytes, class, handed_ns, .. } = completion;
    if !counts || class == UNRECORDED {
        return;
    }
    if S::OPEN && !follows && recorder.is_past(now_ns) {
        recorder.unfinished(due_ns, now_ns, 1);
    }
    let finished = Finished { due_ns, started_ns, finished_ns: now_ns, bytes, class, handed_ns };
    if S::OPEN {
        recorder.record::<true>(finished);
    } else {
        recorder.record::<false>(finished);
    }
}

/// Records the parts of operations that count: how long each took from its own start, in an open loop too.
#[inline]
fn record_parts<Q: Queue>(
    queue: &mut Q,
    parts: &mut Vec<OperationPart>,
    flights: &[Flight],
    recorder: &mut Recorder,
) {
    queue.take_parts(parts);
    for OperationPart { slot, class, started_ns, finished_ns } in parts.drain(..) {
        if flights[slot].counts {
            let part =
                Finished { due_ns: started_ns, started_ns, finished_ns, bytes: 0, class, handed_ns: 0 };
            recorder.record::<false>(part);
        }
    }
}

/// What an open loop still owed when its window closed.
fn backlog<S: Schedule>(schedule: &mut S, timeline: &Timeline, recorder: &mut Recorder, follows: bool) {
    if !S::OPEN {
        return;
    }
    // The operation that another was to follow is done.
    if follows {
        schedule.advance();
    }
    // A count that ends the load leaves nothing owed; nor does a person who
    // stopped it, whose window is thrown away.
    if timeline.end_ns == u64::MAX {
        return;
    }
    schedule.owed(timeline.end_ns, |due_ns, count| recorder.unfinished(due_ns, timeline.end_ns, count));
}

/// The next operation and whether it counts, or `None` when there is none.
#[inline]
fn next(stop: &mut Stop<'_>, timeline: &Timeline, now_ns: u64) -> Option<(Operation, bool)> {
    if stop.counts() && now_ns < timeline.window_ns {
        return Some((stop.rehearse(), false));
    }
    stop.claim().map(|operation| (operation, true))
}

/// How to wait for completions, where `may_start` says that there is room for
/// the next operation, which is not yet due.
#[inline]
fn wait<S: Schedule>(schedule: &S, may_start: bool, now_ns: u64) -> Wait {
    if !may_start {
        return Wait::One;
    }
    let left_ns = schedule.next_due_ns(now_ns).saturating_sub(now_ns).min(LOOK_AROUND_NS);
    if left_ns > clock::SPIN_NS { Wait::For(left_ns - clock::SPIN_NS) } else { Wait::Poll }
}
