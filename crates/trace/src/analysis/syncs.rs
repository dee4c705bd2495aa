//! Calls that wait until data is on the medium, and what the devices did meanwhile.

use super::flight::NEVER;
use super::tables::{BoundedTable, Largest, Weigh};
use super::values::{ValueRecorder, ValueSummary};
use crate::event::TaskName;

/// Names of callers that are counted at once, with each call.
const CALLERS_MAX: usize = 256;
/// Callers that a report names.
pub const CALLERS_NAMED: usize = 32;
/// The slowest calls that are kept.
pub const SLOW_SYNCS_MAX: usize = 16;
/// Completions that are remembered for the calls that end after them.
pub const RECENT_MAX: usize = 1 << 15;

/// What was done in the time of one call, by all devices of the trace and for whomever: the
/// events do not say for whom a journal writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncInside {
    /// Bios with data that were completed meanwhile.
    pub bios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Flushes of a device's cache that were completed meanwhile.
    pub flushes: u64,
    /// Time of the call during which a flush was under way, in nanoseconds.
    pub flush_ns: u64,
    /// Time during which a device had anything, flushes too, in nanoseconds.
    pub device_ns: u64,
    /// Time during which bios waited in the host and no device had anything, in nanoseconds.
    pub waiting_ns: u64,
    /// The rest, in nanoseconds: the file system, locks, the processor. What began in the call
    /// and was completed after it is not seen, and is here too.
    pub host_ns: u64,
    /// Whether all of the call was seen: not for a call that began before the trace, nor one in
    /// whose time more was completed than is remembered ([`RECENT_MAX`]).
    pub is_whole: bool,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncCall {
    /// When it began, on the trace's clock.
    pub began_ns: u64,
    /// When it returned.
    pub ended_ns: u64,
    /// Who called.
    pub thread: u32,
    /// The caller's name.
    pub task: TaskName,
    /// Which call.
    pub call: &'static str,
    /// What it returned: 0 or a negative `errno`.
    pub result: i64,
}

impl SyncCall {
    /// How long it took, in nanoseconds.
    #[must_use]
    pub const fn length_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.began_ns)
    }
}

/// A call that took long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowSync {
    /// The call.
    pub call: SyncCall,
    /// What was done meanwhile.
    pub inside: SyncInside,
}

/// The calls of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncCaller {
    /// The caller's name.
    pub task: TaskName,
    /// Which call.
    pub call: &'static str,
    /// How many failed.
    pub failed: u64,
    /// How long they took, in nanoseconds.
    pub times_ns: ValueSummary,
}

/// All calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// How many.
    pub calls: u64,
    /// By who called what, those that waited longest in all first.
    pub callers: Vec<SyncCaller>,
    /// How many are in no row of these.
    pub others: u64,
    /// The slowest first.
    pub slowest: Vec<SlowSync>,
}

#[derive(Clone, Debug, Default)]
struct CallerTimes {
    failed: u64,
    total_ns: u64,
    times: ValueRecorder,
}

impl Weigh for CallerTimes {
    fn weight(&self) -> u64 {
        self.total_ns
    }

    fn absorb(&mut self, other: Self) {
        self.failed += other.failed;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.times.absorb(other.times);
    }
}

/// Something that was completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completed {
    pub(super) queue_ns: u64,
    /// [`NEVER`] for a device without requests.
    pub(super) issue_ns: u64,
    pub(super) complete_ns: u64,
    pub(super) bytes: u64,
    pub(super) is_flush: bool,
}

/// The last completions, in a ring.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentCompletions {
    ring: Vec<Completed>,
    /// Where the next one goes, once the ring is full.
    next: usize,
}

impl RecentCompletions {
    pub(super) fn push(&mut self, completed: Completed) {
        if self.ring.len() < RECENT_MAX {
            self.ring.push(completed);
        } else {
            self.ring[self.next] = completed;
            self.next = (self.next + 1) % RECENT_MAX;
        }
    }

    /// The latest first.
    fn backwards(&self) -> impl Iterator<Item = &Completed> {
        let (later, earlier) = self.ring.split_at(self.next);
        later.iter().rev().chain(earlier.iter().rev())
    }

