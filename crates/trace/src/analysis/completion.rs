//! How things end: completions, and what is still open when the trace ends.

use std::ops::Range;

use super::device::{DeviceState, SharedState};
use super::flight::{Bio, DeviceRequest, Key, NEVER, sectors};
use super::grid::GridItem;
use super::processes::ThreadRecorder;
use super::stalls::{IoStall, RequestSnapshot, STALLED_MAX, SlowRequest, of_bio, of_request};
use super::syncs::Completed;
use super::traffic::{IoClass, SECTOR_BYTES};
use crate::event::{BlockEvent, IoDirection};

/// What a completion says of the request that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestEnd {
    /// Its issue was not seen, or the device has no requests.
    Unknown,
    /// A part of it is done.
    Part,
    /// All of it is done.
    Whole,
}

/// A completion's time, and how many the device had before it.
#[derive(Clone, Copy, Debug)]
struct Moment {
    now: u64,
    depth: u64,
}

impl DeviceState {
    pub(super) fn complete(&mut self, event: &BlockEvent, now: u64, shared: &mut SharedState) {
        if event.would_block() && self.forget_bio(event) {
            return;
        }
        if event.error != 0 {
            self.errors.count += 1;
            self.errors.last = Some(event.error);
        }
        if event.bytes == 0 {
            self.complete_empty(event, now, shared);
            return;
        }
        let direction = event.operation.direction;
        if IoClass::of(direction).is_none() {
            return;
        }
        self.end_stall(now, &shared.threads, true);
        let moment = Moment { now, depth: self.at_device() };
        let range = sectors(event);
        let end = self.end_request(&range, direction, now, &shared.threads);
        let bios = self.end_bios(&range, direction, moment, shared);
        if end == RequestEnd::Part {
            self.cut_bio(&range, direction);
        }
        if end == RequestEnd::Unknown && (bios == 0 || self.is_request_based) {
            if shared.losses.any() {
                self.unmatched.completions_after_loss += 1;
            } else if bios == 0 {
                self.unmatched.begun_before += 1;
            }
        }
        self.stalls.progress(now);
    }

    /// A bio that must not wait came back at once: the device never had it, and it is no failure. False if
    /// none is known that it can be.
    fn forget_bio(&mut self, event: &BlockEvent) -> bool {
        let (end, direction) = (sectors(event).end, event.operation.direction);
        let is_it = |bio: &Bio| {
            let has_no_request = bio.get_ns == NEVER && bio.merge_ns == NEVER && !bio.is_issued();
            bio.is(direction) && bio.end == end && has_no_request
        };
        // The thread that sent it gets it back, and that of another may wait in the same sector.
        let own = self.bios.take(event.sector, |bio| is_it(bio) && bio.thread == event.thread);
        let found = own.or_else(|| self.bios.take(event.sector, is_it));
        if found.is_some() {
            self.waiting = self.waiting.saturating_sub(1);
        }
        found.is_some()
    }

    /// A completion of what moves no data: of a flush at the device, of a bio that waited for
    /// one, or the end of a request whose data was completed before (which is the end of
    /// nothing here: its bios are done).
    fn complete_empty(&mut self, event: &BlockEvent, now: u64, shared: &mut SharedState) {
        let is_own_flush = event.operation.direction == IoDirection::Flush;
        self.end_stall(now, &shared.threads, true);
        let is_known = (is_own_flush && self.end_flush(now, shared))
            || self.end_empty_bio(event.sector, now, shared)
            || (!is_own_flush && event.operation.flags.preflush && self.end_flush(now, shared));
        if is_known {
            self.stalls.progress(now);
        }
    }

    /// The device has done a flush; false if it has none.
    fn end_flush(&mut self, now: u64, shared: &mut SharedState) -> bool {
        let Some(issue_ns) = self.flushes.device_completed(now) else { return false };
        self.request_stays.add(now.saturating_sub(issue_ns));
        let done = Completed { queue_ns: issue_ns, issue_ns, complete_ns: now, bytes: 0, is_flush: true };
        shared.recent.push(done);
        true
    }

    /// A bio without data is done; false if none waits there.
    fn end_empty_bio(&mut self, sector: u64, now: u64, shared: &mut SharedState) -> bool {
        let Some(bio) = self.flushes.completed(sector, now) else { return false };
        let took = now.saturating_sub(bio.queue_ns);
        shared.threads.completed(bio.thread, took);
        if !self.is_request_based {
            self.bio_stays.add(took);
            let (queue_ns, issue_ns) = (bio.queue_ns, NEVER);
            shared.recent.push(Completed { queue_ns, issue_ns, complete_ns: now, bytes: 0, is_flush: true });
        }
        true
    }

