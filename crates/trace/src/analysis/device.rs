//! One device while the trace goes on: what is on its way to it, until it is issued.

use super::depth::DepthRecorder;
use super::flight::{BIOS_MAX, Bio, DeviceRequest, Key, NEVER, PendingTable, REQUESTS_MAX, sectors};
use super::flushes::{EmptyBio, FlushRecorder};
use super::grid::LatencyGrid;
use super::losses::{LossRecorder, UnmatchedIo};
use super::phases::PhaseRecorder;
use super::processes::ThreadRecorder;
use super::stalls::StallRecorder;
use super::syncs::RecentCompletions;
use super::traffic::{IoClass, is_flush};
use super::values::ValueRecorder;
use crate::event::{Action, BlockEvent, IoDirection};

/// What is followed of all devices together.
#[derive(Clone, Debug)]
pub(super) struct SharedState {
    pub(super) threads: ThreadRecorder,
    pub(super) recent: RecentCompletions,
    pub(super) losses: LossRecorder,
}

/// How many bios requests had when they were issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BiosPerRequest {
    /// Requests of which at least one bio was seen to be queued, each time they were issued.
    pub requests: u64,
    /// Their bios, parts of split ones too.
    pub bios: u64,
    /// The most in one request.
    pub max: u64,
    /// Requests of one bio.
    pub alone: u64,
}

impl BiosPerRequest {
    fn take(&mut self, bios: usize) {
        let bios = bios as u64;
        if bios > 0 {
            self.requests += 1;
            self.bios += bios;
            self.max = self.max.max(bios);
            self.alone += u64::from(bios == 1);
        }
    }

    /// The mean; nothing where no request was seen.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.bios as f64 / self.requests as f64)
    }
}

/// Completions that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoErrors {
    /// How many.
    pub count: u64,
    /// The `errno` of the last one, positive.
    pub last: Option<u32>,
}

/// How long requests were at the device, and bios on their way at one without requests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stays {
    pub(super) count: u64,
    pub(super) total_ns: u128,
}

impl Stays {
    pub(super) const fn add(&mut self, took_ns: u64) {
        self.count += 1;
        self.total_ns += took_ns as u128;
    }

    /// Adds the time until one was given back undone: it comes once more, and is counted then.
    const fn add_undone(&mut self, took_ns: u64) {
        self.total_ns += took_ns as u128;
    }
}

/// One device.
#[derive(Clone, Debug)]
pub(super) struct DeviceState {
    /// Whether it showed a request. One that never does passes on bios, and has them from their
    /// queueing on.
    pub(super) is_request_based: bool,
    pub(super) bios: PendingTable<Bio>,
    pub(super) requests: PendingTable<DeviceRequest>,
    /// Bios that were not issued.
    pub(super) waiting: u64,
    splits: u64,
    /// Emptied and filled again at each request.
    pub(super) keys: Vec<Key>,
    pub(super) phases: PhaseRecorder,
    pub(super) request_times: [ValueRecorder; 3],
    pub(super) request_stays: Stays,
    pub(super) bio_stays: Stays,
    pub(super) bios_per_request: BiosPerRequest,
    /// Requests that the driver had and gave back.
    pub(super) given_back: u64,
    /// Requests at the device.
    pub(super) device_depth: DepthRecorder,
    /// Bios that were not issued.
    pub(super) bio_depth: DepthRecorder,
    pub(super) device_latencies: LatencyGrid,
    pub(super) whole_latencies: LatencyGrid,
    pub(super) flushes: FlushRecorder,
    pub(super) stalls: StallRecorder,
    pub(super) errors: IoErrors,
    pub(super) unmatched: UnmatchedIo,
}

