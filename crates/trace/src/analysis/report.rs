//! What is said of a whole trace.

use super::after_command::AfterCommand;
use super::device_report::DeviceReport;
use super::losses::LossReport;
use super::observations::Observation;
use super::processes::{DirtyReport, ThreadReport};
use super::stacking::{RemapCount, SwapReport};
use super::syncs::SyncReport;
use crate::event::Device;

/// The time of a trace, and what came in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSpan {
    /// The first record, in nanoseconds of the trace's clock.
    pub start_ns: u64,
    /// The last one.
    pub end_ns: u64,
    /// All records.
    pub records: u64,
    /// Events of the block layer among them.
    pub block_events: u64,
    /// Records with a time before that of the one that came earlier. They count as if they had
    /// happened at the same time.
    pub out_of_order: u64,
}

impl TraceSpan {
    /// From the first record to the last, in nanoseconds.
    #[must_use]
    pub const fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// How tasks gathered requests before they gave them away, on whatever device: most kernels
/// name none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlugCounts {
    /// How often a task began to gather.
    pub plugs: u64,
    /// How often one gave away what it had.
    pub unplugs: u64,
    /// Requests given away so.
    pub unplugged_requests: u64,
}

/// All that is said of a trace. Plain data: what it means is in `observations`, and the words for
/// it are others' matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// When, and how much.
    pub span: TraceSpan,
    /// The devices, those with the most events first. They are never added up: a stacked
    /// device's I/O is there once more on the devices below it.
    pub devices: Vec<DeviceReport>,
    /// Events of devices beyond the first [`super::DEVICES_MAX`].
    pub events_of_others: u64,
    /// Plugging.
    pub plugs: PlugCounts,
    /// Who queued.
    pub threads: ThreadReport,
    /// Who made pages dirty, where this was traced.
    pub dirtied: DirtyReport,
    /// Calls that waited for the medium, where these were traced.
    pub syncs: SyncReport,
    /// What went from a partition or stacked device to another.
    pub remaps: Vec<RemapCount>,
    /// Bios of further such pairs.
    pub remaps_of_others: u64,
    /// What is known of swapping.
    pub swap: SwapReport,
    /// What was lost.
    pub losses: LossReport,
    /// What came after the traced command had ended, where the trace went on; also in all other figures.
    pub after_command: Option<AfterCommand>,
    /// What matters, the most important first.
    pub observations: Vec<Observation>,
}

impl Report {
    /// What is said of a device.
    #[must_use]
    pub fn device(&self, device: Device) -> Option<&DeviceReport> {
        self.devices.iter().find(|report| report.device == device)
    }

    /// What could not be matched for lack of lost events, on all devices.
    #[must_use]
    pub fn unmatched_by_loss(&self) -> u64 {
        self.devices.iter().map(|report| report.unmatched.by_loss()).sum()
    }
}
