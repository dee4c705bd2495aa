//! The kernel's events of the block devices under a load. They are read and counted while the
//! load runs, and forgotten: what is kept are figures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::Fault;
use machine::trace::{
    Capture, CaptureOptions, CaptureState, CaptureSummary, TraceError, TracedDevice, resolve,
};
use model::block_trace::{BlockTrace, DeviceTrace, RequestSizes, TraceCounts};
use model::trial::MachineTrial;
use model::{MetricName, Resource, ResourceKind, metric};
use stats::histogram::{self, SparseCounts};
use trace::analysis::{CountedBytes, DeviceReport, IoClass, IoPhase, ReadWrite, ValueSummary};
use trace::{Analysis, AnalysisOptions, Report};

use super::{TrialWatch, WindowTimes};

/// How long nothing may come before somebody asks whether the trial is over.
const PAUSE: Duration = Duration::from_millis(50);

/// What is kept of the way of bios.
const PHASES: &[(IoPhase, MetricName)] = &[
    (IoPhase::QueueToGet, metric::QUEUE_TO_GET),
    (IoPhase::GetToInsert, metric::GET_TO_INSERT),
    (IoPhase::InsertToIssue, metric::INSERT_TO_ISSUE),
    (IoPhase::QueueToIssue, metric::QUEUE_TO_ISSUE),
    (IoPhase::IssueToComplete, metric::ISSUE_TO_COMPLETE),
    (IoPhase::QueueToComplete, metric::QUEUE_TO_COMPLETE),
];

/// Says why block devices of these names cannot be traced: by a look at what it needs, or because a trace of
/// them is begun, and ended at once. Nothing else tells for sure.
pub(super) fn look(names: &[String], is_tried: bool) -> Result<(), String> {
    let options = options(&devices(names)?);
    let found = match is_tried {
        true => Capture::start(&options).and_then(Capture::finish).map(|_| ()),
        false => machine::trace::look(&options),
    };
    found.map_err(|error| match error.possible_without() {
        Some(possible) => format!("{error}; {possible}"),
        None => error.to_string(),
    })
}

/// Begins to trace them.
pub(super) fn begin(names: &[String], times: &Arc<WindowTimes>) -> Result<Box<dyn TrialWatch>, Fault> {
    let devices = devices(names).map_err(Fault::Other)?;
    let capture = Capture::start(&options(&devices)).map_err(of_trace)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let (window, over) = (Arc::clone(times), Arc::clone(&is_over));
    let thread = std::thread::Builder::new().name("block-trace".to_owned());
    let thread = thread
        .spawn(move || record(capture, &window, &over))
        .map_err(|e| Fault::system("starting the reader of the block trace", e))?;
    Ok(Box::new(TraceThread { devices, times: Arc::clone(times), is_over, thread: Some(thread) }))
}

/// The disks that these names mean, each once.
fn devices(names: &[String]) -> Result<Vec<TracedDevice>, String> {
    let mut all: Vec<TracedDevice> = Vec::new();
    let mut reason = "there is no block device under the load's target to trace".to_owned();
    for name in names {
        // A file may be called so in the present folder.
        let node = Path::new("/dev").join(name.replace('!', "/"));
        let place = if node.exists() { node.as_path() } else { Path::new(name) };
        // Of a stack, one that the kernel does not show is left to the others.
        let found = resolve(place).unwrap_or_else(|error| {
            reason = error.to_string();
            Vec::new()
        });
        for device in found {
            if all.iter().all(|known| known.device != device.device) {
                all.push(device);
            }
        }
    }
    if all.is_empty() {
        return Err(reason);
    }
    Ok(all)
}

/// Only what the figures are made of: each further event would cost the load.
fn options(devices: &[TracedDevice]) -> CaptureOptions {
    CaptureOptions { devices: devices.iter().map(|d| d.device).collect(), ..CaptureOptions::default() }
}

fn of_trace(error: TraceError) -> Fault {
    Fault::Other(format!("the block trace: {error}"))
}

/// What a trace that is over says.
type Traced = Result<(Report, CaptureSummary), TraceError>;

