//! What is said of a whole trace: who asked for what, what the device got, where the time
//! went, and what was lost.
//!
//! Records are taken one by one and forgotten. What is kept does not grow with the trace:
//! series join their points, grids their cells, tables drop the lightest and say so, and only
//! what is on its way is remembered. Counts are blkparse's and phases are btt's, so that they
//! can be held beside them; where these guess, nothing is guessed here.
//!
//! There are no words here: what matters is a list of typed [`Observation`]s.

mod after_command;
mod buckets;
mod completion;
mod counts;
mod depth;
mod device;
mod device_report;
mod flight;
mod flushes;
mod grid;
mod losses;
mod observations;
mod options;
mod phases;
mod processes;
mod rates;
mod report;
mod sector_order;
mod stacking;
mod stalls;
mod syncs;
mod tables;
pub mod thresholds;
mod traffic;
mod values;

#[cfg(test)]
mod tests;

pub use after_command::AfterCommand;
pub use counts::{ActionCounts, CountedBytes, CpuCounts, ReadWrite};
pub use depth::{DEPTH_POINTS_MAX, DepthPoint, DepthReport, LittlesLaw};
pub use device::{BiosPerRequest, IoErrors};
pub use device_report::DeviceReport;
pub use flushes::{FlushReport, FlushStorm, STORM_GAP_NS, STORM_MIN_FLUSHES, STORMS_MAX};
pub use grid::{GRID_COLUMNS, GRID_ROWS, GridCell, GridReport};
pub use losses::{AffectedFigure, LossReport, UnmatchedIo};
pub use observations::Observation;
pub use options::{AnalysisOptions, SwapCounters};
pub use phases::{IoPhase, PhaseTimes, TimeShares};
pub use processes::{
    DirtiedPages, DirtyReport, InodeOfDevice, NAMED_MAX, THREAD_POINTS_MAX, ThreadIo, ThreadReport,
    WriterKind, WriterShares,
};
pub use rates::{RATE_POINTS_MAX, RatePoint, RateSeries};
pub use report::{PlugCounts, Report, TraceSpan};
pub use stacking::{REMAPS_MAX, RemapCount, SwapDeviceIo, SwapReport};
pub use stalls::{IoStall, LONGEST_MAX, RequestSnapshot, STALLED_MAX, SlowRequest};
pub use syncs::{
    CALLERS_NAMED, RECENT_MAX, SLOW_SYNCS_MAX, SlowSync, SyncCall, SyncCaller, SyncInside, SyncReport,
};
pub use traffic::{
    IoClass, OperationMix, SECTOR_BYTES, SIZES_MAX, STREAMS, SequenceCounts, SizeCount, SizeReport,
    TrafficReport,
};
pub use values::{PERCENTILE_MIN_BEYOND, ValueSummary};

use std::cmp::Reverse;

use crate::event::{Action, BlockEvent, Device, TraceRecord};
use device::{DeviceState, SharedState};
use losses::LossRecorder;
use processes::{DirtyPage, DirtyRecorder, ThreadRecorder};
use stacking::StackRecorder;
use syncs::{RecentCompletions, SyncRecorder};

/// Devices that are followed. Each may need some megabytes of histograms.
pub const DEVICES_MAX: usize = 16;

/// Takes a trace record by record.
#[derive(Clone, Debug)]
pub struct Analysis {
    options: AnalysisOptions,
    /// From the first record on.
    trace: Option<Trace>,
    /// From the end of the traced command on, if that was told.
    after: Option<AfterCommand>,
}

/// All that is kept of a trace.
#[derive(Clone, Debug)]
struct Trace {
    span: TraceSpan,
    devices: Vec<DeviceState>,
    /// Where the device of the last event stands: the next one's is most often the same.
    last_device: usize,
    events_of_others: u64,
    plugs: PlugCounts,
    shared: SharedState,
    dirtied: DirtyRecorder,
    syncs: SyncRecorder,
}

impl Analysis {
    /// Of a trace that is still to come.
    #[must_use]
    pub const fn new(options: AnalysisOptions) -> Self {
        Self { options, trace: None, after: None }
    }

    /// Takes the next record, in order of time.
    pub fn take(&mut self, record: &TraceRecord) {
        let time_ns = record.time_ns();
        if let (Some(after), TraceRecord::Block(event)) = (&mut self.after, record) {
            after.take(event);
        }
        let trace = self.trace.get_or_insert_with(|| Trace::new(&self.options, time_ns));
        trace.take(record, time_ns);
    }

