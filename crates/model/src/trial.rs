//! One measured execution of a case, as the run document keeps it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::block_trace::BlockTrace;
use crate::fact::FactName;
use crate::latency_over_time::LatencyOverTime;
use crate::layer::{StorageLayers, WorkQueueUse};
use crate::machine::ObserverCost;
use crate::metric::MetricName;
use crate::resource::Resource;
use crate::series::SeriesName;
use crate::study::Pin;
use crate::unit::{Quantity, Unit};
use crate::value::Value;

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its window was measured whole.
    Ok,
    /// It did not give a result; the reason stands beside.
    Failed,
    /// It was not started; the reason stands beside.
    Skipped,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trial {
    /// Its place in the order of the whole run, from 0.
    pub order: u32,
    /// The complete block it belongs to, from 0.
    pub block: u32,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// How it ended.
    pub status: Status,
    /// Why it failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it measured, absent where there is nothing.
    #[serde(flatten)]
    pub result: TrialResult,
}

/// Not derived: `flatten` would keep all samples of a trial as values of unknown type first, and
/// then read them again.
impl<'de> Deserialize<'de> for Trial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            order: u32,
            block: u32,
            started: String,
            status: Status,
            #[serde(default)]
            reason: Option<String>,
            #[serde(default)]
            window: Option<Window>,
            #[serde(default)]
            steady: Option<Steady>,
            #[serde(default)]
            placement: Option<Placement>,
            #[serde(default)]
            loads: Vec<LoadTrial>,
            #[serde(default)]
            machines: Vec<MachineTrial>,
            #[serde(default)]
            observer: Option<ObserverCost>,
        }
        let fields = Fields::deserialize(deserializer)?;
        let Fields { order, block, started, status, reason, .. } = fields;
        let Fields { window, steady, placement, loads, machines, observer, .. } = fields;
        let result = TrialResult { window, steady, placement, loads, machines, observer };
        Ok(Self { order, block, started, status, reason, result })
    }
}

/// What a trial measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialResult {
    /// The part that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Whether and how the load settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Where the workers ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// What each load did, at each of its ends: by their places in the case, and of each
    /// the end that drives first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadTrial>,
    /// What each machine did meanwhile, the one that drives first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineTrial>,
    /// What watching this trial cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<ObserverCost>,
}

/// The name of the machine that drives.
pub const LOCAL: &str = "local";

static NO_LOAD: LazyLock<LoadTrial> = LazyLock::new(LoadTrial::default);
static NO_MACHINE: LazyLock<MachineTrial> = LazyLock::new(MachineTrial::default);

impl TrialResult {
    /// What load `place` of the case did, where it was driven.
    #[must_use]
    pub fn load(&self, place: usize) -> Option<&LoadTrial> {
        self.loads.iter().find(|load| load.load == place)
    }

    /// What the main load did, where it was driven: nothing if the trial failed.
    #[must_use]
    pub fn main(&self) -> &LoadTrial {
        self.load(0).unwrap_or(&NO_LOAD)
    }

    /// The same, to be changed.
    pub fn main_mut(&mut self) -> &mut LoadTrial {
        let place = self.loads.iter().position(|load| load.load == 0).unwrap_or_else(|| {
            self.loads.insert(0, LoadTrial::of(0, LOCAL));
            0
        });
        &mut self.loads[place]
    }

    /// The main load over time, then the machine that drives it.
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.main().series.iter().chain(&self.local().series)
    }

    /// What machine `name` did.
    #[must_use]
    pub fn machine(&self, name: &str) -> &MachineTrial {
        self.machines.iter().find(|m| m.machine == name).unwrap_or(&NO_MACHINE)
    }

    /// What the machine that drives did.
    #[must_use]
    pub fn local(&self) -> &MachineTrial {
        self.machine(LOCAL)
    }

    /// The same, to be changed.
    pub fn local_mut(&mut self) -> &mut MachineTrial {
        let place = self.machines.iter().position(|m| m.machine == LOCAL).unwrap_or_else(|| {
            self.machines.insert(0, MachineTrial::of(LOCAL));
            0
        });
        &mut self.machines[place]
    }
}

/// What one load did at one of its ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadTrial {
    /// Its place among the loads of the case: 0 is the main one.
    pub load: usize,
    /// The machine of that end.
    pub machine: String,
    /// Its metrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<MetricName, Quantity>,
    /// Its distributions, base64 of HdrHistogram V2, nanoseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<MetricName, String>,
    /// Its course over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// How its latency was spread over time, where a time ends the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_over_time: Option<LatencyOverTime>,
    /// What shaped its result without being a parameter, as granted by the
    /// machine: ring flags, registered buffers, vector width.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<FactName, Value>,
    /// What it did to each of its targets, where it drives several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetTrial>,
}

impl LoadTrial {
    /// One without any figure.
    #[must_use]
    pub fn of(load: usize, machine: &str) -> Self {
        Self { load, machine: machine.to_owned(), ..Self::default() }
    }
}

/// What a load did to one of several targets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetTrial {
    /// The target.
    pub target: String,
    /// Its metrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<MetricName, Quantity>,
    /// Its distributions, as those of a load.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<MetricName, String>,
    /// Its course over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
}

/// What one machine did during a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineTrial {
    /// The machine.
    pub machine: String,
    /// Counters of its kernel at the window's edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<Counter>,
    /// The processes that used most CPU time, most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessUse>,
    /// What the work of the kernel's queues used, most first; where several devices stand on one another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_queues: Vec<WorkQueueUse>,
    /// The devices that the main load passed, where one is more than a plain disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageLayers>,
    /// What was sampled of its resources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// What the kernel's events say of its block devices, where a study asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_trace: Option<BlockTrace>,
}