/// Counts what comes until the trial is over; what is not of the window passes by.
fn record(mut capture: Capture, times: &WindowTimes, is_over: &AtomicBool) -> Traced {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let mut records = Vec::new();
    capture.lower_priority();
    loop {
        if is_over.load(Ordering::Acquire) {
            capture.end()?;
        }
        let state = capture.next(PAUSE, &mut records)?;
        for record in records.drain(..) {
            if times.hold(record.time_ns()) {
                analysis.take(&record);
            }
        }
        if state == CaptureState::Ended {
            break;
        }
    }
    let summary = capture.finish()?;
    Ok((analysis.finish(), summary))
}

/// A trace under way.
struct TraceThread {
    devices: Vec<TracedDevice>,
    times: Arc<WindowTimes>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Traced>>,
}

impl TraceThread {
    /// Ends the trace; nothing where that was done before.
    fn end(&mut self) -> Option<std::thread::Result<Traced>> {
        self.is_over.store(true, Ordering::Release);
        self.thread.take().map(JoinHandle::join)
    }
}

impl Drop for TraceThread {
    fn drop(&mut self) {
        // Of a trial that failed nobody wants to know.
        let _ = self.end();
    }
}

impl TrialWatch for TraceThread {
    fn finish(mut self: Box<Self>, machine: &mut MachineTrial) -> Result<(), Fault> {
        let Some(ended) = self.end() else { return Ok(()) };
        let traced = ended.map_err(|_| Fault::Other("the reader of the block trace panicked".to_owned()))?;
        let (report, summary) = traced.map_err(of_trace)?;
        // In the order of the load's path.
        let known = self.devices.iter().filter_map(|known| Some((known, report.device(known.device)?)));
        machine.block_trace = Some(BlockTrace {
            window: self.times.window(),
            events: report.span.block_events,
            lost_events: summary.events_lost(),
            devices: known.map(|(known, own)| figures(&known.name, own)).collect::<Result<_, _>>()?,
        });
        Ok(())
    }
}

/// The figures of one device.
fn figures(name: &str, report: &DeviceReport) -> Result<DeviceTrace, Fault> {
    let (counts, done) = (&report.counts, report.counts.done());
    let traffic = report.traffic();
    // The kind that came most often, and reads where both did.
    let writes_more = traffic.sizes_of(IoClass::Write).count > traffic.sizes_of(IoClass::Read).count;
    let class = if writes_more { IoClass::Write } else { IoClass::Read };
    Ok(DeviceTrace {
        resource: Resource::of(ResourceKind::Block, name),
        has_requests: !report.is_bio_based,
        counts: TraceCounts {
            queued: both(counts.queued),
            would_block: both(counts.would_block),
            merged: both(counts.merged_back) + both(counts.merged_front) + both(counts.merged_requests),
            split: counts.split,
            inserted: counts.inserted,
            issued: both(counts.issued),
            requeued: report.given_back,
            refused: both(counts.requeued).saturating_sub(report.given_back),
            completed: both(done),
            flushes: traffic.mix.flushes,
            errors: report.errors.count,
        },
        read_bytes: done.reads.bytes,
        written_bytes: done.writes.bytes,
        phases: phases(report)?,
        device_share: report.time_shares.device().filter(|_| !report.is_bio_based),
        sizes: sizes(report, class),
        sequential: traffic.sequence_of(class).share(),
        depth_mean: report.depth.mean_busy,
        depth_max: report.depth.max,
        waiting_mean: report.waiting.as_ref().map(|waiting| waiting.mean),
    })
}

fn both(counted: ReadWrite<CountedBytes>) -> u64 {
    counted.reads.count + counted.writes.count
}

/// The times of all kinds of I/O together.
fn phases(report: &DeviceReport) -> Result<BTreeMap<MetricName, String>, Fault> {
    let mut all = BTreeMap::new();
    for (phase, name) in PHASES {
        let mut whole = histogram::new_latency();
        let times = IoClass::ALL.into_iter().filter_map(|class| report.phase(*phase, class));
        for part in times.filter_map(|ValueSummary { histogram, .. }| histogram.as_ref()) {
            SparseCounts::from(part).add_to(&mut whole);
        }
        if !whole.is_empty() {
            let text = histogram::encode(&whole).map_err(|e| Fault::Other(e.to_string()))?;
            all.insert(*name, text);
        }
    }
    Ok(all)
}

