//! How much of each resource is used now, against what is known of what it can do.
//!
//! A situation is worked out from the samples of a sliding window; nothing in it is a text. Where nothing is known of a limit
//! there is none, and the study that would measure it stands beside.

mod cpu;
mod disk;
mod group;
mod memory;
mod network;
#[cfg(test)]
pub(crate) mod tests;

use jiff::Timestamp;
use machine::inventory::cgroup::LimitedGroup;
use model::machine::Inventory;
use model::trial::{ProcessUse, Window};
use model::{Resource, Unit};

use crate::limit_book::LimitBook;
use crate::mix::IoMix;
use crate::phases::TracedPhases;

/// What tells how much of a counter there was, and what a gauge shows.
pub trait Readings {
    /// How much of a counter of a resource there was in each second of the window.
    fn rate(&self, resource: &Resource, name: &str) -> Option<f64>;
    /// What a gauge showed at last.
    fn gauge(&self, resource: &Resource, name: &str) -> Option<f64>;
    /// The time that rates are of.
    fn window(&self) -> Window;
}

/// What a situation is worked out from.
pub struct SituationInput<'a> {
    /// The samples.
    pub readings: &'a dyn Readings,
    /// The machine's parts.
    pub inventory: &'a Inventory,
    /// What is known of limits.
    pub book: &'a LimitBook,
    /// Devices and interfaces that are sampled.
    pub scope: &'a machine::sampler::Scope,
    /// Control groups that somebody has held to a limit.
    pub groups: &'a [LimitedGroup],
    /// Who used most processor time, most first.
    pub processes: Vec<ProcessUse>,
    /// What the clock shows, for ages.
    pub now: Timestamp,
}

/// How much of everything is used now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// Seconds that it is of.
    pub window_s: f64,
    /// Every resource, in the order of the screen.
    pub rows: Vec<ResourceRow>,
    /// Stalled time: `cpu`, `memory`, `io`, each with the share of time in which some tasks waited, and in which all did.
    pub pressure: Vec<(&'static str, f64, f64)>,
    /// Who used most processor time, most first.
    pub processes: Vec<ProcessUse>,
    /// CPU seconds that this process used in each second.
    pub own_cpu: Option<f64>,
    /// Where the time of disks went, where that is traced.
    pub traced: Option<TracedPhases>,
    /// Other machines that are to be watched and do not answer.
    pub silent: Vec<String>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceRow {
    /// It.
    pub resource: Resource,
    /// The machine that has it, where that is not this one.
    pub machine: Option<String>,
    /// What it does.
    pub activity: ResourceActivity,
    /// How much of each limit of it is used, or what would tell; the fullest first, then those of which nothing is known.
    pub uses: Vec<LimitShare>,
}

/// What a resource does in each second.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceActivity {
    /// Processors.
    Processors {
        /// CPUs that were busy.
        busy: f64,
        /// CPUs that there are.
        online: usize,
        /// CPUs that the hypervisor gave to others.
        stolen: f64,
        /// How busy the busiest was.
        busiest: f64,
    },
    /// A disk.
    Disk {
        /// Reads and writes.
        operations: [f64; 2],
        /// Bytes read and written.
        bytes: [f64; 2],
        /// Seconds that a read and a write took in the mean.
        latency_s: [Option<f64>; 2],
        /// Operations in flight, in the mean.
        depth: f64,
        /// The mix, if there is any.
        mix: Option<IoMix>,
    },
    /// A network interface.
    Interface {
        /// Bytes received and sent.
        bytes: [f64; 2],
        /// Packets received and sent, as they would pass a wire.
        packets: [f64; 2],
        /// Packets dropped.
        dropped: f64,
        /// Its MTU.
        mtu: u32,
    },
    /// Memory, of the machine or of a group.
    Memory {
        /// Bytes that are used and cannot be had at once.
        used: f64,
        /// All bytes that there are.
        total: f64,
        /// Bytes swapped in and out.
        swapped: f64,
        /// Whether a counter tells what passes between it and the processors; not known of a group.
        has_traffic: Option<bool>,
    },
    /// What passes between processors and memory.
    MemoryTraffic {
        /// Bytes in each second, both ways.
        bytes: f64,
    },
    /// A control group with a quota of CPU time.
    Group {
        /// CPU seconds.
        cpu: Option<f64>,
        /// The share of periods in which it was stopped.
        stopped: Option<f64>,
    },
    /// A control group on a throttled device.
    GroupDevice {
        /// Bytes read and written.
        bytes: [f64; 2],
        /// Reads and writes.
        operations: [f64; 2],
    },
}

