//! Layers that present what is below them through a network, and what the other end has of it: the server is the
//! kernel's, in a network namespace of its own ([`network`]); the client is this machine, as another would be. What is
//! presented can be reached from this machine alone: by iSCSI and NVMe only by who knows what was made for this one layer,
//! by NFS by whoever comes from this machine's address and a privileged port. Where a node presents it, the two ends are on two
//! machines ([`remote`]).

mod configfs;
mod initiator;
pub(in crate::workload::disk) mod iscsi;
mod namespace;
mod network;
pub(in crate::workload::disk) mod nfs;
pub(in crate::workload::disk) mod nvme_tcp;
mod rate;
pub(in crate::workload::disk::stack) mod remote;

use std::time::Duration;

use engine::fault::Fault;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::{KernelPart, MODPROBE};

pub use rate::HeldLink;
pub(in crate::workload::disk::stack) use rate::held_links;

/// How long a disk may take until it is there once its session is.
const APPEARS_WITHIN: Duration = Duration::from_secs(60);

/// What a step is called in which several programs, or none, make one thing.
const MODULES: &str = "modules";
const NETWORK: &str = "network";
const TARGET: &str = "target";
const SESSION: &str = "session";

/// Loads what a layer needs of the kernel. It stays loaded, as what mount(8) and mdadm(8) load does.
fn load(parts: &[KernelPart], commands: &mut Commands<'_>) -> Result<(), Fault> {
    let modules: Vec<&str> = parts.iter().filter(|part| !part.is_ready()).map(|part| part.module()).collect();
    if modules.is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = std::iter::once("--all").chain(modules).collect();
    commands.as_one(MODULES, |commands| commands.run(&MODPROBE, &words).map(drop))
}

/// The programs of every layer of the kind.
const PROGRAMS: [Program; 2] = [network::IP, MODPROBE];
