//! What a load is, in terms that hold for every area: what flows and in what sizes,
//! how much of it at once, what an operation may wait for, how its rates are
//! written. Made by the workload (or an importer) and read by rules, charts,
//! summaries and comparisons, none of which know a workload's name or parameters.
//!
//! It says what was asked. What was granted (direct I/O refused, zero-copy fallen
//! back) is a fact of the trial; which resources the data passes is the path; what
//! held the load back is a verdict, which a profile never gives.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::aspect::Aspect;
use crate::metric::{self, MetricName};
use crate::name::{ParameterName, names};

mod network;
mod storage;

pub use network::{Peer, RateUnit, Transport};
pub use storage::{Content, Durability, PlaceStride};

/// What a load is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LoadProfile {
    /// The kinds of its operations, the counted ones first; a load of one kind has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
    /// Its phases in the order in which they run, if it has any. The names of a phase's metrics
    /// begin with the name of the phase (`create_per_second`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
    /// How much is under way.
    pub concurrency: Concurrency,
    /// How many targets it stores to and reads from (files, devices, folders), each
    /// driven by its own workers; 0 where it has none.
    #[serde(skip_serializing_if = "is_default")]
    pub targets: u64,
    /// Those targets, by their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Bytes that it touches of each target, or that each worker's working set has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_bytes: Option<u64>,
    /// The places of each target that it visits, where that is not all of the span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<PlaceStride>,
    /// What all workers do to the same memory, where they share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedAccess>,
    /// The state that its targets are brought into before it is measured.
    #[serde(skip_serializing_if = "is_default")]
    pub target_state: TargetState,
    /// What it writes into them, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// When what it writes is brought to where it lasts.
    #[serde(skip_serializing_if = "is_default")]
    pub durability: Durability,
    /// How its operations are handed to the kernel, where there are several ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// Which caches of the operating system may answer.
    #[serde(skip_serializing_if = "is_default")]
    pub caches: Caches,
    /// What an operation is there to wait for; empty if nobody knows. Not what it did
    /// wait for, which only a trial can tell.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub waits_for: BTreeSet<WaitsFor>,
    /// Where its other end is, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<Peer>,
    /// How it reaches the other end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// What ends it.
    #[serde(skip_serializing_if = "is_default")]
    pub end: LoadEnd,
    /// How long its window is meant to be, in seconds, where nothing else ends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_s: Option<f64>,
    /// For how long nothing is to run before its warm-up, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_s: Option<f64>,
    /// For how long nothing is to run after its window, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cool_down_s: Option<f64>,
    /// The name of the machine's calibration for this load: the same operations with nothing behind them, which gives the cost of issuing them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
    /// Whether its workers take turns on one CPU.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_cpu: bool,
    /// Whether its operations do nothing: what is measured is the cost of driving.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_null: bool,
    /// What bytes per second are written in.
    #[serde(skip_serializing_if = "is_default")]
    pub rate_unit: RateUnit,
    /// What each of its parameters says of it (`queue-depth`: its depth), where rules or
    /// charts ask for that and the parameter is set. Two may say the same: where `size` and
    /// `span` are both set, `span` counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aspects: BTreeMap<ParameterName, Aspect>,
    /// The metric to show first.
    #[serde(skip_serializing_if = "MetricName::is_empty")]
    pub headline: MetricName,
}

/// Whether a document need not say it.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One kind of operation of a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// What an operation does.
    pub class: OperationClass,
    /// What counts.
    pub unit: FlowUnit,
    /// The share of the counted operations that is asked to be of this kind, 0 to 1: 0
    /// for what goes on beside them. What is written as it comes from a network is of both
    /// kinds, each with all of it.
    pub share: f64,
    /// In which order places are visited.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: Order,
    /// Bytes of an operation; empty where it moves none, or as many as the other side
    /// likes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// Bytes per second that are asked for; absent where it takes what it gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_bytes_per_s: Option<f64>,
}

impl Flow {
    /// All operations of a load that has but one kind.
    #[must_use]
    pub fn only(class: OperationClass, unit: FlowUnit) -> Self {
        Self { class, unit, share: 1.0, order: Order::None, sizes: Vec::new(), asked_bytes_per_s: None }
    }

    /// With operations of one size.
    #[must_use]
    pub fn of_bytes(mut self, bytes: u64) -> Self {
        self.sizes = vec![SizeShare { bytes, share: 1.0 }];
        self
    }
}

/// A size and the share of the operations that have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    /// Bytes.
    pub bytes: u64,
    /// 0 to 1.
    pub share: f64,
}

names! {
    /// The name of an operation class that only its own area knows: `stamp`.
    ClassName ("the name of an operation class")
}

/// What an operation does. Metrics of one class of several begin with its name:
/// `read_iops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OperationClass {
    /// Reads from a target.
    Read,
    /// Writes to a target.
    Write,
    /// Discards blocks of a target.
    Trim,
    /// Sends to the other end.
    Send,
    /// Receives from the other end.
    Receive,
    /// Sends and waits for the answer.
    Exchange,
    /// Opens a connection.
    Connect,
    /// Makes, finds, renames or removes files.
    Metadata,
    /// Moves bytes between memory and a core.
    Access,
    /// Computes.
    Compute,
    /// Wakes a thread, gives way to one, or takes a lock that one holds.
    Switch,
    /// Sleeps until a time.
    Sleep,
    /// Calls the kernel.
    Call,
    /// What this version does not know.
    #[serde(untagged)]
    Other(ClassName),
}

