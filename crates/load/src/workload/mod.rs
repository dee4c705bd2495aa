//! What can be measured. A workload is one file with its parameters, metrics,
//! path, code and tests, and one line in [`TABLE`].

pub mod common;
pub mod cpu;
pub mod db;
pub mod disk;
pub mod file;
pub mod http;
mod kept_name;
mod left_records;
pub mod memory;
pub mod net;
pub mod null;
pub mod object;
pub mod profile;
pub mod scheduler;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

use engine::outcome::LoadOutcome;
use engine::{Fault, Prepared};
use model::message::RendezvousAddress;
use model::plan::{Effect, FixtureKey, LoadSpec, Problem};
use model::trial::{TrialResult, Window};
use model::workload::Catalogue;
use model::{
    Limit, LoadProfile, MetricName, ParameterName, ParameterSpec, Parameters, Quantity, Value, WorkloadName,
    WorkloadSpec,
};

use crate::fixture::{FixtureKind, FixtureStore};
pub use crate::host::{DeviceProbe, HostInfo, MemoryBeneath};
use crate::workload::common::LoadSchedule;

/// Every workload, in documentation order.
pub const TABLE: &[&dyn Workload] = &[
    &cpu::primes::Primes,
    &cpu::float::Float,
    &cpu::crypto::Crypto,
    &cpu::compress::Compress,
    &cpu::parity::Parity,
    &cpu::cacheline::CacheLine,
    &memory::bandwidth::Bandwidth,
    &memory::latency::Latency,
    &memory::loaded::LoadedLatency,
    &memory::blocks::Blocks,
    &scheduler::threads::Threads,
    &scheduler::mutex::Mutex,
    &scheduler::handoff::Handoff,
    &scheduler::timer::Timer,
    &scheduler::syscall::Syscall,
    &disk::Disk,
    &disk::replay::Replay,
    &disk::rebuild::Rebuild,
    &file::metadata::Metadata,
    &net::stream::Stream,
    &net::pingpong::Pingpong,
    &net::loaded::Responsiveness,
    &net::connect::Connect,
    &http::requests::Requests,
    &http::download::Download,
    &http::upload::Upload,
    &object::PUT,
    &object::GET,
    &object::LIST,
    &object::DELETE,
    &db::oltp::Oltp,
    &db::slap::Slap,
    &db::tpcb::Tpcb,
    &db::orders::Orders,
    &db::script::Script,
    &db::durability::DatabaseDurability,
    &null::Null,
];

/// The kinds of fixtures that these need.
pub const FIXTURES: &[FixtureKind] = &[
    disk::fixture::FILES,
    disk::fixture::DEVICES,
    disk::replay::recording::RECORDINGS,
    file::tree::TREES,
    db::server::SERVERS,
    db::sqlite::tables::TABLES,
    db::sqlite::named_file::NAMED_FILES,
    db::remote_fixture::REMOTE_DATABASES,
    disk::stack::STACKS,
    db::server_settings::SERVER_SETTINGS,
];

/// Workloads and kinds of fixtures that a program has beside those of the tables.
static ADDED: OnceLock<(&'static [&'static dyn Workload], &'static [FixtureKind])> = OnceLock::new();

/// Adds workloads and kinds of fixtures to those of the tables: before any is asked
/// for, and once.
pub fn add(workloads: &'static [&'static dyn Workload], fixtures: &'static [FixtureKind]) {
    let first = ADDED.set((workloads, fixtures)).is_ok();
    debug_assert!(first, "workloads are added once");
}

/// Every workload of this program.
pub fn all() -> impl Iterator<Item = &'static dyn Workload> {
    TABLE.iter().chain(ADDED.get().copied().unwrap_or_default().0).copied()
}

/// Every kind of fixture of this program.
pub fn fixtures() -> impl Iterator<Item = &'static FixtureKind> {
    FIXTURES.iter().chain(ADDED.get().copied().unwrap_or_default().1)
}

/// The descriptions of every workload, and what all have in common.
#[must_use]
pub fn catalogue() -> Catalogue {
    Catalogue { workloads: all().map(|w| w.spec()).collect(), common: common::PARAMETERS }
}

/// The workload named `name`.
#[must_use]
pub fn find(name: WorkloadName) -> Option<&'static dyn Workload> {
    all().find(|w| w.spec().name == name)
}