    /// What was done between these two times.
    fn inside(&self, began_ns: u64, ended_ns: u64, start_ns: u64) -> SyncInside {
        let mut inside = SyncInside { is_whole: began_ns >= start_ns, ..SyncInside::default() };
        let (mut whole, mut device, mut flush) = (Vec::new(), Vec::new(), Vec::new());
        let mut reached = false;
        for done in self.backwards().skip_while(|done| done.complete_ns > ended_ns) {
            if done.complete_ns < began_ns {
                reached = true;
                break;
            }
            let span = |from: u64| (from.max(began_ns), done.complete_ns);
            whole.push(span(done.queue_ns));
            // A device without requests has a bio from the queue on.
            device.push(span(if done.issue_ns == NEVER { done.queue_ns } else { done.issue_ns }));
            if done.is_flush {
                inside.flushes += 1;
                flush.push(span(done.queue_ns));
            } else {
                inside.bios += 1;
                inside.bytes = inside.bytes.saturating_add(done.bytes);
            }
        }
        inside.is_whole &= reached || self.ring.len() < RECENT_MAX;
        inside.flush_ns = union(&mut flush);
        inside.device_ns = union(&mut device);
        whole.append(&mut device);
        let busy = union(&mut whole);
        inside.waiting_ns = busy - inside.device_ns;
        inside.host_ns = ended_ns.saturating_sub(began_ns).saturating_sub(busy);
        inside
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.ring.len()
    }
}

/// How much time these spans cover, those that overlap once.
fn union(spans: &mut [(u64, u64)]) -> u64 {
    spans.sort_unstable();
    let (mut covered, mut reached) = (0_u64, 0);
    for (from, to) in spans.iter() {
        let from = (*from).max(reached);
        covered += to.saturating_sub(from);
        reached = reached.max(*to);
    }
    covered
}

/// Takes the calls.
#[derive(Clone, Debug)]
pub(super) struct SyncRecorder {
    calls: u64,
    callers: BoundedTable<(TaskName, &'static str), CallerTimes>,
    slowest: Largest<SlowSync>,
}

impl SyncRecorder {
    pub(super) fn new() -> Self {
        Self { calls: 0, callers: BoundedTable::new(CALLERS_MAX), slowest: Largest::new(SLOW_SYNCS_MAX) }
    }

    pub(super) fn take(&mut self, call: SyncCall, recent: &RecentCompletions, start_ns: u64) {
        let length = call.length_ns();
        self.calls += 1;
        let times = self.callers.entry((call.task, call.call), CallerTimes::default);
        times.failed += u64::from(call.result < 0);
        times.total_ns = times.total_ns.saturating_add(length);
        times.times.record(length);
        if self.slowest.admits(length) {
            let inside = recent.inside(call.began_ns, call.ended_ns, start_ns);
            self.slowest.offer(length, SlowSync { call, inside });
        }
    }

    pub(super) fn report(self) -> SyncReport {
        let sorted = self.callers.sorted(CALLERS_NAMED);
        let callers = sorted.top.into_iter().map(|((task, call), times)| SyncCaller {
            task,
            call,
            failed: times.failed,
            times_ns: times.times.summary(),
        });
        SyncReport {
            calls: self.calls,
            callers: callers.collect(),
            others: sorted.rest.map(|rest| rest.times.count()).unwrap_or_default(),
            slowest: self.slowest.into_items(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(queue_ns: u64, issue_ns: u64, complete_ns: u64, is_flush: bool) -> Completed {
        Completed { queue_ns, issue_ns, complete_ns, bytes: if is_flush { 0 } else { 4096 }, is_flush }
    }

    #[test]
    fn the_time_of_a_call_is_divided_without_counting_any_twice() {
        let mut recent = RecentCompletions::default();
        recent.push(done(10, 20, 40, false));
        // Queued before the call, two at the device together, then a flush.
        recent.push(done(50, 110, 150, false));
        recent.push(done(105, 120, 160, false));
        recent.push(done(170, 170, 190, true));
        recent.push(done(180, 195, 205, false));
        let inside = recent.inside(100, 200, 0);
        // 100-110 waits, 110-160 and 170-190 at the device; what ends at 205 is not seen.
        let expected = SyncInside {
            bios: 2,
            bytes: 8192,
            flushes: 1,
            flush_ns: 20,
            device_ns: 70,
            waiting_ns: 10,
            host_ns: 20,
            is_whole: true,
        };
        assert_eq!(inside, expected);
        assert!(!recent.inside(100, 200, 120).is_whole);
    }

    #[test]
    fn the_ring_forgets_the_oldest_and_says_so() {
        let mut recent = RecentCompletions::default();
        for time in 0..RECENT_MAX as u64 + 10 {
            recent.push(done(time, time, time + 1, false));
        }
        assert_eq!(recent.len(), RECENT_MAX);
        assert!(!recent.inside(5, RECENT_MAX as u64, 0).is_whole);
        let inside = recent.inside(100, 109, 0);
        assert_eq!((inside.bios, inside.device_ns, inside.is_whole), (10, 9, true));
    }
}
