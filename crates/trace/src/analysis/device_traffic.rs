//! One device while the trace goes on: what each event says by itself.

use super::buckets::TimeBuckets;
use super::counts::ActionRecorder;
use super::grid::{GridItem, OffsetGrid};
use super::processes::WriterShares;
use super::rates::{RATE_POINTS_MAX, RateCounts};
use super::traffic::{IoClass, TrafficRecorder};
use crate::event::{Action, BlockEvent, IoDirection};

/// What came to one device.
#[derive(Clone, Debug)]
pub(super) struct DeviceTraffic {
    pub(super) actions: ActionRecorder,
    /// Whether it showed a request.
    is_request_based: bool,
    pub(super) queued: TrafficRecorder,
    pub(super) issued: TrafficRecorder,
    pub(super) writers: WriterShares,
    pub(super) rates: TimeBuckets<RateCounts>,
    pub(super) offsets: OffsetGrid,
}

impl DeviceTraffic {
    /// A device in a trace that began at `start_ns`.
    pub(super) fn new(start_ns: u64) -> Self {
        Self {
            actions: ActionRecorder::default(),
            is_request_based: false,
            queued: TrafficRecorder::default(),
            issued: TrafficRecorder::default(),
            writers: WriterShares::default(),
            rates: TimeBuckets::new(start_ns, RATE_POINTS_MAX),
            offsets: OffsetGrid::new(start_ns),
        }
    }

    /// Takes an event of this device. `now` never goes back.
    pub(super) fn take(&mut self, event: &BlockEvent, now: u64) {
        self.actions.take(event);
        match event.action {
            Action::Queue => self.queue(event, now),
            Action::GetRequest | Action::Insert => self.show_request(event),
            Action::Issue => self.issue(event, now),
            Action::Complete => self.complete(event, now),
            Action::BackMerge
            | Action::FrontMerge
            | Action::RequestMerge
            | Action::Requeue
            | Action::Remap { .. }
            | Action::Split { .. }
            | Action::Plug
            | Action::Unplug { .. } => {}
        }
    }

    /// It has requests after all. What was drawn of bios is forgotten: requests are drawn.
    fn show_request(&mut self, event: &BlockEvent) {
        if !self.is_request_based && event.operation.direction != IoDirection::None {
            self.is_request_based = true;
            self.offsets.clear();
        }
    }

    fn queue(&mut self, event: &BlockEvent, now: u64) {
        self.queued.take(event);
        let Some(class) = class_of_data(event) else { return };
        if class == IoClass::Write {
            self.writers.take(event);
        }
        if !self.is_request_based {
            self.draw_offset(event, now);
        }
    }

    fn issue(&mut self, event: &BlockEvent, now: u64) {
        self.issued.take(event);
        self.show_request(event);
        if class_of_data(event).is_some() {
            self.draw_offset(event, now);
        }
    }

    fn complete(&mut self, event: &BlockEvent, now: u64) {
        if let Some(class) = class_of_data(event).filter(|_| !event.would_block()) {
            self.rates.at(now).add(class, event.bytes);
        }
    }

    fn draw_offset(&mut self, event: &BlockEvent, now: u64) {
        let is_read = event.operation.direction == IoDirection::Read;
        self.offsets.add(event.sector, GridItem { time_ns: now, is_read, largest: event.bytes });
    }
}

/// The class of what has sectors; nothing for flushes and for commands past the file system.
fn class_of_data(event: &BlockEvent) -> Option<IoClass> {
    IoClass::of(event.operation.direction).filter(|_| event.bytes > 0)
}