/// Whether a load needs another end, which its parameter `peer` names.
#[must_use]
pub fn has_far_end(load: &LoadSpec) -> bool {
    find(load.workload).is_some_and(|workload| catalogue().has_far_end(workload.spec(), &load.parameters))
}

/// What a workload calls one of its parameters.
pub(crate) const fn named(name: &'static str) -> ParameterName {
    ParameterName::new(name)
}

/// What a load needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requirements {
    /// What words among its parameters stand for on this machine, by their names.
    pub resolved: Parameters,
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

/// Figures by their names.
pub type Metrics = BTreeMap<MetricName, Quantity>;

/// A kind of load.
pub trait Workload: Sync {
    /// What it is, as data.
    fn spec(&self) -> &'static WorkloadSpec;

    /// Reads the parameters of a load, which are all there. What they mean is kept in
    /// an object; nobody reads them again.
    ///
    /// # Errors
    /// If a parameter has the wrong type or is a word that is not known.
    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem>;
}

/// A load whose parameters were read.
pub trait Planned {
    /// Looks at the machine: resolves words such as `dram`, in itself and in what it
    /// returns, and says what the load needs. Touches nothing.
    ///
    /// # Errors
    /// Why this load cannot run on this machine or with these parameters.
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        Ok(Requirements::default())
    }

    /// What the load is; `base` is what follows from its schedule.
    fn profile(&self, base: LoadProfile) -> LoadProfile;

    /// The paths that it drives.
    fn targets(&self) -> &[String] {
        &[]
    }

    /// The hosts, by name or address, of servers that are no other end of ours.
    fn servers(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it leaves the stack that it runs on as no other trial can use it.
    fn uses_up_stack(&self) -> bool {
        false
    }

    /// Makes one trial of a surveyed load ready.
    ///
    /// # Errors
    /// If something that it needs cannot be had.
    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault>;

    /// The metrics of a load that did `outcome` in `window`; `common` are those of its
    /// spec that the common table can make.
    fn metrics(&self, common: Metrics, _outcome: &LoadOutcome, _window: Window) -> Metrics {
        common
    }

    /// The share of the bytes that a load moved which it wrote; 0 where what it
    /// moves stays nowhere.
    fn written_share(&self, _outcome: &LoadOutcome) -> f64 {
        0.0
    }

    /// The parameter, with its value, that takes away what is measured, so that our own
    /// cost per operation is left; `None` where there is nothing to take away.
    fn null_form(&self) -> Option<(ParameterName, Value)> {
        None
    }

    /// Puts together what both ends of a trial measured in the same window:
    /// `near` becomes the result. The far end's own figures are kept beside it by
    /// the caller.
    ///
    /// # Errors
    ///
    /// Why both together are no result.
    fn merge(&self, _near: &mut TrialResult, _far: &TrialResult) -> Merged {
        Ok(())
    }
}

/// One load: its parameters with all defaults, and what they mean.
pub struct Load {
    /// What its workload is.
    pub spec: &'static WorkloadSpec,
    /// All of its parameters.
    pub parameters: Parameters,
    /// How it is driven.
    pub schedule: LoadSchedule,
    planned: Box<dyn Planned>,
}

impl Load {
    /// Puts in the defaults of what is not there, and reads all. `cpus` is how many
    /// there are for a load that takes all.
    ///
    /// # Errors
    /// If a parameter has the wrong type.
    pub fn new(workload: &dyn Workload, mut parameters: Parameters, cpus: usize) -> Result<Self, Problem> {
        let spec = workload.spec();
        catalogue().fill(spec, &mut parameters);
        let schedule = LoadSchedule::of(&parameters, cpus)?;
        // A thread for each of something follows that, where it is varied or searched.
        if !parameters.is_word(named("threads"), common::EACH.word) {
            parameters.set(named("threads"), schedule.threads);
        }
        let planned = workload.plan(&parameters, &schedule)?;
        Ok(Self { spec, parameters, schedule, planned })
    }

    /// The same of the workload named `name`.
    ///
    /// # Errors
    /// If there is none, too.
    pub fn named(name: WorkloadName, parameters: Parameters, cpus: usize) -> Result<Self, Problem> {
        let workload = find(name).ok_or_else(|| {
            Problem::invalid(format!("this agent has no workload `{name}`"), "update the agent")
        })?;
        Self::new(workload, parameters, cpus)
    }

