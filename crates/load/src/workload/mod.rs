//! What can be measured. A workload is one file with its parameters, metrics,
//! path, code and tests, and one line in [`TABLE`].

pub mod common;
pub mod cpu;
pub mod disk;
pub mod file;
pub mod memory;
pub mod net;
pub mod null;
pub mod profile;
pub mod scheduler;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use engine::outcome::LoadOutcome;
use engine::{Fault, Prepared};
use model::message::RendezvousAddress;
use model::plan::{Effect, FixtureKey, Problem};
use model::trial::{TrialResult, Window};
use model::workload::Catalogue;
use model::{Limit, LoadProfile, Parameters, Quantity, WorkloadSpec};

use crate::fixture::{FixtureKind, FixtureStore};
pub use crate::host::{DeviceProbe, HostInfo, MemoryBeneath};

/// Every workload, in documentation order.
pub const TABLE: &[&dyn Workload] = &[
    &cpu::primes::Primes,
    &cpu::float::Float,
    &cpu::crypto::Crypto,
    &cpu::compress::Compress,
    &cpu::parity::Parity,
    &memory::bandwidth::Bandwidth,
    &memory::latency::Latency,
    &memory::loaded::Loaded,
    &memory::blocks::Blocks,
    &scheduler::threads::Threads,
    &scheduler::mutex::Mutex,
    &scheduler::handoff::Handoff,
    &scheduler::timer::Timer,
    &scheduler::syscall::Syscall,
    &disk::Disk,
    &file::metadata::Metadata,
    &net::stream::Stream,
    &net::pingpong::Pingpong,
    &net::loaded::Loaded,
    &net::connect::Connect,
    &null::Null,
];

/// Every kind of fixture.
pub const FIXTURES: &[FixtureKind] = &[disk::fixture::FILES, disk::fixture::DEVICES, file::tree::TREES];

/// Workloads that a program has beside those of the table.
static ADDED: OnceLock<&'static [&'static dyn Workload]> = OnceLock::new();

/// Adds workloads to those of the table: before any is asked for, and once.
pub fn add(workloads: &'static [&'static dyn Workload]) {
    let first = ADDED.set(workloads).is_ok();
    debug_assert!(first, "workloads are added once");
}

/// Every workload of this program.
pub fn all() -> impl Iterator<Item = &'static dyn Workload> {
    TABLE.iter().chain(ADDED.get().copied().unwrap_or_default()).copied()
}

/// The descriptions of every workload, and what all have in common.
#[must_use]
pub fn catalogue() -> Catalogue {
    Catalogue { workloads: all().map(|w| w.spec()).collect(), common: common::PARAMETERS }
}

/// The workload named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    all().find(|w| w.spec().name == name)
}

/// Makes one trial of a surveyed load ready: what has no meaning beside the rest
/// is not in its parameters, and has its default.
///
/// # Errors
/// As [`Workload::prepare`].
pub fn prepare(
    workload: &dyn Workload,
    parameters: &Parameters,
    given: &LoadContext<'_>,
) -> Result<Box<dyn Prepared>, Fault> {
    let mut all = parameters.clone();
    catalogue().fill(workload.spec(), &mut all);
    workload.prepare(&all, given)
}

/// What a workload says of a load before anything is touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requirements {
    /// The parameters with every word resolved.
    pub parameters: Parameters,
    /// The fixtures needed.
    pub fixtures: Vec<FixtureKey>,
    /// What the load leaves of them.
    pub effect: Effect,
    /// Bytes of memory needed.
    pub memory_bytes: u64,
    /// What is known of how much the resources of its path can do at most, where
    /// only the workload knows it.
    pub limits: Vec<Limit>,
}

/// A kind of load.
pub trait Workload: Sync {
    /// What it is, as data.
    fn spec(&self) -> &'static WorkloadSpec;

    /// Resolves words such as `all` and says what the load needs. Touches
    /// nothing. Common parameters are resolved already.
    ///
    /// # Errors
    /// Why this load cannot run on this machine or with these parameters.
    fn survey(&self, parameters: Parameters, host: &HostInfo) -> Result<Requirements, Problem>;

    /// What a surveyed load is.
    fn profile(&self, parameters: &Parameters) -> LoadProfile;

    /// Makes one trial of a surveyed load ready.
    ///
    /// # Errors
    /// If something that it needs cannot be had.
    fn prepare(&self, parameters: &Parameters, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault>;

    /// The metrics of a load that did `outcome` in `window`: those of its spec
    /// that the common table can make. A workload with others adds them.
    fn metrics(
        &self,
        _parameters: &Parameters,
        outcome: &LoadOutcome,
        window: Window,
    ) -> BTreeMap<String, Quantity> {
        common::metrics(self.spec(), outcome, window)
    }

    /// The share of the bytes that a load moved which it wrote; 0 where what it
    /// moves stays nowhere.
    fn written_share(&self, _parameters: &Parameters, _outcome: &LoadOutcome) -> f64 {
        0.0
    }

    /// The same load without what it measures: our own cost per operation. The
    /// parameters of the null form, or `None` where there is nothing to take
    /// away.
    fn null_form(&self, _parameters: &Parameters) -> Option<Parameters> {
        None
    }

    /// Whether it needs another end, which the parameter `peer` names.
    fn has_far_end(&self) -> bool {
        false
    }

    /// Puts together what both ends of a trial measured in the same window:
    /// `near` becomes the result. The far end's own figures are kept beside it by
    /// the caller.
    ///
    /// # Errors
    ///
    /// Why both together are no result.
    fn unite(&self, _parameters: &Parameters, _near: &mut TrialResult, _far: &TrialResult) -> United {
        Ok(())
    }
}

/// That the results of both ends became one, or why they are none.
pub type United = Result<(), String>;

/// Which end of a load is being made ready.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a> {
    /// The only one.
    Only,
    /// The one that drives.
    Near {
        /// How it meets the other.
        meeting: Rendezvous<'a>,
        /// The load's place among those of the trial that have two ends.
        load: usize,
    },
    /// The one that answers.
    Far {
        /// How it meets the other.
        meeting: Rendezvous<'a>,
        /// The load's place, as above.
        load: usize,
    },
}

/// How two ends meet: which of them goes to the other has nothing to do with which
/// of them drives. Mostly the near end goes to the far one.
#[derive(Clone, Copy, Debug)]
pub enum Rendezvous<'a> {
    /// This end goes to where the other one waits.
    Out(&'a RendezvousAddress),
    /// The other end comes in here.
    In(&'a net::RendezvousListener),
}

impl<'a> Side<'a> {
    /// One of two ends.
    #[must_use]
    pub fn of(is_near: bool, meeting: Rendezvous<'a>, load: usize) -> Self {
        if is_near { Side::Near { meeting, load } } else { Side::Far { meeting, load } }
    }
}

/// What a load is made ready with.
#[derive(Clone, Copy, Debug)]
pub struct LoadContext<'a> {
    /// The fixtures that its survey asked for.
    pub fixtures: &'a FixtureStore,
    /// Which end of the load this is.
    pub side: Side<'a>,
}