/// How much of one limit is used.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitShare {
    /// What is counted.
    pub measure: UseMeasure,
    /// How much there is of it.
    pub demand: f64,
    /// The unit of that and of the limit.
    pub unit: Unit,
    /// The limit, where it is known.
    pub limit: Option<KnownLimit>,
    /// What would measure it, where it is not: the words behind `headroom`.
    pub study: Option<Vec<String>>,
}

/// What is counted against a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseMeasure {
    /// CPU time.
    Cpu,
    /// Operations, however large.
    Operations,
    /// Reads alone.
    Reads,
    /// Writes alone.
    Writes,
    /// Flushes of a disk's cache, which make writes durable.
    Flushes,
    /// Bytes, both ways.
    Bytes,
    /// Bytes read or received.
    BytesIn,
    /// Bytes written or sent.
    BytesOut,
    /// Bytes that are held.
    Memory,
}

/// A limit, and where it is known from.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLimit {
    /// It is at least so much,
    pub low: f64,
    /// and at most so much.
    pub high: f64,
    /// Where it is from.
    pub origin: LimitOrigin,
}

/// Where a limit is known from.
#[derive(Clone, Debug, PartialEq)]
pub enum LimitOrigin {
    /// Kept runs measured the nearest mixes.
    Mixes {
        /// The runs.
        runs: Vec<String>,
        /// How old the oldest of them is, s.
        age_s: Option<u64>,
        /// The mixes, with the order of places.
        mixes: Vec<(IoMix, model::profile::Order)>,
        /// Whether latency runs away before the rate ends.
        by_latency: bool,
        /// Operations in flight from which more add hardly anything.
        knee: (f64, f64),
        /// Whether one of them may give more than was measured: it was measured at one depth, or still grew at the deepest.
        is_shallow: bool,
    },
    /// A kept run carried so much over the interface.
    Goodput {
        /// The run.
        run: String,
        /// How old it is, s.
        age_s: Option<u64>,
    },
    /// A kept run that synced its writes got so many flushes of a disk's cache.
    Syncs {
        /// The run.
        run: String,
        /// How old it is, s.
        age_s: Option<u64>,
    },
    /// The rate of a link, in a sentence.
    Link(String),
    /// What the maker promises.
    Datasheet(String),
    /// What somebody imposed.
    Quota(String),
    /// How much of it there is.
    Hardware,
}

impl LimitShare {
    /// How full it is, at least and at most.
    #[must_use]
    pub fn share(&self) -> Option<(f64, f64)> {
        let limit = self.limit.as_ref().filter(|limit| limit.low > 0.0 && limit.high > 0.0)?;
        Some((self.demand / limit.high, self.demand / limit.low))
    }

    /// The middle of both.
    #[must_use]
    pub fn middle(&self) -> Option<f64> {
        self.share().map(|(low, high)| f64::midpoint(low, high))
    }
}

impl ResourceRow {
    fn new(resource: Resource, activity: ResourceActivity, mut uses: Vec<LimitShare>) -> Self {
        let key = |used: &LimitShare| used.middle().unwrap_or(-1.0);
        uses.sort_by(|a, b| key(b).total_cmp(&key(a)));
        Self { resource, machine: None, activity, uses }
    }

    /// The limit that it is nearest to.
    #[must_use]
    pub fn nearest(&self) -> Option<&LimitShare> {
        self.uses.first().filter(|used| used.share().is_some())
    }

    /// Whether it does anything that is worth a line.
    #[must_use]
    pub fn is_active(&self) -> bool {
        match &self.activity {
            ResourceActivity::Processors { .. } | ResourceActivity::Memory { .. } => true,
            ResourceActivity::Disk { operations, .. } | ResourceActivity::GroupDevice { operations, .. } => {
                operations.iter().sum::<f64>() > 0.0
            }
            ResourceActivity::Interface { packets, .. } => packets.iter().sum::<f64>() > 0.0,
            ResourceActivity::Group { .. } | ResourceActivity::MemoryTraffic { .. } => true,
        }
    }

    /// Whether it does so much that it may be near to its limit, of which nothing is known.
    fn is_notable_unknown(&self) -> bool {
        let does_much = match &self.activity {
            ResourceActivity::Disk { depth, .. } => *depth >= NOTABLE_DEPTH,
            ResourceActivity::Interface { bytes, packets, .. } => {
                let most = |ways: &[f64; 2]| ways[0].max(ways[1]);
                most(bytes) >= NOTABLE_BYTES || most(packets) >= NOTABLE_PACKETS
            }
            _ => false,
        };
        does_much && self.nearest().is_none()
    }

