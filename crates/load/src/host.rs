//! What workloads and fixtures may know of the machine they run on. Reading it is
//! the agent's matter.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::numa::RequestedNodes;
use model::identity::DeviceIdentity;
use model::plan::DeviceState;
use model::present::AttachOrder;

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
    /// How much may be written to a target that is not there yet, because what it lies on is made later; bytes.
    pub room: Option<u64>,
    /// Where it is written down what would stay if this process were killed, for
    /// others to remove it; none if nowhere.
    pub state_folder: Option<PathBuf>,
    /// What nodes present to this machine.
    pub attached: Vec<AttachOrder>,
    /// Hears how far something is that takes long while a fixture is made.
    pub status: StatusListener,
}

impl HostInfo {
    /// What a load may know that keeps to the CPUs of a node: it has no others.
    #[must_use]
    pub fn within(&self, nodes: RequestedNodes) -> Cow<'_, Self> {
        let Some(allowed) = nodes.cpus_of(&self.cpu, &self.memory) else { return Cow::Borrowed(self) };
        let mut kept = self.clone();
        kept.cpus = allowed.len();
        kept.cpu.allowed = allowed;
        Cow::Owned(kept)
    }

    /// How much of the free memory loads may take, all together: the rest is for
    /// whatever else goes on.
    #[must_use]
    pub fn memory_room(&self) -> u64 {
        self.memory_available / 10 * 9
    }
}

/// Who hears in a few words how far something is that takes long; in none when it is over.
#[derive(Clone, Default)]
pub struct StatusListener(Option<Arc<Hears>>);

/// What is done with the words.
type Hears = dyn Fn(&str) + Send + Sync;

impl StatusListener {
    /// One that `hears`.
    #[must_use]
    pub fn new(hears: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hears)))
    }

    /// Tells it.
    pub fn tell(&self, words: &str) {
        if let Some(hears) = &self.0 {
            hears(words);
        }
    }
}

impl fmt::Debug for StatusListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatusListener(..)")
    }
}

/// How a workload learns whether what is written to a path ends in memory
/// (tmpfs, a RAM disk, a loop device on one): in which. None where it does not.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBeneath(pub fn(&Path) -> Option<String>);

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
            state: |_| Err(io::Error::other("the device was not examined")),
            identity: |_| Err(io::Error::other("the device was not examined")),
        }
    }
}
