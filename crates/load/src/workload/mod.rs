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
use std::fs::File;
use std::io;
use std::path::Path;

use engine::outcome::LoadOutcome;
use engine::{Fault, Prepared};
use model::identity::DeviceIdentity;
use model::message::RendezvousAddress;
use model::plan::{DeviceState, Effect, FixtureKey, Problem};
use model::trial::{TrialResult, Window};
use model::workload::Catalogue;
use model::{LoadProfile, Parameters, Quantity, WorkloadSpec};

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

/// The descriptions of every workload, and what all have in common.
#[must_use]
pub fn catalogue() -> Catalogue {
    Catalogue { workloads: TABLE.iter().map(|w| w.spec()).collect(), common: common::PARAMETERS }
}

/// The workload named `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    TABLE.iter().copied().find(|w| w.spec().name == name)
}

/// Makes one trial of a surveyed load ready: what has no meaning beside the rest
/// is not in its parameters, and has its default.
///
/// # Errors
/// As [`Workload::prepare`].
pub fn prepare(
    workload: &dyn Workload,
    parameters: &Parameters,
    shelf: &dyn Shelf,
) -> Result<Box<dyn Prepared>, Fault> {
    let mut all = parameters.clone();
    catalogue().fill(workload.spec(), &mut all);
    workload.prepare(&all, shelf)
}

/// What a workload may know of the machine it is to run on.
#[derive(Clone, Debug, Default)]
pub struct HostInfo {
    /// CPUs that we may run on.
    pub cpus: usize,
    /// Data caches by level, smallest first: (level, bytes, CPUs that share it).
    pub caches: Vec<(u32, u64, usize)>,
    /// Memory that may be used without pushing others out, in bytes.
    pub memory_available: u64,
    /// The processors.
    pub cpu: model::machine::Cpu,
    /// The memory.
    pub memory: model::machine::Memory,
    /// Existing files and devices that the user gave up with `--destroy`.
    pub destroy: Vec<String>,
    /// Signatures that may be overwritten with them (`--wipe`).
    pub wipe: Vec<String>,
    /// Knows block devices.
    pub look: DeviceProbe,
    /// Says which targets are memory in the end.
    pub beneath: MemoryBeneath,
}

impl HostInfo {
    /// How much of the free memory loads may take, all together: the rest is for
    /// whatever else goes on.
    #[must_use]
    pub fn memory_room(&self) -> u64 {
        self.memory_available / 10 * 9
    }
}

/// How a workload learns whether what is written to a path ends in memory
/// (tmpfs, a RAM disk, a loop device on one): in which. None where it does not.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBeneath(pub fn(&std::path::Path) -> Option<String>);

impl Default for MemoryBeneath {
    /// Nothing is known to be memory.
    fn default() -> Self {
        Self(|_| None)
    }
}

/// How a workload learns about a block device: reading a machine is not its
/// matter.
#[derive(Clone, Copy, Debug)]
pub struct DeviceProbe {
    /// Says what the device at a path is, who uses it and what it holds.
    pub state: fn(&Path) -> io::Result<DeviceState>,
    /// Says which device a file is open on, whatever its path means by then.
    pub identity: fn(&File) -> io::Result<DeviceIdentity>,
}

impl Default for DeviceProbe {
    /// Of a device of which nothing is known nothing may be done.
    fn default() -> Self {
        Self {
            state: |_| Err(io::Error::other("nobody looked at it")),
            identity: |_| Err(io::Error::other("nobody looked at it")),
        }
    }
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
    /// What is made or changed beside fixtures, each in a sentence without full
    /// stop.
    pub touches: Vec<String>,
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
    fn prepare(&self, parameters: &Parameters, shelf: &dyn Shelf) -> Result<Box<dyn Prepared>, Fault>;

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

/// Where prepared fixtures are found.
pub trait Shelf {
    /// The fixture that a survey asked for.
    fn fixture(&self, key: &FixtureKey) -> Option<&disk::fixture::Fixture>;

    /// Which end of the load this is.
    fn side(&self) -> Side<'_> {
        Side::Only
    }

    /// Where it is written down what would stay if this process were killed,
    /// for others to remove it; none if nowhere.
    fn state_folder(&self) -> Option<std::path::PathBuf> {
        None
    }
}