impl DeviceState {
    /// A device that is first seen now, in a trace that began at `start_ns`.
    pub(super) fn new(start_ns: u64, now: u64) -> Self {
        Self {
            is_request_based: false,
            bios: PendingTable::new(BIOS_MAX),
            requests: PendingTable::new(REQUESTS_MAX),
            waiting: 0,
            splits: 0,
            keys: Vec::new(),
            phases: PhaseRecorder::default(),
            request_times: Default::default(),
            request_stays: Stays::default(),
            bio_stays: Stays::default(),
            bios_per_request: BiosPerRequest::default(),
            given_back: 0,
            device_depth: DepthRecorder::new(start_ns),
            bio_depth: DepthRecorder::new(start_ns),
            device_latencies: LatencyGrid::new(start_ns),
            whole_latencies: LatencyGrid::new(start_ns),
            flushes: FlushRecorder::default(),
            stalls: StallRecorder::new(now),
            errors: IoErrors::default(),
            unmatched: UnmatchedIo::default(),
        }
    }

    /// Takes an event of this device. `now` never goes back.
    pub(super) fn take(&mut self, event: &BlockEvent, now: u64, shared: &mut SharedState) {
        match event.action {
            Action::Queue => self.queue(event, now, shared),
            Action::GetRequest => self.allocate(event, now),
            Action::BackMerge | Action::FrontMerge | Action::RequestMerge => self.merge(event, now),
            Action::Insert => self.insert(event, now),
            Action::Issue => self.issue(event, now, shared),
            Action::Complete => self.complete(event, now, shared),
            Action::Requeue => self.requeue(event, now),
            Action::Split { new_sector } => self.split(event, new_sector),
            Action::Remap { .. } | Action::Plug | Action::Unplug { .. } => return,
        }
        self.follow_depth(now);
    }

    /// How many the device has: requests, or bios where it has no requests.
    pub(super) fn at_device(&self) -> u64 {
        if self.is_request_based {
            self.requests.len() as u64 + self.flushes.at_device()
        } else {
            self.bios.len() as u64 + self.flushes.waiting()
        }
    }

    fn follow_depth(&mut self, now: u64) {
        self.device_depth.set(now, self.requests.len() as u64 + self.flushes.at_device());
        let empty = if self.is_request_based { 0 } else { self.flushes.waiting() };
        self.bio_depth.set(now, self.waiting + empty);
    }

    fn queue(&mut self, event: &BlockEvent, now: u64, shared: &mut SharedState) {
        shared.threads.queued(event, now);
        if event.operation.flags.preflush || event.operation.direction == IoDirection::Flush {
            self.flushes.asked(now);
        }
        if !self.is_request_based && self.at_device() == 0 {
            self.stalls.progress(now);
        }
        if is_flush(event) {
            let bio = EmptyBio { sector: event.sector, queue_ns: now, thread: event.thread };
            self.flushes.queued(bio);
            return;
        }
        if IoClass::of(event.operation.direction).is_none() || event.bytes == 0 {
            return;
        }
        if self.splits > 0 && self.is_rest_of_split(event) {
            return;
        }
        let depth = u32::try_from(self.at_device() + 1).unwrap_or(u32::MAX);
        self.waiting += 1;
        if self.bios.insert(event.sector, Bio::queued(event, now, depth)) {
            self.waiting = self.bios.values().filter(|bio| !bio.is_issued()).count() as u64;
        }
    }

    /// Old kernels queue the second part of a split bio once more: it is known already.
    fn is_rest_of_split(&mut self, event: &BlockEvent) -> bool {
        let (end, direction) = (sectors(event).end, event.operation.direction);
        self.bios
            .find(event.sector, |bio| {
                bio.is_part && bio.is(direction) && bio.end == end && bio.get_ns == NEVER && !bio.is_issued()
            })
            .is_some()
    }

    fn allocate(&mut self, event: &BlockEvent, now: u64) {
        let direction = event.operation.direction;
        self.is_request_based |= direction != IoDirection::None;
        let wanted = |bio: &Bio| bio.is(direction) && bio.get_ns == NEVER && !bio.is_issued();
        if let Some(bio) = self.bios.find(event.sector, wanted) {
            self.phases.allocated(bio, now);
        }
    }

    fn merge(&mut self, event: &BlockEvent, now: u64) {
        let direction = event.operation.direction;
        let wanted = |bio: &Bio| bio.is(direction) && bio.merge_ns == NEVER && !bio.is_issued();
        if let Some(bio) = self.bios.find(event.sector, wanted) {
            self.phases.merged(bio, now);
        }
    }

