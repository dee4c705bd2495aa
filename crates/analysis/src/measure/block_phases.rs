//! Where the requests of a load spend their time, by the kernel's own events: in the trials of the
//! case's twin that were observed. A verdict is about the case without; both did the same
//! work in the same blocks.

use model::block_trace::{BlockTrace, DeviceTrace};
use model::finding::Evidence;
use model::run::CaseResult;
use model::{MetricName, Resource, Trial, metric};

use super::{concurrency, good, is_direct, mean_latency, mean_of};
use crate::{Context, Siblings};

/// Of more lost events than this share nothing is concluded.
const LOST_MOST: f64 = 0.01;
/// From this share of it on, a time is mostly that.
const MOST: f64 = 0.5;

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
    /// Before the block layer has it: in the program, a file system, a throttle of a control group.
    pub(crate) above_s: f64,
    /// In a device that passes bios on.
    pub(crate) upper_s: f64,
    /// Before the driver has it.
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
    Some(BlockPhases {
        has_requests,
        waiting,
        whole_s,
        device_s,
        latency_s: mean_latency(twin).filter(|_| is_direct(case)),
        depth_mean: own.median(|device| device.depth_mean).filter(|_| has_requests),
        depth_max: own.0.iter().map(|device| device.depth_max).max()?,
        issued: own.sum(|device| device.counts.issued),
        requeued: own.sum(|device| device.counts.requeued),
        upper,
        under_way: concurrency(case),
        resource,
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
        WaitParts {
            above_s: (self.waited_s() - top_s).max(0.0),
            upper_s: top_s - self.whole_s,
            host_s: self.waiting * self.whole_s,
            device_s: self.device_s,
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