impl OperationClass {
    /// As metrics are called: `read`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Exchange => "exchange",
            Self::Connect => "connect",
            Self::Metadata => "metadata",
            Self::Access => "access",
            Self::Compute => "compute",
            Self::Switch => "switch",
            Self::Sleep => "sleep",
            Self::Call => "call",
            Self::Other(name) => name.as_str(),
        }
    }
}

/// What of a flow counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowUnit {
    /// Bytes.
    Bytes,
    /// Operations, however large.
    Operations,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// In which order places are visited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// There are no places.
    #[default]
    None,
    /// One after the other.
    Sequential,
    /// By a generator.
    Random,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// How much of a load is under way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Concurrency {
    /// Threads that drive it, all of them.
    pub workers: u64,
    /// Counted operations under way at once, where a new one starts when one ends.
    pub operations: u64,
    /// Those of each worker, where it can have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// When operations start.
    #[serde(skip_serializing_if = "is_default")]
    pub arrival: Arrival,
    /// Operations per second that are asked for; absent where there is no such rate,
    /// or it is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
}

impl Default for Concurrency {
    fn default() -> Self {
        Self { workers: 1, operations: 1, depth: None, arrival: Arrival::Closed, rate_per_s: None }
    }
}

/// When operations start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// When another ends.
    #[default]
    Closed,
    /// At a rate, whatever becomes of those before.
    Open,
}

impl Concurrency {
    /// Whether the rate is to be found.
    #[must_use]
    pub fn is_searched(&self) -> bool {
        self.arrival == Arrival::Open && self.rate_per_s.is_none()
    }
}

/// What workers do to memory that they share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharedAccess {
    /// They read it: each has a copy in its own caches.
    Read,
    /// They write it: it travels from one's caches to another's.
    Write,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// What ends a load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadEnd {
    /// Time.
    #[default]
    Time,
    /// So many operations.
    Operations(u64),
    /// So many bytes.
    Bytes(u64),
    /// One pass over what it touches.
    Pass,
    /// That no space is left, or the size that was given.
    Full,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The state that targets are brought into before a load is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetState {
    /// None is asked for; a file of ours is written once, whole.
    #[default]
    AsFound,
    /// All blocks are discarded.
    Discarded,
    /// Every block is written once.
    Filled,
    /// Written until the figures are steady (SNIA's Performance Test Specification).
    Steady,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Which caches of the operating system may answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Caches {
    /// None: direct I/O, or nothing that is cached.
    #[default]
    None,
    /// The page cache.
    PageCache,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// What an operation may wait for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsFor {
    /// A processor's units.
    Processor,
    /// Memory or its caches.
    Memory,
    /// A storage device.
    Device,
    /// That what was written is safe.
    Flush,
    /// The other end.
    Peer,
    /// A lock.
    Lock,
    /// Another thread that wakes it.
    Thread,
    /// A timer.
    Timer,
    /// The kernel's answer to a call.
    Kernel,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

impl LoadProfile {
    /// The parameter that says this of the load; if several do, the last by name.
    #[must_use]
    pub fn parameter(&self, aspect: Aspect) -> Option<ParameterName> {
        self.aspects.iter().rev().find(|(_, own)| **own == aspect).map(|(name, _)| *name)
    }

    /// The metric that the load is about, unless a count ends it: the rate that keeps a
    /// latency where one is asked for, otherwise what its workload shows first.
    #[must_use]
    pub fn watched(&self) -> MetricName {
        if self.concurrency.is_searched() { metric::RATE_HELD } else { self.headline }
    }

    /// The kind of operation `class`, if the load does it.
    #[must_use]
    pub fn flow(&self, class: OperationClass) -> Option<&Flow> {
        self.flows.iter().find(|flow| flow.class == class)
    }

    /// Whether the load does operations of this class.
    #[must_use]
    pub fn does(&self, class: OperationClass) -> bool {
        self.flow(class).is_some()
    }

    /// Whether an operation may wait for this.
    #[must_use]
    pub fn may_wait_for(&self, what: &WaitsFor) -> bool {
        self.waits_for.contains(what)
    }

    /// Whether operations may wait for some of these and for nothing else.
    #[must_use]
    pub fn waits_only_for(&self, these: &[WaitsFor]) -> bool {
        !self.waits_for.is_empty() && self.waits_for.iter().all(|what| these.contains(what))
    }

    /// Whether bytes only go from one end to the other, or both ways, and nothing
    /// waits for an answer.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        let streams = |flow: &Flow| matches!(flow.class, OperationClass::Send | OperationClass::Receive);
        let mut counted = self.on_network().filter(|flow| flow.share > 0.0).peekable();
        self.peer.is_some() && counted.peek().is_some() && counted.all(streams)
    }

    /// What it does that passes a network, if it has another end: what blocks of files and devices
    /// see beside it is left out.
    pub fn on_network(&self) -> impl Iterator<Item = &Flow> {
        let on_blocks = [OperationClass::Read, OperationClass::Write, OperationClass::Trim];
        self.flows.iter().filter(move |flow| !on_blocks.contains(&flow.class))
    }
}

#[cfg(test)]
mod tests;
