//! Where the requests of a load spend their time, by the kernel's own events: in the trials of the
//! case's twin that were observed. A verdict is about the case without; both did the same
//! work in the same blocks.
//!
//! A bio that finds no free request waits for one between queue and get (`blk_mq_get_tag` in
//! `block/blk-mq-tag.c`), or before that for a throttle (`rq_qos_throttle`). Meanwhile whoever sent it sends
//! nothing else: a thread that reads waits, `io_submit` does not return, and of a ring so many of the
//! kernel's workers wait as it may have (`min(sq_entries, 4 * num_online_cpus())` in `io_uring/tctx.c`). What
//! they would send next waits above the block layer, and for the same. So where those who send are held
//! there, that time is the queue's in the host.

use std::collections::BTreeMap;

use model::block_trace::{BlockTrace, DeviceTrace};
use model::finding::Evidence;
use model::run::CaseResult;
use model::{MetricName, Resource, Trial, metric};

use super::{concurrency, distribution, good, is_direct, mean_latency, mean_of, median, workers};
use crate::{Context, Siblings};

/// Of more lost events than this share nothing is concluded.
const LOST_MOST: f64 = 0.01;
/// From this share of it on, a time is mostly that.
const MOST: f64 = 0.5;
/// Those who send bios are held where so many of these wait for a request in the mean, for each worker. A
/// worker that only computes is there for much less than half of its time.
const HELD: f64 = 0.5;
/// From so many bios for each request on that came back at once, they are sent again and again: what polls
/// for completions is never let wait for a request (`bio_set_polled` in `include/linux/bio.h`).
const AGAIN: u64 = 2;

/// What the events say of the first device on a load's path that has requests; where none has, of the
/// first that was traced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockPhases {
    pub(crate) resource: Resource,
    /// Whether it has requests. One without has bios from the moment that they come, so that none
    /// waits before it.
    pub(crate) has_requests: bool,
    /// The share of the time of its requests that they waited in the host; the median over trials.
    pub(crate) waiting: f64,
    /// How long they took in all, in the mean, s.
    pub(crate) whole_s: f64,
    /// How long the driver and the device had them, in the mean, s.
    pub(crate) device_s: f64,
    /// How long the load itself waited for an operation in the same trials, in the mean, s; absent
    /// where it does not wait for the device.
    pub(crate) latency_s: Option<f64>,
    /// How many the device had at once, in the mean while it had any.
    pub(crate) depth_mean: Option<f64>,
    /// The most that the device had at once.
    pub(crate) depth_max: u64,
    /// Whether those who send bios are held before they have a request.
    are_senders_held: bool,
    /// Requests given to the driver in all trials, and those that it gave back undone.
    pub(crate) issued: u64,
    pub(crate) requeued: u64,
    /// The device above it that passes bios on and has no requests (a mapping, an array), with how long
    /// they took there in all, in the mean, s.
    pub(crate) upper: Option<(Resource, f64)>,
    /// Operations that the load has under way at once.
    under_way: f64,
}

/// Where the time goes that a load waits for an operation, in the mean, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WaitParts {
    /// Before the block layer has it: in the program, a file system, a throttle of a control group. Not where
    /// it waits there because those who send are held.
    pub(crate) above_s: f64,
    /// In a device that passes bios on.
    pub(crate) upper_s: f64,
    /// Before the driver has it, and for those who are held there.
    pub(crate) host_s: f64,
    /// At the driver and the device.
    pub(crate) device_s: f64,
}

/// The twin of a case that was observed.
pub(crate) fn observed<'a>(case: &CaseResult, siblings: &Siblings<'a>) -> Option<&'a CaseResult> {
    siblings.twin_of(case)
}

/// The traces of a case's good trials.
pub(crate) fn traces(case: &CaseResult) -> impl Iterator<Item = (&Trial, &BlockTrace)> {
    good(case).filter_map(|trial| Some((trial, trial.result.local().block_trace.as_ref()?)))
}

/// The traces of one device in the good trials of a case.
struct DeviceTraces<'a>(Vec<&'a DeviceTrace>);

impl<'a> DeviceTraces<'a> {
    fn of(twin: &'a CaseResult, resource: &Resource) -> Self {
        let own = |trace: &'a BlockTrace| trace.devices.iter().find(|own| own.resource == *resource);
        Self(traces(twin).filter_map(|(_, trace)| own(trace)).collect())
    }

    fn median(&self, f: impl Fn(&DeviceTrace) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.0.iter().filter_map(|device| f(device)).collect();
        stats::interval::median(&values)
    }

    fn mean(&self, phase: MetricName) -> Option<f64> {
        self.median(|device| mean_of(&device.phases, phase))
    }

    fn sum(&self, f: impl Fn(&DeviceTrace) -> u64) -> u64 {
        self.0.iter().map(|device| f(device)).sum()
    }
}