    /// Whether it bears a load that can grow: memory is held, and does not flow.
    fn bears_load(&self) -> bool {
        !matches!(self.activity, ResourceActivity::Memory { .. })
    }
}

/// Memory that is used to this share is near to being full.
const MEMORY_NEAR: f64 = 0.90;
/// Some tasks wait for disks for this share of the time: whatever disk is used may be what holds them.
const WAITS: f64 = 0.20;
/// A limit that is used less than this is far.
const FAR: f64 = 0.80;
/// A disk with so many operations in flight, and an interface with so many bytes or packets in each second, do something that
/// may be all that they can.
const NOTABLE_DEPTH: f64 = 0.05;
const NOTABLE_BYTES: f64 = 1e6;
const NOTABLE_PACKETS: f64 = 1000.0;

impl Situation {
    /// What the samples show.
    #[must_use]
    pub fn of(input: &SituationInput<'_>) -> Self {
        let mut rows = Vec::new();
        rows.extend(cpu::row(input));
        rows.extend(input.groups.iter().flat_map(|group| group::rows(input, group)));
        rows.extend(disk::rows(input));
        rows.extend(network::rows(input));
        rows.extend(memory::rows(input));
        let readings = input.readings;
        let stalls = [
            ("cpu", Resource::CPU_PRESSURE),
            ("memory", Resource::MEMORY_PRESSURE),
            ("io", Resource::IO_PRESSURE),
        ];
        let pressure = stalls.into_iter().filter_map(|(name, resource)| {
            let full = readings.rate(&resource, "full").unwrap_or_default();
            Some((name, readings.rate(&resource, "some")?.min(1.0), full.min(1.0)))
        });
        let own = ["user", "system"].map(|name| readings.rate(&Resource::OWN_PROCESS, name));
        Self {
            window_s: readings.window().seconds(),
            rows,
            pressure: pressure.collect(),
            processes: input.processes.clone(),
            own_cpu: own.into_iter().flatten().reduce(|a, b| a + b),
            traced: None,
            silent: Vec::new(),
        }
    }

    /// The resource that is nearest to being full.
    #[must_use]
    pub fn nearest(&self) -> Option<(&ResourceRow, &LimitShare)> {
        let counts = |row: &&ResourceRow| {
            row.bears_load() || row.nearest().and_then(LimitShare::middle).is_some_and(|m| m >= MEMORY_NEAR)
        };
        let all = self.rows.iter().filter(counts).filter_map(|row| Some((row, row.nearest()?)));
        all.max_by(|a, b| a.1.middle().unwrap_or_default().total_cmp(&b.1.middle().unwrap_or_default()))
    }

    /// What else is used to this share of its limit or more, beside what is nearest to being full.
    #[must_use]
    pub fn others_from(&self, share: f64) -> Vec<&ResourceRow> {
        let nearest = self.nearest().map(|(row, _)| row);
        let is_so = |row: &&ResourceRow| {
            let middle = row.nearest().and_then(LimitShare::middle).unwrap_or_default();
            row.bears_load() && middle >= share && !nearest.is_some_and(|nearest| std::ptr::eq(nearest, *row))
        };
        self.rows.iter().filter(is_so).collect()
    }

    /// What does much, while nobody knows what it can do: it may be full before what is nearest of the rest.
    #[must_use]
    pub fn notable_unknowns(&self) -> Vec<&ResourceRow> {
        self.rows.iter().filter(|row| row.is_notable_unknown()).collect()
    }

    /// A disk that tasks wait for, of which nobody knows what it can do, where nothing else is near its limit.
    #[must_use]
    pub fn unknown_wait(&self) -> Option<(&ResourceRow, f64)> {
        let waits = self.pressure.iter().find(|(name, some, _)| *name == "io" && *some >= WAITS)?.1;
        let nearest = self.nearest().and_then(|(_, used)| used.middle()).unwrap_or_default();
        let depth = |row: &ResourceRow| match row.activity {
            // How long tasks waited is known of this machine.
            ResourceActivity::Disk { depth, .. } if row.nearest().is_none() && row.machine.is_none() => {
                Some(depth)
            }
            _ => None,
        };
        let disks = self.rows.iter().filter_map(|row| Some((row, depth(row)?))).filter(|(_, d)| *d > 0.0);
        let deepest = disks.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (nearest < FAR).then_some((deepest.0, waits))
    }
}