    fn insert(&mut self, event: &BlockEvent, now: u64) {
        let direction = event.operation.direction;
        self.is_request_based |= direction != IoDirection::None;
        if let Some(bio) = self.bios.find(event.sector, |bio| bio.is(direction) && !bio.is_issued()) {
            self.phases.inserted(bio, now);
        }
    }

    fn split(&mut self, event: &BlockEvent, new_sector: u64) {
        self.splits += 1;
        let direction = event.operation.direction;
        let wanted = |bio: &Bio| bio.is(direction) && bio.end > new_sector && !bio.is_issued();
        if new_sector <= event.sector {
            return;
        }
        let Some(first) = self.bios.find(event.sector, wanted) else { return };
        let rest = Bio { is_part: true, ..*first };
        first.end = new_sector;
        self.waiting += 1;
        if self.bios.insert(new_sector, rest) {
            self.waiting = self.bios.values().filter(|bio| !bio.is_issued()).count() as u64;
        }
    }

    fn issue(&mut self, event: &BlockEvent, now: u64, shared: &SharedState) {
        let direction = event.operation.direction;
        self.is_request_based |= direction != IoDirection::None;
        let was_idle = self.at_device() == 0;
        if is_flush(event) {
            self.flushes.issued(now);
        } else if IoClass::of(direction).is_some() && event.bytes > 0 {
            self.issue_data(event, now, shared);
        } else {
            return;
        }
        if was_idle {
            self.stalls.progress(now);
        }
    }

    fn issue_data(&mut self, event: &BlockEvent, now: u64, shared: &SharedState) {
        let (range, direction) = (sectors(event), event.operation.direction);
        let mut keys = std::mem::take(&mut self.keys);
        self.bios.covered(&range, |bio| bio.is(direction) && !bio.is_issued(), &mut keys);
        if keys.is_empty() {
            // Issued once more, and what happened in between was not seen.
            self.bios.covered(&range, |bio| bio.is(direction), &mut keys);
        }
        let (mut queue_ns, mut thread, mut covered) = (NEVER, event.thread, 0);
        for key in &keys {
            let Some(bio) = self.bios.at_mut(*key) else { continue };
            if !bio.is_issued() {
                self.waiting = self.waiting.saturating_sub(1);
            }
            self.phases.issued(bio, now);
            if bio.queue_ns < queue_ns {
                (queue_ns, thread) = (bio.queue_ns, bio.thread);
            }
            covered += bio.end.saturating_sub(key.0);
        }
        self.bios_per_request.take(keys.len());
        self.keys = keys;
        if covered < range.end - range.start {
            if shared.losses.any() {
                self.unmatched.issues_after_loss += 1;
            } else {
                self.unmatched.queued_before += 1;
            }
        }
        let depth = u32::try_from(self.at_device() + 1).unwrap_or(u32::MAX);
        let request = DeviceRequest {
            start: range.start,
            end: range.end,
            issue_ns: now,
            queue_ns,
            thread,
            depth,
            operation: event.operation,
        };
        self.requests.insert(range.start, request);
    }

    /// A request that was not issued stays where it was: the driver refused it before it had it.
    fn requeue(&mut self, event: &BlockEvent, now: u64) {
        if is_flush(event) {
            if let Some(issue_ns) = self.flushes.requeued(now) {
                self.given_back += 1;
                self.request_stays.add_undone(now.saturating_sub(issue_ns));
            }
            return;
        }
        let (range, direction) = (sectors(event), event.operation.direction);
        let wanted = |request: &DeviceRequest| request.operation.direction == direction;
        let Some(request) = self.requests.take(range.start, wanted) else { return };
        self.given_back += 1;
        self.request_stays.add_undone(now.saturating_sub(request.issue_ns));
        let mut keys = std::mem::take(&mut self.keys);
        self.bios.covered(&range, |bio| bio.is(direction) && bio.is_issued(), &mut keys);
        for key in &keys {
            if let Some(bio) = self.bios.at_mut(*key) {
                bio.issue_ns = NEVER;
                self.waiting += 1;
            }
        }
        self.keys = keys;
    }
}