fn sizes(report: &DeviceReport, class: IoClass) -> Option<RequestSizes> {
    let sizes = report.traffic().sizes_of(class);
    let (commonest, commonest_share) = sizes.commonest()?;
    Some(RequestSizes {
        min: sizes.min_bytes?,
        median: sizes.median_bytes?,
        max: sizes.max_bytes?,
        commonest: commonest.bytes,
        commonest_share,
    })
}

#[cfg(test)]
mod tests {
    use trace::event::{BlockOperation, IoDirection};
    use trace::{Action, BlockEvent, Device, TraceRecord};

    use super::*;

    fn event(time_ns: u64, action: Action, sector: u64) -> TraceRecord {
        TraceRecord::Block(BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(Device { major: 7, minor: 0 }),
            sector,
            bytes: 4096,
            operation: BlockOperation { direction: IoDirection::Write, ..BlockOperation::default() },
            thread: 1,
            task: Default::default(),
            error: 0,
        })
    }

    #[test]
    fn the_way_of_writes_becomes_figures() {
        let mut analysis = Analysis::new(AnalysisOptions::default());
        for place in 0..4_u64 {
            let (at, sector) = (place * 1_000_000, place * 8);
            for (after_ns, action) in [
                (0, Action::Queue),
                (1_000, Action::GetRequest),
                (2_000, Action::Insert),
                (100_000, Action::Issue),
                (400_000, Action::Complete),
            ] {
                analysis.take(&event(at + after_ns, action, sector));
            }
        }
        let report = analysis.finish();
        let found = figures("loop0", &report.devices[0]).unwrap();
        assert_eq!(found.resource.as_str(), "block:loop0");
        let counts = found.counts;
        assert_eq!((counts.queued, counts.issued, counts.completed, counts.requeued), (4, 4, 4, 0));
        assert_eq!((found.written_bytes, found.read_bytes), (4 * 4096, 0));
        assert_eq!(found.device_share, Some(0.75));
        assert_eq!((found.sequential, found.depth_max), (Some(1.0), 1));
        assert_eq!(found.sizes.unwrap().commonest, 4096);
        let names: Vec<&str> = found.phases.keys().map(|name| name.as_str()).collect();
        assert_eq!(names, ["d2c", "g2i", "i2d", "q2c", "q2d", "q2g"]);
        let whole = stats::distribution::Distribution::decode(&found.phases[&metric::QUEUE_TO_COMPLETE]);
        let mean_ns = whole.unwrap().mean().unwrap();
        assert!((mean_ns / 400_000.0 - 1.0).abs() < 1e-3, "{mean_ns}");
    }

    #[test]
    fn what_came_back_is_no_figure_of_what_was_done() {
        let mut analysis = Analysis::new(AnalysisOptions::default());
        let would_block = |record: TraceRecord| match record {
            TraceRecord::Block(event) => TraceRecord::Block(BlockEvent { error: 11, ..event }),
            other => other,
        };
        for record in [
            event(0, Action::Queue, 0),
            would_block(event(1_000, Action::Complete, 0)),
            event(10_000, Action::Queue, 0),
            event(60_000, Action::GetRequest, 0),
            event(70_000, Action::Requeue, 0),
            event(80_000, Action::Issue, 0),
            event(90_000, Action::Requeue, 0),
            event(110_000, Action::Issue, 0),
            event(210_000, Action::Complete, 0),
        ] {
            analysis.take(&record);
        }
        let report = analysis.finish();
        let found = figures("loop0", &report.devices[0]).unwrap();
        let counts = found.counts;
        assert_eq!((counts.queued, counts.would_block, counts.completed, counts.errors), (2, 1, 1, 0));
        assert_eq!((counts.issued, counts.requeued, counts.refused), (2, 1, 1));
        assert_eq!((found.written_bytes, found.device_share), (4096, Some(0.5)));
    }

    #[test]
    fn a_name_that_is_no_device_is_said() {
        for is_tried in [false, true] {
            assert!(look(&[], is_tried).unwrap_err().contains("no block device"));
            assert!(look(&["no-such-disk".to_owned()], is_tried).unwrap_err().contains("no-such-disk"));
        }
    }
}