    /// As [`Planned::survey`]. What words stand for is in its parameters then, and
    /// those that have no meaning beside the rest are not.
    ///
    /// # Errors
    /// As there.
    pub fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let needs = self.planned.survey(host)?;
        self.parameters.extend(needs.resolved.iter().map(|(name, value)| (name, value.clone())));
        catalogue().drop_idle(self.spec, &mut self.parameters);
        Ok(needs)
    }

    /// Whether it needs another end.
    #[must_use]
    pub fn has_far_end(&self) -> bool {
        catalogue().has_far_end(self.spec, &self.parameters)
    }

    /// What it is.
    #[must_use]
    pub fn profile(&self) -> LoadProfile {
        let says = |spec: &ParameterSpec| {
            self.parameters.get(spec.name)?;
            Some((spec.name, spec.says?))
        };
        let aspects = catalogue().parameters(self.spec).filter_map(says).collect();
        LoadProfile { aspects, ..self.planned.profile(profile::base(self.spec, &self.schedule)) }
    }

    /// Its metrics, when it did `outcome` in `window`.
    #[must_use]
    pub fn metrics(&self, outcome: &LoadOutcome, window: Window) -> Metrics {
        self.planned.metrics(common::metrics(self.spec, outcome, window), outcome, window)
    }

    /// The parameters of the same load without what it measures.
    #[must_use]
    pub fn null_form(&self) -> Option<Parameters> {
        let (name, value) = self.planned.null_form()?;
        let mut null = self.parameters.clone();
        null.set(name, value);
        Some(null)
    }
}

impl Deref for Load {
    type Target = dyn Planned;

    fn deref(&self) -> &Self::Target {
        &*self.planned
    }
}

/// What a survey says of a load.
#[cfg(test)]
pub(crate) fn survey(
    workload: &dyn Workload,
    parameters: Parameters,
    host: &HostInfo,
) -> Result<Requirements, Problem> {
    Load::new(workload, parameters, host.cpus)?.survey(host)
}

/// The outcome of a load that did nothing.
#[cfg(test)]
pub(crate) fn nothing_done() -> LoadOutcome {
    LoadOutcome {
        operations: 0.0,
        bytes: 0.0,
        done_bytes: 0.0,
        completions: 0,
        late_starts: 0,
        unfinished: 0,
        by_count: false,
        user_s: 0.0,
        system_s: 0.0,
        waited_s: None,
        latency: stats::histogram::new_latency(),
        service: None,
        stages: Vec::new(),
        classes: Vec::new(),
        parts: Vec::new(),
        common: None,
        settled_ns: None,
        span_ns: None,
        operations_per_s: Vec::new(),
        bytes_per_s: Vec::new(),
        latency_over_time: None,
        facts: BTreeMap::new(),
    }
}

/// That the results of both ends became one, or why they are none.
pub type Merged = Result<(), String>;

/// One of the two machines of a load.
#[derive(Clone, Copy, Debug)]
pub struct LoadEndpoint<'a> {
    /// Whether it drives the load; the other one answers.
    pub drives: bool,
    /// How it meets the other.
    pub rendezvous: Rendezvous<'a>,
    /// The load's place among those of the trial that have two ends.
    pub load: usize,
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

/// Asked all the time by what takes long before a load is ready: tells that it gets on, and says whether to
/// go on.
#[derive(Clone, Copy)]
pub struct Watch<'a>(&'a (dyn Fn() -> Result<(), Fault> + Sync));

impl<'a> Watch<'a> {
    /// One that nobody ends.
    pub const NONE: Watch<'static> = Watch(&goes_on);

    /// One that fails where it is to end.
    #[must_use]
    pub fn new(look: &'a (dyn Fn() -> Result<(), Fault> + Sync)) -> Self {
        Self(look)
    }

    /// Tells that it gets on.
    ///
    /// # Errors
    /// If it is to end.
    pub fn look(&self) -> Result<(), Fault> {
        (self.0)()
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch(..)")
    }
}

fn goes_on() -> Result<(), Fault> {
    Ok(())
}

/// What a load is made ready with.
#[derive(Clone, Copy, Debug)]
pub struct LoadContext<'a> {
    /// The fixtures that its survey asked for.
    pub fixtures: &'a FixtureStore,
    /// Which of its two ends this is; absent for a load of one machine.
    pub endpoint: Option<LoadEndpoint<'a>>,
    /// What looks whether it is to go on.
    pub watch: Watch<'a>,
}
