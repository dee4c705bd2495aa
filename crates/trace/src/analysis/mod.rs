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
mod counted;
mod counts;
mod depth;
mod device;
mod device_report;
mod device_table;
mod device_traffic;
mod flight;
mod flushes;
mod grid;
mod losses;
mod matched;
mod observations;
mod options;
mod phase_watch;
mod phases;
mod processes;
mod rates;
mod reading;
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
pub use phase_watch::{DevicePhases, PhaseWatch};
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

use crate::event::TraceRecord;
use counted::CountedEvents;
use matched::MatchedEvents;

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

/// All that is kept of a trace, in two halves that both take every record.
#[derive(Clone, Debug)]
struct Trace {
    counted: CountedEvents,
    matched: MatchedEvents,
}

impl Analysis {
    /// Of a trace that is still to come.
    #[must_use]
    pub const fn new(options: AnalysisOptions) -> Self {
        Self { options, trace: None, after: None }
    }

    /// Takes the next record, in order of time.
    pub fn take(&mut self, record: &TraceRecord) {
        if let Some(after) = &mut self.after {
            after.take(record);
        }
        let trace = self.trace.get_or_insert_with(|| Trace::new(&self.options, record.time_ns()));
        trace.counted.take(record);
        trace.matched.take(record);
    }

    /// How much was swapped while the trace ran, which is known only at its end.
    pub const fn set_swap_counters(&mut self, counters: SwapCounters) {
        self.options.swap_counters = Some(counters);
        if let Some(trace) = &mut self.trace {
            trace.counted.set_swap_counters(counters);
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
        Self { counted: CountedEvents::new(options, start_ns), matched: MatchedEvents::new(start_ns) }
    }

    /// All but what matters of it.
    fn report(self) -> Report {
        let Self { counted, matched } = self;
        let span = counted.span;
        let threads = &matched.shared.threads;
        // Both took the same records, so they have the same devices in the same order.
        let halves = counted.devices.into_devices().zip(matched.devices.into_devices());
        let mut devices: Vec<DeviceReport> = halves
            .map(|((device, traffic), (_, state))| state.report(device, traffic, threads, span))
            .collect();
        devices.sort_by_key(|report| (Reverse(report.counts.events), report.device));
        let (remaps, remaps_of_others, swap) = counted.stack.report();
        Report {
            span,
            devices,
            events_of_others: counted.events_of_others,
            plugs: counted.plugs,
            threads: matched.shared.threads.report(),
            dirtied: counted.dirtied.report(),
            syncs: matched.syncs.report(),
            remaps,
            remaps_of_others,
            swap,
            losses: matched.shared.losses.report(),
            after_command: None,
            observations: Vec::new(),
        }
    }
}
