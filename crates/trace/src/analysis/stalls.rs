//! The longest times: requests that took long, and times during which nothing was completed
//! though something was on its way.

use super::flight::{Bio, DeviceRequest, NEVER};
use super::tables::Largest;
use super::traffic::SECTOR_BYTES;
use crate::event::{BlockOperation, TaskName};

/// Stalls and slow requests of a device that are kept, each.
pub const LONGEST_MAX: usize = 16;
/// Requests that are named of those that were on their way in a stall.
pub const STALLED_MAX: usize = 4;

/// A request or a bio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestSnapshot {
    /// Its first sector on the device.
    pub sector: u64,
    /// Its bytes.
    pub bytes: u64,
    /// What it does.
    pub operation: BlockOperation,
    /// When its first bio was queued, on the trace's clock; nothing where that was not seen.
    pub queued_ns: Option<u64>,
    /// When it was issued; nothing where it was not, or that was not seen.
    pub issued_ns: Option<u64>,
    /// The thread that queued it.
    pub thread: u32,
    /// The thread's name, where it is known.
    pub task: TaskName,
}

/// A time without a completion, though something was on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct IoStall {
    /// When the last completion was, or when the first request came to an idle device.
    pub began_ns: u64,
    /// When the next completion came, or the trace ended.
    pub ended_ns: u64,
    /// Whether a completion ended it; else the trace did.
    pub is_over: bool,
    /// How many the device had at its end.
    pub at_device: u64,
    /// How many bios waited in the host at its end; nothing for a device without requests.
    pub waiting: Option<u64>,
    /// Those that had been on their way longest, [`STALLED_MAX`] at most.
    pub oldest: Vec<RequestSnapshot>,
}

impl IoStall {
    /// How long it lasted, in nanoseconds.
    #[must_use]
    pub const fn length_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.began_ns)
    }
}

/// A request that took long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowRequest {
    /// Which one.
    pub request: RequestSnapshot,
    /// When it was completed, on the trace's clock.
    pub completed_ns: u64,
    /// How long the phase took that it is kept for, in nanoseconds.
    pub length_ns: u64,
    /// How many the device had when that phase began, with it.
    pub depth_at_start: u64,
    /// How many the device had when it was completed, with it.
    pub depth_at_end: u64,
}

/// Keeps the longest.
#[derive(Clone, Debug)]
pub(super) struct StallRecorder {
    /// When something was last completed, or first came to an idle device.
    progress_ns: u64,
    stalls: Largest<IoStall>,
    slow_at_device: Largest<SlowRequest>,
    slow_overall: Largest<SlowRequest>,
}

/// What was kept.
#[derive(Debug)]
pub(super) struct LongestTimes {
    pub(super) stalls: Vec<IoStall>,
    pub(super) slow_at_device: Vec<SlowRequest>,
    pub(super) slow_overall: Vec<SlowRequest>,
}

impl StallRecorder {
    pub(super) const fn new(now: u64) -> Self {
        Self {
            progress_ns: now,
            stalls: Largest::new(LONGEST_MAX),
            slow_at_device: Largest::new(LONGEST_MAX),
            slow_overall: Largest::new(LONGEST_MAX),
        }
    }

    /// Something comes to an idle device, or is completed.
    pub(super) const fn progress(&mut self, now: u64) {
        self.progress_ns = now;
    }

    /// The stall that would end now, if it is one of the longest.
    pub(super) fn candidate(&self, now: u64) -> Option<u64> {
        let length = now.saturating_sub(self.progress_ns);
        (length > 0 && self.stalls.admits(length)).then_some(self.progress_ns)
    }

    pub(super) fn stalled(&mut self, stall: IoStall) {
        self.stalls.offer(stall.length_ns(), stall);
    }

    pub(super) fn admits_at_device(&self, length_ns: u64) -> bool {
        self.slow_at_device.admits(length_ns)
    }

    pub(super) fn slow_at_device(&mut self, slow: SlowRequest) {
        self.slow_at_device.offer(slow.length_ns, slow);
    }

    pub(super) fn admits_overall(&self, length_ns: u64) -> bool {
        self.slow_overall.admits(length_ns)
    }

    pub(super) fn slow_overall(&mut self, slow: SlowRequest) {
        self.slow_overall.offer(slow.length_ns, slow);
    }

    pub(super) fn into_longest(self) -> LongestTimes {
        LongestTimes {
            stalls: self.stalls.into_items(),
            slow_at_device: self.slow_at_device.into_items(),
            slow_overall: self.slow_overall.into_items(),
        }
    }
}

fn known(time_ns: u64) -> Option<u64> {
    (time_ns != NEVER).then_some(time_ns)
}

/// A request as the report shows it.
pub(super) fn of_request(request: &DeviceRequest, task: TaskName) -> RequestSnapshot {
    RequestSnapshot {
        sector: request.start,
        bytes: request.end.saturating_sub(request.start).saturating_mul(SECTOR_BYTES),
        operation: request.operation,
        queued_ns: known(request.queue_ns),
        issued_ns: known(request.issue_ns),
        thread: request.thread,
        task,
    }
}

/// A bio as the report shows it.
pub(super) fn of_bio(sector: u64, bio: &Bio, task: TaskName) -> RequestSnapshot {
    RequestSnapshot {
        sector,
        bytes: bio.end.saturating_sub(sector).saturating_mul(SECTOR_BYTES),
        operation: bio.operation,
        queued_ns: known(bio.queue_ns),
        issued_ns: known(bio.issue_ns),
        thread: bio.thread,
        task,
    }
}