    fn end_request(
        &mut self,
        range: &Range<u64>,
        direction: IoDirection,
        now: u64,
        threads: &ThreadRecorder,
    ) -> RequestEnd {
        let depth_at_end = self.at_device();
        let wanted = |request: &DeviceRequest| request.operation.direction == direction;
        let Some(request) = self.requests.take(range.start, wanted) else { return RequestEnd::Unknown };
        if request.end > range.end {
            // It goes on behind what is done, and is found there.
            self.requests.insert(range.end, request);
            return RequestEnd::Part;
        }
        let took = now.saturating_sub(request.issue_ns);
        self.request_stays.add(took);
        if let Some(class) = IoClass::of(direction) {
            self.request_times[class as usize].record(took);
        }
        let is_read = direction == IoDirection::Read;
        self.device_latencies.add(GridItem { time_ns: now, is_read, largest: took });
        if self.stalls.admits_at_device(took) {
            self.stalls.slow_at_device(SlowRequest {
                request: of_request(&request, threads.task(request.thread)),
                completed_ns: now,
                length_ns: took,
                depth_at_start: u64::from(request.depth),
                depth_at_end,
            });
        }
        RequestEnd::Whole
    }

    /// Ends the bios in `range`: how many there were.
    fn end_bios(
        &mut self,
        range: &Range<u64>,
        direction: IoDirection,
        moment: Moment,
        shared: &mut SharedState,
    ) -> usize {
        let mut keys = std::mem::take(&mut self.keys);
        self.find_ending(range, direction, &mut keys);
        for key in &keys {
            if let Some(bio) = self.bios.remove(*key) {
                self.end_bio(key.0, &bio, moment, shared);
            }
        }
        let found = keys.len();
        self.keys = keys;
        found
    }

    fn find_ending(&mut self, range: &Range<u64>, direction: IoDirection, keys: &mut Vec<Key>) {
        if self.is_request_based {
            self.bios.covered(range, |bio| bio.is(direction) && bio.is_issued(), keys);
            if !keys.is_empty() {
                return;
            }
        }
        // The issue was not seen, or there is none.
        self.bios.covered(range, |bio| bio.is(direction), keys);
        if keys.is_empty()
            && !self.is_request_based
            && let Some(key) = self.bios.ending_with(range, |bio| bio.is(direction))
        {
            // A driver that worked its way through a bio names the last part of it.
            keys.push(key);
        }
    }

    fn end_bio(&mut self, sector: u64, bio: &Bio, moment: Moment, shared: &mut SharedState) {
        let now = moment.now;
        if !bio.is_issued() {
            self.waiting = self.waiting.saturating_sub(1);
        }
        self.phases.completed(bio, now);
        let took = now.saturating_sub(bio.queue_ns);
        shared.threads.completed(bio.thread, took);
        let is_read = bio.is(IoDirection::Read);
        self.whole_latencies.add(GridItem { time_ns: now, is_read, largest: took });
        if !self.is_request_based {
            self.bio_stays.add(took);
        }
        shared.recent.push(Completed {
            queue_ns: bio.queue_ns,
            issue_ns: bio.issue_ns,
            complete_ns: now,
            bytes: bio.end.saturating_sub(sector).saturating_mul(SECTOR_BYTES),
            is_flush: false,
        });
        if self.stalls.admits_overall(took) {
            self.stalls.slow_overall(SlowRequest {
                request: of_bio(sector, bio, shared.threads.task(bio.thread)),
                completed_ns: now,
                length_ns: took,
                depth_at_start: u64::from(bio.depth),
                depth_at_end: moment.depth,
            });
        }
    }

    /// A request was done up to the middle of a bio: the rest of the bio goes on behind it.
    fn cut_bio(&mut self, range: &Range<u64>, direction: IoDirection) {
        let wanted = |bio: &Bio| bio.is(direction) && bio.is_issued();
        if let Some(key) = self.bios.reaching_beyond(range, wanted)
            && let Some(bio) = self.bios.remove(key)
        {
            self.bios.insert(range.end, bio);
        }
    }

    /// If nothing was completed for long until now, though something was on its way, that is
    /// kept.
    pub(super) fn end_stall(&mut self, now: u64, threads: &ThreadRecorder, is_over: bool) {
        if self.at_device() == 0 {
            return;
        }
        let Some(began_ns) = self.stalls.candidate(now) else { return };
        let stall = IoStall {
            began_ns,
            ended_ns: now,
            is_over,
            at_device: self.at_device(),
            waiting: self.is_request_based.then_some(self.waiting),
            oldest: self.oldest(threads),
        };
        self.stalls.stalled(stall);
    }

    /// What the device has had longest.
    fn oldest(&self, threads: &ThreadRecorder) -> Vec<RequestSnapshot> {
        if self.is_request_based {
            let mut requests: Vec<&DeviceRequest> = self.requests.values().collect();
            requests.sort_by_key(|request| request.issue_ns);
            let few = requests.into_iter().take(STALLED_MAX);
            few.map(|request| of_request(request, threads.task(request.thread))).collect()
        } else {
            let mut bios: Vec<(u64, &Bio)> = self.bios.iter().collect();
            bios.sort_by_key(|(_, bio)| bio.queue_ns);
            let few = bios.into_iter().take(STALLED_MAX);
            few.map(|(sector, bio)| of_bio(sector, bio, threads.task(bio.thread))).collect()
        }
    }
}
