//! Flushes of the device's cache: how many, how long, and when they come in storms.

use std::collections::VecDeque;

use super::flight::NEVER;
use super::tables::Largest;
use super::values::{ValueRecorder, ValueSummary};

/// Flushes belong to one storm while the next comes within this time: at 20 a second or more,
/// each one stops what the device could gather, and a disk that turns does hardly anything else.
pub const STORM_GAP_NS: u64 = 50_000_000;
/// Fewer in a row are the end of a transaction or two, and no storm: at the slowest a second.
pub const STORM_MIN_FLUSHES: u64 = 20;
/// Storms that are named one by one.
pub const STORMS_MAX: usize = 16;
/// Flushes that are followed at once. The kernel has two at a device.
const PENDING_MAX: usize = 1024;

/// Flushes one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushStorm {
    /// When the first came, on the trace's clock.
    pub began_ns: u64,
    /// When the last came.
    pub ended_ns: u64,
    /// How many.
    pub flushes: u64,
}

impl FlushStorm {
    /// From the first to the last, in nanoseconds.
    #[must_use]
    pub const fn length_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.began_ns)
    }
}

/// What flushes did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlushReport {
    /// Bios that asked for one, alone or before their data.
    pub asked: u64,
    /// Flushes that the device was sent; the kernel answers several bios with one. Nothing
    /// for a device without requests, whose driver does as it likes.
    pub sent: Option<u64>,
    /// How long one took at the device, in nanoseconds.
    pub device_ns: ValueSummary,
    /// How long a bio without data waited for its flush, in nanoseconds.
    pub queue_to_complete_ns: ValueSummary,
    /// The time during which one was under way, in nanoseconds.
    pub busy_ns: u64,
    /// How many storms there were: [`STORM_MIN_FLUSHES`] or more flushes, each within
    /// [`STORM_GAP_NS`] of the one before. Of those that were sent, where they are known; else
    /// of those that were asked for.
    pub storms: u64,
    /// How many flushes lay in them.
    pub storm_flushes: u64,
    /// How long they lasted together, in nanoseconds.
    pub storm_ns: u64,
    /// Those with the most flushes.
    pub largest_storms: Vec<FlushStorm>,
}

/// Finds storms.
#[derive(Clone, Debug)]
struct StormRecorder {
    current: Option<FlushStorm>,
    storms: u64,
    flushes: u64,
    length_ns: u64,
    largest: Largest<FlushStorm>,
}

impl Default for StormRecorder {
    fn default() -> Self {
        Self { current: None, storms: 0, flushes: 0, length_ns: 0, largest: Largest::new(STORMS_MAX) }
    }
}

impl StormRecorder {
    fn flush(&mut self, now: u64) {
        match &mut self.current {
            Some(storm) if now.saturating_sub(storm.ended_ns) <= STORM_GAP_NS => {
                storm.ended_ns = now;
                storm.flushes += 1;
            }
            _ => {
                self.end();
                self.current = Some(FlushStorm { began_ns: now, ended_ns: now, flushes: 1 });
            }
        }
    }

    fn end(&mut self) {
        if let Some(storm) = self.current.take()
            && storm.flushes >= STORM_MIN_FLUSHES
        {
            self.storms += 1;
            self.flushes += storm.flushes;
            self.length_ns = self.length_ns.saturating_add(storm.length_ns());
            self.largest.offer(storm.flushes, storm);
        }
    }
}

/// A bio without data that waits for its flush.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmptyBio {
    pub(super) sector: u64,
    pub(super) queue_ns: u64,
    pub(super) thread: u32,
}

/// A time during which anything of a kind is under way.
#[derive(Clone, Copy, Debug)]
struct BusyTime {
    since_ns: u64,
    total_ns: u64,
}

impl BusyTime {
    const fn begin(&mut self, now: u64) {
        if self.since_ns == NEVER {
            self.since_ns = now;
        }
    }

    const fn end(&mut self, now: u64) {
        if self.since_ns != NEVER {
            self.total_ns = self.total_ns.saturating_add(now.saturating_sub(self.since_ns));
            self.since_ns = NEVER;
        }
    }
}

impl Default for BusyTime {
    fn default() -> Self {
        Self { since_ns: NEVER, total_ns: 0 }
    }
}

/// Follows flushes.
#[derive(Clone, Debug, Default)]
pub(super) struct FlushRecorder {
    /// When those began that the device has.
    pending: VecDeque<u64>,
    empty: VecDeque<EmptyBio>,
    asked: u64,
    sent: u64,
    device: ValueRecorder,
    whole: ValueRecorder,
    device_busy: BusyTime,
    empty_busy: BusyTime,
    asked_storms: StormRecorder,
    sent_storms: StormRecorder,
}

