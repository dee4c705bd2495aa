//! Where the requests of a load spend their time, by the kernel's own events: in the trials of the
//! case's twin that were observed. A verdict is about the case without; both did the same
//! work in the same blocks.

use model::block_trace::{BlockTrace, DeviceTrace};
use model::finding::Evidence;
use model::run::{CaseResult, CaseRole};
use model::{MetricName, Resource, Trial, metric};

use super::{good, is_direct, mean_latency, mean_of};
use crate::{Context, Siblings};

/// Of more lost events than this share nothing is concluded.
const LOST_MOST: f64 = 0.01;
/// From this share of it on, a time is mostly that.
const MOST: f64 = 0.5;

/// What the events say of the first device on a load's path that has requests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockPhases {
    pub(crate) resource: Resource,
    /// The share of the time of its requests that they waited in the host; the median over trials.
    pub(crate) waiting: f64,
    /// How long they took in all, in the mean, s.
    pub(crate) whole_s: f64,
    /// How long the driver and the device had them, in the mean, s.
    pub(crate) device_s: f64,
    /// How long the load itself waited for an operation in the same trials, in the mean, s; absent
    /// where it does not wait for the device.
    pub(crate) latency_s: Option<f64>,
    /// The most that the device had at once.
    pub(crate) depth_max: u64,
    /// Requests given to the driver in all trials, and those that it gave back undone.
    pub(crate) issued: u64,
    pub(crate) requeued: u64,
}

/// The twin of a case that was observed.
pub(crate) fn observed<'a>(case: &CaseResult, siblings: &Siblings<'a>) -> Option<&'a CaseResult> {
    let of = siblings.place_of(case)?;
    siblings.all().iter().find(|other| other.role == CaseRole::Observed { of })
}

/// The traces of a case's good trials.
pub(crate) fn traces(case: &CaseResult) -> impl Iterator<Item = (&Trial, &BlockTrace)> {
    good(case).filter_map(|trial| Some((trial, trial.result.local().block_trace.as_ref()?)))
}

/// What was traced of the case; nothing where too many events were lost, and of devices
/// without requests.
pub(crate) fn block_phases(case: &CaseResult, context: &Context<'_>) -> Option<BlockPhases> {
    let twin = observed(case, context.siblings)?;
    let (events, lost) = traces(twin)
        .fold((0, 0), |(events, lost), (_, trace)| (events + trace.events, lost + trace.lost_events));
    if lost as f64 > LOST_MOST * events as f64 {
        return None;
    }
    let resource = uppermost(twin)?;
    let wanted = &resource;
    let of_device = move |trace: &'_ BlockTrace| trace.devices.iter().position(|own| own.resource == *wanted);
    let own = move || traces(twin).filter_map(move |(_, trace)| Some(&trace.devices[of_device(trace)?]));
    let median = |f: &dyn Fn(&DeviceTrace) -> Option<f64>| {
        stats::interval::median(&own().filter_map(f).collect::<Vec<_>>())
    };
    let mean = |phase: MetricName| median(&|device: &DeviceTrace| mean_of(&device.phases, phase));
    Some(BlockPhases {
        waiting: 1.0 - median(&|device: &DeviceTrace| device.device_share)?,
        whole_s: mean(metric::QUEUE_TO_COMPLETE)?,
        device_s: mean(metric::ISSUE_TO_COMPLETE)?,
        latency_s: mean_latency(twin).filter(|_| is_direct(case)),
        depth_max: own().map(|device| device.depth_max).max()?,
        issued: own().map(|device| device.counts.issued).sum(),
        requeued: own().map(|device| device.counts.requeued).sum(),
        resource,
    })
}

/// The first device on the load's path that has requests.
fn uppermost(twin: &CaseResult) -> Option<Resource> {
    let (_, trace) = traces(twin).next()?;
    let first = trace.devices.iter().find(|device| device.device_share.is_some())?;
    Some(first.resource.clone())
}

impl BlockPhases {
    /// Where most of the time goes that the load waits.
    fn most(&self) -> &'static str {
        let whole_s = self.latency_s.unwrap_or(self.whole_s);
        match () {
            () if self.device_s >= MOST * whole_s => "device",
            () if self.whole_s * self.waiting >= MOST * whole_s => "host",
            () if self.whole_s < MOST * whole_s => "above",
            () => "both",
        }
    }

    /// As evidence.
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence { code: "block-phases".to_owned(), ..Evidence::default() }
            .arg("resource", self.resource.as_str())
            .arg("device_s", self.device_s)
            .arg("whole_s", self.whole_s)
            .arg("waiting", self.waiting)
            .arg("direct", self.latency_s.is_some())
            .arg("latency_s", self.latency_s.unwrap_or(0.0))
            .arg("most", self.most())
    }
}
