//! What a machine is as a whole: board, firmware, kernel, what holds it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine as a whole, without serial numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct System {
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// What they call it; a device tree's model on ARM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The board, with its maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The firmware's maker, version and date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// The kernel's whole version line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_version: Option<String>,
    /// The kernel's command line, identities masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
    /// What this machine is a guest of: `kvm`, `vmware`, `xen`, `hyperv`,
    /// `firecracker`; absent on hardware, as far as can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtualization: Option<String>,
    /// Who rents this machine out, and as what; absent where nobody is known to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// What holds this process: `docker`, `lxc`, `podman`; absent outside, as
    /// far as can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Seconds since it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime_s: Option<u64>,
    /// The clock source in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// The clock sources to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clock_sources: Vec<String>,
}

/// Who rents a machine out, as its files tell; no service is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provider {
    /// Its short name: `ec2` (Amazon), `gce` (Google).
    pub name: String,
    /// What it calls the kind of machine: `m5.large`, `n2-standard-4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// What tells the name: `firmware`, `cloud-init`.
    pub known_from: String,
}

impl Provider {
    /// Amazon Elastic Compute Cloud.
    pub const EC2: &str = "ec2";
    /// Google Compute Engine.
    pub const GCE: &str = "gce";
}

/// What control groups allow this process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cgroup {
    /// 1, 2, or absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// CPU seconds for each second, the tightest of all levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
    /// The share of CPU time that it gets beside others that want it, of what a group has by default: the least of all levels;
    /// absent where that is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_weight: Option<f64>,
    /// Bytes of memory, the tightest of all levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Throttles of block devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io: Vec<IoThrottle>,
    /// Controllers that share block devices out without a rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_control: Vec<IoControl>,
}

/// A controller of control groups that is at work on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoControl {
    /// The device: `vda`.
    pub device: String,
    /// Which one it is.
    pub controller: IoController,
}

/// A controller of control groups that shares block devices out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IoController {
    /// `io.cost`: each group has its part of what the device is modelled to do.
    Cost,
    /// `io.latency`: groups beside one that has a latency to keep are held back.
    Latency,
}

/// To what a control group holds I/O on one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoThrottle {
    /// The device: `vda`.
    pub device: String,
    /// Bytes read per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes written per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<u64>,
    /// Reads per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_operations: Option<u64>,
    /// Writes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_operations: Option<u64>,
}

/// One sensor (`Documentation/hwmon/sysfs-interface.rst`, thermal zones).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sensor {
    /// The chip or zone: `coretemp`, `nvme`, `x86_pkg_temp`.
    pub chip: String,
    /// What it sits at: `Package id 0`, `Composite`.
    pub label: String,
    /// What it measures.
    pub kind: SensorKind,
    /// What it reads now, in degrees Celsius, revolutions per minute, watts or
    /// volts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The highest that is allowed for long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Where damage or a shutdown is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<f64>,
    /// The block device or PCI function that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// What a sensor measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SensorKind {
    /// Degrees Celsius.
    #[default]
    Temperature,
    /// Revolutions per minute.
    Fan,
    /// Watts.
    Power,
    /// Volts.
    Voltage,
}
