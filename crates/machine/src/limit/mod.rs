//! What the parts of a machine can do at most, from links, datasheets and
//! imposed quotas, and the path that data takes through them. A source of
//! limits is one file and one line in [`SOURCES`].

pub mod datasheet;
mod dmi;
mod memory;
mod network;
mod path;
mod pcie;
mod promise;
mod provider;
mod quota;
mod sata;
#[cfg(test)]
mod tests;
mod usb;

use model::limit::{Direction, LimitKind};
use model::machine::{Absent, Inventory};
use model::{Limit, Resource, Unit, metric};

pub use network::{Overhead, held_link, tcp_goodput};
pub use path::{Beneath, LoopFile, WriteShare, to_block_devices};
pub use promise::promised;

/// Every source of limits.
const SOURCES: &[fn(&Inventory) -> Vec<Limit>] = &[
    quota::limits,
    provider::limits,
    pcie::limits,
    dmi::limits,
    sata::limits,
    usb::limits,
    network::limits,
    memory::limits,
    datasheet::limits,
];

/// What the parts of this machine can do at most, as far as its inventory says.
#[must_use]
pub fn of(inventory: &Inventory) -> Vec<Limit> {
    SOURCES.iter().flat_map(|source| source(inventory)).collect()
}

/// Which limits are missing, and why.
#[must_use]
pub fn absent(inventory: &Inventory) -> Vec<Absent> {
    let hardware = match is_guest(inventory) {
        true => Some(Absent {
            what: "limits of memory, links and adapters".to_owned(),
            reason: "a guest is shown what its hypervisor likes, which bounds nothing".to_owned(),
        }),
        false => memory::absent(inventory),
    };
    hardware.into_iter().chain(provider::absent(inventory)).collect()
}

/// Whether this machine is a guest. The links of a guest are what its
/// hypervisor shows: QEMU's AHCI controller claims 1.5 Gbit/s and its PCIe ports
/// claim 2.5 GT/s x1, and neither bounds anything.
fn is_guest(inventory: &Inventory) -> bool {
    inventory.system.virtualization.is_some()
}

/// The two rates of a link, in B/s. Neither is ever exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    line: f64,
    /// What payload can get at most.
    effective: Option<f64>,
}

/// A bound of bytes per second on a link.
fn link(resource: Resource, direction: Option<Direction>, rates: Rates, source: String) -> Limit {
    let bound = Limit::new(resource, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Link, source);
    Limit { direction, line: Some(rates.line), effective: rates.effective, ..bound }
}
