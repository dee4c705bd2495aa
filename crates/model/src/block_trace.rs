//! What the kernel's events say of block devices during a trial: figures only; the events
//! themselves are not kept.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::resource::Resource;
use crate::trial::Window;

/// What was traced of a machine's block devices while the window was open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockTrace {
    /// When events count. The window of the trial may begin later: what the start of a load takes is cut
    /// off when it is over (`steady`), and events are counted as they come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Events of these devices in the window.
    pub events: u64,
    /// Events of the whole trial, warm-up included, that the kernel had no room for: where there are
    /// any, counts are too low, and times are of those that were seen.
    pub lost_events: u64,
    /// The devices with at least one event, in the order of the load's path. They are never added up:
    /// what a stacked device does is there once more on the devices below it.
    pub devices: Vec<DeviceTrace>,
}

/// What was traced of one device, whoever used it. Whole disks only: events name no partitions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceTrace {
    /// The device: `block:vda`.
    pub resource: Resource,
    /// Whether it has requests. Without, only the whole time of each bio is known.
    pub has_requests: bool,
    /// How often each thing happened.
    pub counts: TraceCounts,
    /// Bytes of reads that were completed.
    pub read_bytes: u64,
    /// Bytes of writes that were completed.
    pub written_bytes: u64,
    /// How long each part of the way of bios took (`q2g`, `g2i`, `i2d`, `q2d`, `d2c`, `q2c`), base64 of
    /// HdrHistogram V2, nanoseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<MetricName, String>,
    /// Of the time of those bios whose whole way was seen, the share that the driver and the device
    /// had them; the rest they waited in the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_share: Option<f64>,
    /// The sizes of what the driver got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<RequestSizes>,
    /// The share of what the driver got that began where the one before of its kind had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential: Option<f64>,
    /// How many the driver and the device had, in the mean while they had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_mean: Option<f64>,
    /// The most that they had at once.
    pub depth_max: u64,
    /// How many waited in the host, in the mean over the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_mean: Option<f64>,
}

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TraceCounts {
    /// Bios that came to the device, each time.
    pub queued: u64,
    /// Bios that came back at once, for they must not wait (`REQ_NOWAIT`) and would have had to, as a rule for want
    /// of a request. Whoever sent them sends them again; they are in no other figure than those that came.
    pub would_block: u64,
    /// Bios that became part of a request which waited already, and requests that became part of another.
    pub merged: u64,
    /// Bios that were too large and became two.
    pub split: u64,
    /// Requests that went to the I/O scheduler.
    pub inserted: u64,
    /// Requests that were given to the driver, each time.
    pub issued: u64,
    /// Requests that the driver gave back undone after they were issued: the device took no more.
    pub requeued: u64,
    /// How often the driver refused a request before it was issued, as SCSI does while its host adapter or
    /// target is blocked.
    pub refused: u64,
    /// Requests, or bios of a device without requests, that were completed.
    pub completed: u64,
    /// Flushes of the device's cache that were given to the driver.
    pub flushes: u64,
    /// Requests that failed.
    pub errors: u64,
}

/// How large requests were, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestSizes {
    /// The smallest.
    pub min: u64,
    /// Half are not larger.
    pub median: u64,
    /// The largest.
    pub max: u64,
    /// The size that came most often.
    pub commonest: u64,
    /// Its share.
    pub commonest_share: f64,
}