impl FlushRecorder {
    /// A bio with or without data asks for one.
    pub(super) fn asked(&mut self, now: u64) {
        self.asked += 1;
        self.asked_storms.flush(now);
    }

    /// A bio without data begins to wait. The oldest is given up when there are too many.
    pub(super) fn queued(&mut self, bio: EmptyBio) {
        if self.empty.len() >= PENDING_MAX {
            self.empty.pop_front();
        }
        self.empty_busy.begin(bio.queue_ns);
        self.empty.push_back(bio);
    }

    /// A bio without data ends; nothing if none waits in this sector.
    pub(super) fn completed(&mut self, sector: u64, now: u64) -> Option<EmptyBio> {
        let place = self.empty.iter().position(|bio| bio.sector == sector)?;
        let bio = self.empty.remove(place)?;
        self.whole.record(now.saturating_sub(bio.queue_ns));
        if self.empty.is_empty() {
            self.empty_busy.end(now);
        }
        Some(bio)
    }

    /// The device is sent one.
    pub(super) fn issued(&mut self, now: u64) {
        if self.pending.len() >= PENDING_MAX {
            self.pending.pop_front();
        }
        self.sent += 1;
        self.sent_storms.flush(now);
        self.device_busy.begin(now);
        self.pending.push_back(now);
    }

    /// The device has done the oldest: when that had been issued. Nothing if it has none.
    pub(super) fn device_completed(&mut self, now: u64) -> Option<u64> {
        let issued = self.pending.pop_front()?;
        self.device.record(now.saturating_sub(issued));
        if self.pending.is_empty() {
            self.device_busy.end(now);
        }
        Some(issued)
    }

    /// The device gave back the latest undone: when that had been issued. Nothing if it has none.
    pub(super) fn requeued(&mut self, now: u64) -> Option<u64> {
        let issued = self.pending.pop_back()?;
        self.sent = self.sent.saturating_sub(1);
        if self.pending.is_empty() {
            self.device_busy.end(now);
        }
        Some(issued)
    }

    /// How many the device has.
    pub(super) fn at_device(&self) -> u64 {
        self.pending.len() as u64
    }

    /// How many bios without data wait.
    pub(super) fn waiting(&self) -> u64 {
        self.empty.len() as u64
    }

    pub(super) fn report(mut self, end_ns: u64) -> FlushReport {
        self.device_busy.end(end_ns);
        self.empty_busy.end(end_ns);
        let has_sent = self.sent > 0;
        let mut storms = if has_sent { self.sent_storms } else { self.asked_storms };
        storms.end();
        FlushReport {
            asked: self.asked,
            sent: has_sent.then_some(self.sent),
            device_ns: self.device.summary(),
            queue_to_complete_ns: self.whole.summary(),
            busy_ns: if has_sent { self.device_busy.total_ns } else { self.empty_busy.total_ns },
            storms: storms.storms,
            storm_flushes: storms.flushes,
            storm_ns: storms.length_ns,
            largest_storms: storms.largest.into_items(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_has_enough_flushes_close_together() {
        let mut flushes = FlushRecorder::default();
        for index in 0..30 {
            flushes.asked(1_000 + index * STORM_GAP_NS);
        }
        // Then 19 alone, after a pause.
        for index in 0..19 {
            flushes.asked(100 * STORM_GAP_NS + index);
        }
        let report = flushes.report(200 * STORM_GAP_NS);
        assert_eq!((report.asked, report.sent), (49, None));
        assert_eq!((report.storms, report.storm_flushes, report.storm_ns), (1, 30, 29 * STORM_GAP_NS));
        let storm = FlushStorm { began_ns: 1_000, ended_ns: 1_000 + 29 * STORM_GAP_NS, flushes: 30 };
        assert_eq!(report.largest_storms, [storm]);
    }

    #[test]
    fn what_is_given_back_undone_is_sent_once() {
        let mut flushes = FlushRecorder::default();
        flushes.issued(100);
        assert_eq!(flushes.requeued(150), Some(100));
        assert_eq!(flushes.requeued(160), None);
        flushes.issued(200);
        assert_eq!(flushes.device_completed(260), Some(200));
        let report = flushes.report(1000);
        assert_eq!((report.sent, report.busy_ns, report.device_ns.total), (Some(1), 110, 60));
    }

    #[test]
    fn two_at_once_are_busy_once() {
        let mut flushes = FlushRecorder::default();
        flushes.issued(100);
        flushes.issued(150);
        assert_eq!(flushes.device_completed(200), Some(100));
        assert_eq!(flushes.device_completed(260), Some(150));
        assert_eq!(flushes.device_completed(300), None);
        let report = flushes.report(1000);
        assert_eq!((report.sent, report.busy_ns, report.device_ns.total), (Some(2), 160, 210));
    }
}