    /// How much was swapped while the trace ran, which is known only at its end.
    pub const fn set_swap_counters(&mut self, counters: SwapCounters) {
        self.options.swap_counters = Some(counters);
        if let Some(trace) = &mut self.trace {
            trace.shared.stack.set_counters(counters);
        }
    }

    /// The traced command has ended at this moment of the trace's clock: what is completed from then on is also
    /// counted apart. Records that are later must not have been taken.
    pub fn set_command_end(&mut self, time_ns: u64) {
        self.after = Some(AfterCommand::since(time_ns));
    }

    /// What is said of all that was taken.
    #[must_use]
    pub fn finish(self) -> Report {
        let trace = self.trace.unwrap_or_else(|| Trace::new(&self.options, 0));
        let mut report = trace.report();
        report.after_command = self.after;
        report.observations = observations::observe(&report);
        report
    }
}

impl Trace {
    fn new(options: &AnalysisOptions, start_ns: u64) -> Self {
        Self {
            span: TraceSpan { start_ns, end_ns: start_ns, ..TraceSpan::default() },
            devices: Vec::new(),
            last_device: 0,
            events_of_others: 0,
            plugs: PlugCounts::default(),
            shared: SharedState {
                threads: ThreadRecorder::new(start_ns),
                recent: RecentCompletions::default(),
                losses: LossRecorder::default(),
                stack: StackRecorder::new(options),
            },
            dirtied: DirtyRecorder::new(),
            syncs: SyncRecorder::new(),
        }
    }

    fn take(&mut self, record: &TraceRecord, time_ns: u64) {
        self.span.records += 1;
        if time_ns < self.span.end_ns {
            self.span.out_of_order += 1;
        } else {
            self.span.end_ns = time_ns;
        }
        let now = self.span.end_ns;
        match record {
            TraceRecord::Block(event) => self.block(event, now),
            TraceRecord::Lost { cpu, events, .. } => self.shared.losses.take(now, *cpu, *events),
            TraceRecord::Dirtied { thread, task, device, inode, bytes, .. } => {
                let file = InodeOfDevice { device: *device, inode: *inode };
                self.dirtied.take(DirtyPage { thread: *thread, task: *task, file, bytes: *bytes });
            }
            TraceRecord::Synced { began_ns, ended_ns, thread, task, call: name, result } => {
                let call = SyncCall {
                    began_ns: *began_ns,
                    ended_ns: *ended_ns,
                    thread: *thread,
                    task: *task,
                    call: name,
                    result: *result,
                };
                self.syncs.take(call, &self.shared.recent, self.span.start_ns);
            }
        }
    }

    fn block(&mut self, event: &BlockEvent, now: u64) {
        self.span.block_events += 1;
        match event.action {
            Action::Plug => self.plugs.plugs += 1,
            Action::Unplug { requests } => {
                self.plugs.unplugs += 1;
                self.plugs.unplugged_requests += u64::from(requests);
            }
            _ => {}
        }
        let Some(device) = event.device else { return };
        match self.place_of(device, now) {
            Some(place) => self.devices[place].take(event, now, &mut self.shared),
            None => self.events_of_others += 1,
        }
    }

    /// Where this device stands; nothing if there are too many.
    fn place_of(&mut self, device: Device, now: u64) -> Option<usize> {
        if self.devices.get(self.last_device).is_some_and(|state| state.device == device) {
            return Some(self.last_device);
        }
        let place = match self.devices.iter().position(|state| state.device == device) {
            Some(place) => place,
            None if self.devices.len() < DEVICES_MAX => {
                self.devices.push(DeviceState::new(device, self.span.start_ns, now));
                self.devices.len() - 1
            }
            None => return None,
        };
        self.last_device = place;
        Some(place)
    }

    /// All but what matters of it.
    fn report(self) -> Report {
        let span = self.span;
        let threads = &self.shared.threads;
        let mut devices: Vec<DeviceReport> =
            self.devices.into_iter().map(|state| state.report(threads, span.start_ns, span.end_ns)).collect();
        devices.sort_by_key(|report| (Reverse(report.counts.events), report.device));
        let (remaps, remaps_of_others, swap) = self.shared.stack.report();
        Report {
            span,
            devices,
            events_of_others: self.events_of_others,
            plugs: self.plugs,
            threads: self.shared.threads.report(),
            dirtied: self.dirtied.report(),
            syncs: self.syncs.report(),
            remaps,
            remaps_of_others,
            swap,
            losses: self.shared.losses.report(),
            after_command: None,
            observations: Vec::new(),
        }
    }
}
