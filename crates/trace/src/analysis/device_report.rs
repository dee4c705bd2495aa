//! What is said of one device.

use super::counts::{ActionCounts, CountedBytes, CpuCounts, ReadWrite};
use super::depth::{DepthReport, LittlesLaw};
use super::device::{BiosPerRequest, DeviceState, IoErrors};
use super::device_traffic::DeviceTraffic;
use super::flushes::FlushReport;
use super::grid::GridReport;
use super::losses::UnmatchedIo;
use super::phases::{IoPhase, PhaseTimes, TimeShares};
use super::processes::{ThreadRecorder, WriterShares};
use super::rates::{RateSeries, series};
use super::report::TraceSpan;
use super::stalls::{IoStall, LongestTimes, SlowRequest};
use super::traffic::{IoClass, TrafficReport};
use super::values::{ValueRecorder, ValueSummary};
use crate::event::Device;

/// What one device was asked and did. Times are on the trace's clock, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceReport {
    /// Which one.
    pub device: Device,
    /// Whether it has no requests: no event showed one, and something was queued or completed. Then
    /// only whole times (Q2C) are known, and it has a bio from its queueing on.
    pub is_bio_based: bool,
    /// The counts of all CPUs: blkparse's "Total".
    pub counts: ActionCounts,
    /// The counts of each CPU.
    pub by_cpu: Vec<CpuCounts>,
    /// The most reads and writes issued and not completed, as blkparse counts them ("depth"):
    /// of events alone, whether they match or not.
    pub depth_max: ReadWrite<u32>,
    /// What came: bios.
    pub queued: TrafficReport,
    /// What the driver got: requests.
    pub issued: TrafficReport,
    /// Who queued writes.
    pub writers: WriterShares,
    /// What merging made.
    pub bios_per_request: BiosPerRequest,
    /// Requests that the driver gave back undone after they were issued. [`ActionCounts::requeued`] has those, too, that
    /// it refused before: the kernel has one event for both (`__blk_mq_requeue_request` in `block/blk-mq.c`), and
    /// SCSI refuses all while its host adapter or target is blocked (`scsi_queue_rq`).
    pub given_back: u64,
    /// The parts of the way of bios, those that occurred, as btt divides it.
    pub phases: Vec<PhaseTimes>,
    /// Where the time of bios went.
    pub time_shares: TimeShares,
    /// How long requests were at the device, each counted once, in the order of
    /// [`IoClass::ALL`]. btt's D2C counts each bio of one.
    pub request_ns: [ValueSummary; 3],
    /// Requests at the device, with its flushes; bios, where it has no requests.
    pub depth: DepthReport,
    /// Bios that waited in the host; nothing where the device has no requests.
    pub waiting: Option<DepthReport>,
    /// Whether depth, rate and stay fit together; nothing where nothing was completed.
    pub littles_law: Option<LittlesLaw>,
    /// What was completed over time.
    pub rates: RateSeries,
    /// Where requests lay over time, by when they were issued; bios by when they were queued, where
    /// there are no requests. The largest of a cell in bytes.
    pub offsets: GridReport,
    /// How long requests were at the device, by when they were completed.
    pub device_latencies: GridReport,
    /// How long bios took in all, by when they were completed.
    pub whole_latencies: GridReport,
    /// Its flushes.
    pub flushes: FlushReport,
    /// The longest times without a completion, though it had something.
    pub stalls: Vec<IoStall>,
    /// The requests that the device had longest (D2C).
    pub slow_at_device: Vec<SlowRequest>,
    /// The bios that took longest in all (Q2C).
    pub slow_overall: Vec<SlowRequest>,
    /// What failed.
    pub errors: IoErrors,
    /// What could not be matched.
    pub unmatched: UnmatchedIo,
}

impl DeviceReport {
    /// The times of a phase and class; nothing where it did not occur.
    #[must_use]
    pub fn phase(&self, phase: IoPhase, class: IoClass) -> Option<&ValueSummary> {
        self.phases
            .iter()
            .find(|times| times.phase == phase && times.class == class)
            .map(|times| &times.times_ns)
    }

    /// The mean of a phase over all classes, in nanoseconds, and of how many: btt's average and
    /// N. Nothing where it did not occur.
    #[must_use]
    pub fn phase_mean(&self, phase: IoPhase) -> Option<(f64, u64)> {
        let (mut total, mut count) = (0_u128, 0);
        for times in self.phases.iter().filter(|times| times.phase == phase) {
            total += times.times_ns.total;
            count += times.times_ns.count;
        }
        (count > 0).then(|| (total as f64 / count as f64, count))
    }

    /// What came, of the requests where there are any, else of the bios.
    #[must_use]
    pub const fn traffic(&self) -> &TrafficReport {
        if self.is_bio_based { &self.queued } else { &self.issued }
    }

    /// All bytes that were read and written.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        let done = self.counts.done();
        done.reads.bytes.saturating_add(done.writes.bytes)
    }
}

impl DeviceState {
    /// What is said of it, with what its events said by themselves.
    pub(super) fn report(
        mut self,
        device: Device,
        traffic: DeviceTraffic,
        threads: &ThreadRecorder,
        span: TraceSpan,
    ) -> DeviceReport {
        let end_ns = span.end_ns;
        self.end_stall(end_ns, threads, false);
        let counts = traffic.actions.total();
        let any = |counted: ReadWrite<CountedBytes>| counted.reads.count + counted.writes.count > 0;
        let is_bio_based = !self.is_request_based && (any(counts.queued) || any(counts.completed));
        let mut unmatched = self.unmatched;
        unmatched.unfinished_bios = self.bios.len() as u64 + self.flushes.waiting();
        unmatched.unfinished_requests = self.requests.len() as u64 + self.flushes.at_device();
        unmatched.given_up = self.bios.given_up() + self.requests.given_up();
        let bio_depth = self.bio_depth.report(end_ns);
        let (depth, waiting, stays) = if self.is_request_based {
            (self.device_depth.report(end_ns), Some(bio_depth), self.request_stays)
        } else {
            (bio_depth, None, self.bio_stays)
        };
        let LongestTimes { stalls, slow_at_device, slow_overall } = self.stalls.into_longest();
        DeviceReport {
            device,
            is_bio_based,
            counts,
            by_cpu: traffic.actions.by_cpu(),
            depth_max: traffic.actions.depth_max(),
            queued: traffic.queued.report(),
            issued: traffic.issued.report(),
            writers: traffic.writers,
            bios_per_request: self.bios_per_request,
            given_back: self.given_back,
            time_shares: self.phases.shares(),
            phases: self.phases.report(),
            request_ns: self.request_times.map(ValueRecorder::summary),
            littles_law: LittlesLaw::of(depth.mean, stays.count, stays.total_ns, span.length_ns()),
            depth,
            waiting,
            rates: series(&traffic.rates),
            offsets: traffic.offsets.report(),
            device_latencies: self.device_latencies.report(),
            whole_latencies: self.whole_latencies.report(),
            flushes: self.flushes.report(end_ns),
            stalls,
            slow_at_device,
            slow_overall,
            errors: self.errors,
            unmatched,
        }
    }
}