/// What was traced of the case; nothing where too many events were lost.
pub(crate) fn block_phases(case: &CaseResult, context: &Context<'_>) -> Option<BlockPhases> {
    let twin = observed(case, context.siblings)?;
    let (events, lost) = traces(twin)
        .fold((0, 0), |(events, lost), (_, trace)| (events + trace.events, lost + trace.lost_events));
    if lost as f64 > LOST_MOST * events as f64 {
        return None;
    }
    let (_, trace) = traces(twin).next()?;
    let with_requests = trace.devices.iter().find(|device| device.device_share.is_some());
    let device = with_requests.or_else(|| trace.devices.first().filter(|first| !first.has_requests))?;
    let (resource, has_requests) = (device.resource.clone(), device.has_requests);
    let own = DeviceTraces::of(twin, &resource);
    let whole_s = own.mean(metric::QUEUE_TO_COMPLETE)?;
    let (waiting, device_s) = match has_requests {
        true => (1.0 - own.median(|device| device.device_share)?, own.mean(metric::ISSUE_TO_COMPLETE)?),
        false => (0.0, whole_s),
    };
    let upper = trace.devices.first().filter(|first| !first.has_requests && first.resource != resource);
    let upper = upper.and_then(|first| {
        let whole_s = DeviceTraces::of(twin, &first.resource).mean(metric::QUEUE_TO_COMPLETE)?;
        Some((first.resource.clone(), whole_s))
    });
    let latency_s = mean_latency(twin).filter(|_| is_direct(case));
    let issued = own.sum(|device| device.counts.issued);
    let come_back = own.sum(|device| device.counts.would_block);
    let are_held = for_request(twin, &resource)
        .is_some_and(|share| latency_s.is_some() && share * concurrency(case) >= HELD * workers(case));
    Some(BlockPhases {
        has_requests,
        waiting,
        whole_s,
        device_s,
        latency_s,
        depth_mean: own.median(|device| device.depth_mean).filter(|_| has_requests),
        depth_max: own.0.iter().map(|device| device.depth_max).max()?,
        are_senders_held: are_held || issued > 0 && come_back >= AGAIN * issued,
        issued,
        requeued: own.sum(|device| device.counts.requeued),
        upper,
        under_way: concurrency(case),
        resource,
    })
}

/// The time of all bios together until they had a request, as a share of the time that the load waited for all
/// of its operations together. Times the operations under way it is how many bios wait so in the mean (Little's law).
fn for_request(twin: &CaseResult, resource: &Resource) -> Option<f64> {
    let total_ns = |histograms: &BTreeMap<MetricName, String>, name: MetricName| {
        let all = distribution(histograms, name)?;
        Some(all.mean()? * all.len() as f64)
    };
    median(twin, |trial| {
        let trace = trial.result.local().block_trace.as_ref()?;
        let device = trace.devices.iter().find(|own| own.resource == *resource)?;
        let waited_ns = total_ns(&trial.result.main().histograms, metric::LATENCY)?;
        let held_ns = total_ns(&device.phases, metric::QUEUE_TO_GET)?;
        (waited_ns > 0.0).then_some(held_ns / waited_ns)
    })
}

impl BlockPhases {
    /// What the load waits for an operation, in the mean, s; where it waits for none, what a request takes.
    pub(crate) fn waited_s(&self) -> f64 {
        let top_s = self.upper.as_ref().map_or(0.0, |(_, whole_s)| *whole_s);
        self.latency_s.unwrap_or(self.whole_s.max(top_s))
    }

    /// Where that goes.
    pub(crate) fn parts(&self) -> WaitParts {
        let top_s = self.upper.as_ref().map_or(self.whole_s, |(_, whole_s)| whole_s.max(self.whole_s));
        let (before_s, host_s) = ((self.waited_s() - top_s).max(0.0), self.waiting * self.whole_s);
        let (above_s, host_s) =
            if self.are_senders_held { (0.0, host_s + before_s) } else { (before_s, host_s) };
        WaitParts { above_s, upper_s: top_s - self.whole_s, host_s, device_s: self.device_s }
    }

    /// Whether those who send bios are held before they have a request, so that what waits above the device
    /// waits for it.
    pub(crate) fn are_senders_held(&self) -> bool {
        self.are_senders_held
    }

    /// How long something waits in the host, and of what time, s: of the way of a request; where those who send
    /// are held, of what the load waits for an operation, all but what the device has it.
    pub(crate) fn in_host(&self) -> (f64, f64) {
        if self.are_senders_held {
            ((self.waited_s() - self.device_s).max(0.0), self.waited_s())
        } else {
            (self.waiting * self.whole_s, self.whole_s)
        }
    }

    /// Where most of the time goes that the load waits.
    pub(crate) fn most(&self) -> &'static str {
        let parts = self.parts();
        let is_most = |part_s: f64| part_s >= MOST * self.waited_s();
        match () {
            () if is_most(parts.device_s) => "device",
            () if is_most(parts.host_s) => "host",
            () if is_most(parts.upper_s) => "upper",
            () if is_most(parts.above_s) => "above",
            () => "both",
        }
    }

    /// How many of the load's operations the driver and the device had, in the mean: the share of their
    /// time of those under way (Little's law). Absent where the load does not wait for them.
    pub(crate) fn at_device(&self) -> Option<f64> {
        let latency_s = self.latency_s.filter(|latency_s| *latency_s > 0.0)?;
        Some(self.under_way * (self.device_s / latency_s).min(1.0))
    }

    /// As evidence.
    pub(crate) fn evidence(&self) -> Evidence {
        let upper = self.upper.as_ref().map_or("", |(resource, _)| resource.as_str());
        Evidence { code: "block-phases".to_owned(), ..Evidence::default() }
            .arg("resource", self.resource.as_str())
            .arg("device_s", self.device_s)
            .arg("whole_s", self.whole_s)
            .arg("waiting", self.waiting)
            .arg("requests", self.has_requests)
            .arg("direct", self.latency_s.is_some())
            .arg("latency_s", self.latency_s.unwrap_or(0.0))
            .arg("most", self.most())
            .arg("other", upper)
    }
}