impl MachineTrial {
    /// One of which nothing is known.
    #[must_use]
    pub fn of(machine: &str) -> Self {
        Self { machine: machine.to_owned(), ..Self::default() }
    }
}

/// The times of a trial, on the monotonic clock of the agent that says or hears them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// When the loads start, ns.
    pub start_ns: u64,
    /// When the window opens, ns.
    pub window_ns: u64,
    /// The length of an interval, ns: how far apart points of series are. Intervals
    /// are counted from the window's start.
    pub interval_ns: u64,
    /// When the window closes, ns; `u64::MAX` where a count, or the load itself,
    /// ends it.
    pub end_ns: u64,
}

impl Timeline {
    /// The interval that holds `at_ns`.
    #[must_use]
    #[inline]
    pub fn interval_of(&self, at_ns: u64) -> i64 {
        (at_ns as i64 - self.window_ns as i64).div_euclid(self.interval_ns as i64)
    }

    /// When interval `index` begins.
    #[must_use]
    #[inline]
    pub fn begin_ns(&self, index: i64) -> u64 {
        (self.window_ns as i64 + index * self.interval_ns as i64).max(0) as u64
    }
}

/// The part of a trial that counts, on the machine's monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// When it opened, ns.
    pub start_ns: u64,
    /// When it closed, ns.
    pub end_ns: u64,
}

impl Window {
    /// Its length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end_ns.saturating_sub(self.start_ns) as f64 / 1e9
    }
}

/// Whether a load settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// `mser-5`.
    pub method: String,
    /// Whether it settled within the first half.
    pub settled: bool,
    /// How much of the front was cut off, in seconds.
    pub truncated_s: f64,
}

/// Where the workers of all loads ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Placement {
    /// What was asked.
    pub asked: Pin,
    /// What was done.
    pub policy: Pin,
    /// Why it is not what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One entry a worker, main load first.
    pub workers: Vec<WorkerPlace>,
    /// The interrupts of the resource that the main load drives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<InterruptLine>,
}

/// Where one worker ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerPlace {
    /// The load, 0 is the main one.
    pub load: usize,
    /// The CPU it was pinned to, absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
}

/// One interrupt line of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptLine {
    /// Its number.
    pub irq: u32,
    /// Its name in /proc/interrupts.
    pub name: String,
    /// CPUs that may take it.
    pub cpus: Vec<u32>,
    /// Interrupts so far on each of those CPUs.
    pub counts: Vec<u64>,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// The resource it belongs to; `load` for the load itself.
    pub resource: Resource,
    /// What it is.
    pub name: SeriesName,
    /// The unit of `values`.
    pub unit: Unit,
    /// When the first interval began, ns.
    pub start_ns: u64,
    /// The length of an interval, ns.
    pub interval_ns: u64,
    /// One value an interval.
    pub values: Vec<f64>,
}

/// A counter of the kernel at both edges of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// The resource: `block:vda`, `cpu`.
    pub resource: Resource,
    /// Where it was read: `/proc/diskstats reads`.
    pub source: String,
    /// At the window's start.
    pub before: u64,
    /// At its end.
    pub after: u64,
    /// When `before` was read, ns: shortly after the window's start.
    #[serde(default)]
    pub before_ns: u64,
    /// When `after` was read, ns.
    #[serde(default)]
    pub after_ns: u64,
    /// The unit of the counter times `scale`; a plain count where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// What one step of the counter is in `unit`; 1 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

impl Counter {
    /// How far it went over the window, in its unit; a counter that stepped
    /// back (reset, or wrapped) says nothing.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        Some(self.after.checked_sub(self.before)? as f64 * self.step())
    }

    /// What one step is in the counter's unit. The first documents of `/1` did
    /// not say: their counters were ticks of `/proc/stat` and those of a device.
    fn step(&self) -> f64 {
        let name = self.source.rsplit(' ').next().unwrap_or_default();
        match self.scale {
            Some(scale) => scale,
            None if name.ends_with("_sectors") => 512.0,
            None if name.ends_with("_ms") => 1e-3,
            None if self.source.starts_with("/proc/stat ") => 0.01,
            None => 1.0,
        }
    }

    /// Seconds between its two readings.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.after_ns.saturating_sub(self.before_ns) as f64 / 1e9
    }
}

/// What one process used while a trial's window was open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessUse {
    /// Its number.
    pub pid: u32,
    /// Its name (comm), at most 15 characters.
    pub name: String,
    /// Whether it is ours.
    pub own: bool,
    /// Whether it is a thread of the kernel.
    #[serde(default)]
    pub kernel: bool,
    /// CPU seconds, user and system together.
    pub cpu_s: f64,
    /// Seconds over which that was seen.
    pub watched_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_first_documents_are_read_in_their_units() {
        let change = |source: &str, scale| {
            let counter = Counter { source: source.to_owned(), after: 1000, scale, ..Counter::default() };
            counter.change().unwrap()
        };
        assert_eq!(change("/sys/block/*/stat read_sectors", None), 512_000.0);
        assert_eq!(change("/sys/block/*/stat io_ms", None), 1.0);
        assert_eq!(change("/proc/stat user", None), 10.0);
        assert_eq!(change("/sys/block/*/stat reads", None), 1000.0);
        assert_eq!(change("/proc/diskstats read_sectors", Some(4096.0)), 4_096_000.0);
    }
}
